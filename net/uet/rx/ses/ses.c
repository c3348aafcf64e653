// SPDX-License-Identifier: GPL-2.0
/*
 * What a request means (SES, UE 1.0 3.4): its endpoint and its message.
 *
 * A message of several packets has an entry by {PDC, message id} until CACK
 * passes its end. After an error the entry stays as a tombstone, so that late
 * packets do not start a message that never ends.
 *
 * A deferrable message that has no room is deferred (rx/ses/defer.c). Any other message
 * without room is NACKed, so its packets wait at the source. That also
 * stops CACK and what is queued behind them, and everyone on the PDC after the
 * receive window is used up. So if such a message is in the way of others
 * (core/rcv/rxroom.h), its packets are received and dropped, and the guaranteed
 * response NO_MATCH makes the source send all of it again later. This includes
 * an incomplete message, unless a reader may have seen part of it or it holds a
 * right and will be completed. It excludes ordered PDCs, where later messages
 * would overtake it.
 *
 * Not here: how packets are placed in messages (rx/ses/rxmsg.c).
 */
#include <linux/ktime.h>
#include <linux/rbtree.h>
#include <linux/slab.h>

#include "link/owner.h"
#include "link/peer.h"
#include "link/peer_profile.h"
#include "link/peer_rules.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "pdc/rx_half.h"
#include "rx/ses/defer.h"
#include "rx/ses/ep.h"
#include "rx/ses/pressure.h"
#include "rx/ses/rxmsg.h"
#include "rx/ses/ses.h"
#include "sock.h"

/**
 * struct uet_rx_msg - an open message, or a tombstone
 * @node: in uet_pdc_rx.msgs_by_id
 * @end_node: in uet_pdc_rx.msgs_by_end if @end_seen
 * @msg_id: message id
 * @msg: the message, with a reference; NULL in a tombstone
 * @code: SES return code for further packets, 0 = none; OK: it was deferred
 * @told_psn: lowest PSN answered by NO_MATCH or OK, if that is @code
 * @end_seen: the last packet came, at @end_psn
 * @end_psn: highest PSN of the message seen
 * @end_psn_set: @end_psn is valid
 */
struct uet_rx_msg {
	struct rb_node		node;
	struct rb_node		end_node;
	struct uet_rxmsg	*msg;
	u16			msg_id;
	u8			code;
	bool			end_seen;
	bool			end_psn_set;
	u32			end_psn;
	u32			told_psn;
};

/* Entries freed per packet; a packet adds one at most, so the list shrinks. */
#define UET_RX_MSGS_FORGOTTEN	16

/* Entries are freed without a grace period: the walk needs rx.lock. */
static struct uet_rx_msg *uet_rx_msg_find(struct uet_pdc *pdc, u16 msg_id)
{
	struct rb_node *n = pdc->rx->msgs_by_id.rb_node;
	struct uet_rx_msg *m = pdc->rx->last;

	lockdep_assert_held(&pdc->rx->lock);
	if (m && m->msg_id == msg_id)
		return m;
	while (n) {
		m = rb_entry(n, struct uet_rx_msg, node);
		if (m->msg_id == msg_id)
			return m;
		n = msg_id < m->msg_id ? n->rb_left : n->rb_right;
	}
	return NULL;
}

static void uet_rx_msg_link(struct uet_pdc *pdc, struct uet_rx_msg *m)
{
	struct rb_node **link = &pdc->rx->msgs_by_id.rb_node, *parent = NULL;

	while (*link) {
		parent = *link;
		link = m->msg_id < rb_entry(parent, struct uet_rx_msg,
					    node)->msg_id ?
		       &parent->rb_left : &parent->rb_right;
	}
	rb_link_node(&m->node, parent, link);
	rb_insert_color(&m->node, &pdc->rx->msgs_by_id);
	pdc->rx->nr_msgs++;
}

/* Add an entry for a new message; @psn is that of its packet. The packet that
 * CACK waits for gets one beyond the limit, so that CACK can free others; not on
 * an ordered PDC, where every packet is the one that CACK waits for.
 */
static struct uet_rx_msg *uet_rx_msg_add(struct uet_pdc *pdc, u16 msg_id,
					 u32 psn)
{
	struct uet_rx_msg *m;

	if (pdc->rx->nr_msgs >= UET_RX_MSGS_MAX &&
	    (pdc->rod || psn != uet_rxmap_expected(&pdc->rx->map)))
		return NULL;
	if (!uet_mem_charge_more(pdc->un, sizeof(*m), UET_MEM_RESERVE_ENTRIES))
		return NULL;
	m = kzalloc(sizeof(*m), GFP_ATOMIC | __GFP_NOWARN);
	if (!m)
		goto err_mem;
	m->msg_id = msg_id;
	uet_rx_msg_link(pdc, m);
	return m;

err_mem:
	uet_mem_uncharge(pdc->un, sizeof(*m));
	return NULL;
}

static void uet_rx_msg_del(struct uet_pdc *pdc, struct uet_rx_msg *m)
{
	if (pdc->rx->last == m)
		pdc->rx->last = NULL;
	rb_erase(&m->node, &pdc->rx->msgs_by_id);
	if (m->end_seen)
		rb_erase(&m->end_node, &pdc->rx->msgs_by_end);
	pdc->rx->nr_msgs--;
	if (m->msg)
		uet_rxmsg_put(m->msg);
	kfree(m);
	uet_mem_uncharge(pdc->un, sizeof(*m));
}

/* Fail one message whose rest will not come. */
static void uet_ses_abort(struct uet_pdc *pdc, struct uet_rxmsg *msg, int error)
{
	struct sk_buff_head gone;

	__skb_queue_head_init(&gone);
	uet_rxmsg_abort(msg, error, &gone);
	uet_rx_free(pdc->un, &gone);
}

/* Make an entry a tombstone that answers with @code. */
static void uet_rx_msg_bury(struct uet_pdc *pdc, struct uet_rx_msg *m, u8 code,
			    int error)
{
	m->code = code;
	if (!m->msg)
		return;
	uet_ses_abort(pdc, m->msg, error);
	uet_rxmsg_put(m->msg);
	m->msg = NULL;
}

static bool uet_rx_msg_ends_before(struct rb_node *a, const struct rb_node *b)
{
	return psn_before(rb_entry(a, struct uet_rx_msg, end_node)->end_psn,
			  rb_entry(b, struct uet_rx_msg, end_node)->end_psn);
}

/* Note a received packet of a message; @end: it is the last one, which has the
 * highest PSN.
 */
static void uet_rx_msg_seen(struct uet_pdc *pdc, struct uet_rx_msg *m, u32 psn,
			    bool end)
{
	bool higher = !m->end_psn_set || psn_after(psn, m->end_psn);

	if (m->end_seen && !higher)
		return;
	if (m->end_seen)
		rb_erase(&m->end_node, &pdc->rx->msgs_by_end);
	if (higher)
		m->end_psn = psn;
	m->end_psn_set = true;
	m->end_seen |= end;
	if (m->end_seen)
		rb_add(&m->end_node, &pdc->rx->msgs_by_end,
		       uet_rx_msg_ends_before);
}

/**
 * uet_ses_cack() - CACK has moved: free the entries of messages that it passed
 * @pdc: the PDC
 * @cack: its value
 *
 * One packet may move CACK past many messages, so at most UET_RX_MSGS_FORGOTTEN
 * are freed at a time. A message still incomplete then never will be complete:
 * its other packets were MSG_ERROR, or came after its tombstone was freed.
 *
 * Context: softirq, rx.lock held.
 * Return: true if there are more.
 */
bool uet_ses_cack(struct uet_pdc *pdc, u32 cack)
{
	struct uet_rx_msg *m;
	struct rb_node *n;
	struct sk_buff_head gone;
	bool more = false;
	int i = 0;

	lockdep_assert_held(&pdc->rx->lock);
	__skb_queue_head_init(&gone);
	while ((n = rb_first(&pdc->rx->msgs_by_end))) {
		m = rb_entry(n, struct uet_rx_msg, end_node);
		if (psn_after(m->end_psn, cack))
			break;
		if (i++ == UET_RX_MSGS_FORGOTTEN) {
			u64 now = ktime_get_ns();

			uet_pdc_arm(pdc, now + NSEC_PER_MSEC);
			more = true;
			break;
		}
		/* Its packets are placed under this lock: no race. */
		if (m->msg && unlikely(!READ_ONCE(m->msg->complete)))
			uet_rxmsg_abort(m->msg, ECONNABORTED, &gone);
		uet_rx_msg_del(pdc, m);
	}
	if (unlikely(!skb_queue_empty(&gone)))
		uet_rx_free(pdc->un, &gone);
	return more;
}

/**
 * uet_ses_drop_all() - drop the incomplete messages of a PDC that dies
 * @pdc: the PDC
 * @error: errno for readers in the middle of one
 *
 * Context: rx.lock held.
 */
void uet_ses_drop_all(struct uet_pdc *pdc, int error)
{
	struct sk_buff_head gone;
	struct uet_rx_msg *m;
	struct rb_node *n;

	lockdep_assert_held(&pdc->rx->lock);
	__skb_queue_head_init(&gone);
	while ((n = rb_first(&pdc->rx->msgs_by_id))) {
		m = rb_entry(n, struct uet_rx_msg, node);
		if (m->msg)
			uet_rxmsg_abort(m->msg, error, &gone);
		uet_rx_msg_del(pdc, m);
	}
	uet_rx_free(pdc->un, &gone);
	if (pdc->rx->starved_at) {
		struct uet_sock *us = pdc->rx->starved_at;
		bool listed;

		spin_lock(&us->rx_lock);
		listed = !list_empty(&pdc->rx->starve_node);
		list_del_init(&pdc->rx->starve_node);
		spin_unlock(&us->rx_lock);
		pdc->rx->starved_at = NULL;
		if (listed)
			uet_pdc_put(pdc);
	}
}

/* Drop a packet and answer it by an SES error. */
static enum uet_ses_verdict uet_ses_error(struct uet_rx_ctx *rx,
					  enum uet_drop why, u8 rc, u8 *code)
{
	rx->drop = why;
	*code = rc;
	return UET_SES_ERROR;
}

/* No room at a socket: queue the PDC for a wake-up by its reader. */
static void uet_ses_starve(struct uet_pdc *pdc, struct uet_sock *us)
{
	if (pdc->rx->starved_at)
		return;
	spin_lock(&us->rx_lock);
	if (!us->rx_closed) {
		pdc->rx->starved_at = us;
		refcount_inc(&pdc->ref);
		list_add_tail(&pdc->rx->starve_node, &us->rx_starved);
	}
	spin_unlock(&us->rx_lock);
}

/**
 * uet_lookup_rc() - return code for an endpoint that is not there
 * @why: of uet_ep_lookup()
 *
 * Return: the code.
 */
u8 uet_lookup_rc(enum uet_lookup_fail why)
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

/* The body of uet_ses_from() */
static __always_inline void uet_ses_source(const struct uet_rx_ctx *rx,
					   struct sockaddr_uet *from)
{
	const struct uet_ses_req *ses = &rx->pkt->ses;
	u32 initiator = ses->initiator;
	/* The sender's kernel made it from PIDonFEP and RI. */
	bool named = !(initiator >> 24);

	from->suet_family = uet_family;
	from->suet_flags = ses->flags & UET_SES_F_REL ? 0 : UET_ADDR_ABSOLUTE;
	from->suet_job = ses->job;
	from->suet_pid = named ? initiator >> 12 & UET_PID_MAX : 0;
	from->suet_ri = named ? initiator & UET_RI_MAX : 0;
	from->suet_initiator = initiator;
	from->suet_scope_id = rx->ifindex;
	from->suet_reserved = 0;
	from->suet_addr = rx->saddr;
}

/**
 * uet_ses_from() - the sender's address as recvmsg() shows it
 * @rx: a packet of its message
 * @from: filled in
 */
void uet_ses_from(const struct uet_rx_ctx *rx, struct sockaddr_uet *from)
{
	uet_ses_source(rx, from);
}

/*
 * Is a packet without room in the way of others? @msg is NULL if its message has
 * not begun. Others may already have received all their packets: their source
 * takes them for delivered only when CACK passes them. A source that runs this
 * module keeps all of a message on a shared PDC (UET_SEND_ALONE), so it can send
 * it again even if CACK covers part of it. At any other source NO_MATCH may fail the
 * message: it gets none just so that others need not wait.
 */
static bool uet_ses_in_the_way(struct uet_pdc *pdc, struct uet_sock *us,
			       const struct uet_rxmsg *msg, u32 psn)
{
	const struct uet_rxmap *map = &pdc->rx->map;
	u32 top = psn_max(map->highest, uet_pdc_nacked_top(pdc));
	bool behind = us && uet_rxshare_behind(&pdc->rx->share, us, psn,
					       map->range);
	bool holds = uet_peer_holds(pdc->peer);
	struct uet_rxroom_nacked nacked = {
		.len		= msg ? msg->len : 0,
		.range		= map->range,
		.shares		= holds && (behind || uet_reader_shares(pdc)),
		.covered	= msg && !psn_after(msg->psn, map->cack) &&
				  !(behind && holds),
	};

	if (pdc->rod)
		return false;
	if (psn_after(top, psn))
		nacked.beyond = top - psn;
	if (us)
		uet_rxmsg_rivals(us, pdc, msg ? msg->psn : psn, &nacked);
	/* Other sources keep nothing back. */
	nacked.posted &= holds;
	return uet_rxroom_send_back(&nacked);
}

/*
 * There is no room for a packet, or for a new message (@msg is NULL). NACK it, so
 * that the source waits; or answer NO_MATCH if it is in the way of others.
 */
static enum uet_ses_verdict uet_ses_no_room(struct uet_pdc *pdc,
					    struct uet_rx_ctx *rx,
					    struct uet_sock *us,
					    struct uet_rxmsg *msg, u8 nack,
					    u8 *code)
{
	if (uet_ses_in_the_way(pdc, us, msg, rx->pkt->req.psn) &&
	    (!msg || uet_rxmsg_unbegin(msg)))
		return uet_ses_error(rx, UET_DROP_NO_MATCH, UET_RC_NO_MATCH,
				     code);
	if (us)
		uet_ses_starve(pdc, us);
	*code = nack;
	return UET_SES_SHORT;
}

/* What a reader sees of a deferrable message: that it was sent */
static u8 uet_ses_plain_op(u8 opcode)
{
	switch (opcode) {
	case UET_SES_OP_DEFERRABLE_SEND:
		return UET_SES_OP_SEND;
	case UET_SES_OP_DEFERRABLE_TSEND:
		return UET_SES_OP_TAGGED_SEND;
	default:
		return opcode;
	}
}

static bool uet_ses_deferrable(const struct uet_ses_req *ses)
{
	return unlikely(ses->opcode == UET_SES_OP_DEFERRABLE_SEND ||
			ses->opcode == UET_SES_OP_DEFERRABLE_TSEND);
}

/* Set up a message from its first packet. */
static __always_inline void uet_ses_describe(const struct uet_pdc *pdc,
					     const struct uet_rx_ctx *rx,
					     struct uet_rxmsg *msg)
{
	const struct uet_ses_req *ses = &rx->pkt->ses;

	uet_ses_source(rx, &msg->from);
	msg->to = rx->daddr;
	msg->iif = rx->iif;
	msg->pdc = pdc;
	msg->line = pdc->rod ? (unsigned long)pdc : 0;
	msg->psn = rx->pkt->req.psn;
	msg->match_bits = ses->key;
	msg->len = ses->request_length;
	msg->msg_id = ses->msg_id;
	msg->opcode = uet_ses_plain_op(ses->opcode);
	msg->delivery = pdc->rod ? UET_ROD : UET_RUD;
	/* What holds packets is this module. */
	msg->replyable = uet_peer_holds(pdc->peer) &&
			 !(ses->initiator >> 24);
	msg->line_last = pdc->rx->rcvd_bytes;
}

/* May the sender use its job id? The sending host has checked that, so it must be
 * trusted; packets over the loopback device were checked by this host.
 */
static bool uet_ses_job_believed(const struct uet_pdc *pdc,
				 const struct uet_rx_ctx *rx)
{
	return uet_peer_trusted(pdc->peer) ||
	       (rx->skb->dev && rx->skb->dev->flags & IFF_LOOPBACK);
}

/* Does the receiver's control group filter the packet? */
static __always_inline bool uet_ses_filtered(struct uet_rx_ctx *rx,
					     const struct uet_sock *us, u8 *code)
{
	if (likely(!uet_owner_denies(us, rx->skb)))
		return false;
	uet_ses_error(rx, UET_DROP_FILTER, UET_RC_PERM_VIOLATION, code);
	return true;
}

/*
 * The first packet of a message: find its endpoint and allocate the message, in
 * no list yet. If NULL, *verdict and *code say what to do.
 */
static __always_inline struct uet_rxmsg *uet_ses_begin(struct uet_pdc *pdc,
						       struct uet_rx_ctx *rx,
						       u8 *code,
						       enum uet_ses_verdict *verdict)
{
	const struct uet_ses_req *ses = &rx->pkt->ses;
	enum uet_lookup_fail why = 0;
	struct uet_rxmsg *msg;
	struct uet_sock *us;

	*verdict = UET_SES_ERROR;
	if (ses->job && unlikely(!uet_ses_job_believed(pdc, rx))) {
		uet_ses_error(rx, UET_DROP_JOB, UET_RC_BAD_JOB_ID, code);
		return NULL;
	}
	us = uet_ep_recall(&pdc->rx->ep, rx, &why);
	if (unlikely(!us)) {
		uet_ses_error(rx, UET_DROP_ENDPOINT, uet_lookup_rc(why), code);
		return NULL;
	}
	if (uet_ses_filtered(rx, us, code))
		return NULL;
	if (ses->request_length > READ_ONCE(us->max_msg)) {
		uet_ses_error(rx, UET_DROP_TOO_LONG, UET_RC_TOO_LONG, code);
		return NULL;
	}
	uet_reader_note(pdc, us);
	rx->us = us;
	/* Nothing of it is taken, which the response says: OK, of 0 bytes. */
	if (uet_ses_deferrable(ses) && uet_defer_msg(pdc, rx, us)) {
		uet_ses_error(rx, UET_DROP_DEFERRED, UET_RC_OK, code);
		return NULL;
	}
	msg = uet_rxmsg_alloc(us);
	if (likely(msg))
		uet_ses_describe(pdc, rx, msg);
	else
		*verdict = uet_ses_no_room(pdc, rx, us, NULL,
					   UET_NACK_NO_SES_MSG_AVAIL, code);
	return msg;
}

/* Remove the headers and what follows the payload. */
static __always_inline bool uet_ses_strip(struct uet_rx_ctx *rx)
{
	const struct uet_pkt *pkt = rx->pkt;

	if (pskb_trim(rx->skb, pkt->hdr_len + pkt->payload_len))
		return false;
	__skb_pull(rx->skb, pkt->hdr_len);
	return true;
}

/* What a packet has of its message, headers removed */
static __always_inline void uet_ses_part_of(const struct uet_pdc *pdc,
					    const struct uet_rx_ctx *rx,
					    struct uet_rxpart *part)
{
	const struct uet_ses_req *ses = &rx->pkt->ses;

	part->off = ses->message_offset;
	part->len = rx->skb->len;
	part->seg = 0;
	part->gap = 0;
	part->som = ses->flags & UET_SES_F_SOM;
	part->has_hd = ses->flags & UET_SES_F_HD;
	part->header_data = ses->header_data;
	part->ce = rx->ce;
	part->credit = pdc->rx->credit;
	part->cells = part->credit ? rx->cells : 0;
}

/* Give the payload to the message. */
static int uet_ses_place(struct uet_rx_ctx *rx, struct uet_rxmsg *msg,
			 const struct uet_rxpart *part)
{
	if (psn_before(rx->pkt->req.psn, msg->psn))
		WRITE_ONCE(msg->psn, rx->pkt->req.psn);
	return uet_rxmsg_place(msg, rx->skb, part);
}

/*
 * The verdict on a packet, from the result of uet_ses_place() or, if nothing of its
 * message is known (@msg is NULL), of uet_rxmsg_begin()
 */
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
	case -EAGAIN:
		return uet_ses_no_room(pdc, rx, rx->us, NULL,
				       UET_NACK_NO_SES_MSG_AVAIL, code);
	case -ENOBUFS:
		return uet_ses_no_room(pdc, rx, msg ? READ_ONCE(msg->us) : rx->us, msg,
				       UET_NACK_NO_PKT_BUFFER, code);
	case -EINVAL:
		return uet_ses_error(rx, UET_DROP_VIOLATION,
				     UET_RC_OP_VIOLATION, code);
	case -EACCES:
		return uet_ses_error(rx, UET_DROP_FILTER,
				     UET_RC_PERM_VIOLATION, code);
	case -ENOSPC:
		return uet_ses_error(rx, UET_DROP_MIXED, UET_RC_DROPPED, code);
	case -ETIME:
		return uet_ses_error(rx, UET_DROP_ENDED, UET_RC_DROPPED, code);
	default:		/* the socket is gone */
		return uet_ses_error(rx, UET_DROP_ENDPOINT, UET_RC_BAD_PID,
				     code);
	}
}

/* Take up a message with the first packet of it that came. NULL: *verdict says why not */
static struct uet_rxmsg *uet_ses_first(struct uet_pdc *pdc, struct uet_rx_ctx *rx,
				       struct uet_rxmsg *msg,
				       const struct uet_rxpart *part, u8 *code,
				       enum uet_ses_verdict *verdict)
{
	int ret = uet_rxmsg_begin(rx->us, msg, rx->skb, part);

	*verdict = uet_ses_placed(pdc, rx, NULL, ret, code);
	return ret < 0 ? NULL : msg;
}

/* A message of one packet that uet_rxmsg_whole() did not deliver */
static noinline enum uet_ses_verdict uet_ses_single_part(struct uet_pdc *pdc,
							 struct uet_rx_ctx *rx,
							 struct uet_rxmsg *msg,
							 const struct uet_rxpart *part,
							 u8 *code)
{
	enum uet_ses_verdict verdict;

	msg = uet_ses_first(pdc, rx, msg, part, code, &verdict);
	if (msg)
		uet_rxmsg_put(msg);
	return verdict;
}

/* A message of one packet needs no entry. */
static noinline enum uet_ses_verdict uet_ses_single(struct uet_pdc *pdc,
						    struct uet_rx_ctx *rx, u8 *code)
{
	enum uet_ses_verdict verdict;
	struct uet_rxpart part __uninitialized;	/* uet_ses_part_of() fills it */
	struct uet_rxmsg *msg;

	if (unlikely(!uet_ses_strip(rx))) {
		*code = UET_NACK_NO_PKT_BUFFER;
		return UET_SES_SHORT;
	}
	uet_ses_part_of(pdc, rx, &part);
	msg = uet_ses_begin(pdc, rx, code, &verdict);
	if (unlikely(!msg))
		return verdict;
	if (unlikely(!uet_rxmsg_whole(rx->us, msg, rx->skb, &part)))
		return uet_ses_single_part(pdc, rx, msg, &part, code);
	UET_INC(rx->un, MSG_RCVD);
	return UET_SES_TAKEN;
}

/* A further packet of a message that has a tombstone */
static enum uet_ses_verdict uet_ses_buried(struct uet_rx_ctx *rx,
					   struct uet_rx_msg *m, u8 *code)
{
	u32 psn = rx->pkt->req.psn;

	rx->drop = UET_DROP_ENDED;
	if (!m->code)
		return UET_SES_DROP;
	/*
	 * Answer only the lowest PSN: CACK stops below it until the source has
	 * the response.
	 */
	if (m->code == UET_RC_NO_MATCH || m->code == UET_RC_OK) {
		if (psn_after(psn, m->told_psn))
			return UET_SES_DROP;
		m->told_psn = psn;
	}
	*code = m->code;
	return UET_SES_ERROR;
}

/* The first packet of a message of several: its entry has the message, or a tombstone. */
static noinline enum uet_ses_verdict uet_ses_open(struct uet_pdc *pdc,
						  struct uet_rx_ctx *rx,
						  struct uet_rx_msg *m, u8 *code)
{
	enum uet_ses_verdict verdict;
	struct uet_rxpart part;
	struct uet_rxmsg *msg;

	if (unlikely(!uet_ses_strip(rx))) {
		*code = UET_NACK_NO_PKT_BUFFER;
		return UET_SES_SHORT;
	}
	uet_ses_part_of(pdc, rx, &part);
	msg = uet_ses_begin(pdc, rx, code, &verdict);
	if (msg)
		m->msg = uet_ses_first(pdc, rx, msg, &part, code, &verdict);
	if (!m->msg && verdict != UET_SES_SHORT) {
		m->code = *code;
		m->told_psn = rx->pkt->req.psn;
	}
	return verdict;
}

static enum uet_ses_verdict uet_ses_part(struct uet_pdc *pdc,
					 struct uet_rx_ctx *rx, u8 *code)
{
	const struct uet_ses_req *ses = &rx->pkt->ses;
	struct uet_rx_msg *m = uet_rx_msg_find(pdc, ses->msg_id);
	enum uet_ses_verdict verdict;
	u32 psn = rx->pkt->req.psn;
	struct uet_rxpart part;
	int ret;

	if (!m) {
		m = uet_rx_msg_add(pdc, ses->msg_id, psn);
		if (!m) {
			*code = UET_NACK_NO_SES_MSG_AVAIL;
			return UET_SES_SHORT;
		}
		verdict = uet_ses_open(pdc, rx, m, code);
		if (verdict == UET_SES_SHORT) {
			uet_rx_msg_del(pdc, m);
			return verdict;
		}
		if (m->msg)
			pdc->rx->last = m;
		goto end;
	}
	pdc->rx->last = m;
	if (!m->msg) {
		verdict = uet_ses_buried(rx, m, code);
		goto end;
	}
	rx->us = READ_ONCE(m->msg->us);
	if (rx->us && uet_ses_filtered(rx, rx->us, code)) {
		ret = -EACCES;
	} else if (m->msg->len != ses->request_length) {
		ret = -EINVAL;
	} else if (!uet_ses_strip(rx)) {
		ret = -ENOBUFS;
	} else {
		uet_ses_part_of(pdc, rx, &part);
		ret = uet_ses_place(rx, m->msg, &part);
	}
	verdict = uet_ses_placed(pdc, rx, m->msg, ret, code);
	if (verdict == UET_SES_SHORT)
		return verdict;
	if (verdict == UET_SES_ERROR) {
		uet_rx_msg_bury(pdc, m, *code, *code == UET_RC_NO_MATCH ?
					       0 : ECONNABORTED);
		m->told_psn = psn;
	}
end:
	uet_rx_msg_seen(pdc, m, psn, ses->flags & UET_SES_F_EOM);
	return verdict;
}

/* What a run has of its message */
static void uet_ses_run_part(const struct uet_pdc *pdc, const struct uet_rx_ctx *rx,
			     const struct uet_rx_run *run, struct uet_rxpart *part)
{
	uet_ses_part_of(pdc, rx, part);
	part->len = run->len;
	part->seg = run->seg;
	part->gap = rx->pkt->hdr_len;
}

/* A run that is a whole message, none of whose packets came before */
static bool uet_ses_run_whole(struct uet_pdc *pdc, struct uet_rx_ctx *rx,
			      const struct uet_rxpart *part)
{
	enum uet_ses_verdict verdict;
	struct uet_rxmsg *msg;
	bool taken;
	u8 code;

	msg = uet_ses_begin(pdc, rx, &code, &verdict);
	if (!msg)
		return false;
	taken = uet_rxmsg_fits_buffer(rx->us, part->len) &&
		uet_rxmsg_whole(rx->us, msg, rx->skb, part);
	if (taken)
		UET_INC(rx->un, MSG_RCVD);
	else
		uet_rxmsg_free(msg);
	return taken;
}

/* Place a run in the message of an entry. */
static bool uet_ses_run_place(struct uet_rx_ctx *rx, struct uet_rxmsg *msg,
			      const struct uet_rxpart *part)
{
	int ret;

	rx->us = READ_ONCE(msg->us);
	if (!rx->us || msg->len != rx->pkt->ses.request_length ||
	    !uet_rxmsg_fits_buffer(rx->us, part->len))
		return false;
	ret = uet_ses_place(rx, msg, part);
	if (ret == 1)
		UET_INC(rx->un, MSG_RCVD);
	return ret >= 0;
}

/* Begin the message of an entry with a run. */
static bool uet_ses_run_open(struct uet_pdc *pdc, struct uet_rx_ctx *rx,
			     struct uet_rx_msg *m, const struct uet_rxpart *part)
{
	enum uet_ses_verdict verdict;
	struct uet_rxmsg *msg;
	int ret;
	u8 code;

	msg = uet_ses_begin(pdc, rx, &code, &verdict);
	if (!msg)
		return false;
	if (!uet_rxmsg_fits_buffer(rx->us, part->len)) {
		uet_rxmsg_free(msg);
		return false;
	}
	ret = uet_rxmsg_begin(rx->us, msg, rx->skb, part);
	if (ret < 0)
		return false;
	if (ret == 1)
		UET_INC(rx->un, MSG_RCVD);
	m->msg = msg;
	return true;
}

/**
 * uet_ses_run() - deliver a run of new requests
 * @pdc: the PDC
 * @rx: its first packet
 * @run: the run
 *
 * Only where each of the packets would be delivered: an error or want of room is
 * for uet_ses_request() to tell for the packet that it is about.
 *
 * Context: softirq, rx.lock held.
 * Return: true if all were delivered and the skb is consumed; false if none was.
 */
bool uet_ses_run(struct uet_pdc *pdc, struct uet_rx_ctx *rx,
		 const struct uet_rx_run *run)
{
	const struct uet_ses_req *ses = &rx->pkt->ses;
	struct uet_rx_msg *m = uet_rx_msg_find(pdc, ses->msg_id);
	u32 psn = rx->pkt->req.psn;
	struct uet_rxpart part;
	u8 code;

	lockdep_assert_held(&pdc->rx->lock);
	uet_ses_run_part(pdc, rx, run, &part);
	if (!m && part.som && run->eom)
		return uet_ses_run_whole(pdc, rx, &part);
	if (!m) {
		m = uet_rx_msg_add(pdc, ses->msg_id, psn);
		if (!m)
			return false;
		if (!uet_ses_run_open(pdc, rx, m, &part)) {
			uet_rx_msg_del(pdc, m);
			return false;
		}
	} else if (!m->msg || (READ_ONCE(m->msg->us) &&
			       uet_ses_filtered(rx, READ_ONCE(m->msg->us), &code)) ||
		   !uet_ses_run_place(rx, m->msg, &part)) {
		return false;
	}
	pdc->rx->last = m;
	uet_rx_msg_seen(pdc, m, psn + run->n - 1, run->eom);
	return true;
}

/*
 * NO_OP: a peer asks whether an endpoint exists (UET_WATCH) and is still the
 * same (generation). PIDonFEP 0, which no endpoint has, asks for the host.
 */
static enum uet_ses_verdict uet_ses_no_op(struct uet_pdc *pdc,
					  struct uet_rx_ctx *rx, u8 *code)
{
	const struct uet_ses_req *ses = &rx->pkt->ses;
	enum uet_lookup_fail why = 0;
	const struct uet_sock *us;

	if (!ses->pid)
		return UET_SES_DROP;
	if (ses->job && unlikely(!uet_ses_job_believed(pdc, rx)))
		return uet_ses_error(rx, UET_DROP_JOB, UET_RC_BAD_JOB_ID, code);
	us = uet_ep_lookup(rx->un, &rx->daddr, rx->ifindex, rx->iif, ses->job,
			   ses->pid, ses->ri, &why);
	if (!us) {
		*code = uet_lookup_rc(why);
		return UET_SES_ERROR;
	}
	if (ses->generation == us->generation)
		return UET_SES_DROP;
	rx->generation = us->generation;
	*code = UET_RC_BAD_GENERATION;
	return UET_SES_ERROR;
}

/* DEFERRABLE_RTR: a target asks for a message that this host sent it. */
static enum uet_ses_verdict uet_ses_rtr(struct uet_pdc *pdc,
					struct uet_rx_ctx *rx, u8 *code)
{
	const struct uet_ses_req *ses = &rx->pkt->ses;
	struct uet_rtr rtr = {
		.raddr	= rx->saddr,
		.from	= ses->buffer_offset,
		.job	= ses->job,
		.tokens	= {
			uet_ses_token(ses->key, false),
			uet_ses_token(ses->key, true),
		},
	};
	u8 rc;

	if (ses->job && unlikely(!uet_ses_job_believed(pdc, rx)))
		return uet_ses_error(rx, UET_DROP_JOB, UET_RC_BAD_JOB_ID, code);
	rc = uet_pdc_tx_ops->restart(rx->un, &rtr);
	if (rc == UET_RC_OK)
		return UET_SES_DROP;
	return uet_ses_error(rx, UET_DROP_ENDED, rc, code);
}

/* MSG_ERROR: the source gave a message up. */
static enum uet_ses_verdict uet_ses_msg_error(struct uet_pdc *pdc,
					      struct uet_rx_ctx *rx, u8 *code)
{
	const struct uet_ses_req *ses = &rx->pkt->ses;
	struct uet_rx_msg *m = uet_rx_msg_find(pdc, ses->msg_id);

	if (!m) {
		/* It overtook every packet of the message. */
		m = uet_rx_msg_add(pdc, ses->msg_id, rx->pkt->req.psn);
		if (!m) {
			*code = UET_NACK_NO_SES_MSG_AVAIL;
			return UET_SES_SHORT;
		}
	}
	uet_rx_msg_bury(pdc, m, 0, ECONNABORTED);
	uet_rx_msg_seen(pdc, m, rx->pkt->req.psn, true);
	return UET_SES_DROP;
}

/* Is it a packet without data that ends a message ahead of its end? */
static bool uet_ses_stops(const struct uet_ses_req *ses)
{
	return !(ses->flags & UET_SES_F_SOM) && ses->flags & UET_SES_F_EOM &&
	       !ses->payload_length &&
	       ses->message_offset < ses->request_length;
}

/* A packet with contradicting fields ends the message that it names. */
static void uet_ses_violated(struct uet_pdc *pdc, struct uet_rx_ctx *rx)
{
	const struct uet_ses_req *ses = &rx->pkt->ses;
	struct uet_rx_msg *m = uet_rx_msg_find(pdc, ses->msg_id);

	if (!m)
		return;
	uet_rx_msg_bury(pdc, m, m->code ?: UET_RC_OP_VIOLATION, ECONNABORTED);
	uet_rx_msg_seen(pdc, m, rx->pkt->req.psn, ses->flags & UET_SES_F_EOM);
}

/* Any request, also one that is no plain message of one packet */
static noinline enum uet_ses_verdict uet_ses_any(struct uet_pdc *pdc,
						 struct uet_rx_ctx *rx, u8 *code)
{
	const struct uet_pkt *pkt = rx->pkt;
	const struct uet_ses_req *ses = &pkt->ses;
	const u8 whole = UET_SES_F_SOM | UET_SES_F_EOM;

	if (unlikely(!uet_pkt_has_ses_req(pkt)))
		return uet_ses_error(rx, UET_DROP_TYPE, UET_RC_UNSUPPORTED_OP,
				     code);
	if (unlikely(pkt->violation)) {
		uet_ses_violated(pdc, rx);
		return uet_ses_error(rx, UET_DROP_VIOLATION,
				     UET_RC_OP_VIOLATION, code);
	}
	/* A forged first packet proves nothing. */
	if (unlikely(pkt->next_hdr != UET_NH_REQ_STD) && pdc->rx->confirmed)
		uet_habit_was_brief(&pdc->peer->habits);
	switch (ses->opcode) {
	case UET_SES_OP_SEND:
	case UET_SES_OP_TAGGED_SEND:
		break;
	case UET_SES_OP_DEFERRABLE_SEND:
	case UET_SES_OP_DEFERRABLE_TSEND:
		/* Its source stops it, mostly since it was deferred. */
		if (unlikely(uet_ses_stops(ses)))
			return uet_ses_msg_error(pdc, rx, code);
		break;
	case UET_SES_OP_MSG_ERROR:
		return uet_ses_msg_error(pdc, rx, code);
	case UET_SES_OP_DEFERRABLE_RTR:
		return uet_ses_rtr(pdc, rx, code);
	case UET_SES_OP_NO_OP:
		return uet_ses_no_op(pdc, rx, code);
	default:
		return uet_ses_error(rx, UET_DROP_TYPE, UET_RC_UNSUPPORTED_OP,
				     code);
	}
	if (ses->flags & UET_SES_F_IE)
		return uet_ses_error(rx, UET_DROP_ENDED, UET_RC_INITIATOR_ERR,
				     code);
	if ((ses->flags & whole) == whole)
		return uet_ses_single(pdc, rx, code);
	return uet_ses_part(pdc, rx, code);
}

/* Is it a message of one packet with the header that nearly all have? */
static bool uet_ses_is_plain(const struct uet_pkt *pkt)
{
	const struct uet_ses_req *ses = &pkt->ses;
	const u8 whole = UET_SES_F_SOM | UET_SES_F_EOM;

	return pkt->next_hdr == UET_NH_REQ_STD && !pkt->violation &&
	       (ses->flags & (whole | UET_SES_F_IE)) == whole &&
	       (ses->opcode == UET_SES_OP_SEND ||
		ses->opcode == UET_SES_OP_TAGGED_SEND);
}

/**
 * uet_ses_request() - deliver a new request
 * @pdc: the PDC
 * @rx: the packet
 * @code: for UET_SES_ERROR the SES return code, for UET_SES_SHORT the NACK
 *	code
 *
 * Context: softirq, rx.lock held.
 * Return: enum uet_ses_verdict.
 */
enum uet_ses_verdict uet_ses_request(struct uet_pdc *pdc,
				     struct uet_rx_ctx *rx, u8 *code)
{
	lockdep_assert_held(&pdc->rx->lock);
	if (uet_ses_is_plain(rx->pkt))
		return uet_ses_single(pdc, rx, code);
	return uet_ses_any(pdc, rx, code);
}
