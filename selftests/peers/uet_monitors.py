#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Many monitors of events, which do not read before SIGTERM ends them. The first line
is "ready" and the process id; the last one is what they got: monitors that heard
nothing, fewest events of one, monitors that lost some.

    uet_monitors.py NUMBER
"""
import errno
import os
import resource
import signal
import socket
import sys

from uet_ynl import family

NETLINK_GENERIC, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP = 16, 270, 1
# Events of more need not fit
RCVBUF = 16384


def monitor(group):
    s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RCVBUF)
    s.bind((0, 0))
    s.setsockopt(SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, group)
    return s


def heard(sock):
    """Events, and whether some were lost"""
    events, lost = 0, False
    while True:
        try:
            sock.recv(8192, socket.MSG_DONTWAIT)
            events += 1
        except BlockingIOError:
            return events, lost
        except OSError as e:
            assert e.errno == errno.ENOBUFS, e
            lost = True


def main():
    number = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_NOFILE, (number + 100, number + 100))
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    nl = family()
    group = nl.nlproto.get_mcast_id("events", nl.mcast_groups)
    monitors = [monitor(group) for _ in range(number)]
    print("ready", os.getpid(), flush=True)
    signal.sigwait([signal.SIGTERM])
    told = [heard(s) for s in monitors]
    print(sum(not n and not lost for n, lost in told), min(n for n, _ in told),
          sum(lost for _, lost in told), flush=True)


if __name__ == "__main__":
    main()
