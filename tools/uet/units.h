/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers with units, in and out.
 */
#ifndef UET_UNITS_H
#define UET_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest number with its unit, with the zero */
#define UNIT_TEXT	40

void bytes_text(double bytes, char *buf, size_t size);
void ns_text(uint64_t ns, char *buf, size_t size);
void rate_text(double bits_per_s, char *buf, size_t size);

bool number_parse(const char *text, uint64_t most, uint64_t *value);
bool seconds_parse(const char *text, double *seconds);
bool quantity_parse(const char *text, const char *unit, int64_t *value);

#endif
