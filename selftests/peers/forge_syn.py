#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Opens a context in the name of a host, in a form of its own.

    forge_syn.py SOURCE TARGET FORM     FORM: udp, ip, udp-crc, ip-crc
"""
import random
import socket
import sys

import form
import uet_packets as p


def main():
    source, target, how = sys.argv[1:]
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    for _ in range(3):
        data = p.request(random.getrandbits(32), random.randrange(1, 65536), 0,
                         flags=p.F_AR | p.F_SYN, ses=p.ses_std(pid=4000, length=4))
        raw.sendto(form.packet(set(how.split("-")), source, target, data,
                               random.randrange(49152, 65536)), (target, 0))


if __name__ == "__main__":
    main()
