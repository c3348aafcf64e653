/* SPDX-License-Identifier: GPL-2.0 */
/*
 * TFC at the source (UE 1.0 3.6.15): state of a CCC.
 */
#ifndef _UET_CORE_CC_TFC_H
#define _UET_CORE_CC_TFC_H

#include "ccc.h"

/**
 * struct uet_tfc_cc - cells of one CCC at the source
 * @credit: cells that may be used, negative after a packet beyond them
 * @granted: cumulative grant, cells, 24 bits
 * @full: cells of a packet of one MTU
 * @begun: cells were used or granted
 */
struct uet_tfc_cc {
	s64 credit;
	u32 granted;
	u32 full;
	bool begun;
};

static inline struct uet_tfc_cc *uet_tfc_cc(struct uet_ccc *c)
{
	return (struct uet_tfc_cc *)c->credit_priv;
}

static inline const struct uet_tfc_cc *uet_tfc_cc_const(const struct uet_ccc *c)
{
	return (const struct uet_tfc_cc *)c->credit_priv;
}

#endif /* _UET_CORE_CC_TFC_H */
