/* SPDX-License-Identifier: GPL-2.0 */
/* Do not edit directly, tools/netlink/generate makes it of the YAML */

#ifndef UET_NAMES_GEN_H
#define UET_NAMES_GEN_H

#include "names.h"

extern const struct names names_mode;
extern const struct names names_half_state;
extern const struct names names_wait;
extern const struct names names_cc_state;
extern const struct names names_algo_mode;
extern const struct names names_path_state;
extern const struct names names_sock_type;
extern const struct names names_direction;
extern const struct names names_report_source;
extern const struct names names_kind;
extern const struct names names_setting_scope;
extern const struct names names_trait;
extern const struct names names_what;
extern const struct names names_ping_result;
extern const struct names names_a_ccc;

#endif
