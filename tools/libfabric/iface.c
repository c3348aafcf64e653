// SPDX-License-Identifier: GPL-2.0
/* Local addresses, and the job of this process */
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "uet_fi.h"

/**
 * uet_job() - the job that sockets of this process are in
 * @how: of such a socket: gets what enters the job
 * @job: gets its id
 *
 * The environment variable UET_JOB_FROM has the number of an inherited descriptor: a
 * socket in the job, see uetrun(1).
 *
 * Return: 0; -FI_EINVAL if the variable has no number; the errno of getsockopt().
 */
int uet_job(struct libuet_sock *how, uint32_t *job)
{
	const char *text = getenv("UET_JOB_FROM");
	socklen_t len = sizeof(*job);
	unsigned long fd;
	char *end;

	*job = 0;
	if (!text || !*text)
		return 0;
	fd = strtoul(text, &end, 10);
	if (*end || fd > INT32_MAX) {
		uet_warn(CORE, "UET_JOB_FROM=%s: not the number of a descriptor\n", text);
		return -FI_EINVAL;
	}
	if (getsockopt((int)fd, SOL_UET, UET_JOB_ID, job, &len)) {
		uet_warn(CORE, "UET_JOB_FROM=%s: %s\n", text, strerror(errno));
		return -errno;
	}
	how->take_job = true;
	how->job_from = (int)fd;
	return 0;
}

/* The address of an interface, if it is one that others can send to */
static bool uet_iface_addr(const struct sockaddr *from, uint32_t job, struct sockaddr_uet *sa)
{
	const size_t len = from && from->sa_family == AF_INET ? sizeof(struct sockaddr_in) :
								 sizeof(struct sockaddr_in6);

	return from && !uet_addr_get(FI_SOCKADDR, from, len, job, sa) &&
	       !IN6_IS_ADDR_LINKLOCAL(&sa->suet_addr);
}

/* IPv4 comes first, loopback interfaces last. */
static int uet_iface_rank(const struct ifaddrs *ifa)
{
	return (ifa->ifa_flags & IFF_LOOPBACK ? 2 : 0) + (ifa->ifa_addr->sa_family != AF_INET);
}

/* FI_UET_ADDR chooses an address or an interface. */
static bool uet_iface_wanted(const struct uet_iface *i)
{
	const char *text = getenv("FI_UET_ADDR");
	struct in6_addr addr;

	if (!text || !*text || !strcmp(text, i->name))
		return true;
	return !libuet_parse_addr(text, &addr) &&
	       !memcmp(&addr, &i->addr.suet_addr, sizeof(addr));
}

static int uet_ifaces_add(struct uet_iface **list, int n, const struct ifaddrs *ifa,
			  const struct sockaddr_uet *addr)
{
	struct uet_iface i = { .addr = *addr }, *more;

	snprintf(i.name, sizeof(i.name), "%s", ifa->ifa_name);
	if (!uet_iface_wanted(&i))
		return n;
	more = realloc(*list, (n + 1) * sizeof(*more));
	if (!more)
		return -FI_ENOMEM;
	*list = more;
	more[n] = i;
	return n + 1;
}

/* Headers of a datagram: IP, UDP, PDS (UUD), SES, CRC */
#define UET_DGRAM_HEADERS(ip)	((ip) + 8 + 4 + 44 + 4)

/* The length of payloads that the administrator has set, or 0 */
static int uet_payload_mtu(void)
{
	FILE *f = fopen("/proc/sys/net/uet/payload_mtu", "re");
	int n = 0;

	if (f && fscanf(f, "%d", &n) != 1)
		n = 0;
	if (f)
		fclose(f);
	return n;
}

/**
 * uet_iface_dgram() - the longest datagram
 * @i: local address that it is sent from
 *
 * Return: bytes; 0 if the interface has gone.
 */
size_t uet_iface_dgram(const struct uet_iface *i)
{
	const bool v4 = IN6_IS_ADDR_V4MAPPED(&i->addr.suet_addr);
	const int headers = UET_DGRAM_HEADERS(v4 ? 20 : 40);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int set = uet_payload_mtu(), size = 0;
	struct ifreq r = { 0 };

	if (fd < 0)
		return 0;
	snprintf(r.ifr_name, sizeof(r.ifr_name), "%s", i->name);
	if (!ioctl(fd, SIOCGIFMTU, &r))
		size = r.ifr_mtu - headers;
	close(fd);
	if (set && set < size)
		size = set;
	if (size > UET_EAGER_MAX - 1)
		size = UET_EAGER_MAX - 1;
	return size > 0 ? size : 0;
}

/**
 * uet_ifaces() - local addresses
 * @list: gets them; to be freed
 *
 * Return: their number, or an errno below 0.
 */
int uet_ifaces(struct uet_iface **list)
{
	const char *wanted = getenv("FI_UET_ADDR");
	struct libuet_sock how = { 0 };
	struct ifaddrs *all, *ifa;
	struct sockaddr_uet addr;
	int n = 0, pass, ret;
	uint32_t job;

	*list = NULL;
	ret = uet_job(&how, &job);
	if (ret)
		return ret;
	if (getifaddrs(&all))
		return -errno;
	for (pass = 0; pass < 4; pass++) {
		for (ifa = all; ifa && n >= 0; ifa = ifa->ifa_next) {
			if (!(ifa->ifa_flags & IFF_UP) ||
			    !uet_iface_addr(ifa->ifa_addr, job, &addr) ||
			    uet_iface_rank(ifa) != pass)
				continue;
			n = uet_ifaces_add(list, n, ifa, &addr);
		}
	}
	freeifaddrs(all);
	if (!n && wanted && *wanted)
		uet_warn(CORE, "FI_UET_ADDR=%s: no interface that is up and has an address is called so or has it\n",
			 wanted);
	if (n < 0) {
		free(*list);
		*list = NULL;
	}
	return n;
}
