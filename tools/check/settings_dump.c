// SPDX-License-Identifier: GPL-2.0
/* Prints the table of settings (net/uet/settings.c), a line each, tabs between. */
#include <stdio.h>

#include "../../net/uet/settings.h"

int main(void)
{
	const struct uet_setting *set;
	unsigned int i;
	s64 min, max;

	for (i = 0; (set = uet_setting_at(i)); i++) {
		uet_setting_limits(set, &min, &max);
		printf("%s\t%d\t%u\t%u\t%s\t%lld\t%lld\t", set->name, set->kind,
		       set->scope, set->flags, set->unit, (long long)min,
		       (long long)max);
		if (set->word)
			printf("%s\t", set->word);
		else
			printf("%lld\t", (long long)set->value);
		if (set->has_spec && set->spec_word)
			printf("%s", set->spec_word);
		else if (set->has_spec)
			printf("%lld", (long long)set->spec);
		printf("\t%lld\t%s\n", (long long)set->floor, set->help);
	}
	return 0;
}
