# SPDX-License-Identifier: GPL-2.0
"""What is measured: which transport does what, on which link."""
import dataclasses

MTUS = 4224, 9000
# Payload of one packet at each MTU: what AF_UET takes, and UDP is given
PACKET = {1500: 1024, 4224: 4096, 9000: 8192}
TRIP_SIZES = 100, 4000
BULK_SIZES = 4096, 65536, 1 << 20
TRANSPORTS = "uet", "udp", "tcp", "sctp"
MIB = 1 << 20
# Packets that leave as one in columns of AF_UET with offload; 0: as the window says
RUNS = 4, 8, 0


@dataclasses.dataclass(frozen=True)
class Case:
    """One row of a table

    kind: "trips", "bulk", or "messages": bulk of short ones, told per message
    size: of a message as it is sent; shown: as the table has it
    count: operations of a round; batch: messages of a system call
    offload: of the link, on or off; None: as it comes
    cpus: that both ends may use; 0: all
    run: packets that leave as one if AF_UET has offload (net.uet.spray_run)
    spread: what a link receives is spread over two CPUs by port (RPS)
    steer: AF_UET gives it to the CPU of its PDC (net.uet.steer)
    put, get: how data gets into the socket, and out of it; "": by a copy
    """
    transport: str
    kind: str
    size: int
    count: int
    rounds: int
    mtu: int = 4224
    link: str = "veth"
    ip: int = 4
    offload: bool = None
    flows: int = 1
    batch: int = 0
    peers: int = 1
    delivery: str = ""
    protect: bool = False
    cpus: int = 0
    run: int = 0
    shown: int = 0
    spread: bool = False
    steer: bool = True
    put: str = ""
    get: str = ""

    @property
    def column(self):
        return " ".join(w for w in (self.transport, self.put, self.get) if w) + \
            (f" {self.run}" if self.run else "") + \
            ("+offload" if self.offload else "")

    @property
    def operations(self):
        """Of all rounds and flows"""
        return self.count * self.rounds * self.flows

    @property
    def network(self):
        """What of the network it needs; cases of one network are run together."""
        run = self.run if self.transport == "uet" and self.offload else None
        return self.link, self.mtu, self.ip, self.peers > 1, run


def bytes_text(n):
    for unit, name in ((MIB, "MiB"), (1024, "KiB")):
        if n >= unit and n % unit == 0:
            return f"{n // unit} {name}"
    return f"{n} bytes"


def title(case):
    """What it is, but for the transport."""
    what = {"trips": "round trips of", "bulk": "bulk of",
            "messages": "messages of"}[case.kind]
    words = [f"{what} {bytes_text(case.shown or case.size)}"]
    words += [f"{case.flows} flows"] * (case.flows > 1)
    words += [f"{case.peers} peers"] * (case.peers > 1)
    words += [f"{case.batch} a call"] * (case.batch > 0)
    words += ["offload"] * bool(case.kind == "messages" and case.offload)
    words += ["loopback"] * (case.link == "lo")
    words += ["tunnel"] * (case.link == "gretap")
    words += ["wire"] * (case.link == "wire")
    words += ["IPv6"] * (case.ip == 6)
    words += [case.delivery.upper()] * bool(case.delivery)
    words += ["data_protect"] * case.protect
    words += [f"{case.cpus} CPU{'s' * (case.cpus > 1)}"] * (case.cpus > 0)
    words += ["spread"] * case.spread
    words += ["not steered"] * (not case.steer)
    return ", ".join(words) + f", MTU {case.mtu}"


def trips(transport, size, count=200, rounds=11, **more):
    return Case(transport, "trips", size, count, rounds, **more)


def bulk(transport, size, total=16 * MIB, rounds=5, **more):
    """UDP has one datagram per packet, whatever the size of the message."""
    sent = size
    if transport == "udp":
        sent = min(size, PACKET[more.get("mtu", 4224)])
    return Case(transport, "bulk", sent, total // sent, rounds,
                shown=size, **{"offload": False, **more})


def request_response(transports):
    return [trips(t, size, mtu=mtu) for mtu in MTUS for size in TRIP_SIZES
            for t in transports]


def bulks(transports):
    """With offload: TCP, and AF_UET with runs of a few packets."""
    cases = []
    for mtu in MTUS:
        for size in BULK_SIZES:
            if "tcp" in transports:
                cases.append(bulk("tcp", size, mtu=mtu, offload=True))
            if "uet" in transports:
                cases += [bulk("uet", size, mtu=mtu, offload=True, run=run)
                          for run in RUNS]
        cases += [bulk(t, size, mtu=mtu) for size in BULK_SIZES
                  for t in transports]
    return cases


# --- further rows: what else there is, more briefly --------------------------

SHORT = {"total": 4 * MIB, "rounds": 3}
FEW = {"count": 100, "rounds": 5}


def both_kinds(transports, **more):
    """Short round trips and long bulk"""
    return [trips(t, 100, **FEW, **more) for t in transports] + \
        [bulk(t, MIB, **SHORT, **more) for t in transports]


def batches(transports):
    """With offload those of one call share buffers."""
    cases = [Case(t, "messages", size, count, 3, batch=b, offload=on)
             for on in (None, True)
             for size, count in ((100, 2048), (4096, 1024))
             for b in ((0, 32) if on is None else (32,))
             for t in transports if t in ("uet", "udp")]
    # A stream has no messages, but people send them over it
    return cases + [Case("tcp", "messages", 100, 2048, 3)] * (
        "tcp" in transports)


FURTHER = {
    "batch": batches,
    "loopback": lambda ts: both_kinds(ts, link="lo"),
    "mtu1500": lambda ts: both_kinds(ts, mtu=1500) + [
        bulk(t, 65536, mtu=1500, **SHORT) for t in ts],
    "ipv6": lambda ts: both_kinds(ts, ip=6),
    # A stream is ordered, too
    "rod": lambda ts: both_kinds([t for t in ts if t in ("uet", "tcp")],
                                 delivery="rod"),
    "protect": lambda ts: both_kinds([t for t in ts if t == "uet"],
                                     protect=True),
    "flows": lambda ts: eight_flows(ts),
    "peers": lambda ts: [trips(t, 100, count=200, rounds=3, peers=100)
                         for t in ts],
    "uncopied": lambda ts: uncopied(ts),
}
# Its packets pass hardware (emulated, outside of the guest), whose time is not counted in
# instructions: for profiles only
WIRE = "wire"
# What "make bench" has always had
MAIN = "main"
SETS = MAIN, *FURTHER
PROFILE_SETS = *SETS, WIRE


def further(name, transports, full=False):
    """Rows of a set; SCTP among them where all is asked for"""
    if name == WIRE:
        return wire(transports)
    return FURTHER[name]([t for t in transports if full or t != "sctp"])


def profiled(transports):
    """What "make bench PROFILE=1" profiles if nothing else is asked for"""
    ts = [t for t in ("uet", "tcp", "udp") if t in transports]
    return [bulk(t, MIB) for t in ts] + \
        [bulk("tcp", MIB, offload=True)] * ("tcp" in ts) + \
        [bulk("uet", MIB, offload=True, run=run)
         for run in RUNS[1:] if "uet" in ts] + \
        [trips(t, 100) for t in ts]


# Ways that data goes without a copy: MSG_ZEROCOPY, sendfile(), splice() from a socket
WAYS = ("", ""), ("zerocopy", ""), ("file", ""), ("", "pipe"), ("file", "pipe")


def uncopied(transports):
    """A receiver on the same host gets a copy of MSG_ZEROCOPY: that pays on a wire."""
    return [bulk(t, size, put=put, get=get, offload=True, run=8 if t == "uet" else 0, **SHORT)
            for size in (16384, 65536, MIB) for put, get in WAYS
            for t in transports if t in ("uet", "tcp")]


def wire(transports):
    return [bulk(t, size, put=put, get=get, link="wire", offload=None, **SHORT)
            for size in (16384, 65536, MIB) for put, get in WAYS
            for t in transports if t in ("uet", "tcp")]


def eight_flows(transports, total=MIB, rounds=3, **more):
    """What several CPUs share: AF_UET and TCP between the same two hosts"""
    return [bulk(t, 65536, total=total, rounds=rounds, flows=8, **more)
            for t in transports]


# On two CPUs: whether received packets are spread over them by port, and whether AF_UET
# gives them to the CPU of their PDC, of which TCP knows nothing
TWO_CPUS = {
    "2": {},
    "2 spread": {"link": "gretap", "spread": True},
    "2 spread, not steered": {"link": "gretap", "spread": True, "steer": False},
}


def two_cpus(transports, **more):
    """{(transport, how): case}"""
    return {(t, how): eight_flows([t], cpus=2, **is_so, **more)[0]
            for how, is_so in TWO_CPUS.items() for t in transports
            if t == "uet" or is_so.get("steer", True)}


def shortened(case):
    """The same for a profile: it is exact, so it need not be repeated."""
    return dataclasses.replace(case, count=max(1, case.count // 2),
                               rounds=min(case.rounds, 2))
