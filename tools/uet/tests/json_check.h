/* SPDX-License-Identifier: GPL-2.0 */
#ifndef UET_JSON_CHECK_H
#define UET_JSON_CHECK_H

#include <stdbool.h>

bool json_documents(const char *text, int *n);

#endif
