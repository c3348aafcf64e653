// SPDX-License-Identifier: GPL-2.0
/*
 * "ss": each socket with its processes, what it sends to whom and what that waits
 * for, and its oldest message.
 */
#include <errno.h>
#include <linux/uet_netlink.h>
#include <stdlib.h>
#include <string.h>

#include "field.h"
#include "msg.h"
#include "procs.h"
#include "sock.h"
#include "verbs.h"

/* More than these are not told by one request */
#define MSGS_MAX	4096

const struct arg args_ss[] = {
	{ "peer", ARG_PREFIX, UET_A_FILTER_REMOTE, NULL, "sending to these peers" },
	{ "inode", ARG_U64, UET_A_FILTER_INODE, NULL, "this socket" },
	{ "pidonfep", ARG_PID, UET_A_FILTER_PID, NULL, "its process on the fabric address" },
	{ "job", ARG_U32, UET_A_FILTER_JOB, NULL, "of this job" },
	{ "waiting", ARG_FLAG, 0, NULL, "only with data that waits" },
	{ 0 }
};

/* Copies of objects, by inode of their socket */
struct kept {
	struct item {
		uint64_t inode;
		size_t order;
		void *data;
		size_t len;
	} *of;
	size_t n, room;
	uint16_t inode_attr;
	bool no_memory;
};

static void keep(const struct attrs *a, void *arg)
{
	struct kept *k = arg;
	struct item *more;
	const char *from = NULL;
	uint16_t i;

	/* Where the attributes begin is where the first one is */
	for (i = 0; i <= ATTR_MAX; i++)
		if (a->at[i] && (!from || (const char *)a->at[i] < from))
			from = (const char *)a->at[i];
	if (!from || k->no_memory)
		return;
	if (k->n == k->room) {
		more = realloc(k->of, (k->room * 2 + 64) * sizeof(*more));
		if (!more) {
			k->no_memory = true;
			return;
		}
		k->of = more;
		k->room = k->room * 2 + 64;
	}
	k->of[k->n] = (struct item){ attr_num(a, k->inode_attr), k->n,
				     malloc(a->end - from), a->end - from };
	if (!k->of[k->n].data) {
		k->no_memory = true;
		return;
	}
	memcpy(k->of[k->n].data, from, a->end - from);
	k->n++;
}

/* Among those of a socket the order of the kernel: the oldest first */
static int by_inode(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->inode != y->inode)
		return x->inode < y->inode ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static void kept_sort(struct kept *k)
{
	if (k->n)
		qsort(k->of, k->n, sizeof(*k->of), by_inode);
}

static void kept_free(struct kept *k)
{
	size_t i;

	for (i = 0; i < k->n; i++)
		free(k->of[i].data);
	free(k->of);
}

static const struct item *kept_first(const struct kept *k, uint64_t inode)
{
	size_t from = 0, to = k->n, mid;

	while (from < to) {
		mid = from + (to - from) / 2;
		if (k->of[mid].inode < inode)
			from = mid + 1;
		else
			to = mid;
	}
	return from < k->n && k->of[from].inode == inode ? &k->of[from] : NULL;
}

static bool waits(const struct kept *dests, uint64_t inode)
{
	const struct item *i = kept_first(dests, inode);
	struct attrs a;

	for (; i && i < dests->of + dests->n && i->inode == inode; i++) {
		attrs_parse(&a, i->data, i->len);
		if (attr_num(&a, UET_A_DEST_WAIT))
			return true;
	}
	return false;
}

static void put_items(struct out *o, const struct kept *k, uint64_t inode,
		      const char *key, const struct field *fields, size_t most)
{
	const struct item *i = kept_first(k, inode);
	struct attrs a;

	out_array(o, key);
	for (; i && most-- && i < k->of + k->n && i->inode == inode; i++) {
		attrs_parse(&a, i->data, i->len);
		out_object(o, NULL);
		fields_out(o, fields, &a);
		out_object_end(o);
	}
	out_array_end(o);
}

/**
 * struct all - everything there is
 */
struct all {
	struct kept socks, dests, msgs;
	struct procs procs;
};

static void put_sock(struct out *o, const struct all *all, const struct item *s)
{
	struct attrs a;

	attrs_parse(&a, s->data, s->len);
	out_object(o, NULL);
	fields_out(o, fields_sock, &a);
	procs_out(o, &all->procs, s->inode);
	put_items(o, &all->dests, s->inode, "dest", object_dest.fields, SIZE_MAX);
	put_items(o, &all->msgs, s->inode, "oldest", fields_msg, 1);
	out_object_end(o);
}

static void put_all(struct out *o, const struct all *all,
		    const struct args *given)
{
	const struct item *s;

	out_list(o);
	for (s = all->socks.of; s < all->socks.of + all->socks.n; s++) {
		if ((args_get(given, "peer") || args_get(given, "waiting")) &&
		    !kept_first(&all->dests, s->inode))
			continue;
		if (args_get(given, "waiting") && !waits(&all->dests, s->inode))
			continue;
		put_sock(o, all, s);
	}
	out_list_end(o);
}

/* Sockets go by what they send to a peer, not by what they are connected to */
static int collect(struct tool *t, const struct args *given, struct all *all)
{
	struct args of_sock = *given;
	int err;

	of_sock.v[0].is = false;
	err = show_dump(t, &object_sock, &of_sock, keep, &all->socks);
	if (!err)
		err = show_dump(t, &object_dest, given, keep, &all->dests);
	if (!err)
		err = msg_dump(t, given, MSGS_MAX, keep, &all->msgs);
	if (!err)
		err = procs_read(&all->procs);
	if (all->socks.no_memory || all->dests.no_memory || all->msgs.no_memory)
		err = -ENOMEM;
	if (err == -ENOMEM)
		fputs("Error: no memory.\n", stderr);
	kept_sort(&all->socks);
	kept_sort(&all->dests);
	kept_sort(&all->msgs);
	return err;
}

int ss_run(struct tool *t, const struct cmd *cmd, int argc, char **argv)
{
	struct all all = {
		.socks = { .inode_attr = UET_A_SOCK_INODE },
		.dests = { .inode_attr = UET_A_DEST_INODE },
		.msgs = { .inode_attr = UET_A_MSG_INODE },
	};
	struct args given;
	int err;

	if (args_parse(&given, cmd->args, argc, argv))
		return EXIT_USAGE;
	err = collect(t, &given, &all);
	if (!err)
		put_all(&t->out, &all, &given);
	kept_free(&all.socks);
	kept_free(&all.dests);
	kept_free(&all.msgs);
	procs_free(&all.procs);
	return kernel_status(err);
}
