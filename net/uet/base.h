/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State per network namespace. Everything the module owns hangs off struct
 * uet_net, except slab caches, per-CPU transmit queues and registrations.
 */
#ifndef _UET_BASE_H
#define _UET_BASE_H

#include <linux/atomic.h>
#include <linux/hrtimer.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/ratelimit.h>
#include <linux/rhashtable-types.h>
#include <linux/siphash.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "account.h"
#include "core/cc/tfc_cells.h"
#include "event.h"
#include "memory.h"
#include "settings.h"

#define UET_NAME_MAX	16	/* names of policies and algorithms */

struct ctl_table;
struct ctl_table_header;
struct socket;
struct uet_failures;
struct uet_fep;
struct uet_mib;
struct uet_pings;
struct uet_rtt_cache;

/* Slots in the early demux table of peers */
#define UET_RX_PEERS_BITS	6
#define UET_RX_PEERS		BIT(UET_RX_PEERS_BITS)

/**
 * struct uet_ep_hint - cached result of an endpoint lookup
 * @us: the only endpoint with its {job, PIDonFEP, RI}, or NULL; valid while
 *	@gen == uet_net.ep_gen
 * @gen: uet_net.ep_gen at the lookup
 */
struct uet_ep_hint {
	struct uet_sock	*us;
	u64		gen;
};

#define UET_NACK_GROUPS	256

/**
 * struct uet_nack_limit - rate limit of NACKs about unknown PDCs
 * @lock: BH-disabled; a leaf
 * @since: start of the current period, ns
 * @shared: NACKs in the period beyond those in @own
 * @own: NACKs in the period to each group of sources
 * @key: hash key of the groups, so that nobody can choose a group
 */
struct uet_nack_limit {
	spinlock_t		lock;	/* of all below */
	u64			since;
	u32			shared;
	u8			own[UET_NACK_GROUPS];
	siphash_key_t		key;
};

/**
 * struct uet_unconfirmed - PDCs whose peer has not proved its address
 * @pdcs: in LRU order, the longest silent one first
 * @count: length of @pdcs; also read without the lock
 */
struct uet_unconfirmed {
	struct list_head	pdcs;
	u32			count;
};

/**
 * struct uet_deferred - messages of this host that targets deferred (tx/queue/defer.c)
 * @lock: of the lists, of uet_dest.deferred, and of what a target asks for of a message
 *	(uet_txmsg.asked); BH-disabled; a leaf
 * @tokens: messages that targets may defer, by the token that names them
 * @asked: struct uet_txmsg to be sent again now
 * @parked: others, to be sent again at uet_txmsg.park_until if nobody asks before; in
 *	that order
 * @work: sends them
 */
struct uet_deferred {
	spinlock_t		lock;	/* of the lists */
	struct xarray		tokens;
	struct list_head	asked;
	struct list_head	parked;
	struct delayed_work	work;
};

/**
 * struct uet_tfc - the buffer whose cells are handed out as credit (rx/cms/tfc.c)
 * @lock: BH-disabled; a leaf
 * @on: new sources get cells: congestion_control is "tfc"
 * @pool: the buffer
 * @timer: fires when cells may be granted
 * @timer_at: expiry of @timer, ns, 0 = not armed
 */
struct uet_tfc {
	spinlock_t		lock;	/* of pool, its sources, timer_at */
	bool			on;
	struct uet_tfc_pool	pool;
	struct hrtimer		timer;
	u64			timer_at;
};

/**
 * struct uet_net - UET in one network namespace
 * @net: back pointer, no reference (freed with the namespace)
 * @root: its root user, for route lookups without a sending user
 * @owner: account of its owner; NULL in the initial user namespace
 * @sysctl: settings
 * @jobs: job id -> struct uet_job; written under @job_lock, read under RCU
 * @pids: PIDonFEP -> number of endpoints, all jobs; as @jobs
 * @job_lock: serialises bind and unbind
 * @ep_gen: incremented by each bind and unbind, to invalidate struct uet_ep_hint
 * @ep_born: count of endpoints bound, from a random start; @job_lock
 * @ep_ids: bound sockets by uet_sock.id; as @jobs
 * @last_ep_id: last such id in use; @job_lock
 * @dests: struct uet_dest by {socket, target endpoint}
 * @dest_ids: struct uet_dest by id, also those of closed sockets; RCU readers
 * @last_dest_id: last such id in use
 * @feps: struct uet_fep by local fabric address
 * @fep_hint: the newest FEP, mostly the only one; written under @fep_lock
 * @fep_ids: the same FEPs by uet_fep.id, for walks; RCU readers
 * @last_fep_id: last such id in use; @fep_lock
 * @fep_lock: serialises creation and removal in @feps
 * @peers: struct uet_peer by {local, remote}
 * @peer_ids: the same peers by uet_peer.id, for walks; RCU readers
 * @last_peer_id: last such id in use
 * @syn_pdcs: PDCs opened by peers, also in TIME_WAIT, by {remote, local, spdcid}
 * @open_mutex: serialises opening PDCs, so that a burst of senders shares one
 * @reap: PDCs whose sending half died, by reap_node
 * @op_ends: messages of posted sends that are being ended with their programs
 * @drained: queues whose messages go to another PDC, by uet_dest.drained
 * @reap_work: fails or moves their messages
 * @shed_work: makes PDCs check their idle time
 * @shed_at: earliest time of its next run, jiffies
 * @flow_ids: all flows by uet_flow.id, for walks; RCU readers
 * @last_flow_id: last such id in use
 * @ports_todo: peers whose ports must be looked for, by ports_node
 * @ports_work: looks for them
 * @speeds: speeds of devices by index, Mb/s (link/speed.c); written under the RTNL
 * @speed_work: reads the speeds
 * @speed_asked: when @speed_work was last scheduled, jiffies
 * @unconfirmed: unconfirmed PDCs, [0] of strangers, [1] of peers that are confirmed
 *	by another PDC or that this host sends to
 * @unconfirmed_lock: of @unconfirmed and of uet_peer.unconfirmed; BH; nests in
 *	uet_pdc_rx.lock
 * @nacks: limit of NACKs about unknown PDCs
 * @close_reqs: limit of CLOSE_REQs to unconfirmed peers
 * @peer_rules: struct uet_peer_rule, settings by prefix, longest first
 * @peer_rules_lock: of @peer_rules; nests in @open_mutex
 * @peer_rules_writer: held by who reads a rule, changes and stores it; nests
 *	outside @peer_rules_lock
 * @nr_peer_rules: length of @peer_rules
 * @datagrams_at: when a datagram was last sent, jiffies
 * @nr_protect_rules: those of them that set data_protect
 * @nr_strict_rules: those of them that set strict_dscp, by themselves or by a profile
 * @rules_gen: counts changes of what is looked up once per peer: rules for peers, and
 *	settings that they override
 * @rtts: cache of base RTTs of freed peers, NULL until there is one
 * @rtts_lock: of @rtts; BH; a leaf
 * @flows: number of flows; namespace exit waits for 0
 * @pdcs: number of PDCs, opened by either end
 * @credit_ports: struct uet_credit_port, devices that grant credit
 * @credit_lock: BH; serialises coming and going of credit ports and sources
 * @credit_work: reads the speed of credit ports, frees unused ones
 * @credit_in_acks: ACKs carry credit: congestion_control is "rccc"
 * @credit_beside_window: sources of credit have a window, which governs the core:
 *	congestion_control is "nscc+rccc"
 * @credit_senders: local CCCs that use receiver credit and have data
 * @tfc: cells for sources of credit
 * @mem: memory of message data and receive buffers
 * @rx_beyond: bytes of incoming messages held beyond all limits
 * @rx_early: bytes of packets that ordered PDCs keep until those before have come
 * @rx_saved: the incoming message or ordered PDC that may ignore the limits: its
 *	address, only compared, and a flag
 * @rx_saved_at: when it last did so, jiffies
 * @rx_short_at: when memory of the namespace was last refused, jiffies
 * @rx_short_since: start of the current series of such NACKs, jiffies
 * @rx_short_work: gives up silent messages if the series lasts
 * @rx_free: received packets that nobody will read
 * @rx_free_work: frees them
 * @rudi_ids: packets sent as RUDI by pkt_id; RCU readers
 * @rudi_next_id: where to look for a free pkt_id, from a random start; as @rudi_ids
 * @deferred: messages of this host that targets deferred
 * @exiting: set once in pre_exit; nothing new is created afterwards
 * @socks: open AF_UET sockets
 * @users: users of the tunnel sockets: @socks and PDCs; rises from 0 under
 *	@open_mutex
 * @encap_work: closes the tunnel sockets
 * @sock4: tunnel socket, IPv4; changes under @open_mutex
 * @sock6: tunnel socket, IPv6
 * @rx_peers: early demux table of peers, by uet_demux_slot(); RCU readers, written
 *	under @fep_lock
 * @run_len: uet_flow.run_len of the flow where it changed last, the guess of new queues
 * @take_hooked: hooks of input/take.c are registered; under @open_mutex
 * @demux_hooked: hooks of pdc/demux.c are registered; under @open_mutex
 * @untrack_hooked: hooks of link/untrack.c are registered; under @open_mutex
 * @guard_hooked: hooks of link/guard.c are registered; under @open_mutex
 * @pings: probes of paths and endpoints (ping/)
 * @events: what listeners of netlink are told
 * @failures: how messages failed last
 * @mib: per-CPU counters
 * @sysctl_table: sysctl table of this namespace
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
	struct xarray		ep_ids;
	u64			last_ep_id;

	struct rhashtable	dests;
	struct xarray		dest_ids;
	atomic64_t		last_dest_id;
	struct rhashtable	feps;
	struct uet_fep __rcu	*fep_hint;
	struct xarray		fep_ids;
	unsigned long		last_fep_id;
	spinlock_t		fep_lock;	/* writers of feps, peers */
	struct rhashtable	peers;
	struct xarray		peer_ids;
	atomic_long_t		last_peer_id;
	struct rhashtable	syn_pdcs;

	struct uet_unconfirmed	unconfirmed[2];
	spinlock_t		unconfirmed_lock; /* of unconfirmed */

	struct mutex		open_mutex;	/* serialises opening */
	u16			run_len;
	struct llist_head	reap;
	struct llist_head	drained;
	atomic_t		op_ends;
	struct work_struct	reap_work;
	struct delayed_work	shed_work;
	unsigned long		shed_at;
	struct xarray		flow_ids;
	atomic_long_t		last_flow_id;
	struct llist_head	ports_todo;
	struct work_struct	ports_work;
	struct xarray		speeds;
	struct work_struct	speed_work;
	unsigned long		speed_asked;

	struct uet_nack_limit	nacks;
	struct ratelimit_state	close_reqs;
	struct list_head	credit_ports;
	spinlock_t		credit_lock;	/* of ports and sources */
	struct work_struct	credit_work;
	bool			credit_in_acks;
	bool			credit_beside_window;
	atomic_t		credit_senders;
	struct uet_tfc		tfc;

	struct list_head	peer_rules;
	struct mutex		peer_rules_lock; /* of peer_rules */
	struct mutex		peer_rules_writer;
	u32			nr_peer_rules;
	u32			nr_protect_rules;
	u32			nr_strict_rules;
	unsigned long		datagrams_at;
	atomic_t		rules_gen;
	struct uet_rtt_cache	*rtts;
	spinlock_t		rtts_lock;	/* of rtts */

	atomic_t		flows;
	atomic_t		pdcs;
	struct uet_mem		mem;
	atomic_long_t		rx_beyond;
	atomic_long_t		rx_early;
	unsigned long		rx_saved;
	unsigned long		rx_saved_at;
	unsigned long		rx_short_at;
	unsigned long		rx_short_since;
	struct delayed_work	rx_short_work;
	struct sk_buff_head	rx_free;
	struct work_struct	rx_free_work;
	struct xarray		rudi_ids;
	u32			rudi_next_id;
	struct uet_deferred	deferred;
	bool			exiting;

	atomic_t		socks;
	atomic_t		users;
	struct delayed_work	encap_work;
	struct socket		*sock4;
	struct socket		*sock6;
	struct uet_peer __rcu	*rx_peers[UET_RX_PEERS];
	bool			take_hooked;
	bool			demux_hooked;
	bool			untrack_hooked;
	bool			guard_hooked;

	struct uet_pings	*pings;
	struct uet_events	events;
	struct uet_failures	*failures;
	struct uet_mib __percpu	*mib;
	struct ctl_table	*sysctl_table;
	struct ctl_table_header	*sysctl_header;
};

extern unsigned int uet_net_id;

static inline struct uet_net *uet_net(const struct net *net)
{
	return net_generic(net, uet_net_id);
}

/* uet_net() in an RCU section, for hooks, which all packets pass */
static inline struct uet_net *uet_net_rcu(const struct net *net)
{
	return rcu_dereference(net->gen)->ptr[uet_net_id];
}

/* DSCP of data without a requested traffic class */
static inline u8 uet_data_dscp(const struct uet_net *un)
{
	u32 dscp = READ_ONCE(un->sysctl.dscp_data);

	return dscp < UET_DSCP_OFF ? dscp : 0;
}

/**
 * uet_mem_charge() - charge memory to the namespace, up to net.uet.mem
 * @un: namespace
 * @bytes: how much
 *
 * Context: any.
 * Return: true, or false if net.uet.mem is reached.
 */
static inline bool uet_mem_charge(struct uet_net *un, unsigned long bytes)
{
	if (likely(uet_mem_take(&un->mem, bytes, READ_ONCE(un->sysctl.mem)))) {
		if (likely(!un->owner) || uet_account_mem(un->owner, bytes, 0))
			return true;
		uet_mem_give(&un->mem, bytes);
	}
	uet_event_limit(un, UET_LIMIT_MEM);
	return false;
}

/* Reserves above net.uet.mem, in eighths of it: for data of messages that must be
 * completed to free memory; for entries, without which no packet is accepted
 */
#define UET_MEM_RESERVE_DATA	2
#define UET_MEM_RESERVE_ENTRIES	3

/**
 * uet_mem_charge_more() - charge memory to the namespace, up to a reserve
 * @un: namespace
 * @bytes: how much
 * @eighths: size of the reserve, UET_MEM_RESERVE_*
 *
 * Context: any.
 * Return: true, or false if the reserve is used up too.
 */
static inline bool uet_mem_charge_more(struct uet_net *un, unsigned long bytes,
				       unsigned int eighths)
{
	unsigned long mem = READ_ONCE(un->sysctl.mem);

	if (!uet_mem_take(&un->mem, bytes, mem + mem / 8 * eighths))
		return false;
	if (likely(!un->owner) || uet_account_mem(un->owner, bytes, eighths))
		return true;
	uet_mem_give(&un->mem, bytes);
	return false;
}

static inline void uet_mem_uncharge(struct uet_net *un, unsigned long bytes)
{
	uet_mem_give(&un->mem, bytes);
	if (unlikely(un->owner))
		uet_account_mem_gone(un->owner, bytes);
}

#endif /* _UET_BASE_H */
