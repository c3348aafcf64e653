/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Per network namespace state. Everything the module owns hangs off struct
 * uet_net; nothing is global but the caches and the protocol itself.
 */
#ifndef _UET_BASE_H
#define _UET_BASE_H

#include <linux/atomic.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/rhashtable-types.h>
#include <linux/siphash.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "account.h"
#include "settings.h"

#define UET_NAME_MAX	16	/* names of policies and algorithms */

struct ctl_table;
struct ctl_table_header;
struct socket;
struct uet_fep;
struct uet_mib;
struct uet_rtt_cache;

/* Places of the early demux for peers */
#define UET_RX_PEERS_BITS	6
#define UET_RX_PEERS		BIT(UET_RX_PEERS_BITS)

/**
 * struct uet_ep_hint - the endpoint a stream of messages was for last
 * @us: the only endpoint of its name, or NULL; looked at while @gen holds
 * @gen: uet_net.ep_gen when it was looked up
 */
struct uet_ep_hint {
	struct uet_sock	*us;
	u64		gen;
};

#define UET_NACK_GROUPS	256

/**
 * struct uet_nack_limit - how many answers about unknown PDCs may be sent
 * @lock: taken with BH off; a leaf
 * @since: begin of the period that is counted, ns
 * @shared: answers in it beyond those in @own
 * @own: answers to each group of sources
 * @key: makes groups that nobody can choose addresses for
 */
struct uet_nack_limit {
	spinlock_t		lock;	/* of all below */
	u64			since;
	u32			shared;
	u8			own[UET_NACK_GROUPS];
	siphash_key_t		key;
};

/**
 * struct uet_unconfirmed - target PDCs whose peer has not proved its address
 * @pdcs: the one that was silent for longest first
 * @count: their number; read without the lock too
 */
struct uet_unconfirmed {
	struct list_head	pdcs;
	u32			count;
};

/**
 * struct uet_net - UET in one network namespace
 * @net: back pointer, no reference (freed with the namespace)
 * @root: its superuser, who answers peers
 * @owner: account of its owner; NULL if the namespace is the machine's
 * @sysctl: tunables
 * @jobs: job id -> struct uet_job; written under @job_lock, read under RCU
 * @pids: PIDonFEP -> number of endpoints, all jobs; as @jobs
 * @job_lock: serialises bind and unbind
 * @ep_gen: bumped by each of them, so that a struct uet_ep_hint can be old
 * @ep_born: endpoints bound, from a random number on; @job_lock
 * @dests: struct uet_dest by {socket, target endpoint}
 * @feps: struct uet_fep by local fabric address
 * @fep_hint: the newest of them, mostly the only one; written under @fep_lock
 * @fep_lock: serialises creation and removal in @feps
 * @peers: struct uet_peer by {local, remote}
 * @syn_pdcs: target PDCs and time-wait records by {remote, local, spdcid}
 * @open_mutex: serialises opening PDCs, so that a burst of senders shares one
 * @reap: initiator PDCs that died, by reap_node
 * @reap_work: fails or moves their messages
 * @shed_work: has PDCs look at how long they have been idle
 * @shed_at: not before, jiffies
 * @flow_list: all flows, by net_node; RCU
 * @flow_list_lock: writers of it; a leaf, BH
 * @last_flow_id: names of flows that were given so far
 * @ports_todo: peers whose ports are to be looked for, by ports_node
 * @ports_work: looks for them
 * @speeds: speeds of devices by index, Mb/s (link/speed.c); written under the RTNL
 * @speed_work: asks the devices
 * @speed_asked: jiffies, when it was wanted last
 * @unconfirmed: target PDCs whose peer has not proved its address: of strangers,
 *	and of peers that did so for another PDC or that this host sends to
 * @unconfirmed_lock: of these and of uet_peer.unconfirmed; BH; nests in
 *	uet_pdc_rx.lock
 * @nacks: limit of answers about unknown PDCs
 * @peer_rules: struct uet_peer_rule, settings by prefix, longest first
 * @peer_rules_lock: of @peer_rules; nests in @open_mutex
 * @nr_peer_rules: length of @peer_rules
 * @trust_gen: counts changes of whose jobs are believed
 * @rtts: base RTTs of peers that are gone, NULL until there is one
 * @rtts_lock: BH; a leaf
 * @flows: flows alive; the exit waits for the last one
 * @pdcs: PDCs alive, both roles
 * @credit_ports: struct uet_credit_port, ports that hand out credit
 * @credit_lock: BH; orders coming and going of ports and their sources
 * @credit_work: finds out how fast the ports are, frees unused ones
 * @credit_in_acks: ACKs carry credit: congestion_control is "rccc"
 * @credit_senders: contexts here that use receiver credit and have data
 * @mem: bytes of message data and receive buffers held
 * @rx_ready: the part of it that readers could take
 * @rx_beyond: bytes of incoming messages held beyond all limits
 * @rx_saved: address of the incoming message that may go on regardless of the
 *	limits, as a number only
 * @rx_saved_at: jiffies, when it did so last
 * @rx_short_at: jiffies, when a packet found no room in the namespace last
 * @rx_short_since: jiffies, since when it happens every moment
 * @rx_short_work: gives up silent messages when that lasts
 * @rx_free: received packets that nobody will read
 * @rx_free_work: frees them
 * @exiting: set once in pre_exit; nothing new is created afterwards
 * @socks: sockets that are not closed
 * @users: these and PDCs: who needs the tunnel sockets; rises from 0 under
 *	@open_mutex
 * @encap_work: closes the tunnel sockets
 * @sock4: tunnel socket, IPv4; changes under @open_mutex
 * @sock6: tunnel socket, IPv6
 * @rx_peers: peers that packets came from, for the early demux, by
 *	uet_demux_slot(); RCU readers, written under @fep_lock
 * @trim_hooked: trimmed packets are taken in LOCAL_IN; under @open_mutex
 * @demux_hooked: the early demux is registered; under @open_mutex
 * @untrack_hooked: packets are kept from connection tracking; under @open_mutex
 * @guard_hooked: others are kept from the UET port; under @open_mutex
 * @mib: per-CPU counters
 * @sysctl_table: this namespace's copy of the table
 * @sysctl_header: its registration
 */
struct uet_net {
	struct net		*net;
	kuid_t			root;
	struct uet_account	*owner;
	struct uet_sysctl	sysctl;

	struct xarray		jobs;
	struct xarray		pids;
	spinlock_t		job_lock;	/* writers of jobs, ep_gen */
	u64			ep_gen;
	u32			ep_born;

	struct rhashtable	dests;
	struct rhashtable	feps;
	struct uet_fep __rcu	*fep_hint;
	spinlock_t		fep_lock;	/* writers of feps, peers */
	struct rhashtable	peers;
	struct rhashtable	syn_pdcs;

	struct uet_unconfirmed	unconfirmed[2];
	spinlock_t		unconfirmed_lock; /* of unconfirmed */

	struct mutex		open_mutex;	/* serialises opening */
	struct llist_head	reap;
	struct work_struct	reap_work;
	struct delayed_work	shed_work;
	unsigned long		shed_at;
	struct list_head	flow_list;
	spinlock_t		flow_list_lock;	/* writers of flow_list */
	u64			last_flow_id;
	struct llist_head	ports_todo;
	struct work_struct	ports_work;
	struct xarray		speeds;
	struct work_struct	speed_work;
	unsigned long		speed_asked;

	struct uet_nack_limit	nacks;
	struct list_head	credit_ports;
	spinlock_t		credit_lock;	/* of ports and sources */
	struct work_struct	credit_work;
	bool			credit_in_acks;
	atomic_t		credit_senders;

	struct list_head	peer_rules;
	struct mutex		peer_rules_lock; /* of peer_rules */
	u32			nr_peer_rules;
	atomic_t		trust_gen;
	struct uet_rtt_cache	*rtts;
	spinlock_t		rtts_lock;	/* of rtts */

	atomic_t		flows;
	atomic_t		pdcs;
	atomic_long_t		mem;
	atomic_long_t		rx_ready;
	atomic_long_t		rx_beyond;
	unsigned long		rx_saved;
	unsigned long		rx_saved_at;
	unsigned long		rx_short_at;
	unsigned long		rx_short_since;
	struct delayed_work	rx_short_work;
	struct sk_buff_head	rx_free;
	struct work_struct	rx_free_work;
	bool			exiting;

	atomic_t		socks;
	atomic_t		users;
	struct delayed_work	encap_work;
	struct socket		*sock4;
	struct socket		*sock6;
	struct uet_peer __rcu	*rx_peers[UET_RX_PEERS];
	bool			trim_hooked;
	bool			demux_hooked;
	bool			untrack_hooked;
	bool			guard_hooked;

	struct uet_mib __percpu	*mib;
	struct ctl_table	*sysctl_table;
	struct ctl_table_header	*sysctl_header;
};

extern unsigned int uet_net_id;

static inline struct uet_net *uet_net(const struct net *net)
{
	return net_generic(net, uet_net_id);
}

/* DSCP of data for which no traffic class was asked for */
static inline u8 uet_data_dscp(const struct uet_net *un)
{
	u32 dscp = READ_ONCE(un->sysctl.dscp_data);

	return dscp < UET_DSCP_OFF ? dscp : 0;
}

/**
 * uet_mem_charge() - take from the namespace's memory ceiling
 * @un: namespace
 * @bytes: how much
 *
 * Context: any.
 * Return: true, or false if the ceiling net.uet.mem is reached.
 */
static inline bool uet_mem_charge(struct uet_net *un, unsigned long bytes)
{
	if (atomic_long_add_return(bytes, &un->mem) <=
	    READ_ONCE(un->sysctl.mem) &&
	    (likely(!un->owner) || uet_account_mem(un->owner, bytes, 0)))
		return true;
	atomic_long_sub(bytes, &un->mem);
	return false;
}

/* Reserves above the ceiling, in eighths of it: for the data of messages that
 * must go on so that memory comes back, and for the entries without which
 * nothing of a message is accepted
 */
#define UET_MEM_RESERVE_DATA	2
#define UET_MEM_RESERVE_ENTRIES	3

/**
 * uet_mem_charge_more() - reach into a reserve above the ceiling
 * @un: namespace
 * @bytes: how much
 * @eighths: how far
 *
 * Context: any.
 * Return: true, or false if the reserve is used up too.
 */
static inline bool uet_mem_charge_more(struct uet_net *un, unsigned long bytes,
				       unsigned int eighths)
{
	unsigned long mem = READ_ONCE(un->sysctl.mem);

	if (atomic_long_add_return(bytes, &un->mem) <= mem + mem / 8 * eighths &&
	    (likely(!un->owner) || uet_account_mem(un->owner, bytes, eighths)))
		return true;
	atomic_long_sub(bytes, &un->mem);
	return false;
}

static inline void uet_mem_uncharge(struct uet_net *un, unsigned long bytes)
{
	atomic_long_sub(bytes, &un->mem);
	if (unlikely(un->owner))
		uet_account_mem_gone(un->owner, bytes);
}

#endif /* _UET_BASE_H */
