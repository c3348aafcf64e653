#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""One packet per cause for which a host drops packets.

    drops.py ADDR OWN NETNS MANUAL TRACEFS SLOW [GROUP]

ADDR is the host, whose namespace is NETNS; OWN an address that nobody has and that
leads here, as does 10.0.0.67. MANUAL has the table of causes. GROUP is a control
group whose members get nothing from there. Each case prepares what it needs, then
sends one packet, and expects one counter, one event uet:uet_drop and one event
skb:kfree_skb with the kernel's reason, and no others. Prints a line per case, as
answers.py.
"""
import os
import platform
import re
import signal
import subprocess
import sys
import time

import form
import uet_packets as p
from lines import Line
from raw_peer import Cases, Crowd, Host, Pdc, Setting, same
from requests import T, request, send

REASONS, SOCKETS = {}, []
READS, STOPPED, SHORT, NOBODY, MIXES, CLOSES, GUARDED, DATAGRAMS, \
    WINDOW = 200, 201, 202, 3000, 300, 203, 204, 205, 206
OTHER = "10.0.0.67"
# Here, where no socket is open
CLOSED = "10.0.0.1"
# Causes that no packet provokes, and why
NOT_HERE = {
    "DropNetns": "drops.sh does, with a namespace that goes away",
    "DropNoMem": "an allocation has to fail between defragmentation and parsing",
    "DropTxNoMem": "a page has to be missing for four bytes",
    "DropFilter": "needs programs for control groups",
}
# Reasons that Linux 6.1 does not have
NEWER = {"DUP_FRAG", "QUEUE_PURGE"}
CASES = Cases()
DONE = set()


def table(path):
    """The kernel's reason by counter, as the manual says"""
    with open(path, encoding="ascii") as f:
        part = f.read().split("\nDropped packets\n")[1]
    rows = re.findall(r"^([A-Z]\w+)  +([A-Z_0-9]+)  ",
                      part.split("\nReturn codes")[0], re.M)
    old = platform.release().startswith("6.1.")
    return {name: "NOT_SPECIFIED" if old and reason in NEWER else reason
            for name, reason in rows}


class Trace:
    """Both events, in a buffer of their own"""

    def __init__(self, tracefs):
        self.path = f"{tracefs}/instances/uet-drops"
        os.makedirs(self.path, exist_ok=True)
        for event in "uet/uet_drop", "skb/kfree_skb":
            self.write(f"events/{event}/enable", "1")

    def write(self, name, what):
        with open(f"{self.path}/{name}", "w", encoding="ascii") as f:
            f.write(what)

    def clear(self):
        self.write("trace", "")

    def drops(self, netns):
        """(why, the kernel's reason) of each drop, and what else the module freed"""
        found, waits, others = [], {}, []
        with open(f"{self.path}/trace", encoding="ascii",
                  errors="replace") as f:
            for line in f:
                addr = re.search(r"skbaddr=(\S+)", line)
                if not addr:
                    continue
                mine = re.search(r": uet_drop: \S+ > \S+ (\w+) .* netns=(\d+) ",
                                 line)
                if mine:
                    entry = [mine.group(1), None]
                    waits[addr.group(1)] = entry
                    if int(mine.group(2)) == netns:
                        found.append(entry)
                elif ": kfree_skb: " in line:
                    reason = re.search(r"reason: (\w+)", line).group(1)
                    if addr.group(1) in waits:
                        waits.pop(addr.group(1))[1] = reason
                    elif "[uet]" in line:
                        others.append(line.strip())
        return found, others

    def end(self):
        for event in "uet/uet_drop", "skb/kfree_skb":
            self.write(f"events/{event}/enable", "0")
        os.rmdir(self.path)


class Target(Host):
    """The host, with its counters and its trace"""

    def __init__(self, tracefs, *args):
        super().__init__(*args, helper=False)
        self.keep = self.run("sleep", "1000000")
        self.netns_ino = os.stat(f"/run/netns/{self.netns}").st_ino
        self.trace = Trace(tracefs)

    def helper_opens(self):
        self.helper = Pdc(self)
        self.helper.open()

    def stats(self):
        with open(f"/proc/{self.keep.pid}/net/uet_stat",
                  encoding="ascii") as f:
            return {name: int(value) for name, value in
                    (line.split() for line in f)}

    def listens(self, pid):
        with open(f"/proc/{self.keep.pid}/net/uet", encoding="ascii") as f:
            return any(line.split()[2] == f"{pid:03x}" for line in f)

    def moved(self, before):
        now = self.stats()
        return {name: now[name] - before[name] for name in REASONS
                if now[name] != before[name]}


def until(host, true, what, seconds=10):
    end = time.monotonic() + seconds * host.slow
    while not true():
        assert time.monotonic() < end, what
        time.sleep(0.02)


class Dropped:
    """Around what makes the host drop one packet for a cause"""

    def __init__(self, host, counter):
        self.host, self.counter = host, counter

    def __enter__(self):
        self.host.trace.clear()
        self.before = self.host.stats()

    def __exit__(self, kind, *_):
        if kind:
            return
        host, want = self.host, [[self.counter, REASONS[self.counter]]]
        until(host, lambda: host.moved(self.before), "nothing is counted")
        until(host, lambda: host.trace.drops(host.netns_ino)[0],
              "nothing is traced")
        # What came after it was handled, too
        host.answers()
        same("counters", host.moved(self.before), {self.counter: 1})
        found, others = host.trace.drops(host.netns_ino)
        same("drops", found, want)
        same("freed besides", others, [])
        DONE.add(self.counter)


def case(name, counter):
    """A case gets the host and what goes around its one packet"""
    def add(func):
        CASES.case(f"{counter}: {name}")(
            lambda host: func(host, Dropped(host, counter)))
        return func
    return add


def receiver(host, pid, *options, group=None):
    """A socket of the host, and the process that has it"""
    ready = f"/tmp/uet-drops-{os.getpid()}-{pid}"
    command = ["uet_recv", "-p", str(pid), "-n", "1000000", "-I", "-A", "-T",
               "100000", "-R", ready, *options]
    if group:
        command = ["sh", "-c", 'echo $$ >"$0" && exec "$@"',
                   f"{group}/cgroup.procs", "ip", "netns", "exec", host.netns,
                   *command]
    else:
        command = ["ip", "netns", "exec", host.netns, *command]
    proc = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)
    host.programs.append(proc)
    until(host, lambda: os.path.exists(ready), "no receiver", 20)
    os.unlink(ready)
    return proc


def opened(host, **how):
    pdc = Pdc(host, **how)
    pdc.open()
    return pdc


def ours(host):
    """A context that the host opened to us, and its first request, answered"""
    sender = send(host, "-n", "1")
    a = request(host)
    host.send(p.ack_cc(a.psn, T, a.spdcid, ses=p.response()))
    same("sender", sender.wait(10 * host.slow), 0)
    return a


def filled(host):
    """A context, and the number of a packet for which STOPPED has no room"""
    pdc = Pdc(host)
    pdc.open(ses=pdc.ses(pid=STOPPED))
    for n in range(1, 500):
        found = host.ask(pdc.packet(n, payload=bytes(4000), ses=pdc.ses(
            pid=STOPPED, length=4000)))
        if any(a.type == p.NACK for a in found):
            return pdc, n
    raise AssertionError("it has always room")


# --- headers ----------------------------------------------------------------

@case("truncated", "DropShort")
def short(host, dropped):
    data = p.request(1, 7, 9)[:6]
    with dropped:
        host.send(data)


@case("SES version that does not exist", "DropMalformed")
def malformed(host, dropped):
    pdc = opened(host)
    data = bytearray(pdc.packet(1))
    data[13] |= 0xc0
    with dropped:
        host.send(bytes(data))


@case("a type that is not spoken", "DropUnknownType")
def unknown_type(host, dropped):
    with dropped:
        host.send(p.prologue(15, 0, 0) + bytes(14))


@case("an operation that is not spoken", "DropUnknownType")
def unknown_operation(host, dropped):
    pdc = opened(host)
    data = pdc.packet(1, ses=pdc.ses(pid=READS, opcode=1))
    with dropped:
        host.send(data)


@case("no CRC", "DropCrc")
def crc(host, dropped):
    pdc = opened(host)
    before = host.stats()
    with dropped:
        with Setting(host, data_protect=1):
            host.send(pdc.packet(1))
            until(host, lambda: host.moved(before), "it is taken")


@case("a wrong UDP checksum", "DropChecksum")
def checksum(host, dropped):
    pdc = opened(host)
    data = bytearray(form.packet(host.form, host.own, host.addr, pdc.packet(1), 50000))
    data[26:28] = b"\0\1"
    with dropped:
        host.raw.sendto(data, (host.addr, 0))


# --- contexts ---------------------------------------------------------------

@case("a context that does not exist", "DropNoPdc")
def no_pdc(host, dropped):
    data = p.request(1, 7, host.helper.remote ^ 0x5a5a or 1)
    with dropped:
        host.send(data)


@case("a trimmed packet of a context that does not exist", "DropNoPdc")
def no_pdc_trimmed(host, dropped):
    data = p.request(1, 7, host.helper.remote ^ 0x5a5a or 1)
    with Setting(host, trimming=1, dscp_trimmed=10), dropped:
        host.send(data[:16], tos=10 << 2, udp_len=8 + len(data))


@case("another PDCID of the peer", "DropWrongPeer")
def wrong_peer(host, dropped):
    pdc = opened(host)
    with dropped:
        host.send(pdc.packet(1, spdcid=pdc.id ^ 1))


@case("another address", "DropWrongPeer")
def wrong_address(host, dropped):
    pdc = opened(host)
    with dropped:
        host.send(pdc.packet(1), source=OTHER)


@case("ordered by an unordered context", "DropWrongMode")
def wrong_mode(host, dropped):
    pdc = opened(host)
    with dropped:
        host.send(pdc.packet(1, ptype=p.ROD_REQ))


@case("a datagram to a socket that takes none", "DropWrongMode")
def no_datagrams(host, dropped):
    with dropped:
        host.send(p.uud(pid=READS))


@case("a datagram without room", "DropNoRoom")
def no_room(host, dropped):
    run = host.run("uet_recv", "-t", "dgram", "-p", str(DATAGRAMS), "-b", "4096", "-A",
                   "-n", "1000000")
    until(host, lambda: host.listens(DATAGRAMS), "no receiver")
    os.kill(run.pid, signal.SIGSTOP)
    before = host.stats()
    while host.stats()["DropNoRoom"] == before["DropNoRoom"]:
        host.send(p.uud(pid=DATAGRAMS))
    with dropped:
        host.send(p.uud(pid=DATAGRAMS))


def write(place=0, key=p.KEY_IDEMPOTENT):
    ses = p.ses_std(opcode=p.OP_WRITE, pid=WINDOW, key=key)
    return p.rudi(ses=ses[:12] + place.to_bytes(8, "big") + ses[20:])


def window(host):
    import uet             # only where libuet was built
    with host.entered():
        sock = uet.Socket(local=f"uet://{host.addr}/0/{WINDOW}")
    sock.set_window(p.KEY_IDEMPOTENT, 100)
    return sock


@case("a write with the key of no window", "DropBadKey")
def bad_key(host, dropped):
    with window(host), dropped:
        host.send(write(key=p.KEY_IDEMPOTENT + 1))


@case("a write beyond the end of the window", "DropBadRange")
def bad_range(host, dropped):
    with window(host), dropped:
        host.send(write(place=97))


@case("an answer to a write that was not sent", "DropStale")
def no_write(host, dropped):
    with dropped:
        host.send(p.rudi(0x12345678, p.RUDI_RESP))


@case("a NACK of a write that was not sent", "DropBadNack")
def no_write_nacked(host, dropped):
    with dropped:
        host.send(p.nack(p.TRIMMED, 0x12345678, 0, 0, flags=p.F_NT))


@case("SYN with another Start_PSN", "DropBadSyn")
def bad_syn(host, dropped):
    pdc, other = opened(host), Pdc(host)
    other.id = pdc.id
    with dropped:
        host.send(other.packet(0, syn=True))


@case("above the window", "DropBeyondWindow")
def beyond_window(host, dropped):
    pdc = Pdc(host)
    span = pdc.open().mpr * 128
    with dropped:
        host.send(pdc.packet(span + 1))


@case("ordered, behind a gap, and no memory to keep it", "DropGap")
def gap(host, dropped):
    pdc = opened(host, rod=True)
    with Crowd(host), dropped:
        host.send(pdc.packet(2))


@case("far below the window", "DropStale")
def stale(host, dropped):
    pdc = opened(host)
    with dropped:
        host.send(pdc.packet(-70000))


@case("received before", "RxDups")
def duplicate(host, dropped):
    pdc = opened(host)
    pdc.one(1, p.F_AR)
    with dropped:
        host.send(pdc.packet(1))


@case("an ACK of what was not sent", "DropBadAck")
def bad_ack(host, dropped):
    a = ours(host)
    with dropped:
        host.send(p.ack_cc(a.psn + 5000, T, a.spdcid))


@case("a NACK of what was not sent", "DropBadNack")
def bad_nack(host, dropped):
    pdc = opened(host)
    with dropped:
        host.send(p.nack(7, pdc.psn(1), pdc.id, pdc.remote))


@case("CLEAR_CMD for what was not received", "DropBadClear")
def bad_clear(host, dropped):
    pdc = opened(host)
    with dropped:
        host.send(pdc.cp(p.CP_CLEAR_CMD, flags=0, payload=pdc.psn(400)))


@case("CREDIT for a context that sends nothing", "DropState")
def no_half(host, dropped):
    pdc = opened(host)
    with dropped:
        host.send(pdc.cp(p.CP_CREDIT))


@case("CLEAR_REQ for a context that sends nothing", "DropState")
def no_half_clears(host, dropped):
    pdc = opened(host)
    with dropped:
        host.send(pdc.cp(p.CP_CLEAR_REQ))


@case("a request behind CLOSE_CMD", "DropState")
def closing(host, dropped):
    pdc = opened(host)
    with Setting(host, rto_min_us=4000000):
        host.one(pdc.cp(p.CP_CLOSE_CMD, 1))
        with dropped:
            host.send(pdc.packet(2))


@case("no context more than pdc_max", "PdcRefused")
def refused(host, dropped):
    with Setting(host, pdc_max=1), dropped:
        host.send(Pdc(host).packet(0, syn=True))


# --- messages ---------------------------------------------------------------

@case("a job that is not believed", "DropUntrustedJob")
def untrusted(host, dropped):
    pdc = opened(host)
    data = pdc.packet(1, ses=pdc.ses(pid=READS, job=77))
    with Setting(host, trust_jobs=0), dropped:
        host.send(data)


@case("nobody has that PIDonFEP", "DropNoEndpoint")
def no_endpoint(host, dropped):
    pdc = opened(host)
    data = pdc.packet(1, ses=pdc.ses(pid=NOBODY))
    with dropped:
        host.send(data)


@case("longer than UET_MAX_MSG", "DropTooLong")
def too_long(host, dropped):
    pdc = opened(host)
    data = pdc.packet(1, payload=bytes(200),
                      ses=pdc.ses(pid=SHORT, length=200))
    with dropped:
        host.send(data)


@case("beyond the end of its message", "DropViolation")
def violation(host, dropped):
    pdc = opened(host)
    data = pdc.packet(1, ses=pdc.ses(pid=READS, flags=p.S_REL, length=10,
                                     offset=8, part=4))
    with dropped:
        host.send(data)


@case("of a message that was refused", "DropEnded")
def ended(host, dropped):
    pdc = opened(host)
    how = {"pid": NOBODY, "msg_id": 9, "length": 8, "part": 4}
    host.ask(pdc.packet(1, ses=pdc.ses(flags=p.S_REL | p.S_SOM, **how)))
    data = pdc.packet(2, ses=pdc.ses(flags=p.S_REL | p.S_EOM, offset=4, **how))
    with dropped:
        host.send(data)


@case("of a message that its source gave up", "DropEnded")
def given_up(host, dropped):
    pdc = opened(host)
    host.ask(pdc.packet(2, payload=b"", ses=pdc.ses(
        opcode=p.OP_MSG_ERROR, msg_id=9)))
    data = pdc.packet(1, ses=pdc.ses(pid=READS, msg_id=9, length=8,
                                     flags=p.S_REL | p.S_SOM))
    with dropped:
        host.send(data)


@case("no room in the buffer of a socket", "Shortage")
def shortage(host, dropped):
    pdc, n = filled(host)
    data = pdc.packet(n, payload=bytes(4000),
                      ses=pdc.ses(pid=STOPPED, length=4000))
    with dropped:
        host.send(data)


@case("no room for a message that may be deferred", "MsgPutOff")
def put_off(host, dropped):
    filled(host)
    pdc = Pdc(host)
    pdc.open(ses=pdc.ses(pid=READS))
    host.ask(pdc.packet(1, ses=pdc.ses(pid=READS)))
    data = pdc.packet(2, payload=bytes(4000), ses=pdc.ses(
        opcode=p.OP_DEFERRABLE_SEND, pid=STOPPED, length=4000, at_target=1 << 32))
    with dropped:
        host.send(data)


@case("no room, and half a window waits behind it", "MsgNoMatch")
def no_match(host, dropped):
    filled(host)
    pdc = Pdc(host)
    span = pdc.open(ses=pdc.ses(pid=READS)).mpr * 128
    host.ask(pdc.packet(1 + span // 2, ses=pdc.ses(pid=READS)))
    data = pdc.packet(1, payload=bytes(4000),
                      ses=pdc.ses(pid=STOPPED, length=4000))
    with dropped:
        host.send(data)


@case("no room, and an ordered context mixes messages", "MsgMixed")
def mixed(host, dropped):
    receiver(host, MIXES, "-t", "seq", "-b", "131072")
    line = Line(host)
    line.push(b"data", pid=MIXES, length=4,
              flags=p.S_REL | p.S_SOM | p.S_EOM)
    def first(msg):
        return {"flags": p.S_REL | p.S_SOM, "msg_id": msg, "pid": MIXES,
                "length": 120000, "initiator": msg}

    msg = 0
    while not line.dropped:
        msg += 1
        assert msg < 500, "there is always room"
        assert line.push(bytes(4000), **first(msg)), f"{msg} is not taken"
    data = line.packet(line.n, payload=bytes(4000), clear=line.n - 1,
                       ses=p.ses_std(**first(msg + 1)))
    with dropped:
        host.send(data)


@case("its socket closes", "DropUnread")
def unread(host, dropped):
    proc = receiver(host, CLOSES)
    os.kill(proc.pid, signal.SIGSTOP)
    pdc = opened(host)
    pdc.one(1, p.F_AR, ses=pdc.ses(pid=CLOSES))
    with dropped:
        os.kill(proc.pid, signal.SIGKILL)


# --- outgoing ---------------------------------------------------------------

@case("an answer without a route", "TxErrors")
def no_route(host, dropped):
    pdc = Pdc(host)
    host.send(pdc.packet(0, syn=True), source=OTHER)
    until(host, lambda: (a := host.next(1)) and a.dpdcid == pdc.id and
          setattr(pdc, "remote", a.spdcid) is None, "no answer")
    how = ["ip", "route", "add", "unreachable", OTHER]
    assert host.run(*how).wait() == 0, "no such route"
    try:
        with dropped:
            host.send(pdc.packet(1, p.F_AR), source=OTHER)
    finally:
        how[2] = "del"
        host.run(*how).wait()


@case("a datagram of somebody else to the UET port", "TxGuarded")
def guarded(host, dropped):
    with dropped:
        host.run("setpriv", "--reuid", "65534", "--regid", "65534",
                 "--clear-groups", "--bounding-set", "-all", "forge.py",
                 host.own).wait()


@case("reports that nobody reads", "ReportsLost")
def reports(host, dropped):
    sender = host.run("drops_unread.py", CLOSED,
                      stdout=subprocess.PIPE)
    same("it says", sender.stdout.readline(), b"full\n")
    with dropped:
        os.kill(sender.pid, signal.SIGUSR1)
        same("it says", sender.stdout.readline(), b"sent\n")


# --- nobody -----------------------------------------------------------------

def filtered(group):
    def run(host):
        receiver(host, GUARDED, group=group)
        pdc = Pdc(host)
        host.send(pdc.packet(0, syn=True), source=OTHER)
        until(host, lambda: (a := host.next(1)) and a.dpdcid == pdc.id and
              setattr(pdc, "remote", a.spdcid) is None, "no answer")
        data = pdc.packet(1, ses=pdc.ses(pid=GUARDED))
        with Dropped(host, "DropFilter"):
            host.send(data, source=OTHER)
    return run


def no_socket(host):
    """The context of the helper is left, and with it the port"""
    for proc in SOCKETS:
        proc.kill()
        proc.wait()
    with Dropped(host, "DropNoSocket"):
        host.send(Pdc(host).packet(0, syn=True))


def all_seen(_):
    missing = set(REASONS) - DONE - set(NOT_HERE)
    same("without a case", missing, set())


def main():
    addr, own, netns, manual, tracefs, slow = sys.argv[1:7]
    REASONS.update(table(manual))
    host = Target(tracefs, addr, own, netns, int(slow))
    SOCKETS.extend((receiver(host, READS),
                    receiver(host, STOPPED, "-b", "65536"),
                    receiver(host, SHORT, "-M", "100")))
    os.kill(SOCKETS[1].pid, signal.SIGSTOP)
    host.helper_opens()
    # They outlive the cases
    lasting, host.programs = host.programs, []
    more = [("DropNoSocket: nobody has a socket", no_socket),
            ("all causes have a case", all_seen)]
    if len(sys.argv) > 7:
        more.insert(0, ("DropFilter: a program of the control group",
                        filtered(sys.argv[7])))
    try:
        CASES.run(host, CASES.cases + more)
    finally:
        host.trace.end()
        for proc in lasting:
            proc.kill()


if __name__ == "__main__":
    main()
