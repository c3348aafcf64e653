// SPDX-License-Identifier: GPL-2.0
/*
 * Facts about a peer, out of the objects of the family, its counters, the routes and
 * the processes. Nothing is judged here.
 *
 * Objects come and go between one dump and the next: no fact relies on two objects
 * being there together.
 */
#include <errno.h>
#include <linux/neighbour.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmd.h"
#include "explain.h"
#include "field.h"
#include "procs.h"

#define UDP_PORT	4793
/* Entropy values whose next hop is asked for, of those that lost packets and of the
 * others; of these for each interface, where there are several
 */
#define ROUTES_MAX	256
#define ROUTES_PORT	32
#define NUD_ANSWERS	(NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE | \
			 NUD_PERMANENT | NUD_NOARP)
/* Fewer losses do not make marked values lost ones */
#define LOSSES_FEW	4
/* Fewer values given up have nothing in common but chance */
#define TRACE_FEW	4
/* SES return codes that speak of the job, or of who may use it */
#define PERM_VIOLATION	23
#define BAD_JOB_ID	27

static const struct arg filter[] = {
	{ "peer", ARG_PREFIX, UET_A_FILTER_REMOTE, NULL, "the peer" },
	{ 0 }
};

/**
 * struct gathering - facts under way
 * @f: facts
 * @ask: the peer, for questions about routes
 * @good: entropy values in use
 * @n_good: how many, at most ROUTES_MAX
 * @bad: those that lost packets
 * @n_bad: how many, at most ROUTES_MAX
 * @port_passes: packets of a context leave the local interface
 * @refused_by: local sockets that refuse packets of the peer
 * @n_refused_by: how many, at most EXPLAIN_READERS
 */
struct gathering {
	struct facts *f;
	struct route_ask ask;
	struct entropy good[ROUTES_MAX], bad[ROUTES_MAX];
	unsigned int n_good, n_bad, n_refused_by;
	bool port_passes;
	uint64_t refused_by[EXPLAIN_READERS];
};

static struct fact_wait *waits(struct facts *f, uint64_t wait, uint64_t ns)
{
	static struct fact_wait none;

	if (!wait || wait >= EXPLAIN_WAITS)
		return &none;
	f->waits[wait].n++;
	if (ns > f->waits[wait].ns)
		f->waits[wait].ns = ns;
	return &f->waits[wait];
}

static void take_fep(const struct attrs *a, void *arg)
{
	struct gathering *g = arg;
	struct in6_addr addr;

	g->ask.udp_port = attr_num(a, UET_A_FEP_UDP_PORT);
	if (attr_addr(a, UET_A_FEP_ADDR, &addr) &&
	    IN6_ARE_ADDR_EQUAL(&addr, &g->ask.peer))
		g->f->self = true;
}

/* The narrowest of the contexts counts */
static void take_mtu(struct facts *f, const struct attrs *a)
{
	uint32_t hole = attr_num(a, UET_A_CCC_HOLE_BYTES);
	uint32_t mtu = attr_num(a, UET_A_CCC_PATH_MTU);
	uint64_t ns = attr_num(a, UET_A_CCC_HOLE_NS);

	f->steps += attr_num(a, UET_A_CCC_PATH_MTU_STEPS);
	if (!f->path_mtu || mtu < f->path_mtu)
		f->path_mtu = mtu;
	if (hole && (!f->hole_bytes || hole < f->hole_bytes))
		f->hole_bytes = hole;
	if (ns > f->hole_ns)
		f->hole_ns = ns;
}

static void take_ccc(const struct attrs *a, void *arg)
{
	struct gathering *g = arg;
	struct facts *f = g->f;
	uint64_t down_ns = attr_num(a, UET_A_CCC_PORTS_DOWN_NS);
	uint64_t shut_ns = attr_num(a, UET_A_CCC_PORT_SHUT_NS);

	f->cccs++;
	attr_addr(a, UET_A_CCC_LOCAL, &g->ask.own);
	waits(f, attr_num(a, UET_A_CCC_WAIT), attr_num(a, UET_A_CCC_WAIT_NS));
	f->cwnd += attr_num(a, UET_A_CCC_CWND);
	f->max_wnd += attr_num(a, UET_A_CCC_MAX_WND);
	f->inflight += attr_num(a, UET_A_CCC_INFLIGHT);
	f->backlog += attr_num(a, UET_A_CCC_BACKLOG);
	f->rtt = attr_num(a, UET_A_CCC_RTT);
	f->base_rtt = attr_num(a, UET_A_CCC_BASE_RTT);
	f->credit += (int64_t)attr_num(a, UET_A_CCC_CREDIT);
	f->credit_reqs += attr_num(a, UET_A_CCC_CREDIT_REQS);
	f->ports_down += attr_num(a, UET_A_CCC_PORTS_DOWN);
	if (down_ns && (!f->ports_down_ns || down_ns < f->ports_down_ns))
		f->ports_down_ns = down_ns;
	if (shut_ns && (!f->port_shut_ns || shut_ns < f->port_shut_ns))
		f->port_shut_ns = shut_ns;
	/* Another one's packets leave, by another queue of the port. */
	if (!shut_ns && attr_num(a, UET_A_CCC_INFLIGHT))
		g->port_passes = true;
	counts_take(a, &f->all);
	take_mtu(f, a);
}

static void heard(uint64_t *least, const struct attrs *half, uint16_t attr)
{
	if (attr_has(half, attr) && attr_num(half, attr) < *least)
		*least = attr_num(half, attr);
}

/* When the peer of a PDC answered, and when it sent itself */
static void take_heard(const struct attrs *a, uint64_t *answered, uint64_t *sent)
{
	struct attrs half;

	/* Before the first answer the time since it began is told */
	if (attr_has(a, UET_A_PDC_TX) && attr_num(a, UET_A_PDC_REMOTE_ID)) {
		attrs_nested(&half, a->at[UET_A_PDC_TX]);
		heard(answered, &half, UET_A_TX_HEARD_NS);
	}
	if (attr_has(a, UET_A_PDC_RX)) {
		attrs_nested(&half, a->at[UET_A_PDC_RX]);
		heard(sent, &half, UET_A_RX_HEARD_NS);
	}
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

static void take_refused(struct gathering *g, uint64_t inode)
{
	unsigned int i;

	for (i = 0; i < g->n_refused_by; i++)
		if (g->refused_by[i] == inode)
			return;
	if (inode && i < EXPLAIN_READERS)
		g->refused_by[g->n_refused_by++] = inode;
}

static void take_pdc(const struct attrs *a, void *arg)
{
	struct gathering *g = arg;
	struct attrs half;

	take_heard(a, &g->f->heard_ns, &g->f->sends_ns);
	if (attr_has(a, UET_A_PDC_TX)) {
		attrs_nested(&half, a->at[UET_A_PDC_TX]);
		take_tx(g->f, &half);
	}
	if (attr_has(a, UET_A_PDC_RX)) {
		attrs_nested(&half, a->at[UET_A_PDC_RX]);
		take_refused(g, attr_num(&half, UET_A_RX_REFUSED_INODE));
	}
}

/* Whether others are heard tells where a silence comes from */
static void take_other_pdc(const struct attrs *a, void *arg)
{
	struct gathering *g = arg;
	struct in6_addr remote;

	if (attr_addr(a, UET_A_PDC_REMOTE, &remote) &&
	    !IN6_ARE_ADDR_EQUAL(&remote, &g->ask.peer))
		take_heard(a, &g->f->heard_others_ns, &g->f->heard_others_ns);
}

static void take_target(struct facts *f, const struct attrs *a)
{
	struct attrs ep;

	if (!attr_has(a, UET_A_DEST_REMOTE))
		return;
	attrs_nested(&ep, a->at[UET_A_DEST_REMOTE]);
	f->target = (struct fact_target){
		.known	= true,
		.job	= attr_num(&ep, UET_A_ENDPOINT_JOB),
		.pid	= attr_num(&ep, UET_A_ENDPOINT_PID),
		.ri	= attr_num(&ep, UET_A_ENDPOINT_RI),
	};
}

static void take_dest(const struct attrs *a, void *arg)
{
	struct facts *f = ((struct gathering *)arg)->f;
	uint64_t wait = attr_num(a, UET_A_DEST_WAIT);
	uint64_t ns = attr_num(a, UET_A_DEST_WAIT_NS);
	uint64_t bytes = attr_num(a, UET_A_DEST_BYTES);

	if (wait == UET_WAIT_RECEIVER &&
	    (!f->target.known || ns > f->waits[wait].ns))
		take_target(f, a);
	waits(f, wait, ns)->bytes += bytes;
	f->msgs += attr_num(a, UET_A_DEST_MSGS);
	f->bytes += bytes;
}

static void add_bad(struct gathering *g, const struct attrs *a)
{
	struct facts *f = g->f;
	uint64_t ns = attr_num(a, UET_A_PATH_GONE_NS);

	if (g->n_bad == ROUTES_MAX)
		return;
	g->bad[g->n_bad++] = (struct entropy){ attr_num(a, UET_A_PATH_EV),
					       attr_num(a, UET_A_PATH_IFINDEX) };
	if (ns > f->bad_ns)
		f->bad_ns = ns;
	if (f->n_bad < EXPLAIN_NAMED)
		f->bad[f->n_bad] = (struct fact_path){
			attr_num(a, UET_A_PATH_EV), attr_num(a, UET_A_PATH_LOST)
		};
	f->n_bad++;
}

/* Did an entropy value lose packets? Values are avoided for ECN marks as well. */
static bool lost(const struct facts *f, const struct attrs *a)
{
	switch (attr_num(a, UET_A_PATH_STATE)) {
	case UET_PATH_STATE_GONE:
		return attr_num(a, UET_A_PATH_GONE_NS) < EXPLAIN_FRESH_NS;
	case UET_PATH_STATE_BAD:
		return attr_num(a, UET_A_PATH_LOST) ||
		       (!attr_num(a, UET_A_PATH_SENT) && !f->all.marks &&
			f->all.losses >= LOSSES_FEW);
	default:
		return false;
	}
}

static void add_good(struct gathering *g, const struct attrs *a)
{
	struct entropy ev = { attr_num(a, UET_A_PATH_EV),
			      attr_num(a, UET_A_PATH_IFINDEX) };
	unsigned int i, same = 0;

	for (i = 0; ev.dev && i < g->n_good; i++)
		same += g->good[i].dev == ev.dev;
	if (same < ROUTES_PORT && g->n_good < ROUTES_MAX)
		g->good[g->n_good++] = ev;
}

static void take_path(const struct attrs *a, void *arg)
{
	struct gathering *g = arg;
	uint64_t state = attr_num(a, UET_A_PATH_STATE);

	if (lost(g->f, a))
		add_bad(g, a);
	else if (state != UET_PATH_STATE_GONE && state != UET_PATH_STATE_DOWN)
		add_good(g, a);
}

/* The place for a port, which is told once for each class of the peer */
static struct fact_port *port_of(struct facts *f, const char *dev)
{
	unsigned int i;

	for (i = 0; i < f->n_ports; i++)
		if (!strcmp(f->port[i].dev, dev))
			return &f->port[i];
	return f->n_ports < EXPLAIN_NAMED ? &f->port[f->n_ports++] : NULL;
}

static void take_port(const struct attrs *a, void *arg)
{
	struct facts *f = ((struct gathering *)arg)->f;
	uint64_t nud = attr_num(a, UET_A_PORT_VIA_STATE);
	char dev[IF_NAMESIZE];
	struct in6_addr via;
	struct fact_port *p;

	if (!if_indextoname(attr_num(a, UET_A_PORT_IFINDEX), dev))
		return;
	p = port_of(f, dev);
	if (!p)
		return;
	memcpy(p->dev, dev, sizeof(p->dev));
	if (attr_addr(a, UET_A_PORT_VIA, &via))
		addr_text(&via, p->via, sizeof(p->via));
	p->up = attr_has(a, UET_A_PORT_UP);
	p->silent = nud && !(nud & NUD_ANSWERS);
	p->backlog = attr_num(a, UET_A_PORT_BACKLOG);
	p->mtu = attr_num(a, UET_A_PORT_MTU);
}

static enum fail_kind fail_kind(const struct attrs *a)
{
	uint64_t code = attr_num(a, UET_A_FAILURE_CODE);

	switch (attr_num(a, UET_A_FAILURE_SOURCE)) {
	case UET_REPORT_SOURCE_LOCAL:
		return FAIL_LOCAL;
	case UET_REPORT_SOURCE_SES:
		return code == BAD_JOB_ID || code == PERM_VIOLATION ?
		       FAIL_JOB : FAIL_REFUSED;
	default:
		return FAIL_REFUSED;
	}
}

/* The last one of each kind */
static void take_failure(const struct attrs *a, void *arg)
{
	struct facts *f = ((struct gathering *)arg)->f;
	struct fact_failure *fail = &f->fail[fail_kind(a)];
	uint64_t ago = attr_num(a, UET_A_FAILURE_AGO_NS);

	/* Its own program took the message back, which is no failure */
	if (attr_num(a, UET_A_FAILURE_ERROR) == ECANCELED)
		return;
	if (ago >= EXPLAIN_FRESH_NS || (fail->count && ago > fail->ago_ns))
		return;
	*fail = (struct fact_failure){
		.count	= attr_num(a, UET_A_FAILURE_COUNT),
		.error	= attr_num(a, UET_A_FAILURE_ERROR),
		.source	= attr_num(a, UET_A_FAILURE_SOURCE),
		.code	= attr_num(a, UET_A_FAILURE_CODE),
		.job	= attr_num(a, UET_A_FAILURE_JOB),
		.pid	= attr_num(a, UET_A_FAILURE_PID),
		.ago_ns	= ago,
	};
}

/* Is a socket of this host one that the peer's packets wait for? */
static bool concerned(const struct gathering *g, const struct attrs *a)
{
	const struct fact_target *t = &g->f->target;
	struct attrs ep;
	unsigned int i;

	for (i = 0; i < g->n_refused_by; i++)
		if (g->refused_by[i] == attr_num(a, UET_A_SOCK_INODE))
			return true;
	if (!g->f->self || !t->known || !attr_has(a, UET_A_SOCK_LOCAL))
		return false;
	attrs_nested(&ep, a->at[UET_A_SOCK_LOCAL]);
	return attr_num(&ep, UET_A_ENDPOINT_JOB) == t->job &&
	       attr_num(&ep, UET_A_ENDPOINT_PID) == t->pid &&
	       attr_num(&ep, UET_A_ENDPOINT_RI) == t->ri;
}

/* Of these the one that refuses packets longest */
static void take_sock(const struct attrs *a, void *arg)
{
	struct gathering *g = arg;
	struct fact_sock *s = &g->f->reader;
	uint64_t refused = attr_num(a, UET_A_SOCK_RX_REFUSED_NS);

	if (!concerned(g, a) || (s->inode && refused <= s->refused_ns))
		return;
	*s = (struct fact_sock){
		.inode		= attr_num(a, UET_A_SOCK_INODE),
		.refused_ns	= refused,
		.unread_ns	= attr_num(a, UET_A_SOCK_UNREAD_NS),
		.send_ns	= attr_num(a, UET_A_SOCK_SEND_WAIT_NS),
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

	if (!s->inode)
		return;
	fd = procs_read(&procs) ? NULL : procs_first(&procs, s->inode);
	if (fd) {
		s->proc = fd->pid;
		memcpy(s->name, fd->name, sizeof(s->name));
	}
	procs_free(&procs);
}

/* A next hop in the list; NULL if there are too many */
static struct fact_hop *hop_of(struct facts *f, const struct fact_hop *hop)
{
	unsigned int i;

	for (i = 0; i < f->n_hops; i++)
		if (!strcmp(f->hops[i].via, hop->via) &&
		    !strcmp(f->hops[i].dev, hop->dev))
			return &f->hops[i];
	if (f->n_hops == EXPLAIN_HOPS)
		return NULL;
	f->hops[f->n_hops] = *hop;
	return &f->hops[f->n_hops++];
}

/* Where an entropy value leaves; NULL if the route does not tell */
static struct fact_hop *ask_hop(struct nl *nl, struct gathering *g,
				const struct entropy *ev)
{
	struct fact_hop hop;

	if (route_ask(nl, &g->ask, ev, &hop) || !hop.dev[0])
		return NULL;
	return hop_of(g->f, &hop);
}

static void take_hops(struct gathering *g)
{
	struct nl nl = { .quiet = true };
	struct fact_hop *hop, any;
	unsigned int i;
	int err;

	if (nl_open_route(&nl))
		return;
	for (i = 0; i < g->n_bad; i++) {
		hop = ask_hop(&nl, g, &g->bad[i]);
		if (hop)
			hop->bad++;
	}
	for (i = 0; i < g->n_good; i++) {
		hop = ask_hop(&nl, g, &g->good[i]);
		if (hop)
			hop->good++;
	}
	if (!g->f->n_hops) {
		err = route_ask(&nl, &g->ask, &(struct entropy){ 0 }, &any);
		g->f->no_route = err == -ENETUNREACH || err == -EHOSTUNREACH ||
				 err == -EACCES || err == -EINVAL;
		if (!err && any.dev[0])
			hop_of(g->f, &any);
	}
	nl_close(&nl);
}

/* Has this host an address, and may it be used? Of a link-local one that is not asked. */
static bool is_ours(const struct in6_addr *addr)
{
	bool v4 = IN6_IS_ADDR_V4MAPPED(addr);
	struct sockaddr_in6 sa = { .sin6_family = AF_INET6, .sin6_addr = *addr };
	int fd, on = 1, err = 0;

	if (IN6_IS_ADDR_UNSPECIFIED(addr) || IN6_IS_ADDR_LINKLOCAL(addr))
		return true;
	fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return true;
	if (!v4)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&sa, sizeof(sa)))
		err = errno;
	close(fd);
	return err != EADDRNOTAVAIL;
}

static int ask_trimming(struct tool *t, struct gathering *g)
{
	struct nlmsghdr *req = nl_request(&t->nl, UET_CMD_PARAM_GET, false);

	mnl_attr_put_strz(req, UET_A_PARAM_NAME, "trimming");
	return nl_talk(&t->nl, req, take_trimming, g);
}

/* In this order: later ones need what earlier ones told */
static int gather(struct tool *t, const struct args *peer, struct gathering *g)
{
	const struct {
		const struct object *of;
		const struct args *args;
		nl_object_fn fn;
	} dumps[] = {
		{ &object_fep, NULL, take_fep },
		{ &object_ccc, peer, take_ccc },
		{ &object_pdc, peer, take_pdc },
		{ &object_dest, peer, take_dest },
		{ &object_path, peer, take_path },
		{ &object_port, peer, take_port },
		{ &object_failure, peer, take_failure },
		{ &object_sock, NULL, take_sock },
		{ &object_pdc, NULL, take_other_pdc },
	};
	unsigned int i, n = sizeof(dumps) / sizeof(*dumps);
	int err = 0;

	for (i = 0; !err && i < n; i++) {
		if (dumps[i].fn == take_sock && !g->n_refused_by && !g->f->self)
			continue;
		if (dumps[i].fn == take_other_pdc && !g->f->silent)
			continue;
		err = show_dump(t, dumps[i].of, dumps[i].args, dumps[i].fn, g);
		/* Some are missing or were told twice, which does no harm here */
		if (err == -EINTR)
			err = 0;
	}
	return err ? err : ask_trimming(t, g);
}

/**
 * facts_gather() - learn what there is to know about a peer
 * @t: tool
 * @peer: address of the peer
 * @seconds: time for which losses are looked on
 * @before: contexts that long ago, NULL = look on now
 * @f: set
 *
 * Return: 0 or a negative error, which was printed.
 */
int facts_gather(struct tool *t, const struct in6_addr *peer, double seconds,
		 const struct contexts *before, struct facts *f)
{
	struct gathering *g = calloc(1, sizeof(*g));
	struct args args = { .table = filter };
	int err;

	if (!g) {
		fprintf(stderr, "Error: no memory.\n");
		return -ENOMEM;
	}
	args.v[0] = (struct given){ .is = true, .addr = *peer, .plen = 128 };
	*f = (struct facts){
		.heard_ns = EXPLAIN_NEVER, .heard_others_ns = EXPLAIN_NEVER,
		.sends_ns = EXPLAIN_NEVER,
		.v4 = IN6_IS_ADDR_V4MAPPED(peer),
	};
	addr_text(peer, f->peer, sizeof(f->peer));
	g->f = f;
	g->ask = (struct route_ask){ .peer = *peer, .udp_port = UDP_PORT };
	err = gather(t, &args, g);
	if (!err)
		err = counts_look_again(t, &args, seconds, before, f);
	if (g->port_passes)
		f->port_shut_ns = 0;
	if (!err) {
		/* Of a peer that does not answer, the hops tell nothing of paths */
		if (f->n_bad >= TRACE_FEW && f->recent.losses && f->silent < 2)
			trace_bad(t, peer, g->bad, g->n_bad, g->good, g->n_good,
				  &f->router);
		take_hops(g);
		name_process(&f->reader);
		addr_text(&g->ask.own, f->own, sizeof(f->own));
		f->no_source = (f->waits[UET_WAIT_ROUTE].n || f->no_route) &&
			       !is_ours(&g->ask.own);
	}
	free(g);
	return err;
}
