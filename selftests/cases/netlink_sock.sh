#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Netlink: sockets, queues, messages and events, by the kernel's own client.
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

# The guest has the cache of tools/vm, but no home
cache=${UET_CACHE:-$(getent passwd 0 | cut -d: -f6)/.cache/uet}
source=$(printf '%s\n' "$cache"/src/linux-6.12* | head -n 1)
mkdir -p "$WORK/Documentation/netlink/specs"
cp "$source"/Documentation/netlink/*.yaml "$WORK/Documentation/netlink/"
cp "$TREE/Documentation/netlink/specs/uet.yaml" \
	"$WORK/Documentation/netlink/specs/"

setup_pair
fix_neighbours
raw_cases netlink_sock.py "$WORK/Documentation/netlink/specs/uet.yaml" \
	"$source/tools/net/ynl" "$A" "$B" "$A4" "$B4"
finish
