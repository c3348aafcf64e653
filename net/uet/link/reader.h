/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who reads what a peer or a PDC brings.
 */
#ifndef _UET_READER_H
#define _UET_READER_H

struct uet_sock;

/**
 * struct uet_reader - is one socket the only one behind a context or PDC?
 * @us: the socket data came for last; names it, is never followed
 * @seen: when that was, jiffies
 * @alone_at: jiffies from when it counts as the only one
 *
 * Written without a lock by all PDCs of a peer: a lost update costs a packet's
 * worth of wrong opinion.
 */
struct uet_reader {
	const struct uet_sock	*us;
	unsigned long		seen;
	unsigned long		alone_at;
};

#endif /* _UET_READER_H */
