# SPDX-License-Identifier: GPL-2.0
# Targets of the fabric laboratory; included by the top Makefile.
#
#   make lab                     lists the experiments
#   make lab EXP=NAME[,NAME...]  runs ours (EXP=all: every one of them)
#   make lab FILE=path           runs yours
#       SEEDS=n  FORCE=1  JOBS=n  ONLY=transport,case
#   make lab-report              writes uet-results.rst from the results, and
#                                all pictures to out/lab-report
#   make lab-check               checks the laboratory itself (QUICK=1: no guests)

LAB := $(CURDIR)/tools/lab/lab
LAB_RUN = $(if $(FILE),--file "$(FILE)",--exp "$(EXP)") \
	$(if $(SEEDS),--seeds $(SEEDS)) $(if $(FORCE),--force) \
	$(if $(JOBS),--jobs $(JOBS)) $(if $(ONLY),--only "$(ONLY)")

lab:
	@$(if $(EXP)$(FILE),tools/deps python3-matplotlib)
	@$(LAB) $(if $(EXP)$(FILE),run $(LAB_RUN),list)

lab-report:
	@tools/deps python3-matplotlib
	@$(LAB) report

lab-check:
	@$(CURDIR)/tools/lab/check $(if $(QUICK),--quick)

.PHONY: lab lab-report lab-check
