// SPDX-License-Identifier: GPL-2.0
/* History per entropy value. See lb_live.h. */
#include "lb_live.h"

size_t uet_lb_live_size(const struct uet_lb *lb)
{
	return lb->n_max * sizeof(struct uet_lb_live);
}

void uet_lb_live_attach(struct uet_lb *lb, void *mem)
{
	memset(mem, 0, uet_lb_live_size(lb));
	lb->live = mem;
	lb->listens = true;
	lb->acked = NULL;
}

void *uet_lb_live_detach(struct uet_lb *lb)
{
	void *mem = lb->live;

	lb->live = NULL;
	lb->listens = lb->ops->feedback || lb->ops->evidence;
	lb->acked = lb->ops->acked;
	return mem;
}

void uet_lb_live_sent(struct uet_lb *lb, u16 ev, u32 pkts)
{
	u32 i = uet_lb_locate(lb, ev);

	if (i < lb->n_max)
		lb->live[i].sent += pkts;
}

void uet_lb_live_feedback(struct uet_lb_live *live,
			  const struct uet_lb_signal *sig)
{
	switch (sig->reason) {
	case UET_LB_NO_ECN:
		live->acked++;
		break;
	case UET_LB_ECN:
		live->marked++;
		break;
	case UET_LB_NACK:
		live->trimmed++;
		break;
	case UET_LB_TIMEOUT:
		live->lost++;
		break;
	}
	if (sig->rtt_valid)
		live->rtt = (u32)min_t(u64, sig->rtt, U32_MAX);
}
