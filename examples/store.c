// SPDX-License-Identifier: GPL-2.0
/*
 * A store that others write to: writes to a window (RUDI), without a context at the
 * store.
 *
 *   store serve uet:///0/100 FILE SIZE KEY
 *   store put uet://10.0.0.2/0/100 KEY OFFSET < DATA
 *
 * The store maps the file into memory and tells the kernel its size and a key. Each
 * packet of a write comes with its place and is copied there, in whatever order they
 * come. One that comes twice is copied twice, which changes nothing.
 *
 * The writer cuts its data into writes and ends when each is reported. A report says
 * that the store's kernel has the data; what is written later to the same place must
 * not be sent before that.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <libuet.h>

#define PIECE	(64 * 1024)	/* of a write */
#define ROOM	16384		/* more than any packet has */

static int open_socket(const struct libuet_sock *how)
{
	const char *step;
	int fd = libuet_open(how, &step);

	if (fd < 0)
		err(1, "%s", step);
	return fd;
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t n;

	errno = 0;
	n = strtoull(text, &end, 0);
	if (errno || *end || end == text)
		errx(1, "%s: not a number", text);
	return n;
}

/* Whose lower bits are a secret that the writers know */
static uint64_t key_of(const char *text)
{
	return number(text) | UET_KEY_IDEMPOTENT;
}

static char *map(const char *path, size_t size)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	char *p;

	if (fd < 0 || ftruncate(fd, size))
		err(1, "%s", path);
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		err(1, "%s", path);
	close(fd);
	return p;
}

static int serve(const char *local, const char *path, size_t size, uint64_t key)
{
	struct sockaddr_uet sa;
	struct libuet_sock how = { .local = &sa };
	static char buf[ROOM];
	struct libuet_attrs attrs;
	struct iovec iov = { buf, sizeof(buf) };
	char *memory = map(path, size);
	ssize_t n;
	int fd;

	if (libuet_resolve(local, NULL, &sa, 1) < 0)
		err(1, "%s", local);
	fd = open_socket(&how);
	if (libuet_set_window(fd, key, size))
		err(1, "UET_WINDOW");
	puts("ready");
	fflush(stdout);
	for (;;) {
		n = libuet_recvmsg(fd, &iov, 1, NULL, &attrs, 0);
		if (n < 0)
			err(1, "recvmsg");
		/* Others may send messages, too. The kernel has compared key and size. */
		if (!(attrs.has & LIBUET_WRITE))
			continue;
		memcpy(memory + attrs.write.offset, buf, n);
	}
}

static unsigned long reported;
static int failed;

static int count(void *arg, const struct uet_report *rep,
		 const struct sockaddr_uet *peer)
{
	char text[LIBUET_TEXT_SIZE];

	(void)arg;
	reported += rep->cookie_last - rep->cookie + 1;
	if (!rep->error)
		return 0;
	if (!failed)
		warnx("%s", (libuet_report_text(rep, peer, text, sizeof(text)),
			     text));
	failed = 1;
	return 0;
}

static int take_reports(int fd)
{
	return libuet_drain(fd, 0, count, NULL) < 0 ? -1 : failed;
}

static size_t read_piece(char *buf)
{
	size_t have = 0;
	ssize_t n;

	while (have < PIECE && (n = read(0, buf + have, PIECE - have)) > 0)
		have += n;
	return have;
}

static int put(const char *to, uint64_t key, uint64_t offset)
{
	struct sockaddr_uet sa;
	struct libuet_sock how = {
		.peer = &sa, .delivery = UET_RUDI, .notify = 1,
	};
	struct libuet_attrs attrs = {
		.has = LIBUET_WRITE, .write = { .key = key, .offset = offset },
	};
	static char buf[PIECE];
	struct iovec iov = { buf, 0 };
	unsigned long sent = 0;
	int fd;

	if (libuet_resolve(to, NULL, &sa, 1) < 0)
		err(1, "%s", to);
	fd = open_socket(&how);
	while (!failed && (iov.iov_len = read_piece(buf))) {
		if (libuet_sendmsg(fd, &iov, 1, NULL, &attrs, 0) < 0)
			err(1, "sendmsg");
		sent++;
		attrs.write.offset += iov.iov_len;
		if (take_reports(fd) < 0)
			err(1, "reports");
	}
	while (!failed && reported < sent) {
		if (libuet_wait_report(fd, -1) < 0 || take_reports(fd) < 0)
			err(1, "reports");
	}
	return failed;
}

int main(int argc, char **argv)
{
	if (argc == 6 && !strcmp(argv[1], "serve"))
		return serve(argv[2], argv[3], number(argv[4]),
			     key_of(argv[5]));
	if (argc == 5 && !strcmp(argv[1], "put"))
		return put(argv[2], key_of(argv[3]), number(argv[4]));
	errx(2, "usage: store serve URI FILE SIZE KEY | put URI KEY OFFSET");
}
