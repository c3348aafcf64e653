// SPDX-License-Identifier: GPL-2.0
/* Event queues */
#include "uet_fi.h"

static struct uet_eq *uet_eq_of(struct fid_eq *fid)
{
	return list_item(fid, struct uet_eq, fid);
}

/**
 * uet_strerror() - say what a number of the provider means
 * @prov_errno: an errno
 * @buf: gets it, or NULL
 * @len: size of @buf
 *
 * Return: the sentence.
 */
const char *uet_strerror(int prov_errno, char *buf, size_t len)
{
	const char *text = fi_strerror(prov_errno);

	if (buf && len)
		snprintf(buf, len, "%s", text);
	return text;
}

/**
 * uet_eq_add() - add an event
 * @eq: queue
 * @type: FI_AV_COMPLETE and the like
 * @entry: its entry
 * @len: length of that, at most that of uet_event.u
 * @err: it is a struct fi_eq_err_entry
 *
 * Return: 0, -FI_ENOMEM.
 */
int uet_eq_add(struct uet_eq *eq, uint32_t type, const void *entry, size_t len, bool err)
{
	struct uet_event *e = malloc(sizeof(*e));

	if (!e)
		return -FI_ENOMEM;
	e->type = type;
	e->err = err;
	e->len = len;
	memcpy(&e->u, entry, len);
	pthread_mutex_lock(&eq->lock);
	list_add(&eq->events, &e->node);
	uet_wait_signal(&eq->wait);
	pthread_mutex_unlock(&eq->lock);
	return 0;
}

/**
 * uet_eq_ready() - are there events?
 * @eq: queue
 *
 * Return: true if so.
 */
bool uet_eq_ready(struct uet_eq *eq)
{
	bool ready;

	pthread_mutex_lock(&eq->lock);
	ready = !list_empty(&eq->events);
	if (!ready)
		uet_wait_clear(&eq->wait);
	pthread_mutex_unlock(&eq->lock);
	return ready;
}

/* The first event leaves the queue, unless it is only looked at. */
static void uet_eq_pop(struct uet_eq *eq, struct uet_event *e)
{
	list_del(&e->node);
	free(e);
	if (list_empty(&eq->events))
		uet_wait_clear(&eq->wait);
}

static ssize_t uet_eq_read(struct fid_eq *fid, uint32_t *event, void *buf, size_t len,
			   uint64_t flags)
{
	struct uet_eq *eq = uet_eq_of(fid);
	ssize_t ret = -FI_EAGAIN;
	struct uet_event *e;

	if (flags & ~FI_PEEK)
		return -FI_EINVAL;
	pthread_mutex_lock(&eq->lock);
	if (list_empty(&eq->events)) {
		uet_wait_clear(&eq->wait);
		goto out;
	}
	e = list_item(eq->events.next, struct uet_event, node);
	ret = e->err ? -FI_EAVAIL : len < e->len ? -FI_ETOOSMALL : (ssize_t)e->len;
	if (ret < 0)
		goto out;
	*event = e->type;
	memcpy(buf, &e->u, e->len);
	if (!(flags & FI_PEEK))
		uet_eq_pop(eq, e);
out:
	pthread_mutex_unlock(&eq->lock);
	return ret;
}

static ssize_t uet_eq_readerr(struct fid_eq *fid, struct fi_eq_err_entry *buf,
			      uint64_t flags)
{
	struct uet_eq *eq = uet_eq_of(fid);
	ssize_t ret = -FI_EAGAIN;
	struct uet_event *e;

	if (flags & ~FI_PEEK)
		return -FI_EINVAL;
	pthread_mutex_lock(&eq->lock);
	e = list_item(eq->events.next, struct uet_event, node);
	if (!list_empty(&eq->events) && e->err) {
		memcpy(buf, &e->u.error, offsetof(struct fi_eq_err_entry, err_data));
		buf->err_data = NULL;
		if (eq->fabric->fid.api_version >= FI_VERSION(1, 5))
			buf->err_data_size = 0;
		ret = sizeof(*buf);
		if (!(flags & FI_PEEK))
			uet_eq_pop(eq, e);
	}
	pthread_mutex_unlock(&eq->lock);
	return ret;
}

static ssize_t uet_eq_write(struct fid_eq *fid, uint32_t event, const void *buf, size_t len,
			    uint64_t flags)
{
	struct uet_eq *eq = uet_eq_of(fid);

	if (flags || len > sizeof(((struct uet_event *)0)->u))
		return -FI_EINVAL;
	return uet_eq_add(eq, event, buf, len, false) ?: (ssize_t)len;
}

static ssize_t uet_eq_sread(struct fid_eq *fid, uint32_t *event, void *buf, size_t len,
			    int timeout, uint64_t flags)
{
	struct uet_eq *eq = uet_eq_of(fid);
	uint64_t end = uet_now_ms() + (timeout > 0 ? timeout : 0), now;
	ssize_t ret;

	if (eq->wait.obj != FI_WAIT_FD)
		return -FI_ENOSYS;
	for (;;) {
		ret = uet_eq_read(fid, event, buf, len, flags);
		now = uet_now_ms();
		if (ret != -FI_EAGAIN || (timeout >= 0 && now >= end))
			return ret;
		ret = uet_progress_wait(NULL, &eq->wait,
					timeout < 0 ? -1 : (int)(end - now));
		if (ret)
			return ret;
	}
}

static const char *uet_eq_strerror(struct fid_eq *fid, int prov_errno, const void *err_data,
				   char *buf, size_t len)
{
	(void)fid;
	(void)err_data;
	return uet_strerror(prov_errno, buf, len);
}

static int uet_eq_close(struct fid *fid)
{
	struct uet_eq *eq = list_item(fid, struct uet_eq, fid.fid);

	if (__atomic_load_n(&eq->users, __ATOMIC_ACQUIRE))
		return -FI_EBUSY;
	while (!list_empty(&eq->events))
		uet_eq_pop(eq, list_item(eq->events.next, struct uet_event, node));
	__atomic_sub_fetch(&eq->fabric->users, 1, __ATOMIC_RELEASE);
	uet_wait_close(&eq->wait, fid);
	pthread_mutex_destroy(&eq->lock);
	free(eq);
	return 0;
}

static int uet_eq_control(struct fid *fid, int command, void *arg)
{
	struct uet_eq *eq = list_item(fid, struct uet_eq, fid.fid);

	return uet_wait_control(&eq->wait, command, arg);
}

static struct fi_ops uet_eq_fid_ops = {
	.size		= sizeof(struct fi_ops),
	.close		= uet_eq_close,
	.bind		= uet_no_bind,
	.control	= uet_eq_control,
	.ops_open	= uet_no_ops_open,
};

static struct fi_ops_eq uet_eq_ops = {
	.size		= sizeof(struct fi_ops_eq),
	.read		= uet_eq_read,
	.readerr	= uet_eq_readerr,
	.write		= uet_eq_write,
	.sread		= uet_eq_sread,
	.strerror	= uet_eq_strerror,
};

/**
 * uet_eq_open() - fi_eq_open()
 * @fabric: it belongs to
 * @attr: how to wait for it; or NULL
 * @eq: gets the queue
 * @context: of the program
 *
 * Return: 0; -FI_ENOSYS for a wait object that is not offered, -FI_EINVAL, -FI_ENOMEM.
 */
int uet_eq_open(struct fid_fabric *fabric, struct fi_eq_attr *attr, struct fid_eq **eq,
		void *context)
{
	struct uet_fabric *f = list_item(fabric, struct uet_fabric, fid);
	struct uet_eq *q;
	int ret;

	if (attr && attr->flags & ~(FI_AFFINITY | FI_WRITE))
		return -FI_EINVAL;
	q = calloc(1, sizeof(*q));
	if (!q)
		return -FI_ENOMEM;
	ret = uet_wait_open(&q->wait, attr ? attr->wait_obj : FI_WAIT_NONE,
			    attr ? attr->wait_set : NULL, &q->fid.fid);
	if (ret) {
		free(q);
		return ret;
	}
	pthread_mutex_init(&q->lock, NULL);
	list_init(&q->events);
	q->fabric = f;
	__atomic_add_fetch(&f->users, 1, __ATOMIC_RELAXED);
	q->fid.fid.fclass = FI_CLASS_EQ;
	q->fid.fid.context = context;
	q->fid.fid.ops = &uet_eq_fid_ops;
	q->fid.ops = &uet_eq_ops;
	*eq = &q->fid;
	return 0;
}
