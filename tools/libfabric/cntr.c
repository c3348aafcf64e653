// SPDX-License-Identifier: GPL-2.0
/* Counters */
#include "uet_fi.h"

static struct uet_cntr *uet_cntr_of(struct fid_cntr *fid)
{
	return list_item(fid, struct uet_cntr, fid);
}

/**
 * uet_cntr_count() - an operation has ended
 * @cntr: counter, or NULL
 * @error: it failed
 *
 * Context: uet_domain.lock held.
 */
void uet_cntr_count(struct uet_cntr *cntr, bool error)
{
	if (!cntr)
		return;
	if (error)
		cntr->errors++;
	else
		cntr->value++;
	uet_wait_signal(&cntr->wait);
}

static uint64_t uet_cntr_read(struct fid_cntr *fid)
{
	struct uet_cntr *c = uet_cntr_of(fid);
	uint64_t value;

	uet_lock(c->domain);
	uet_progress(c->domain);
	uet_wait_clear(&c->wait);
	value = c->value;
	c->seen = value + c->errors;
	uet_unlock(c->domain);
	return value;
}

static uint64_t uet_cntr_readerr(struct fid_cntr *fid)
{
	struct uet_cntr *c = uet_cntr_of(fid);
	uint64_t value;

	uet_lock(c->domain);
	uet_progress(c->domain);
	value = c->errors;
	uet_unlock(c->domain);
	return value;
}

/* Set or add to a value. */
static int uet_cntr_change(struct uet_cntr *c, uint64_t *value, uint64_t by, bool add)
{
	uet_lock(c->domain);
	*value = add ? *value + by : by;
	uet_wait_signal(&c->wait);
	uet_unlock(c->domain);
	return 0;
}

static int uet_cntr_add(struct fid_cntr *fid, uint64_t value)
{
	struct uet_cntr *c = uet_cntr_of(fid);

	return uet_cntr_change(c, &c->value, value, true);
}

static int uet_cntr_set(struct fid_cntr *fid, uint64_t value)
{
	struct uet_cntr *c = uet_cntr_of(fid);

	return uet_cntr_change(c, &c->value, value, false);
}

static int uet_cntr_adderr(struct fid_cntr *fid, uint64_t value)
{
	struct uet_cntr *c = uet_cntr_of(fid);

	return uet_cntr_change(c, &c->errors, value, true);
}

static int uet_cntr_seterr(struct fid_cntr *fid, uint64_t value)
{
	struct uet_cntr *c = uet_cntr_of(fid);

	return uet_cntr_change(c, &c->errors, value, false);
}

static int uet_cntr_wait(struct fid_cntr *fid, uint64_t threshold, int timeout)
{
	struct uet_cntr *c = uet_cntr_of(fid);
	uint64_t end = uet_now_ms() + (timeout > 0 ? timeout : 0), now, errors;
	int ret;

	if (c->wait.obj != FI_WAIT_FD)
		return -FI_ENOSYS;
	uet_lock(c->domain);
	errors = c->errors;
	for (;;) {
		uet_progress(c->domain);
		uet_wait_clear(&c->wait);
		ret = c->value >= threshold ? 0 :
		      c->errors != errors ? -FI_EAVAIL : -FI_ETIMEDOUT;
		now = uet_now_ms();
		if (ret != -FI_ETIMEDOUT || (timeout >= 0 && now >= end))
			break;
		uet_unlock(c->domain);
		ret = uet_progress_wait(c->domain, &c->wait,
					timeout < 0 ? -1 : (int)(end - now));
		uet_lock(c->domain);
		if (ret)
			break;
	}
	uet_unlock(c->domain);
	return ret;
}

static int uet_cntr_close(struct fid *fid)
{
	struct uet_cntr *c = list_item(fid, struct uet_cntr, fid.fid);
	struct uet_domain *d = c->domain;

	uet_lock(d);
	if (c->users) {
		uet_unlock(d);
		return -FI_EBUSY;
	}
	d->users--;
	uet_unlock(d);
	uet_wait_close(&c->wait, fid);
	free(c);
	return 0;
}

static int uet_cntr_control(struct fid *fid, int command, void *arg)
{
	struct uet_cntr *c = list_item(fid, struct uet_cntr, fid.fid);
	int ret = uet_wait_control(&c->wait, command, arg);

	return ret || command != FI_GETWAIT ? ret : uet_progress_watch(c->domain);
}

static struct fi_ops uet_cntr_fid_ops = {
	.size		= sizeof(struct fi_ops),
	.close		= uet_cntr_close,
	.bind		= uet_no_bind,
	.control	= uet_cntr_control,
	.ops_open	= uet_no_ops_open,
};

static struct fi_ops_cntr uet_cntr_ops = {
	.size		= sizeof(struct fi_ops_cntr),
	.read		= uet_cntr_read,
	.readerr	= uet_cntr_readerr,
	.add		= uet_cntr_add,
	.set		= uet_cntr_set,
	.wait		= uet_cntr_wait,
	.adderr		= uet_cntr_adderr,
	.seterr		= uet_cntr_seterr,
};

/**
 * uet_cntr_open() - fi_cntr_open()
 * @domain: it belongs to
 * @attr: how to wait for it; or NULL
 * @cntr: gets the counter
 * @context: of the program
 *
 * Return: 0; -FI_ENOSYS for a wait object that is not offered, -FI_EINVAL, -FI_ENOMEM.
 */
int uet_cntr_open(struct fid_domain *domain, struct fi_cntr_attr *attr,
		  struct fid_cntr **cntr, void *context)
{
	struct uet_domain *d = list_item(domain, struct uet_domain, fid);
	struct uet_cntr *c;
	int ret;

	if (attr && (attr->events != FI_CNTR_EVENTS_COMP || attr->flags))
		return -FI_EINVAL;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -FI_ENOMEM;
	c->domain = d;
	c->fid.fid.fclass = FI_CLASS_CNTR;
	c->fid.fid.context = context;
	c->fid.fid.ops = &uet_cntr_fid_ops;
	c->fid.ops = &uet_cntr_ops;
	ret = uet_progress_wait_open(d, &c->wait, attr ? attr->wait_obj : FI_WAIT_UNSPEC,
				     attr ? attr->wait_set : NULL, &c->fid.fid);
	if (ret) {
		free(c);
		return ret;
	}
	uet_lock(d);
	d->users++;
	uet_unlock(d);
	*cntr = &c->fid;
	return 0;
}
