// SPDX-License-Identifier: GPL-2.0
/*
 * Path selection over several local interfaces ("ports"). See lb_ports.h.
 */
#include "../rate.h"
#include "lb_ports.h"

#define SHARE_ONE	BIT(16)
#define SHARE_MIN	(SHARE_ONE / 32)	/* enough to detect recovery */
#define BAD_GAIN_SHIFT	5	/* gain of the average over all ports */
#define SHARE_GAIN_SHIFT 6	/* gain of a port's difference from it */
#define SHARE_LEAK_SHIFT 8	/* return to SHARE_ONE without marks or losses */

/**
 * struct ports - state, in uet_lb.table
 * @nr: number of ports
 * @bad: average share of marks, trims and losses in all signals, 1/65536
 * @given: largest uet_lb_port.given
 * @port: the ports
 */
struct ports {
	u32 nr;
	u32 bad;
	u64 given;
	struct uet_lb_port port[UET_LB_PORTS_MAX];
};

static struct ports *ports_of(struct uet_lb *lb)
{
	return (struct ports *)lb->table;
}

static const struct ports *ports_const(const struct uet_lb *lb)
{
	return (const struct ports *)lb->table;
}

static struct uet_lb_port *ports_by_ev(struct ports *ps, u16 ev)
{
	return &ps->port[uet_lb_zone(ev) % ps->nr];
}

static u64 ports_send_ns(const struct uet_lb_port *p, u64 bytes)
{
	u32 rate = max_t(u32, ((u64)p->mbps * p->share) >> 16, 1);

	return div_u64(bytes * UET_MBPS_NS_PER_BYTE, rate);
}

/*
 * Would port @p finish sending the packet earlier than @best? Idle ports take
 * turns in proportion to their speeds.
 */
static bool ports_earlier(const struct uet_lb_port *p,
			  const struct uet_lb_port *best, u64 ns, u64 best_ns)
{
	if (p->free_at == best->free_at)
		return p->given + ns < best->given + best_ns;
	return p->free_at + ns < best->free_at + best_ns;
}

/*
 * The port that would finish sending the packet first. An idle port catches up
 * on at most one base RTT. A retransmission takes the port of its original only
 * if the other ports are later by a base RTT.
 *
 * The time of a packet is randomised by up to a factor of two, so that turns
 * are not regular: the peer answers every n-th packet, and with regular turns
 * all answers could be for packets of the same port.
 */
static struct uet_lb_port *ports_choose(struct uet_lb *lb,
					const struct uet_lb_ask *ask)
{
	struct ports *ps = ports_of(lb);
	u64 floor = ask->now - min(ask->now, ask->base_rtt);
	u64 owed = ps->given - min(ps->given, ask->base_rtt);
	struct uet_lb_port *p, *best = NULL;
	u64 ns, best_ns = 0;
	u32 i;

	for (i = 0; i < ps->nr; i++) {
		p = &ps->port[i];
		if (!p->up)
			continue;
		p->free_at = max(p->free_at, floor + p->wait_ns);
		p->given = max(p->given, owed);
		ns = ports_send_ns(p, ask->size);
		ns += (ns * uet_prng_u32(&lb->prng)) >> 32;
		if (ask->rtx && ports_by_ev(ps, ask->prev_ev) == p)
			ns += ask->base_rtt;
		if (!best || ports_earlier(p, best, ns, best_ns)) {
			best = p;
			best_ns = ns;
		}
	}
	/* No port has a carrier: the packet is lost on any of them. */
	return best ?: &ps->port[0];
}

static u16 ports_next(struct uet_lb *lb, const struct uet_lb_ask *ask, u16 *run)
{
	struct ports *ps = ports_of(lb);
	struct uet_lb_port *p = ports_choose(lb, ask);
	u16 ev = uet_lb_next(p->lb, ask, run);
	u64 ns = ports_send_ns(p, (u64)ask->size * *run);

	p->free_at += ns;
	p->given += ns;
	ps->given = max(ps->given, p->given);
	return ev;
}

/*
 * A port with more marks, trims and losses than the average of all ports loses
 * some of its share, a port with fewer gains some, until all are alike. Without
 * marks the shares return to SHARE_ONE, the speed of the link.
 */
static void ports_weigh(struct ports *ps, struct uet_lb_port *p, bool bad)
{
	s64 x = bad ? SHARE_ONE : 0, share = p->share;

	share += ((s64)ps->bad - x) * share >> (16 + SHARE_GAIN_SHIFT);
	if (!bad)
		share += ((s64)SHARE_ONE - share) >> SHARE_LEAK_SHIFT;
	p->share = (u32)clamp_t(s64, share, SHARE_MIN, SHARE_ONE);
	ps->bad = (u32)((s64)ps->bad + ((x - (s64)ps->bad) >> BAD_GAIN_SHIFT));
}

static void ports_feedback(struct uet_lb *lb, const struct uet_lb_signal *sig)
{
	struct ports *ps = ports_of(lb);
	struct uet_lb_port *p = ports_by_ev(ps, sig->ev);

	uet_lb_feedback(p->lb, sig, true);
	ports_weigh(ps, p, sig->reason != UET_LB_NO_ECN);
}

static void ports_doubt(struct uet_lb *lb, u16 ev)
{
	uet_lb_doubt(ports_by_ev(ports_of(lb), ev)->lb, ev);
}

static u32 ports_total_mbps(const struct ports *ps)
{
	u32 i, sum = 0;

	for (i = 0; i < ps->nr; i++)
		sum += ps->port[i].mbps;
	return sum;
}

/* The values of each port follow the part of the window that it carries. */
static void ports_resize(struct uet_lb *lb, u64 cwnd)
{
	struct ports *ps = ports_of(lb);
	u32 i, total = ports_total_mbps(ps);

	for (i = 0; i < ps->nr; i++) {
		struct uet_lb *of = ps->port[i].lb;
		u64 part = div_u64(cwnd * ps->port[i].mbps, total);

		uet_lb_follow_run(of, lb->unit, part);
		uet_lb_follow_window(of, part);
	}
}

static u32 ports_locate(const struct uet_lb *lb, u16 ev)
{
	const struct ports *ps = ports_const(lb);
	u32 zone = uet_lb_zone(ev), i;

	if (zone >= ps->nr)
		return U32_MAX;
	i = uet_lb_locate(ps->port[zone].lb, ev);
	return i < ps->port[zone].lb->n_max ? ps->port[zone].first + i :
					      U32_MAX;
}

/* The spaces of all ports have the same size. */
static struct uet_lb_port *ports_at(const struct uet_lb *lb, u32 *index)
{
	struct ports *ps = (struct ports *)lb->table;
	u32 each = ps->port[0].lb->n_max;
	struct uet_lb_port *p = &ps->port[*index / each];

	*index %= each;
	return p;
}

static int ports_path_down(struct uet_lb *lb, u16 ev)
{
	return uet_lb_path_down(ports_by_ev(ports_of(lb), ev)->lb, ev);
}

static int ports_path_up(struct uet_lb *lb, u16 ev)
{
	return uet_lb_path_up(ports_by_ev(ports_of(lb), ev)->lb, ev);
}

static void ports_path_get(const struct uet_lb *lb, u32 index,
			   struct uet_lb_path *path)
{
	const struct uet_lb_port *p = ports_at(lb, &index);
	struct uet_lb_live live = path->live;

	uet_lb_path_get(p->lb, index, path);
	path->live = live;
	path->down |= !p->up;
	path->bad |= !p->up;
}

static u32 ports_paths(const struct uet_lb *lb)
{
	const struct ports *ps = ports_const(lb);
	u32 i, sum = 0;

	for (i = 0; i < ps->nr; i++)
		sum += uet_lb_paths(ps->port[i].lb);
	return sum;
}

static u32 ports_bad_paths(const struct uet_lb *lb)
{
	const struct ports *ps = ports_const(lb);
	const struct uet_lb_port *p;
	u32 i, sum = 0;

	for (i = 0; i < ps->nr; i++) {
		p = &ps->port[i];
		sum += p->up ? uet_lb_bad_paths(p->lb) : uet_lb_paths(p->lb);
	}
	return sum;
}

/* Not in the table of policies: used if there are several ports. */
static const struct uet_lb_ops ports_ops = {
	.next = ports_next,
	.feedback = ports_feedback,
	.doubt = ports_doubt,
	.resize = ports_resize,
	.locate = ports_locate,
	.path_down = ports_path_down,
	.path_up = ports_path_up,
	.path_get = ports_path_get,
	.paths = ports_paths,
	.bad_paths = ports_bad_paths,
	.name = "ports",
	.aware = true,
};

static void ports_note(struct uet_lb *child, u32 note, u16 ev)
{
	uet_lb_note(child->owner, note, ev);
}

u16 uet_lb_zone_base(u32 port, u32 n, u32 random)
{
	u32 room = UET_LB_ZONE - min_t(u32, n, UET_LB_ZONE) + 1;

	return (u16)(UET_LB_UDP_LOW + port * UET_LB_ZONE +
		     (u32)(((u64)random * room) >> 32));
}

static size_t ports_child_size(const struct uet_lb_ops *ops, u32 n)
{
	return (uet_lb_mem_size(ops, n) + 7) & ~(size_t)7;
}

size_t uet_lb_ports_mem_size(const struct uet_lb_ops *ops, u32 n, u32 nr)
{
	return sizeof(struct uet_lb) + sizeof(struct ports) +
	       nr * ports_child_size(ops, n);
}

static int ports_init_one(struct uet_lb *lb, u32 i, void *mem,
			  const struct uet_lb_ops *ops,
			  const struct uet_lb_config *cfg, u32 mbps, u32 total)
{
	struct uet_lb_port *p = &ports_of(lb)->port[i];
	struct uet_lb_config c = *cfg;
	int err;

	c.seed = uet_prng_u32(&lb->prng) | (u64)uet_prng_u32(&lb->prng) << 32;
	c.span = min_t(u32, cfg->span, UET_LB_ZONE / c.n * c.n);
	c.base = uet_lb_zone_base(i, c.span ?: c.n, uet_prng_u32(&lb->prng));
	c.cwnd = div_u64(cfg->cwnd * mbps, total);
	p->lb = mem;
	err = uet_lb_init(p->lb, ops, &c);
	if (err)
		return err;
	p->lb->noted = ports_note;
	p->lb->owner = lb;
	p->first = i * cfg->n;
	p->mbps = mbps;
	p->share = SHARE_ONE;
	p->up = true;
	return 0;
}

int uet_lb_ports_init(struct uet_lb *lb, const struct uet_lb_ops *ops,
		      const struct uet_lb_config *cfg, u32 nr, const u32 *mbps)
{
	struct uet_lb_config own = {
		.seed = cfg->seed, .n = 1, .cwnd = cfg->cwnd, .mtu = cfg->mtu,
	};
	u8 *mem = lb->table + sizeof(struct ports);
	struct ports *ps = ports_of(lb);
	u64 total = 0;
	int err;
	u32 i;

	if (nr < 2 || nr > UET_LB_PORTS_MAX || cfg->n > UET_LB_ZONE ||
	    ops->ordered)
		return -EINVAL;
	for (i = 0; i < nr; i++) {
		if (!mbps[i])
			return -EINVAL;
		total += mbps[i];
	}
	if (total > U32_MAX)
		return -EINVAL;
	err = uet_lb_init(lb, &ports_ops, &own);
	if (err)
		return err;
	memset(ps, 0, sizeof(*ps));
	ps->nr = nr;
	for (i = 0; i < nr; i++) {
		err = ports_init_one(lb, i, mem, ops, cfg, mbps[i], (u32)total);
		if (err)
			return err;
		mem += ports_child_size(ops, cfg->n);
	}
	lb->n_max = nr * cfg->n;
	lb->n = lb->n_max;
	return 0;
}

u32 uet_lb_ports_nr(const struct uet_lb *lb)
{
	return lb->ops == &ports_ops ? ports_const(lb)->nr : 0;
}

const struct uet_lb_port *uet_lb_ports_get(const struct uet_lb *lb, u32 port)
{
	return &ports_const(lb)->port[port];
}

bool uet_lb_ports_tell(struct uet_lb *lb, u32 port, bool up, u64 backlog)
{
	struct uet_lb_port *p = &ports_of(lb)->port[port];
	bool changed = p->up != up;

	p->up = up;
	p->wait_ns = div_u64(min_t(u64, backlog, U32_MAX) *
			     UET_MBPS_NS_PER_BYTE, p->mbps);
	return changed;
}

const struct uet_lb_ops *uet_lb_policy(const struct uet_lb *lb)
{
	return uet_lb_ports_nr(lb) ? ports_const(lb)->port[0].lb->ops : lb->ops;
}
