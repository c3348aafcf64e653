// SPDX-License-Identifier: GPL-2.0
/* Do not edit directly, tools/netlink/generate makes it of the YAML */

#include "names.gen.h"

const struct names names_mode = {
	.n	= 5,
	.of	= (const struct name[]){
		{ "default", "by the type of the socket" },
		{ "rud", "reliable, unordered" },
		{ "rod", "reliable, ordered" },
		{ "rudi", "reliable, for idempotent operations" },
		{ "uud", "unreliable" },
	},
};

const struct names names_half_state = {
	.n	= 6,
	.of	= (const struct name[]){
		{ "syn", "the peer has not answered yet" },
		{ "established", "open" },
		{ "quiesce", "takes no new message" },
		{ "closing", "a close is under way" },
		{ "time-wait", "closed, kept for late packets" },
		{ "dead", "failed or closed, about to go" },
	},
};

const struct names names_wait = {
	.n	= 15,
	.of	= (const struct name[]){
		{ "nothing", "no data waits" },
		{ "window", "the congestion window" },
		{ "credit", "credit of the receiver" },
		{ "receive-window", "the receive window of the PDC, in packets (MP_RANGE)" },
		{ "receiver", "the receiver has no memory for it; the target's reader is slow" },
		{ "route", "there is no route, or the next hop does not answer" },
		{ "port", "the local interface" },
		{ "opening", "the first answer of the peer" },
		{ "answer", "acknowledgments, all is sent" },
		{ "line", "an earlier message of the same ordered PDC" },
		{ "moving", "its PDC died, and its messages move to another one" },
		{ "writer", "the program that still writes the message" },
		{ "turn", "its turn among the senders to this peer" },
		{ "reader", "received; the program that shall read it" },
		{ "rest", "partly received; the packets that are missing" },
	},
};

const struct names names_cc_state = {
	.n	= 4,
	.of	= (const struct name[]){
		{ "idle", "nothing to send, nothing outstanding" },
		{ "active", "data waits and may not be sent" },
		{ "ready", "data waits and may be sent" },
		{ "pending", "all is sent, acknowledgments are outstanding" },
	},
};

const struct names names_algo_mode = {
	.n	= 5,
	.of	= (const struct name[]){
		{ "fast", "fast increase" },
		{ "draining", "packets from before quick adapt drain" },
		{ "penalty", "the receiver slows this host down" },
		{ "speculating", "sends ahead of the first credit" },
		{ "credit", "receiver credit is in use" },
	},
};

const struct names names_path_state = {
	.n	= 5,
	.of	= (const struct name[]){
		{ "good", "in use" },
		{ "bad", "avoided, since packets with it were lost or marked" },
		{ "down", "its interface has no carrier" },
		{ "current", "the value in use of a context that uses one at a time" },
		{ "gone", "given up and replaced" },
	},
};

const struct names names_sock_type = {
	.n	= 3,
	.of	= (const struct name[]){
		{ "rdm", "SOCK_RDM" },
		{ "seqpacket", "SOCK_SEQPACKET" },
		{ "dgram", "SOCK_DGRAM" },
	},
};

const struct names names_direction = {
	.n	= 2,
	.of	= (const struct name[]){
		{ "out", "sent by the local socket" },
		{ "in", "received by it" },
	},
};

const struct names names_report_source = {
	.n	= 4,
	.of	= (const struct name[]){
		{ "local", "this host" },
		{ "ses", "the target, by an SES return code" },
		{ "nack", "the peer, by a NACK" },
		{ "icmp", "a router or the peer, by ICMP; type << 8 | code" },
	},
};

const struct names names_kind = {
	.n	= 4,
	.of	= (const struct name[]){
		{ "number", "a whole number" },
		{ "boolean", "0 or 1" },
		{ "size", "bytes" },
		{ "word", "one of a list of names" },
	},
};

const struct names names_setting_scope = {
	.n	= 3,
	.of	= (const struct name[]){
		{ "net", "the namespace (net.uet.*)" },
		{ "peer", "the peers with a prefix" },
		{ "sock", "a socket, by an option" },
	},
};

const struct names names_trait = {
	.n	= 6,
	.of	= (const struct name[]){
		{ "live", "a change applies to what exists already" },
		{ "auto", "its default value means that the module computes it" },
		{ "power-of-2", "only powers of two are valid" },
		{ "or-zero", "0 is valid, too" },
		{ "machine", "the default depends on the memory of the machine" },
		{ "capped", "in other user namespaces than the first, so does the largest value" },
	},
};

const struct names names_what = {
	.n	= 16,
	.of	= (const struct name[]){
		{ "pdc-opened", "this host opened a PDC" },
		{ "pdc-accepted", "the peer opened a PDC" },
		{ "pdc-returned", "this host begins to send on a PDC that the peer opened" },
		{ "pdc-closed", "a PDC was closed" },
		{ "pdc-failed", "a PDC failed, for the reason in error, source and code" },
		{ "path-bad", "an entropy value is no longer used" },
		{ "path-good", "an entropy value is used again" },
		{ "path-moved", "a context that uses one path at a time took another one" },
		{ "port-up", "a local interface has a carrier again" },
		{ "port-down", "a local interface lost its carrier" },
		{ "peer-reset", "the peer knows an open PDC no longer, mostly since it started anew; once a second at most" },
		{ "pressure", "a socket has no room for what its peers send; once a second at most" },
		{ "limit", "a limit was reached; the name of the setting is in name, or pdcids: those of an address" },
		{ "param-changed", "a setting of the namespace has another value" },
		{ "rule-changed", "the settings of a prefix of peers were changed" },
		{ "rule-deleted", "the settings of a prefix of peers were deleted" },
	},
};

const struct names names_ping_result = {
	.n	= 8,
	.of	= (const struct name[]){
		{ "answered", "the peer answered" },
		{ "lost", "nothing came back in time" },
		{ "refused", "the port is closed; nobody uses UET there" },
		{ "hop", "a hop where its TTL ended answered" },
		{ "too-big", "it exceeds the MTU of a link on its way" },
		{ "unreachable", "a hop, or this host, could not forward it" },
		{ "filtered", "a hop was not allowed to forward it" },
		{ "busy", "the peer answered, but has no room for a PDC now" },
	},
};

const struct names names_a_ccc = {
	.n	= 69,
	.of	= (const struct name[]){
		{ "unspec", "" },
		{ "pad", "" },
		{ "id", "its id in this namespace, never reused" },
		{ "local", "" },
		{ "remote", "" },
		{ "tclass", "DSCP of requests" },
		{ "sprayed", "the packets take all paths" },
		{ "cc", "congestion control" },
		{ "path-policy", "" },
		{ "state", "" },
		{ "cc-mode", "" },
		{ "wait", "what its data waits for now" },
		{ "wait-ns", "how long it has waited for that" },
		{ "rtt", "smoothed round trip" },
		{ "rtt-var", "" },
		{ "base-rtt", "round trip without queues" },
		{ "base-guessed", "the base round trip is a guess so far" },
		{ "target-qdelay", "queueing delay that is aimed at" },
		{ "delay-avg", "average queueing delay" },
		{ "cwnd", "congestion window" },
		{ "max-wnd", "largest congestion window" },
		{ "saved-cwnd", "window before the penalty of the receiver" },
		{ "inflight", "sent and not acknowledged" },
		{ "inflight-pkts", "" },
		{ "backlog", "bytes not sent yet" },
		{ "rtx-backlog", "bytes to be sent again" },
		{ "mtu", "largest nominal packet" },
		{ "path-mtu", "IP MTU that packets are sized for" },
		{ "path-mtu-steps", "times it was lowered because large packets were lost" },
		{ "link-mbps", "rate that the window is sized for" },
		{ "credit", "credit left, negative if overdrawn" },
		{ "credit-reqs", "requests since credit last came" },
		{ "paths", "entropy values in use" },
		{ "paths-bad", "entropy values avoided" },
		{ "paths-gone", "values that lost a packet and were given up within the last minute" },
		{ "ports", "local interfaces towards the peer" },
		{ "ports-down", "local interfaces towards the peer without a carrier" },
		{ "sent-pkts", "packets sent, with retransmissions" },
		{ "sent-bytes", "bytes sent, with headers and retransmissions" },
		{ "acks", "acknowledgments that came" },
		{ "marks", "acknowledgments with an ECN mark" },
		{ "trims", "packets that switches trimmed" },
		{ "trims-lasthop", "packets trimmed by the last switch" },
		{ "nacks-shortage", "packets that the peer refused for lack of memory" },
		{ "nacks-other", "packets that the peer refused for other reasons" },
		{ "retransmits", "packets sent again" },
		{ "needless", "of these, those of packets that had arrived" },
		{ "losses-sack", "packets taken for lost by selective acknowledgments" },
		{ "losses-ooo", "packets taken for lost by the receiver's count out of order" },
		{ "losses-probe", "packets taken for lost by a tail probe" },
		{ "losses-rto", "packets taken for lost by timeout" },
		{ "losses-rcvr", "packets that the receiver took for lost" },
		{ "losses-go-back", "packets sent again behind a gap of an ordered PDC" },
		{ "losses-local", "packets dropped by the local interface" },
		{ "decreases", "multiplicative decreases of the window" },
		{ "quick-adapts", "times that the window was set anew" },
		{ "penalties", "times that the receiver cut the window" },
		{ "waited-window-ns", "time that data waited for the congestion window" },
		{ "waited-credit-ns", "time that data waited for credit" },
		{ "waited-receive-window-ns", "time that data waited for the receive window" },
		{ "waited-route-ns", "time that data waited for a route" },
		{ "waited-port-ns", "time that data waited for the local interface" },
		{ "hole-bytes", "large packets are lost while short ones arrive: the shortest of the lost ones" },
		{ "hole-ns", "time since that began; where a smaller MTU ended it, time since the last such loss" },
		{ "ports-down-ns", "time since an interface towards the peer went out of use last" },
		{ "port-shut-ns", "time for which the local interface has dropped every packet" },
		{ "filter", "" },
		{ "native", "packets go directly over IP" },
		{ "crc", "packets have a CRC" },
	},
};
