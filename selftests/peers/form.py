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


def seal(source, target, data):
    """The trailer: over addresses, UDP or entropy header, and contents"""
    return struct.pack("!I", crc32c(socket.inet_aton(source) +
                                    socket.inet_aton(target) + data))


def packet(form, source, target, data, sport, tos=2, udp_len=None):
    """An IPv4 packet; udp_len if UDP claims another length, as trimmed packets do"""
    crc = "crc" in form and udp_len is None
    data = outer(form, sport, len(data) + CRC_LEN * crc, udp_len) + data
    if crc:
        data += seal(source, target, data)
    head = struct.pack("!BBHHHBBH4s4s", 0x45, tos, 20 + len(data), 0, 0x4000, 64,
                       IP_PROTO if "ip" in form else socket.IPPROTO_UDP, 0,
                       socket.inet_aton(source), socket.inet_aton(target))
    return head[:10] + struct.pack("!H", ip_checksum(head)) + head[12:] + data


def plain(form, ip):
    """A packet in this form as it would be over UDP without a CRC; None if it is in
    another form, ValueError if its CRC is wrong"""
    ip = ip[:struct.unpack("!H", ip[2:4])[0]]
    data = ip[20:]
    if "ip" in form:
        if ip[9] != IP_PROTO or len(data) < ENTROPY_LEN:
            return None
        pds = data[ENTROPY_LEN:]
        udp = data[:2] + struct.pack("!HHH", p.UDP_PORT, UDP_LEN + len(pds), 0)
    else:
        if ip[9] != socket.IPPROTO_UDP or len(data) < UDP_LEN or \
                data[2:4] != struct.pack("!H", p.UDP_PORT):
            return None
        udp, pds = data[:UDP_LEN], data[UDP_LEN:]
    if "crc" in form:
        source, target = (socket.inet_ntoa(ip[n:n + 4]) for n in (12, 16))
        if seal(source, target, data[:-CRC_LEN]) != data[-CRC_LEN:]:
            raise ValueError("wrong CRC")
        pds = pds[:-CRC_LEN]
        udp = udp[:4] + struct.pack("!H", UDP_LEN + len(pds)) + udp[6:]
    head = ip[:2] + struct.pack("!H", 20 + UDP_LEN + len(pds)) + ip[4:9] + \
        bytes([socket.IPPROTO_UDP, 0, 0]) + ip[12:20]
    # What was wrong stays wrong
    check = ip_checksum(head) ^ ip_checksum(ip[:20])
    return head[:10] + struct.pack("!H", check) + head[12:] + udp + pds
