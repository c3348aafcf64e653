# SPDX-License-Identifier: GPL-2.0
"""The netlink family of the module through the kernel's own client (YNL), which
"make -C selftests" lays out in build/selftests/ynl."""
import ipaddress
import os
import sys

import yaml

BIN = os.environ.get("UET_BIN") or os.path.join(
    os.path.dirname(os.path.realpath(__file__)), "..", "..", "build", "selftests")
CLIENT = os.path.join(BIN, "ynl")
SPEC = os.path.join(CLIENT, "netlink", "specs", "uet.yaml")
sys.path.insert(0, CLIENT)

from lib import Netlink, NlError, YnlFamily, ynl  # noqa: E402,F401

# What the kernel remarks on an answer would go where the results of cases go
ynl.print = lambda *_: None

CREATE, EXCL = 0x400, 0x200


def addr(text):
    """A fabric address, as the client wants one: IPv4 as v4-mapped"""
    ip = ipaddress.ip_address(text)
    if ip.version == 4:
        ip = ipaddress.IPv6Address("::ffff:" + text)
    return ip.packed.hex()


def same(told, text):
    """Is the address that the client told this one?"""
    ip = ipaddress.ip_address(told)
    mapped = getattr(ip, "ipv4_mapped", None)
    return (mapped or ip) == ipaddress.ip_address(text)


def family():
    """The family in the namespace of this process"""
    # The generator checks the description, and YAML in Python takes minutes in a
    # slow guest. This version of the client knows no padding.
    yaml.safe_load = lambda f: yaml.load(f, Loader=yaml.CSafeLoader)
    return YnlFamily(SPEC, schema="", process_unknown=True)


def refused(call, *args, **kw):
    """(errno, extack) of a request that must fail"""
    try:
        call(*args, **kw)
    except NlError as e:
        return -e.nl_msg.error, e.nl_msg.extack or {}
    raise AssertionError(f"{args} was accepted")
