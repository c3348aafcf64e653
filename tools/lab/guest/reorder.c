// SPDX-License-Identifier: GPL-2.0
/*
 * How far packets arrive out of order: a packet ring at each receiving host
 * collects headers without waking anybody, and is read when all is over. The
 * extent of a packet is by how many packets of its flow it was overtaken.
 * Retransmissions count for TCP, which does not say which packets are such;
 * UET's are left out.
 */
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "lab.h"

#define UET_PORT	4793
#define UET_TYPE_SHIFT	11
#define UET_FLAG_RETX	0x10	/* of requests */
#define FRAME_BYTES	256U	/* room for the headers of one packet */
#define FRAMES		32768U
#define BLOCK_BYTES	65536U
#define FLOWS		1024
#define BUCKETS		16	/* extents by powers of two */

struct seen {
	uint64_t	key;
	uint32_t	newest;
};

struct tally {
	uint64_t	packets, late, largest;
	uint64_t	bucket[BUCKETS];
	struct seen	flow[FLOWS];
	unsigned int	flows;
};

static unsigned char *open_ring(const struct ns *ns, int *fd)
{
	struct tpacket_req req = {
		.tp_block_size	= BLOCK_BYTES,
		.tp_block_nr	= FRAMES * FRAME_BYTES / BLOCK_BYTES,
		.tp_frame_size	= FRAME_BYTES,
		.tp_frame_nr	= FRAMES,
	};
	struct sockaddr_ll sll = { .sll_family = AF_PACKET };
	int version = TPACKET_V2;
	void *ring;

	netns_enter(ns);
	*fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	sll.sll_ifindex = if_nametoindex("eth0");
	netns_leave();
	/* By protocol: a tap on all would see packets twice, before and after
	 * the interrupt moderation.
	 */
	sll.sll_protocol = htons(ETHERTYPE_IP);
	if (*fd < 0 ||
	    setsockopt(*fd, SOL_PACKET, PACKET_VERSION, &version,
		       sizeof(version)) ||
	    setsockopt(*fd, SOL_PACKET, PACKET_RX_RING, &req, sizeof(req)))
		die("%s: packet ring", ns->name);
	ring = mmap(NULL, FRAMES * FRAME_BYTES, PROT_READ | PROT_WRITE,
		    MAP_SHARED, *fd, 0);
	if (ring == MAP_FAILED || bind(*fd, (void *)&sll, sizeof(sll)))
		die("%s: packet ring", ns->name);
	return ring;
}

static struct seen *flow_of(struct tally *t, uint64_t key, uint32_t seq)
{
	unsigned int i;

	for (i = 0; i < t->flows; i++)
		if (t->flow[i].key == key)
			return &t->flow[i];
	if (t->flows == FLOWS)
		return NULL;
	t->flow[t->flows] = (struct seen){ key, seq };
	return &t->flow[t->flows++];
}

static void count(struct tally *t, uint64_t key, uint32_t seq, uint32_t unit)
{
	struct seen *f = flow_of(t, key, seq);
	int32_t behind;
	unsigned int b;
	uint64_t n;

	if (!f)
		return;
	t->packets++;
	behind = (int32_t)(f->newest - seq);
	if (behind <= 0) {
		f->newest = seq;
		return;
	}
	n = (behind + unit - 1) / unit;
	t->late++;
	if (n > t->largest)
		t->largest = n;
	for (b = 0; b < BUCKETS - 1 && n > 1ULL << b; b++)
		;
	t->bucket[b]++;
}

static void uet_packet(struct tally *t, uint32_t saddr, const unsigned char *p)
{
	unsigned int prologue = p[0] << 8 | p[1];
	uint32_t psn;

	switch (prologue >> UET_TYPE_SHIFT) {
	case 2: case 3: case 13: case 14:	/* RUD and ROD requests */
		break;
	default:
		return;
	}
	if (prologue & UET_FLAG_RETX)
		return;
	memcpy(&psn, p + 4, sizeof(psn));
	count(t, (uint64_t)saddr << 32 | p[8] << 8 | p[9], ntohl(psn), 1);
}

static void packet(struct tally *t, const unsigned char *p, unsigned int len,
		   unsigned int snap)
{
	const struct iphdr *ip = (const void *)p;
	const unsigned char *l4 = p + sizeof(*ip);
	const struct tcphdr *tcp = (const void *)l4;
	const struct udphdr *udp = (const void *)l4;
	unsigned int head;

	if (snap < sizeof(*ip) + sizeof(*tcp) || ip->ihl != 5)
		return;
	if (ip->protocol == IPPROTO_UDP && ntohs(udp->dest) == UET_PORT) {
		uet_packet(t, ip->saddr, l4 + sizeof(*udp));
	} else if (ip->protocol == IPPROTO_TCP) {
		head = sizeof(*ip) + tcp->doff * 4;
		if (len > head)
			count(t, (uint64_t)ip->saddr << 32 |
			      (uint32_t)tcp->source << 16 | tcp->dest,
			      ntohl(tcp->seq), len - head);
	}
}

static struct {
	unsigned char	*ring;
	int		fd;
} taps[256];

void reorder_start(void)
{
	int i;

	for (i = 0; i < lab.nr_ns && i < 256; i++)
		if (lab.ns[i].tapped)
			taps[i].ring = open_ring(&lab.ns[i], &taps[i].fd);
}

void reorder_report(void)
{
	static struct tally t;
	struct tpacket2_hdr *h;
	unsigned int n;
	int i, b;

	for (i = 0; i < lab.nr_ns && i < 256; i++) {
		if (!taps[i].ring)
			continue;
		memset(&t, 0, sizeof(t));
		for (n = 0; n < FRAMES; n++) {
			h = (void *)(taps[i].ring + n * FRAME_BYTES);
			if (!(h->tp_status & TP_STATUS_USER))
				break;
			packet(&t, (unsigned char *)h + h->tp_net, h->tp_len,
			       h->tp_snaplen);
		}
		fprintf(lab.raw, "reorder %s %llu %llu %llu", lab.ns[i].name,
			(unsigned long long)t.packets,
			(unsigned long long)t.late,
			(unsigned long long)t.largest);
		for (b = 0; b < BUCKETS; b++)
			fprintf(lab.raw, " %llu",
				(unsigned long long)t.bucket[b]);
		fprintf(lab.raw, "%s\n", n == FRAMES ? " full" : "");
	}
}
