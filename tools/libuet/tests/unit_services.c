// SPDX-License-Identifier: GPL-2.0
/* Names of services and hosts, and options by name */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../internal.h"
#include "unit.h"

static const char services[] =
	"# name  pid[/ri]  job  aliases\n"
	"\n"
	"echo    100             ping  pong   # with a remark\n"
	"kv\t200/1\tjob=0x7\tstore\r\n"
	"both    201 other job=0\n"
	"1name   5\n"		/* names begin with a letter */
	"nopid\n"
	"zero    0\n"
	"large   4096\n"
	"index   5/4096\n"
	"junk    5x\n"
	"twojobs 5 job=1 job=2\n"
	"badjob  5 job=16777216\n"
	"echo    999\n"		/* the first one counts */
	"again   100/0\n"
	"last    4095/4095";	/* no line feed */

static char path[] = "/tmp/libuet-services.XXXXXX";

static void write_file(const char *text, size_t len)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(text, 1, len, f) != len || fclose(f))
		abort();
}

static const char *is(const char *name)
{
	static char text[512];
	struct libuet_service e;

	if (libuet_getservbyname(name, &e))
		return libuet_errno_name(errno);
	snprintf(text, sizeof(text), "%s %u/%u %d:%u [%s]", e.name, e.pid, e.ri,
		 e.has_job, e.job, e.aliases);
	return text;
}

static void test_lookups(void)
{
	static const char * const names[][2] = {
		{ "echo", "echo 100/0 0:0 [ping pong]" },
		{ "ping", "echo 100/0 0:0 [ping pong]" },
		{ "pong", "echo 100/0 0:0 [ping pong]" },
		{ "kv", "kv 200/1 1:7 [store]" },
		{ "store", "kv 200/1 1:7 [store]" },
		{ "both", "both 201/0 1:0 [other]" },
		{ "last", "last 4095/4095 0:0 []" },
		{ "pon", "ENOENT" }, { "pongo", "ENOENT" },
		{ "ping pong", "ENOENT" }, { "", "ENOENT" },
		{ "with", "ENOENT" }, { "1name", "ENOENT" },
		{ "nopid", "ENOENT" }, { "zero", "ENOENT" },
		{ "large", "ENOENT" }, { "index", "ENOENT" },
		{ "junk", "ENOENT" }, { "twojobs", "ENOENT" },
		{ "badjob", "ENOENT" },
	};
	struct libuet_service e;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *got = is(names[i][0]);

		ok(!strcmp(got, names[i][1]), "service \"%s\" is %s (%s)",
		   names[i][0], names[i][1], got);
	}
	ok(!libuet_getservbypid(200, 1, &e) && !strcmp(e.name, "kv"),
	   "a service by its numbers");
	ok(!libuet_getservbypid(100, 0, &e) && !strcmp(e.name, "echo"),
	   "the first one counts");
	ok(libuet_getservbypid(200, 0, &e) && errno == ENOENT,
	   "another index is another service");
}

static void test_walk(void)
{
	struct libuet_services *s = libuet_openservices();
	struct libuet_service e;
	int n = 0;

	while (libuet_getservice(s, &e))
		n++;
	libuet_closeservices(s);
	libuet_closeservices(NULL);
	ok(n == 6, "all entries, and no malformed line (%d)", n);
}

static void test_long_line(void)
{
	size_t len = 100000;
	char *text = malloc(len + 32);

	memset(text, 'x', len);
	memcpy(text, "long 5 ", 7);
	strcpy(text + len, " long 6\nshort 7\n");
	write_file(text, strlen(text));
	ok(!strcmp(is("long"), "ENOENT") && !strcmp(is("short"),
						     "short 7/0 0:0 []"),
	   "a line that is too long is passed over as one");
	free(text);
}

static void test_noise(unsigned long rounds)
{
	unsigned long bad = 0;

	for (unsigned long i = 0; i < rounds; i++) {
		size_t len = sizeof(services);
		char *line = malloc(len);
		struct libuet_service e;
		size_t from = random() % (len - 1);

		memcpy(line, services + from, len - from);
		for (int n = random() % 20; n >= 0; n--)
			line[random() % (len - from)] = 1 + random() % 255;
		line[len - from - 1] = 0;
		if (libuet__parse_service(line, &e) &&
		    (!e.pid || e.pid > UET_PID_MAX || e.ri > UET_RI_MAX ||
		     e.job > UET_JOB_MAX || !*e.name))
			bad++;
		free(line);
	}
	ok(!bad, "lines of noise (%lu)", rounds);
}

static const char *resolved(const char *text, int max)
{
	static char uri[LIBUET_URI_SIZE];
	struct sockaddr_uet sa[4], base = { .suet_job = 9, .suet_ri = 4 };
	int n = libuet_resolve(text, &base, sa, max);

	if (n < 1)
		return libuet_errno_name(errno);
	libuet_format(&sa[0], uri, sizeof(uri));
	return uri;
}

static void test_resolve(void)
{
	static const char * const texts[][2] = {
		{ "10.0.0.1/echo", "uet://10.0.0.1/9/100/0" },
		{ "10.0.0.1/kv", "uet://10.0.0.1/7/200/1" },
		{ "10.0.0.1/kv/3", "uet://10.0.0.1/7/200/3" },
		{ "uet://10.0.0.1/8/kv", "uet://10.0.0.1/8/200/1" },
		{ "uet://10.0.0.1//kv", "uet://10.0.0.1/7/200/1" },
		{ "10.0.0.1/5", "uet://10.0.0.1/9/5/4" },
		{ "10.0.0.1/nosuch", "ENOENT" },
		{ "10.0.0.1/5x", "EINVAL" },
		{ "10.0.0.1/4096", "ERANGE" },
		{ "[somehost]/5", "EINVAL" },
		{ "fd00::x/5", "EINVAL" },
		{ "fe80::1%nosuchdevice/5", "ENODEV" },
		{ "host.invalid./5", "ENXIO EAGAIN EIO" },
	};
	struct sockaddr_uet sa[4];
	int n;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		const char *got = resolved(texts[i][0], 4);

		ok(strstr(texts[i][1], got), "resolve \"%s\" is %s (%s)",
		   texts[i][0], texts[i][1], got);
	}
	n = libuet_resolve("localhost/5", NULL, sa, 4);
	ok(n >= 1 && sa[0].suet_pid == 5 && sa[n - 1].suet_pid == 5 &&
	   (IN6_IS_ADDR_LOOPBACK(&sa[0].suet_addr) ||
	    sa[0].suet_addr.s6_addr[12] == 127),
	   "a host by name (%d addresses)", n);
	ok(libuet_resolve("localhost/5", NULL, sa, 1) == 1, "one of them");
	ok(libuet_resolve("localhost/5", NULL, sa, 0) == -1 && errno == EINVAL,
	   "room for none");
}

static void test_no_file(void)
{
	unlink(path);
	ok(!strcmp(is("echo"), "ENOENT"), "no file of services: ENOENT");
	ok(!libuet_openservices() && errno == ENOENT, "... and no handle");
}

static void test_options(void)
{
	static const char * const bad[][3] = {
		{ "colour", "red", "ENOENT" }, { "type", "stream", "EINVAL" },
		{ "delivery", "", "EINVAL" }, { "job", "16777216", "ERANGE" },
		{ "job", "x", "EINVAL" }, { "tclass", "64", "ERANGE" },
		{ "tclass", "-2", "EINVAL" }, { "sndbuf", "2g", "ERANGE" },
		{ "sndbuf", "1kk", "EINVAL" }, { "sndbuf", "k", "EINVAL" },
		{ "max_msg", "17179869184g", "ERANGE" },
		{ "notify", "3", "ERANGE" }, { "mark", "-1", "EINVAL" },
	};
	struct libuet_sock how = { .type = SOCK_NONBLOCK };

	ok(!libuet_sock_set(&how, "type", "seq") &&
	   how.type == (SOCK_SEQPACKET | SOCK_NONBLOCK), "option type");
	ok(!libuet_sock_set(&how, "delivery", "rod") && how.delivery == UET_ROD,
	   "option delivery");
	ok(!libuet_sock_set(&how, "job", "0") && how.enter_job, "option job");
	ok(!libuet_sock_set(&how, "tclass", "0") && how.set_tclass &&
	   !how.tclass, "option tclass");
	ok(!libuet_sock_set(&how, "tclass", "-1") && how.tclass == -1,
	   "option tclass, none");
	ok(!libuet_sock_set(&how, "sndbuf", "64k") && how.sndbuf == 65536,
	   "option sndbuf");
	ok(!libuet_sock_set(&how, "max_msg", "3g") && how.max_msg == 3U << 30,
	   "option max_msg");
	ok(!libuet_sock_set(&how, "notify", NULL) && how.notify == 1,
	   "option notify");
	ok(!libuet_sock_set(&how, "notify", "2") && how.notify == UET_NOTIFY_NAMED,
	   "option notify, named messages");
	ok(!libuet_sock_set(&how, "cc", "nscc") && !strcmp(how.cc, "nscc"),
	   "option cc");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ok(libuet_sock_set(&how, bad[i][0], bad[i][1]) == -1 &&
		   !strcmp(libuet_errno_name(errno), bad[i][2]),
		   "option %s \"%s\" gives %s", bad[i][0], bad[i][1], bad[i][2]);
}

void test_services(unsigned long rounds)
{
	int fd = mkstemp(path);

	if (fd < 0 || setenv("UET_SERVICES", path, 1))
		abort();
	close(fd);
	write_file(services, sizeof(services) - 1);
	test_lookups();
	test_walk();
	test_resolve();
	test_long_line();
	test_noise(rounds);
	test_no_file();
	test_options();
}
