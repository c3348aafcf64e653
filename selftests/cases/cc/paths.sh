#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Paths: several links between two hosts, and policies over several spines.
#
#   paths.sh            in a guest: what must hold on any machine
#   paths.sh functions  the part of it with two links
#   paths.sh spines     the part with several spines
#   paths.sh figures    in a guest: shares and rates, which need a clock that
#                       does not depend on the speed of the machine
#                       (K=vtime)
#
# check: [functions] vtime 1200 turn3
# check: 6.1,6.12 1800 lean,full
# check: [figures] vtime 1800 turn2
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

# --- two hosts, two links -------------------------------------------------

# shape PORT netem-words...: both directions of a link
shape()
{
	local port=$1 netns
	shift

	for netns in "$A" "$B"; do
		tc -n "$netns" qdisc replace dev "$port" root netem limit 400 "$@"
	done
}

tx_bytes()
{
	on "$1" cat "/sys/class/net/$2/statistics/tx_bytes"
}

# percent OF ALL
percent()
{
	echo $((100 * $1 / ($2 ? $2 : 1)))
}

# new_contexts: what comes next begins with contexts of its own
unshape()
{
	tc -n "$A" qdisc del dev "$1" root
	tc -n "$B" qdisc del dev "$1" root
}

new_contexts()
{
	local netns

	for netns in "$A" "$B"; do
		wait_for 30 no_contexts "$netns" || fail "contexts stay"
	done
}

no_contexts()
{
	[ "$(stat_of "$1" CurPdcs)" = 0 ]
}

# The sender that runs on host A ends with the message it is at
end_load()
{
	# shellcheck disable=SC2046
	kill $(ip netns pids "$A") || { echo "the load had ended"; return 1; }
}

# run_bulk ADDR BYTES OPTIONS...: a message, its time and what became of paths
run_bulk()
{
	local addr=$1 size=$2 rc=0
	shift 2

	recv_start bulk -n 1 -x 0
	send_from_a -w -k -n 1 -s "$size" "$@" "$addr/$PID" >"$WORK/send" ||
		rc=1
	cat "$WORK/send"
	recv_wait bulk || rc=1
	return $rc
}

# rate BYTES: Mb/s of the last run_bulk
rate()
{
	awk -v n="$1" -v t="$(field secs "$WORK/send")" \
		'BEGIN { printf "%d", n * 8 / t / 1000000 }'
}

# --- several ports ----------------------------------------------------------

both_ports()
{
	local p0 p1 share

	p0=$(tx_bytes "$A" p0) p1=$(tx_bytes "$A" p1)
	run_bulk "$1" 3000000 || return 1
	p0=$(($(tx_bytes "$A" p0) - p0)) p1=$(($(tx_bytes "$A" p1) - p1))
	share=$(percent $p0 $((p0 + p1)))
	echo "p0 $p0 p1 $p1 bytes"
	[ "$(field ports "$WORK/send")" = 2 ] && [ "$share" -ge 20 ] &&
		[ "$share" -le 80 ]
}

# sum_of_speeds ADDR BYTES MBPS [OPTIONS]: at least 90 % of what the links carry
sum_of_speeds()
{
	local addr=$1 size=$2 sum=$3 mbps
	shift 3

	run_bulk "$addr" "$size" "$@" || return 1
	mbps=$(rate "$size")
	echo "$mbps of $sum Mb/s"
	[ $((mbps * 10)) -ge $((sum * 9)) ]
}

# The other end of the link goes down and comes back
carrier()
{
	ip -n "$B" link set p1 "$1"
	[ "$1" = down ] || ip -n "$B" -batch - <<-END
		route replace $A4 src $B4 nexthop via 10.1.0.1 dev p0 nexthop via 10.1.1.1 dev p1
		route replace $A6/128 src $B6 nexthop via fd01::1 dev p0 nexthop via fd02::1 dev p1
	END
}

# A transfer goes on over the other link when one loses its carrier, and uses
# it again when that is back.
carrier_lost()
{
	local addr=$1 down up p0 p1 pid rc=0
	shift

	down=$(stat_of "$A" PortDown) up=$(stat_of "$A" PortUp)
	recv_start bulk -I -x 0
	on "$A" uet_send -w -k -T $((60 * SLOW)) -D 600 -s 500000 "$@" \
		"$addr/$PID" >"$WORK/send" &
	pid=$!
	p1=$(tx_bytes "$A" p1)
	wait_for 20 more_than "$A" p1 $((p1 + 2000000)) || return 1
	carrier down
	p1=$(tx_bytes "$A" p1)
	p0=$(tx_bytes "$A" p0)
	wait_for 20 more_than "$A" p0 $((p0 + 4000000)) || rc=1
	echo "PortDown $(($(stat_of "$A" PortDown) - down))," \
		"after that $(($(tx_bytes "$A" p1) - p1)) bytes by p1"
	[ "$(stat_of "$A" PortDown)" -gt "$down" ] || rc=1
	[ "$(tx_bytes "$A" p1)" = "$p1" ] || rc=1
	carrier up
	wait_for 20 more_than "$A" p1 $((p1 + 2000000)) || rc=1
	[ "$(stat_of "$A" PortUp)" -gt "$up" ] || rc=1
	load_arrived $pid || rc=1
	return $rc
}

# load_arrived PID: the load ends, and all that PID sent was delivered
load_arrived()
{
	local rc=0

	end_load || rc=1
	wait "$1" || rc=1
	cat "$WORK/send"
	recv_all_sent
	recv_wait bulk || rc=1
	[ "$(field delivered "$WORK/send")" = "$(field sent "$WORK/send")" ] &&
		return $rc
}

more_than()
{
	[ "$(tx_bytes "$1" "$2")" -gt "$3" ]
}

# --- settings ---------------------------------------------------------------

# Existing contexts keep what they were made with; new ones begin every time,
# with traffic of others running.
live_settings()
{
	local policy size pid port n=0 rc=0 sizes="1 16 32768"

	lean && sizes=16
	# Enough load for paths to be in use, not for the processor to be
	for port in p0 p1; do
		shape $port rate 20mbit
	done
	recv_start base -I
	on "$A" uet_send -w -T 600 -D 600 -s 50000 "$B4/$PID" \
		>"$WORK/base" &
	pid=$!
	for policy in single oblivious bitmap reps hybrid flowlet rtt conweave \
		      ecmp; do
		for size in $sizes; do
			both_sysctl path_policy $policy
			both_sysctl entropy_size $size
			set_sysctl "$A" path_stats $((n % 2))
			n=$((n + 1))
			PID=$((100 + n))
			recv_start $policy$size -n 5 -x 0
			# A class of its own has a context of its own
			send_from_a -w -k -n 5 -s 100000 -d $n "$B4/$PID" \
				>"$WORK/send" || rc=1
			recv_wait $policy$size || rc=1
			grep -q "\"policy\": \"$policy\"" "$WORK/send" || {
				cat "$WORK/send"
				rc=1
			}
			PID=100
		done
	done
	end_load || rc=1
	wait $pid || rc=1
	cat "$WORK/base"
	recv_all_sent
	recv_wait base || rc=1
	for port in p0 p1; do
		unshape $port
	done
	both_sysctl path_policy hybrid
	both_sysctl entropy_size 256
	set_sysctl "$A" path_stats 0
	return $rc
}

bad_sizes()
{
	local size rc=0

	for size in 0 3 100 32769 65536 4294967296 -1 x; do
		set_sysctl "$A" entropy_size $size && {
			echo "$size accepted"
			rc=1
		}
	done
	for size in 1 32768 256; do
		set_sysctl "$A" entropy_size $size || rc=1
	done
	return $rc
}

# path_lines CONDITION: awk on the lines of host A
path_lines()
{
	on "$A" awk "NR > 1 && $1" /proc/net/uet_path
}

# The history of values adds up to what was sent, and names both ports; the
# end of a link shows at each of its values.
live_state()
{
	local sent reqs p0 p1 rc=0

	new_contexts
	# The context is to be there when it is looked at
	both_sysctl pdc_idle_s $((8 * SLOW))
	set_sysctl "$A" path_stats 1
	reqs=$(stat_of "$A" TxReqs)
	run_bulk "$B4" 2000000 || return 1
	reqs=$(($(stat_of "$A" TxReqs) - reqs))
	path_lines 1 >"$WORK/paths"
	head -n 5 "$WORK/paths"
	sent=$(awk '{ n += $9 } END { print n + 0 }' "$WORK/paths")
	p0=$(on "$A" cat /sys/class/net/p0/ifindex)
	p1=$(on "$A" cat /sys/class/net/p1/ifindex)
	echo "$sent packets of $reqs and retransmissions"
	[ "$sent" -ge "$reqs" ] || rc=1
	for i in $p0 $p1; do
		awk -v i="$i" '$5 == i && $9 > 0 && $14 > 0 { n++ }
			END { exit n < 8 }' "$WORK/paths" || rc=1
	done
	awk '$7 != "good" && $7 != "bad" && $7 != "gone"' "$WORK/paths" | grep . && rc=1
	carrier down
	run_bulk "$B4" 500000 || rc=1
	[ "$(field ports_down "$WORK/send")" = 1 ] || rc=1
	[ "$(field paths_bad "$WORK/send")" -gt 0 ] || rc=1
	[ "$(path_lines "\$5 == $p1 && \$7 != \"down\" &&
		\$7 != \"gone\"" | wc -l)" = 0 ] || rc=1
	[ "$(path_lines "\$5 == $p1" | wc -l)" -gt 0 ] || rc=1
	carrier up
	set_sysctl "$A" path_stats 0
	both_sysctl pdc_idle_s 1
	run_bulk "$B4" 500000 || rc=1
	[ "$(field ports_down "$WORK/send")" = 0 ] || rc=1
	[ "$(path_lines '$9 > 0' | wc -l)" = 0 ] || rc=1
	return $rc
}

# Every packet is a decision, every answer a signal
tracing()
{
	local events=/sys/kernel/tracing/events/uet_path rc=0

	mount -t tracefs none /sys/kernel/tracing 2>/dev/null
	[ -d $events ] || skip "no tracepoints in this kernel"
	echo >/sys/kernel/tracing/trace
	echo 1 >$events/enable
	run_bulk "$B4" 500000 || rc=1
	carrier down
	run_bulk "$B4" 500000 || rc=1
	carrier up
	echo 0 >$events/enable
	grep uet_path /sys/kernel/tracing/trace >"$WORK/trace"
	head -n 5 "$WORK/trace"
	[ "$(grep -c 'uet_path_choose: .* ev=[0-9]* run=1' "$WORK/trace")" \
		-ge 200 ] || rc=1
	grep -q 'uet_path_signal: .* clear rtt=' "$WORK/trace" || rc=1
	grep -q 'uet_path_event: .* port down' "$WORK/trace" || rc=1
	return $rc
}

# Each peer has ports, a context and paths of its own; all of them are listed,
# and all of them go.
many_contexts()
{
	local opened listed rc=0

	opened=$(stat_of "$A" PdcOpened)
	both_sysctl pdc_max 65536
	both_sysctl pdc_idle_s $((10 * SLOW))
	set_sysctl "$A" path_stats 1
	recv_start many -n "$1" -x 0
	send_from_a -w -n "$1" -s 100 -X "$1" "10.2.0.1/$PID" || rc=1
	recv_wait many || rc=1
	opened=$(($(stat_of "$A" PdcOpened) - opened))
	listed=$(path_lines 1 | awk '{ print $4 }' | sort -u | wc -l)
	echo "$opened contexts, $listed listed"
	[ $opened -ge "$1" ] || rc=1
	[ "$listed" -ge "$1" ] || rc=1
	set_sysctl "$A" path_stats 0
	both_sysctl pdc_idle_s 1
	new_contexts
	return $rc
}

# --- spines -----------------------------------------------------------------

spine_pkts()
{
	local i

	for i in $(seq $SPINES); do
		on "$R" cat /sys/class/net/s$i/statistics/tx_packets
	done
}

# A run counts as one packet, as does a neighbour's question: bytes tell whose
# the spine is.
spine_bytes()
{
	local i

	for i in $(seq $SPINES); do
		on "$R" cat /sys/class/net/s$i/statistics/tx_bytes
	done
}

# spine_shares POLICY [OPTIONS]: bytes per spine of a transfer
spine_shares()
{
	local ooo policy=$1
	shift

	ooo=$(stat_of "$B" RxOutOfOrder)
	spine_bytes >"$WORK/before"
	run_bulk 10.0.2.1 8000000 -L "$policy" "$@" || return 1
	spine_bytes | paste - "$WORK/before" |
		awk '{ print $1 - $2 }' >"$WORK/shares"
	ooo=$(($(stat_of "$B" RxOutOfOrder) - ooo))
	echo "$policy: bytes per spine" $(cat "$WORK/shares") "out of order $ooo"
	echo $ooo >"$WORK/ooo"
}

# sprayed POLICY: every spine has a quarter of its part at least, which is far
# from what few values that are reused can come to, and twice it at most
sprayed()
{
	spine_shares "$1" || return 1
	awk -v spines=$SPINES '{ n[NR] = $1; sum += $1 }
		END {
			for (i in n)
				if (n[i] * spines < sum / 4 ||
				    n[i] * spines > sum * 2)
					exit 1
		}' "$WORK/shares"
}

# reordered POLICY: the spines differ so much that spraying shows
reordered()
{
	sprayed "$1" || return 1
	[ "$(cat "$WORK/ooo")" -gt 0 ]
}

in_order()
{
	spine_shares "$@" || return 1
	[ "$(cat "$WORK/ooo")" = 0 ]
}

# on_one_path POLICY [OPTIONS]: a single spine, and nothing out of order. Others
# may have some questions of neighbours, which are far below a hundredth.
on_one_path()
{
	in_order "$@" || return 1
	awk '{ sum += $1; if ($1 > max) max = $1 }
		END { exit max < 0.99 * sum }' "$WORK/shares"
}

# shares_since FILE: packets per spine since spine_pkts wrote the file
shares_since()
{
	spine_pkts | paste - "$1" | awk '{ print $1 - $2 }' >"$WORK/shares"
}

# sprayed_since FILE: which spine has how many of the values is a matter of the
# hash, whose seed is random: with the fewest values there are, 16, one spine has
# more than 7 of 8 packets once in 20 million times. That the values share the
# packets is for value_shares to say. In virtual time the seed is known.
sprayed_since()
{
	shares_since "$1"
	echo "packets per spine" $(cat "$WORK/shares")
	awk -v spines=$SPINES -v exact="$VIRTUAL" '{ n[NR] = $1; sum += $1 }
		END {
			for (i in n)
				if (n[i] > sum * 7 / 8 ||
				    (exact && n[i] * spines < sum / 16))
					exit 1
			exit sum < 100
		}' "$WORK/shares"
}

# path_values: context and value, packets, state, marks
path_values()
{
	path_lines 1 | awk '{ print $4 "-" $6, $9, $7, $11 }' >"$WORK/values"
}

# value_shares MOST-BAD: packets per value in use since path_values. Where time
# is real some may have come late into use, or gone early: they are as many as
# eight of equal shares at least. In virtual time none of them that was in use before
# has less than a quarter or more than four times its part, and half of them were marked.
value_shares()
{
	cp "$WORK/values" "$WORK/values-before"
	path_values
	awk -v most="$1" -v exact="$VIRTUAL" 'FILENAME == ARGV[1] { before[$1] = $2; next }
		{
			known = $1 in before
			n = $2 - before[$1]
			if (n <= 0)
				next
			sum += n
			squares += n * n
			values++
			if (known)
				low = low && low < n ? low : n
			high = high > n ? high : n
			bad += $3 == "bad"
			marked += $4 > 0
		}
		END {
			print values " values of " low " to " high \
				" packets, " bad " of them bad, " marked " marked"
			exit sum * sum < 8 * squares ||
				bad > most * values || marked < 8 ||
				(exact && (low * values * 4 < sum ||
					   high * values > sum * 4 ||
					   marked < values / 2))
		}' "$WORK/values-before" "$WORK/values"
}

# not_slower_than MBPS: what the load was delivered at
not_slower_than()
{
	local mbps

	mbps=$(rate "$(field bytes "$WORK/send")")
	echo "$mbps Mb/s"
	[ "$mbps" -ge "$1" ]
}

# Somebody on the peer's host who knows the context floods the sender with marks
# for every value: at worst spraying becomes heedless, but it sprays, nothing
# waits, and no path is given up for it.
forged_marks()
{
	local policy=$1 pid acks rto sent rc=0

	set_sysctl "$A" path_stats 1
	acks=$(stat_of "$A" RxAcks)
	rto=$(stat_of "$A" RtoFired)
	recv_start bulk -I -x 0
	on "$A" uet_send -w -k -T $((60 * SLOW)) -D 600 -s 100000 \
		-L "$policy" "10.0.2.1/$PID" >"$WORK/send" &
	pid=$!
	wait_for 20 more_than "$A" uet0 $(($(tx_bytes "$A" uet0) + 500000)) ||
		rc=1
	spine_pkts >"$WORK/before"
	path_values
	on "$B" uet_inject.py marks 10.0.1.1 \
		--seconds $((2 * SLOW)) >"$WORK/forged" || rc=1
	sprayed_since "$WORK/before" || rc=1
	value_shares 1 || rc=1
	acks=$(($(stat_of "$A" RxAcks) - acks))
	cat "$WORK/forged"
	echo "$acks ACKs accepted, $(stat_of "$A" DropBadAck) dropped"
	[ $((acks * 2)) -gt "$(awk '{ print $2 }' "$WORK/forged")" ] || rc=1
	echo afterwards
	spine_pkts >"$WORK/before"
	sent=$(tx_bytes "$A" uet0)
	wait_for 20 more_than "$A" uet0 $((sent + 4000000)) || rc=1
	sprayed_since "$WORK/before" || rc=1
	value_shares 0.5 || rc=1
	end_load || rc=1
	wait $pid || rc=1
	cat "$WORK/send"
	recv_all_sent
	recv_wait bulk || rc=1
	echo "retransmission timeouts: $(($(stat_of "$A" RtoFired) - rto))"
	[ "$VIRTUAL" = 0 ] || [ "$(stat_of "$A" RtoFired)" = "$rto" ] || rc=1
	[ "$(field delivered "$WORK/send")" = "$(field sent "$WORK/send")" ] ||
		rc=1
	[ "$VIRTUAL" = 0 ] || not_slower_than 45 || rc=1
	[ $((2 * $(field paths_bad "$WORK/send"))) -lt \
		"$(field paths "$WORK/send")" ] || rc=1
	set_sysctl "$A" path_stats 0
	return $rc
}

stat_above()
{
	[ "$(stat_of "$1" "$2")" -gt "$3" ]
}

# busiest FILE: the spine with most packets since spine_pkts wrote the file. A
# certain one might have no value at all.
busiest()
{
	shares_since "$1"
	awk '$1 > max { max = $1; spine = NR } END { print "s" spine }' \
		"$WORK/shares"
}

# gone VALUES: so many were given up within the last minute, as "uet top" says, too
gone()
{
	local uet=$TREE/build/uet/uet

	on "$A" "$uet" -j ccc show peer 10.0.2.1 | tr -d ' \n' |
		grep -q "\"paths_gone\":$1[,}]" &&
		on "$A" "$uet" -j top -i 0.1 -n 1 | tr -d ' \n' |
		grep -q "\"paths_gone\":$1[,}]"
}

# A spine eats everything for a while: its values go bad and the transfer goes on.
# bitmap and rtt take them for good again when it is back; hybrid has others by
# then.
dead_spine()
{
	local pid bad good sent spine rc=0

	spine_pkts >"$WORK/before"
	bad=$(stat_of "$A" PathBad) good=$(stat_of "$A" PathGood)
	recv_start bulk -I -x 0
	on "$A" uet_send -w -k -T $((60 * SLOW)) -D 600 -s 100000 -L "$1" \
		"10.0.2.1/$PID" >"$WORK/send" &
	pid=$!
	wait_for 20 more_than "$A" uet0 $(($(tx_bytes "$A" uet0) + 500000)) ||
		rc=1
	spine=$(busiest "$WORK/before")
	tc -n "$R" qdisc add dev "$spine" root netem loss 100%
	wait_for 20 stat_above "$A" PathBad "$bad" || rc=1
	gone '[1-9][0-9]*' || rc=1
	sent=$(tx_bytes "$A" uet0)
	wait_for 20 more_than "$A" uet0 $((sent + 1000000)) || rc=1
	tc -n "$R" qdisc del dev "$spine" root
	[ "$1" != bitmap ] && [ "$1" != rtt ] ||
		wait_for 20 stat_above "$A" PathGood "$good" || rc=1
	echo "$spine, bad: $(($(stat_of "$A" PathBad) - bad))," \
		"good: $(($(stat_of "$A" PathGood) - good))"
	load_arrived $pid || rc=1
	return $rc
}

# A spine loses a part of the packets. The values that met it are not in use any
# more, and yet it shows which they were, how many packets each lost, and when.
lossy_spine()
{
	local spine value on_it=0 all=0 rc=0

	both_sysctl pdc_idle_s $((20 * SLOW))
	set_sysctl "$A" path_stats 1
	spine_pkts >"$WORK/before"
	run_bulk 10.0.2.1 2000000 -L hybrid || return 1
	spine=$(busiest "$WORK/before")
	tc -n "$R" qdisc add dev "$spine" root netem loss 30% ||
		skip "no netem here"
	run_bulk 10.0.2.1 4000000 -L hybrid || rc=1
	tc -n "$R" qdisc del dev "$spine" root
	path_lines '$7 == "gone"' >"$WORK/gone"
	head -n 5 "$WORK/gone"
	path_lines '$7 != "gone" && $13 > 0' | sed 's/^/lost, in use: /'
	[ "$(wc -l <"$WORK/gone")" -ge 5 ] || rc=1
	# Each lost one, and not before this case began
	awk -v ms=$((SECONDS * 1000 + 1000)) '$13 < 1 || $9 < 1 || $15 > ms' \
		"$WORK/gone" | grep . && rc=1
	# Where its packets went
	for value in $(awk '{ print $6 }' "$WORK/gone" | head -n 30); do
		all=$((all + 1))
		ip -n "$R" route get 10.0.2.1 from 10.0.1.1 iif host ipproto udp \
			sport "$value" dport 4793 | grep -q "dev $spine " &&
			on_it=$((on_it + 1))
	done
	echo "$on_it of $all values that were given up are on $spine"
	[ $((on_it * 10)) -ge $((all * 8)) ] || rc=1
	set_sysctl "$A" path_stats 0
	both_sysctl pdc_idle_s 1
	return $rc
}

# --- cases ------------------------------------------------------------------

functions()
{
	local cc

	setup_links
	both_sysctl pdc_idle_s 1
	both_sysctl link_mbps 100
	both_sysctl base_rtt_us 5000
	both_sysctl rto_min_us 20000
	shape p0 rate 100mbit delay 100us
	shape p1 rate 100mbit delay 100us
	tst "IPv4: both links carry a message" both_ports "$B4"
	tst "IPv6: both links carry a message" both_ports "$B6"
	tst "IPv4: a link loses its carrier and gets it back" carrier_lost "$B4"
	tst "IPv6: a link loses its carrier and gets it back" carrier_lost "$B6"
	for cc in rccc nscc+rccc; do
		tst "$cc: a link loses its carrier and gets it back" \
			carrier_lost "$B4" -C $cc
	done
	tst "live state of paths" live_state
	tst "tracepoints" tracing
	tst "entropy_size is checked" bad_sizes
	tst "policy and entropy_size change under load" live_settings
	tst "1000 contexts come and go" many_contexts 1000
	teardown_pair
}

spines()
{
	local policy flooded="hybrid bitmap reps rtt" dead="hybrid bitmap rtt"

	lean && flooded=hybrid dead=bitmap

	setup_spines
	both_sysctl link_mbps 100
	both_sysctl base_rtt_us 5000
	both_sysctl rto_min_us $((200000 * SLOW))
	tc -n "$A" qdisc add dev uet0 root netem limit 1000 rate 50mbit
	for policy in $flooded; do
		tst "$policy: marks forged for every value" forged_marks $policy
	done
	tst "a spine that loses packets shows in uet_path" lossy_spine
	# Last: hybrid has no value on that spine any more
	for policy in $dead; do
		tst "$policy: a spine dies and comes back" dead_spine $policy
	done
	teardown_spines
}

figures()
{
	local policy cc i

	setup_links
	both_sysctl pdc_idle_s 1
	both_sysctl link_mbps 1000
	both_sysctl base_rtt_us 150
	shape p0 rate 1gbit delay 20us
	shape p1 rate 1gbit delay 20us
	tst "IPv4: two links of 1 Gb/s" sum_of_speeds "$B4" 20000000 2000
	tst "IPv6: two links of 1 Gb/s" sum_of_speeds "$B6" 20000000 2000
	for cc in rccc nscc+rccc; do
		tst "two links of 1 Gb/s, $cc" sum_of_speeds "$B4" 20000000 \
			2000 -C $cc
	done
	shape p1 rate 250mbit delay 20us
	new_contexts
	tst "links of 1000 and 250 Mb/s" sum_of_speeds "$B4" 20000000 1250
	tst "IPv4: a link loses its carrier and gets it back" carrier_lost "$B4"
	tst "IPv6: a link loses its carrier and gets it back" carrier_lost "$B6"
	tst "10000 contexts come and go" many_contexts 10000
	teardown_pair

	setup_spines
	both_sysctl link_mbps 1000
	both_sysctl base_rtt_us 1000
	tc -n "$A" qdisc add dev uet0 root netem limit 1000 rate 1gbit delay 300us
	tc -n "$B" qdisc add dev uet0 root netem limit 1000 rate 1gbit delay 300us
	for i in $(seq $SPINES); do
		tc -n "$R" qdisc add dev s$i root netem limit 1000 \
			delay $((i * 40))us
	done
	for policy in oblivious bitmap reps hybrid rtt; do
		tst "$policy uses all spines" reordered $policy
	done
	for policy in single conweave ecmp; do
		tst "$policy reorders nothing" on_one_path $policy
	done
	tst "flowlet reorders nothing" in_order flowlet
	tst "an ordered context reorders nothing" on_one_path single -m rod
	teardown_spines

	spines
}

case ${1:-} in
figures)	figures ;;
functions)	functions ;;
spines)		spines ;;
*)		functions
		spines ;;
esac
finish
