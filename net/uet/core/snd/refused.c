// SPDX-License-Identifier: GPL-2.0
/*
 * When is a socket that serves several destinations writable? When a send to one of
 * those that were refused since the program last looked would be taken now. poll()
 * cannot say which one it is, so a program sends again to all of them, or asks.
 *
 * A refusal stays until the program asks for what is ready and gets it: that somebody
 * was told by poll() proves nothing, since epoll looks also when nobody waits, and that
 * another send to the destination succeeds proves little, since threads and coroutines
 * send independently. But programs also give messages up, whose refusals would make the
 * socket writable for ever while they wait for another destination: they would spin. So
 * a refusal that is ready and
 *
 * - nobody tries again, although others are and are refused, or
 * - had a send as long as that succeed
 *
 * is told by and by: after a pause that doubles, until the next send is refused, and
 * after some times it is forgotten. So no wake-up is lost, and none is a loop.
 *
 * Not here: what room is (tx/msg/wmem.c).
 */
#include "../deadline.h"
#include "refused.h"

static void refusal_fresh(struct uet_refusal *r)
{
	r->told = false;
	r->done = false;
	r->quiet = false;
	r->tells = 0;
}

static void refusal_add(struct uet_refusals *rs, struct uet_refusal *r, u32 need)
{
	list_add_tail(&r->node, &rs->list);
	rs->nr++;
	r->need = need;
	refusal_fresh(r);
}

/**
 * uet_refusal_note() - a send was refused
 * @rs: the socket's refusals
 * @r: that of its destination
 * @need: bytes that it needs
 */
void uet_refusal_note(struct uet_refusals *rs, struct uet_refusal *r, u32 need)
{
	rs->sends++;
	rs->last = true;
	if (!uet_refusal_noted(r)) {
		refusal_add(rs, r, need);
		return;
	}
	/* Once told, all that wait are sent again. */
	r->need = r->told || r->done ? need : min(r->need, need);
	refusal_fresh(r);
}

/* Tell it less often from now on. */
static void refusal_quiet(struct uet_refusal *r, u64 now)
{
	r->quiet = true;
	r->tells = 0;
	r->next = now + UET_REFUSED_PAUSE_NS;
}

/**
 * uet_refusal_taken() - a send has succeeded
 * @rs: the socket's refusals
 * @r: that of its destination
 * @need: bytes that it needed
 * @now: time, ns
 */
void uet_refusal_taken(struct uet_refusals *rs, struct uet_refusal *r, u32 need,
		       u64 now)
{
	rs->last = false;
	if (!uet_refusal_noted(r) || r->done || need < r->need)
		return;
	r->done = true;
	refusal_quiet(r, now);
}

/**
 * uet_refusal_drop() - forget a refusal, if there is one
 * @rs: the socket's refusals
 * @r: the one
 */
void uet_refusal_drop(struct uet_refusals *rs, struct uet_refusal *r)
{
	if (!uet_refusal_noted(r))
		return;
	list_del_init(&r->node);
	rs->nr--;
	refusal_fresh(r);
}

/**
 * uet_refusal_fold() - a destination is forgotten, but not that it refused
 * @rs: the socket's refusals
 * @r: that of the destination
 * @into: stands for all destinations that were forgotten
 */
void uet_refusal_fold(struct uet_refusals *rs, struct uet_refusal *r,
		      struct uet_refusal *into)
{
	if (!uet_refusal_noted(r))
		return;
	if (!uet_refusal_noted(into))
		refusal_add(rs, into, r->need);
	into->need = min(into->need, r->need);
	refusal_fresh(into);
	uet_refusal_drop(rs, r);
}

static bool refusal_ready(struct uet_refusal *r, uet_refusal_ready ready, void *arg)
{
	if (ready(r, arg))
		return true;
	r->told = false;
	r->quiet = r->done;
	r->tells = 0;
	return false;
}

/* Is a refusal to be told? It may be forgotten instead. */
static bool refusal_tell(struct uet_refusals *rs, struct uet_refusal *r, u64 now,
			 uet_refusal_ready ready, void *arg)
{
	if (!refusal_ready(r, ready, arg))
		return false;
	if (!r->told) {
		r->told = true;
		r->sends = rs->sends;
	}
	if (!r->quiet) {
		if (rs->sends - r->sends <= rs->nr + UET_REFUSED_TRIES)
			return true;
		refusal_quiet(r, now);
	}
	if (now < r->next)
		return r->tells && r->sends == rs->sends;
	if (r->tells == UET_REFUSED_TELLS) {
		uet_refusal_drop(rs, r);
		return false;
	}
	r->next = now + (UET_REFUSED_PAUSE_NS << r->tells);
	r->tells++;
	r->sends = rs->sends;
	return true;
}

/**
 * uet_refusals_look() - would any send be taken now that was refused?
 * @rs: the socket's refusals
 * @now: time, ns
 * @ready: asked for each of them
 * @arg: for @ready
 * @again: set to when to look again even if nothing happens, ns, 0 = need not
 *
 * All of them are asked, so that somebody looks again when any of the others is ready
 * (edge-triggered epoll).
 *
 * Return: true if so.
 */
bool uet_refusals_look(struct uet_refusals *rs, u64 now, uet_refusal_ready ready,
		       void *arg, u64 *again)
{
	struct uet_refusal *r, *next;
	bool told = false;

	*again = 0;
	list_for_each_entry_safe(r, next, &rs->list, node) {
		if (refusal_tell(rs, r, now, ready, arg))
			told = true;
		if (r->told && r->quiet)
			*again = uet_earliest(*again, r->next);
	}
	return told;
}

/**
 * uet_refusals_take() - which sends would be taken now that were refused
 * @rs: the socket's refusals
 * @ready: asked for each of them
 * @arg: for @ready
 * @taken: filled with those that are; they are forgotten
 * @max: room there
 *
 * Also those that are told less often: who asks may wait for nothing else then.
 *
 * Return: their number.
 */
u32 uet_refusals_take(struct uet_refusals *rs, uet_refusal_ready ready, void *arg,
		      struct uet_refusal **taken, u32 max)
{
	struct uet_refusal *r, *next;
	u32 n = 0;

	list_for_each_entry_safe(r, next, &rs->list, node) {
		if (n == max)
			break;
		if (!refusal_ready(r, ready, arg))
			continue;
		uet_refusal_drop(rs, r);
		taken[n++] = r;
	}
	return n;
}
