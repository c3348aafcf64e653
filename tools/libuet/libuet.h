/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libuet: addresses, sockets, control messages and delivery reports of AF_UET
 * for programs. See libuet(3).
 *
 * Nothing here prints, ends the program or keeps state of a socket. What fails
 * returns -1 (false, NULL) and sets errno. All functions may be called by
 * several threads at once.
 */
#ifndef LIBUET_H
#define LIBUET_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <linux/uet.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The release whose interface this is, that of dkms.conf */
#define LIBUET_VERSION		"0.2.0"

const char *libuet_version(void);
int libuet_family(void);

/* --- addresses: libuet_resolve(3) ----------------------------------------- */

/* Room for every address as text, with its terminating null byte */
#define LIBUET_URI_SIZE		160

int libuet_parse_addr(const char *text, struct in6_addr *addr);
int libuet_addr(struct sockaddr_uet *sa, const char *addr, uint32_t job,
		uint16_t pid, uint16_t ri);
int libuet_parse(const char *text, const struct sockaddr_uet *base,
		 struct sockaddr_uet *sa);
int libuet_resolve(const char *text, const struct sockaddr_uet *base,
		   struct sockaddr_uet *sa, int max);
int libuet_format(const struct sockaddr_uet *sa, char *buf, size_t size);

/* --- services: libuet_getservbyname(3), uet-services(5) -------------------- */

#define LIBUET_NAME_SIZE	64
#define LIBUET_ALIASES_SIZE	256

/**
 * struct libuet_service - an entry of /etc/uet/services
 * @name: its name
 * @aliases: other names, separated by blanks
 * @job: job id, if @has_job
 * @pid: PIDonFEP
 * @ri: resource index
 * @has_job: whether the entry names a job
 * @reserved: zero
 */
struct libuet_service {
	char		name[LIBUET_NAME_SIZE];
	char		aliases[LIBUET_ALIASES_SIZE];
	uint32_t	job;
	uint16_t	pid;
	uint16_t	ri;
	bool		has_job;
	uint32_t	reserved[4];
};

struct libuet_services;		/* an open file of services */

struct libuet_services *libuet_openservices(void);
bool libuet_getservice(struct libuet_services *s, struct libuet_service *entry);
void libuet_closeservices(struct libuet_services *s);
int libuet_getservbyname(const char *name, struct libuet_service *entry);
int libuet_getservbypid(uint16_t pid, uint16_t ri,
			struct libuet_service *entry);

/* --- sockets: libuet_open(3) ----------------------------------------------- */

/**
 * struct libuet_sock - a socket as libuet_open() makes it
 * @type: SOCK_RDM, SOCK_SEQPACKET or SOCK_DGRAM, with SOCK_NONBLOCK and SOCK_CLOEXEC;
 *	0 is SOCK_RDM
 * @enter_job: enter @job
 * @job: UET_JOB_ID
 * @delivery: UET_DELIVERY
 * @cc: UET_CC by name
 * @policy: UET_PATH_POLICY by name
 * @set_tclass: set @tclass, of which every value means something
 * @tclass: UET_TRAFFIC_CLASS
 * @max_msg: UET_MAX_MSG
 * @notify: UET_NOTIFY, enum uet_notify
 * @mark: SO_MARK
 * @sndbuf: SO_SNDBUF
 * @rcvbuf: SO_RCVBUF
 * @device: SO_BINDTODEVICE
 * @local: address to bind to
 * @peer: address to connect to
 * @send_timeout: UET_SEND_TIMEOUT
 * @take_job: enter the job of the socket @job_from (UET_JOB_FROM)
 * @job_from: that socket
 * @defer: UET_DEFER
 * @pktinfo: UET_PKTINFO
 *
 * What is 0, NULL or "" stays as the kernel has it. The structure grows at its
 * end; libuet_open() tells the library how much of it the program knows.
 */
struct libuet_sock {
	int		type;
	bool		enter_job;
	uint32_t	job;
	int		delivery;
	const char	*cc;
	const char	*policy;
	bool		set_tclass;
	int		tclass;
	uint32_t	max_msg;
	int		notify;
	unsigned int	mark;
	int		sndbuf;
	int		rcvbuf;
	const char	*device;
	const struct sockaddr_uet *local;
	const struct sockaddr_uet *peer;
	uint32_t	send_timeout;
	bool		take_job;
	int		job_from;
	uint32_t	defer;
	int		pktinfo;
};

int libuet_open_sized(const struct libuet_sock *how, size_t size,
		      const char **step);

static inline int libuet_open(const struct libuet_sock *how, const char **step)
{
	return libuet_open_sized(how, sizeof(*how), step);
}

int libuet_sock_set(struct libuet_sock *how, const char *name,
		    const char *value);
int libuet_get_info(int fd, struct uet_info *info);
const char *libuet_blocked_name(unsigned int blocked_by);
int libuet_watch(int fd, const struct sockaddr_uet *peer, uint64_t cookie,
		 uint32_t interval, uint32_t timeout);
int libuet_cancel(int fd, uint64_t cookie);
int libuet_writable(int fd, struct sockaddr_uet *who, int max);
int libuet_set_window(int fd, uint64_t key, uint64_t length);

/* --- messages: libuet_sendmsg(3) ------------------------------------------- */

/* libuet_attrs.has */
#define LIBUET_COOKIE		0x01
#define LIBUET_HEADER_DATA	0x02
#define LIBUET_TAG		0x04
#define LIBUET_DELIVERY		0x08
#define LIBUET_TCLASS		0x10
#define LIBUET_TIMEOUT		0x20
#define LIBUET_INFO		0x40
#define LIBUET_WRITE		0x80
#define LIBUET_DEFER		0x100
#define LIBUET_PKTINFO		0x200

/* Room for all control messages of a message or a report */
#define LIBUET_CONTROL_SIZE	512

/**
 * struct libuet_attrs - what goes with a message beside its data
 * @has: which of the others are there: LIBUET_COOKIE and the like
 * @msg_flags: receive: MSG_EOR, MSG_CTRUNC
 * @cookie: send: names the message in reports
 * @header_data: header data
 * @tag: match bits
 * @delivery: send: enum uet_delivery
 * @tclass: send: DSCP, 0 to 63
 * @timeout: send: ms that the message may take
 * @info: receive: length, offset, delivery, congestion mark
 * @write: both: key of a window, and where in it the data belongs (UET_RUDI)
 * @defer: send: 1 it may be deferred, 0 it may not
 * @reserved1: zero
 * @pktinfo: both: address of this host; an answer may have that of its question
 * @reserved: zero
 */
struct libuet_attrs {
	unsigned int	has;
	int		msg_flags;
	uint64_t	cookie;
	uint64_t	header_data;
	uint64_t	tag;
	int		delivery;
	int		tclass;
	uint32_t	timeout;
	struct uet_msg_info info;
	struct uet_write write;
	int		defer;
	int		reserved1;
	struct uet_pktinfo pktinfo;
	uint64_t	reserved[2];
};

ssize_t libuet_sendmsg(int fd, const struct iovec *iov, size_t n,
		       const struct sockaddr_uet *to,
		       const struct libuet_attrs *attrs, int flags);
ssize_t libuet_recvmsg(int fd, const struct iovec *iov, size_t n,
		       struct sockaddr_uet *from, struct libuet_attrs *attrs,
		       int flags);
int libuet_add_cmsg(struct msghdr *msg, size_t room, int type,
		    const void *data, size_t len);
bool libuet_get_cmsg(const struct msghdr *msg, int type, void *data,
		     size_t len);
int libuet_put_attrs(struct msghdr *msg, size_t room,
		     const struct libuet_attrs *attrs);
void libuet_get_attrs(const struct msghdr *msg, struct libuet_attrs *attrs);

/* --- reports: libuet_drain(3), libuet_report_text(3) ------------------------ */

/* libuet_drain() */
#define LIBUET_EXPAND		0x01	/* a call for each message of a range */

/* Room for every sentence of libuet_report_text() */
#define LIBUET_TEXT_SIZE	512

/* Return: 0 to go on, anything else to stop. */
typedef int (*libuet_report_fn)(void *arg, const struct uet_report *rep,
				const struct sockaddr_uet *peer);

bool libuet_next_report(int fd, struct uet_report *rep,
			struct sockaddr_uet *peer);
int libuet_wait_report(int fd, int timeout_ms);
int libuet_drain(int fd, unsigned int flags, libuet_report_fn fn, void *arg);
int libuet_report_text(const struct uet_report *rep,
		       const struct sockaddr_uet *peer, char *buf, size_t size);
const char *libuet_code_name(unsigned int source, unsigned int code);
const char *libuet_code_text(unsigned int source, unsigned int code);
const char *libuet_errno_name(int error);
int libuet_errno_by_name(const char *name);

/* --- completion queues, posted operations: libuet_post(3) ------------------- */

/**
 * struct libuet_cq - a completion queue of this program
 * @fd: its descriptor: readable while there are completions
 * @head: completions taken from it
 * @ring: shared with the kernel
 * @size: of @ring, bytes
 */
struct libuet_cq {
	int			fd;
	uint32_t		head;
	struct uet_cq_ring	*ring;
	size_t			size;
};

int libuet_open_cq(int fd, uint32_t entries, struct libuet_cq *cq);
void libuet_close_cq(struct libuet_cq *cq);
int libuet_use_cq(int fd, const struct libuet_cq *cq);
int libuet_next_done(struct libuet_cq *cq, struct uet_completion *done,
		     int timeout_ms);
int libuet_post(int fd, const struct uet_op *ops, unsigned int n,
		const struct sockaddr_uet *addrs, unsigned int nr_addrs);
int libuet_unpost(int fd, uint64_t cookie);

#ifdef __cplusplus
}
#endif

#endif /* LIBUET_H */
