#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The provider for libfabric (tools/libfabric): libfabric's own programs, the suite of
# this tree (fi_suite), collective operations with results that are checked (fi_coll), and
# Open MPI with a program that checks every byte (uet_mpi).
#
# usage: fabric.sh [PROVIDER [PART]]
#	another provider, such as "tcp;ofi_rxm": is it the tests? PART: programs, suite,
#	collectives, mpi; and what is not in "all": ranks, 16 of them
#
# Under Open MPI, too; skipped without libfabric
# check: uml 600 -
# check: uml-debug 900 lean,full
# check: 6.1,6.12 900 lean,full
# check: [uet ranks] uml 400 -
# check: [uet ranks] uml-debug 900 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

PROVIDER=${1:-uet}
PART=${2:-all}
SUITE=$TREE/build/libfabric/fi_suite
# Hosts talk about their programs here, whatever happens to the data
MGMT_A=10.9.0.1
MGMT_B=10.9.0.2
NOBODY=65534

skip_all()
{
	echo "1..0 # SKIP $*"
	exit 4
}

command -v fi_info >/dev/null || skip_all "no libfabric here"
[ -x "$SUITE" ] || skip_all "no $SUITE: make -C tools/libfabric/tests"
if [ "$PROVIDER" = uet ]; then
	export FI_PROVIDER_PATH=$WORK
	cp "$TREE/build/lib/libuet-fi.so" "$WORK" 2>/dev/null ||
		skip_all "no libuet-fi.so: make -C tools/libfabric"
fi
# The others take their time to look for hardware
export FI_PROVIDER="$PROVIDER"
export FI_LOG_LEVEL=none
chmod 755 "$WORK"

# --- programs of libfabric -----------------------------------------------------------

info()
{
	on "$A" fi_info -p "$PROVIDER" -t FI_EP_RDM >"$WORK/info"
	cat "$WORK/info"
	grep -q "provider: $PROVIDER" "$WORK/info" || fail "it is not found"
	[ "$PROVIDER" = uet ] || return 0
	grep -q "fabric: uet/0" "$WORK/info" && grep -q "domain: uet0" "$WORK/info"
}

# In a job: what the launcher sets up stays when its privileges are gone
in_job()
{
	local run=$TREE/build/uetrun/uetrun

	[ -x "$run" ] || skip "no uetrun"
	on "$A" "$run" -j 77 fi_info -p uet -t FI_EP_RDM >"$WORK/info"
	cat "$WORK/info"
	grep -q "fabric: uet/77" "$WORK/info"
}

listens()
{
	[ -n "$(on "$B" ss -Hltn sport = :47592)" ]
}

# pingpong OPTIONS...: the data is checked at both ends
pingpong()
{
	local server

	on "$B" env FI_UET_ADDR=$B4 fi_pingpong -p "$PROVIDER" -e rdm -c "$@" >"$WORK/server" 2>&1 &
	server=$!
	wait_for 20 listens || fail "no server: $(<"$WORK/server")"
	on "$A" env FI_UET_ADDR=$A4 timeout $((60 * SLOW)) \
		fi_pingpong -p "$PROVIDER" -e rdm -c "$@" $B4 || return 1
	wait $server || fail "the server failed: $(<"$WORK/server")"
}

# Port numbers are no PIDonFEPs, which a program for TCP is told
service_too_large()
{
	on "$A" env FI_LOG_LEVEL=warn fi_info -p "$PROVIDER" -P 9228 -n $A4 >"$WORK/info" 2>&1
	cat "$WORK/info"
	grep -q "PIDonFEPs" "$WORK/info" || fail "nothing tells why"
}

# Socket addresses but those of IP are none of this provider
format_unknown()
{
	on "$A" env FI_LOG_LEVEL=warn fi_info -p "$PROVIDER" -a FI_SOCKADDR_IB \
		>"$WORK/info" 2>&1
	cat "$WORK/info"
	grep -q "not offered: addresses" "$WORK/info" || fail "nothing tells why"
}

no_interface()
{
	on "$A" env FI_LOG_LEVEL=warn FI_UET_ADDR=eth77 fi_info -p "$PROVIDER" \
		>"$WORK/info" 2>&1
	cat "$WORK/info"
	grep -q "FI_UET_ADDR=eth77" "$WORK/info" || fail "nothing tells why"
}

# A utility provider comes where FI_PROVIDER names it, and not before this one
layered()
{
	on "$A" env -u FI_PROVIDER fi_info -p uet >"$WORK/info"
	cat "$WORK/info"
	grep -q "provider: uet$" "$WORK/info" || fail "it is not found"
	! grep -q "ofi_rxd" "$WORK/info" || fail "it is there unasked"
	! on "$A" env FI_PROVIDER="uet;ofi_rxd" fi_info -p "uet;ofi_rxd" -a FI_ADDR_STR ||
		fail "text as addresses is offered, which ofi_rxd crashes with"
	FI_PROVIDER="uet;ofi_rxd" PROVIDER="uet;ofi_rxd" pingpong -m tagged -I 20
}

# --- the suite -------------------------------------------------------------------------

# What a program runs under that may pin 2 MiB
LIMITED=(prlimit --memlock=2097152 setpriv --bounding-set=-ipc_lock --)
LIMITS=()

# suite LABEL OPTIONS...: its cases become cases here
suite()
{
	local label=$1 line text ended=
	shift

	while read -r line; do
		text=${line#not }
		text=${text#ok }
		text="$label, ${text#* }"
		case $line in
		ok\ *)		tests=$((tests + 1))
				echo "ok $tests $text" ;;
		not\ ok\ *)	tests=$((tests + 1))
				failures=$((failures + 1))
				echo "not ok $tests $text" ;;
		1..*)		ended=1 ;;
		KTAP*)		;;
		*)		echo "# $line" ;;
		esac
	done < <(on "$A" "${LIMITS[@]}" "$SUITE" -p "$PROVIDER" -s $A4 -t $((15 * SLOW)) "$@" 2>"$WORK/errors")
	[ -n "$ended" ] || tail -n 20 "$WORK/errors" | comment
	tst "$label ran to its end" test -n "$ended"
}

# --- collective operations -----------------------------------------------------------------

COLL=$TREE/build/libfabric/fi_coll

# collectives OPERATION:SIZE:ROUNDS...: four ranks, neighbours on different hosts
collectives()
{
	local rank ns run=() bad=0

	for rank in 0 1 2 3; do
		ns=$A
		[ $((rank % 2)) = 0 ] || ns=$B
		on "$ns" timeout $((60 * SLOW)) "$COLL" "$PROVIDER" $rank \
			"$A4,$B4,$A4,$B4" "$@" >"$WORK/coll-$rank" 2>&1 &
		run+=($!)
	done
	for rank in "${run[@]}"; do
		wait "$rank" || bad=1
	done
	cut -c 1-160 "$WORK"/coll-*
	[ $bad = 0 ] || fail "a rank failed"
	[ "$(grep -c '"median_ns"' "$WORK/coll-0")" = $# ]
}

# All algorithms, with messages that the kernel matches and with long ones
collectives_all()
{
	collectives all-reduce:8:10 all-reduce:16384:5 all-reduce:1000008:2 \
		all-to-all:32:10 all-to-all:1048576:2 \
		broadcast:8:10 broadcast:16384:5 broadcast:2000008:2
}

collectives_lossy()
{
	impair "$A" loss 1% && impair "$B" loss 1% || skip "no netem here"
	collectives_all
	local rc=$?

	impair "$A"
	impair "$B"
	return $rc
}

# Rank 0 is not there when the others ask for it
collectives_late()
{
	COLL=$WORK/late collectives all-reduce:64:3
}

# --- Open MPI ----------------------------------------------------------------------------

# What starts a program on a host takes the place of ssh. Both hosts are this machine,
# so they get names and folders of their own.
mpi_prepare()
{
	local i

	for i in a b; do
		mkdir "$WORK/home-$i"
		chown $NOBODY:$NOBODY "$WORK/home-$i"
	done
	cp "$TREE/build/libfabric/uet_mpi" "$WORK"
	# Nobody answers questions about names here.
	echo 127.0.0.1 localhost >"$WORK/hosts"
	: >"$WORK/resolv.conf"
	mpi_agent
}

mpi_agent()
{
	cat >"$WORK/agent" <<-END
		#!/bin/bash
		host=\$1
		shift
		case \$host in
		host-a)	netns=$A; export FI_UET_ADDR=$A4 ;;
		host-b)	netns=$B; export FI_UET_ADDR=$B4 ;;
		esac
		export HOME=$WORK/home-\${host#host-} FI_PROVIDER="$PROVIDER" FI_LOG_LEVEL=none
		export TMPDIR=\$HOME FI_PROVIDER_PATH=$WORK LINE="\$*" HOST=\$host
		cd \$HOME
		exec ip netns exec \$netns unshare --uts --mount bash -c 'hostname \$HOST
			mount --bind $WORK/hosts /etc/hosts
			mount --bind $WORK/resolv.conf /etc/resolv.conf
			exec setpriv --reuid $NOBODY --regid $NOBODY --clear-groups bash -c "\$LINE"'
	END
	chmod 755 "$WORK/agent"
}

# Ranks on each host, and what they run
PER_HOST=2
UET_MPI=uet_mpi

# mpi COMMAND...
mpi()
{
	on "$A" unshare --mount bash -c "mount --bind $WORK/hosts /etc/hosts
		mount --bind $WORK/resolv.conf /etc/resolv.conf"'
		exec "$@"' - timeout "${LIMIT:-$((60 * SLOW))}" mpirun --allow-run-as-root \
		--host host-a:$PER_HOST,host-b:$PER_HOST -np $((2 * PER_HOST)) \
		--mca plm rsh --mca plm_rsh_agent "$WORK/agent" --mca plm_rsh_no_tree_spawn 1 \
		--mca oob_tcp_if_include $MGMT_A/24 --mca btl self \
		--mca mpi_yield_when_idle 1 \
		--mca pml cm --mca mtl ofi --mca mtl_ofi_provider_include "$PROVIDER" \
		--mca orte_base_help_aggregate 0 --mca hwloc_base_binding_policy none "$@"
}

uet_mpi()
{
	# shellcheck disable=SC2086
	mpi "$WORK"/$UET_MPI "$@"
}

no_errors()
{
	grep -qx "$((2 * PER_HOST)) ranks, 0 errors" "$WORK/mpi"
}

mpi_ok()
{
	uet_mpi >"$WORK/mpi" 2>&1
	local rc=$?

	cat "$WORK/mpi"
	[ $rc = 0 ] || fail "mpirun ended with $rc"
	no_errors
}

# mpi_lossy CASE
mpi_lossy()
{
	impair "$A" loss 1% && impair "$B" loss 1% || skip "no netem here"
	"$1"
	local rc=$?

	impair "$A"
	impair "$B"
	return $rc
}

# One of four spines drops all that it is given, in both directions, from some time on.
# Each port of the switches counts what is dropped behind it.
mpi_spine_dies()
{
	local run before spine rc=0

	before=$(on "$A" cat /sys/class/net/uet0/statistics/tx_packets)
	uet_mpi >"$WORK/mpi" 2>&1 &
	run=$!
	wait_for 30 mpi_moves uet0 $((before + 1000)) || fail "no traffic"
	spine=s1
	tc -n "$R" qdisc add dev $spine root netem loss 100% || skip "no netem here"
	tc -n "$S" qdisc add dev $spine root netem loss 100%
	wait $run || rc=1
	tc -n "$R" -s qdisc show dev $spine
	cat "$WORK/mpi"
	[ $rc = 0 ] && no_errors || return 1
	[ "$(tc -n "$R" -s -j qdisc show dev $spine | grep -o '"drops":[0-9]*' |
		cut -d: -f2)" -gt 0 ] || fail "no path was by $spine"
}

# Packets of ranks that have begun
mpi_moves()
{
	[ "$(on "$A" cat /sys/class/net/"$1"/statistics/tx_packets)" -gt "$2" ]
}

ranks_of_b()
{
	local p

	for p in $(ip netns pids "$B"); do
		[ "$(cat "/proc/$p/comm" 2>/dev/null)" != uet_mpi ] || echo "$p"
	done
}

ranks_of_b_run()
{
	[ "$(ranks_of_b | wc -l)" -ge $PER_HOST ]
}

nobody_runs()
{
	! ip netns pids "$A" | xargs -r -I{} cat /proc/{}/comm 2>/dev/null | grep -qx uet_mpi &&
		[ -z "$(ranks_of_b)" ]
}

# A rank is killed: all end, with an error, and soon
mpi_killed()
{
	local run before rc

	before=$(on "$A" cat /sys/class/net/uet0/statistics/tx_packets)
	uet_mpi 100 >"$WORK/mpi" 2>&1 &
	run=$!
	wait_for 30 ranks_of_b_run || fail "no ranks"
	wait_for 30 mpi_moves uet0 $((before + 500)) || fail "no traffic"
	kill -9 "$(ranks_of_b | head -n 1)"
	wait $run
	rc=$?
	cat "$WORK/mpi"
	[ $rc != 0 ] && [ $rc != 124 ] || fail "mpirun ended with $rc"
	wait_for 20 nobody_runs || fail "some ranks go on"
}

# The same without the help of the launcher, which leaves the others alone: each of them
# has an error from the provider, and ends with what -e has for it
mpi_killed_alone()
{
	local before how=$WORK/home-a/ended

	before=$(on "$A" cat /sys/class/net/uet0/statistics/tx_packets)
	mpi --enable-recovery bash -c "$WORK/$UET_MPI -c -e 1000
		echo \$? >$how-\$OMPI_COMM_WORLD_RANK" >"$WORK/mpi" 2>&1 &
	wait_for 30 ranks_of_b_run || fail "no ranks"
	wait_for 30 mpi_moves uet0 $((before + 5000)) || fail "no traffic"
	kill -9 "$(ranks_of_b | head -n 1)"
	wait_for 20 nobody_runs || fail "some ranks go on: $(cat "$how"-*)"
	sleep 0.5
	cat "$WORK/mpi"
	sort "$how"-* | uniq -c
	[ "$(cat "$how"-* | grep -cx 3)" = $((2 * PER_HOST - 1)) ]
}

# --- MPI programs of Debian ----------------------------------------------------------------

SCALAPACK=/usr/lib/$(uname -m)-linux-gnu/scalapack/openmpi-tests

package_of()
{
	dpkg-query -W -f '${Package} ${Version}' "$1" 2>/dev/null || skip "no package $1"
}

# All of its test programs but those that measure (PBLAS/TIMING)
scalapack_programs()
{
	(cd "$SCALAPACK" 2>/dev/null && ls xd* xz* xs* xc* BLACS/x* PBLAS/*tst)
}

# results WORD: lines of its output that tell results so, without those that explain them
results()
{
	grep -i "$1" "$WORK/mpi" |
		grep -vE "(^| )0 (tests completed and failed|FAILED)|THRESH|RESULT|SUBROUTINE"
}

# scalapack PROGRAM: it checks its results by itself
scalapack()
{
	local rc=0 passed

	package_of scalapack-mpi-test
	LIMIT=1200 mpi --wdir "$SCALAPACK/$(dirname "$1")" "./$(basename "$1")" \
		>"$WORK/mpi" 2>&1 || rc=$?
	# The last test of these is how a program is aborted
	case $1 in
	BLACS/*)	grep -q "exiting with error #-1" "$WORK/mpi" && rc=0 ;;
	esac
	[ $rc = 0 ] || fail "$1 ended with $rc: $(tail -n 5 "$WORK/mpi")"
	passed=$(results passed | wc -l)
	echo " $1: $passed lines of results that passed"
	! results failed && [ "$passed" -gt 0 ]
}

# HPCC: it checks its results by itself
hpcc_run()
{
	local dir=$WORK/home-a/hpcc

	package_of hpcc
	mkdir -p "$dir" && chmod 755 "$WORK/home-a"
	sed 's/^1000 .*/200 Ns/; s/^80 .*/40 NBs/' /usr/share/doc/hpcc/examples/_hpccinf.txt \
		>"$dir/hpccinf.txt"
	chown -R $NOBODY:$NOBODY "$dir"
	LIMIT=1200 mpi --wdir "$dir" hpcc >"$WORK/mpi" 2>&1 ||
		fail "hpcc ended with $?: $(tail -n 5 "$WORK/mpi")"
	grep -E "^(Success|.*PASSED|.*FAILED)" "$dir/hpccoutf.txt" | sort | uniq -c
	grep -qx "Success=1" "$dir/hpccoutf.txt" && ! grep -q FAILED "$dir/hpccoutf.txt"
}

# --- hosts ---------------------------------------------------------------------------------

setup_mgmt()
{
	ip -batch - <<-END
		link add mgmt0 netns $A type veth peer name mgmt0 netns $B
	END
	ip -n "$A" addr add $MGMT_A/24 dev mgmt0
	ip -n "$B" addr add $MGMT_B/24 dev mgmt0
	ip -n "$A" link set mgmt0 up
	ip -n "$B" link set mgmt0 up
}

# The hosts of Open MPI are anew at both ends of four spines
over_spines()
{
	setup_spines
	A4=10.0.1.1 B4=10.0.2.1
	setup_mgmt
	mpi_agent
}

wanted()
{
	[ "$PART" = all ] || [ "$PART" = "$1" ]
}

setup_pair
setup_mgmt
if wanted programs; then
	tst "fi_info" info
	if [ "$PROVIDER" = uet ]; then
		tst "in a job" in_job
		tst "a service that is a port number" service_too_large
		tst "a format of addresses that there is not" format_unknown
		tst "an interface that is not there" no_interface
		tst "a utility provider on top" layered
	fi
	tst "fi_pingpong, messages" pingpong -m msg -I 20
	tst "fi_pingpong, messages with tags" pingpong -m tagged -I 20
fi
if wanted suite; then
	suite "suite in a host" -m threads -c "$(scaled 30)"
	suite "suite between hosts" -n "$B" -d $B4 -c "$(scaled 30)"
	suite "suite over IPv6" -n "$B" -s $A6 -d $B6 -c "$(scaled 30)" formats addresses
	if [ "$PROVIDER" = uet ] && [ -x "$TREE/build/uetrun/uetrun" ]; then
		LIMITS=("$TREE/build/uetrun/uetrun" -j 77 --)
		suite "suite in a job" -m threads av formats
	fi
	if [ "$PROVIDER" = uet ]; then
		start=$(on "$A" sysctl -n net.uet.pid_unprivileged_start)
		set_sysctl "$A" pid_unprivileged_start 4095
		suite "one PIDonFEP is left" -m threads "ports of their own"
		set_sysctl "$A" pid_unprivileged_start "$start"
	fi
	LIMITS=("${LIMITED[@]}")
	suite "little memory to pin" -m threads -c "$(scaled 10)" long unexpected
	wmem=$(on "$A" sysctl -n net.uet.wmem)
	wmem_max=$(sysctl -n net.core.wmem_max)
	sysctl -qw net.core.wmem_max=16384
	set_sysctl "$A" wmem 16384
	suite "... and small send buffers" -m threads "no memory to pin"
	sysctl -qw net.core.wmem_max="$wmem_max"
	set_sysctl "$A" wmem "$wmem"
	LIMITS=()
fi
if wanted collectives; then
	tst "collective operations" collectives_all
	tst "collective operations, some packets are lost" collectives_lossy
	printf '#!/bin/sh\n[ "$2" != 0 ] || sleep 1\nexec %s "$@"\n' "$COLL" >"$WORK/late"
	chmod 755 "$WORK/late"
	tst "collective operations, the first rank comes last" collectives_late
fi
if ! wanted mpi; then
	:
elif command -v mpirun >/dev/null && [ -x "$TREE/build/libfabric/uet_mpi" ]; then
	mpi_prepare
	tst "Open MPI" mpi_ok
	tst "Open MPI, some packets are lost" mpi_lossy mpi_ok
	tst "Open MPI, a rank is killed" mpi_killed
	teardown_pair
	over_spines
	tst "Open MPI, a spine dies" mpi_spine_dies
	teardown_spines
else
	echo "# no Open MPI here"
fi
if [ "$PART" = ranks ]; then
	PER_HOST=8
	UET_MPI="uet_mpi -d 10"
	LIMIT=$((150 * SLOW))
	mpi_prepare
	teardown_pair
	over_spines
	tst "Open MPI, 16 ranks, one is killed" mpi_killed_alone
	tst "Open MPI, 16 ranks, packets are lost and a spine dies" mpi_lossy mpi_spine_dies
	teardown_spines
fi
if [ "$PART" = packages ]; then
	mpi_prepare
	[ -n "${3:-}" ] || tst "HPCC" hpcc_run
	for i in ${3:-$(scalapack_programs)}; do
		tst "ScaLAPACK, $i" scalapack "$i"
	done
fi
finish
