// SPDX-License-Identifier: GPL-2.0
/*
 * Address vectors: fi_addr_t is the place of an address in a table, for both types. The
 * way back, from the source of a message to its fi_addr_t, is a hash.
 */
#include "uet_fi.h"

static size_t uet_av_bucket(const struct uet_av *av, const struct sockaddr_uet *sa)
{
	const uint32_t *a = sa->suet_addr.s6_addr32;
	uint64_t h = (uint64_t)sa->suet_pid << 12 | sa->suet_ri;

	h ^= ((uint64_t)a[0] << 32 | a[1]) * 0x9e3779b97f4a7c15ULL;
	h ^= ((uint64_t)a[2] << 32 | a[3]) * 0xc2b2ae3d27d4eb4fULL;
	h *= 0x9e3779b97f4a7c15ULL;
	return (h >> 32) & (av->hash_size - 1);
}

/* The first of several equal addresses is the one that is found. */
static void uet_av_hash(struct uet_av *av, uint32_t n)
{
	size_t i = uet_av_bucket(av, &av->addr[n]);

	for (; av->hash[i]; i = (i + 1) & (av->hash_size - 1))
		if (uet_addr_same(&av->addr[av->hash[i] - 1], &av->addr[n]))
			return;
	av->hash[i] = n + 1;
}

static void uet_av_rehash(struct uet_av *av)
{
	size_t i;

	memset(av->hash, 0, av->hash_size * sizeof(*av->hash));
	for (i = 0; i < av->nr; i++)
		if (av->addr[i].suet_family)
			uet_av_hash(av, i);
}

static int uet_av_grow(struct uet_av *av, size_t room)
{
	struct sockaddr_uet *addr;
	size_t size = 8;
	uint32_t *hash;

	if (room >= UINT32_MAX / 4)
		return -FI_EINVAL;
	while (size < 2 * room)
		size *= 2;
	addr = realloc(av->addr, room * sizeof(*addr));
	if (!addr)
		return -FI_ENOMEM;
	av->addr = addr;
	av->room = room;
	hash = malloc(size * sizeof(*hash));
	if (!hash)
		return -FI_ENOMEM;
	free(av->hash);
	av->hash = hash;
	av->hash_size = size;
	uet_av_rehash(av);
	return 0;
}

static int uet_av_add(struct uet_av *av, const struct sockaddr_uet *sa, fi_addr_t *addr)
{
	size_t n = av->nr;
	int ret;

	if (!uet_addr_valid(sa, av->format))
		return -FI_EINVAL;
	/* Places of removed addresses are used again. */
	if (av->holes)
		for (n = 0; av->addr[n].suet_family; n++)
			;
	if (n == av->room || av->hash_size < 2 * av->room) {
		ret = uet_av_grow(av, n == av->room ? 2 * av->room : av->room);
		if (ret)
			return ret;
	}
	av->addr[n] = *sa;
	/* It is a destination: what the kernel makes of the rest is its affair. */
	av->addr[n].suet_initiator = 0;
	uet_av_hash(av, n);
	if (n == av->nr)
		av->nr++;
	else
		av->holes--;
	*addr = n;
	return 0;
}

/**
 * uet_av_get() - the address that a program means
 * @av: vector
 * @addr: as the program says
 *
 * Context: uet_domain.lock held.
 * Return: the address, until the lock is released; NULL if there is none.
 */
const struct sockaddr_uet *uet_av_get(const struct uet_av *av, fi_addr_t addr)
{
	if (addr >= av->nr || !av->addr[addr].suet_family)
		return NULL;
	return &av->addr[addr];
}

/**
 * uet_av_find() - where did a message come from?
 * @av: vector
 * @from: source
 *
 * Context: uet_domain.lock held.
 * Return: its address, or FI_ADDR_NOTAVAIL.
 */
fi_addr_t uet_av_find(const struct uet_av *av, const struct sockaddr_uet *from)
{
	size_t i = uet_av_bucket(av, from);

	for (; av->hash[i]; i = (i + 1) & (av->hash_size - 1))
		if (uet_addr_same(&av->addr[av->hash[i] - 1], from))
			return av->hash[i] - 1;
	return FI_ADDR_NOTAVAIL;
}

/* Take the next address of the program's array. */
static int uet_av_read(const struct uet_av *av, const void *addr, size_t n,
		       struct sockaddr_uet *sa)
{
	const size_t size = uet_addr_size(av->format);

	if (av->format == FI_ADDR_STR)
		return uet_addr_resolve(((char *const *)addr)[n], NULL, false, av->format,
					av->domain->job, sa);
	return uet_addr_get(av->format, (const char *)addr + n * size, size, av->domain->job,
			    sa);
}

/* Where events go: the queue of the vector, or that of its domain */
static struct uet_eq *uet_av_eq(const struct uet_av *av)
{
	return av->eq ?: av->domain->eq;
}

/* What an insert says by events, or returns */
static int uet_av_done(struct uet_av *av, uint64_t flags, void *context, int good)
{
	struct fi_eq_entry entry = {
		.fid = &av->fid.fid, .context = context, .data = good,
	};

	if (!(flags & FI_EVENT))
		return good;
	return uet_eq_add(uet_av_eq(av), FI_AV_COMPLETE, &entry, sizeof(entry), false);
}

static void uet_av_failed(struct uet_av *av, uint64_t flags, void *context, size_t n,
			  int err)
{
	struct fi_eq_err_entry entry = {
		.fid = &av->fid.fid, .context = context, .data = n,
		.err = -err, .prov_errno = -err,
	};

	if (flags & FI_SYNC_ERR)
		((int *)context)[n] = -err;
	if (flags & FI_EVENT)
		uet_eq_add(uet_av_eq(av), 0, &entry, sizeof(entry), true);
}

/* FI_EVENT is a flag of the table, and here one of each insert. */
static int uet_av_flags(const struct uet_av *av, uint64_t *flags, const void *context)
{
	if (av->events)
		*flags |= FI_EVENT;
	if (*flags & ~(FI_EVENT | FI_MORE | FI_SYNC_ERR) ||
	    (*flags & FI_SYNC_ERR && (!context || *flags & FI_EVENT)))
		return -FI_EINVAL;
	return *flags & FI_EVENT && !uet_av_eq(av) ? -FI_ENOEQ : 0;
}

/* Number @n of what is inserted: @sa, or @ret is the error of looking it up. Returns how
 * many addresses that are.
 */
static int uet_av_insert_one(struct uet_av *av, size_t n, int ret,
			     const struct sockaddr_uet *sa, fi_addr_t *fi_addr,
			     uint64_t flags, void *context)
{
	fi_addr_t got = FI_ADDR_NOTAVAIL;

	if (flags & FI_SYNC_ERR)
		((int *)context)[n] = 0;
	if (!ret) {
		uet_lock(av->domain);
		ret = uet_av_add(av, sa, &got);
		uet_unlock(av->domain);
	}
	if (ret)
		uet_av_failed(av, flags, context, n, ret);
	if (fi_addr)
		fi_addr[n] = got;
	return !ret;
}

static int uet_av_insert(struct fid_av *fid, const void *addr, size_t count,
			 fi_addr_t *fi_addr, uint64_t flags, void *context)
{
	struct uet_av *av = list_item(fid, struct uet_av, fid);
	int good = 0, ret = uet_av_flags(av, &flags, context);
	struct sockaddr_uet sa;
	size_t i;

	if (ret)
		return ret;
	for (i = 0; i < count; i++) {
		/* It may look up names: without the lock. */
		ret = uet_av_read(av, addr, i, &sa);
		good += uet_av_insert_one(av, i, ret, &sa, fi_addr, flags, context);
	}
	return uet_av_done(av, flags, context, good);
}

/* The name of host or service number @n: the digits that @name ends with are counted up */
static int uet_av_symbol(const char *name, size_t n, char *buf, size_t size)
{
	size_t len = name ? strlen(name) : 0, digits = 0;

	if (!name || !n)
		return snprintf(buf, size, "%s", name ?: "") < (int)size ? 0 : -FI_EINVAL;
	while (digits < len && digits < 9 && name[len - digits - 1] >= '0' &&
	       name[len - digits - 1] <= '9')
		digits++;
	if (!digits)
		return -FI_EINVAL;
	return snprintf(buf, size, "%.*s%0*lu", (int)(len - digits), name, (int)digits,
			strtoul(name + len - digits, NULL, 10) + n) < (int)size ?
	       0 : -FI_EINVAL;
}

static int uet_av_insertsym(struct fid_av *fid, const char *node, size_t nodecnt,
			    const char *service, size_t svccnt, fi_addr_t *fi_addr,
			    uint64_t flags, void *context)
{
	struct uet_av *av = list_item(fid, struct uet_av, fid);
	int good = 0, ret = uet_av_flags(av, &flags, context);
	char host[2 * LIBUET_URI_SIZE], svc[LIBUET_URI_SIZE];
	struct sockaddr_uet sa;
	size_t i, n;

	if (ret)
		return ret;
	if (!nodecnt || !svccnt || nodecnt > UINT32_MAX / svccnt)
		return -FI_EINVAL;
	for (n = 0; n < nodecnt * svccnt; n++) {
		i = n / svccnt;
		ret = uet_av_symbol(node, i, host, sizeof(host)) ?:
		      uet_av_symbol(service, n % svccnt, svc, sizeof(svc)) ?:
		      uet_addr_resolve(host, service ? svc : NULL, false, av->format,
				       av->domain->job, &sa);
		good += uet_av_insert_one(av, n, ret, &sa, fi_addr, flags, context);
	}
	return uet_av_done(av, flags, context, good);
}

static int uet_av_insertsvc(struct fid_av *fid, const char *node, const char *service,
			    fi_addr_t *fi_addr, uint64_t flags, void *context)
{
	return uet_av_insertsym(fid, node, 1, service, 1, fi_addr, flags, context);
}

static int uet_av_remove(struct fid_av *fid, fi_addr_t *fi_addr, size_t count,
			 uint64_t flags)
{
	struct uet_av *av = list_item(fid, struct uet_av, fid);
	int ret = 0;
	size_t i;

	if (flags)
		return -FI_EINVAL;
	uet_lock(av->domain);
	for (i = 0; i < count; i++) {
		if (!uet_av_get(av, fi_addr[i])) {
			ret = -FI_EINVAL;
			continue;
		}
		av->addr[fi_addr[i]].suet_family = 0;
		av->holes++;
	}
	uet_av_rehash(av);
	uet_unlock(av->domain);
	return ret;
}

static int uet_av_lookup(struct fid_av *fid, fi_addr_t fi_addr, void *addr, size_t *len)
{
	struct uet_av *av = list_item(fid, struct uet_av, fid);
	const struct sockaddr_uet *sa;
	int ret = -FI_EINVAL;

	uet_lock(av->domain);
	sa = uet_av_get(av, fi_addr);
	if (sa)
		ret = uet_addr_put(sa, av->format, addr, len);
	uet_unlock(av->domain);
	/* What is cut is no error here. */
	return ret == -FI_ETOOSMALL ? 0 : ret;
}

static const char *uet_av_straddr(struct fid_av *fid, const void *addr, char *buf,
				  size_t *len)
{
	struct uet_av *av = list_item(fid, struct uet_av, fid);
	char text[LIBUET_URI_SIZE];
	struct sockaddr_uet sa;
	size_t need;

	if (av->format == FI_ADDR_STR)
		snprintf(text, sizeof(text), "%s", (const char *)addr);
	else if (uet_addr_get(av->format, addr, uet_addr_size(av->format), av->domain->job,
			      &sa) || libuet_format(&sa, text, sizeof(text)) < 0)
		return NULL;
	need = strlen(text) + 1;
	if (buf && *len)
		snprintf(buf, *len, "%s", text);
	*len = need;
	return buf;
}

static int uet_av_close(struct fid *fid)
{
	struct uet_av *av = list_item(fid, struct uet_av, fid.fid);
	struct uet_domain *d = av->domain;

	uet_lock(d);
	if (av->users) {
		uet_unlock(d);
		return -FI_EBUSY;
	}
	d->users--;
	uet_unlock(d);
	if (av->eq)
		__atomic_sub_fetch(&av->eq->users, 1, __ATOMIC_RELEASE);
	free(av->addr);
	free(av->hash);
	free(av);
	return 0;
}

static int uet_av_bind(struct fid *fid, struct fid *bfid, uint64_t flags)
{
	struct uet_av *av = list_item(fid, struct uet_av, fid.fid);

	if (bfid->fclass != FI_CLASS_EQ || flags || av->eq)
		return -FI_EINVAL;
	av->eq = list_item(bfid, struct uet_eq, fid.fid);
	__atomic_add_fetch(&av->eq->users, 1, __ATOMIC_RELAXED);
	return 0;
}

static struct fi_ops uet_av_fid_ops = {
	.size		= sizeof(struct fi_ops),
	.close		= uet_av_close,
	.bind		= uet_av_bind,
	.control	= uet_no_control,
	.ops_open	= uet_no_ops_open,
};

static struct fi_ops_av uet_av_ops = {
	/* There are no sets of addresses, which are for collectives. */
	.size		= offsetof(struct fi_ops_av, av_set),
	.insert		= uet_av_insert,
	.insertsvc	= uet_av_insertsvc,
	.insertsym	= uet_av_insertsym,
	.remove		= uet_av_remove,
	.lookup		= uet_av_lookup,
	.straddr	= uet_av_straddr,
};

/**
 * uet_av_open() - fi_av_open()
 * @domain: it belongs to
 * @attr: type, number of addresses to be; or NULL
 * @av: gets the vector
 * @context: of the program
 *
 * Return: 0; -FI_ENOSYS if it is to be shared by name, -FI_EINVAL, -FI_ENOMEM.
 */
int uet_av_open(struct fid_domain *domain, struct fi_av_attr *attr, struct fid_av **av,
		void *context)
{
	struct uet_domain *d = list_item(domain, struct uet_domain, fid);
	size_t room = attr && attr->count ? attr->count : 64;
	struct uet_av *v;
	int ret;

	if (attr && attr->name)
		return -FI_ENOSYS;
	if (attr && (attr->rx_ctx_bits || attr->flags & ~FI_EVENT || attr->type > FI_AV_TABLE))
		return -FI_EINVAL;
	v = calloc(1, sizeof(*v));
	if (!v)
		return -FI_ENOMEM;
	ret = uet_av_grow(v, room);
	if (ret) {
		free(v->addr);
		free(v);
		return ret;
	}
	if (attr && attr->type == FI_AV_UNSPEC)
		attr->type = FI_AV_TABLE;
	v->domain = d;
	v->events = attr && attr->flags & FI_EVENT;
	v->format = d->info->addr_format;
	v->fid.fid.fclass = FI_CLASS_AV;
	v->fid.fid.context = context;
	v->fid.fid.ops = &uet_av_fid_ops;
	v->fid.ops = &uet_av_ops;
	uet_lock(d);
	d->users++;
	uet_unlock(d);
	*av = &v->fid;
	return 0;
}
