/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Set the settings of a namespace, and act on the changes.
 */
#ifndef _UET_PARAM_H
#define _UET_PARAM_H

#include <linux/types.h>

struct uet_net;
struct uet_setting;

void uet_param_defaults(struct uet_net *un);
void uet_param_limits(const struct uet_net *un, const struct uet_setting *set,
		      s64 *min, s64 *max);
void uet_param_narrow(const struct uet_setting *set, s64 *min, s64 *max);
int uet_param_set(struct uet_net *un, const struct uet_setting *set, s64 value);
const char *uet_param_name(const struct uet_net *un,
			   const struct uet_setting *set);
int uet_param_set_name(struct uet_net *un, const struct uet_setting *set,
		       const char *name);

#endif /* _UET_PARAM_H */
