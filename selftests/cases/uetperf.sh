#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# uetperf: every mode, contents that are checked, signals, servers that end and
# come back, bad arguments.
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

PERF=$TREE/build/uetperf/uetperf

# serve [OPTIONS...]: on host B, ready when this returns
serve()
{
	rm -f "$WORK/server"
	# Not by on: $! is to be the program
	ip netns exec "$B" "$PERF" -s -p $PID "$@" >"$WORK/server" 2>"$WORK/server.err" &
	server=$!
	wait_for 30 grep -qs ready "$WORK/server" || {
		cat "$WORK/server.err"
		fail "the server does not start"
	}
}

perf()
{
	on "$A" timeout $((60 * SLOW)) "$PERF" -p $PID "$@"
}

# json EXPRESSION: of what the client printed; d is all, r the results
json()
{
	python3 -c "import json, sys
d = json.load(open('$WORK/json'))
r = d['results']
print(d)
sys.exit(not ($1))"
}

bandwidth()
{
	serve
	perf -J -n 500 -l 10000 "$1" >"$WORK/json" || return 1
	json 'd["version"] == 1 and r[0]["client"]["bytes"] == 5000000 and
	      r[0]["server"]["bytes"] == 5000000 and
	      r[0]["server"]["messages"] == 500 and
	      r[0]["client"]["bits_per_s"] > 0' || return 1
	perf -t 0.5 "$1" >"$WORK/text" && grep -q 'server.*Mbit/s' "$WORK/text"
}

latency()
{
	serve
	perf -J -m lat -n 200 -l "$1" -c $B4 >"$WORK/json" || return 1
	json 'r[0]["round_trip_ns"]["count"] == 200 and
	      0 < r[0]["round_trip_ns"]["min"] <= r[0]["round_trip_ns"]["median"] <=
	      r[0]["round_trip_ns"]["p99"] <= r[0]["round_trip_ns"]["p99_9"] <=
	      r[0]["round_trip_ns"]["max"]' || return 1
	perf -m lat -n 10 $B4 | grep -q 'half of the round trip'
}

rate()
{
	serve
	perf -J -m rate -n 2000 $B4 >"$WORK/json" || return 1
	json 'r[0]["size"] == 8 and r[0]["client"]["messages_per_s"] > 0 and
	      r[0]["server"]["messages"] == 2000'
}

sweep()
{
	serve
	perf -J -a -l 64K -n 20 -c $B4 >"$WORK/json" || return 1
	json '[x["size"] for x in r] == [4 ** i for i in range(9)] and
	      all(x["server"]["messages"] == 20 for x in r)'
}

flows()
{
	serve
	ip -n "$A" addr add 10.0.0.3/24 dev uet0
	perf -J -P 5 -B $A4 -B 10.0.0.3 -n 100 -l 5000 -c $B4 >"$WORK/json" ||
		return 1
	cat "$WORK/server"
	json 'r[0]["server"]["bytes"] == 2500000 and len(r[0]["flows"]) == 5' &&
		wait_for 10 told 5 && grep -q 10.0.0.3 "$WORK/server"
}

told()
{
	[ "$(grep -c messages "$WORK/server")" = "$1" ]
}

many_clients()
{
	local i pids=()

	serve
	for i in 1 2 3 4; do
		perf -n 200 -c -m $([ $i = 4 ] && echo lat || echo bw) $B4 &
		pids+=($!)
	done
	for i in "${pids[@]}"; do
		wait "$i" || return 1
	done
	perf -n 10 $B4
}

delivery()
{
	serve
	perf -J -D "$1" -c -n 100 -l 20000 $B4 >"$WORK/json" &&
		json 'r[0]["server"]["messages"] == 100'
}

refused_delivery()
{
	! perf -D "$1" -n 1 $B4 2>"$WORK/said" || return 1
	cat "$WORK/said"
	grep -q 'do not have this delivery mode' "$WORK/said"
}

# Messages 10, 20, ... are spoilt in their middle
corruption()
{
	serve
	! perf -J -c -x 10 -n 50 -l 3000 -m "$1" $B4 >"$WORK/json" \
		2>"$WORK/said" || fail "nothing is found"
	cat "$WORK/said"
	json "r[0]['wrong'] == $2"
}

corruption_place()
{
	serve
	! perf -c -x 50 -n 50 -l 30000 $B4 2>"$WORK/said" || return 1
	cat "$WORK/said"
	grep -q 'byte 15000 of message 49' "$WORK/said"
}

impaired()
{
	serve
	impair "$A" delay 1ms 1ms loss 1%
	perf -J -c -n 300 -l 20000 $B4 >"$WORK/json" || return 1
	impair "$A"
	json 'r[0]["server"]["messages"] == 300 and r[0]["wrong"] == 0'
}

progress()
{
	serve
	perf -i 0.2 -t 1 $B4 >"$WORK/text" || return 1
	cat "$WORK/text"
	[ "$(grep -c '^ .* s .*Mbit/s' "$WORK/text")" -ge 2 ]
}

# A client on host A, known by its process
client_start()
{
	ip netns exec "$A" "$PERF" -p $PID -t 1000 -i 0.1 "$@" >"$WORK/out" 2>"$WORK/said" &
	client=$!
	wait_for 30 grep -qs Mbit "$WORK/out" "$WORK/said"
}

interrupted()
{
	local rc

	serve
	client_start -P 2 $B4 || fail "it does not begin"
	kill -"$1" $client
	wait $client
	rc=$?
	cat "$WORK/out" "$WORK/said"
	[ $rc = "$2" ] && grep -q '^  server [1-9]' "$WORK/out"
}

interrupted_json()
{
	serve
	client_start -J $B4 || fail "it does not begin"
	kill -TERM $client
	wait $client
	cp "$WORK/out" "$WORK/json"
	json 'd["signal"] == 15 and r[0]["server"]["bytes"] > 0'
}

# Its reader goes: no process is left
closed_pipe()
{
	serve
	on "$A" "$PERF" -p $PID -t 1000 -i 0.1 $B4 | head -n 1
	wait_for 20 no_processes
}

no_processes()
{
	[ -z "$(ip netns pids "$A")" ]
}

server_dies()
{
	serve
	client_start $B4 || fail "it does not begin"
	kill -KILL $server
	wait $server
	! wait $client || fail "the client is content"
	cat "$WORK/said"
	grep -q 'is uetperf -s running there' "$WORK/said" || return 1
	serve
	perf -n 10 $B4
}

server_restarts()
{
	serve
	client_start $B4 || fail "it does not begin"
	kill -STOP $client
	kill -INT $server
	wait $server || fail "the server ends badly"
	serve
	kill -CONT $client
	kill -INT $client
	! wait $client || fail "the client is content"
	cat "$WORK/said"
	[ -s "$WORK/said" ] && perf -n 10 $B4
}

once()
{
	serve -1
	perf -n 10 $B4 && wait $server
}

second_server()
{
	serve
	! on "$B" "$PERF" -s -p $PID 2>"$WORK/said" || return 1
	cat "$WORK/said"
	grep -q 'another server runs there' "$WORK/said"
}

nobody()
{
	! perf -n 1 $B4 2>"$WORK/said" || return 1
	cat "$WORK/said"
	grep -q 'is uetperf -s running there' "$WORK/said"
}

# bad ARGUMENTS...: status 2, and a word why
bad()
{
	perf "$@" >"$WORK/out" 2>"$WORK/said"
	[ $? = 2 ] && [ -s "$WORK/said" ]
}

bad_arguments()
{
	bad && bad -m no $B4 && bad -l 5x $B4 && bad -l -1 $B4 && bad -t 0 $B4 &&
		bad -P 0 $B4 && bad -P 100000 $B4 && bad -n 0 $B4 &&
		bad -D no $B4 && bad -O no=1 $B4 && bad -p 5000 $B4 &&
		bad -x 5 $B4 && bad -m lat -l 2M $B4 && bad -i 0 $B4 &&
		bad -Z $B4 && bad $B4 $B4 && bad 10.0.0.2/5000
}

[ -x "$PERF" ] || {
	echo "Bail out! no $PERF: run make -C tools/uetperf"
	exit 1
}
setup_pair
tst "bandwidth, IPv4" bandwidth $B4
tst "bandwidth, IPv6" bandwidth $B6
tst "latency, 8 bytes" latency 8
tst "latency, no bytes" latency 0
tst "latency, 100000 bytes" latency 100000
tst "message rate" rate
tst "all sizes" sweep
tst "flows from two addresses" flows
tst "clients at once and after another" many_clients
tst "RUD" delivery rud
tst "ROD" delivery rod
tst "UUD is refused" refused_delivery uud
tst "RUDI is refused" refused_delivery rudi
tst "spoilt messages are found" corruption bw 5
tst "spoilt echoes are found" corruption lat 5
tst "the place is told" corruption_place
tst "contents with loss and reordering" impaired
tst "progress" progress
tst "SIGINT: the summary so far" interrupted INT 130
tst "SIGTERM: the summary so far" interrupted TERM 143
tst "SIGTERM: JSON is whole" interrupted_json
tst "closed pipe" closed_pipe
tst "the server dies and comes back" server_dies
tst "the server restarts during a test" server_restarts
tst "a server for one test" once
tst "a second server" second_server
tst "no server" nobody
tst "bad arguments" bad_arguments
finish
