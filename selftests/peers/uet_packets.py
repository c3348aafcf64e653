# SPDX-License-Identifier: GPL-2.0
"""UET packets as bytes, built from their fields without any care for sense.

Layouts after the UE 1.0 PDS and SES tables; the first 16 bits of a packet are
type, next header (or control type) and flags.
"""
import struct

UDP_PORT = 4793

RUD_REQ, ROD_REQ, RUDI_REQ, RUDI_RESP, UUD_REQ = 2, 3, 4, 5, 6
ACK, ACK_CC, ACK_CCX, NACK, CP, NACK_CCX = 7, 8, 9, 10, 11, 12
RUD_CC_REQ, ROD_CC_REQ = 13, 14

NH_NONE, NH_SMALL, NH_MEDIUM, NH_STD, NH_RESPONSE = 0, 1, 2, 3, 4
NH_RSP_DATA, NH_RSP_DATA_SMALL = 5, 6

F_M, F_RETX, F_AR, F_SYN = 0x20, 0x10, 0x08, 0x04
F_NT = 0x08                     # of a NACK

CP_NOOP, CP_ACK_REQ, CP_CLEAR_CMD, CP_CLEAR_REQ, CP_CLOSE_CMD, CP_CLOSE_REQ, \
    CP_PROBE, CP_CREDIT, CP_CREDIT_REQ, CP_NEGOTIATION = range(10)

OP_NO_OP, OP_WRITE, OP_READ, OP_ATOMIC, OP_FETCHING_ATOMIC = range(5)
OP_RENDEZVOUS_SEND, OP_DEFERRABLE_SEND, OP_TAGGED_SEND = 6, 8, 9
OP_DEFERRABLE_TSEND, OP_DEFERRABLE_RTR = 11, 12
OP_SEND, OP_DATAGRAM_SEND, OP_MSG_ERROR = 5, 7, 15
S_DC, S_IE, S_REL, S_HD, S_EOM, S_SOM = 0x20, 0x10, 0x08, 0x04, 0x02, 0x01

RC_NULL, RC_OK, RC_BAD_GENERATION, RC_NO_MATCH, RC_UNSUPPORTED_OP = 0, 1, 2, 5, 6
RC_OP_VIOLATION, RC_BAD_INDEX, RC_BAD_PID, RC_BAD_JOB_ID = 0x18, 0x19, 0x1a, 0x1b
RC_BAD_MKEY, RC_BAD_ADDR = 0x1c, 0x1d
RC_CANCELLED, RC_TOO_LONG, RC_INITIATOR_ERR, RC_DROPPED = 0x1e, 0x22, 0x23, 0x24

TRIMMED, TRIMMED_LASTHOP, TRIMMED_ACK, NO_PDC_AVAIL, NO_CCC_AVAIL, NO_BITMAP, \
    NO_PKT_BUFFER, NO_GTD_DEL_AVAIL, NO_SES_MSG_AVAIL, NO_RESOURCE, PSN_OOR_WINDOW, _, \
    ROD_OOO, INV_DPDCID, PDC_HDR_MISMATCH, CLOSING, CLOSING_IN_ERR, PKT_NOT_RCVD, \
    GTD_RESP_UNAVAIL, ACK_WITH_DATA, INVALID_SYN, PDC_MODE_MISMATCH, NEW_START_PSN, \
    RCVD_SES_PROCG, UNEXP_EVENT, RCVR_INFER_LOSS = range(1, 27)
EXP_NORMAL, EXP_ERROR, EXP_FATAL = 0xfd, 0xfe, 0xff


SES_SMALL_LEN, SES_MEDIUM_LEN, SES_STD_LEN = 20, 32, 44
# Bit of a memory key: what is done with it may be done twice
KEY_IDEMPOTENT = 1 << 63


def prologue(ptype, next_hdr, flags):
    return struct.pack("!H", (ptype << 11 | next_hdr << 7 | flags) & 0xffff)


def ses_std(opcode=OP_SEND, flags=S_REL | S_SOM | S_EOM, msg_id=1, job=0,
            pid=200, index=0, initiator=7, length=4, offset=0, part=0, generation=0,
            key=0, header_data=0, at_target=0):
    """44 bytes; offset and part count only without S_SOM, header_data with it"""
    word = header_data if flags & S_SOM else (part & 0x3fff) << 32 | offset
    return struct.pack("!BBHBBHHHQIQQI", opcode, flags, msg_id, generation,
                       job >> 16 & 0xff, job & 0xffff, pid, index, at_target,
                       initiator, key, word, length)


def ses_small(length, pid=200, job=0, opcode=OP_WRITE):
    return struct.pack("!BBHBBHHHQ", opcode, S_REL | S_SOM | S_EOM, length, 0,
                       job >> 16 & 0xff, job & 0xffff, pid, 0, 0)


def ses_medium(length, pid=200, job=0, opcode=OP_SEND):
    return struct.pack("!BBHBBHHHQIQ", opcode, S_REL | S_SOM | S_EOM, length,
                       0, job >> 16 & 0xff, job & 0xffff, pid, 0, 0, 7, 0)


def response(code=1, msg_id=1, opcode=0, job=0, length=0, generation=0):
    return struct.pack("!BBHBBHI", opcode, code, msg_id, generation,
                       job >> 16 & 0xff, job & 0xffff, length)


def request(psn, spdcid, dpdcid=0, ptype=RUD_REQ, flags=F_AR, clear=-1,
            ses=None, payload=b"data", next_hdr=NH_STD, credit=0):
    """With F_SYN dpdcid holds pdc_info and psn_offset; credit: ccc_id, target"""
    if ses is None:
        ses = ses_std(length=len(payload))
    return (prologue(ptype, next_hdr, flags) +
            struct.pack("!hIHH", clear, psn & 0xffffffff, spdcid, dpdcid) +
            (struct.pack("!I", credit) if ptype in (RUD_CC_REQ, ROD_CC_REQ) else b"") +
            ses + payload)


def ack_cc(cack, spdcid, dpdcid, offset=0, sack_offset=1, sack=0, rcvd=1,
           mpr=8, flags=0, ses=None):
    nh = NH_NONE if ses is None else NH_RESPONSE
    return (prologue(ACK_CC, nh, flags) +
            struct.pack("!hIHHBBhQ", offset, cack & 0xffffffff, spdcid,
                        dpdcid, 0, mpr, sack_offset, sack) +
            struct.pack("!HIH", 10, rcvd & 0xffffff, 0) + (ses or b""))


def ack(cack, spdcid, dpdcid, offset=0, flags=0, ses=None):
    nh = NH_NONE if ses is None else NH_RESPONSE
    return (prologue(ACK, nh, flags) +
            struct.pack("!hIHH", offset, cack & 0xffffffff, spdcid, dpdcid) +
            (ses or b""))


def nack(code, psn, spdcid, dpdcid, flags=0, payload=0):
    return (prologue(NACK, 0, flags) +
            struct.pack("!BBIHHI", code, 0, psn & 0xffffffff, spdcid, dpdcid,
                        payload))


def control(kind, psn, spdcid, dpdcid, flags=F_AR, payload=0, opaque=0):
    return (prologue(CP, kind, flags) +
            struct.pack("!HIHHI", opaque, psn & 0xffffffff, spdcid, dpdcid,
                        payload & 0xffffffff))


def rudi(pkt_id=1, ptype=RUDI_REQ, flags=0, ses=None, payload=b"data"):
    """A RUDI_REQ, of a write if nothing else is said, or a RUDI_RESP"""
    answer = ptype == RUDI_RESP
    if ses is None:
        ses = response() if answer else ses_std(opcode=OP_WRITE, length=len(payload),
                                                key=KEY_IDEMPOTENT)
    return (prologue(ptype, NH_RESPONSE if answer else NH_STD, flags) +
            struct.pack("!HI", 0, pkt_id & 0xffffffff) + ses +
            (b"" if answer else payload))


def uud(pid=200, payload=b"data"):
    return (prologue(UUD_REQ, NH_MEDIUM, 0) + b"\0\0" +
            ses_medium(len(payload), opcode=OP_DATAGRAM_SEND, pid=pid) + payload)


def samples(psn=0x1000, spdcid=0x7777, dpdcid=0x6666):
    """One well-formed packet of every kind"""
    out = {
        "rud": request(psn, spdcid, dpdcid),
        "rud syn": request(psn, spdcid, 0, flags=F_AR | F_SYN),
        "rod": request(psn, spdcid, dpdcid, ptype=ROD_REQ),
        "rod syn": request(psn, spdcid + 1, 0, ptype=ROD_REQ,
                           flags=F_AR | F_SYN),
        "rud_cc": request(psn, spdcid, dpdcid, ptype=RUD_CC_REQ),
        "rod_cc": request(psn, spdcid, dpdcid, ptype=ROD_CC_REQ),
        "medium": request(psn, spdcid, dpdcid, ses=ses_medium(4),
                          next_hdr=NH_MEDIUM),
        "middle": request(psn, spdcid, dpdcid,
                          ses=ses_std(flags=S_REL, length=10000, offset=4096,
                                      part=4)),
        "msg_error": request(psn, spdcid, dpdcid,
                             ses=ses_std(opcode=OP_MSG_ERROR), payload=b""),
        "ack": ack(psn, spdcid, dpdcid, ses=response()),
        "ack_cc": ack_cc(psn, spdcid, dpdcid, sack=0xff, ses=response()),
        "ack_ccx": prologue(ACK_CCX, 0, 0) + ack_cc(psn, spdcid, dpdcid)[2:] +
                   bytes(8),
        "nack": nack(7, psn, spdcid, dpdcid),
        "nack_ccx": prologue(NACK_CCX, 0, 0) +
                    nack(7, psn, spdcid, dpdcid)[2:] + bytes(16),
        "rudi": rudi(), "rudi_resp": rudi(ptype=RUDI_RESP), "uud": uud(),
    }
    for kind in range(16):
        out[f"cp{kind}"] = control(kind, psn, spdcid, dpdcid)
    return out
