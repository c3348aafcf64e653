# SPDX-License-Identifier: GPL-2.0
"""The library itself: its structures and functions for ctypes."""

import ctypes
import os
from ctypes import (POINTER, Structure, c_bool, c_char, c_char_p, c_int, c_int64,
                    c_size_t, c_ssize_t, c_uint, c_uint8, c_uint16, c_uint32,
                    c_uint64, c_void_p)

URI_SIZE, TEXT_SIZE = 160, 512
SOL_UET = 300
SOCK_RDM, SOCK_SEQPACKET = 4, 5
# libuet_attrs.has
(COOKIE, HEADER_DATA, TAG, DELIVERY, TCLASS, TIMEOUT, INFO, WRITE, DEFER,
 PKTINFO) = (1 << n for n in range(10))


class Sockaddr(Structure):
    _fields_ = [("family", c_uint16), ("flags", c_uint16), ("job", c_uint32),
                ("pid", c_uint16), ("ri", c_uint16), ("initiator", c_uint32),
                ("scope_id", c_uint32), ("reserved", c_uint32),
                ("addr", c_uint8 * 16)]


class Iovec(Structure):
    _fields_ = [("base", c_void_p), ("len", c_size_t)]


class MsgInfo(Structure):
    _fields_ = [("length", c_uint32), ("offset", c_uint32),
                ("msg_id", c_uint16), ("opcode", c_uint8),
                ("delivery", c_uint8), ("ce", c_uint8),
                ("replyable", c_uint8), ("reserved", c_uint8 * 2)]


class Write(Structure):
    _fields_ = [("key", c_uint64), ("offset", c_uint64)]


class Pktinfo(Structure):
    _fields_ = [("addr", c_uint8 * 16), ("ifindex", c_uint32),
                ("reserved", c_uint32)]


class Attrs(Structure):
    _fields_ = [("has", c_uint), ("msg_flags", c_int), ("cookie", c_uint64),
                ("header_data", c_uint64), ("tag", c_uint64),
                ("delivery", c_int), ("tclass", c_int), ("timeout", c_uint32),
                ("info", MsgInfo), ("write", Write), ("defer", c_int),
                ("reserved1", c_int), ("pktinfo", Pktinfo),
                ("reserved", c_uint64 * 2)]


class Report(Structure):
    _fields_ = [("error", c_uint32), ("type", c_uint8), ("source", c_uint8),
                ("code", c_uint16), ("cookie", c_uint64),
                ("cookie_last", c_uint64), ("length", c_uint32),
                ("reserved", c_uint32)]


class Service(Structure):
    _fields_ = [("name", c_char * 64), ("aliases", c_char * 256),
                ("job", c_uint32), ("pid", c_uint16), ("ri", c_uint16),
                ("has_job", c_bool), ("reserved", c_uint32 * 4)]


class Sock(Structure):
    _fields_ = [("type", c_int), ("enter_job", c_bool), ("job", c_uint32),
                ("delivery", c_int), ("cc", c_char_p), ("policy", c_char_p),
                ("set_tclass", c_bool), ("tclass", c_int),
                ("max_msg", c_uint32), ("notify", c_int), ("mark", c_uint),
                ("sndbuf", c_int), ("rcvbuf", c_int), ("device", c_char_p),
                ("local", POINTER(Sockaddr)), ("peer", POINTER(Sockaddr)),
                ("send_timeout", c_uint32), ("take_job", c_bool),
                ("job_from", c_int), ("defer", c_uint32), ("pktinfo", c_int)]


class Info(Structure):
    """struct uet_info of linux/uet.h"""
    _fields_ = (
        [(n, c_uint64) for n in ("rtt", "base_rtt", "delay_avg", "cwnd")]
        + [("inflight", c_int64), ("max_wnd", c_uint64), ("mtu", c_uint32),
           ("inflight_pkts", c_uint32)]
        + [(n, c_uint64) for n in (
            "pkts_sent", "bytes_sent", "retransmits", "timeouts", "losses_sack",
            "losses_ooo", "losses_probe", "losses_rcvr", "marks", "trims",
            "trims_lasthop", "nacks_shortage", "nacks_other")]
        + [("blocked_ns", c_uint64 * 6)]
        + [(n, c_uint32) for n in ("blocked_by", "paths", "paths_bad", "pdcs")]
        + [("cc", c_char * 16), ("path_policy", c_char * 16)]
        + [(n, c_uint64) for n in (
            "rtt_var", "target_qdelay", "rto", "backlog", "rtx_backlog",
            "saved_cwnd", "losses_go_back", "decreases", "quick_adapts",
            "penalties")]
        + [("credit", c_int64)]
        + [(n, c_uint32) for n in (
            "credit_granted", "credit_reqs", "link_mbps", "mpr", "mpr_used",
            "cc_state", "cc_mode", "ports", "ports_down", "reserved")]
        + [("blocked_port_ns", c_uint64), ("path_mtu", c_uint32),
           ("path_mtu_steps", c_uint32), ("needless", c_uint64),
           ("paths_gone", c_uint32), ("reserved2", c_uint32)])


class Cq(Structure):
    _fields_ = [("fd", c_int), ("head", c_uint32), ("ring", c_void_p),
                ("size", c_size_t)]


class Op(Structure):
    """struct uet_op of linux/uet.h"""
    _fields_ = (
        [("cookie", c_uint64), ("opcode", c_uint8), ("delivery", c_uint8),
         ("flags", c_uint16), ("to", c_uint32)]
        + [(n, c_uint64) for n in ("addr", "length", "reserved0", "tag", "ignore", "imm")]
        + [("data", c_uint8 * 32), ("reserved1", c_uint32), ("timeout", c_uint32),
           ("reserved", c_uint64 * 3)])


class Completion(Structure):
    _fields_ = [("cookie", c_uint64), ("type", c_uint8), ("source", c_uint8),
                ("code", c_uint16), ("error", c_uint32), ("offset", c_uint64),
                ("length", c_uint32), ("got", c_uint32), ("flags", c_uint32),
                ("socket", c_uint32), ("tag", c_uint64), ("header_data", c_uint64),
                ("peer", Sockaddr), ("data", c_uint8 * 32)]


lib = ctypes.CDLL("libuet.so.0", use_errno=True)
libc = ctypes.CDLL(None, use_errno=True)


def _declare(library, name, result, *arguments):
    function = getattr(library, name)
    function.restype, function.argtypes = result, arguments


ADDR, ATTRS = POINTER(Sockaddr), POINTER(Attrs)
for _name, _result, *_arguments in (
        ("version", c_char_p),
        ("family", c_int),
        ("parse", c_int, c_char_p, ADDR, ADDR),
        ("resolve", c_int, c_char_p, ADDR, ADDR, c_int),
        ("format", c_int, ADDR, c_char_p, c_size_t),
        ("openservices", c_void_p),
        ("getservice", c_bool, c_void_p, POINTER(Service)),
        ("closeservices", None, c_void_p),
        ("open_sized", c_int, POINTER(Sock), c_size_t, POINTER(c_char_p)),
        ("sock_set", c_int, POINTER(Sock), c_char_p, c_char_p),
        ("get_info", c_int, c_int, POINTER(Info)),
        ("blocked_name", c_char_p, c_uint),
        ("watch", c_int, c_int, ADDR, c_uint64, c_uint32, c_uint32),
        ("cancel", c_int, c_int, c_uint64),
        ("writable", c_int, c_int, ADDR, c_int),
        ("set_window", c_int, c_int, c_uint64, c_uint64),
        ("sendmsg", c_ssize_t, c_int, POINTER(Iovec), c_size_t, ADDR, ATTRS,
         c_int),
        ("recvmsg", c_ssize_t, c_int, POINTER(Iovec), c_size_t, ADDR, ATTRS,
         c_int),
        ("next_report", c_bool, c_int, POINTER(Report), ADDR),
        ("wait_report", c_int, c_int, c_int),
        ("report_text", c_int, POINTER(Report), ADDR, c_char_p, c_size_t),
        ("code_name", c_char_p, c_uint, c_uint),
        ("open_cq", c_int, c_int, c_uint32, POINTER(Cq)),
        ("close_cq", None, POINTER(Cq)),
        ("use_cq", c_int, c_int, POINTER(Cq)),
        ("next_done", c_int, POINTER(Cq), POINTER(Completion), c_int),
        ("post", c_int, c_int, POINTER(Op), c_uint, ADDR, c_uint),
        ("unpost", c_int, c_int, c_uint64)):
    _declare(lib, f"libuet_{_name}", _result, *_arguments)
for _name in "bind", "connect":
    _declare(libc, _name, c_int, c_int, c_void_p, c_uint32)
for _name in "getsockname", "getpeername":
    _declare(libc, _name, c_int, c_int, c_void_p, POINTER(c_uint32))

AF_UET = lib.libuet_family()


def library_version():
    """The version of libuet as text."""
    return lib.libuet_version().decode()


def fail(what=None):
    """Raises OSError of the call that has just failed."""
    number = ctypes.get_errno()
    raise OSError(number, os.strerror(number), what)


def memory_of(data, writable=False):
    """Where the bytes of an object are: (what keeps them there, address, length)."""
    view = memoryview(data).cast("B")
    if writable and view.readonly:
        raise TypeError("it cannot be written")
    if not view:
        return None, None, 0
    if view.readonly:
        data = data if isinstance(data, bytes) else view.tobytes()
        return data, ctypes.cast(ctypes.c_char_p(data), c_void_p).value, len(data)
    # As long as this is there the object cannot move its bytes
    keep = c_char.from_buffer(view)
    return keep, ctypes.addressof(keep), len(view)
