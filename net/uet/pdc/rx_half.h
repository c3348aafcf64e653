/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The receiving half of a PDC (UE 1.0 3.5.11): its state.
 *
 * Not here: the functions that work on it (rx/pds/half.h).
 */
#ifndef _UET_PDC_RX_HALF_H
#define _UET_PDC_RX_HALF_H

#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/rbtree.h>
#include <linux/rhashtable-types.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "core/cc/dfc.h"
#include "core/rcv/rxmap.h"
#include "core/rcv/rxshare.h"
#include "link/packet.h"
#include "link/reader.h"
#include "pdc/pdc.h"

struct uet_credit_src;
struct uet_rx_msg;
struct uet_sock;

/* Guaranteed responses kept per PDC */
#define UET_GTD_MAX		64
/* Open messages and tombstones per PDC */
#define UET_RX_MSGS_MAX		4096

/**
 * struct uet_rx_run - consecutive requests of a message in one packet buffer
 * @n: their number
 * @seg: payload bytes of each but the last
 * @len: payload bytes of all
 * @ar: the last one asks for an ACK
 * @eom: the last one ends its message
 *
 * uet_rx_ctx.pkt is the first one, uet_rx_ctx.skb has the data of all, with the
 * headers of the second and later ones between (core/wire/hdr_run.h).
 */
struct uet_rx_run {
	u32			n;
	u32			seg;
	u32			len;
	bool			ar;
	bool			eom;
};

/**
 * struct uet_early - a packet of an ordered PDC that is kept (rx/pds/early.c)
 * @node: in uet_pdc_rx.early, by PSN
 * @rx: the packet; @rx.skb is NULL if only its PSN matters
 * @pkt: its headers
 * @psn: its PSN
 * @bytes: charged for it
 * @dev: device by which it arrived
 * @headroom: of @rx.skb, with its headers
 */
struct uet_early {
	struct rb_node		node;
	struct uet_rx_ctx	rx;
	struct uet_pkt		pkt;
	u32			psn;
	u32			bytes;
	int			dev;
	unsigned int		headroom;
};

/**
 * struct uet_ack_late - an ACK that waits for the end of the poll (rx/pds/acklate.c)
 * @node: in the list of a CPU, while uet_pdc_rx.late_listed, with a reference to the PDC
 * @arrived: uet_rx_ctx.arrived of the packet that it answers
 * @psn: its PSN
 * @ev: its entropy value
 * @msg_id: its message
 */
struct uet_ack_late {
	struct llist_node	node;
	ktime_t			arrived;
	u32			psn;
	u16			ev;
	u16			msg_id;
};

/* Lookup key of a SYN packet; @scope is its interface or VRF. Compared and hashed as bytes */
struct uet_syn_key {
	struct in6_addr		raddr;
	struct in6_addr		laddr;
	u16			spdcid;
	u16			pad;
	s32			scope;
};

/**
 * struct uet_pdc_rx - receiving half
 * @pdc: its PDC
 * @lock: BH-disabled; protects all below
 * @state: enum uet_pdc_state
 * @syn_node: in uet_net.syn_pdcs, by addresses and the peer's PDCID
 * @in_syn_table: it is in that table
 * @mpr: MP_RANGE of the receive map, units of 128
 * @told: the end of the receive window told, max of CACK + MP_RANGE
 * @close_tries: CLOSE_REQs sent
 * @close_at: end of TIME_WAIT, or of waiting for CLOSE_CMD, ns
 * @unconfirmed_peer: in uet_peer.unconfirmed until it is @confirmed
 * @known: its peer was known to be real when this PDC was opened
 * @credit: source at the credit pacer, held; NULL without receiver credit
 * @credit_moved: when it joined that source, jiffies
 * @dfc: penalties sent to the peer
 * @reader: the socket that got its data last, and since when alone
 * @slow: the socket with the latest reader, only compared; for a source that does not
 *	hold
 * @slow_pend: the penalty for it
 * @slow_until: till when that is repeated for others, jiffies; see uet_reader_ahead()
 * @share: which sockets got which PSNs
 * @ep: endpoint of its last message
 * @map: receive map
 * @moved: time of the last new packet, jiffies (uet_jiffies_of())
 * @rcvd_bytes: nominal bytes accepted (UE 1.0 3.6.13.8)
 * @ack_count: ACK_GEN_COUNT
 * @late: the ACK that is sent at the end of the poll
 * @late_due: such an ACK is due
 * @late_listed: @late.node is in use
 * @ar_psn: highest PSN with AR that arrived above a hole
 * @ar_wait: @ar_psn is valid
 * @gtd: guaranteed responses not cleared, struct uet_gtd by PSN
 * @nr_gtd: their number
 * @msgs_by_id: open messages and tombstones, struct uet_rx_msg, by message id
 * @msgs_by_end: those whose last packet came, by its PSN
 * @last: the entry used last
 * @nr_msgs: entries in @msgs_by_id
 * @early: packets that an ordered PDC keeps, struct uet_early; all those that @map has
 *	above its edge
 * @nr_early: their number
 * @nacked_psn: lowest PSN NACKed for shortage since the last wake-up
 * @nacked: @nacked_psn is valid
 * @nacked_top: highest PSN ever NACKed for shortage
 * @short_nacks: NACKs for shortage since CACK moved, to a source that may count
 *	them
 * @short_next: earliest time of the next such NACK, ns
 * @starve_node: in uet_sock.rx_starved; its rx_lock
 * @starved_at: the socket whose list that is
 * @ooo_psn: expected PSN when ROD_OOO was sent last
 * @ooo_until: earliest time of another ROD_OOO for it, ns
 * @close_req: CLOSE_REQ is outstanding; its PSN is the first one
 * @ask_close: the sending half is to send CLOSE_REQ
 * @asked: CLOSE_REQ was sent without a sending half and took the first PSN of
 *	the return direction: no sending half may join any more
 * @probe_out: a PROBE is outstanding, sent after a SYN with another Start_PSN
 * @alive_at: time of the last answer to such a PROBE, ns; 0 = never. Valid if @confirmed
 * @confirmed: a packet named our PDCID, so the peer's address is real
 * @heard: time of the last packet, ns
 * @clear_req_at: when CLEAR_REQ is due, ns, 0 = not. Valid if @confirmed
 * @clear_reqs: how often its interval has doubled
 */
struct uet_pdc_rx {
	struct uet_pdc		*pdc;
	spinlock_t		lock;	/* of all below */
	u8			state;
	bool			ar_wait : 1;
	bool			close_req : 1;
	bool			ask_close : 1;
	bool			asked : 1;
	bool			probe_out : 1;
	bool			known : 1;
	bool			in_syn_table : 1;
	bool			nacked;
	bool			confirmed;
	struct rhash_head	syn_node;
	struct uet_ep_hint	ep;
	struct uet_rxmap	map;
	u64			rcvd_bytes;
	u32			moved;
	u32			ack_count;
	u32			told;
	u32			ar_psn;
	struct uet_ack_late	late;
	bool			late_due;
	bool			late_listed;
	u8			mpr;
	u8			nr_gtd;
	u8			clear_reqs;
	u8			close_tries;
	u8			short_nacks;
	u8			slow_pend;
	u16			nr_msgs;
	u16			nr_early;
	u32			nacked_psn;
	struct rb_root		msgs_by_id;
	struct rb_root		msgs_by_end;
	struct uet_rx_msg	*last;
	struct rb_root		gtd;
	struct rb_root		early;
	u32			nacked_top;
	u32			ooo_psn;
	struct list_head	starve_node;
	struct uet_sock		*starved_at;
	u64			ooo_until;
	u64			heard;
	u64			close_at;
	u64			short_next;
	union {
		struct list_head	unconfirmed_peer;
		struct {
			u64		clear_req_at;
			u64		alive_at;
		};
	};
	struct uet_credit_src	*credit;
	u32			credit_moved;
	u32			slow_until;
	struct uet_dfc		dfc;
	struct uet_reader	reader;
	const struct uet_sock	*slow;
	struct uet_rxshare	share;
};

static_assert(UET_RX_MSGS_MAX < U16_MAX);

/* The time of which uet_pdc_rx.moved has the low half, unless long ago */
static inline unsigned long uet_jiffies_of(u32 moved)
{
	unsigned long now = jiffies;

	return now - (u32)((u32)now - moved);
}

/**
 * uet_pdc_nacked_top() - highest PSN NACKed for shortage
 * @pdc: the PDC
 *
 * Context: rx.lock held.
 * Return: max(that PSN, CACK).
 */
static inline u32 uet_pdc_nacked_top(const struct uet_pdc *pdc)
{
	const struct uet_rxmap *map = &pdc->rx->map;
	u32 top = pdc->rx->nacked_top;

	lockdep_assert_held(&pdc->rx->lock);
	/* Outside the window it is stale. */
	return psn_between(top, map->cack, map->cack + map->range) ? top :
								     map->cack;
}

#endif /* _UET_PDC_RX_HALF_H */
