// SPDX-License-Identifier: GPL-2.0
/*
 * Control messages of the rendezvous (rdv.c): short messages without a tag from one
 * socket for data to another one. They are received in two buffers for many messages, one
 * of which the kernel has at any time; without room to post one they are read.
 *
 * All calls: uet_domain.lock held.
 */
#include <endian.h>

#include "uet_fi.h"

/* On the wire, big-endian */
struct uet_control_wire {
	uint32_t	type;
	uint32_t	id;
	uint64_t	key;
	uint64_t	offset;
	uint32_t	length;
	uint32_t	last;
};

#define UET_CONTROL_BUFFER	8192

/* A control message that waits for room */
struct uet_reply {
	struct list			node;
	struct sockaddr_uet		to;
	uint64_t			cookie;
	struct uet_control_wire		wire;
};

/**
 * uet_bulk_addr() - the socket for data of an endpoint
 * @sa: its socket of messages
 *
 * Return: address: the next resource index.
 */
struct sockaddr_uet uet_bulk_addr(const struct sockaddr_uet *sa)
{
	struct sockaddr_uet bulk = *sa;

	bulk.suet_ri++;
	bulk.suet_initiator = 0;
	return bulk;
}

/**
 * uet_main_addr() - the socket for messages of an endpoint
 * @sa: its socket for data
 *
 * Return: address, as uet_bulk_addr() has it.
 */
struct sockaddr_uet uet_main_addr(const struct sockaddr_uet *sa)
{
	struct sockaddr_uet main = *sa;

	main.suet_ri--;
	return main;
}

static bool uet_control_post(struct uet_ep *ep, struct uet_fi_op *op)
{
	const struct uet_op recv = {
		.cookie	= uet_op_cookie(op), .opcode = UET_OP_RECV, .to = UET_OP_ANY,
		.addr	= (uintptr_t)op->buf, .length = UET_CONTROL_BUFFER,
		.flags	= UET_OP_MULTI, .imm = sizeof(struct uet_control_wire),
	};

	list_del(&op->queued);
	if (libuet_post(ep->bulk, &recv, 1, NULL, 0) == 1)
		return true;
	list_add(&ep->controls, &op->queued);
	ep->domain->again = true;
	return false;
}

/**
 * uet_control_begin() - make room for control messages
 * @ep: endpoint whose sockets are open
 *
 * Return: 0, -FI_ENOMEM.
 */
int uet_control_begin(struct uet_ep *ep)
{
	struct uet_fi_op *op;
	int i;

	for (i = 0; i < UET_CONTROLS; i++) {
		ep->control[i] = malloc(UET_CONTROL_BUFFER);
		op = ep->control[i] ? uet_op_get(ep, UET_FI_OP_CONTROL) : NULL;
		if (!op)
			return -FI_ENOMEM;
		op->buf = ep->control[i];
		list_add(&ep->posted, &op->node);
		uet_control_post(ep, op);
	}
	return 0;
}

/**
 * uet_control_end() - the endpoint closes
 * @ep: endpoint; its sockets are still open
 */
void uet_control_end(struct uet_ep *ep)
{
	struct list *l, *next;
	int i;

	uet_control_retry(ep);
	for (l = ep->replies.next; l != &ep->replies; l = next) {
		next = l->next;
		free(list_item(l, struct uet_reply, node));
	}
	list_init(&ep->replies);
	for (i = 0; i < UET_CONTROLS; i++)
		free(ep->control[i]);
}

/**
 * uet_control_read() - a control message has come
 * @ep: endpoint
 * @from: source
 * @bytes: the message
 * @len: its length; one of another length is none of the provider's
 */
void uet_control_read(struct uet_ep *ep, const struct sockaddr_uet *from, const void *bytes,
		      size_t len)
{
	struct uet_control_wire wire;
	struct uet_control c;

	if (len != sizeof(wire))
		return;
	memcpy(&wire, bytes, sizeof(wire));
	c = (struct uet_control){
		.type = be32toh(wire.type), .id = be32toh(wire.id),
		.key = be64toh(wire.key), .offset = be64toh(wire.offset),
		.length = be32toh(wire.length), .last = be32toh(wire.last),
	};
	uet_rdv_control(ep, from, &c);
}

/**
 * uet_control_told() - the kernel tells of a buffer for control messages
 * @op: the buffer
 * @done: completion: a message, or its end
 */
void uet_control_told(struct uet_fi_op *op, const struct uet_completion *done)
{
	struct uet_ep *ep = op->ep;

	if (!done->error && done->offset + done->got <= UET_CONTROL_BUFFER)
		uet_control_read(ep, &done->peer, op->buf + done->offset, done->got);
	if (done->flags & UET_DONE_LAST)
		uet_control_post(ep, op);
}

static int uet_control_put(struct uet_ep *ep, const struct sockaddr_uet *to,
			   const struct uet_control_wire *wire, uint64_t cookie)
{
	const struct iovec iov = { (void *)wire, sizeof(*wire) };
	const struct libuet_attrs attrs = {
		.has = cookie ? LIBUET_COOKIE : 0, .cookie = cookie,
	};

	return libuet_sendmsg(ep->bulk, &iov, 1, to, &attrs,
			      MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? errno : 0;
}

/**
 * uet_control_send() - send a control message
 * @ep: endpoint
 * @to: socket for data of the other end
 * @c: the message
 * @cookie: of the operation that fails with it, or 0
 *
 * Return: 0: it goes now or as soon as there is room; an errno of libfabric below 0.
 */
int uet_control_send(struct uet_ep *ep, const struct sockaddr_uet *to,
		     const struct uet_control *c, uint64_t cookie)
{
	const struct uet_control_wire wire = {
		.type = htobe32(c->type), .id = htobe32(c->id),
		.key = htobe64(c->key), .offset = htobe64(c->offset),
		.length = htobe32(c->length), .last = htobe32(c->last),
	};
	struct uet_reply *r;
	int err = EAGAIN;

	if (list_empty(&ep->replies))
		err = uet_control_put(ep, to, &wire, cookie);
	if (!uet_later(err))
		return -err;
	r = malloc(sizeof(*r));
	if (!r)
		return -FI_ENOMEM;
	r->to = *to;
	r->cookie = cookie;
	r->wire = wire;
	list_add(&ep->replies, &r->node);
	ep->domain->again = true;
	return 0;
}

/**
 * uet_control_retry() - go on with control messages that wait for room
 * @ep: endpoint
 */
void uet_control_retry(struct uet_ep *ep)
{
	struct uet_completion failed = { .type = UET_DONE_SENT };
	struct uet_reply *r;
	struct uet_fi_op *op;
	int err;

	while (!list_empty(&ep->controls))
		if (!uet_control_post(ep, list_item(ep->controls.next, struct uet_fi_op,
						    queued)))
			break;
	while (!list_empty(&ep->replies)) {
		r = list_item(ep->replies.next, struct uet_reply, node);
		err = uet_control_put(ep, &r->to, &r->wire, r->cookie);
		if (uet_later(err))
			return;
		list_del(&r->node);
		op = err ? uet_op_find(ep->domain, r->cookie) : NULL;
		free(r);
		failed.error = err;
		if (op)
			uet_pull_told(op, &failed);
	}
}
