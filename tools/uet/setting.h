/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Settings of the kernel's table: what "param" and "peer" share.
 */
#ifndef UET_SETTING_H
#define UET_SETTING_H

#include "cmd.h"

/**
 * struct setting - a setting
 * @name: its name
 * @unit: unit of its numbers
 * @kind: enum uet_nl_kind
 * @scope: enum uet_nl_setting_scope, bits
 */
struct setting {
	char name[40];
	char unit[40];
	uint32_t kind;
	uint32_t scope;
};

/**
 * struct setting_value - a value for it
 * @number: of a number, switch or size
 * @word: of a word, NULL for the others
 */
struct setting_value {
	int64_t number;
	const char *word;
};

int setting_find(struct tool *t, const char *word, uint32_t scope,
		 struct setting *set);
int setting_value(const struct setting *set, const char *text,
		  struct setting_value *value);

#endif
