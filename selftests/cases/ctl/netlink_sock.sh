#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Netlink: sockets, queues, messages, failures and events, by the kernel's own client.
#
#   netlink_sock.sh [CASE...]
#
# check: uml-debug 300 -
# check: 6.1,6.12 300 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

setup_pair
fix_neighbours
SLOW=$SLOW raw_cases netlink_sock.py "$A" "$B" "$A4" "$B4" "$@"
finish
