// SPDX-License-Identifier: GPL-2.0
/*
 * The objects that the tool knows.
 */
#include <stddef.h>

#include "verbs.h"

const struct cmd objects[] = {
	{ .name = "fep", .verbs = verbs_fep, .help = "local fabric addresses" },
	{ .name = "pdc", .verbs = verbs_pdc, .help = "packet delivery contexts" },
	{ .name = "ccc", .verbs = verbs_ccc,
	  .help = "congestion control contexts" },
	{ .name = "path", .verbs = verbs_path, .help = "entropy values" },
	{ .name = "port", .verbs = verbs_port,
	  .help = "local interfaces towards peers" },
	{ .name = "sock", .verbs = verbs_sock, .help = "bound sockets" },
	{ .name = "dest", .verbs = verbs_dest,
	  .help = "what sockets send, by endpoint" },
	{ .name = "msg", .verbs = verbs_msg, .help = "messages that wait" },
	{ .name = "failure", .verbs = verbs_failure,
	  .help = "how messages to peers failed last" },
	{ .name = "peer", .verbs = verbs_peer,
	  .help = "settings of peers, by prefix" },
	{ .name = "param", .verbs = verbs_param,
	  .help = "settings of the network namespace" },
	{ .name = "stat", .run = stat_run, .ask = ASK_COUNTERS,
	  .usage = "[ show ] [ PREFIX ] [ -i SECONDS ] [ -n COUNT ] [ -o openmetrics ]",
	  .help = "counters" },
	{ .name = "monitor", .run = monitor_run, .ask = ASK_EVENTS,
	  .usage = "[ EVENT ]... [ peer ADDR[/LEN] ] [ -n COUNT ]",
	  .help = "events as they happen" },
	{ .name = "top", .run = top_run,
	  .usage = "[ -i SECONDS ] [ -n COUNT ]",
	  .help = "peers, their windows, rates and what they wait for" },
	{ .name = "ss", .run = ss_run, .args = args_ss,
	  .help = "sockets, their processes, what each waits for" },
	{ .name = "explain", .run = explain_run, .usage = "[ PEER ] [ -i SECONDS ]", .ask = ASK_PEERS,
	  .help = "why the bytes for a peer wait, or which peers are in trouble" },
	{ .name = "ping", .run = ping_run, .args = args_ping, .ask = ASK_PEERS,
	  .usage = "PEER [ -c COUNT ] [ -i SECONDS ] [ -W SECONDS ] [ -s SIZE[,SIZE]... ] [ -q ]",
	  .help = "whether a peer answers, by which paths, who is there" },
	{ 0 }
};
