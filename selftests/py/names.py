#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Makes UET sockets and binds them until that fails, or all are bound.

    names.py COUNT [--pids] [--hold]

With --pids they get one PIDonFEP after the other, from 16 on, else what the kernel
gives. Prints how many there are, the name of the error that ended it, and how many
have a resource index other than 0. With --hold they stay until standard input ends.
"""
import ctypes
import errno
import os
import resource
import struct
import sys

AF_UET = int(os.environ.get("UET_FAMILY", 25))
SOCK_RDM = 4
# family, flags, job, PIDonFEP, RI, initiator, scope, reserved, address
ADDR = struct.Struct("=HHIHHIII16s")

libc = ctypes.CDLL(None, use_errno=True)


def bind(fd, pid):
    addr = ADDR.pack(AF_UET, 0, 0, pid, 0, 0, 0, 0, bytes(16))
    return libc.bind(fd, addr, len(addr))


def index(fd):
    addr = ctypes.create_string_buffer(ADDR.size)
    size = ctypes.c_int(ADDR.size)
    libc.getsockname(fd, addr, ctypes.byref(size))
    return ADDR.unpack(addr.raw)[4]


def main():
    count, pids = int(sys.argv[1]), "--pids" in sys.argv
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    fds, why = [], "OK"
    for i in range(count):
        fd = libc.socket(AF_UET, SOCK_RDM, 0)
        if fd < 0 or bind(fd, 16 + i if pids else 0):
            why = errno.errorcode[ctypes.get_errno()]
            break
        fds.append(fd)
    print(len(fds), why, sum(index(fd) != 0 for fd in fds), flush=True)
    if "--hold" in sys.argv:
        sys.stdin.read()


if __name__ == "__main__":
    main()
