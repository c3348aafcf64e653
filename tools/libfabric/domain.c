// SPDX-License-Identifier: GPL-2.0
/* Domains: objects that share a completion queue of the kernel */
#include "uet_fi.h"

static int uet_domain_close(struct fid *fid)
{
	struct uet_domain *d = list_item(fid, struct uet_domain, fid.fid);
	uint32_t i;

	uet_lock(d);
	if (d->users) {
		uet_unlock(d);
		return -FI_EBUSY;
	}
	uet_unlock(d);
	uet_progress_end(d);
	if (d->eq)
		__atomic_sub_fetch(&d->eq->users, 1, __ATOMIC_RELEASE);
	__atomic_sub_fetch(&d->fabric->users, 1, __ATOMIC_RELEASE);
	for (i = 0; i < d->nr_ops; i++)
		free(d->ops[i]);
	free(d->ops);
	fi_freeinfo(d->info);
	pthread_mutex_destroy(&d->lock);
	free(d);
	return 0;
}

/* Events of address vectors go there. */
static int uet_domain_bind(struct fid *fid, struct fid *bfid, uint64_t flags)
{
	struct uet_domain *d = list_item(fid, struct uet_domain, fid.fid);

	if (bfid->fclass != FI_CLASS_EQ || flags || d->eq)
		return -FI_EINVAL;
	d->eq = list_item(bfid, struct uet_eq, fid.fid);
	__atomic_add_fetch(&d->eq->users, 1, __ATOMIC_RELAXED);
	return 0;
}

static int uet_no_scalable_ep(struct fid_domain *domain, struct fi_info *info,
			      struct fid_ep **sep, void *context)
{
	(void)domain;
	(void)info;
	(void)sep;
	(void)context;
	return -FI_ENOSYS;
}

static int uet_no_stx(struct fid_domain *domain, struct fi_tx_attr *attr,
		      struct fid_stx **stx, void *context)
{
	(void)domain;
	(void)attr;
	(void)stx;
	(void)context;
	return -FI_ENOSYS;
}

static int uet_no_srx(struct fid_domain *domain, struct fi_rx_attr *attr,
		      struct fid_ep **ep, void *context)
{
	(void)domain;
	(void)attr;
	(void)ep;
	(void)context;
	return -FI_ENOSYS;
}

static struct fi_ops uet_domain_fid_ops = {
	.size		= sizeof(struct fi_ops),
	.close		= uet_domain_close,
	.bind		= uet_domain_bind,
	.control	= uet_no_control,
	.ops_open	= uet_no_ops_open,
};

static struct fi_ops_domain uet_domain_ops = {
	/* Atomics and collectives are not there, and asking for them is -FI_ENOSYS. */
	.size		= offsetof(struct fi_ops_domain, query_atomic),
	.av_open	= uet_av_open,
	.cq_open	= uet_cq_open,
	.endpoint	= uet_ep_open,
	.scalable_ep	= uet_no_scalable_ep,
	.cntr_open	= uet_cntr_open,
	.poll_open	= uet_poll_open,
	.stx_ctx	= uet_no_stx,
	.srx_ctx	= uet_no_srx,
};

/**
 * uet_domain_open() - fi_domain()
 * @fabric: it belongs to
 * @info: as of fi_getinfo()
 * @domain: gets the domain
 * @context: of the program
 *
 * Return: 0, -FI_EINVAL, -FI_ENOMEM, or an error of the kernel.
 */
int uet_domain_open(struct fid_fabric *fabric, struct fi_info *info,
		    struct fid_domain **domain, void *context)
{
	struct uet_fabric *f = list_item(fabric, struct uet_fabric, fid);
	struct libuet_sock how = { 0 };
	struct uet_domain *d;
	uint32_t job;
	int ret;

	if (!info || !info->domain_attr || !info->fabric_attr ||
	    (info->fabric_attr->name && strcmp(info->fabric_attr->name, f->name)) ||
	    !uet_addr_size(info->addr_format))
		return -FI_EINVAL;
	ret = uet_job(&how, &job);
	if (ret)
		return ret;
	d = calloc(1, sizeof(*d));
	if (!d)
		return -FI_ENOMEM;
	d->info = fi_dupinfo(info);
	if (!d->info) {
		free(d);
		return -FI_ENOMEM;
	}
	pthread_mutex_init(&d->lock, NULL);
	list_init(&d->free);
	list_init(&d->eps);
	d->fabric = f;
	d->job = job;
	d->automatic = info->domain_attr->data_progress == FI_PROGRESS_AUTO ||
		       info->domain_attr->control_progress == FI_PROGRESS_AUTO;
	d->alone = info->domain_attr->threading == FI_THREAD_DOMAIN;
	ret = uet_progress_begin(d);
	if (ret) {
		pthread_mutex_destroy(&d->lock);
		fi_freeinfo(d->info);
		free(d);
		return ret;
	}
	__atomic_add_fetch(&f->users, 1, __ATOMIC_RELAXED);
	d->fid.fid.fclass = FI_CLASS_DOMAIN;
	d->fid.fid.context = context;
	d->fid.fid.ops = &uet_domain_fid_ops;
	d->fid.ops = &uet_domain_ops;
	d->fid.mr = &uet_mr_ops;
	*domain = &d->fid;
	return 0;
}
