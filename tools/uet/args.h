/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Words after a verb: keywords with values, which may be abbreviated.
 */
#ifndef UET_ARGS_H
#define UET_ARGS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

struct names;
struct nlmsghdr;

enum arg_kind {
	ARG_PREFIX,	/* address or prefix */
	ARG_ADDR,
	ARG_U16,
	ARG_U32,
	ARG_PID,	/* PIDonFEP */
	ARG_LIMIT,	/* number of messages */
	ARG_U64,
	ARG_NAME,	/* one of names */
	ARG_DEV,	/* interface */
	ARG_FLAG,	/* no value */
};

/**
 * struct arg - a keyword
 * @word: the keyword
 * @kind: its value
 * @attr: attribute of the filter, 0 = none; the length of a prefix follows it
 * @names: of ARG_NAME
 * @help: what it is for
 *
 * Tables end with an arg without a word. The first one may go without its keyword,
 * if it is a prefix.
 */
struct arg {
	const char *word;
	enum arg_kind kind;
	uint16_t attr;
	const struct names *names;
	const char *help;
};

#define ARGS_MAX	20

/**
 * struct args - what was given, by index in the table
 */
struct args {
	const struct arg *table;
	struct given {
		bool is;
		struct in6_addr addr;
		uint8_t plen;
		uint64_t num;
	} v[ARGS_MAX];
};

bool abbreviates(const char *word, const char *full);
int args_parse(struct args *args, const struct arg *table, int argc,
	       char **argv);
const struct given *args_get(const struct args *args, const char *word);
void args_put(const struct args *args, struct nlmsghdr *req, uint16_t nest);
const char *arg_value_name(const struct arg *arg);
int usage_error(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

#endif
