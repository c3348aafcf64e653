// SPDX-License-Identifier: GPL-2.0
/* Names and classes of code points; gaps in the tables are reserved values. */
#include "hdr_parse.h"
#include "names.h"

#define NACK_CODES	256

struct nack_info {
	const char *name;
	u8 class;
};

#define N(code, cls)					\
	[UET_NACK_##code] = { #code, UET_NACK_CLASS_##cls }

static const struct nack_info nack_infos[NACK_CODES] = {
	/* Reserved, but used by drafts and later editions of UE 1.0 */
	[0x0c] = { "RESERVED_0C", UET_NACK_CLASS_NORMAL },
	N(TRIMMED, NORMAL),
	N(TRIMMED_LASTHOP, NORMAL),
	N(TRIMMED_ACK, NORMAL),
	N(NO_PDC_AVAIL, NORMAL),
	N(NO_CCC_AVAIL, NORMAL),
	N(NO_BITMAP, NORMAL),
	N(NO_PKT_BUFFER, NORMAL),
	N(NO_GTD_DEL_AVAIL, NORMAL),
	N(NO_SES_MSG_AVAIL, NORMAL),
	N(NO_RESOURCE, NORMAL),
	N(PSN_OOR_WINDOW, NORMAL),
	N(ROD_OOO, NORMAL),
	N(INV_DPDCID, FATAL),
	N(PDC_HDR_MISMATCH, FATAL),
	N(CLOSING, FATAL),
	N(CLOSING_IN_ERR, FATAL),
	N(PKT_NOT_RCVD, ERROR),
	N(GTD_RESP_UNAVAIL, FATAL),
	N(ACK_WITH_DATA, ERROR),
	N(INVALID_SYN, FATAL),
	N(PDC_MODE_MISMATCH, FATAL),
	N(NEW_START_PSN, NORMAL),
	N(RCVD_SES_PROCG, NORMAL),
	N(UNEXP_EVENT, FATAL),
	N(RCVR_INFER_LOSS, NORMAL),
	N(EXP_NORMAL, NORMAL),
	N(EXP_ERROR, ERROR),
	N(EXP_FATAL, FATAL),
};

static const char *names_of(const char * const *names, unsigned int n,
			    unsigned int value)
{
	return value < n && names[value] ? names[value] : "RESERVED";
}

enum uet_nack_class uet_nack_class(u8 code)
{
	return nack_infos[code].class;
}

const char *uet_nack_name(u8 code)
{
	return nack_infos[code].name ? nack_infos[code].name : "RESERVED";
}

const char *uet_pds_type_name(u8 type)
{
	static const char * const names[] = {
		[UET_PDS_TSS] = "TSS",
		[UET_PDS_RUD_REQ] = "RUD_REQ",
		[UET_PDS_ROD_REQ] = "ROD_REQ",
		[UET_PDS_RUDI_REQ] = "RUDI_REQ",
		[UET_PDS_RUDI_RESP] = "RUDI_RESP",
		[UET_PDS_UUD_REQ] = "UUD_REQ",
		[UET_PDS_ACK] = "ACK",
		[UET_PDS_ACK_CC] = "ACK_CC",
		[UET_PDS_ACK_CCX] = "ACK_CCX",
		[UET_PDS_NACK] = "NACK",
		[UET_PDS_CP] = "CP",
		[UET_PDS_NACK_CCX] = "NACK_CCX",
		[UET_PDS_RUD_CC_REQ] = "RUD_CC_REQ",
		[UET_PDS_ROD_CC_REQ] = "ROD_CC_REQ",
	};

	return names_of(names, ARRAY_SIZE(names), type);
}

const char *uet_ctl_type_name(u8 ctl_type)
{
	static const char * const names[] = {
		[UET_CTL_NOOP] = "NOOP",
		[UET_CTL_ACK_REQ] = "ACK_REQ",
		[UET_CTL_CLEAR_CMD] = "CLEAR_CMD",
		[UET_CTL_CLEAR_REQ] = "CLEAR_REQ",
		[UET_CTL_CLOSE_CMD] = "CLOSE_CMD",
		[UET_CTL_CLOSE_REQ] = "CLOSE_REQ",
		[UET_CTL_PROBE] = "PROBE",
		[UET_CTL_CREDIT] = "CREDIT",
		[UET_CTL_CREDIT_REQ] = "CREDIT_REQ",
		[UET_CTL_NEGOTIATION] = "NEGOTIATION",
	};

	return names_of(names, ARRAY_SIZE(names), ctl_type);
}

const char *uet_ses_op_name(u8 opcode)
{
	static const char * const names[] = {
		[UET_SES_OP_NO_OP] = "NO_OP",
		[UET_SES_OP_WRITE] = "WRITE",
		[UET_SES_OP_READ] = "READ",
		[UET_SES_OP_ATOMIC] = "ATOMIC",
		[UET_SES_OP_FETCHING_ATOMIC] = "FETCHING_ATOMIC",
		[UET_SES_OP_SEND] = "SEND",
		[UET_SES_OP_RENDEZVOUS_SEND] = "RENDEZVOUS_SEND",
		[UET_SES_OP_DATAGRAM_SEND] = "DATAGRAM_SEND",
		[UET_SES_OP_DEFERRABLE_SEND] = "DEFERRABLE_SEND",
		[UET_SES_OP_TAGGED_SEND] = "TAGGED_SEND",
		[UET_SES_OP_RENDEZVOUS_TSEND] = "RENDEZVOUS_TSEND",
		[UET_SES_OP_DEFERRABLE_TSEND] = "DEFERRABLE_TSEND",
		[UET_SES_OP_DEFERRABLE_RTR] = "DEFERRABLE_RTR",
		[UET_SES_OP_TSEND_ATOMIC] = "TSEND_ATOMIC",
		[UET_SES_OP_TSEND_FETCH_ATOMIC] = "TSEND_FETCH_ATOMIC",
		[UET_SES_OP_MSG_ERROR] = "MSG_ERROR",
	};

	return names_of(names, ARRAY_SIZE(names), opcode);
}

const char *uet_rc_name(u8 code)
{
	static const char * const names[] = {
		[UET_RC_NULL] = "NULL",
		[UET_RC_OK] = "OK",
		[UET_RC_BAD_GENERATION] = "BAD_GENERATION",
		[UET_RC_DISABLED] = "DISABLED",
		[UET_RC_DISABLED_GEN] = "DISABLED_GEN",
		[UET_RC_NO_MATCH] = "NO_MATCH",
		[UET_RC_UNSUPPORTED_OP] = "UNSUPPORTED_OP",
		[UET_RC_UNSUPPORTED_SIZE] = "UNSUPPORTED_SIZE",
		[UET_RC_AT_INVALID] = "AT_INVALID",
		[UET_RC_AT_PERM] = "AT_PERM",
		[UET_RC_AT_ATS_ERROR] = "AT_ATS_ERROR",
		[UET_RC_AT_NO_TRANS] = "AT_NO_TRANS",
		[UET_RC_AT_OUT_OF_RANGE] = "AT_OUT_OF_RANGE",
		[UET_RC_HOST_POISONED] = "HOST_POISONED",
		[UET_RC_HOST_UNSUCCESS_CMPL] = "HOST_UNSUCCESS_CMPL",
		[UET_RC_AMO_UNSUPPORTED_OP] = "AMO_UNSUPPORTED_OP",
		[UET_RC_AMO_UNSUPPORTED_DT] = "AMO_UNSUPPORTED_DT",
		[UET_RC_AMO_UNSUPPORTED_SIZE] = "AMO_UNSUPPORTED_SIZE",
		[UET_RC_AMO_UNALIGNED] = "AMO_UNALIGNED",
		[UET_RC_AMO_FP_NAN] = "AMO_FP_NAN",
		[UET_RC_AMO_FP_UNDERFLOW] = "AMO_FP_UNDERFLOW",
		[UET_RC_AMO_FP_OVERFLOW] = "AMO_FP_OVERFLOW",
		[UET_RC_AMO_FP_INEXACT] = "AMO_FP_INEXACT",
		[UET_RC_PERM_VIOLATION] = "PERM_VIOLATION",
		[UET_RC_OP_VIOLATION] = "OP_VIOLATION",
		[UET_RC_BAD_INDEX] = "BAD_INDEX",
		[UET_RC_BAD_PID] = "BAD_PID",
		[UET_RC_BAD_JOB_ID] = "BAD_JOB_ID",
		[UET_RC_BAD_MKEY] = "BAD_MKEY",
		[UET_RC_BAD_ADDR] = "BAD_ADDR",
		[UET_RC_CANCELLED] = "CANCELLED",
		[UET_RC_UNDELIVERABLE] = "UNDELIVERABLE",
		[UET_RC_UNCOR] = "UNCOR",
		[UET_RC_UNCOR_TRNSNT] = "UNCOR_TRNSNT",
		[UET_RC_TOO_LONG] = "TOO_LONG",
		[UET_RC_INITIATOR_ERR] = "INITIATOR_ERR",
		[UET_RC_DROPPED] = "DROPPED",
		[UET_RC_EXTENDED] = "EXTENDED",
	};

	return names_of(names, ARRAY_SIZE(names), code);
}

const char *uet_parse_err_name(unsigned int err)
{
	static const char * const names[UET_PERR_MAX] = {
		[UET_PERR_NONE] = "none",
		[UET_PERR_SHORT] = "short",
		[UET_PERR_SHORT_SES] = "short_ses",
		[UET_PERR_SHORT_EXT] = "short_ext",
		[UET_PERR_LINEAR] = "linear",
		[UET_PERR_OVERSIZE] = "oversize",
		[UET_PERR_TSS] = "tss",
		[UET_PERR_TYPE] = "type",
		[UET_PERR_NEXT_HDR] = "next_hdr",
		[UET_PERR_CTL_TYPE] = "ctl_type",
		[UET_PERR_SES_VERSION] = "ses_version",
		[UET_PERR_RSP_OPCODE] = "rsp_opcode",
		[UET_PERR_TRIMMED_TYPE] = "trimmed_type",
	};

	return err < UET_PERR_MAX ? names[err] : "unknown";
}
