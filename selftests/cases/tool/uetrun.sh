#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# uetrun: who gets into which job, by a capability of the file, by its owner and as root;
# what the program has then, and what it has not.
#
# Capabilities of files: not on the file system of uml
# check: uml-debug,6.12 240 -
# check: 6.1 240 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

# Copies with privileges; that of the tree has none
PLAIN=$WORK/uetrun
CAPS=$WORK/uetrun-caps
SETUID=$WORK/uetrun-setuid
SETGID=$WORK/uetrun-setgid

# Users and a file of jobs of this guest alone
setup_etc()
{
	local etc=$WORK/etc

	mkdir -p "$etc/uet" || return 1
	cp -a /etc/ld.so.* /etc/localtime "$etc" 2>/dev/null
	cp -aL /etc/protocols /etc/services /etc/alternatives "$etc" 2>/dev/null
	cat >"$etc/passwd" <<-END
		root:x:0:0::/:/bin/sh
		alice:x:4001:4001::/:/bin/sh
		bob:x:4002:4002::/:/bin/sh
	END
	cat >"$etc/group" <<-END
		root:x:0:
		alice:x:4001:
		bob:x:4002:
		mpi:x:4100:alice
	END
	printf 'passwd: files\ngroup: files\nhosts: files\n' >"$etc/nsswitch.conf"
	printf '127.0.0.1 localhost\n' >"$etc/hosts"
	mount --bind "$etc" /etc
}

setup_programs()
{
	local p

	chmod 711 "$WORK"
	for p in "$PLAIN" "$CAPS" "$SETUID" "$SETGID"; do
		install -m 755 "$TREE/build/uetrun/uetrun" "$p" || return 1
	done
	chmod 4755 "$SETUID"
	chgrp mpi "$SETGID"
	chmod 2755 "$SETGID"
	# The file that the other cases use
	RUN=$SETUID
	setcap cap_net_admin+ep "$CAPS" && setcap cap_net_admin+ep "$SETGID" && RUN=$CAPS
	return 0
}

# with_file FILE CASE: some file systems here know of no capabilities
with_file()
{
	[ "$1" = "$SETUID" ] || [ "$RUN" = "$CAPS" ] || skip "no capabilities of files here"
	"$2" "$1"
}

# jobs LINE...: the file of jobs
jobs_are()
{
	rm -f /etc/uet/jobs
	printf '%s\n' "$@" >/etc/uet/jobs
}

# as_user USER COMMAND...: with his groups, and no privilege but what a file gives
make_as_user()
{
	cat >"$WORK/as_user" <<-'END'
		#!/bin/sh
		user=$1
		shift
		exec setpriv --reuid $user --regid $user --init-groups --inh-caps=-all "$@"
	END
	chmod 755 "$WORK/as_user"
	PATH=$WORK:$PATH
}

# said STATUS TEXT COMMAND...: it ends so, and says so on standard error
said()
{
	local rc status=$1 text=$2
	shift 2

	"$@" >"$WORK/out" 2>"$WORK/err"
	rc=$?
	cat "$WORK/err"
	[ $rc = "$status" ] || fail "status $rc, not $status"
	grep -qF -- "$text" "$WORK/err" || fail "it does not say \"$text\""
}

# A program of a job, as the manual has it: its socket enters the job of the one that it
# inherits. LD_LIBRARY_PATH does not get through uetrun.
program()
{
	cat >"$WORK/program" <<-'END'
		import errno, os, socket, sys
		import uet
		from uet._lib import SOL_UET

		UET_JOB_ID, UET_JOB_FROM = 6, 7

		def enter(**how):
		    s = uet.Socket(**how)
		    if "UET_JOB_FROM" in os.environ:
		        s.setsockopt(SOL_UET, UET_JOB_FROM, int(os.environ["UET_JOB_FROM"]))
		    return s

		verb, *args = sys.argv[1:]
		if verb == "job":
		    print(enter().getsockopt(SOL_UET, UET_JOB_ID))
		elif verb == "inherited":
		    print("of user", os.fstat(int(os.environ["UET_JOB_FROM"])).st_uid)
		    first, s = uet.Socket(), enter()
		    first.bind(args[0])
		    s._sock = socket.socket(fileno=int(os.environ["UET_JOB_FROM"]))
		    try:
		        s.bind(args[1])
		        print("bound")
		    except OSError as e:
		        print(errno.errorcode[e.errno])
		elif verb == "read":
		    s = enter()
		    s.bind(args[0])
		    print("ready", flush=True)
		    s.settimeout(float(args[1]))
		    m = s.recv_message()
		    print(m.data.decode(), "of", m.sender, flush=True)
		elif verb == "send":
		    s = enter(notify=True)
		    s.send(b"hello", args[0])
		    s.wait_report(60)
		    for r in s.reports():
		        print(r)
	END
}

# How it is called behind uetrun, which executes programs and no functions
INSIDE=(env LD_LIBRARY_PATH="$TREE/build/lib" PYTHONPATH="$TREE/tools/libuet/python"
	python3 "$WORK/program")

# enters JOB COMMAND...: a program that this starts is in the job
enters()
{
	local job=$1
	shift

	on "$A" "$@" "${INSIDE[@]}" job >"$WORK/job" || return 1
	cat "$WORK/job"
	[ "$(<"$WORK/job")" = "$job" ]
}

# The file of jobs in the manual
by_file()
{
	sed -n '/^# who/,/^\.Ed/{/^\.Ed/!p}' "$TREE/Documentation/man/uetrun.1" >/etc/uet/jobs
	enters 7 as_user alice "$1" -j 7 || return 1
	enters 100 as_user alice "$1" -j 100 || return 1
	enters 199 as_user alice "$1" -j 0xc7
}

refused()
{
	jobs_are "alice 7" "@mpi 100-200" "bob 9"
	said 125 "no line that lets user 4001 enter job 8" as_user alice "$1" -j 8 true
	said 125 "no line that lets user 4001 enter job 9" as_user alice "$1" -j 9 true
	said 125 "no line that lets user 4002 enter job 7" as_user bob "$1" -j 7 true
	said 125 "no line that lets user 4002 enter job 100" as_user bob "$1" -j 100 true
	# The group of his that counts is not that of the file
	jobs_are "alice 7" "bob 9" "bob ten"
	said 125 "/etc/uet/jobs:3: not" as_user alice "$1" -j 7 true
	jobs_are "alice 7"
	chown bob /etc/uet/jobs
	said 125 "others than root may write it" as_user alice "$1" -j 7 true
	rm /etc/uet/jobs
	said 125 "/etc/uet/jobs: No such file" as_user alice "$1" -j 7 true
}

# No user, group or capability but his own
bare()
{
	local id=$1 status=$WORK/status
	shift

	"$@" cat /proc/self/status >"$status" || return 1
	grep -E '^(Uid|Gid|Groups|Cap...|NoNewPrivs):' "$status"
	grep -qxP "Uid:(\t$id){4}" "$status" && grep -qxP "Gid:(\t$id){4}" "$status" ||
		fail "it is somebody else"
	[ "$(grep -cE '^Cap(Inh|Prm|Eff|Amb):.0{16}$' "$status")" = 4 ] ||
		fail "it has capabilities"
	grep -qx "Groups:.$id 4100 *\|Groups:.4100 $id *" "$status" || fail "other groups"
	# What it cannot have again
	"$@" setpriv --reuid 0 true && fail "it may become root"
	"$@" "$PLAIN" -j 7 true && fail "it may enter a job by itself"
	return 0
}

privileges()
{
	jobs_are "alice 7"
	bare 4001 as_user alice "$1" -j 7
}

# What its user had before is no reason to keep it
ambient()
{
	jobs_are "alice 7"
	bare 4001 setpriv --reuid alice --regid alice --init-groups \
		--inh-caps=+net_admin,+net_raw --ambient-caps=+net_admin,+net_raw \
		"$PLAIN" -j 7
}

root_becomes()
{
	jobs_are "bob 9"
	bare 4001 "$PLAIN" -j 7 -u alice || return 1
	enters 7 "$PLAIN" -j 7 -u alice || return 1
	said 125 "there is no such user" "$PLAIN" -j 7 -u nobody_here true
	enters 7 "$PLAIN" -j 7 || return 1
	[ "$("$PLAIN" -j 7 id -u)" = 0 ]
}

# Nothing is inherited but the one socket, which takes the place of no closed descriptor
descriptors()
{
	local fd

	# That of lib.sh
	exec {napping}<&-
	jobs_are "alice 7"
	# shellcheck disable=SC2016
	fd=$(as_user alice "$RUN" -j 7 sh -c 'ls /proc/$$/fd | tr "\n" " "; echo "= $UET_JOB_FROM"')
	echo "descriptors $fd"
	[ "${fd#0 1 2 }" != "$fd" ] && [ "${fd##*= }" = "$(cut -d' ' -f4 <<<"$fd")" ] ||
		fail "others"
	# shellcheck disable=SC2016
	for how in "as_user alice $RUN" "$PLAIN"; do
		$how -j 7 sh -c 'echo "$UET_JOB_FROM" >&2' 2>"$WORK/fd" <&- >&- || return 1
		echo "$how: $(<"$WORK/fd")"
		[ "$(<"$WORK/fd")" -gt 2 ] || return 1
	done
}

# inherits USER COMMAND...: the socket is of that user, who may have one endpoint
inherits()
{
	local user=$1
	shift

	on "$A" "$@" "${INSIDE[@]}" inherited uet:///0/100 uet:///7/101 >"$WORK/inherited" ||
		return 1
	cat "$WORK/inherited"
	grep -qx "of user $user" "$WORK/inherited" && grep -qx EMFILE "$WORK/inherited"
}

# ... and is under the limits of that user, not root's, who has none
of_the_user()
{
	local rc=0

	jobs_are "alice 7"
	set_sysctl "$A" user_eps 1
	inherits 4001 "$PLAIN" -j 7 -u alice || rc=1
	inherits 4001 as_user alice "$RUN" -j 7 || rc=1
	inherits 4001 as_user alice "$SETUID" -j 7 || rc=1
	set_sysctl "$A" user_eps 2048
	return $rc
}

# reader JOB COMMAND...: ready when this returns
reader()
{
	local job=$1
	shift

	rm -f "$WORK/read"
	on "$B" "$@" "${INSIDE[@]}" read "uet:///$job/100" $((60 * SLOW)) >"$WORK/read" 2>&1 &
	wait_for 30 grep -qs ready "$WORK/read" || { cat "$WORK/read"; fail "no reader"; }
}

# sends WORD JOB COMMAND...: what becomes of a message to an address with this job says so
sends()
{
	local word=$1 job=$2
	shift 2

	on "$A" "$@" "${INSIDE[@]}" send "uet://$B4/$job/100" >"$WORK/sent" 2>&1
	cat "$WORK/sent"
	grep -q "$word" "$WORK/sent"
}

messages()
{
	jobs_are "alice 7" "bob 7-8"
	reader 7 as_user alice "$RUN" -j 7
	# Not those of another job, nor of none
	sends BAD_JOB_ID 8 as_user bob "$RUN" -j 8 || fail "from job 8"
	sends BAD_JOB_ID 0 || fail "from no job"
	# ... which may not say that they are
	sends PermissionError 7 as_user bob "$RUN" -j 8 || fail "from job 8"
	sends PermissionError 7 || fail "from no job"
	sends delivered 7 as_user bob "$RUN" -j 7 || fail "not from job 7"
	wait_for 10 grep "hello of" "$WORK/read"
}

errors()
{
	jobs_are "alice 7"
	said 125 "its file has no CAP_NET_ADMIN" as_user alice "$PLAIN" -j 7 true
	said 125 "its file has no CAP_NET_ADMIN" as_user alice setpriv --no-new-privs "$RUN" -j 7 true
	said 125 "-u is for root" as_user alice "$RUN" -j 7 -u bob true
	said 125 "usage:" as_user alice "$RUN" -j 7
	said 125 "usage:" as_user alice "$RUN" true
	said 125 "a job is a number" as_user alice "$RUN" -j 7x true
	said 125 "a job is a number" as_user alice "$RUN" -j 0 true
	said 125 "a job is a number" as_user alice "$RUN" -j 16777216 true
	said 127 "No such file" as_user alice "$RUN" -j 7 no_such_program
	said 126 "Permission denied" as_user alice "$RUN" -j 7 "$WORK/program"
	as_user alice "$RUN" -j 7 sh -c "exit 3"
	[ $? = 3 ] || fail "not the status of the program"
	[ "$("$PLAIN" -h | head -c 13)" = "usage: uetrun" ] && "$PLAIN" -V
}

# A namespace of one's own has no file of jobs that counts here
own_namespace()
{
	jobs_are "bob 9"
	as_user alice unshare --user --map-root-user true || skip "no user namespaces here"
	for how in "$CAPS" "$SETUID"; do
		said 125 "its file has no CAP_NET_ADMIN" on "$A" as_user alice \
			unshare --user --map-root-user "$how" -j 7 true
	done
	# but a network, and its jobs are his
	as_user alice unshare --user --map-root-user --net "$PLAIN" -j 7 true
}

# What a user sets for the loader is not for a program with privileges
environment()
{
	jobs_are "alice 7"
	[ -z "$(as_user alice env LD_LIBRARY_PATH=/there "$RUN" -j 7 \
		printenv LD_LIBRARY_PATH)" ] || return 1
	[ "$(as_user alice "$RUN" -j 7 env LD_LIBRARY_PATH=/there printenv LD_LIBRARY_PATH)" = \
		/there ] || return 1
	[ "$(as_user alice env WORD=5 "$RUN" -j 7 printenv WORD)" = 5 ]
}

# slurm BLOCK JOB: what the manual has a node of Slurm do for alice, by root
slurm()
{
	SLURM_JOB_ID=$2 SLURM_JOB_UID=4001 \
		bash -eux -c "$("$TREE/tools/package/manual" "$1" uet-mpi.rst)"
}

# Nobody holds up the jobs of others: not by a lock of what all may open, and what root
# locks itself ends the prolog with a word.
slurm_locks()
{
	local pids=() rc=0

	jobs_are "bob 9"
	install -m 600 /dev/null /etc/uet/lock
	for what in /etc/uet /etc/uet/jobs; do
		as_user alice flock -F "$what" sleep 1000 &
		pids+=($!)
	done
	as_user alice flock /etc/uet/lock true && fail "alice may lock it"
	wait_for 10 eval '! flock --nonblock /etc/uet true && ! flock --nonblock /etc/uet/jobs true'
	slurm prolog 7 && slurm epilog 7 || rc=1
	kill "${pids[@]}"
	rm /etc/uet/lock
	slurm prolog 7 || rc=1
	[ "$(stat -c %a /etc/uet/lock)" = 600 ] || rc=1
	[ "$(stat -c %a /etc/uet/jobs)" = 644 ] || rc=1
	flock -F /etc/uet/lock sleep 1000 &
	wait_for 10 eval '! flock --nonblock /etc/uet/lock true'
	said 1 "/etc/uet/lock is held" slurm epilog 7 || rc=1
	kill $!
	return $rc
}

# Its jobs have numbers beyond those of UET
of_slurm()
{
	jobs_are "bob 9"
	slurm prolog 7 && slurm prolog 16777215 && slurm prolog 70 || return 1
	enters 8 as_user alice "$RUN" -j 8 || return 1
	enters 1 as_user alice "$RUN" -j 1 || return 1
	slurm epilog 7 && slurm epilog 16777215 || return 1
	said 125 "no line" as_user alice "$RUN" -j 8 true
	said 125 "no line" as_user alice "$RUN" -j 1 true
	enters 71 as_user alice "$RUN" -j 71 && enters 9 as_user bob "$RUN" -j 9
}

# Of a program that runs inside of another job: the newer one counts
nested()
{
	jobs_are "alice 7-8"
	enters 8 as_user alice "$RUN" -j 7 "$RUN" -j 8
}

[ -x "$TREE/build/uetrun/uetrun" ] || {
	echo "Bail out! no build/uetrun/uetrun: run make -C tools/uetrun"
	exit 1
}
setup_pair
setup_etc || { echo "Bail out! no files of its own in /etc"; exit 1; }
setup_programs || { echo "Bail out! no copies of uetrun"; exit 1; }
make_as_user
program
for how in "$CAPS" "$SETUID" "$SETGID"; do
	tst "into a job, ${how##*/}" with_file "$how" by_file
	tst "refused, ${how##*/}" with_file "$how" refused
	tst "no privilege is left, ${how##*/}" with_file "$how" privileges
done
tst "... also of those it was called with" ambient
tst "root becomes a user" root_becomes
tst "one socket is inherited" descriptors
tst "... which is the user's" of_the_user
tst "messages within a job only" messages
tst "a job within a job" nested
tst "prolog and epilog of Slurm" of_slurm
tst "... and a user who locks what he can" slurm_locks
tst "the environment" environment
tst "the root of a namespace" own_namespace
tst "errors" errors
umount /etc
finish
