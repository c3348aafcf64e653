// SPDX-License-Identifier: GPL-2.0
/*
 * Headers of a run, see hdr_run.h.
 *
 * A header is seven words of 64 bits. Words 2 to 4 are the same in all packets of a
 * message. The others have what changes: PSN and the distance of CLEAR_PSN (0),
 * flags (0 and 1), payload length (5), and offset in the message (6). The packet
 * that starts a message has header data instead of length and offset, which are 0
 * and what follows it.
 */
#include "bytes.h"
#include "hdr_run.h"

/* Offsets of words and of bytes that hold flags */
#define RUN_PSN		0
#define RUN_PDS_FLAGS	1
#define RUN_IDS		8
#define RUN_SES_FLAGS	(RUN_IDS + 5)
#define RUN_SAME	16
#define RUN_SAME_LEN	24
#define RUN_LEN		40
#define RUN_OFFSET	48

/* Flags in their words */
#define RUN_AR		((u64)UET_F_AR << 48)
#define RUN_SES_F(f)	((u64)(f) << 16)

static_assert(UET_PDS_REQ_LEN + offsetof(struct uet_ses_common_wire, flags) ==
	      RUN_SES_FLAGS);
static_assert(RUN_SAME + RUN_SAME_LEN == RUN_LEN);
static_assert(UET_PDS_REQ_LEN +
	      offsetof(struct uet_ses_std_wire, header_data) + 4 == RUN_OFFSET);
static_assert(RUN_OFFSET + sizeof(u64) == UET_HDR_RUN_LEN);

/**
 * struct run_words - the words of the next header that may differ from the last one
 * @psn: prologue, distance of CLEAR_PSN, PSN
 * @ids: PDCIDs, opcode, SES flags, message id
 * @len: second half of the key, payload length
 * @off: offset in the message, request length
 */
struct run_words {
	u64 psn;
	u64 ids;
	u64 len;
	u64 off;
};

/* The distance of CLEAR_PSN for the next PSN; the field has 16 bits. */
static u16 run_clear_offset(u16 offset)
{
	return (u16)max((s16)offset - 1, -S16_MAX);
}

static void run_next(struct run_words *w, const u8 *from, u32 len)
{
	u64 psn = uet_get_be64(from + RUN_PSN);
	u64 off = uet_get_be64(from + RUN_OFFSET);

	w->psn = (psn & ~RUN_AR & GENMASK_ULL(63, 48)) |
		 (u64)run_clear_offset((u16)(psn >> 32)) << 32 | (u32)(psn + 1);
	w->ids = uet_get_be64(from + RUN_IDS) &
		 ~RUN_SES_F(UET_SES_F_SOM | UET_SES_F_HD);
	w->len = (uet_get_be64(from + RUN_LEN) & GENMASK_ULL(63, 32)) | len;
	if (from[RUN_SES_FLAGS] & UET_SES_F_SOM)
		off = (u32)off;
	w->off = off + ((u64)len << 32);
}

void uet_hdr_next(u8 *to, const u8 *from, u32 len)
{
	struct run_words w;

	run_next(&w, from, len);
	uet_put_be64(w.psn, to + RUN_PSN);
	uet_put_be64(w.ids, to + RUN_IDS);
	memcpy(to + RUN_SAME, from + RUN_SAME, RUN_SAME_LEN);
	uet_put_be64(w.len, to + RUN_LEN);
	uet_put_be64(w.off, to + RUN_OFFSET);
}

void uet_hdr_set_len(u8 *hdr, u32 len)
{
	uet_put_be32(len, hdr + RUN_LEN + 4);
}

u32 uet_hdr_len(const u8 *hdr)
{
	return uet_get_be32(hdr + RUN_LEN + 4) & UET_SES_LEN14;
}

void uet_hdr_end(u8 *hdr, bool ar, bool eom)
{
	if (ar)
		hdr[RUN_PDS_FLAGS] |= UET_F_AR;
	if (eom)
		hdr[RUN_SES_FLAGS] |= UET_SES_F_EOM;
}

bool uet_hdr_follows(const u8 *prev, const u8 *hdr, u32 len, bool last)
{
	u64 psn, ids, length, off;
	struct run_words w;

	run_next(&w, prev, len);
	psn = uet_get_be64(hdr + RUN_PSN) ^ w.psn;
	ids = uet_get_be64(hdr + RUN_IDS) ^ w.ids;
	length = uet_get_be64(hdr + RUN_LEN) ^ w.len;
	off = uet_get_be64(hdr + RUN_OFFSET) ^ w.off;
	if (last) {
		psn &= ~RUN_AR;
		ids &= ~RUN_SES_F(UET_SES_F_EOM);
		if (uet_hdr_len(hdr) - 1 < len)
			length &= ~(u64)UET_SES_LEN14;
	}
	return !(psn | ids | length | off) &&
	       !memcmp(hdr + RUN_SAME, prev + RUN_SAME, RUN_SAME_LEN);
}

bool uet_hdr_has_ar(const u8 *hdr)
{
	return hdr[RUN_PDS_FLAGS] & UET_F_AR;
}

bool uet_hdr_has_eom(const u8 *hdr)
{
	return hdr[RUN_SES_FLAGS] & UET_SES_F_EOM;
}
