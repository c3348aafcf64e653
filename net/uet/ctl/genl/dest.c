// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink object "dest": what sockets send, by endpoint, and what it waits for.
 *
 * The probes of watched destinations have queues of their own, which are left out.
 */
#include <net/genetlink.h>

#include "base.h"
#include "ctl/genl/genl.h"
#include "sock.h"
#include "tx/msg/txmsg.h"
#include "tx/queue/dest_state.h"

#define UET_GENL_DEST_FILTERS						\
	(UET_WANTS(REMOTE) | UET_WANTS(REMOTE_PLEN) | UET_WANTS(LOCAL) |	\
	 UET_WANTS(JOB) | UET_WANTS(INODE) | UET_WANTS(PID) |		\
	 UET_WANTS(CCC) | UET_WANTS(ID) | UET_WANTS(WAITING))

/**
 * struct uet_genl_dest - a queue to tell
 * @dest: the queue
 * @st: its state
 */
struct uet_genl_dest {
	const struct uet_dest	*dest;
	struct uet_dest_state	st;
};

/* Is it wanted, by what does not change? */
static bool uet_genl_dest_fits(const struct uet_genl_filter *f,
			       const struct uet_dest *dest)
{
	return !dest->key.watch &&
	       uet_genl_remote_fits(f, &dest->key.raddr) &&
	       uet_genl_fits(f, UET_WANTS(JOB), f->job, dest->key.job) &&
	       uet_genl_fits(f, UET_WANTS(PID), f->pid, dest->pid);
}

static bool uet_genl_dest_wanted(const struct uet_genl_filter *f,
				 const struct uet_dest_state *st)
{
	u32 bound = UET_WANTS(LOCAL) | UET_WANTS(CCC) | UET_WANTS(ID);

	return (st->bound || !(f->has & bound)) &&
	       uet_genl_fits(f, UET_WANTS(INODE), f->inode, st->inode) &&
	       uet_genl_local_fits(f, &st->laddr) &&
	       uet_genl_fits(f, UET_WANTS(CCC), f->ccc, st->ccc) &&
	       uet_genl_fits(f, UET_WANTS(ID), f->id, st->pdc) &&
	       (!(f->has & UET_WANTS(WAITING)) ||
		st->wait != UET_WAIT_NOTHING);
}

static int uet_genl_dest_u64(struct sk_buff *skb, int type, u64 value)
{
	return nla_put_u64_64bit(skb, type, value, UET_A_DEST_PAD);
}

static int uet_genl_dest_pdc(struct sk_buff *skb,
			     const struct uet_dest_state *st)
{
	if (!st->bound)
		return 0;
	return nla_put_in6_addr(skb, UET_A_DEST_LOCAL, &st->laddr) ||
	       nla_put_u32(skb, UET_A_DEST_PDC, st->pdc) ||
	       uet_genl_dest_u64(skb, UET_A_DEST_CCC, st->ccc);
}

static int uet_genl_dest_fill(struct sk_buff *skb, const void *what)
{
	const struct uet_genl_dest *d = what;
	const struct uet_dest_key *key = &d->dest->key;
	const struct uet_dest_state *st = &d->st;
	struct sockaddr_uet remote;

	uet_dest_name(key, &remote);
	return uet_genl_dest_u64(skb, UET_A_DEST_INODE, st->inode) ||
	       nla_put_u32(skb, UET_A_DEST_PID, d->dest->pid) ||
	       uet_genl_endpoint(skb, UET_A_DEST_REMOTE, &remote) ||
	       nla_put_u32(skb, UET_A_DEST_MODE, key->delivery) ||
	       nla_put_u32(skb, UET_A_DEST_TCLASS, key->tclass) ||
	       nla_put_u32(skb, UET_A_DEST_MSGS, st->msgs) ||
	       uet_genl_dest_u64(skb, UET_A_DEST_BYTES, st->bytes) ||
	       nla_put_u32(skb, UET_A_DEST_WAIT, st->wait) ||
	       uet_genl_dest_u64(skb, UET_A_DEST_WAIT_NS, st->wait_ns) ||
	       uet_genl_dest_u64(skb, UET_A_DEST_WAITED_RECEIVER_NS,
				 st->held_ns) ||
	       uet_genl_dest_u64(skb, UET_A_DEST_OLDEST_NS, st->oldest_ns) ||
	       uet_genl_dest_pdc(skb, st);
}

static int uet_genl_dest_one(struct uet_genl_walk *w, struct uet_dest *dest)
{
	struct uet_genl_dest d = { .dest = dest };

	if (!uet_may_see(&w->viewer, dest->uid) ||
	    !uet_genl_dest_fits(&w->filter, dest))
		return 0;
	uet_dest_state(dest, &d.st);
	if (!uet_genl_dest_wanted(&w->filter, &d.st))
		return 0;
	return uet_genl_put(w, uet_genl_dest_fill, &d);
}

/* Cursor: 0 is the id of the queue */
static int uet_genl_dest_walk(struct uet_genl_walk *w)
{
	struct uet_dest *dest;
	int err = 0;

	rcu_read_lock();
	for (; (dest = uet_dest_next(w->un, &w->cursor[0])); w->cursor[0]++) {
		err = uet_genl_dest_one(w, dest);
		if (err)
			break;
		uet_genl_breathe(w);
	}
	rcu_read_unlock();
	return err;
}

static const struct uet_genl_object uet_genl_dests = {
	.cmd		= UET_CMD_DEST_GET,
	.filter		= UET_A_DEST_FILTER,
	.filters	= UET_GENL_DEST_FILTERS,
	.whose		= UET_GENL_OWN,
	.walk		= uet_genl_dest_walk,
};

int uet_nl_dest_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return uet_genl_get(skb, info, &uet_genl_dests);
}

int uet_nl_dest_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return uet_genl_dump(skb, cb, &uet_genl_dests);
}
