// SPDX-License-Identifier: GPL-2.0
/*
 * Output that the kinds of "ping" share.
 */
#include <linux/uet_netlink.h>
#include <net/if.h>

#include "names.gen.h"
#include "ping.h"
#include "units.h"

/**
 * way_out() - begin the output: how probes are sent
 */
void way_out(struct pinger *p)
{
	const struct ping_way *w = &p->way;
	struct out *o = &p->t->out;
	char local[ADDR_TEXT], dev[IF_NAMESIZE] = "?";

	addr_text(&w->local, local, sizeof(local));
	if_indextoname(w->dev, dev);
	if (!o->opts->json) {
		fprintf(o->to, "PING %s from %s dev %s, UDP port %u, MTU %u, payload MTU %u\n",
			p->conf->name, local, dev, w->udp_port, w->mtu,
			w->payload_mtu);
		return;
	}
	out_str(o, "peer", p->conf->name, 0);
	out_str(o, "local", local, 0);
	out_str(o, "dev", dev, 0);
	out_num(o, "udp_port", K_NUM, w->udp_port, 0);
	out_num(o, "mtu", K_NUM, w->mtu, 0);
	out_num(o, "payload_mtu", K_NUM, w->payload_mtu, 0);
}

/**
 * host_out() - what the peer said of itself, or of an endpoint
 */
void host_out(struct pinger *p, const struct probe *host)
{
	struct out *o = &p->t->out;
	bool answered = !host->error && !host->waits &&
			host->result == UET_PING_RESULT_ANSWERED;

	if (o->opts->json) {
		out_object(o, "host");
		out_str(o, "result", host->error ? "error" :
			name_of(&names_ping_result, host->result), 0);
		if (host->version >= 0)
			out_num(o, "ses_version", K_NUM, host->version, 0);
		if (host->window)
			out_num(o, "window", K_NUM, host->window, 0);
		out_object_end(o);
		return;
	}
	if (!answered) {
		fprintf(o->to, "host: %s\n", probe_text(host));
		return;
	}
	fputs("host: UET 1", o->to);
	if (host->version > 0)
		fprintf(o->to, ", SES version %d, which is not known here",
			host->version);
	if (host->window)
		fprintf(o->to, ", receive window %u packets", host->window);
	fputc('\n', o->to);
}

/**
 * sum_out() - least, median and largest round trip
 */
void sum_out(struct out *o, struct rtts *r)
{
	char min[UNIT_TEXT], median[UNIT_TEXT], max[UNIT_TEXT];
	struct rtt_sum sum;

	if (!rtts_sum(r, &sum))
		return;
	if (o->opts->json) {
		out_object(o, "rtt_ns");
		out_num(o, "min", K_NS, sum.min, 0);
		out_num(o, "median", K_NS, sum.median, 0);
		out_num(o, "max", K_NS, sum.max, 0);
		out_object_end(o);
		return;
	}
	ns_text(sum.min, min, sizeof(min));
	ns_text(sum.median, median, sizeof(median));
	ns_text(sum.max, max, sizeof(max));
	fprintf(o->to, "rtt min/median/max = %s/%s/%s\n", min, median, max);
}
