// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses as programs have them, in the format that they ask for, and as the kernel has
 * them. A socket address (FI_SOCKADDR_IN, FI_SOCKADDR_IN6) has a PIDonFEP for a port, and
 * no place for the rest: the job is that of the domain, the resource index is 0.
 */
#include <arpa/inet.h>

#include "uet_fi.h"

/* Addresses of a host that are looked at for one of the format */
#define UET_ADDR_FOUND	64

/* Programs for TCP have port numbers. */
#define UET_ADDR_PORTS	"services are PIDonFEPs here, 1 to %d\n"

/**
 * uet_addr_same() - the same endpoint?
 * @a: an address
 * @b: another one
 *
 * Return: true if so: initiator ids follow from the rest. Link-local addresses are of one
 * link, which the scope id names.
 */
bool uet_addr_same(const struct sockaddr_uet *a, const struct sockaddr_uet *b)
{
	return a->suet_pid == b->suet_pid && a->suet_ri == b->suet_ri &&
	       !memcmp(&a->suet_addr, &b->suet_addr, sizeof(a->suet_addr)) &&
	       (!IN6_IS_ADDR_LINKLOCAL(&a->suet_addr) ||
		a->suet_scope_id == b->suet_scope_id);
}

/**
 * uet_addr_any() - is it any local address?
 * @a: fabric address
 *
 * Return: true for :: and 0.0.0.0.
 */
bool uet_addr_any(const struct in6_addr *a)
{
	return IN6_IS_ADDR_UNSPECIFIED(a) || (IN6_IS_ADDR_V4MAPPED(a) && !a->s6_addr32[3]);
}

static bool uet_addr_is_socket(uint32_t format)
{
	return format == FI_SOCKADDR || format == FI_SOCKADDR_IN || format == FI_SOCKADDR_IN6;
}

/**
 * uet_addr_fits() - can an endpoint have an address, and a format tell it?
 * @sa: the address
 * @format: of the program
 * @job: of its domain
 *
 * Return: true if so.
 */
bool uet_addr_fits(const struct sockaddr_uet *sa, uint32_t format, uint32_t job)
{
	const bool v4 = IN6_IS_ADDR_V4MAPPED(&sa->suet_addr);

	if (sa->suet_family != libuet_family() || sa->suet_job > UET_JOB_MAX ||
	    sa->suet_pid > UET_PID_MAX || sa->suet_ri >= UET_RI_MAX)
		return false;
	if (!uet_addr_is_socket(format))
		return true;
	if (format == FI_SOCKADDR_IN && !v4 && !IN6_IS_ADDR_UNSPECIFIED(&sa->suet_addr))
		return false;
	if (format == FI_SOCKADDR_IN6 && v4)
		return false;
	return sa->suet_job == job && !sa->suet_ri && !sa->suet_flags;
}

/**
 * uet_addr_valid() - can something be sent there?
 * @sa: an address that uet_addr_fits()
 * @format: that the program gave it in
 *
 * Return: true if so. Port 0 is that of a source which has none yet.
 */
bool uet_addr_valid(const struct sockaddr_uet *sa, uint32_t format)
{
	return !uet_addr_any(&sa->suet_addr) && (sa->suet_pid || !uet_addr_is_socket(format));
}

/**
 * uet_addr_format() - the format that an address is told in
 * @format: that the program asks for
 * @sa: the address
 *
 * Return: what FI_SOCKADDR is for the address, and other formats as they are. Any address
 * leaves it open.
 */
uint32_t uet_addr_format(uint32_t format, const struct sockaddr_uet *sa)
{
	if (format != FI_SOCKADDR || IN6_IS_ADDR_UNSPECIFIED(&sa->suet_addr))
		return format;
	return IN6_IS_ADDR_V4MAPPED(&sa->suet_addr) ? FI_SOCKADDR_IN : FI_SOCKADDR_IN6;
}

/**
 * uet_addr_size() - how far apart addresses are in an array of the program
 * @format: of the addresses
 *
 * Return: bytes; 0 if there are none of the format.
 */
size_t uet_addr_size(uint32_t format)
{
	switch (format) {
	case FI_FORMAT_UNSPEC:
		return sizeof(struct sockaddr_uet);
	case FI_ADDR_STR:
		return sizeof(char *);
	case FI_SOCKADDR_IN:
		return sizeof(struct sockaddr_in);
	case FI_SOCKADDR_IN6:
		return sizeof(struct sockaddr_in6);
	default:
		return 0;
	}
}

/**
 * uet_addr_put() - give an address to the program
 * @sa: the address, which uet_addr_fits()
 * @format: of the program
 * @addr: gets it, cut to @len
 * @len: room, LIBUET_URI_SIZE is always enough; gets the length
 *
 * Return: 0, or -FI_ETOOSMALL if it was cut.
 */
int uet_addr_put(const struct sockaddr_uet *sa, uint32_t format, void *addr, size_t *len)
{
	size_t room = *len, need = sizeof(*sa);
	union {
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
		char text[LIBUET_URI_SIZE];
	} u;
	const void *from = &u;

	memset(&u.v6, 0, sizeof(u.v6));
	switch (format) {
	case FI_ADDR_STR:
		if (libuet_format(sa, u.text, sizeof(u.text)) < 0)
			return -errno;
		need = strlen(u.text) + 1;
		break;
	case FI_SOCKADDR_IN:
		u.v4.sin_family = AF_INET;
		u.v4.sin_port = htons(sa->suet_pid);
		memcpy(&u.v4.sin_addr, &sa->suet_addr.s6_addr[12], sizeof(u.v4.sin_addr));
		need = sizeof(u.v4);
		break;
	case FI_SOCKADDR:
	case FI_SOCKADDR_IN6:
		u.v6.sin6_family = AF_INET6;
		u.v6.sin6_port = htons(sa->suet_pid);
		u.v6.sin6_addr = sa->suet_addr;
		u.v6.sin6_scope_id = sa->suet_scope_id;
		need = sizeof(u.v6);
		break;
	default:
		from = sa;
	}
	memcpy(addr, from, room < need ? room : need);
	*len = need;
	return room < need ? -FI_ETOOSMALL : 0;
}

/* Take a socket address, aligned or not. Its port may be too large for a PIDonFEP. */
static bool uet_addr_get_socket(const void *addr, size_t len, struct sockaddr_uet *sa)
{
	union {
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} u;

	if (len > sizeof(u))
		return false;
	memcpy(&u, addr, len);
	if (len == sizeof(u.v4) && u.v4.sin_family == AF_INET) {
		sa->suet_addr.s6_addr16[5] = 0xffff;
		memcpy(&sa->suet_addr.s6_addr[12], &u.v4.sin_addr, sizeof(u.v4.sin_addr));
		sa->suet_pid = ntohs(u.v4.sin_port);
		return true;
	}
	if (len == sizeof(u.v6) && u.v6.sin6_family == AF_INET6) {
		sa->suet_addr = u.v6.sin6_addr;
		sa->suet_scope_id = u.v6.sin6_scope_id;
		sa->suet_pid = ntohs(u.v6.sin6_port);
		return true;
	}
	return false;
}

/**
 * uet_addr_get() - take an address of the program
 * @format: it has
 * @addr: the address
 * @len: its length; that of text may have the end of a string in it
 * @job: of the domain, if the address has none
 * @sa: gets it
 *
 * Return: 0, -FI_EINVAL.
 */
int uet_addr_get(uint32_t format, const void *addr, size_t len, uint32_t job,
		 struct sockaddr_uet *sa)
{
	const struct sockaddr_uet base = {
		.suet_family = libuet_family(), .suet_job = job,
	};
	char text[LIBUET_URI_SIZE];

	*sa = base;
	if (format == FI_ADDR_STR) {
		if ((size_t)snprintf(text, sizeof(text), "%.*s", (int)len,
				     (const char *)addr) >= sizeof(text) ||
		    libuet_parse(text, &base, sa))
			return -FI_EINVAL;
	} else if (uet_addr_is_socket(format)) {
		if (!uet_addr_get_socket(addr, len, sa) ||
		    (format != FI_SOCKADDR && len != uet_addr_size(format)))
			return -FI_EINVAL;
		if (sa->suet_pid > UET_PID_MAX)
			uet_warn(CORE, "port %u: " UET_ADDR_PORTS, sa->suet_pid, UET_PID_MAX);
	} else if (len == sizeof(*sa)) {
		memcpy(sa, addr, sizeof(*sa));
	} else {
		return -FI_EINVAL;
	}
	return uet_addr_fits(sa, format, job) ? 0 : -FI_EINVAL;
}

/**
 * uet_addr_resolve() - find an address by names
 * @node: host, see libuet_resolve(3), or NULL
 * @service: PIDonFEP and resource index, or a name of uet-services(5), or NULL
 * @numeric: no names are looked up (FI_NUMERICHOST)
 * @format: that the program wants it in
 * @job: of the domain
 * @sa: gets the first one that the format can tell
 *
 * Return: 0, -FI_EINVAL.
 */
int uet_addr_resolve(const char *node, const char *service, bool numeric, uint32_t format,
		     uint32_t job, struct sockaddr_uet *sa)
{
	const struct sockaddr_uet base = {
		.suet_family = libuet_family(), .suet_job = job,
	};
	struct sockaddr_uet found[UET_ADDR_FOUND];
	char text[2 * LIBUET_URI_SIZE];
	int n, i;

	if ((size_t)snprintf(text, sizeof(text), "%s%s%s", node ?: "any", service ? "/" : "",
			     service ?: "") >= sizeof(text))
		return -FI_EINVAL;
	n = numeric ? 1 + libuet_parse(text, &base, found) :
		      libuet_resolve(text, &base, found, UET_ADDR_FOUND);
	for (i = 0; i < n; i++) {
		*sa = found[i];
		if (uet_addr_fits(sa, format, job))
			return 0;
	}
	if (n > 0)
		uet_info(CORE, "%s: not to be told in the format of addresses\n", text);
	else if (errno == ERANGE)
		uet_warn(CORE, "%s: " UET_ADDR_PORTS, text, UET_PID_MAX);
	else
		uet_info(CORE, "%s: %s\n", text, strerror(errno));
	return -FI_EINVAL;
}
