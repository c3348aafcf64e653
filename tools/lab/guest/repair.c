// SPDX-License-Identifier: GPL-2.0
/*
 * How long a lost packet is missing: from when it left its host for the first
 * time until a copy of it arrived. Two packet rings at each host collect what
 * leaves and what arrives, without waking anybody, and are read when all is over.
 * Only packets that were sent exactly twice count, whose first copy did not
 * arrive, and of whose flow no control packet was lost meanwhile: of a loss that
 * struck twice, or a needless retransmission, the time says something else. A lost
 * packet is a tail if nothing had left behind it when it was sent again; then, too,
 * no other packet of its flow may have been lost meanwhile.
 *
 * Of packets that arrived trimmed it is told when they left for the second time:
 * how long the way of the trimmed packet, that of its NACK and the source took.
 */
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "lab.h"

#define UET_PORT	4793
#define UET_TYPE_SHIFT	11
#define UET_FLAG_RETX	0x10	/* of requests */
#define UET_TYPE_CP	11
#define FRAME_BYTES	256U	/* room for the headers of one packet */
#define FRAMES		131072U
#define BLOCK_BYTES	65536U
#define SLOTS		1048576U	/* of the table of packets */
#define FLOWS		1024
#define REPAIRS		65536
#define CONTROL		0x20000ULL	/* in the key of a flow: its CPs */
#define NSEC_PER_SEC_S	1000000000ULL

/* A packet of a flow, all its copies */
struct sent {
	uint64_t	flow;	/* source and PDCID, 0 = place is free */
	uint32_t	psn;
	uint32_t	copies;
	uint64_t	at[3];	/* when the first three left */
	bool		tail;
	bool		arrived;
	bool		trimmed;
};

struct newest {
	uint64_t	flow;
	uint32_t	psn;
};

struct ring {
	unsigned char	*frames;
	unsigned int	read;
	int		fd;
};

struct repair {
	const struct sent	*sent;
	uint64_t		at;
	bool			disturbed;
};

static struct ring out_rings[256], in_rings[256];
static struct sent *table;
static struct newest newest[FLOWS];
static struct repair repairs[REPAIRS];
static unsigned int nr_repairs;

/* Arrivals by protocol: a tap on all would see them twice, before and after the
 * interrupt moderation. But only a tap on all sees what leaves.
 */
static void open_ring(const struct ns *ns, struct ring *r, int protocol)
{
	struct tpacket_req req = {
		.tp_block_size	= BLOCK_BYTES,
		.tp_block_nr	= FRAMES * FRAME_BYTES / BLOCK_BYTES,
		.tp_frame_size	= FRAME_BYTES,
		.tp_frame_nr	= FRAMES,
	};
	struct sockaddr_ll sll = {
		.sll_family	= AF_PACKET,
		.sll_protocol	= htons(protocol),
	};
	int version = TPACKET_V2;

	netns_enter(ns);
	r->fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	sll.sll_ifindex = if_nametoindex("eth0");
	netns_leave();
	if (r->fd < 0 ||
	    setsockopt(r->fd, SOL_PACKET, PACKET_VERSION, &version,
		       sizeof(version)) ||
	    setsockopt(r->fd, SOL_PACKET, PACKET_RX_RING, &req, sizeof(req)))
		die("%s: packet ring", ns->name);
	r->frames = mmap(NULL, FRAMES * FRAME_BYTES, PROT_READ | PROT_WRITE,
			 MAP_SHARED, r->fd, 0);
	if (r->frames == MAP_FAILED || bind(r->fd, (void *)&sll, sizeof(sll)))
		die("%s: packet ring", ns->name);
}

void repair_start(void)
{
	int i;

	for (i = 0; i < lab.nr_ns && i < 256; i++) {
		if (!lab.ns[i].repairs)
			continue;
		open_ring(&lab.ns[i], &out_rings[i], ETH_P_ALL);
		open_ring(&lab.ns[i], &in_rings[i], ETHERTYPE_IP);
	}
}

/* A request or a control packet of UET: its flow, what names it there, flags */
static bool request(const struct tpacket2_hdr *h, uint64_t *flow, uint32_t *psn,
		    bool *retx)
{
	const unsigned char *p = (const unsigned char *)h + h->tp_net;
	const struct iphdr *ip = (const void *)p;
	const struct udphdr *udp = (const void *)(p + sizeof(*ip));
	const unsigned char *pds = p + sizeof(*ip) + sizeof(*udp);
	unsigned int prologue;

	if (h->tp_snaplen < sizeof(*ip) + sizeof(*udp) + 12 || ip->ihl != 5 ||
	    ip->protocol != IPPROTO_UDP || ntohs(udp->dest) != UET_PORT)
		return false;
	prologue = pds[0] << 8 | pds[1];
	switch (prologue >> UET_TYPE_SHIFT) {
	case 2: case 3: case 13: case 14:	/* RUD and ROD requests */
	case UET_TYPE_CP:
		break;
	default:
		return false;
	}
	memcpy(psn, pds + 4, sizeof(*psn));
	*psn = ntohl(*psn);
	*flow = (uint64_t)ip->saddr << 32 | 1 << 16 | pds[8] << 8 | pds[9];
	*retx = prologue & UET_FLAG_RETX;
	if (prologue >> UET_TYPE_SHIFT == UET_TYPE_CP) {
		*flow |= CONTROL;
		*psn ^= (uint32_t)(pds[2] << 8 | pds[3]) << 16;
	}
	return true;
}

/* The UDP length is that of the whole packet, the IP length what is left of it. */
static bool is_trimmed(const struct tpacket2_hdr *h)
{
	const unsigned char *p = (const unsigned char *)h + h->tp_net;
	const struct iphdr *ip = (const void *)p;
	const struct udphdr *udp = (const void *)(p + sizeof(*ip));

	return ntohs(ip->tot_len) < sizeof(*ip) + ntohs(udp->len);
}

static struct tpacket2_hdr *next_frame(struct ring *r)
{
	struct tpacket2_hdr *h;

	if (r->read == FRAMES)
		return NULL;
	h = (void *)(r->frames + r->read * FRAME_BYTES);
	if (!(h->tp_status & TP_STATUS_USER))
		return NULL;
	r->read++;
	return h;
}

static struct sent *packet_of(uint64_t flow, uint32_t psn, bool make)
{
	uint64_t hash = (flow ^ psn) * 0x9e3779b97f4a7c15ULL;
	uint32_t i = hash >> 44, n;

	for (n = 0; n < SLOTS; n++, i = (i + 1) % SLOTS) {
		if (table[i].flow == flow && table[i].psn == psn)
			return &table[i];
		if (table[i].flow)
			continue;
		if (!make)
			return NULL;
		table[i].flow = flow;
		table[i].psn = psn;
		return &table[i];
	}
	die("table of packets is full");
}

static struct newest *newest_of(uint64_t flow)
{
	int i;

	for (i = 0; i < FLOWS; i++) {
		if (!newest[i].flow)
			newest[i].flow = flow;
		if (newest[i].flow == flow)
			return &newest[i];
	}
	die("too many flows");
}

static uint64_t time_of(const struct tpacket2_hdr *h)
{
	return h->tp_sec * NSEC_PER_SEC_S + h->tp_nsec;
}

static void left(const struct tpacket2_hdr *h)
{
	const struct sockaddr_ll *sll = (const void *)
		((const unsigned char *)h + TPACKET_ALIGN(sizeof(*h)));
	struct newest *n;
	struct sent *s;
	uint64_t flow;
	uint32_t psn;
	bool retx;

	if (sll->sll_pkttype != PACKET_OUTGOING ||
	    !request(h, &flow, &psn, &retx))
		return;
	s = packet_of(flow, psn, true);
	n = newest_of(flow);
	if (!s->copies && (int32_t)(psn - n->psn) > 0)
		n->psn = psn;
	if (s->copies == 1)
		s->tail = n->psn == psn;
	if (s->copies < 3)
		s->at[s->copies++] = time_of(h);
}

static void came(const struct tpacket2_hdr *h)
{
	struct sent *s;
	uint64_t flow;
	uint32_t psn;
	bool retx;

	if (!request(h, &flow, &psn, &retx))
		return;
	s = packet_of(flow, psn, false);
	if (!s || s->arrived)
		return;
	if (is_trimmed(h)) {
		s->trimmed = true;
		return;
	}
	s->arrived = true;
	if (!retx || s->copies != 2 || s->trimmed || flow & CONTROL)
		return;
	if (nr_repairs == REPAIRS)
		die("too many repairs");
	repairs[nr_repairs].sent = s;
	repairs[nr_repairs++].at = time_of(h);
}

static bool lost_meanwhile(const struct sent *cp, const struct repair *r)
{
	return cp->flow == (r->sent->flow | CONTROL) && !cp->arrived &&
	       cp->at[0] >= r->sent->at[0] && cp->at[0] <= r->at;
}

/* Two losses of a flow at the same time */
static bool together(const struct repair *a, const struct repair *b)
{
	return a->sent->flow == b->sent->flow && a != b &&
	       a->sent->at[0] <= b->at && b->sent->at[0] <= a->at;
}

/* Find repairs that something else held up. */
static void leave_out(void)
{
	unsigned int i, k;
	uint32_t n;

	for (i = 0; i < nr_repairs; i++)
		for (k = 0; repairs[i].sent->tail && k < nr_repairs; k++)
			if (together(&repairs[i], &repairs[k]))
				repairs[i].disturbed = true;
	for (n = 0; n < SLOTS; n++) {
		if (!(table[n].flow & CONTROL) || table[n].arrived)
			continue;
		for (i = 0; i < nr_repairs; i++)
			if (lost_meanwhile(&table[n], &repairs[i]))
				repairs[i].disturbed = true;
	}
}

static void report_trimmed(void)
{
	uint32_t n;

	for (n = 0; n < SLOTS; n++)
		if (table[n].trimmed && table[n].copies > 1)
			fprintf(lab.raw, "resent %llu\n", (unsigned long long)
				(table[n].at[1] - table[n].at[0]));
}

void repair_report(void)
{
	const struct repair *r;
	struct tpacket2_hdr *h;
	int i;

	table = calloc(SLOTS, sizeof(*table));
	if (!table)
		die("no memory for packets");
	for (i = 0; i < lab.nr_ns && i < 256; i++)
		while (out_rings[i].frames && (h = next_frame(&out_rings[i])))
			left(h);
	for (i = 0; i < lab.nr_ns && i < 256; i++) {
		while (in_rings[i].frames && (h = next_frame(&in_rings[i])))
			came(h);
		if (out_rings[i].read == FRAMES || in_rings[i].read == FRAMES)
			fprintf(lab.raw, "repair full\n");
	}
	leave_out();
	for (r = repairs; r < repairs + nr_repairs; r++)
		if (!r->disturbed)
			fprintf(lab.raw, "repair %d %llu\n", r->sent->tail,
				(unsigned long long)(r->at - r->sent->at[0]));
	report_trimmed();
	free(table);
}
