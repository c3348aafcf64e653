// SPDX-License-Identifier: GPL-2.0
/*
 * "monitor": events as they happen.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/uet_netlink.h>
#include <stdlib.h>
#include <string.h>

#include "field.h"
#include "names.gen.h"
#include "tick.h"
#include "units.h"
#include "verbs.h"

#define RECV_ROOM	65536

/* Lines are so far apart that tell what goes on and on */
#define REPEAT_SECONDS	1
/* So many kinds of events and peers are counted at once; others have a line each */
#define REPEATS		256
#define EVENT_ROOM	512

static const struct field fields[] = {
	{ "time", UET_A_EVENT_TIME, K_TIME, F_BARE | F_STAMP },
	{ "event", UET_A_EVENT_WHAT, K_ENUM, F_BARE, &names_what },
	{ "remote", UET_A_EVENT_REMOTE, K_PREFIX },
	{ "local", UET_A_EVENT_LOCAL, K_ADDR },
	{ "pdc", UET_A_EVENT_PDC, K_NUM },
	{ "mode", UET_A_EVENT_MODE, K_ENUM, 0, &names_mode },
	{ "ccc", UET_A_EVENT_CCC, K_NUM },
	{ "ev", UET_A_EVENT_EV, K_NUM },
	{ "dev", UET_A_EVENT_IFINDEX, K_DEV },
	{ "error", UET_A_EVENT_ERROR, K_ERRNO, F_NONZERO },
	{ "source", UET_A_EVENT_SOURCE, K_ENUM, 0, &names_report_source },
	{ "code", UET_A_EVENT_CODE, K_CODE, F_NONZERO },
	{ "inode", UET_A_EVENT_INODE, K_NUM },
	{ "job", UET_A_EVENT_JOB, K_NUM },
	{ "pidonfep", UET_A_EVENT_PID, K_NUM },
	{ "name", UET_A_EVENT_NAME, K_STR },
	{ "seq", UET_A_EVENT_SEQ, K_NUM, F_DETAILS },
	{ 0 }
};

/**
 * struct repeat - what was shown lately, and comes again
 * @count: how often since then
 * @len: bytes of @data, 0 = unused
 * @data: attributes of the last one
 * @last: the same, sorted
 */
struct repeat {
	uint32_t count;
	size_t len;
	char data[EVENT_ROOM] __attribute__((aligned(4)));
	struct attrs last;
};

/**
 * struct watch - what is watched
 * @t: tool
 * @whats: kinds of events, bits of enum uet_nl_what
 * @by_peer: only those of @peer
 * @peer: prefix
 * @plen: its length
 * @left: events to show, -1 = any number
 * @seq: number of the last event
 * @seen: there was one
 * @repeats: events that may come again; NULL if each has a line
 */
struct watch {
	struct tool *t;
	uint64_t whats;
	bool by_peer;
	struct in6_addr peer;
	uint8_t plen;
	int64_t left;
	uint32_t seq;
	bool seen;
	struct repeat *repeats;
};

static bool wanted(const struct watch *w, const struct attrs *a)
{
	uint64_t what = attr_num(a, UET_A_EVENT_WHAT);
	struct in6_addr remote;

	if (w->whats && (what > 63 || !(w->whats >> what & 1)))
		return false;
	if (!w->by_peer)
		return true;
	return attr_addr(a, UET_A_EVENT_REMOTE, &remote) &&
	       prefix_has(&w->peer, w->plen, &remote);
}

static void put_lost(struct out *o, uint32_t lost)
{
	out_object(o, NULL);
	out_str(o, "event", "lost", OUT_BARE);
	out_num(o, "count", K_NUM, lost, 0);
	out_object_end(o);
}

/* Events are numbered, so what is missing is known, whoever dropped it */
static uint32_t lost_before(struct watch *w, const struct attrs *a)
{
	uint32_t seq = attr_num(a, UET_A_EVENT_SEQ);
	uint32_t lost = attr_num(a, UET_A_EVENT_LOST);
	uint32_t gap = w->seen ? seq - w->seq - 1 : 0;

	w->seq = seq;
	w->seen = true;
	return gap > lost ? gap : lost;
}

static int put_event(struct watch *w, const struct attrs *a, uint32_t count)
{
	struct out *o = &w->t->out;

	out_object(o, NULL);
	fields_out(o, fields, a);
	if (count)
		out_num(o, "count", K_NUM, count, 0);
	out_object_end(o);
	return w->left > 0 && !--w->left ? MNL_CB_STOP : MNL_CB_OK;
}

/* Whether two events differ in numbers only, such as those of PDCs and paths */
static bool alike(const struct attrs *a, const struct attrs *b)
{
	static const uint16_t which[] = {
		UET_A_EVENT_WHAT, UET_A_EVENT_REMOTE, UET_A_EVENT_PLEN,
		UET_A_EVENT_IFINDEX, UET_A_EVENT_ERROR, UET_A_EVENT_NAME,
	};
	const struct nlattr *x, *y;
	size_t i;

	for (i = 0; i < sizeof(which) / sizeof(which[0]); i++) {
		x = a->at[which[i]];
		y = b->at[which[i]];
		if (!x != !y || (x && (x->nla_len != y->nla_len ||
				       memcmp(x, y, x->nla_len))))
			return false;
	}
	return true;
}

/* Was one like it shown in this second? It is kept, to be told at the end of that. */
static bool repeated(struct watch *w, const struct attrs *a, const void *data,
		     size_t len)
{
	struct repeat *r = NULL, *unused = NULL;
	int i;

	for (i = 0; w->repeats && i < REPEATS; i++) {
		r = &w->repeats[i];
		if (r->len && alike(&r->last, a))
			break;
		if (!r->len && !unused)
			unused = r;
	}
	if (i == REPEATS)
		r = unused;
	if (!r || len > EVENT_ROOM)
		return false;
	memcpy(r->data, data, len);
	r->len = len;
	attrs_parse(&r->last, r->data, len);
	if (r == unused)
		return false;
	r->count++;
	return true;
}

static int put_repeats(struct watch *w)
{
	int i, ret = MNL_CB_OK;
	struct repeat *r;

	for (i = 0; w->repeats && i < REPEATS && ret > MNL_CB_STOP; i++) {
		r = &w->repeats[i];
		if (r->count)
			ret = put_event(w, &r->last, r->count);
		else
			r->len = 0;
		r->count = 0;
	}
	return ret;
}

static int event(const struct nlmsghdr *nlh, void *data)
{
	struct watch *w = data;
	const void *from = mnl_nlmsg_get_payload_offset(nlh, GENL_HDRLEN);
	struct attrs a;
	uint32_t lost;
	size_t len;

	if (nlh->nlmsg_type != w->t->nl.family ||
	    mnl_nlmsg_get_payload_len(nlh) < GENL_HDRLEN)
		return MNL_CB_OK;
	len = mnl_nlmsg_get_payload_len(nlh) - GENL_HDRLEN;
	attrs_parse(&a, from, len);
	lost = lost_before(w, &a);
	if (lost)
		put_lost(&w->t->out, lost);
	if (!wanted(w, &a) || repeated(w, &a, from, len))
		return MNL_CB_OK;
	return put_event(w, &a, 0);
}

static int watch(struct watch *w)
{
	struct tick tick = { .interval = REPEAT_SECONDS };
	struct nl *nl = &w->t->nl;
	char *buf = malloc(RECV_ROOM);
	int ret = MNL_CB_OK;
	ssize_t len;

	if (!w->t->opts.details)
		w->repeats = calloc(REPEATS, sizeof(*w->repeats));
	if (!buf)
		return usage_error("no memory");
	while (ret > MNL_CB_STOP) {
		if (tick_wait(&tick, mnl_socket_get_fd(nl->sk), NULL) == TICK_DUE) {
			ret = put_repeats(w);
			if (!out_flush(&w->t->out))
				break;
			continue;
		}
		len = mnl_socket_recvfrom(nl->sk, buf, RECV_ROOM);
		/* How many, the next one tells */
		if (len < 0 && errno == ENOBUFS)
			fputs("Warning: events come faster than they are read, and some are lost.\n",
			      stderr);
		if (len < 0 && (errno == ENOBUFS || errno == EINTR))
			continue;
		ret = len < 0 ? MNL_CB_ERROR :
		      mnl_cb_run(buf, len, 0, 0, event, w);
		if (!out_flush(&w->t->out))
			break;
	}
	if (ret == MNL_CB_ERROR)
		fprintf(stderr, "Error: events: %s.\n", strerror(errno));
	free(buf);
	free(w->repeats);
	return ret == MNL_CB_ERROR ? EXIT_KERNEL : 0;
}

static int add_kind(struct watch *w, const char *word)
{
	uint64_t found = 0;
	unsigned int i;

	if (!strcmp(word, "all"))
		return 0;
	for (i = 0; i < names_what.n; i++)
		if (abbreviates(word, names_what.of[i].name))
			found |= 1ULL << i;
	/* "path" is all that begins so, as it is not one event's name */
	w->whats |= found;
	return found ? 0 : usage_error("there is no event \"%s\"", word);
}

static int parse(struct watch *w, int argc, char **argv)
{
	struct tick tick = { 0 };
	int taken;

	while (argc) {
		taken = strcmp(argv[0], "-n") ? 0 :
			tick_option(&tick, &argc, &argv);
		if (taken < 0)
			return EXIT_USAGE;
		if (taken) {
			w->left = tick.count;
			continue;
		}
		if (!strcmp(argv[0], "peer")) {
			w->by_peer = true;
			if (argc < 2 || !prefix_parse(argv[1], &w->peer, &w->plen))
				return usage_error("peer wants ADDR[/LEN]");
			argc--;
			argv++;
		} else if (add_kind(w, argv[0])) {
			return EXIT_USAGE;
		}
		argc--;
		argv++;
	}
	return 0;
}

int monitor_run(struct tool *t, const struct cmd *cmd, int argc, char **argv)
{
	struct watch w = { .t = t, .left = -1 };
	int err;

	(void)cmd;
	if (parse(&w, argc, argv))
		return EXIT_USAGE;
	err = nl_open(&t->nl);
	if (err)
		return kernel_status(err);
	err = nl_events(&t->nl);
	if (err) {
		fprintf(stderr, err == -EPERM ?
			"Error: events are of all users, which takes CAP_NET_ADMIN.\n" :
			"Error: events: %s.\n", strerror(-err));
		return EXIT_KERNEL;
	}
	return watch(&w);
}
