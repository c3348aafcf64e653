/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Posted sends: their completions, and pages that their programs lend.
 */
#ifndef _UET_TX_OP_H
#define _UET_TX_OP_H

#include <linux/types.h>

struct uet_buffer;
struct uet_completion;
struct uet_op_pages;
struct uet_sock;
struct uet_txmsg;

/* uet_txmsg.op */
#define UET_TXOP_POSTED		0x01
#define UET_TXOP_QUIET		0x02	/* nothing is told of a success */
#define UET_TXOP_BUFFER		0x04	/* UET_DONE_BUFFER, not UET_DONE_SENT */
#define UET_TXOP_COPIED		0x08	/* a slot for UET_DONE_BUFFER besides, told at once */

struct uet_op_pages *uet_op_pin(struct uet_sock *us, u64 addr, u32 len);
const struct uet_buffer *uet_op_buffer(const struct uet_op_pages *pages);
void uet_op_unpin(struct uet_op_pages *pages);
void uet_op_attach(struct uet_txmsg *msg, struct uet_op_pages *pages);
void uet_op_detach(struct uet_txmsg *msg);

void uet_op_describe(const struct uet_txmsg *msg, u8 type, struct uet_completion *done);
void uet_op_begin(struct uet_txmsg *msg, struct uet_sock *us, u8 op);
void uet_op_taken(struct uet_txmsg *msg);
void uet_op_refuse(struct uet_txmsg *msg, struct uet_sock *us);
void uet_op_done(struct uet_txmsg *msg, int error, u8 source, u16 code);
bool uet_op_gone(const struct uet_txmsg *msg);

#endif /* _UET_TX_OP_H */
