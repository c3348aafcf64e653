# SPDX-License-Identifier: GPL-2.0
"""Well-formed packets of every type, opcode and variant, and what they say.

A case is (name, UET packet, {field without "uet.": value or list of values}); a value of
None must not be there.
"""

from packets import *  # noqa: F403


def pds_cases():
    for kind, name in ((RUD, "RUD_REQ"), (ROD, "ROD_REQ")):
        yield (name, req(kind, flags=AR, psn=0xfffffff0, clear=-2) + std() + b"UET!", {
            "pds.type": kind, "pds.next_hdr": STD, "pds.flags": "0x0008",
            "pds.flags.ar": 1, "pds.flags.syn": 0, "pds.flags.retx": 0,
            "pds.clear_psn_offset": -2, "pds.psn": 0xfffffff0,
            "pds.clear_psn": 0xffffffee, "pds.spdcid": "0x0001", "pds.dpdcid": "0x0002",
            "pds.use_rsv_pdc": None, "pds.flags.reserved": None,
            "ses.opcode": SEND, "payload": "55:45:54:21",
            "payload_len": 4})
        yield (name + " SYN", req(kind, flags=SYN, psn=5, psn_offset=7, use_rsv=1) +
               std() + b"1234", {
                   "pds.flags.syn": 1, "pds.use_rsv_pdc": 1, "pds.psn_offset": 7,
                   "pds.pdc_info_reserved": "0x0000", "pds.dpdcid": None,
                   "pds.start_psn": [0xfffffffe] * 2})
        yield (name + " RETX", req(kind, flags=RETX | AR) + std() + b"1234",
               {"pds.flags.retx": 1})
    for kind, name in ((RUD_CC, "RUD_CC_REQ"), (ROD_CC, "ROD_CC_REQ")):
        yield (name, req(kind, ccc_id=9, target=0x123456) + std() + b"1234", {
            "pds.type": kind, "pds.ccc_id": 9, "pds.credit_target": 0x123456,
            "pds.credit_target_bytes": 0x12345600, "payload_len": 4})
    yield ("RUDI_REQ", rudi(RUDI_REQ, STD, 0x77, RETX) + std(WRITE, key=1 << 63) + b"1234", {
        "pds.type": RUDI_REQ, "pds.pkt_id": "0x00000077", "pds.flags.retx": 1,
        "pds.reserved": "0x0000", "ses.memory_key": "0x8000000000000000",
        "ses.memory_key.idempotent": 1, "ses.memory_key.optimized": 0})
    yield ("RUDI_RESP", rudi(RUDI_RESP, RSP_DATA, 0x78, M) + rsp_data(4, 8, 4) + b"1234", {
        "pds.type": RUDI_RESP, "pds.pkt_id": "0x00000078", "pds.flags.ecn": 1,
        "ses.message_offset": 4, "ses.payload_length": 4, "ses.modified_length": 8})
    yield ("UUD_REQ", uud() + std(DATAGRAM_SEND, msg=0) + b"dgrm", {
        "pds.type": UUD, "pds.reserved": "0x0000", "ses.opcode": DATAGRAM_SEND,
        "payload_len": 4})
    yield ("UUD_REQ MEDIUM", uud(MEDIUM) + medium(DATAGRAM_SEND) + b"dgrm", {
        "pds.next_hdr": MEDIUM, "payload": "64:67:72:6d"})


def ack_cases():
    yield ("ACK", ack(cack=0x20, offset=-2), {
        "pds.type": ACK, "pds.ack_psn_offset": -2, "pds.ack_psn": 0x1e,
        "pds.cack_psn": 0x20, "pds.flags.req": 0, "pds.cc_type": None})
    yield ("ACK with all flags", ack(flags=M | RETX | CLEAR, offset=1) , {
        "pds.flags.ecn": 1, "pds.flags.retx": 1, "pds.flags.req": 1})
    yield ("ACK_CC NSCC", ack(ACK_CC, RSP, flags=CLOSE, cack=3, mpr=7, sack_offset=-5,
                              bitmap=1 << 63 | 3, state=nscc(0x1234, 1, 0x55, 0xaabbcc,
                                                            0x6677)) + rsp(msg=9), {
        "pds.type": ACK_CC, "pds.flags.req": 2, "pds.mpr": 7, "pds.mp_range": 896,
        "pds.sack_psn_offset": -5, "pds.sack_base": 0xfffffffe,
        "pds.sack_bitmap": "0x8000000000000003",
        "pds.sack_psn": [0xfffffffe, 0xffffffff, 61], "pds.cc_type": 0,
        "pds.cc_flags": "0x00", "pds.service_time": 0x1234,
        "pds.service_time_ns": 0x1234 * 128, "pds.rc": 1, "pds.rcvr_cwnd_pend": 0x55,
        "pds.rcvd_bytes": 0xaabbcc, "pds.rcvd_bytes_total": 0xaabbcc00,
        "pds.ooo_count": 0x6677, "ses.rsp_opcode": 0, "ses.return_code": 1,
        "ses.msg_id": 9})
    yield ("ACK_CC, nothing valid", ack(ACK_CC, mpr=0, state=nscc(0, ooo=0xffff)), {
        "pds.mp_range": None, "pds.service_time": 0, "pds.service_time_ns": None,
        "pds.ooo_count": 0xffff, "pds.sack_psn": None})
    yield ("ACK_CC CREDIT", ack(ACK_CC, cc=0x10, state=credit_state(0x010203, 0x0b0c)), {
        "pds.cc_type": 1, "pds.credit": 0x010203, "pds.credit_bytes": 0x01020300,
        "pds.credit_reserved": "0x000000", "pds.ooo_count": 0x0b0c,
        "pds.service_time": None})
    yield ("ACK_CC, unknown state", ack(ACK_CC, cc=0x25, state=b"12345678"), {
        "pds.cc_type": 2, "pds.cc_flags": "0x05",
        "pds.cc_state": "31:32:33:34:35:36:37:38"})
    yield ("ACK_CC of PROBE", ack(ACK_CC, flags=P, offset=0xbeef), {
        "pds.flags.probe": 1, "pds.probe_opaque": "0xbeef", "pds.ack_psn_offset": None,
        "pds.ack_psn": None})
    yield ("ACK_CCX", ack(ACK_CCX, RSP, cc=0xe1, bitmap=2, state=bytes(range(16))) +
           rsp(), {
        "pds.type": ACK_CCX, "pds.ccx_type": 14, "pds.cc_flags": "0x01",
        "pds.sack_psn": 102, "pds.ccx_state":
        "00:01:02:03:04:05:06:07:08:09:0a:0b:0c:0d:0e:0f", "ses.return_code": 1})


def nack_cases():
    classes = dict.fromkeys((0x0e, 0x0f, 0x10, 0x11, 0x13, 0x15, 0x16, 0x19, 0xff), 3)
    classes.update(dict.fromkeys((0x12, 0x14, 0xfe), 2))
    for code in [*range(1, 0x0c), *range(0x0d, 0x1b), 0xfd, 0xfe, 0xff]:
        cls = classes.get(code, 1)
        yield (f"NACK 0x{code:02x}", nack(code, 7, M, vendor=3, payload=0x99), {
            "pds.type": NACK, "pds.nack_code": f"0x{code:02x}", "pds.nack_class": cls,
            "pds.vendor_code": "0x03", "pds.nack_psn": 7, "pds.flags.ecn": 1,
            "pds.nack_payload": "0x00000099", "nack": "" if cls == 1 else None,
            "nack.error": "" if cls == 2 else None,
            "nack.fatal": "" if cls == 3 else None,
            "pds.new_start_psn": 0x99 if code == 0x17 else None})
    yield ("NACK, reserved code", nack(0x50), {"pds.nack_class": 0})
    yield ("NACK for RUDI", nack(1, 0x55, NT | RETX, spdcid=0, dpdcid=0), {
        "pds.flags.nt": 1, "pds.nack_pkt_id": "0x00000055", "pds.nack_psn": None})
    yield ("NACK_CCX", nack(1, ext=b"\x30" + bytes(range(1, 16))), {
        "pds.type": NACK_CCX, "pds.nccx_type": 3, "pds.nccx_state":
        "30:01:02:03:04:05:06:07:08:09:0a:0b:0c:0d:0e:0f"})


def cp_cases():
    for ctl, name in ((NOOP, "NOOP"), (CLOSE_CMD, "CLOSE_CMD"), (CLOSE_REQ, "CLOSE_REQ"),
                      (NEGOTIATION, "NEGOTIATION")):
        yield ("CP " + name, cp(ctl, 77, AR), {
            "pds.type": CP, "pds.ctl_type": ctl, "pds.next_hdr": None, "pds.psn": 77,
            "pds.flags.ar": 1, "pds.reserved": "0x0000",
            "pds.cp_payload": "0x00000000"})
    yield ("CP NOOP SYN", cp(NOOP, 7, ISROD | AR | SYN, psn_offset=3, use_rsv=1), {
        "pds.flags.isrod": 1, "pds.flags.syn": 1, "pds.psn_offset": 3,
        "pds.use_rsv_pdc": 1, "pds.start_psn": [4, 4], "pdc.mode": "ROD"})
    yield ("CP ACK_REQ", cp(ACK_REQ, 78, AR, payload=3), {
        "pds.ctl_type": ACK_REQ, "pds.ack_req_psn": 78, "pds.ack_req_msg_id": 3})
    yield ("CP CLEAR_CMD", cp(CLEAR_CMD, payload=79), {
        "pds.clear_psn": 79, "pds.cp_psn": 0})
    yield ("CP CLEAR_REQ", cp(CLEAR_REQ, payload=80), {"pds.clear_req_psn": 80})
    yield ("CP PROBE", cp(PROBE, 0, AR, 0xbeef, payload=81), {
        "pds.probe_opaque": "0xbeef", "pds.probe_base": 81, "pds.reserved": None})
    yield ("CP CREDIT", cp(CREDIT, payload=0x42 << 8), {
        "pds.credit": 0x42, "pds.credit_bytes": 0x4200})
    yield ("CP CREDIT_REQ", cp(CREDIT_REQ, payload=5 << 24 | 0x40), {
        "pds.ccc_id": 5, "pds.credit_target": 0x40})
    yield ("TSS", tss(0xabcdef, 0x1234, 0x010203040506, an=1) + b"secret" + bytes(16), {
        "tss.type": 1, "tss.sp": 0, "tss.reserved": 0, "tss.an": 1, "tss.sdi": "0x00abcdef",
        "tss.epoch": 0x1234, "tss.tsc": 0x010203040506, "tss.ssi": None,
        "tss.encrypted": "73:65:63:72:65:74", "tss.icv": ":".join(["00"] * 16)})
    yield ("TSS with SSI", tss(1, 2, 3, ssi=0x55667788) + bytes(16), {
        "tss.sp": 1, "tss.ssi": "0x55667788", "tss.epoch": 2, "tss.tsc": 3,
        "tss.encrypted": None})


def ses_cases():
    every = DC | IE | REL | HD | SOM | EOM
    yield ("all SES flags", req() + std(SEND, every, 1, 4, 0x5a, 0xabcdef, 0xfed, 0xcba,
                                        0x1112131415161718, 0x21222324,
                                        0x3132333435363738, 0x4142434445464748) +
           b"data", {
        "ses.flags.dc": 1, "ses.flags.ie": 1, "ses.flags.rel": 1, "ses.flags.hd": 1,
        "ses.flags.eom": 1, "ses.flags.som": 1, "ses.version": 0, "ses.msg_id": 1,
        "ses.ri_generation": 0x5a, "ses.job_id": "0xabcdef", "ses.pid_on_fep": 0xfed,
        "ses.resource_index": 0xcba, "ses.buffer_offset": "0x1112131415161718",
        "ses.initiator": "0x21222324", "ses.match_bits": "0x3132333435363738",
        "ses.header_data": "0x4142434445464748", "ses.request_length": 4})
    yield ("middle of a message", req() + std(WRITE, REL, 2, 0x11223344, payload=4,
                                              at=0x01020304, key=1 << 62) + b"last", {
        "ses.payload_length": 4, "ses.message_offset": 0x01020304,
        "ses.header_data": None, "ses.memory_key.optimized": 1,
        "ses.request_length": 0x11223344, "payload_len": 4})
    yield ("NO_OP", req() + std(NO_OP, length=0), {"ses.opcode": NO_OP})
    yield ("READ", req() + std(READ, length=8, key=5), {
        "ses.opcode": READ, "ses.memory_key": "0x0000000000000005", "payload_len": 0,
        "ses.match_bits": None})
    yield ("READ, a part", req() + std(READ, REL, length=8192, payload=4096, at=4096), {
        "ses.payload_length": 4096, "ses.message_offset": 4096, "payload_len": 0})
    for opcode in (ATOMIC, FETCHING_ATOMIC, TSEND_ATOMIC, TSEND_FETCH_ATOMIC):
        yield (f"opcode {opcode}", req() + std(opcode, length=8) + amo(2, 7, 3) +
               bytes(range(8)), {
            "ses.opcode": opcode, "ses.amo_opcode": "0x02", "ses.amo_type": "0x07",
            "ses.amo_semantic": "0x03", "ses.amo_semantic.cacheable": 1,
            "ses.amo_semantic.cpu_coherent": 1,
            "ses.reserved": "0x00", "ses.operand": "00:01:02:03:04:05:06:07", "payload_len": 8,
            "payload": None})
    for op in range(CSWAP, 0x14):
        yield (f"compare and swap 0x{op:02x}",
               req() + std(FETCHING_ATOMIC, length=16) + amo(op, compare=1, swap=2), {
            "ses.amo_opcode": f"0x{op:02x}",
            "ses.compare": ":".join(["00"] * 15 + ["01"]),
            "ses.swap": ":".join(["00"] * 15 + ["02"]), "payload_len": 0})
    for opcode in (RENDEZVOUS_SEND, RENDEZVOUS_TSEND):
        yield (f"opcode {opcode}", req() + std(opcode, length=4096) +
               rendezvous(4, 9, 0x123, 0x456, 0x1000, 0xabc) + b"eagr", {
            "ses.eager_length": 4, "ses.rdv_generation": 9,
            "ses.rdv_pid_on_fep": 0x123, "ses.rdv_resource_index": 0x456,
            "ses.read_offset": "0x0000000000001000",
            "ses.read_memory_key": "0x0000000000000abc", "payload_len": 4})
    for opcode in (DEFERRABLE_SEND, DEFERRABLE_TSEND):
        yield (f"opcode {opcode}", req() + std(opcode, offset=0xa1a2a3a4b1b2b3b4) +
               b"1234", {
            "ses.opcode": opcode, "ses.initiator_token": "0xa1a2a3a4",
            "ses.target_token": "0xb1b2b3b4", "ses.buffer_offset": None})
    yield ("DEFERRABLE_RTR", req() + std(DEFERRABLE_RTR, length=0,
                                         key=0xa1a2a3a4b1b2b3b4, offset=16), {
        "ses.initiator_token": "0xa1a2a3a4", "ses.target_token": "0xb1b2b3b4",
        "ses.buffer_offset": "0x0000000000000010", "ses.match_bits": None})
    yield ("TAGGED_SEND", req() + std(TAGGED_SEND, key=0x55) + b"1234", {
        "ses.opcode": TAGGED_SEND, "ses.match_bits": "0x0000000000000055"})
    yield ("MSG_ERROR", req(psn=101) + std(MSG_ERROR, REL | EOM, length=9000, at=4096), {
        "ses.opcode": MSG_ERROR, "ses.message_offset": 4096, "msg_error": ""})
    yield ("vendor opcode", req() + std(0x30) + b"1234", {"ses.opcode": 0x30})
    yield ("first packet of a long message", req() + std(SEND, REL | SOM, length=9000) +
           bytes(range(200)), {"payload_len": 200, "ses.header_data":
                               "0x0000000000000000"})
    yield ("empty message", req() + std(length=0), {"payload_len": 0})
    yield ("SMALL", req(next_hdr=SMALL) + small(WRITE, offset=0x1000) + b"1234", {
        "pds.next_hdr": SMALL, "ses.request_length": 4, "ses.msg_id": None,
        "ses.buffer_offset": "0x0000000000001000", "ses.initiator": None})
    yield ("SMALL atomic", req(next_hdr=SMALL) + small(ATOMIC, length=8) + amo(0) +
           bytes(8), {"ses.amo_opcode": "0x00", "payload_len": 8})
    yield ("MEDIUM", req(next_hdr=MEDIUM) + medium(TAGGED_SEND, word=5, key=6) + b"1234", {
        "pds.next_hdr": MEDIUM, "ses.buffer_offset": "0x0000000000000005",
        "ses.match_bits": "0x0000000000000006", "ses.initiator": "0x00000007"})
    yield ("MEDIUM with header data", req(next_hdr=MEDIUM) +
           medium(SEND, ONE | HD, word=5) + b"1234", {
        "ses.header_data": "0x0000000000000005", "ses.buffer_offset": None})


def rsp_cases():
    for opcode in (0, 1, 3):
        yield (f"response {opcode}", ack(next_hdr=RSP) + rsp(opcode, 1, 5, 1, 6, 7, 8), {
            "ses.rsp_opcode": opcode, "ses.list": 1, "ses.return_code": 1,
            "ses.msg_id": 5, "ses.ri_generation": 6, "ses.job_id": "0x000007",
            "ses.modified_length": 8})
    for code in [*range(0x25), 0x30, 0x3e]:
        yield (f"return code 0x{code:02x}", ack(next_hdr=RSP) + rsp(1, code), {
            "ses.return_code": code, "failed": "" if code > 1 else None})
    yield ("read data in an ACK", ack(next_hdr=RSP_DATA, flags=CLEAR, offset=1) +
           rsp_data(8, 8, own=6, msg=3) + b"readdata", {
        "ses.response_msg_id": 6, "ses.read_request_msg_id": 3, "ses.payload_length": 8,
        "ses.modified_length": 8, "ses.message_offset": 0, "payload_len": 8})
    yield ("read data as a request", req(next_hdr=RSP_DATA) + rsp_data(4, 8, 4) + b"data", {
        "pds.next_hdr": RSP_DATA, "ses.message_offset": 4, "payload": "64:61:74:61"})
    yield ("small read data", ack(next_hdr=RSP_DATA_SMALL) + rsp_data_small(4, 100) +
           b"data", {"ses.payload_length": 4, "ses.original_request_psn": 100,
                     "payload_len": 4})


def well_formed():
    for group in (pds_cases, ack_cases, nack_cases, cp_cases, ses_cases, rsp_cases):
        yield from group()


def malformed():
    """(name, UET packet, expert info)"""
    for n in (1, 3, 11):
        yield (f"request of {n} bytes", (req() + std())[:n], "short")
    yield "SES cut", (req() + std())[:40], "short"
    yield "no SES", req(), "short"
    yield "extension cut", req() + std(ATOMIC) + b"\0\0", "violation"
    yield "compare-and-swap cut", req() + std(ATOMIC) + amo(CSWAP) + bytes(8), "violation"
    yield "rendezvous cut", req() + std(RENDEZVOUS_SEND) + bytes(19), "violation"
    yield "ACK_CC cut", ack(ACK_CC)[:31], "short"
    yield "NACK_CCX cut", nack(1, ext=bytes(15)), "short"
    yield "security header cut", tss(1, 2, 3) + bytes(15), "short"
    for kind in (0, 15, 31):
        yield f"type {kind}", prologue(kind, 0) + bytes(40), "reserved_code"
    yield "reserved next header", req(next_hdr=7) + bytes(44), "reserved_code"
    yield "response in a request", req(next_hdr=RSP) + rsp(), "reserved_code"
    yield "request in an ACK", ack(next_hdr=STD) + std() + b"1234", "reserved_code"
    yield "SES in a NACK", prologue(NACK, 3) + bytes(60), "reserved_code"
    yield "small UUD", uud(SMALL) + small() + b"1234", "reserved_code"
    yield "control type 10", cp(10), "reserved_code"
    yield "SES version 1", req() + std(flags=ONE | 0x40) + b"1234", "reserved_code"
    yield "response opcode 4", ack(next_hdr=RSP) + rsp(4), "reserved_code"
    yield "short message", req() + std(length=40) + b"1234", "violation"
    yield "wrong length", req() + std(flags=0, length=99, payload=9) + b"1", "violation"
    yield ("beyond the end", req() + std(flags=0, length=9, payload=4, at=8) + b"1234",
           "violation")
    yield "READ with payload", req() + std(READ) + b"12345678", "violation"
    yield "MEDIUM without EOM", req(next_hdr=MEDIUM) + medium(flags=SOM) + b"1234", \
        "violation"
    yield "atomic of two packets", req() + std(ATOMIC, SOM, length=8) + amo(2) + bytes(8), \
        "violation"
    yield "read data of another length", ack(next_hdr=RSP_DATA) + rsp_data(9, 9) + b"1", \
        "violation"
    yield "read data beyond the end", ack(next_hdr=RSP_DATA) + rsp_data(4, 5, 4) + b"1234", \
        "violation"
    yield "bytes behind a message", req() + std(length=4) + b"1234567", "surplus_bytes"
    yield "bytes behind a NACK", nack(1) + b"1", "surplus_bytes"
    yield "reserved bits", req(flags=0x40) + std() + b"1234", "reserved_bits"
    yield "reserved bits of RUDI", prologue(RUDI_REQ, STD) + b"\1\0" + bytes(4) + std() + \
        b"1234", "reserved_bits"
