#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# libuet on sockets, in C (uet_lib) and in Python (uet_python.py). What needs no
# socket is tested by make -C tools/libuet check.
#
# check: uml-debug,6.1 240 -
# check: 6.12 240 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

export PYTHONPATH=$TREE/tools/libuet/python:$PYTHONPATH
export LD_LIBRARY_PATH=$TREE/build/lib

# A program with privileges of its file does not read files that its user names
privileged()
{
	local as=65534

	cat >"$WORK/who.c" <<-END
		#include <libuet.h>
		#include <stdio.h>
		int main(void)
		{
			struct libuet_service e;

			return puts(libuet_getservbyname("mine", &e) ? "none" : e.name) < 0;
		}
	END
	gcc -I"$TREE/tools/libuet" -I"$TREE/include/uapi" "$WORK/who.c" \
		"$TREE/build/lib/libuet.a" -o "$WORK/who" || return 1
	echo 'mine 100' >"$WORK/services"
	chmod 755 "$WORK" "$WORK/who"
	export UET_SERVICES=$WORK/services
	[ "$(setpriv --reuid $as --clear-groups "$WORK/who")" = mine ] || return 1
	chmod 4755 "$WORK/who"
	[ "$(setpriv --reuid $as --clear-groups "$WORK/who")" = none ]
}

setup_pair
for addr in $A4 $A6; do
	part uet_lib $addr
	raw_cases uet_python.py $addr
done
tst "a setuid program ignores UET_SERVICES" privileged
finish
