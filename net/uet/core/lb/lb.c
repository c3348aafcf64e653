// SPDX-License-Identifier: GPL-2.0
/*
 * Path selection (UE 1.0 3.6.16), the part that all policies share: placement
 * and size of the entropy space, and validation of the values a peer echoes.
 *
 * Not here: the choice of a value (one file per policy).
 */
#include "lb_live.h"

static const struct uet_lb_ops * const policies[] = {
	&uet_lb_single,
	&uet_lb_oblivious,
	&uet_lb_bitmap,
	&uet_lb_reps,
	&uet_lb_hybrid,
	&uet_lb_flowlet,
	&uet_lb_rtt,
	&uet_lb_conweave,
	&uet_lb_ecmp,
};

const struct uet_lb_ops *uet_lb_at(u32 i)
{
	return i < ARRAY_SIZE(policies) ? policies[i] : NULL;
}

const struct uet_lb_ops *uet_lb_find(const char *name)
{
	const struct uet_lb_ops *ops;
	u32 i;

	for (i = 0; (ops = uet_lb_at(i)); i++)
		if (!strcmp(name, ops->name))
			break;
	return ops;
}

u32 uet_lb_space(const struct uet_lb_ops *ops, u32 entropy_size)
{
	return ops->aware ? min_t(u32, entropy_size, UET_LB_AWARE_MAX) :
	       entropy_size;
}

u32 uet_lb_span(const struct uet_lb_ops *ops, u32 entropy_size)
{
	return ops->renews ? entropy_size : uet_lb_space(ops, entropy_size);
}

static size_t lb_table_bytes(const struct uet_lb_ops *ops, u32 n)
{
	return ((size_t)n * ops->ev_bytes + 7) & ~(size_t)7;
}

size_t uet_lb_mem_size(const struct uet_lb_ops *ops, u32 n)
{
	return sizeof(struct uet_lb) + lb_table_bytes(ops, n);
}

u16 uet_lb_choose_base(u32 n, u32 random, bool udp)
{
	u32 low = udp ? UET_LB_UDP_LOW : 1;
	u32 space = U16_MAX + 1;

	if (n > space - low)
		low = UET_LB_UDP_FLOOR;
	n = min_t(u32, n, space - low);
	return (u16)(low + (((u64)random * (space - low - n + 1)) >> 32));
}

u32 uet_lb_size_for(u64 cwnd, u32 size, u32 limit)
{
	u64 two_rtts = size ? div_u64(2 * cwnd, size) : 0;
	u32 n = UET_LB_AWARE_MIN;

	while (n < UET_LB_AWARE_MAX && 2ULL * n <= two_rtts)
		n *= 2;
	return min(n, limit);
}

/* Keep the size while the window is within a factor of two of @cwnd. */
static void lb_keep_between(struct uet_lb *lb, u64 cwnd)
{
	lb->wnd_low = 0;
	lb->wnd_span = U64_MAX;
	if (!lb->ops->aware || !lb->mtu)
		return;
	lb->wnd_low = (cwnd + 1) / 2;
	lb->wnd_span = 2 * cwnd - lb->wnd_low;
}

int uet_lb_init(struct uet_lb *lb, const struct uet_lb_ops *ops,
		const struct uet_lb_config *cfg)
{
	u32 span = cfg->span ?: cfg->n;

	if (!cfg->n || span < cfg->n || span > UET_LB_N_MAX ||
	    span % cfg->n || cfg->base + span > U16_MAX + 1)
		return -EINVAL;
	if (ops->aware && cfg->n > UET_LB_AWARE_MAX)
		return -EINVAL;
	if (cfg->threshold_pct > 100 || cfg->run > UET_LB_RUN_MAX ||
	    cfg->t_reroute > UET_LB_T_REROUTE_MAX)
		return -EINVAL;

	memset(lb, 0, uet_lb_mem_size(ops, cfg->n));
	lb->ops = ops;
	uet_prng_seed(&lb->prng, cfg->seed);
	lb->n_max = cfg->n;
	lb->n = lb->n_max;
	lb->span = span;
	lb->mtu = cfg->mtu;
	lb->unit = max_t(u32, cfg->run, 1);
	lb_keep_between(lb, cfg->cwnd);
	if (ops->aware && cfg->mtu)
		lb->n = uet_lb_size_for(cfg->cwnd, lb->mtu * lb->unit,
					lb->n_max);
	lb->base = cfg->base;
	lb->run = cfg->run;
	lb->threshold_pct = cfg->threshold_pct ?: UET_LB_THRESHOLD_DEFAULT_PCT;
	lb->trimming = cfg->trimming;
	lb->listens = ops->feedback || ops->evidence;
	lb->acked = ops->acked;
	uet_perm_init(&lb->perm, lb->n, uet_prng_u32(&lb->prng));
	if (ops->init)
		ops->init(lb, cfg);
	return 0;
}

/* Prefer a value acknowledged since about when the lost packet was sent; -1: none */
static noinline int lb_recall(struct uet_lb *lb, const struct uet_lb_ask *ask)
{
	u64 since = ask->now - max(ask->rtt, ask->base_rtt) - 3 * ask->target;
	u16 ev;

	return uet_lb_good_recall(&lb->good, since, ask->prev_ev, &ev) ? ev : -1;
}

u16 uet_lb_next(struct uet_lb *lb, const struct uet_lb_ask *ask, u16 *run)
{
	int ev;

	*run = lb->run ?: max_t(u16, ask->want, 1);
	if (unlikely(ask->rtx)) {
		*run = 1;
		ev = lb_recall(lb, ask);
		if (ev >= 0)
			return (u16)ev;
	}
	return lb->ops->next(lb, ask, run);
}

static noinline void lb_feedback_any(struct uet_lb *lb,
				     const struct uet_lb_signal *sig,
				     bool sprayed)
{
	u32 i = uet_lb_locate(lb, sig->ev);

	if (i >= lb->n_max || sig->reason > UET_LB_TIMEOUT)
		return;
	if (lb->live)
		uet_lb_live_feedback(&lb->live[i], sig);
	if (sig->again)
		return;
	if (!sprayed) {
		if (lb->ops->evidence)
			lb->ops->evidence(lb, sig);
		return;
	}
	if (lb->ops->recalls) {
		if (sig->reason == UET_LB_NO_ECN)
			uet_lb_good_came_back(&lb->good, sig->ev, sig->now);
		else if (sig->reason != UET_LB_ECN)
			uet_lb_good_forget(&lb->good, sig->ev);
	}
	if (lb->ops->feedback)
		lb->ops->feedback(lb, sig);
}

/* Fast path: an ACK of a sprayed CCC that keeps no history */
void uet_lb_feedback(struct uet_lb *lb, const struct uet_lb_signal *sig,
		     bool sprayed)
{
	const struct uet_lb_ops *ops = lb->ops;

	if (unlikely(!sprayed || sig->reason > UET_LB_ECN || sig->again ||
		     lb->live || ops->locate)) {
		lb_feedback_any(lb, sig, sprayed);
		return;
	}
	if (uet_lb_index(lb, sig->ev) >= lb->span)
		return;
	if (sig->reason == UET_LB_NO_ECN && ops->recalls)
		uet_lb_good_came_back(&lb->good, sig->ev, sig->now);
	if (ops->feedback)
		ops->feedback(lb, sig);
}

void uet_lb_doubt(struct uet_lb *lb, u16 ev)
{
	if (lb->ops->doubt)
		lb->ops->doubt(lb, ev);
	else
		uet_lb_good_forget(&lb->good, ev);
}

void uet_lb_resize(struct uet_lb *lb, u64 cwnd)
{
	u32 old = lb->n;
	u32 n;

	lb_keep_between(lb, cwnd);
	if (lb->ops->resize) {
		lb->ops->resize(lb, cwnd);
		return;
	}
	n = uet_lb_size_for(cwnd, lb->mtu * lb->unit, lb->n_max);
	if (n == old)
		return;
	lb->n = n;
	uet_lb_good_forget_all(&lb->good);
	uet_perm_init(&lb->perm, n, uet_prng_u32(&lb->prng));
	if (lb->ops->resized)
		lb->ops->resized(lb, old);
	uet_lb_note(lb, UET_LB_NOTE_RESIZED, lb->base);
}

int uet_lb_path_down(struct uet_lb *lb, u16 ev)
{
	if (uet_lb_locate(lb, ev) >= lb->n_max)
		return -EINVAL;
	uet_lb_good_forget(&lb->good, ev);
	return lb->ops->path_down ? lb->ops->path_down(lb, ev) : -EOPNOTSUPP;
}

int uet_lb_path_up(struct uet_lb *lb, u16 ev)
{
	if (uet_lb_locate(lb, ev) >= lb->n_max)
		return -EINVAL;
	return lb->ops->path_up ? lb->ops->path_up(lb, ev) : -EOPNOTSUPP;
}

int uet_lb_path_get(const struct uet_lb *lb, u32 index,
		    struct uet_lb_path *path)
{
	if (index >= lb->n_max)
		return -ENOENT;
	memset(path, 0, sizeof(*path));
	path->ev = (u16)(lb->base + index);
	if (lb->live)
		path->live = lb->live[index];
	if (lb->ops->path_get)
		lb->ops->path_get(lb, index, path);
	return 0;
}

u32 uet_lb_paths(const struct uet_lb *lb)
{
	return lb->ops->paths ? lb->ops->paths(lb) : lb->n;
}

u32 uet_lb_bad_paths(const struct uet_lb *lb)
{
	return lb->ops->bad_paths ? lb->ops->bad_paths(lb) : 0;
}
