/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests of a libfabric provider over the public interface: what the files of cases
 * share.
 *
 * A case has one or two roles. Each role has a side: an endpoint with what belongs
 * to it, and a channel to the other role. Two roles are threads of one process, or
 * two processes. A role says what it waits for with doing(); what takes longer than
 * the patience fails with these words. Operations are struct op, which the
 * completion finds by its context.
 */
#ifndef SUITE_H
#define SUITE_H

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SUITE_API	FI_VERSION(1, 17)
#define NO_IGNORE	0ULL
#define TAG_BITS	0x3fffffffffffffffULL
#define KIB		1024UL
#define MIB		(1024UL * 1024)
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* What a case wants of its endpoints; 0 is the usual */
struct want {
	uint64_t	caps;		/* beside FI_MSG | FI_TAGGED */
	uint64_t	tx_flags;	/* default flags of operations */
	uint64_t	tx_bind;	/* of the completion queue, beside FI_TRANSMIT */
	uint64_t	rx_bind;
	bool		unordered;
	bool		cntrs;		/* counters for FI_SEND and FI_RECV */
	bool		own_domain;	/* of the case: the runner opens nothing */
	enum fi_av_type	av;
	enum fi_wait_obj wait;
	enum fi_progress progress;
	enum fi_threading threading;	/* FI_THREAD_UNSPEC: FI_THREAD_SAFE */
	uint32_t	format;		/* of addresses */
	size_t		cq_size;
};

struct side;

struct test {
	const char	*name;
	void		(*first)(struct side *s);
	void		(*second)(struct side *s);	/* NULL: a case of one role */
	struct want	want;
	bool		huge;	/* only if it is asked for by -L */
};

/* A file of cases; the last one has no name */
#define TESTS(file)	const struct test tests_##file[]

/* Options of the program */
struct suite {
	const char	*provider;
	const char	*node[2];	/* of the first and the second role */
	const char	*netns;		/* of the second role, if another process */
	const char	*host;		/* IPv4 address of it, if on another host (-w) */
	unsigned int	patience;	/* seconds */
	unsigned int	scale;		/* per cent of the usual number of messages */
	uint64_t	seed;
	bool		huge;
};

extern struct suite suite;

/* One role of a case. All of it is used by its thread only. */
struct side {
	int		role;		/* 0 or 1 */
	int		chan;		/* to the other role, or -1 */
	const struct test *test;
	struct want	want;
	struct fi_info	*info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_av	*av;
	struct fid_cq	*cq;
	struct fid_cntr	*tx_cntr;
	struct fid_cntr	*rx_cntr;
	struct fid_ep	*ep;
	fi_addr_t	self;
	fi_addr_t	peer;
	struct op	*ops;		/* all that are not freed */
	uint64_t	completions;
	bool		injects;	/* errors without a context may come */
	unsigned int	orphans;	/* so many came */
	unsigned int	idle;		/* polls in a row that found nothing */
	uint64_t	deadline;	/* ns of host_now_ns() */
	char		doing[160];
	jmp_buf		out;
	char		verdict[400];	/* why it failed or is skipped */
};

/* How a role ended: the value of longjmp() */
enum { PASSED = 0, FAILED = 1, SKIPPED = 2 };

#define OP_MAGIC	0x6f707321

/* An operation with its buffer, and how it ended */
struct op {
	struct fi_context2 ctx;		/* first: it is the context */
	uint32_t	magic;
	struct op	*next;
	struct op	**prev;
	struct side	*side;
	uint8_t		*buf;
	size_t		len;
	uint64_t	seed;		/* of the content that was sent */
	bool		sent;		/* the buffer has content, it is not one to receive into */
	unsigned int	n;		/* completions, errors among them */
	uint64_t	at;		/* number of its last completion at the side */
	fi_addr_t	src;
	struct fi_cq_tagged_entry e;	/* the last one */
	struct fi_cq_err_entry err;	/* err.err is 0 if there was no error */
	void		(*each)(struct op *op);	/* at every completion */
	void		*arg;
};

/* --- ends of a role: none of these returns ------------------------------------ */

void fail(struct side *s, const char *fmt, ...)
	__attribute__((noreturn, format(printf, 2, 3)));
void skip_case(struct side *s, const char *fmt, ...)
	__attribute__((noreturn, format(printf, 2, 3)));

#define CHECK(s, cond, fmt, ...) do {						\
	if (!(cond))								\
		fail(s, "%s:%d: " fmt " (%s)", __FILE_NAME__, __LINE__,		\
		     ##__VA_ARGS__, #cond);					\
} while (0)

/* A call that succeeds with 0 */
#define OK(s, call) do {							\
	ssize_t ret_ = (call);							\
	if (ret_)								\
		fail(s, "%s:%d: %s gives %zd, %s", __FILE_NAME__, __LINE__,	\
		     #call, ret_, fi_strerror((int)-ret_));			\
} while (0)

/* A call that fails with this error, which is given as a positive number */
#define GIVES(s, call, error) do {						\
	ssize_t ret_ = (call);							\
	if (ret_ != -(error))							\
		fail(s, "%s:%d: %s gives %zd, %s, not -%s", __FILE_NAME__,	\
		     __LINE__, #call, ret_, ret_ < 0 ? fi_strerror((int)-ret_) : "", \
		     #error);							\
} while (0)

/* A call that the provider need not have */
#define OK_OR_SKIP(s, call) do {						\
	ssize_t ret_ = (call);							\
	if (ret_ == -FI_ENOSYS || ret_ == -FI_EOPNOTSUPP)			\
		skip_case(s, "no %s", #call);					\
	if (ret_)								\
		fail(s, "%s:%d: %s gives %zd, %s", __FILE_NAME__, __LINE__,	\
		     #call, ret_, fi_strerror((int)-ret_));			\
} while (0)

/* An operation that is begun; it is tried again while there is no room */
#define POST(s, call) do {							\
	ssize_t ret_;								\
	doing(s, "trying %s", #call);						\
	while ((ret_ = (call)) == -FI_EAGAIN)					\
		step(s);							\
	if (ret_)								\
		fail(s, "%s:%d: %s gives %zd, %s", __FILE_NAME__, __LINE__,	\
		     #call, ret_, fi_strerror((int)-ret_));			\
} while (0)

/* Waits until it is so, with progress */
#define UNTIL(s, cond, fmt, ...) do {						\
	doing(s, fmt, ##__VA_ARGS__);						\
	while (!(cond))								\
		step(s);							\
} while (0)

/* --- waiting ------------------------------------------------------------------ */

void doing(struct side *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void step(struct side *s);
int progress(struct side *s);
void settle(struct side *s, unsigned int ms);

/* --- the other role ------------------------------------------------------------ */

void tell(struct side *s, const void *data, size_t len);
void hear(struct side *s, void *data, size_t len);
void meet(struct side *s);

/* --- sides --------------------------------------------------------------------- */

struct fi_info *hints_of(const struct want *want);
int side_info(struct side *s);
void side_domain(struct side *s);
void side_open(struct side *s);
void side_insert(struct side *s, const char *name, fi_addr_t *addr);
void side_new_ep(struct side *s, struct fid_ep **ep, fi_addr_t *addr);
void side_close(struct side *s);
void side_init(struct side *s, const struct test *test, int role, int chan);
bool strict(void);
unsigned int scaled(unsigned int n);

/* --- operations ------------------------------------------------------------------ */

void *get(struct side *s, size_t n, size_t size);
struct op *op_new(struct side *s, size_t len);
struct op *op_content(struct side *s, size_t len, uint64_t seed);
void op_free(struct op *op);
void ops_free(struct side *s);

struct op *send_msg(struct side *s, size_t len, uint64_t seed);
struct op *recv_msg(struct side *s, size_t len);
struct op *send_tag(struct side *s, size_t len, uint64_t seed, uint64_t tag);
struct op *send_tag_to(struct side *s, fi_addr_t to, size_t len, uint64_t seed, uint64_t tag);
struct op *recv_tag(struct side *s, size_t len, uint64_t tag, uint64_t ignore);
struct op *recv_tag_from(struct side *s, fi_addr_t from, size_t len, uint64_t tag,
			 uint64_t ignore);

void await(struct op *op, const char *what);
void await_error(struct op *op, int err, const char *what);
void check_sent(struct op *op);
void check_content(struct op *op, size_t len, uint64_t seed);
void check_got(struct op *op, size_t len, uint64_t seed);
void check_got_tag(struct op *op, size_t len, uint64_t seed, uint64_t tag);

/* --- random numbers ------------------------------------------------------------- */

uint64_t next_random(uint64_t *state);
uint64_t below(uint64_t *state, uint64_t n);

#endif /* SUITE_H */
