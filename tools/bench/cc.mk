# SPDX-License-Identifier: GPL-2.0
#
# Cost of congestion control and path selection.
#
#	make -f cc.mk run		nanoseconds, instructions if they can be counted
#	make -f cc.mk instructions	instructions by valgrind, on any machine

top	:= $(abspath ../..)
core	:= $(top)/net/uet/core
out	:= $(top)/build/bench
srcs	:= cc_bench.c $(wildcard $(core)/cc/*.c $(core)/lb/*.c)

$(out)/cc_bench: $(srcs) $(wildcard $(core)/*.h $(core)/*/*.h)
	@mkdir -p $(out)
	$(CC) -std=gnu11 -O2 -g -Wall -Wextra -Wno-unused-parameter \
		-I$(top)/tools/shim/include -o $@ $(srcs)

.PHONY: run
run: $(out)/cc_bench
	$<

# 1000 batches of 64 packets.
.PHONY: instructions
instructions: $(out)/cc_bench
	@for p in hybrid oblivious bitmap reps rtt; do \
		for f in ack_batch send_batch; do \
			n=$$(valgrind --tool=callgrind --toggle-collect=$$f \
			     --callgrind-out-file=/dev/stdout $< nscc $$p \
			     2>/dev/null | sed -n 's/^summary: //p'); \
			echo "nscc $$p $$f: $$((n / 64000)) instructions"; \
		done; \
	done
