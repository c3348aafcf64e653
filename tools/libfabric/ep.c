// SPDX-License-Identifier: GPL-2.0
/* Endpoints: from fi_endpoint() to fi_close() */
#include <sys/stat.h>
#include <unistd.h>

#include "uet_fi.h"

/* Places where the socket for data finds its resource index in use by somebody else */
#define UET_BIND_TRIES	16

/* Unexpected messages that take such a part of the receive buffer leave the kernel. */
#define UET_UNEXP_PART	8

static void uet_ep_close_sockets(struct uet_ep *ep)
{
	if (ep->fd >= 0)
		close(ep->fd);
	if (ep->bulk >= 0)
		close(ep->bulk);
	ep->fd = -1;
	ep->bulk = -1;
}

/* Operations under way end with the endpoint, without a word. */
static void uet_ep_drop(struct list *ops, struct uet_cq *cq)
{
	struct uet_fi_op *op;

	while (!list_empty(ops)) {
		op = list_item(ops->next, struct uet_fi_op, node);
		while (!list_empty(&op->pieces))
			uet_op_put(list_item(op->pieces.next, struct uet_fi_op, node));
		uet_cq_release(cq);
		uet_op_put(op);
	}
}

static int uet_ep_close(struct fid *fid)
{
	struct uet_ep *ep = uet_ep_of_fid(fid);
	struct uet_domain *d = ep->domain;

	uet_lock(d);
	if (ep->enabled)
		list_del(&ep->node);
	if (ep->enabled && !ep->dgram)
		uet_control_end(ep);
	uet_ep_close_sockets(ep);
	uet_ep_drop(&ep->sends, ep->tx_cq);
	uet_ep_drop(&ep->recvs, ep->rx_cq);
	uet_ep_drop(&ep->posted, NULL);
	uet_unexp_drop_all(ep);
	uet_lost_drop_all(ep);
	uet_watch_drop_all(ep);
	if (ep->av)
		ep->av->users--;
	if (ep->tx_cq)
		ep->tx_cq->users--;
	if (ep->rx_cq)
		ep->rx_cq->users--;
	if (ep->tx_cntr)
		ep->tx_cntr->users--;
	if (ep->rx_cntr)
		ep->rx_cntr->users--;
	d->users--;
	uet_unlock(d);
	fi_freeinfo(ep->info);
	free(ep);
	return 0;
}

static int uet_ep_bind_cq(struct uet_ep *ep, struct uet_cq *cq, uint64_t flags)
{
	if (flags & ~(FI_TRANSMIT | FI_RECV | FI_SELECTIVE_COMPLETION) ||
	    !(flags & (FI_TRANSMIT | FI_RECV)) || cq->domain != ep->domain ||
	    (flags & FI_TRANSMIT && ep->tx_cq) || (flags & FI_RECV && ep->rx_cq))
		return -FI_EINVAL;
	if (flags & FI_TRANSMIT) {
		ep->tx_cq = cq;
		ep->tx_selective = flags & FI_SELECTIVE_COMPLETION;
		cq->users++;
	}
	if (flags & FI_RECV) {
		ep->rx_cq = cq;
		ep->rx_selective = flags & FI_SELECTIVE_COMPLETION;
		cq->users++;
	}
	return 0;
}

static int uet_ep_bind_cntr(struct uet_ep *ep, struct uet_cntr *cntr, uint64_t flags)
{
	const uint64_t remote = FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;

	/* Counters of what there is none of count none. */
	if (flags & ~(FI_SEND | FI_RECV | remote) || cntr->domain != ep->domain ||
	    (flags & FI_SEND && ep->tx_cntr) || (flags & FI_RECV && ep->rx_cntr))
		return -FI_EINVAL;
	if (flags & FI_SEND) {
		ep->tx_cntr = cntr;
		cntr->users++;
	}
	if (flags & FI_RECV) {
		ep->rx_cntr = cntr;
		cntr->users++;
	}
	return 0;
}

static int uet_ep_bind_locked(struct uet_ep *ep, struct fid *bfid, uint64_t flags)
{
	struct uet_av *av;

	if (ep->enabled)
		return -FI_EOPBADSTATE;
	switch (bfid->fclass) {
	case FI_CLASS_AV:
		av = list_item(bfid, struct uet_av, fid.fid);
		if (flags || ep->av || av->domain != ep->domain)
			return -FI_EINVAL;
		ep->av = av;
		av->users++;
		return 0;
	case FI_CLASS_CQ:
		return uet_ep_bind_cq(ep, list_item(bfid, struct uet_cq, fid.fid), flags);
	case FI_CLASS_CNTR:
		return uet_ep_bind_cntr(ep, list_item(bfid, struct uet_cntr, fid.fid),
					flags);
	case FI_CLASS_EQ:
		/* Endpoints without connections have no events. */
		return flags ? -FI_EINVAL : 0;
	default:
		return -FI_EINVAL;
	}
}

static int uet_ep_bind(struct fid *fid, struct fid *bfid, uint64_t flags)
{
	struct uet_ep *ep = uet_ep_of_fid(fid);
	int ret;

	uet_lock(ep->domain);
	ret = uet_ep_bind_locked(ep, bfid, flags);
	uet_unlock(ep->domain);
	return ret;
}

/* Open one of the sockets. Returns it, or an errno below 0. */
static int uet_ep_socket(const struct uet_ep *ep, int type, const struct sockaddr_uet *local)
{
	const uint32_t tclass = ep->info->tx_attr->tclass;
	struct libuet_sock how = {
		.type = type | SOCK_CLOEXEC, .local = local,
		.notify = UET_NOTIFY_NAMED,
		.set_tclass = tclass & FI_TC_DSCP, .tclass = fi_tc_dscp_get(tclass),
	};
	const char *step;
	uint32_t job;
	int fd, ret;

	ret = uet_job(&how, &job);
	if (ret)
		return ret;
	fd = libuet_open(&how, &step);
	if (fd >= 0)
		return fd;
	ret = -errno;
	uet_info(EP_CTRL, "%s: %s\n", step, strerror(errno));
	return ret;
}

/* A piece of a long message that cannot be pinned is copied: there has to be room. */
static int uet_ep_sndbuf(int fd)
{
	const int want = 2 * UET_PIECE_MAX;
	socklen_t len = sizeof(int);
	int has;

	if (getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &has, &len))
		return -errno;
	/* The kernel doubles it. */
	has = has >= want ? 0 : want / 2;
	if (has && setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &has, sizeof(has)))
		return -errno;
	return 0;
}

/* Open both sockets, at neighbouring resource indices. Returns 0 or an errno below 0. */
static int uet_ep_open_sockets(struct uet_ep *ep)
{
	const int type = ep->dgram ? SOCK_DGRAM :
			 ep->info->tx_attr->msg_order & FI_ORDER_SAS ? SOCK_SEQPACKET :
			 SOCK_RDM;
	struct sockaddr_uet local, bulk;
	socklen_t len = sizeof(local);

	ep->fd = uet_ep_socket(ep, type, &ep->local);
	if (ep->fd < 0)
		return ep->fd;
	if (getsockname(ep->fd, (struct sockaddr *)&local, &len))
		return -errno;
	local.suet_initiator = 0;
	/* Where all PIDonFEPs are taken the kernel chooses a resource index. */
	if (!uet_addr_fits(&local, ep->info->addr_format, ep->domain->job))
		return -EADDRINUSE;
	if (ep->dgram) {
		ep->local = local;
		return 0;
	}
	bulk = uet_bulk_addr(&local);
	ep->bulk = uet_ep_socket(ep, SOCK_RDM, &bulk);
	if (ep->bulk < 0)
		return ep->bulk;
	ep->local = local;
	return uet_ep_sndbuf(ep->bulk);
}

/* Datagrams have no completions of the kernel: the socket itself tells of them. */
static int uet_ep_wake(struct uet_ep *ep)
{
	int ret = 0;

	if (ep->rx_cq)
		ret = uet_wait_add_fd(&ep->rx_cq->wait, ep->fd);
	if (!ret && ep->rx_cntr)
		ret = uet_wait_add_fd(&ep->rx_cntr->wait, ep->fd);
	return ret;
}

static int uet_ep_options(struct uet_ep *ep)
{
	const uint32_t idle = UET_KEEPALIVE_MS;
	socklen_t len = sizeof(int);
	const int one = 1;
	int low, rcvbuf;
	struct stat st;

	if (ep->dgram)
		return uet_ep_wake(ep);
	if (getsockopt(ep->fd, SOL_SOCKET, SO_RCVBUF, &rcvbuf, &len))
		return -errno;
	low = rcvbuf / UET_UNEXP_PART;
	if (setsockopt(ep->fd, SOL_SOCKET, SO_RCVLOWAT, &low, sizeof(low)) ||
	    setsockopt(ep->bulk, SOL_UET, UET_ZEROCOPY, &one, sizeof(one)) ||
	    setsockopt(ep->fd, SOL_UET, UET_PEER_EVENTS, &one, sizeof(one)) ||
	    setsockopt(ep->fd, SOL_UET, UET_KEEPALIVE_IDLE, &idle, sizeof(idle)) ||
	    setsockopt(ep->fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one)) ||
	    libuet_use_cq(ep->fd, &ep->domain->ring) ||
	    libuet_use_cq(ep->bulk, &ep->domain->ring) ||
	    fstat(ep->fd, &st))
		return -errno;
	ep->inode = (uint32_t)st.st_ino;
	return 0;
}

static int uet_ep_enable(struct uet_ep *ep)
{
	const struct sockaddr_uet wanted = ep->local;
	int ret, i;

	if (ep->enabled)
		return 0;
	if (!ep->av)
		return -FI_ENOAV;
	if ((ep->info->caps & FI_SEND && !ep->tx_cq && !ep->tx_cntr) ||
	    (ep->info->caps & FI_RECV && !ep->rx_cq && !ep->rx_cntr))
		return -FI_ENOCQ;
	for (i = 0; i < UET_BIND_TRIES; i++) {
		ret = uet_ep_open_sockets(ep);
		if (!ret)
			break;
		uet_ep_close_sockets(ep);
		ep->local = wanted;
		/* Only a PIDonFEP that the kernel has chosen can be another one. */
		if (ret != -EADDRINUSE || wanted.suet_pid)
			return ret;
	}
	ret = ret ?: uet_ep_options(ep);
	if (!ret && !ep->dgram)
		ret = uet_control_begin(ep);
	if (ret) {
		uet_ep_close_sockets(ep);
		uet_ep_drop(&ep->posted, NULL);
		ep->local = wanted;
		return ret;
	}
	ep->enabled = true;
	list_add(&ep->domain->eps, &ep->node);
	return 0;
}

static int uet_ep_flags(struct uet_ep *ep, int command, uint64_t *flags)
{
	bool tx = *flags & FI_TRANSMIT, rx = *flags & FI_RECV;

	if (command == FI_GETOPSFLAG) {
		/* One of both is asked for. */
		if (tx == rx)
			return -FI_EINVAL;
		*flags = tx ? ep->tx_flags : ep->rx_flags;
		return 0;
	}
	*flags &= ~(FI_TRANSMIT | FI_RECV);
	if ((!tx && !rx) || (tx && *flags & ~UET_TX_FLAGS) || (rx && *flags & ~UET_RX_FLAGS))
		return -FI_EINVAL;
	if (tx)
		ep->tx_flags = *flags & ~(FI_REMOTE_CQ_DATA | FI_INJECT);
	if (rx)
		ep->rx_flags = *flags;
	return 0;
}

static int uet_ep_control(struct fid *fid, int command, void *arg)
{
	struct uet_ep *ep = uet_ep_of_fid(fid);
	int ret = -FI_ENOSYS;
	uint64_t flags;

	uet_lock(ep->domain);
	switch (command) {
	case FI_ENABLE:
		ret = uet_ep_enable(ep);
		break;
	case FI_GETOPSFLAG:
		ret = uet_ep_flags(ep, command, arg);
		break;
	case FI_SETOPSFLAG:
		flags = *(uint64_t *)arg;
		ret = uet_ep_flags(ep, command, &flags);
		break;
	}
	uet_unlock(ep->domain);
	return ret;
}

static struct fi_ops uet_ep_fid_ops = {
	.size		= sizeof(struct fi_ops),
	.close		= uet_ep_close,
	.bind		= uet_ep_bind,
	.control	= uet_ep_control,
	.ops_open	= uet_no_ops_open,
};

/* --- fi_ops_ep -------------------------------------------------------------------- */

static ssize_t uet_ep_cancel(fid_t fid, void *context)
{
	struct uet_ep *ep = uet_ep_of_fid(fid);
	ssize_t ret;

	if (!ep->enabled)
		return -FI_EOPBADSTATE;
	uet_lock(ep->domain);
	ret = uet_recv_cancel(ep, context);
	uet_unlock(ep->domain);
	return ret;
}

static int uet_ep_getopt(fid_t fid, int level, int optname, void *optval, size_t *optlen)
{
	struct uet_ep *ep = uet_ep_of_fid(fid);

	if (level != FI_OPT_ENDPOINT || optname != FI_OPT_MIN_MULTI_RECV)
		return -FI_ENOPROTOOPT;
	if (*optlen < sizeof(size_t))
		return -FI_ETOOSMALL;
	*(size_t *)optval = ep->min_multi;
	*optlen = sizeof(size_t);
	return 0;
}

static int uet_ep_setopt(fid_t fid, int level, int optname, const void *optval,
			 size_t optlen)
{
	struct uet_ep *ep = uet_ep_of_fid(fid);

	if (level != FI_OPT_ENDPOINT || optname != FI_OPT_MIN_MULTI_RECV)
		return -FI_ENOPROTOOPT;
	if (optlen < sizeof(size_t) || !*(const size_t *)optval)
		return -FI_EINVAL;
	uet_lock(ep->domain);
	ep->min_multi = *(const size_t *)optval;
	uet_unlock(ep->domain);
	return 0;
}

static int uet_no_tx_ctx(struct fid_ep *fid, int index, struct fi_tx_attr *attr,
			 struct fid_ep **ep, void *context)
{
	(void)fid;
	(void)index;
	(void)attr;
	(void)ep;
	(void)context;
	return -FI_ENOSYS;
}

static int uet_no_rx_ctx(struct fid_ep *fid, int index, struct fi_rx_attr *attr,
			 struct fid_ep **ep, void *context)
{
	(void)fid;
	(void)index;
	(void)attr;
	(void)ep;
	(void)context;
	return -FI_ENOSYS;
}

static ssize_t uet_no_size_left(struct fid_ep *fid)
{
	(void)fid;
	return -FI_ENOSYS;
}

static struct fi_ops_ep uet_ep_ops = {
	.size		= sizeof(struct fi_ops_ep),
	.cancel		= uet_ep_cancel,
	.getopt		= uet_ep_getopt,
	.setopt		= uet_ep_setopt,
	.tx_ctx		= uet_no_tx_ctx,
	.rx_ctx		= uet_no_rx_ctx,
	.rx_size_left	= uet_no_size_left,
	.tx_size_left	= uet_no_size_left,
};

/**
 * uet_ep_open() - fi_endpoint()
 * @domain: it belongs to
 * @info: as of fi_getinfo()
 * @fid: gets the endpoint
 * @context: of the program
 *
 * Return: 0, -FI_EINVAL, -FI_ENOMEM.
 */
int uet_ep_open(struct fid_domain *domain, struct fi_info *info, struct fid_ep **fid,
		void *context)
{
	struct uet_domain *d = list_item(domain, struct uet_domain, fid);
	struct uet_ep *ep;

	if (!info || !info->ep_attr ||
	    (info->ep_attr->type != FI_EP_RDM && info->ep_attr->type != FI_EP_DGRAM) ||
	    !info->tx_attr || !info->rx_attr || !info->src_addr ||
	    info->addr_format != d->info->addr_format)
		return -FI_EINVAL;
	ep = calloc(1, sizeof(*ep));
	if (!ep)
		return -FI_ENOMEM;
	ep->info = fi_dupinfo(info);
	if (!ep->info || uet_addr_get(info->addr_format, info->src_addr, info->src_addrlen,
				      d->job, &ep->local)) {
		int ret = ep->info ? -FI_EINVAL : -FI_ENOMEM;

		fi_freeinfo(ep->info);
		free(ep);
		return ret;
	}
	list_init(&ep->node);
	list_init(&ep->sends);
	list_init(&ep->recvs);
	list_init(&ep->pending);
	list_init(&ep->pushes);
	list_init(&ep->unexp);
	list_init(&ep->lost);
	list_init(&ep->watched);
	list_init(&ep->pulling);
	list_init(&ep->replies);
	list_init(&ep->posted);
	list_init(&ep->controls);
	ep->domain = d;
	ep->fd = -1;
	ep->bulk = -1;
	ep->dgram = info->ep_attr->type == FI_EP_DGRAM;
	ep->min_multi = UET_EAGER_MAX;
	ep->tx_flags = info->tx_attr->op_flags & UET_TX_FLAGS &
		       ~(FI_REMOTE_CQ_DATA | FI_INJECT);
	ep->rx_flags = info->rx_attr->op_flags & UET_RX_FLAGS;
	ep->fid.fid.fclass = FI_CLASS_EP;
	ep->fid.fid.context = context;
	ep->fid.fid.ops = &uet_ep_fid_ops;
	ep->fid.ops = &uet_ep_ops;
	ep->fid.cm = &uet_cm_ops;
	ep->fid.msg = &uet_msg_ops;
	ep->fid.tagged = &uet_tagged_ops;
	ep->fid.rma = &uet_no_rma_ops;
	ep->fid.atomic = &uet_no_atomic_ops;
	ep->fid.collective = &uet_no_collective_ops;
	uet_lock(d);
	d->users++;
	uet_unlock(d);
	*fid = &ep->fid;
	return 0;
}
