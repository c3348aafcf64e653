/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions that work on the sending half of a PDC (UE 1.0 3.5.11, 3.5.12).
 *
 * Not here: its state (pdc/tx_half.h).
 */
#ifndef _UET_TX_HALF_H
#define _UET_TX_HALF_H

#include "link/packet.h"
#include "pdc/tx_half.h"

struct net_device;
struct uet_dest;
struct uet_flow;
struct uet_info;
struct uet_join;
struct uet_snd_out;
struct uet_snd_work;
struct uet_txmsg;

/* open.c: beginning and end */
int uet_pdc_tx_init(void);
void uet_pdc_tx_exit(void);
struct uet_pdc *uet_pdc_open(struct uet_peer *peer, struct uet_flow *flow,
			     struct uet_account *acc, u32 job, bool rod);
void uet_pdc_die(struct uet_pdc *pdc, int error, u8 source, u16 code);
void uet_pdc_bury(struct uet_pdc *pdc);
void uet_pdc_fail(struct uet_pdc *pdc, int error, u8 source, u16 code);
void uet_pdc_flush(struct uet_net *un);
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
