#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Sends messages that fail, and reads no report.

    drops_unread.py ADDR

Says "full" when the error queue has no room left, sends one more message at SIGUSR1,
and says "sent" when the report of that was lost, too.
"""
import ctypes
import os
import signal
import socket
import struct
import sys
import time

AF_UET, PID = 25, 100
LIBC = ctypes.CDLL(None, use_errno=True)


def stat(name):
    with open("/proc/net/uet_stat", encoding="ascii") as f:
        return int(dict(line.split() for line in f)[name])


def fail(s, addr):
    """One message, until it has failed"""
    failed = stat("MsgFailed")
    to = struct.pack("=HHIHHIII16s", AF_UET, 0, 0, PID, 0, 0, 0, 0,
                     bytes(10) + b"\xff\xff" + socket.inet_aton(addr))
    if LIBC.sendto(s.fileno(), b"data", 4, 0, to, len(to)) != 4:
        sys.exit(os.strerror(ctypes.get_errno()))
    while stat("MsgFailed") == failed:
        time.sleep(0.02)


def main():
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    s = socket.socket(AF_UET, socket.SOCK_RDM, 0)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    while not stat("ReportsLost"):
        fail(s, sys.argv[1])
    print("full", flush=True)
    signal.sigwait({signal.SIGUSR1})
    fail(s, sys.argv[1])
    print("sent", flush=True)
    signal.pause()


main()
