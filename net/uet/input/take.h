/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Taking UET packets ahead of UDP.
 */
#ifndef _UET_TAKE_H
#define _UET_TAKE_H

struct uet_net;

void uet_take_enable(struct uet_net *un);
void uet_take_disable(struct uet_net *un);

#endif /* _UET_TAKE_H */
