// SPDX-License-Identifier: GPL-2.0
/*
 * What a request means: the endpoint it is for, the message it belongs to.
 *
 * Messages of several packets have an entry by {PDC, message id} until CACK
 * has passed their end; after an error it stays as a tombstone, so that late
 * packets do not start a message that never ends (wire.md 12.7).
 *
 * A message for which there is no room is refused by NACK, so that its packets
 * wait at the source. If other sockets get data by the same PDC these packets
 * would stop CACK and with it, after the receive window, everybody. Then all
 * packets of the message are taken and dropped, and the guaranteed answer
 * NO_MATCH makes the source send it again later (wire.md 7). So are those of a
 * message that was begun, if no reader can have seen anything of it and it has
 * no right to be completed. Never on an ordered PDC, where the messages behind
 * it would get ahead.
 */
#include <linux/rhashtable.h>
#include <linux/slab.h>

#include "flow.h"
#include "mib.h"
#include "pdc.h"
#include "peer.h"
#include "rxmsg.h"
#include "sock.h"

struct uet_rx_key {
	const struct uet_pdc	*pdc;
	u32			msg_id;
	u32			pad;
};

/**
 * struct uet_rx_msg - an open message, or a tombstone
 * @node: in uet_net.rx_msgs
 * @key: PDC and message id
 * @pdc_node: in uet_pdc_rx.msgs
 * @msg: the message, with a reference; NULL in a tombstone
 * @code: SES return code that further packets are answered with, 0 = OK
 * @told_psn: with NO_MATCH the lowest PSN answered by it
 * @end_seen: the last packet came, at @end_psn
 * @end_psn: highest PSN of the message seen
 * @end_psn_set: it is valid
 */
struct uet_rx_msg {
	struct rhash_head	node;
	struct uet_rx_key	key;
	struct list_head	pdc_node;
	struct uet_rxmsg	*msg;
	u8			code;
	bool			end_seen;
	bool			end_psn_set;
	u32			end_psn;
	u32			told_psn;
};

static const struct rhashtable_params uet_rx_msg_params = {
	.key_len	= sizeof(struct uet_rx_key),
	.key_offset	= offsetof(struct uet_rx_msg, key),
	.head_offset	= offsetof(struct uet_rx_msg, node),
	.automatic_shrinking = true,
};

int uet_ses_tables_init(struct uet_net *un)
{
	return rhashtable_init(&un->rx_msgs, &uet_rx_msg_params);
}

void uet_ses_tables_exit(struct uet_net *un)
{
	rhashtable_destroy(&un->rx_msgs);
}

static struct uet_rx_msg *uet_rx_msg_find(struct uet_pdc *pdc, u16 msg_id)
{
	struct uet_rx_key key = { .pdc = pdc, .msg_id = msg_id };
	struct uet_rx_msg *last = pdc->rx.last;

	if (last && last->key.msg_id == msg_id)
		return last;
	if (!pdc->rx.nr_msgs)
		return NULL;
	return rhashtable_lookup(&pdc->un->rx_msgs, &key, uet_rx_msg_params);
}

static struct uet_rx_msg *uet_rx_msg_add(struct uet_pdc *pdc, u16 msg_id)
{
	struct uet_rx_msg *m;

	if (pdc->rx.nr_msgs >= UET_RX_MSGS_MAX)
		return NULL;
	if (!uet_mem_charge_more(pdc->un, sizeof(*m), UET_MEM_RESERVE_ENTRIES))
		return NULL;
	m = kzalloc(sizeof(*m), GFP_ATOMIC | __GFP_NOWARN);
	if (!m)
		goto err_mem;
	m->key.pdc = pdc;
	m->key.msg_id = msg_id;
	if (rhashtable_insert_fast(&pdc->un->rx_msgs, &m->node,
				   uet_rx_msg_params))
		goto err_free;
	list_add_tail(&m->pdc_node, &pdc->rx.msgs);
	pdc->rx.nr_msgs++;
	return m;

err_free:
	kfree(m);
err_mem:
	uet_mem_uncharge(pdc->un, sizeof(*m));
	return NULL;
}

static void uet_rx_msg_del(struct uet_pdc *pdc, struct uet_rx_msg *m)
{
	if (pdc->rx.last == m)
		pdc->rx.last = NULL;
	rhashtable_remove_fast(&pdc->un->rx_msgs, &m->node, uet_rx_msg_params);
	list_del(&m->pdc_node);
	pdc->rx.nr_msgs--;
	if (m->msg)
		uet_rxmsg_put(m->msg);
	/* Looked up under rx.lock only. */
	kfree(m);
	uet_mem_uncharge(pdc->un, sizeof(*m));
}

/* From here on it is a tombstone that answers with @code. */
static void uet_rx_msg_bury(struct uet_rx_msg *m, u8 code, int error)
{
	m->code = code;
	if (!m->msg)
		return;
	uet_rxmsg_abort(m->msg, error);
	uet_rxmsg_put(m->msg);
	m->msg = NULL;
}

/**
 * uet_ses_cack() - CACK has moved: forget messages whose end it passed
 * @pdc: target PDC
 * @cack: its value
 *
 * Context: softirq, rx.lock held. Entries end in the order in which they
 * began, so that looking at the first ones is enough. What is incomplete then
 * stays so: other packets were MSG_ERROR, or came when a tombstone was gone.
 */
void uet_ses_cack(struct uet_pdc *pdc, u32 cack)
{
	struct uet_rx_msg *m, *next;

	list_for_each_entry_safe(m, next, &pdc->rx.msgs, pdc_node) {
		if (!m->end_seen || psn_after(m->end_psn, cack))
			break;
		/* Its packets come by this PDC, under this lock. */
		if (m->msg && unlikely(!READ_ONCE(m->msg->complete)))
			uet_rxmsg_abort(m->msg, ECONNABORTED);
		uet_rx_msg_del(pdc, m);
	}
}

/**
 * uet_ses_drop_all() - the PDC dies: incomplete messages are lost
 * @pdc: target PDC
 * @error: errno for readers in the middle of one
 *
 * Context: rx.lock held.
 */
void uet_ses_drop_all(struct uet_pdc *pdc, int error)
{
	struct uet_rx_msg *m, *next;

	list_for_each_entry_safe(m, next, &pdc->rx.msgs, pdc_node) {
		if (m->msg)
			uet_rxmsg_abort(m->msg, error);
		uet_rx_msg_del(pdc, m);
	}
	uet_pdc_drop_gtd(pdc);
	if (pdc->rx.starved_at) {
		struct uet_sock *us = pdc->rx.starved_at;
		bool listed;

		spin_lock(&us->rx_lock);
		listed = !list_empty(&pdc->rx.starve_node);
		list_del_init(&pdc->rx.starve_node);
		spin_unlock(&us->rx_lock);
		pdc->rx.starved_at = NULL;
		if (listed)
			uet_pdc_put(pdc);
	}
}

/* No room at a socket: it wakes us when there is some. */
static void uet_ses_starve(struct uet_pdc *pdc, struct uet_sock *us)
{
	if (pdc->rx.starved_at)
		return;
	spin_lock(&us->rx_lock);
	if (!us->rx_closed) {
		pdc->rx.starved_at = us;
		refcount_inc(&pdc->ref);
		list_add_tail(&pdc->rx.starve_node, &us->rx_starved);
	}
	spin_unlock(&us->rx_lock);
}

static u8 uet_lookup_rc(enum uet_lookup_fail why)
{
	switch (why) {
	case UET_LOOKUP_JOB:
		return UET_RC_BAD_JOB_ID;
	case UET_LOOKUP_PID:
		return UET_RC_BAD_PID;
	default:
		return UET_RC_BAD_INDEX;
	}
}

/* The sender's address as recvmsg() shows it */
static void uet_ses_from(const struct uet_rx_ctx *rx, struct sockaddr_uet *from)
{
	const struct uet_ses_req *ses = &rx->pkt->ses;

	memset(from, 0, sizeof(*from));
	from->suet_family = uet_family;
	from->suet_job = ses->job;
	from->suet_initiator = ses->initiator;
	/* Made by the module from PIDonFEP and RI: a full return address. */
	if (!(ses->initiator >> 24)) {
		from->suet_pid = ses->initiator >> 12 & UET_PID_MAX;
		from->suet_ri = ses->initiator & UET_RI_MAX;
	}
	if (!(ses->flags & UET_SES_F_REL))
		from->suet_flags = UET_ADDR_ABSOLUTE;
	from->suet_scope_id = rx->ifindex;
	from->suet_addr = rx->saddr;
}

/*
 * There is no room for a packet, or for a message: then @msg is NULL. Its
 * source waits, or begins again if others would have to wait with it.
 */
static enum uet_ses_verdict uet_ses_no_room(struct uet_pdc *pdc,
					    struct uet_sock *us,
					    struct uet_rxmsg *msg, u8 nack,
					    u8 *code)
{
	if (!pdc->rod && uet_reader_shares(pdc) &&
	    (!msg || uet_rxmsg_unbegin(msg))) {
		UET_INC(pdc->un, MSG_NO_MATCH);
		*code = UET_RC_NO_MATCH;
		return UET_SES_REFUSED;
	}
	if (us)
		uet_ses_starve(pdc, us);
	*code = nack;
	return UET_SES_SHORT;
}

/* What the first packet says of a message */
static void uet_ses_describe(const struct uet_pdc *pdc,
			     const struct uet_rx_ctx *rx, struct uet_rxmsg *msg)
{
	const struct uet_ses_req *ses = &rx->pkt->ses;

	uet_ses_from(rx, &msg->from);
	msg->line = pdc->rod ? (unsigned long)pdc : 0;
	msg->match_bits = ses->key;
	msg->len = ses->request_length;
	msg->msg_id = ses->msg_id;
	msg->opcode = ses->opcode;
	msg->delivery = pdc->rod ? UET_ROD : UET_RUD;
}

/*
 * The first packet of a message: find its endpoint and make it, in no list
 * yet. A NULL return says in *verdict and *code what to do instead.
 */
static struct uet_rxmsg *uet_ses_begin(struct uet_pdc *pdc,
				       struct uet_rx_ctx *rx, u8 *code,
				       enum uet_ses_verdict *verdict)
{
	const struct uet_ses_req *ses = &rx->pkt->ses;
	enum uet_lookup_fail why = 0;
	struct uet_rxmsg *msg;
	struct uet_sock *us;

	*verdict = UET_SES_REFUSED;
	us = uet_ep_recall(rx->un, &pdc->rx.ep, &rx->daddr, rx->ifindex,
			   rx->iif, ses->job, ses->pid, ses->ri, &why);
	if (!us) {
		*code = uet_lookup_rc(why);
		return NULL;
	}
	if (ses->request_length > READ_ONCE(us->max_msg)) {
		*code = UET_RC_TOO_LONG;
		return NULL;
	}
	uet_reader_note(pdc, us);
	rx->us = us;
	msg = uet_rxmsg_alloc(us);
	if (msg)
		uet_ses_describe(pdc, rx, msg);
	else
		*verdict = uet_ses_no_room(pdc, us, NULL,
					   UET_NACK_NO_SES_MSG_AVAIL, code);
	return msg;
}

/* A message of which more will come stands in line at its socket. */
static struct uet_rxmsg *uet_ses_enter(struct uet_pdc *pdc,
				       struct uet_rx_ctx *rx,
				       struct uet_rxmsg *msg, u8 *code,
				       enum uet_ses_verdict *verdict)
{
	if (uet_rxmsg_enter(rx->us, msg))
		return msg;
	*verdict = uet_ses_no_room(pdc, rx->us, NULL,
				   UET_NACK_NO_SES_MSG_AVAIL, code);
	return NULL;
}

static struct uet_rxmsg *uet_ses_open(struct uet_pdc *pdc,
				      struct uet_rx_ctx *rx, u8 *code,
				      enum uet_ses_verdict *verdict)
{
	struct uet_rxmsg *msg = uet_ses_begin(pdc, rx, code, verdict);

	return msg ? uet_ses_enter(pdc, rx, msg, code, verdict) : NULL;
}

/* Off with the headers, and with what follows the payload */
static bool uet_ses_strip(struct uet_rx_ctx *rx)
{
	const struct uet_pkt *pkt = rx->pkt;

	if (pskb_trim(rx->skb, pkt->hdr_len + pkt->payload_len))
		return false;
	__skb_pull(rx->skb, pkt->hdr_len);
	return true;
}

/* Give the payload to the message. */
static int uet_ses_place(struct uet_rx_ctx *rx, struct uet_rxmsg *msg)
{
	const struct uet_ses_req *ses = &rx->pkt->ses;

	return uet_rxmsg_place(msg, rx->skb, ses->message_offset,
			       ses->flags & UET_SES_F_SOM,
			       ses->flags & UET_SES_F_HD, ses->header_data,
			       rx->ce);
}

/* What became of a packet of a message, by the answer of uet_ses_place() */
static enum uet_ses_verdict uet_ses_placed(struct uet_pdc *pdc,
					   struct uet_rx_ctx *rx,
					   struct uet_rxmsg *msg, int ret,
					   u8 *code)
{
	switch (ret) {
	case 1:
		UET_INC(rx->un, MSG_RCVD);
		return UET_SES_TAKEN;
	case 0:
		return UET_SES_TAKEN;
	case -ENOBUFS:
		return uet_ses_no_room(pdc, READ_ONCE(msg->us), msg,
				       UET_NACK_NO_PKT_BUFFER, code);
	case -EINVAL:
		*code = UET_RC_OP_VIOLATION;
		return UET_SES_REFUSED;
	case -ETIME:
		*code = UET_RC_DROPPED;
		return UET_SES_REFUSED;
	default:		/* the socket is gone */
		*code = UET_RC_BAD_PID;
		return UET_SES_REFUSED;
	}
}

/* A message that is one packet needs no entry. */
static enum uet_ses_verdict uet_ses_single(struct uet_pdc *pdc,
					   struct uet_rx_ctx *rx, u8 *code)
{
	const struct uet_ses_req *ses = &rx->pkt->ses;
	enum uet_ses_verdict verdict;
	struct uet_rxmsg *msg;
	int ret;

	if (unlikely(!uet_ses_strip(rx))) {
		*code = UET_NACK_NO_PKT_BUFFER;
		return UET_SES_SHORT;
	}
	msg = uet_ses_begin(pdc, rx, code, &verdict);
	if (!msg)
		return verdict;
	if (likely(uet_rxmsg_whole(rx->us, msg, rx->skb,
				   ses->flags & UET_SES_F_HD, ses->header_data,
				   rx->ce))) {
		UET_INC(rx->un, MSG_RCVD);
		uet_rxmsg_put(msg);
		return UET_SES_TAKEN;
	}
	if (!uet_ses_enter(pdc, rx, msg, code, &verdict))
		return verdict;
	ret = uet_ses_place(rx, msg);
	verdict = uet_ses_placed(pdc, rx, msg, ret, code);
	if (ret < 0)
		uet_rxmsg_abort(msg, 0);
	uet_rxmsg_put(msg);
	return verdict;
}

/* A further packet of a message that was refused or given up */
static enum uet_ses_verdict uet_ses_buried(struct uet_rx_msg *m, u32 psn,
					   u8 *code)
{
	if (!m->code)
		return UET_SES_DROP;
	/*
	 * The answer to the lowest packet that came is enough: CACK passes none
	 * of the message before the source has got it.
	 */
	if (m->code == UET_RC_NO_MATCH) {
		if (psn_after(psn, m->told_psn))
			return UET_SES_DROP;
		m->told_psn = psn;
	}
	*code = m->code;
	return UET_SES_REFUSED;
}

static void uet_rx_msg_seen(struct uet_rx_msg *m, u32 psn)
{
	if (!m->end_psn_set || psn_after(psn, m->end_psn))
		m->end_psn = psn;
	m->end_psn_set = true;
}

static enum uet_ses_verdict uet_ses_part(struct uet_pdc *pdc,
					 struct uet_rx_ctx *rx, u8 *code)
{
	const struct uet_ses_req *ses = &rx->pkt->ses;
	struct uet_rx_msg *m = uet_rx_msg_find(pdc, ses->msg_id);
	enum uet_ses_verdict verdict;
	u32 psn = rx->pkt->req.psn;
	bool fresh = !m;
	int ret;

	if (fresh) {
		m = uet_rx_msg_add(pdc, ses->msg_id);
		if (!m) {
			*code = UET_NACK_NO_SES_MSG_AVAIL;
			return UET_SES_SHORT;
		}
		m->msg = uet_ses_open(pdc, rx, code, &verdict);
		if (!m->msg) {
			if (verdict == UET_SES_SHORT) {
				uet_rx_msg_del(pdc, m);
				return verdict;
			}
			m->code = *code;
			m->told_psn = psn;
			goto end;
		}
	}
	pdc->rx.last = m;
	if (!m->msg) {
		verdict = uet_ses_buried(m, psn, code);
		goto end;
	}
	rx->us = READ_ONCE(m->msg->us);
	if (m->msg->len != ses->request_length)
		ret = -EINVAL;
	else
		ret = uet_ses_strip(rx) ? uet_ses_place(rx, m->msg) : -ENOBUFS;
	verdict = uet_ses_placed(pdc, rx, m->msg, ret, code);
	if (verdict == UET_SES_SHORT) {
		if (fresh) {
			uet_rxmsg_abort(m->msg, 0);
			uet_rx_msg_del(pdc, m);
		}
		return verdict;
	}
	if (verdict == UET_SES_REFUSED) {
		uet_rx_msg_bury(m, *code, *code == UET_RC_NO_MATCH ?
					  0 : ECONNABORTED);
		m->told_psn = psn;
	}
end:
	/* Nothing of it has a PSN beyond its last packet's. */
	if (ses->flags & UET_SES_F_EOM)
		m->end_seen = true;
	uet_rx_msg_seen(m, psn);
	return verdict;
}

/* The source gave a message up (wire.md 12.7). */
static enum uet_ses_verdict uet_ses_msg_error(struct uet_pdc *pdc,
					      struct uet_rx_ctx *rx, u8 *code)
{
	const struct uet_ses_req *ses = &rx->pkt->ses;
	struct uet_rx_msg *m = uet_rx_msg_find(pdc, ses->msg_id);

	if (!m) {
		/* It overtook every packet of the message. */
		m = uet_rx_msg_add(pdc, ses->msg_id);
		if (!m) {
			*code = UET_NACK_NO_SES_MSG_AVAIL;
			return UET_SES_SHORT;
		}
	}
	uet_rx_msg_bury(m, 0, ECONNABORTED);
	m->end_seen = true;
	uet_rx_msg_seen(m, rx->pkt->req.psn);
	return UET_SES_DROP;
}

/**
 * uet_ses_request() - deliver a new request
 * @pdc: target PDC
 * @rx: the packet
 * @code: for UET_SES_REFUSED the SES return code, for UET_SES_SHORT the NACK
 *	code
 *
 * Context: softirq, rx.lock held.
 * Return: what became of it.
 */
enum uet_ses_verdict uet_ses_request(struct uet_pdc *pdc,
				     struct uet_rx_ctx *rx, u8 *code)
{
	const struct uet_pkt *pkt = rx->pkt;
	const struct uet_ses_req *ses = &pkt->ses;
	const u8 whole = UET_SES_F_SOM | UET_SES_F_EOM;

	if (unlikely(!uet_pkt_has_ses_req(pkt))) {
		*code = UET_RC_UNSUPPORTED_OP;
		return UET_SES_REFUSED;
	}
	if (unlikely(pkt->violation)) {
		*code = UET_RC_OP_VIOLATION;
		return UET_SES_REFUSED;
	}
	switch (ses->opcode) {
	case UET_SES_OP_SEND:
	case UET_SES_OP_TAGGED_SEND:
		break;
	case UET_SES_OP_MSG_ERROR:
		return uet_ses_msg_error(pdc, rx, code);
	case UET_SES_OP_NO_OP:
		return UET_SES_DROP;
	default:
		*code = UET_RC_UNSUPPORTED_OP;
		return UET_SES_REFUSED;
	}
	if (ses->flags & UET_SES_F_IE) {
		*code = UET_RC_INITIATOR_ERR;
		return UET_SES_REFUSED;
	}
	if ((ses->flags & whole) == whole)
		return uet_ses_single(pdc, rx, code);
	return uet_ses_part(pdc, rx, code);
}
