// SPDX-License-Identifier: GPL-2.0
/*
 * Collective operations over tagged messages of libfabric, and what they take.
 *
 * usage: fi_coll PROVIDER RANK ADDRESS,ADDRESS,... OPERATION:SIZE:ROUNDS...
 *
 * Every rank is a process; there are as many as addresses, and rank N has the Nth of them
 * with the service (PIDonFEP or port) SERVICE + N. PROVIDER is as for FI_PROVIDER: "uet",
 * "tcp;ofi_rxm", "sockets". The operations, with SIZE bytes in the buffer of each rank:
 *
 *	all-reduce	sum of 64-bit numbers: recursive doubling up to SHORT bytes if the
 *			number of ranks is a power of two, else a ring
 *	all-to-all	pairwise: as many steps as there are other ranks
 *	broadcast	from rank 0: a binomial tree up to SHORT bytes, else a chain that
 *			passes segments on
 *
 * Each is done once to begin with, and then ROUNDS times, each behind a barrier; every
 * result is checked. What the provider can inject is injected, as MPI libraries do, so
 * that nobody waits until a short message is acknowledged. A round takes as long as for
 * the rank that it takes longest for. Rank 0 prints a line of JSON for each operation:
 * median and 99th percentile, and all rounds, in nanoseconds. Who waits blocks in
 * fi_cq_sread().
 */
#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>

#define RANKS		64
#define SERVICE		2000
#define SHORT		16384	/* bytes: latency matters more than bandwidth */
#define SEGMENT		32768	/* bytes that a chain passes on at once */
#define AHEAD		8	/* segments with a receive posted, and in sending */
#define ROUNDS		100000
#define PATIENCE_MS	60000	/* for one message: something is lost */
#define RETRY_NS	10000000	/* until a rank that is not there yet is asked again */

/* The context of an operation; libfabric may want the first part for itself. */
struct op {
	struct fi_context	ctx;
	bool			done;
	int			err;
};

struct job {
	const char	*name;
	size_t		bytes;
	int		rounds;
};

static struct fid_ep *ep;
static struct fid_cq *cq;
static fi_addr_t addrs[RANKS];
static size_t inject_size;
static int me, ranks;
static uint64_t seq;		/* of operations: tags of different ones differ */
static uint64_t *in, *out, *spare;

static void check(ssize_t ret, const char *what)
{
	if (ret < 0)
		errx(1, "rank %d: %s: %s", me, what, fi_strerror(-ret));
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* --- messages ----------------------------------------------------------------------- */

/* Take completions; if there are none wait for one, @ms at most. */
static void progress(int ms)
{
	struct fi_cq_tagged_entry got[16];
	struct fi_cq_err_entry bad = { };
	ssize_t i, n = fi_cq_sread(cq, got, 16, NULL, ms);
	struct op *op;

	if (n == -FI_EAGAIN || n == -FI_EINTR)
		return;
	if (n == -FI_EAVAIL) {
		check(fi_cq_readerr(cq, &bad, 0), "fi_cq_readerr");
		op = bad.op_context;
		op->err = bad.err;
		op->done = true;
		return;
	}
	check(n, "fi_cq_sread");
	for (i = 0; i < n; i++) {
		op = got[i].op_context;
		op->done = true;
	}
}

static int finish(struct op *op)
{
	uint64_t end = now() + PATIENCE_MS * 1000000ULL;

	while (!op->done) {
		progress(PATIENCE_MS);
		if (!op->done && now() > end)
			errx(1, "rank %d: operation %llu takes more than %d ms", me,
			     (unsigned long long)seq, PATIENCE_MS);
	}
	return op->err;
}

static void finish_well(struct op *op)
{
	check(-finish(op), "a message");
}

static uint64_t tag_of(int from, unsigned int step)
{
	return (seq & 0xffffffff) << 24 | (uint64_t)from << 16 | (step & 0xffff);
}

/* One whose completion says whether it arrived */
static ssize_t post_send(struct op *op, const void *buf, size_t len, int to,
			 unsigned int step)
{
	ssize_t ret;

	*op = (struct op){ };
	while ((ret = fi_tsend(ep, buf, len, NULL, addrs[to], tag_of(me, step),
			       &op->ctx)) == -FI_EAGAIN)
		progress(1);
	return ret;
}

static void start_send(struct op *op, const void *buf, size_t len, int to, unsigned int step)
{
	ssize_t ret;

	if (len > inject_size) {
		check(post_send(op, buf, len, to, step), "fi_tsend");
		return;
	}
	*op = (struct op){ .done = true };
	while ((ret = fi_tinject(ep, buf, len, addrs[to], tag_of(me, step))) == -FI_EAGAIN)
		progress(1);
	check(ret, "fi_tinject");
}

static void post_recv(struct op *op, void *buf, size_t len, int from, unsigned int step)
{
	ssize_t ret;

	*op = (struct op){ };
	while ((ret = fi_trecv(ep, buf, len, NULL, addrs[from], tag_of(from, step), 0,
			       &op->ctx)) == -FI_EAGAIN)
		progress(1);
	check(ret, "fi_trecv");
}

static void exchange(const void *to_send, size_t sent, int to, void *room, size_t wanted,
		     int from, unsigned int step)
{
	struct op recv, send;

	post_recv(&recv, room, wanted, from, step);
	start_send(&send, to_send, sent, to, step);
	finish_well(&recv);
	finish_well(&send);
}

/* --- collective operations ------------------------------------------------------------ */

static void barrier(void)
{
	uint64_t mine = seq, theirs;
	int far, step = 0;

	for (far = 1; far < ranks; far *= 2)
		exchange(&mine, 8, (me + far) % ranks, &theirs, 8,
			 (me - far + ranks) % ranks, step++);
	seq++;
}

static void add(uint64_t *to, const uint64_t *what, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		to[i] += what[i];
}

static void doubling(size_t bytes)
{
	int bit, step = 0;

	for (bit = 1; bit < ranks; bit *= 2) {
		exchange(out, bytes, me ^ bit, spare, bytes, me ^ bit, step++);
		add(out, spare, bytes / 8);
	}
}

/* Where in a buffer of @words the part of a rank begins */
static size_t part(size_t words, int rank)
{
	return words * rank / ranks;
}

static void ring(size_t bytes)
{
	int right = (me + 1) % ranks, left = (me - 1 + ranks) % ranks;
	size_t words = bytes / 8, from, n;
	int step, give, take;

	for (step = 0; step < 2 * (ranks - 1); step++) {
		give = (me - step + 2 * ranks) % ranks;
		take = (give - 1 + ranks) % ranks;
		from = part(words, take);
		n = part(words, take + 1) - from;
		/* First sums go round, then what they came to. */
		exchange(out + part(words, give),
			 8 * (part(words, give + 1) - part(words, give)), right,
			 step < ranks - 1 ? spare : out + from, 8 * n, left, step);
		if (step < ranks - 1)
			add(out + from, spare, n);
	}
}

static void all_reduce(size_t bytes)
{
	memcpy(out, in, bytes);
	if (bytes <= SHORT && !(ranks & (ranks - 1)))
		doubling(bytes);
	else
		ring(bytes);
}

static void all_to_all(size_t bytes)
{
	size_t words = bytes / 8 / ranks;
	int step, to, from;

	memcpy(out + me * words, in + me * words, 8 * words);
	for (step = 1; step < ranks; step++) {
		to = (me + step) % ranks;
		from = (me - step + ranks) % ranks;
		exchange(in + to * words, 8 * words, to, out + from * words, 8 * words, from,
			 step);
	}
}

static void tree(size_t bytes)
{
	struct op recv, send[8];
	int bit, n = 0;

	for (bit = 1; bit < ranks && !(me & bit); bit *= 2)
		;
	if (me) {
		post_recv(&recv, out, bytes, me - bit, 0);
		finish_well(&recv);
	}
	while (bit /= 2)
		if (me + bit < ranks)
			start_send(&send[n++], out, bytes, me + bit, 0);
	while (n)
		finish_well(&send[--n]);
}

static void *segment(size_t i)
{
	return (char *)out + i * SEGMENT;
}

static size_t length(size_t i, size_t bytes)
{
	size_t rest = bytes - i * SEGMENT;

	return rest < SEGMENT ? rest : SEGMENT;
}

static void chain(size_t bytes)
{
	struct op recv[AHEAD], send[AHEAD];
	size_t n = (bytes + SEGMENT - 1) / SEGMENT, i;
	bool last = me == ranks - 1;

	for (i = 0; me && i < n && i < AHEAD; i++)
		post_recv(&recv[i], segment(i), length(i, bytes), me - 1, i);
	for (i = 0; i < n; i++) {
		if (me) {
			finish_well(&recv[i % AHEAD]);
			if (i + AHEAD < n)
				post_recv(&recv[i % AHEAD], segment(i + AHEAD),
					  length(i + AHEAD, bytes), me - 1, i + AHEAD);
		}
		if (last)
			continue;
		if (i >= AHEAD)
			finish_well(&send[i % AHEAD]);
		start_send(&send[i % AHEAD], segment(i), length(i, bytes), me + 1, i);
	}
	for (i = n > AHEAD ? n - AHEAD : 0; !last && i < n; i++)
		finish_well(&send[i % AHEAD]);
}

static void broadcast(size_t bytes)
{
	if (!me)
		memcpy(out, in, bytes);
	if (bytes <= SHORT)
		tree(bytes);
	else
		chain(bytes);
}

/* --- content ------------------------------------------------------------------------- */

/* Word @i of the buffer that a rank begins operation number @nr with */
static uint64_t word(int rank, uint64_t nr, size_t i)
{
	return (rank + 1) * 0x9e3779b97f4a7c15ULL + nr * 0x100000001b3ULL + i * 0x10001;
}

static uint64_t reduced(uint64_t nr, size_t i)
{
	uint64_t sum = 0;
	int r;

	for (r = 0; r < ranks; r++)
		sum += word(r, nr, i);
	return sum;
}

static uint64_t exchanged(uint64_t nr, size_t i, size_t words)
{
	size_t each = words / ranks;

	return word(i / each, nr, me * each + i % each);
}

static const struct kind {
	const char	*name;
	void		(*fn)(size_t bytes);
} kinds[] = {
	{ "all-reduce", all_reduce }, { "all-to-all", all_to_all },
	{ "broadcast", broadcast }, { }
};

static void fill(size_t words)
{
	size_t i;

	for (i = 0; i < words; i++)
		in[i] = word(me, seq, i);
	memset(out, 0xee, 8 * words);
}

static void verify(const struct kind *k, uint64_t nr, size_t words)
{
	uint64_t want;
	size_t i;

	for (i = 0; i < words; i++) {
		if (k->fn == all_reduce)
			want = reduced(nr, i);
		else if (k->fn == all_to_all)
			want = exchanged(nr, i, words);
		else
			want = word(0, nr, i);
		if (out[i] != want)
			errx(1, "rank %d: %s of %zu bytes: wrong content in word %zu", me,
			     k->name, 8 * words, i);
	}
}

/* --- measurement ------------------------------------------------------------------------ */

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Rank 0 gets the longest time of each round. */
static void gather(uint64_t *times, int n)
{
	uint64_t *theirs = calloc(n, sizeof(*theirs));
	struct op op;
	int r, i;

	if (!theirs)
		errx(1, "no memory");
	if (me) {
		start_send(&op, times, 8 * n, 0, 0);
		finish_well(&op);
	}
	for (r = 1; !me && r < ranks; r++) {
		post_recv(&op, theirs, 8 * n, r, 0);
		finish_well(&op);
		for (i = 0; i < n; i++)
			if (theirs[i] > times[i])
				times[i] = theirs[i];
	}
	seq++;
	free(theirs);
}

static void tell(const struct job *job, const uint64_t *times)
{
	uint64_t *sorted = malloc(8 * job->rounds);
	int i;

	if (!sorted)
		errx(1, "no memory");
	memcpy(sorted, times, 8 * job->rounds);
	qsort(sorted, job->rounds, 8, by_value);
	printf("{\"operation\": \"%s\", \"bytes\": %zu, ", job->name, job->bytes);
	printf("\"median_ns\": %llu, \"p99_ns\": %llu, \"rounds_ns\": [",
	       (unsigned long long)sorted[(job->rounds - 1) / 2],
	       (unsigned long long)sorted[(job->rounds * 99 - 1) / 100]);
	for (i = 0; i < job->rounds; i++)
		printf("%s%llu", i ? ", " : "", (unsigned long long)times[i]);
	printf("]}\n");
	fflush(stdout);
	free(sorted);
}

static void run(const struct job *job)
{
	const struct kind *k = kinds;
	uint64_t *times = calloc(job->rounds, sizeof(*times)), begin, nr;
	int i;

	if (!times)
		errx(1, "no memory");
	while (strcmp(k->name, job->name))
		k++;
	for (i = -1; i < job->rounds; i++) {
		nr = seq;
		fill(job->bytes / 8);
		barrier();
		begin = now();
		k->fn(job->bytes);
		if (i >= 0)
			times[i] = now() - begin;
		seq++;
		verify(k, nr, job->bytes / 8);
	}
	gather(times, job->rounds);
	if (!me)
		tell(job, times);
	free(times);
}

/* --- beginning and end ---------------------------------------------------------------- */

static void service_of(char *text, size_t size, int rank)
{
	snprintf(text, size, "%d", SERVICE + rank);
}

static void open_fabric(const char *provider, char **nodes)
{
	struct fi_cq_attr cq_attr = { .format = FI_CQ_FORMAT_TAGGED,
				      .wait_obj = FI_WAIT_UNSPEC };
	struct fi_av_attr av_attr = { .type = FI_AV_TABLE, .count = ranks };
	struct fi_info *hints = fi_allocinfo(), *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_av *av;
	char service[16];
	int i;

	if (!hints)
		errx(1, "no memory");
	hints->ep_attr->type = FI_EP_RDM;
	hints->caps = FI_TAGGED | FI_DIRECTED_RECV;
	hints->mode = FI_CONTEXT;
	hints->tx_attr->msg_order = FI_ORDER_SAS;
	hints->rx_attr->msg_order = FI_ORDER_SAS;
	hints->fabric_attr->prov_name = strdup(provider);
	service_of(service, sizeof(service), me);
	check(fi_getinfo(FI_VERSION(1, 17), nodes[me], service, FI_SOURCE, hints, &info),
	      "fi_getinfo");
	inject_size = info->tx_attr->inject_size;
	check(fi_fabric(info->fabric_attr, &fabric, NULL), "fi_fabric");
	check(fi_domain(fabric, info, &domain, NULL), "fi_domain");
	check(fi_endpoint(domain, info, &ep, NULL), "fi_endpoint");
	check(fi_av_open(domain, &av_attr, &av, NULL), "fi_av_open");
	check(fi_cq_open(domain, &cq_attr, &cq, NULL), "fi_cq_open");
	check(fi_ep_bind(ep, &av->fid, 0), "bind av");
	check(fi_ep_bind(ep, &cq->fid, FI_SEND | FI_RECV), "bind cq");
	check(fi_enable(ep), "fi_enable");
	for (i = 0; i < ranks; i++) {
		service_of(service, sizeof(service), i);
		if (fi_av_insertsvc(av, nodes[i], service, &addrs[i], 0, NULL) != 1)
			errx(1, "fi_av_insertsvc: %s", nodes[i]);
	}
}

/* Nobody goes on before all have an endpoint; rank 0 is asked until it has one. */
static void meet(void)
{
	const struct timespec pause = { .tv_nsec = RETRY_NS };
	int r, tries = PATIENCE_MS / (RETRY_NS / 1000000);
	uint64_t hello = 0;
	struct op op;

	/* Some providers say it at once that nobody is there, others later. */
	while (me && (post_send(&op, &hello, 8, 0, 0) || finish(&op))) {
		if (!tries--)
			errx(1, "rank %d: there is no rank 0", me);
		nanosleep(&pause, NULL);
	}
	for (r = 1; !me && r < ranks; r++) {
		post_recv(&op, &hello, 8, r, 0);
		finish_well(&op);
	}
	for (r = 1; !me && r < ranks; r++) {
		start_send(&op, &hello, 8, r, 1);
		finish_well(&op);
	}
	if (me) {
		post_recv(&op, &hello, 8, 0, 1);
		finish_well(&op);
	}
	seq++;
}

static void read_job(struct job *job, char *text)
{
	const struct kind *k = kinds;
	char *bytes, *rounds, *end;

	job->name = strtok_r(text, ":", &end);
	bytes = strtok_r(NULL, ":", &end);
	rounds = strtok_r(NULL, ":", &end);
	while (job->name && k->name && strcmp(k->name, job->name))
		k++;
	if (!rounds || !k->name)
		errx(2, "not OPERATION:SIZE:ROUNDS: %s", text);
	job->bytes = strtoul(bytes, NULL, 10);
	job->rounds = strtol(rounds, NULL, 10);
	if (!job->bytes || job->bytes % 8 || job->rounds < 1 || job->rounds > ROUNDS)
		errx(2, "%s: words of 8 bytes, and from 1 to %d rounds", k->name, ROUNDS);
	if (k->fn == all_to_all && job->bytes % (8 * ranks))
		errx(2, "%s: 8 bytes for each rank, or a multiple of it", k->name);
}

static uint64_t *buffer(size_t bytes)
{
	uint64_t *p = malloc(bytes);

	if (!p)
		errx(1, "no memory");
	return p;
}

int main(int argc, char **argv)
{
	char *nodes[RANKS], *save, *node;
	struct job *jobs;
	size_t most = 0;
	int i, n = argc - 4;

	if (n < 1)
		errx(2, "usage: fi_coll PROVIDER RANK ADDRESS,... OPERATION:SIZE:ROUNDS...");
	for (node = strtok_r(argv[3], ",", &save); node; node = strtok_r(NULL, ",", &save)) {
		if (ranks == RANKS)
			errx(2, "more than %d ranks", RANKS);
		nodes[ranks++] = node;
	}
	me = atoi(argv[2]);
	if (me < 0 || me >= ranks || ranks < 2)
		errx(2, "rank %s of %d", argv[2], ranks);
	jobs = calloc(n, sizeof(*jobs));
	if (!jobs)
		errx(1, "no memory");
	for (i = 0; i < n; i++) {
		read_job(&jobs[i], argv[4 + i]);
		if (jobs[i].bytes > most)
			most = jobs[i].bytes;
	}
	in = buffer(most);
	out = buffer(most);
	spare = buffer(most);
	open_fabric(argv[1], nodes);
	meet();
	for (i = 0; i < n; i++)
		run(&jobs[i]);
	barrier();
	fi_close(&ep->fid);
	return 0;
}
