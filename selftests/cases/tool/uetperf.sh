#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# uetperf: every mode, contents that are checked, rounds, fairness, signals, servers
# and clients that go, hostile control messages, bad arguments.
#
# check: uml 600 -
# check: 6.12 600 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"
export LD_LIBRARY_PATH=$TREE/build/lib
export PYTHONPATH=$TREE/tools/libuet/python:$PYTHONPATH

PERF=${UET_PERF:-$TREE/build/perf/uetperf}

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
	json 'd["version"] == 1 and d["delivery"] == "rud" and d["direction"] == "forward" and
	      r[0]["forward"]["client"]["bytes"] == 5000000 and
	      r[0]["forward"]["server"]["bytes"] == 5000000 and
	      r[0]["forward"]["server"]["messages"] == 500 and
	      r[0]["forward"]["client"]["bits_per_s"] > 0 and "reverse" not in r[0]' || return 1
	perf -t 0.5 "$1" >"$WORK/text" && cat "$WORK/text" &&
		grep -q '^ *65536 forward *1 *[1-9]' "$WORK/text"
}

# The server sends
reverse()
{
	serve
	perf -J -R -c -n 300 -l 10000 $B4 >"$WORK/json" || return 1
	json 'r[0]["reverse"]["client"]["bytes"] == 3000000 and
	      r[0]["reverse"]["server"]["messages"] == 300 and "forward" not in r[0]' || return 1
	perf -J -R -t 0.5 $B4 >"$WORK/json" || return 1
	json 'r[0]["reverse"]["client"]["messages"] ==
	      r[0]["reverse"]["server"]["messages"] > 0'
}

both_ways()
{
	serve
	perf -J -b -c -P 2 -t 1 -l 3000 $B4 >"$WORK/json" || return 1
	json 'all(r[0][w]["client"]["messages"] == r[0][w]["server"]["messages"] > 0
		  for w in ("forward", "reverse")) and
	      [f["direction"] for f in r[0]["flows"]] == ["forward", "reverse"] * 2' || return 1
	perf -b -n 5 $B4 >"$WORK/text" && grep -q forward "$WORK/text" &&
		grep -q reverse "$WORK/text"
}

# Each round has its time, and what warms up is in no figure
rounds()
{
	serve
	perf -J "$@" -n 50 -r 4 $B4 >"$WORK/json" || return 1
	json 'len(r[0]["flows"][0]["rounds_ns"]) == 4 and
	      all(n > 0 for n in r[0]["flows"][0]["rounds_ns"]) and
	      next(iter(r[0].get(w) for w in ("forward", "reverse") if w in r[0]))
	      ["client"]["messages"] == 200 and
	      r[0].get("round_trip_ns", {"count": 4})["count"] in (4, 200) and
	      r[0]["flows"][0]["server"]["messages"] == 200'
}

# Messages longer than what a server keeps
long_messages()
{
	serve
	perf -J -n 3 -l 5M $B4 >"$WORK/json" &&
		json 'r[0]["forward"]["server"]["bytes"] == 15 << 20' || return 1
	perf -J -c -n 3 -l 5000001 $B4 >"$WORK/json" &&
		json 'r[0]["forward"]["server"]["bytes"] == 15000003'
}

latency()
{
	serve
	perf -J -m lat -n 200 -l "$1" -c $B4 >"$WORK/json" || return 1
	json 'r[0]["round_trip_ns"]["count"] == 200 and
	      0 < r[0]["round_trip_ns"]["min"] <= r[0]["round_trip_ns"]["p50"] <=
	      r[0]["round_trip_ns"]["p90"] <= r[0]["round_trip_ns"]["p99"] <= r[0]["round_trip_ns"]["p99_9"] <=
	      r[0]["round_trip_ns"]["max"]' || return 1
	perf -m lat -n 10 $B4 | grep -q 'half of the round trip'
}

rate()
{
	serve
	perf -J -m rate -n 2000 $B4 >"$WORK/json" || return 1
	json 'r[0]["size"] == 8 and
	      r[0]["forward"]["client"]["messages_per_s"] > 0 and
	      r[0]["forward"]["server"]["messages"] == 2000'
}

sweep()
{
	serve
	perf -J -a -l 64K -n 20 -c $B4 >"$WORK/json" || return 1
	json '[x["size"] for x in r] == [4 ** i for i in range(9)] and
	      all(x["forward"]["server"]["messages"] == 20 for x in r)' || return 1
	perf -a -l 1K -n 5 -m lat $B4 >"$WORK/text" || return 1
	cat "$WORK/text"
	[ "$(awk '$1 ~ /^[0-9]+$/ { print $1 }' "$WORK/text" | xargs)" = "1 4 16 64 256 1024" ] &&
		[ "$(grep -c bytes "$WORK/text")" = 1 ]
}

flows()
{
	serve
	ip -n "$A" addr add 10.0.0.3/24 dev uet0
	perf -J -P 5 -B $A4 -B 10.0.0.3 -n 100 -l 5000 -c $B4 >"$WORK/json" ||
		return 1
	cat "$WORK/server"
	json 'r[0]["forward"]["server"]["bytes"] == 2500000 and len(r[0]["flows"]) == 5 and
	      .2 <= r[0]["forward"]["jain"] <= 1 and
	      r[0]["forward"]["least_messages_per_s"] <= r[0]["forward"]["most_messages_per_s"]' &&
		wait_for 10 told 5 && grep -q 10.0.0.3 "$WORK/server"
}

told()
{
	[ "$(grep -c ': read' "$WORK/server")" = "$1" ]
}

# Many processes to one server: both tell how even it was
incast()
{
	serve
	perf -P 20 -t 1 -l 20000 $B4 >"$WORK/text" || return 1
	cat "$WORK/text" "$WORK/server"
	grep -q "least .* of a flow, Jain's index" "$WORK/text" &&
		wait_for 10 grep -q "^together 20 tests:.* Jain's index" "$WORK/server"
}

# What is more than the server may have is refused, and has room afterwards
no_room()
{
	serve -M 3
	! perf -P 5 -t 1 $B4 >"$WORK/text" 2>"$WORK/said" || fail "nobody is refused"
	cat "$WORK/text" "$WORK/said"
	[ "$(grep -c 'as many tests as it may' "$WORK/said")" = 2 ] &&
		grep -q 'forward *5 *[1-9]' "$WORK/text" && perf -P 3 -n 10 $B4
}

many_clients()
{
	local i pids=()

	serve
	for i in 1 2 3 4; do
		perf -n 200 -c -m "$([ $i = 4 ] && echo lat || echo bw)" $B4 &
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
		json "d['delivery'] == '$1' and r[0]['forward']['server']['messages'] == 100" || return 1
	perf -D "$1" -R -c -n 50 $B4 && perf -D "$1" -m lat -c -n 50 $B4
}

refused_delivery()
{
	! perf -D "$1" -n 1 $B4 2>"$WORK/said" || return 1
	cat "$WORK/said"
	grep -q 'rud and rod' "$WORK/said"
}

# Messages 10, 20, ... are spoilt in their middle
corruption()
{
	serve
	! perf -J -c -x 10 -n 50 -l 3000 "$@" $B4 >"$WORK/json" \
		2>"$WORK/said" || fail "nothing is found"
	cat "$WORK/said"
	json "r[0]['wrong'] == 5"
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
	json 'r[0]["forward"]["server"]["messages"] == 300 and r[0]["wrong"] == 0'
}

progress()
{
	serve
	perf -i 0.2 -t 1 $B4 >"$WORK/text" || return 1
	cat "$WORK/text"
	[ "$(grep -c '^ .* s .*Mbit/s' "$WORK/text")" -ge 2 ]
}

# A line that is written over on a terminal, nothing elsewhere
live()
{
	serve
	on "$A" script -qec "$PERF -p $PID -t 3 $B4" /dev/null >"$WORK/text" || return 1
	cat -v "$WORK/text"
	grep -q $'\r.* messages/s .* Mbit/s' "$WORK/text" || return 1
	perf -t 3 $B4 >"$WORK/text" 2>&1 || return 1
	cat "$WORK/text"
	[ "$(wc -l <"$WORK/text")" = 2 ]
}

# A client on host A, known by its process
client_start()
{
	# What an earlier one said is not this one's: the shell opens the files later
	rm -f "$WORK/out" "$WORK/said"
	ip netns exec "$A" "$PERF" -p $PID -t 1000 -i 0.1 "$@" >"$WORK/out" 2>"$WORK/said" &
	client=$!
	wait_for 30 grep -qs '[1-9] messages/s' "$WORK/out" "$WORK/said"
}

interrupted()
{
	local rc sig=$1 status=$2
	shift 2

	serve
	client_start "$@" $B4 || fail "it does not begin"
	kill -"$sig" $client
	wait $client
	rc=$?
	cat "$WORK/out" "$WORK/said"
	[ $rc = "$status" ] && grep -q '^ *[0-9]* \(forward\|reverse\) *[0-9]* *[1-9]' "$WORK/out" &&
		perf -n 10 $B4
}

# In the middle of a number of messages
interrupted_count()
{
	serve
	client_start -J -n 100000000 -l 100 "$@" $B4 || fail "it does not begin"
	kill -TERM $client
	wait $client
	cp "$WORK/out" "$WORK/json"
	cat "$WORK/said"
	json 'd["signal"] == 15 and all(
		f["client"]["messages"] == f["server"]["messages"] and not f["error"]
		for f in r[0]["flows"]) and
		any(f["client"]["messages"] for f in r[0]["flows"])'
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

# Who does not wait for a server that stands still presses ^C again
impatient()
{
	serve
	client_start -l 100000 $B4 || fail "it does not begin"
	kill -STOP $server $(pgrep -P $server)
	sleep 2
	kill -INT $client
	sleep 1
	kill -INT $client
	! wait $client || fail "the client is content"
	kill -CONT $server $(pgrep -P $server)
	cat "$WORK/out" "$WORK/said"
	grep -q 'broken off' "$WORK/said" && wait_for 30 told 1 && perf -n 10 $B4
}

# The server stands still: -w says for how long that is borne
patience()
{
	serve
	client_start -l 100000 -w 2 $B4 || fail "it does not begin"
	kill -STOP $server $(pgrep -P $server)
	! wait $client || fail "the client is content"
	kill -CONT $server $(pgrep -P $server)
	cat "$WORK/said"
	grep -q 'nothing moved for 2 s' "$WORK/said"
}

# server_stops SIGNAL: clients are told, and what was done is
server_stops()
{
	serve
	client_start -P 2 $B4 || fail "it does not begin"
	kill -"$1" $server
	wait $server || fail "the server ends badly"
	cat "$WORK/server"
	! wait $client || fail "the client is content"
	cat "$WORK/out" "$WORK/said"
	grep -q '^2 tests, ' "$WORK/server" &&
		grep -q 'the server was stopped' "$WORK/said" &&
		grep -q 'forward *2 *[1-9]' "$WORK/out"
}

# client_dies OPTIONS: the server notices, says so and serves others
client_dies()
{
	serve
	client_start "$@" $B4 || fail "it does not begin"
	kill -KILL $client
	wait $client
	wait_for 30 grep -q '; ' "$WORK/server" || {
		cat "$WORK/server"
		fail "the server does not notice"
	}
	perf -n 10 $B4
}

# The host of the server is gone: told within peer_timeout_s, which the test makes short
host_goes()
{
	local begin

	on "$A" sysctl -qw net.uet.peer_timeout_s=6 net.uet.max_rto_retx=1
	on "$B" sysctl -qw net.uet.peer_timeout_s=6 net.uet.max_rto_retx=1
	serve
	client_start "$@" $B4 || fail "it does not begin"
	begin=$SECONDS
	ip -n "$B" link set uet0 down
	! wait $client || fail "the client is content"
	echo "after $((SECONDS - begin)) s"
	cat "$WORK/said"
	wait_for 60 grep -q ': \(read\|sent\|echoed\) ' "$WORK/server" || fail "the server does not notice"
	cat "$WORK/server"
	ip -n "$B" link set uet0 up
	[ $((SECONDS - begin)) -le $((20 * SLOW)) ] && [ -s "$WORK/said" ]
}

# Garbage, greetings of clients that never begin, keys that are guessed
hostile()
{
	local before

	serve -M 8
	before=$(memory_kb $server)
	on "$A" timeout $((120 * SLOW)) uetperf_hostile.py $B4/$PID >"$WORK/text" || return 1
	cat "$WORK/text"
	grep -q '8 welcome, 12 refused' "$WORK/text" || return 1
	[ $(($(memory_kb $server) - before)) -lt 4000 ] || fail "the server has grown"
	[ -z "$(pgrep -P $server)" ] || fail "it has processes"
	# Those who greeted and did not begin give way after a while
	wait_for 60 perf -n 10 -c $B4
}

memory_kb()
{
	awk '/^VmRSS/ { print $2 }' /proc/"$1"/status
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
	kill -KILL $server
	wait $server
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
		bad -R -l 2M $B4 && bad -m lat -R $B4 && bad -r 3 -t 1 $B4 &&
		bad -r 0 -n 1 $B4 && bad -s -M 0 && bad -a -l 0 $B4 &&
		bad -Z $B4 && bad $B4 $B4 && bad 10.0.0.2/5000
}

[ -x "$PERF" ] || {
	echo "Bail out! no $PERF: run make -C tools/perf"
	exit 1
}
setup_pair
tst "bandwidth, IPv4" bandwidth $B4
tst "bandwidth, IPv6" bandwidth $B6
tst "the server sends" reverse
tst "both ways" both_ways
tst "messages of 5 MiB" long_messages
tst "rounds" rounds
tst "rounds, the server sends" rounds -R -c
tst "rounds of echoes" rounds -m lat
tst "rounds of echoes, each one timed" rounds -m lat -c
tst "latency, 8 bytes" latency 8
tst "latency, no bytes" latency 0
tst "latency, 100000 bytes" latency 100000
tst "message rate" rate
tst "all sizes" sweep
tst "flows from two addresses" flows
tst "incast: who got how much" incast
tst "the server has no room" no_room
tst "clients at once and after another" many_clients
tst "RUD" delivery rud
tst "ROD" delivery rod
tst "UUD is refused" refused_delivery uud
tst "RUDI is refused" refused_delivery rudi
tst "spoilt messages are found" corruption
tst "spoilt echoes are found" corruption -m lat
tst "messages spoilt by the server are found" corruption -R
tst "the place is told" corruption_place
tst "contents with loss and reordering" impaired
tst "progress" progress
tst "progress on a terminal" live
tst "SIGINT: the summary so far" interrupted INT 130 -P 2
tst "SIGTERM: the summary so far" interrupted TERM 143 -R
tst "SIGTERM in a number of messages: JSON is whole" interrupted_count
tst "the same, both ways" interrupted_count -b
tst "the same, by rounds" interrupted_count -r 2
tst "SIGINT twice: not to wait" impatient
tst "a server that stands still" patience
tst "SIGINT to the server" server_stops INT
tst "SIGTERM to the server" server_stops TERM
tst "the client dies" client_dies
tst "the client dies, the server sends" client_dies -R
tst "the client dies, echoes" client_dies -m lat
tst "the host is gone" host_goes
tst "the host is gone, the server sends" host_goes -R
tst "hostile messages" hostile
tst "closed pipe" closed_pipe
tst "the server dies and comes back" server_dies
tst "the server restarts during a test" server_restarts
tst "a server for one test" once
tst "a second server" second_server
tst "no server" nobody
tst "bad arguments" bad_arguments
finish
