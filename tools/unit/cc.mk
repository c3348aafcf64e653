# SPDX-License-Identifier: GPL-2.0
#
# Congestion control and path selection beyond the KUnit suites.
#
#	make vectors		published vectors, and that the runner notices
#	make model-check	random traces of the Python model, bit for bit
#	make model-check SEED=7 TRACES=50 EVENTS=5000

cc_vectors := $(wildcard $(tests)/vectors/*.json)
SEED	?= 1
TRACES	?= 10
EVENTS	?= 2000

.PHONY: vectors model-check runner
runner:
	@$(MAKE) -s -C $(top)/tools/vectors $(BUILD)/uet-vectors BUILD=$(BUILD)

vectors: runner
	$(RUN) $(BUILD)/uet-vectors $(cc_vectors)
	$(top)/tools/vectors/selftest.py '$(RUN) $(BUILD)/uet-vectors' $(cc_vectors)
	@$(top)/tools/vectors/gen_header.py $(cc_vectors) | \
		cmp - $(tests)/cc_vectors.h || \
		(echo "cc_vectors.h is out of date"; exit 1)

model-check: runner
	@rm -rf $(BUILD)/model
	$(CURDIR)/model/generate.py $(BUILD)/model $(SEED) $(TRACES) \
		$(EVENTS)
	@text=$$($(RUN) $(BUILD)/uet-vectors $(BUILD)/model/*.json) && \
		echo "$$text" | tail -1

check: vectors model-check
