// SPDX-License-Identifier: GPL-2.0
/*
 * "ping all-paths": a probe for each entropy value that is in use, or might be, and
 * which of them are lost or slow.
 */
#include <errno.h>
#include <linux/uet_netlink.h>
#include <net/if.h>
#include <stdlib.h>

#include "field.h"
#include "ping.h"
#include "units.h"

/* First value of the space of data, and of one with more than 16384 */
#define EV_LOW		49152
#define EV_FLOOR	32768
#define EV_MAX		65535
#define SPACE_DEFAULT	256
/* What looks bad is probed so many times more */
#define RETRIES		2
/* What was slow each time may have met a host that stood still: its best time counts */
#define RETRIES_SLOW	6

/**
 * struct paths - the values that are probed
 * @p: pinger
 * @v: values
 * @n: how many
 * @space: values of the space
 * @ports: interfaces towards the peer
 * @used: the values are those in use
 * @probes: probes under way, by place in the window
 * @rtts: least round trips of the values
 */
struct paths {
	struct pinger *p;
	struct path_value v[PING_VALUES_MAX];
	unsigned int n;
	uint32_t space;
	unsigned int ports;
	bool used;
	struct probe probes[PING_VALUES_MAX];
	struct rtts rtts;
	bool refused;
};

static const struct arg of_peer[] = {
	{ "peer", ARG_PREFIX, UET_A_FILTER_REMOTE, NULL, "the peer" },
	{ 0 }
};

static int compare(const void *a, const void *b)
{
	const struct path_value *x = a, *y = b;

	return (int)x->ev - (int)y->ev;
}

static void take_path(const struct attrs *a, void *arg)
{
	struct paths *paths = arg;
	uint32_t ev = attr_num(a, UET_A_PATH_EV);
	unsigned int i;

	for (i = 0; i < paths->n; i++)
		if (paths->v[i].ev == ev)
			return;
	if (paths->n < PING_VALUES_MAX)
		paths->v[paths->n++].ev = ev;
}

static void take_port(const struct attrs *a, void *arg)
{
	struct paths *paths = arg;

	(void)a;
	paths->ports++;
}

static void take_param(const struct attrs *a, void *arg)
{
	struct paths *paths = arg;

	paths->space = attr_num(a, UET_A_PARAM_NUMBER);
}

/* Keep @most of the values, evenly */
static void thin_out(struct paths *paths, unsigned int most)
{
	unsigned int i, n = paths->n;

	if (n <= most)
		return;
	for (i = 0; i < most; i++)
		paths->v[i] = paths->v[(uint64_t)i * n / most];
	paths->n = most;
}

/* The space as path selection has it; with several interfaces each has a part */
static void make_space(struct paths *paths, unsigned int most)
{
	uint32_t n = paths->space ? paths->space : SPACE_DEFAULT;
	uint32_t low = n > EV_MAX + 1 - EV_LOW ? EV_FLOOR : EV_LOW;
	uint32_t step = 1, i;

	if (paths->ports > 1)
		step = (EV_MAX + 1 - low) / n;
	if (n > most) {
		step *= n / most;
		n = most;
	}
	for (i = 0; i < n; i++)
		paths->v[i].ev = low + i * step;
	paths->n = n;
}

static int find_values(struct paths *paths)
{
	const struct ping_conf *conf = paths->p->conf;
	struct args args = { .table = of_peer };
	struct tool *t = paths->p->t;
	struct nlmsghdr *req;
	int err;

	if (conf->ev) {
		paths->v[0].ev = conf->ev;
		paths->n = 1;
		return 0;
	}
	args.v[0] = (struct given){ .is = true, .addr = conf->peer, .plen = 128 };
	err = show_dump(t, &object_path, &args, take_path, paths);
	if (err && err != -EINTR)
		return err;
	if (paths->n) {
		paths->used = true;
		qsort(paths->v, paths->n, sizeof(paths->v[0]), compare);
		thin_out(paths, conf->values);
		return 0;
	}
	err = show_dump(t, &object_port, &args, take_port, paths);
	if (err && err != -EINTR)
		return err;
	req = nl_request(&t->nl, UET_CMD_PARAM_GET, false);
	mnl_attr_put_strz(req, UET_A_PARAM_NAME, "entropy_size");
	err = nl_talk(&t->nl, req, take_param, paths);
	make_space(paths, conf->values);
	return err;
}

static void path_done(struct probe *probe, void *arg)
{
	struct paths *paths = arg;
	struct path_value *v = &paths->v[probe->number];

	if (probe->error == EAGAIN)
		return;
	paths->refused |= probe->error;
	v->sent++;
	v->dev = probe->dev;
	if (probe->error || probe->result != UET_PING_RESULT_ANSWERED)
		return;
	v->answered++;
	if (probe->rtt && (!v->rtt || probe->rtt < v->rtt))
		v->rtt = probe->rtt;
}

static int probe_values(struct paths *paths, bool (*wanted)(const struct path_value *v))
{
	struct pinger *p = paths->p;
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < paths->n && !pinger_stopped(); i++) {
		if (!wanted(&paths->v[i]))
			continue;
		paths->probes[i] = (struct probe){
			.number = i, .ev = paths->v[i].ev, .ttl = p->conf->ttl,
			.size = p->conf->sizes[0] == PING_SIZE_MTU ?
				p->way.mtu - p->way.headers : p->conf->sizes[0],
			.code = -1, .generation = -1, .version = -1,
		};
		err = pinger_send(p, &paths->probes[i]);
		if (paths->refused)
			break;
	}
	return err ? err : pinger_drain(p);
}

static bool any(const struct path_value *v)
{
	(void)v;
	return true;
}

/* Some of a value's probes were lost, or it looks slow: is it so? */
static bool doubtful(const struct path_value *v)
{
	return v->answered < v->sent || v->slow;
}

static void put_values(FILE *to, const char *what, const struct paths *paths,
		       bool (*wanted)(const struct path_value *v))
{
	unsigned int i, n = 0;

	for (i = 0; i < paths->n; i++)
		n += wanted(&paths->v[i]);
	if (!n)
		return;
	fprintf(to, "%s (%u):", what, n);
	for (i = 0; i < paths->n; i++)
		if (wanted(&paths->v[i]))
			fprintf(to, " %u", paths->v[i].ev);
	fputc('\n', to);
}

static bool lost(const struct path_value *v)
{
	return v->sent && !v->answered;
}

static bool lossy(const struct path_value *v)
{
	return v->answered && v->answered < v->sent;
}

static bool slow(const struct path_value *v)
{
	return v->slow;
}

static void path_json(struct out *o, const struct path_value *v, bool trace)
{
	char text[ADDR_TEXT], dev[IF_NAMESIZE] = "?";
	int behind = value_lost_behind(v);
	unsigned int i;

	out_object(o, NULL);
	out_num(o, "ev", K_NUM, v->ev, 0);
	out_str(o, "state", lost(v) ? "lost" : lossy(v) ? "lossy" :
			    v->slow ? "slow" : v->sent ? "good" : "unknown", 0);
	out_str(o, "dev", if_indextoname(v->dev, dev) ? dev : "?", 0);
	out_num(o, "sent", K_NUM, v->sent, 0);
	out_num(o, "answered", K_NUM, v->answered, 0);
	if (v->rtt)
		out_num(o, "rtt_ns", K_NS, v->rtt, 0);
	if (trace) {
		out_array(o, "hops");
		for (i = 0; i < v->n_hops; i++) {
			addr_text(&v->hops[i], text, sizeof(text));
			out_object(o, NULL);
			out_num(o, "ttl", K_NUM, i + 1, 0);
			if (!IN6_IS_ADDR_UNSPECIFIED(&v->hops[i]))
				out_str(o, "addr", text, 0);
			out_object_end(o);
		}
		out_array_end(o);
		out_num(o, "reached", K_NUM, v->reached, 0);
		if (!v->reached && behind >= 0) {
			addr_text(&v->hops[behind], text, sizeof(text));
			out_str(o, "lost_behind", text, 0);
		}
	}
	out_object_end(o);
}

static void paths_json(struct paths *paths, unsigned int answered)
{
	const struct ping_conf *conf = paths->p->conf;
	struct out *o = &paths->p->t->out;
	unsigned int i, n_lost = 0, n_slow = 0;

	for (i = 0; i < paths->n; i++) {
		n_lost += lost(&paths->v[i]);
		n_slow += paths->v[i].slow;
	}
	out_str(o, "values_are", paths->used ? "used" : "possible", 0);
	out_num(o, "values", K_NUM, paths->n, 0);
	out_num(o, "answered", K_NUM, answered, 0);
	out_num(o, "lost", K_NUM, n_lost, 0);
	out_num(o, "slow", K_NUM, n_slow, 0);
	sum_out(o, &paths->rtts);
	if (conf->quiet)
		return;
	out_array(o, "paths");
	for (i = 0; i < paths->n; i++)
		path_json(o, &paths->v[i], conf->trace);
	out_array_end(o);
}

static void paths_text(struct paths *paths, unsigned int answered)
{
	const struct ping_conf *conf = paths->p->conf;
	struct out *o = &paths->p->t->out;

	if (conf->trace)
		trace_out(o, paths->v, paths->n);
	fprintf(o->to, "--- %s: %u entropy values%s, %u answered\n", conf->name,
		paths->n, paths->used ? " in use" : "", answered);
	put_values(o->to, "lost", paths, lost);
	put_values(o->to, "lossy", paths, lossy);
	put_values(o->to, "slow", paths, slow);
	sum_out(o, &paths->rtts);
}

static int paths_end(struct paths *paths)
{
	unsigned int i, answered = 0;

	for (i = 0; i < paths->n; i++) {
		if (paths->v[i].rtt)
			rtts_add(&paths->rtts, paths->v[i].rtt);
		answered += !!paths->v[i].answered;
	}
	if (paths->p->t->out.opts->json)
		paths_json(paths, answered);
	else
		paths_text(paths, answered);
	if (paths->refused)
		return PING_ERROR;
	return answered == paths->n && answered ? PING_ANSWERED : PING_SILENT;
}

static int probe_all(struct paths *paths)
{
	const struct ping_conf *conf = paths->p->conf;
	uint64_t i, rounds = conf->count ? conf->count : 1;
	int err = 0;

	for (i = 0; !err && i < rounds; i++)
		err = probe_values(paths, any);
	values_judge(paths->v, paths->n);
	for (i = 0; !err && i < RETRIES; i++)
		err = probe_values(paths, doubtful);
	values_judge(paths->v, paths->n);
	for (i = 0; !err && i < RETRIES_SLOW; i++) {
		err = probe_values(paths, slow);
		values_judge(paths->v, paths->n);
	}
	return err;
}

/**
 * paths_run() - probe the entropy values
 * @p: pinger, the way known
 *
 * Return: exit status.
 */
int paths_run(struct pinger *p)
{
	struct paths *paths = calloc(1, sizeof(*paths));
	int err = -ENOMEM, status = PING_ERROR;
	unsigned int i;

	if (!paths) {
		usage_error("no memory");
		return PING_ERROR;
	}
	paths->p = p;
	p->done = path_done;
	p->arg = paths;
	err = find_values(paths);
	if (!err)
		err = probe_all(paths);
	if (!err && p->conf->trace && !paths->refused)
		err = trace_values(p, paths->v, paths->n);
	if (!err)
		status = paths_end(paths);
	for (i = 0; i < paths->n; i++)
		free(paths->v[i].hops);
	free(paths->rtts.at);
	free(paths);
	return status;
}
