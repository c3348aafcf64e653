/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Objects and verbs: which words there are, and what they do.
 */
#ifndef UET_CMD_H
#define UET_CMD_H

#include "args.h"
#include "nl.h"
#include "opts.h"
#include "out.h"

struct field;

/**
 * struct tool - what every command works with
 * @opts: options
 * @nl: socket to the family
 * @out: standard output
 */
struct tool {
	struct opts opts;
	struct nl nl;
	struct out out;
};

/* What completion asks the kernel for */
enum ask {
	ASK_NOTHING,
	ASK_PARAMS,
	ASK_PEER_PARAMS,
	ASK_COUNTERS,
	ASK_PEERS,
	ASK_RULES,
	ASK_EVENTS,
};

/**
 * struct cmd - an object or a verb
 * @name: the word
 * @run: does it, with the words that follow; NULL if it has verbs
 * @verbs: verbs of an object, the first one is the usual one
 * @args: keywords
 * @usage: other words that follow
 * @help: one line
 * @ask: what names may follow
 * @object: object of the netlink family
 *
 * Tables end with a command without a name.
 */
struct cmd {
	const char *name;
	int (*run)(struct tool *t, const struct cmd *cmd, int argc, char **argv);
	const struct cmd *verbs;
	const struct arg *args;
	const char *usage;
	const char *help;
	enum ask ask;
	const struct object *object;
};

/**
 * struct object - an object of the netlink family
 * @cmd: UET_CMD_*_GET
 * @filter: its attribute for the filter
 * @fields: fields
 */
struct object {
	uint8_t cmd;
	uint16_t filter;
	const struct field *fields;
};

extern const struct cmd objects[];

int cmd_run(struct tool *t, int argc, char **argv);
int cmd_find(const struct cmd *table, const char *word, const struct cmd **cmd);
void cmd_help(FILE *to, const struct cmd *const *above, int n,
	      const struct cmd *cmd);

/* show.c */
int show_run(struct tool *t, const struct cmd *cmd, int argc, char **argv);
int show_dump(struct tool *t, const struct object *obj, const struct args *args,
	      nl_object_fn fn, void *arg);
int kernel_status(int err);

extern const struct object object_fep, object_pdc, object_ccc, object_path,
	object_port, object_sock, object_dest, object_msg, object_failure;

#endif
