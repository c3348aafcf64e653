// SPDX-License-Identifier: GPL-2.0
/* Reads a plan, builds the fabric, runs the traffic, writes the raw results. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lab.h"

#define FILES	65536

struct lab lab;

void die(const char *fmt, ...)
{
	int err = errno;
	va_list ap;

	fprintf(stderr, "lab: ");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, " (%s)\n", strerror(err));
	exit(1);
}

static void report_flows(void)
{
	struct flow *f;
	int i;

	for (i = 0; i < lab.nr_flows; i++) {
		f = &lab.flows[i];
		fprintf(lab.raw, "flow %d %d %lld %lld %lld %llu %s\n", f->id,
			f->conn->id,
			f->started ? (long long)(f->t_start - lab.t0) : -1LL,
			f->done ? (long long)(f->t_done - lab.t0) : -1LL,
			f->t_acked ? (long long)(f->t_acked - lab.t0) : -1LL,
			(unsigned long long)f->received,
			f->bad ? "bad" : "ok");
	}
}

static void report_ports(void)
{
	char path[320];
	int i;

	for (i = 0; i < lab.nr_ns; i++) {
		snprintf(path, sizeof(path), "tc.%s.json", lab.ns[i].name);
		netns_exec(&lab.ns[i], "tc", NULL, path);
	}
}

/* All hosts of the fabric have their sockets in this one process. */
static void files_raise(void)
{
	struct rlimit many = { .rlim_cur = FILES, .rlim_max = FILES };

	if (setrlimit(RLIMIT_NOFILE, &many))
		die("cannot have %d files open", FILES);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: lab-guest FOLDER\n");
		return 2;
	}
	/* All names are relative: a run must not depend on where its folder is. */
	if (chdir(argv[1]))
		die("cannot go to %s", argv[1]);
	files_raise();
	lab.epfd = epoll_create1(EPOLL_CLOEXEC);
	content_init();
	lab.raw = fopen("raw", "we");
	if (!lab.raw)
		die("cannot write raw");
	setvbuf(lab.raw, NULL, _IOFBF, 1 << 20);

	plan_read("plan");
	traffic_open();
	sample_init();
	sample_counters("before");
	reorder_start();
	repair_start();
	traffic_start();
	traffic_run();
	ranks_check();
	report_flows();
	reorder_report();
	repair_report();
	sample_counters("after");
	report_ports();
	fprintf(lab.raw, "end\n");
	if (fclose(lab.raw))
		die("cannot write raw");
	return 0;
}
