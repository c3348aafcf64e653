# SPDX-License-Identifier: GPL-2.0
"""What became of messages, and of endpoints that are watched."""

import ctypes
import dataclasses
import os
from typing import Optional

from ._lib import TEXT_SIZE, Report as RawReport, Sockaddr, lib
from .address import Address

FAILED, DELIVERED, WATCH, PEER = 1, 2, 3, 4


@dataclasses.dataclass(frozen=True)
class Report:
    """A report of the error queue; str() is a sentence.

    cookies are the messages that it is about, as a range; error is an errno, 0
    for success; name is the code's in UE 1.0, where it has one.
    """

    type: int
    error: int
    source: int
    code: int
    cookies: range
    length: int
    peer: Optional[Address]
    name: Optional[str]
    text: str

    def __str__(self):
        return self.text

    @property
    def ok(self):
        """Whether it says something good."""
        return not self.error

    def expand(self):
        """A report for each message of the range."""
        return [dataclasses.replace(self, cookies=range(c, c + 1))
                for c in self.cookies]

    def raise_error(self):
        """Raises the error as OSError, if it is one."""
        if self.error:
            raise OSError(self.error, os.strerror(self.error), self.text)


def from_raw(raw, peer):
    """Of the structures uet_report and sockaddr_uet."""
    text = ctypes.create_string_buffer(TEXT_SIZE)
    name = lib.libuet_code_name(raw.source, raw.code)
    last = raw.cookie_last if raw.type == DELIVERED else raw.cookie
    known = bool(peer.family)
    lib.libuet_report_text(raw, peer if known else None, text, TEXT_SIZE)
    return Report(raw.type, raw.error, raw.source, raw.code,
                  range(raw.cookie, last + 1), raw.length,
                  Address.from_raw(peer) if known else None,
                  name.decode() if name else None, text.value.decode())


def take(fd):
    """The next report of a socket's error queue, or None."""
    raw, peer = RawReport(), Sockaddr()
    if not lib.libuet_next_report(fd, raw, peer):
        return None
    return from_raw(raw, peer)

