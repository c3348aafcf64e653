# SPDX-License-Identifier: GPL-2.0
"""Coroutines for asyncio."""

import asyncio
import collections

from .address import to_address
from .sock import Socket

WRITABLE = 64


def _target(address):
    """What tells a destination from others, as the kernel names it."""
    raw = address.raw
    return bytes(raw.addr), raw.job, raw.pid, raw.ri, raw.flags & 1


class AsyncSocket:
    """A Socket whose calls are coroutines.

    It takes the arguments of Socket.  Several tasks may wait at once: sends to one
    destination follow one another, and those to others go on while it has no room.
    Reports are taken from the error queue as they come and wait for report().
    """

    def __init__(self, *arguments, **options):
        self.sock = Socket(*arguments, **options)
        self.sock.setblocking(False)
        self._reports = collections.deque()
        # Futures, and for which destination: None is that connected to
        self._waiting = {"read": {}, "write": {}}
        # By destination the tasks that send to it, in order; the first one tries
        self._lines = {}
        self._loop = None

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        self.close()

    def close(self):
        """Close; tasks that wait are cancelled."""
        for futures in *self._waiting.values(), *self._lines.values():
            for future in futures:
                future.cancel()
        if self._loop and not self._loop.is_closed():
            self._loop.remove_reader(self.sock)
            self._loop.remove_writer(self.sock)
        self.sock.close()

    def _writable(self):
        """Which destinations have room; None: maybe any."""
        found = self.sock.writable(WRITABLE)
        more = found
        while len(more) == WRITABLE:
            more = self.sock.writable(WRITABLE)
            found += more
        if not found or None in found:
            return None
        targets = {_target(address) for address in found}
        try:
            if _target(self.sock.getpeername()) in targets:
                targets.add(None)
        except OSError:
            targets.add(None)
        return targets

    def _ready(self, side):
        """An event: reports come as one of either side."""
        self._reports.extend(self.sock.reports())
        targets = self._writable() if side == "write" else None
        for future, target in self._waiting[side].items():
            if not future.done() and (targets is None or target in targets):
                future.set_result(None)

    async def _wait(self, side, target=None):
        loop = self._loop = asyncio.get_running_loop()
        future, futures = loop.create_future(), self._waiting[side]
        add = loop.add_reader if side == "read" else loop.add_writer
        remove = loop.remove_reader if side == "read" else loop.remove_writer
        futures[future] = target
        add(self.sock, self._ready, side)
        try:
            await future
        finally:
            del futures[future]
            if not futures and self.sock.fileno() >= 0:
                remove(self.sock)

    async def send(self, data, to=None, flags=0, **attributes):
        """Socket.send()"""
        target = None
        if to is not None:
            to = to_address(to)
            target = _target(to)
        line = self._lines.setdefault(target, collections.deque())
        turn = asyncio.get_running_loop().create_future()
        line.append(turn)
        try:
            if line[0] is not turn:
                await turn
            while True:
                try:
                    return self.sock.send(data, to, flags, **attributes)
                except BlockingIOError:
                    await self._wait("write", target)
        finally:
            line.remove(turn)
            if not line:
                self._lines.pop(target, None)
            elif not line[0].done():
                line[0].set_result(None)

    async def recv_message(self, *arguments):
        """Socket.recv_message()"""
        while True:
            try:
                return self.sock.recv_message(*arguments)
            except BlockingIOError:
                await self._wait("read")

    async def report(self):
        """The next report."""
        while True:
            self._reports.extend(self.sock.reports())
            if self._reports:
                return self._reports.popleft()
            await self._wait("read")
