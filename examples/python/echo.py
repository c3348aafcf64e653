#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Echo, as ../echo.c.

    echo.py serve uet:///0/100
    echo.py ask uet://10.0.0.2/0/100 hello 'more words'
"""

import select
import sys

import uet


def serve(address):
    with uet.Socket(local=address, pktinfo=True) as sock:
        print("ready", flush=True)
        while True:
            try:
                m = sock.recv_message()
            except ConnectionError:
                continue        # its sender has given it up
            number = {} if m.header_data is None else \
                {"header_data": m.header_data}
            # From the address that was asked
            sock.send(m.data, m.sender, local=m.local, **number)


def ask(address, texts):
    with uet.Socket(peer=address) as sock:
        for number, text in enumerate(texts):
            sock.send(text.encode(), header_data=number)
        poller = select.poll()
        poller.register(sock, select.POLLIN)
        for _ in texts:
            if not poller.poll(60000):
                sys.exit("no answer")
            # Success is not asked for: what is reported has failed
            for report in sock.reports():
                sys.exit(f"echo: {report}")
            m = sock.recv_message()
            print(f"{m.header_data}: {m.data.decode()}")


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "serve":
        serve(sys.argv[2])
    elif len(sys.argv) > 3 and sys.argv[1] == "ask":
        ask(sys.argv[2], sys.argv[3:])
    else:
        sys.exit(__doc__)
