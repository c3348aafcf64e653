// SPDX-License-Identifier: GPL-2.0
/*
 * fi_suite: tests of a libfabric provider, KTAP on standard output.
 *
 *	fi_suite [-p PROVIDER] [-s NODE] [-d NODE] [-n NETNS] [-m MODES] [-t SECONDS]
 *		 [-c PERCENT] [-r SEED] [-L] [-o HOST] [CASES...]
 *	fi_suite -w [-p PROVIDER] [-s NODE] [-d NODE] [-t SECONDS] [-c PERCENT]
 *
 * -s and -d are the addresses of the two roles, -n is the network namespace of the
 * second one, which then is another process. Modes are "threads", "processes" or
 * both. CASES are files (tagged), or parts of names of cases.
 *
 * With -o the second role is on another host, where -w has it wait until it is killed.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <uet_common.h>

#include "suite.h"

#define FILES(X) X(getinfo) X(bad) X(av) X(formats) X(eq) X(cq) X(cntr) X(wait) X(msg) X(tagged) \
	X(inject) X(order) X(long) X(unexpected) X(multi_recv) X(peek) X(cancel) \
	X(threads) X(fuzz)

#define DECLARE(file) extern TESTS(file);
FILES(DECLARE)

struct suite suite = {
	.provider = "uet",
	.patience = 30,
	.scale = 100,
};

#define ENTRY(file) { #file, tests_##file },
static const struct {
	const char *name;
	const struct test *tests;
} files[] = { FILES(ENTRY) };

/* The second role of all cases with two processes; it is told which case comes */
struct child {
	pid_t pid;	/* 0: there is none, or it is on another host */
	bool remote;
	int chan;	/* between the roles */
	int control;	/* struct order there, struct outcome back */
};

struct order {
	unsigned int file, index;
};

struct outcome {
	int how;
	char verdict[sizeof(((struct side *)0)->verdict)];
};

static struct child child;
static char **own_argv;
static bool use_threads = true, use_processes = true;
static bool waits;		/* for the first role of another host */
/* What a hang that no wait of a case sees is told with */
static struct side *volatile watched;

/* --- a role ----------------------------------------------------------------------- */

/* volatile: what is set before longjmp() is read after it */
static int run_role(struct side *s)
{
	int how = setjmp(s->out);

	if (how)
		goto out;
	if (!s->want.own_domain)
		side_open(s);
	if (s->role)
		s->test->second(s);
	else
		s->test->first(s);
	if (s->chan >= 0)
		meet(s);
out:
	/* A failure is told; what closes then may wait for the other role */
	if (!setjmp(s->out))
		side_close(s);
	return how;
}

static void *second_thread(void *arg)
{
	return (void *)(intptr_t)run_role(arg);
}

static void report(const char *mode, const char *file, const struct test *test, int how,
		   const char *verdict)
{
	char name[200];

	snprintf(name, sizeof(name), "%s: %s%s", file, test->name, mode);
	if (how == SKIPPED) {
		skip(name, verdict);
		return;
	}
	errno = 0;
	if (!result(how == PASSED, "%s", name))
		note("%s", verdict);
}

/* Called by a signal: write() only */
static void hung(int sig)
{
	const char *words[] = { "Bail out! a call does not return in ", "a case", ": ", "", "\n" };
	unsigned int i;

	(void)sig;
	if (watched) {
		words[1] = watched->test->name;
		words[3] = watched->doing;
	}
	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (write(1, words[i], strlen(words[i])) < 0)
			break;
	_exit(3);
}

/* Longer than any wait of a case, and as long as all its waits take usually */
static void watch(struct side *s)
{
	watched = s;
	alarm(suite.patience * 6);
}

/* Which of two roles tells more: the first failure, not that the other one failed */
static void both(int *how, char *verdict, size_t size, int how2, const char *verdict2)
{
	bool echo = !strncmp(verdict, "the other role", 14);

	if (how2 == FAILED && (*how != FAILED || echo)) {
		*how = FAILED;
		snprintf(verdict, size, "second role: %.380s", verdict2);
	} else if (how2 == SKIPPED && *how == PASSED) {
		*how = SKIPPED;
		snprintf(verdict, size, "%.390s", verdict2);
	}
}

static void run_alone(const char *file, const struct test *test)
{
	struct side s;
	int how;

	side_init(&s, test, 0, -1);
	watch(&s);
	how = run_role(&s);
	report("", file, test, how, s.verdict);
}

static void run_threads(const char *file, const struct test *test)
{
	struct side s[2];
	pthread_t thread;
	void *ret;
	int sv[2];
	int how;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sv))
		die("socketpair: %s", strerror(errno));
	side_init(&s[0], test, 0, sv[0]);
	side_init(&s[1], test, 1, sv[1]);
	watch(&s[0]);
	if (pthread_create(&thread, NULL, second_thread, &s[1]))
		die("no thread");
	how = run_role(&s[0]);
	pthread_join(thread, &ret);
	both(&how, s[0].verdict, sizeof(s[0].verdict), (intptr_t)ret, s[1].verdict);
	report(", two threads", file, test, how, s[0].verdict);
	close(sv[0]);
	close(sv[1]);
}

/* --- another process --------------------------------------------------------------- */

static void child_end(void)
{
	if (!child.pid && !child.remote)
		return;
	if (child.pid) {
		kill(child.pid, SIGKILL);
		waitpid(child.pid, NULL, 0);
	}
	close(child.chan);
	close(child.control);
	child.pid = 0;
	child.remote = false;
}

/* --- ... on another host -------------------------------------------------------------- */

#define SUITE_PORT	47600

static int remote_socket(struct sockaddr_in *sin)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

	sin->sin_family = AF_INET;
	sin->sin_port = htons(SUITE_PORT);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    setsockopt(fd, SOL_TCP, TCP_NODELAY, &one, sizeof(one)))
		die("socket: %s", strerror(errno));
	return fd;
}

static int remote_connect(void)
{
	struct sockaddr_in sin = { 0 };
	int fd = remote_socket(&sin);

	if (inet_pton(AF_INET, suite.host, &sin.sin_addr) != 1 ||
	    connect(fd, (struct sockaddr *)&sin, sizeof(sin)))
		die("no second role at %s: %s", suite.host, strerror(errno));
	return fd;
}

/* The first connection is between the roles, the second one controls. */
static void remote_begin(void)
{
	if (child.remote)
		return;
	child.chan = remote_connect();
	child.control = remote_connect();
	child.remote = true;
}

static void second_role(int chan, int control);

static int wait_for_roles(void)
{
	struct sockaddr_in sin = { 0 };
	int fd = remote_socket(&sin), chan, control;

	if (bind(fd, (struct sockaddr *)&sin, sizeof(sin)) || listen(fd, 2))
		die("port %d: %s", SUITE_PORT, strerror(errno));
	for (;;) {
		chan = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
		control = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
		if (chan < 0 || control < 0)
			die("accept: %s", strerror(errno));
		second_role(chan, control);
		alarm(0);
		close(chan);
		close(control);
	}
}

/* It begins anew, as nothing of a library survives fork() */
static void child_begin(void)
{
	int chan[2], control[2];
	char text[32];

	if (suite.host)
		remote_begin();
	if (child.pid || child.remote)
		return;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, chan) ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET, 0, control))
		die("socketpair: %s", strerror(errno));
	fflush(stdout);
	child.pid = fork();
	if (child.pid < 0)
		die("fork: %s", strerror(errno));
	if (!child.pid) {
		close(chan[0]);
		close(control[0]);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		snprintf(text, sizeof(text), "%d,%d", chan[1], control[1]);
		setenv("FI_SUITE_SECOND", text, 1);
		execv("/proc/self/exe", own_argv);
		_exit(127);
	}
	close(chan[1]);
	close(control[1]);
	child.chan = chan[0];
	child.control = control[0];
}

static void second_role(int chan, int control)
{
	struct order order;
	struct outcome out;
	struct side s;

	while (recv(control, &order, sizeof(order), MSG_WAITALL) == sizeof(order)) {
		side_init(&s, &files[order.file].tests[order.index], 1, chan);
		watch(&s);
		memset(&out, 0, sizeof(out));
		out.how = run_role(&s);
		memcpy(out.verdict, s.verdict, sizeof(out.verdict));
		if (send(control, &out, sizeof(out), MSG_NOSIGNAL) < 0)
			break;
	}
}

static int second_process(const char *fds)
{
	int chan, control;

	if (sscanf(fds, "%d,%d", &chan, &control) != 2)
		return 2;
	if (suite.netns && host_enter_netns(suite.netns))
		die("%s: %s", suite.netns, strerror(errno));
	second_role(chan, control);
	return 0;
}

static void run_processes(unsigned int file, unsigned int index)
{
	const struct test *test = &files[file].tests[index];
	struct order order = { file, index };
	struct outcome out;
	struct side s;
	int how;

	child_begin();
	side_init(&s, test, 0, child.chan);
	watch(&s);
	if (send(child.control, &order, sizeof(order), MSG_NOSIGNAL) < 0)
		die("no second process");
	how = run_role(&s);
	if (recv(child.control, &out, sizeof(out), MSG_WAITALL) != sizeof(out)) {
		out.how = FAILED;
		strcpy(out.verdict, "its process has died");
	}
	both(&how, s.verdict, sizeof(s.verdict), out.how, out.verdict);
	report(suite.host ? ", two hosts" : ", two processes", files[file].name, test, how, s.verdict);
	if (how != PASSED)
		child_end();
}

/* --- the program -------------------------------------------------------------------- */

static bool named(const char *file, const char *name, char **names, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (!strcmp(file, names[i]) || strstr(name, names[i]))
			return true;
	return !n;
}

static void run_test(unsigned int file, unsigned int index)
{
	const struct test *test = &files[file].tests[index];

	if (!test->second) {
		run_alone(files[file].name, test);
		return;
	}
	if (use_threads)
		run_threads(files[file].name, test);
	if (use_processes)
		run_processes(file, index);
}

static void usage(void)
{
	die("usage: fi_suite [-p PROVIDER] [-s NODE] [-d NODE] [-n NETNS] [-m threads|processes]\n"
	    "       [-t SECONDS] [-c PERCENT] [-r SEED] [-L] [-o HOST | -w] [CASES...]");
}

static void options(int argc, char **argv)
{
	int c;

	suite.seed = host_now_ns() | 1;
	while ((c = getopt(argc, argv, "p:s:d:n:m:t:c:r:Lo:w")) >= 0) {
		switch (c) {
		case 'p': suite.provider = optarg; break;
		case 's': suite.node[0] = optarg; break;
		case 'd': suite.node[1] = optarg; break;
		case 'n': suite.netns = optarg; use_threads = false; break;
		case 'm':
			use_threads = !strcmp(optarg, "threads");
			use_processes = !use_threads;
			break;
		case 't': suite.patience = parse_size(optarg); break;
		case 'c': suite.scale = parse_size(optarg); break;
		case 'r': suite.seed = parse_size(optarg) | 1; break;
		case 'L': suite.huge = true; break;
		case 'o': suite.host = optarg; use_threads = false; break;
		case 'w': waits = true; break;
		default: usage();
		}
	}
	if (!suite.node[1] && !suite.netns && !suite.host)
		suite.node[1] = suite.node[0];
}

int main(int argc, char **argv)
{
	const char *second = getenv("FI_SUITE_SECOND");
	unsigned int i, j;

	own_argv = argv;
	options(argc, argv);
	signal(SIGALRM, hung);
	if (second)
		return second_process(second);
	if (waits)
		return wait_for_roles();
	ktap_begin();
	note("provider %s, seed %#llx", suite.provider, (unsigned long long)suite.seed);
	for (i = 0; i < ARRAY_SIZE(files); i++)
		for (j = 0; files[i].tests[j].name; j++)
			if (named(files[i].name, files[i].tests[j].name, argv + optind,
				  argc - optind) &&
			    (suite.huge || !files[i].tests[j].huge))
				run_test(i, j);
	alarm(0);
	child_end();
	return ktap_finish();
}
