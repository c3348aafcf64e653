// SPDX-License-Identifier: GPL-2.0
/*
 * Random operations of two endpoints, which send to each other and to themselves; and
 * random addresses.
 *
 * What is to match what is not predicted: it may depend on when a message arrives.
 * It is judged afterwards, by what holds at any rate:
 *
 * - Each message is taken once, by a receive that matches it.
 * - Of two messages of one sender that a receive matches, it takes the later one only
 *   if a receive that was posted before it took the earlier one.
 * - A message passes by a receive that matches it, and was posted before the one that
 *   takes it, only if that one took a message which came before.
 *
 * A message that a peek claims or discards is taken by a receive posted then.
 */
#include <netinet/in.h>
#include <stdio.h>

#include "suite.h"

#define EVENTS		120		/* random ones in a round */
#define ROUNDS		20
#define MAX_LEN		100000
#define MOST		(2 * EVENTS + 200)

enum { ANY = 2 };			/* beside 0 and 1: whoever sent it */

struct message {
	unsigned int	from, to;
	uint64_t	tag;
	size_t		len;
	struct op	*op;		/* NULL if it was injected */
	int		taker;		/* number of a receive, or -1 */
};

struct receive {
	unsigned int	at, from;	/* an endpoint; and whose messages it takes */
	uint64_t	tag, ignore;
	struct op	*op;		/* NULL: discarded */
	bool		cancelled;	/* fi_cancel() was called */
	bool		over;		/* its end has been seen to */
	int		message;	/* that it took, or -1 */
};

/* A message that was seen lying there */
struct look {
	struct receive	by;		/* as one that would be posted then */
	unsigned int	seen;
	int		receives;	/* that had been posted */
};

struct fuzz {
	struct side	*s;
	uint64_t	rnd;
	bool		sources;	/* receives name one, completions tell it */
	bool		peeks;
	bool		cuts;		/* receives may be too short */
	struct fid_ep	*ep[2];
	fi_addr_t	addr[2];
	struct message	m[MOST];
	struct receive	r[MOST];
	struct look	looks[MOST];
	unsigned int	messages, receives, looked;
	bool		used[MAX_LEN + 1];
};

static uint64_t random_tag(struct fuzz *f)
{
	return below(&f->rnd, 4) | below(&f->rnd, 2) << 61;
}

static uint64_t random_ignore(struct fuzz *f)
{
	static const uint64_t masks[] = { 0, 0, 0, 1, 3, 1ULL << 61, TAG_BITS };

	return masks[below(&f->rnd, ARRAY_SIZE(masks))];
}

/* Short, around the limit of injection, or long; no two of a round are alike */
static size_t random_len(struct fuzz *f)
{
	static const size_t below_len[] = { 64, 17000, MAX_LEN + 1 };
	size_t len;

	do {
		len = below(&f->rnd, below_len[below(&f->rnd, 3)]);
	} while (f->used[len] && below(&f->rnd, 1000));
	while (f->used[len])
		len = (len + 1) % (MAX_LEN + 1);
	f->used[len] = true;
	return len;
}

static bool matches(const struct receive *r, const struct message *m)
{
	return r->at == m->to && (r->from == ANY || r->from == m->from) &&
	       !((r->tag ^ m->tag) & ~r->ignore);
}

/* --- events ---------------------------------------------------------------------------- */

static void send_one(struct fuzz *f)
{
	unsigned int i = f->messages++;
	struct message *m = &f->m[i];
	struct side *s = f->s;
	struct op *op;

	*m = (struct message){ .from = below(&f->rnd, 2), .to = below(&f->rnd, 2),
			       .tag = random_tag(f), .len = random_len(f), .taker = -1 };
	op = op_content(s, m->len, m->len);
	if (m->len <= s->info->tx_attr->inject_size && !below(&f->rnd, 4)) {
		POST(s, fi_tinjectdata(f->ep[m->from], op->buf, m->len, i, f->addr[m->to], m->tag));
		op_free(op);
		return;
	}
	m->op = op;
	POST(s, fi_tsenddata(f->ep[m->from], op->buf, m->len, NULL, i, f->addr[m->to], m->tag,
			     op));
}

static struct receive *new_receive(struct fuzz *f, unsigned int at)
{
	struct receive *r = &f->r[f->receives++];

	*r = (struct receive){ .at = at, .from = ANY, .message = -1 };
	return r;
}

static void post(struct fuzz *f, struct receive *r, size_t room)
{
	struct side *s = f->s;

	r->op = op_new(s, room);
	POST(s, fi_trecv(f->ep[r->at], r->op->buf, room, NULL,
			 r->from == ANY ? FI_ADDR_UNSPEC : f->addr[r->from], r->tag, r->ignore,
			 r->op));
}

static void receive_one(struct fuzz *f)
{
	struct receive *r = new_receive(f, below(&f->rnd, 2));

	r->tag = random_tag(f);
	r->ignore = random_ignore(f);
	if (f->sources && below(&f->rnd, 2))
		r->from = below(&f->rnd, 2);
	/* Some are too short for some */
	post(f, r, below(&f->rnd, 6) || !f->cuts ? MAX_LEN : below(&f->rnd, 20000));
}

static void cancel_one(struct fuzz *f)
{
	struct receive *r;
	int ret;

	if (!f->receives)
		return;
	r = &f->r[below(&f->rnd, f->receives)];
	if (!r->op || r->over)
		return;
	ret = fi_cancel(&f->ep[r->at]->fid, r->op);
	CHECK(f->s, !ret || ret == -FI_ENOENT, "fi_cancel() gives %d", ret);
	r->cancelled = true;
}

static void note_look(struct fuzz *f, const struct receive *by, unsigned int seen)
{
	struct side *s = f->s;

	CHECK(s, matches(by, &f->m[seen]), "message %u, which does not match, is seen", seen);
	CHECK(s, f->m[seen].taker < 0, "message %u is seen, which receive %d has taken", seen,
	      f->m[seen].taker);
	f->looks[f->looked++] = (struct look){ *by, seen, f->receives };
}

static void peek_one(struct fuzz *f)
{
	static const uint64_t kinds[] = { 0, 0, FI_CLAIM, FI_DISCARD };
	uint64_t kind = kinds[below(&f->rnd, strict() ? 4 : 3)];
	struct receive look = { .at = below(&f->rnd, 2), .from = ANY, .tag = random_tag(f),
				.ignore = random_ignore(f), .message = -1 };
	struct op *op = op_new(f->s, MAX_LEN);
	struct iovec iov = { op->buf, op->len };
	struct fi_msg_tagged msg = { .msg_iov = &iov, .iov_count = 1, .addr = FI_ADDR_UNSPEC,
				     .tag = look.tag, .ignore = look.ignore, .context = op };
	struct side *s = f->s;
	struct receive *r;

	POST(s, fi_trecvmsg(f->ep[look.at], &msg, FI_PEEK | FI_COMPLETION | kind));
	UNTIL(s, op->n, "waiting for what a peek finds");
	if (op->err.err) {
		CHECK(s, op->err.err == FI_ENOMSG, "a peek ends with %d", op->err.err);
		op_free(op);
		return;
	}
	CHECK(s, op->e.data < f->messages &&
	      (op->e.len == f->m[op->e.data].len || (kind == FI_DISCARD && !strict())),
	      "%zu bytes are seen, data %llu", op->e.len, (unsigned long long)op->e.data);
	note_look(f, &look, op->e.data);
	if (!kind) {
		op_free(op);
		return;
	}
	r = new_receive(f, look.at);
	*r = look;
	r->message = op->e.data;
	f->m[r->message].taker = r - f->r;
	r->over = true;
	if (kind == FI_DISCARD) {
		op_free(op);
		return;
	}
	op->n = 0;
	POST(s, fi_trecvmsg(f->ep[look.at], &msg, FI_CLAIM | FI_COMPLETION));
	check_got_tag(op, f->m[r->message].len, f->m[r->message].len, f->m[r->message].tag);
	op_free(op);
}

/* --- ends --------------------------------------------------------------------------------- */

/* Which message a receive that was too short has cut: lengths are unique */
static int message_of_len(struct fuzz *f, size_t len)
{
	unsigned int i;

	for (i = 0; i < f->messages; i++)
		if (f->m[i].len == len)
			return i;
	return -1;
}

static void taken(struct fuzz *f, unsigned int number)
{
	struct receive *r = &f->r[number];
	struct op *op = r->op;
	struct side *s = f->s;
	struct message *m;
	int i = op->e.data;

	CHECK(s, op->n == 1, "%u ends of receive %u", op->n, number);
	r->over = true;
	if (op->err.err == FI_ECANCELED) {
		CHECK(s, r->cancelled, "receive %u, which nobody has, is cancelled", number);
		return;
	}
	CHECK(s, !op->err.err || op->err.err == FI_ETRUNC, "receive %u ends with %d", number,
	      op->err.err);
	if (op->err.err)
		i = message_of_len(f, op->len + op->err.olen);
	CHECK(s, i >= 0 && i < (int)f->messages, "receive %u takes a message that was not sent",
	      number);
	m = &f->m[i];
	CHECK(s, m->taker < 0, "message %d goes to receive %d, and to %u", i, m->taker, number);
	CHECK(s, matches(r, m), "message %d does not match receive %u", i, number);
	CHECK(s, !op->err.err == (m->len <= op->len), "%zu bytes in %zu, error %d", m->len,
	      op->len, op->err.err);
	if (!op->err.err) {
		check_got_tag(op, m->len, m->len, m->tag);
		CHECK(s, !f->sources || op->src == f->addr[m->from], "message %d is from %llu", i,
		      (unsigned long long)op->src);
	}
	m->taker = number;
	r->message = i;
}

static void look_around(struct fuzz *f)
{
	unsigned int i;

	progress(f->s);
	for (i = 0; i < f->receives; i++)
		if (f->r[i].op && !f->r[i].over && f->r[i].op->n)
			taken(f, i);
}

static unsigned int not_taken(struct fuzz *f, unsigned int at)
{
	unsigned int i, n = 0;

	for (i = 0; i < f->messages; i++)
		n += f->m[i].to == at && f->m[i].taker < 0;
	return n;
}

/* Receives for all that are left; then those that nothing came for are cancelled */
static void drain(struct fuzz *f)
{
	struct side *s = f->s;
	unsigned int at, i;

	for (at = 0; at < 2; at++) {
		for (i = not_taken(f, at); i; i--) {
			struct receive *r = new_receive(f, at);

			r->ignore = TAG_BITS;
			post(f, r, MAX_LEN);
		}
	}
	doing(s, "waiting for messages to be taken");
	while (not_taken(f, 0) || not_taken(f, 1)) {
		look_around(f);
		step(s);
	}
	for (i = 0; i < f->receives; i++) {
		struct receive *r = &f->r[i];

		if (!r->op || r->over)
			continue;
		/* One that was cancelled before has its end in the queue. */
		if (!r->cancelled)
			OK(s, fi_cancel(&f->ep[r->at]->fid, r->op));
		r->cancelled = true;
		UNTIL(s, r->op->n, "waiting for receive %u to be cancelled", i);
		taken(f, i);
	}
	for (i = 0; i < f->messages; i++)
		if (f->m[i].op)
			UNTIL(s, f->m[i].op->n, "waiting for send %u of %zu bytes", i, f->m[i].len);
}

/* --- judgement ------------------------------------------------------------------------------ */

static void judge_message(struct fuzz *f, unsigned int i)
{
	struct message *m = &f->m[i], *earlier;
	struct receive *r = &f->r[m->taker], *before;
	struct side *s = f->s;

	for (earlier = f->m; earlier < m; earlier++)
		CHECK(s, earlier->from != m->from || !matches(r, earlier) ||
		      earlier->taker < m->taker,
		      "receive %d takes message %u, but message %d of the same sender goes to receive %d",
		      m->taker, i, (int)(earlier - f->m), earlier->taker);
	for (before = f->r; before < r; before++) {
		if (!before->op || !matches(before, m) || before->message < 0)
			continue;
		CHECK(s, f->m[before->message].from != m->from || before->message < (int)i,
		      "message %u passes by receive %d, which takes message %d", i,
		      (int)(before - f->r), before->message);
	}
}

/* It was there for receives that came then, and none older was */
static void judge_look(struct fuzz *f, const struct look *look)
{
	struct message *m = &f->m[look->seen], *earlier;
	struct side *s = f->s;

	CHECK(s, m->taker >= look->receives,
	      "message %u was seen, though receive %d, posted before, takes it", look->seen,
	      m->taker);
	for (earlier = f->m; earlier < m; earlier++)
		CHECK(s, earlier->from != m->from || !matches(&look->by, earlier) ||
		      earlier->taker < look->receives,
		      "message %u was seen before message %d of the same sender", look->seen,
		      (int)(earlier - f->m));
}

static void round_of(struct fuzz *f)
{
	unsigned int i;

	f->messages = 0;
	f->receives = 0;
	f->looked = 0;
	memset(f->used, 0, sizeof(f->used));
	for (i = 0; i < EVENTS; i++) {
		unsigned int what = below(&f->rnd, 100);

		if (what < 42)
			send_one(f);
		else if (what < 80)
			receive_one(f);
		else if (what < 87)
			cancel_one(f);
		else if (what < 93 && f->peeks)
			peek_one(f);
		if (!below(&f->rnd, 3))
			look_around(f);
	}
	drain(f);
	for (i = 0; i < f->messages; i++) {
		if (f->m[i].op)
			check_sent(f->m[i].op);
		judge_message(f, i);
	}
	for (i = 0; i < f->looked; i++)
		judge_look(f, &f->looks[i]);
	ops_free(f->s);
}

/* Whether this provider finds messages: asked before anything is sent */
static bool has_peeks(struct side *s)
{
	struct op *op = op_new(s, 0);
	struct fi_msg_tagged msg = { .addr = FI_ADDR_UNSPEC, .ignore = TAG_BITS, .context = op };
	ssize_t ret = fi_trecvmsg(s->ep, &msg, FI_PEEK | FI_CLAIM);

	if (!ret)
		UNTIL(s, op->n, "waiting for a peek");
	op_free(op);
	return !ret;
}

/* Whether the error of a receive that was too short tells by how much */
static bool has_lengths(struct side *s)
{
	struct op *rx = recv_tag(s, 10, 1, NO_IGNORE);

	check_sent(send_tag_to(s, s->self, 30, 1, 1));
	await_error(rx, FI_ETRUNC, "a receive that is too short");
	return rx->err.olen == 20;
}

static void fuzz(struct side *s, bool sources)
{
	struct fuzz *f = get(s, 1, sizeof(*f));
	unsigned int i, n = scaled(ROUNDS);

	f->s = s;
	f->rnd = suite.seed;
	f->sources = sources;
	f->peeks = strict() || has_peeks(s);
	f->cuts = has_lengths(s);
	f->ep[0] = s->ep;
	f->addr[0] = s->self;
	side_new_ep(s, &f->ep[1], &f->addr[1]);
	for (i = 0; i < n; i++)
		round_of(f);
	OK(s, fi_close(&f->ep[1]->fid));
	free(f);
}

static void without_sources(struct side *s)
{
	fuzz(s, false);
}

static void with_sources(struct side *s)
{
	fuzz(s, true);
}

/* --- addresses ------------------------------------------------------------------------------- */

#define ADDRESSES	2000		/* arrays of them */
#define ARRAY		8

static void random_in6(uint64_t *rnd, struct in6_addr *a)
{
	unsigned int i;

	memset(a, 0, sizeof(*a));
	switch (below(rnd, 5)) {
	case 0:
		return;
	case 1:
		a->s6_addr32[2] = htonl(0xffff);
		a->s6_addr32[3] = below(rnd, 2) ? next_random(rnd) : 0;
		return;
	case 2:
		a->s6_addr32[0] = htonl(0xfe800000);
		a->s6_addr32[3] = next_random(rnd);
		return;
	default:
		for (i = 0; i < 4; i++)
			a->s6_addr32[i] = next_random(rnd);
	}
}

/* A socket address, or what is near to one. Returns whether it is a destination. */
static bool random_name(uint64_t *rnd, uint32_t format, void *to)
{
	static const uint16_t ports[] = { 0, 1, 4095, 4096, 0xffff };
	static const sa_family_t families[] = { AF_UNSPEC, AF_UNIX, AF_INET, AF_INET6 };
	const sa_family_t own = format == FI_SOCKADDR_IN ? AF_INET : AF_INET6;
	sa_family_t family = below(rnd, 4) ? own : families[below(rnd, 4)];
	uint16_t port = below(rnd, 3) ? 1 + below(rnd, 4095) : ports[below(rnd, 5)];
	bool good = family == own && port && port <= 4095;
	struct sockaddr_in6 *v6 = to;
	struct sockaddr_in *v4 = to;

	if (own == AF_INET) {
		*v4 = (struct sockaddr_in){ .sin_family = family, .sin_port = htons(port) };
		v4->sin_addr.s_addr = below(rnd, 4) ? next_random(rnd) : 0;
		return good && v4->sin_addr.s_addr;
	}
	*v6 = (struct sockaddr_in6){ .sin6_family = family, .sin6_port = htons(port) };
	v6->sin6_scope_id = below(rnd, 2) ? next_random(rnd) : 0;
	random_in6(rnd, &v6->sin6_addr);
	return good && !IN6_IS_ADDR_UNSPECIFIED(&v6->sin6_addr) &&
	       !IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr);
}

/* Hints of any length are taken, and told as they are, or refused */
static void random_hint(struct side *s, uint64_t *rnd, const char *name, size_t size)
{
	struct fi_info *hints = hints_of(&s->want), *info = NULL;
	int ret;

	hints->dest_addrlen = below(rnd, 2) ? size : below(rnd, size + 8);
	hints->dest_addr = get(s, 1, size + 8);
	memcpy(hints->dest_addr, name, size);
	ret = fi_getinfo(SUITE_API, NULL, NULL, 0, hints, &info);
	CHECK(s, !ret || ret == -FI_ENODATA, "fi_getinfo() gives %d", ret);
	CHECK(s, ret || (hints->dest_addrlen == size && info->dest_addrlen == size &&
			 !memcmp(info->dest_addr, name, size)), "another destination");
	fi_freeinfo(hints);
	fi_freeinfo(info);
}

static void addresses(struct side *s)
{
	const size_t size = s->want.format == FI_SOCKADDR_IN ? sizeof(struct sockaddr_in) :
							       sizeof(struct sockaddr_in6);
	struct sockaddr_in6 room[ARRAY];
	char *names = (char *)room, got[256], text[256];
	unsigned int n, i, good, arrays = scaled(ADDRESSES);
	uint64_t rnd = suite.seed;
	fi_addr_t at[ARRAY];
	bool valid[ARRAY];
	size_t len;

	if (!strict())
		skip_case(s, "other providers have more ports");
	for (n = 0; n < arrays; n++) {
		good = 0;
		for (i = 0; i < ARRAY; i++) {
			valid[i] = random_name(&rnd, s->want.format, names + i * size);
			good += valid[i];
			len = sizeof(text);
			fi_av_straddr(s->av, names + i * size, text, &len);
		}
		i = fi_av_insert(s->av, names, ARRAY, at, 0, NULL);
		CHECK(s, i == good, "%u of %u are taken", i, good);
		for (i = 0; i < ARRAY; i++) {
			CHECK(s, (at[i] != FI_ADDR_NOTAVAIL) == valid[i], "address %u of array %u",
			      i, n);
			if (!valid[i])
				continue;
			len = sizeof(got);
			OK(s, fi_av_lookup(s->av, at[i], got, &len));
			CHECK(s, len == size && !memcmp(got, names + i * size, size),
			      "address %u of array %u is another one", i, n);
			OK(s, fi_av_remove(s->av, &at[i], 1, 0));
		}
		/* They are slow: a look at all interfaces. */
		if (!(n % 20))
			random_hint(s, &rnd, names, size);
	}
}

TESTS(fuzz) = {
	{ "any source", without_sources },
	{ "named sources", with_sources, .want = { .caps = FI_SOURCE | FI_DIRECTED_RECV } },
	{ "addresses, IPv4", addresses, .want = { .format = FI_SOCKADDR_IN } },
	{ "addresses, IPv6", addresses, .want = { .format = FI_SOCKADDR_IN6 } },
	{ }
};
