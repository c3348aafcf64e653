// SPDX-License-Identifier: GPL-2.0
/*
 * Extension headers of SES requests, parsed on demand. hdr_parse.c has checked
 * that the packet contains them.
 */
#include "bytes.h"
#include "hdr_parse.h"

void uet_ses_parse_atomic(struct uet_ses_atomic *ext, const struct uet_pkt *pkt,
			  const void *data)
{
	const u8 *p = data + pkt->hdr_len - pkt->ses.ext_len;

	memset(ext, 0, sizeof(*ext));
	ext->opcode = p[0];
	ext->datatype = p[1];
	ext->semantic = p[2];
	if (pkt->ses.ext_len != UET_SES_CSWAP_LEN)
		return;
	ext->compare_hi = uet_get_be64(p + 4);
	ext->compare = uet_get_be64(p + 12);
	ext->swap_hi = uet_get_be64(p + 20);
	ext->swap = uet_get_be64(p + 28);
}

void uet_ses_parse_rendezvous(struct uet_ses_rendezvous *ext,
			      const struct uet_pkt *pkt, const void *data)
{
	const u8 *p = data + pkt->hdr_len - pkt->ses.ext_len;
	u32 buffer = uet_get_be32(p + 4);

	ext->eager_length = uet_get_be32(p);
	ext->generation = FIELD_GET(UET_RDV_GENERATION, buffer);
	ext->pid = FIELD_GET(UET_RDV_PID, buffer);
	ext->ri = FIELD_GET(UET_RDV_RI, buffer);
	ext->read_offset = uet_get_be64(p + 8);
	ext->read_key = uet_get_be64(p + 16);
}
