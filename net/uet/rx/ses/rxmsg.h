/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An incoming message. Packets are placed by their offset, in any order; the
 * contiguous prefix of a long message can be read before the rest has arrived.
 */
#ifndef _UET_RXMSG_H
#define _UET_RXMSG_H

#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/refcount.h>
#include <linux/skbuff.h>
#include <linux/uet.h>

#include "core/rcv/posted.h"
#include "core/rcv/rxroom.h"
#include "sock.h"

struct uet_credit_src;
struct uet_net;
struct uet_pdc;
struct uet_rxpost;
struct uet_sock;

/**
 * struct uet_rxmsg - an incoming message
 * @node: in uet_sock.rx_ready
 * @open_node: in uet_sock.rx_open, rx_absent, rx_granted, rx_mixed or
 *	uet_rxposts.begun while not complete
 * @waiting: in uet_rxposts.waiting while it waits for a posted receive
 * @by_tag: in uet_rxposts.by_tag, too
 * @post: posted receive that it goes to, with a reference, or NULL
 * @part: its place there
 * @filling: a task copies there what had come before the receive was posted
 * @claimed: kept for the receive with the cookie @claim
 * @claim: valid if @claimed
 * @ref: one for the PDC's table, one for the socket's lists, one for a reader
 * @us: the socket; NULL once it closed or dropped the message. rx_lock
 * @from: sender, as recvmsg() reports it
 * @to: own address that it was sent to
 * @iif: interface by which its first packet came
 * @pdc: the PDC it comes by; only to compare once complete: it may be gone
 * @line: identifies the ordered PDC it comes by, 0 if unordered
 * @born: when its first packet arrived, jiffies; constant
 * @psn: lowest PSN of it that arrived; pdc_rx.lock of @pdc
 * @len: length of the message, known from the first packet on
 * @msg_id: id on the wire
 * @opcode: SES opcode
 * @delivery: enum uet_delivery
 * @replyable: @from is known to lead back to the sender
 * @has_hd: it has header data
 * @header_data: valid if @has_hd; of a write (UET_RUDI) its place in the window
 * @match_bits: tag, if @opcode is that of a tagged message; of a write the key
 * @rcvd: distinct payload bytes placed
 * @head: offset of the first byte not yet in @prefix, i.e. its end
 * @read: bytes the reader took
 * @bytes: truesize held
 * @beyond: the part of @bytes charged to the socket only, beyond the limits
 * @cells: cells that its packets hold, 0 without TFC
 * @credit: source of credit that sent them, valid if @cells
 * @som: the packet with SOM (start of message) arrived
 * @complete: all bytes and SOM arrived
 * @ready: on uet_sock.rx_ready
 * @granted: may use the reserved half of the receive buffer
 * @mixed: has its right beside that of an earlier message of its line
 * @absent: in uet_sock.rx_absent
 * @busy: a reader copies from it now
 * @peeked: a reader has seen part of it by MSG_PEEK
 * @given_up: failed because it was silent while others waited
 * @error: errno for the reader (ECONNRESET, ECONNABORTED), or for who copies it; 0 = none
 * @ce: some packet was ECN marked
 * @prefix: packets that continue what was read, in order
 * @ooo: packets beyond a hole, by offset (skb->rbnode)
 * @last: jiffies of the last packet, also of one NACKed for shortage
 * @waits: since when it waits for its reader, jiffies, if @ready
 * @granted_at: jiffies, since when @granted; valid if so
 * @line_last: bytes that the ordered PDC had delivered at @last
 * @line_granted: ... at @granted_at; valid if @line, too
 *
 * The socket's rx_lock protects all but the constant fields.
 */
struct uet_rxmsg {
	struct list_head	node;
	struct list_head	open_node;
	refcount_t		ref;
	struct uet_sock		*us;
	struct sockaddr_uet	from;
	struct in6_addr		to;
	int			iif;
	struct list_head	waiting;
	struct list_head	by_tag;
	const struct uet_pdc	*pdc;
	unsigned long		line;
	unsigned long		born;
	u64			match_bits;
	u32			psn;
	u32			len;
	u16			msg_id;
	u8			opcode;
	u8			delivery;
	bool			replyable;
	struct sk_buff_head	prefix;
	struct uet_credit_src	*credit;
	u64			claim;
	unsigned long		last;
	unsigned long		waits;
	unsigned long		granted_at;
	u64			line_last;
	u64			line_granted;
	/* zeroed from here on */
	u32			rcvd;
	u32			head;
	u32			read;
	u32			bytes;
	u32			beyond;
	u32			cells;
	bool			som;
	bool			has_hd;
	bool			complete;
	bool			ready;
	bool			granted;
	bool			mixed;
	bool			absent;
	bool			busy;
	bool			peeked;
	bool			given_up;
	bool			ce;
	bool			claimed;
	bool			filling;
	int			error;
	struct uet_rxpost	*post;
	struct uet_posted_part	part;
	u64			header_data;
	struct rb_root		ooo;
};

/**
 * struct uet_rxpart - what a packet, or a run of packets, has of a message
 * @off: offset in the message
 * @len: payload bytes, without those of gaps
 * @seg: payload bytes before each gap
 * @gap: bytes of headers between the payloads of a run; 0 in a single packet
 * @som: start of message: the header data is valid
 * @has_hd: there is header data
 * @ce: ECN marked
 * @header_data: the header data
 * @cells: what it costs with TFC, 0 = nothing
 * @credit: source of credit that sent it, valid if @cells
 */
struct uet_rxpart {
	u32	off;
	u32	len;
	u32	seg;
	u32	gap;
	bool	som;
	bool	has_hd;
	bool	ce;
	u64	header_data;
	u32	cells;
	struct uet_credit_src *credit;
};

/**
 * struct uet_rxcb - skb->cb of what was placed; skb->data is at the first payload
 * @off: as in struct uet_rxpart
 * @len: as in struct uet_rxpart
 * @seg: as in struct uet_rxpart
 * @gap: as in struct uet_rxpart
 */
struct uet_rxcb {
	u32	off;
	u32	len;
	u32	seg;
	u32	gap;
};

#define UET_RXCB(skb)	((struct uet_rxcb *)(skb)->cb)

/**
 * uet_rxcb_at() - find a byte of the payload in its packet
 * @cb: of the packet
 * @off: offset in the payload
 * @len: bytes wanted from there on; reduced to those before the next gap
 *
 * Return: offset from skb->data.
 */
static inline u32 uet_rxcb_at(const struct uet_rxcb *cb, u32 off, u32 *len)
{
	u32 n;

	if (likely(!cb->gap))
		return off;
	n = off / cb->seg;
	*len = min(*len, cb->seg - off % cb->seg);
	return off + n * cb->gap;
}

/*
 * All of these run in softirq (or with BH off) and take us->rx_lock inside.
 */

/* Takes no reference on @us (the caller is in an RCU section). The message has
 * two references: the caller's (PDC table) and the socket's.
 */
struct uet_rxmsg *uet_rxmsg_alloc(struct uet_sock *us);
int uet_rxmsg_begin(struct uet_sock *us, struct uet_rxmsg *msg,
		    struct sk_buff *skb, const struct uet_rxpart *part);
bool uet_rxmsg_fits_buffer(const struct uet_sock *us, u32 len);
bool uet_rxmsg_whole(struct uet_sock *us, struct uet_rxmsg *msg,
		     struct sk_buff *skb, const struct uet_rxpart *part);
int uet_rxmsg_place(struct uet_rxmsg *msg, struct sk_buff *skb,
		    const struct uet_rxpart *part);

void uet_rxmsg_abort(struct uet_rxmsg *msg, int error,
		     struct sk_buff_head *gone);
bool uet_rxmsg_unbegin(struct uet_rxmsg *msg);
void uet_rxmsg_rivals(struct uet_sock *us, const struct uet_pdc *pdc, u32 psn,
		      struct uet_rxroom_nacked *nacked);

void uet_rxmsg_put(struct uet_rxmsg *msg);
void uet_rxmsg_free(struct uet_rxmsg *msg);
void uet_rxmsg_retire(struct uet_sock *us, struct uet_rxmsg *msg);
void uet_rxmsg_drop_spare(struct uet_sock *us);

/* For readers; rx_lock not held */
bool uet_rx_readable(struct uet_sock *us, u32 lowat);
bool uet_rx_pollable(struct uet_sock *us);
bool uet_rx_peekable(struct uet_sock *us, u32 off, u32 lowat);
u32 uet_rx_avail(struct uet_sock *us);
void uet_rx_stop(struct uet_sock *us);
u8 uet_rx_pend(struct uet_sock *us, const struct uet_pdc *pdc);

/* rx/ses/rxread.c: what rx/pds does when a reader made room in its socket; returns true if
 * more PDCs wait for room. Process or BH, no locks held
 */
extern bool (*uet_rx_room)(struct uet_sock *us);

/* rx/pds/request.c */
bool uet_pds_rx_room(struct uet_sock *us);

/* Called without locks */
void uet_rxmsg_purge(struct uet_sock *us);

/* What was NACKed: a packet of a queued message; a new message, which could not
 * be queued; or memory of the namespace
 */
enum uet_rx_want { UET_RX_WANT_PACKET, UET_RX_WANT_MESSAGE, UET_RX_WANT_MEMORY };

unsigned long uet_rx_unwedge(struct uet_sock *us, enum uet_rx_want want);

/* rx/ses/rxshort.c: shortage of memory in the namespace */
void uet_rx_short(struct uet_net *un);
void uet_rx_short_init(struct uet_net *un);
void uet_rx_short_exit(struct uet_net *un);

/* rx/ses/rxfree.c */
void uet_rx_free(struct uet_net *un, struct sk_buff_head *gone);
void uet_rx_free_init(struct uet_net *un);
void uet_rx_free_exit(struct uet_net *un);

/**
 * uet_rx_half() - half of the receive buffer, as it counts now
 * @us: socket
 *
 * Return: bytes.
 */
static inline u32 uet_rx_half(const struct uet_sock *us)
{
	return READ_ONCE(us->rx_half);
}

/**
 * uet_rx_count_ready() - account for a change of the readable bytes
 * @us: socket
 * @bytes: difference
 *
 * Context: rx_lock held.
 */
static inline void uet_rx_count_ready(struct uet_sock *us, long bytes)
{
	lockdep_assert_held(&us->rx_lock);
	us->rx_ready_bytes += bytes;
	uet_mem_note_ready(&us->un->mem, bytes);
}

/* rx/ses/rxmem.c; rx_lock held */
bool uet_rx_grow(struct uet_sock *us, const struct uet_pdc *pdc);
int uet_rx_enter(struct uet_sock *us, struct uet_rxmsg *msg);
void uet_rx_leave(struct uet_sock *us, struct uet_rxmsg *msg);
enum uet_rxroom_rival uet_rx_rival(const struct uet_sock *us,
				   const struct uet_pdc *pdc, u32 psn);
bool uet_rx_may_hand_over(struct uet_sock *us, struct uet_rxmsg *msg);
int uet_rx_admit(struct uet_sock *us, struct uet_rxmsg *msg, u64 end,
		 u32 truesize, bool next, bool run);
void uet_rx_came(struct uet_rxmsg *msg);
void uet_rx_nacked(struct uet_sock *us, struct uet_rxmsg *msg);
struct uet_rxmsg *uet_rx_wedging(struct uet_sock *us, enum uet_rx_want want);
void uet_rx_uncharge(struct uet_sock *us, struct uet_rxmsg *msg, u32 bytes);

/* Shared by rx/ses/rxmsg.c, rx/ses/rxmem.c and rx/ses/rxread.c; rx_lock held */
void uet_rx_drop(struct uet_sock *us, struct uet_rxmsg *msg,
		 struct sk_buff_head *to);
void uet_rx_drop_read(struct uet_sock *us, struct uet_rxmsg *msg);
void uet_rx_leave_lists(struct uet_sock *us, struct uet_rxmsg *msg,
			struct sk_buff_head *to);
bool uet_rx_first_readable(struct uet_sock *us, u32 lowat);

/**
 * struct uet_rxread - a reader's hold on the first message (rx/ses/rxread.c)
 * @peek_off: SO_PEEK_OFF if it counts for this read, else -1. The message is that
 *	with this byte then
 * @msg: the message, with a reference
 * @skbs: its readable packets, taken out of it
 * @used: packets read to the end
 * @used_bytes: truesize of @used
 * @pos: offset of the next byte to read
 * @error: errno to return instead of data
 * @from: sender, valid with @error
 * @whole: @skbs reach to the end of the message
 *
 * In process context with the socket locked.
 */
struct uet_rxread {
	s32			peek_off;
	struct uet_rxmsg	*msg;
	struct sk_buff_head	skbs;
	struct sk_buff_head	used;
	u32			used_bytes;
	u32			pos;
	int			error;
	struct sockaddr_uet	from;
	bool			whole;
};

struct uet_rxmsg *uet_rxread_whole(struct uet_sock *us, size_t room);
void uet_rxread_taken(struct uet_sock *us, struct uet_rxmsg *msg);
bool uet_rxread_begin(struct uet_sock *us, struct uet_rxread *rd,
		      const struct uet_rxmsg *same, u32 pos, u32 lowat,
		      bool peek);
void uet_rxread_used(struct uet_rxread *rd, struct sk_buff *skb);
void uet_rxread_commit(struct uet_sock *us, struct uet_rxread *rd);
void uet_rxread_end(struct uet_sock *us, struct uet_rxread *rd, bool peek);

void uet_rx_room_made(struct uet_sock *us);

int uet_rxmsg_cache_init(void);
void uet_rxmsg_cache_exit(void);

#endif /* _UET_RXMSG_H */
