# SPDX-License-Identifier: GPL-2.0
"""Sockets.

The socket module of Python makes and closes them and knows their options and
time-outs; it does not know addresses of this family, so what has one goes by
libuet.
"""

import ctypes
import dataclasses
import errno
import select
import socket
import time
from typing import Optional

from . import report
from ._lib import (AF_UET, COOKIE, DEFER, DELIVERY, HEADER_DATA, INFO, PKTINFO,
                   SOCK_RDM, SOCK_SEQPACKET, TAG, TCLASS, TIMEOUT, WRITE, Attrs, Info,
                   Iovec, Sock, Sockaddr, Write, fail, lib, libc, memory_of)
from .address import Address, Local, to_address

FIRST_READ = 65536
_SENT = {"cookie": COOKIE, "header_data": HEADER_DATA, "tag": TAG,
         "delivery": DELIVERY, "tclass": TCLASS, "timeout": TIMEOUT,
         "write": WRITE, "defer": DEFER, "local": PKTINFO}


@dataclasses.dataclass(frozen=True)
class Message:
    """A message, or the part of one that a read took: then end is False.

    length is that of the whole message, offset where data begins in it; ce says
    that a packet of it was marked by a congested queue.  write: (key, place in the
    window of data), if it is a part of a write.  local: the address of this host that
    it was sent to (Local), with the option pktinfo.
    """

    data: bytes
    sender: Address
    end: bool
    header_data: Optional[int] = None
    tag: Optional[int] = None
    length: Optional[int] = None
    offset: Optional[int] = None
    delivery: Optional[int] = None
    ce: bool = False
    write: Optional[tuple] = None
    local: Optional[Local] = None


class Socket:
    """A UET socket.

    local and peer: addresses (Address, or text for uet.resolve()) to bind and to
    connect to.  ordered: SOCK_SEQPACKET, datagrams: SOCK_DGRAM, of which some are
    lost, else SOCK_RDM.  options: cc, defer, delivery,
    device, job, mark, max_msg, notify, pktinfo, policy, rcvbuf, send_timeout, sndbuf,
    tclass, as in libuet_open(3).
    """

    def __init__(self, local=None, peer=None, ordered=False, datagrams=False, **options):
        kind = (SOCK_SEQPACKET if ordered else
                socket.SOCK_DGRAM if datagrams else SOCK_RDM)
        how = Sock(type=kind | socket.SOCK_CLOEXEC)
        keep = []
        for name, value in options.items():
            # The structure points to the text
            keep.append(str(int(value) if value is True or value is False
                            else value).encode())
            if lib.libuet_sock_set(how, name.encode(), keep[-1]):
                fail(f"{name}={value}")
        for field, address in ("local", local), ("peer", peer):
            if address is not None:
                keep.append(to_address(address).raw)
                setattr(how, field, ctypes.pointer(keep[-1]))
        step = ctypes.c_char_p()
        fd = lib.libuet_open_sized(how, ctypes.sizeof(how), step)
        if fd < 0:
            fail(step.value.decode())
        self._sock = socket.socket(AF_UET, how.type & 0xf, 0, fd)
        self._parts = []

    # --- as other sockets of Python ------------------------------------------

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        return f"<uet.Socket fd={self.fileno()}>"

    def fileno(self):
        """The descriptor, -1 if closed."""
        return self._sock.fileno()

    def close(self):
        """Close; what was sent goes on in the background."""
        self._sock.close()

    def detach(self):
        """The descriptor, which the caller closes."""
        return self._sock.detach()

    def setblocking(self, flag):
        self._sock.setblocking(flag)

    def settimeout(self, seconds):
        """Longest wait of a call: TimeoutError; 0 is BlockingIOError."""
        self._sock.settimeout(seconds)

    def gettimeout(self):
        return self._sock.gettimeout()

    def setsockopt(self, level, name, value):
        self._sock.setsockopt(level, name, value)

    def getsockopt(self, level, name, size=0):
        return self._sock.getsockopt(level, name, size)

    def shutdown(self, how):
        self._sock.shutdown(how)

    def bind(self, address):
        """Give the socket an address; text may have names."""
        raw = to_address(address).raw
        if libc.bind(self.fileno(), ctypes.byref(raw), ctypes.sizeof(raw)):
            fail(str(address))

    def connect(self, address):
        """Set where messages without an address go; None: nowhere."""
        raw = Sockaddr() if address is None else to_address(address).raw
        if libc.connect(self.fileno(), ctypes.byref(raw), ctypes.sizeof(raw)):
            fail(str(address))

    def _name(self, call):
        raw = Sockaddr()
        if call(self.fileno(), ctypes.byref(raw),
                ctypes.c_uint32(ctypes.sizeof(raw))):
            fail()
        return Address.from_raw(raw)

    def getsockname(self):
        """The address that the socket is bound to."""
        return self._name(libc.getsockname)

    def getpeername(self):
        """The address that the socket is connected to."""
        return self._name(libc.getpeername)

    # --- messages ------------------------------------------------------------

    def _call(self, events, function, *arguments):
        """A call that waits as settimeout() says, and goes on after signals."""
        limit = self.gettimeout()
        end = None if limit is None else time.monotonic() + limit
        while True:
            n = function(self.fileno(), *arguments)
            if n >= 0:
                return n
            if ctypes.get_errno() == errno.EINTR:
                continue
            if ctypes.get_errno() != errno.EAGAIN or not limit:
                fail()
            self._wait(events, end)

    def _wait(self, events, end):
        left = end - time.monotonic()
        poller = select.poll()
        poller.register(self.fileno(), events)
        # A report is no reason to go on; but poll() cannot leave POLLERR out
        ready = poller.poll(max(0, left) * 1000)
        if left <= 0:
            raise TimeoutError(errno.ETIMEDOUT, "timed out")
        if ready and not ready[0][1] & events:
            time.sleep(min(left, 0.001))

    def send(self, data, to=None, flags=0, **attributes):
        """Send a message; returns its length.

        to: Address, or text; None if the socket is connected.  attributes: cookie,
        header_data, tag, delivery, tclass, timeout (ms), defer (1 or 0), write (key and
        place in a window, with the mode RUDI), local (Local, or the text of an
        address: send from there).  None is as if it were not given.
        """
        attrs = Attrs()
        for name, value in attributes.items():
            if name not in _SENT:
                raise TypeError(f"send() has no argument {name}")
            if value is None:
                continue
            if name == "write":
                attrs.write = Write(*value)
            elif name == "local":
                attrs.pktinfo = (value if isinstance(value, Local)
                                 else Local(value)).raw
            else:
                setattr(attrs, name, value)
            attrs.has |= _SENT[name]
        pointer = None if to is None else ctypes.byref(to_address(to).raw)
        # What the address is of stays as long as this does
        keep, start, size = memory_of(data)
        sent = self._call(select.POLLOUT, lib.libuet_sendmsg, Iovec(start, size), 1,
                          pointer, attrs, flags)
        del keep
        return sent

    def recv(self, size=FIRST_READ, flags=0):
        """Receive up to size bytes of a message: a Message."""
        buffer = ctypes.create_string_buffer(max(size, 1))
        sender, attrs = Sockaddr(), Attrs()
        n = self._call(select.POLLIN, lib.libuet_recvmsg,
                       Iovec(ctypes.addressof(buffer), size), 1, sender, attrs,
                       flags)
        return _message(buffer.raw[:n], sender, attrs)

    def recv_message(self, limit=1 << 30):
        """Receive a whole message of up to limit bytes.

        Where the socket does not wait and only the beginning is there, that is
        kept for the next call.  A longer message raises EMSGSIZE; what is left of it
        comes by recv().
        """
        got = sum(len(p.data) for p in self._parts)
        while True:
            try:
                part = self.recv(min(self._next_size(got), limit - got))
            except ConnectionError:
                # It will never come to its end
                self._parts = []
                raise
            self._parts.append(part)
            got += len(part.data)
            if part.end:
                break
            if got >= limit or (part.length or 0) > limit:
                self._parts = []
                raise OSError(errno.EMSGSIZE, "longer than the limit")
        parts, self._parts = self._parts, []
        return dataclasses.replace(
            parts[0], data=b"".join(p.data for p in parts), end=True,
            ce=any(p.ce for p in parts))

    def _next_size(self, got):
        if not self._parts:
            return FIRST_READ
        return min(max((self._parts[0].length or 0) - got, FIRST_READ), 1 << 24)

    def writable(self, limit=64):
        """Destinations that take more after BlockingIOError: a list of Address.

        Each is told once: send to it again.  None in it stands for others whose
        addresses the kernel has forgotten.  With fewer than limit there are no more.
        """
        found = (Sockaddr * limit)()
        n = lib.libuet_writable(self.fileno(), found, limit)
        if n < 0:
            fail()
        return [Address.from_raw(a) if a.family else None for a in found[:n]]

    # --- reports -------------------------------------------------------------

    def reports(self, expand=False):
        """Take all reports from the error queue, without waiting: a list.

        expand: one for each message, where a report is of several.
        """
        found = []
        while (r := report.take(self.fileno())) is not None:
            found += r.expand() if expand else [r]
        if ctypes.get_errno() != errno.EAGAIN:
            fail()
        return found

    def wait_report(self, timeout=None):
        """Wait until there is a report; returns whether there is."""
        n = lib.libuet_wait_report(
            self.fileno(), -1 if timeout is None else int(timeout * 1000))
        if n < 0:
            fail()
        return bool(n)

    def watch(self, peer, cookie, interval, timeout=0):
        """Get reports when an endpoint goes and comes; times in ms."""
        if lib.libuet_watch(self.fileno(), to_address(peer).raw, cookie,
                            interval, timeout):
            fail(str(peer))

    def set_window(self, key, length):
        """Let others write to a window; they need the key, with bit 63.  0, 0 ends it."""
        if lib.libuet_set_window(self.fileno(), key, length):
            fail(f"key {key:#x}, length {length}")

    def cancel(self, cookie):
        """Give up the messages of a cookie."""
        if lib.libuet_cancel(self.fileno(), cookie):
            fail(f"cookie {cookie}")

    def info(self):
        """What UET_INFO tells about the last peer: a dictionary."""
        raw = Info()
        if lib.libuet_get_info(self.fileno(), raw) < 0:
            fail()
        told = {name: getattr(raw, name) for name, _ in raw._fields_}
        for name in "cc", "path_policy":
            told[name] = told[name].decode()
        told["blocked_ns"] = list(told["blocked_ns"])
        why = lib.libuet_blocked_name(raw.blocked_by)
        told["blocked_by"] = why.decode() if why else raw.blocked_by
        return told


def _message(data, sender, attrs):
    has, info = attrs.has, attrs.info
    return Message(
        data, Address.from_raw(sender), bool(attrs.msg_flags & socket.MSG_EOR),
        attrs.header_data if has & HEADER_DATA else None,
        attrs.tag if has & TAG else None,
        *((info.length, info.offset, info.delivery, bool(info.ce))
          if has & INFO else ()),
        write=(attrs.write.key, attrs.write.offset) if has & WRITE else None,
        local=Local.from_raw(attrs.pktinfo) if has & PKTINFO else None)
