// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses as programs have them, in the format that they ask for, and as the kernel has
 * them.
 */
#include "uet_fi.h"

/**
 * uet_addr_same() - the same endpoint?
 * @a: an address
 * @b: another one
 *
 * Return: true if so: initiator ids follow from the rest.
 */
bool uet_addr_same(const struct sockaddr_uet *a, const struct sockaddr_uet *b)
{
	return a->suet_pid == b->suet_pid && a->suet_ri == b->suet_ri &&
	       !memcmp(&a->suet_addr, &b->suet_addr, sizeof(a->suet_addr));
}

/* Can an endpoint have it? */
static bool uet_addr_fits(const struct sockaddr_uet *sa)
{
	return sa->suet_family == libuet_family() && sa->suet_job <= UET_JOB_MAX &&
	       sa->suet_pid <= UET_PID_MAX && sa->suet_ri < UET_RI_MAX;
}

/**
 * uet_addr_put() - give an address to the program
 * @sa: the address
 * @format: FI_ADDR_STR, or else as it is
 * @addr: gets it, cut to @len
 * @len: room, LIBUET_URI_SIZE is always enough; gets the length
 *
 * Return: 0, or -FI_ETOOSMALL if it was cut.
 */
int uet_addr_put(const struct sockaddr_uet *sa, uint32_t format, void *addr, size_t *len)
{
	size_t room = *len, need = sizeof(*sa);
	char text[LIBUET_URI_SIZE];
	const void *from = sa;

	if (format == FI_ADDR_STR) {
		if (libuet_format(sa, text, sizeof(text)) < 0)
			return -errno;
		from = text;
		need = strlen(text) + 1;
	}
	memcpy(addr, from, room < need ? room : need);
	*len = need;
	return room < need ? -FI_ETOOSMALL : 0;
}

/**
 * uet_addr_get() - take an address of the program
 * @format: it has
 * @addr: the address
 * @len: its length
 * @job: of the domain, if text leaves it out
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

	if (format == FI_ADDR_STR) {
		if (libuet_parse(addr, &base, sa))
			return -FI_EINVAL;
	} else if (len == sizeof(*sa)) {
		memcpy(sa, addr, sizeof(*sa));
	} else {
		return -FI_EINVAL;
	}
	return uet_addr_fits(sa) ? 0 : -FI_EINVAL;
}

/**
 * uet_addr_resolve() - find an address by names
 * @node: host, see libuet_resolve(3), or NULL
 * @service: PIDonFEP and resource index, or a name of uet-services(5), or NULL
 * @numeric: no names are looked up (FI_NUMERICHOST)
 * @job: of the domain
 * @sa: gets it
 *
 * Return: 0, -FI_EINVAL.
 */
int uet_addr_resolve(const char *node, const char *service, bool numeric, uint32_t job,
		     struct sockaddr_uet *sa)
{
	const struct sockaddr_uet base = {
		.suet_family = libuet_family(), .suet_job = job,
	};
	char text[2 * LIBUET_URI_SIZE];
	bool found;

	if ((size_t)snprintf(text, sizeof(text), "%s%s%s", node ?: "any", service ? "/" : "",
			     service ?: "") >= sizeof(text))
		return -FI_EINVAL;
	found = numeric ? !libuet_parse(text, &base, sa) :
			  libuet_resolve(text, &base, sa, 1) == 1;
	if (found)
		return uet_addr_fits(sa) ? 0 : -FI_EINVAL;
	/* Programs for TCP have port numbers. */
	if (errno == ERANGE)
		uet_warn(CORE, "%s: services are PIDonFEPs here, 1 to %d\n", text, UET_PID_MAX);
	else
		uet_info(CORE, "%s: %s\n", text, strerror(errno));
	return -FI_EINVAL;
}
