// SPDX-License-Identifier: GPL-2.0
/* Calls of fi_msg(3) and fi_tagged(3): what they mean is in send.c, recv.c, unexp.c. */
#include "uet_fi.h"

static struct uet_ep *uet_ep_of(struct fid_ep *fid)
{
	return list_item(fid, struct uet_ep, fid);
}

static ssize_t uet_send_buf(struct fid_ep *fid, const void *buf, size_t len, fi_addr_t to,
			    uint64_t tag, uint64_t data, uint64_t flags, void *context)
{
	const struct iovec iov = { (void *)buf, len };

	return uet_send(uet_ep_of(fid), &iov, !!len, to, tag, data, flags, context);
}

/* Bits of the provider's are no tag of a program. */
static bool uet_tag_bad(uint64_t tag)
{
	return tag & ~UET_TAG_BITS;
}

/* --- fi_msg(3) ------------------------------------------------------------------ */

static ssize_t uet_msg_recv(struct fid_ep *fid, void *buf, size_t len, void *desc,
			    fi_addr_t from, void *context)
{
	const struct uet_wanted w = {
		.buf = buf, .len = len, .from = from, .context = context,
		.flags = uet_ep_of(fid)->rx_flags,
	};

	(void)desc;
	return uet_recv(uet_ep_of(fid), &w);
}

static ssize_t uet_msg_recvmsg(struct fid_ep *fid, const struct fi_msg *msg, uint64_t flags)
{
	const struct uet_wanted w = {
		.buf = msg->iov_count ? msg->msg_iov[0].iov_base : NULL,
		.len = msg->iov_count ? msg->msg_iov[0].iov_len : 0,
		.from = msg->addr, .context = msg->context, .flags = flags,
	};

	if (msg->iov_count > 1 || flags & ~UET_RX_FLAGS)
		return -FI_EINVAL;
	return uet_recv(uet_ep_of(fid), &w);
}

static ssize_t uet_msg_recvv(struct fid_ep *fid, const struct iovec *iov, void **desc,
			     size_t count, fi_addr_t from, void *context)
{
	const struct fi_msg msg = {
		.msg_iov = iov, .iov_count = count, .addr = from, .context = context,
	};

	(void)desc;
	return uet_msg_recvmsg(fid, &msg, uet_ep_of(fid)->rx_flags);
}

static ssize_t uet_msg_send(struct fid_ep *fid, const void *buf, size_t len, void *desc,
			    fi_addr_t to, void *context)
{
	(void)desc;
	return uet_send_buf(fid, buf, len, to, UET_TAG_MSG, 0, uet_ep_of(fid)->tx_flags,
			    context);
}

static ssize_t uet_msg_sendv(struct fid_ep *fid, const struct iovec *iov, void **desc,
			     size_t count, fi_addr_t to, void *context)
{
	(void)desc;
	return uet_send(uet_ep_of(fid), iov, count, to, UET_TAG_MSG, 0,
			uet_ep_of(fid)->tx_flags, context);
}

static ssize_t uet_msg_sendmsg(struct fid_ep *fid, const struct fi_msg *msg, uint64_t flags)
{
	if (flags & UET_QUIET)
		return -FI_EINVAL;
	return uet_send(uet_ep_of(fid), msg->msg_iov, msg->iov_count, msg->addr, UET_TAG_MSG,
			msg->data, flags, msg->context);
}

static ssize_t uet_msg_inject(struct fid_ep *fid, const void *buf, size_t len, fi_addr_t to)
{
	return uet_send_buf(fid, buf, len, to, UET_TAG_MSG, 0, FI_INJECT | UET_QUIET, NULL);
}

static ssize_t uet_msg_senddata(struct fid_ep *fid, const void *buf, size_t len, void *desc,
				uint64_t data, fi_addr_t to, void *context)
{
	(void)desc;
	return uet_send_buf(fid, buf, len, to, UET_TAG_MSG, data,
			    uet_ep_of(fid)->tx_flags | FI_REMOTE_CQ_DATA, context);
}

static ssize_t uet_msg_injectdata(struct fid_ep *fid, const void *buf, size_t len,
				  uint64_t data, fi_addr_t to)
{
	return uet_send_buf(fid, buf, len, to, UET_TAG_MSG, data,
			    FI_INJECT | UET_QUIET | FI_REMOTE_CQ_DATA, NULL);
}

struct fi_ops_msg uet_msg_ops = {
	.size		= sizeof(struct fi_ops_msg),
	.recv		= uet_msg_recv,
	.recvv		= uet_msg_recvv,
	.recvmsg	= uet_msg_recvmsg,
	.send		= uet_msg_send,
	.sendv		= uet_msg_sendv,
	.sendmsg	= uet_msg_sendmsg,
	.inject		= uet_msg_inject,
	.senddata	= uet_msg_senddata,
	.injectdata	= uet_msg_injectdata,
};

/* --- fi_tagged(3) ---------------------------------------------------------------- */

static ssize_t uet_tagged_recv(struct fid_ep *fid, void *buf, size_t len, void *desc,
			       fi_addr_t from, uint64_t tag, uint64_t ignore, void *context)
{
	const struct uet_wanted w = {
		.buf = buf, .len = len, .from = from, .tag = tag, .ignore = ignore,
		.tagged = true, .context = context,
		.flags = uet_ep_of(fid)->rx_flags & ~FI_MULTI_RECV,
	};

	(void)desc;
	return uet_recv(uet_ep_of(fid), &w);
}

static ssize_t uet_tagged_recvmsg(struct fid_ep *fid, const struct fi_msg_tagged *msg,
				  uint64_t flags)
{
	const struct uet_wanted w = {
		.buf = msg->iov_count ? msg->msg_iov[0].iov_base : NULL,
		.len = msg->iov_count ? msg->msg_iov[0].iov_len : 0,
		.from = msg->addr, .tag = msg->tag, .ignore = msg->ignore,
		.tagged = true, .context = msg->context, .flags = flags,
	};
	struct uet_ep *ep = uet_ep_of(fid);

	if (msg->iov_count > 1 ||
	    flags & ~((UET_RX_FLAGS & ~FI_MULTI_RECV) | FI_PEEK | FI_CLAIM | FI_DISCARD))
		return -FI_EINVAL;
	if (flags & FI_PEEK)
		return uet_unexp_peek(ep, &w);
	if (flags & FI_CLAIM)
		return uet_unexp_claimed(ep, &w);
	return flags & FI_DISCARD ? -FI_EINVAL : uet_recv(ep, &w);
}

static ssize_t uet_tagged_recvv(struct fid_ep *fid, const struct iovec *iov, void **desc,
				size_t count, fi_addr_t from, uint64_t tag, uint64_t ignore,
				void *context)
{
	const struct fi_msg_tagged msg = {
		.msg_iov = iov, .iov_count = count, .addr = from, .tag = tag,
		.ignore = ignore, .context = context,
	};

	(void)desc;
	return uet_tagged_recvmsg(fid, &msg, uet_ep_of(fid)->rx_flags & ~FI_MULTI_RECV);
}

static ssize_t uet_tagged_send(struct fid_ep *fid, const void *buf, size_t len, void *desc,
			       fi_addr_t to, uint64_t tag, void *context)
{
	(void)desc;
	if (uet_tag_bad(tag))
		return -FI_EINVAL;
	return uet_send_buf(fid, buf, len, to, tag, 0, uet_ep_of(fid)->tx_flags, context);
}

static ssize_t uet_tagged_sendv(struct fid_ep *fid, const struct iovec *iov, void **desc,
				size_t count, fi_addr_t to, uint64_t tag, void *context)
{
	(void)desc;
	if (uet_tag_bad(tag))
		return -FI_EINVAL;
	return uet_send(uet_ep_of(fid), iov, count, to, tag, 0, uet_ep_of(fid)->tx_flags,
			context);
}

static ssize_t uet_tagged_sendmsg(struct fid_ep *fid, const struct fi_msg_tagged *msg,
				  uint64_t flags)
{
	if (uet_tag_bad(msg->tag) || flags & UET_QUIET)
		return -FI_EINVAL;
	return uet_send(uet_ep_of(fid), msg->msg_iov, msg->iov_count, msg->addr, msg->tag,
			msg->data, flags, msg->context);
}

static ssize_t uet_tagged_inject(struct fid_ep *fid, const void *buf, size_t len,
				 fi_addr_t to, uint64_t tag)
{
	if (uet_tag_bad(tag))
		return -FI_EINVAL;
	return uet_send_buf(fid, buf, len, to, tag, 0, FI_INJECT | UET_QUIET, NULL);
}

static ssize_t uet_tagged_senddata(struct fid_ep *fid, const void *buf, size_t len,
				   void *desc, uint64_t data, fi_addr_t to, uint64_t tag,
				   void *context)
{
	(void)desc;
	if (uet_tag_bad(tag))
		return -FI_EINVAL;
	return uet_send_buf(fid, buf, len, to, tag, data,
			    uet_ep_of(fid)->tx_flags | FI_REMOTE_CQ_DATA, context);
}

static ssize_t uet_tagged_injectdata(struct fid_ep *fid, const void *buf, size_t len,
				     uint64_t data, fi_addr_t to, uint64_t tag)
{
	if (uet_tag_bad(tag))
		return -FI_EINVAL;
	return uet_send_buf(fid, buf, len, to, tag, data,
			    FI_INJECT | UET_QUIET | FI_REMOTE_CQ_DATA, NULL);
}

struct fi_ops_tagged uet_tagged_ops = {
	.size		= sizeof(struct fi_ops_tagged),
	.recv		= uet_tagged_recv,
	.recvv		= uet_tagged_recvv,
	.recvmsg	= uet_tagged_recvmsg,
	.send		= uet_tagged_send,
	.sendv		= uet_tagged_sendv,
	.sendmsg	= uet_tagged_sendmsg,
	.inject		= uet_tagged_inject,
	.senddata	= uet_tagged_senddata,
	.injectdata	= uet_tagged_injectdata,
};
