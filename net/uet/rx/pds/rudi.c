// SPDX-License-Identifier: GPL-2.0
/*
 * Target of RUDI (UE 1.0 3.5.8): requests without a PDC, each carried out as often as it
 * comes, and answered each time. Nothing is remembered of them.
 *
 * Writes are what is carried out: they go to the socket whose window has their key
 * (UET_WINDOW), each packet as a message of its own, and are answered once they are in its
 * receive buffer. What has no room is NACKed, and comes again. A READ would need memory
 * that the kernel can read without the program: it is an unsupported operation, as are
 * all that must not be carried out twice.
 *
 * The source address may be forged. Who knows the key of a window is answered always,
 * others as often as those who name an unknown PDC.
 */
#include <linux/skbuff.h>

#include "link/owner.h"
#include "link/peer_rules.h"
#include "mib.h"
#include "rx/pds/half.h"
#include "rx/ses/ep.h"
#include "rx/ses/rxmsg.h"
#include "rx/ses/ses.h"
#include "sock.h"

/* May it be a write at all? The return code if not. */
static u8 uet_rudi_check(struct uet_rx_ctx *rx)
{
	const struct uet_ses_req *ses = &rx->pkt->ses;

	if (ses->opcode != UET_SES_OP_WRITE) {
		rx->drop = UET_DROP_TYPE;
		return UET_RC_UNSUPPORTED_OP;
	}
	if (rx->pkt->violation || ses->flags & (UET_SES_F_IE | UET_SES_F_HD)) {
		rx->drop = UET_DROP_VIOLATION;
		return UET_RC_OP_VIOLATION;
	}
	if (ses->job && !(rx->skb->dev->flags & IFF_LOOPBACK) &&
	    !uet_addr_trusted(rx->un, &rx->saddr)) {
		rx->drop = UET_DROP_JOB;
		return UET_RC_BAD_JOB_ID;
	}
	return UET_RC_OK;
}

/* Is the write within the window of the socket? The return code if not. @known: set if
 * the key is right
 */
static u8 uet_rudi_window(struct uet_rx_ctx *rx, struct uet_sock *us, bool *known)
{
	const struct uet_ses_req *ses = &rx->pkt->ses;
	u64 key, len;

	spin_lock(&us->rx_lock);
	key = us->window_key;
	len = us->window_len;
	spin_unlock(&us->rx_lock);
	if (!key || ses->key != key) {
		rx->drop = UET_DROP_KEY;
		return UET_RC_BAD_MKEY;
	}
	*known = true;
	if (ses->buffer_offset > len ||
	    ses->request_length > len - ses->buffer_offset) {
		rx->drop = UET_DROP_RANGE;
		return UET_RC_BAD_ADDR;
	}
	if (ses->request_length > READ_ONCE(us->max_msg)) {
		rx->drop = UET_DROP_TOO_LONG;
		return UET_RC_TOO_LONG;
	}
	if (uet_owner_denies(us, rx->skb)) {
		rx->drop = UET_DROP_FILTER;
		return UET_RC_PERM_VIOLATION;
	}
	return UET_RC_OK;
}

static void uet_rudi_describe(const struct uet_rx_ctx *rx, struct uet_rxmsg *msg)
{
	const struct uet_ses_req *ses = &rx->pkt->ses;

	uet_ses_from(rx, &msg->from);
	msg->to = rx->daddr;
	msg->iif = rx->iif;
	msg->pdc = NULL;
	msg->line = 0;
	msg->psn = 0;
	msg->match_bits = ses->key;
	msg->len = rx->pkt->payload_len;
	msg->msg_id = ses->msg_id;
	msg->opcode = UET_SES_OP_WRITE;
	msg->delivery = UET_RUDI;
	msg->replyable = false;
	msg->line_last = 0;
}

/* Queue it at its socket. False without room */
static bool uet_rudi_queue(struct uet_rx_ctx *rx, struct uet_sock *us)
{
	const struct uet_pkt *pkt = rx->pkt;
	const struct uet_rxpart part = {
		.len		= pkt->payload_len,
		.som		= true,
		.header_data	= pkt->ses.buffer_offset +
				  pkt->ses.message_offset,
		.ce		= rx->ce,
	};
	struct uet_rxmsg *msg;
	bool taken;

	if (unlikely(pskb_trim(rx->skb, pkt->hdr_len + pkt->payload_len)))
		return false;
	msg = uet_rxmsg_alloc(us);
	if (!msg)
		return false;
	uet_rudi_describe(rx, msg);
	__skb_pull(rx->skb, pkt->hdr_len);
	taken = uet_rxmsg_whole(us, msg, rx->skb, &part);
	if (taken)
		rx->skb = NULL;
	else
		uet_rxmsg_free(msg);
	return taken;
}

/* Carry it out. Returns the return code; UET_RC_NO_MATCH: there is no room */
static u8 uet_rudi_write(struct uet_rx_ctx *rx, u8 *generation, bool *known)
{
	const struct uet_ses_req *ses = &rx->pkt->ses;
	enum uet_lookup_fail why = 0;
	struct uet_sock *us;
	u8 rc;

	rc = uet_rudi_check(rx);
	if (rc != UET_RC_OK)
		return rc;
	us = uet_ep_lookup(rx->un, &rx->daddr, rx->ifindex, rx->iif, ses->job,
			   ses->pid, ses->ri, &why);
	if (!us) {
		rx->drop = UET_DROP_ENDPOINT;
		return uet_lookup_rc(why);
	}
	if (ses->generation && ses->generation != us->generation) {
		*generation = us->generation;
		rx->drop = UET_DROP_ENDPOINT;
		return UET_RC_BAD_GENERATION;
	}
	rc = uet_rudi_window(rx, us, known);
	if (rc != UET_RC_OK)
		return rc;
	if (uet_rudi_queue(rx, us)) {
		UET_INC(rx->un, MSG_RCVD);
		return UET_RC_OK;
	}
	rx->drop = UET_DROP_SHORTAGE;
	return UET_RC_NO_MATCH;
}

/**
 * uet_rudi_request() - a RUDI_REQ arrived
 * @rx: the packet, not to a group
 *
 * Context: softirq, RCU read side.
 */
void uet_rudi_request(struct uet_rx_ctx *rx)
{
	bool known = false;
	u8 generation = 0;
	u8 rc;

	UET_INC(rx->un, RX_RUDI);
	if (uet_form_lacks_rx(rx)) {
		rx->drop = UET_DROP_CRC;
		return;
	}
	rc = uet_rudi_write(rx, &generation, &known);
	if (rx->drop == UET_DROP_SHORTAGE)
		uet_rudi_answer_nack(rx, UET_NACK_NO_PKT_BUFFER, known);
	else
		uet_rudi_answer_rc(rx, rc, generation, known);
}

/**
 * uet_rudi_trimmed() - a switch trimmed a RUDI_REQ
 * @rx: the packet, its PDS header only
 * @lasthop: on the last hop
 *
 * Context: softirq, RCU read side.
 */
void uet_rudi_trimmed(struct uet_rx_ctx *rx, bool lasthop)
{
	if (uet_rx_group(rx))
		rx->drop = UET_DROP_PEER;
	else
		uet_rudi_answer_nack(rx, lasthop ? UET_NACK_TRIMMED_LASTHOP :
						   UET_NACK_TRIMMED, false);
}
