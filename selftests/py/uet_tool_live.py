# SPDX-License-Identifier: GPL-2.0
"""Cases of uet_tool.py for what goes on: events, rates, the terminal, completion."""
import contextlib
import fcntl
import json
import os
import pty
import re
import select
import signal
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

    def monitor_counts_what_comes_again():
        lines = "".join(f"param set rto_min_us {3001 + i}\n" for i in range(20))
        for words, counted in ([], True), (["-d"], False):
            with monitor(*words, "-j", "monitor", "param", "-n", "3") as p:
                until(lambda: run("-b", "-", stdin=lines) and p.poll() is not None,
                      "three lines")
                got = [json.loads(line) for line in end_of(p).splitlines()]
            assert [e["name"] for e in got] == ["rto_min_us"] * 3, got
            assert "count" not in got[0] and ("count" in got[2]) == counted, got
            assert not counted or got[2]["count"] > 1, got

    def monitor_whose_reader_has_gone():
        with monitor("monitor") as p:
            p.stdout.close()
            for _ in range(5):
                run("param", "set", "rto_min_us", "3000")
            until(lambda: p.poll() is not None, "end")
            assert p.returncode in (-13, 1) and not p.stderr.read(), p.returncode

    def monitor_that_does_not_read():
        """What is lost is said at once, and how much with the next event"""
        with monitor("-j", "monitor", "rule-deleted", "-n", "1") as p:
            os.kill(p.pid, signal.SIGSTOP)
            lines = "".join(f"param set rto_min_us {3000 + i % 2}\n"
                            for i in range(500))
            until(lambda: drops(p) or run("-b", "-", stdin=lines) is None,
                  "overrun")
            os.kill(p.pid, signal.SIGCONT)
            until(lambda: select.select([p.stderr], [], [], 0)[0], "warning")
            assert "some are lost" in p.stderr.readline()
            # Until it has read all there was, the kernel adds nothing
            until(lambda: not queued(p), "reader")
            run("peer", "add", "10.9.0.0/16", "trust_jobs", "1")
            run("peer", "del", "10.9.0.0/16")
            out, _ = p.communicate(timeout=60 * slow)
            assert p.returncode == 0, p.returncode
        run("param", "set", "rto_min_us", "4000")
        got = [json.loads(line) for line in out.splitlines()]
        assert got[-1]["event"] == "rule-deleted" and len(got) > 1, got
        assert all(e["event"] == "lost" and e["count"] > 0 for e in got[:-1]), got

    def column(p, which):
        """Of the generic netlink socket of the process, in /proc/net/netlink"""
        with open("/proc/net/netlink", encoding="ascii") as f:
            rows = [line.split() for line in f][1:]
        return sum(int(r[which]) for r in rows
                   if r[1] == "16" and int(r[2]) == p.pid)

    def drops(p):
        """Whether the kernel dropped messages to the process"""
        return column(p, 8)

    def queued(p):
        """Bytes that the process has not read"""
        return column(p, 4)

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

    @contextlib.contextmanager
    def terminal(*words, size=(24, 80), term="xterm"):
        """The tool on a terminal of its own: process, and the other end"""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        before = termios.tcgetattr(slave)
        with subprocess.Popen([tool, *words], stdin=slave, stdout=slave, stderr=slave,
                              env={**os.environ, "TERM": term}) as p:
            try:
                yield p, master
                assert termios.tcgetattr(slave) == before
            finally:
                p.kill()
        os.close(master)
        os.close(slave)

    def lines_of(frame):
        return re.sub(r"\033\[[?0-9]*[a-zA-Z]", "", frame).split("\r\n")

    def top_on_a_narrow_terminal():
        for rows, cols in (5, 30), (24, 80), (1, 1), (2, 10), (3, 200), (0, 0):
            with terminal("top", "-i", "0.2", size=(rows, cols)) as (p, master):
                got = read_all(master, "\033[J", 30 * slow)
                got += read_all(master, None, 0.5)
                os.write(master, b"xq")
                until(lambda: p.poll() is not None, "end by q")
                assert p.returncode == 0, p.returncode
                got += read_all(master, "\033[?1049l", 5)
            assert got.count("\033[?1049h") == got.count("\033[?1049l") == 1, got
            frames = got.split("\033[?1049l")[0].split("\033[H")[1:]
            assert frames, got
            for frame in frames:
                lines = lines_of(frame)
                assert max(map(len, lines)) <= (cols or 80), (cols, lines)
                assert len(lines) <= (rows or 24), (rows, lines)
                assert lines[0].startswith("uet top: "[:cols or 80]), lines

    def top_hears_at_once():
        """New sizes, Ctrl-C, Ctrl-Z: not only when the next frame is due"""
        with terminal("top", "-i", "3600") as (p, master):
            got = read_all(master, "\033[J", 30 * slow)
            assert len(lines_of(got.split("\033[H")[1])[0]) > 20, got
            fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 4, 20, 0, 0))
            os.kill(p.pid, signal.SIGWINCH)
            got = read_all(master, "\033[J", 30 * slow)
            lines = lines_of(got.split("\033[H")[1])
            assert max(map(len, lines)) <= 20 and len(lines) <= 4, lines
            os.kill(p.pid, signal.SIGTSTP)
            got = read_all(master, "\033[?1049l", 30 * slow)
            assert "\033[?25h\033[?1049l" in got, got
            until(lambda: state_of(p) == "T", "stop")
            os.kill(p.pid, signal.SIGCONT)
            got = read_all(master, "\033[J", 30 * slow)
            assert "\033[?1049h" in got and "uet top: " in got, got
            os.kill(p.pid, signal.SIGINT)
            until(lambda: p.poll() is not None, "end by SIGINT")
            assert p.returncode == 0, p.returncode
            read_all(master, "\033[?1049l", 5)
        with terminal("top", "-i", "0.1", "-n", "2", term="dumb") as (p, master):
            got = read_all(master, None, 3 * slow)
            until(lambda: p.poll() is not None, "end")
            assert "\033" not in got and got.count("uet top: ") == 2, got

    def state_of(p):
        with open(f"/proc/{p.pid}/stat", encoding="utf-8") as f:
            return f.read().rsplit(")", 1)[1].split()[0]

    def paths_on_a_narrow_terminal():
        for cols, most in (80, 78), (60, 46), (24, 22), (3, 15):
            text, _ = run("path", COLUMNS=str(cols))
            rows = [r for r in text.splitlines() if re.match(r"  [ \d]{5}-\d+ ", r)]
            assert rows and max(map(len, rows)) <= most, (cols, text)

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
        assert complete("-n", ns_b, "pdc", "show", "pe") == ["peer"]
        assert B4 in complete("pdc", "show", "peer", "10.0")
        # Names are words as they are, and never run
        os.makedirs("/run/netns", exist_ok=True)
        odd = "/run/netns/zz$(touch uet_was_here)"
        with open(odd, "w", encoding="ascii"):
            pass
        try:
            assert " ".join(complete("-n", "zz")) == os.path.basename(odd)
            assert not os.path.exists("uet_was_here")
        finally:
            os.unlink(odd)
        assert complete("-nu") == [] and complete("-Nu") == ["-Numeric"]
        assert complete("param", "set", "rto_min_u") == ["rto_min_us"]

    cases += [monitor_tells_events, monitor_tells_only_what_is_wanted,
              monitor_counts_what_comes_again, monitor_whose_reader_has_gone, monitor_that_does_not_read,
              rates_of_counters, the_busiest_peers, top_on_a_narrow_terminal,
              top_hears_at_once, paths_on_a_narrow_terminal, completion_by_the_tool,
              completion_in_bash]
