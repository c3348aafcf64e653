// SPDX-License-Identifier: GPL-2.0
/*
 * Which contexts and peers a user may see: those by which queues of that user send.
 *
 * They are looked for anew for each message of a dump, since a dump keeps no more than
 * a cursor.
 */
#include <linux/rcupdate.h>
#include <linux/xarray.h>

#include "base.h"
#include "ctl/genl/genl.h"
#include "tx/msg/txmsg.h"
#include "tx/queue/dest_state.h"

/* May allocate, so the RCU read side is left for a moment */
static int uet_genl_mine_add(struct uet_genl_walk *w, unsigned long id)
{
	void *old;

	if (xa_load(&w->mine, id))
		return 0;
	rcu_read_unlock();
	old = xa_store(&w->mine, id, xa_mk_value(1), GFP_KERNEL_ACCOUNT);
	rcu_read_lock();
	return xa_err(old);
}

/**
 * uet_genl_mine_find() - find out which objects who asked may see
 * @w: walk, whose set of them is empty
 * @whose: of which type
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int uet_genl_mine_find(struct uet_genl_walk *w, enum uet_genl_whose whose)
{
	struct uet_dest_state st;
	struct uet_dest *dest;
	int err = 0;
	u64 id = 0;

	if (w->viewer.admin || whose == UET_GENL_ALL || whose == UET_GENL_OWN)
		return 0;
	rcu_read_lock();
	for (; !err && (dest = uet_dest_next(w->un, &id)); id++) {
		if (uet_may_see(&w->viewer, dest->uid)) {
			uet_dest_state(dest, &st);
			if (st.bound)
				err = uet_genl_mine_add(w, whose == UET_GENL_PEERS ?
							   st.peer : st.ccc);
		}
		uet_genl_breathe(w);
	}
	rcu_read_unlock();
	return err;
}

/**
 * uet_genl_mine() - may who asked see a context or peer?
 * @w: walk
 * @id: its id
 *
 * Context: any.
 * Return: true if so.
 */
bool uet_genl_mine(const struct uet_genl_walk *w, unsigned long id)
{
	return w->viewer.admin || xa_load((struct xarray *)&w->mine, id);
}
