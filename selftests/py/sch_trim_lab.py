# SPDX-License-Identifier: GPL-2.0
"""Ground for sch_trim.py: two namespaces joined by a veth pair, raw packets
in at one end and out at the other, the discipline in between.

A queue is built without racing the clock: the link is set to 1000 bytes per
second and a large packet, the plug, keeps it busy while the packets under test
are queued.  Then the rate is lifted, and what was queued comes out at once
when the plug has passed.
"""

import ctypes
import errno
import fcntl
import json
import os
import socket
import stat
import struct
import subprocess
import time

A, B = "trim-a", "trim-b"
DEV, PEER = "va", "vb"
MAC_A = bytes.fromhex("020000000001")
MAC_B = bytes.fromhex("020000000002")
MAC_NONE = bytes.fromhex("0200000000fe")
IP4_A, IP4_B = "10.77.0.1", "10.77.0.2"
IP6_A, IP6_B = "fd77::1", "fd77::2"
PORT = 4793
NATIVE = 253
ETH_P_ALL, ETH_P_IP, ETH_P_IPV6 = 3, 0x0800, 0x86DD
ETH_P_8021Q, ETH_P_8021AD, ETH_P_ARP = 0x8100, 0x88A8, 0x0806
SLOW, SLOW_BPS = "8kbit", 1000
SO_RCVBUFFORCE, SO_SNDBUFFORCE, SO_TIMESTAMPNS = 33, 32, 35
SOL_PACKET, PACKET_AUXDATA = 263, 8
TP_STATUS_VLAN_VALID = 1 << 4
CLONE_NEWNET = 0x40000000
BUF = 64 << 20

libc = ctypes.CDLL(None, use_errno=True)


class Failure(Exception):
    pass


def check(cond, *what):
    if not cond:
        raise Failure(" ".join(str(w) for w in what))


def run(cmd, ok=True):
    res = subprocess.run(cmd.split(), capture_output=True, text=True)
    if ok and res.returncode:
        raise Failure(f"{cmd}: {res.stderr.strip()}")
    return res


def virtual_time():
    """Time stands still while code runs."""
    return "time-travel=inf-cpu" in open("/proc/cmdline").read()


def setns(path):
    fd = os.open(path, os.O_RDONLY)
    try:
        if libc.setns(fd, CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "setns")
    finally:
        os.close(fd)


class inside:
    """With block that runs in a namespace."""

    def __init__(self, name):
        self.path = "/run/netns/" + name

    def __enter__(self):
        setns(self.path)

    def __exit__(self, *exc):
        setns("/proc/1/ns/net")


def setup(mtu=9000):
    teardown()
    for ns in (A, B):
        run(f"ip netns add {ns}")
        with inside(ns):
            for conf in ("all", "default"):
                path = f"/proc/sys/net/ipv6/conf/{conf}/disable_ipv6"
                open(path, "w").write("1")
    run(f"ip link add {DEV} netns {A} address {mac(MAC_A)} mtu {mtu} "
        f"numtxqueues 1 type veth peer name {PEER} netns {B} "
        f"address {mac(MAC_B)} mtu {mtu}")
    for ns, dev, addr, peer, lladdr in ((A, DEV, IP4_A, IP4_B, MAC_B),
                                        (B, PEER, IP4_B, IP4_A, MAC_A)):
        run(f"ip -n {ns} link set lo up")
        run(f"ip -n {ns} link set {dev} up")
        run(f"ip -n {ns} addr add {addr}/24 dev {dev}")
        run(f"ip -n {ns} neigh replace {peer} lladdr {mac(lladdr)} dev {dev}")


def teardown():
    for ns in (A, B):
        run(f"ip netns del {ns}", ok=False)


def mac(raw):
    return ":".join(f"{b:02x}" for b in raw)


# Packets

def csum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def pattern(size, salt=0):
    return bytes((i * 7 + salt) & 0xFF for i in range(size))


def ipv4(payload, proto, dscp=0, ecn=2, options=b"", frag=0x4000, ident=0):
    ihl = 5 + len(options) // 4
    head = struct.pack("!BBHHHBBH4s4s", 0x40 | ihl, dscp << 2 | ecn,
                       ihl * 4 + len(payload), ident, frag, 64, proto, 0,
                       socket.inet_aton(IP4_A), socket.inet_aton(IP4_B))
    head += options
    return head[:10] + struct.pack("!H", csum(head)) + head[12:] + payload


def ipv6(payload, proto, dscp=0, ecn=2, flow=0x12345):
    tclass = dscp << 2 | ecn
    return struct.pack("!IHBB16s16s", 6 << 28 | tclass << 20 | flow,
                       len(payload), proto, 64,
                       socket.inet_pton(socket.AF_INET6, IP6_A),
                       socket.inet_pton(socket.AF_INET6, IP6_B)) + payload


def udp(payload, dport=PORT, sport=0xC001):
    return struct.pack("!HHHH", sport, dport, 8 + len(payload), 0) + payload


def frame(packet, dst=MAC_NONE, tags=(), proto=None):
    if proto is None:
        proto = ETH_P_IPV6 if packet[0] >> 4 == 6 else ETH_P_IP
    head = dst + MAC_A
    for tpid, tci in tags:
        head += struct.pack("!HH", tpid, tci)
    return head + struct.pack("!H", proto) + packet


def uet(size=1000, version=4, salt=0, native=False, dscp=0, ecn=2, **kw):
    """Data packet of the transport, its IP packet `size` bytes long."""
    make = ipv4 if version == 4 else ipv6
    room = size - (20 if version == 4 else 40) - len(kw.get("options", b""))
    if native:
        body = struct.pack("!HH", 0xC001, 0) + pattern(room - 4, salt)
        return make(body, NATIVE, dscp, ecn, **kw)
    return make(udp(pattern(room - 8, salt)), socket.IPPROTO_UDP, dscp, ecn,
                **kw)


def other(size=1000, version=4, salt=0, dscp=0, ecn=0):
    """Packet of another protocol, which no port trims."""
    make = ipv4 if version == 4 else ipv6
    room = size - (20 if version == 4 else 40)
    return make(pattern(room, salt), 254, dscp, ecn)


def arp():
    return struct.pack("!HHBBH6s4s6s4s", 1, ETH_P_IP, 6, 4, 1, MAC_A,
                       socket.inet_aton(IP4_A), bytes(6),
                       socket.inet_aton(IP4_B))


def tos(packet):
    """DSCP and ECN of an IP packet."""
    if packet[0] >> 4 == 4:
        byte = packet[1]
    else:
        byte = struct.unpack("!H", packet[:2])[0] >> 4 & 0xFF
    return byte >> 2, byte & 3


def ce_of(packet):
    """The packet as it has to look when it was marked."""
    if packet[0] >> 4 == 6:
        word = struct.unpack("!I", packet[:4])[0] | 3 << 20
        return struct.pack("!I", word) + packet[4:]
    ihl = (packet[0] & 15) * 4
    head = packet[:1] + bytes([packet[1] | 3]) + packet[2:10] + b"\0\0" + \
        packet[12:ihl]
    return head[:10] + struct.pack("!H", csum(head)) + head[12:] + packet[ihl:]


def trimmed_of(packet, size, dscp):
    """The packet as it has to look when it was trimmed."""
    ecn = tos(packet)[1]
    if packet[0] >> 4 == 6:
        word = struct.unpack("!I", packet[:4])[0] & ~(0x3F << 22)
        return struct.pack("!IH", word | dscp << 22, size - 40) + \
            packet[6:size]
    ihl = (packet[0] & 15) * 4
    head = packet[:1] + struct.pack("!BH", dscp << 2 | ecn, size) + \
        packet[4:10] + b"\0\0" + packet[12:ihl]
    return head[:10] + struct.pack("!H", csum(head)) + head[12:] + \
        packet[ihl:size]


# The discipline

def tc(args, ok=True, ns=A):
    return run(f"tc -n {ns} qdisc {args}", ok)


def add(args, where="root"):
    tc(f"del dev {DEV} {where}", ok=False)
    tc(f"add dev {DEV} {where} trim {args}")
    Fill.args, Fill.where = args, where


def change(args, ok=True, where="root"):
    return tc(f"change dev {DEV} {where} trim {args}", ok)


def remove(ok=True):
    return tc(f"del dev {DEV} root", ok)


def qdiscs(dev=DEV):
    res = run(f"tc -n {A} -s -j qdisc show dev {dev}")
    return json.loads(res.stdout)


def show(kind="trim", dev=DEV):
    for qdisc in qdiscs(dev):
        if qdisc["kind"] == kind:
            return qdisc
    raise Failure(f"no {kind} at {dev}")


# Sockets

def packet_socket(ns, dev, proto):
    with inside(ns):
        sk = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        sk.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUF)
        sk.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, BUF)
        sk.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        sk.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
        sk.bind((dev, proto))
    return sk


class Tap:
    """Sees the frames that arrive from A's address."""

    def __init__(self, ns=B, dev=PEER):
        self.sk = packet_socket(ns, dev, ETH_P_ALL)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.sk.close()

    def frame(self, timeout):
        """Next frame, with its tag put back, and its arrival in ns."""
        end = time.monotonic() + timeout
        while True:
            self.sk.settimeout(max(end - time.monotonic(), 0.001))
            try:
                data, anc, _, addr = self.sk.recvmsg(1 << 16, 256)
            except TimeoutError:
                return None, 0
            if addr[2] == socket.PACKET_OUTGOING or data[6:12] != MAC_A:
                continue
            stamp = 0
            for level, kind, val in anc:
                if level == SOL_PACKET and kind == PACKET_AUXDATA:
                    status, *_, tci, tpid = struct.unpack("IIIHHHH", val)
                    if status & TP_STATUS_VLAN_VALID:
                        data = data[:12] + struct.pack("!HH", tpid, tci) + \
                            data[12:]
                elif level == socket.SOL_SOCKET and kind == SO_TIMESTAMPNS:
                    sec, nsec = struct.unpack("qq", val)
                    stamp = sec * 10 ** 9 + nsec
            return data, stamp

    def frames(self, count, timeout=10, quiet=0.2):
        """`count` frames, and whatever comes beyond them for a while."""
        out = []
        while True:
            data, _ = self.frame(timeout if len(out) < count else quiet)
            if data is None:
                return out
            out.append(data)


class Port:
    """A's end of the link, with a raw socket to send through it."""

    def __init__(self):
        self.sk = packet_socket(A, DEV, 0)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.sk.close()

    def send(self, data):
        """False if the discipline refused the frame."""
        try:
            self.sk.send(data)
        except OSError as err:
            if err.errno != errno.ENOBUFS:
                raise
            return False
        return True


class Fill:
    """What became of frames that met a busy link, by the settings of add().

    The discipline is made anew; the settings come behind the plug, which they
    might not let in.
    """

    args, where = "", "root"
    plug = 700

    def __init__(self, frames, send=None, expect=None):
        while not self.attempt(frames, send, expect):
            Fill.plug *= 2
            check(Fill.plug < 9000, "machine too slow to fill a queue")

    def attempt(self, frames, send, expect):
        args, where = Fill.args, Fill.where
        plug = frame(other(Fill.plug, salt=99))
        with Tap() as tap, Port() as port:
            add(f"rate {SLOW}", where)
            start = time.monotonic()
            port.send(plug)
            change(args, where=where)
            Fill.args = args
            self.sent = [port.send(f) for f in frames]
            wrong = None
            try:
                if send:
                    send()
            except Failure as err:
                wrong = err  # unless the plug is out: then the next attempt says
            self.before = show()
            change("rate 0", where=where)
            if time.monotonic() - start > len(plug) / SLOW_BPS * 0.9:
                tap.frames(1 + len(frames), quiet=1)
                return False
            if wrong:
                raise wrong
            if expect is None:
                expect = sum(self.sent)
            out = tap.frames(1 + expect)
            check(out and out[0] == plug, "the plug did not come out first")
            self.out = out[1:]
            self.after = show()
        check(self.after["qlen"] == 0 and self.after["backlog"] == 0,
              "queue does not drain:", self.after)
        return True


def open_tun(name):
    """Device without link layer, and the descriptor at its other end."""
    subprocess.run(["modprobe", "-q", "tun"], check=False)
    if not os.path.exists("/dev/net/tun"):
        os.makedirs("/dev/net", exist_ok=True)
        os.mknod("/dev/net/tun", 0o600 | stat.S_IFCHR, os.makedev(10, 200))
    with inside(A):
        fd = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(fd, 0x400454CA, struct.pack("16sH22x", name.encode(),
                                                0x1001))
    return fd
