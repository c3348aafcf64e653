/* SPDX-License-Identifier: GPL-2.0 */
/*
 * History per entropy value: counts of packets sent, acknowledged, marked,
 * trimmed and lost. It costs memory and a cache line per packet, so the caller
 * attaches the table only while somebody wants to see it.
 */
#ifndef _UET_CORE_LB_LIVE_H
#define _UET_CORE_LB_LIVE_H

#include "lb.h"

/**
 * uet_lb_live_size() - memory of the table
 * @lb: object
 *
 * Return: bytes for uet_lb_live_attach().
 */
size_t uet_lb_live_size(const struct uet_lb *lb);

/**
 * uet_lb_live_attach() - begin to keep the history of values
 * @lb: object that keeps none
 * @mem: memory of uet_lb_live_size() bytes, contents ignored
 */
void uet_lb_live_attach(struct uet_lb *lb, void *mem);

/**
 * uet_lb_live_detach() - stop keeping the history of values
 * @lb: object
 *
 * Return: the memory given to uet_lb_live_attach(), or NULL.
 */
void *uet_lb_live_detach(struct uet_lb *lb);

/**
 * uet_lb_live_sent() - count packets sent with a value
 * @lb: object that keeps history
 * @ev: value
 * @pkts: packets
 */
void uet_lb_live_sent(struct uet_lb *lb, u16 ev, u32 pkts);

/* Count a signal. Called by uet_lb_feedback(). */
void uet_lb_live_feedback(struct uet_lb_live *live,
			  const struct uet_lb_signal *sig);

#endif /* _UET_CORE_LB_LIVE_H */
