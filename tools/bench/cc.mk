# SPDX-License-Identifier: GPL-2.0
# make -f cc.mk run: cost of congestion control and path selection.

top	:= $(abspath ../..)
core	:= $(top)/net/uet/core
out	:= $(top)/build/bench
srcs	:= cc_bench.c $(addprefix $(core)/,ccc.c params.c rtt.c) \
	   $(wildcard $(core)/cc_*.c) $(wildcard $(core)/lb*.c)

$(out)/cc_bench: $(srcs) $(wildcard $(core)/*.h)
	@mkdir -p $(out)
	$(CC) -std=gnu11 -O2 -g -Wall -Wextra -Wno-unused-parameter \
		-I$(top)/tools/shim/include -o $@ $(srcs)

.PHONY: run
run: $(out)/cc_bench
	$<
