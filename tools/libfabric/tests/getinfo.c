// SPDX-License-Identifier: GPL-2.0
/* What fi_getinfo() tells about the provider. */
#include "suite.h"

static struct fi_info *find(struct side *s, const struct fi_info *hints, const char *node,
			    uint64_t flags)
{
	struct fi_info *info = NULL;

	OK(s, fi_getinfo(SUITE_API, node, NULL, flags, hints, &info));
	CHECK(s, info, "fi_getinfo() succeeds with nothing");
	return info;
}

static struct fi_info *usual(struct side *s)
{
	struct fi_info *hints = hints_of(&s->want);
	const char *node = suite.node[0];
	struct fi_info *info = find(s, hints, node, node ? FI_SOURCE : 0);

	fi_freeinfo(hints);
	return info;
}

static void attributes(struct side *s)
{
	struct fi_info *all = usual(s), *i;

	for (i = all; i; i = i->next) {
		CHECK(s, i->ep_attr->type == FI_EP_RDM, "type %d", i->ep_attr->type);
		CHECK(s, strstr(i->fabric_attr->prov_name, suite.provider),
		      "provider %s", i->fabric_attr->prov_name);
		CHECK(s, i->fabric_attr->name && *i->fabric_attr->name, "no name of a fabric");
		CHECK(s, i->domain_attr->name && *i->domain_attr->name, "no name of a domain");
		CHECK(s, i->src_addr && i->src_addrlen, "no source address");
		CHECK(s, i->ep_attr->max_msg_size >= 16 * MIB, "messages of %zu at most",
		      i->ep_attr->max_msg_size);
		CHECK(s, i->ep_attr->mem_tag_format, "no tags");
		CHECK(s, i->tx_attr->size && i->rx_attr->size, "queues without room");
		CHECK(s, i->tx_attr->iov_limit && i->rx_attr->iov_limit, "no vectors");
		CHECK(s, !(i->mode & ~(FI_CONTEXT | FI_CONTEXT2)), "mode %#llx was not offered",
		      (unsigned long long)i->mode);
		CHECK(s, !i->domain_attr->mr_mode, "mr_mode %#x was not offered",
		      i->domain_attr->mr_mode);
		CHECK(s, i->domain_attr->threading == FI_THREAD_SAFE, "threading %d",
		      i->domain_attr->threading);
	}
	fi_freeinfo(all);
}

static void own_limits(struct side *s)
{
	struct fi_info *i;

	if (!strict())
		skip_case(s, "of another provider");
	i = usual(s);
	CHECK(s, i->tx_attr->inject_size == 16384, "inject %zu", i->tx_attr->inject_size);
	CHECK(s, i->tx_attr->iov_limit == 8 && i->rx_attr->iov_limit == 1, "vectors of %zu and %zu",
	      i->tx_attr->iov_limit, i->rx_attr->iov_limit);
	CHECK(s, i->domain_attr->cq_data_size == 8, "data of %zu", i->domain_attr->cq_data_size);
	CHECK(s, i->ep_attr->mem_tag_format == TAG_BITS, "tags %#llx",
	      (unsigned long long)i->ep_attr->mem_tag_format);
	CHECK(s, !i->mode, "mode %#llx", (unsigned long long)i->mode);
	CHECK(s, i->ep_attr->max_msg_size < 1UL << 31, "messages of %zu",
	      i->ep_attr->max_msg_size);
	CHECK(s, i->domain_attr->data_progress == FI_PROGRESS_MANUAL, "progress %d",
	      i->domain_attr->data_progress);
	CHECK(s, !strncmp(i->fabric_attr->name, "uet/", 4), "fabric %s", i->fabric_attr->name);
	fi_freeinfo(i);
}

/* Capabilities that were asked for are all there, and no primary one more */
static void threading(struct side *s)
{
	static const enum fi_threading asked[] = {
		FI_THREAD_UNSPEC, FI_THREAD_SAFE, FI_THREAD_FID, FI_THREAD_DOMAIN,
		FI_THREAD_COMPLETION, FI_THREAD_ENDPOINT,
	};
	struct fi_info *hints, *info;
	enum fi_threading want;
	unsigned int n;

	if (!strict())
		skip_case(s, "of another provider");
	for (n = 0; n < ARRAY_SIZE(asked); n++) {
		hints = hints_of(&s->want);
		hints->domain_attr->threading = asked[n];
		info = NULL;
		fi_getinfo(SUITE_API, NULL, NULL, 0, hints, &info);
		fi_freeinfo(hints);
		want = asked[n] == FI_THREAD_DOMAIN ? FI_THREAD_DOMAIN : FI_THREAD_SAFE;
		CHECK(s, info && info->domain_attr->threading == want, "%d for %d",
		      info ? (int)info->domain_attr->threading : -1, asked[n]);
		fi_freeinfo(info);
	}
}

static void caps_as_asked(struct side *s)
{
	static const uint64_t sets[] = {
		FI_MSG, FI_TAGGED, FI_MSG | FI_TAGGED, FI_TAGGED | FI_SOURCE,
		FI_TAGGED | FI_SOURCE | FI_DIRECTED_RECV, FI_MSG | FI_MULTI_RECV,
		FI_MSG | FI_SEND, FI_MSG | FI_RECV, FI_TAGGED | FI_SEND | FI_RECV,
	};
	const uint64_t primary = FI_MSG | FI_TAGGED | FI_RMA | FI_ATOMIC | FI_DIRECTED_RECV;
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(sets); n++) {
		struct fi_info *hints = hints_of(&s->want), *info = NULL;
		int ret;

		hints->caps = sets[n];
		ret = fi_getinfo(SUITE_API, suite.node[0], NULL, suite.node[0] ? FI_SOURCE : 0,
				 hints, &info);
		fi_freeinfo(hints);
		CHECK(s, !ret || (ret == -FI_ENODATA && !strict()), "capabilities %#llx give %d",
		      (unsigned long long)sets[n], ret);
		if (ret)
			continue;
		CHECK(s, !(sets[n] & ~info->caps), "%#llx of %#llx",
		      (unsigned long long)info->caps, (unsigned long long)sets[n]);
		CHECK(s, !strict() || !(info->caps & primary & ~sets[n]), "%#llx for %#llx",
		      (unsigned long long)info->caps, (unsigned long long)sets[n]);
		fi_freeinfo(info);
	}
}

static void no_hints(struct side *s)
{
	struct fi_info *all = find(s, NULL, NULL, 0), *i;

	for (i = all; i; i = i->next)
		if (strstr(i->fabric_attr->prov_name, suite.provider))
			break;
	CHECK(s, i, "%s is not among those that were found without hints", suite.provider);
	fi_freeinfo(all);
}

static void source_and_peer(struct side *s)
{
	struct fi_info *hints = hints_of(&s->want), *info;

	if (!suite.node[0])
		skip_case(s, "no address was given");
	info = find(s, hints, suite.node[0], FI_SOURCE);
	CHECK(s, info->src_addr && !info->dest_addr, "a source gives a peer");
	fi_freeinfo(info);
	info = find(s, hints, suite.node[0], 0);
	CHECK(s, info->dest_addr && info->dest_addrlen, "a node gives no peer");
	fi_freeinfo(info);
	fi_freeinfo(hints);
}

static void copy(struct side *s)
{
	struct fi_info *info = usual(s), *dup = fi_dupinfo(info);

	CHECK(s, dup, "no copy");
	CHECK(s, dup->caps == info->caps && dup->src_addrlen == info->src_addrlen &&
	      !memcmp(dup->src_addr, info->src_addr, info->src_addrlen) &&
	      !strcmp(dup->domain_attr->name, info->domain_attr->name), "another one");
	CHECK(s, strstr(fi_tostr(dup, FI_TYPE_INFO), info->fabric_attr->name),
	      "its text lacks the fabric");
	fi_freeinfo(dup);
	fi_freeinfo(info);
}

static void text_addresses(struct side *s)
{
	struct fi_info *hints = hints_of(&s->want), *info = NULL;
	int ret;

	hints->addr_format = FI_ADDR_STR;
	ret = fi_getinfo(SUITE_API, suite.node[0], NULL, suite.node[0] ? FI_SOURCE : 0, hints,
			 &info);
	fi_freeinfo(hints);
	if (ret == -FI_ENODATA && !strict())
		skip_case(s, "no addresses as text");
	OK(s, ret);
	CHECK(s, info->addr_format == FI_ADDR_STR, "format %u", info->addr_format);
	CHECK(s, !strict() || !strncmp(info->src_addr, "uet://", 6), "address %s",
	      (char *)info->src_addr);
	fi_freeinfo(info);
}

/* Two capabilities of domains, which are none of contexts */
static void contexts(struct side *s)
{
	const uint64_t domains = FI_LOCAL_COMM | FI_REMOTE_COMM;
	struct fi_info *info;

	if (!strict())
		skip_case(s, "other providers have them there");
	info = usual(s);
	CHECK(s, (info->domain_attr->caps & domains) == domains, "domain %#llx",
	      (unsigned long long)info->domain_attr->caps);
	CHECK(s, !(info->tx_attr->caps & domains), "tx %#llx",
	      (unsigned long long)info->tx_attr->caps);
	CHECK(s, !(info->rx_attr->caps & domains), "rx %#llx",
	      (unsigned long long)info->rx_attr->caps);
	fi_freeinfo(info);
}

/* A flag that libfabric and its own providers have for each other (OFI_GETINFO_INTERNAL) */
static void internal_flags(struct side *s)
{
	struct fi_info *hints = hints_of(&s->want), *info = NULL;

	if (!strict())
		skip_case(s, "of another provider");
	OK(s, fi_getinfo(SUITE_API, NULL, NULL, 1ULL << 58, hints, &info));
	fi_freeinfo(info);
	info = NULL;
	CHECK(s, fi_getinfo(SUITE_API, NULL, NULL, 1ULL << 30, hints, &info) < 0,
	      "a flag of none is taken");
	fi_freeinfo(hints);
}

/* FI_RESCAN and FI_SOCKADDR_IP by number, as headers of libfabric 1 have neither */
static void of_libfabric_2(struct side *s)
{
	struct fi_info *hints = hints_of(&s->want), *info = NULL;

	if (!strict())
		skip_case(s, "of another provider");
	hints->addr_format = 17;
	OK(s, fi_getinfo(SUITE_API, NULL, NULL, 1ULL << 35, hints, &info));
	CHECK(s, info->addr_format == FI_SOCKADDR_IN || info->addr_format == FI_SOCKADDR_IN6,
	      "format %u", info->addr_format);
	fi_freeinfo(info);
	fi_freeinfo(hints);
}

/* A domain of each that was found; several at a time */
static void opens(struct side *s)
{
	struct fi_info *all = usual(s), *i;
	struct fid_fabric *fabric[8];
	struct fid_domain *domain[8];
	unsigned int n = 0;

	for (i = all; i && n < ARRAY_SIZE(fabric); i = i->next, n++) {
		OK(s, fi_fabric(i->fabric_attr, &fabric[n], NULL));
		OK(s, fi_domain(fabric[n], i, &domain[n], NULL));
	}
	while (n--) {
		OK(s, fi_close(&domain[n]->fid));
		OK(s, fi_close(&fabric[n]->fid));
	}
	fi_freeinfo(all);
}

#define BARE .want = { .own_domain = true }
TESTS(getinfo) = {
	{ "attributes", attributes, BARE },
	{ "limits of this provider", own_limits, BARE },
	{ "threading", threading, BARE },
	{ "capabilities as asked for", caps_as_asked, BARE },
	{ "without hints", no_hints, BARE },
	{ "a source and a peer", source_and_peer, BARE },
	{ "copies and text", copy, BARE },
	{ "addresses as text", text_addresses, BARE },
	{ "capabilities of domains alone", contexts, BARE },
	{ "internal flags", internal_flags, BARE },
	{ "what libfabric 2 has", of_libfabric_2, BARE },
	{ "all that are found open", opens, BARE },
	{ }
};
