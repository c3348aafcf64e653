/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of values. The tables are in names.gen.c, made of the description of the
 * netlink family.
 */
#ifndef UET_NAMES_H
#define UET_NAMES_H

struct name {
	const char *name;
	const char *doc;
};

/**
 * struct names - names of an enum, by value; of flags, by number of the bit
 * @n: how many
 * @of: the names
 */
struct names {
	unsigned int n;
	const struct name *of;
};

const char *name_of(const struct names *names, unsigned int value);
const char *doc_of(const struct names *names, unsigned int value);

/* What reports and events name by number */
const char *name_of_ses_code(unsigned int code);
const char *name_of_nack_code(unsigned int code);

#endif
