/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Settings of senders (snd.h), which the table of settings fills.
 */
#ifndef _UET_CORE_SND_RULES_H
#define _UET_CORE_SND_RULES_H

#include "../env.h"

/**
 * struct uet_snd_rules - settings of senders; they may change at any time
 * @rto_min_us: least retransmission timeout, us
 * @rto_max_ms: largest one of a silent peer, ms
 * @max_rto_retx: timeouts in a row after which a peer may count as gone
 * @peer_timeout_s: silence after which it may, s
 * @max_nack_retx: NACKs of the error class in a row after which a PDC fails
 * @nack_retx_us: first pause after a NACK for shortage, us
 * @clear_time_us: how long CLEAR_CMD may wait for a request, us
 * @pdc_idle_s: when an unused PDC is closed, s
 * @ack_request_all: ask for an ACK wherever congestion control wants one
 * @ack_gen_min_pkt_add: a packet counts as at least so many bytes at the target
 */
struct uet_snd_rules {
	u32 rto_min_us;
	u32 rto_max_ms;
	u32 max_rto_retx;
	u32 peer_timeout_s;
	u32 max_nack_retx;
	u32 nack_retx_us;
	u32 clear_time_us;
	u32 pdc_idle_s;
	u32 ack_request_all;
	u32 ack_gen_min_pkt_add;
};

#endif /* _UET_CORE_SND_RULES_H */
