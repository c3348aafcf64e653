/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recycling of the pages that a socket writes its messages in.
 */
#ifndef _UET_TXPAGE_H
#define _UET_TXPAGE_H

#include <linux/types.h>

struct page_frag;
struct uet_sock;
struct uet_txpages;

void uet_txpages_init(struct uet_txpages *tp);
bool uet_txpages_refill(struct uet_txpages *tp, struct page_frag *pf, u32 least);
void uet_txpages_idle(struct uet_sock *us);
void uet_txpages_free(struct uet_sock *us);

#endif /* _UET_TXPAGE_H */
