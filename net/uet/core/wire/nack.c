// SPDX-License-Identifier: GPL-2.0
/* Classes of NACK codes; gaps in the table are reserved codes. */
#include "nack.h"

#define NACK_CODES	256

#define N(code, cls)					\
	[UET_NACK_##code] = UET_NACK_CLASS_##cls

static const u8 nack_classes[NACK_CODES] = {
	/* Reserved by UE 1.0. Drafts had it; that it is taken is an extension of ours. */
	[0x0c] = UET_NACK_CLASS_NORMAL,
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

enum uet_nack_class uet_nack_class(u8 code)
{
	return nack_classes[code];
}
