#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Settings, rules for peers and counters by generic netlink, as the kernel's own
# client sees them; and requests that are wrong in every way.
#
# check: vtime,6.1 240 -
# check: 6.12 240 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

# In a namespace whose owner is nobody special
own()
{
	unshare --user --map-root-user --net /usr/bin/python3 \
		"$SELFTESTS/py/$1" "${@:2}"
}

# python3 of Debian: that of a user may lack yaml
py()
{
	on "$A" /usr/bin/python3 "$SELFTESTS/py/$1" "${@:2}"
}

setup_pair
tst "settings are those of sysctl" py netlink.py params
tst "they are set, and refused with their range" py netlink.py set_params
tst "rules for peers by prefix" py netlink.py rules
tst "a rule with every setting there is" py netlink.py every_setting
tst "as many rules as there may be" py netlink.py many_rules
tst "counters" py netlink.py stats
tst "everybody reads, few write" py netlink.py unprivileged
tst "the owner of a user namespace writes in its own" own netlink.py owner
tst "and has narrower ranges there" own netlink.py narrow \
	"$TREE/Documentation/networking/uet-settings.rst"
tst "headers" py netlink.py headers
tst "each attribute wrong, for root" py netlink_fuzz.py each
tst "each attribute wrong, for nobody" py netlink_fuzz.py each nobody
tst "each attribute wrong, in a namespace of his own" own netlink_fuzz.py each
tst "wrong requests of root" py netlink_fuzz.py "$(scaled 4000)" 1
tst "wrong requests of nobody" py netlink_fuzz.py "$(scaled 2000)" 2 nobody
finish
