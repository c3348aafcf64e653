/* SPDX-License-Identifier: GPL-2.0 */
/* What a request means to SES: rx/ses/ses.c; rx.lock held */
#ifndef _UET_RX_SES_H
#define _UET_RX_SES_H

#include <linux/types.h>

struct sockaddr_uet;
struct uet_pdc;
struct uet_rx_ctx;
struct uet_rx_run;

enum uet_ses_verdict {
	UET_SES_TAKEN,		/* delivered, skb consumed */
	UET_SES_DROP,		/* received, nothing to deliver; caller's skb */
	UET_SES_ERROR,	/* SES error in *code; caller's skb */
	UET_SES_SHORT,		/* no room: NACK in *code; caller's skb */
};

void uet_ses_from(const struct uet_rx_ctx *rx, struct sockaddr_uet *from);
enum uet_ses_verdict uet_ses_request(struct uet_pdc *pdc,
				     struct uet_rx_ctx *rx, u8 *code);
bool uet_ses_run(struct uet_pdc *pdc, struct uet_rx_ctx *rx,
		 const struct uet_rx_run *run);
bool uet_ses_cack(struct uet_pdc *pdc, u32 cack);
void uet_ses_drop_all(struct uet_pdc *pdc, int error);

#endif /* _UET_RX_SES_H */
