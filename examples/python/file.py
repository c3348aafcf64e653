#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Files, as ../file.c.

    file.py recv uet:///0/100 DIRECTORY COUNT
    file.py send uet://10.0.0.2/0/100 FILE...
"""

import os
import struct
import sys

import uet

CHUNK = 256 * 1024
HEADER = struct.Struct("<QQ64s")    # size of the file, offset, name


class Incoming:
    """A file that arrives in chunks."""

    def __init__(self, folder, name, size):
        if not name or name.startswith(".") or "/" in name:
            sys.exit("file: bad name")
        self.name, self.missing = name, size
        self.file = open(os.path.join(folder, name), "wb")

    def take(self, data, offset):
        """Returns whether it is complete."""
        self.file.seek(offset)
        self.file.write(data)
        self.missing -= len(data)
        if not self.missing:
            self.file.close()
            print(f"received {self.name}")
        return not self.missing


def receive(address, folder, count):
    files = {}
    with uet.Socket(local=address) as sock:
        print("ready", flush=True)
        while count:
            m = sock.recv_message(HEADER.size + CHUNK)
            size, offset, name = HEADER.unpack_from(m.data)
            key = m.sender, name
            if key not in files:
                files[key] = Incoming(folder, name.rstrip(b"\0").decode(), size)
            count -= files[key].take(m.data[HEADER.size:], offset)


def delivered(sock):
    """How many chunks have arrived, by the reports that are there."""
    n = 0
    for report in sock.reports():
        report.raise_error()
        n += len(report.cookies)
    return n


def send(address, paths):
    outstanding = 0
    with uet.Socket(peer=address, notify=True) as sock:
        for path in paths:
            size, offset = os.path.getsize(path), 0
            name = os.path.basename(path).encode()
            with open(path, "rb") as f:
                while (data := f.read(CHUNK)) or not offset:
                    sock.send(HEADER.pack(size, offset, name) + data)
                    offset += len(data)
                    outstanding += 1 - delivered(sock)
                    if not data:
                        break
        while outstanding:
            sock.wait_report()
            outstanding -= delivered(sock)


if __name__ == "__main__":
    if len(sys.argv) == 5 and sys.argv[1] == "recv":
        receive(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    elif len(sys.argv) > 3 and sys.argv[1] == "send":
        send(sys.argv[2], sys.argv[3:])
    else:
        sys.exit(__doc__)
