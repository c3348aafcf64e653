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

/* Is it wanted, by what does not change? */
static bool uet_genl_dest_fits(const struct uet_genl_filter *f,
			       const struct uet_dest *dest)
{
	return !dest->key.watch &&
	       uet_genl_remote_fits(f, &dest->key.raddr) &&
	       uet_genl_fits(f, UET_A_FILTER_JOB, dest->key.job) &&
	       uet_genl_fits(f, UET_A_FILTER_PID, dest->pid);
}

static bool uet_genl_dest_wanted(const struct uet_genl_filter *f,
				 const struct uet_dest_state *st)
{
	u32 bound = UET_WANTS(LOCAL) | UET_WANTS(CCC) | UET_WANTS(ID);

	return (st->bound || !(f->has & bound)) &&
	       uet_genl_fits(f, UET_A_FILTER_INODE, st->inode) &&
	       uet_genl_local_fits(f, &st->laddr) &&
	       uet_genl_fits(f, UET_A_FILTER_CCC, st->ccc) &&
	       uet_genl_fits(f, UET_A_FILTER_ID, st->pdc) &&
	       (!(f->has & UET_WANTS(WAITING)) ||
		st->wait != UET_WAIT_NOTHING);
}

#define DEST(_attr, _kind, _field)					\
	UET_GENL_ROW(DEST_##_attr, _kind, 0, struct uet_dest, _field)
#define STATE(_attr, _kind, _field)					\
	UET_GENL_ROW(DEST_##_attr, _kind, 1, struct uet_dest_state, _field)
/* If it has a PDC */
#define BOUND(_attr, _kind, _field)					\
	UET_GENL_ROW(DEST_##_attr, _kind, 2, struct uet_dest_state, _field)

static const struct uet_genl_row uet_genl_dest_rows[] = {
	STATE(INODE,			U64,	inode),
	DEST(PID,			U32,	pid),
	{ UET_A_DEST_REMOTE, UET_ROW_ENDPOINT, 3 },
	DEST(MODE,			U32,	key.delivery),
	DEST(TCLASS,			U32,	key.tclass),
	STATE(MSGS,			U32,	msgs),
	STATE(BYTES,			U64,	bytes),
	STATE(WAIT,			U32,	wait),
	STATE(WAIT_NS,			U64,	wait_ns),
	STATE(WAITED_RECEIVER_NS,	U64,	held_ns),
	STATE(OLDEST_NS,		U64,	oldest_ns),
	BOUND(LOCAL,			ADDR,	laddr),
	BOUND(PDC,			U32,	pdc),
	BOUND(CCC,			U64,	ccc),
	{ }
};

static int uet_genl_dest_tell(struct uet_genl_walk *w, void *entry)
{
	struct uet_dest *dest = entry;
	struct sockaddr_uet remote;
	struct uet_dest_state st;

	if (!uet_may_see(&w->viewer, dest->uid) ||
	    !uet_genl_dest_fits(&w->filter, dest))
		return 0;
	uet_dest_state(dest, &st);
	if (!uet_genl_dest_wanted(&w->filter, &st))
		return 0;
	uet_dest_name(&dest->key, &remote);
	return uet_genl_tell(w, uet_genl_dest_rows, dest, &st,
			     st.bound ? &st : NULL, &remote);
}

static const struct uet_genl_object uet_genl_dests = {
	.cmd		= UET_CMD_DEST_GET,
	.filter		= UET_A_DEST_FILTER,
	.filters	= UET_GENL_DEST_FILTERS,
	.whose		= UET_GENL_OWN,
	.ids		= offsetof(struct uet_net, dest_ids),
	.tell		= uet_genl_dest_tell,
};

UET_GENL_READ(dest)
