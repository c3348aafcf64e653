// SPDX-License-Identifier: GPL-2.0
/* Names of endpoints; there are no connections. */
#include "uet_fi.h"

static int uet_cm_getname(fid_t fid, void *addr, size_t *addrlen)
{
	struct uet_ep *ep = uet_ep_of_fid(fid);

	if (!ep->enabled)
		return -FI_EOPBADSTATE;
	return uet_addr_put(&ep->local, ep->info->addr_format, addr, addrlen);
}

static int uet_cm_setname(fid_t fid, void *addr, size_t addrlen)
{
	struct uet_ep *ep = uet_ep_of_fid(fid);
	struct sockaddr_uet sa;
	int ret;

	if (ep->enabled)
		return -FI_EOPBADSTATE;
	ret = uet_addr_get(ep->info->addr_format, addr, addrlen, ep->domain->job, &sa);
	if (!ret)
		ep->local = sa;
	return ret;
}

static int uet_no_getpeer(struct fid_ep *fid, void *addr, size_t *addrlen)
{
	(void)fid;
	(void)addr;
	(void)addrlen;
	return -FI_ENOSYS;
}

static int uet_no_connect(struct fid_ep *fid, const void *addr, const void *param,
			  size_t paramlen)
{
	(void)fid;
	(void)addr;
	(void)param;
	(void)paramlen;
	return -FI_ENOSYS;
}

static int uet_no_listen(struct fid_pep *fid)
{
	(void)fid;
	return -FI_ENOSYS;
}

static int uet_no_accept(struct fid_ep *fid, const void *param, size_t paramlen)
{
	(void)fid;
	(void)param;
	(void)paramlen;
	return -FI_ENOSYS;
}

static int uet_no_reject(struct fid_pep *fid, fid_t handle, const void *param,
			 size_t paramlen)
{
	(void)fid;
	(void)handle;
	(void)param;
	(void)paramlen;
	return -FI_ENOSYS;
}

static int uet_no_shutdown(struct fid_ep *fid, uint64_t flags)
{
	(void)fid;
	(void)flags;
	return -FI_ENOSYS;
}

static int uet_no_join(struct fid_ep *fid, const void *addr, uint64_t flags,
		       struct fid_mc **mc, void *context)
{
	(void)fid;
	(void)addr;
	(void)flags;
	(void)mc;
	(void)context;
	return -FI_ENOSYS;
}

struct fi_ops_cm uet_cm_ops = {
	.size		= sizeof(struct fi_ops_cm),
	.setname	= uet_cm_setname,
	.getname	= uet_cm_getname,
	.getpeer	= uet_no_getpeer,
	.connect	= uet_no_connect,
	.listen		= uet_no_listen,
	.accept		= uet_no_accept,
	.reject		= uet_no_reject,
	.shutdown	= uet_no_shutdown,
	.join		= uet_no_join,
};
