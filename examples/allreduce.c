// SPDX-License-Identifier: GPL-2.0
/*
 * All-reduce on a ring: each of N processes has a vector and gets the sum of all.
 *
 *   allreduce RANK ELEMENTS ADDRESS...    addresses of all ranks, in their order
 *
 * Each process sends to its right neighbour and receives from its left one. In N-1
 * steps each gets the sum of one N-th of the vector, in N-1 more the sums of the
 * others. The sockets are ordered (SOCK_SEQPACKET), so that steps need no number.
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libuet.h>

/* Neighbours send at the same time, so no message may fill what holds it */
#define PIECE		8192		/* elements */
#define PATIENCE	600		/* times 100 ms for the others to come */

static int fd, rank, ranks;
static struct sockaddr_uet right;

static void open_socket(char **texts)
{
	struct sockaddr_uet local;
	const struct libuet_sock how = {
		.type = SOCK_SEQPACKET, .local = &local, .peer = &right,
	};
	const char *step;

	if (libuet_resolve(texts[rank], NULL, &local, 1) < 0 ||
	    libuet_resolve(texts[(rank + 1) % ranks], NULL, &right, 1) < 0)
		err(1, "address");
	fd = libuet_open(&how, &step);
	if (fd < 0)
		err(1, "%s", step);
}

/* Whether a message arrives: as long as nobody is there, it is refused */
static bool greet(void)
{
	struct uet_report rep;

	if (send(fd, "hello", 5, 0) < 0)
		err(1, "send");
	if (libuet_wait_report(fd, -1) < 0 ||
	    !libuet_next_report(fd, &rep, NULL))
		err(1, "report");
	return !rep.error;
}

/* The ring is closed when each has heard its left neighbour */
static void meet(void)
{
	char text[8];
	int on = 1, off = 0, tries;

	setsockopt(fd, SOL_UET, UET_NOTIFY, &on, sizeof(on));
	for (tries = 0; !greet(); tries++) {
		if (tries == PATIENCE)
			errx(1, "rank %d: nobody to the right", rank);
		usleep(100000);
	}
	setsockopt(fd, SOL_UET, UET_NOTIFY, &off, sizeof(off));
	if (recv(fd, text, sizeof(text), 0) != 5)
		err(1, "receive");
}

/* Where part @i of the vector begins; part @ranks begins at its end */
static size_t start(size_t elements, int i)
{
	return elements * i / ranks;
}

static void send_piece(const uint64_t *v, size_t n)
{
	if (send(fd, v, n * sizeof(*v), 0) < 0)
		err(1, "send");
}

static void receive_piece(uint64_t *v, size_t n, bool add)
{
	uint64_t got[PIECE];
	ssize_t len = n * sizeof(*v);

	if (recv(fd, got, len, MSG_WAITALL) != len)
		err(1, "receive");
	for (size_t i = 0; i < n; i++)
		v[i] = got[i] + (add ? v[i] : 0);
}

static size_t piece(size_t done, size_t n)
{
	return n - done < PIECE ? n - done : PIECE;
}

/* Part @to_right goes to the right, part @from_left comes, piece by piece */
static void exchange(uint64_t *v, size_t elements, int to_right, int from_left,
		     bool add)
{
	size_t out = start(elements, to_right);
	size_t n_out = start(elements, to_right + 1) - out, sent = 0;
	size_t in = start(elements, from_left);
	size_t n_in = start(elements, from_left + 1) - in, got = 0, n;

	while (sent < n_out || got < n_in) {
		n = piece(sent, n_out);
		if (n)
			send_piece(v + out + sent, n);
		sent += n;
		n = piece(got, n_in);
		if (n)
			receive_piece(v + in + got, n, add);
		got += n;
	}
}

static int modulo(int i)
{
	return ((i % ranks) + ranks) % ranks;
}

static void allreduce(uint64_t *v, size_t elements)
{
	for (int step = 0; step < ranks - 1; step++)
		exchange(v, elements, modulo(rank - step),
			 modulo(rank - step - 1), true);
	for (int step = 0; step < ranks - 1; step++)
		exchange(v, elements, modulo(rank + 1 - step),
			 modulo(rank - step), false);
}

static uint64_t element(uint64_t of_rank, uint64_t i)
{
	return (of_rank + 1) * 1000003 + i * i;
}

static uint64_t expected(uint64_t i)
{
	uint64_t sum = 0;

	for (int r = 0; r < ranks; r++)
		sum += element(r, i);
	return sum;
}

int main(int argc, char **argv)
{
	uint64_t *v, check = 0;
	size_t elements;

	if (argc < 5)
		errx(2, "usage: allreduce RANK ELEMENTS ADDRESS ADDRESS...");
	rank = atoi(argv[1]);
	elements = strtoul(argv[2], NULL, 0);
	ranks = argc - 3;
	v = calloc(elements, sizeof(*v));
	if (!v || rank < 0 || rank >= ranks)
		errx(2, "rank %d of %d", rank, ranks);
	for (size_t i = 0; i < elements; i++)
		v[i] = element(rank, i);
	open_socket(argv + 3);
	meet();
	allreduce(v, elements);
	for (size_t i = 0; i < elements; i++) {
		if (v[i] != expected(i))
			errx(1, "rank %d: element %zu is wrong", rank, i);
		check = check * 31 + v[i];
	}
	printf("rank %d of %d: %zu sums, check %016llx\n", rank, ranks, elements,
	       (unsigned long long)check);
	/* What is still under way goes on without the socket */
	return 0;
}
