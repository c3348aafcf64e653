#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A key-value server and its peers with asyncio, as ../kv.c.

    kv.py serve uet:///0/100
    kv.py load uet://10.0.0.2/0/100 PEERS ROUNDS
"""

import asyncio
import sys

from uet.aio import AsyncSocket

LONGEST = 4095


def carry_out(store, question):
    """The answer to a question."""
    words = question.split(b" ", 2)
    if len(words) == 3 and words[0] == b"put":
        store[words[1]] = words[2]
        return b"ok"
    if len(words) == 2 and words[0] == b"get":
        found = store.get(words[1])
        return b"none" if found is None else b"=" + found
    return b"what?"


async def answer(sock, m, text):
    """A task of its own: who does not read keeps nobody waiting."""
    number = {} if m.header_data is None else {"header_data": m.header_data}
    await sock.send(text, m.sender, local=m.local, **number)


async def serve(address):
    store, tasks = {}, set()
    async with AsyncSocket(local=address, max_msg=LONGEST, pktinfo=True) as sock:
        print("ready", flush=True)
        while True:
            try:
                m = await sock.recv_message()
            except ConnectionError:
                continue        # its sender has given it up
            task = asyncio.create_task(answer(sock, m,
                                              carry_out(store, m.data)))
            tasks.add(task)
            task.add_done_callback(tasks.discard)


async def ask(sock, number, text):
    await sock.send(text.encode(), header_data=number)
    m = await asyncio.wait_for(sock.recv_message(), 120)
    if m.header_data != number:
        sys.exit(f"kv: answer {m.header_data}, not {number}")
    return m.data.decode()


async def peer(address, number, rounds):
    async with AsyncSocket(peer=address, sndbuf="64k", rcvbuf="64k") as sock:
        for n in range(rounds):
            value = f"value {n} of {number}"
            said = await ask(sock, 2 * n, f"put key{number} {value}")
            got = await ask(sock, 2 * n + 1, f"get key{number}")
            if (said, got) != ("ok", "=" + value):
                sys.exit(f"kv: peer {number}: {said}, {got}")


async def load(address, peers, rounds):
    await asyncio.gather(*(peer(address, n, rounds) for n in range(peers)))
    print(f"{peers} peers: {2 * peers * rounds} answers, all right")


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "serve":
        asyncio.run(serve(sys.argv[2]))
    elif len(sys.argv) == 5 and sys.argv[1] == "load":
        asyncio.run(load(sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
    else:
        sys.exit(__doc__)
