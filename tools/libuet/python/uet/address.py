# SPDX-License-Identifier: GPL-2.0
"""Addresses of endpoints, and services by name."""

import ctypes
import dataclasses
import ipaddress
from typing import Optional

from ._lib import (URI_SIZE, Pktinfo, Service as RawService, Sockaddr, fail,
                   lib)


class Address:
    """An endpoint: host, job, PIDonFEP (pid) and resource index (ri).

    Address("uet://10.0.0.1/0/100") or Address("10.0.0.1/100") reads text without
    asking for names; resolve() asks.  str() gives the text.  Addresses do not
    change, compare, and can be keys; an initiator ID that follows from the other
    numbers, as the kernel adds it, makes no difference.
    """

    __slots__ = ("_raw",)

    def __init__(self, text="", base=None):
        raw = Sockaddr()
        if lib.libuet_parse(text.encode(), _pointer(base), raw):
            fail(text)
        self._raw = bytes(raw)

    @classmethod
    def from_raw(cls, raw):
        """Of a structure sockaddr_uet, or its bytes."""
        self = cls.__new__(cls)
        self._raw = bytes(raw)
        return self

    @property
    def raw(self):
        """struct sockaddr_uet of linux/uet.h, a copy."""
        return Sockaddr.from_buffer_copy(self._raw)

    host = property(lambda self: _host(self.raw.addr),
                    doc="IPv4Address or IPv6Address")
    job = property(lambda self: self.raw.job)
    pid = property(lambda self: self.raw.pid)
    ri = property(lambda self: self.raw.ri)
    scope_id = property(lambda self: self.raw.scope_id)
    initiator = property(lambda self: self.raw.initiator)
    absolute = property(lambda self: bool(self.raw.flags & 1))

    def __str__(self):
        text = ctypes.create_string_buffer(URI_SIZE)
        if lib.libuet_format(self.raw, text, URI_SIZE) < 0:
            fail()
        return text.value.decode()

    def __repr__(self):
        return f"Address({str(self)!r})"

    def _key(self):
        raw = self.raw
        if raw.initiator < 1 << 24:
            raw.initiator = 0
        return bytes(raw)

    def __eq__(self, other):
        return isinstance(other, Address) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())


@dataclasses.dataclass(frozen=True)
class Local:
    """An address of this host, and the number of an interface: of a message that came
    the one that it came by, to send the one of a link-local address."""

    host: object
    interface: int = 0

    @classmethod
    def from_raw(cls, raw):
        """Of a structure uet_pktinfo."""
        return cls(_host(raw.addr), raw.ifindex)

    @property
    def raw(self):
        """struct uet_pktinfo of linux/uet.h"""
        octets = ipaddress.ip_address(self.host).packed
        if len(octets) == 4:
            octets = bytes(10) + b"\xff\xff" + octets
        return Pktinfo((ctypes.c_uint8 * 16)(*octets), self.interface)


def _pointer(address):
    return None if address is None else ctypes.byref(address.raw)


def _host(octets):
    v6 = ipaddress.IPv6Address(bytes(octets))
    return v6.ipv4_mapped or v6


def resolve(text, base=None, limit=16):
    """All addresses of an endpoint whose host and service may be names."""
    found = (Sockaddr * limit)()
    n = lib.libuet_resolve(text.encode(), _pointer(base), found, limit)
    if n < 0:
        fail(text)
    return [Address.from_raw(found[i]) for i in range(n)]


def to_address(address):
    """An Address of itself, or of text with or without names."""
    return address if isinstance(address, Address) else \
        resolve(address, limit=1)[0]


@dataclasses.dataclass(frozen=True)
class Service:
    """An entry of /etc/uet/services."""

    name: str
    pid: int
    ri: int = 0
    job: Optional[int] = None
    aliases: tuple = ()


def services():
    """The entries of /etc/uet/services, one after the other."""
    handle = lib.libuet_openservices()
    if not handle:
        fail("services")
    raw = RawService()
    try:
        while lib.libuet_getservice(handle, raw):
            yield Service(raw.name.decode(), raw.pid, raw.ri,
                          raw.job if raw.has_job else None,
                          tuple(raw.aliases.decode().split()))
    finally:
        lib.libuet_closeservices(handle)
