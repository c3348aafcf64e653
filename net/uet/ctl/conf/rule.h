/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The settings in a rule for peers (struct uet_peer_params), by name.
 */
#ifndef _UET_RULE_H
#define _UET_RULE_H

#include <linux/types.h>

struct uet_peer_params;
struct uet_setting;

int uet_rule_set_number(struct uet_peer_params *p, const struct uet_setting *set,
			s64 value);
int uet_rule_set_name(struct uet_peer_params *p, const struct uet_setting *set,
		      const char *name);
void uet_rule_unset(struct uet_peer_params *p, const struct uet_setting *set);
bool uet_rule_number(const struct uet_peer_params *p,
		     const struct uet_setting *set, s64 *value);
const char *uet_rule_name(const struct uet_peer_params *p,
			  const struct uet_setting *set);
bool uet_rule_empty(const struct uet_peer_params *p);

#endif /* _UET_RULE_H */
