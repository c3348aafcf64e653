// SPDX-License-Identifier: GPL-2.0
/* Why there is no module to talk to, as far as a user without privileges may know */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "nl.h"

static bool says(const char *path, const char *what)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	bool found = false;
	size_t size = 0;

	while (f && !found && getline(&line, &size, f) > 0)
		found = strstr(line, what);
	free(line);
	if (f)
		fclose(f);
	return found;
}

/* nl_no_module() - tell in a sentence what is wrong, and what to do */
void nl_no_module(void)
{
	char modules[32 + sizeof(struct utsname)];
	struct utsname host;

	if (uname(&host))
		*host.release = 0;
	snprintf(modules, sizeof(modules), "/lib/modules/%s/modules.dep", host.release);
	if (access(modules, R_OK))
		fprintf(stderr, "Error: this kernel has no UET: the module is not loaded on the host (modprobe uet).\n");
	else if (!says(modules, "/uet.ko"))
		fprintf(stderr, "Error: no module uet is installed for this kernel (%s, which has to be one of 64 bits from 6.1 to 7.3): \"apt-get install linux-headers-%s\" and \"dkms autoinstall\" build it.\n",
			host.release, host.release);
	else if (says("/sys/kernel/security/lockdown", "none "))	/* [none] is without */
		fprintf(stderr, "Error: the module uet is not loaded: \"modprobe uet\" does it, if it is signed by a key that Secure Boot knows (mokutil --import /var/lib/dkms/mok.pub).\n");
	else
		fprintf(stderr, "Error: the module uet is not loaded: \"modprobe uet\" does it, or says why not.\n");
}
