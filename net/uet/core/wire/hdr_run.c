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
#define RUN_REST	16
#define RUN_LEN		40
#define RUN_OFFSET	48

/* Words of uet_hdr_run.same with what is not in all packets */
#define RUN_SAME_IDS	0
#define RUN_SAME_LEN	4

/* Flags in their words */
#define RUN_AR		((u64)UET_F_AR << 48)
#define RUN_SES_F(f)	((u64)(f) << 16)

static_assert(UET_PDS_REQ_LEN + offsetof(struct uet_ses_common_wire, flags) ==
	      RUN_SES_FLAGS);
static_assert(RUN_IDS + 8 * RUN_SAME_LEN == RUN_LEN);
static_assert(RUN_IDS + sizeof_field(struct uet_hdr_run, same) == RUN_OFFSET);
static_assert(UET_PDS_REQ_LEN +
	      offsetof(struct uet_ses_std_wire, header_data) + 4 == RUN_OFFSET);
static_assert(RUN_OFFSET + sizeof(u64) == UET_HDR_RUN_LEN);

/* The distance of CLEAR_PSN for the next PSN; the field has 16 bits. */
static u16 run_clear_offset(u16 offset)
{
	return (u16)max((s16)offset - 1, -S16_MAX);
}

void uet_hdr_run_begin(struct uet_hdr_run *run, const u8 *first, u32 len)
{
	u64 ids = uet_get_be64(first + RUN_IDS);
	u64 length = uet_get_be64(first + RUN_LEN);

	run->psn = uet_get_be64(first + RUN_PSN) & ~RUN_AR;
	run->off = uet_get_be64(first + RUN_OFFSET);
	if (ids & RUN_SES_F(UET_SES_F_SOM))
		run->off = (u32)run->off;
	run->add = (u64)len << 32;
	ids &= ~RUN_SES_F(UET_SES_F_SOM | UET_SES_F_HD);
	length = (length & GENMASK_ULL(63, 32)) | len;
	uet_put_be64(ids, &run->same[RUN_SAME_IDS]);
	memcpy(&run->same[RUN_SAME_IDS + 1], first + RUN_IDS + sizeof(ids),
	       (RUN_SAME_LEN - 1) * sizeof(u64));
	uet_put_be64(length, &run->same[RUN_SAME_LEN]);
}

static void run_step(struct uet_hdr_run *run)
{
	u64 psn = run->psn;

	run->psn = (psn & GENMASK_ULL(63, 48)) |
		   (u64)run_clear_offset((u16)(psn >> 32)) << 32 |
		   (u32)(psn + 1);
	run->off += run->add;
}

void uet_hdr_run_put(struct uet_hdr_run *run, u8 *to)
{
	run_step(run);
	uet_put_be64(run->psn, to + RUN_PSN);
	memcpy(to + RUN_IDS, run->same, sizeof(run->same));
	uet_put_be64(run->off, to + RUN_OFFSET);
}

/* A word as it is in a header */
static __always_inline u64 run_word(const void *p)
{
	u64 word;

	memcpy(&word, p, sizeof(word));
	return word;
}

/* ... of which the bits of @val are set */
static u64 run_word_of(u64 val)
{
	u64 word;

	uet_put_be64(val, &word);
	return word;
}

/* What a header differs in from what is expected: in the words that the last packet of a
 * run may change, and in all others
 */
struct run_diff {
	u64 psn;
	u64 ids;
	u64 length;
	u64 rest;
};

static __always_inline struct run_diff run_compare(struct uet_hdr_run *run,
						   const u8 *hdr)
{
	const u64 *same = run->same;

	run_step(run);
	return (struct run_diff){
		.psn	= uet_get_be64(hdr + RUN_PSN) ^ run->psn,
		.ids	= run_word(hdr + RUN_IDS) ^ same[RUN_SAME_IDS],
		.length	= run_word(hdr + RUN_LEN) ^ same[RUN_SAME_LEN],
		.rest	= (run_word(hdr + RUN_REST) ^ same[1]) |
			  (run_word(hdr + RUN_REST + 8) ^ same[2]) |
			  (run_word(hdr + RUN_REST + 16) ^ same[3]) |
			  (uet_get_be64(hdr + RUN_OFFSET) ^ run->off),
	};
}

u32 uet_hdr_run_follow(struct uet_hdr_run *run, const u8 *hdr, u32 stride, u32 n)
{
	struct uet_hdr_run r = *run;
	u32 i;

	for (i = 0; i < n; i++, hdr += stride) {
		struct run_diff d = run_compare(&r, hdr);

		if (d.psn | d.ids | d.length | d.rest)
			return i;
	}
	run->psn = r.psn;
	run->off = r.off;
	return n;
}

bool uet_hdr_run_ends(struct uet_hdr_run *run, const u8 *hdr)
{
	struct run_diff d = run_compare(run, hdr);

	d.psn &= ~RUN_AR;
	d.ids &= ~run_word_of(RUN_SES_F(UET_SES_F_EOM));
	if (uet_hdr_len(hdr) - 1 < (u32)(run->add >> 32))
		d.length &= ~run_word_of(UET_SES_LEN14);
	return !(d.psn | d.ids | d.length | d.rest);
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

bool uet_hdr_has_ar(const u8 *hdr)
{
	return hdr[RUN_PDS_FLAGS] & UET_F_AR;
}

bool uet_hdr_has_eom(const u8 *hdr)
{
	return hdr[RUN_SES_FLAGS] & UET_SES_F_EOM;
}
