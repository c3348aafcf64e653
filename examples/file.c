// SPDX-License-Identifier: GPL-2.0
/*
 * Files: a receiver that writes them to a folder, and a sender.
 *
 *   file recv uet:///0/100 DIRECTORY COUNT
 *   file send uet://10.0.0.2/0/100 FILE...
 *
 * A file is cut into chunks, each a message that says where it belongs: they may
 * arrive in any order, by all paths at once. The sender asks for reports and ends
 * when each chunk has arrived.
 */
#include <endian.h>
#include <err.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libuet.h>

#define CHUNK	(256 * 1024)

/* Before the data of each message; little-endian */
struct chunk {
	uint64_t	size;		/* of the file */
	uint64_t	offset;
	char		name[64];
};

struct file {
	struct file	*next;
	struct sockaddr_uet from;
	char		name[64];
	uint64_t	missing;
	int		fd;
};

static struct file *files;
static char data[CHUNK];

static int open_socket(const struct libuet_sock *how)
{
	const char *step;
	int fd = libuet_open(how, &step);

	if (fd < 0)
		err(1, "%s", step);
	return fd;
}

static struct file *new_file(const char *dir, const struct chunk *c,
			     const struct sockaddr_uet *from)
{
	struct file *f = calloc(1, sizeof(*f));
	char path[4096];

	if (!f)
		err(1, "memory");
	/* Names come from the network */
	memcpy(f->name, c->name, sizeof(f->name) - 1);
	if (!f->name[0] || f->name[0] == '.' || strchr(f->name, '/'))
		errx(1, "bad name");
	snprintf(path, sizeof(path), "%s/%s", dir, f->name);
	f->fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0644);
	if (f->fd < 0)
		err(1, "%s", path);
	f->from = *from;
	f->missing = le64toh(c->size);
	f->next = files;
	return files = f;
}

static struct file *find_file(const char *dir, const struct chunk *c,
			      const struct sockaddr_uet *from)
{
	struct file *f;

	for (f = files; f; f = f->next)
		if (!memcmp(&f->from, from, sizeof(*from)) &&
		    !strncmp(f->name, c->name, sizeof(f->name) - 1))
			return f;
	return new_file(dir, c, from);
}

/* Returns whether the file is complete */
static bool take_chunk(struct file *f, const struct chunk *c, size_t len)
{
	if (len > f->missing)
		errx(1, "%s: too much", f->name);
	if (pwrite(f->fd, data, len, le64toh(c->offset)) != (ssize_t)len)
		err(1, "%s", f->name);
	f->missing -= len;
	if (f->missing)
		return false;
	printf("received %s\n", f->name);
	close(f->fd);
	return true;
}

static void receive(const struct sockaddr_uet *local, const char *dir, int count)
{
	int fd = open_socket(&(struct libuet_sock){ .local = local });

	puts("ready");
	fflush(stdout);
	while (count) {
		struct chunk c;
		struct iovec iov[2] = { { &c, sizeof(c) }, { data, CHUNK } };
		struct sockaddr_uet from;
		ssize_t n = libuet_recvmsg(fd, iov, 2, &from, NULL, MSG_WAITALL);

		if (n < (ssize_t)sizeof(c))
			err(1, "receive");
		count -= take_chunk(find_file(dir, &c, &from), &c,
				    n - sizeof(c));
	}
}

/* Counts down what is not reported yet */
static int chunk_reported(void *arg, const struct uet_report *rep,
			  const struct sockaddr_uet *peer)
{
	char text[LIBUET_TEXT_SIZE];

	if (rep->error) {
		libuet_report_text(rep, peer, text, sizeof(text));
		errx(1, "%s", text);
	}
	*(uint64_t *)arg -= rep->cookie_last - rep->cookie + 1;
	return 0;
}

static void send_file(int fd, char *path, uint64_t *outstanding)
{
	int in = open(path, O_RDONLY);
	struct chunk c = { .offset = 0 };
	struct stat st;
	uint64_t done = 0;
	ssize_t n;

	if (in < 0 || fstat(in, &st))
		err(1, "%s", path);
	c.size = htole64(st.st_size);
	snprintf(c.name, sizeof(c.name), "%s", basename(path));
	do {
		struct iovec iov[2] = { { &c, sizeof(c) }, { data, 0 } };

		n = pread(in, data, CHUNK, done);
		if (n < 0)
			err(1, "%s", path);
		iov[1].iov_len = n;
		c.offset = htole64(done);
		if (libuet_sendmsg(fd, iov, 2, NULL, NULL, 0) < 0)
			err(1, "send");
		++*outstanding;
		done += n;
		libuet_drain(fd, 0, chunk_reported, outstanding);
	} while (n && done < (uint64_t)st.st_size);
	close(in);
}

static void send_files(const struct sockaddr_uet *peer, char **paths)
{
	const struct libuet_sock how = { .notify = 1, .peer = peer };
	uint64_t outstanding = 0;
	int fd = open_socket(&how);

	for (; *paths; paths++)
		send_file(fd, *paths, &outstanding);
	while (outstanding) {
		libuet_wait_report(fd, -1);
		libuet_drain(fd, 0, chunk_reported, &outstanding);
	}
}

int main(int argc, char **argv)
{
	bool recv = argc == 5 && !strcmp(argv[1], "recv");
	struct sockaddr_uet addr;

	if (!recv && (argc < 4 || strcmp(argv[1], "send")))
		errx(2, "usage: file recv ADDRESS DIRECTORY COUNT | file send ADDRESS FILE...");
	if (libuet_resolve(argv[2], NULL, &addr, 1) < 0)
		err(1, "%s", argv[2]);
	if (recv)
		receive(&addr, argv[3], atoi(argv[4]));
	else
		send_files(&addr, argv + 3);
	return 0;
}
