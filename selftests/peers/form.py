# SPDX-License-Identifier: GPL-2.0
"""The forms of UET packets: over UDP or directly over IP, without or with a CRC.

A form is a set of the words "ip" and "crc"; UET_FORM in the environment names that of
all raw packets ("udp", "ip", "udp-crc", "ip-crc").
"""
import os
import socket
import struct

from uet_inject import ip_checksum
import uet_packets as p

IP_PROTO = 253
CRC_LEN = 4
UDP_LEN, ENTROPY_LEN = 8, 4
IP4_LEN, IP6_LEN = 20, 40
IP4_FRAGMENT = 0x3fff           # more of them, or an offset
DEFAULT = frozenset(os.environ.get("UET_FORM", "udp").split("-")) - {"udp"}


def _table():
    """Of the reflected polynomial of RFC 3720"""
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82f63b78 if byte & 1 else 0)
        yield byte


TABLE = tuple(_table())


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc = TABLE[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xffffffff


def outer(form, sport, length, udp_len=None):
    """The header between IP and PDS; length of what follows, with its trailer"""
    if "ip" in form:
        return struct.pack("!HH", sport, 0)
    return struct.pack("!HHHH", sport, p.UDP_PORT, udp_len or UDP_LEN + length, 0)


def packed(addr):
    """An address as bytes"""
    return socket.inet_pton(socket.AF_INET6 if ":" in addr else socket.AF_INET, addr)


def seal(addresses, data):
    """The trailer: over source and target, UDP or entropy header, and contents"""
    return struct.pack("!I", crc32c(addresses + data))


def ip4(source, target, proto, tos, length):
    head = struct.pack("!BBHHHBBH4s4s", 0x45, tos, IP4_LEN + length, 0, 0x4000, 64,
                       proto, 0, source, target)
    return head[:10] + struct.pack("!H", ip_checksum(head)) + head[12:]


def ip6(source, target, proto, tos, length):
    return struct.pack("!IHBB16s16s", 6 << 28 | tos << 20, length, proto, 64, source,
                       target)


def packet(form, source, target, data, sport, tos=2, udp_len=None):
    """An IP packet; udp_len if UDP claims another length, as trimmed packets do"""
    source, target = packed(source), packed(target)
    crc = "crc" in form and udp_len is None
    data = outer(form, sport, len(data) + CRC_LEN * crc, udp_len) + data
    if crc:
        data += seal(source + target, data)
    return (ip6 if len(source) == 16 else ip4)(
        source, target, IP_PROTO if "ip" in form else socket.IPPROTO_UDP, tos,
        len(data)) + data


def split(ip):
    """Header, protocol, source and target, and contents of an IP packet; no header if
    it is none, or a fragment"""
    if len(ip) >= IP4_LEN and ip[0] == 0x45 and not \
            struct.unpack("!H", ip[6:8])[0] & IP4_FRAGMENT:
        length, = struct.unpack("!H", ip[2:4])
        return ip[:IP4_LEN], ip[9], ip[12:20], ip[IP4_LEN:length]
    if len(ip) >= IP6_LEN and ip[0] >> 4 == 6:
        length, = struct.unpack("!H", ip[4:6])
        return ip[:IP6_LEN], ip[6], ip[8:40], ip[IP6_LEN:IP6_LEN + length]
    return b"", 0, b"", b""


def over_udp(head, length):
    """An IP header of a packet of UDP with that much in it"""
    if len(head) == IP6_LEN:
        return head[:4] + struct.pack("!HB", length, socket.IPPROTO_UDP) + head[7:]
    new = head[:2] + struct.pack("!H", IP4_LEN + length) + head[4:9] + \
        bytes([socket.IPPROTO_UDP, 0, 0]) + head[12:]
    # What was wrong stays wrong
    check = ip_checksum(new) ^ ip_checksum(head)
    return new[:10] + struct.pack("!H", check) + new[12:]


def plain(form, ip):
    """A packet in this form as it would be over UDP without a CRC; None if it is in
    another form, ValueError if its CRC is wrong"""
    head, proto, addresses, data = split(ip)
    if "ip" in form:
        if proto != IP_PROTO or len(data) < ENTROPY_LEN:
            return None
        pds = data[ENTROPY_LEN:]
        udp = data[:2] + struct.pack("!HHH", p.UDP_PORT, UDP_LEN + len(pds), 0)
    else:
        if proto != socket.IPPROTO_UDP or len(data) < UDP_LEN or \
                data[2:4] != struct.pack("!H", p.UDP_PORT):
            return None
        udp, pds = data[:UDP_LEN], data[UDP_LEN:]
    if "crc" in form:
        if seal(addresses, data[:-CRC_LEN]) != data[-CRC_LEN:]:
            raise ValueError("wrong CRC")
        pds = pds[:-CRC_LEN]
        udp = udp[:4] + struct.pack("!H", UDP_LEN + len(pds)) + udp[6:]
    return over_udp(head, len(udp + pds)) + udp + pds
