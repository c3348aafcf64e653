// SPDX-License-Identifier: GPL-2.0
/* Receives by what they want. See match.h. */
#include "match.h"

/**
 * uet_match_init() - an empty index
 * @m: index
 * @hash: of a key; with a secret
 */
void uet_match_init(struct uet_match *m,
		    u64 (*hash)(const struct uet_match *m,
				const struct uet_match_key *key))
{
	u32 i;

	memset(m, 0, sizeof(*m));
	m->hash = hash;
	for (i = 0; i < UET_MATCH_BUCKETS; i++)
		INIT_LIST_HEAD(&m->buckets[i]);
}

/* A mask that has users, or a free one; UET_MATCH_UNTAGGED if there is none */
static u32 uet_match_mask(const struct uet_match *m, u64 ignore)
{
	u32 i, unused = UET_MATCH_UNTAGGED;

	for (i = 0; i < UET_MATCH_MASKS; i++) {
		if (!m->users[i])
			unused = i;
		else if (m->ignore[i] == ignore)
			return i;
	}
	return unused;
}

/**
 * uet_match_hold() - a receive that will be in the index
 * @m: index
 * @e: the receive
 * @tagged: it wants a tag
 * @tag: which one
 * @ignore: bits of it that do not matter
 * @from: which source, NULL: any
 *
 * For uet_match_add() or uet_match_release().
 *
 * Return: false if there are too many masks.
 */
bool uet_match_hold(struct uet_match *m, struct uet_match_entry *e, bool tagged, u64 tag,
		    u64 ignore, const struct uet_match_source *from)
{
	u32 mask = tagged ? uet_match_mask(m, ignore) : UET_MATCH_UNTAGGED;

	if (tagged && mask == UET_MATCH_UNTAGGED)
		return false;
	m->ignore[mask] = tagged ? ignore : ~0ULL;
	m->users[mask]++;
	INIT_LIST_HEAD(&e->node);
	INIT_LIST_HEAD(&e->same);
	e->key = (struct uet_match_key){
		.tag = tag & ~m->ignore[mask], .mask = mask, .any = !from,
	};
	if (from)
		e->key.from = *from;
	return true;
}

/**
 * uet_match_release() - a receive will not be in the index any more
 * @m: index
 * @e: the receive, of uet_match_hold(), not in the index
 */
void uet_match_release(struct uet_match *m, struct uet_match_entry *e)
{
	m->users[e->key.mask]--;
}

static bool uet_match_same(const struct uet_match_key *a, const struct uet_match_key *b)
{
	return a->tag == b->tag && a->mask == b->mask && a->any == b->any &&
	       a->from.addr[0] == b->from.addr[0] && a->from.addr[1] == b->from.addr[1] &&
	       a->from.id == b->from.id;
}

static const struct list_head *uet_match_bucket(const struct uet_match *m,
						const struct uet_match_key *key)
{
	return &m->buckets[m->hash(m, key) % UET_MATCH_BUCKETS];
}

/* The oldest receive with a key */
static struct uet_match_entry *uet_match_look(const struct list_head *bucket,
					      const struct uet_match_key *key)
{
	struct uet_match_entry *e;

	list_for_each_entry(e, bucket, node)
		if (uet_match_same(&e->key, key))
			return e;
	return NULL;
}

/**
 * uet_match_add() - messages may match a receive from now on
 * @m: index
 * @e: the receive, of uet_match_hold()
 */
void uet_match_add(struct uet_match *m, struct uet_match_entry *e)
{
	struct list_head *bucket = (struct list_head *)uet_match_bucket(m, &e->key);
	struct uet_match_entry *first = uet_match_look(bucket, &e->key);

	e->seq = m->seq++;
	m->nr[e->key.mask][e->key.any]++;
	if (first)
		list_add_tail(&e->same, &first->same);
	else
		list_add_tail(&e->node, bucket);
}

/**
 * uet_match_del() - no message may match a receive any more
 * @m: index
 * @e: the receive, in the index
 */
void uet_match_del(struct uet_match *m, struct uet_match_entry *e)
{
	struct uet_match_entry *next = list_next_entry(e, same);

	if (!list_empty(&e->node)) {
		if (next != e)
			list_add(&next->node, &e->node);
		list_del_init(&e->node);
	}
	list_del_init(&e->same);
	m->nr[e->key.mask][e->key.any]--;
	uet_match_release(m, e);
}

/**
 * uet_match_find() - the receive that a message goes to
 * @m: index
 * @tagged: the message has a tag
 * @tag: the tag
 * @from: its source
 *
 * Return: the oldest that wants it, or NULL.
 */
struct uet_match_entry *uet_match_find(const struct uet_match *m, bool tagged, u64 tag,
				       const struct uet_match_source *from)
{
	u32 mask = tagged ? 0 : UET_MATCH_UNTAGGED;
	u32 end = tagged ? UET_MATCH_MASKS : UET_MATCH_CLASSES;
	struct uet_match_entry *found = NULL, *e;
	struct uet_match_key key;

	for (; mask < end; mask++) {
		for (key.any = 0; key.any < 2; key.any++) {
			if (!m->nr[mask][key.any])
				continue;
			key.mask = mask;
			key.tag = tag & ~m->ignore[mask];
			key.from = key.any ? (struct uet_match_source){} : *from;
			e = uet_match_look(uet_match_bucket(m, &key), &key);
			if (e && (!found || e->seq < found->seq))
				found = e;
		}
	}
	return found;
}
