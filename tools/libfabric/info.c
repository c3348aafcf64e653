// SPDX-License-Identifier: GPL-2.0
/*
 * fi_getinfo(): what there is, for what the program asks for. A hint that cannot be met
 * gives no information rather than less than was asked for.
 */
#include <arpa/inet.h>
#include <unistd.h>

#include "uet_fi.h"

#define UET_PROTOCOL		(1U << 31 | 0x554554)	/* a provider's own: "UET" */
#define UET_PROTOCOL_VERSION	1

/* A system call of Linux sends less. */
#define UET_MSG_SIZE		((1UL << 31) - 4097)

/* Operations that a program may have under way at a time; there is no fixed limit. */
#define UET_SIZE		1024
#define UET_COUNT		65536

/* FI_ORDER_DATA; libfabric 2 has the name no more. */
#define UET_COMP_ORDER		(1ULL << 16)

/* Flags of fi_getinfo() that libfabric and its utility providers have for each other:
 * OFI_CORE_PROV_ONLY is that of a utility provider that looks for one to lie on.
 */
#define UET_CORE_FLAGS		(~0ULL << 58)
#define UET_CORE_PROV_ONLY	(1ULL << 59)

/* FI_RESCAN and FI_SOCKADDR_IP, of libfabric 2: interfaces are looked up each time, and
 * socket addresses are those of IP.
 */
#define UET_RESCAN		(1ULL << 35)
#define UET_SOCKADDR_IP		17

static const struct fi_tx_attr uet_tx_attr = {
	.caps		= FI_MSG | FI_TAGGED | FI_SEND,
	.op_flags	= FI_TRANSMIT_COMPLETE,
	.msg_order	= FI_ORDER_SAS,
	.inject_size	= UET_EAGER_MAX,
	.size		= UET_SIZE,
	.iov_limit	= UET_IOV_MAX,
};

static const struct fi_rx_attr uet_rx_attr = {
	.caps		= UET_CAPS & ~(FI_SEND | FI_LOCAL_COMM | FI_REMOTE_COMM),
	.msg_order	= FI_ORDER_SAS,
	.total_buffered_recv = 0,
	.size		= UET_SIZE,
	.iov_limit	= 1,
};

static const struct fi_ep_attr uet_ep_attr = {
	.type		= FI_EP_RDM,
	.protocol	= UET_PROTOCOL,
	.protocol_version = UET_PROTOCOL_VERSION,
	.max_msg_size	= UET_MSG_SIZE,
	.mem_tag_format	= UET_TAG_BITS,
	.tx_ctx_cnt	= 1,
	.rx_ctx_cnt	= 1,
};

static const struct fi_domain_attr uet_domain_attr = {
	.threading	= FI_THREAD_SAFE,
	.control_progress = FI_PROGRESS_MANUAL,
	.data_progress	= FI_PROGRESS_MANUAL,
	.resource_mgmt	= FI_RM_ENABLED,
	.av_type	= FI_AV_TABLE,
	.mr_key_size	= sizeof(uint64_t),
	.cq_data_size	= sizeof(uint64_t),
	.cq_cnt		= UET_COUNT,
	.ep_cnt		= UET_PID_MAX,
	.tx_ctx_cnt	= UET_PID_MAX,
	.rx_ctx_cnt	= UET_PID_MAX,
	.max_ep_tx_ctx	= 1,
	.max_ep_rx_ctx	= 1,
	.cntr_cnt	= UET_COUNT,
	.mr_iov_limit	= 1,
	.caps		= FI_LOCAL_COMM | FI_REMOTE_COMM,
	.mr_cnt		= UET_COUNT,
};

/* --- hints ------------------------------------------------------------------------ */

#define REFUSE(why)							\
	do {								\
		uet_info(CORE, "not offered: %s\n", why);		\
		return -FI_ENODATA;					\
	} while (0)

static int uet_check_tx(const struct fi_tx_attr *a)
{
	if (!a)
		return 0;
	if (a->caps & ~UET_CAPS)
		REFUSE("capabilities of transmit contexts");
	if (a->op_flags & ~UET_TX_FLAGS)
		REFUSE("flags of transmit contexts");
	if (a->msg_order & ~FI_ORDER_SAS)
		REFUSE("order of messages but SAS");
	if (a->comp_order & ~UET_COMP_ORDER)
		REFUSE("order of completions");
	if (a->inject_size > uet_tx_attr.inject_size)
		REFUSE("inject_size");
	if (a->iov_limit > uet_tx_attr.iov_limit || a->rma_iov_limit)
		REFUSE("iov_limit of sends");
	if (a->size > UET_COUNT)
		REFUSE("size of transmit contexts");
	return 0;
}

static int uet_check_rx(const struct fi_rx_attr *a)
{
	if (!a)
		return 0;
	if (a->caps & ~UET_CAPS)
		REFUSE("capabilities of receive contexts");
	if (a->op_flags & ~UET_RX_FLAGS)
		REFUSE("flags of receive contexts");
	if (a->msg_order & ~FI_ORDER_SAS)
		REFUSE("order of messages but SAS");
	if (a->comp_order & ~UET_COMP_ORDER)
		REFUSE("order of completions");
	if (a->iov_limit > uet_rx_attr.iov_limit)
		REFUSE("iov_limit of receives");
	if (a->size > UET_COUNT)
		REFUSE("size of receive contexts");
	return 0;
}

static int uet_check_ep(const struct fi_ep_attr *a)
{
	if (!a)
		return 0;
	if (a->type != FI_EP_UNSPEC && a->type != FI_EP_RDM && a->type != FI_EP_DGRAM)
		REFUSE("types of endpoints but FI_EP_RDM and FI_EP_DGRAM");
	if (a->protocol != FI_PROTO_UNSPEC && a->protocol != UET_PROTOCOL)
		REFUSE("that protocol");
	if (a->protocol_version > UET_PROTOCOL_VERSION)
		REFUSE("that version of the protocol");
	if (a->max_msg_size > UET_MSG_SIZE)
		REFUSE("max_msg_size");
	if (a->msg_prefix_size)
		REFUSE("msg_prefix_size");
	if (a->max_order_raw_size || a->max_order_war_size || a->max_order_waw_size)
		REFUSE("order of remote memory access");
	if (a->tx_ctx_cnt > 1 || a->rx_ctx_cnt > 1)
		REFUSE("several contexts, or shared ones");
	if (a->auth_key_size)
		REFUSE("authorization keys (see UET_JOB_FROM)");
	return 0;
}

static int uet_check_domain(const struct fi_domain_attr *a)
{
	if (!a)
		return 0;
	if (a->threading > FI_THREAD_ENDPOINT)
		REFUSE("that threading");
	if (a->control_progress > FI_PROGRESS_MANUAL || a->data_progress > FI_PROGRESS_MANUAL)
		REFUSE("that progress");
	if (a->resource_mgmt > FI_RM_ENABLED || a->av_type > FI_AV_TABLE)
		REFUSE("that type of resource management or address vectors");
	if (a->caps & ~uet_domain_attr.caps)
		REFUSE("capabilities of domains");
	if (a->mr_key_size > uet_domain_attr.mr_key_size ||
	    a->cq_data_size > uet_domain_attr.cq_data_size)
		REFUSE("mr_key_size or cq_data_size");
	if (a->cq_cnt > uet_domain_attr.cq_cnt || a->ep_cnt > uet_domain_attr.ep_cnt ||
	    a->tx_ctx_cnt > uet_domain_attr.tx_ctx_cnt ||
	    a->rx_ctx_cnt > uet_domain_attr.rx_ctx_cnt ||
	    a->cntr_cnt > uet_domain_attr.cntr_cnt || a->mr_cnt > uet_domain_attr.mr_cnt)
		REFUSE("so many objects of a domain");
	if (a->max_ep_tx_ctx > 1 || a->max_ep_rx_ctx > 1 || a->max_ep_stx_ctx ||
	    a->max_ep_srx_ctx)
		REFUSE("several contexts, or shared ones");
	if (a->mr_iov_limit > uet_domain_attr.mr_iov_limit || a->max_err_data)
		REFUSE("mr_iov_limit or max_err_data");
	if (a->auth_key_size)
		REFUSE("authorization keys (see UET_JOB_FROM)");
	return 0;
}

/* The format of addresses that a program asks for */
static uint32_t uet_format(const struct fi_info *h)
{
	if (!h)
		return FI_FORMAT_UNSPEC;
	return h->addr_format == UET_SOCKADDR_IP ? FI_SOCKADDR : h->addr_format;
}

static int uet_check(const struct fi_info *h)
{
	if (!h)
		return 0;
	if (h->caps & ~UET_CAPS)
		REFUSE("capabilities");
	if (h->caps & (FI_SEND | FI_RECV) && !(h->caps & (FI_MSG | FI_TAGGED)))
		REFUSE("FI_SEND and FI_RECV of nothing");
	if (uet_format(h) != FI_SOCKADDR && !uet_addr_size(h->addr_format)) {
		uet_warn(CORE, "not offered: addresses that are neither text, nor IPv4 or IPv6 socket addresses, nor sockaddr_uet\n");
		return -FI_ENODATA;
	}
	if (h->handle)
		REFUSE("handles");
	if (h->fabric_attr && h->fabric_attr->prov_version > uet_provider.version)
		REFUSE("that version of the provider");
	return uet_check_tx(h->tx_attr) ?: uet_check_rx(h->rx_attr) ?:
	       uet_check_ep(h->ep_attr) ?: uet_check_domain(h->domain_attr);
}

/* Can datagrams be what the program asks for? */
static bool uet_check_dgram(const struct fi_info *h, size_t size)
{
	if (!h)
		return size;
	if (h->ep_attr && (h->ep_attr->type == FI_EP_RDM ||
			   h->ep_attr->max_msg_size > size))
		return false;
	if (h->caps & ~UET_DGRAM_CAPS || (h->rx_attr && h->rx_attr->msg_order))
		return false;
	if (h->tx_attr && (h->tx_attr->msg_order || h->tx_attr->inject_size > size ||
			   h->tx_attr->op_flags & FI_DELIVERY_COMPLETE))
		return false;
	return size;
}

/* --- information -------------------------------------------------------------------- */

/* What a program that asks for some capabilities gets, of @all */
static uint64_t uet_caps(const struct fi_info *h, uint64_t all)
{
	uint64_t caps = h && h->caps ? h->caps : all;

	if (!(caps & (FI_MSG | FI_TAGGED)))
		caps |= all & (FI_MSG | FI_TAGGED);
	if (!(caps & (FI_SEND | FI_RECV)))
		caps |= FI_SEND | FI_RECV;
	return caps | FI_LOCAL_COMM | FI_REMOTE_COMM;
}

static int uet_info_addr(void **to, size_t *len, const struct sockaddr_uet *sa,
			 uint32_t format)
{
	*len = LIBUET_URI_SIZE;
	*to = malloc(*len);
	return *to ? uet_addr_put(sa, format, *to, len) : -FI_ENOMEM;
}

static void uet_info_hints(struct fi_info *info, const struct fi_info *h)
{
	const struct fi_domain_attr *d = h->domain_attr;

	if (h->tx_attr) {
		info->tx_attr->op_flags = h->tx_attr->op_flags;
		if (!(h->tx_attr->op_flags & UET_LEVELS))
			info->tx_attr->op_flags |= FI_TRANSMIT_COMPLETE;
		info->tx_attr->tclass = h->tx_attr->tclass;
		if (h->tx_attr->size > UET_SIZE)
			info->tx_attr->size = h->tx_attr->size;
	}
	if (h->rx_attr) {
		info->rx_attr->op_flags = h->rx_attr->op_flags;
		if (h->rx_attr->size > UET_SIZE)
			info->rx_attr->size = h->rx_attr->size;
	}
	if (!d)
		return;
	/* Less than FI_THREAD_SAFE makes a difference if it is this. */
	if (d->threading == FI_THREAD_DOMAIN)
		info->domain_attr->threading = d->threading;
	if (d->control_progress)
		info->domain_attr->control_progress = d->control_progress;
	if (d->data_progress)
		info->domain_attr->data_progress = d->data_progress;
	if (d->av_type)
		info->domain_attr->av_type = d->av_type;
	if (d->tclass && !info->tx_attr->tclass)
		info->tx_attr->tclass = d->tclass;
	info->domain_attr->tclass = d->tclass;
}

/* Datagrams are short, and may be lost and overtake others. */
static void uet_info_dgram(struct fi_info *info, size_t size)
{
	info->ep_attr->type = FI_EP_DGRAM;
	info->ep_attr->max_msg_size = size;
	info->ep_attr->mem_tag_format = 0;
	info->tx_attr->msg_order = 0;
	info->rx_attr->msg_order = 0;
	info->tx_attr->inject_size = size;
}

/* @dgram: 0, or what endpoints of datagrams send at most */
static struct fi_info *uet_info_make(const struct fi_info *h, uint32_t format,
				     const struct uet_iface *i,
				     const struct sockaddr_uet *dest, size_t dgram)
{
	struct fi_info *info = fi_allocinfo();
	char name[32];
	int ret;

	if (!info)
		return NULL;
	info->caps = uet_caps(h, dgram ? UET_DGRAM_CAPS : UET_CAPS);
	info->addr_format = uet_addr_format(format, &i->addr);
	*info->tx_attr = uet_tx_attr;
	*info->rx_attr = uet_rx_attr;
	*info->ep_attr = uet_ep_attr;
	*info->domain_attr = uet_domain_attr;
	if (dgram)
		uet_info_dgram(info, dgram);
	info->tx_attr->caps &= info->caps;
	info->rx_attr->caps &= info->caps;
	if (h)
		uet_info_hints(info, h);
	snprintf(name, sizeof(name), "uet/%u", i->addr.suet_job);
	info->fabric_attr->name = strdup(name);
	info->fabric_attr->prov_version = uet_provider.version;
	info->domain_attr->name = strdup(i->name);
	ret = uet_info_addr(&info->src_addr, &info->src_addrlen, &i->addr,
			    info->addr_format);
	if (!ret && dest)
		ret = uet_info_addr(&info->dest_addr, &info->dest_addrlen, dest,
				    info->addr_format);
	if (!ret && info->fabric_attr->name && info->domain_attr->name)
		return info;
	fi_freeinfo(info);
	return NULL;
}

/* --- addresses ------------------------------------------------------------------------ */

/**
 * struct uet_ask - where a program wants to send from and to
 * @format: of addresses, with FI_SOCKADDR for either family
 * @job: of this process
 * @has_src: there is @src
 * @has_dest: there is @dest
 * @src: local address; an unspecified one is any, with its PIDonFEP
 * @dest: the other one
 */
struct uet_ask {
	uint32_t		format;
	uint32_t		job;
	bool			has_src;
	bool			has_dest;
	struct sockaddr_uet	src;
	struct sockaddr_uet	dest;
};

/* An address in the hints, which may tell the family of all */
static int uet_ask_hint(struct uet_ask *ask, const void *addr, size_t len,
			struct sockaddr_uet *sa)
{
	int ret = uet_addr_get(ask->format, addr, len, ask->job, sa);

	ask->format = uet_addr_format(ask->format, sa);
	return ret;
}

static int uet_ask_name(struct uet_ask *ask, const char *node, const char *service,
			uint64_t flags, struct sockaddr_uet *sa)
{
	int ret = uet_addr_resolve(node, service, flags & FI_NUMERICHOST, ask->format,
				   ask->job, sa);

	ask->format = uet_addr_format(ask->format, sa);
	return ret;
}

static int uet_ask(const char *node, const char *service, uint64_t flags,
		   const struct fi_info *h, struct uet_ask *ask)
{
	struct libuet_sock how = { 0 };
	int ret;

	memset(ask, 0, sizeof(*ask));
	ask->format = uet_format(h);
	ret = uet_job(&how, &ask->job);
	if (!ret && h && h->src_addr) {
		ask->has_src = true;
		ret = uet_ask_hint(ask, h->src_addr, h->src_addrlen, &ask->src);
	}
	if (!ret && h && h->dest_addr) {
		ask->has_dest = true;
		ret = uet_ask_hint(ask, h->dest_addr, h->dest_addrlen, &ask->dest);
	}
	if (!ret && flags & FI_SOURCE && (node || service)) {
		ask->has_src = true;
		ret = uet_ask_name(ask, node, service, flags, &ask->src);
	} else if (!ret && node) {
		ask->has_dest = true;
		ret = uet_ask_name(ask, node, service, flags, &ask->dest);
	} else if (service) {
		ret = -FI_EINVAL;
	}
	return ret ? -FI_ENODATA : 0;
}

/* The local address that the routes of this host send from */
static bool uet_route_from(const struct in6_addr *to, struct in6_addr *from)
{
	struct sockaddr_in6 sa = {
		.sin6_family = AF_INET6, .sin6_addr = *to,
		.sin6_port = htons(UET_UDP_PORT),
	};
	socklen_t len = sizeof(sa);
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool ok;

	if (fd < 0)
		return false;
	ok = !connect(fd, (struct sockaddr *)&sa, sizeof(sa)) &&
	     !getsockname(fd, (struct sockaddr *)&sa, &len);
	close(fd);
	*from = sa.sin6_addr;
	return ok;
}

/* The address from which the other one is reached comes first. */
static void uet_ifaces_sort(struct uet_iface *list, int n, const struct sockaddr_uet *dest)
{
	struct uet_iface first;
	struct in6_addr from;
	int i;

	if (!uet_route_from(&dest->suet_addr, &from))
		return;
	for (i = 0; i < n; i++) {
		if (memcmp(&list[i].addr.suet_addr, &from, sizeof(from)))
			continue;
		first = list[i];
		memmove(list + 1, list, i * sizeof(*list));
		list[0] = first;
		return;
	}
}

/* Is it an address, and a domain, that the program asks for? */
static bool uet_iface_fits(struct uet_iface *i, const struct fi_info *h,
			   const struct uet_ask *ask)
{
	const struct sockaddr_uet *src = &ask->src;
	char name[32];

	if (h && h->domain_attr && h->domain_attr->name &&
	    strcmp(h->domain_attr->name, i->name))
		return false;
	snprintf(name, sizeof(name), "uet/%u", i->addr.suet_job);
	if (h && h->fabric_attr && h->fabric_attr->name &&
	    strcmp(h->fabric_attr->name, name))
		return false;
	if (!uet_addr_fits(&i->addr, ask->format, ask->job))
		return false;
	if (!ask->has_src)
		return true;
	/* 0.0.0.0 is any address of IPv4. */
	if (!IN6_IS_ADDR_UNSPECIFIED(&src->suet_addr) &&
	    memcmp(&src->suet_addr, &i->addr.suet_addr,
		   uet_addr_any(&src->suet_addr) ? 12 : sizeof(src->suet_addr)))
		return false;
	i->addr.suet_pid = src->suet_pid;
	i->addr.suet_ri = src->suet_ri;
	i->addr.suet_flags = src->suet_flags;
	return src->suet_job == i->addr.suet_job;
}

/* Does the user want a utility provider on this one? Without being asked for, libfabric
 * puts it first, so that programs that name "uet" would have it, for what "uet" does better.
 */
static bool uet_layered(void)
{
	const char *text = getenv("FI_PROVIDER");

	return text && strstr(text, "uet;");
}

/* Is the module there? */
static bool uet_available(void)
{
	const struct libuet_sock how = { .type = SOCK_RDM | SOCK_CLOEXEC };
	const char *step;
	int fd = libuet_open(&how, &step);

	if (fd < 0) {
		uet_info(CORE, "%s: %s (is the module uet loaded?)\n", step,
			 strerror(errno));
		return false;
	}
	close(fd);
	return true;
}

/* Information of one type of endpoints for each address; @tail is moved on. */
static int uet_info_add(const struct fi_info *h, const struct uet_ask *ask,
			const struct uet_iface *list, int n, bool dgram,
			struct fi_info ***tail)
{
	const struct sockaddr_uet *dest = ask->has_dest ? &ask->dest : NULL;
	struct uet_iface one;
	size_t size = 0;
	int i;

	for (i = 0; i < n; i++) {
		one = list[i];
		if (!uet_iface_fits(&one, h, ask))
			continue;
		if (dgram) {
			size = uet_iface_dgram(&one);
			if (!uet_check_dgram(h, size))
				continue;
		}
		**tail = uet_info_make(h, ask->format, &one, dest, size);
		if (!**tail)
			return -FI_ENOMEM;
		*tail = &(**tail)->next;
	}
	return 0;
}

static int uet_info_list(const struct fi_info *h, const struct uet_ask *ask,
			 struct fi_info **info)
{
	struct fi_info **tail = info;
	struct uet_iface *list;
	int n = uet_ifaces(&list), ret = 0;

	if (n < 0)
		return -FI_ENODATA;
	if (ask->has_dest)
		uet_ifaces_sort(list, n, &ask->dest);
	if (!h || !h->ep_attr || h->ep_attr->type != FI_EP_DGRAM)
		ret = uet_info_add(h, ask, list, n, false, &tail);
	if (!ret)
		ret = uet_info_add(h, ask, list, n, true, &tail);
	free(list);
	if (!ret && !*info)
		ret = -FI_ENODATA;
	if (ret && *info) {
		fi_freeinfo(*info);
		*info = NULL;
	}
	return ret;
}

/**
 * uet_getinfo() - fi_getinfo()
 * @version: of the interface that the program knows
 * @node: host, see libuet_resolve(3), or NULL
 * @service: PIDonFEP and resource index, or a name of uet-services(5), or NULL
 * @flags: FI_SOURCE: these are local; FI_NUMERICHOST, FI_PROV_ATTR_ONLY, UET_RESCAN,
 *	UET_CORE_FLAGS
 * @hints: what the program asks for, or NULL
 * @info: gets one for each local address and type of endpoints
 *
 * Return: 0; -FI_ENODATA if that is not offered; -FI_EBADFLAGS, -FI_ENOMEM.
 */
int uet_getinfo(uint32_t version, const char *node, const char *service, uint64_t flags,
		const struct fi_info *hints, struct fi_info **info)
{
	static const struct uet_iface nowhere = { .name = "uet" };
	const uint32_t format = uet_format(hints);
	struct uet_ask ask;
	int ret;

	(void)version;
	*info = NULL;
	if (flags & ~(FI_SOURCE | FI_NUMERICHOST | FI_PROV_ATTR_ONLY | UET_RESCAN |
		      UET_CORE_FLAGS))
		return -FI_EBADFLAGS;
	if (flags & UET_CORE_PROV_ONLY && !uet_layered())
		REFUSE("utility providers that FI_PROVIDER does not name, as \"uet;ofi_rxd\"");
	/* ofi_rxd keeps addresses in packets, and inserts them as they are. */
	if (flags & UET_CORE_PROV_ONLY && format == FI_ADDR_STR)
		REFUSE("text as addresses of utility providers");
	ret = uet_check(hints);
	if (ret)
		return ret;
	if (flags & FI_PROV_ATTR_ONLY) {
		*info = uet_info_make(hints, format, &nowhere, NULL, 0);
		return *info ? 0 : -FI_ENOMEM;
	}
	if (!uet_available())
		return -FI_ENODATA;
	ret = uet_ask(node, service, flags, hints, &ask);
	return ret ?: uet_info_list(hints, &ask, info);
}
