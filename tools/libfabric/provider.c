// SPDX-License-Identifier: GPL-2.0
/* What libfabric finds when it loads the provider */
#include "uet_fi.h"

static void uet_cleanup(void)
{
}

struct fi_provider uet_provider = {
	.name		= "uet",
	.version	= FI_VERSION(0, 1),
	/* libfabric refuses it to programs that ask for more. */
	.fi_version	= FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION),
	.getinfo	= uet_getinfo,
	.fabric		= uet_fabric_open,
	.cleanup	= uet_cleanup,
};

/* The name that libfabric looks for */
__attribute__((visibility("default"))) struct fi_provider *fi_prov_ini(void);

struct fi_provider *fi_prov_ini(void)
{
	return &uet_provider;
}
