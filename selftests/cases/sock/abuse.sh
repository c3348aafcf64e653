#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Calls as nobody should make them, on a host that talks to itself.
exec "$(dirname "$0")/sock.sh" uet_abuse uet_wild
