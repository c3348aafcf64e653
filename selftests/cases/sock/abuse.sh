#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Calls as nobody should make them, on a host that talks to itself.
#
# check: uml-debug 300 -
# check: 6.1,6.12,uml-smp 300 full
exec "$(dirname "$0")/sock.sh" uet_abuse uet_wild
