#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In a guest: two hosts and two links, with marks, then more of them, a reader that stops, a
# link that goes down and hostile packets; what both hosts say each STEP seconds, as
# FOLDER/HOST-TIME.txt.
#
# usage: load.sh FOLDER
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../selftests/lib.sh"

FOLDER=${1:?usage: load.sh FOLDER}
TOOL=$TREE/build/uet/uet
STEP=5

# scrape SECONDS: of both hosts, so long
scrape()
{
	local end=$((SECONDS + $1)) host netns

	while [ "$SECONDS" -lt "$end" ]; do
		for host in a b; do
			[ $host = a ] && netns=$A || netns=$B
			"$TOOL" -n "$netns" -d stat -o openmetrics \
				>"$FOLDER/$host-$(date +%s).txt" || exit 1
		done
		sleep $STEP
	done
}

# link DEVICE netem-words...: one of the two, as both ends have it
link()
{
	local dev=$1
	shift

	tc -n "$A" qdisc replace dev "$dev" root netem limit 200 "$@"
	tc -n "$B" qdisc replace dev "$dev" root netem limit 200 "$@"
}

mkdir -p "$FOLDER"
setup_links
link p0 rate 4mbit delay 2ms loss 0.5% ecn
link p1 rate 4mbit delay 2ms loss 0.5% ecn
recv_start main -n 1000000000 -I -T 36000
on "$A" uet_send -T 36000 -n 100000000 -s 40000 $B4/$PID >/dev/null 2>&1 &
on "$A" uet_send -T 36000 -n 100000000 -s 2000 10.2.0.5/$PID >/dev/null 2>&1 &
scrape 60
link p1 rate 4mbit delay 2ms loss 10% ecn
scrape 60
link p1 rate 4mbit delay 2ms loss 0.5% ecn
PID=110 recv_start slow -n 1000000 -b 40000 -I -A
slow=$("$TOOL" -n "$B" sock show pidonfep 110 -p |
	sed -n 's/.*process "uet_recv" pid \([0-9]*\).*/\1/p')
kill -STOP "$slow" || exit 1
on "$A" uet_send -T 36000 -n 100000 -s 20000 $B4/110 >/dev/null 2>&1 &
scrape 45
kill -CONT "$slow"
ip -n "$A" link set p1 down
scrape 20
ip -n "$A" link set p1 up
ip -n "$A" route replace $B4 src $A4 nexthop via 10.1.0.2 dev p0 \
	nexthop via 10.1.1.2 dev p1
for _ in 1 2 3 4 5 6; do
	set_sysctl "$A" guard 0
	on "$A" uet_inject.py pdcids $B4 --count 40 --device p0 >/dev/null
	on "$A" uet_send -F -n 20 -s 100 $B4/4000 >/dev/null 2>&1
	scrape 10
done
exit 0
