/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets that a switch trimmed (UE 1.0 3.6.12).
 */
#ifndef _UET_TRIM_H
#define _UET_TRIM_H

struct uet_net;

int uet_trim_enable(struct uet_net *un);
void uet_trim_disable(struct uet_net *un);

#endif /* _UET_TRIM_H */
