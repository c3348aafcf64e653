/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which socket reads the data of a peer or a PDC.
 */
#ifndef _UET_READER_H
#define _UET_READER_H

struct uet_sock;

/**
 * struct uet_reader - is one socket the only reader of a CCC or PDC?
 * @us: socket of the last data; only compared, never dereferenced
 * @seen: time of the last data, jiffies
 * @alone_at: from then on @us counts as the only reader, jiffies; see
 *	uet_reader_ahead()
 *
 * All PDCs of a peer write it without a lock: a lost update is wrong for one
 * packet only.
 */
struct uet_reader {
	const struct uet_sock	*us;
	u32			seen;
	u32			alone_at;
};

#endif /* _UET_READER_H */
