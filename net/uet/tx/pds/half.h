/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sending half of a PDC (UE 1.0 3.5.11, 3.5.12). The flow lock protects it.
 *
 * Not here: what both directions share (pdc/pdc.h), the receiving half
 * (rx/pds/half.h).
 */
#ifndef _UET_TX_HALF_H
#define _UET_TX_HALF_H

#include <linux/list.h>
#include <linux/llist.h>
#include <linux/slab.h>
#include <linux/types.h>

#include "core/snd/snd.h"
#include "link/packet.h"
#include "pdc/pdc.h"

struct net_device;
struct uet_dest;
struct uet_flow;
struct uet_info;
struct uet_join;
struct uet_snd_out;
struct uet_snd_work;
struct uet_txmsg;

/* An idle PDC frees its rings after this much silence of the peer */
#define UET_PDC_RING_IDLE_NS	NSEC_PER_SEC

/* ECN field of requests and tail probes: ECT(0) */
#define UET_ECT0		0x02

/**
 * struct uet_pdc_tx - sending half; the flow lock protects it
 * @snd: its sender
 * @pdc: its PDC
 * @reap_node: in uet_net.reap; points to itself before it is
 * @error: errno of its failure, 0 for an orderly close
 * @movable: messages the peer cannot have accepted may move to another PDC
 * @alone: it carries the long messages of one dest at a time
 * @silent: counted in uet_account.silent
 * @err_source: enum uet_report_source of @error
 * @err_code: code of that source; while the PDC opens, ICMP's type << 8 | code
 * @flow: its CCC, with a reference
 * @peer_node: in uet_peer.tx_halves; peer->lock
 * @dests: dests bound to it
 * @orphan_at: when to check dests without a socket, 0 = none; until it is dead
 * @close_psn: PSN of CLOSE_CMD or CLOSE_REQ
 * @soft_at: when @soft_err was set, but the first time while the PDC opens;
 *	ns >> UET_SOFT_SHIFT
 * @soft_err: errno to report when retries are used up, unless the peer was heard since
 * @unreached: while the PDC opens: ICMP said unreachable, with @err_code, at @soft_at
 * @died_at: when it died, ns, once it is dead
 */
struct uet_pdc_tx {
	struct uet_snd		snd;
	struct uet_pdc		*pdc;
	struct uet_flow		*flow;
	struct llist_node	reap_node;
	struct list_head	peer_node;
	struct list_head	dests;
	union {
		u64		orphan_at;
		u64		died_at;
	};
	u32			close_psn;
	u32			soft_at;
	u16			err_code;
	u8			error;
	u8			soft_err;
	u8			err_source;
	bool			unreached : 1;
	bool			movable : 1;
	bool			alone : 1;
	bool			silent : 1;
};

#define UET_SOFT_SHIFT		20

/* Note what to report if the peer stays silent; flow lock held. */
static inline void uet_pdc_soft_err(struct uet_pdc_tx *tx, int error, u64 now)
{
	tx->soft_err = (u8)error;
	tx->soft_at = (u32)(now >> UET_SOFT_SHIFT);
}

/* What opens ends when ICMP has said unreachable and nothing was heard for so long since
 * the first time. A neighbour is looked for as long by default. How often it is said tells
 * nothing: Linux as a router does two or three times, and not again while packets come
 * more often than every two seconds.
 */
#define UET_UNREACHED_NS	(3ULL * NSEC_PER_SEC)

/**
 * uet_unreached() - is it to be believed that ICMP says unreachable?
 * @since: when it first did, ns >> UET_SOFT_SHIFT
 * @now: time, ns
 */
static inline bool uet_unreached(u32 since, u64 now)
{
	return (u32)(now >> UET_SOFT_SHIFT) - since >=
	       UET_UNREACHED_NS >> UET_SOFT_SHIFT;
}

/* The same of a PDC that opens; flow lock held. */
static inline bool uet_pdc_unreached(const struct uet_pdc_tx *tx, u64 now)
{
	return tx->unreached && tx->snd.state == UET_PDC_SYN &&
	       uet_unreached(tx->soft_at, now);
}

static inline void uet_snd_mem_free(const struct uet_snd_mem *mem)
{
	kvfree(mem->win);
	kvfree(mem->pkts);
}

/* The PDC of a sender */
static inline struct uet_pdc *uet_pdc_of(const struct uet_snd *s)
{
	return container_of(s, struct uet_pdc_tx, snd)->pdc;
}

/* open.c: beginning and end */
int uet_pdc_tx_init(void);
void uet_pdc_tx_exit(void);
struct uet_pdc *uet_pdc_open(struct uet_peer *peer, struct uet_flow *flow,
			     struct uet_account *acc, u32 job, bool rod);
void uet_pdc_die(struct uet_pdc *pdc, int error, u8 source, u16 code);
void uet_pdc_bury(struct uet_pdc *pdc);
void uet_pdc_fail(struct uet_pdc *pdc, int error, u8 source, u16 code);
void uet_pdc_flush(struct uet_net *un);
/* Dead but not buried: NACKs for packets in flight are awaited. */
static inline bool uet_pdc_disowned(const struct uet_pdc *pdc)
{
	return pdc->tx->snd.state == UET_PDC_DEAD &&
	       READ_ONCE(pdc->tx->reap_node.next) == &pdc->tx->reap_node;
}

int uet_pdc_return(struct uet_pdc *pdc, struct uet_flow *flow);

/* timer.c */
int uet_pdc_silent_err(const struct uet_pdc *pdc);
void uet_pdc_tx_rearm(struct uet_pdc *pdc, u64 now);
void uet_pdc_tx_timer(struct uet_pdc *pdc);
void uet_pdc_tx_silent(struct uet_pdc *pdc, bool silent);
void uet_pdc_send_cps(struct uet_pdc *pdc, struct sk_buff_head *list,
		      const struct uet_snd_work *w);

/* close.c */
void uet_pdc_close(struct uet_pdc *pdc, struct sk_buff_head *list, u64 now);
int uet_pdc_resend_close(struct uet_pdc *pdc, struct sk_buff_head *list,
			 u64 now);

/* habits.c */
struct sk_buff *uet_habit_probe(struct uet_pdc *pdc, u16 ev);
void uet_habit_refused(struct uet_habits *h);
void uet_habit_answered(struct uet_habits *h);

/* info.c */
void uet_info_fill(const struct uet_dest *dest, const struct uet_pdc *pdc,
		   struct uet_info *info);
void uet_info_flow(const struct uet_flow *flow, struct uet_info *info, u64 now);

/* salvage.c: what a dead PDC leaves behind */
void uet_pds_salvage(struct uet_pdc *pdc);
void uet_msg_strand(struct uet_txmsg *msg, int error);
void uet_dest_move_later(struct uet_dest *dest);
void uet_dests_move(struct uet_net *un);

/* bind.c: a queue and its PDC; dest->lock held */
void uet_dest_emptied(struct uet_pdc *pdc, struct uet_dest *dest, u64 now);
void uet_dest_unbind(struct uet_dest *dest);

/* ... and its locks */
struct uet_pdc *uet_dest_lock(struct uet_dest *dest);
struct uet_pdc *uet_msg_lock(struct uet_txmsg *msg);
void uet_dest_unlock_run(struct uet_dest *dest, struct uet_pdc *pdc);

/* ... NO_MATCH and BAD_GENERATION: resend the whole message */
void uet_msg_again(struct uet_pdc *pdc, struct uet_txmsg *msg, u8 code);
void uet_msg_regenerate(struct uet_pdc *pdc, struct uet_txmsg *msg,
			u8 generation);

/* giveup.c: queues whose socket closed; flow lock held */
void uet_orphan_watch(struct uet_pdc *pdc, struct uet_dest *dest, u64 now);
void uet_orphans_expire(struct uet_pdc *pdc, u64 now);

/* req.c */
struct sk_buff *uet_pdc_build_req(struct uet_pdc *pdc,
				  const struct uet_snd_out *out);
struct sk_buff *uet_pdc_build_run(struct uet_pdc *pdc,
				  const struct uet_snd_out *out);
void uet_pdc_write_req(const struct uet_pdc *pdc, const struct uet_snd_out *out,
		       u8 *to);

/* send.c: requests out; flow lock held */
int uet_pdc_tx_next(struct uet_pdc *pdc, struct sk_buff_head *list,
		    struct uet_join *join, u64 now);
struct sk_buff *uet_pdc_send_alone(struct uet_pdc *pdc, struct uet_txmsg *msg,
				   struct net_device *dev, u64 now);
bool uet_pdc_tx_grow(struct uet_pdc *pdc, u64 now);
void uet_pdc_tx_shrink(struct uet_pdc *pdc);

/* ack.c: ACKs in */
void uet_pdc_ack(struct uet_pdc *pdc, struct uet_rx_ctx *rx);
bool uet_pdc_learn(struct uet_pdc *pdc, u16 spdcid);
void uet_pdc_losses(struct uet_pdc *pdc, struct uet_snd_work *w);
void uet_msg_fail(struct uet_pdc *pdc, struct uet_txmsg *msg, int error,
		  u8 source, u16 code);

/* nack.c: NACKs in */
void uet_pdc_nack(struct uet_pdc *pdc, struct uet_rx_ctx *rx);
void uet_hold_began(struct uet_pdc *pdc, struct uet_dest *dest);

/* control.c: control packets in */
int uet_rc_errno(u8 code);
void uet_pdc_tx_control(struct uet_pdc *pdc, struct uet_rx_ctx *rx);

#endif /* _UET_TX_HALF_H */
