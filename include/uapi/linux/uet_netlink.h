/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/uet.yaml */
/* YNL-GEN uapi header */

#ifndef _UAPI_LINUX_UET_NETLINK_H
#define _UAPI_LINUX_UET_NETLINK_H

#define UET_FAMILY_NAME		"uet"
#define UET_FAMILY_VERSION	1

#define UET_NAME_LEN	32

/**
 * enum uet_nl_mode - Delivery mode of a PDC or message, as enum uet_delivery.
 * @UET_MODE_DEFAULT: by the type of the socket
 * @UET_MODE_RUD: reliable, unordered
 * @UET_MODE_ROD: reliable, ordered
 * @UET_MODE_RUDI: reliable, for idempotent operations
 * @UET_MODE_UUD: unreliable
 */
enum uet_nl_mode {
	UET_MODE_DEFAULT,
	UET_MODE_RUD,
	UET_MODE_ROD,
	UET_MODE_RUDI,
	UET_MODE_UUD,
};

/**
 * enum uet_nl_half_state - State of one direction of a PDC.
 * @UET_HALF_STATE_SYN: the peer has not answered yet
 * @UET_HALF_STATE_ESTABLISHED: open
 * @UET_HALF_STATE_QUIESCE: takes no new message
 * @UET_HALF_STATE_CLOSING: a close is under way
 * @UET_HALF_STATE_TIME_WAIT: closed, kept for late packets
 * @UET_HALF_STATE_DEAD: failed or closed, about to go
 */
enum uet_nl_half_state {
	UET_HALF_STATE_SYN,
	UET_HALF_STATE_ESTABLISHED,
	UET_HALF_STATE_QUIESCE,
	UET_HALF_STATE_CLOSING,
	UET_HALF_STATE_TIME_WAIT,
	UET_HALF_STATE_DEAD,
};

/**
 * enum uet_nl_wait - What data waits for.
 * @UET_WAIT_NOTHING: no data waits
 * @UET_WAIT_WINDOW: the congestion window
 * @UET_WAIT_CREDIT: credit of the receiver
 * @UET_WAIT_RECEIVE_WINDOW: the receive window of the PDC, in packets
 *   (MP_RANGE)
 * @UET_WAIT_RECEIVER: the receiver has no memory for it; the target's reader
 *   is slow
 * @UET_WAIT_ROUTE: there is no route, or the next hop does not answer
 * @UET_WAIT_PORT: the local interface
 * @UET_WAIT_OPENING: the first answer of the peer
 * @UET_WAIT_ANSWER: acknowledgments, all is sent
 * @UET_WAIT_LINE: an earlier message of the same ordered PDC
 * @UET_WAIT_MOVING: its PDC died, and its messages move to another one
 * @UET_WAIT_WRITER: the program that still writes the message
 * @UET_WAIT_TURN: its turn among the senders to this peer
 * @UET_WAIT_READER: received; the program that shall read it
 * @UET_WAIT_REST: partly received; the packets that are missing
 */
enum uet_nl_wait {
	UET_WAIT_NOTHING,
	UET_WAIT_WINDOW,
	UET_WAIT_CREDIT,
	UET_WAIT_RECEIVE_WINDOW,
	UET_WAIT_RECEIVER,
	UET_WAIT_ROUTE,
	UET_WAIT_PORT,
	UET_WAIT_OPENING,
	UET_WAIT_ANSWER,
	UET_WAIT_LINE,
	UET_WAIT_MOVING,
	UET_WAIT_WRITER,
	UET_WAIT_TURN,
	UET_WAIT_READER,
	UET_WAIT_REST,
};

/**
 * enum uet_nl_cc_state - State of a congestion control context, as enum
 *   uet_cc_state.
 * @UET_CC_STATE_IDLE: nothing to send, nothing outstanding
 * @UET_CC_STATE_ACTIVE: data waits and may not be sent
 * @UET_CC_STATE_READY: data waits and may be sent
 * @UET_CC_STATE_PENDING: all is sent, acknowledgments are outstanding
 */
enum uet_nl_cc_state {
	UET_CC_STATE_IDLE,
	UET_CC_STATE_ACTIVE,
	UET_CC_STATE_READY,
	UET_CC_STATE_PENDING,
};

/**
 * enum uet_nl_algo_mode - What the algorithm does at present, as
 *   UET_CC_MODE_*.
 * @UET_ALGO_MODE_FAST: fast increase
 * @UET_ALGO_MODE_DRAINING: packets from before quick adapt drain
 * @UET_ALGO_MODE_PENALTY: the receiver slows this host down
 * @UET_ALGO_MODE_SPECULATING: sends ahead of the first credit
 * @UET_ALGO_MODE_CREDIT: receiver credit is in use
 */
enum uet_nl_algo_mode {
	UET_ALGO_MODE_FAST = 1,
	UET_ALGO_MODE_DRAINING = 2,
	UET_ALGO_MODE_PENALTY = 4,
	UET_ALGO_MODE_SPECULATING = 8,
	UET_ALGO_MODE_CREDIT = 16,
};

/**
 * enum uet_nl_path_state - State of an entropy value.
 * @UET_PATH_STATE_GOOD: in use
 * @UET_PATH_STATE_BAD: avoided, since packets with it were lost or marked
 * @UET_PATH_STATE_DOWN: its interface has no carrier
 * @UET_PATH_STATE_CURRENT: the value in use of a context that uses one at a
 *   time
 * @UET_PATH_STATE_GONE: given up and replaced
 */
enum uet_nl_path_state {
	UET_PATH_STATE_GOOD,
	UET_PATH_STATE_BAD,
	UET_PATH_STATE_DOWN,
	UET_PATH_STATE_CURRENT,
	UET_PATH_STATE_GONE,
};

/**
 * enum uet_nl_sock_type - Type of a socket.
 * @UET_SOCK_TYPE_RDM: SOCK_RDM
 * @UET_SOCK_TYPE_SEQPACKET: SOCK_SEQPACKET
 * @UET_SOCK_TYPE_DGRAM: SOCK_DGRAM
 */
enum uet_nl_sock_type {
	UET_SOCK_TYPE_RDM,
	UET_SOCK_TYPE_SEQPACKET,
	UET_SOCK_TYPE_DGRAM,
};

/**
 * enum uet_nl_direction - Direction of a message.
 * @UET_DIRECTION_OUT: sent by the local socket
 * @UET_DIRECTION_IN: received by it
 */
enum uet_nl_direction {
	UET_DIRECTION_OUT,
	UET_DIRECTION_IN,
};

/**
 * enum uet_nl_report_source - Who found out that a message failed, as enum
 *   uet_report_source.
 * @UET_REPORT_SOURCE_LOCAL: this host
 * @UET_REPORT_SOURCE_SES: the target, by an SES return code
 * @UET_REPORT_SOURCE_NACK: the peer, by a NACK
 * @UET_REPORT_SOURCE_ICMP: a router or the peer, by ICMP; type << 8 | code
 */
enum uet_nl_report_source {
	UET_REPORT_SOURCE_LOCAL,
	UET_REPORT_SOURCE_SES,
	UET_REPORT_SOURCE_NACK,
	UET_REPORT_SOURCE_ICMP,
};

/**
 * enum uet_nl_kind - Type of a setting.
 * @UET_KIND_NUMBER: a whole number
 * @UET_KIND_BOOLEAN: 0 or 1
 * @UET_KIND_SIZE: bytes
 * @UET_KIND_WORD: one of a list of names
 */
enum uet_nl_kind {
	UET_KIND_NUMBER,
	UET_KIND_BOOLEAN,
	UET_KIND_SIZE,
	UET_KIND_WORD,
};

/**
 * enum uet_nl_setting_scope - What a setting can have a value of its own for.
 * @UET_SETTING_SCOPE_NET: the namespace (net.uet.*)
 * @UET_SETTING_SCOPE_PEER: the peers with a prefix
 * @UET_SETTING_SCOPE_SOCK: a socket, by an option
 */
enum uet_nl_setting_scope {
	UET_SETTING_SCOPE_NET = 1,
	UET_SETTING_SCOPE_PEER = 2,
	UET_SETTING_SCOPE_SOCK = 4,
};

/**
 * enum uet_nl_trait - Properties of a setting.
 * @UET_TRAIT_LIVE: a change applies to what exists already
 * @UET_TRAIT_AUTO: its default value means that the module computes it
 * @UET_TRAIT_POWER_OF_2: only powers of two are valid
 * @UET_TRAIT_OR_ZERO: 0 is valid, too
 * @UET_TRAIT_MACHINE: the default depends on the memory of the machine
 * @UET_TRAIT_CAPPED: in other user namespaces than the first, so does the
 *   largest value
 */
enum uet_nl_trait {
	UET_TRAIT_LIVE = 1,
	UET_TRAIT_AUTO = 2,
	UET_TRAIT_POWER_OF_2 = 4,
	UET_TRAIT_OR_ZERO = 8,
	UET_TRAIT_MACHINE = 16,
	UET_TRAIT_CAPPED = 32,
};

/**
 * enum uet_nl_what - What happened.
 * @UET_WHAT_PDC_OPENED: this host opened a PDC
 * @UET_WHAT_PDC_ACCEPTED: the peer opened a PDC
 * @UET_WHAT_PDC_RETURNED: this host begins to send on a PDC that the peer
 *   opened
 * @UET_WHAT_PDC_CLOSED: a PDC was closed
 * @UET_WHAT_PDC_FAILED: a PDC failed, for the reason in error, source and code
 * @UET_WHAT_PATH_BAD: an entropy value is no longer used
 * @UET_WHAT_PATH_GOOD: an entropy value is used again
 * @UET_WHAT_PATH_MOVED: a context that uses one path at a time took another
 *   one
 * @UET_WHAT_PORT_UP: a local interface has a carrier again
 * @UET_WHAT_PORT_DOWN: a local interface lost its carrier
 * @UET_WHAT_PEER_RESET: the peer knows an open PDC no longer, mostly since it
 *   started anew; once a second at most
 * @UET_WHAT_PRESSURE: a socket has no room for what its peers send; once a
 *   second at most
 * @UET_WHAT_LIMIT: a limit was reached; the name of the setting is in name, or
 *   pdcids: those of an address
 * @UET_WHAT_PARAM_CHANGED: a setting of the namespace has another value
 * @UET_WHAT_RULE_CHANGED: the settings of a prefix of peers were changed
 * @UET_WHAT_RULE_DELETED: the settings of a prefix of peers were deleted
 */
enum uet_nl_what {
	UET_WHAT_PDC_OPENED,
	UET_WHAT_PDC_ACCEPTED,
	UET_WHAT_PDC_RETURNED,
	UET_WHAT_PDC_CLOSED,
	UET_WHAT_PDC_FAILED,
	UET_WHAT_PATH_BAD,
	UET_WHAT_PATH_GOOD,
	UET_WHAT_PATH_MOVED,
	UET_WHAT_PORT_UP,
	UET_WHAT_PORT_DOWN,
	UET_WHAT_PEER_RESET,
	UET_WHAT_PRESSURE,
	UET_WHAT_LIMIT,
	UET_WHAT_PARAM_CHANGED,
	UET_WHAT_RULE_CHANGED,
	UET_WHAT_RULE_DELETED,
};

/**
 * enum uet_nl_ping_result - What became of a probe.
 * @UET_PING_RESULT_ANSWERED: the peer answered
 * @UET_PING_RESULT_LOST: nothing came back in time
 * @UET_PING_RESULT_REFUSED: the port is closed; nobody uses UET there
 * @UET_PING_RESULT_HOP: a hop where its TTL ended answered
 * @UET_PING_RESULT_TOO_BIG: it exceeds the MTU of a link on its way
 * @UET_PING_RESULT_UNREACHABLE: a hop, or this host, could not forward it
 * @UET_PING_RESULT_FILTERED: a hop was not allowed to forward it
 * @UET_PING_RESULT_BUSY: the peer answered, but has no room for a PDC now
 */
enum uet_nl_ping_result {
	UET_PING_RESULT_ANSWERED,
	UET_PING_RESULT_LOST,
	UET_PING_RESULT_REFUSED,
	UET_PING_RESULT_HOP,
	UET_PING_RESULT_TOO_BIG,
	UET_PING_RESULT_UNREACHABLE,
	UET_PING_RESULT_FILTERED,
	UET_PING_RESULT_BUSY,
};

enum {
	UET_A_FILTER_REMOTE = 1,
	UET_A_FILTER_REMOTE_PLEN,
	UET_A_FILTER_LOCAL,
	UET_A_FILTER_JOB,
	UET_A_FILTER_STATE,
	UET_A_FILTER_INODE,
	UET_A_FILTER_PID,
	UET_A_FILTER_CCC,
	UET_A_FILTER_PATH_STATE,
	UET_A_FILTER_WAITING,
	UET_A_FILTER_ID,
	UET_A_FILTER_IFINDEX,

	__UET_A_FILTER_MAX,
	UET_A_FILTER_MAX = (__UET_A_FILTER_MAX - 1)
};

enum {
	UET_A_ENDPOINT_ADDR = 1,
	UET_A_ENDPOINT_SCOPE_ID,
	UET_A_ENDPOINT_JOB,
	UET_A_ENDPOINT_PID,
	UET_A_ENDPOINT_RI,
	UET_A_ENDPOINT_INITIATOR,
	UET_A_ENDPOINT_ABSOLUTE,

	__UET_A_ENDPOINT_MAX,
	UET_A_ENDPOINT_MAX = (__UET_A_ENDPOINT_MAX - 1)
};

enum {
	UET_A_FEP_PAD = 1,
	UET_A_FEP_ADDR,
	UET_A_FEP_PDCS,
	UET_A_FEP_PEERS,
	UET_A_FEP_IFINDEX,
	UET_A_FEP_UDP_PORT,
	UET_A_FEP_FILTER,

	__UET_A_FEP_MAX,
	UET_A_FEP_MAX = (__UET_A_FEP_MAX - 1)
};

enum {
	UET_A_PDC_PAD = 1,
	UET_A_PDC_LOCAL,
	UET_A_PDC_ID,
	UET_A_PDC_REMOTE,
	UET_A_PDC_REMOTE_ID,
	UET_A_PDC_JOB,
	UET_A_PDC_MODE,
	UET_A_PDC_INITIATOR,
	UET_A_PDC_TCLASS,
	UET_A_PDC_TX,
	UET_A_PDC_RX,
	UET_A_PDC_FILTER,

	__UET_A_PDC_MAX,
	UET_A_PDC_MAX = (__UET_A_PDC_MAX - 1)
};

enum {
	UET_A_TX_PAD = 1,
	UET_A_TX_STATE,
	UET_A_TX_CCC,
	UET_A_TX_MSGS,
	UET_A_TX_DESTS,
	UET_A_TX_UNA,
	UET_A_TX_NEXT,
	UET_A_TX_MPR,
	UET_A_TX_HELD,
	UET_A_TX_RTO,
	UET_A_TX_TIMEOUTS,
	UET_A_TX_HEARD_NS,
	UET_A_TX_ERROR,
	UET_A_TX_WAIT,
	UET_A_TX_WAIT_NS,

	__UET_A_TX_MAX,
	UET_A_TX_MAX = (__UET_A_TX_MAX - 1)
};

enum {
	UET_A_RX_PAD = 1,
	UET_A_RX_STATE,
	UET_A_RX_CACK,
	UET_A_RX_TOP,
	UET_A_RX_MPR,
	UET_A_RX_MSGS,
	UET_A_RX_RCVD_BYTES,
	UET_A_RX_REFUSED,
	UET_A_RX_REFUSED_INODE,
	UET_A_RX_UNCONFIRMED,
	UET_A_RX_HEARD_NS,

	__UET_A_RX_MAX,
	UET_A_RX_MAX = (__UET_A_RX_MAX - 1)
};

enum {
	UET_A_CCC_PAD = 1,
	UET_A_CCC_ID,
	UET_A_CCC_LOCAL,
	UET_A_CCC_REMOTE,
	UET_A_CCC_TCLASS,
	UET_A_CCC_SPRAYED,
	UET_A_CCC_CC,
	UET_A_CCC_PATH_POLICY,
	UET_A_CCC_STATE,
	UET_A_CCC_CC_MODE,
	UET_A_CCC_WAIT,
	UET_A_CCC_WAIT_NS,
	UET_A_CCC_RTT,
	UET_A_CCC_RTT_VAR,
	UET_A_CCC_BASE_RTT,
	UET_A_CCC_BASE_GUESSED,
	UET_A_CCC_TARGET_QDELAY,
	UET_A_CCC_DELAY_AVG,
	UET_A_CCC_CWND,
	UET_A_CCC_MAX_WND,
	UET_A_CCC_SAVED_CWND,
	UET_A_CCC_INFLIGHT,
	UET_A_CCC_INFLIGHT_PKTS,
	UET_A_CCC_BACKLOG,
	UET_A_CCC_RTX_BACKLOG,
	UET_A_CCC_MTU,
	UET_A_CCC_PATH_MTU,
	UET_A_CCC_PATH_MTU_STEPS,
	UET_A_CCC_LINK_MBPS,
	UET_A_CCC_CREDIT,
	UET_A_CCC_CREDIT_REQS,
	UET_A_CCC_PATHS,
	UET_A_CCC_PATHS_BAD,
	UET_A_CCC_PATHS_GONE,
	UET_A_CCC_PORTS,
	UET_A_CCC_PORTS_DOWN,
	UET_A_CCC_SENT_PKTS,
	UET_A_CCC_SENT_BYTES,
	UET_A_CCC_ACKS,
	UET_A_CCC_MARKS,
	UET_A_CCC_TRIMS,
	UET_A_CCC_TRIMS_LASTHOP,
	UET_A_CCC_NACKS_SHORTAGE,
	UET_A_CCC_NACKS_OTHER,
	UET_A_CCC_RETRANSMITS,
	UET_A_CCC_NEEDLESS,
	UET_A_CCC_LOSSES_SACK,
	UET_A_CCC_LOSSES_OOO,
	UET_A_CCC_LOSSES_PROBE,
	UET_A_CCC_LOSSES_RTO,
	UET_A_CCC_LOSSES_RCVR,
	UET_A_CCC_LOSSES_GO_BACK,
	UET_A_CCC_LOSSES_LOCAL,
	UET_A_CCC_DECREASES,
	UET_A_CCC_QUICK_ADAPTS,
	UET_A_CCC_PENALTIES,
	UET_A_CCC_WAITED_WINDOW_NS,
	UET_A_CCC_WAITED_CREDIT_NS,
	UET_A_CCC_WAITED_RECEIVE_WINDOW_NS,
	UET_A_CCC_WAITED_ROUTE_NS,
	UET_A_CCC_WAITED_PORT_NS,
	UET_A_CCC_HOLE_BYTES,
	UET_A_CCC_HOLE_NS,
	UET_A_CCC_PORTS_DOWN_NS,
	UET_A_CCC_PORT_SHUT_NS,
	UET_A_CCC_FILTER,
	UET_A_CCC_NATIVE,
	UET_A_CCC_CRC,

	__UET_A_CCC_MAX,
	UET_A_CCC_MAX = (__UET_A_CCC_MAX - 1)
};

enum {
	UET_A_PATH_PAD = 1,
	UET_A_PATH_CCC,
	UET_A_PATH_LOCAL,
	UET_A_PATH_REMOTE,
	UET_A_PATH_EV,
	UET_A_PATH_IFINDEX,
	UET_A_PATH_STATE,
	UET_A_PATH_SKIP,
	UET_A_PATH_SENT,
	UET_A_PATH_CLEAR,
	UET_A_PATH_MARKED,
	UET_A_PATH_TRIMMED,
	UET_A_PATH_LOST,
	UET_A_PATH_RTT,
	UET_A_PATH_GONE_NS,
	UET_A_PATH_FILTER,

	__UET_A_PATH_MAX,
	UET_A_PATH_MAX = (__UET_A_PATH_MAX - 1)
};

enum {
	UET_A_PORT_PAD = 1,
	UET_A_PORT_LOCAL,
	UET_A_PORT_REMOTE,
	UET_A_PORT_IFINDEX,
	UET_A_PORT_UP,
	UET_A_PORT_MBPS,
	UET_A_PORT_BACKLOG,
	UET_A_PORT_VIA,
	UET_A_PORT_VIA_STATE,
	UET_A_PORT_MTU,
	UET_A_PORT_FILTER,

	__UET_A_PORT_MAX,
	UET_A_PORT_MAX = (__UET_A_PORT_MAX - 1)
};

enum {
	UET_A_SOCK_PAD = 1,
	UET_A_SOCK_INODE,
	UET_A_SOCK_TYPE,
	UET_A_SOCK_LOCAL,
	UET_A_SOCK_REMOTE,
	UET_A_SOCK_UID,
	UET_A_SOCK_TX_MSGS,
	UET_A_SOCK_TX_BYTES,
	UET_A_SOCK_SNDBUF,
	UET_A_SOCK_RX_BYTES,
	UET_A_SOCK_RX_READY_BYTES,
	UET_A_SOCK_RCVBUF,
	UET_A_SOCK_RX_REFUSED_NS,
	UET_A_SOCK_UNREAD_NS,
	UET_A_SOCK_SEND_WAIT_NS,
	UET_A_SOCK_DESTS,
	UET_A_SOCK_REPORTS,
	UET_A_SOCK_FILTER,

	__UET_A_SOCK_MAX,
	UET_A_SOCK_MAX = (__UET_A_SOCK_MAX - 1)
};

enum {
	UET_A_DEST_PAD = 1,
	UET_A_DEST_INODE,
	UET_A_DEST_PID,
	UET_A_DEST_REMOTE,
	UET_A_DEST_MODE,
	UET_A_DEST_TCLASS,
	UET_A_DEST_MSGS,
	UET_A_DEST_BYTES,
	UET_A_DEST_LOCAL,
	UET_A_DEST_PDC,
	UET_A_DEST_CCC,
	UET_A_DEST_WAIT,
	UET_A_DEST_WAIT_NS,
	UET_A_DEST_WAITED_RECEIVER_NS,
	UET_A_DEST_OLDEST_NS,
	UET_A_DEST_FILTER,

	__UET_A_DEST_MAX,
	UET_A_DEST_MAX = (__UET_A_DEST_MAX - 1)
};

enum {
	UET_A_MSG_PAD = 1,
	UET_A_MSG_DIRECTION,
	UET_A_MSG_INODE,
	UET_A_MSG_PID,
	UET_A_MSG_REMOTE,
	UET_A_MSG_MODE,
	UET_A_MSG_LEN,
	UET_A_MSG_SENT,
	UET_A_MSG_DONE,
	UET_A_MSG_MSG_ID,
	UET_A_MSG_COOKIE,
	UET_A_MSG_AGE_NS,
	UET_A_MSG_WAIT,
	UET_A_MSG_LIMIT,
	UET_A_MSG_FILTER,

	__UET_A_MSG_MAX,
	UET_A_MSG_MAX = (__UET_A_MSG_MAX - 1)
};

enum {
	UET_A_SETTING_NAME = 1,
	UET_A_SETTING_NUMBER,
	UET_A_SETTING_WORD,
	UET_A_SETTING_PAD,

	__UET_A_SETTING_MAX,
	UET_A_SETTING_MAX = (__UET_A_SETTING_MAX - 1)
};

enum {
	UET_A_RULE_PREFIX = 1,
	UET_A_RULE_PLEN,
	UET_A_RULE_SETTING,
	UET_A_RULE_UNSET,

	__UET_A_RULE_MAX,
	UET_A_RULE_MAX = (__UET_A_RULE_MAX - 1)
};

enum {
	UET_A_PARAM_PAD = 1,
	UET_A_PARAM_NAME,
	UET_A_PARAM_KIND,
	UET_A_PARAM_SCOPE,
	UET_A_PARAM_TRAITS,
	UET_A_PARAM_NUMBER,
	UET_A_PARAM_WORD,
	UET_A_PARAM_LEAST,
	UET_A_PARAM_MOST,
	UET_A_PARAM_DEFAULT,
	UET_A_PARAM_DEFAULT_WORD,
	UET_A_PARAM_UNIT,
	UET_A_PARAM_HELP,
	UET_A_PARAM_CHOICE,

	__UET_A_PARAM_MAX,
	UET_A_PARAM_MAX = (__UET_A_PARAM_MAX - 1)
};

enum {
	UET_A_STAT_NAME = 1,
	UET_A_STAT_VALUE,
	UET_A_STAT_PAD,

	__UET_A_STAT_MAX,
	UET_A_STAT_MAX = (__UET_A_STAT_MAX - 1)
};

enum {
	UET_A_STATS_NAME = 1,
	UET_A_STATS_COUNTER,
	UET_A_STATS_GAUGE,

	__UET_A_STATS_MAX,
	UET_A_STATS_MAX = (__UET_A_STATS_MAX - 1)
};

enum {
	UET_A_FAILURE_PAD = 1,
	UET_A_FAILURE_REMOTE,
	UET_A_FAILURE_JOB,
	UET_A_FAILURE_PID,
	UET_A_FAILURE_ERROR,
	UET_A_FAILURE_SOURCE,
	UET_A_FAILURE_CODE,
	UET_A_FAILURE_COUNT,
	UET_A_FAILURE_AGO_NS,
	UET_A_FAILURE_FILTER,

	__UET_A_FAILURE_MAX,
	UET_A_FAILURE_MAX = (__UET_A_FAILURE_MAX - 1)
};

enum {
	UET_A_EVENT_PAD = 1,
	UET_A_EVENT_SEQ,
	UET_A_EVENT_LOST,
	UET_A_EVENT_TIME,
	UET_A_EVENT_WHAT,
	UET_A_EVENT_LOCAL,
	UET_A_EVENT_REMOTE,
	UET_A_EVENT_PLEN,
	UET_A_EVENT_PDC,
	UET_A_EVENT_MODE,
	UET_A_EVENT_CCC,
	UET_A_EVENT_EV,
	UET_A_EVENT_IFINDEX,
	UET_A_EVENT_ERROR,
	UET_A_EVENT_SOURCE,
	UET_A_EVENT_CODE,
	UET_A_EVENT_INODE,
	UET_A_EVENT_JOB,
	UET_A_EVENT_PID,
	UET_A_EVENT_NAME,

	__UET_A_EVENT_MAX,
	UET_A_EVENT_MAX = (__UET_A_EVENT_MAX - 1)
};

enum {
	UET_A_PING_PAD = 1,
	UET_A_PING_REMOTE,
	UET_A_PING_IFINDEX,
	UET_A_PING_TIMEOUT,
	UET_A_PING_SIZE,
	UET_A_PING_EV,
	UET_A_PING_TTL,
	UET_A_PING_PID,
	UET_A_PING_RI,
	UET_A_PING_JOB,
	UET_A_PING_LOCAL,
	UET_A_PING_DEV,
	UET_A_PING_UDP_PORT,
	UET_A_PING_MTU,
	UET_A_PING_PAYLOAD_MTU,
	UET_A_PING_LEN,
	UET_A_PING_RESULT,
	UET_A_PING_FROM,
	UET_A_PING_RTT,
	UET_A_PING_SENT,
	UET_A_PING_MARKED,
	UET_A_PING_NACK,
	UET_A_PING_CODE,
	UET_A_PING_GENERATION,
	UET_A_PING_VERSION,
	UET_A_PING_WINDOW,
	UET_A_PING_ICMP,

	__UET_A_PING_MAX,
	UET_A_PING_MAX = (__UET_A_PING_MAX - 1)
};

enum {
	UET_CMD_FEP_GET = 1,
	UET_CMD_PDC_GET,
	UET_CMD_CCC_GET,
	UET_CMD_PATH_GET,
	UET_CMD_PORT_GET,
	UET_CMD_SOCK_GET,
	UET_CMD_DEST_GET,
	UET_CMD_MSG_GET,
	UET_CMD_PEER_GET,
	UET_CMD_PEER_NEW,
	UET_CMD_PEER_SET,
	UET_CMD_PEER_DEL,
	UET_CMD_PARAM_GET,
	UET_CMD_PARAM_SET,
	UET_CMD_STATS_GET,
	UET_CMD_FAILURE_GET,
	UET_CMD_EVENT,
	UET_CMD_PING,
	UET_CMD_PING_RESULT,
	UET_CMD_CCC_RENEW,

	__UET_CMD_MAX,
	UET_CMD_MAX = (__UET_CMD_MAX - 1)
};

#define UET_MCGRP_EVENTS	"events"

#endif /* _UAPI_LINUX_UET_NETLINK_H */
