# SPDX-License-Identifier: GPL-2.0
"""Scripts of packets: send these, expect those, within a time.

A script is a function that gets a Drill: the network of the host under test, at an
address of its own. What it sends and what it expects are the same words:

    @rule("3.5.12", "A duplicate is acknowledged and not delivered again")
    def duplicate(d):
        pdc = d.open()
        pdc.inject(request(1, ar=True))
        pdc.expect(ack(1, cack=1))
        pdc.inject(request(1))
        pdc.expect(ack(1, cack=1, rc=RC_NULL))
        pdc.expect_nothing()

Packets are numbered from Start_PSN of their context on, whoever has opened it.
d.open() opens one at the host, which is the target then; d.send() has the host send a
message, and d.opened() is the context by which it does. What is not named is taken as
usual where a packet is sent, and does not matter where one is expected.

expect() takes the next packet, and one that does not match is a failure, but for those
that a timer of the host sends: control packets and what is sent again may come at any
time, or stay away on a machine that is fast enough. They are put aside and found by a
later expect(). expect_nothing() does not wait: a context of another address asks the
host something, and its answer comes behind whatever there would have been.

A script does not say in which form packets are (udp, ip, udp-crc, ip-crc) nor which IP
it runs over; run.py is told.
"""
import collections
import contextlib
import os
import socket
import struct
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../peers"))
import form  # noqa: E402
import uet_packets as p  # noqa: E402
from raw_peer import Host, Pdc, Setting, same  # noqa: E402
from uet_inject import ETH_HLEN  # noqa: E402

ETH_P_ALL = 3
SO_RCVBUFFORCE, SO_TIMESTAMPNS = 33, 35
# The machine may be that much slower for a while, as in lib.sh
BUSY = 4
WITHIN = 5
# Of messages that nobody says more about: their endpoint at the host, and this one
READER, PID, INDEX = 200, 291, 69
CE = 3
REQS = p.RUD_REQ, p.ROD_REQ, p.RUD_CC_REQ, p.ROD_CC_REQ
FLAGS = {"syn": p.F_SYN, "ar": p.F_AR, "retx": p.F_RETX, "m": p.F_M}
SES_FLAGS = {"som": p.S_SOM, "eom": p.S_EOM, "rel": p.S_REL, "hd": p.S_HD, "ie": p.S_IE,
             "dc": p.S_DC}
CLEAR, CLOSE = 1, 2             # of req
TYPES = {p.ACK: "ACK", p.ACK_CC: "ACK_CC", p.NACK: "NACK", p.CP: "CP",
         p.RUD_REQ: "RUD_REQ", p.ROD_REQ: "ROD_REQ", p.RUD_CC_REQ: "RUD_CC_REQ",
         p.ROD_CC_REQ: "ROD_CC_REQ", p.RUDI_REQ: "RUDI_REQ", p.RUDI_RESP: "RUDI_RESP",
         p.UUD_REQ: "UUD_REQ"}

ERROR = "error: "
KEPT, DEVIATES, MISSING = "kept", "deviates", "not built"
Rule = collections.namedtuple("Rule", "section text status why script")
RULES = []


def rule(section, text, deviates=None, missing=None, malformed=None):
    """What a script shows: a statement of UE 1.0 in words of our own. deviates, missing:
    why the module does otherwise, or does not have it; the script shows what it does.
    malformed: why packets of the script are, so that Wireshark says so."""
    status = DEVIATES if deviates else MISSING if missing else KEPT

    def add(script):
        name = f"{script.__module__.rpartition('.')[2]}.{script.__name__}"
        RULES.append(Rule(section, text, status, deviates or missing, name))
        script.malformed = malformed or getattr(script, "malformed", None)
        return script
    return add


# --- packets ----------------------------------------------------------------

class Packet:
    """A packet to be sent or expected; n counts from Start_PSN of its context"""

    kind = None

    def __init__(self, n=None, **fields):
        self.n, self.fields = n, fields

    def __repr__(self):
        name = type(self).__name__.lower()
        said = [] if self.n is None else [str(self.n)]
        return f"{name}({', '.join(said + [f'{k}={v}' for k, v in self.fields.items()])})"

    def flags(self, names, fields):
        """Takes the flags out of fields"""
        return sum(bit for name, bit in names.items() if fields.pop(name, False))

    def build(self, pdc):
        raise NotImplementedError

    def is_kind(self, _pdc, a):
        return a.type == self.kind

    def differs(self, pdc, a):
        """What of a packet is not as expected, or None"""
        if not self.is_kind(pdc, a):
            return "it is of another type"
        if self.n is not None and a.psn != pdc.psn(self.n):
            return f"PSN {number(pdc, a.psn)}"
        for name, want in self.fields.items():
            got = self.value(pdc, a, name)
            if name == "sack":
                wrong = [n for n in want if not a.has(pdc.psn(n))]
                if wrong:
                    return f"SACK without {wrong}"
            elif name == "unsacked":
                wrong = [n for n in want if a.has(pdc.psn(n))]
                if wrong:
                    return f"SACK with {wrong}"
            elif got != want:
                return f"{name} {got}"
        return None

    def value(self, pdc, a, name):
        """A field of a packet as scripts say it"""
        if name in ("cack", "clear", "sack_base"):
            return number(pdc, getattr(a, name))
        if name in FLAGS:
            return bool(a.flags & FLAGS[name])
        if name in SES_FLAGS:
            return bool(getattr(a, "ses_flags", 0) & SES_FLAGS[name])
        if name == "dscp":
            return a.tos >> 2
        if name == "ecn":
            return a.tos & 3
        return getattr(a, name, None)


def number(pdc, psn):
    """A PSN counted from the start of a context"""
    return (psn - pdc.start + (1 << 31) & 0xffffffff) - (1 << 31)


class Request(Packet):
    """Whole messages of four bytes if nothing else is said. part: bytes of a longer one
    from byte at on, whose length is given"""

    def is_kind(self, pdc, a):
        return a.type == self.fields.get("type", pdc.type)

    def build(self, pdc):
        f = dict(self.fields)
        flags = self.flags(FLAGS, f)
        how = {k: f.pop(k) for k in ("clear", "spdcid", "dpdcid", "credit", "next_hdr")
               if k in f}
        how["ptype"] = f.pop("type", pdc.type)
        data = f.pop("data", b"data")
        ses = f.pop("ses", None)
        if ses is None:
            f.setdefault("length", len(data))
            at = f.pop("at", 0)
            first = f.pop("som", not at)
            last = f.pop("eom", at + len(data) >= f["length"])
            bits = (p.S_SOM if first else 0) | (p.S_EOM if last else 0) | \
                (p.S_REL if f.pop("rel", True) else 0) | self.flags(SES_FLAGS, f)
            if not first:
                f.update(offset=at, part=f.pop("part", len(data)))
            f.setdefault("pid", READER)
            ses = pdc.ses(flags=bits, **f)
        # Nothing is cleared as a rule, as far as the offset has room to say so
        how.setdefault("clear", -1 if -1 - self.n >= -1 << 15 and self.n >= 0 else
                       self.n - 1)
        syn = bool(flags & p.F_SYN)
        return pdc.packet(self.n, flags & ~p.F_SYN, payload=data, ses=ses, syn=syn, **how)


class Ack(Packet):
    """An ACK_CC. cack: the highest n without a gap; sack, unsacked: those that it says or
    does not say have come"""

    kind = p.ACK_CC

    def build(self, pdc):
        f = dict(self.fields)
        kind = f.pop("type", p.ACK_CC)
        cack = self.n if f.get("cack") is None else f["cack"]
        f.pop("cack", None)
        flags = self.flags(FLAGS, f) | f.pop("req", 0) << 1 | f.pop("flags", 0)
        sack, ses = f.pop("sack", ()), p.response(
            f.pop("rc", p.RC_OK), f.pop("msg_id", 1), f.pop("rsp_op", 0),
            f.pop("job", 0), f.pop("modified", 0), f.pop("generation", 0))
        if f.pop("bare", False):
            ses = None
        offset = f.pop("opaque", self.n - cack)
        offset -= offset >> 15 << 16 if offset > 0 else 0
        ids = f.pop("spdcid", pdc.id), f.pop("dpdcid", pdc.remote)
        if kind == p.ACK:
            return p.ack(pdc.psn(cack), *ids, offset=offset, flags=flags, ses=ses)
        bits = sum(1 << n - cack - 1 for n in sack if n > cack)
        data = p.ack_cc(pdc.psn(cack), *ids, offset=offset, sack=bits, flags=flags,
                        ses=ses, **f)
        if kind == p.ACK_CCX:
            data = p.prologue(kind, data[0] << 1 & 14 | data[1] >> 7, flags) + \
                data[2:32] + bytes(8) + data[32:]
        return data


class Nack(Packet):
    kind = p.NACK

    def build(self, pdc):
        f = dict(self.fields)
        code, flags = f.pop("code"), self.flags(FLAGS, f)
        spdcid = f.pop("spdcid", pdc.id if f.pop("known", True) else 0)
        return p.nack(code, pdc.psn(self.n), spdcid, f.pop("dpdcid", pdc.remote),
                      flags | f.pop("flags", 0), **f)

    def differs(self, pdc, a):
        f = self.fields
        wrong = Packet(self.n, **{k: v for k, v in f.items() if k != "known"})
        wrong.kind = self.kind
        wrong = wrong.differs(pdc, a)
        if not wrong and "known" in f and a.spdcid != (pdc.remote if f["known"] else 0):
            wrong = f"spdcid {a.spdcid}"
        return wrong


class Cp(Packet):
    """ctl: its type. payload_n: a PSN in the payload, counted as n"""

    kind = p.CP

    def is_kind(self, pdc, a):
        return a.type == p.CP and a.next == self.fields["ctl"]

    def build(self, pdc):
        f = dict(self.fields)
        ctl, raw = f.pop("ctl"), f.pop("flags", 0)
        if "payload_n" in f:
            f["payload"] = pdc.psn(f.pop("payload_n"))
        flags = self.flags({**FLAGS, "isrod": 0x20}, f) | raw
        psn = 0 if self.n is None else pdc.psn(self.n)
        ids = f.pop("spdcid", pdc.id), self.n & 0xfff if flags & p.F_SYN else pdc.remote
        return p.control(ctl, psn, *ids, flags=flags, **f)

    def value(self, pdc, a, name):
        if name == "ctl":
            return a.next
        if name == "payload_n":
            return number(pdc, a.payload)
        return super().value(pdc, a, name)


def request(n, **fields):
    return Request(n, **fields)


def ack(n=None, **fields):
    return Ack(n, **fields)


def nack(code, n, **fields):
    return Nack(n, code=code, **fields)


def cp(ctl, n=None, **fields):
    return Cp(n, ctl=ctl, **fields)


def shown(a):
    """A packet in a few words"""
    said = {k: v for k, v in vars(a).items()
            if k not in ("ip", "sent", "type", "data", "target", "check", "df", "next")
            and v is not None}
    return f"{TYPES.get(a.type, a.type)} {a.next} {said}"


# --- contexts ---------------------------------------------------------------

class Context(Pdc):
    """A PDC between this peer and the host, opened by either"""

    def __init__(self, d, **how):
        super().__init__(d.host, **how)
        self.d, self.last = d, None

    def inject(self, what, **how):
        """Sends a packet, or bytes. source, sport, tos, udp_len as of Host.send()"""
        data = what.build(self) if isinstance(what, Packet) else what
        self.host.send(data, **how)

    def expect(self, want, within=WITHIN):
        """The next packet of the host, which has to be this one; it is .last then"""
        self.last = self.d.expect(self, want, within)
        return self.last

    def expect_nothing(self):
        self.d.expect_nothing()

    def frame(self, what, padding):
        """Sends a packet with so many bytes behind it, as short frames have"""
        self.d.frames()
        self.host.every.send(self.host.ethernet + form.packet(
            form.DEFAULT, self.host.own, self.host.addr, what.build(self), 50000) +
            bytes(padding))

    def answer(self, want, **how):
        """What the host sends by this context, answered as wanted; the request"""
        a = self.expect(request(want.n))
        self.inject(want, **how)
        return a


class Network(Host):
    """The host under test as all scripts see it, each from an address of its own"""

    def __init__(self, addr, net, netns, slow):
        import uet             # only where libuet was built
        self.net, self.family, self.netns = net, 6 if ":" in addr else 4, netns
        with self.entered():
            self.reader = uet.Socket(local=f"any/{READER}")
        self.reader.settimeout(0)
        super().__init__(addr, self.address(0), netns, slow)
        self.every = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self.every.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 23)
        self.every.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.every.bind(("uet0", ETH_P_ALL))
        self.every.setblocking(False)
        self.ethernet = b""
        self.read()
        # The host knows from then on that the address which asks is real
        for _ in self.before_probe():
            pass

    def address(self, n):
        return f"{self.net}::{n + 1:x}" if self.family == 6 else \
            f"{self.net}.{n // 250}.{n % 250 + 1}"

    def read(self):
        """The messages that have come to the endpoint READER"""
        found = []
        while True:
            try:
                found.append(self.reader.recv_message())
            except BlockingIOError:
                return found
            except ConnectionError:
                pass        # one that its sender gave up

    def frames(self, addresses):
        """(time, IP packet) on the wire of who has these addresses, since the last
        call"""
        found, mine = [], {form.packed(a) for a in addresses}
        while True:
            try:
                frame, extra, _, _ = self.every.recvmsg(65536, 64)
            except BlockingIOError:
                return found
            ends = form.split(frame[ETH_HLEN:])[2]
            half = len(ends) // 2
            if ends[:half] == form.packed(self.addr):
                self.ethernet = frame[6:12] + frame[:6] + frame[12:14]
            if ends and mine & {ends[:half], ends[half:]}:
                s, ns = struct.unpack("qq", extra[0][2][:16])
                found.append((s + ns / 1e9, bytes(frame[ETH_HLEN:])))


class Drill:
    """What one script has: the host, and addresses that nobody else uses"""

    def __init__(self, host, n):
        self.host, self.slow = host, host.slow * BUSY
        host.own, self.elsewhere = host.address(2 * n + 1), host.address(2 * n + 2)
        self.own = host.own
        self.inbox, self.aside = collections.deque(), []
        self.counts, self.reports, self.wire = {}, {}, []
        self.rest = contextlib.ExitStack()
        self.ours = {form.packed(a) for a in (self.own, self.elsewhere)}

    # --- contexts

    def pdc(self, **how):
        """A context that the host does not know yet"""
        return Context(self, **how)

    def open(self, n=0, rod=False, start=None, **fields):
        """A context that this peer opens by packet n"""
        pdc = Context(self, rod=rod, start=start)
        pdc.inject(request(n, syn=True, **fields))
        pdc.remote = pdc.expect(ack(n)).spdcid
        return pdc

    def opened(self, type=p.RUD_REQ, within=WITHIN):
        """The context that the host opens now. Its first packet is still to be
        expected"""
        a = self.find(lambda a: a.type == type and a.flags & p.F_SYN, within)
        assert a, "the host opens no context"
        self.inbox.appendleft(a)
        # With SYN psn_offset is in the place of dpdcid
        pdc = Context(self, rod=type in (p.ROD_REQ, p.ROD_CC_REQ),
                      start=a.psn - (a.dpdcid & 0xfff))
        pdc.type, pdc.remote = type, a.spdcid
        return pdc

    def sending(self, count=0, flags=0, **how):
        """A socket of the host, and the context by which it has sent a message, of which
        the answer had these flags, and sends so many more: these are expected"""
        sock = self.send(**how)
        pdc = self.opened()
        pdc.answer(ack(0, flags=flags))
        self.delivered(sock)
        for n in range(count):
            self.send(sock=sock)
            pdc.expect(request(n + 1))
        return sock, pdc

    # --- what comes

    def take(self, seconds):
        """The next packet to this script, None after so long"""
        if self.inbox:
            return self.inbox.popleft()
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            a = self.host.next(left / self.host.slow)
            if a and a.target in self.ours:
                return a
        return None

    def settle(self):
        """All that was answered so far is in the inbox"""
        self.inbox += [a for a in self.host.before_probe() if a.target in self.ours]

    def find(self, matches, within):
        """The first packet that matches; those before it are put aside"""
        for a in self.aside:
            if matches(a):
                self.aside.remove(a)
                return a
        end = time.monotonic() + within * self.slow
        while a := self.take(end - time.monotonic()):
            if matches(a):
                return a
            self.aside.append(a)
        return None

    @staticmethod
    def timed(a):
        """Is it sent by a timer?"""
        return a.type == p.CP or a.type in REQS and a.retx

    def expect(self, pdc, want, within=WITHIN):
        for a in self.aside:
            if not want.differs(pdc, a):
                self.aside.remove(a)
                return a
        end = time.monotonic() + within * self.slow
        came = []
        while a := self.take(end - time.monotonic()):
            wrong = want.differs(pdc, a)
            if not wrong:
                return a
            came.append(shown(a))
            if not self.timed(a):
                raise AssertionError(f"not {want}: {wrong} in {came[-1]}")
            self.aside.append(a)
        raise AssertionError(f"no {want} but {came}")

    def expect_nothing(self):
        """Nothing was answered but what timers send"""
        self.settle()
        new = [a for a in self.inbox if not self.timed(a)]
        self.aside += [a for a in self.inbox if self.timed(a)]
        self.inbox.clear()
        assert not new, f"nothing was expected, {shown(new[0])} came"

    def never(self, pdc, want):
        """Such a packet has not come"""
        self.settle()
        for a in (*self.aside, *self.inbox):
            assert want.differs(pdc, a), f"{shown(a)} came"

    def pause(self, seconds):
        """Time passes; the context that asks does not fall asleep"""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.settle()
            time.sleep(0.1)

    def until(self, what, condition, within=WITHIN):
        end = time.monotonic() + within * self.slow
        while not condition():
            assert time.monotonic() < end, f"not within {within} s: {what}"
            time.sleep(0.01)

    def frames(self):
        """The packets of this script on the wire so far, as they were there"""
        self.wire += self.host.frames((self.own, self.elsewhere))
        return self.wire

    # --- the host

    def setting(self, **values):
        """Settings of the host, until the script ends"""
        self.rest.enter_context(Setting(self.host, **values))

    def patient(self):
        """No time-out of the host's, which are short and get no longer than this"""
        self.setting(rto_min_us=8000000, rto_max_ms=60000)

    def gone(self, pdc):
        """The host does not know a context any more"""
        def unknown():
            pdc.inject(cp(p.CP_PROBE, ar=True, opaque=1))
            a = self.find(lambda a: a.type in (p.NACK, p.ACK_CC), WITHIN)
            return a and a.type == p.NACK and a.code == p.INV_DPDCID
        self.until("the context is freed", unknown)

    def counted(self, name):
        """By how much a counter of the host has grown since the last call"""
        self.settle()
        now, before = self.host.stat(name), self.counts.get(name)
        self.counts[name] = now
        return None if before is None else now - before

    def socket(self, local=None, addr=None, **options):
        """A socket of the host, at PIDonFEP and perhaps resource index local"""
        import uet             # only where libuet was built
        if local is not None:
            at = self.bracketed(addr or self.host.addr)
            options["local"] = f"uet://{at}/{options.get('job', 0)}/{local}"
        with self.host.entered():
            s = uet.Socket(**options)
        s.settimeout(WITHIN * self.slow)
        return self.rest.enter_context(s)

    @staticmethod
    def bracketed(addr):
        return f"[{addr}]" if ":" in addr else addr

    def here(self, pid=PID, index=INDEX):
        """This peer as an address to send to"""
        return f"{self.bracketed(self.own)}/{pid}/{index}"

    def send(self, data=b"data", sock=None, to=None, local=100, **attributes):
        """The host sends a message to this peer; the socket"""
        sock = sock or self.socket(local, notify=True)
        sock.send(data, to or self.here(), **attributes)
        return sock

    def messages(self):
        """What has come to READER from this peer since the last call"""
        self.settle()
        return [m for m in self.host.read()
                if form.packed(str(m.sender.host)) in self.ours]

    def report(self, sock):
        """What the host says of the next message that it has sent"""
        found = self.reports.setdefault(sock, collections.deque())
        if not found:
            assert sock.wait_report(WITHIN * self.slow), "no report"
            found += sock.reports(expand=True)
        return found.popleft()

    def silent(self, sock):
        """The host does not know yet what became of its message"""
        self.settle()
        assert not self.reports.get(sock) and not sock.wait_report(0), "a report"

    def delivered(self, sock):
        """The host knows that its message has been delivered"""
        r = self.report(sock)
        assert r.ok, f"reported: {r}"

    def failed(self, sock, error):
        """... that it has not"""
        same("errno", self.report(sock).error, error)

    def close(self):
        self.rest.close()


def run(host, n, script):
    """Runs a script; (what went wrong or None, packets on its wire)"""
    d = Drill(host, n)
    wrong = None
    try:
        script(d)
    except AssertionError as e:
        wrong = str(e) or "an assertion"
    except Exception as e:      # pylint: disable=broad-except
        # Not of the host, or not of that kind
        wrong = f"{ERROR}{type(e).__name__}: {e}"
    finally:
        d.close()
        while host.programs:
            program = host.programs.pop()
            program.kill()
            program.wait()
    try:
        d.settle()
        host.read()
    except AssertionError as e:
        wrong = wrong or str(e)
    return wrong, d.frames()
