// SPDX-License-Identifier: GPL-2.0
/* Event queues. */
#include <host.h>

#include "suite.h"

static struct fid_eq *open_eq(struct side *s, enum fi_wait_obj wait)
{
	struct fi_eq_attr attr = { .size = 16, .flags = FI_WRITE, .wait_obj = wait };
	struct fid_eq *eq;

	OK_OR_SKIP(s, fi_eq_open(s->fabric, &attr, &eq, NULL));
	return eq;
}

/* What the program writes comes back, in order */
static void written(struct side *s)
{
	struct fid_eq *eq = open_eq(s, FI_WAIT_NONE);
	struct fi_eq_entry e = { .fid = &s->domain->fid };
	uint32_t event;
	uintptr_t i;

	GIVES(s, fi_eq_read(eq, &event, &e, sizeof(e), 0), FI_EAGAIN);
	for (i = 0; i < 5; i++) {
		e.context = (void *)i;
		CHECK(s, fi_eq_write(eq, FI_NOTIFY, &e, sizeof(e), 0) == sizeof(e),
		      "not written");
	}
	CHECK(s, fi_eq_read(eq, &event, &e, sizeof(e), FI_PEEK) == sizeof(e), "nothing to see");
	for (i = 0; i < 5; i++) {
		CHECK(s, fi_eq_read(eq, &event, &e, sizeof(e), 0) == sizeof(e), "nothing to read");
		CHECK(s, event == FI_NOTIFY && e.context == (void *)i, "event %u, %p", event,
		      e.context);
	}
	GIVES(s, fi_eq_read(eq, &event, &e, sizeof(e), 0), FI_EAGAIN);
	OK(s, fi_close(&eq->fid));
}

static void waits(struct side *s)
{
	struct fid_eq *eq = open_eq(s, FI_WAIT_UNSPEC);
	struct fi_eq_entry e = { 0 };
	struct fi_eq_err_entry err = { 0 };
	uint64_t t0 = host_now_ns();
	uint32_t event;

	GIVES(s, fi_eq_sread(eq, &event, &e, sizeof(e), 100, 0), FI_EAGAIN);
	CHECK(s, host_now_ns() - t0 >= 90000000, "it does not wait");
	GIVES(s, fi_eq_readerr(eq, &err, 0), FI_EAGAIN);
	CHECK(s, fi_eq_write(eq, FI_NOTIFY, &e, sizeof(e), 0) == sizeof(e), "not written");
	CHECK(s, fi_eq_sread(eq, &event, &e, sizeof(e), 10000, 0) == sizeof(e),
	      "what is there is not read");
	OK(s, fi_close(&eq->fid));
}

/* Insertion of addresses tells that it is done (FI_EVENT) */
static void inserted(struct side *s)
{
	struct fi_av_attr attr = { .type = s->info->domain_attr->av_type, .flags = FI_EVENT };
	struct fid_eq *eq = open_eq(s, FI_WAIT_UNSPEC);
	struct fi_eq_entry e = { 0 };
	fi_addr_t at = FI_ADDR_NOTAVAIL;
	struct fid_av *av;
	char name[256];
	size_t len = sizeof(name);
	uint32_t event;
	int ret;

	ret = fi_av_open(s->domain, &attr, &av, NULL);
	if (ret && !strict()) {
		fi_close(&eq->fid);
		skip_case(s, "no FI_EVENT of tables");
	}
	OK(s, ret);
	OK(s, fi_av_bind(av, &eq->fid, 0));
	OK(s, fi_getname(&s->ep->fid, name, &len));
	CHECK(s, fi_av_insert(av, name, 1, &at, 0, s) >= 0, "not inserted");
	CHECK(s, fi_eq_sread(eq, &event, &e, sizeof(e), 10000, 0) == sizeof(e), "no event");
	CHECK(s, event == FI_AV_COMPLETE, "event %u", event);
	CHECK(s, e.fid == &av->fid && e.context == s && e.data == 1, "of %p, %p, %llu",
	      (void *)e.fid, e.context, (unsigned long long)e.data);
	CHECK(s, at != FI_ADDR_NOTAVAIL, "no number");
	OK(s, fi_close(&av->fid));
	OK(s, fi_close(&eq->fid));
}

/* A table without a queue of its own uses that of its domain. */
static void domains(struct side *s)
{
	struct fi_av_attr attr = { .type = s->info->domain_attr->av_type, .flags = FI_EVENT };
	struct fid_eq *eq = open_eq(s, FI_WAIT_UNSPEC);
	struct fi_eq_entry e = { 0 };
	struct fid_domain *domain;
	char name[256];
	size_t len = sizeof(name);
	struct fid_av *av;
	fi_addr_t at;
	uint32_t event;

	if (!strict()) {
		fi_close(&eq->fid);
		skip_case(s, "others have rules of their own");
	}
	OK(s, fi_domain(s->fabric, s->info, &domain, NULL));
	OK(s, fi_av_open(domain, &attr, &av, NULL));
	OK(s, fi_getname(&s->ep->fid, name, &len));
	GIVES(s, fi_av_insert(av, name, 1, &at, 0, s), FI_ENOEQ);
	OK(s, fi_domain_bind(domain, &eq->fid, 0));
	OK(s, fi_av_insert(av, name, 1, &at, 0, s));
	CHECK(s, fi_eq_sread(eq, &event, &e, sizeof(e), 10000, 0) == sizeof(e), "no event");
	CHECK(s, event == FI_AV_COMPLETE && e.data == 1, "event %u", event);
	OK(s, fi_close(&av->fid));
	GIVES(s, fi_close(&eq->fid), FI_EBUSY);
	OK(s, fi_close(&domain->fid));
	OK(s, fi_close(&eq->fid));
}

TESTS(eq) = {
	{ "what is written", written },
	{ "waiting", waits },
	{ "addresses are inserted", inserted },
	{ "addresses are inserted, queue of the domain", domains },
	{ }
};
