// SPDX-License-Identifier: GPL-2.0
/*
 * Probes of paths and endpoints; see ping.h.
 */
#include "hdr_build.h"
#include "ping.h"

unsigned int uet_ping_build(void *buf, const struct uet_ping_ask *ask,
			    bool again)
{
	struct uet_pkt pkt = {
		.type		= UET_PDS_RUD_REQ,
		.next_hdr	= UET_NH_REQ_STD,
		.flags		= UET_F_AR | (again ? UET_F_RETX : 0) |
				  (ask->endpoint ? UET_F_SYN : 0),
		.spdcid		= ask->spdcid,
		.req = {
			.psn		= ask->psn,
			.clear_psn	= ask->psn - 1,
			.start_psn	= ask->psn,
		},
		.ses = {
			.opcode		= UET_SES_OP_NO_OP,
			.flags		= UET_SES_F_REL | UET_SES_F_SOM |
					  UET_SES_F_EOM,
			.job		= ask->job,
			.pid		= ask->pid,
			.ri		= ask->ri,
			.msg_id		= 1,
			.request_length	= ask->size,
		},
	};
	unsigned int len = uet_build_req(buf, &pkt);

	return len + uet_build_ses_std((u8 *)buf + len, &pkt.ses);
}

unsigned int uet_ping_build_close(void *buf, const struct uet_ping_ask *ask,
				  bool again)
{
	struct uet_pkt pkt = {
		.type		= UET_PDS_CP,
		.ctl_type	= UET_CTL_CLOSE_CMD,
		.flags		= UET_F_AR | (again ? UET_F_RETX : 0),
		.spdcid		= ask->spdcid,
		.dpdcid		= ask->remote,
		.cp		= { .psn = ask->psn + 1 },
	};

	return uet_build_cp(buf, &pkt);
}

static enum uet_ping_verdict ping_judge_nack(const struct uet_ping_ask *ask,
					     const struct uet_pkt *pkt,
					     struct uet_ping_answer *answer)
{
	/* A PDC that is not known any more is closed as well. */
	if (ask->remote)
		return pkt->nack.psn == ask->psn + 1 ? UET_PING_CLOSED :
						       UET_PING_FOREIGN;
	if (pkt->flags & UET_F_NT_RUDI || pkt->nack.psn != ask->psn)
		return UET_PING_FOREIGN;
	*answer = (struct uet_ping_answer){
		.nack	= pkt->nack.code,
		.remote	= pkt->spdcid,
		.marked	= pkt->flags & UET_F_ECN,
	};
	return UET_PING_ANSWERED;
}

static enum uet_ping_verdict ping_judge_ack(const struct uet_ping_ask *ask,
					    const struct uet_pkt *pkt,
					    struct uet_ping_answer *answer)
{
	const struct uet_ack *ack = &pkt->ack;

	if (!ask->endpoint || !pkt->spdcid || pkt->flags & UET_F_PROBE)
		return UET_PING_FOREIGN;
	if (ask->remote)
		return pkt->spdcid == ask->remote &&
		       (ack->ack_psn == ask->psn + 1 ||
			ack->cack_psn == ask->psn + 1) ?
		       UET_PING_CLOSED : UET_PING_FOREIGN;
	if (ack->ack_psn != ask->psn && ack->cack_psn != ask->psn)
		return UET_PING_FOREIGN;
	*answer = (struct uet_ping_answer){
		.remote	= pkt->spdcid,
		.marked	= pkt->flags & UET_F_ECN,
		.mpr	= pkt->type == UET_PDS_ACK ? 0 : ack->mpr,
	};
	/* The response is that of ACK_PSN. */
	if (pkt->next_hdr != UET_NH_RSP || ack->ack_psn != ask->psn)
		return UET_PING_ANSWERED;
	answer->rc = pkt->rsp.code;
	if (answer->rc == UET_RC_BAD_GENERATION)
		answer->generation = pkt->rsp.generation;
	return UET_PING_ANSWERED;
}

enum uet_ping_verdict uet_ping_judge(const struct uet_ping_ask *ask,
				     const struct uet_pkt *pkt,
				     struct uet_ping_answer *answer)
{
	if (pkt->dpdcid != ask->spdcid)
		return UET_PING_FOREIGN;
	if (uet_pkt_is_nack(pkt))
		return ping_judge_nack(ask, pkt, answer);
	if (uet_pkt_is_ack(pkt))
		return ping_judge_ack(ask, pkt, answer);
	return UET_PING_FOREIGN;
}
