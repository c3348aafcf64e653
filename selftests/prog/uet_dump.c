// SPDX-License-Identifier: GPL-2.0
/*
 * Dumps the PDCs of this namespace by netlink and counts them: how many, how many
 * of them were told twice, how long it took and how much less memory was free than
 * before, at most, while the dump went on.
 *
 *   uet_dump
 *
 * Prints one line: PDCs, twice, milliseconds, kilobytes.
 */
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/uet_netlink.h>

#define FEPS	16
/* Free memory is read once in so many messages of the kernel */
#define SAMPLE	8

static char buf[65536];
static struct {
	unsigned char	addr[16];
	uint8_t		seen[65536 / 8];
} feps[FEPS];
static unsigned int pdcs, twice;
static long free_least;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void count(const void *addr, uint32_t id)
{
	static const unsigned char none[16];
	int i;

	for (i = 0; i < FEPS && memcmp(feps[i].addr, addr, 16); i++)
		if (!memcmp(feps[i].addr, none, 16)) {
			memcpy(feps[i].addr, addr, 16);
			break;
		}
	if (i == FEPS)
		die("too many local addresses");
	pdcs++;
	twice += feps[i].seen[id / 8] >> id % 8 & 1;
	feps[i].seen[id / 8] |= 1 << id % 8;
}

static int one(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *attr;
	const void *addr = NULL;
	uint32_t id = 0;

	(void)data;
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == UET_A_PDC_LOCAL)
			addr = mnl_attr_get_payload(attr);
		else if (mnl_attr_get_type(attr) == UET_A_PDC_ID)
			id = mnl_attr_get_u32(attr);
	}
	if (!addr || !id)
		die("a PDC without address or id");
	count(addr, id);
	return MNL_CB_OK;
}

static int family_id(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID)
			*(uint16_t *)data = mnl_attr_get_u16(attr);
	return MNL_CB_OK;
}

static struct nlmsghdr *request(uint16_t type, uint16_t flags, uint8_t cmd,
				uint8_t version)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct genlmsghdr *genl;

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	nlh->nlmsg_seq = 1;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = cmd;
	genl->version = version;
	return nlh;
}

static long free_kb(void)
{
	char line[256];
	long kb = 0;
	FILE *f = fopen("/proc/meminfo", "r");

	if (!f)
		die("/proc/meminfo");
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "MemFree: %ld", &kb) == 1)
			break;
	fclose(f);
	return kb;
}

static void sample(unsigned int n)
{
	long kb;

	if (n % SAMPLE)
		return;
	kb = free_kb();
	if (kb < free_least)
		free_least = kb;
}

static void ask(struct mnl_socket *nl, struct nlmsghdr *nlh, mnl_cb_t cb,
		void *data)
{
	unsigned int nr = 0;
	ssize_t n;
	int ret;

	if (mnl_socket_sendto(nl, nlh, nlh->nlmsg_len) < 0)
		die("send");
	do {
		n = mnl_socket_recvfrom(nl, buf, sizeof(buf));
		if (n < 0)
			die("receive");
		sample(nr++);
		ret = mnl_cb_run(buf, n, 1, mnl_socket_get_portid(nl), cb, data);
	} while (ret > MNL_CB_STOP);
	if (ret < 0)
		die("answer");
}

int main(void)
{
	struct mnl_socket *nl = mnl_socket_open(NETLINK_GENERIC);
	struct timespec t0, t1;
	struct nlmsghdr *nlh;
	uint16_t id = 0;
	long kb;

	if (!nl || mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) < 0)
		die("netlink");
	nlh = request(GENL_ID_CTRL, NLM_F_ACK, CTRL_CMD_GETFAMILY, 1);
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, UET_FAMILY_NAME);
	ask(nl, nlh, family_id, &id);
	/* Twice: the first time takes memory of its own */
	free_kb();
	kb = free_kb();
	free_least = kb;
	clock_gettime(CLOCK_MONOTONIC, &t0);
	ask(nl, request(id, NLM_F_DUMP, UET_CMD_PDC_GET, UET_FAMILY_VERSION), one,
	    NULL);
	clock_gettime(CLOCK_MONOTONIC, &t1);
	printf("%u %u %ld %ld\n", pdcs, twice,
	       (t1.tv_sec - t0.tv_sec) * 1000 + (t1.tv_nsec - t0.tv_nsec) / 1000000,
	       kb - free_least);
	mnl_socket_close(nl);
	return 0;
}
