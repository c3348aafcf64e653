// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink object "port": local interfaces towards peers. Peers that differ only in
 * the user, mark or traffic class of their routes are told one by one.
 */
#include <linux/rcupdate.h>
#include <net/genetlink.h>

#include "base.h"
#include "ctl/genl/genl.h"
#include "link/peer.h"
#include "link/ports.h"

#define KEY(_attr, _kind, _field)					\
	UET_GENL_ROW(PORT_##_attr, _kind, 0, struct uet_peer_key, _field)
#define INFO(_attr, _kind, _field)					\
	UET_GENL_ROW(PORT_##_attr, _kind, 1, struct uet_port_info, _field)

static const struct uet_genl_row uet_genl_port_rows[] = {
	KEY(LOCAL,	ADDR,	laddr),
	KEY(REMOTE,	ADDR,	raddr),
	INFO(IFINDEX,	U32,	ifindex),
	INFO(UP,	FLAG,	up),
	INFO(MBPS,	U32_IF,	mbps),
	INFO(BACKLOG,	U64,	backlog),
	INFO(VIA,	ADDR,	via),
	INFO(VIA_STATE,	U32,	nud_state),
	INFO(MTU,	U32,	mtu),
	{ }
};

/* Cursor: 1 is the number of the port */
static int uet_genl_port_tell(struct uet_genl_walk *w, void *entry)
{
	const struct uet_genl_filter *f = &w->filter;
	struct uet_peer *peer = entry;
	struct uet_port_info info;
	bool there;
	int err;

	if (!uet_genl_remote_fits(f, &peer->key.raddr) ||
	    !uet_genl_local_fits(f, &peer->key.laddr) ||
	    w->cursor[1] >= uet_port_info_nr(peer))
		return 0;
	local_bh_disable();
	there = uet_port_info(peer, w->cursor[1], &info);
	local_bh_enable();
	if (there && uet_genl_fits(f, UET_A_FILTER_IFINDEX, info.ifindex)) {
		err = uet_genl_tell(w, uet_genl_port_rows, &peer->key, &info);
		if (err)
			return err;
	}
	w->cursor[1]++;
	return UET_GENL_MORE;
}

static const struct uet_genl_object uet_genl_ports = {
	.cmd		= UET_CMD_PORT_GET,
	.filter		= UET_A_PORT_FILTER,
	.filters	= UET_WANTS(REMOTE) | UET_WANTS(REMOTE_PLEN) |
			  UET_WANTS(LOCAL) | UET_WANTS(IFINDEX),
	.whose		= UET_GENL_PEERS,
	.ids		= offsetof(struct uet_net, peer_ids),
	.tell		= uet_genl_port_tell,
};

UET_GENL_READ(port)
