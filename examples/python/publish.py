#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Publish to many, as ../publish.c.

    publish.py serve uet:///0/100 SUBSCRIBERS ITEMS
    publish.py follow uet://10.0.0.2/0/100
"""

import collections
import select
import sys

import uet

INDEX_BITS = 32         # cookie: subscriber << 32 | item
WATCH_MS, WATCH_COOKIE = 1000, 1


class Publisher:
    def __init__(self, address):
        self.sock = uet.Socket(local=address, notify=True)
        self.subscribers, self.gone = [], set()
        self.outstanding, self.delivered = 0, collections.Counter()

    def await_subscribers(self, n):
        while len(self.subscribers) < n:
            self.subscribers.append(self.sock.recv_message().sender)

    def take_reports(self):
        """A report may be of a range of cookies; here each counts by itself."""
        for report in self.sock.reports(expand=True):
            index = report.cookies[0] >> INDEX_BITS
            self.outstanding -= 1
            if report.ok:
                self.delivered[index] += 1
            elif index not in self.gone:
                self.gone.add(index)
                print(f"publish: {report}", file=sys.stderr)

    def publish(self, item, text):
        for index, address in enumerate(self.subscribers):
            if index in self.gone:
                continue
            self.sock.send(text, address, header_data=item,
                           cookie=index << INDEX_BITS | item)
            self.outstanding += 1
        self.take_reports()

    def run(self, subscribers, items):
        self.await_subscribers(subscribers)
        for item in range(items):
            self.publish(item, f"item {item}".encode())
        self.publish(items, b"")
        while self.outstanding:
            self.sock.wait_report()
            self.take_reports()
        whole = sum(n == items + 1 for n in self.delivered.values())
        print(f"{whole} of {subscribers} subscribers have all {items} items")


def next_item(sock, gone):
    """What has arrived is read, even if the publisher is gone."""
    while True:
        try:
            return sock.recv_message()
        except BlockingIOError:
            if gone and not gone[-1].ok:
                sys.exit(f"publish: {gone[-1]}")
        select.select([sock], [], [])
        gone += sock.reports()


def follow(address):
    got, items, gone = [], None, []
    with uet.Socket(peer=address) as sock:
        # The end of the publisher is reported, too
        sock.watch(address, WATCH_COOKIE, WATCH_MS)
        sock.send(b"subscribe")
        sock.setblocking(False)
        while items is None or len(got) < items:
            m = next_item(sock, gone)
            # In any order: the end may come before the last items
            if not m.data:
                items = m.header_data
            elif m.data != f"item {m.header_data}".encode():
                sys.exit(f"publish: {m.data} is no item")
            else:
                got.append(m.header_data)
    print(f"{len(got)} items, sum {sum(got)}")


if __name__ == "__main__":
    if len(sys.argv) == 5 and sys.argv[1] == "serve":
        publisher = Publisher(sys.argv[2])
        print("ready", flush=True)
        publisher.run(int(sys.argv[3]), int(sys.argv[4]))
    elif len(sys.argv) == 3 and sys.argv[1] == "follow":
        follow(sys.argv[2])
    else:
        sys.exit(__doc__)
