-- SPDX-License-Identifier: GPL-2.0
--
-- Code points of UET and their names, UE 1.0 3.4 (SES) and 3.5 (PDS). The spelling is
-- that of net/uet/core/wire/wire.h and wire_ses.h without the prefix; tools/wireshark/check
-- compares the two.

local names = {}

names.pds_type = {
	[0] = "reserved", "TSS", "RUD_REQ", "ROD_REQ", "RUDI_REQ", "RUDI_RESP", "UUD_REQ",
	"ACK", "ACK_CC", "ACK_CCX", "NACK", "CP", "NACK_CCX", "RUD_CC_REQ", "ROD_CC_REQ",
}

names.next_hdr = {
	[0] = "NONE", "REQ_SMALL", "REQ_MEDIUM", "REQ_STD", "RSP", "RSP_DATA",
	"RSP_DATA_SMALL",
}

names.ctl_type = {
	[0] = "NOOP", "ACK_REQ", "CLEAR_CMD", "CLEAR_REQ", "CLOSE_CMD", "CLOSE_REQ",
	"PROBE", "CREDIT", "CREDIT_REQ", "NEGOTIATION",
}

names.ack_req = { [0] = "none", "CLEAR", "CLOSE", "reserved" }

-- State in an ACK_CC; in an ACK_CCX 14 and 15 are for vendors
names.cc_type = { [0] = "NSCC", "CREDIT" }
names.ccx_type = { [14] = "vendor", [15] = "vendor" }

names.nack_code = {
	"TRIMMED", "TRIMMED_LASTHOP", "TRIMMED_ACK", "NO_PDC_AVAIL",
	"NO_CCC_AVAIL", "NO_BITMAP", "NO_PKT_BUFFER", "NO_GTD_DEL_AVAIL",
	"NO_SES_MSG_AVAIL", "NO_RESOURCE", "PSN_OOR_WINDOW",
	[0x0d] = "ROD_OOO",
	[0x0e] = "INV_DPDCID",
	[0x0f] = "PDC_HDR_MISMATCH",
	[0x10] = "CLOSING",
	[0x11] = "CLOSING_IN_ERR",
	[0x12] = "PKT_NOT_RCVD",
	[0x13] = "GTD_RESP_UNAVAIL",
	[0x14] = "ACK_WITH_DATA",
	[0x15] = "INVALID_SYN",
	[0x16] = "PDC_MODE_MISMATCH",
	[0x17] = "NEW_START_PSN",
	[0x18] = "RCVD_SES_PROCG",
	[0x19] = "UNEXP_EVENT",
	[0x1a] = "RCVR_INFER_LOSS",
	[0xfd] = "EXP_NORMAL",
	[0xfe] = "EXP_ERROR",
	[0xff] = "EXP_FATAL",
}

-- What a NACK means for the PDC. Normal: the packet is sent again. Error: the same, up
-- to a limit. Fatal: the PDC ends.
names.nack_class = { [0] = "unknown", "normal", "error", "fatal" }

local fatal = { 0x0e, 0x0f, 0x10, 0x11, 0x13, 0x15, 0x16, 0x19, 0xff }
local err = { 0x12, 0x14, 0xfe }

names.class_of_nack = {}
for code in pairs(names.nack_code) do
	names.class_of_nack[code] = 1
end
for _, code in ipairs(err) do
	names.class_of_nack[code] = 2
end
for _, code in ipairs(fatal) do
	names.class_of_nack[code] = 3
end

names.ses_op = {
	[0] = "NO_OP", "WRITE", "READ", "ATOMIC", "FETCHING_ATOMIC", "SEND",
	"RENDEZVOUS_SEND", "DATAGRAM_SEND", "DEFERRABLE_SEND", "TAGGED_SEND",
	"RENDEZVOUS_TSEND", "DEFERRABLE_TSEND", "DEFERRABLE_RTR", "TSEND_ATOMIC",
	"TSEND_FETCH_ATOMIC", "MSG_ERROR",
	[0x3f] = "extended",
}
for op = 0x30, 0x3e do
	names.ses_op[op] = "vendor"
end

names.rsp_list = { [0] = "EXPECTED", "OVERFLOW", "vendor", "vendor" }
names.rsp_op = { [0] = "DEFAULT", "RESPONSE", "DATA", "NO_RESPONSE" }

names.rc = {
	[0] = "NULL", "OK", "BAD_GENERATION", "DISABLED", "DISABLED_GEN", "NO_MATCH",
	"UNSUPPORTED_OP", "UNSUPPORTED_SIZE", "AT_INVALID", "AT_PERM", "AT_ATS_ERROR",
	"AT_NO_TRANS", "AT_OUT_OF_RANGE", "HOST_POISONED", "HOST_UNSUCCESS_CMPL",
	"AMO_UNSUPPORTED_OP", "AMO_UNSUPPORTED_DT", "AMO_UNSUPPORTED_SIZE",
	"AMO_UNALIGNED", "AMO_FP_NAN", "AMO_FP_UNDERFLOW", "AMO_FP_OVERFLOW",
	"AMO_FP_INEXACT", "PERM_VIOLATION", "OP_VIOLATION", "BAD_INDEX", "BAD_PID",
	"BAD_JOB_ID", "BAD_MKEY", "BAD_ADDR", "CANCELLED", "UNDELIVERABLE", "UNCOR",
	"UNCOR_TRNSNT", "TOO_LONG", "INITIATOR_ERR", "DROPPED",
	[0x3e] = "EXTENDED",
}
for code = 0x30, 0x37 do
	names.rc[code] = "vendor"
end

names.amo_op = {
	[0] = "MIN", "MAX", "SUM", "DIFF", "PROD", "LOR", "LAND", "BOR", "BAND", "LXOR",
	"BXOR", "READ", "WRITE", "CSWAP", "CSWAP_NE", "CSWAP_LE", "CSWAP_LT", "CSWAP_GE",
	"CSWAP_GT", "MSWAP", "INVAL",
}
for op = 0xe0, 0xfe do
	names.amo_op[op] = "vendor"
end

names.amo_type = {
	[0] = "INT8", "UINT8", "INT16", "UINT16", "INT32", "UINT32", "INT64", "UINT64",
	"INT128", "UINT128", "FLOAT", "DOUBLE", "FLOAT_COMPLEX", "DOUBLE_COMPLEX",
	"LONG_DOUBLE", "LONG_DOUBLE_COMPLEX", "BF16", "FP16",
}

return names
