/* SPDX-License-Identifier: GPL-2.0 */
/* KTAP lines of a test in C */
#ifndef TESTS_KTAP_H
#define TESTS_KTAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

extern int ktap_number, ktap_failed;

static inline void __attribute__((format(printf, 2, 3)))
ok(bool good, const char *fmt, ...)
{
	va_list ap;

	printf("%s %d ", good ? "ok" : "not ok", ++ktap_number);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	ktap_failed += !good;
}

static inline int ktap_end(void)
{
	printf("1..%d\n", ktap_number);
	return ktap_failed != 0;
}

#endif /* TESTS_KTAP_H */
