/* SPDX-License-Identifier: GPL-2.0 */
/* Intervals and deadlines of a sender (snd.h). */
#ifndef _UET_CORE_SND_TIMER_H
#define _UET_CORE_SND_TIMER_H

#include "snd.h"

struct uet_snd_work;

/**
 * uet_snd_transmitted() - set deadlines after transmissions
 * @s: sender
 * @now: time, ns
 *
 * The RTO starts if it is not running; the interval of the tail probe restarts
 * when the last packet leaves. Once for all packets of a turn.
 */
void uet_snd_transmitted(struct uet_snd *s, u64 now);

/**
 * uet_snd_settled() - set deadlines after an answer
 * @s: sender, not dead
 * @now: time, ns
 */
void uet_snd_settled(struct uet_snd *s, u64 now);

/**
 * uet_snd_rto() - current retransmission timeout
 * @s: sender
 *
 * Return: interval in ns, back-off included.
 */
u64 uet_snd_rto(const struct uet_snd *s);

/**
 * uet_snd_patience() - longest normal round trip
 * @s: sender
 *
 * max(base RTT, SRTT + 4 deviations), since the paths of a CCC queue differently.
 *
 * Return: ns.
 */
u64 uet_snd_patience(const struct uet_snd *s);

/**
 * uet_snd_loss_age() - age at which a missing packet is lost, not late
 * @s: sender
 *
 * Return: ns since its last transmission.
 */
u64 uet_snd_loss_age(const struct uet_snd *s);

/**
 * uet_snd_probe_interval() - silence after which a tail probe is sent
 * @s: sender
 *
 * Return: interval in ns.
 */
u64 uet_snd_probe_interval(const struct uet_snd *s);

/**
 * uet_snd_probe_timer() - when the timer must fire for the tail probe
 * @s: sender
 *
 * Where short messages follow one another, each postpones the tail probe, and
 * the timer would fire once per probe interval for nothing. So after it did, it
 * may fire a base RTT late for the probe (uet_snd_slacken()): a lost tail is still
 * repaired within four round trips and a target delay. A packet with AR ends that,
 * since its sender is likely to wait for the answer.
 *
 * Return: time in ns, 0 if it need not fire.
 */
static inline u64 uet_snd_probe_timer(const struct uet_snd *s)
{
	const struct uet_snd_busy *b = uet_snd_busy(s);

	return b->probe_at ? b->probe_at + b->probe_slack : 0;
}

/**
 * uet_snd_opened() - the target has answered for the first time
 * @s: sender, SYN
 *
 * What timed out before that may have been sent to a host that was not there, and says
 * nothing of round trips. So the back-off ends, once, also where an answer gives no sample
 * (RFC 6298 5.7 does likewise).
 */
void uet_snd_opened(struct uet_snd *s);

/**
 * uet_snd_slacken() - the timer fired; see uet_snd_probe_timer()
 * @s: sender
 * @now: time, ns
 */
void uet_snd_slacken(struct uet_snd *s, u64 now);

/**
 * uet_snd_nomem() - schedule a retry: memory for a packet is lacking
 * @s: sender
 * @now: time, ns
 */
void uet_snd_nomem(struct uet_snd *s, u64 now);

/**
 * uet_snd_defer() - a message waits for others, to be sent with them
 * @s: sender, with the message in line
 * @now: time, ns
 *
 * If nothing is sent before, the timer sees to it soon: the others may never come.
 */
void uet_snd_defer(struct uet_snd *s, u64 now);

/**
 * uet_snd_expire() - the timer fired
 * @s: sender, not dead
 * @w: initialised; uet_snd_next_lost() follows and does all that is due
 */
void uet_snd_expire(struct uet_snd *s, struct uet_snd_work *w);

/**
 * uet_snd_deadline() - when the timer must fire next
 * @s: sender
 *
 * Return: time in ns, 0 if it need not fire.
 */
u64 uet_snd_deadline(const struct uet_snd *s);

#endif /* _UET_CORE_SND_TIMER_H */
