/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Ultra Ethernet Transport sockets (AF_UET): addresses, socket options and
 * control messages. See Documentation/networking/uet.rst.
 */
#ifndef _UAPI_LINUX_UET_H
#define _UAPI_LINUX_UET_H

#include <linux/types.h>
#include <linux/socket.h>
#include <linux/in6.h>

/*
 * The kernel has not assigned an address family to UET. 25 is AF_WANPIPE, which
 * was never implemented; the module parameter "family" selects another one.
 */
#ifndef AF_UET
#define AF_UET			25
#define PF_UET			AF_UET
#endif

#define SOL_UET			300
#define UETPROTO_UET		1

/* UDP destination port of UET, both directions */
#define UET_UDP_PORT		4793

#define UET_JOB_MAX		0xffffff	/* 24 bits */
#define UET_PID_MAX		0xfff		/* PIDonFEP, 12 bits */
#define UET_RI_MAX		0xfff		/* resource index, 12 bits */
#define UET_MSG_MAX		0xfffffffeU	/* longest message, bytes */

/* suet_flags */
#define UET_ADDR_ABSOLUTE	0x0001	/* PIDonFEP is absolute on the FEP */
#define UET_ADDR_PID_ZERO	0x0002	/* at bind(): PIDonFEP 0 itself is meant */

/**
 * struct sockaddr_uet - address of a UET endpoint, host byte order
 * @suet_family: AF_UET
 * @suet_flags: UET_ADDR_ABSOLUTE (else relative to the job), UET_ADDR_PID_ZERO
 * @suet_job: job id, 0 to UET_JOB_MAX; job 0 is open to everyone
 * @suet_pid: PIDonFEP, 0 to UET_PID_MAX; 0 at bind() selects a free one,
 *	unless UET_ADDR_PID_ZERO is set
 * @suet_ri: resource index, 0 to UET_RI_MAX
 * @suet_initiator: initiator ID. At bind(): 0 derives it from PIDonFEP and
 *	resource index, other values must be at least 2^24. In a source
 *	address: the sender's.
 * @suet_scope_id: interface index for link-local fabric addresses
 * @suet_reserved: must be zero
 * @suet_addr: fabric address; IPv4 as v4-mapped; all zero at bind() means
 *	any local address
 */
struct sockaddr_uet {
	__kernel_sa_family_t	suet_family;
	__u16			suet_flags;
	__u32			suet_job;
	__u16			suet_pid;
	__u16			suet_ri;
	__u32			suet_initiator;
	__u32			suet_scope_id;
	__u32			suet_reserved;
	struct in6_addr		suet_addr;
};

/* Socket options, level SOL_UET */
#define UET_DELIVERY		1	/* int: enum uet_delivery */
#define UET_CC			2	/* string: congestion control by name */
#define UET_PATH_POLICY		3	/* string: path policy by name */
#define UET_NOTIFY		4	/* int: enum uet_notify */
#define UET_TRAFFIC_CLASS	5	/* int: DSCP of requests, 0 to 63 */
#define UET_JOB_ID		6	/* __u32: enter a job, CAP_NET_ADMIN */
#define UET_JOB_FROM		7	/* int: fd of a socket in the job */
#define UET_WRITABLE		8	/* struct sockaddr_uet[], read only: which
					 * destinations take more after EAGAIN
					 */
#define UET_MAX_MSG		9	/* __u32: longest accepted message */
#define UET_INFO		10	/* struct uet_info, read only */
#define UET_WATCH		11	/* struct uet_watch_req: watch an endpoint */
#define UET_SEND_TIMEOUT	12	/* __u32: ms a message may take, 0 = no limit */
#define UET_CANCEL		13	/* __u64 or struct uet_cancel: cancel by cookie */
#define UET_PEER_EVENTS		14	/* int: report peers that are lost */
#define UET_KEEPALIVE_IDLE	15	/* __u32: ms of silence before a probe */
#define UET_KEEPALIVE_INTERVAL	16	/* __u32: ms between probes, 0 = as IDLE */
#define UET_KEEPALIVE_TIMEOUT	17	/* __u32: ms a probe may take */
#define UET_ZEROCOPY		18	/* int: SO_ZEROCOPY, also where kernels refuse it */
#define UET_WINDOW		19	/* struct uet_window: take writes to it */
#define UET_DEFER		20	/* __u32: messages of so many bytes may be
					 * deferred, 0 = none
					 */
#define UET_CQ			23	/* int: fd of a completion queue */
#define UET_PKTINFO		25	/* int: tell UET_CMSG_PKTINFO of messages */

/* Bit of a memory key: writes with it may be carried out more than once */
#define UET_KEY_IDEMPOTENT	(1ULL << 63)

/**
 * struct uet_window - what others may write to (UET_WINDOW)
 * @key: key that a write must have, with UET_KEY_IDEMPOTENT; 0 with @length 0
 * @length: size, bytes; 0 ends the window
 *
 * The socket gets each packet of a write (UET_RUDI) within the window as a message of
 * its own, with its place (UET_CMSG_WRITE); in any order, and maybe more than once. The
 * kernel keeps no memory of the window: what it is made of is up to the program. A
 * socket has one window; those who know the key may write. Errors: EINVAL.
 */
struct uet_window {
	__u64	key;
	__u64	length;
};

/**
 * struct uet_watch_req - a destination to watch (UET_WATCH), write only
 * @peer: the endpoint
 * @cookie: names the watch in its reports (uet_report.cookie)
 * @interval: ms from one probe to the next, UET_WATCH_MS_MIN to
 *	UET_WATCH_MS_MAX; 0 ends the watch of @peer
 * @timeout: ms that a probe may stay unanswered, in the same range; 0 uses
 *	net.uet.peer_timeout_s
 * @reserved: must be zero
 *
 * A second watch of the same endpoint replaces the first. When the endpoint is
 * found unreachable, the socket gets a report (UET_REPORT_WATCH) with the cause;
 * another one each time the cause changes, and one with error 0 when the endpoint
 * is reachable again. The watch lasts until it is ended or the socket is closed.
 * Errors: EINVAL (invalid field), errors of bind(), address errors of sendmsg(),
 * ENOENT (no such watch to end), ENOBUFS (UET_WATCH_MAX, net.core.optmem_max or
 * memory).
 */
struct uet_watch_req {
	struct sockaddr_uet	peer;
	__u64			cookie;
	__u32			interval;
	__u32			timeout;
	__u32			reserved[2];
};

#define UET_WATCH_MAX		256	/* watches of one socket */
#define UET_WATCH_MS_MIN	10
#define UET_WATCH_MS_MAX	3600000

/*
 * UET_PEER_EVENTS: the socket gets a report (UET_REPORT_PEER) when an endpoint is
 * lost that it sent to or received from and that was heard before, with the cause,
 * and one with error 0 when the endpoint is heard again. With SO_KEEPALIVE endpoints
 * that are silent for UET_KEEPALIVE_IDLE are probed; times are UET_WATCH_MS_MIN to
 * UET_WATCH_MS_MAX ms. UET_KEEPALIVE_INTERVAL 0 is UET_KEEPALIVE_IDLE and
 * UET_KEEPALIVE_TIMEOUT 0 net.uet.peer_timeout_s. Errors: EINVAL, ENOBUFS (memory).
 */
#define UET_PEERS_MAX		4096	/* endpoints of one socket */
#define UET_KEEPALIVE_IDLE_MS	60000	/* default of UET_KEEPALIVE_IDLE */

/* Delivery modes, for UET_DELIVERY and UET_CMSG_DELIVERY */
enum uet_delivery {
	UET_DELIVERY_DEFAULT	= 0,	/* by socket type */
	UET_RUD			= 1,	/* reliable, unordered */
	UET_ROD			= 2,	/* reliable, ordered */
	UET_RUDI		= 3,	/* reliable, idempotent operations */
	UET_UUD			= 4,	/* unreliable, unordered */
};

/* Which messages are reported when they arrived, for UET_NOTIFY; failures always are */
enum uet_notify {
	UET_NOTIFY_NONE		= 0,	/* no message */
	UET_NOTIFY_ALL		= 1,	/* all messages */
	UET_NOTIFY_NAMED	= 2,	/* those with UET_CMSG_COOKIE */
};

/* Control messages, level SOL_UET */
#define UET_CMSG_COOKIE		1	/* __u64, send: names the message in reports */
#define UET_CMSG_HEADER_DATA	2	/* __u64, both: header data */
#define UET_CMSG_TAG		3	/* __u64, both: match bits */
#define UET_CMSG_DELIVERY	4	/* int, send: enum uet_delivery */
#define UET_CMSG_TCLASS		5	/* int, send: DSCP, 0 to 63 */
#define UET_CMSG_MSG_INFO	6	/* struct uet_msg_info, receive */
#define UET_CMSG_REPORT		7	/* struct uet_report, MSG_ERRQUEUE */
#define UET_CMSG_TIMEOUT	10	/* __u32, send: as UET_SEND_TIMEOUT, one message */
#define UET_CMSG_WRITE		11	/* struct uet_write, both: place in a window */
#define UET_CMSG_DEFER		12	/* int, send: 1 it may be deferred, 0 it may not */
#define UET_CMSG_PKTINFO	13	/* struct uet_pktinfo, both: own address */
#define UET_CMSG_ERR		8	/* struct sock_extended_err, followed by the
					 * peer's struct sockaddr_uet, MSG_ERRQUEUE
					 */

/**
 * struct uet_write - place of a write in a window (UET_CMSG_WRITE)
 * @key: key of the window, with UET_KEY_IDEMPOTENT
 * @offset: where the data begins, bytes; on receipt that of the first byte of this read
 *
 * With each message of the mode UET_RUDI, and with no other.
 */
struct uet_write {
	__u64	key;
	__u64	offset;
};

/**
 * struct uet_pktinfo - the address of this host (UET_CMSG_PKTINFO)
 * @addr: fabric address; IPv4 as v4-mapped. On receipt that to which the message was
 *	sent; on send that to send it from, all zero leaves the choice to the routes
 * @ifindex: on receipt the interface by which its first packet came. On send that of a
 *	link-local @addr, 0 is that of the destination; else without a meaning, so that
 *	an answer may have what its question came with
 * @reserved: zero
 */
struct uet_pktinfo {
	struct in6_addr	addr;
	__u32		ifindex;
	__u32		reserved;
};

/**
 * struct uet_msg_info - properties of a received message (UET_CMSG_MSG_INFO)
 * @length: length of the whole message in bytes
 * @offset: offset in the message of the first byte of this read
 * @msg_id: message id on the wire
 * @opcode: SES opcode
 * @delivery: enum uet_delivery it came by
 * @ce: a packet of it was marked Congestion Experienced
 * @replyable: the sender's host is known to make initiator ids of PIDonFEP and resource
 *	index, as this module does, so that the source address leads back; else it may
 *	name nobody, or somebody else
 * @reserved: zero
 */
struct uet_msg_info {
	__u32	length;
	__u32	offset;
	__u16	msg_id;
	__u8	opcode;
	__u8	delivery;
	__u8	ce;
	__u8	replyable;
	__u8	reserved[2];
};

/* ee_origin of reports on the error queue */
#define SO_EE_ORIGIN_UET	25

enum uet_report_type {
	UET_REPORT_FAILED	= 1,	/* message @cookie failed */
	UET_REPORT_DELIVERED	= 2,	/* messages @cookie to @cookie_last arrived */
	UET_REPORT_WATCH	= 3,	/* watched endpoint: @error is its state */
	UET_REPORT_PEER		= 4,	/* peer was lost; @error 0: heard again */
};

/* uet_report.source: meaning of uet_report.code */
enum uet_report_source {
	UET_REPORT_LOCAL	= 0,	/* detected by this host, code is 0 */
	UET_REPORT_SES		= 1,	/* code is an SES return code */
	UET_REPORT_NACK		= 2,	/* code is a PDS NACK code */
	UET_REPORT_ICMP		= 3,	/* code is the ICMP type << 8 | code */
};

/**
 * struct uet_report - delivery result (UET_CMSG_REPORT)
 * @error: errno of a failure; 0 for a success, or if a watched endpoint or a peer
 *	is reachable again
 * @type: enum uet_report_type
 * @source: enum uet_report_source
 * @code: meaning depends on @source
 * @cookie: cookie of the message (UET_CMSG_COOKIE), else the number of
 *	messages sent by the socket before it; or cookie of the watch; 0 for a
 *	peer
 * @cookie_last: last cookie of a coalesced range of successes
 * @length: length of the message
 * @reserved: zero
 *
 * msg_name holds the address of the peer.
 */
struct uet_report {
	__u32	error;
	__u8	type;
	__u8	source;
	__u16	code;
	__u64	cookie;
	__u64	cookie_last;
	__u32	length;
	__u32	reserved;
};

enum uet_opcode {
	UET_OP_SEND	= 1,	/* send a message without a tag */
	UET_OP_TSEND	= 2,	/* ... with a tag */
	UET_OP_RECV	= 3,	/* receive a message without a tag */
	UET_OP_TRECV	= 4,	/* ... with a tag */
};

/* uet_op.flags */
#define UET_OP_MULTI	0x0002	/* RECV: many messages, one behind the other */
#define UET_OP_PEEK	0x0004	/* RECV: only tell of a message that is here: ENOMSG */
#define UET_OP_CLAIM	0x0008	/* RECV: with PEEK: keep it for CLAIMED with @cookie */
#define UET_OP_CLAIMED	0x0010	/* RECV: receive what was claimed */
#define UET_OP_DISCARD	0x0020	/* RECV: with PEEK or CLAIMED: throw it away */
#define UET_OP_INLINE	0x0040	/* SEND: the data is @data; RECV: it comes in the completion */
#define UET_OP_IMM	0x0080	/* SEND: the message has header data, @imm */
#define UET_OP_QUIET	0x0100	/* SEND: no completion of a success */
#define UET_OP_BUFFER	0x0200	/* SEND: tell when the buffer is free (UET_DONE_BUFFER) */

#define UET_OP_ANY	0xffffffffU	/* uet_op.to of a receive: any source */

#define UET_OP_DATA_MAX	32	/* bytes with %UET_OP_INLINE */
#define UET_RECVS_MAX	4096	/* receives of one socket that wait for a message */
#define UET_SENDS_MAX	16384	/* sends of one socket that have not ended */
#define UET_MASKS_MAX	8	/* different masks of tags that receives have at a time */

/**
 * struct uet_op - an operation that is posted (SIOCUETPOST)
 * @cookie: names it in its completions, and for UET_CANCEL
 * @opcode: enum uet_opcode
 * @delivery: of a send: enum uet_delivery, UET_RUD or UET_ROD; 0: of the socket
 * @flags: UET_OP_*
 * @to: of a send where it goes, of a receive the endpoint that a message must come from,
 *	by address, PIDonFEP and resource index: the number, from 1 on, in
 *	uet_post.addrs; 0: the connected endpoint; of a receive %UET_OP_ANY: any
 * @addr: address of the buffer; 0 with %UET_OP_INLINE
 * @length: its length, bytes
 * @reserved0: zero
 * @tag: of TSEND its tag, of TRECV the tag that a message must have
 * @ignore: of TRECV: bits of @tag that do not matter
 * @imm: with %UET_OP_IMM its header data; with %UET_OP_MULTI: the receive ends when less
 *	than so many bytes are left
 * @data: of a send with %UET_OP_INLINE its data
 * @reserved1: zero
 * @timeout: of a send: ms that it may take, from now on; 0: UET_SEND_TIMEOUT
 * @reserved: zero
 *
 * What an operation does not use is zero.
 *
 * *Sends.* The call takes the data. Up to 16 KiB are copied, for which there must be room
 * in the send buffer (else EAGAIN, and poll() tells of room). More is pinned, counts for
 * RLIMIT_MEMLOCK and not for SO_SNDBUF, and must not change until the completion; beyond
 * that limit it is copied if the send buffer has room, and else gives ENOBUFS. A send has
 * one completion, %UET_DONE_SENT, when the target has answered all of it and nothing
 * refers to the data any more, or when it has failed. With %UET_OP_BUFFER it is
 * %UET_DONE_BUFFER, as soon as the data may be changed, and of a copy another one
 * (%UET_DONE_SENT) if the message fails later. With %UET_OP_QUIET it has its place in the
 * queue, too, until it has ended, of which nothing tells: one send in so many should be
 * without it. UET_NOTIFY does not matter.
 *
 * *Receives* are matched in the order in which they were posted, when the first packet of
 * a message comes; messages in the order in which that is. So one that finds no receive
 * waits in the receive buffer, for a later one or for recvmsg(). A message that found
 * one goes to its buffer, whatever room the receive buffer has. What is longer is cut,
 * and its completion has EMSGSIZE. The pages of the buffer are pinned, and count for
 * RLIMIT_MEMLOCK, until the completion; with %UET_OP_INLINE there is none. A message for a
 * receive with %UET_OP_MULTI needs a slot of the queue; without one it waits in the receive
 * buffer, and those behind it that go there too, until a call or poll() of the queue finds
 * slots.
 *
 * Pinned memory belongs to the program that posted. When it ends or calls exec() its
 * operations end with ECANCELED, whoever else has the socket and the queue; and so do all
 * when the last descriptor of the queue is closed.
 *
 * Errors: EINVAL (also of what must be zero), EOPNOTSUPP (opcode; mode; SOCK_DGRAM
 * receives; memory that cannot be pinned, as a shared mapping of a file), EFAULT, ENXIO
 * (no completion queue), EAGAIN (no place in the queue, UET_SENDS_MAX, UET_RECVS_MAX,
 * UET_MASKS_MAX, no room in the send buffer), ENOBUFS (RLIMIT_MEMLOCK, net.uet.mem, limit
 * of contexts), ENOMEM, EMSGSIZE (longer than UET_MSG_MAX), EPIPE and ESHUTDOWN (shut
 * down), EDESTADDRREQ, EINTR, those of addresses and routes.
 */
struct uet_op {
	__u64	cookie;
	__u8	opcode;
	__u8	delivery;
	__u16	flags;
	__u32	to;
	__u64	addr;
	__u64	length;
	__u64	reserved0;
	__u64	tag;
	__u64	ignore;
	__u64	imm;
	__u8	data[UET_OP_DATA_MAX];
	__u32	reserved1;
	__u32	timeout;
	__u64	reserved[3];
};

#define UET_POST_MAX	1024	/* operations of one call */

/**
 * struct uet_post - an array of operations (SIOCUETPOST)
 * @ops: address of the operations
 * @addrs: address of the endpoints that they name, struct sockaddr_uet
 * @nr: number of operations, up to UET_POST_MAX
 * @op_size: bytes of one, sizeof(struct uet_op)
 * @nr_addrs: number of endpoints
 * @flags: zero
 * @reserved: zero
 *
 * They are posted in order, up to the first that cannot be. The socket needs a completion
 * queue. A signal may end the call early. Returns how many were posted; if none was, -1
 * with the errno of the first.
 */
struct uet_post {
	__u64	ops;
	__u64	addrs;
	__u32	nr;
	__u32	op_size;
	__u32	nr_addrs;
	__u32	flags;
	__u64	reserved;
};

#define SIOCUETPOST		(SIOCPROTOPRIVATE + 1)

/**
 * struct uet_cancel - what to cancel (UET_CANCEL)
 * @cookie: operations and messages with this cookie
 * @kinds: UET_CANCEL_*
 * @reserved: zero
 *
 * The value may be the cookie alone: both kinds. Of receives the first one that no message
 * has matched is cancelled.
 */
struct uet_cancel {
	__u64	cookie;
	__u32	kinds;
	__u32	reserved;
};

#define UET_CANCEL_SENDS	0x01	/* messages, posted or of sendmsg() */
#define UET_CANCEL_RECVS	0x02	/* a posted receive */

/*
 * Completion queue: ioctl(socket, SIOCUETCQ, struct uet_cq_params *) makes one, and
 * returns its descriptor; the option UET_CQ gives it to sockets. mmap() of it has a
 * struct uet_cq_ring. poll() tells that there are completions (EPOLLIN).
 */
#define SIOCUETCQ		(SIOCPROTOPRIVATE + 0)

#define UET_CQ_ENTRIES_MAX	65536

/**
 * struct uet_cq_params - a completion queue to be (SIOCUETCQ)
 * @entries: its slots, 1 to UET_CQ_ENTRIES_MAX; rounded up to a power of two, 4 at least
 * @flags: 0
 * @size: set to the length for mmap(), bytes
 */
struct uet_cq_params {
	__u32	entries;
	__u32	flags;
	__u64	size;
};

enum uet_completion_type {
	UET_DONE_RECV	= 1,	/* a receive: its buffer has a message */
	UET_DONE_PEEK	= 2,	/* UET_OP_PEEK */
	UET_DONE_SENT	= 3,	/* a message was delivered, or failed */
	UET_DONE_BUFFER	= 4,	/* UET_OP_BUFFER, MSG_ZEROCOPY: its buffer is free */
	UET_DONE_WATCH	= 5,	/* UET_WATCH: state of the endpoint @peer */
	UET_DONE_PEER	= 6,	/* UET_PEER_EVENTS: @peer was lost, or is heard again */
};

/* uet_completion.flags */
#define UET_DONE_TAGGED		0x01	/* the message has a tag */
#define UET_DONE_HEADER_DATA	0x02	/* ... header data */
#define UET_DONE_LAST		0x04	/* the receive has ended: always, but for MULTI */
#define UET_DONE_INLINE		0x08	/* @data has the message */

/**
 * struct uet_completion - what became of a receive, of a message, or of a peer
 * @cookie: of the receive, of the message (UET_CMSG_COOKIE) or of the watch
 * @type: enum uet_completion_type
 * @source: enum uet_report_source, of a message that failed or a peer that is lost
 * @code: meaning depends on @source
 * @error: errno: 0; EMSGSIZE: longer than the buffer; ECANCELED; ECONNRESET or
 *	ECONNABORTED: the rest of it will not come; ENOMSG (PEEK, CLAIMED); why a peer
 *	is lost
 * @flags: UET_DONE_*
 * @offset: where in the buffer it begins, not 0 with %UET_OP_MULTI only
 * @length: length of the whole message
 * @got: bytes of it in the buffer, or in @data
 * @socket: inode number of the socket
 * @tag: its tag
 * @header_data: its header data
 * @peer: where it came from, or went to
 * @data: with %UET_DONE_INLINE what the receive has got
 */
struct uet_completion {
	__u64			cookie;
	__u8			type;
	__u8			source;
	__u16			code;
	__u32			error;
	__u64			offset;
	__u32			length;
	__u32			got;
	__u32			flags;
	__u32			socket;
	__u64			tag;
	__u64			header_data;
	struct sockaddr_uet	peer;
	__u8			data[UET_OP_DATA_MAX];
};

/**
 * struct uet_cq_ring - what mmap() of a completion queue has
 * @head: completions that the program has taken; it adds to it, with release order
 * @reserved0: zero
 * @tail: completions that are there; the kernel adds to it, with release order
 * @waiting: what peers have caused waits for slots; while not 0, poll() after @head has
 *	moved
 * @entries: its slots, a power of two
 * @reserved1: zero
 *
 * The completions follow it: number n is the (n % entries)th one.
 *
 * Each completion has a slot: one of a receive, of a posted send, of MSG_ZEROCOPY and of a
 * message whose success is told (UET_NOTIFY) from the call on, until the program has taken
 * it. These may have three quarters of the slots; without one the call gives EAGAIN, also
 * where it may wait. A quarter is for what peers cause: messages in receives of
 * UET_OP_MULTI, watched endpoints and peers.
 *
 * The kernel believes nothing that a program writes here: a @head that cannot be is
 * ignored, and with another wrong one a program loses its own completions.
 */
struct uet_cq_ring {
	__u32			head;
	__u32			reserved0[15];
	__u32			tail;
	__u32			waiting;
	__u32			entries;
	__u32			reserved1[13];
};

/* uet_info.blocked_by: why data for the peer waits */
enum uet_blocked {
	UET_BLOCKED_NOT		= 0,
	UET_BLOCKED_WINDOW	= 1,	/* congestion window */
	UET_BLOCKED_CREDIT	= 2,	/* receiver credit */
	UET_BLOCKED_MPR		= 3,	/* receive window in packets */
	UET_BLOCKED_RECEIVER	= 4,	/* held after a shortage NACK */
	UET_BLOCKED_ROUTE	= 5,	/* no route or neighbour */
	UET_BLOCKED_MAX,		/* entries of blocked_ns */
	UET_BLOCKED_PORT	= 6,	/* local interface: blocked_port_ns */
};

/* uet_info.cc_state: the congestion control context */
enum uet_cc_state {
	UET_CC_IDLE		= 0,	/* nothing to send or outstanding */
	UET_CC_ACTIVE		= 1,	/* data waits and may not be sent */
	UET_CC_READY		= 2,	/* data waits and may be sent */
	UET_CC_PENDING		= 3,	/* acknowledgements outstanding */
};

/* uet_info.cc_mode: bits */
#define UET_CC_MODE_FAST	0x01	/* fast increase is running */
#define UET_CC_MODE_DRAINING	0x02	/* packets from before quick adapt drain */
#define UET_CC_MODE_PENALTY	0x04	/* the receiver slows this host down */
#define UET_CC_MODE_SPECULATING	0x08	/* sends ahead of the first credit */
#define UET_CC_MODE_CREDIT	0x10	/* receiver credit is in use */

/*
 * struct uet_info - state towards the connected or last used peer (UET_INFO)
 *
 * The structure grows only at its end, arrays in it do not grow; getsockopt()
 * fills as much as the caller has room for and returns that length. Times are
 * in ns, sizes in bytes. Unless stated otherwise, fields describe the congestion
 * control context, which all messages sent to the peer in the same way share.
 */
struct uet_info {
	__u64	rtt;			/* smoothed */
	__u64	base_rtt;
	__u64	delay_avg;		/* average queueing delay */
	__u64	cwnd;
	__s64	inflight;
	__u64	max_wnd;
	__u32	mtu;			/* largest nominal packet size */
	__u32	inflight_pkts;
	__u64	pkts_sent;
	__u64	bytes_sent;		/* with headers and retransmissions */
	__u64	retransmits;
	__u64	timeouts;
	__u64	losses_sack;		/* found by SACK evidence */
	__u64	losses_ooo;		/* found by out-of-order count */
	__u64	losses_probe;		/* found by tail probe */
	__u64	losses_rcvr;		/* inferred by the receiver */
	__u64	marks;			/* acknowledgements that echoed CE */
	__u64	trims;
	__u64	trims_lasthop;
	__u64	nacks_shortage;
	__u64	nacks_other;
	__u64	blocked_ns[UET_BLOCKED_MAX];	/* time blocked, by cause */
	__u32	blocked_by;		/* enum uet_blocked, now */
	__u32	paths;			/* entropy values in use */
	__u32	paths_bad;		/* out of use, as the path policy counts */
	__u32	pdcs;
	char	cc[16];
	char	path_policy[16];
	__u64	rtt_var;		/* smoothed deviation */
	__u64	target_qdelay;
	__u64	rto;			/* of the packets of this socket */
	__u64	backlog;		/* announced, not sent yet */
	__u64	rtx_backlog;		/* marked for retransmission */
	__u64	saved_cwnd;		/* before the receiver's penalty, or 0 */
	__u64	losses_go_back;		/* below a gap of an ordered PDC */
	__u64	decreases;		/* multiplicative decreases */
	__u64	quick_adapts;
	__u64	penalties;		/* penalty episodes of the receiver */
	__s64	credit;			/* left; negative: overdrawn */
	__u32	credit_granted;		/* cumulative, 256 bytes or cells, 24 bits */
	__u32	credit_reqs;		/* requests since the last credit */
	__u32	link_mbps;		/* rate the window is sized for */
	__u32	mpr;			/* receive window, packets */
	__u32	mpr_used;		/* of these, sent and not covered by CACK */
	__u32	cc_state;		/* enum uet_cc_state */
	__u32	cc_mode;		/* UET_CC_MODE_* */
	__u32	ports;			/* local interfaces used for the peer */
	__u32	ports_down;		/* of these without a carrier */
	__u32	reserved;		/* zero */
	__u64	blocked_port_ns;	/* time blocked by UET_BLOCKED_PORT */
	__u32	path_mtu;		/* IP MTU that packets are sized for */
	__u32	path_mtu_steps;		/* lowered because large packets were lost */
	__u64	needless;		/* retransmits of what had arrived: late, not lost */
	__u32	paths_gone;		/* entropy values lost and given up, last minute */
	__u32	reserved2;		/* zero */
};

#endif /* _UAPI_LINUX_UET_H */
