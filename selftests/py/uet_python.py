#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The Python package uet on sockets of this host.

    uet_python.py ADDR

Prints a line per case: name, tab, what went wrong or nothing.
"""

import asyncio
import errno
import gc
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time

import uet
from uet.aio import AsyncSocket

HERE = sys.argv[1]
SOON = 60
CASES = []


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


def bound(pid, **options):
    s = uet.Socket(local=f"{HERE}/{pid}", **options)
    s.settimeout(SOON)
    return s


def fails(error, function, *arguments, **options):
    try:
        function(*arguments, **options)
    except OSError as e:
        assert e.errno == error, e
        return e
    raise AssertionError(f"no {errno.errorcode[error]}")


@case("a message and its answer")
def _():
    with bound(900) as a, bound(901) as b:
        assert a.send(b"question", b.getsockname()) == 8
        m = b.recv_message()
        assert (m.data, m.end, m.length, m.offset) == (b"question", True, 8, 0)
        assert m.sender.pid == 900 and m.header_data is None and m.tag is None
        b.send(bytearray(b"answer"), m.sender, header_data=7, tag=0)
        m = a.recv_message()
        assert (m.data, m.header_data, m.tag, m.ce) == (b"answer", 7, 0, False)
        a.send(b"", b.getsockname())
        assert b.recv_message().data == b""


@case("names of sockets")
def _():
    with bound(902) as a:
        assert a.getsockname() == uet.Address(str(a.getsockname()))
        assert a.getsockname() == uet.Address(f"{HERE}/902")
        assert a.getsockname() != uet.Address(f"{HERE}/903")
        assert (a.getsockname().pid, str(a.getsockname().host)) == (902, HERE)
        fails(errno.ENOTCONN, a.getpeername)
        a.connect(f"{HERE}/903/5")
        assert (a.getpeername().pid, a.getpeername().ri) == (903, 5)
        a.connect(None)
        fails(errno.ENOTCONN, a.getpeername)
    with uet.Socket() as a:
        a.bind(f"{HERE}/903")
        assert a.getsockname().pid == 903
        fails(errno.EINVAL, a.bind, f"{HERE}/904")


@case("options, and what is wrong with them")
def _():
    with uet.Socket(cc="fixed", tclass=9, max_msg="1m", notify=True,
                    sndbuf="50k") as a:
        assert a.getsockopt(300, 2, 16).rstrip(b"\0") == b"fixed"
        assert a.getsockopt(300, 5) == 9 and a.getsockopt(300, 4) == 1
        assert a.getsockopt(300, 9) == 1 << 20
        assert a.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) == 102400
    e = fails(errno.ENOENT, uet.Socket, colour="red")
    assert e.filename == "colour=red"
    e = fails(errno.ENOENT, uet.Socket, cc="nosuch")
    assert e.filename == "UET_CC"
    fails(errno.ERANGE, uet.Socket, tclass=64)
    with bound(904):
        assert fails(errno.EADDRINUSE, bound, 904).filename == "bind"
    try:
        with uet.Socket() as a:
            a.send(b"", colour="red")
    except TypeError:
        return
    raise AssertionError("send() takes anything")


@case("time-outs, signals, no waiting")
def _():
    with bound(905) as a:
        a.settimeout(0.2)
        start = time.monotonic()
        try:
            a.recv()
            raise AssertionError("a message")
        except TimeoutError:
            assert time.monotonic() - start > 0.19
        a.setblocking(False)
        fails(errno.EAGAIN, a.recv)
        assert a.gettimeout() == 0
        ticks = []
        signal.signal(signal.SIGALRM, lambda *_: ticks.append(1))
        signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
        for limit in None, SOON:
            a.settimeout(limit)
            threading.Timer(0.3, lambda: uet.Socket().send(
                b"late", a.getsockname())).start()
            assert a.recv().data == b"late"
        signal.setitimer(signal.ITIMER_REAL, 0)
        assert ticks
    assert a.fileno() == -1
    fails(errno.EBADF, a.recv)


@case("a message in parts")
def _():
    with bound(906) as a, bound(907) as b:
        a.send(b"0123456789", b.getsockname())
        parts = [b.recv(4) for _ in range(3)]
        assert [p.data for p in parts] == [b"0123", b"4567", b"89"]
        assert [p.end for p in parts] == [False, False, True]
        assert [p.offset for p in parts] == [0, 4, 8]


@case("a long message")
def _():
    data = os.urandom(20_000_000)
    with bound(908) as a, bound(909) as b:
        # With a time-out it would have to fit into the send buffer
        a.settimeout(None)
        sender = threading.Thread(target=a.send, args=(data, b.getsockname()))
        sender.start()
        m = b.recv_message()
        sender.join()
        assert m.data == data and m.end and m.offset == 0
        a.send(bytes(3000), b.getsockname())
        fails(errno.EMSGSIZE, b.recv_message, 2000)
        assert len(b.recv_message().data) == 1000
        a.send(bytes(3000), b.getsockname())
        assert len(b.recv_message(3000).data) == 3000


def delay(*what):
    """Of all packets of this host to itself."""
    subprocess.run(["tc", "qdisc", *what], check=True)


@case("a long message, without waiting")
def _():
    # It takes several round trips, so that more than once nothing is there yet
    delay("add", "dev", "lo", "root", "netem", "delay", "20ms")
    try:
        arrives_slowly(os.urandom(1_000_000))
    finally:
        delay("del", "dev", "lo", "root")


def arrives_slowly(data):
    with bound(910) as a, bound(911, rcvbuf="64k") as b:
        a.settimeout(None)
        b.setblocking(False)
        sender = threading.Thread(target=a.send, args=(data, b.getsockname()))
        sender.start()
        poller, m, waits = select.poll(), None, 0
        poller.register(b, select.POLLIN)
        while m is None:
            assert poller.poll(SOON * 1000)
            try:
                m = b.recv_message()
            except BlockingIOError:
                waits += 1
        sender.join()
        assert m.data == data, f"{len(m.data)} bytes"
        assert waits


@case("reports")
def _():
    with bound(912, notify=True) as a, bound(913) as b:
        assert a.reports() == [] and not a.wait_report(0)
        a.send(b"nobody", f"{HERE}/3999", cookie=4711)
        assert a.wait_report()
        r, = a.reports()
        assert (r.error, r.name, list(r.cookies), r.length, r.peer.pid) == \
            (errno.ECONNREFUSED, "BAD_PID", [4711], 6, 3999)
        assert str(r).endswith("BAD_PID (26): no such process")
        fails(errno.ECONNREFUSED, r.raise_error)
        for cookie in range(20):
            a.send(b"x", b.getsockname(), cookie=cookie)
        found = []
        while len(found) < 20 and a.wait_report(SOON):
            found += a.reports(expand=True)
        assert [list(r.cookies) for r in found] == [[n] for n in range(20)]
        assert all(r.ok for r in found)


@case("watch, cancel, info")
def _():
    with bound(914) as a, bound(915) as b:
        fails(errno.ENOTCONN, a.info)
        a.send(b"x", b.getsockname())
        b.recv()
        info = a.info()
        assert info["cc"] and info["path_policy"] and info["cwnd"] > 0
        assert len(info["blocked_ns"]) == 6 and info["path_mtu"] > 500
        assert isinstance(info["blocked_by"], str)
        fails(errno.ENOENT, a.cancel, 99)
        a.watch(f"{HERE}/3998", 5, 20)
        assert a.wait_report(SOON)
        r, = a.reports()
        assert r.type == 3 and list(r.cookies) == [5] and not r.ok
        a.watch(f"{HERE}/3998", 5, 0)


@case("threads: one waits, the others go on")
def _():
    with bound(916) as a, bound(917) as b:
        got = []
        reader = threading.Thread(target=lambda: got.append(b.recv_message()))
        b.settimeout(None)
        reader.start()
        time.sleep(0.1)     # inside the call, which must not hold the rest up
        a.send(b"wake", b.getsockname())
        reader.join(SOON)
        assert got and got[0].data == b"wake"


@case("receives and sends that are posted")
def _():
    with bound(920, notify=2) as a, bound(921) as b, uet.Queue(a, b) as q:
        to, buffers = b.getsockname(), [bytearray(100000) for _ in range(3)]
        first = q.recv(b, buffers[0], tag=5)
        masked = q.recv(b, buffers[1], tag=0x70, ignore=0xf)
        short = q.recv(b, sender=a.getsockname())
        data = bytearray(range(250)) * 400
        sent = q.send(a, data, to, tag=0x7a, header_data=9)
        q.send(a, b"inline", to)
        q.send(a, b"five", to, tag=5, cookie=1)
        found = [q.get(SOON) for _ in range(6)]
        assert q.get(0) is None and q.get(0.05) is None
        done = {(c.type, c.cookie): c for c in found}
        assert len(done) == 6 and all(c.ok and c.end for c in found), found
        c = done[uet.completion.RECV, masked]
        assert c.data == data and c.data.obj is buffers[1] and buffers[1][:9] == data[:9]
        assert (c.tag, c.header_data, c.length, c.sock) == (0x7a, 9, 100000, b)
        assert c.peer == a.getsockname() and c.offset == 0
        assert done[uet.completion.RECV, short].data == b"inline"
        assert done[uet.completion.RECV, short].tag is None
        assert done[uet.completion.RECV, first].data == b"five"
        for cookie in sent, 1:
            assert done[uet.completion.SENT, cookie].sock is a
            assert done[uet.completion.SENT, cookie].peer == to
        data.append(1)      # it is nobody else's any more


@case("receives that are posted: what is not as usual")
def _():
    with bound(922) as a, bound(923, ordered=True) as b, \
            bound(924, ordered=True, peer=f"{HERE}/923") as c, uet.Queue(b, c) as q:
        fails(errno.ENXIO, q.recv, a)
        fails(errno.EBUSY, q.add, b)
        many = bytearray(1000)
        cookie = q.recv(b, many, multi=500)
        for data in b"x" * 300, b"y" * 250:
            c.send(data)
            done = q.get(SOON)
            assert done.cookie == cookie and done.data == data
        assert (done.end, done.offset, many[299:301]) == (True, 300, b"xy")
        q.recv(b, bytearray(3))
        c.send(b"long")
        done = q.get(SOON)
        assert (done.error, done.length, done.data) == (errno.EMSGSIZE, 4, b"lon")
        try:
            done.raise_error()
            raise AssertionError("no error")
        except OSError as e:
            assert e.errno == errno.EMSGSIZE
        cookie = q.recv(b, many, tag=1)
        try:
            many.append(0)
            raise AssertionError("what the kernel writes to may move")
        except BufferError:
            pass
        try:
            q.recv(b, many, tag=2, cookie=cookie)
            raise AssertionError("two of one cookie")
        except ValueError:
            pass
        q.cancel(b, cookie)
        assert q.get(SOON).error == errno.ECANCELED
        many.append(0)
        fails(errno.ENOENT, q.cancel, b, cookie)
        q.recv(b, peek=True, cookie=7)
        assert q.get(SOON).error == errno.ENOMSG
        c.send(b"here")
        assert select.select([b], [], [], SOON)[0]
        q.recv(b, peek=True, claim=True, cookie=7)
        done = q.get(SOON)
        assert (done.type, done.error, done.length) == (uet.completion.PEEK, 0, 4)
        q.recv(b, claimed=True, cookie=7)
        assert q.get(SOON).data == b"here"
        for wrong in {"colour": 1}, {"buffer": b"fixed"}:
            try:
                q.recv(b, **wrong)
                raise AssertionError(f"recv() takes {wrong}")
            except TypeError:
                pass
        fails(errno.EINVAL, uet.Queue, c, entries=0)
        # Closed under receives: they are cancelled, and the socket goes on
        buffers = [bytearray(100), bytearray(100)]
        q.recv(b, buffers[0])
        q.recv(b, buffers[1], tag=3)
        q.close()
        for buffer in buffers:
            buffer.append(1)
        assert q.fileno() == -1
        fails(errno.EBADF, q.recv, b)
        fails(errno.EBADF, q.get)
        c.send(b"late")
        assert b.recv_message().data == b"late"


@case("a completion queue that nobody has any more")
def _():
    with bound(927) as a, bound(928) as b:
        q = uet.Queue(b)
        buffer = bytearray(100)
        q.recv(b, buffer)
        fails(errno.EBUSY, uet.Queue, a, b)
        del q
        gc.collect()
        buffer.append(1)
        a.send(b"message", b.getsockname())
        assert b.recv_message().data == b"message" and not any(buffer[:-1])
    with bound(927) as a, bound(928, rcvbuf=1) as b:
        # Sends under way cannot be cancelled: the data stays for good
        q, data = uet.Queue(a), bytearray(3000000)
        q.send(a, data, b.getsockname())
        q.close()
        try:
            data.append(1)
            raise AssertionError("what the kernel reads may move")
        except BufferError:
            pass


@case("a completion queue, and a child that ends")
def _():
    with bound(927) as a, bound(928) as b, uet.Queue(b) as q:
        q.recv(b, bytearray(10))
        child = os.fork()
        if not child:
            q.close()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        # Nothing wakes who waits here
        spent = time.process_time()
        assert q.get(0.5) is None and time.process_time() - spent < 0.25
        a.send(b"message", b.getsockname())
        done = q.get(SOON)
        assert done and done.ok and done.data == b"message"


@case("a completion queue and threads")
def _():
    with bound(925) as a, bound(926) as b, uet.Queue(b) as q:
        got = []
        reader = threading.Thread(target=lambda: got.append(q.get(SOON)))
        reader.start()
        time.sleep(0.1)
        q.recv(b, bytearray(10))
        assert not select.select([q], [], [], 0)[0]
        a.send(b"wake", b.getsockname())
        reader.join(SOON)
        assert got and got[0].data == b"wake"
        # Who waits learns that it is closed
        reader = threading.Thread(
            target=lambda: got.append(fails(errno.EBADF, q.get)))
        reader.start()
        time.sleep(0.1)
        q.close()
        reader.join(SOON)
        assert len(got) == 2


async def talk():
    async with AsyncSocket(local=f"{HERE}/918", notify=True) as a, \
            AsyncSocket(local=f"{HERE}/919") as b:
        peer = b.sock.getsockname()
        waiting = asyncio.create_task(b.recv_message())
        report = asyncio.create_task(a.report())
        await asyncio.sleep(0.1)
        await a.send(b"hello", peer, cookie=3)
        m = await asyncio.wait_for(waiting, SOON)
        assert m.data == b"hello"
        r = await asyncio.wait_for(report, SOON)
        assert r.ok and list(r.cookies) == [3]
        # More than there is room for: who sends waits until somebody reads
        data = bytes(100_000)
        sends = [asyncio.create_task(a.send(data, peer)) for _ in range(200)]
        for _ in range(200):
            m = await asyncio.wait_for(b.recv_message(), SOON)
            assert m.data == data
        await asyncio.wait_for(asyncio.gather(*sends), SOON)
        waiting = asyncio.create_task(b.recv_message())
        await asyncio.sleep(0)
    try:
        await waiting
        raise AssertionError("the end of the socket does not end a wait")
    except asyncio.CancelledError:
        pass


def second_address():
    """Another address of this host, of the same family."""
    other = "10.0.0.77" if "." in HERE else "fd00::77"
    subprocess.run(f"ip addr add {other} dev lo {'' if '.' in HERE else 'nodad'}",
                   shell=True, stderr=subprocess.DEVNULL)
    return other


def asked(server, client, to, **attributes):
    """A question, and an answer from the address that was asked: who it comes from."""
    client.send(b"question", f"{to}/{server.getsockname().pid}", **attributes)
    m = server.recv_message()
    assert m.local.host == uet.Address(f"{to}/1").host, m.local
    assert m.local.interface > 0
    server.send(b"answer", m.sender, local=m.local, **attributes)
    answer = client.recv_message()
    assert answer.local is None
    return str(answer.sender.host)


@case("the address that was asked")
def _():
    other, anywhere = second_address(), "uet:///0/930"
    for kind in {}, {"ordered": True}, {"datagrams": True}:
        with uet.Socket(local=anywhere, pktinfo=True, **kind) as s, \
                bound(931, **kind) as c:
            s.settimeout(SOON)
            for to in HERE, other, HERE, other:
                assert asked(s, c, to) == to
            # Where nothing is asked for, the route chooses
            s.send(b"plain", c.getsockname())
            assert str(c.recv_message().sender.host) == HERE
            s.connect(c.getsockname())
            for local, sender in ((other, other), (None, HERE), (other, other),
                                  ("::", HERE), ("0.0.0.0", HERE)):
                s.send(b"connected", local=local)
                assert str(c.recv_message().sender.host) == sender, local
    # Of a message of several parts the first one says it, and all of a long one has it
    with uet.Socket(local=anywhere, sndbuf=100_000) as s, bound(931) as c:
        s.send(b"one", c.getsockname(), flags=socket.MSG_MORE, local=other)
        s.send(b"two", c.getsockname())
        m = c.recv_message()
        assert (m.data, str(m.sender.host)) == (b"onetwo", other)
        sender = threading.Thread(target=s.send, kwargs={
            "data": bytes(3_000_000), "to": c.getsockname(), "local": other})
        sender.start()
        m = c.recv_message()
        sender.join(SOON)
        assert (len(m.data), str(m.sender.host)) == (3_000_000, other)


@case("addresses that a message cannot come from")
def _():
    other, to = second_address(), f"{HERE}/931"
    foreign = "10.0.0.99" if "." in HERE else "fd00::99"
    family = "fd00::1" if "." in HERE else "10.0.0.1"
    with uet.Socket(local="uet:///0/930") as s, bound(931) as c:
        fails(errno.EADDRNOTAVAIL, s.send, b"", to, local=foreign)
        fails(errno.EADDRNOTAVAIL, s.send, b"", to,
              local="224.0.0.1" if "." in HERE else "ff02::1")
        fails(errno.ENETUNREACH, s.send, b"", to, local=family)
        fails(errno.EINVAL, c.send, b"", to, local=other)
        if ":" in HERE:
            fails(errno.EINVAL, s.send, b"", to, local="fe80::1")
        c.send(b"own", to, local=HERE)
        assert c.recv_message().data == b"own"
        fails(errno.EINVAL, s.setsockopt, 300, 25, 2)
        c.settimeout(0)
        fails(errno.EAGAIN, c.recv)


@case("asyncio")
def _():
    asyncio.run(talk())


async def two_readers():
    """One reads, one does not, and a task sends to each."""
    data = bytes(8000)
    sent = {924: 0, 925: 0}

    async def feed(s, to):
        while True:
            await s.send(data, to)
            sent[to.pid] += 1

    async with AsyncSocket(local=f"{HERE}/923", sndbuf=100_000) as a, \
            AsyncSocket(local=f"{HERE}/924", rcvbuf=40_000) as good, \
            AsyncSocket(local=f"{HERE}/925", rcvbuf=40_000) as bad:
        for one, other in ((good, bad), (bad, good)):
            tasks = [asyncio.create_task(feed(a, s.sock.getsockname()))
                     for s in (good, bad)]
            for _ in range(200):
                m = await asyncio.wait_for(one.recv_message(), SOON)
                assert len(m.data) == len(data)
            # The other one has what there was room for
            assert sent[other.sock.getsockname().pid] < 200, sent
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            sent = dict.fromkeys(sent, 0)
        assert not a._lines and not a._waiting["write"]


@case("asyncio: who does not read keeps nobody waiting")
def _():
    asyncio.run(two_readers())


@case("who has room")
def _():
    with bound(926, sndbuf=100_000) as a, bound(927, rcvbuf=40_000) as b:
        assert a.writable() == []
        a.setblocking(False)
        poller = select.poll()
        poller.register(a, select.POLLOUT)
        data = bytes(8000)
        while poller.poll(500):
            try:
                while True:
                    a.send(data, b.getsockname())
            except BlockingIOError:
                pass
        assert a.writable() == []
        deadline = time.monotonic() + SOON
        while not poller.poll(0):
            b.recv_message()
            assert time.monotonic() < deadline
        assert a.writable() == [b.getsockname()]
        assert a.writable() == []


def main():
    for name, function in CASES:
        wrong = ""
        try:
            function()
        except Exception as e:
            at = e.__traceback__
            while at.tb_next and at.tb_next.tb_frame.f_code.co_filename == __file__:
                at = at.tb_next
            wrong = f"line {at.tb_lineno}: {type(e).__name__} {e}"
        print(f"{name}, {HERE}\t{wrong}", flush=True)


if __name__ == "__main__":
    main()
