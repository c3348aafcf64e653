// SPDX-License-Identifier: GPL-2.0
/* Network namespaces, their settings, and the tools that run inside them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab.h"

#define NETNS_DIR	"/run/netns"

extern char **environ;

static void netns_prepare(void)
{
	static bool done;

	if (done)
		return;
	done = true;
	lab.root_ns = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	if (lab.root_ns < 0)
		die("no network namespaces");
	/* A place where ip(8) finds them by name. */
	if (mkdir(NETNS_DIR, 0755) && errno != EEXIST)
		die("mkdir " NETNS_DIR);
}

void netns_create(struct ns *ns)
{
	char path[64];
	int fd;

	netns_prepare();
	if (unshare(CLONE_NEWNET))
		die("unshare for %s", ns->name);
	snprintf(path, sizeof(path), NETNS_DIR "/%s", ns->name);
	fd = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
	if (fd < 0)
		die("create %s", path);
	close(fd);
	if (mount("/proc/thread-self/ns/net", path, "none", MS_BIND, NULL))
		die("bind %s", path);
	ns->fd = open(path, O_RDONLY | O_CLOEXEC);
	netns_leave();
}

void netns_enter(const struct ns *ns)
{
	if (setns(ns->fd, CLONE_NEWNET))
		die("enter %s", ns->name);
}

void netns_leave(void)
{
	if (setns(lab.root_ns, CLONE_NEWNET))
		die("leave namespace");
}

void netns_sysctl(const struct ns *ns, const char *path, const char *value)
{
	char file[256];
	ssize_t len = strlen(value);
	int fd;

	snprintf(file, sizeof(file), "/proc/sys/%s", path);
	if (ns)
		netns_enter(ns);
	fd = open(file, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, value, len) != len)
		die("%s: set %s to %s", ns ? ns->name : "root", path, value);
	close(fd);
	if (ns)
		netns_leave();
}

static void offload_off(int fd, const char *dev, uint32_t cmd)
{
	struct ethtool_value value = { .cmd = cmd };
	struct ifreq ifr = { };

	strncpy(ifr.ifr_name, dev, IFNAMSIZ - 1);
	ifr.ifr_data = (void *)&value;
	if (ioctl(fd, SIOCETHTOOL, &ifr))
		die("%s: offload %u", dev, cmd);
}

/* Queues count wire packets only when nothing builds super packets. */
void netns_plain(const struct ns *ns, const char *dev)
{
	int fd;

	netns_enter(ns);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	offload_off(fd, dev, ETHTOOL_STSO);
	offload_off(fd, dev, ETHTOOL_SGSO);
	offload_off(fd, dev, ETHTOOL_SGRO);
	close(fd);
	netns_leave();
}

/*
 * Runs "ip -batch FILE" or "tc -batch FILE" inside the namespace; without a
 * file tc shows the statistics of all ports, into @output.
 */
void netns_exec(const struct ns *ns, const char *tool, const char *file,
		const char *output)
{
	char *batch[] = { (char *)tool, "-batch", (char *)file, NULL };
	char *show[] = { "tc", "-s", "-j", "qdisc", "show", NULL };
	posix_spawn_file_actions_t actions;
	int status, err;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	if (output)
		posix_spawn_file_actions_addopen(&actions, 1, output,
						 O_WRONLY | O_CREAT | O_TRUNC,
						 0644);
	if (ns)
		netns_enter(ns);
	err = posix_spawnp(&pid, tool, &actions, NULL, file ? batch : show,
			   environ);
	if (ns)
		netns_leave();
	posix_spawn_file_actions_destroy(&actions);
	if (err) {
		errno = err;
		die("start %s", tool);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			die("wait for %s", tool);
	if (status) {
		errno = 0;
		die("%s: %s %s failed", ns ? ns->name : "root", tool,
		    file ? file : "show");
	}
}
