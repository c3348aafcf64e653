#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The system calls, on one host that talks to itself: uet_sock, uet_msg,
# uet_tx, uet_poll, uet_expire, uet_watch and uet_info bring their own cases.
#
# check: uml-debug,6.1 300 -
# check: 6.12 300 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

setup_pair
for program in "${@:-uet_sock uet_msg uet_tx uet_poll uet_expire uet_watch uet_info}"; do
	for p in $program; do
		part "$p" $A4
		lean || part "$p" $A6
	done
done
finish
