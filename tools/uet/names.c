// SPDX-License-Identifier: GPL-2.0
/*
 * Names of values, and those of the codes that a peer answers with (UE 1.0: SES
 * return codes, PDS NACK codes).
 */
#include <stddef.h>

#include "names.h"

#define N_ELEM(_a)	(sizeof(_a) / sizeof((_a)[0]))

const char *name_of(const struct names *names, unsigned int value)
{
	return value < names->n ? names->of[value].name : NULL;
}

const char *doc_of(const struct names *names, unsigned int value)
{
	return value < names->n ? names->of[value].doc : "";
}

static const char *const ses_codes[] = {
	[2] = "BAD_GENERATION",
	[3] = "DISABLED",
	[4] = "DISABLED_GEN",
	[5] = "NO_MATCH",
	[6] = "UNSUPPORTED_OP",
	[7] = "UNSUPPORTED_SIZE",
	[23] = "PERM_VIOLATION",
	[24] = "OP_VIOLATION",
	[25] = "BAD_INDEX",
	[26] = "BAD_PID",
	[27] = "BAD_JOB_ID",
	[28] = "BAD_MKEY",
	[29] = "BAD_ADDR",
	[30] = "CANCELLED",
	[31] = "UNDELIVERABLE",
	[34] = "TOO_LONG",
	[35] = "INITIATOR_ERR",
	[36] = "DROPPED",
};

static const char *const nack_codes[] = {
	[14] = "INV_DPDCID",
	[15] = "PDC_HDR_MISMATCH",
	[16] = "CLOSING",
	[17] = "CLOSING_IN_ERR",
	[18] = "PKT_NOT_RCVD",
	[19] = "GTD_RESP_UNAVAIL",
	[20] = "ACK_WITH_DATA",
	[21] = "INVALID_SYN",
	[22] = "PDC_MODE_MISMATCH",
	[25] = "UNEXP_EVENT",
	[254] = "EXP_ERROR",
	[255] = "EXP_FATAL",
};

const char *name_of_ses_code(unsigned int code)
{
	return code < N_ELEM(ses_codes) ? ses_codes[code] : NULL;
}

const char *name_of_nack_code(unsigned int code)
{
	return code < N_ELEM(nack_codes) ? nack_codes[code] : NULL;
}
