// SPDX-License-Identifier: GPL-2.0
/* Tables of addresses. */
#include <stdio.h>

#include "suite.h"

struct name {
	char	addr[256];
	size_t	len;
};

static void own_name(struct side *s, struct name *n)
{
	n->len = sizeof(n->addr);
	OK(s, fi_getname(&s->ep->fid, n->addr, &n->len));
}

static void lookup(struct side *s)
{
	struct name own, got = { .len = sizeof(got.addr) };

	own_name(s, &own);
	OK(s, fi_av_lookup(s->av, s->self, got.addr, &got.len));
	CHECK(s, got.len == own.len, "%zu bytes, not %zu", got.len, own.len);
	CHECK(s, !memcmp(got.addr, own.addr, own.len), "another address");
	/* What does not fit is cut, and the whole length told */
	memset(got.addr, 0x77, sizeof(got.addr));
	got.len = 4;
	OK(s, fi_av_lookup(s->av, s->self, got.addr, &got.len));
	CHECK(s, got.len == own.len, "%zu bytes are needed, not %zu", got.len, own.len);
	CHECK(s, !memcmp(got.addr, own.addr, 4) && got.addr[4] == 0x77, "not 4 bytes are written");
}

static void as_text(struct side *s)
{
	char text[256], part[8];
	size_t len = sizeof(text), cut = sizeof(part);
	struct name own;

	own_name(s, &own);
	CHECK(s, fi_av_straddr(s->av, own.addr, text, &len) == text, "no text");
	CHECK(s, len == strlen(text) + 1, "%zu for %s", len, text);
	CHECK(s, !strict() || !strncmp(text, "uet://", 6), "%s", text);
	fi_av_straddr(s->av, own.addr, part, &cut);
	CHECK(s, cut == len, "%zu are needed, not %zu", cut, len);
	CHECK(s, strnlen(part, sizeof(part)) < sizeof(part), "a text without an end");
}

/* Places are numbered from 0 on, and those of what was removed are gone */
static void table(struct side *s)
{
	struct name own;
	char *names;
	fi_addr_t at[50];
	unsigned int i;

	own_name(s, &own);
	names = get(s, ARRAY_SIZE(at), own.len);
	for (i = 0; i < ARRAY_SIZE(at); i++)
		memcpy(names + i * own.len, own.addr, own.len);
	CHECK(s, fi_av_insert(s->av, names, 0, at, 0, NULL) == 0, "none is not 0");
	CHECK(s, fi_av_insert(s->av, names, ARRAY_SIZE(at), at, 0, NULL) == ARRAY_SIZE(at),
	      "not all are inserted");
	free(names);
	for (i = 0; strict() && s->want.av == FI_AV_TABLE && i < ARRAY_SIZE(at); i++)
		CHECK(s, at[i] == s->self + 1 + i, "number %llu for %u",
		      (unsigned long long)at[i], i);
	for (i = 0; i < ARRAY_SIZE(at); i++) {
		struct op *rx = recv_tag(s, 10, i, NO_IGNORE);
		struct op *tx = send_tag_to(s, at[i], 10, i, i);

		check_got_tag(rx, 10, i, i);
		check_sent(tx);
		op_free(rx);
		op_free(tx);
	}
	OK(s, fi_av_remove(s->av, at, ARRAY_SIZE(at), 0));
	if (strict()) {
		size_t len = sizeof(own.addr);

		CHECK(s, fi_av_lookup(s->av, at[3], own.addr, &len) < 0, "what was removed is there");
		CHECK(s, fi_av_remove(s->av, at, 1, 0) < 0, "what was removed is removed again");
	}
	CHECK(s, fi_av_insert(s->av, own.addr, 1, at, 0, NULL) == 1, "none after a removal");
}

static void by_service(struct side *s)
{
	fi_addr_t at;
	int ret;

	if (!suite.node[0])
		skip_case(s, "no address was given");
	ret = fi_av_insertsvc(s->av, suite.node[0], "100", &at, 0, NULL);
	if (ret == -FI_ENOSYS)
		skip_case(s, "no fi_av_insertsvc()");
	CHECK(s, ret == 1, "fi_av_insertsvc() gives %d", ret);
	CHECK(s, at != FI_ADDR_NOTAVAIL, "no number");
}

/* What text leaves out is that of the domain: its job */
static void short_text(struct side *s)
{
	struct fi_info *hints, *info = NULL;
	struct name own, got = { .len = sizeof(got.addr) };
	char text[256];
	unsigned int pid;
	fi_addr_t at;

	if (!strict() || !suite.node[0])
		skip_case(s, "of another provider, or no address was given");
	hints = hints_of(&s->want);
	snprintf(text, sizeof(text), "%s/5", suite.node[0]);
	hints->src_addr = strdup(text);
	hints->src_addrlen = strlen(text) + 1;
	OK(s, fi_getinfo(SUITE_API, NULL, NULL, 0, hints, &info));
	fi_freeinfo(info);
	fi_freeinfo(hints);
	own_name(s, &own);
	CHECK(s, sscanf(own.addr, "uet://%*[^/]/%*u/%u", &pid) == 1, "%s", own.addr);
	snprintf(text, sizeof(text), "%s/%u", suite.node[0], pid);
	side_insert(s, text, &at);
	OK(s, fi_av_lookup(s->av, at, got.addr, &got.len));
	CHECK(s, !strcmp(own.addr, got.addr), "%s, not %s", got.addr, own.addr);
}

/* Two endpoints with one table; each is known by its number */
static void shared(struct side *s)
{
	struct fid_ep *ep = NULL, *first;
	struct op *rx, *tx;
	fi_addr_t other;

	side_new_ep(s, &ep, &other);
	first = s->ep;
	rx = recv_tag(s, 100, 5, NO_IGNORE);
	s->ep = ep;
	tx = send_tag_to(s, s->self, 100, 1, 5);
	check_got_tag(rx, 100, 1, 5);
	check_sent(tx);
	CHECK(s, !(s->want.caps & FI_SOURCE) || rx->src == other, "from %llu, not %llu",
	      (unsigned long long)rx->src, (unsigned long long)other);
	s->ep = first;
	OK(s, fi_close(&ep->fid));
}

TESTS(av) = {
	{ "lookup", lookup },
	{ "addresses as text", as_text },
	{ "a table", table, .want = { .av = FI_AV_TABLE } },
	{ "a map", table, .want = { .av = FI_AV_MAP } },
	{ "a node and a service", by_service },
	{ "text without a job", short_text, .want = { .format = FI_ADDR_STR } },
	{ "shared by two endpoints", shared },
	{ "... which know the source", shared, .want = { .caps = FI_SOURCE } },
	{ }
};
