# SPDX-License-Identifier: GPL-2.0
"""Coroutines for asyncio."""

import asyncio
import collections

from .sock import Socket


class AsyncSocket:
    """A Socket whose calls are coroutines.

    It takes the arguments of Socket.  Several tasks may wait at once.  Reports are
    taken from the error queue as they come and wait for report().
    """

    def __init__(self, *arguments, **options):
        self.sock = Socket(*arguments, **options)
        self.sock.setblocking(False)
        self._reports = collections.deque()
        self._waiting = {"read": set(), "write": set()}
        self._loop = None

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        self.close()

    def close(self):
        """Close; tasks that wait are cancelled."""
        for futures in self._waiting.values():
            for future in futures:
                future.cancel()
        if self._loop and not self._loop.is_closed():
            self._loop.remove_reader(self.sock)
            self._loop.remove_writer(self.sock)
        self.sock.close()

    def _ready(self, side):
        """An event: reports come as one of either side."""
        self._reports.extend(self.sock.reports())
        for future in self._waiting[side]:
            if not future.done():
                future.set_result(None)

    async def _wait(self, side):
        loop = self._loop = asyncio.get_running_loop()
        future, futures = loop.create_future(), self._waiting[side]
        add = loop.add_reader if side == "read" else loop.add_writer
        remove = loop.remove_reader if side == "read" else loop.remove_writer
        futures.add(future)
        add(self.sock, self._ready, side)
        try:
            await future
        finally:
            futures.discard(future)
            if not futures and self.sock.fileno() >= 0:
                remove(self.sock)

    async def send(self, *arguments, **attributes):
        """Socket.send()"""
        while True:
            try:
                return self.sock.send(*arguments, **attributes)
            except BlockingIOError:
                await self._wait("write")

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
