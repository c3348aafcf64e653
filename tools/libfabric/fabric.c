// SPDX-License-Identifier: GPL-2.0
/* Fabrics: all endpoints of a job */
#include "uet_fi.h"

static int uet_fabric_close(struct fid *fid)
{
	struct uet_fabric *f = list_item(fid, struct uet_fabric, fid.fid);

	if (__atomic_load_n(&f->users, __ATOMIC_ACQUIRE))
		return -FI_EBUSY;
	free(f->name);
	free(f);
	return 0;
}

static int uet_no_passive_ep(struct fid_fabric *fabric, struct fi_info *info,
			     struct fid_pep **pep, void *context)
{
	(void)fabric;
	(void)info;
	(void)pep;
	(void)context;
	return -FI_ENOSYS;
}

static struct fi_ops uet_fabric_fid_ops = {
	.size		= sizeof(struct fi_ops),
	.close		= uet_fabric_close,
	.bind		= uet_no_bind,
	.control	= uet_no_control,
	.ops_open	= uet_no_ops_open,
};

static struct fi_ops_fabric uet_fabric_ops = {
	.size		= sizeof(struct fi_ops_fabric),
	.domain		= uet_domain_open,
	.passive_ep	= uet_no_passive_ep,
	.eq_open	= uet_eq_open,
	.wait_open	= uet_waitset_open,
	.trywait	= uet_trywait,
};

/**
 * uet_fabric_open() - fi_fabric()
 * @attr: its name is one of those of fi_getinfo()
 * @fabric: gets the fabric
 * @context: of the program
 *
 * Return: 0, -FI_EINVAL, -FI_ENOMEM.
 */
int uet_fabric_open(struct fi_fabric_attr *attr, struct fid_fabric **fabric,
		    void *context)
{
	struct uet_fabric *f;

	if (!attr || !attr->name || strncmp(attr->name, "uet/", 4))
		return -FI_EINVAL;
	f = calloc(1, sizeof(*f));
	if (!f)
		return -FI_ENOMEM;
	f->name = strdup(attr->name);
	if (!f->name) {
		free(f);
		return -FI_ENOMEM;
	}
	f->fid.fid.fclass = FI_CLASS_FABRIC;
	f->fid.fid.context = context;
	f->fid.fid.ops = &uet_fabric_fid_ops;
	f->fid.ops = &uet_fabric_ops;
	*fabric = &f->fid;
	return 0;
}
