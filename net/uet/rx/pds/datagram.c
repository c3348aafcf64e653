// SPDX-License-Identifier: GPL-2.0
/*
 * Datagrams (UUD, UE 1.0 3.5.8): messages of one packet without a PDC, which nobody
 * acknowledges or sends again.
 *
 * Only sockets of type SOCK_DGRAM take them, as far as half of their buffer goes: what
 * has no room is dropped and counted. Nothing is ever answered, and nothing is learnt of
 * the source, whose address may be forged. Its job is believed as that of other messages.
 */
#include <linux/net.h>
#include <linux/skbuff.h>

#include "link/owner.h"
#include "link/peer_rules.h"
#include "mib.h"
#include "rx/pds/half.h"
#include "rx/ses/ep.h"
#include "rx/ses/rxmsg.h"
#include "rx/ses/ses.h"
#include "sock.h"

/* May it be a datagram at all? */
static enum uet_drop uet_datagram_check(const struct uet_rx_ctx *rx)
{
	const u8 whole = UET_SES_F_SOM | UET_SES_F_EOM;
	const struct uet_ses_req *ses = &rx->pkt->ses;

	if (rx->pkt->violation)
		return UET_DROP_VIOLATION;
	switch (ses->opcode) {
	case UET_SES_OP_DATAGRAM_SEND:
	case UET_SES_OP_SEND:
	case UET_SES_OP_TAGGED_SEND:
		break;
	default:
		return UET_DROP_TYPE;
	}
	if ((ses->flags & whole) != whole || ses->flags & UET_SES_F_IE)
		return UET_DROP_VIOLATION;
	if (uet_form_lacks_rx(rx))
		return UET_DROP_CRC;
	if (ses->job && !(rx->skb->dev->flags & IFF_LOOPBACK) &&
	    !uet_addr_trusted(rx->un, &rx->saddr))
		return UET_DROP_JOB;
	return UET_DROP_NONE;
}

/* Its socket, or NULL and why it is dropped */
static struct uet_sock *uet_datagram_sock(struct uet_rx_ctx *rx)
{
	const struct uet_ses_req *ses = &rx->pkt->ses;
	enum uet_lookup_fail why = 0;
	struct uet_sock *us;

	us = uet_ep_lookup(rx->un, &rx->daddr, rx->ifindex, rx->iif, ses->job,
			   ses->pid, ses->ri, &why);
	if (!us)
		rx->drop = UET_DROP_ENDPOINT;
	else if (us->sk.sk_type != SOCK_DGRAM)
		rx->drop = UET_DROP_MODE;
	else if (ses->request_length > READ_ONCE(us->max_msg))
		rx->drop = UET_DROP_TOO_LONG;
	else if (uet_owner_denies(us, rx->skb))
		rx->drop = UET_DROP_FILTER;
	return rx->drop ? NULL : us;
}

static void uet_datagram_describe(const struct uet_rx_ctx *rx,
				  struct uet_rxmsg *msg)
{
	const struct uet_ses_req *ses = &rx->pkt->ses;

	uet_ses_from(rx, &msg->from);
	msg->to = rx->daddr;
	msg->iif = rx->iif;
	msg->pdc = NULL;
	msg->line = 0;
	msg->psn = 0;
	msg->match_bits = ses->key;
	msg->len = ses->request_length;
	msg->msg_id = ses->msg_id;
	msg->opcode = ses->opcode == UET_SES_OP_TAGGED_SEND ?
		      UET_SES_OP_TAGGED_SEND : UET_SES_OP_SEND;
	msg->delivery = UET_UUD;
	msg->replyable = false;
	msg->line_last = 0;
}

/* Queue it at its socket. False without room */
static bool uet_datagram_queue(struct uet_rx_ctx *rx, struct uet_sock *us)
{
	const struct uet_ses_req *ses = &rx->pkt->ses;
	const struct uet_rxpart part = {
		.len		= ses->request_length,
		.som		= true,
		.has_hd		= ses->flags & UET_SES_F_HD,
		.header_data	= ses->header_data,
		.ce		= rx->ce,
	};
	struct uet_rxmsg *msg = uet_rxmsg_alloc(us);
	bool taken;

	if (!msg)
		return false;
	uet_datagram_describe(rx, msg);
	taken = uet_rxmsg_whole(us, msg, rx->skb, &part);
	if (taken)
		rx->skb = NULL;
	else
		uet_rxmsg_free(msg);
	return taken;
}

/**
 * uet_datagram() - a datagram arrived
 * @rx: the packet
 *
 * Context: softirq, RCU read side.
 */
void uet_datagram(struct uet_rx_ctx *rx)
{
	const struct uet_pkt *pkt = rx->pkt;
	struct uet_sock *us;

	UET_INC(rx->un, RX_DATAGRAMS);
	rx->drop = uet_datagram_check(rx);
	us = rx->drop ? NULL : uet_datagram_sock(rx);
	if (!us)
		return;
	if (unlikely(pskb_trim(rx->skb, pkt->hdr_len + pkt->payload_len))) {
		rx->drop = UET_DROP_NOMEM;
		return;
	}
	__skb_pull(rx->skb, pkt->hdr_len);
	if (likely(uet_datagram_queue(rx, us))) {
		UET_INC(rx->un, MSG_RCVD);
		return;
	}
	/* SO_RXQ_OVFL tells it. */
	atomic_inc(&us->sk.sk_drops);
	rx->drop = UET_DROP_NO_ROOM;
}
