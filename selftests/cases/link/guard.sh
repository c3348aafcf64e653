#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Nobody but the module sends to the UET port in the name of a host, and a host
# says whose jobs it believes.
#
# check: uml-debug 240 -
# check: 6.1 240 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

JOB=77
# A namespace behind host A, and its addresses
C=uet-c-$$
C4=10.9.0.2
C6=fd09::2

# A program of no rights on host A
nobody()
{
	on "$A" setpriv --reuid 65534 --regid 65534 --clear-groups \
		--bounding-set -all "$@"
}

forge()
{
	forge.py --job $JOB "$@"
}

# listen: an endpoint of the job on host B
listen()
{
	clean_processes
	recv_start job -j $JOB -J -I
}

# arrived N: did host B take so many messages of the job since before?
arrived()
{
	wait_for 5 [ "$(($(stat_of "$B" RxReqs) - before))" = "$1" ]
}

# forged N ADDR OPTIONS...: N of one datagram get through to host B
forged()
{
	local n=$1 before guarded rc=0
	shift

	listen
	before=$(stat_of "$B" RxReqs)
	guarded=$(stat_of "$A" TxGuarded)
	nobody forge.py --job $JOB "$@" || rc=$?
	echo "status $rc, guarded $(($(stat_of "$A" TxGuarded) - guarded))"
	if [ "$n" = 0 ]; then
		[ $rc = 3 ] || return 1
		[ "$(stat_of "$A" TxGuarded)" = $((guarded + 1)) ] || return 1
		# What came after it has arrived: so would it
		before=$(stat_of "$B" RxReqs)
		on "$A" forge.py --job $JOB "$B4"
		arrived 1
	else
		[ $rc = 0 ] || return 1
		arrived "$n"
	fi
}

guarded()
{
	local way

	for way in plain connected gso large; do
		echo "$1 $way"
		forged 0 --way $way "$1" || return 1
	done
}

switched_off()
{
	set_sysctl "$A" guard 0
	forged 1 "$B4" && forged 1 "$B6"
	local rc=$?
	set_sysctl "$A" guard 1
	return $rc
}

to_itself()
{
	nobody forge.py 127.0.0.1
	[ $? = 3 ] || return 1
	nobody forge.py "$A6"
	[ $? = 3 ]
}

# IPv6 lets any user take the address of another host.
another_source()
{
	forged 0 --source fd00::77 "$B6"
}

own_messages()
{
	transfer "$1" "-n 20" "-n 20 -s 1-100k"
}

# job_message: one of host A in the job; believed at host B, or EACCES
job_message()
{
	clean_processes
	recv_start job -j $JOB -J -n 1 -I
	send_from_a -w -n 1 -s 100 -j $JOB -J "$@" "$B4/$PID"
}

rule()
{
	"${UET_TOOL:-$TREE/build/uet/uet}" -n "$B" peer "$@" || fail "no rule"
}

believed()
{
	local before

	set_sysctl "$B" trust_jobs 0
	before=$(stat_of "$B" DropUntrustedJob)
	echo "no rule"
	job_message -x EACCES || return 1
	[ "$(stat_of "$B" DropUntrustedJob)" -gt "$before" ] || return 1
	echo "a rule that trusts"
	rule set 10.0.0.0/8 trust_jobs 1
	job_message || return 1
	echo "a longer one that does not"
	rule set "$A4" trust_jobs 0
	on "$B" cat /proc/net/uet_peer
	job_message -x EACCES || return 1
	echo "a longer one that says nothing of it"
	rule set "$A4" base_rtt_us 8us unset trust_jobs
	job_message || return 1
	rule del "$A4"
	rule del 10.0.0.0/8
	job_message -x EACCES || return 1
	set_sysctl "$B" trust_jobs 1
	job_message
}

# Job 0 is everyone's, and a host believes itself.
believed_anyway()
{
	set_sysctl "$B" trust_jobs 0
	transfer "$B4" "-n 3" "-n 3 -s 1k" || return 1
	recv_start job -j $JOB -J -n 1 -I
	on "$B" uet_send -T 30 -w -n 1 -s 100 -j $JOB -J "$B4/$PID" || return 1
	set_sysctl "$B" trust_jobs 1
}

setup_behind()
{
	ip netns add "$C"
	ip link add uet1 netns "$A" type veth peer name uet1 netns "$C"
	ip -n "$A" -batch - <<-END
		addr add 10.9.0.1/24 dev uet1
		addr add fd09::1/64 dev uet1 nodad
		link set uet1 up
	END
	ip -n "$C" -batch - <<-END
		addr add $C4/24 dev uet1
		addr add $C6/64 dev uet1 nodad
		link set uet1 up
		route add default via 10.9.0.1
		route add default via fd09::1
	END
	ip -n "$B" route add 10.9.0.0/24 via "$A4"
	ip -n "$B" route add fd09::/64 via "$A6"
	on "$A" sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
	on "$C" sysctl -qw net.uet.guard=0 net.ipv4.ip_nonlocal_bind=1 \
		net.ipv6.ip_nonlocal_bind=1
}

# forwarded N ADDR OPTIONS...: of one datagram of the namespace behind, N arrive
forwarded()
{
	local n=$1 before
	shift

	listen
	before=$(stat_of "$B" RxReqs)
	on "$C" forge.py --job $JOB "$@" || return 1
	[ "$n" = 1 ] || {
		on "$A" forge.py --job $JOB "$B4"
		n=1
	}
	arrived "$n"
}

# The address of another host is its own; host A only passes it on.
own_name()
{
	forwarded 1 "$B4" && forwarded 1 "$B6" &&
		forwarded 1 --way ip "$B4" && forwarded 1 --way ip "$B6"
}

# IPv4 drops what comes with an address of this host; IPv6 forwards it.
name_of_a()
{
	local guarded

	guarded=$(stat_of "$A" TxGuarded)
	forwarded 0 --source "$A6" "$B6" || return 1
	forwarded 0 --way ip --source "$A6" "$B6" || return 1
	[ "$(stat_of "$A" TxGuarded)" = $((guarded + 2)) ]
}

masquerade()
{
	local guarded

	command -v nft >/dev/null || skip "no nft"
	on "$A" nft -f - <<-END || skip "no address translation in this kernel"
		table inet nat {
			chain post {
				type nat hook postrouting priority srcnat
				ip saddr 10.9.0.0/24 masquerade
				ip6 saddr fd09::/64 masquerade
			}
		}
	END
	guarded=$(stat_of "$A" TxGuarded)
	forwarded 0 "$B4" && forwarded 0 "$B6" && forwarded 0 --way ip "$B4" &&
		forwarded 0 --way ip "$B6" &&
		[ "$(stat_of "$A" TxGuarded)" = $((guarded + 4)) ]
}

setup_pair
tst "a user's datagram to the UET port" guarded "$B4"
tst "a user's datagram, IPv6" guarded "$B6"
tst "a user's datagram with a routing header" forged 0 --way route "$B6"
tst "a user's datagram to its own host" to_itself
tst "a user's datagram in the name of another host" another_source
tst "without the guard it is believed" switched_off
tst "messages of the module pass, IPv4" own_messages "$B4"
tst "messages of the module pass, IPv6" own_messages "$B6"
tst "whose jobs are believed" believed
tst "job 0 and the host itself are" believed_anyway
setup_behind
tst "what is forwarded in its own name passes" own_name
tst "what is forwarded in the name of this host does not" name_of_a
tst "nor what is translated to it" masquerade
ip netns del "$C"
finish
