#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The system calls, on one host that talks to itself: uet_sock, uet_msg,
# uet_tx, uet_expire, uet_watch and uet_info bring their own cases.
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

# part PROGRAM ADDR: its cases become cases here
part()
{
	local line text
	local out=$WORK/part

	on "$A" "$BIN/$1" "$2" >"$out" 2>&1
	echo "# $1 $2: status $?"
	while read -r line; do
		text=${line#not }
		text=${text#ok }
		text="$1 $2: ${text#* }"
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
	done <"$out"
	tst "$1 $2 ran to its end" test -n "$ended"
	ended=
}

setup_pair
for program in "${@:-uet_sock uet_msg uet_tx uet_expire uet_watch uet_info}"; do
	for p in $program; do
		part "$p" $A4
		lean || part "$p" $A6
	done
done
finish
