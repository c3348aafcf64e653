/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Transmit queues of flows, for what serves them.
 *
 * Not here: uet_flow_queue() (tx/cms/flow.h).
 */
#ifndef _UET_TXQ_H
#define _UET_TXQ_H

struct napi_struct;
struct uet_flow;

struct uet_flow *uet_txq_next(struct napi_struct *napi);
void uet_txq_init(int (*poll)(struct napi_struct *napi, int budget));
void uet_txq_exit(void);

#endif /* _UET_TXQ_H */
