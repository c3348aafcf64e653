// SPDX-License-Identifier: GPL-2.0
/*
 * Giving up what the program may do and its user may not: user and group of its file,
 * and capabilities, which the program that is executed would keep.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "privilege.h"

/* Permitted, effective, inheritable, and with them the ambient ones */
static int clear_capabilities(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};

	return syscall(SYS_capset, &head, none);
}

static int set_ids(uid_t uid, gid_t gid)
{
	if (setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
		return -1;
	/* The root of a namespace is what it is; its capabilities would be back with
	 * the next program.
	 */
	return uid ? clear_capabilities() : 0;
}

/**
 * privilege_drop() - be who called the program, without any capability
 *
 * Return: 0, or -1 with errno: nothing may be executed then.
 */
int privilege_drop(void)
{
	return set_ids(getuid(), getgid());
}

/**
 * privilege_become() - be another user, without any capability unless that is root
 * @user: name
 * @step: gets what failed
 *
 * Return: 0, or -1 with errno: nothing may be executed then.
 */
int privilege_become(const char *user, const char **step)
{
	const struct passwd *pw;

	*step = "there is no such user";
	errno = 0;
	pw = getpwnam(user);
	if (!pw)
		return -1;
	*step = "cannot become that user";
	return initgroups(pw->pw_name, pw->pw_gid) || set_ids(pw->pw_uid, pw->pw_gid) ? -1 : 0;
}
