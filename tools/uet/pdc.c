// SPDX-License-Identifier: GPL-2.0
/*
 * Object "pdc": packet delivery contexts and their two halves.
 */
#include <linux/uet_netlink.h>

#include "field.h"
#include "names.gen.h"
#include "verbs.h"

static const struct field tx[] = {
	{ "state", UET_A_TX_STATE, K_ENUM, F_BARE, &names_half_state },
	{ "ccc", UET_A_TX_CCC, K_NUM },
	{ "msgs", UET_A_TX_MSGS, K_NUM },
	{ "wait", UET_A_TX_WAIT, K_ENUM, 0, &names_wait },
	{ "wait_ns", UET_A_TX_WAIT_NS, K_NS, F_NONZERO },
	{ "held", UET_A_TX_HELD, K_NUM, F_NONZERO },
	{ "error", UET_A_TX_ERROR, K_ERRNO, F_NONZERO },
	{ "timeouts", UET_A_TX_TIMEOUTS, K_NUM, F_NONZERO },
	{ "heard_ns", UET_A_TX_HEARD_NS, K_NS },
	{ "dests", UET_A_TX_DESTS, K_NUM, F_DETAILS },
	{ "una", UET_A_TX_UNA, K_NUM, F_DETAILS },
	{ "next", UET_A_TX_NEXT, K_NUM, F_DETAILS },
	{ "mpr", UET_A_TX_MPR, K_NUM, F_DETAILS },
	{ "rto", UET_A_TX_RTO, K_NS, F_DETAILS },
	{ 0 }
};

static const struct field rx[] = {
	{ "state", UET_A_RX_STATE, K_ENUM, F_BARE, &names_half_state },
	{ "msgs", UET_A_RX_MSGS, K_NUM },
	{ "refused", UET_A_RX_REFUSED, K_FLAG },
	{ "unconfirmed", UET_A_RX_UNCONFIRMED, K_FLAG },
	{ "heard_ns", UET_A_RX_HEARD_NS, K_NS },
	{ "cack", UET_A_RX_CACK, K_NUM, F_DETAILS },
	{ "top", UET_A_RX_TOP, K_NUM, F_DETAILS },
	{ "mpr", UET_A_RX_MPR, K_NUM, F_DETAILS },
	{ "rcvd_bytes", UET_A_RX_RCVD_BYTES, K_BYTES, F_STATS },
	{ 0 }
};

static const struct field fields[] = {
	{ "local", UET_A_PDC_LOCAL, K_ADDR, F_BARE },
	{ "id", UET_A_PDC_ID, K_NUM },
	{ "remote", UET_A_PDC_REMOTE, K_ADDR },
	{ "remote_id", UET_A_PDC_REMOTE_ID, K_NUM },
	{ "mode", UET_A_PDC_MODE, K_ENUM, 0, &names_mode },
	{ "job", UET_A_PDC_JOB, K_NUM },
	{ "tclass", UET_A_PDC_TCLASS, K_NUM, F_DETAILS },
	{ "initiator", UET_A_PDC_INITIATOR, K_FLAG },
	{ "tx", UET_A_PDC_TX, K_NEST, .nest = tx },
	{ "rx", UET_A_PDC_RX, K_NEST, .nest = rx },
	{ 0 }
};

static const struct arg args[] = {
	{ "peer", ARG_PREFIX, UET_A_FILTER_REMOTE, NULL, "with these peers" },
	{ "local", ARG_ADDR, UET_A_FILTER_LOCAL, NULL, "of this local address" },
	{ "id", ARG_U16, UET_A_FILTER_ID, NULL, "local PDCID" },
	{ "job", ARG_U32, UET_A_FILTER_JOB, NULL, "job of the first message" },
	{ "state", ARG_NAME, UET_A_FILTER_STATE, &names_half_state,
	  "one half is" },
	{ "ccc", ARG_U64, UET_A_FILTER_CCC, NULL, "of this context" },
	{ "waiting", ARG_FLAG, UET_A_FILTER_WAITING, NULL, "data waits" },
	{ 0 }
};

const struct object object_pdc = {
	UET_CMD_PDC_GET, UET_A_PDC_FILTER, fields,
};

const struct cmd verbs_pdc[] = {
	{ .name = "show", .run = show_run, .object = &object_pdc, .args = args,
	  .ask = ASK_PEERS, .help = "list PDCs with both halves" },
	{ 0 }
};
