/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events for listeners of the netlink group "events": a ring per namespace. Code of
 * all floors and contexts puts events in while somebody listens; a work item takes
 * them out and sends them (ctl/genl/event.c).
 *
 * A full ring loses its oldest event. The numbers of events tell how many are missing.
 */
#ifndef _UET_EVENT_H
#define _UET_EVENT_H

#include <linux/in6.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uet_netlink.h>
#include <linux/workqueue.h>

struct uet_net;

/* Events that a namespace keeps at first; in a burst, in memory for interrupts; and
 * once a work item has run
 */
#define UET_EVENTS_FEW		8
#define UET_EVENTS_BURST	224
#define UET_EVENTS_MANY		1024

/**
 * struct uet_event - something that happened
 * @time: when, ns since 1970; uet_event_tell() sets it
 * @seq: number in the namespace; likewise
 * @what: which of the other fields are valid depends on it, see ctl/genl/event.c
 * @mode: enum uet_delivery
 * @source: enum uet_report_source
 * @plen: length of the prefix @remote
 * @code: its meaning depends on @source
 * @local: fabric address
 * @remote: fabric address or prefix
 * @name: name of a setting, never freed
 * @ccc: id of a CCC
 * @inode: of a socket
 * @pdc: local PDCID
 * @ev: entropy value
 * @ifindex: interface, 0 = not told
 * @error: errno
 * @job: job id
 * @pid: PIDonFEP
 */
struct uet_event {
	u64			time;
	u32			seq;
	enum uet_nl_what	what : 8;
	u8			mode;
	u8			source;
	u8			plen;
	struct in6_addr		local;
	struct in6_addr		remote;
	union {
		const char	*name;
		u64		ccc;
		u64		inode;
	};
	u16			pdc;
	u16			ev;
	union {
		int		ifindex;
		int		error;
		u32		job;
	};
	u16			code;
	u16			pid;
};

/* Limits whose being reached is an event; settings of these names, and the ids of an
 * address
 */
enum uet_limit {
	UET_LIMIT_PDC_MAX,
	UET_LIMIT_PDC_MAX_PER_PEER,
	UET_LIMIT_PDCIDS,
	UET_LIMIT_USER_PDCS,
	UET_LIMIT_USER_EPS,
	UET_LIMIT_MEM,
	UET_LIMITS,
};

/**
 * struct uet_events - events of a namespace
 * @lock: of all below but @work, @limit_at; hard interrupts; a leaf
 * @ring: the events; @few until there are more, or @work has made a larger one
 * @size: its length
 * @first: the oldest event
 * @nr: number of events
 * @seq: number of the last event
 * @taken: number of the last event taken out
 * @few: the ring at first, since most namespaces never have a listener
 * @work: sends the events
 * @limit_at: when the limit was last told, jiffies
 */
struct uet_events {
	spinlock_t		lock;	/* of the ring */
	struct uet_event	*ring;
	u32			size;
	u32			first;
	u32			nr;
	u32			seq;
	u32			taken;
	struct uet_event	few[UET_EVENTS_FEW];
	struct work_struct	work;
	unsigned long		limit_at[UET_LIMITS];
};

/**
 * struct uet_event_sink - who sends events
 * @wanted: does somebody listen? Any context, RCU read side
 * @drain: send what uet_event_take() returns; true if more may be left. Process
 */
struct uet_event_sink {
	bool (*wanted)(const struct uet_net *un);
	bool (*drain)(struct uet_net *un);
};

void uet_event_sink_set(const struct uet_event_sink *sink);
bool uet_event_wanted(const struct uet_net *un);
void uet_event_tell(struct uet_net *un, const struct uet_event *event);
bool uet_event_take(struct uet_net *un, struct uet_event *event, u32 *lost);

void uet_event_limit(struct uet_net *un, enum uet_limit limit);
void uet_event_param(struct uet_net *un, const char *name);
void uet_event_rule(struct uet_net *un, const struct in6_addr *prefix, u8 plen,
		    bool deleted);

void uet_events_init(struct uet_net *un);
void uet_events_exit(struct uet_net *un);

#endif /* _UET_EVENT_H */
