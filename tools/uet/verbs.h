/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The commands of each object, for the table of objects.
 */
#ifndef UET_VERBS_H
#define UET_VERBS_H

#include "cmd.h"

extern const struct cmd verbs_fep[], verbs_pdc[], verbs_ccc[], verbs_path[],
	verbs_port[], verbs_sock[], verbs_dest[], verbs_msg[], verbs_peer[],
	verbs_param[], verbs_failure[];
extern const struct arg args_ss[], args_ping[];

int stat_run(struct tool *t, const struct cmd *cmd, int argc, char **argv);
int monitor_run(struct tool *t, const struct cmd *cmd, int argc, char **argv);
int top_run(struct tool *t, const struct cmd *cmd, int argc, char **argv);
int ss_run(struct tool *t, const struct cmd *cmd, int argc, char **argv);
int ping_run(struct tool *t, const struct cmd *cmd, int argc, char **argv);
int explain_run(struct tool *t, const struct cmd *cmd, int argc, char **argv);

#endif
