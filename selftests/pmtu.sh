#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A narrower link behind a router: from the start, and from the middle of a
# message on, when packets are outstanding that do not fit any more.
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

R=uet-r-$$
FAR4=10.1.0.2
FAR6=fd01::2

# Host B moves behind a router
routed()
{
	setup_pair
	ip -n "$B" link del uet0
	ip -batch - <<-END
		netns add $R
		link add uet0 mtu 4224 netns $A type veth peer name near mtu 4224 netns $R
		link add uet0 mtu 4224 netns $B type veth peer name far mtu 4224 netns $R
	END
	ip -n "$R" -batch - <<-END
		addr add 10.0.0.254/24 dev near
		addr add fd00::fe/64 dev near nodad
		addr add 10.1.0.254/24 dev far
		addr add fd01::fe/64 dev far nodad
		link set near up
		link set far up
	END
	on "$R" sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
	setup_host "$A" $A4 $A6
	setup_host "$B" $FAR4 $FAR6
	ip -n "$A" route add 10.1.0.0/24 via 10.0.0.254
	ip -n "$A" route add fd01::/64 via fd00::fe
	ip -n "$B" route add 10.0.0.0/24 via 10.1.0.254
	ip -n "$B" route add fd00::/64 via fd01::fe
}

narrow()
{
	ip -n "$R" link set far mtu "$1"
}

# What a route was told is forgotten with it
forget()
{
	ip -n "$A" route flush cache
	ip -n "$A" -6 route flush cache
}

# counter NETNS NAME: of the whole stack
counter()
{
	on "$1" nstat -asz "$2" | awk -v name="$2" '$1 == name { print $2 }'
}

from_the_start()
{
	narrow 1500
	forget
	transfer "$1" "-n $2" "-n $2 -s 0-100000"
}

rx_bytes_over()
{
	[ "$(stat_of "$B" RxBytes)" -gt "$1" ]
}

# in_pieces NAME COUNT: host B has put together more packets than that
in_pieces()
{
	[ "$(counter "$B" "$1")" -gt "$2" ]
}

# shrinks TYPE ADDR: packets of 4096 bytes are on their way when it happens,
# and some are lost besides; the sender goes on until some came in pieces
shrinks()
{
	local sender rc=0 name=IpReasmOKs before received

	[ "${2#*:}" = "$2" ] || name=Ip6ReasmOKs
	narrow 4224
	forget
	impair "$A" rate 20mbit delay 20ms loss 5%
	recv_start main -I -t "$1"
	before=$(counter "$B" $name)
	received=$(stat_of "$B" RxBytes)
	send_from_a -w -t "$1" -D 600 -b 262144 -s 1m "$2/$PID" >"$WORK/send" &
	sender=$!
	wait_for 20 rx_bytes_over $((received + 200000)) || rc=1
	narrow 1500
	wait_for 20 in_pieces $name "$before" || rc=1
	received=$(stat_of "$B" RxBytes)
	wait_for 20 rx_bytes_over $((received + 2000000)) || rc=1
	# It ends with the message it is at
	# shellcheck disable=SC2046
	kill $(ip netns pids "$A")
	wait $sender || rc=1
	recv_all_sent
	recv_wait main || rc=1
	impair "$A"
	cat "$WORK/send"
	echo "$(($(counter "$B" $name) - before)) packets came in pieces"
	[ "$(counter "$B" $name)" -gt "$before" ] ||
		fail "nothing was outstanding"
	[ "$(field messages "$WORK/recv-main")" = \
	  "$(field delivered "$WORK/send")" ] || fail "messages are missing"
	return $rc
}

routed
both_sysctl link_mbps 20
both_sysctl base_rtt_us 20000
for addr in $FAR4 $FAR6; do
	tst "$addr: narrow from the start" from_the_start $addr 20
	for type in rdm seq; do
		tst "$addr: narrower in the middle, $type" shrinks $type $addr
	done
done
ip netns del "$R"
finish
