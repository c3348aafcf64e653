# SPDX-License-Identifier: GPL-2.0
"""Cases of uet_tool.py for what goes on: events, rates, the terminal, completion."""
import contextlib
import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import tempfile
import termios
import time

TREE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..")
B4 = "10.0.0.2"
PID = 130


def add(cases, run, tool, ns_b, slow):
    """Append the cases"""
    def until(what, text):
        end = time.monotonic() + 30 * slow
        while not what():
            assert time.monotonic() < end, f"not in time: {text}"
            time.sleep(0.05)

    @contextlib.contextmanager
    def traffic(dscp):
        """Messages to a reader, on and on"""
        with tempfile.TemporaryDirectory() as d:
            ready = os.path.join(d, "ready")
            with subprocess.Popen(
                    ["ip", "netns", "exec", ns_b, "uet_recv", "-p", str(PID), "-n",
                     "100000000", "-I", "-T", "3600", "-R", ready],
                    stdout=subprocess.DEVNULL) as r:
                until(lambda: os.path.exists(ready), "reader")
                with subprocess.Popen(
                        ["uet_send", "-T", "3600", "-d", str(dscp), "-n",
                         "100000000", "-s", "3000", f"{B4}/{PID}"],
                        stdout=subprocess.DEVNULL) as s:
                    try:
                        yield
                    finally:
                        s.kill()
                        r.kill()

    def listens(p):
        """Whether the process has joined a group of generic netlink"""
        with open("/proc/net/netlink", encoding="ascii") as f:
            rows = [line.split() for line in f][1:]
        return any(r[1] == "16" and int(r[2]) == p.pid and int(r[3], 16)
                   for r in rows)

    @contextlib.contextmanager
    def monitor(*words):
        with subprocess.Popen([tool, *words], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as p:
            until(lambda: listens(p) or p.poll() is not None, "listener")
            assert p.poll() is None, p.stderr.read()
            try:
                yield p
            finally:
                p.kill()

    def end_of(p):
        out, err = p.communicate(timeout=60 * slow)
        assert p.returncode == 0 and not err, (p.returncode, err)
        return out

    def monitor_tells_events():
        with monitor("-j", "-t", "-d", "monitor", "-n", "3") as p:
            run("param", "set", "rto_min_us", "3000")
            run("peer", "add", "10.9.0.0/16", "trust_jobs", "1")
            run("peer", "del", "10.9.0.0/16")
            got = [json.loads(line) for line in end_of(p).splitlines()]
        assert [e["event"] for e in got] == \
            ["param-changed", "rule-changed", "rule-deleted"], got
        assert got[0]["name"] == "rto_min_us", got
        assert got[1]["remote"] == "10.9.0.0/16", got
        now = time.time_ns()
        assert all(abs(e["time"] - now) < 600e9 for e in got), (got, now)
        seqs = [e["seq"] for e in got]
        assert seqs == list(range(seqs[0], seqs[0] + 3)), got

    def monitor_tells_only_what_is_wanted():
        with monitor("monitor", "rule-deleted", "peer", "10.9.0.0/16", "-n", "1") as p:
            for prefix in "10.8.0.0/16", "10.9.1.0/24":
                run("peer", "add", prefix, "trust_jobs", "1")
                run("peer", "del", prefix)
            out = end_of(p)
        assert out == "rule-deleted remote 10.9.1.0/24\n", out
        with monitor("-t", "monitor", "pdc", "-n", "1") as p:
            run("param", "set", "rto_min_us", "3000")
            with traffic(41):
                out = end_of(p)
        assert re.match(r"\d+-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6} pdc-opened remote "
                        rf"{B4} ", out), out

    def monitor_whose_reader_has_gone():
        with monitor("monitor") as p:
            p.stdout.close()
            for _ in range(5):
                run("param", "set", "rto_min_us", "3000")
            until(lambda: p.poll() is not None, "end")
            assert p.returncode in (-13, 1) and not p.stderr.read(), p.returncode

    def rates_of_counters():
        with traffic(42):
            out, _ = run("-j", "stat", "-i", "0.5", "-n", "3")
            docs = [json.loads(line) for line in out.splitlines()]
            assert len(docs) == 3, out
            assert any(c["rate"] > 0 and c["type"] == "counter"
                       for doc in docs for c in doc), docs
            text, _ = run("stat", "Msg", "-n", "1", "-i", "0.5s")
            assert re.search(r"^Msg\w+ +counter +\d+ +[0-9.]+/s$", text, re.M), text

    def the_busiest_peers():
        with traffic(43):
            out, _ = run("-j", "top", "-i", "0.5", "-n", "2")
            rows = [json.loads(line) for line in out.splitlines()]
            assert len(rows) == 2, out
            assert rows[1][0]["tx_bits_per_s"] > 0, rows
            rates = [r["tx_bits_per_s"] for r in rows[1]]
            assert rates == sorted(rates, reverse=True), rates
            text, _ = run("top", "-i", "0.2", "-n", "1")
            assert text.startswith("uet top: ") and B4 in text, text
            assert "receiver" in text, text
            for width in 80, 40, 20, 10, 1:
                text, _ = run("top", "-i", "0.05", "-n", "1", COLUMNS=str(width))
                assert max(map(len, text.splitlines())) <= width, (width, text)

    def read_all(fd, until_text, seconds):
        got, end = "", time.monotonic() + seconds
        while time.monotonic() < end:
            if select.select([fd], [], [], 0.1)[0]:
                try:
                    data = os.read(fd, 65536)
                except OSError:
                    break
                if not data:
                    break
                got += data.decode()
            if until_text and until_text in got:
                break
        return got

    def top_on_a_narrow_terminal():
        for cols, rows in (30, 5), (80, 24), (1, 1):
            master, slave = pty.openpty()
            fcntl.ioctl(slave, termios.TIOCSWINSZ,
                        struct.pack("HHHH", rows, cols, 0, 0))
            before = termios.tcgetattr(slave)
            with subprocess.Popen([tool, "top", "-i", "0.2"], stdin=slave,
                                  stdout=slave, stderr=slave) as p:
                got = read_all(master, "\033[H\033[J", 30 * slow)
                got += read_all(master, None, 0.5)
                os.write(master, b"q")
                until(lambda: p.poll() is not None, "end by q")
                assert p.returncode == 0, p.returncode
            got += read_all(master, "\033[?1049l", 5)
            assert termios.tcgetattr(slave) == before
            os.close(master)
            os.close(slave)
            assert got.count("\033[?1049h") == got.count("\033[?1049l") == 1, got
            for frame in got.split("\033[H\033[J")[1:]:
                lines = re.sub(r"\033\[[?0-9]*[a-zA-Z]", "", frame).split("\r\n")
                assert max(map(len, lines)) <= cols, (cols, lines)
                assert len(lines) <= max(rows, 3), (rows, lines)

    def completion_by_the_tool():
        assert "pdc" in run("__complete", "")[0].split()
        assert run("__complete", "pd")[0] == "pdc\n"
        assert run("__complete", "pdc", "sh")[0] == "show\n"
        assert "state" in run("__complete", "pdc", "show", "")[0].split()
        assert run("__complete", "pdc", "show", "state", "est")[0] == "established\n"
        assert run("__complete", "param", "set", "rto_min_")[0] == "rto_min_us\n"
        assert B4 in run("__complete", "ccc", "show", "peer", "")[0].split()
        assert "pdc-opened" in run("__complete", "monitor", "pdc")[0].split()
        for words in [], ["no-such", ""], ["pdc", "x", ""]:
            assert run("__complete", *words)[0] == "", words

    def completion_in_bash():
        script = os.path.join(TREE, "tools", "uet", "uet.bash-completion")

        def complete(*words):
            p = subprocess.run(
                ["bash", "-c", '. "$1"; shift; COMP_WORDS=("$@"); '
                 'COMP_CWORD=$(($# - 1)); _uet; printf "%s\\n" "${COMPREPLY[@]}"',
                 "bash", script, tool, *words], capture_output=True, text=True,
                check=True)
            assert not p.stderr, p.stderr
            return p.stdout.split()
        assert complete("pd") == ["pdc"]
        assert complete("-j", "pd") == ["pdc"]
        assert complete("-n", ns_b, "-j", "pdc", "s") == ["show"]
        assert complete("-n", ns_b) == [ns_b]
        assert "10.0.0.1" in complete("-n", ns_b, "failure", "show", "10.0.0.1") or \
            complete("-n", ns_b, "pdc", "show", "pe") == ["peer"]
        assert complete("-nu") == [] and complete("-Nu") == ["-Numeric"]
        assert complete("param", "set", "rto_min_u") == ["rto_min_us"]

    cases += [monitor_tells_events, monitor_tells_only_what_is_wanted,
              monitor_whose_reader_has_gone, rates_of_counters, the_busiest_peers,
              top_on_a_narrow_terminal, completion_by_the_tool, completion_in_bash]
