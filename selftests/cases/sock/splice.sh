#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# splice() and sendfile() to a socket, messages of several calls, splice() from a socket.
#
# check: uml-debug,6.1 400 -
# check: 6.12 400 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

N=$(scaled 200)

# many ADDR LEN: messages from files, to a reader that copies
many()
{
	recv_start main -x 100 -n "$N"
	on "$A" uet_splice send "$1/$PID" "$N" "$2" || return 1
	recv_wait main
}

# piped ADDR LEN: to a reader that takes pages
piped()
{
	local reader

	on "$B" uet_splice recv "$1/$PID" "$N" "$2" &
	reader=$!
	wait_for 20 on "$B" grep -q " 064 " /proc/net/uet || fail "no reader"
	on "$A" uet_splice send "$1/$PID" "$N" "$2" || return 1
	wait $reader
}

# runs END WANT COMMAND...: do packets go, or come, in runs?
runs()
{
	local host=$A name=TxRuns before after want=$2

	[ "$1" = tx ] || { host=$B; name=RxRuns; }
	shift 2
	before=$(stat_of "$host" $name)
	"$@" || return 1
	after=$(stat_of "$host" $name)
	echo "$((after - before)) buffers with several packets"
	case $want in
	none)	[ "$after" = "$before" ] ;;
	some)	[ "$after" -gt "$before" ] ;;
	esac
}

lossy()
{
	impair "$A" "$@" || skip "no netem here"
	many "$B4" 60000 && piped "$B4" 60000
}

setup_pair
part uet_splice "$A4"
lean || part uet_splice "$A6"
# A window that does not depend on how fast this guest is, and holds runs
both_sysctl congestion_control fixed
both_sysctl link_mbps 10000
both_sysctl base_rtt_us 500
tst "from host to host" runs tx some many "$B4" 100000
tst "taken as pages" runs rx some piped "$B4" 100000
lean || tst "by IPv6" many "$B6" 100000
both_sysctl spray_run 1
tst "packet by packet" many "$B4" 100000
tst "taken as pages" piped "$B4" 100000
both_sysctl spray_run 0
tst "under loss" lossy loss 3%
tst "out of order" lossy delay 2ms 1ms
impair "$A" 2>/dev/null
tst "the namespace goes" sender_goes uet_splice send "$B4/$PID" 4000 1000000
finish
