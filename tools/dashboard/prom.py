# SPDX-License-Identifier: GPL-2.0
"""A Prometheus on loopback that has what was recorded."""
import contextlib
import glob
import http.server
import json
import os
import re
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import metrics

PATIENCE = 120
FORMAT = "application/openmetrics-text; version=1.0.0; charset=utf-8"


def recorded(folder):
    """{time: {host: text}}"""
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, "*-*.txt"))):
        host, at = re.match(r"(\w+)-(\d+)\.txt", os.path.basename(path)).groups()
        with open(path, encoding="utf-8") as f:
            found.setdefault(int(at), {})[host] = f.read()
    return found


def joined(found):
    """One exposition with times, families together, and the hosts as a label"""
    families = {}
    for at, hosts in sorted(found.items()):
        for host, text in hosts.items():
            samples, types = metrics.parse(text)
            for name, labels, value in samples:
                family = name if name in types else name.removesuffix("_total")
                mine = families.setdefault((family, types[family]), {})
                key = ",".join(f'{k}="{v}"' for k, v in sorted(
                    {**labels, "instance": host, "job": "uet"}.items()))
                mine.setdefault(f"{name}{{{key}}}", []).append((at, value))
    lines = []
    for (family, kind), series in sorted(families.items()):
        lines.append(f"# TYPE {family} {kind}")
        for name, values in series.items():
            lines += [f"{name} {value} {at}" for at, value in values]
    return "\n".join(lines) + "\n# EOF\n"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Prometheus:
    """Its HTTP API"""

    def __init__(self, port):
        self.url = f"http://127.0.0.1:{port}"

    def ask(self, path, **words):
        url = f"{self.url}{path}?{urllib.parse.urlencode(words)}"
        try:
            with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as e:
            return json.load(e)

    def series(self, expression, begin, end, step):
        """[(labels, [(time, value)])], or an exception with what it says"""
        answer = self.ask("/api/v1/query_range", query=expression, start=begin,
                          end=end, step=step)
        if answer["status"] != "success":
            raise ValueError(answer["error"])
        return [(s["metric"], [(float(t), float(v)) for t, v in s["values"]])
                for s in answer["data"]["result"]]

    def ready(self):
        try:
            with urllib.request.urlopen(f"{self.url}/-/ready", timeout=5):
                return True
        except OSError:
            return False


def wait_for(what, why):
    end = time.monotonic() + PATIENCE
    while not what():
        if time.monotonic() > end:
            raise TimeoutError(why)
        time.sleep(0.2)


@contextlib.contextmanager
def exporter(text):
    """Port of a server that gives an exposition, as a scrape would get it"""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", FORMAT)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()


@contextlib.contextmanager
def running(found, targets=()):
    """A Prometheus with what was recorded, which scrapes targets each second"""
    with tempfile.TemporaryDirectory() as tmp:
        text = os.path.join(tmp, "recorded")
        with open(text, "w", encoding="utf-8") as f:
            f.write(joined(found))
        subprocess.run(["promtool", "tsdb", "create-blocks-from", "openmetrics",
                        text, f"{tmp}/data"], check=True,
                       stdout=subprocess.DEVNULL)
        config = os.path.join(tmp, "config.yml")
        with open(config, "w", encoding="utf-8") as f:
            json.dump({"scrape_configs": [{
                "job_name": "live", "scrape_interval": "1s", "scrape_timeout": "1s",
                "static_configs": [{"targets": list(targets)}]}]}, f)
        port = free_port()
        with open(os.path.join(tmp, "log"), "w", encoding="utf-8") as log, \
                subprocess.Popen(
                    ["prometheus", f"--config.file={config}",
                     f"--storage.tsdb.path={tmp}/data",
                     "--storage.tsdb.retention.time=100y",
                     f"--web.listen-address=127.0.0.1:{port}"],
                    stdout=log, stderr=log) as process:
            try:
                prometheus = Prometheus(port)
                wait_for(prometheus.ready, "Prometheus does not start")
                yield prometheus
            finally:
                process.terminate()
