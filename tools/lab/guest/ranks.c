// SPDX-License-Identifier: GPL-2.0
/*
 * Ranks of collective operations: processes of libfabric, one in each host, instead of
 * flows. What rank 0 says is the result, and the run ends when all of them have.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab.h"

#define RANKS_MAX	64
#define WORKS_MAX	64
#define ADDRS_LEN	(RANKS_MAX * 16)

extern char **environ;

static struct {
	struct ns	*ns;
	pid_t		pid;
} ranks[RANKS_MAX];
static int nr_ranks, all_gone;
static bool pending;
static char provider[64], addrs[ADDRS_LEN];
static char *works[WORKS_MAX];
static int nr_works;

void ranks_provider(const char *name)
{
	snprintf(provider, sizeof(provider), "%s", name);
}

/* Rank number nr_ranks is in this host. */
void ranks_add(struct ns *ns, const char *addr)
{
	size_t used = strlen(addrs);

	if (nr_ranks == RANKS_MAX)
		die("more than %d ranks", RANKS_MAX);
	ranks[nr_ranks++].ns = ns;
	pending = true;
	snprintf(addrs + used, sizeof(addrs) - used, "%s%s", used ? "," : "", addr);
}

/* What each of them does, one after the other: OPERATION:BYTES:ROUNDS */
void ranks_work(const char *what)
{
	if (nr_works == WORKS_MAX)
		die("more than %d collective operations", WORKS_MAX);
	works[nr_works] = strdup(what);
	if (!works[nr_works++])
		die("no memory for ranks");
}

static void spawn(int nr, const char *program)
{
	posix_spawn_file_actions_t actions;
	char number[16], *argv[4 + WORKS_MAX + 1] = {
		"fi_coll", provider, number, addrs,
	};
	int err;

	snprintf(number, sizeof(number), "%d", nr);
	memcpy(argv + 4, works, nr_works * sizeof(*works));
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, nr ? "/dev/null" : "collectives",
					 O_WRONLY | O_CREAT | O_TRUNC, 0644);
	netns_enter(ranks[nr].ns);
	err = posix_spawn(&ranks[nr].pid, program, &actions, NULL, argv, environ);
	netns_leave();
	posix_spawn_file_actions_destroy(&actions);
	errno = err;
	if (err)
		die("start %s", program);
}

/*
 * Starts all of them. Each holds the end of a pipe that nobody writes to: the other one,
 * which is given, hangs up with the last rank.
 */
int ranks_start(void)
{
	const char *folder = getenv("FI_PROVIDER_PATH");
	char program[512];
	int i, fds[2];

	if (!folder)
		die("ranks without FI_PROVIDER_PATH");
	snprintf(program, sizeof(program), "%s/fi_coll", folder);
	/* Nobody but ranks is to hold the other end. */
	if (pipe2(fds, O_CLOEXEC) || fcntl(fds[1], F_SETFD, 0))
		die("pipe");
	for (i = 0; i < nr_ranks; i++)
		spawn(i, program);
	close(fds[1]);
	all_gone = fds[0];
	return all_gone;
}

/* Whether some are not done, or not even started. */
bool ranks_pending(void)
{
	return pending;
}

/* The pipe has hung up. */
void ranks_end(void)
{
	int i, status;

	close(all_gone);
	for (i = 0; i < nr_ranks; i++) {
		if (waitpid(ranks[i].pid, &status, 0) < 0)
			die("wait for rank %d", i);
		errno = 0;
		if (status)
			die("rank %d failed", i);
	}
	pending = false;
}

/* None may be left when the time is over. */
void ranks_check(void)
{
	if (!pending)
		return;
	errno = ETIMEDOUT;
	die("ranks are not done");
}
