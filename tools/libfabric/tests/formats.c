// SPDX-License-Identifier: GPL-2.0
/* Formats of addresses: text, and socket addresses, whose port is the PIDonFEP here. */
#include <arpa/inet.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "suite.h"

union name {
	struct sockaddr		sa;
	struct sockaddr_in	v4;
	struct sockaddr_in6	v6;
	char			text[256];
};

static in_port_t *port_of(union name *n)
{
	return n->sa.sa_family == AF_INET ? &n->v4.sin_port : &n->v6.sin6_port;
}

static bool is_text(struct side *s)
{
	return s->info->addr_format == FI_ADDR_STR;
}

static size_t own_name(struct side *s, union name *n)
{
	size_t len = sizeof(*n);

	memset(n, 0, sizeof(*n));
	OK(s, fi_getname(&s->ep->fid, n, &len));
	return len;
}

/* FI_SOCKADDR is asked for, and the family is told */
static void check_format(struct side *s, const struct fi_info *info)
{
	const uint32_t format = info->addr_format;
	const struct sockaddr *sa = info->src_addr;

	if (s->want.format == FI_SOCKADDR)
		CHECK(s, format == FI_SOCKADDR_IN || format == FI_SOCKADDR_IN6, "format %u",
		      format);
	else if (format != s->want.format && !strict())
		skip_case(s, "format %u instead", format);
	else
		CHECK(s, format == s->want.format, "format %u", format);
	if (format == FI_ADDR_STR)
		return;
	CHECK(s, sa->sa_family == (format == FI_SOCKADDR_IN ? AF_INET : AF_INET6), "family %d",
	      sa->sa_family);
	CHECK(s, info->src_addrlen == (format == FI_SOCKADDR_IN ? sizeof(struct sockaddr_in) :
				       sizeof(struct sockaddr_in6)), "%zu bytes",
	      info->src_addrlen);
}

/* What the endpoint, the table and fi_getinfo() have is one address */
static void round_trip(struct side *s)
{
	struct fi_info *hints = hints_of(&s->want), *info = NULL, *i;
	char text[256];
	union name own, got;
	size_t len, room;

	len = own_name(s, &own);
	room = sizeof(got);
	OK(s, fi_av_lookup(s->av, s->self, &got, &room));
	CHECK(s, room == len && !memcmp(&got, &own, len), "the table has another address");
	room = sizeof(text);
	CHECK(s, fi_av_straddr(s->av, &own, text, &room) == text && *text, "no text");
	if (!is_text(s)) {
		CHECK(s, *port_of(&own), "no port");
		CHECK(s, !strict() || ntohs(*port_of(&own)) <= 4095, "port %u",
		      ntohs(*port_of(&own)));
	}
	hints->dest_addr = memcpy(malloc(len), &own, len);
	hints->dest_addrlen = len;
	OK(s, fi_getinfo(SUITE_API, NULL, NULL, 0, hints, &info));
	for (i = info; i; i = i->next) {
		CHECK(s, !strict() || i->addr_format == s->info->addr_format, "format %u",
		      i->addr_format);
		CHECK(s, i->dest_addrlen == len && !memcmp(i->dest_addr, &own, len),
		      "the hint is another address");
	}
	fi_freeinfo(info);
	fi_freeinfo(hints);
}

static void what_is_told(struct side *s)
{
	struct fi_info *hints = hints_of(&s->want), *info = NULL, *i;
	int ret = fi_getinfo(SUITE_API, NULL, NULL, 0, hints, &info);

	fi_freeinfo(hints);
	if (ret == -FI_ENODATA && !strict())
		skip_case(s, "no such addresses");
	OK(s, ret);
	for (i = info; i; i = i->next)
		check_format(s, i);
	fi_freeinfo(info);
}

/* Short messages and long ones, and injected ones; who sent them is known */
static void exchange(struct side *s)
{
	const size_t sizes[] = { 1, 5000, 200000 };
	struct op *rx, *tx;
	unsigned int i;

	check_format(s, s->info);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		rx = recv_tag_from(s, s->peer, sizes[i], i, NO_IGNORE);
		tx = send_tag(s, sizes[i], i, i);
		check_got_tag(rx, sizes[i], i, i);
		check_sent(tx);
		CHECK(s, rx->src == s->peer, "from %llu", (unsigned long long)rx->src);
	}
	rx = recv_tag(s, 100, 9, NO_IGNORE);
	tx = op_content(s, 100, 9);
	POST(s, fi_tinject(s->ep, tx->buf, 100, s->peer, 9));
	check_got_tag(rx, 100, 9, 9);
}

/* Who is not in the table is nobody */
static void unknown_source(struct side *s)
{
	struct op *rx;

	if (!strict())
		skip_case(s, "of another provider");
	OK(s, fi_av_remove(s->av, &s->peer, 1, 0));
	rx = recv_tag(s, 100, 1, NO_IGNORE);
	meet(s);
	check_got_tag(rx, 100, 1, 1);
	CHECK(s, rx->src == FI_ADDR_NOTAVAIL, "from %llu", (unsigned long long)rx->src);
}

static void unknown_source_sends(struct side *s)
{
	if (!strict())
		skip_case(s, "of another provider");
	meet(s);
	check_sent(send_tag(s, 100, 1, 1));
}

/* Neighbours in an array, two of which are none */
static void array(struct side *s)
{
	const uint16_t ports[] = { 1, 0, 17, 4096, 4095 };
	size_t len, room, i;
	fi_addr_t at[ARRAY_SIZE(ports)];
	union name own, want, got;
	int n, good = 0;
	char *names;

	if (!strict())
		skip_case(s, "other providers have more ports");
	len = own_name(s, &own);
	names = get(s, ARRAY_SIZE(ports), len);
	for (i = 0; i < ARRAY_SIZE(ports); i++) {
		*port_of(&own) = htons(ports[i]);
		memcpy(names + i * len, &own, len);
	}
	n = fi_av_insert(s->av, names, ARRAY_SIZE(ports), at, 0, NULL);
	for (i = 0; i < ARRAY_SIZE(ports); i++) {
		if (!ports[i] || ports[i] > 4095) {
			CHECK(s, at[i] == FI_ADDR_NOTAVAIL, "port %u is taken", ports[i]);
			continue;
		}
		good++;
		want = own;
		*port_of(&want) = htons(ports[i]);
		room = sizeof(got);
		OK(s, fi_av_lookup(s->av, at[i], &got, &room));
		CHECK(s, room == len && !memcmp(&got, &want, len), "another one at %zu", i);
	}
	free(names);
	CHECK(s, n == good, "%d are inserted", n);
}

static int try_insert(struct side *s, const union name *n)
{
	fi_addr_t at;

	return fi_av_insert(s->av, n, 1, &at, 0, NULL);
}

static int try_hint(struct side *s, const union name *n, size_t len)
{
	struct fi_info *hints = hints_of(&s->want), *info = NULL;
	int ret;

	hints->src_addr = memcpy(malloc(sizeof(*n)), n, sizeof(*n));
	hints->src_addrlen = len;
	ret = fi_getinfo(SUITE_API, NULL, NULL, 0, hints, &info);
	fi_freeinfo(hints);
	fi_freeinfo(info);
	return ret;
}

static void refused(struct side *s)
{
	struct fi_info *hints = hints_of(&s->want), *info = NULL;
	union name own, bad;
	size_t len;
	fi_addr_t at;

	if (!strict())
		skip_case(s, "other providers have more ports");
	len = own_name(s, &own);
	OK(s, try_hint(s, &own, len));
	GIVES(s, try_hint(s, &own, len - 1), FI_ENODATA);
	GIVES(s, try_hint(s, &own, len + 1), FI_ENODATA);
	GIVES(s, try_hint(s, &own, 1), FI_ENODATA);
	bad = own;
	*port_of(&bad) = htons(9228);
	GIVES(s, try_hint(s, &bad, len), FI_ENODATA);
	bad = own;
	bad.sa.sa_family = AF_UNIX;
	GIVES(s, try_hint(s, &bad, len), FI_ENODATA);
	CHECK(s, !try_insert(s, &bad), "another family is taken");
	/* One of IPv4 among those of IPv6, and the other way round */
	bad.sa.sa_family = own.sa.sa_family == AF_INET ? AF_INET6 : AF_INET;
	GIVES(s, try_hint(s, &bad, len), FI_ENODATA);
	CHECK(s, !try_insert(s, &bad), "the other family is taken");
	memset(&bad.v6.sin6_port, 0, sizeof(bad) - sizeof(sa_family_t));
	GIVES(s, try_hint(s, &bad, len == sizeof(bad.v4) ? sizeof(bad.v6) : sizeof(bad.v4)),
	      FI_ENODATA);
	memset(&bad, 0, sizeof(bad));
	bad.sa.sa_family = own.sa.sa_family;
	*port_of(&bad) = htons(5);
	CHECK(s, !try_insert(s, &bad), "no address is one");
	OK(s, try_hint(s, &bad, len));
	GIVES(s, fi_getinfo(SUITE_API, NULL, "9228", FI_SOURCE, hints, &info), FI_ENODATA);
	/* A socket address has no place for it */
	GIVES(s, fi_getinfo(SUITE_API, NULL, "5/3", FI_SOURCE, hints, &info), FI_ENODATA);
	fi_freeinfo(hints);
	inet_ntop(own.sa.sa_family, own.sa.sa_family == AF_INET ? (void *)&own.v4.sin_addr :
		  (void *)&own.v6.sin6_addr, bad.text, sizeof(bad.text));
	CHECK(s, fi_av_insertsvc(s->av, bad.text, "5", &at, 0, NULL) == 1, "no service");
	CHECK(s, !fi_av_insertsvc(s->av, bad.text, "5/3", &at, 0, NULL), "a resource index");
	CHECK(s, !fi_av_insertsvc(s->av, bad.text, "9228", &at, 0, NULL), "a port of TCP");
	CHECK(s, !fi_av_insertsvc(s->av, bad.text, NULL, &at, 0, NULL), "no port");
}

/* An endpoint is where its information, or fi_setname(), says */
static void local_port(struct side *s)
{
	struct fid_ep *ep[2] = { NULL, NULL }, *first = s->ep;
	union name own, got;
	fi_addr_t at;
	size_t len;

	if (!strict())
		skip_case(s, "of another provider");
	len = own_name(s, &own);
	*port_of(&own) = htons(777);
	memcpy(s->info->src_addr, &own, len);
	side_new_ep(s, &ep[0], &at);
	s->ep = ep[0];
	CHECK(s, own_name(s, &got) == len && !memcmp(&got, &own, len), "another address");
	*port_of(&own) = htons(778);
	OK(s, fi_endpoint(s->domain, s->info, &ep[1], NULL));
	OK(s, fi_setname(&ep[1]->fid, &own, len));
	GIVES(s, fi_setname(&ep[1]->fid, &own, len - 1), FI_EINVAL);
	side_new_ep(s, &ep[1], &at);
	s->ep = ep[1];
	CHECK(s, own_name(s, &got) == len && !memcmp(&got, &own, len), "another name");
	s->ep = first;
	OK(s, fi_close(&ep[0]->fid));
	OK(s, fi_close(&ep[1]->fid));
}

/* Endpoints do not have one port; where no other is left there is no other endpoint */
static void own_ports(struct side *s)
{
	struct fid_ep *ep, *first = s->ep;
	union name own, other;
	size_t len;
	int ret;

	len = own_name(s, &own);
	OK(s, fi_endpoint(s->domain, s->info, &ep, NULL));
	OK(s, fi_ep_bind(ep, &s->av->fid, 0));
	OK(s, fi_ep_bind(ep, &s->cq->fid, FI_TRANSMIT | FI_RECV));
	ret = fi_enable(ep);
	CHECK(s, !ret || ret == -FI_EADDRINUSE, "fi_enable() gives %d", ret);
	s->ep = ep;
	CHECK(s, ret || own_name(s, &other) != len || memcmp(&own, &other, len), "one name");
	s->ep = first;
	OK(s, fi_close(&ep->fid));
}

/* Text ends where its length says. */
static void no_end(struct side *s)
{
	static const char text[] = "10.0.0.77/5";
	const size_t page = sysconf(_SC_PAGESIZE), len = strlen(text);
	struct fid_ep *ep;
	char *pages;

	if (!strict())
		skip_case(s, "of another provider");
	pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(s, pages != MAP_FAILED && !mprotect(pages + page, page, PROT_NONE), "mmap()");
	memcpy(pages + page - len, text, len);
	OK(s, fi_endpoint(s->domain, s->info, &ep, NULL));
	OK(s, fi_setname(&ep->fid, pages + page - len, len));
	OK(s, fi_close(&ep->fid));
	munmap(pages, 2 * page);
}

/* An endpoint has the format of its domain. */
static void format_of_its_own(struct side *s)
{
	const uint32_t format = s->info->addr_format;
	struct fid_ep *ep;
	int ret;

	if (!strict())
		skip_case(s, "of another provider");
	s->info->addr_format = FI_SOCKADDR;
	ret = fi_endpoint(s->domain, s->info, &ep, NULL);
	s->info->addr_format = format;
	CHECK(s, ret == -FI_EINVAL, "fi_endpoint() gives %d", ret);
}

/* Which interface a link-local address is of */
static void link_local(struct side *s)
{
	union name own, got;
	size_t len, room = sizeof(got);
	fi_addr_t at;

	if (!strict())
		skip_case(s, "of another provider");
	len = own_name(s, &own);
	if (own.sa.sa_family != AF_INET6)
		skip_case(s, "none of IPv6");
	inet_pton(AF_INET6, "fe80::77", &own.v6.sin6_addr);
	own.v6.sin6_scope_id = 7;
	side_insert(s, own.text, &at);
	OK(s, fi_av_lookup(s->av, at, &got, &room));
	CHECK(s, room == len && !memcmp(&got, &own, len), "scope %u", got.v6.sin6_scope_id);
}

#define IN(case_, ...)	case_ ", IPv4", __VA_ARGS__, .want.format = FI_SOCKADDR_IN
#define IN6(case_, ...)	case_ ", IPv6", __VA_ARGS__, .want.format = FI_SOCKADDR_IN6
#define SA(case_, ...)	case_ ", either", __VA_ARGS__, .want.format = FI_SOCKADDR
#define STR(case_, ...)	case_ ", text", __VA_ARGS__, .want.format = FI_ADDR_STR
#define BARE		.want.own_domain = true
#define KNOWN		.want.caps = FI_SOURCE | FI_DIRECTED_RECV
TESTS(formats) = {
	{ IN("information", what_is_told), BARE },
	{ IN6("information", what_is_told), BARE },
	{ SA("information", what_is_told), BARE },
	{ IN("a round trip", round_trip) },
	{ IN6("a round trip", round_trip) },
	{ SA("a round trip", round_trip) },
	{ STR("a round trip", round_trip) },
	{ IN("an array", array) },
	{ IN6("an array", array) },
	{ IN("what is refused", refused) },
	{ IN6("what is refused", refused) },
	{ IN("a local port", local_port) },
	{ IN6("a local port", local_port) },
	{ IN("ports of their own", own_ports) },
	{ IN6("a scope", link_local) },
	{ STR("no end", no_end) },
	{ IN("a format of its own", format_of_its_own) },
	{ IN("messages", exchange, exchange), KNOWN },
	{ IN6("messages", exchange, exchange), KNOWN },
	{ SA("messages", exchange, exchange), KNOWN },
	{ STR("messages", exchange, exchange), KNOWN },
	{ IN("an unknown source", unknown_source, unknown_source_sends), KNOWN },
	{ IN6("an unknown source", unknown_source, unknown_source_sends), KNOWN },
	{ }
};
