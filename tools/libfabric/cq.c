// SPDX-License-Identifier: GPL-2.0
/*
 * Completion queues of the program. There is room for each completion when its operation
 * begins (FI_RM_ENABLED), so none is lost.
 */
#include "uet_fi.h"

static struct uet_cq *uet_cq_of(struct fid_cq *fid)
{
	return list_item(fid, struct uet_cq, fid);
}

static int uet_cq_grow(struct uet_cq *cq, uint32_t need)
{
	uint32_t size = cq->size, i;
	struct uet_entry *entries;

	while (size < need)
		size *= 2;
	if (size == cq->size)
		return 0;
	entries = malloc(size * sizeof(*entries));
	if (!entries)
		return -FI_ENOMEM;
	for (i = cq->head; i != cq->tail; i++)
		entries[i & (size - 1)] = cq->entries[i & (cq->size - 1)];
	free(cq->entries);
	cq->entries = entries;
	cq->size = size;
	return 0;
}

/**
 * uet_cq_promise() - an operation begins that will have a completion
 * @cq: queue, or NULL
 *
 * Context: uet_domain.lock held.
 * Return: 0, -FI_ENOMEM, -FI_EAGAIN.
 */
int uet_cq_promise(struct uet_cq *cq)
{
	int ret;

	if (!cq)
		return 0;
	if (cq->promised >= 1u << 30)
		return -FI_EAGAIN;
	ret = uet_cq_grow(cq, cq->tail - cq->head + cq->promised + 1);
	if (!ret)
		cq->promised++;
	return ret;
}

/**
 * uet_cq_release() - undo uet_cq_promise(), or before its uet_cq_add()
 * @cq: queue, or NULL
 */
void uet_cq_release(struct uet_cq *cq)
{
	if (cq)
		cq->promised--;
}

/**
 * uet_cq_add() - an operation has ended
 * @cq: queue, or NULL
 * @entry: its completion
 *
 * Context: uet_domain.lock held. What was not promised is lost without memory.
 */
void uet_cq_add(struct uet_cq *cq, const struct uet_entry *entry)
{
	if (!cq)
		return;
	if (uet_cq_grow(cq, cq->tail - cq->head + cq->promised + 1)) {
		uet_warn(CQ, "no memory to tell an error: %s\n", fi_strerror(entry->e.err));
		return;
	}
	cq->entries[cq->tail++ & (cq->size - 1)] = *entry;
	uet_wait_signal(&cq->wait);
}

static const size_t uet_cq_entry_size[] = {
	[FI_CQ_FORMAT_UNSPEC]	= sizeof(struct fi_cq_entry),
	[FI_CQ_FORMAT_CONTEXT]	= sizeof(struct fi_cq_entry),
	[FI_CQ_FORMAT_MSG]	= sizeof(struct fi_cq_msg_entry),
	[FI_CQ_FORMAT_DATA]	= sizeof(struct fi_cq_data_entry),
	[FI_CQ_FORMAT_TAGGED]	= sizeof(struct fi_cq_tagged_entry),
};

/* Entries of all formats are the beginning of that of errors. */
_Static_assert(offsetof(struct fi_cq_err_entry, tag) ==
	       offsetof(struct fi_cq_tagged_entry, tag), "entries of libfabric differ");

/* Take what is there. */
static ssize_t uet_cq_take(struct uet_cq *cq, void *buf, size_t count, fi_addr_t *from)
{
	size_t size = uet_cq_entry_size[cq->format], n = 0;
	const struct uet_entry *entry;

	for (; n < count && cq->head != cq->tail; n++) {
		entry = &cq->entries[cq->head & (cq->size - 1)];
		if (entry->e.err)
			return n ? (ssize_t)n : -FI_EAVAIL;
		memcpy((char *)buf + n * size, &entry->e, size);
		if (from)
			from[n] = entry->from;
		cq->head++;
	}
	/* A call without room for any asks for progress. */
	return n || !count ? (ssize_t)n : -FI_EAGAIN;
}

static ssize_t uet_cq_readfrom(struct fid_cq *fid, void *buf, size_t count, fi_addr_t *from)
{
	struct uet_cq *cq = uet_cq_of(fid);
	ssize_t ret;

	uet_lock(cq->domain);
	if (cq->head == cq->tail)
		uet_progress(cq->domain);
	ret = uet_cq_take(cq, buf, count, from);
	if (cq->head == cq->tail)
		uet_wait_clear(&cq->wait);
	uet_unlock(cq->domain);
	if (ret == -FI_EAGAIN)
		uet_progress_idle(cq->domain);
	return ret;
}

static ssize_t uet_cq_read(struct fid_cq *fid, void *buf, size_t count)
{
	return uet_cq_readfrom(fid, buf, count, NULL);
}

static ssize_t uet_cq_readerr(struct fid_cq *fid, struct fi_cq_err_entry *buf,
			      uint64_t flags)
{
	struct uet_cq *cq = uet_cq_of(fid);
	const struct uet_entry *entry;
	ssize_t ret = -FI_EAGAIN;

	if (flags)
		return -FI_EINVAL;
	uet_lock(cq->domain);
	if (cq->head == cq->tail)
		uet_progress(cq->domain);
	entry = &cq->entries[cq->head & (cq->size - 1)];
	if (cq->head != cq->tail && entry->e.err) {
		/* Programs from before version 1.5 have no err_data_size. */
		memcpy(buf, &entry->e, offsetof(struct fi_cq_err_entry, err_data));
		buf->err_data = NULL;
		if (cq->domain->fabric->fid.api_version >= FI_VERSION(1, 5))
			buf->err_data_size = 0;
		cq->head++;
		ret = 1;
	}
	if (cq->head == cq->tail)
		uet_wait_clear(&cq->wait);
	uet_unlock(cq->domain);
	return ret;
}

static ssize_t uet_cq_sreadfrom(struct fid_cq *fid, void *buf, size_t count,
				fi_addr_t *from, const void *cond, int timeout)
{
	struct uet_cq *cq = uet_cq_of(fid);
	uint64_t end = uet_now_ms() + (timeout > 0 ? timeout : 0), now;
	ssize_t ret;

	(void)cond;
	if (cq->wait.obj != FI_WAIT_FD)
		return -FI_ENOSYS;
	for (;;) {
		ret = uet_cq_readfrom(fid, buf, count, from);
		now = uet_now_ms();
		if (ret != -FI_EAGAIN || (timeout >= 0 && now >= end))
			return ret;
		if (__atomic_exchange_n(&cq->signalled, false, __ATOMIC_ACQUIRE))
			return -FI_EAGAIN;
		ret = uet_progress_wait(cq->domain, &cq->wait,
					timeout < 0 ? -1 : (int)(end - now));
		if (ret)
			return ret;
	}
}

static ssize_t uet_cq_sread(struct fid_cq *fid, void *buf, size_t count, const void *cond,
			    int timeout)
{
	return uet_cq_sreadfrom(fid, buf, count, NULL, cond, timeout);
}

static int uet_cq_signal(struct fid_cq *fid)
{
	struct uet_cq *cq = uet_cq_of(fid);

	if (cq->wait.obj == FI_WAIT_NONE)
		return -FI_ENOSYS;
	uet_lock(cq->domain);
	__atomic_store_n(&cq->signalled, true, __ATOMIC_RELEASE);
	uet_wait_signal(&cq->wait);
	uet_unlock(cq->domain);
	return 0;
}

static const char *uet_cq_strerror(struct fid_cq *fid, int prov_errno, const void *err_data,
				   char *buf, size_t len)
{
	(void)fid;
	(void)err_data;
	return uet_strerror(prov_errno, buf, len);
}

static int uet_cq_close(struct fid *fid)
{
	struct uet_cq *cq = list_item(fid, struct uet_cq, fid.fid);
	struct uet_domain *d = cq->domain;

	uet_lock(d);
	if (cq->users) {
		uet_unlock(d);
		return -FI_EBUSY;
	}
	d->users--;
	uet_unlock(d);
	uet_wait_close(&cq->wait, fid);
	free(cq->entries);
	free(cq);
	return 0;
}

static int uet_cq_control(struct fid *fid, int command, void *arg)
{
	struct uet_cq *cq = list_item(fid, struct uet_cq, fid.fid);
	int ret = uet_wait_control(&cq->wait, command, arg);

	return ret || command != FI_GETWAIT ? ret : uet_progress_watch(cq->domain);
}

static struct fi_ops uet_cq_fid_ops = {
	.size		= sizeof(struct fi_ops),
	.close		= uet_cq_close,
	.bind		= uet_no_bind,
	.control	= uet_cq_control,
	.ops_open	= uet_no_ops_open,
};

static struct fi_ops_cq uet_cq_ops = {
	.size		= sizeof(struct fi_ops_cq),
	.read		= uet_cq_read,
	.readfrom	= uet_cq_readfrom,
	.readerr	= uet_cq_readerr,
	.sread		= uet_cq_sread,
	.sreadfrom	= uet_cq_sreadfrom,
	.signal		= uet_cq_signal,
	.strerror	= uet_cq_strerror,
};

static int uet_cq_check(const struct fi_cq_attr *attr)
{
	if (!attr)
		return 0;
	if (attr->format > FI_CQ_FORMAT_TAGGED || attr->flags & ~FI_AFFINITY)
		return -FI_EINVAL;
	/* One completion wakes up, as the threshold is a hint. */
	return attr->wait_cond > FI_CQ_COND_THRESHOLD ? -FI_EINVAL : 0;
}

/**
 * uet_cq_open() - fi_cq_open()
 * @domain: it belongs to
 * @attr: format, size to begin with, how to wait for it; or NULL
 * @cq: gets the queue
 * @context: of the program
 *
 * Return: 0; -FI_ENOSYS for a wait object that is not offered, -FI_EINVAL, -FI_ENOMEM.
 */
int uet_cq_open(struct fid_domain *domain, struct fi_cq_attr *attr, struct fid_cq **cq,
		void *context)
{
	struct uet_domain *d = list_item(domain, struct uet_domain, fid);
	int ret = uet_cq_check(attr);
	struct uet_cq *q;

	if (ret)
		return ret;
	q = calloc(1, sizeof(*q));
	if (!q)
		return -FI_ENOMEM;
	q->format = attr && attr->format ? attr->format : FI_CQ_FORMAT_CONTEXT;
	q->domain = d;
	q->fid.fid.fclass = FI_CLASS_CQ;
	q->fid.fid.context = context;
	q->fid.fid.ops = &uet_cq_fid_ops;
	q->fid.ops = &uet_cq_ops;
	q->size = 1024;
	q->entries = malloc(q->size * sizeof(*q->entries));
	ret = !q->entries ? -FI_ENOMEM :
	      uet_progress_wait_open(d, &q->wait, attr ? attr->wait_obj : FI_WAIT_NONE,
				     attr ? attr->wait_set : NULL, &q->fid.fid);
	if (ret) {
		free(q->entries);
		free(q);
		return ret;
	}
	if (attr)
		attr->format = q->format;
	uet_lock(d);
	d->users++;
	uet_unlock(d);
	*cq = &q->fid;
	return 0;
}
