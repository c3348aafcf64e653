// SPDX-License-Identifier: GPL-2.0
/* Source of RUDI packets: window, timeouts, retransmission. */
#include "../wire/nack.h"
#include "loss.h"
#include "rudi.h"

/* Longest pause after a NACK for shortage */
#define RUDI_HOLD_MAX_NS	(128 * 1000 * 1000ULL)
#define RUDI_SHIFT_MAX		16

void uet_rudi_win_init(struct uet_rudi_win *w, u32 full)
{
	*w = (struct uet_rudi_win){
		.cwnd = (u64)full * UET_RUDI_FIRST,
		.ssthresh = (u64)full * UET_RUDI_MOST,
		.full = full,
	};
}

bool uet_rudi_win_open(const struct uet_rudi_win *w, u32 size, u64 limit)
{
	u64 most = limit ? min(w->cwnd, limit) : w->cwnd;

	return !w->inflight || w->inflight + size <= most;
}

/* rto_max_ms is for a silent peer. Round trips that are longer, or may be, count. */
static u64 rudi_rto(const struct uet_rudi_win *w, const struct uet_rudi_try *t,
		    const struct uet_snd_rules *rules)
{
	u64 rto = max((w->rtt.srtt >> 3) + w->rtt.var, w->rto_min);
	u64 most = max((u64)rules->rto_max_ms * 1000000, 2 * rto);

	rto = max_t(u64, rto, (u64)rules->rto_min_us * 1000);
	rto <<= min_t(u16, t->timeouts, RUDI_SHIFT_MAX);
	return min3(rto, most, (u64)UET_RTO_LIMIT_NS);
}

u64 uet_rudi_sent(struct uet_rudi_win *w, struct uet_rudi_try *t, u64 now,
		  const struct uet_snd_rules *rules)
{
	if (!t->since)
		t->since = now;
	else if (t->rtx < UET_RTX_COUNT_MANY)
		t->rtx++;
	t->sent = now;
	t->rto = rudi_rto(w, t, rules);
	t->flying = true;
	w->inflight += t->size;
	return now + t->rto;
}

static void rudi_landed(struct uet_rudi_win *w, struct uet_rudi_try *t)
{
	if (!t->flying)
		return;
	t->flying = false;
	w->inflight -= t->size;
}

static void rudi_cut(struct uet_rudi_win *w, u32 bytes)
{
	w->cwnd -= min_t(u64, bytes, w->cwnd);
	w->cwnd = max_t(u64, w->cwnd, w->full);
	w->ssthresh = w->cwnd;
}

/* Only a window that is used grows. */
static void rudi_grow(struct uet_rudi_win *w, u32 bytes)
{
	if (2 * w->inflight < w->cwnd)
		return;
	if (w->cwnd < w->ssthresh)
		w->cwnd += bytes;
	else
		w->cwnd += div64_u64((u64)bytes * w->full, w->cwnd);
	w->cwnd = min_t(u64, w->cwnd, (u64)w->full * UET_RUDI_MOST);
}

void uet_rudi_answered(struct uet_rudi_win *w, struct uet_rudi_try *t, u8 flags,
		       u64 now)
{
	u64 rtt;

	if (!uet_rtt_valid(t->rtx, flags & UET_F_RETX)) {
		w->rto_min = max(w->rto_min, t->rto);
	} else if (uet_rtt_sample(t->sent, 0, now, &rtt)) {
		uet_rtt_est_add(&w->rtt, rtt);
		w->rto_min = 0;
	}
	if (flags & UET_F_ECN)
		rudi_cut(w, t->size / 2);
	else
		rudi_grow(w, t->size);
	rudi_landed(w, t);
}

static bool rudi_short(u8 code)
{
	return code >= UET_NACK_NO_PDC_AVAIL && code <= UET_NACK_NO_RESOURCE;
}

static u64 rudi_pause(struct uet_rudi_try *t, const struct uet_snd_rules *rules)
{
	u64 pause = (u64)rules->nack_retx_us * 1000 << t->shorts;

	if (t->shorts < RUDI_SHIFT_MAX)
		t->shorts++;
	return min(pause, RUDI_HOLD_MAX_NS);
}

enum uet_rudi_verdict uet_rudi_nacked(struct uet_rudi_win *w,
				      struct uet_rudi_try *t, u8 code, u64 now,
				      const struct uet_snd_rules *rules, u64 *at)
{
	enum uet_nack_class class = uet_nack_class(code);

	if (class == UET_NACK_CLASS_UNKNOWN)
		return UET_RUDI_IGNORE;
	/* Of a copy that timed out: what is to be sent goes as it would. */
	if (!t->flying && class == UET_NACK_CLASS_NORMAL)
		return UET_RUDI_IGNORE;
	rudi_landed(w, t);
	if (class == UET_NACK_CLASS_FATAL)
		return UET_RUDI_FAIL;
	if (class == UET_NACK_CLASS_ERROR && ++t->errors > rules->max_nack_retx)
		return UET_RUDI_FAIL;
	t->since = now;
	t->timeouts = 0;
	*at = now;
	if (rudi_short(code) || code == UET_NACK_RCVD_SES_PROCG ||
	    class == UET_NACK_CLASS_ERROR)
		*at += rudi_pause(t, rules);
	else
		t->shorts = 0;
	if (code != UET_NACK_RCVD_SES_PROCG)
		rudi_cut(w, t->size);
	return UET_RUDI_AGAIN;
}

enum uet_rudi_verdict uet_rudi_expired(struct uet_rudi_win *w,
				       struct uet_rudi_try *t, u64 now,
				       const struct uet_snd_rules *rules)
{
	u64 ssthresh = w->ssthresh;

	rudi_landed(w, t);
	rudi_cut(w, t->size);
	/* Before the first sample it may say only that round trips are longer. */
	if (!w->rtt.srtt)
		w->ssthresh = ssthresh;
	if (t->timeouts < U16_MAX)
		t->timeouts++;
	if (t->timeouts > rules->max_rto_retx &&
	    now - t->since >= (u64)rules->peer_timeout_s * 1000000000)
		return UET_RUDI_FAIL;
	return UET_RUDI_AGAIN;
}

void uet_rudi_gone(struct uet_rudi_win *w, struct uet_rudi_try *t)
{
	rudi_landed(w, t);
}
