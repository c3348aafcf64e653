#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Events of the namespace by netlink, a line each: what key=value... The first line
is "ready", once none is missed any more."""
import ipaddress
import select

from uet_ynl import family


def text(key, value):
    if key in ("local", "remote"):
        ip = ipaddress.ip_address(value)
        return f"{key}={getattr(ip, 'ipv4_mapped', None) or ip}"
    return f"{key}={value}"


def main():
    nl = family()
    nl.ntf_subscribe("events")
    print("ready", flush=True)
    while True:
        select.select([nl.sock], [], [])
        nl.check_ntf()
        while nl.async_msg_queue:
            event = nl.async_msg_queue.pop(0)["msg"]
            print(event.pop("what"), *(text(k, v) for k, v in event.items()),
                  flush=True)


if __name__ == "__main__":
    main()
