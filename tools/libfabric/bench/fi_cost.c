// SPDX-License-Identifier: GPL-2.0
/*
 * What messages cost over a provider of libfabric, and over the bare sockets: two
 * endpoints of one process, which nobody has to wake up, so that in a guest whose time
 * counts instructions (tools/vm/run --icount) the time is the cost of both ends.
 *
 * usage: fi_cost PROVIDER|bare ADDRESS
 *
 * PROVIDER is as for FI_PROVIDER, "uet", "tcp;ofi_rxm" or "sockets" (which has threads
 * that move the data: who waits for it sleeps, and time in which nobody runs does not
 * count); "bare" are AF_UET sockets.
 * Prints a line of JSON for each size: ns per round trip, and per message of a stream in
 * which 64 receives are posted ahead.
 */
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>

#include "libuet.h"

#define BURST	64
#define TAG	7

struct end {
	struct fid_ep	*ep;
	struct fid_cq	*cq;
	struct fid_av	*av;
	fi_addr_t	peer;
	int		fd;
	struct sockaddr_uet to;
	char		buf[BURST][65536];
};

static struct end ends[2];
static size_t inject_max = SIZE_MAX;	/* as it turns out; hints are lower */
static bool bare;

static void check(int ret, const char *what)
{
	if (ret < 0)
		errx(1, "%s: %s", what, fi_strerror(-ret));
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

/* Of the processor, when nobody had something to do */
static double idle(void)
{
	unsigned long long user, nice, system, idle, iowait;
	FILE *stat = fopen("/proc/stat", "r");

	if (!stat || fscanf(stat, "cpu %llu %llu %llu %llu %llu", &user, &nice, &system,
			    &idle, &iowait) != 5)
		err(1, "/proc/stat");
	fclose(stat);
	return (idle + iowait) * (1e9 / sysconf(_SC_CLK_TCK));
}

static double begun, idle_then;

static void begin(void)
{
	idle_then = idle();
	begun = now();
}

/* Time since then in which the processor was busy */
static double busy(void)
{
	double passed = now() - begun;

	return passed - (idle() - idle_then);
}

/* --- libfabric --- */

/* The provider has threads that move the data */
static bool threads;

static void open_fabric(const char *provider, const char *node)
{
	struct fi_cq_attr cq_attr = { .format = FI_CQ_FORMAT_TAGGED };
	struct fi_av_attr av_attr = { .type = FI_AV_TABLE };
	struct fi_info *hints = fi_allocinfo(), *info;
	char name[2][256];
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	size_t len;
	int i;

	threads = !strcmp(provider, "sockets");
	hints->ep_attr->type = FI_EP_RDM;
	hints->caps = FI_TAGGED;
	hints->tx_attr->msg_order = FI_ORDER_SAS;
	hints->domain_attr->mr_mode = FI_MR_LOCAL;
	hints->domain_attr->threading = FI_THREAD_DOMAIN;
	hints->fabric_attr->prov_name = strdup(provider);
	check(fi_getinfo(FI_VERSION(1, 17), node, NULL, FI_SOURCE, hints, &info),
	      "fi_getinfo");
	check(fi_fabric(info->fabric_attr, &fabric, NULL), "fi_fabric");
	check(fi_domain(fabric, info, &domain, NULL), "fi_domain");
	for (i = 0; i < 2; i++) {
		check(fi_endpoint(domain, info, &ends[i].ep, NULL), "fi_endpoint");
		check(fi_av_open(domain, &av_attr, &ends[i].av, NULL), "fi_av_open");
		check(fi_cq_open(domain, &cq_attr, &ends[i].cq, NULL), "fi_cq_open");
		check(fi_ep_bind(ends[i].ep, &ends[i].av->fid, 0), "bind av");
		check(fi_ep_bind(ends[i].ep, &ends[i].cq->fid, FI_SEND | FI_RECV),
		      "bind cq");
		check(fi_enable(ends[i].ep), "fi_enable");
		len = sizeof(name[i]);
		check(fi_getname(&ends[i].ep->fid, name[i], &len), "fi_getname");
	}
	for (i = 0; i < 2; i++)
		if (fi_av_insert(ends[i].av, name[!i], 1, &ends[i].peer, 0, NULL) != 1)
			errx(1, "fi_av_insert");
}

/* Take up to @most completions. */
static int take(struct end *e, int most)
{
	struct fi_cq_tagged_entry got[BURST];
	ssize_t n = fi_cq_read(e->cq, got, most);
	int i, recvs = 0;

	if (n == -FI_EAGAIN) {
		/* There is one processor, which they need. */
		if (threads)
			nanosleep(&(struct timespec){ .tv_nsec = 1 }, NULL);
		return 0;
	}
	check(n, "fi_cq_read");
	for (i = 0; i < n; i++)
		recvs += !!(got[i].flags & FI_RECV);
	return recvs;
}

static void fabric_post(struct end *e, int n, size_t len)
{
	int ret;

	do {
		ret = fi_trecv(e->ep, e->buf[n], len, NULL, FI_ADDR_UNSPEC, TAG, 0, NULL);
		if (ret == -FI_EAGAIN)
			take(e, 0);
	} while (ret == -FI_EAGAIN);
	check(ret, "fi_trecv");
}

static void fabric_send(struct end *e, struct end *other, size_t len)
{
	int ret;

	do {
		ret = len <= inject_max ?
			fi_tinject(e->ep, e->buf[0], len, e->peer, TAG) :
			fi_tsend(e->ep, e->buf[0], len, NULL, e->peer, TAG, NULL);
		if (ret == -FI_EAGAIN) {
			take(e, 0);
			take(other, 0);
		}
		if (ret == -FI_EINVAL && len <= inject_max) {
			inject_max = len - 1;
			ret = -FI_EAGAIN;
		}
	} while (ret == -FI_EAGAIN);
	check(ret, "fi_tinject, fi_tsend");
}

/* --- bare sockets --- */

static void open_bare(const char *node)
{
	struct sockaddr_uet sa[2];
	socklen_t len;
	int i;

	for (i = 0; i < 2; i++) {
		struct libuet_sock how = {
			.type = SOCK_SEQPACKET | SOCK_NONBLOCK, .local = &sa[i],
		};
		const char *step;

		if (libuet_addr(&sa[i], node, 0, 0, 0))
			err(1, "%s", node);
		ends[i].fd = libuet_open(&how, &step);
		if (ends[i].fd < 0)
			err(1, "%s", step);
		len = sizeof(sa[i]);
		if (getsockname(ends[i].fd, (struct sockaddr *)&sa[i], &len))
			err(1, "getsockname");
	}
	for (i = 0; i < 2; i++) {
		ends[i].to = sa[!i];
		ends[i].to.suet_initiator = 0;
	}
}

static void bare_send(struct end *e, size_t len)
{
	struct libuet_attrs attrs = { .has = LIBUET_TAG, .tag = TAG };
	struct iovec iov = { e->buf[0], len };

	while (libuet_sendmsg(e->fd, &iov, 1, &e->to, &attrs, MSG_DONTWAIT) < 0)
		if (errno != EAGAIN)
			err(1, "sendmsg");
}

static int bare_recv(struct end *e, size_t len)
{
	struct libuet_attrs attrs;
	struct sockaddr_uet from;
	struct iovec iov = { e->buf[1], len };

	if (libuet_recvmsg(e->fd, &iov, 1, &from, &attrs, MSG_DONTWAIT) >= 0)
		return 1;
	if (errno != EAGAIN)
		err(1, "recvmsg");
	return 0;
}

/* --- what is measured --- */

static void half_round(struct end *from, struct end *to, size_t len)
{
	if (bare) {
		bare_send(from, len);
		while (!bare_recv(to, len))
			;
		return;
	}
	fabric_post(to, 1, len);
	fabric_send(from, to, len);
	while (!take(to, 1))
		take(from, 1);
}

static void burst(size_t len)
{
	int i, got = 0;

	if (!bare)
		for (i = 0; i < BURST; i++)
			fabric_post(&ends[1], i, len);
	for (i = 0; i < BURST; i++) {
		if (bare)
			bare_send(&ends[0], len);
		else
			fabric_send(&ends[0], &ends[1], len);
	}
	while (got < BURST) {
		got += bare ? bare_recv(&ends[1], len) : take(&ends[1], BURST);
		if (!bare)
			take(&ends[0], 1);
	}
}

static double rounds(size_t len, int n)
{
	int i;

	begin();
	for (i = 0; i < n; i++) {
		half_round(&ends[0], &ends[1], len);
		half_round(&ends[1], &ends[0], len);
	}
	return busy() / n;
}

static double stream(size_t len, int n)
{
	int i;

	begin();
	for (i = 0; i < n; i++)
		burst(len);
	return busy() / n / BURST;
}

int main(int argc, char **argv)
{
	static const size_t sizes[] = { 8, 64, 4096, 16384 };
	size_t i;

	if (argc != 3)
		errx(2, "usage: fi_cost PROVIDER|bare ADDRESS");
	bare = !strcmp(argv[1], "bare");
	if (bare)
		open_bare(argv[2]);
	else
		open_fabric(argv[1], argv[2]);
	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		rounds(sizes[i], 50);
		stream(sizes[i], 5);
		printf("{\"over\": \"%s\", \"size\": %zu, \"round_trip\": %.0f, "
		       "\"message\": %.0f}\n", argv[1], sizes[i], rounds(sizes[i], 200),
		       stream(sizes[i], 20));
		fflush(stdout);
	}
	return 0;
}
