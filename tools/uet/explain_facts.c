// SPDX-License-Identifier: GPL-2.0
/*
 * Facts about a peer, out of the objects of the family, its counters, the routes and
 * the processes. Nothing is judged here.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "explain.h"
#include "field.h"
#include "msg.h"
#include "procs.h"

#define UDP_PORT	4793
/* Entropy values whose next hop is asked for, of each state */
#define ROUTES_MAX	256
#define NUD_ANSWERS	(NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE | \
			 NUD_PERMANENT | NUD_NOARP)

static const struct arg filter[] = {
	{ "peer", ARG_PREFIX, UET_A_FILTER_REMOTE, NULL, "the peer" },
	{ 0 }
};

/**
 * struct gathering - facts under way
 * @f: facts
 * @peer: address
 * @own: local address towards it
 * @udp_port: of the namespace
 * @good: entropy values in use
 * @n_good: how many, at most ROUTES_MAX
 * @bad: those avoided, the first ones also in the facts
 * @n_bad: how many, at most ROUTES_MAX
 * @hop: what the last question for a route was answered
 */
struct gathering {
	struct facts *f;
	struct in6_addr peer, own;
	uint16_t udp_port;
	struct ev {
		uint32_t ev, dev;
	} good[ROUTES_MAX], bad[ROUTES_MAX];
	unsigned int n_good, n_bad;
	struct fact_hop hop;
	uint64_t reader;
};

static void waits(struct facts *f, uint64_t wait, uint64_t ns)
{
	if (!wait || wait >= EXPLAIN_WAITS)
		return;
	f->waits[wait].n++;
	if (ns > f->waits[wait].ns)
		f->waits[wait].ns = ns;
}

static void take_fep(const struct attrs *a, void *arg)
{
	struct gathering *g = arg;
	struct in6_addr addr;

	g->udp_port = attr_num(a, UET_A_FEP_UDP_PORT);
	if (attr_addr(a, UET_A_FEP_ADDR, &addr) &&
	    IN6_ARE_ADDR_EQUAL(&addr, &g->peer))
		g->f->self = true;
}

static void take_ccc(const struct attrs *a, void *arg)
{
	struct gathering *g = arg;
	struct facts *f = g->f;

	f->cccs++;
	attr_addr(a, UET_A_CCC_LOCAL, &g->own);
	waits(f, attr_num(a, UET_A_CCC_WAIT), attr_num(a, UET_A_CCC_WAIT_NS));
	f->tclass = attr_num(a, UET_A_CCC_TCLASS);
	f->cwnd += attr_num(a, UET_A_CCC_CWND);
	f->max_wnd += attr_num(a, UET_A_CCC_MAX_WND);
	f->inflight += attr_num(a, UET_A_CCC_INFLIGHT);
	f->backlog += attr_num(a, UET_A_CCC_BACKLOG);
	f->rtt = attr_num(a, UET_A_CCC_RTT);
	f->base_rtt = attr_num(a, UET_A_CCC_BASE_RTT);
	f->credit += (int64_t)attr_num(a, UET_A_CCC_CREDIT);
	f->credit_reqs += attr_num(a, UET_A_CCC_CREDIT_REQS);
	f->mtu = attr_num(a, UET_A_CCC_MTU);
	f->path_mtu = attr_num(a, UET_A_CCC_PATH_MTU);
	f->steps += attr_num(a, UET_A_CCC_PATH_MTU_STEPS);
	if (attr_has(a, UET_A_CCC_HOLE_BYTES))
		f->hole_bytes = attr_num(a, UET_A_CCC_HOLE_BYTES);
	f->paths += attr_num(a, UET_A_CCC_PATHS);
	f->paths_bad += attr_num(a, UET_A_CCC_PATHS_BAD);
	f->ports += attr_num(a, UET_A_CCC_PORTS);
	f->ports_down += attr_num(a, UET_A_CCC_PORTS_DOWN);
	f->sent += attr_num(a, UET_A_CCC_SENT_PKTS);
	f->marks += attr_num(a, UET_A_CCC_MARKS);
	f->trims += attr_num(a, UET_A_CCC_TRIMS);
	f->shortages += attr_num(a, UET_A_CCC_NACKS_SHORTAGE);
	f->losses += attr_num(a, UET_A_CCC_LOSSES_SACK) +
		     attr_num(a, UET_A_CCC_LOSSES_OOO) +
		     attr_num(a, UET_A_CCC_LOSSES_PROBE) +
		     attr_num(a, UET_A_CCC_LOSSES_RTO) +
		     attr_num(a, UET_A_CCC_LOSSES_RCVR) +
		     attr_num(a, UET_A_CCC_LOSSES_GO_BACK);
	f->losses_local += attr_num(a, UET_A_CCC_LOSSES_LOCAL);
}

static void heard(uint64_t *least, const struct attrs *half, uint16_t attr)
{
	if (attr_has(half, attr) && attr_num(half, attr) < *least)
		*least = attr_num(half, attr);
}

static void take_tx(struct facts *f, const struct attrs *tx)
{
	uint32_t silent = attr_num(tx, UET_A_TX_TIMEOUTS);
	uint32_t mpr = attr_num(tx, UET_A_TX_MPR);

	f->pdcs++;
	waits(f, attr_num(tx, UET_A_TX_WAIT), attr_num(tx, UET_A_TX_WAIT_NS));
	f->held += attr_num(tx, UET_A_TX_HELD);
	if (silent > f->silent)
		f->silent = silent;
	if (!f->mpr || mpr < f->mpr)
		f->mpr = mpr;
}

/* PDCs of all peers: whether others are heard tells where a silence comes from */
static void take_pdc(const struct attrs *a, void *arg)
{
	struct gathering *g = arg;
	struct facts *f = g->f;
	struct in6_addr remote;
	struct attrs half;
	uint64_t *least;
	bool mine;

	mine = attr_addr(a, UET_A_PDC_REMOTE, &remote) &&
	       IN6_ARE_ADDR_EQUAL(&remote, &g->peer);
	least = mine ? &f->heard_ns : &f->heard_others_ns;
	if (attr_has(a, UET_A_PDC_TX)) {
		attrs_nested(&half, a->at[UET_A_PDC_TX]);
		/* Before the first answer the time since it began is told */
		if (attr_num(a, UET_A_PDC_REMOTE_ID))
			heard(least, &half, UET_A_TX_HEARD_NS);
		if (mine)
			take_tx(f, &half);
	}
	if (!attr_has(a, UET_A_PDC_RX))
		return;
	attrs_nested(&half, a->at[UET_A_PDC_RX]);
	heard(least, &half, UET_A_RX_HEARD_NS);
	if (mine && attr_has(&half, UET_A_RX_REFUSED))
		f->refused_here = true;
}

static void take_dest(const struct attrs *a, void *arg)
{
	struct gathering *g = arg;

	waits(g->f, attr_num(a, UET_A_DEST_WAIT),
	      attr_num(a, UET_A_DEST_WAIT_NS));
	g->f->msgs += attr_num(a, UET_A_DEST_MSGS);
	g->f->bytes += attr_num(a, UET_A_DEST_BYTES);
}

static void take_path(const struct attrs *a, void *arg)
{
	struct gathering *g = arg;
	struct facts *f = g->f;
	struct ev ev = { attr_num(a, UET_A_PATH_EV),
			 attr_num(a, UET_A_PATH_IFINDEX) };

	uint64_t state = attr_num(a, UET_A_PATH_STATE);

	/* One that is passed over some times is avoided as well, for a while, and so
	 * is one whose interface is out of use
	 */
	if (state == UET_PATH_STATE_DOWN ||
	    (state == UET_PATH_STATE_GOOD && attr_num(a, UET_A_PATH_SKIP)))
		state = UET_PATH_STATE_BAD;
	switch (state) {
	case UET_PATH_STATE_GONE:
	case UET_PATH_STATE_BAD:
		if (g->n_bad < ROUTES_MAX)
			g->bad[g->n_bad++] = ev;
		if (f->n_bad == EXPLAIN_NAMED)
			break;
		f->bad[f->n_bad].ev = ev.ev;
		f->bad[f->n_bad++].lost = attr_num(a, UET_A_PATH_LOST);
		break;
	case UET_PATH_STATE_GOOD:
	case UET_PATH_STATE_CURRENT:
		if (g->n_good < ROUTES_MAX)
			g->good[g->n_good++] = ev;
		break;
	}
}

static void take_port(const struct attrs *a, void *arg)
{
	struct gathering *g = arg;
	struct fact_port *p = &g->f->port[g->f->n_ports];
	uint64_t nud = attr_num(a, UET_A_PORT_VIA_STATE);

	if (g->f->n_ports == EXPLAIN_NAMED)
		return;
	if (!if_indextoname(attr_num(a, UET_A_PORT_IFINDEX), p->dev))
		return;
	p->up = attr_has(a, UET_A_PORT_UP);
	p->silent = nud && !(nud & NUD_ANSWERS);
	p->backlog = attr_num(a, UET_A_PORT_BACKLOG);
	g->f->n_ports++;
}

static void take_failure(const struct attrs *a, void *arg)
{
	struct facts *f = ((struct gathering *)arg)->f;
	uint64_t ago = attr_num(a, UET_A_FAILURE_AGO_NS);

	if (f->failed && ago > f->fail_ago_ns)
		return;
	f->failed = true;
	f->fail_ago_ns = ago;
	f->fail_error = attr_num(a, UET_A_FAILURE_ERROR);
	f->fail_source = attr_num(a, UET_A_FAILURE_SOURCE);
	f->fail_code = attr_num(a, UET_A_FAILURE_CODE);
	f->fail_count = attr_num(a, UET_A_FAILURE_COUNT);
	f->fail_job = attr_num(a, UET_A_FAILURE_JOB);
	f->fail_pid = attr_num(a, UET_A_FAILURE_PID);
}

/* The oldest message of the peer that a program here shall read */
static void take_msg(const struct attrs *a, void *arg)
{
	struct gathering *g = arg;

	if (!g->reader && attr_num(a, UET_A_MSG_DIRECTION) == UET_DIRECTION_IN &&
	    attr_num(a, UET_A_MSG_WAIT) == UET_WAIT_READER)
		g->reader = attr_num(a, UET_A_MSG_INODE);
}

/* Of the sockets with messages of the peer the first; if there is none, one that
 * refuses packets, longest
 */
static void take_sock(const struct attrs *a, void *arg)
{
	struct gathering *g = arg;
	struct fact_sock *s = &g->f->reader;
	uint64_t inode = attr_num(a, UET_A_SOCK_INODE);
	uint64_t refused = attr_num(a, UET_A_SOCK_RX_REFUSED_NS);

	if (g->reader ? inode != g->reader : refused <= s->refused_ns)
		return;
	*s = (struct fact_sock){
		.inode		= inode,
		.unread_ns	= attr_num(a, UET_A_SOCK_UNREAD_NS),
		.refused_ns	= refused,
		.bytes		= attr_num(a, UET_A_SOCK_RX_BYTES),
		.room		= attr_num(a, UET_A_SOCK_RCVBUF),
	};
}

static void take_trimming(const struct attrs *a, void *arg)
{
	struct gathering *g = arg;

	g->f->trimming = attr_num(a, UET_A_PARAM_NUMBER);
}

static void name_process(struct fact_sock *s)
{
	struct procs procs = { 0 };
	const struct proc_fd *fd;

	if (!s->inode || procs_read(&procs))
		return;
	fd = procs_first(&procs, s->inode);
	if (fd) {
		s->proc = fd->pid;
		memcpy(s->name, fd->name, sizeof(s->name));
	}
	procs_free(&procs);
}

/* --- next hops ------------------------------------------------------------ */

static void take_route(const struct attrs *a, void *arg)
{
	struct gathering *g = arg;
	const struct nlattr *via = a->at[RTA_GATEWAY];

	if (!if_indextoname(attr_num(a, RTA_OIF), g->hop.dev))
		return;
	memcpy(g->hop.via, g->f->peer, sizeof(g->hop.via));
	if (via)
		inet_ntop(mnl_attr_get_payload_len(via) == 4 ? AF_INET : AF_INET6,
			  mnl_attr_get_payload(via), g->hop.via,
			  sizeof(g->hop.via));
}

static void put_addr(struct nlmsghdr *req, uint16_t attr,
		     const struct in6_addr *addr)
{
	if (IN6_IS_ADDR_UNSPECIFIED(addr))
		return;
	if (IN6_IS_ADDR_V4MAPPED(addr))
		mnl_attr_put(req, attr, 4, &addr->s6_addr[12]);
	else
		mnl_attr_put(req, attr, 16, addr);
}

/* Where a packet with an entropy value leaves. The ports are what a route with
 * several next hops hashes (fib_multipath_hash_policy 1).
 */
static int ask_route(struct nl *nl, struct gathering *g, const struct ev *ev)
{
	struct nlmsghdr *req = mnl_nlmsg_put_header(nl->buf);
	struct rtmsg *rtm;
	bool v4 = IN6_IS_ADDR_V4MAPPED(&g->peer);

	req->nlmsg_type = RTM_GETROUTE;
	req->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	rtm = mnl_nlmsg_put_extra_header(req, sizeof(*rtm));
	rtm->rtm_family = v4 ? AF_INET : AF_INET6;
	rtm->rtm_dst_len = v4 ? 32 : 128;
	put_addr(req, RTA_DST, &g->peer);
	put_addr(req, RTA_SRC, &g->own);
	if (!IN6_IS_ADDR_UNSPECIFIED(&g->own))
		rtm->rtm_src_len = rtm->rtm_dst_len;
	if (ev->dev)
		mnl_attr_put_u32(req, RTA_OIF, ev->dev);
	if (ev->ev) {
		mnl_attr_put_u8(req, RTA_IP_PROTO, IPPROTO_UDP);
		mnl_attr_put_u16(req, RTA_SPORT, htons(ev->ev));
		mnl_attr_put_u16(req, RTA_DPORT, htons(g->udp_port));
	}
	memset(&g->hop, 0, sizeof(g->hop));
	return nl_talk_route(nl, req, take_route, g, sizeof(*rtm));
}

/* The next hop that was told, in the list; the last one stands for those beyond */
static unsigned int add_hop(struct facts *f, const struct fact_hop *hop)
{
	unsigned int i;

	for (i = 0; i < f->n_hops; i++)
		if (!strcmp(f->hops[i].via, hop->via) &&
		    !strcmp(f->hops[i].dev, hop->dev))
			return i;
	if (f->n_hops == EXPLAIN_NAMED)
		return EXPLAIN_NAMED - 1;
	f->hops[f->n_hops] = *hop;
	return f->n_hops++;
}

static void take_hops(struct gathering *g)
{
	struct nl nl = { .quiet = true };
	struct facts *f = g->f;
	unsigned int i, hop;

	if (nl_open_route(&nl))
		return;
	for (i = 0; i < g->n_bad; i++) {
		if (ask_route(&nl, g, &g->bad[i]) || !g->hop.dev[0])
			continue;
		hop = add_hop(f, &g->hop);
		f->hops[hop].bad++;
		if (i < f->n_bad)
			f->bad[i].hop = hop;
	}
	for (i = 0; i < g->n_good; i++)
		if (!ask_route(&nl, g, &g->good[i]) && g->hop.dev[0])
			f->hops[add_hop(f, &g->hop)].good++;
	if (!f->n_hops && !ask_route(&nl, g, &(struct ev){ 0 }) && g->hop.dev[0])
		add_hop(f, &g->hop);
	nl_close(&nl);
}

static int ask_trimming(struct tool *t, struct gathering *g)
{
	struct nlmsghdr *req = nl_request(&t->nl, UET_CMD_PARAM_GET, false);

	mnl_attr_put_strz(req, UET_A_PARAM_NAME, "trimming");
	return nl_talk(&t->nl, req, take_trimming, g);
}

static int gather(struct tool *t, const struct args *peer, struct gathering *g)
{
	const struct {
		const struct object *of;
		const struct args *args;
		nl_object_fn fn;
	} dumps[] = {
		{ &object_fep, NULL, take_fep },
		{ &object_ccc, peer, take_ccc },
		{ &object_pdc, NULL, take_pdc },
		{ &object_dest, peer, take_dest },
		{ &object_path, peer, take_path },
		{ &object_port, peer, take_port },
		{ &object_failure, peer, take_failure },
	};
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < sizeof(dumps) / sizeof(*dumps); i++)
		err = show_dump(t, dumps[i].of, dumps[i].args, dumps[i].fn, g);
	if (!err)
		err = msg_dump(t, peer, 0, take_msg, g);
	if (!err)
		err = show_dump(t, &object_sock, NULL, take_sock, g);
	return err ? err : ask_trimming(t, g);
}

/**
 * facts_gather() - learn what there is to know about a peer
 * @t: tool
 * @peer: address of the peer
 * @f: set
 *
 * Return: 0 or a negative error, which was printed.
 */
int facts_gather(struct tool *t, const struct in6_addr *peer, struct facts *f)
{
	struct gathering *g = calloc(1, sizeof(*g));
	struct args args = { .table = filter };
	int err;

	if (!g)
		return -ENOMEM;
	args.v[0] = (struct given){ .is = true, .addr = *peer, .plen = 128 };
	*f = (struct facts){
		.heard_ns = EXPLAIN_NEVER, .heard_others_ns = EXPLAIN_NEVER,
	};
	addr_text(peer, f->peer, sizeof(f->peer));
	g->f = f;
	g->peer = *peer;
	g->udp_port = UDP_PORT;
	err = gather(t, &args, g);
	if (!err) {
		take_hops(g);
		name_process(&f->reader);
		addr_text(&g->own, f->own, sizeof(f->own));
	}
	free(g);
	return err;
}
