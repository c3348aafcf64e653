#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Events of the namespace by netlink, a line each: what key=value... The first line
is "ready", once none is missed any more."""
import ipaddress
import select
import socket

from uet_ynl import family


def text(key, value):
    if key in ("local", "remote"):
        ip = ipaddress.ip_address(value)
        return f"{key}={getattr(ip, 'ipv4_mapped', None) or ip}"
    return f"{key}={value}"


SO_RCVBUFFORCE = 33
# Events of all paths of a context at once, which this slow reader is to have each of
RCVBUF = 16 << 20


def main():
    nl = family()
    nl.sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, RCVBUF)
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
