// SPDX-License-Identifier: GPL-2.0
#include <poll.h>
#include <string.h>
#include <time.h>

#include "args.h"
#include "tick.h"
#include "units.h"

#define NS_PER_S	1000000000ULL

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

/**
 * tick_option() - take "-i SECONDS" or "-n COUNT", if they are next
 * @tick: set
 * @argc: number of words, less if taken
 * @argv: words, later ones if taken
 *
 * Return: 1 if taken, 0 if not, -1 after an error was printed.
 */
int tick_option(struct tick *tick, int *argc, char ***argv)
{
	const char *value = *argc > 1 ? (*argv)[1] : "";

	if (!*argc)
		return 0;
	if (!strcmp(**argv, "-i")) {
		if (!seconds_parse(value, &tick->interval)) {
			usage_error("-i takes seconds, or a time such as 200ms: 10ms to 24h");
			return -1;
		}
	} else if (!strcmp(**argv, "-n")) {
		if (!number_parse(value, UINT32_MAX, &tick->count) || !tick->count) {
			usage_error("-n takes a number from 1");
			return -1;
		}
	} else {
		return 0;
	}
	*argc -= 2;
	*argv += 2;
	return 1;
}

/**
 * tick_wait() - wait for the next time
 * @tick: how often
 * @fd: wait for input there, too; -1 = for none
 * @mask: signals that are held meanwhile, NULL = those that are held now
 *
 * Return: what came first.
 */
enum tick_event tick_wait(struct tick *tick, int fd, const sigset_t *mask)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	uint64_t now = now_ns();
	struct timespec ts;
	int n;

	if (!tick->next)
		tick->next = now + tick->interval * NS_PER_S;
	while (now < tick->next) {
		ts.tv_sec = (tick->next - now) / NS_PER_S;
		ts.tv_nsec = (tick->next - now) % NS_PER_S;
		n = ppoll(&pfd, fd >= 0, &ts, mask);
		if (n)
			return n > 0 ? TICK_INPUT : TICK_SIGNAL;
		now = now_ns();
	}
	tick->next += tick->interval * NS_PER_S;
	if (tick->next < now)
		tick->next = now;
	return TICK_DUE;
}
