/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which of the receives that are posted ahead a message goes to: the oldest that wants its
 * tag and its source.
 *
 * Receives with the same mask are found by the bits of the tag that matter to them, and by
 * the source if they want one. So a message looks at one chain for each mask, and for each
 * with and without a source; there are few masks at a time. In a chain are receives that
 * want different things; those that want the same follow the oldest of them. The hash has a
 * secret key, so nobody chooses who shares a chain.
 */
#ifndef _UET_CORE_MATCH_H
#define _UET_CORE_MATCH_H

#include "../env.h"

/* Masks of tags at a time. Receives without a tag count as one more */
#define UET_MATCH_MASKS		8
#define UET_MATCH_UNTAGGED	UET_MATCH_MASKS
#define UET_MATCH_CLASSES	(UET_MATCH_MASKS + 1)

#define UET_MATCH_BUCKETS	512U

/**
 * struct uet_match_source - where a message comes from
 * @addr: its address
 * @id: its endpoint there
 */
struct uet_match_source {
	u64	addr[2];
	u64	id;
};

/**
 * struct uet_match_key - what a receive wants
 * @tag: bits of the tag that matter
 * @from: the source; zero if it does not matter
 * @mask: which mask, or %UET_MATCH_UNTAGGED
 * @any: any source
 */
struct uet_match_key {
	u64			tag;
	struct uet_match_source	from;
	u16			mask;
	u16			any;
};

/**
 * struct uet_match_entry - a receive in the index
 * @node: in the chain; empty if it follows another one
 * @same: those that want the same, a ring from the oldest to the newest
 * @key: what it wants
 * @seq: order among all
 */
struct uet_match_entry {
	struct list_head	node;
	struct list_head	same;
	struct uet_match_key	key;
	u64			seq;
};

/**
 * struct uet_match - an index of receives
 * @hash: of a key; with a secret
 * @seq: of the next receive
 * @ignore: by mask: bits of the tag that do not matter; valid if @users
 * @users: by mask: receives that have it, also those not yet in the index
 * @nr: by mask: receives in the index, of one source and of any
 * @buckets: chains
 */
struct uet_match {
	u64			(*hash)(const struct uet_match *m,
					const struct uet_match_key *key);
	u64			seq;
	u64			ignore[UET_MATCH_CLASSES];
	u32			users[UET_MATCH_CLASSES];
	u32			nr[UET_MATCH_CLASSES][2];
	struct list_head	buckets[UET_MATCH_BUCKETS];
};

void uet_match_init(struct uet_match *m,
		    u64 (*hash)(const struct uet_match *m,
				const struct uet_match_key *key));
bool uet_match_hold(struct uet_match *m, struct uet_match_entry *e, bool tagged, u64 tag,
		    u64 ignore, const struct uet_match_source *from);
void uet_match_release(struct uet_match *m, struct uet_match_entry *e);
void uet_match_add(struct uet_match *m, struct uet_match_entry *e);
void uet_match_del(struct uet_match *m, struct uet_match_entry *e);
struct uet_match_entry *uet_match_find(const struct uet_match *m, bool tagged, u64 tag,
				       const struct uet_match_source *from);

#endif /* _UET_CORE_MATCH_H */
