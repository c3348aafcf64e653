/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scoreboard of sent PSNs: which packets one direction of a PDC has outstanding,
 * what acknowledgments say about them, and which must be retransmitted (UE 1.0
 * 3.5.11, 3.5.12, 3.6.13).
 *
 * A ring holds one slot and four bits per PSN from the oldest one that CACK
 * does not cover (@una) to the last one sent (@next - 1).  A caller may keep
 * an array of its own indexed by uet_txwin_index().  The bits are
 *
 *	sacked		received out of order (a clear SACK bit means nothing)
 *	answered	its own ACK arrived, so its SES response is known
 *	marked		marked for retransmission
 *	held		the receiver is short: do not resend, do not suspect loss
 *
 * They are kept in words of 64, so that the cost of an operation depends on what
 * it changes and not on the window.  A packet is *in flight* while it is neither
 * sacked nor marked.  "Marked" in the functions below never means an ECN mark.
 *
 * The caller owns the ring's memory; there may be none while nothing is
 * outstanding. What matters only for outstanding packets is there, too, so that idle
 * senders are small. Without memory it reads as zero, and nothing writes it.  Packets
 * with UET_TX_CP are control packets: reliable like others, but not part of any byte or
 * packet count (UE 1.0 3.6.12).  The caller serialises.
 *
 * The ring also has room for the links of heaps of PSNs (txwin_heap.h), at the
 * end: with them, too, it is just above a power of two.
 *
 * Not here: when to retransmit (txwin_scan.h, loss.h), payload and messages.
 */
#ifndef _UET_CORE_TXWIN_H
#define _UET_CORE_TXWIN_H

#include "../wire/psn.h"
#include "../wire/rcvd.h"
#include "../wire/wire.h"

#define UET_TXWIN_MIN_SLOTS	64
#define UET_TXWIN_MAX_SLOTS	32768

#define UET_TX_CP		0x01	/* control packet: not counted */
#define UET_TX_NEXT		0x02	/* left in a run behind the packet before */
#define UET_TX_USER_MASK	0xf0	/* flags for the caller */

/**
 * struct uet_tx_slot - state of a packet
 * @tx_time: time of the last transmission, ns
 * @size: nominal size, bytes
 * @ev: entropy value of the last transmission
 * @rtx: retransmissions: 0, 1, 2 or more
 * @flags: UET_TX_CP, UET_TX_NEXT unless one of the two was sent again, and the
 *	caller's flags
 */
struct uet_tx_slot {
	u64 tx_time;
	u32 size;
	u16 ev;
	u8 rtx;
	u8 flags;
};

static_assert(sizeof(struct uet_tx_slot) == 16);

/**
 * struct uet_tx_word - state bits of 64 PSNs
 * @sacked: received
 * @answered: answered
 * @marked: marked for retransmission
 * @held: held
 * @since: lower bound of the send times of packets in flight and not held, ns
 */
struct uet_tx_word {
	u64 sacked;
	u64 answered;
	u64 marked;
	u64 held;
	u64 since;
};

/**
 * struct uet_tx_link - place of a PSN in a heap (txwin_heap.h)
 * @left: distance to one of the PSNs below it, 0 = none
 * @right: to the other one, 0 = none
 */
struct uet_tx_link {
	u16 left;
	u16 right;
};

/**
 * struct uet_tx_ring - packets that are outstanding
 * @words: ring of state bits
 * @high_sacked: highest PSN known to be received, una - 1 at least
 * @mark_from: no PSN before it is marked and not held
 * @recover_to: while @recovering: highest PSN sent when recovery began
 * @recover_next: while @recovering: PSN to continue at
 * @nr_sacked: sacked PSNs in the ring
 * @nr_marked: marked PSNs, held ones and control packets included
 * @flight_pkts: packets in flight
 * @marked_pkts: packets marked
 * @flight_bytes: nominal bytes of @flight_pkts
 * @marked_bytes: nominal bytes of @marked_pkts
 * @quiet: lower bound of the send times of packets in flight below @quiet_end
 * @quiet_end: see @quiet
 * @recovering: out-of-order recovery is running
 * @slots: ring of slots
 */
struct uet_tx_ring {
	struct uet_tx_word *words;
	u32 high_sacked;
	u32 mark_from;
	u32 recover_to;
	u32 recover_next;
	u32 nr_sacked;
	u32 nr_marked;
	u32 flight_pkts;
	u32 marked_pkts;
	u64 flight_bytes;
	u64 marked_bytes;
	u64 quiet;
	u32 quiet_end;
	bool recovering;
	struct uet_tx_slot slots[];
};

/**
 * struct uet_txwin - scoreboard
 * @ring: packets that are outstanding; never NULL
 * @una: oldest PSN neither covered by CACK nor settled (uet_txwin_settle())
 * @cack: newest CACK, una - 1 unless packets were settled
 * @next: next PSN to be used
 * @limit: last PSN the receiver's window allows
 * @range: MP_RANGE in force
 * @most: MP_RANGE is not more than this, 0 = any
 * @clear_psn: every PSN up to here is answered
 * @last_rcvd: largest rcvd_bytes field seen
 * @sent_bytes: nominal bytes of all distinct packets ever sent
 * @released_bytes: bytes released to congestion control so far
 * @ahead_bytes: part of these that acknowledgments without rcvd_bytes released,
 *	to be subtracted from the next rcvd_bytes
 * @nslots: slots in the ring, power of two; 0 without ring
 * @nr_held: held PSNs; here for readers without the lock
 */
struct uet_txwin {
	struct uet_tx_ring *ring;
	u32 una;
	u32 cack;
	u32 next;
	u32 limit;
	u32 clear_psn;
	u32 last_rcvd;
	u64 sent_bytes;
	u64 released_bytes;
	u64 ahead_bytes;
	u16 range;
	u16 most;
	u16 nslots;
	u16 nr_held;
};

static_assert(UET_TXWIN_MAX_SLOTS <= U16_MAX);

/**
 * struct uet_tx_acked - what acknowledgments changed; functions add to it
 * @pkts: packets that were in flight and are newly acknowledged
 * @bytes: their nominal bytes
 * @unmarked_pkts: packets that were marked and are newly acknowledged
 * @unmarked_bytes: their nominal bytes
 * @psns: PSNs newly covered or settled; their completion state may be freed
 *
 * Control packets count in @psns only.
 */
struct uet_tx_acked {
	u32 pkts;
	u32 unmarked_pkts;
	u64 bytes;
	u64 unmarked_bytes;
	u32 psns;
};

/**
 * enum uet_cack_verdict - what a CACK is
 * @UET_CACK_SAME: nothing new
 * @UET_CACK_OLD: older than the newest one: a reordered acknowledgment
 * @UET_CACK_NEW: covers more
 * @UET_CACK_BAD: covers PSNs that were never sent: drop the packet
 */
enum uet_cack_verdict {
	UET_CACK_SAME,
	UET_CACK_OLD,
	UET_CACK_NEW,
	UET_CACK_BAD,
};

/**
 * enum uet_nack_verdict - what a NACK refers to
 * @UET_NACK_VALID: the last transmission of a packet in flight
 * @UET_NACK_OUTSIDE: a packet that is not outstanding: ignore
 * @UET_NACK_ACKED: a packet that was received since: ignore
 * @UET_NACK_STALE: an earlier transmission of a packet: ignore
 * @UET_NACK_MARKED: a packet that is marked already: ignore
 */
enum uet_nack_verdict {
	UET_NACK_VALID,
	UET_NACK_OUTSIDE,
	UET_NACK_ACKED,
	UET_NACK_STALE,
	UET_NACK_MARKED,
};

/**
 * uet_txwin_init() - prepare a scoreboard without ring
 * @w: scoreboard
 * @start_psn: first PSN
 * @range: MP_RANGE to assume before the receiver states it
 */
void uet_txwin_init(struct uet_txwin *w, u32 start_psn, u32 range);

/**
 * uet_txwin_narrow() - let no more PSNs be outstanding, whatever the receiver states
 * @w: scoreboard without outstanding packets
 * @most: their number
 */
void uet_txwin_narrow(struct uet_txwin *w, u32 most);

/**
 * uet_txwin_mem_size() - memory of a ring
 * @nslots: power of two, UET_TXWIN_MIN_SLOTS to UET_TXWIN_MAX_SLOTS
 *
 * Return: bytes.
 */
static inline size_t uet_txwin_mem_size(u32 nslots)
{
	return sizeof(struct uet_tx_ring) +
	       nslots * (sizeof(struct uet_tx_slot) +
			 sizeof(struct uet_tx_link)) +
	       nslots / 64 * sizeof(struct uet_tx_word);
}

/**
 * uet_txwin_links() - links of heaps, indexed by uet_txwin_index()
 * @w: scoreboard with a ring
 *
 * Return: the first one.
 */
static inline struct uet_tx_link *uet_txwin_links(const struct uet_txwin *w)
{
	return (struct uet_tx_link *)(w->ring->words + w->nslots / 64);
}

/**
 * uet_txwin_attach() - give the scoreboard a ring, or another one
 * @w: scoreboard
 * @mem: uet_txwin_mem_size(@nslots) bytes aligned to 8; cleared here
 * @nslots: power of two in the permitted range
 * @old: receives the old memory, which the caller must free, or NULL
 *
 * Return: 0; -EINVAL for an unsuitable @nslots, -ENOSPC if the outstanding
 * packets do not fit; then nothing is changed.
 */
int uet_txwin_attach(struct uet_txwin *w, void *mem, u32 nslots, void **old);

/**
 * uet_txwin_detach() - take the ring away
 * @w: scoreboard
 *
 * Return: the memory, which the caller must free, or NULL if there is none or a
 * packet is outstanding.
 */
void *uet_txwin_detach(struct uet_txwin *w);

/**
 * uet_txwin_send() - record the first transmission of the next PSN
 * @w: scoreboard for which uet_txwin_room() is not 0
 * @size: nominal size
 * @ev: entropy value
 * @flags: UET_TX_CP and the caller's flags
 * @now: time, ns
 *
 * Return: the PSN used, @next before the call.
 */
u32 uet_txwin_send(struct uet_txwin *w, u32 size, u16 ev, u8 flags, u64 now);

/**
 * struct uet_tx_run - packets that leave as one
 * @at: when the first one leaves the interface, ns
 * @step: time between two of them, ns
 * @n: their number
 * @size: nominal size of each but the last
 * @last_size: nominal size of the last one
 * @ev: entropy value
 */
struct uet_tx_run {
	u64 at;
	u32 step;
	u32 n;
	u32 size;
	u32 last_size;
	u16 ev;
};

/**
 * uet_txwin_send_run() - record the first transmission of the next PSNs
 * @w: scoreboard for which uet_txwin_room() is at least @run->n
 * @run: the packets, data
 */
void uet_txwin_send_run(struct uet_txwin *w, const struct uet_tx_run *run);

/**
 * uet_txwin_resend() - record a retransmission
 * @w: scoreboard
 * @psn: marked PSN
 * @ev: entropy value
 * @now: time, ns
 *
 * The packet is in flight again and no longer held.
 */
void uet_txwin_resend(struct uet_txwin *w, u32 psn, u16 ev, u64 now);

/**
 * uet_txwin_touch() - a CP ACK_REQ for a packet is sent
 * @w: scoreboard
 * @psn: the packet
 * @now: time, ns; for timers the packet counts as sent now
 */
void uet_txwin_touch(struct uet_txwin *w, u32 psn, u64 now);

/**
 * uet_txwin_cack() - process a cumulative acknowledgment
 * @w: scoreboard
 * @cack: its value
 * @sum: what changed is added
 *
 * The caller frees its own state of the @sum->psns PSNs from the old @una on.
 *
 * Return: verdict; only UET_CACK_NEW covered anything.
 */
enum uet_cack_verdict uet_txwin_cack(struct uet_txwin *w, u32 cack,
				     struct uet_tx_acked *sum);

/**
 * uet_txwin_settle() - remove answered packets without waiting for CACK
 * @w: scoreboard
 * @sum: what changed is added, as by uet_txwin_cack()
 *
 * CACK passes a guaranteed response only after the destination knows that the
 * source cleared it, and the destination need not report that before the next
 * request (UE 1.0 3.5.11). So remove the packets at the start of the window that
 * have each been answered. The receive window still follows the CACKs received.
 *
 * Return: true if any packet was removed.
 */
bool uet_txwin_settle(struct uet_txwin *w, struct uet_tx_acked *sum);

/**
 * uet_txwin_sack() - process a selective acknowledgment
 * @w: scoreboard
 * @base: PSN of bit 0, any value
 * @bitmap: bit i set: @base + i was received
 * @sum: what changed is added
 *
 * Bits of PSNs that are not outstanding are ignored.
 */
void uet_txwin_sack(struct uet_txwin *w, u32 base, u64 bitmap,
		    struct uet_tx_acked *sum);

/**
 * uet_txwin_answer() - a packet was answered by an ACK of its own
 * @w: scoreboard
 * @psn: ACK_PSN of an ACK that does not answer a PROBE
 * @sum: what changed is added: an answered packet also counts as sacked
 *
 * Return: true if this is the first answer to an outstanding PSN.
 */
bool uet_txwin_answer(struct uet_txwin *w, u32 psn, struct uet_tx_acked *sum);

/**
 * uet_txwin_mpr() - process the receive window in an acknowledgment
 * @w: scoreboard
 * @cack: CACK of that acknowledgment, after uet_txwin_cack()
 * @mpr: the field, units of 128 PSNs; 0 if not stated
 *
 * The window moves here and not in uet_txwin_cack(), since its size may have
 * changed.
 */
void uet_txwin_mpr(struct uet_txwin *w, u32 cack, u8 mpr);

/**
 * uet_txwin_nack() - what a NACK refers to, UE 1.0 3.6.13
 * @w: scoreboard
 * @psn: nack_psn
 * @retx: echoed retransmission flag
 *
 * Return: verdict; for UET_NACK_VALID uet_txwin_mark() may follow.
 */
enum uet_nack_verdict uet_txwin_nack(const struct uet_txwin *w, u32 psn,
				     bool retx);

/**
 * uet_txwin_mark() - mark a packet for retransmission
 * @w: scoreboard
 * @psn: PSN in flight, by uet_txwin_nack(), uet_txwin_scan_next()
 *
 * Return: its slot, for the congestion control event; NULL, and nothing
 * changed, if it was not in flight.
 */
const struct uet_tx_slot *uet_txwin_mark(struct uet_txwin *w, u32 psn);

/**
 * uet_txwin_shrink() - a packet will be retransmitted with a smaller size
 * @w: scoreboard
 * @psn: PSN outstanding
 * @size: its new nominal size
 *
 * @sent_bytes does not change: the original may have arrived.
 *
 * Return: by how many bytes it shrinks; 0 if it is not marked or no larger.
 */
u32 uet_txwin_shrink(struct uet_txwin *w, u32 psn, u32 size);

/**
 * uet_txwin_hold() - hold a packet because its receiver is short
 * @w: scoreboard
 * @psn: PSN outstanding and not sacked, in flight or marked
 *
 * Return: false if the PSN is not outstanding, or sacked.
 */
bool uet_txwin_hold(struct uet_txwin *w, u32 psn);

/**
 * uet_txwin_unhold() - end a hold
 * @w: scoreboard
 * @psn: PSN; nothing happens if it is not held
 */
void uet_txwin_unhold(struct uet_txwin *w, u32 psn);

/**
 * uet_txwin_rtt() - whether an acknowledgment yields a round-trip sample
 * @w: scoreboard, before the acknowledgment is processed
 * @psn: ACK_PSN or nack_psn
 * @retx: echoed retransmission flag
 * @tx_time: receives the time of the transmission it answers, ns
 *
 * Return: true if the packet was never resent and the flag is clear, or was
 * resent once and the flag is set (UE 1.0 3.6.13.1); false if an earlier
 * acknowledgment reported the packet.
 */
bool uet_txwin_rtt(const struct uet_txwin *w, u32 psn, bool retx, u64 *tx_time);

/**
 * uet_txwin_release_rcvd() - bytes an acknowledgment with rcvd_bytes releases
 * @w: scoreboard
 * @field: 24-bit field
 *
 * Bytes that acknowledgments without rcvd_bytes have already released are
 * subtracted. The total never exceeds the bytes sent, rounded up to the field's
 * unit, so a hostile field cannot open the window.
 *
 * Return: newly received bytes for congestion control.
 */
u32 uet_txwin_release_rcvd(struct uet_txwin *w, u32 field);

/**
 * uet_txwin_release_plain() - bytes an acknowledgment without rcvd_bytes releases
 * @w: scoreboard
 * @bytes: nominal bytes it newly acknowledges, uet_tx_acked bytes plus
 *	unmarked_bytes
 *
 * Return: newly received bytes for congestion control.
 */
u32 uet_txwin_release_plain(struct uet_txwin *w, u64 bytes);

/**
 * uet_txwin_index() - index of a PSN in the ring
 * @w: scoreboard with a ring
 * @psn: PSN
 *
 * Return: index below nslots, for arrays kept beside it.
 */
static inline u32 uet_txwin_index(const struct uet_txwin *w, u32 psn)
{
	return psn & (w->nslots - 1);
}

/**
 * uet_txwin_slot() - slot of a PSN
 * @w: scoreboard
 * @psn: PSN outstanding
 *
 * Return: the slot.
 */
static inline struct uet_tx_slot *uet_txwin_slot(const struct uet_txwin *w,
						 u32 psn)
{
	return &w->ring->slots[uet_txwin_index(w, psn)];
}

/**
 * uet_txwin_outstanding() - PSNs sent and not covered by CACK
 * @w: scoreboard
 *
 * Return: their number.
 */
static inline u32 uet_txwin_outstanding(const struct uet_txwin *w)
{
	return w->next - w->una;
}

/**
 * uet_txwin_has() - whether a PSN is outstanding
 * @w: scoreboard
 * @psn: any PSN
 *
 * Return: true between @una and @next - 1.
 */
static inline bool uet_txwin_has(const struct uet_txwin *w, u32 psn)
{
	return psn - w->una < w->next - w->una;
}

/**
 * uet_txwin_room() - new PSNs that may be sent now
 * @w: scoreboard
 *
 * Return: number that fits the receiver's window and the ring. If
 * uet_txwin_allowed() is larger, the caller may attach a bigger ring.
 */
static inline u32 uet_txwin_room(const struct uet_txwin *w)
{
	s32 wnd = psn_delta(w->limit, w->next) + 1;
	u32 ring = w->nslots - uet_txwin_outstanding(w);

	return wnd > 0 ? min_t(u32, (u32)wnd, ring) : 0;
}

/**
 * uet_txwin_allowed() - new PSNs that the receiver's window allows
 * @w: scoreboard
 *
 * Return: their number.
 */
static inline u32 uet_txwin_allowed(const struct uet_txwin *w)
{
	s32 wnd = psn_delta(w->limit, w->next) + 1;

	return wnd > 0 ? (u32)wnd : 0;
}

/**
 * uet_txwin_waits_for_cack() - must the source ask for CACK?
 * @w: scoreboard
 *
 * All packets are settled, but CACK is so far behind that the receive window is
 * closed. No more ACKs will come by themselves to open it.
 *
 * Return: true if so.
 */
static inline bool uet_txwin_waits_for_cack(const struct uet_txwin *w)
{
	return w->una == w->next && !uet_txwin_allowed(w);
}

/**
 * uet_txwin_is_sacked() - whether a PSN is known to be received
 * @w: scoreboard
 * @psn: PSN outstanding
 *
 * Return: true if so.
 */
static inline bool uet_txwin_is_sacked(const struct uet_txwin *w, u32 psn)
{
	u32 i = uet_txwin_index(w, psn);

	return w->ring->words[i / 64].sacked >> (i % 64) & 1;
}

/**
 * uet_txwin_is_marked() - whether a PSN is marked for retransmission
 * @w: scoreboard
 * @psn: PSN outstanding
 *
 * Return: true if so.
 */
static inline bool uet_txwin_is_marked(const struct uet_txwin *w, u32 psn)
{
	u32 i = uet_txwin_index(w, psn);

	return w->ring->words[i / 64].marked >> (i % 64) & 1;
}

/**
 * uet_txwin_is_held() - whether a PSN is held
 * @w: scoreboard
 * @psn: PSN outstanding
 *
 * Return: true if so.
 */
static inline bool uet_txwin_is_held(const struct uet_txwin *w, u32 psn)
{
	u32 i = uet_txwin_index(w, psn);

	return w->ring->words[i / 64].held >> (i % 64) & 1;
}

/**
 * uet_txwin_is_answered() - whether a PSN's response is known
 * @w: scoreboard
 * @psn: PSN outstanding
 *
 * Return: true if so.
 */
static inline bool uet_txwin_is_answered(const struct uet_txwin *w, u32 psn)
{
	u32 i = uet_txwin_index(w, psn);

	return w->ring->words[i / 64].answered >> (i % 64) & 1;
}

#endif /* _UET_CORE_TXWIN_H */
