// SPDX-License-Identifier: GPL-2.0
/*
 * Operations, and the cookies that name them to the kernel and, in short, to peers.
 *
 * A cookie has the place of an operation and how often the place was used, so that a
 * completion that comes late, or a peer that says what it likes, finds nothing rather
 * than something else. All calls: uet_domain.lock held.
 */
#include "uet_fi.h"

/* Cookies that programs of the kernel's make are counts of messages: never so large */
#define UET_COOKIE	(1ULL << 63)
#define UET_AGE_BITS	31

/* Of the name that a peer gets: 20 bits are the place */
#define UET_ID_INDEX	20

static int uet_ops_grow(struct uet_domain *d)
{
	struct uet_fi_op **blocks, *block;
	uint32_t i;

	if (d->nr_ops == (1u << UET_ID_INDEX) / UET_OPS_BLOCK)
		return -FI_EAGAIN;
	block = calloc(UET_OPS_BLOCK, sizeof(*block));
	blocks = realloc(d->ops, (d->nr_ops + 1) * sizeof(*blocks));
	if (blocks)
		d->ops = blocks;
	if (!block || !blocks) {
		free(block);
		return -FI_ENOMEM;
	}
	d->ops[d->nr_ops] = block;
	for (i = 0; i < UET_OPS_BLOCK; i++) {
		block[i].index = d->nr_ops * UET_OPS_BLOCK + i;
		list_add(&d->free, &block[i].node);
	}
	d->nr_ops++;
	return 0;
}

/**
 * uet_op_get() - begin an operation
 * @ep: endpoint
 * @kind: what it is
 *
 * Return: the operation, in no list; NULL without memory for it.
 */
struct uet_fi_op *uet_op_get(struct uet_ep *ep, enum uet_op_kind kind)
{
	struct uet_domain *d = ep->domain;
	struct uet_fi_op *op;

	if (list_empty(&d->free) && uet_ops_grow(d))
		return NULL;
	op = list_item(d->free.next, struct uet_fi_op, node);
	list_del(&op->node);
	list_init(&op->queued);
	list_init(&op->pieces);
	op->kind = kind;
	op->ep = ep;
	op->flags = 0;
	op->want = false;
	op->error = 0;
	op->left = 0;
	op->parent = NULL;
	op->offset = 0;
	return op;
}

/**
 * uet_op_put() - an operation has ended
 * @op: operation; it leaves all lists
 */
void uet_op_put(struct uet_fi_op *op)
{
	struct uet_domain *d = op->ep->domain;

	list_del(&op->node);
	list_del(&op->queued);
	op->kind = UET_FI_OP_FREE;
	op->age++;
	/* The place is used again soon: it is in the cache. */
	list_add(d->free.next, &op->node);
}

/**
 * uet_op_cookie() - the name of an operation for the kernel
 * @op: operation
 *
 * Return: cookie.
 */
uint64_t uet_op_cookie(const struct uet_fi_op *op)
{
	uint64_t age = op->age & ((1u << UET_AGE_BITS) - 1);

	return UET_COOKIE | age << 32 | op->index;
}

/**
 * uet_op_id() - the name of an operation for a peer
 * @op: operation
 *
 * Return: 32 bits.
 */
uint32_t uet_op_id(const struct uet_fi_op *op)
{
	return op->age << UET_ID_INDEX | op->index;
}

static struct uet_fi_op *uet_op_at(struct uet_domain *d, uint32_t index)
{
	struct uet_fi_op *op;

	if (index / UET_OPS_BLOCK >= d->nr_ops)
		return NULL;
	op = &d->ops[index / UET_OPS_BLOCK][index % UET_OPS_BLOCK];
	return op->kind == UET_FI_OP_FREE ? NULL : op;
}

/**
 * uet_op_find() - what a completion of the kernel is for
 * @d: domain
 * @cookie: of the completion
 *
 * Return: the operation, or NULL if it has ended, or never was.
 */
struct uet_fi_op *uet_op_find(struct uet_domain *d, uint64_t cookie)
{
	struct uet_fi_op *op;

	if (!(cookie & UET_COOKIE))
		return NULL;
	op = uet_op_at(d, (uint32_t)cookie);
	return op && uet_op_cookie(op) == cookie ? op : NULL;
}

/**
 * uet_op_named() - what a peer means
 * @d: domain
 * @id: as the peer says
 *
 * Return: the operation, or NULL.
 */
struct uet_fi_op *uet_op_named(struct uet_domain *d, uint32_t id)
{
	struct uet_fi_op *op = uet_op_at(d, id & ((1u << UET_ID_INDEX) - 1));

	return op && uet_op_id(op) == id ? op : NULL;
}
