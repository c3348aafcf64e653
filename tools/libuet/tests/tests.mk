# SPDX-License-Identifier: GPL-2.0
# Tests that need no module; included by the Makefile of libuet.

ROUNDS ?= 100000
TEST_O := $(top)/build/libuet-tests
SAN := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
tests := $(wildcard tests/unit*.c)

$(TEST_O)/unit: $(srcs) $(tests) $(wildcard tests/*.h) libuet.h internal.h
	@mkdir -p $(TEST_O)
	$(CC) -g -O1 $(SAN) -std=gnu11 -Wall -Wextra -Werror -D_FORTIFY_SOURCE=0 \
		-I$(top)/include/uapi -o $@ $(srcs) $(tests)

check: all $(TEST_O)/unit
	@$(TEST_O)/unit $(ROUNDS)
	@$(PYTHON) tests/tree.py $(O)

.PHONY: check
