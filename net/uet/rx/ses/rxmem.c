// SPDX-License-Identifier: GPL-2.0
/*
 * Memory for incoming messages, and which message proceeds when it is short.
 *
 * The problem: a receiver does not drop data it has ACKed, so a buffer full of
 * incomplete messages would refuse the very packets that complete them (see
 * "Shortage, holds and wake-ups" in uet-recovery.rst).
 *
 * In a socket, all messages share one half of SO_RCVBUF, first come, first served.
 * The other half is reserved for one message at a time that holds a "right": the
 * one being read, else the oldest incomplete one. Its packets are accepted up to
 * that many bytes beyond what the reader has taken. A message holds its right
 * until it is complete, so its sender can go on after any pause. When all holders
 * were silent for a second, the next message gets a right too, up to
 * UET_RXROOM_RIGHTS. A complete message counts to the shared half. While that half
 * is full and a message is readable, no new right is granted: the reader makes
 * room. If none is readable and silent holders keep all others out, the message
 * that was silent for longest is given up (uet_rx_wedging()). core/rcv/rxroom.h
 * decides about messages of the same PDC.
 *
 * The namespace (net.uet.mem) and the protocol may be full of incomplete messages
 * of many sockets, too. A message that one of them keeps out gets a right if it is
 * next in its socket, and may use a quarter more than net.uet.mem. When that is
 * used up too, one message of the namespace at a time ignores both limits until it
 * is complete; rx/ses/rxshort.c gives up silent ones.
 *
 * An ordered PDC is a "line" here: a message of it proceeds only if the packets
 * before its own get in, for whatever socket. So a message of a line may use the
 * namespace's reserve without a right, and a line as a whole ignores the limits. It
 * is NACKed once before it does, because its source then finishes one message
 * after the other (core/snd/snd_pick.c). A source begins one message of a line per socket at
 * a time (core/snd/snd_queue.c). A line that still mixes messages for one socket gets all
 * rights and no more; a message without room is then refused for good (DROPPED).
 */
#include <linux/jiffies.h>
#include <net/sock.h>

#include "core/rcv/rxroom.h"
#include "core/wire/psn.h"
#include "link/peer_profile.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "pdc/rx_half.h"
#include "rx/cms/tfc.h"
#include "rx/ses/post.h"
#include "rx/ses/rxmem.h"
#include "rx/ses/rxmsg.h"
#include "sock.h"

/* The largest part of net.uet.mem to which a receive buffer grows by itself */
#define UET_RX_GROW_PART	8
/* Bytes of a packet that MP_RANGE is derived from: see uet_pdc_mpr() */
#define UET_RX_GROW_PACKET	1024

/* A right whose holder is silent for so long does not bar the next message */
#define UET_RX_STALL		HZ

/* A message that waits for a right and is silent for so long is passed over;
 * senders on hold try every 128 ms at least
 */
#define UET_RX_ABSENT		(HZ / 5)

/* Messages passed over for one packet */
#define UET_RX_SCAN		8

/* In units of rx_msg_timeout_ms: the time a message may hold a right while others
 * are NACKed, and may be silent if we stopped its PDC
 */
#define UET_RX_PATIENCE		8

/* Each of its messages gets another rx_msg_timeout_ms per so many bytes that an
 * ordered PDC delivers meanwhile
 */
#define UET_RX_LINE_STEP	16384
#define UET_RX_LINE_STEPS_MAX	100000UL

/* A message may ignore the limits if others hold <= max(net.uet.mem / 4, this)
 * beyond the limits
 */
#define UET_RX_BEYOND_MIN	(32UL << 20)

/* Flag in uet_net.rx_saved: the line has not been NACKed yet, so its source does
 * not know of the shortage
 */
#define UET_RX_SAVED_NEW	1UL

/**
 * uet_rx_resize_to() - the program wants a buffer of another size
 * @us: socket
 * @half: half of the size, bytes
 *
 * Context: rx_lock held, or nobody else has seen the socket.
 */
void uet_rx_resize_to(struct uet_sock *us, u32 half)
{
	bool begun = !list_empty(&us->rx_open) || !list_empty(&us->rx_absent);

	half = uet_rxroom_resize(us->rx_half, half, us->rx_bytes,
				 us->rx_nr_granted + us->rx_nr_mixed, begun);
	WRITE_ONCE(us->rx_half, half);
}

/**
 * uet_rx_grow() - enlarge a receive buffer whose size no program has chosen
 * @us: socket; its reader is late, or its buffer is full
 * @pdc: PDC that brings it data
 *
 * A buffer that is smaller than what its sources may have under way turns each of their
 * windows into a shortage, and the hold after it lets the next one come as a whole. So
 * it grows until its half covers that: the receive window of the PDC, which is twice the
 * largest window of our interface.
 *
 * Return: true if it is larger now.
 */
bool uet_rx_grow(struct uet_sock *us, const struct uet_pdc *pdc)
{
	unsigned long most = READ_ONCE(us->un->sysctl.mem) / UET_RX_GROW_PART;
	u32 want = pdc->rx->mpr * UET_MPR_UNIT_PSNS * UET_RX_GROW_PACKET;

	lockdep_assert_held(&us->rx_lock);
	want = min_t(unsigned long, 2 * want, most);
	if (want <= READ_ONCE(us->sk.sk_rcvbuf))
		return false;
	/* Of a buffer that a program sets right now either value is right. */
	if (data_race(us->sk.sk_userlocks) & SOCK_RCVBUF_LOCK)
		return false;
	WRITE_ONCE(us->sk.sk_rcvbuf, want);
	uet_rx_resize(us);
	return true;
}

static unsigned long uet_rx_name(const struct uet_rxmsg *msg)
{
	return msg->line ?: (unsigned long)msg;
}

/*
 * May this message, or its line, ignore the limits of memory? One of the
 * namespace may at a time; it loses that after UET_RX_STALL without use. None may
 * while earlier ones hold so much that the limits would mean nothing. A line must
 * have been NACKed before (uet_rx_saved_nacked()).
 */
static bool uet_rx_save(struct uet_net *un, const struct uet_rxmsg *msg)
{
	unsigned long me = uet_rx_name(msg), old = READ_ONCE(un->rx_saved);
	long others = atomic_long_read(&un->rx_beyond) - msg->beyond;

	if (others > (long)max(READ_ONCE(un->sysctl.mem) / 4,
			       UET_RX_BEYOND_MIN))
		return false;
	if ((old & ~UET_RX_SAVED_NEW) != me) {
		if (old && time_before(jiffies, READ_ONCE(un->rx_saved_at) +
						UET_RX_STALL))
			return false;
		if (msg->line)
			me |= UET_RX_SAVED_NEW;
		if (cmpxchg(&un->rx_saved, old, me) != old)
			return false;
		WRITE_ONCE(un->rx_saved_at, jiffies);
		return !msg->line;
	}
	WRITE_ONCE(un->rx_saved_at, jiffies);
	return !(old & UET_RX_SAVED_NEW);
}

static void uet_rx_saved_nacked(struct uet_net *un,
				const struct uet_rxmsg *msg)
{
	unsigned long me = uet_rx_name(msg);

	if (READ_ONCE(un->rx_saved) == (me | UET_RX_SAVED_NEW))
		cmpxchg(&un->rx_saved, me | UET_RX_SAVED_NEW, me);
}

static void uet_rx_unsave(struct uet_net *un, const struct uet_rxmsg *msg)
{
	unsigned long old = READ_ONCE(un->rx_saved);

	if (unlikely((old & ~UET_RX_SAVED_NEW) == uet_rx_name(msg)))
		cmpxchg(&un->rx_saved, old, 0);
}

/* Keep a page: a stream of short messages would reserve it again each time. */
static void uet_rx_unschedule(struct sock *sk, u32 bytes)
{
	sk_forward_alloc_add(sk, bytes);
	if (unlikely(sk->sk_forward_alloc >= (int)(2 * PAGE_SIZE)))
		__sk_mem_reclaim(sk, sk->sk_forward_alloc - PAGE_SIZE);
}

static bool uet_rx_charge(struct uet_sock *us, struct uet_rxmsg *msg, u32 bytes)
{
	/* Data sent by this host may fill the memory. An empty socket still
	 * receives, or two such hosts would wait for each other.
	 */
	bool reserve = msg->granted || msg->line || !us->rx_bytes;

	if (likely(uet_rx_schedule(us, reserve, bytes))) {
		sk_mem_charge(&us->sk, bytes);
	} else if (reserve && uet_rx_save(us->un, msg)) {
		atomic_long_add(bytes, &us->un->rx_beyond);
		msg->beyond += bytes;
	} else {
		return false;
	}
	atomic_add(bytes, &us->sk.sk_rmem_alloc);
	us->rx_bytes += bytes;
	msg->bytes += bytes;
	if (msg->granted)
		us->rx_granted_bytes += bytes;
	if (msg->mixed)
		us->rx_mixed_bytes += bytes;
	if (msg->ready)
		uet_rx_count_ready(us, bytes);
	return true;
}

/**
 * uet_rx_uncharge() - give memory of a message back
 * @us: socket
 * @msg: message
 * @bytes: truesize given back
 */
void uet_rx_uncharge(struct uet_sock *us, struct uet_rxmsg *msg, u32 bytes)
{
	u32 beyond = min(bytes, msg->beyond);

	lockdep_assert_held(&us->rx_lock);
	if (unlikely(msg->cells))
		uet_tfc_given(us->un, msg, bytes);
	if (msg->granted)
		us->rx_granted_bytes -= bytes;
	if (msg->mixed)
		us->rx_mixed_bytes -= bytes;
	if (msg->ready)
		uet_rx_count_ready(us, -(long)bytes);
	msg->bytes -= bytes;
	us->rx_bytes -= bytes;
	us->rx_freed += bytes;
	atomic_sub(bytes, &us->sk.sk_rmem_alloc);
	if (unlikely(beyond)) {
		msg->beyond -= beyond;
		atomic_long_sub(beyond, &us->un->rx_beyond);
		bytes -= beyond;
	}
	uet_rx_unschedule(&us->sk, bytes);
	uet_mem_uncharge(us->un, bytes);
}

/* The limit for new messages is above that for data, so that a new message can
 * queue for the reserved half when the shared half is full
 */
static bool uet_rx_crowded(const struct uet_sock *us)
{
	u32 half = uet_rx_half(us);

	return uet_rx_shared(us) + sizeof(struct uet_rxmsg) > half + half / 8;
}

/* Do both messages come by one PDC, @msg with the lower PSN? */
static bool uet_rx_older(const struct uet_rxmsg *msg,
			 const struct uet_rxmsg *other)
{
	return msg->pdc == other->pdc &&
	       psn_before(READ_ONCE(msg->psn), READ_ONCE(other->psn));
}

/**
 * uet_rx_rival() - which other message of the PDC holds a right?
 * @us: socket
 * @pdc: PDC of the message, unordered
 * @psn: lowest PSN of the message that arrived
 *
 * Return: enum uet_rxroom_rival.
 */
enum uet_rxroom_rival uet_rx_rival(const struct uet_sock *us,
				   const struct uet_pdc *pdc, u32 psn)
{
	enum uet_rxroom_rival rival = UET_RIVAL_NONE;
	const struct uet_rxmsg *it;

	lockdep_assert_held(&us->rx_lock);
	list_for_each_entry(it, &us->rx_granted, open_node) {
		u32 other = READ_ONCE(it->psn);

		if (it->pdc == pdc && other != psn)
			rival |= uet_rxroom_rival(it->ready,
						  psn_before(psn, other));
	}
	return rival;
}

/* The message of a line with a right, other than those mixed with it */
static const struct uet_rxmsg *uet_rx_line_first(const struct uet_sock *us,
						 unsigned long line)
{
	const struct uet_rxmsg *it;

	if (!line)
		return NULL;
	list_for_each_entry(it, &us->rx_granted, open_node)
		if (it->line == line)
			return it;
	return NULL;
}

static u32 uet_rx_rights(const struct uet_sock *us)
{
	return us->rx_nr_granted + (us->rx_nr_mixed ? UET_RXROOM_MIXED : 0);
}

static bool uet_rx_rights_alive(const struct uet_sock *us)
{
	const struct uet_rxmsg *it;

	list_for_each_entry(it, &us->rx_granted, open_node)
		if (time_before(jiffies, it->last + UET_RX_STALL))
			return true;
	return false;
}

/* Is the message next for a right? The oldest in the queue is, except messages
 * silent for UET_RX_ABSENT, which leave the queue until they send again. Messages
 * of the same PDC with higher PSNs do not count: they depend on this one.
 */
static bool uet_rx_first_in_line(struct uet_sock *us, struct uet_rxmsg *msg)
{
	struct uet_rxmsg *it, *next;
	int i = 0;

	list_for_each_entry_safe(it, next, &us->rx_open, open_node) {
		if (it == msg)
			return true;
		if (i++ == UET_RX_SCAN)
			return false;
		if (uet_rx_older(msg, it))
			continue;
		if (time_before(jiffies, it->last + UET_RX_ABSENT))
			return false;
		it->absent = true;
		list_move_tail(&it->open_node, &us->rx_absent);
	}
	return true;
}

static void uet_rx_describe(const struct uet_sock *us,
			    const struct uet_rxmsg *msg,
			    struct uet_rxroom_msg *m)
{
	*m = (struct uet_rxroom_msg){
		.len	= msg->len,
		.read	= msg->read,
		.bytes	= msg->bytes,
	};
	/* On an ordered PDC no message overtakes another. */
	if (!msg->line)
		m->rival = uet_rx_rival(us, msg->pdc, msg->psn);
}

/* May a message share the rights of its line's first one? */
static bool uet_rx_may_mix(const struct uet_sock *us,
			   const struct uet_rxmsg *msg,
			   const struct uet_rxroom *room,
			   const struct uet_rxroom_msg *m)
{
	return (!us->rx_nr_mixed || us->rx_mixed_line == msg->line) &&
	       uet_rxroom_mix(room, m, us->rx_mixed_bytes);
}

/* May this message get a right to the reserved half? */
static bool uet_rx_may_grant(struct uet_sock *us, struct uet_rxmsg *msg)
{
	struct uet_rxroom room = {
		.half		= uet_rx_half(us),
		.shared		= uet_rx_shared(us),
		.used		= us->rx_bytes,
		.rights		= uet_rx_rights(us),
		.readable	= uet_rx_first_readable(us, 1),
	};
	struct uet_rxroom_msg m;

	if (msg->absent) {
		msg->absent = false;
		list_move_tail(&msg->open_node, &us->rx_open);
	}
	uet_rx_describe(us, msg, &m);
	if (uet_rx_line_first(us, msg->line))
		return uet_rx_may_mix(us, msg, &room, &m);
	if (us->rx_nr_mixed && us->rx_mixed_line == msg->line)
		return uet_rxroom_line_right(&room, &m);
	m.posted = !msg->line && uet_peer_holds(msg->pdc->peer) &&
		   uet_rxpost_overtook(us, msg->pdc, msg->psn);
	room.alive = uet_rx_rights_alive(us);
	m.first = !room.alive && uet_rx_first_in_line(us, msg);
	return uet_rxroom_right(&room, &m);
}

/* Give a message the right to the reserved half. */
static void uet_rx_grant(struct uet_sock *us, struct uet_rxmsg *msg)
{
	if (msg->granted)
		return;
	msg->mixed = uet_rx_line_first(us, msg->line);
	msg->granted = true;
	msg->granted_at = jiffies;
	if (msg->line)
		msg->line_granted = READ_ONCE(msg->pdc->rx->rcvd_bytes);
	msg->absent = false;
	us->rx_granted_bytes += msg->bytes;
	if (unlikely(msg->mixed)) {
		us->rx_nr_mixed++;
		us->rx_mixed_line = msg->line;
		us->rx_mixed_bytes += msg->bytes;
		list_move_tail(&msg->open_node, &us->rx_mixed);
		return;
	}
	us->rx_nr_granted++;
	list_move_tail(&msg->open_node, &us->rx_granted);
}

/**
 * uet_rx_may_hand_over() - may a reader get an incomplete message?
 * @us: socket
 * @msg: message; it is granted the right it needs for that
 *
 * Return: true if so.
 */
bool uet_rx_may_hand_over(struct uet_sock *us, struct uet_rxmsg *msg)
{
	struct uet_rxroom room = {
		.half	= uet_rx_half(us),
		.shared	= uet_rx_shared(us),
		.rights	= uet_rx_rights(us),
	};
	struct uet_rxroom_msg m;

	lockdep_assert_held(&us->rx_lock);
	if (!uet_rxroom_long(room.half, msg->len))
		return false;
	room.alive = uet_rx_rights_alive(us);
	uet_rx_describe(us, msg, &m);
	if (!uet_rxroom_hand_over(&room, &m, msg->granted) ||
	    (!msg->granted && uet_rx_line_first(us, msg->line) &&
	     !uet_rx_may_mix(us, msg, &room, &m)))
		return false;
	uet_rx_grant(us, msg);
	return true;
}

/* There is no room: -ENOBUFS if its source is to try again, else -ENOSPC */
static int uet_rx_no_room(struct uet_sock *us, const struct uet_rxmsg *msg)
{
	struct uet_rxroom room = {
		.rights		= uet_rx_rights(us),
		.readable	= uet_rx_first_readable(us, 1),
	};
	const struct uet_rxmsg *first = uet_rx_line_first(us, msg->line);
	u32 line = !!first, others = first && first != msg;

	if (us->rx_nr_mixed && us->rx_mixed_line == msg->line) {
		line += UET_RXROOM_MIXED;
		others += us->rx_nr_mixed - msg->mixed;
	}
	if (likely(!msg->line) || !uet_rxroom_line_full(&room, line, others))
		return -ENOBUFS;
	return -ENOSPC;
}

/* Queue a message, before those of its PDC that have higher PSNs */
static void uet_rx_stand_in_line(struct uet_sock *us, struct uet_rxmsg *msg)
{
	struct uet_rxmsg *it, *before = NULL;
	int i = 0;

	list_for_each_entry_reverse(it, &us->rx_open, open_node) {
		if (i++ == UET_RX_SCAN)
			break;
		if (uet_rx_older(msg, it))
			before = it;
	}
	list_add_tail(&msg->open_node, before ? &before->open_node :
						&us->rx_open);
}

/**
 * uet_rx_enter() - queue a new message at its socket
 * @us: socket
 * @msg: message, nothing of it placed
 *
 * A message that is next for a right enters a crowded socket, too: those already
 * queued may depend on it.
 *
 * Return: 0; -ENOBUFS if there is no room now; -ENOSPC if there will be none, as
 * its line is full.
 */
int uet_rx_enter(struct uet_sock *us, struct uet_rxmsg *msg)
{
	lockdep_assert_held(&us->rx_lock);
	if (us->rx_closed)
		return -ENOBUFS;
	uet_rx_resize(us);
	if (uet_rx_crowded(us) && !uet_rx_grow(us, msg->pdc) &&
	    !uet_rx_may_grant(us, msg))
		return uet_rx_no_room(us, msg);
	if (!uet_rx_charge(us, msg, sizeof(*msg))) {
		uet_rx_short(us->un);
		return -ENOBUFS;
	}
	uet_rx_stand_in_line(us, msg);
	return 0;
}

/**
 * uet_rx_leave() - a message is complete, failed or gone
 * @us: socket
 * @msg: message
 */
void uet_rx_leave(struct uet_sock *us, struct uet_rxmsg *msg)
{
	/* If nothing of it got in, its source tries again, and its line needs the right
	 * to ignore the limits for that.
	 */
	if (msg->rcvd || msg->complete || !msg->line)
		uet_rx_unsave(us->un, msg);
	if (msg->granted) {
		msg->granted = false;
		us->rx_granted_bytes -= msg->bytes;
		if (unlikely(msg->mixed)) {
			msg->mixed = false;
			us->rx_nr_mixed--;
			us->rx_mixed_bytes -= msg->bytes;
		} else {
			us->rx_nr_granted--;
		}
	}
	list_del_init(&msg->open_node);
}

/**
 * uet_rx_admit() - charge a packet of a message if it may come in
 * @us: socket
 * @msg: message
 * @end: offset in the message of the packet's end
 * @truesize: of the packet
 * @next: it continues the prefix
 * @run: it is a run, whose packets are tried one by one where there is no room for all
 *
 * Return: 0; -ENOBUFS if there is no room now; -ENOSPC if there will be none, as
 * its line is full.
 */
int uet_rx_admit(struct uet_sock *us, struct uet_rxmsg *msg, u64 end,
		 u32 truesize, bool next, bool run)
{
	struct uet_rxroom room = {};
	struct uet_rxroom_msg m;

	lockdep_assert_held(&us->rx_lock);
	uet_rx_resize(us);
	room.half = uet_rx_half(us);
	if (msg->granted || !us->rx_nr_granted)
		m = (struct uet_rxroom_msg){
			.len = msg->len, .read = msg->read, .bytes = msg->bytes,
		};
	else
		uet_rx_describe(us, msg, &m);
	if (!msg->granted) {
		bool fits;

		room.shared = uet_rx_shared(us);
		fits = uet_rxroom_shared(&room, &m, truesize);
		if (unlikely(!fits) && uet_rx_grow(us, msg->pdc)) {
			room.half = uet_rx_half(us);
			fits = uet_rxroom_shared(&room, &m, truesize);
		}
		if (fits && uet_rx_charge(us, msg, truesize))
			return 0;
		if (!uet_rx_may_grant(us, msg)) {
			if (!fits)
				return uet_rx_no_room(us, msg);
			uet_rx_short(us->un);
			return -ENOBUFS;
		}
		uet_rx_grant(us, msg);
	}
	if (uet_rxroom_within(&room, &m, end, truesize, next) &&
	    (likely(!msg->mixed) ||
	     us->rx_mixed_bytes + truesize <= UET_RXROOM_MIXED * room.half)) {
		if (uet_rx_charge(us, msg, truesize))
			return 0;
		uet_rx_short(us->un);
		return -ENOBUFS;
	}
	/* It waits for its reader: others may ignore the limits instead */
	if (!run)
		uet_rx_unsave(us->un, msg);
	return uet_rx_no_room(us, msg);
}

/**
 * uet_rx_came() - note that a packet of a message arrived
 * @msg: the message
 *
 * Context: rx.lock of its PDC held.
 */
void uet_rx_came(struct uet_rxmsg *msg)
{
	msg->last = jiffies;
	if (msg->line)
		msg->line_last = READ_ONCE(msg->pdc->rx->rcvd_bytes);
}

/* Tell listeners, once a second at most. */
static void uet_rx_tell_pressure(struct uet_sock *us)
{
	struct uet_event event = {
		.what	= UET_WHAT_PRESSURE,
		.local	= us->local.suet_addr,
		.inode	= us->inode,
		.job	= us->local.suet_job,
		.pid	= us->local.suet_pid,
	};

	if (time_before(jiffies, us->rx_told_at + HZ))
		return;
	us->rx_told_at = jiffies;
	uet_event_tell(us->un, &event);
}

/**
 * uet_rx_nacked() - note that a packet or message was NACKed for shortage
 * @us: socket
 * @msg: its message
 */
void uet_rx_nacked(struct uet_sock *us, struct uet_rxmsg *msg)
{
	lockdep_assert_held(&us->rx_lock);
	if (time_after(jiffies, us->rx_nacked_at + UET_RX_STALL))
		us->rx_nacked_since = jiffies;
	us->rx_nacked_at = jiffies;
	us->rx_nacked = true;
	us->rx_freed = 0;
	uet_rx_tell_pressure(us);
	uet_rx_saved_nacked(us->un, msg);
	/* A message of many tiny packets does not count as alive */
	if (msg->bytes <= (UET_RXROOM_CRUMBS - 1) * (u64)uet_rx_half(us))
		uet_rx_came(msg);
}

/* Did we stop the message's PDC, by NACKs for shortage at another socket? */
static bool uet_rx_line_stopped(const struct uet_sock *us,
				const struct uet_rxmsg *msg)
{
	/* Incomplete messages in our lists keep the PDC. */
	const struct uet_pdc *pdc = msg->pdc;

	return READ_ONCE(pdc->rx->nacked) &&
	       READ_ONCE(pdc->rx->starved_at) != us;
}

/* Extra time for the bytes that an ordered PDC delivered since @before */
static unsigned long uet_rx_line_time(const struct uet_pdc *pdc, u64 before,
				      unsigned long timeout)
{
	u64 bytes = READ_ONCE(pdc->rx->rcvd_bytes) - before;

	return min_t(u64, bytes / UET_RX_LINE_STEP, UET_RX_LINE_STEPS_MAX) *
	       timeout;
}

/* Is a message of an ordered PDC overdue? It is silent while earlier ones arrive,
 * so its silence counts from when the line moved last, and with more patience from
 * its own last packet, in case the line just trickles.
 */
static bool uet_rx_line_overdue(const struct uet_sock *us,
				const struct uet_rxmsg *msg,
				unsigned long timeout)
{
	const struct uet_pdc *pdc = msg->pdc;
	unsigned long patience = UET_RX_PATIENCE * timeout;
	unsigned long moved = uet_jiffies_of(READ_ONCE(pdc->rx->moved));

	if (time_before(moved, msg->last))
		moved = msg->last;
	if (time_after(jiffies, moved + (uet_rx_line_stopped(us, msg) ?
					 patience : timeout)))
		return true;
	if (time_after(jiffies, msg->last + patience +
		       uet_rx_line_time(pdc, msg->line_last, timeout)))
		return true;
	return msg->granted && !msg->ready &&
	       time_after(jiffies, msg->granted_at + patience +
			  uet_rx_line_time(pdc, msg->line_granted, timeout));
}

static bool uet_rx_overdue(const struct uet_sock *us,
			   const struct uet_rxmsg *msg, unsigned long timeout)
{
	unsigned long patience = UET_RX_PATIENCE * timeout;

	if (msg->busy)
		return false;
	if (msg->line)
		return uet_rx_line_overdue(us, msg, timeout);
	/* No limit for one handed over incomplete: its reader sets the pace */
	return time_after(jiffies, msg->last + timeout) ||
	       (msg->granted && !msg->ready &&
		time_after(jiffies, msg->granted_at + patience));
}

static struct uet_rxmsg *uet_rx_oldest(const struct uet_sock *us,
				       const struct list_head *list,
				       unsigned long timeout,
				       struct uet_rxmsg *oldest)
{
	struct uet_rxmsg *it;

	list_for_each_entry(it, list, open_node)
		if (uet_rx_overdue(us, it, timeout) &&
		    (!oldest || time_before(it->last, oldest->last)))
			oldest = it;
	return oldest;
}

/**
 * uet_rx_wedging() - find a silent message that keeps all others out
 * @us: socket that NACKed a packet or a message
 * @want: what was NACKed; with UET_RX_WANT_MEMORY the caller checks for how long
 *
 * Other senders must have been NACKed for rx_msg_timeout_ms, so the network works
 * and the message is silent by itself; and nothing may be readable.
 *
 * Return: the message to give up, or NULL.
 */
struct uet_rxmsg *uet_rx_wedging(struct uet_sock *us, enum uet_rx_want want)
{
	u32 ms = READ_ONCE(us->un->sysctl.rx_msg_timeout_ms);
	struct uet_rxroom room = {
		.half	= uet_rx_half(us),
		.used	= us->rx_bytes,
		.rights	= uet_rx_rights(us),
	};
	unsigned long timeout = msecs_to_jiffies(ms);
	struct uet_rxmsg *msg = NULL;

	lockdep_assert_held(&us->rx_lock);
	if (!ms || (want == UET_RX_WANT_PACKET && !uet_rxroom_full(&room)) ||
	    (want == UET_RX_WANT_MESSAGE && !uet_rx_crowded(us)) ||
	    (want != UET_RX_WANT_MEMORY &&
	     time_before(jiffies, us->rx_nacked_since + timeout)) ||
	    uet_rx_first_readable(us, 1))
		return NULL;
	msg = uet_rx_oldest(us, &us->rx_granted, timeout, msg);
	/* These lists may be long: walk them once per jiffy at most. */
	if (want != UET_RX_WANT_PACKET &&
	    time_before(us->rx_looked_at, jiffies)) {
		us->rx_looked_at = jiffies;
		msg = uet_rx_oldest(us, &us->rx_mixed, timeout, msg);
		msg = uet_rx_oldest(us, &us->rx_open, timeout, msg);
		msg = uet_rx_oldest(us, &us->rx_absent, timeout, msg);
	}
	return msg;
}
