/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What transports cost: rounds of round trips or of bulk between processes in two
 * network namespaces, over AF_UET, UDP, TCP and SCTP by the same system calls.
 */
#ifndef BENCH_ROUNDS_H
#define BENCH_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#define PEERS_MAX	256
#define FLOWS_MAX	64
#define ROUNDS_MAX	64
#define BATCH_MAX	64

/* UDP has no flow control: the receiver confirms every so many datagrams */
#define UDP_WINDOW	128
#define UDP_CONFIRM	64

enum transport { UET, UDP, TCP, SCTP, TRANSPORTS };

/* How the data of bulk gets into the socket, and out of it */
enum way { COPY, ZEROCOPY, FILE_PAGES, PIPE, WAYS };

struct options {
	enum transport	transport;
	bool		bulk;
	size_t		size;
	uint64_t	count;		/* operations per round */
	unsigned int	rounds;		/* after one that warms up */
	unsigned int	flows;		/* pairs of processes at the same time */
	unsigned int	batch;		/* messages of a system call, 0: send() and recv() */
	int		buffer;		/* what SO_SNDBUF and SO_RCVBUF read, 0: as they are */
	int		delivery;	/* of AF_UET */
	enum way	put, get;
	const char	*cc;		/* TCP congestion control */
	const char	*client_ns, *server_ns;
	const char	*client_addr;
	const char	*server_addr[PEERS_MAX];
	unsigned int	peers;		/* addresses of the server, one after the other */
};

/**
 * struct seen - what an end found, in shared memory
 * @sndbuf: SO_SNDBUF
 * @rcvbuf: SO_RCVBUF
 * @switches: how often it had to wait, in all rounds that count
 * @start: time at the start of each round (client), ns
 * @end: and at its end
 */
struct seen {
	int		sndbuf, rcvbuf;
	long		switches;
	uint64_t	start[ROUNDS_MAX], end[ROUNDS_MAX];
};

/**
 * struct end - sockets of a client or a server
 * @fd: a socket; several, one per peer, where a socket has one peer
 * @fds: how many
 * @to: where to send, if the socket is not connected
 * @len: of these addresses, 0 if it is
 */
struct end {
	int		fd[PEERS_MAX];
	unsigned int	fds;
	struct sockaddr_storage to[PEERS_MAX];
	socklen_t	len;
};

extern struct options opt;

void die(const char *what) __attribute__((noreturn));

/* sockets.c */
void end_serve(struct end *e, unsigned int flow, int wire);
void end_connect(struct end *e, unsigned int flow, int wire);
void end_note(const struct end *e, struct seen *s);

/* transfer.c */
void transfer_begin(void);
void transfer_open(int fd);
void transfer_serve(const struct end *e);
void transfer_client(const struct end *e);

#endif
