/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The causes that "explain" knows. Each function tells from the facts whether a cause
 * holds, since when, and what is said about it; it knows nothing but the facts.
 */
#ifndef UET_EXPLAIN_CAUSES_H
#define UET_EXPLAIN_CAUSES_H

#include "explain.h"

void say(char *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void say_bytes(char *buf, const char *before, uint64_t bytes);
bool waits_for(const struct facts *f, enum uet_nl_wait wait, struct verdict *v);

bool cause_route(const struct facts *f, struct verdict *v);
bool cause_firewall(const struct facts *f, struct verdict *v);
bool cause_silent(const struct facts *f, struct verdict *v);
bool cause_mtu(const struct facts *f, struct verdict *v);
bool cause_standstill(const struct facts *f, struct verdict *v);
bool cause_receiver(const struct facts *f, struct verdict *v);
bool cause_hold(const struct facts *f, struct verdict *v);
bool cause_port(const struct facts *f, struct verdict *v);
bool cause_path(const struct facts *f, struct verdict *v);
bool cause_trim(const struct facts *f, struct verdict *v);
bool cause_job(const struct facts *f, struct verdict *v);
bool cause_refused(const struct facts *f, struct verdict *v);
bool cause_failed(const struct facts *f, struct verdict *v);
bool cause_reader(const struct facts *f, struct verdict *v);
bool cause_small_mtu(const struct facts *f, struct verdict *v);
bool cause_shut_port(const struct facts *f, struct verdict *v);
bool cause_dropping_port(const struct facts *f, struct verdict *v);
bool cause_full_port(const struct facts *f, struct verdict *v);
bool cause_credit(const struct facts *f, struct verdict *v);
bool cause_receive_window(const struct facts *f, struct verdict *v);
bool cause_window(const struct facts *f, struct verdict *v);
bool cause_opening(const struct facts *f, struct verdict *v);
bool cause_moving(const struct facts *f, struct verdict *v);
bool cause_line(const struct facts *f, struct verdict *v);
bool cause_writer(const struct facts *f, struct verdict *v);
bool cause_turn(const struct facts *f, struct verdict *v);
bool cause_answer(const struct facts *f, struct verdict *v);

#endif
