// SPDX-License-Identifier: GPL-2.0
/*
 * Memory regions. Messages need none, and programs that register their buffers for
 * several providers are not refused: a region counts, and has its key. (Remote access to
 * memory will keep them in a table of the domain.)
 */
#include "uet_fi.h"

struct uet_mr {
	struct fid_mr		fid;
	struct uet_domain	*domain;
};

static int uet_mr_close(struct fid *fid)
{
	struct uet_mr *mr = list_item(fid, struct uet_mr, fid.fid);

	uet_lock(mr->domain);
	mr->domain->users--;
	uet_unlock(mr->domain);
	free(mr);
	return 0;
}

static struct fi_ops uet_mr_fid_ops = {
	.size		= sizeof(struct fi_ops),
	.close		= uet_mr_close,
	.bind		= uet_no_bind,
	.control	= uet_no_control,
	.ops_open	= uet_no_ops_open,
};

static int uet_mr_regattr(struct fid *fid, const struct fi_mr_attr *attr, uint64_t flags,
			  struct fid_mr **mr)
{
	struct uet_domain *d = list_item(fid, struct uet_domain, fid.fid);
	const uint64_t remote = FI_REMOTE_READ | FI_REMOTE_WRITE;
	struct uet_mr *m;

	if (fid->fclass != FI_CLASS_DOMAIN || flags || attr->iov_count > 1)
		return -FI_EINVAL;
	if (attr->access & remote)
		return -FI_EOPNOTSUPP;
	m = calloc(1, sizeof(*m));
	if (!m)
		return -FI_ENOMEM;
	m->domain = d;
	m->fid.fid.fclass = FI_CLASS_MR;
	m->fid.fid.context = attr->context;
	m->fid.fid.ops = &uet_mr_fid_ops;
	m->fid.key = attr->requested_key;
	uet_lock(d);
	d->users++;
	uet_unlock(d);
	*mr = &m->fid;
	return 0;
}

static int uet_mr_regv(struct fid *fid, const struct iovec *iov, size_t count,
		       uint64_t access, uint64_t offset, uint64_t requested_key,
		       uint64_t flags, struct fid_mr **mr, void *context)
{
	const struct fi_mr_attr attr = {
		.mr_iov = iov, .iov_count = count, .access = access, .offset = offset,
		.requested_key = requested_key, .context = context,
	};

	return uet_mr_regattr(fid, &attr, flags, mr);
}

static int uet_mr_reg(struct fid *fid, const void *buf, size_t len, uint64_t access,
		      uint64_t offset, uint64_t requested_key, uint64_t flags,
		      struct fid_mr **mr, void *context)
{
	const struct iovec iov = { (void *)buf, len };

	return uet_mr_regv(fid, &iov, 1, access, offset, requested_key, flags, mr,
			   context);
}

struct fi_ops_mr uet_mr_ops = {
	.size		= sizeof(struct fi_ops_mr),
	.reg		= uet_mr_reg,
	.regv		= uet_mr_regv,
	.regattr	= uet_mr_regattr,
};
