// SPDX-License-Identifier: GPL-2.0
/*
 * uetcp: copies files over AF_UET sockets.
 *
 *   uetcp recv PID DIR COUNT        receives COUNT files into DIR
 *   uetcp send ADDR PID FILE...     sends files to PIDonFEP PID of host ADDR
 *
 * A file is cut into chunks, each a message of its own: the transport delivers
 * them in any order, every one exactly once, and each says where it belongs.
 * The sender asks to be told of every delivery and ends when all are
 * confirmed. Prints a line of JSON for each file, and the sender one with what
 * the transport knows of the path (UET_INFO).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <host.h>
#include <libuet.h>

#define CHUNK		(256 * 1024)
#define NAME_LEN	64
#define MAX_FILES	256

/* In front of every chunk; both ends are programs of one build */
struct chunk {
	uint64_t	file_size;
	uint64_t	offset;
	char		name[NAME_LEN];
};

struct file {
	char		name[NAME_LEN];
	uint64_t	size, got;
	uint64_t	started;
	int		fd;
};

static void die(const char *what)
{
	fprintf(stderr, "uetcp: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int open_socket(const struct libuet_sock *how)
{
	const char *step;
	int fd = libuet_open(how, &step);

	if (fd < 0)
		die(step);
	return fd;
}

/* --- receiving ------------------------------------------------------------ */

static struct file files[MAX_FILES];
static unsigned int n_files;

static struct file *find_file(const char *dir, const struct chunk *chunk)
{
	struct file *f;
	char path[4096];

	for (f = files; f < files + n_files; f++)
		if (!strncmp(f->name, chunk->name, NAME_LEN))
			return f;
	if (n_files == MAX_FILES)
		die("too many files");
	n_files++;
	memcpy(f->name, chunk->name, NAME_LEN - 1);
	f->size = chunk->file_size;
	f->started = host_now_ns();
	if (strchr(f->name, '/') || !f->name[0])
		die("a name with a slash");
	snprintf(path, sizeof(path), "%s/%s", dir, f->name);
	f->fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0644);
	if (f->fd < 0)
		die(path);
	return f;
}

static void file_done(struct file *f)
{
	printf("{\"received\": \"%s\", \"bytes\": %llu, \"secs\": %.3f}\n",
	       f->name, (unsigned long long)f->size,
	       (host_now_ns() - f->started) / 1e9);
	fflush(stdout);
	close(f->fd);
}

static void write_all(struct file *f, const char *data, size_t len,
		      uint64_t offset)
{
	while (len) {
		ssize_t n = pwrite(f->fd, data, len, offset);

		if (n < 0)
			die("write");
		data += n;
		len -= n;
		offset += n;
		f->got += n;
	}
}

static void receive(int pid, const char *dir, unsigned int count)
{
	char *buf = malloc(sizeof(struct chunk) + CHUNK);
	unsigned int complete = 0;
	struct sockaddr_uet local;
	int fd;

	libuet_addr(&local, "any", 0, pid, 0);
	fd = open_socket(&(struct libuet_sock){
		.type = SOCK_RDM, .local = &local,
	});
	if (!buf)
		die("malloc");
	while (complete < count) {
		const struct chunk *chunk = (const struct chunk *)buf;
		ssize_t n = recv(fd, buf, sizeof(*chunk) + CHUNK, MSG_WAITALL);
		struct file *f;

		if (n < (ssize_t)sizeof(*chunk))
			die("recv");
		f = find_file(dir, chunk);
		write_all(f, buf + sizeof(*chunk), n - sizeof(*chunk),
			  chunk->offset);
		if (f->got == f->size) {
			file_done(f);
			complete++;
		}
	}
	close(fd);
}

/* --- sending ---------------------------------------------------------------- */

static uint64_t sent, confirmed;

/* Delivery reports come on the error queue */
static void read_reports(int fd)
{
	char text[LIBUET_TEXT_SIZE];
	struct uet_report rep;

	while (libuet_next_report(fd, &rep, NULL)) {
		if (rep.type == UET_REPORT_FAILED) {
			errno = rep.error;
			libuet_report_text(&rep, NULL, text, sizeof(text));
			die(text);
		}
		confirmed += rep.cookie_last - rep.cookie + 1;
	}
}

static void send_file(int fd, const char *path)
{
	struct chunk chunk = { .offset = 0 };
	char *copy = strdup(path);
	struct stat st;
	char *data;
	int in;

	in = open(path, O_RDONLY);
	if (in < 0 || fstat(in, &st))
		die(path);
	data = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, in, 0);
	if (data == MAP_FAILED)
		die(path);
	chunk.file_size = st.st_size;
	snprintf(chunk.name, NAME_LEN, "%s", basename(copy));
	while (chunk.offset < chunk.file_size) {
		uint64_t len = chunk.file_size - chunk.offset;
		struct iovec iov[2] = {
			{ &chunk, sizeof(chunk) },
			{ data + chunk.offset, len < CHUNK ? len : CHUNK },
		};
		struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };

		if (sendmsg(fd, &msg, 0) < 0)
			die("sendmsg");
		chunk.offset += iov[1].iov_len;
		sent++;
		read_reports(fd);
	}
	munmap(data, st.st_size);
	close(in);
	free(copy);
}

static void print_info(int fd)
{
	struct uet_info info;

	if (libuet_get_info(fd, &info) < 0)
		die("UET_INFO");
	printf("{\"info\": true, \"rtt_us\": %.1f, \"base_rtt_us\": %.1f, "
	       "\"cwnd\": %llu, \"retransmits\": %llu, \"timeouts\": %llu, "
	       "\"marks\": %llu, \"paths\": %u, \"cc\": \"%.16s\", "
	       "\"policy\": \"%.16s\"}\n",
	       info.rtt / 1e3, info.base_rtt / 1e3,
	       (unsigned long long)info.cwnd,
	       (unsigned long long)info.retransmits,
	       (unsigned long long)info.timeouts,
	       (unsigned long long)info.marks, info.paths, info.cc,
	       info.path_policy);
}

static void send_files(const char *addr, int pid, char **paths)
{
	struct pollfd pfd = { 0 };
	struct sockaddr_uet to;
	int fd;

	if (libuet_addr(&to, addr, 0, pid, 0))
		die(addr);
	fd = open_socket(&(struct libuet_sock){
		.type = SOCK_RDM, .notify = true, .peer = &to,
	});
	pfd.fd = fd;
	for (; *paths; paths++)
		send_file(fd, *paths);
	while (confirmed < sent) {
		poll(&pfd, 1, 1000);
		read_reports(fd);
	}
	print_info(fd);
	close(fd);
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "recv"))
		receive(atoi(argv[2]), argv[3], atoi(argv[4]));
	else if (argc >= 5 && !strcmp(argv[1], "send"))
		send_files(argv[2], atoi(argv[3]), argv + 4);
	else
		fprintf(stderr, "usage: uetcp recv PID DIR COUNT\n"
			"       uetcp send ADDR PID FILE...\n");
	return argc < 5;
}
