#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The rest of the kernel: firewalls and connection tracking, queues by flow,
# switches that choose a path by hash, and VRFs.
#
# check: uml-debug 300 turn1
# check: 6.12 300 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

S=uet-s-$$

# A firewall that lets UET in, and otherwise what somebody inside asked for
firewall()
{
	command -v nft >/dev/null || skip "no nft"
	on "$1" nft -f - <<-END || skip "no connection tracking in this kernel"
		table inet filter {
			chain input {
				type filter hook input priority filter; policy drop
				udp dport 4793 accept
				icmp type { destination-unreachable, echo-request } accept
				icmpv6 type != { echo-reply } accept
				ct state established,related accept
				iif lo accept
			}
			chain output {
				type filter hook output priority filter; policy accept
				ct state invalid drop
			}
		}
	END
}

connections()
{
	on "$1" cat /proc/sys/net/netfilter/nf_conntrack_count
}

few_connections()
{
	local n

	n=$(connections "$1")
	echo "$1: $n connections"
	[ "$n" -le 2 ]
}

untracked()
{
	firewall "$A"
	firewall "$B"
	transfer "$B4" "-n 10" "-n 10 -s 100k" || return 1
	transfer "$B6" "-n 10" "-n 10 -s 100k" || return 1
	few_connections "$A" && few_connections "$B"
}

tracked()
{
	command -v nft >/dev/null || skip "no nft"
	[ -e /proc/sys/net/netfilter/nf_conntrack_count ] ||
		skip "no connection tracking in this kernel"
	both_sysctl conntrack 1
	transfer "$B4" "-n 10" "-n 10 -s 100k" || return 1
	both_sysctl conntrack 0
	echo "$(connections "$A") connections"
	[ "$(connections "$A")" -gt 20 ]
}

# count HOST MATCH...: packets for the UET port that leave it so
count()
{
	on "$1" nft -f - <<-END
		table inet count {
			counter seen { }
			chain output {
				type filter hook output priority filter
				udp dport 4793 ${*:2} counter name seen
			}
		}
	END
}

counted()
{
	local n

	n=$(on "$1" nft list counter inet count seen |
		sed -n 's/.*packets \([0-9]*\).*/\1/p')
	on "$1" nft delete table inet count
	echo "$1: $n packets"
	[ "$n" -ge 10 ]
}

# Rules see what they see of UDP: the mark, and the priority of a DSCP
marks()
{
	command -v nft >/dev/null || skip "no nft"
	count "$A" meta mark 7 || skip "no nftables in this kernel"
	count "$B" meta priority 0:6
	transfer "$B4" "-n 20" "-n 20 -s 100k -M 7" || return 1
	counted "$A" && counted "$B"
}

nobody()
{
	on "$A" setpriv --reuid 65534 --regid 65534 --clear-groups \
		--bounding-set -all "$@"
}

# Data belongs to the user who opened the socket, resent data as well, and to
# nobody else
owned()
{
	local addr rc=0

	command -v nft >/dev/null || skip "no nft"
	for addr in "$B4" "$B6"; do
		count "$A" meta skuid 65534 || skip "no nftables in this kernel"
		recv_start main -n 20 -x 100
		nobody uet_send -T $((60 * SLOW)) -w -n 20 -s 100k "$addr/$PID" || rc=1
		recv_wait main || rc=1
		counted "$A" || rc=1
		count "$A" meta skuid 65534
		transfer "$addr" "-n 5" "-n 5 -s 100k" || rc=1
		counted "$A" && rc=1
	done
	return $rc
}

# The socket closes and its namespace goes away while its packets wait there
outlived()
{
	local addr

	for addr in "$B4" "$B6"; do
		leave_waiting "$addr" || return 1
		teardown_pair
		setup_pair
	done
}

# The same where they wait in the queue of a device of another namespace
outlived_elsewhere()
{
	ip netns add "$S"
	ip netns add "$A"
	ip netns add "$B"
	ip link add h0 mtu 4224 netns "$S" type veth peer name uet0 mtu 4224 \
		netns "$B"
	ip -n "$S" link set h0 up
	ip -n "$S" link add uet0 mtu 4224 netns "$A" link h0 type macvlan ||
		skip "no macvlan here"
	setup_host "$A" "$A4" "$A6"
	setup_host "$B" "$B4" "$B6"
	transfer "$B4" "-n 1" "-n 1" || return 1
	tc -n "$S" qdisc add dev h0 root netem limit 10000 delay 100s
	recv_start main -I
	send_from_a -n 10 -s 10k "$B4/$PID" || return 1
	wait_for 10 waiting 3 "$S" h0 || fail "nothing waits"
	clean_processes
	ip netns del "$A"
	waiting 3 "$S" h0 || fail "nothing waits any more"
	tc -n "$S" qdisc del dev h0 root
}

elsewhere()
{
	local rc

	teardown_pair
	(outlived_elsewhere)
	rc=$?
	ip netns del "$S" 2>/dev/null
	teardown_pair
	setup_pair
	return $rc
}

# refuse_rule WORDS: what a rule of host A matches goes nowhere
refuse_rule()
{
	local family

	for family in -4 -6; do
		ip -n "$A" $family rule "$1" "${@:2}" unreachable || return 1
	done
}

# A rule that is new holds for a socket that is in use
ruled_at_once()
{
	local sender

	recv_start main -I
	nobody uet_send -T 20 -D 20 -F "$B4/$PID" >"$WORK/send" 2>&1 &
	sender=$!
	wait_for 10 arrived 20 || fail "nothing comes"
	refuse_rule add uidrange 65534-65534 || return 1
	wait $sender
	refuse_rule del uidrange 65534-65534
	cat "$WORK/send"
	[ "$(field errno "$WORK/send")" = ENETUNREACH ]
}

# Routing rules see whose data it is, and the traffic class that was asked for
ruled()
{
	local addr rc=0

	for addr in "$B4" "$B6"; do
		recv_start main -n 14 -x 100
		# Before there are rules: a queue of his stays
		nobody uet_send -w -n 2 -s 20k "$addr/$PID" || rc=1
		refuse_rule add uidrange 65534-65534 || return 1
		nobody uet_send -x ENETUNREACH -n 2 "$addr/$PID" || rc=1
		send_from_a -w -n 4 -s 20k "$addr/$PID" || rc=1
		refuse_rule del uidrange 65534-65534
		nobody uet_send -w -n 2 -s 20k "$addr/$PID" || rc=1
		refuse_rule add tos 0x10 || return 1
		send_from_a -d 4 -x ENETUNREACH -n 2 "$addr/$PID" || rc=1
		send_from_a -w -n 4 -s 20k "$addr/$PID" || rc=1
		refuse_rule del tos 0x10
		send_from_a -d 4 -w -n 2 -s 20k "$addr/$PID" || rc=1
		recv_wait main || rc=1
	done
	return $rc
}

# Flows that have packets waiting at host A
classes()
{
	tc -n "$A" class show dev uet0 | grep -c "class fq_codel"
}

# queue KIND: what host A sends waits in such a queue, before a slow link
queue()
{
	tc -n "$A" qdisc replace dev uet0 root handle 1: tbf rate 16mbit \
		burst 20k limit 1m
	tc -n "$A" qdisc add dev uet0 parent 1: handle 2: "$1"
}

no_queue()
{
	tc -n "$A" qdisc del dev uet0 root
}

# The most of them that were seen while messages went
most_classes()
{
	local n most=0

	queue fq_codel
	recv_start main -n 6
	send_from_a -n 6 -s 500k "$B4/$PID" &
	while kill -0 "$recv_pid_main" 2>/dev/null; do
		n=$(classes)
		[ "$n" -le "$most" ] || most=$n
	done
	recv_wait main || return 1
	no_queue
	echo "$most flows at once"
	[ "$most" -ge 1 ] && [ "$most" -le 2 ]
}

fq_drops_nothing()
{
	queue fq
	transfer "$B4" "-n 6" "-n 6 -s 500k" || return 1
	tc -n "$A" -s qdisc show dev uet0 | tee "$WORK/fq"
	no_queue
	! grep -q flows_plimit "$WORK/fq"
}

# Host A behind a switch with two ways to host B, which hashes ports
setup_switch()
{
	local i

	ip netns add "$S"
	ip -n "$A" link del uet0
	ip link add uet0 mtu 4224 netns "$A" type veth peer name h0 mtu 4224 netns "$S"
	setup_host "$A" "$A4" "$A6"
	for i in 0 1; do
		ip link add s$i mtu 4224 netns "$S" type veth peer name s$i \
			mtu 4224 netns "$B"
		ip -n "$S" addr add 10.1.$i.1/24 dev s$i
		ip -n "$B" addr add 10.1.$i.2/24 dev s$i
		ip -n "$S" addr add fd0$((i + 1))::1/64 dev s$i nodad
		ip -n "$B" addr add fd0$((i + 1))::2/64 dev s$i nodad
		ip -n "$S" link set s$i up
		ip -n "$B" link set s$i up
	done
	ip -n "$B" addr add "$B4/32" dev lo
	ip -n "$B" addr add "$B6/128" dev lo nodad
	ip -n "$A" route add "$B4" via 10.0.0.254 src "$A4"
	ip -n "$A" -6 route add "$B6" via fd00::fe src "$A6"
	ip -n "$B" route add "$A4" via 10.1.0.1 src "$B4"
	ip -n "$B" -6 route add "$A6" via fd01::1 src "$B6"
	ip -n "$S" -batch - <<-END
		addr add 10.0.0.254/24 dev h0
		addr add fd00::fe/64 dev h0 nodad
		link set h0 up
		route add $B4 nexthop via 10.1.0.2 dev s0 nexthop via 10.1.1.2 dev s1
		route add $B6 nexthop via fd01::2 dev s0 nexthop via fd02::2 dev s1
	END
	on "$S" sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1 \
		net.ipv4.fib_multipath_hash_policy=1 \
		net.ipv6.fib_multipath_hash_policy=1
	on "$B" sysctl -qw net.ipv4.conf.all.rp_filter=0
	# While a router is being resolved, IPv6 takes a shorter prefix of the link instead
	# where the kernel has no router preferences
	ip -n "$A" neigh replace fd00::fe dev uet0 nud permanent \
		lladdr "$(on "$S" cat /sys/class/net/h0/address)"
}

packets_by()
{
	on "$S" cat "/sys/class/net/$1/statistics/tx_packets"
}

# Both ways carry at least a tenth: each flow on one of them would be all or nothing
spread()
{
	local n0 n1

	tc -n "$A" qdisc replace dev uet0 root fq_codel
	n0=$(packets_by s0) n1=$(packets_by s1)
	transfer "$1" "-n 10" "-n 10 -s 200k" || return 1
	n0=$(($(packets_by s0) - n0)) n1=$(($(packets_by s1) - n1))
	echo "$n0 and $n1 packets"
	[ $((n0 * 9)) -ge "$n1" ] && [ $((n1 * 9)) -ge "$n0" ]
}

# Host B and then host A have their link in a VRF. A tunnel socket is not bound to
# one, and UDP asks for this then.
setup_vrf()
{
	ip -n "$1" -batch - <<-END
		link add red type vrf table 10
		link set red up
		link set uet0 master red
		addr add $2/64 dev uet0 nodad
	END
	on "$1" sysctl -qw net.ipv4.udp_l3mdev_accept=1
}

# The address that host $1 has on its link
link_local()
{
	ip -n "$1" -6 -o addr show dev uet0 scope link |
		sed 's/.*inet6 \([^/]*\).*/\1/'
}

link_local_ready()
{
	[ -n "$(link_local "$1")" ] &&
		! ip -n "$1" -6 addr show dev uet0 scope link | grep -q tentative
}

# in_vrf DEVICE: host B receives by sockets that are bound to it
in_vrf()
{
	transfer "$B4" "-n 5 -O $1" "-n 5 -s 50k" || return 1
	transfer "$B6" "-n 5 -O $1" "-n 5 -s 50k" || return 1
	wait_for 10 link_local_ready "$B" || return 1
	transfer "$(link_local "$B")%uet0" "-n 5 -O $1" "-n 5 -s 50k"
}

# from_vrf DEVICE: so does host A send
from_vrf()
{
	transfer "$B4" "-n 5 -O uet0" "-n 5 -s 50k -O $1" || return 1
	transfer "$B6" "-n 5 -O uet0" "-n 5 -s 50k -O $1" || return 1
	wait_for 10 link_local_ready "$A" || return 1
	transfer "$(link_local "$B")%uet0" "-n 5 -O red" "-n 5 -s 50k -O $1"
}

setup_pair
tst "connection tracking does not see UET" untracked
tst "unless it is told to" tracked
tst "firewalls see the mark of a socket, and ACKs have their priority" marks
tst "firewalls see the user whose data it is" owned
tst "sockets and namespaces go while packets wait" outlived
tst "... while they wait in another namespace" elsewhere
tst "a new routing rule holds for sockets in use" ruled_at_once
tst "routing rules see the user and the traffic class" ruled
tst "a context is one flow of fq_codel" most_classes
tst "fq does not drop for its limit of a flow" fq_drops_nothing
setup_switch
tst "a switch on the same host sprays, IPv4" spread "$B4"
tst "a switch on the same host sprays, IPv6" spread "$B6"
ip netns del "$S"
teardown_pair
setup_pair
setup_vrf "$B" "$B6"
tst "sockets bound to a VRF receive" in_vrf red
tst "sockets bound to an interface in a VRF receive" in_vrf uet0
setup_vrf "$A" "$A6"
tst "sockets bound to a VRF send" from_vrf red
tst "sockets bound to an interface in a VRF send" from_vrf uet0
finish
