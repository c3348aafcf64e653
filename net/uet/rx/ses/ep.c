// SPDX-License-Identifier: GPL-2.0
/*
 * The table of endpoints: maps {fabric address, job, PIDonFEP, RI} to a socket
 * of this namespace.
 *
 * Jobs are in an xarray by id. Each job has an xarray of endpoints by PIDonFEP
 * and RI; endpoints that share both differ in address or device and are chained.
 * Writers hold uet_net.job_lock. Readers are in an RCU section, and sockets are
 * freed after a grace period (SOCK_RCU_FREE), so the receive path takes no
 * reference.
 */
#include <linux/capability.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <net/ipv6.h>
#include <net/l3mdev.h>

#include "link/addr.h"
#include "rx/ses/ep.h"
#include "sock.h"

#define UET_RI_BITS	12
/* Endpoints examined to say why none fits */
#define UET_EP_LOOKS	64

/* The kernel makes initiator IDs < 2^24 from PIDonFEP and RI (UE 1.0 leaves the
 * value to the job; see uet.rst); applications choose from those >= 2^24.
 */
#define UET_INITIATOR_FREE	BIT(24)

static unsigned long uet_ep_key(u16 pid, u16 ri)
{
	return (unsigned long)pid << UET_RI_BITS | ri;
}

/**
 * uet_ep_table_init() - prepare the table of a namespace
 * @un: namespace
 */
void uet_ep_table_init(struct uet_net *un)
{
	spin_lock_init(&un->job_lock);
	xa_init_flags(&un->jobs, XA_FLAGS_ACCOUNT);
	xa_init_flags(&un->pids, XA_FLAGS_ACCOUNT);
	xa_init_flags(&un->ep_ids, XA_FLAGS_ACCOUNT);
	un->ep_born = get_random_u32();
}

/**
 * uet_ep_table_exit() - free the table; no socket is left
 * @un: namespace
 */
void uet_ep_table_exit(struct uet_net *un)
{
	unsigned long id = 0;

	/* Not xa_empty(): a store that failed may have left nodes. */
	WARN_ON_ONCE(xa_find(&un->jobs, &id, ULONG_MAX, XA_PRESENT));
	xa_destroy(&un->jobs);
	xa_destroy(&un->pids);
	xa_destroy(&un->ep_ids);
}

/* May a packet that arrived by interface @iif be for @us? A socket may be bound
 * to that interface or to its VRF, which is @scope for packets inside a VRF.
 */
static bool uet_ep_dev_match(const struct uet_sock *us, int scope, int iif)
{
	int dev = READ_ONCE(us->sk.sk_bound_dev_if);

	if (!dev || dev == scope || dev == iif)
		return true;
	return dev == l3mdev_master_upper_ifindex_by_index_rcu(sock_net(&us->sk),
							       scope);
}

static bool uet_ep_addr_match(const struct uet_sock *us,
			      const struct in6_addr *laddr, int scope)
{
	const struct sockaddr_uet *local = &us->local;

	if (!ipv6_addr_equal(&local->suet_addr, laddr))
		return false;
	return !local->suet_scope_id || local->suet_scope_id == scope ||
	       !(ipv6_addr_type(laddr) & IPV6_ADDR_LINKLOCAL);
}

/* A socket bound to this address wins over one bound to any address. Only local
 * users make the chain longer.
 */
static struct uet_sock *uet_ep_pick(struct uet_sock *us,
				    const struct in6_addr *laddr, int scope,
				    int iif)
{
	struct uet_sock *any = NULL;

	for (; us; us = rcu_dereference(us->ep_next)) {
		if (!uet_ep_dev_match(us, scope, iif) || READ_ONCE(us->rx_closed))
			continue;
		if (uet_ep_addr_match(us, laddr, scope))
			return us;
		if (!any && uet_addr_any(&us->local.suet_addr))
			any = us;
	}
	return any;
}

/* Number of endpoints with this PIDonFEP in all jobs */
static unsigned long uet_pid_users(struct uet_net *un, u16 pid)
{
	void *entry = xa_load(&un->pids, pid);

	return entry ? xa_to_value(entry) : 0;
}

/* Does the job have the PIDonFEP at this FEP, by whatever RI? If not, *others is how
 * many of its endpoints have it at other addresses. Who addresses RIs that nobody has
 * must not make this host look at very many: beyond UET_EP_LOOKS it is taken for so.
 */
static bool uet_ep_has_pid(struct uet_job *job, const struct in6_addr *laddr,
			   int scope, int iif, u16 pid, unsigned long *others)
{
	struct uet_sock *us;
	unsigned long key;

	*others = 0;
	xa_for_each_range(&job->eps, key, us, uet_ep_key(pid, 0),
			  uet_ep_key(pid, UET_RI_MAX)) {
		if (uet_ep_pick(us, laddr, scope, iif))
			return true;
		for (; us; us = rcu_dereference(us->ep_next))
			++*others;
		if (*others >= UET_EP_LOOKS)
			return true;
	}
	return false;
}

/* Tells a PIDonFEP in use by other jobs (BAD_JOB_ID) from an unknown one
 * (BAD_PID). Anybody may address job 0, so a missing job 0 is no error by itself. A
 * PIDonFEP belongs to a FEP (UE 1.0 3.4): that of another address is unknown here.
 */
static enum uet_lookup_fail uet_ep_why(struct uet_net *un,
				       struct uet_job *job, u32 id,
				       const struct in6_addr *laddr, int scope,
				       int iif, u16 pid)
{
	unsigned long others = 0;

	if (job && uet_ep_has_pid(job, laddr, scope, iif, pid, &others))
		return UET_LOOKUP_RI;
	if ((!job && id) || uet_pid_users(un, pid) > others)
		return UET_LOOKUP_JOB;
	return UET_LOOKUP_PID;
}

/**
 * uet_ep_lookup() - find the endpoint a packet is for
 * @un: namespace
 * @laddr: fabric address the packet was sent to
 * @scope: interface of a link-local peer, or the VRF, else 0
 * @iif: interface by which the packet arrived
 * @job: job id
 * @pid: PIDonFEP
 * @ri: resource index
 * @why: set to the reason if there is none
 *
 * Context: RCU section; the result is valid in it.
 * Return: the socket or NULL.
 */
struct uet_sock *uet_ep_lookup(struct uet_net *un, const struct in6_addr *laddr,
			       int scope, int iif, u32 job, u16 pid, u16 ri,
			       enum uet_lookup_fail *why)
{
	struct uet_job *j = xa_load(&un->jobs, job);
	struct uet_sock *us = NULL;

	if (j)
		us = uet_ep_pick(xa_load(&j->eps, uet_ep_key(pid, ri)), laddr,
				 scope, iif);
	if (likely(us))
		return us;
	*why = uet_ep_why(un, j, job, laddr, scope, iif, pid);
	return NULL;
}

/* Does no other endpoint have the same job, PIDonFEP and RI? */
static bool uet_ep_alone(struct uet_net *un, const struct uet_sock *us,
			 u32 job, u16 pid, u16 ri)
{
	struct uet_job *j = xa_load(&un->jobs, job);

	return j && xa_load(&j->eps, uet_ep_key(pid, ri)) == us &&
	       !rcu_access_pointer(us->ep_next);
}

/**
 * uet_ep_recall_any() - uet_ep_recall() without a hint that plainly fits
 * @hint: see uet_ep_recall()
 * @rx: see uet_ep_recall()
 * @why: see uet_ep_recall()
 *
 * Context: RCU section; the result is valid in it.
 * Return: the socket or NULL.
 */
struct uet_sock *uet_ep_recall_any(struct uet_ep_hint *hint,
				   const struct uet_rx_ctx *rx,
				   enum uet_lookup_fail *why)
{
	const struct uet_ses_req *ses = &rx->pkt->ses;
	struct uet_net *un = rx->un;
	/* Pairs with uet_ep_changed() */
	u64 gen = smp_load_acquire(&un->ep_gen);
	struct uet_sock *us = hint->us;

	if (likely(us && hint->gen == gen && uet_ep_named(us, ses)))
		us = uet_ep_pick(us, &rx->daddr, rx->ifindex, rx->iif);
	else
		us = NULL;
	if (likely(us))
		return us;
	us = uet_ep_lookup(un, &rx->daddr, rx->ifindex, rx->iif, ses->job,
			   ses->pid, ses->ri, why);
	hint->us = NULL;
	if (us && uet_ep_alone(un, us, ses->job, ses->pid, ses->ri)) {
		hint->gen = gen;
		hint->us = us;
	}
	return us;
}

/**
 * uet_ep_next() - walk the endpoints of a namespace
 * @un: namespace
 * @id: look from this id on; set to that of the socket
 *
 * Ids grow and are never reused, so a walk that goes on at @id + 1, at any later
 * time, meets each endpoint that stays exactly once.
 *
 * Context: RCU read side; the result is valid in it.
 * Return: a bound socket, or NULL after the last one.
 */
struct uet_sock *uet_ep_next(struct uet_net *un, u64 *id)
{
	unsigned long at = *id;
	struct uet_sock *us;

	us = xa_find(&un->ep_ids, &at, ULONG_MAX, XA_PRESENT);
	*id = at;
	return us;
}

/**
 * uet_ep_for_each() - visit all endpoints of a namespace
 * @un: namespace
 * @fn: called with each bound socket
 * @arg: for @fn
 *
 * Reschedules between endpoints if need be, since there may be many.
 *
 * Context: process, no locks that forbid to sleep; @fn is called in an RCU
 * section.
 */
void uet_ep_for_each(struct uet_net *un,
		     void (*fn)(struct uet_sock *us, void *arg), void *arg)
{
	struct uet_sock *us;
	u64 id = 0;

	rcu_read_lock();
	for (; (us = uet_ep_next(un, &id)); id++) {
		fn(us, arg);
		if (!need_resched())
			continue;
		rcu_read_unlock();
		cond_resched();
		rcu_read_lock();
	}
	rcu_read_unlock();
}

static struct uet_job *uet_job_get(struct uet_net *un, u32 id)
{
	struct uet_job *job = xa_load(&un->jobs, id);

	lockdep_assert_held(&un->job_lock);
	if (job)
		return job;
	job = kzalloc(sizeof(*job), GFP_ATOMIC | __GFP_ACCOUNT);
	if (!job)
		return NULL;
	job->id = id;
	xa_init_flags(&job->eps, XA_FLAGS_ACCOUNT);
	if (xa_err(xa_store(&un->jobs, id, job, GFP_ATOMIC))) {
		kfree(job);
		return NULL;
	}
	return job;
}

static void uet_job_put(struct uet_net *un, struct uet_job *job)
{
	lockdep_assert_held(&un->job_lock);
	if (job->users)
		return;
	xa_erase(&un->jobs, job->id);
	/* A store that failed may have left nodes without entries. */
	xa_destroy(&job->eps);
	kfree_rcu(job, rcu);
}

static int uet_pid_add(struct uet_net *un, u16 pid, int n)
{
	unsigned long users = uet_pid_users(un, pid) + n;

	if (!users) {
		xa_erase(&un->pids, pid);
		return 0;
	}
	return xa_err(xa_store(&un->pids, pid, xa_mk_value(users), GFP_ATOMIC));
}

/* Do two endpoints with the same job, PIDonFEP and RI conflict? Yes, if a packet
 * could match both by address, or both as bound to any address. If only one is
 * bound to any address, they must belong to one user: the other endpoint takes
 * its packets.
 */
static bool uet_ep_conflict(const struct uet_sock *us,
			    const struct uet_sock *fresh,
			    const struct sockaddr_uet *addr, int dev)
{
	const struct sockaddr_uet *local = &us->local;
	int other = READ_ONCE(us->sk.sk_bound_dev_if);

	if (dev && other && dev != other)
		return false;
	if (uet_addr_any(&local->suet_addr) != uet_addr_any(&addr->suet_addr))
		return !uid_eq(us->sk.sk_uid, fresh->sk.sk_uid);
	if (uet_addr_any(&addr->suet_addr))
		return true;
	return ipv6_addr_equal(&local->suet_addr, &addr->suet_addr) &&
	       local->suet_scope_id == addr->suet_scope_id;
}

static bool uet_ep_used(struct uet_job *job, const struct uet_sock *fresh,
			const struct sockaddr_uet *addr, int dev)
{
	struct uet_sock *us;

	us = xa_load(&job->eps,
		     uet_ep_key(addr->suet_pid, addr->suet_ri));
	for (; us; us = rcu_dereference_protected(us->ep_next, true))
		if (uet_ep_conflict(us, fresh, addr, dev))
			return true;
	return false;
}

/* May two addresses name the same FEP? */
static bool uet_addr_overlap(const struct sockaddr_uet *a,
			     const struct sockaddr_uet *b)
{
	return uet_addr_any(&a->suet_addr) || uet_addr_any(&b->suet_addr) ||
	       ipv6_addr_equal(&a->suet_addr, &b->suet_addr);
}

/* With absolute addressing PIDonFEP alone names the process, so two jobs must
 * not share a PIDonFEP then.
 */
static bool uet_ep_ambiguous(struct uet_net *un, u32 job_id,
			     const struct sockaddr_uet *addr)
{
	struct uet_job *job;
	struct uet_sock *us;
	unsigned long i, k;

	if (!uet_pid_users(un, addr->suet_pid))
		return false;
	xa_for_each(&un->jobs, i, job) {
		if (job->id == job_id)
			continue;
		xa_for_each_range(&job->eps, k, us, uet_ep_key(addr->suet_pid, 0),
				  uet_ep_key(addr->suet_pid, UET_RI_MAX))
			for (; us; us = rcu_dereference_protected(us->ep_next,
								  true))
				if ((us->local.suet_flags | addr->suet_flags) &
				    UET_ADDR_ABSOLUTE &&
				    uet_addr_overlap(&us->local, addr))
					return true;
	}
	return false;
}

/* All PIDonFEPs are in use: try random pairs {PIDonFEP, RI}. There are too many
 * for a user with a limit (net.uet.user_eps) to hold all.
 */
static int uet_ep_free_ri(struct uet_net *un, struct uet_job *job,
			  const struct uet_sock *fresh,
			  struct sockaddr_uet *addr, int dev, u32 first)
{
	u32 n = UET_PID_MAX - first + 1, i;

	for (i = 0; i < n; i++) {
		addr->suet_pid = first + get_random_u32_below(n);
		addr->suet_ri = 1 + get_random_u32_below(UET_RI_MAX);
		if (!uet_ep_used(job, fresh, addr, dev) &&
		    !uet_ep_ambiguous(un, job->id, addr))
			return 0;
	}
	return -EADDRINUSE;
}

/* Find an unused PIDonFEP from a random start: a new process should not receive
 * packets meant for one that has just exited. If there is none, take one that is
 * free in this job, or another RI if the caller did not ask for one.
 */
static int uet_ep_free_pid(struct uet_net *un, struct uet_job *job,
			   const struct uet_sock *fresh,
			   struct sockaddr_uet *addr, int dev)
{
	u32 first = max(READ_ONCE(un->sysctl.pid_unprivileged_start), 1U);
	u32 n, i, start;

	if (first > UET_PID_MAX)
		return -EADDRINUSE;
	n = UET_PID_MAX - first + 1;
	start = get_random_u32_below(n);
	for (i = 0; i < n; i++) {
		addr->suet_pid = first + (start + i) % n;
		if (!xa_load(&un->pids, addr->suet_pid))
			return 0;
	}
	for (i = 0; i < n; i++) {
		addr->suet_pid = first + (start + i) % n;
		if (!uet_ep_used(job, fresh, addr, dev) &&
		    !uet_ep_ambiguous(un, job->id, addr))
			return 0;
	}
	if (addr->suet_ri || (addr->suet_flags & UET_ADDR_ABSOLUTE))
		return -EADDRINUSE;
	return uet_ep_free_ri(un, job, fresh, addr, dev, first);
}

static void uet_ep_name(struct uet_sock *us, const struct sockaddr_uet *addr)
{
	us->local = *addr;
	if (!us->local.suet_initiator)
		us->local.suet_initiator = uet_ep_key(addr->suet_pid,
						      addr->suet_ri);
}

static void uet_ep_unname(struct uet_sock *us)
{
	memset(&us->local, 0, sizeof(us->local));
	us->local.suet_family = uet_family;
}

/* Invalidate all hints. */
static void uet_ep_changed(struct uet_net *un)
{
	lockdep_assert_held(&un->job_lock);
	/* Pairs with uet_ep_recall(), uet_ep_recall_any() */
	smp_store_release(&un->ep_gen, un->ep_gen + 1);
}

/* Does an address for bind() say which PIDonFEP it wants? */
static bool uet_ep_names_pid(const struct sockaddr_uet *addr)
{
	return addr->suet_pid || addr->suet_flags & UET_ADDR_PID_ZERO;
}

static int uet_ep_insert(struct uet_sock *us, struct sockaddr_uet *addr)
{
	int dev = READ_ONCE(us->sk.sk_bound_dev_if);
	struct uet_net *un = us->un;
	struct uet_job *job;
	unsigned long key;
	int err;

	lockdep_assert_held(&un->job_lock);
	job = uet_job_get(un, addr->suet_job);
	if (!job)
		return -ENOMEM;

	err = uet_ep_names_pid(addr) ? 0 :
				       uet_ep_free_pid(un, job, us, addr, dev);
	if (err)
		goto out;
	err = -EADDRINUSE;
	if (uet_ep_used(job, us, addr, dev) ||
	    uet_ep_ambiguous(un, job->id, addr))
		goto out;
	err = uet_pid_add(un, addr->suet_pid, 1);
	if (err)
		goto out;

	if (!uet_account_ep(us->account)) {
		uet_event_limit(un, UET_LIMIT_USER_EPS);
		err = -EMFILE;
		goto err_pid;
	}
	/* Entries that are only reserved are not found. */
	err = xa_reserve(&un->ep_ids, un->last_ep_id + 1, GFP_ATOMIC);
	if (err)
		goto err_account;
	key = uet_ep_key(addr->suet_pid, addr->suet_ri);
	RCU_INIT_POINTER(us->ep_next, xa_load(&job->eps, key));
	uet_ep_name(us, addr);
	us->generation = 1 + un->ep_born++ % U8_MAX;
	err = xa_err(xa_store(&job->eps, key, us, GFP_ATOMIC));
	if (err) {
		uet_ep_unname(us);
		xa_release(&un->ep_ids, un->last_ep_id + 1);
		goto err_account;
	}
	us->id = ++un->last_ep_id;
	xa_store(&un->ep_ids, us->id, us, GFP_ATOMIC);
	uet_ep_changed(un);
	job->users++;
	/* Pairs with smp_load_acquire() in sock/sendmsg.c */
	smp_store_release(&us->bound, true);
out:
	uet_job_put(un, job);
	return err;

err_account:
	uet_account_ep_gone(us->account);
err_pid:
	uet_pid_add(un, addr->suet_pid, -1);
	goto out;
}

/**
 * uet_ep_bind() - bind a socket to an endpoint
 * @us: the socket, locked
 * @addr: wanted address, checked by uet_addr_check()
 *
 * Return: 0, -EINVAL (bound already, reserved initiator), -EACCES (job,
 * PIDonFEP below net.uet.pid_unprivileged_start), -EADDRNOTAVAIL, -EADDRINUSE,
 * -EMFILE (net.uet.user_eps), -ENOMEM.
 */
int uet_ep_bind(struct uet_sock *us, const struct sockaddr_uet *addr)
{
	struct net *net = sock_net(&us->sk);
	struct sockaddr_uet want = *addr;
	struct uet_net *un = us->un;
	int err;

	if (us->bound)
		return -EINVAL;
	if (want.suet_initiator && want.suet_initiator < UET_INITIATOR_FREE)
		return -EINVAL;
	if (want.suet_job && want.suet_job != us->job)
		return -EACCES;
	if (uet_ep_names_pid(&want) &&
	    want.suet_pid < READ_ONCE(un->sysctl.pid_unprivileged_start) &&
	    !ns_capable(net->user_ns, CAP_NET_BIND_SERVICE))
		return -EACCES;
	err = uet_addr_check_local(us, &want);
	if (err)
		return err;

	spin_lock(&un->job_lock);
	err = uet_ep_insert(us, &want);
	spin_unlock(&un->job_lock);
	return err;
}

/**
 * uet_ep_autobind() - bind a socket that sends without bind()
 * @us: the socket, locked
 *
 * Return: 0 or as uet_ep_bind().
 */
int uet_ep_autobind(struct uet_sock *us)
{
	struct sockaddr_uet addr = {
		.suet_family = uet_family,
		.suet_job = us->job,
	};

	return us->bound ? 0 : uet_ep_bind(us, &addr);
}

/**
 * uet_ep_unbind() - take a socket out of the table
 * @us: the socket, locked or closing
 *
 * A receiver that looked it up before may still use it until the end of its
 * RCU section.
 */
void uet_ep_unbind(struct uet_sock *us)
{
	struct uet_net *un = us->un;
	struct uet_sock *next, *it;
	struct uet_job *job;
	unsigned long key;

	if (!us->bound)
		return;
	key = uet_ep_key(us->local.suet_pid, us->local.suet_ri);

	spin_lock(&un->job_lock);
	job = xa_load(&un->jobs, us->local.suet_job);
	next = rcu_dereference_protected(us->ep_next,
					 lockdep_is_held(&un->job_lock));
	it = xa_load(&job->eps, key);
	if (it == us) {
		/* Replaces or erases: needs no memory */
		xa_store(&job->eps, key, next, GFP_ATOMIC);
	} else {
		while (rcu_access_pointer(it->ep_next) != us)
			it = rcu_dereference_protected(it->ep_next, true);
		rcu_assign_pointer(it->ep_next, next);
	}
	xa_erase(&un->ep_ids, us->id);
	uet_ep_changed(un);
	uet_account_ep_gone(us->account);
	uet_pid_add(un, us->local.suet_pid, -1);
	job->users--;
	uet_job_put(un, job);
	us->bound = false;
	spin_unlock(&un->job_lock);
}
