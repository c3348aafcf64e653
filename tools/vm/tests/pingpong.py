#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""UDP round trips between two namespaces; prints each one's time in ns.

Random payload lengths and a random delay in the link draw on the guest's random
numbers, so the text differs wherever two runs differ.
"""

import ctypes
import os
import random
import socket
import subprocess
import time


def sh(line):
    subprocess.run(line, shell=True, check=True)


def in_namespace(name):
    fd = os.open(f"/run/netns/{name}", os.O_RDONLY)
    # Python 3.11 has no wrapper for setns(2).
    if ctypes.CDLL(None, use_errno=True).setns(fd, 0):
        raise OSError(ctypes.get_errno(), "setns")
    os.close(fd)


def main():
    sh("ip netns add a; ip netns add b")
    sh("ip link add va netns a type veth peer name vb netns b")
    for n, host in (("a", 1), ("b", 2)):
        sh(f"ip -n {n} addr add 10.0.0.{host}/24 dev v{n}")
        sh(f"ip -n {n} link set v{n} up")
    sh("tc -n a qdisc add dev va root netem delay 100us 30us")
    in_namespace("b")
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("10.0.0.2", 7))
    in_namespace("a")
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    client.connect(("10.0.0.2", 7))
    rng = random.Random(int.from_bytes(os.urandom(8), "little"))
    for i in range(200):
        start = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        client.send(rng.randbytes(rng.randrange(1, 1400)))
        data, peer = server.recvfrom(2000)
        server.sendto(data, peer)
        client.recv(2000)
        end = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        print(i, len(data), end - start, client.getsockname()[1], end)


main()
