// SPDX-License-Identifier: GPL-2.0
/*
 * uet_mpi [-d DIVISOR] [-c] [-e] [ROUNDS]: a test of MPI by any number of ranks. Every
 * byte that arrives is checked; the last line says "N ranks, M errors", and the exit
 * status is 1 if there were some.
 *
 * -d	fewer messages, and shorter ones in collective operations, by this divisor: with
 *	many ranks there are many of them anyway
 * -c	collective operations alone, which wait for nobody but whom they name
 * -e	a rank whose call fails ends by itself, with 3, and leaves the others alone
 */
#include <mpi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KIB		1024
#define MIB		(1024 * 1024)
#define SHORTS		1000
#define LONGS		50
#define LONG_SIZE	100000
#define SHOWN		10		/* errors that a rank tells */
#define FAILED		3		/* exit status with -e */

static int rank, ranks, rounds = 1, divisor = 1;
static long errors;
static const char *part = "start";

static void wrong(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void wrong(const char *fmt, ...)
{
	va_list ap;

	if (errors++ >= SHOWN)
		return;
	fprintf(stderr, "rank %d, %s: ", rank, part);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

/* Who looks at a run that hangs sees where */
static void begin(const char *name)
{
	part = name;
	if (rank)
		return;
	printf("%s\n", name);
	fflush(stdout);
}

/* --- content ---------------------------------------------------------------------- */

static uint8_t byte_at(unsigned int seed, size_t i)
{
	return (seed * 2654435761u >> 13) + i * 31 + (i >> 8) * 7;
}

static void *get(size_t len)
{
	void *p = malloc(len);

	if (!p) {
		fprintf(stderr, "rank %d: no memory\n", rank);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	return p;
}

static void *content(size_t len, unsigned int seed)
{
	uint8_t *buf = get(len + 1);
	size_t i;

	for (i = 0; i < len; i++)
		buf[i] = byte_at(seed, i);
	return buf;
}

static void *empty(size_t len)
{
	uint8_t *buf = get(len + 1);

	memset(buf, 0xee, len + 1);
	return buf;
}

static void check_bytes(const void *buf, size_t len, unsigned int seed)
{
	const uint8_t *p = buf;
	size_t i;

	for (i = 0; i < len; i++) {
		if (p[i] != byte_at(seed, i)) {
			wrong("byte %zu of %zu", i, len);
			return;
		}
	}
}

static void check_status(MPI_Status *st, int source, int tag, int len)
{
	int n = -1;

	MPI_Get_count(st, MPI_BYTE, &n);
	if (n != len || st->MPI_SOURCE != source || st->MPI_TAG != tag)
		wrong("%d bytes of tag %d from %d, not %d of %d from %d", n, st->MPI_TAG,
		      st->MPI_SOURCE, len, tag, source);
}

static void check_int(long got, long want, const char *what)
{
	if (got != want)
		wrong("%s is %ld, not %ld", what, got, want);
}

/* --- point to point ------------------------------------------------------------------ */

static const int sizes[] = {
	0, 1, 7, 64, 100, 1000, 4095, 4096, 8192, 16383, 16384, 16385, 20000, 65536, 65537, 100000,
	262144, MIB, 4 * MIB,
};

#define SIZES	((int)(sizeof(sizes) / sizeof(sizes[0])))

enum mode { PLAIN, SYNC, EXCHANGE, NONBLOCKING };

static void to_right(enum mode mode, int size, int tag)
{
	int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
	void *out = content(size, rank * 100 + tag), *in = empty(size);
	MPI_Request req[2];
	MPI_Status st[2];

	switch (mode) {
	case PLAIN:
	case SYNC:
		/* One rank receives first, or all would wait for each other */
		MPI_Irecv(in, size, MPI_BYTE, left, tag, MPI_COMM_WORLD, &req[0]);
		if (mode == SYNC)
			MPI_Ssend(out, size, MPI_BYTE, right, tag, MPI_COMM_WORLD);
		else
			MPI_Send(out, size, MPI_BYTE, right, tag, MPI_COMM_WORLD);
		MPI_Wait(&req[0], &st[0]);
		break;
	case EXCHANGE:
		MPI_Sendrecv(out, size, MPI_BYTE, right, tag, in, size, MPI_BYTE, left, tag,
			     MPI_COMM_WORLD, &st[0]);
		break;
	case NONBLOCKING:
		MPI_Isend(out, size, MPI_BYTE, right, tag, MPI_COMM_WORLD, &req[1]);
		MPI_Irecv(in, size, MPI_BYTE, left, tag, MPI_COMM_WORLD, &req[0]);
		MPI_Waitall(2, req, st);
		break;
	}
	check_status(&st[0], left, tag, size);
	check_bytes(in, size, left * 100 + tag);
	check_bytes(out, size, rank * 100 + tag);
	free(in);
	free(out);
}

static void ring(void)
{
	int i;

	begin("ring");
	for (i = 0; i < SIZES; i++) {
		if (divisor > 1 && sizes[i] > MIB)
			continue;
		to_right(PLAIN, sizes[i], i);
		to_right(SYNC, sizes[i], i);
		to_right(EXCHANGE, sizes[i], i);
		to_right(NONBLOCKING, sizes[i], i);
	}
}

/* Sent in one order and received in another, from everybody */
static void out_of_order(int n, int size)
{
	MPI_Request *req = get(sizeof(*req) * n * ranks);
	int i, r, k = 0;
	MPI_Status st;
	void **out = get(sizeof(*out) * n);

	begin(size > 16 * KIB ? "long ones out of order" : "short ones out of order");
	for (i = 0; i < n; i++)
		out[i] = content(size + i, rank * 7000 + i);
	for (i = 0; i < n; i++)
		for (r = 0; r < ranks; r++)
			if (r != rank)
				MPI_Isend(out[i], size + i, MPI_BYTE, r, i, MPI_COMM_WORLD,
					  &req[k++]);
	for (i = n; i--; ) {
		for (r = 0; r < ranks; r++) {
			void *in;

			if (r == rank)
				continue;
			in = empty(size + i);
			MPI_Recv(in, size + i, MPI_BYTE, r, i, MPI_COMM_WORLD, &st);
			check_status(&st, r, i, size + i);
			check_bytes(in, size + i, r * 7000 + i);
			free(in);
		}
	}
	MPI_Waitall(k, req, MPI_STATUSES_IGNORE);
	for (i = 0; i < n; i++)
		free(out[i]);
	free(out);
	free(req);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* Messages of one sender with one tag do not overtake each other, whatever their size */
static void no_overtaking(void)
{
	static const int of[] = { 10, 50000, 0, 16384, 16385, 200000, 1 };
	int i, r, n = 70, seen[ranks];
	MPI_Request *req = get(sizeof(*req) * n);
	void **out = get(sizeof(*out) * n), *in = empty(200000);
	MPI_Status st;

	begin("no overtaking");
	memset(seen, 0, sizeof(seen));
	if (rank) {
		for (i = 0; i < n; i++) {
			out[i] = content(of[i % 7], rank * 100 + i);
			MPI_Isend(out[i], of[i % 7], MPI_BYTE, 0, 5, MPI_COMM_WORLD, &req[i]);
		}
		MPI_Waitall(n, req, MPI_STATUSES_IGNORE);
		for (i = 0; i < n; i++)
			free(out[i]);
	} else {
		for (i = 0; i < n * (ranks - 1); i++) {
			MPI_Recv(in, 200000, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG,
				 MPI_COMM_WORLD, &st);
			r = st.MPI_SOURCE;
			check_status(&st, r, 5, of[seen[r] % 7]);
			check_bytes(in, of[seen[r] % 7], r * 100 + seen[r]);
			seen[r]++;
		}
		for (r = 1; r < ranks; r++)
			check_int(seen[r], n, "messages of a rank");
	}
	free(in);
	free(out);
	free(req);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void probed(int size, int how)
{
	MPI_Message msg;
	MPI_Status st;
	void *buf;
	int n, flag = 0;

	if (rank) {
		buf = content(size, rank);
		MPI_Send(buf, size, MPI_BYTE, 0, rank, MPI_COMM_WORLD);
		free(buf);
		return;
	}
	for (n = 1; n < ranks; n++) {
		switch (how) {
		case 0:
			MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &st);
			break;
		case 1:
			while (!flag)
				MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &st);
			flag = 0;
			break;
		case 2:
			MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &msg, &st);
			break;
		default:
			while (!flag)
				MPI_Improbe(n, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &msg, &st);
			flag = 0;
		}
		check_status(&st, st.MPI_SOURCE, st.MPI_SOURCE, size);
		buf = empty(size);
		if (how < 2)
			MPI_Recv(buf, size, MPI_BYTE, st.MPI_SOURCE, st.MPI_TAG, MPI_COMM_WORLD,
				 &st);
		else
			MPI_Mrecv(buf, size, MPI_BYTE, &msg, &st);
		check_status(&st, st.MPI_SOURCE, st.MPI_SOURCE, size);
		check_bytes(buf, size, st.MPI_SOURCE);
		free(buf);
	}
}

static void probes(void)
{
	static const int of[] = { 0, 100, 16384, 16385, 300000 };
	unsigned int i;
	int how, flag;

	begin("probes");
	for (i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		for (how = 0; how < 4; how++) {
			probed(of[i], how);
			MPI_Barrier(MPI_COMM_WORLD);
		}
	MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	check_int(flag, 0, "a message where there is none");
	/* Those of what comes next are sent behind this */
	MPI_Barrier(MPI_COMM_WORLD);
}

static void persistent(void)
{
	int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks, i;
	uint8_t *out = empty(40000), *in = empty(40000);
	MPI_Request req[2];

	begin("persistent requests");
	MPI_Send_init(out, 40000, MPI_BYTE, right, 3, MPI_COMM_WORLD, &req[0]);
	MPI_Recv_init(in, 40000, MPI_BYTE, left, 3, MPI_COMM_WORLD, &req[1]);
	for (i = 0; i < 20; i++) {
		memset(out, rank * 20 + i, 40000);
		MPI_Startall(2, req);
		MPI_Waitall(2, req, MPI_STATUSES_IGNORE);
		check_int(in[0], (uint8_t)(left * 20 + i), "the first byte");
		check_int(in[39999], (uint8_t)(left * 20 + i), "the last byte");
	}
	MPI_Request_free(&req[0]);
	MPI_Request_free(&req[1]);
	free(in);
	free(out);
}

static void cancels(void)
{
	MPI_Request req[10];
	MPI_Status st;
	int i, flag, in[10];

	begin("cancel");
	for (i = 0; i < 10; i++)
		MPI_Irecv(&in[i], 1, MPI_INT, (rank + 1) % ranks, 77, MPI_COMM_WORLD, &req[i]);
	for (i = 0; i < 10; i += 2) {
		MPI_Cancel(&req[i]);
		MPI_Wait(&req[i], &st);
		MPI_Test_cancelled(&st, &flag);
		check_int(flag, 1, "cancelled");
	}
	MPI_Barrier(MPI_COMM_WORLD);
	for (i = 0; i < 5; i++)
		MPI_Send(&i, 1, MPI_INT, (rank + ranks - 1) % ranks, 77, MPI_COMM_WORLD);
	for (i = 1; i < 10; i += 2) {
		MPI_Wait(&req[i], MPI_STATUS_IGNORE);
		check_int(in[i], i / 2, "a message after others were cancelled");
	}
}

static void datatypes(void)
{
	int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks, i;
	const int blocks = 5000;
	int *out = get(blocks * 4 * sizeof(int)), *in = get(blocks * 4 * sizeof(int));
	MPI_Datatype column, rows;

	begin("datatypes");
	for (i = 0; i < blocks * 4; i++) {
		out[i] = rank * 100000 + i;
		in[i] = -1;
	}
	/* Every fourth integer there, all in a row here, and the other way round */
	MPI_Type_vector(blocks, 1, 4, MPI_INT, &column);
	MPI_Type_commit(&column);
	MPI_Type_contiguous(blocks, MPI_INT, &rows);
	MPI_Type_commit(&rows);
	MPI_Sendrecv(out, 1, column, right, 1, in, 1, rows, left, 1, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	for (i = 0; i < blocks; i++)
		check_int(in[i], left * 100000 + 4 * i, "an integer of a column");
	for (i = 0; i < blocks * 4; i++)
		in[i] = -1;
	MPI_Sendrecv(out, 1, rows, right, 2, in, 1, column, left, 2, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	for (i = 0; i < blocks; i++) {
		check_int(in[4 * i], left * 100000 + i, "an integer of a row");
		check_int(in[4 * i + 1], -1, "what lies between");
	}
	MPI_Type_free(&column);
	MPI_Type_free(&rows);
	free(in);
	free(out);
}

/* --- collectives ------------------------------------------------------------------------ */

static void broadcasts(MPI_Comm comm, int me, int n, int len)
{
	int *buf = get((len + 1) * sizeof(int)), i, root;

	for (root = 0; root < n; root++) {
		for (i = 0; i < len; i++)
			buf[i] = me == root ? root * 1000 + i : -1;
		MPI_Bcast(buf, len, MPI_INT, root, comm);
		for (i = 0; i < len; i++)
			check_int(buf[i], root * 1000 + i, "bcast");
	}
	free(buf);
}

static void reductions(MPI_Comm comm, int me, int n, int len)
{
	long *in = get((len + 1) * sizeof(long)), *out = get((len + 1) * sizeof(long));
	long all = (long)n * (n - 1) / 2;
	int i, root;

	for (i = 0; i < len; i++)
		in[i] = me + (long)i * 3;
	for (root = 0; root < n; root += n > 1 ? n - 1 : 1) {
		memset(out, 0xff, len * sizeof(long));
		MPI_Reduce(in, out, len, MPI_LONG, MPI_SUM, root, comm);
		for (i = 0; me == root && i < len; i++)
			check_int(out[i], all + (long)i * 3 * n, "reduce");
	}
	MPI_Allreduce(in, out, len, MPI_LONG, MPI_SUM, comm);
	for (i = 0; i < len; i++)
		check_int(out[i], all + (long)i * 3 * n, "allreduce");
	MPI_Allreduce(in, out, len, MPI_LONG, MPI_MAX, comm);
	for (i = 0; i < len; i++)
		check_int(out[i], n - 1 + (long)i * 3, "allreduce of maxima");
	MPI_Scan(in, out, len, MPI_LONG, MPI_SUM, comm);
	for (i = 0; i < len; i++)
		check_int(out[i], (long)me * (me + 1) / 2 + (long)i * 3 * (me + 1), "scan");
	MPI_Exscan(in, out, len, MPI_LONG, MPI_SUM, comm);
	for (i = 0; me && i < len; i++)
		check_int(out[i], (long)me * (me - 1) / 2 + (long)i * 3 * me, "exscan");
	free(in);
	free(out);
}

static void scattered_sums(MPI_Comm comm, int me, int n, int len)
{
	long *in = get((size_t)n * (len + 1) * sizeof(long)), *out = get((len + 1) * sizeof(long));
	int *counts = get(n * sizeof(int)), i;

	for (i = 0; i < n; i++)
		counts[i] = len;
	for (i = 0; i < n * len; i++)
		in[i] = me + i;
	MPI_Reduce_scatter(in, out, counts, MPI_LONG, MPI_SUM, comm);
	for (i = 0; i < len; i++)
		check_int(out[i], (long)n * (n - 1) / 2 + (long)n * (me * len + i), "reduce_scatter");
	MPI_Reduce_scatter_block(in, out, len, MPI_LONG, MPI_SUM, comm);
	for (i = 0; i < len; i++)
		check_int(out[i], (long)n * (n - 1) / 2 + (long)n * (me * len + i),
			  "reduce_scatter_block");
	free(counts);
	free(out);
	free(in);
}

static void gathers(MPI_Comm comm, int me, int n, int len)
{
	int *own = get((len + 1) * sizeof(int)), *all = get((size_t)n * (len + 1) * sizeof(int));
	int i, root = n / 2;

	for (i = 0; i < len; i++)
		own[i] = me * len + i;
	memset(all, 0xff, (size_t)n * len * sizeof(int));
	MPI_Gather(own, len, MPI_INT, all, len, MPI_INT, root, comm);
	for (i = 0; me == root && i < n * len; i++)
		check_int(all[i], i, "gather");
	memset(all, 0xff, (size_t)n * len * sizeof(int));
	MPI_Allgather(own, len, MPI_INT, all, len, MPI_INT, comm);
	for (i = 0; i < n * len; i++)
		check_int(all[i], i, "allgather");
	memset(own, 0xff, len * sizeof(int));
	MPI_Scatter(all, len, MPI_INT, own, len, MPI_INT, root, comm);
	for (i = 0; i < len; i++)
		check_int(own[i], me * len + i, "scatter");
	free(all);
	free(own);
}

static void exchanges(MPI_Comm comm, int me, int n, int len)
{
	const size_t room = (size_t)n * (len + n) * sizeof(int);
	int *out = get(room), *in = get(room);
	int counts[4][n], i, r, at;

	for (r = 0; r < n; r++)
		for (i = 0; i < len; i++)
			out[r * len + i] = me * 10000 + r * 100 + i;
	MPI_Alltoall(out, len, MPI_INT, in, len, MPI_INT, comm);
	for (r = 0; r < n; r++)
		for (i = 0; i < len; i++)
			check_int(in[r * len + i], r * 10000 + me * 100 + i, "alltoall");
	/* To rank r go len + r, from everybody come len + me */
	for (r = 0, at = 0; r < n; r++) {
		counts[0][r] = len + r;
		counts[1][r] = at;
		at += len + r;
		counts[2][r] = len + me;
		counts[3][r] = r * (len + me);
		for (i = 0; i < len + r; i++)
			out[counts[1][r] + i] = me * 10000 + r * 100 + i;
	}
	memset(in, 0xff, room);
	MPI_Alltoallv(out, counts[0], counts[1], MPI_INT, in, counts[2], counts[3], MPI_INT, comm);
	for (r = 0; r < n; r++)
		for (i = 0; i < len + me; i++)
			check_int(in[counts[3][r] + i], r * 10000 + me * 100 + i, "alltoallv");
	free(in);
	free(out);
}

/* Several at a time, which do not wait for each other */
static void nonblocking(MPI_Comm comm, int me, int n, int len)
{
	int *cast = get((len + 1) * sizeof(int)), *own = get((len + 1) * sizeof(int)), i;
	int *all = get((size_t)n * (len + 1) * sizeof(int));
	long one = me + 1, sum = 0;
	MPI_Request req[4];

	for (i = 0; i < len; i++) {
		cast[i] = me ? -1 : i * 7;
		own[i] = me * len + i;
	}
	MPI_Ibcast(cast, len, MPI_INT, 0, comm, &req[0]);
	MPI_Iallreduce(&one, &sum, 1, MPI_LONG, MPI_SUM, comm, &req[1]);
	MPI_Iallgather(own, len, MPI_INT, all, len, MPI_INT, comm, &req[2]);
	MPI_Ibarrier(comm, &req[3]);
	MPI_Waitall(4, req, MPI_STATUSES_IGNORE);
	check_int(sum, (long)n * (n + 1) / 2, "iallreduce");
	for (i = 0; i < len; i++)
		check_int(cast[i], i * 7, "ibcast");
	for (i = 0; i < n * len; i++)
		check_int(all[i], i, "iallgather");
	free(all);
	free(own);
	free(cast);
}

static void collectives(MPI_Comm comm, const char *where)
{
	const int lens[] = { 0, 1, 3, 100, 5000 / divisor, 60000 / divisor };
	unsigned int i;
	int me, n;

	begin(where);
	MPI_Comm_rank(comm, &me);
	MPI_Comm_size(comm, &n);
	for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		MPI_Barrier(comm);
		broadcasts(comm, me, n, lens[i]);
		reductions(comm, me, n, lens[i]);
		scattered_sums(comm, me, n, lens[i]);
		gathers(comm, me, n, lens[i]);
		exchanges(comm, me, n, lens[i]);
		nonblocking(comm, me, n, lens[i]);
	}
}

/* --- communicators ------------------------------------------------------------------------ */

/* What is sent in one does not come in another, though rank and tag are alike */
static void communicators(void)
{
	MPI_Comm twin, half, back;
	int right, left, a = 1000 + rank, b = 2000 + rank, got[2] = { -1, -1 };
	MPI_Request req[2];

	begin("communicators");
	MPI_Comm_dup(MPI_COMM_WORLD, &twin);
	right = (rank + 1) % ranks;
	left = (rank + ranks - 1) % ranks;
	MPI_Irecv(&got[0], 1, MPI_INT, left, 1, MPI_COMM_WORLD, &req[0]);
	MPI_Irecv(&got[1], 1, MPI_INT, left, 1, twin, &req[1]);
	MPI_Send(&b, 1, MPI_INT, right, 1, twin);
	MPI_Send(&a, 1, MPI_INT, right, 1, MPI_COMM_WORLD);
	MPI_Waitall(2, req, MPI_STATUSES_IGNORE);
	check_int(got[0], 1000 + left, "a message of the world");
	check_int(got[1], 2000 + left, "a message of its twin");
	if (divisor == 1)
		collectives(twin, "collectives in a twin");
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	collectives(half, "collectives in halves");
	MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &back);
	collectives(back, "collectives backwards");
	MPI_Comm_free(&back);
	MPI_Comm_free(&half);
	MPI_Comm_free(&twin);
}

/* --- errors --------------------------------------------------------------------------- */

/* Not MPI_Abort(), by which the launcher ends all ranks */
static void end_alone(MPI_Comm *comm, int *code, ...)
{
	char text[MPI_MAX_ERROR_STRING] = "?";
	int len;

	(void)comm;
	MPI_Error_string(*code, text, &len);
	fprintf(stderr, "rank %d, %s: %s\n", rank, part, text);
	_exit(FAILED);
}

static void all_parts(void)
{
	ring();
	out_of_order(SHORTS / divisor, 8);
	out_of_order(LONGS / divisor, LONG_SIZE);
	no_overtaking();
	probes();
	persistent();
	cancels();
	datatypes();
	collectives(MPI_COMM_WORLD, "collectives");
	communicators();
}

static void usage(void)
{
	fprintf(stderr, "usage: uet_mpi [-d DIVISOR] [-c] [-e] [ROUNDS]\n");
	exit(2);
}

int main(int argc, char **argv)
{
	bool alone = false, only_collectives = false;
	MPI_Errhandler handler;
	long total = 0;
	int i, opt;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	while ((opt = getopt(argc, argv, "d:ce")) != -1) {
		switch (opt) {
		case 'd':
			divisor = atoi(optarg);
			break;
		case 'c':
			only_collectives = true;
			break;
		case 'e':
			alone = true;
			break;
		default:
			usage();
		}
	}
	if (divisor < 1 || divisor > LONGS)
		usage();
	if (optind < argc)
		rounds = atoi(argv[optind]);
	if (alone) {
		MPI_Comm_create_errhandler(end_alone, &handler);
		MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
	}
	for (i = 0; i < rounds; i++) {
		if (only_collectives)
			collectives(MPI_COMM_WORLD, "collectives");
		else
			all_parts();
	}
	begin("end");
	MPI_Allreduce(&errors, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	if (!rank)
		printf("%d ranks, %ld errors\n", ranks, total);
	MPI_Finalize();
	return total != 0;
}
