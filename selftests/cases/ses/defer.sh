#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Deferrable messages (UET_DEFER): without room at their target they are dropped there and
# sent again when it asks for them. Between two hosts of this module, and with targets and
# sources of another implementation.
#
# check: vtime 300 -
# check: uml 300 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"
# shellcheck source=selftests/faults.sh
. "$(dirname "$0")/../../faults.sh"

TOOL=${UET_TOOL:-$TREE/build/uet/uet}
last=100

# rule HOST SETTING VALUE...: for the peer of this case
rule()
{
	"$TOOL" -n "$1" peer set "$peer" "${@:2}"
}

fresh()
{
	last=$((last + 1))
	peer=10.0.0.$last
}

defer_tst()
{
	fresh
	tst "$@"
	last=$((last + 2))
}

# from SWITCH...: a source at the peer's address
from()
{
	local mac

	mac=$(on "$A" cat /sys/class/net/uet0/address)
	ip -n "$B" neigh replace "$peer" lladdr "$mac" dev uet0
	on "$A" foreign_source.py $B4 "$peer" $PID "$@" >"$WORK/source" ||
		fail "the source ended early"
	comment <"$WORK/source"
}

# said WORD: the number behind it in what the source said last
said()
{
	sed -n "s/^$1 //p" "$WORK/source" | tail -n 1
}

# deferred_since N: more than so many messages were deferred
deferred_since()
{
	local n

	n=$(($(stat_of "$A" MsgDeferred) - $1))
	echo "$n deferred, $(stat_of "$B" TxRtr) asked for," \
		"$(stat_of "$A" RxRtr) heard, $(stat_of "$A" MsgRestarted) again"
	[ $n -gt 0 ] || fail "none was deferred"
}

# readers SIGNAL: to all of them; one that is stopped is late on any machine
readers()
{
	local p

	for p in $(ip netns pids "$B"); do
		[ "$(cat "/proc/$p/comm" 2>/dev/null)" != uet_recv ] ||
			kill "-$1" "$p"
	done
}

# more_than N HOST COUNTER
more_than()
{
	[ "$(stat_of "$2" "$3")" -gt "$1" ]
}

# late_reader IMPAIRMENT...: for a small buffer that is read late, and slowly
late_reader()
{
	local before sender rc=0

	before=$(stat_of "$A" MsgDeferred)
	impair "$A" "$@"
	recv_start main -x 100 -n 100 -b 65536 -S 2000
	readers STOP
	send_from_a -w -n 100 -s 24-40000 -f 8192 $B4/$PID &
	sender=$!
	# By chance a short message is what finds no room first, and holds up the others:
	# then they are deferred when the reader goes on
	BUSY=1 wait_for "${patience:-20}" more_than "$before" "$A" MsgDeferred
	readers CONT
	wait $sender || rc=1
	recv_wait main || rc=1
	impair "$A"
	[ $rc = 0 ] || return 1
	deferred_since "$before"
}

# Others go on while messages wait for a reader that has stopped, by the same context
beside_others()
{
	local before sender

	before=$(stat_of "$A" MsgDeferred)
	recv_start main -n 20 -b 65536 -T $((60 * SLOW))
	readers STOP
	PID=101 recv_start other -n 200
	send_from_a -n 20 -s 20000 -f 1 -w $B4/$PID >"$WORK/send-main" &
	sender=$!
	send_from_a -i 1 -n 200 -s 20000 -f 1 -w $B4/101 || return 1
	readers CONT
	wait $sender || fail "some did not arrive"
	recv_wait other || return 1
	recv_wait main || return 1
	deferred_since "$before"
}

# Contexts are renewed meanwhile, again and again. The sender may wait for that before it
# sends what is to be deferred, and the reader does not wait for it then.
renewed()
{
	local before opened mtu

	before=$(stat_of "$A" MsgDeferred)
	opened=$(stat_of "$A" PdcOpened)
	mtu=$(on "$A" sysctl -n net.uet.payload_mtu)
	set_sysctl "$A" payload_mtu 1024
	both_sysctl pdc_psns 64
	patience=1 late_reader delay 1ms || return 1
	both_sysctl pdc_psns 2113929216
	set_sysctl "$A" payload_mtu "$mtu"
	opened=$(($(stat_of "$A" PdcOpened) - opened))
	echo "$opened contexts"
	[ $opened -gt 2 ] || fail "not renewed"
	deferred_since "$before"
}

# leave_deferred N: a sender has so many messages that are deferred
leave_deferred()
{
	local before

	before=$(stat_of "$A" MsgDeferred)
	recv_start main -n 100 -b 65536 -s 600000
	send_from_a -n 10 -s 30000 -f 1 -w $B4/$PID >/dev/null 2>&1 &
	wait_for 20 more_than $((before + $1 - 1)) "$A" MsgDeferred || fail "none is deferred"
}

# Its sender ends: they are delivered after it, or given up
sender_gone()
{
	local before

	before=$(stat_of "$A" MsgOrphaned)
	set_sysctl "$A" orphan_timeout_s 1
	set_sysctl "$A" defer_timeout_ms 200
	leave_deferred 3
	kill_senders
	wait_for 20 more_than "$before" "$A" MsgOrphaned
	local rc=$?
	set_sysctl "$A" orphan_timeout_s 60
	set_sysctl "$A" defer_timeout_ms 5000
	return $rc
}

kill_senders()
{
	local p

	for p in $(ip netns pids "$A"); do
		[ "$(cat "/proc/$p/comm")" != uet_send ] || kill -9 "$p"
	done
}

# The reader ends: its senders hear so, long before they would offer the messages again
reader_gone()
{
	local before sender asked

	before=$(stat_of "$A" MsgDeferred)
	asked=$(stat_of "$A" RxRtr)
	set_sysctl "$A" defer_timeout_ms 60000
	recv_start main -n 100 -b 65536 -s 600000
	send_from_a -n 10 -s 30000 -f 1 -w $B4/$PID >"$WORK/send" &
	sender=$!
	wait_for 20 more_than "$before" "$A" MsgDeferred || fail "none is deferred"
	readers KILL
	wait $sender
	cat "$WORK/send"
	set_sysctl "$A" defer_timeout_ms 5000
	more_than "$asked" "$A" RxRtr || fail "it was not asked"
	[ "$(field failed "$WORK/send")" -gt 0 ] || fail "none failed"
	grep -q ECONNREFUSED "$WORK/send"
}

# Nobody asks: they are offered again, and again
offered_again()
{
	foreign "defer=$1"
	set_sysctl "$A" defer_timeout_ms 200
	send_from_a -n 3 -s 20000 -f 1 -T $((20 * SLOW)) -w "$peer/$PID" || return 1
	set_sysctl "$A" defer_timeout_ms 5000
	comment <"$WORK/played"
	[ "$(played deferred)" = "$1" ] || fail "$(played deferred) deferred"
	[ "$(played "message 3")" = 1 ] || fail "$(played message) messages"
}

# asked_for FROM: a target that asks from there on, twice, its own token first
asked_for()
{
	local n

	foreign defer=3 asks=300:"$1"
	send_from_a -n 4 -s 20000 -f 1 -T $((20 * SLOW)) -w "$peer/$PID" || return 1
	comment <"$WORK/played"
	for n in 1 2 3; do
		[ "$(played "restarted $n")" = 1 ] || fail "number $n did not come again"
	done
	[ "$(played deferred)" = 3 ] && [ "$(played message)" = 4 ] ||
		fail "$(played deferred) deferred, $(played message) messages"
}

# Short ones and ordered ones are plain, whatever the socket says
not_deferrable()
{
	foreign defer=100
	send_from_a -n 3 -s 100 -f 101 -w "$peer/$PID" || return 1
	send_from_a -t seq -n 3 -s 20000 -f 1 -w "$peer/$PID" || return 1
	[ "$(played deferred)" = 0 ] || fail "deferred"
}

# while_stopped SWITCH...: a source, whose reader goes on when a message is deferred
while_stopped()
{
	local before source

	before=$(stat_of "$B" MsgPutOff)
	readers STOP
	from "$@" &
	source=$!
	wait_for 20 more_than "$before" "$B" MsgPutOff
	readers CONT
	wait $source || exit 1
}

# A source of another implementation: all it is deferred it is asked for
source_asked()
{
	recv_start main -n 1000000 -I -A -b 65536
	while_stopped count=60 size=3000 defer window=16
	[ "$(said deferred)" -gt 0 ] || fail "none was deferred"
	[ "$(said asked)" = "$(said deferred)" ] ||
		fail "$(said asked) of $(said deferred) were asked for"
	[ "$(said returned)" = 0 ] || fail "$(said returned) failed"
	[ "$(said answered)" = $((60 + $(said asked))) ] || fail "$(said answered) answered"
}

# One that takes no notice: what is set aside for its messages is not lost to others
source_deaf()
{
	recv_start main -n 1000000 -I -A -b 65536
	while_stopped count=30 size=3000 defer deaf-rtr for=$((4 * SLOW))
	[ "$(said deferred)" -gt 0 ] || fail "none was deferred"
	fresh
	from count=60 size=3000 defer window=16
	[ "$(said answered)" = $((60 + $(said asked))) ] || fail "$(said answered) answered"
}

# Allocations fail while messages are deferred and come back: what was taken over arrives,
# or its sender hears that it does not
defer_faults()
{
	local before sender sent failed came

	fault_prepare failslab task-filter=0 ignore-gfp-wait=1
	before=$(stat_of "$A" MsgDeferred)
	recv_start main -I -A -b 65536 -S 2000
	readers STOP
	fault_set failslab probability=5
	send_from_a -n 100 -s 24-30000 -f 1 -w $B4/$PID >"$WORK/send" &
	sender=$!
	wait_for 20 more_than "$before" "$A" MsgDeferred
	readers CONT
	wait $sender
	fault_set failslab probability=0
	recv_all_sent
	recv_wait main || return 1
	cat "$WORK/send"
	[ "$(faults failslab)" -gt 0 ] || fail "no allocation failed"
	sent=$(field sent "$WORK/send")
	failed=$(field failed "$WORK/send")
	came=$(field messages "$WORK/recv-main")
	[ "$sent" -gt 0 ] && [ "$came" -ge $((sent - failed)) ] ||
		fail "messages were lost without a report"
	[ "$sent" = $(($(field delivered "$WORK/send") + failed)) ] ||
		fail "messages were not reported"
	deferred_since "$before"
}

# --- headers of messages of one packet ------------------------------------------

# They save 12 bytes a message where a rule says that the peer takes them
brief()
{
	local n=50 before std

	foreign
	send_from_a -n $n -s 100 -w "$peer/$PID" || return 1
	[ "$(played medium)" = 0 ] || fail "without the rule"
	fresh
	rule "$A" brief_headers 1
	foreign
	before=$(stat_of "$A" TxBrief)
	send_from_a -n 1 -s 100 -w "$peer/$PID" || return 1
	# 12 bytes of PDS, 32 of SES, and the data
	[ "$(played "medium 144$")" -gt 0 ] || fail "no MEDIUM header"
	send_from_a -n $((n - 1)) -s 100-9000 -w "$peer/$PID" || return 1
	std=$(played message)
	comment < <(sort "$WORK/played" | cut -d' ' -f1 | uniq -c)
	[ "$std" = $n ] || fail "$std messages"
	[ "$(played medium)" -gt 0 ] || fail "no MEDIUM header"
	[ "$(stat_of "$A" TxBrief)" -ge $((before + $(played medium))) ] || fail "not counted"
	fresh
	# Who takes none gets none, whatever it sends
	rule "$A" brief_headers 0
	foreign std-only
	send_from_a -n 3 -s 100 -w "$peer/$PID" || return 1
	[ "$(played medium)" = 0 ]
}

# Between two hosts of this module: intact, also where packets are lost
brief_between()
{
	local before

	peer=$B4
	rule "$A" brief_headers 1
	before=$(stat_of "$A" TxBrief)
	impair "$A" delay 1ms 1ms loss 2% duplicate 2%
	transfer $B4 "-n 500" "-n 500 -s 0-3000" || return 1
	transfer $B4 "-t seq -n 500" "-t seq -n 500 -s 0-3000" || return 1
	impair "$A"
	"$TOOL" -n "$A" peer del "$peer"
	[ "$(stat_of "$A" TxBrief)" -ge $((before + 500)) ] || fail "not MEDIUM"
}

setup_pair
defer_tst "a reader that is late" late_reader
defer_tst "... with loss, reordering and duplicates" late_reader \
	delay 1ms 1ms loss 2% duplicate 2%
defer_tst "others go on meanwhile" beside_others
defer_tst "contexts are renewed meanwhile" renewed
defer_tst "the sender ends" sender_gone
defer_tst "the reader ends" reader_gone
defer_tst "short and ordered messages are not deferrable" not_deferrable
defer_tst "a target that asks for them" asked_for 0
defer_tst "... from an offset on" asked_for 5000
defer_tst "a target that does not" offered_again 5
defer_tst "a source that is asked" source_asked
defer_tst "a source that takes no notice" source_deaf
defer_tst "allocations fail" defer_faults
defer_tst "MEDIUM headers, where a rule has them" brief
defer_tst "... between hosts of this module" brief_between
tst "a namespace ends with deferred messages" leave_deferred 3
ip netns del "$A"
teardown_pair
setup_pair
tst "... that of their target" leave_deferred 3
ip netns del "$B"
finish
