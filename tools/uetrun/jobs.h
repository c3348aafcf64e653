/* SPDX-License-Identifier: GPL-2.0 */
/* Who may enter which job: uetrun(1) */
#ifndef UETRUN_JOBS_H
#define UETRUN_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define JOBS_FILE	"/etc/uet/jobs"
/* Room for every reason of jobs_allow() */
#define JOBS_WHY_SIZE	256

/**
 * struct jobs_who - the user that asks
 * @uid: who called the program, not whom its file makes of him
 * @gids: his groups
 * @n_gids: of them
 */
struct jobs_who {
	uid_t		uid;
	const gid_t	*gids;
	size_t		n_gids;
};

bool jobs_number(const char *text, uint32_t *job);
bool jobs_allow(const char *path, const struct jobs_who *who, uint32_t job,
		char *why);

#endif /* UETRUN_JOBS_H */
