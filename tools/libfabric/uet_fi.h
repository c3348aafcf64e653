/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The provider "uet" of libfabric: messages and tags over AF_UET sockets. See
 * fi_uet(7).
 *
 * An endpoint is two sockets, an ordered one for short messages and one for the data of
 * long ones (rdv.c). Receives are posted to the kernel, which matches them (recv.c); what
 * becomes of them and of sends comes by a completion queue that a domain shares with the
 * kernel (progress.c), and goes from there to the queues and counters of the program.
 *
 * All objects of a domain have one lock, uet_domain.lock; what has a rule of its own says
 * so. Calls that wait do so without it.
 */
#ifndef UET_FI_H
#define UET_FI_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_collective.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>
#include <rdma/providers/fi_log.h>
#include <rdma/providers/fi_prov.h>

#include "libuet.h"
#include "list.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Messages of up to so many bytes go at once, longer ones by a rendezvous. All endpoints
 * agree on it: receives of more are posted with room for as much.
 */
#define UET_EAGER_MAX	16384

/* Tags on the wire: what the program has, and two bits of the provider's */
#define UET_TAG_MSG	(1ULL << 63)	/* of FI_MSG; else of FI_TAGGED */
#define UET_TAG_RTS	(1ULL << 62)	/* announces a long message */
#define UET_TAG_BITS	(UET_TAG_RTS - 1)

#define UET_IOV_MAX	8

#define UET_CAPS	(FI_MSG | FI_TAGGED | FI_SEND | FI_RECV | FI_SOURCE |	\
			 FI_DIRECTED_RECV | FI_MULTI_RECV | FI_LOCAL_COMM |	\
			 FI_REMOTE_COMM)
/* Of these, what endpoints of datagrams have */
#define UET_DGRAM_CAPS	(UET_CAPS & ~FI_TAGGED)
/* Completion levels; none of them is FI_TRANSMIT_COMPLETE. */
#define UET_LEVELS	(FI_INJECT_COMPLETE | FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE)
#define UET_TX_FLAGS	(FI_COMPLETION | FI_INJECT | FI_REMOTE_CQ_DATA | FI_MORE | \
			 UET_LEVELS)
/* A flag of ours: no completion, but of an error (fi_inject()) */
#define UET_QUIET	(1ULL << 63)
#define UET_RX_FLAGS	(FI_COMPLETION | FI_MULTI_RECV | FI_MORE)

extern struct fi_provider uet_provider;

#define uet_warn(subsys, ...)	FI_WARN(&uet_provider, FI_LOG_ ## subsys, __VA_ARGS__)
#define uet_info(subsys, ...)	FI_INFO(&uet_provider, FI_LOG_ ## subsys, __VA_ARGS__)

struct uet_domain;
struct uet_ep;
struct uet_fi_op;

/* --- waiting (wait.c) ------------------------------------------------------ */

/**
 * struct uet_wait - what a queue, a counter or a wait set has to be waited for
 * @obj: FI_WAIT_NONE: nobody waits; FI_WAIT_FD
 * @fd: readable when there may be something: @event, and queues of the kernel
 * @event: an event was added
 * @set: @event is set
 * @shared: wait set that it belongs to, or NULL
 */
struct uet_wait {
	enum fi_wait_obj	obj;
	int			fd;
	int			event;
	bool			set;
	struct uet_waitset	*shared;
};

/**
 * struct uet_waitset - a wait set of the program
 * @fid: its identity
 * @wait: the object
 * @lock: of what follows
 * @members: struct uet_member.node
 */
struct uet_waitset {
	struct fid_wait		fid;
	struct uet_wait		wait;
	pthread_mutex_t		lock;
	struct list		members;
};

/**
 * struct uet_member - what waits by a wait set or a poll set
 * @node: in its list
 * @fid: queue or counter
 */
struct uet_member {
	struct list		node;
	struct fid		*fid;
};

int uet_wait_open(struct uet_wait *w, enum fi_wait_obj obj, struct fid_wait *set,
		  struct fid *user);
void uet_wait_close(struct uet_wait *w, struct fid *user);
int uet_wait_add_fd(struct uet_wait *w, int fd);
void uet_wait_signal(struct uet_wait *w);
void uet_wait_clear(struct uet_wait *w);
int uet_wait_control(struct uet_wait *w, int command, void *arg);
int uet_progress_wait(struct uet_domain *d, struct uet_wait *w, int timeout_ms);
int uet_waitset_open(struct fid_fabric *fabric, struct fi_wait_attr *attr,
		     struct fid_wait **set);
int uet_poll_open(struct fid_domain *domain, struct fi_poll_attr *attr,
		  struct fid_poll **set);
int uet_trywait(struct fid_fabric *fabric, struct fid **fids, int count);
int uet_fid_ready(struct fid *fid);

/* --- fabric, domain (fabric.c, domain.c) ------------------------------------ */

/**
 * struct uet_fabric - a fabric: all endpoints of a job
 * @fid: its identity
 * @name: its name
 * @users: domains and event queues
 */
struct uet_fabric {
	struct fid_fabric	fid;
	char			*name;
	unsigned int		users;
};

/* Operations are in blocks of so many. */
#define UET_OPS_BLOCK	256

/**
 * struct uet_domain - a domain: what shares a completion queue of the kernel
 * @fid: its identity
 * @fabric: it belongs to
 * @info: it was opened with
 * @job: of its endpoints
 * @lock: of all its objects, unless @alone
 * @alone: one thread at a time has to do with it: the program says so
 *	(FI_THREAD_DOMAIN), waits for nothing, and there is no @thread
 * @ring: completions from the kernel
 * @ops: operations: blocks of UET_OPS_BLOCK
 * @nr_ops: number of blocks
 * @free: operations in no use
 * @eps: its enabled endpoints
 * @users: objects of it
 * @fresh: endpoints have receives that the kernel was not asked to take
 * @again: something waits for room
 * @tried: when that was tried again, ms
 * @looked: when receive buffers were looked at, ms
 * @one_cpu: this host has one CPU only
 * @eq: event queue, or NULL
 * @automatic: FI_PROGRESS_AUTO
 * @threaded: there is a @thread that makes progress
 * @thread: the thread
 * @stop: event that tells it to end
 */
struct uet_domain {
	struct fid_domain	fid;
	struct uet_fabric	*fabric;
	struct fi_info		*info;
	uint32_t		job;
	pthread_mutex_t		lock;
	bool			alone;
	struct libuet_cq	ring;
	struct uet_fi_op	**ops;
	uint32_t		nr_ops;
	struct list		free;
	struct list		eps;
	unsigned int		users;
	bool			fresh;
	bool			again;
	uint64_t		tried;
	uint64_t		looked;
	bool			one_cpu;
	struct uet_eq		*eq;
	bool			automatic;
	bool			threaded;
	pthread_t		thread;
	int			stop;
};

int uet_fabric_open(struct fi_fabric_attr *attr, struct fid_fabric **fabric,
		    void *context);
int uet_domain_open(struct fid_fabric *fabric, struct fi_info *info,
		    struct fid_domain **domain, void *context);
extern struct fi_ops_mr uet_mr_ops;

/* Is it an error of the kernel that passes? */
static inline bool uet_later(int err)
{
	return err == EAGAIN || err == EINTR || err == ENOBUFS || err == ENOMEM;
}

/* Is a receive not posted, now or at all (memory that cannot be pinned, as a mapped file)?
 * What comes for it is read, and copied.
 */
static inline bool uet_unposted(int err)
{
	return uet_later(err) || err == EOPNOTSUPP;
}

static inline void uet_lock(struct uet_domain *d)
{
	if (!d->alone)
		pthread_mutex_lock(&d->lock);
}

static inline void uet_unlock(struct uet_domain *d)
{
	if (!d->alone)
		pthread_mutex_unlock(&d->lock);
}

/* --- what cannot be done (nosys.c) ------------------------------------------- */

int uet_no_bind(struct fid *fid, struct fid *bfid, uint64_t flags);
int uet_no_control(struct fid *fid, int command, void *arg);
int uet_no_ops_open(struct fid *fid, const char *name, uint64_t flags, void **ops,
		    void *context);
extern struct fi_ops_rma uet_no_rma_ops;
extern struct fi_ops_atomic uet_no_atomic_ops;
extern struct fi_ops_collective uet_no_collective_ops;

/* --- information (info.c, iface.c) ------------------------------------------- */

int uet_getinfo(uint32_t version, const char *node, const char *service, uint64_t flags,
		const struct fi_info *hints, struct fi_info **info);

#define UET_IFACE_NAME	16	/* IFNAMSIZ */

/**
 * struct uet_iface - a local address
 * @addr: the address, with the job of this process
 * @name: network interface
 */
struct uet_iface {
	struct sockaddr_uet	addr;
	char			name[UET_IFACE_NAME];
};

size_t uet_iface_dgram(const struct uet_iface *i);

int uet_ifaces(struct uet_iface **list);
int uet_job(struct libuet_sock *how, uint32_t *job);

/* --- addresses (addr.c, av.c) -------------------------------------------------- */

bool uet_addr_same(const struct sockaddr_uet *a, const struct sockaddr_uet *b);
bool uet_addr_any(const struct in6_addr *a);
bool uet_addr_fits(const struct sockaddr_uet *sa, uint32_t format, uint32_t job);
bool uet_addr_valid(const struct sockaddr_uet *sa, uint32_t format);
uint32_t uet_addr_format(uint32_t format, const struct sockaddr_uet *sa);
size_t uet_addr_size(uint32_t format);
int uet_addr_put(const struct sockaddr_uet *sa, uint32_t format, void *addr, size_t *len);
int uet_addr_get(uint32_t format, const void *addr, size_t len, uint32_t job,
		 struct sockaddr_uet *sa);
int uet_addr_resolve(const char *node, const char *service, bool numeric, uint32_t format,
		     uint32_t job, struct sockaddr_uet *sa);

/**
 * struct uet_av - address vector
 * @fid: its identity
 * @domain: it belongs to
 * @format: of the program's addresses
 * @events: inserts tell their end by an event (FI_EVENT)
 * @addr: addresses; of a removed one suet_family is 0
 * @nr: number of places
 * @holes: of these, those of removed addresses
 * @room: room for so many
 * @hash: numbers of addresses by address, plus 1; 0 = free
 * @hash_size: a power of two, more than @nr
 * @eq: events of inserts, or NULL
 * @users: endpoints
 */
struct uet_av {
	struct fid_av		fid;
	struct uet_domain	*domain;
	uint32_t		format;
	bool			events;
	struct sockaddr_uet	*addr;
	size_t			nr;
	size_t			holes;
	size_t			room;
	uint32_t		*hash;
	size_t			hash_size;
	struct uet_eq		*eq;
	unsigned int		users;
};

int uet_av_open(struct fid_domain *domain, struct fi_av_attr *attr, struct fid_av **av,
		void *context);
const struct sockaddr_uet *uet_av_get(const struct uet_av *av, fi_addr_t addr);
fi_addr_t uet_av_find(const struct uet_av *av, const struct sockaddr_uet *from);

/* --- completions (cq.c, cntr.c, eq.c) ------------------------------------------ */

/**
 * struct uet_entry - a completion that the program has not read
 * @e: as it will be read; e.err is 0 for a success
 * @from: source, or FI_ADDR_NOTAVAIL
 */
struct uet_entry {
	struct fi_cq_err_entry	e;
	fi_addr_t		from;
};

/**
 * struct uet_cq - completion queue
 * @fid: its identity
 * @domain: it belongs to
 * @format: of entries
 * @wait: how to wait for it
 * @entries: ring of completions
 * @size: of the ring, a power of two
 * @head: taken by the program
 * @tail: added
 * @promised: operations that will add one each
 * @signalled: fi_cq_signal() was called
 * @users: endpoints
 */
struct uet_cq {
	struct fid_cq		fid;
	struct uet_domain	*domain;
	enum fi_cq_format	format;
	struct uet_wait		wait;
	struct uet_entry	*entries;
	uint32_t		size;
	uint32_t		head;
	uint32_t		tail;
	uint32_t		promised;
	bool			signalled;
	unsigned int		users;
};

int uet_cq_open(struct fid_domain *domain, struct fi_cq_attr *attr, struct fid_cq **cq,
		void *context);
int uet_cq_promise(struct uet_cq *cq);
void uet_cq_release(struct uet_cq *cq);
void uet_cq_add(struct uet_cq *cq, const struct uet_entry *entry);

/**
 * struct uet_cntr - counter
 * @fid: its identity
 * @domain: it belongs to
 * @wait: how to wait for it
 * @value: successes
 * @errors: failures
 * @seen: sum of both when the program looked
 * @users: endpoints
 */
struct uet_cntr {
	struct fid_cntr		fid;
	struct uet_domain	*domain;
	struct uet_wait		wait;
	uint64_t		value;
	uint64_t		errors;
	uint64_t		seen;
	unsigned int		users;
};

int uet_cntr_open(struct fid_domain *domain, struct fi_cntr_attr *attr,
		  struct fid_cntr **cntr, void *context);
void uet_cntr_count(struct uet_cntr *cntr, bool error);

/**
 * struct uet_event - an event that the program has not read
 * @node: in uet_eq.events
 * @type: FI_AV_COMPLETE and the like
 * @err: it is an error
 * @len: bytes in @u
 * @u: the entry
 */
struct uet_event {
	struct list		node;
	uint32_t		type;
	bool			err;
	size_t			len;
	union {
		struct fi_eq_entry	entry;
		struct fi_eq_err_entry	error;
		char			data[256];
	} u;
};

/**
 * struct uet_eq - event queue
 * @fid: its identity
 * @fabric: it belongs to
 * @lock: of @events
 * @events: not read yet
 * @wait: how to wait for it
 * @users: objects that add events
 */
struct uet_eq {
	struct fid_eq		fid;
	struct uet_fabric	*fabric;
	pthread_mutex_t		lock;
	struct list		events;
	struct uet_wait		wait;
	unsigned int		users;
};

int uet_eq_open(struct fid_fabric *fabric, struct fi_eq_attr *attr, struct fid_eq **eq,
		void *context);
int uet_eq_add(struct uet_eq *eq, uint32_t type, const void *entry, size_t len, bool err);
bool uet_eq_ready(struct uet_eq *eq);

const char *uet_strerror(int prov_errno, char *buf, size_t len);

/* --- operations (op.c) --------------------------------------------------------- */

enum uet_op_kind {
	UET_FI_OP_FREE,
	UET_FI_OP_SEND,		/* a message of the program's (send.c) */
	UET_FI_OP_RECV,		/* a receive of the program's (recv.c) */
	UET_FI_OP_PULL,		/* a piece of a long message that comes (rdv.c) */
	UET_FI_OP_PUSH,		/* ... that goes */
	UET_FI_OP_CONTROL,		/* room for control messages */
};

/**
 * struct uet_fi_op - something that the kernel does
 * @node: uet_ep.sends, uet_ep.recvs, uet_fi_op.pieces, uet_domain.free
 * @queued: uet_ep.pending, uet_ep.pushes: waits until the kernel takes it
 * @kind: enum uet_op_kind
 * @index: in uet_domain.ops
 * @age: how often the place was used: tells late completions
 * @ep: endpoint
 * @context: the program's
 * @flags: of its completion
 * @want: the program wants a completion
 * @error: it has failed, errno of libfabric; it ends when nothing is under way
 * @buf: receive, piece: buffer
 * @len: message, buffer, piece: length
 * @tag: tag, without bits of the provider
 * @data: FI_REMOTE_CQ_DATA
 * @peer: destination; receive: source that is wanted
 * @left: pieces under way; of a piece: completions that are to come
 * @pieces: a long message: its pieces that are under way
 * @parent: of a piece: the message
 * @offset: of a piece: place in the message; receive: used of the buffer (FI_MULTI_RECV)
 * @key: piece: tag of its message
 */
struct uet_fi_op {
	struct list		node;
	struct list		queued;
	uint8_t			kind;
	uint32_t		index;
	uint32_t		age;
	struct uet_ep		*ep;
	void			*context;
	uint64_t		flags;
	bool			want;
	int			error;
	char			*buf;
	size_t			len;
	uint64_t		tag;
	uint64_t		data;
	struct sockaddr_uet	peer;
	uint32_t		left;
	struct list		pieces;
	struct uet_fi_op	*parent;
	size_t			offset;
	uint64_t		key;
	union {
		struct {
			struct iovec	iov[UET_IOV_MAX];
			uint32_t	iovs;
			bool		asked_all;	/* no more pieces will be asked for */
		} send;
		struct {
			uint64_t	ignore;
			bool		tagged;
			bool		multi;
			bool		any;		/* of any source */
			bool		posted;		/* the kernel has it */
			bool		met;		/* it has looked at uet_ep.unexp */
			bool		pulls;		/* a long message goes to it */
			bool		waited;		/* through a look at the peers */
			struct sockaddr_uet source;	/* of that: its socket for data */
			fi_addr_t	from;		/* of a message that came */
			uint64_t	got_tag;
			uint32_t	id;		/* its name at the source */
			size_t		total;		/* its length */
			size_t		wanted;		/* bytes that there is room for */
			size_t		asked;		/* asked for */
		} recv;
		struct {
			bool		unposted;	/* read, not posted */
			size_t		got;
			uint64_t	refused;	/* ms, when it found no room; or 0 */
		} piece;
	};
};

struct uet_fi_op *uet_op_get(struct uet_ep *ep, enum uet_op_kind kind);
void uet_op_put(struct uet_fi_op *op);
struct uet_fi_op *uet_op_find(struct uet_domain *d, uint64_t cookie);
struct uet_fi_op *uet_op_named(struct uet_domain *d, uint32_t id);
uint64_t uet_op_cookie(const struct uet_fi_op *op);
uint32_t uet_op_id(const struct uet_fi_op *op);

/* --- endpoints (ep.c) ------------------------------------------------------------ */

/**
 * struct uet_unexp - a message that came before its receive, and was taken from the kernel
 * @node: in uet_ep.unexp
 * @from: source
 * @tag: with the provider's bits
 * @data: header data
 * @has_data: there are
 * @claimed: kept for @claim
 * @claim: context of the program (FI_CLAIM)
 * @len: bytes in @bytes
 * @bytes: the message
 */
struct uet_unexp {
	struct list		node;
	struct sockaddr_uet	from;
	uint64_t		tag;
	uint64_t		data;
	bool			has_data;
	bool			claimed;
	void			*claim;
	size_t			len;
	char			bytes[];
};

/* Room for control messages: two buffers, one of which is posted at any time */
#define UET_CONTROLS	2

/**
 * struct uet_ep - endpoint
 * @fid: its identity
 * @node: in uet_domain.eps, if @enabled
 * @domain: it belongs to
 * @info: it was opened with
 * @av: addresses
 * @tx_cq, @rx_cq: completion queues, or NULL
 * @tx_cntr, @rx_cntr: counters, or NULL
 * @tx_selective, @rx_selective: only FI_COMPLETION has completions
 * @tx_flags, @rx_flags: of calls without flags
 * @local: address
 * @fd: socket of messages
 * @bulk: socket of the data of long messages, and of control messages
 * @enabled: fi_enable() was called
 * @dgram: FI_EP_DGRAM: there is no @bulk, and receives stay here
 * @min_multi: FI_OPT_MIN_MULTI_RECV
 * @sends: messages that are under way
 * @recvs: receives that have not ended
 * @pending: of these, those that the kernel does not have, in order (uet_fi_op.queued)
 * @fresh: number of receives that it was not asked to take
 * @more: the last one was to be followed by more (FI_MORE)
 * @given: number of receives that the kernel has
 * @pushes: pieces that wait for room (uet_fi_op.queued)
 * @unexp: messages that were taken from the kernel
 * @lost: peers that messages failed to reach when no operation could have the error
 * @watched: peers that receives wait for
 * @watch_at: when it is looked at them, ms of uet_now_ms()
 * @pulling: receives of long messages (uet_fi_op.queued)
 * @replies: control messages that wait for room
 * @control: buffers for control messages
 * @posted: these as operations
 * @controls: of these, those that the kernel does not have (uet_fi_op.queued)
 * @reader: the piece that is read since there is no room to post it
 * @inode: its number, which completions have
 */
struct uet_ep {
	struct fid_ep		fid;
	struct list		node;
	struct uet_domain	*domain;
	struct fi_info		*info;
	struct uet_av		*av;
	struct uet_cq		*tx_cq, *rx_cq;
	struct uet_cntr		*tx_cntr, *rx_cntr;
	bool			tx_selective, rx_selective;
	uint64_t		tx_flags, rx_flags;
	struct sockaddr_uet	local;
	int			fd;
	int			bulk;
	bool			enabled;
	bool			dgram;
	size_t			min_multi;
	struct list		sends;
	struct list		recvs;
	struct list		pending;
	uint32_t		fresh;
	bool			more;
	uint32_t		given;
	struct list		pushes;
	struct list		unexp;
	struct list		lost;
	struct list		watched;
	uint64_t		watch_at;
	struct list		pulling;
	struct list		replies;
	struct list		posted;
	struct list		controls;
	char			*control[UET_CONTROLS];
	struct uet_fi_op	*reader;
	uint32_t		inode;
};

int uet_ep_open(struct fid_domain *domain, struct fi_info *info, struct fid_ep **ep,
		void *context);
extern struct fi_ops_cm uet_cm_ops;

static inline struct uet_ep *uet_ep_of_fid(struct fid *fid)
{
	return list_item(fid, struct uet_ep, fid.fid);
}

/* --- messages (send.c, recv.c, unexp.c) --------------------------------------------- */

/* What the kernel tells of a message, or a message that was taken from it */
struct uet_arrival {
	const struct sockaddr_uet	*from;
	uint64_t			tag;
	uint64_t			data;
	bool				has_data;
	const char			*bytes;	/* NULL: they are in the buffer */
	size_t				len;	/* of the message on the wire */
	size_t				got;	/* bytes of it that are here */
};

extern struct fi_ops_msg uet_msg_ops;
extern struct fi_ops_tagged uet_tagged_ops;

ssize_t uet_send(struct uet_ep *ep, const struct iovec *iov, size_t n, fi_addr_t to,
		 uint64_t tag, uint64_t data, uint64_t flags, void *context);
void uet_send_told(struct uet_fi_op *op, const struct uet_completion *done);
void uet_send_end(struct uet_fi_op *op);

/* What a receive wants */
struct uet_wanted {
	void		*buf;
	size_t		len;
	fi_addr_t	from;
	uint64_t	tag;
	uint64_t	ignore;
	bool		tagged;
	uint64_t	flags;
	void		*context;
};

ssize_t uet_recv(struct uet_ep *ep, const struct uet_wanted *w);
struct uet_fi_op *uet_recv_begin(struct uet_ep *ep, const struct uet_wanted *w);
ssize_t uet_recv_cancel(struct uet_ep *ep, void *context);
void uet_recv_told(struct uet_fi_op *op, const struct uet_completion *done);
void uet_recv_fail(struct uet_fi_op *op, int error);
void uet_recv_end(struct uet_fi_op *op, size_t got, size_t total, int error);
void uet_recv_take(struct uet_fi_op *op, const struct uet_arrival *a);
void uet_recv_meet(struct uet_ep *ep);
void uet_recv_post_pending(struct uet_ep *ep);
void uet_recv_peer_lost(struct uet_ep *ep, const struct sockaddr_uet *peer, int error);

void uet_unexp_spill(struct uet_ep *ep);
struct uet_unexp *uet_unexp_find(struct uet_ep *ep, const struct uet_fi_op *op);
void uet_unexp_take(struct uet_unexp *u, struct uet_fi_op *op);
void uet_unexp_drop_all(struct uet_ep *ep);
ssize_t uet_unexp_peek(struct uet_ep *ep, const struct uet_wanted *w);
ssize_t uet_unexp_claimed(struct uet_ep *ep, const struct uet_wanted *w);

/* --- errors without an operation (lost.c) -------------------------------------------- */

void uet_lost_orphan(struct uet_ep *ep, const struct sockaddr_uet *peer, int error);
void uet_lost_known(struct uet_ep *ep, const struct sockaddr_uet *peer, int error);
void uet_lost_look(struct uet_ep *ep, uint64_t now);
void uet_lost_drop_all(struct uet_ep *ep);

/* --- peers that receives wait for (watch.c) ------------------------------------------- */

/* A peer that says nothing is probed so often, ms. */
#define UET_KEEPALIVE_MS	5000

void uet_watch_look(struct uet_ep *ep, uint64_t now);
void uet_watch_drop_all(struct uet_ep *ep);

/* --- long messages (rdv.c, control.c) -------------------------------------------------- */

void uet_rdv_begin(struct uet_fi_op *op, const struct uet_arrival *a);
void uet_rdv_refuse(struct uet_ep *ep, const struct uet_arrival *a);
void uet_rdv_go_on(struct uet_ep *ep);
void uet_rdv_read(struct uet_ep *ep);
void uet_rdv_peer_lost(struct uet_ep *ep, const struct sockaddr_uet *peer, int error);
void uet_pull_told(struct uet_fi_op *op, const struct uet_completion *done);
void uet_push_told(struct uet_fi_op *op, const struct uet_completion *done);
size_t uet_rts_length(uint64_t data);
uint64_t uet_rts_data(const char *bytes);

/* The longest piece of a long message */
#define UET_PIECE_MAX		(256 << 10)

/* What a control message says */
struct uet_control {
	uint32_t	type;		/* enum uet_control_type */
	uint32_t	id;		/* the message, as its source named it */
	uint64_t	key;		/* the tag that a piece is to have */
	uint64_t	offset;		/* of the piece */
	uint32_t	length;
	uint32_t	last;		/* there will be no more */
};

enum uet_control_type {
	UET_CONTROL_PULL	= 1,	/* send a piece */
	UET_CONTROL_FIN		= 2,	/* no data is wanted */
};

int uet_control_begin(struct uet_ep *ep);
void uet_control_told(struct uet_fi_op *op, const struct uet_completion *done);
int uet_control_send(struct uet_ep *ep, const struct sockaddr_uet *to,
		     const struct uet_control *c, uint64_t cookie);
void uet_control_retry(struct uet_ep *ep);
void uet_control_read(struct uet_ep *ep, const struct sockaddr_uet *from, const void *bytes,
		      size_t len);
void uet_control_end(struct uet_ep *ep);
void uet_rdv_control(struct uet_ep *ep, const struct sockaddr_uet *from,
		     const struct uet_control *c);
struct sockaddr_uet uet_bulk_addr(const struct sockaddr_uet *sa);
struct sockaddr_uet uet_main_addr(const struct sockaddr_uet *sa);

/* --- progress (progress.c) ---------------------------------------------------------- */

void uet_told(const struct uet_completion *done);
void uet_progress(struct uet_domain *d);
void uet_progress_idle(const struct uet_domain *d);
int uet_progress_begin(struct uet_domain *d);
void uet_progress_end(struct uet_domain *d);
int uet_progress_watch(struct uet_domain *d);
int uet_progress_wait_open(struct uet_domain *d, struct uet_wait *w, enum fi_wait_obj obj,
			   struct fid_wait *set, struct fid *user);
uint64_t uet_now_ms(void);

#endif /* UET_FI_H */
