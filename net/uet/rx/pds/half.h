/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions of rx/pds/ that work on the receiving half of a PDC (UE 1.0 3.5.11).
 *
 * Not here: its state (pdc/rx_half.h).
 */
#ifndef _UET_RX_HALF_H
#define _UET_RX_HALF_H

#include "pdc/rx_half.h"

struct uet_ses_rsp;

/* half.c: life */
int uet_pdc_rx_init(void);
void uet_pdc_rx_exit(void);
struct uet_pdc_rx *uet_pdc_rx_alloc(struct uet_pdc *pdc);
struct uet_pdc_rx *uet_pdc_rx_attach(struct uet_pdc *pdc);
void uet_pdc_rx_drop_all(struct uet_pdc *pdc, int error);
void uet_pdc_rx_kill(struct uet_pdc *pdc, int error);

/* accept.c: PDCs opened by peers */
static inline u32 uet_syn_start_psn(const struct uet_pkt *pkt)
{
	return uet_pkt_is_pds_req(pkt) ? pkt->req.start_psn : pkt->cp.start_psn;
}

static inline bool uet_syn_is_rod(const struct uet_pkt *pkt)
{
	return uet_pkt_is_pds_req(pkt) ? uet_pkt_is_rod(pkt) :
					 pkt->flags & UET_F_ISROD;
}

int uet_pdc_accept_init(struct uet_net *un);
void uet_pdc_accept_exit(struct uet_net *un);
struct uet_pdc *uet_pdc_accept(struct uet_rx_ctx *rx);
struct uet_pdc *uet_pdc_by_syn(struct uet_net *un,
			       const struct uet_syn_key *key);
void uet_pdc_confirm_first(struct uet_pdc *pdc);

/**
 * uet_pdc_confirm() - a packet named our PDCID: the peer's address is real
 * @pdc: the PDC
 *
 * Context: softirq, rx.lock held.
 */
static inline void uet_pdc_confirm(struct uet_pdc *pdc)
{
	if (unlikely(!pdc->rx->confirmed))
		uet_pdc_confirm_first(pdc);
}

void uet_pdc_heard_syn(struct uet_pdc *pdc);
void uet_pdc_leave_unconfirmed(struct uet_pdc *pdc);
void uet_pdc_leave_syn(struct uet_pdc *pdc);

/* timer.c */
void uet_pdc_rx_timer(struct uet_pdc *pdc);
void uet_close_req_limit_init(struct uet_net *un);
void uet_pdc_want_clear(struct uet_pdc *pdc, u64 now);

/* request.c: requests in */
void uet_pdc_request(struct uet_pdc *pdc, struct uet_rx_ctx *rx, bool created);
bool uet_pdc_request_run(struct uet_pdc *pdc, struct uet_rx_ctx *rx,
			 const struct uet_rx_run *run);
bool uet_pdc_cleared(struct uet_pdc *pdc, u32 clear_psn);
void uet_pdc_drop_gtd(struct uet_pdc *pdc);
struct sk_buff *uet_pdc_stored_answer(struct uet_pdc *pdc,
				      struct uet_rx_ctx *rx, u32 psn,
				      u16 msg_id);
struct sk_buff *uet_pdc_take_psn(struct uet_pdc *pdc, struct uet_rx_ctx *rx);
void uet_pdc_trimmed(struct uet_pdc *pdc, struct uet_rx_ctx *rx, bool lasthop);
bool uet_pdc_keeps(const struct uet_pdc *pdc, u32 psn);
struct sk_buff *uet_pdc_retry_early(struct uet_pdc *pdc);
void uet_pdc_send_answers(struct uet_pdc *pdc, struct sk_buff *answers);

/* Answers to a packet, linked by skb->next: those of @first, then those of @more */
static inline struct sk_buff *uet_answers_join(struct sk_buff *first,
					       struct sk_buff *more)
{
	struct sk_buff *last = first;

	if (!first)
		return more;
	if (likely(!more))
		return first;
	while (last->next)
		last = last->next;
	last->next = more;
	return first;
}

/* early.c: packets of an ordered PDC that are kept; rx.lock held */
int uet_early_cache_init(void);
void uet_early_cache_exit(void);
bool uet_early_keep(struct uet_pdc *pdc, const struct uet_rx_ctx *rx, u32 psn,
		    struct sk_buff *skb);
struct uet_early *uet_early_open(struct uet_pdc *pdc);
void uet_early_close(struct uet_early *e);
void uet_early_free(struct uet_pdc *pdc, struct uet_early *e);
void uet_early_drop_all(struct uet_pdc *pdc);

/* acklate.c: ACKs that wait for the end of a poll; rx.lock held */
void uet_ack_late_init(void);
void uet_ack_late_exit(void);
bool uet_ack_may_wait(struct uet_pdc *pdc, const struct uet_rx_ctx *rx);
void uet_ack_wait(struct uet_pdc *pdc, const struct uet_rx_ctx *rx, u32 psn);

/* answer.c: answers out; rx.lock held while they are made */
struct sk_buff *uet_ack_make(struct uet_pdc *pdc, const struct uet_rx_ctx *rx,
			     u32 psn, u8 flags, const struct uet_ses_rsp *rsp);
struct sk_buff *uet_nack_make(struct uet_pdc *pdc, const struct uet_rx_ctx *rx,
			      u8 code, u32 psn, u32 payload);
void uet_nack_limit_init(struct uet_net *un);
void uet_nack_stateless(const struct uet_rx_ctx *rx, u8 code, u32 psn);
void uet_rudi_answer_rc(const struct uet_rx_ctx *rx, u8 rc, u8 generation,
			bool known);
void uet_rudi_answer_nack(const struct uet_rx_ctx *rx, u8 code, bool known);

/* control.c: control packets in, and answers to our own */
void uet_pdc_rx_control(struct uet_pdc *pdc, struct uet_rx_ctx *rx,
			bool created);
void uet_pdc_rx_ack(struct uet_pdc *pdc, struct uet_rx_ctx *rx);
bool uet_pdc_rx_nack(struct uet_pdc *pdc, const struct uet_nack *nack);
bool uet_pdc_rx_replaced(struct uet_pdc *pdc);
bool uet_pdc_rx_ask_alive(struct uet_pdc *pdc, const struct uet_rx_ctx *rx);

/* datagram.c */
void uet_datagram(struct uet_rx_ctx *rx);

/* rudi.c */
void uet_rudi_request(struct uet_rx_ctx *rx);
void uet_rudi_trimmed(struct uet_rx_ctx *rx, bool lasthop);

#endif /* _UET_RX_HALF_H */
