# SPDX-License-Identifier: GPL-2.0
"""Receives and sends that are posted, and the queue that tells what became of them.

See libuet_post(3), which this is made of.
"""

import ctypes
import dataclasses
import errno
import itertools
import os
import select
import threading
import time
import weakref
from typing import Any, Optional

from ._lib import Completion as RawCompletion, Cq, Op, fail, lib, memory_of
from .address import Address, to_address

RECV, PEEK, SENT, BUFFER, WATCH, PEER = range(1, 7)
_TAGGED, _HEADER_DATA, _LAST, _INLINE = 1, 2, 4, 8
_SEND, _TSEND, _RECV, _TRECV = range(1, 5)
_RECV_FLAGS = {"peek": 4, "claim": 8, "claimed": 16, "discard": 32}
_OP_MULTI, _OP_INLINE, _OP_IMM, _ANY = 0x02, 0x40, 0x80, 0xffffffff
INLINE_MAX = 32

@dataclasses.dataclass(frozen=True)
class Completion:
    """What became of a receive, of a message, or of a peer.

    type: RECV, PEEK (a message that is here), SENT (delivered, or failed; the data of a
    posted send may be changed again), WATCH, PEER.  error is an errno, 0 for success.  data: what came, for RECV; of a receive with a buffer it is a view of that.
    length: of the whole message.  end: the receive has ended, as each but one with
    multi does.  sock: the Socket, None if the queue does not know it any more.
    """

    type: int
    cookie: int
    error: int
    source: int
    code: int
    sock: Any
    length: int
    end: bool
    peer: Optional[Address]
    data: Any = None
    offset: int = 0
    tag: Optional[int] = None
    header_data: Optional[int] = None

    @property
    def ok(self):
        """Whether it says something good."""
        return not self.error

    def raise_error(self):
        """Raises the error as OSError, if there is one."""
        if self.error:
            raise OSError(self.error, os.strerror(self.error))


class _State:
    """What is left of a queue when nobody has it any more"""

    def __init__(self):
        self.cq = Cq()
        self.event = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self.waiters = 0
        self.process = os.getpid()
        self.sockets, self.held = {}, {}

    def leave(self):
        """Cancel what can be; what the kernel may still read or write stays for good."""
        cq, self.cq = self.cq, None
        if not cq:
            return
        # A child of fork() leaves what its parent waits for alone
        own = self.process == os.getpid()
        for (_, cookie), held in self.held.items():
            if own and held.receives and held.sock.fileno() >= 0 and \
                    not lib.libuet_unpost(held.sock.fileno(), cookie):
                continue
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(held.keep))
        self.held = {}
        if cq.fd > 0:
            lib.libuet_close_cq(cq)
        if own:
            os.eventfd_write(self.event, 1)
        self.forget_event()

    def forget_event(self):
        if not self.cq and not self.waiters:
            os.close(self.event)


@dataclasses.dataclass(frozen=True)
class _Held:
    """What has to stay where it is until a completion"""

    sock: Any
    receives: bool
    keep: Any
    buffer: Any


class Queue:
    """A completion queue, and what its sockets have posted.

    entries: completions it has room for.  Completions come by get(), of all sockets
    that were added, which keep their queue for as long as they are; of a queue with a
    full ring nothing is lost.  fileno() is readable while there are some.  Buffers
    belong to the kernel from the call that posts them to their completion: the queue
    keeps them.  Any thread may call anything.
    """

    def __init__(self, *sockets, entries=1024):
        if not sockets:
            raise TypeError("a queue begins with a socket")
        self._lock = threading.Lock()
        self._cookies = itertools.count(1 << 32)
        self._state = _State()
        self._leave = weakref.finalize(self, self._state.leave)
        self._prune_at = 64
        try:
            if lib.libuet_open_cq(sockets[0].fileno(), entries, self._state.cq):
                self._state.cq.fd = -1
                fail(f"{entries} entries")
            for sock in sockets:
                self.add(sock)
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def fileno(self):
        """The descriptor, -1 if closed."""
        cq = self._state.cq
        return cq.fd if cq else -1

    def close(self):
        """Leave the queue: receives that wait are cancelled, calls of get() fail, and
        nobody is told any more what its sockets do."""
        with self._lock:
            self._leave()

    def add(self, sock):
        """Give a socket this queue; it keeps it."""
        with self._lock:
            if lib.libuet_use_cq(sock.fileno(), self._open()):
                fail()
            self._state.sockets[_inode(sock)] = sock
            if len(self._state.sockets) >= self._prune_at:
                self._prune()

    def _prune(self):
        """Forget sockets that are closed and have nothing under way."""
        busy = {inode for inode, _ in self._state.held}
        self._state.sockets = {i: s for i, s in self._state.sockets.items()
                               if i in busy or s.fileno() >= 0}
        self._prune_at = 2 * max(len(self._state.sockets), 32)

    def _open(self):
        if not self._state.cq:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF), "completion queue")
        return self._state.cq

    # --- posts -----------------------------------------------------------------------

    def _post(self, op, peer, held):
        """Posts, with what has to stay meanwhile: the cookie."""
        if peer is not None:
            op.to, peer = 1, to_address(peer).raw
        with self._lock:
            self._open()
            key = _inode(held.sock), op.cookie
            if key in self._state.held:
                raise ValueError(f"cookie {op.cookie} is in use")
            if lib.libuet_post(held.sock.fileno(), op, 1, peer, 0 if peer is None else 1) < 0:
                fail()
            self._state.held[key] = held
        return op.cookie

    def recv(self, sock, buffer=None, tag=None, ignore=0, sender=None, multi=None,
             cookie=None, **how):
        """Post a receive; returns its cookie.

        buffer: what can be written, as a bytearray; without one a message of INLINE_MAX
        bytes at most comes in its completion.  tag: a message with that tag, but for
        the bits of ignore; None: one without.  sender: only from there.  multi: takes
        messages until less than so many bytes are left.  peek, claim, claimed, discard:
        as UET_OP_PEEK and so on.
        """
        op = Op(cookie=self._cookie(cookie), opcode=_RECV, to=_ANY)
        keep = None
        if buffer is not None:
            keep, op.addr, op.length = memory_of(buffer, writable=True)
        elif not how.get("peek") and not how.get("discard"):
            op.length, op.flags = INLINE_MAX, _OP_INLINE
        if tag is not None:
            op.opcode, op.tag, op.ignore = _TRECV, tag, ignore
        if multi is not None:
            op.imm, op.flags = multi, op.flags | _OP_MULTI
        for name, value in how.items():
            if name not in _RECV_FLAGS:
                raise TypeError(f"recv() has no argument {name}")
            op.flags |= _RECV_FLAGS[name] if value else 0
        return self._post(op, sender, _Held(sock, True, keep, buffer))

    def send(self, sock, data, to=None, tag=None, header_data=None, cookie=None,
             timeout=None):
        """Post a send of any length; returns its cookie.

        to: Address, or text; None if the socket is connected.  cookie: one that no other
        message of the socket has.  timeout: seconds that it may take.  The completion
        SENT says that it was delivered and data may be changed again.  BlockingIOError:
        there is no room for a copy of short data, or no slot of the queue.
        """
        keep, start, size = memory_of(data)
        op = Op(cookie=self._cookie(cookie), opcode=_SEND, addr=start, length=size)
        if tag is not None:
            op.opcode, op.tag = _TSEND, tag
        if header_data is not None:
            op.imm, op.flags = header_data, _OP_IMM
        if timeout is not None:
            op.timeout = max(round(timeout * 1000), 1)
        return self._post(op, to, _Held(sock, False, keep, data))

    def cancel(self, sock, cookie):
        """Cancel a receive that no message has matched: its completion has ECANCELED."""
        if lib.libuet_unpost(sock.fileno(), cookie):
            fail(f"cookie {cookie}")

    def _cookie(self, cookie):
        return next(self._cookies) if cookie is None else cookie

    # --- completions -----------------------------------------------------------------

    def get(self, timeout=None):
        """The next completion; None if there is none within timeout seconds."""
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            with self._lock:
                raw = RawCompletion()
                if lib.libuet_next_done(self._open(), raw, 0) > 0:
                    return self._completion(raw)
                left = None if end is None else end - time.monotonic()
                if left is not None and left <= 0:
                    return None
                poller = select.poll()
                poller.register(self._state.cq.fd, select.POLLIN)
                poller.register(self._state.event, select.POLLIN)
                self._state.waiters += 1
            try:
                poller.poll(None if left is None else left * 1000)
            finally:
                with self._lock:
                    self._state.waiters -= 1
                    self._state.forget_event()

    def _completion(self, raw):
        key, held, data = (raw.socket, raw.cookie), None, None
        ends = raw.type in (RECV, PEEK) and bool(raw.flags & _LAST)
        if raw.type in (RECV, PEEK, SENT):
            held = self._state.held.get(key)
        if held and held.receives == (raw.type != SENT) and (ends or raw.type == SENT):
            del self._state.held[key]
        if raw.type == RECV:
            buffer = held.buffer if held else None
            data = bytes(raw.data[:raw.got]) if buffer is None else \
                memoryview(buffer).cast("B")[raw.offset:raw.offset + raw.got]
        return Completion(
            raw.type, raw.cookie, raw.error, raw.source, raw.code,
            self._state.sockets.get(raw.socket), raw.length,
            ends or raw.type not in (RECV, PEEK),
            Address.from_raw(raw.peer) if raw.peer.family else None, data, raw.offset,
            raw.tag if raw.flags & _TAGGED else None,
            raw.header_data if raw.flags & _HEADER_DATA else None)


def _inode(sock):
    return os.fstat(sock.fileno()).st_ino & 0xffffffff
