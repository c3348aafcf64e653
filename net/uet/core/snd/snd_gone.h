/* SPDX-License-Identifier: GPL-2.0 */
/* Senders whose target lost the PDC. */
#ifndef _UET_CORE_SND_GONE_H
#define _UET_CORE_SND_GONE_H

#include "snd.h"

/**
 * uet_snd_disown() - the target disowned the PDC: await NACKs of what is in flight
 * @s: sender
 * @psn: the packet that its NACK names
 * @rtx: it was a retransmission
 * @now: time, ns
 *
 * Return: true if NACKs are awaited, up to @rto_at.
 */
bool uet_snd_disown(struct uet_snd *s, u32 psn, bool rtx, u64 now);

/**
 * uet_snd_disowned() - a NACK for a disowned PDC
 * @s: sender
 * @psn: the packet it names
 * @rtx: it was a retransmission
 *
 * Return: true if more NACKs are awaited.
 */
bool uet_snd_disowned(struct uet_snd *s, u32 psn, bool rtx);

/**
 * uet_snd_gone() - take what a dead sender leaves behind out of its CCC
 * @s: sender; @disowned and @maybe_accepted of its messages are set
 * @backlog: backlog of its messages, nominal bytes
 * @now: time, ns
 * @mem: set to the memory of its rings, which the caller must free
 */
void uet_snd_gone(struct uet_snd *s, u64 backlog, u64 now,
		  struct uet_snd_mem *mem);

/**
 * uet_snd_may_move() - may a message of a dead PDC move to another one?
 * @s: sender
 * @m: message
 * @unopened: the PDC died before any answer
 *
 * Only if the peer cannot have accepted any of it, and max_nack_retx times at most.
 * The caller has asked whether its data is still there.
 *
 * Return: true if so.
 */
bool uet_snd_may_move(const struct uet_snd *s, struct uet_snd_msg *m,
		      bool unopened);

#endif /* _UET_CORE_SND_GONE_H */
