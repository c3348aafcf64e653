/* SPDX-License-Identifier: GPL-2.0 */
/* The parts of the unit tests; @rounds: how often random ones are repeated */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include "ktap.h"

void test_addresses(unsigned long rounds);
void test_services(unsigned long rounds);
void test_messages(void);

#endif /* TESTS_UNIT_H */
