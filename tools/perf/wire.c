// SPDX-License-Identifier: GPL-2.0
/* Control messages as bytes and back: what comes in may be anything */
#include <endian.h>
#include <string.h>

#include <linux/uet.h>

#include "wire.h"

#define MAGIC	0x75657470	/* "uetp" */

/* All in network byte order, without holes */
struct bytes {
	uint32_t	magic;
	uint16_t	version, pid;
	uint8_t		kind, role, delivery, reason;
	uint32_t	verify, slot, spoil, batches, warm, zero[2];
	uint64_t	key, size, round, seed, total;
	uint64_t	messages, bytes, ns, bad, bad_seq, bad_offset;
};

_Static_assert(sizeof(struct bytes) == WIRE_SIZE, "size on the wire");
_Static_assert(offsetof(struct bytes, key) == 40, "no hole");

/**
 * wire_put() - write a control message
 * @buf: gets it
 * @m: message
 */
void wire_put(unsigned char buf[WIRE_SIZE], const struct wire_msg *m)
{
	const struct bytes b = {
		.magic = htobe32(MAGIC), .version = htobe16(WIRE_VERSION),
		.pid = htobe16(m->pid), .kind = m->kind, .role = m->role,
		.delivery = m->delivery, .reason = m->reason,
		.verify = htobe32(m->verify), .slot = htobe32(m->slot),
		.spoil = htobe32(m->spoil), .batches = htobe32(m->batches),
		.warm = htobe32(m->warm), .key = htobe64(m->key),
		.size = htobe64(m->size), .round = htobe64(m->round),
		.seed = htobe64(m->seed), .total = htobe64(m->total),
		.messages = htobe64(m->messages), .bytes = htobe64(m->bytes),
		.ns = htobe64(m->ns), .bad = htobe64(m->bad),
		.bad_seq = htobe64(m->bad_seq),
		.bad_offset = htobe64(m->bad_offset),
	};

	memcpy(buf, &b, sizeof(b));
}

static bool sound_hello(const struct wire_msg *m)
{
	return m->role >= ROLE_SINK && m->role <= ROLE_MAX &&
	       m->delivery >= UET_RUD && m->delivery <= UET_UUD &&
	       m->size <= UET_MSG_MAX && m->warm <= 1 &&
	       m->batches > m->warm && m->batches <= ROUNDS_MAX + 1 &&
	       m->round <= UINT64_MAX / m->batches &&
	       (m->round || m->batches == 1);
}

/**
 * wire_get() - read a control message
 * @buf: what came
 * @len: length of that
 * @m: gets the message, all values in their ranges
 *
 * Return: enum wire_verdict; @m is undefined but with WIRE_GOOD.
 */
enum wire_verdict wire_get(const void *buf, size_t len, struct wire_msg *m)
{
	struct bytes b;

	if (len < 8)
		return WIRE_GARBAGE;
	memset(&b, 0, sizeof(b));
	memcpy(&b, buf, len < sizeof(b) ? len : sizeof(b));
	if (be32toh(b.magic) != MAGIC)
		return WIRE_GARBAGE;
	if (be16toh(b.version) != WIRE_VERSION)
		return WIRE_OTHER_VERSION;
	if (len != sizeof(b) || !b.kind || b.kind > KIND_MAX ||
	    b.reason > REASON_MAX || be32toh(b.verify) > 1)
		return WIRE_GARBAGE;
	*m = (struct wire_msg){
		.kind = b.kind, .role = b.role, .delivery = b.delivery,
		.reason = b.reason, .verify = b.verify, .pid = be16toh(b.pid),
		.slot = be32toh(b.slot), .spoil = be32toh(b.spoil),
		.batches = be32toh(b.batches), .warm = be32toh(b.warm),
		.key = be64toh(b.key), .size = be64toh(b.size),
		.round = be64toh(b.round), .seed = be64toh(b.seed),
		.total = be64toh(b.total), .messages = be64toh(b.messages),
		.bytes = be64toh(b.bytes), .ns = be64toh(b.ns),
		.bad = be64toh(b.bad), .bad_seq = be64toh(b.bad_seq),
		.bad_offset = be64toh(b.bad_offset),
	};
	if (m->kind == KIND_HELLO && !sound_hello(m))
		return WIRE_GARBAGE;
	if (m->kind == KIND_WELCOME && (!m->pid || m->pid > UET_PID_MAX))
		return WIRE_GARBAGE;
	return WIRE_GOOD;
}
