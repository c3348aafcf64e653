#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Limits that are lowered while something depends on them.

    limits.py ADDR NETNS RATE

ADDR is an address of this host; messages come from the namespace NETNS, whose
interface uet0 sends with RATE until half of them is here. Prints a line per case:
name, tab, what went wrong or nothing.

    limits.py send ADDR PID LEN TYPE...

sends a message of LEN bytes by a socket of each type to the endpoint.
"""

import errno
import select
import socket
import subprocess
import sys
import threading
import time

import uet

SOON = 120
SO_SNDBUFFORCE, SO_RCVBUFFORCE = 32, 33
LARGE, SMALL = 2_000_000, 20_000
CASES = []
HERE = NETNS = RATE = ""


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


def content(length):
    return bytes(i * i >> 8 & 0xff for i in range(4096)) * (length // 4096 + 1)


def send(to, pid, length, *types):
    socks = [uet.Socket(peer=f"{to}/{pid}", ordered=t == "ordered", notify=True)
             for t in types]
    data = memoryview(content(length))[:length]
    for s in socks:
        s.send(data)
    for s in socks:
        assert s.wait_report(SOON) and all(r.ok for r in s.reports())
        s.close()


class Slow:
    """The link is slow, until there is so much here."""

    def __enter__(self):
        self.shape("replace", RATE)
        return self

    def __exit__(self, *_):
        subprocess.run(["tc", "-n", NETNS, "qdisc", "del", "dev", "uet0", "root"],
                       check=False)

    @staticmethod
    def shape(command, rate):
        subprocess.run(["tc", "-n", NETNS, "qdisc", command, "dev", "uet0", "root",
                        "netem", "limit", "10000", "rate", rate], check=True)


def held(pid):
    """Bytes in the receive buffer of an endpoint"""
    with open("/proc/net/uet", encoding="ascii") as f:
        for line in f:
            words = line.split()
            if words[2:3] == [f"{pid:03x}"]:
                return int(words[7])
    return 0


def readable(s):
    return bool(select.select([s], [], [], 0)[0])


def until(condition):
    end = time.monotonic() + SOON
    while not condition():
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.01)


def sleeping(thread):
    """Has a thread slept for a while, as who waits for room in a send buffer does?"""
    for _ in range(20):
        with open(f"/proc/self/task/{thread.native_id}/stat", encoding="ascii") as f:
            if f.read().rsplit(")", 1)[1].split()[0] != "S":
                return False
        time.sleep(0.01)
    return True


def resized(kinds, length, sizes, pid, ordered=False):
    """Messages come, and the buffer is made smaller while all of them are on their way."""
    with uet.Socket(local=f"{HERE}/{pid}", ordered=ordered) as s, Slow():
        s.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, LARGE)
        s.settimeout(SOON)
        with subprocess.Popen(["ip", "netns", "exec", NETNS, sys.argv[0], "send", HERE,
                               str(pid), str(length), *kinds]) as sender:
            until(lambda: held(pid) > length * len(kinds) / 4)
            for size in sizes:
                s.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, size)
                before = held(pid)
                # What a message in between finds full waits for its reader.
                until(lambda: held(pid) != before or sender.poll() is not None or
                      readable(s))
            Slow.shape("change", "1gbit")
            for _ in kinds:
                m = s.recv_message()
                assert m.data == content(length)[:length], "other bytes"
            assert not sender.wait(SOON), "the sender failed"
        assert s.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF) == 2 * sizes[-1]


@case("a message, and a smaller SO_RCVBUF")
def _():
    resized(["any"], 900_000, [SMALL], 800)


@case("an ordered message, and a smaller SO_RCVBUF")
def _():
    resized(["ordered"], 900_000, [SMALL], 801, True)


@case("messages of several sockets, and a smaller SO_RCVBUF")
def _():
    resized(["any"] * 4, 300_000, [SMALL], 802)


@case("ordered messages of several sockets, and a smaller SO_RCVBUF")
def _():
    resized(["ordered"] * 4, 300_000, [SMALL], 803, True)


@case("a message, and an SO_RCVBUF that is now smaller, now larger")
def _():
    resized(["any", "any"], 900_000, [SMALL, LARGE, 200_000, SMALL], 804)


@case("a message in parts, and a smaller SO_SNDBUF")
def _():
    wrong = []

    def add(s):
        try:
            s.send(bytes(400_000), f"{HERE}/806", flags=socket.MSG_MORE)
            wrong.append("it was taken")
        except OSError as e:
            if e.errno != errno.EMSGSIZE:
                wrong.append(str(e))

    with uet.Socket(local=f"{HERE}/805") as r, uet.Socket(local=f"{HERE}/806"), \
            uet.Socket() as s:
        r.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 40_000)
        s.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 1_000_000)
        s.send(bytes(600_000), f"{HERE}/805")
        s.send(bytes(1_200_000), f"{HERE}/806", flags=socket.MSG_MORE)
        waits = threading.Thread(target=add, args=(s,), daemon=True)
        waits.start()
        until(lambda: sleeping(waits))
        s.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, SMALL)
        r.settimeout(SOON)
        assert len(r.recv_message().data) == 600_000
        waits.join(SOON)
        assert not waits.is_alive(), "it waits for room that never comes"
        assert not wrong, wrong


def main():
    for name, function in CASES:
        wrong = ""
        try:
            function()
        except Exception as e:
            wrong = f"{type(e).__name__} {e}"
        print(f"{name}, {HERE}\t{wrong}", flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "send":
        send(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), *sys.argv[5:])
    else:
        HERE, NETNS, RATE = sys.argv[1:]
        main()
