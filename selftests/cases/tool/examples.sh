#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The programs in examples/, in C and in Python: between two hosts, and each C
# program with the Python program of the same name. What they carry is compared.
#
#   examples.sh [echo] [files] [keys] [ring] [publish] [post]
#
# check: uml 600 -
# check: 6.12 600 lean,full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

C=$TREE/build/examples
PY=$TREE/examples/python
export PYTHONPATH=$TREE/tools/libuet/python:$PYTHONPATH
export LD_LIBRARY_PATH=$TREE/build/lib
export UET_SERVICES=$WORK/services
# By name, as a user would
printf 'echo %s ping # of this test\nkv %s/7\n' $PID $PID >"$UET_SERVICES"

# program LANGUAGE NAME: how it is called
program()
{
	case $1 in
	c)	echo "$C/$2" ;;
	py)	echo "$PY/$2.py" ;;
	esac
}

# serve TAG COMMAND...: on host B, ready when this returns
serve()
{
	local tag=$1
	shift

	rm -f "$WORK/$tag"
	on "$B" "$@" >"$WORK/$tag" 2>"$WORK/$tag.err" &
	eval "pid_$tag=\$!"
	wait_for 60 grep -qs ready "$WORK/$tag" || {
		cat "$WORK/$tag.err"
		fail "$1 did not start"
	}
}

served()
{
	local pid

	eval "pid=\$pid_$1"
	wait "$pid"
}

# echoes SERVER CLIENT ADDRESS NAME
echoes()
{
	serve echo "$(program "$1" echo)" serve any/ping
	on "$A" "$(program "$2" echo)" ask "$3/$4" hello 'more words' '' last |
		sort >"$WORK/heard"
	diff - "$WORK/heard" <<-END || return 1
		0: hello
		1: more words
		2: 
		3: last
	END
	# Nobody there: the sentence says why
	! on "$A" "$(program "$2" echo)" ask "$3/101" hello 2>"$WORK/said" ||
		return 1
	cat "$WORK/said"
	grep -q "ECONNREFUSED.*BAD_PID" "$WORK/said"
}

# files RECEIVER SENDER
files()
{
	local dir

	dir=$(mktemp -d "$WORK/got.XXXXXX")
	mkdir -p "$WORK/from"
	[ -s "$WORK/from/large" ] || {
		head -c $((5000000 + RANDOM)) /dev/urandom >"$WORK/from/large"
		: >"$WORK/from/empty"
		head -c 262144 /dev/urandom >"$WORK/from/one chunk"
		head -c 1 /dev/urandom >"$WORK/from/byte"
	}
	impair "$A" delay 1ms 1ms loss 1%
	serve file "$(program "$1" file)" recv "uet:///0/$PID" "$dir" 4
	on "$A" "$(program "$2" file)" send "uet://$B4/0/$PID" "$WORK"/from/* ||
		fail "send"
	served file || fail "receive"
	impair "$A"
	(cd "$WORK/from" && sha256sum -- *) >"$WORK/sums"
	cat "$WORK/sums"
	(cd "$dir" && sha256sum -c "$WORK/sums" && [ "$(ls | wc -l)" = 4 ])
}

# keys SERVER CLIENT PEERS ROUNDS
keys()
{
	serve kv "$(program "$1" kv)" serve "uet:///0/kv"
	on "$A" sh -c "ulimit -n 20000; $(program "$2" kv) load $B4/kv $3 $4" \
		>"$WORK/load" || { cat "$WORK/kv.err"; return 1; }
	cat "$WORK/load"
	[ "$(cat "$WORK/load")" = "$3 peers: $((2 * $3 * $4)) answers, all right" ] &&
		kill -0 "$pid_kv"
}

# A peer that asks and never reads its answers does not keep others waiting
deaf_peer()
{
	serve kv "$(program "$1" kv)" serve "uet:///0/kv"
	rm -f "$WORK/deaf"
	on "$A" python3 - "$B4" <<-'END' >"$WORK/deaf" &
		import sys, time, uet
		s = uet.Socket(peer=sys.argv[1] + "/kv", rcvbuf=4096)
		s.send(b"put key " + 3000 * b"x")
		for n in range(3000):
		    s.send(b"get key")
		print("asked", flush=True)
		time.sleep(3600)
	END
	wait_for 60 grep -qs asked "$WORK/deaf" || fail "it cannot ask"
	on "$A" "$C/kv" load "$B4/kv" 20 5
}

# ring ELEMENTS PROGRAM...: a rank for each, in turn on both hosts
ring()
{
	local elements=$1 rank=0 host addrs=() pids=() rc=0 p
	shift

	for p in "$@"; do
		host=$A4
		[ $((rank % 2)) = 0 ] || host=$B4
		addrs+=("uet://$host/0/$((200 + rank))")
		rank=$((rank + 1))
	done
	rank=0
	for p in "$@"; do
		host=$A
		[ $((rank % 2)) = 0 ] || host=$B
		on "$host" "$(program "$p" allreduce)" $rank "$elements" "${addrs[@]}" \
			>"$WORK/rank$rank" 2>&1 &
		pids+=($!)
		rank=$((rank + 1))
	done
	for p in "${pids[@]}"; do
		wait "$p" || rc=1
	done
	cat "$WORK"/rank*
	[ $rc = 0 ] && [ "$(cat "$WORK"/rank* | sed 's/.*: //' | sort -u | wc -l)" = 1 ]
	rc=$?
	rm -f "$WORK"/rank*
	return $rc
}

# publishes SERVER ITEMS FOLLOWER...: in turn on both hosts
publishes()
{
	local server=$1 items=$2 n=0 host pids=() rc=0 p
	shift 2

	serve publish "$(program "$server" publish)" serve "any/$PID" $# "$items"
	for p in "$@"; do
		host=$A
		[ $((n % 2)) = 0 ] || host=$B
		on "$host" "$(program "$p" publish)" follow "$B4/$PID" \
			>"$WORK/follow$n" 2>&1 &
		pids+=($!)
		n=$((n + 1))
	done
	for p in "${pids[@]}"; do
		wait "$p" || rc=1
	done
	served publish || rc=1
	sort "$WORK"/follow* "$WORK/publish" | uniq -c
	[ "$(sort -u "$WORK"/follow*)" = \
	  "$items items, sum $((items * (items - 1) / 2))" ] || rc=1
	grep -qx "$# of $# subscribers have all $items items" "$WORK/publish" || rc=1
	rm -f "$WORK"/follow*
	return $rc
}

# end_of PID: of a job; its program is its child
end_of()
{
	pkill -KILL -P "$1"
	wait "$1" 2>/dev/null
	return 0
}

# A subscriber dies: the others get everything, and the publisher says who
subscriber_dies()
{
	local rc=0 victim before

	before=$(stat_of "$B" MsgReceived)
	serve publish "$(program "$1" publish)" serve "any/$PID" 3 2000
	on "$A" "$C/publish" follow "$B4/$PID" >"$WORK/follow0" 2>&1 &
	victim=$!
	wait_for 30 arrived $((before + 1)) || fail "it does not subscribe"
	end_of "$victim"
	on "$A" "$C/publish" follow "$B4/$PID" >"$WORK/follow1" 2>&1 &
	on "$A" "$PY/publish.py" follow "$B4/$PID" >"$WORK/follow2" 2>&1 || rc=1
	served publish || rc=1
	wait
	cat "$WORK"/follow* "$WORK/publish" "$WORK/publish.err"
	[ "$(sort -u "$WORK/follow1" "$WORK/follow2")" = "2000 items, sum 1999000" ] &&
		grep -qx "2 of 3 subscribers have all 2000 items" "$WORK/publish" &&
		grep -q "failed: Connection refused" "$WORK/publish.err" || rc=1
	rm -f "$WORK"/follow*
	return $rc
}

# The publisher dies: those that follow are told (UET_WATCH)
publisher_dies()
{
	local follower before

	before=$(stat_of "$A" WatchProbes)
	serve publish "$C/publish" serve "any/$PID" 2 10
	recv_start other -p 300 -I -T 3000
	on "$A" "$(program "$1" publish)" follow "$B4/$PID" 2>"$WORK/said" &
	follower=$!
	wait_for 30 watching "$before" || fail "it does not watch"
	end_of "$pid_publish"
	! wait "$follower" || fail "it goes on"
	cat "$WORK/said"
	grep -q "watch 1 of uet://$B4/0/$PID/0: Connection refused" "$WORK/said"
}

watching()
{
	[ "$(stat_of "$A" WatchProbes)" -gt "$1" ]
}

# posted ADDRESS COUNT: requests and answers by posted receives
posted()
{
	serve post "$C/post" serve "any/$PID"
	on "$A" "$C/post" ask "$1/$PID" "$2" >"$WORK/asked" || { cat "$WORK/post.err"; return 1; }
	cat "$WORK/asked"
	[ "$(<"$WORK/asked")" = "$2 answers, all right" ] && kill -0 "$pid_post"
}

posted_lossy()
{
	impair "$A" delay 1ms 1ms loss 1%
	posted "$B4" 300 || return 1
	impair "$A"
}

# Who does not read its answers keeps others waiting no longer than the server says
posted_deaf()
{
	serve post "$C/post" serve "any/$PID"
	rm -f "$WORK/deaf"
	on "$A" python3 - "$B4/$PID" <<-'END' >"$WORK/deaf" &
		import sys, time, uet
		s = uet.Socket(peer=sys.argv[1], rcvbuf=4096)
		for n in range(1000):
		    s.send(8000 * b"x", tag=1 << 32 | n)
		print("asked", flush=True)
		time.sleep(3600)
	END
	wait_for 60 grep -qs asked "$WORK/deaf" || fail "it cannot ask"
	on "$A" "$C/post" ask "$B4/$PID" 50
}

posted_to_nobody()
{
	! on "$A" "$C/post" ask "$B4/101" 1 2>"$WORK/said" || return 1
	cat "$WORK/said"
	grep -qx "post: request 0: Connection refused" "$WORK/said"
}

all_echo()
{
	for addr in $B4 "[$B6]"; do
		tst "echo, C, $addr" echoes c c "$addr" echo
	done
	tst "echo, Python, by host name" echoes py py $B4 ping
	tst "echo, C asks Python" echoes py c $B4 $PID
	tst "echo, Python asks C" echoes c py "uet://$B4/0" echo
}

all_files()
{
	tst "files, C" files c c
	tst "files, Python" files py py
	tst "files, C to Python" files py c
	tst "files, Python to C" files c py
}

all_keys()
{
	tst "key-value server, C, 2000 peers" keys c c "$(scaled 2000)" 3
	tst "key-value server, Python" keys py py 50 3
	tst "key-value server, Python, peers in C" keys py c 100 3
	tst "key-value server, C, peers in Python" keys c py 50 3
	tst "key-value server, C: a peer that does not read" deaf_peer c
	tst "key-value server, Python: a peer that does not read" deaf_peer py
}

all_ring()
{
	tst "all-reduce, 6 ranks in C" ring 100003 c c c c c c
	tst "all-reduce, fewer elements than ranks" ring 2 c c c
	tst "all-reduce, ranks in C and in Python" ring 20011 c py c py
}

all_publish()
{
	tst "publish, C, 20 subscribers" publishes c 300 $(printf 'c %.0s' {1..20})
	tst "publish, C, subscribers in both" publishes c 300 c py c py
	tst "publish, Python, subscribers in both" publishes py 300 c py c py
	tst "publish, C: a subscriber dies" subscriber_dies c
	tst "publish, Python: a subscriber dies" subscriber_dies py
	tst "publish: the publisher dies, C" publisher_dies c
	tst "publish: the publisher dies, Python" publisher_dies py
}

all_post()
{
	for addr in $B4 "[$B6]"; do
		tst "posted receives, $addr" posted "$addr" "$(scaled 2000)"
	done
	tst "posted receives, loss" posted_lossy
	tst "posted receives: a peer that does not read" posted_deaf
	tst "posted receives: nobody there" posted_to_nobody
}

[ -x "$C/echo" ] || {
	echo "Bail out! no programs in $C: run make -C examples"
	exit 1
}
setup_pair
for part in ${*:-echo files keys ring publish post}; do
	all_$part
done
finish
