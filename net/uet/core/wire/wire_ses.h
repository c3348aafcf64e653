/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The UET wire format, second part: sizes, layouts and code points of the
 * semantic sublayer (SES), UE 1.0 3.4.  The rules of wire.h apply.
 */
#ifndef _UET_CORE_WIRE_SES_H
#define _UET_CORE_WIRE_SES_H

#include "wire.h"

/* SES, first byte of every header */
#define UET_SES_OPCODE		0x3f
#define UET_SES_OPCODES		64
/* SES, second byte of a request */
#define UET_SES_VERSION		0xc0
#define UET_SES_FLAGS		0x3f
#define UET_SES_F_DC		0x20	/* delivery complete */
#define UET_SES_F_IE		0x10	/* initiator error */
#define UET_SES_F_REL		0x08	/* relative addressing */
#define UET_SES_F_HD		0x04	/* header data present */
#define UET_SES_F_EOM		0x02	/* end of message */
#define UET_SES_F_SOM		0x01	/* start of message */
/* SES, 12- and 14-bit fields in 16 bits */
#define UET_SES_ID12		0x0fff
#define UET_SES_LEN14		0x3fff
#define UET_SES_JOB_MAX		0xffffffU

/**
 * enum uet_ses_op - request opcodes
 * @UET_SES_OP_NO_OP: nothing
 * @UET_SES_OP_WRITE: write to a memory region
 * @UET_SES_OP_READ: read from a memory region
 * @UET_SES_OP_ATOMIC: atomic without result
 * @UET_SES_OP_FETCHING_ATOMIC: atomic with result
 * @UET_SES_OP_SEND: untagged message
 * @UET_SES_OP_RENDEZVOUS_SEND: send by rendezvous
 * @UET_SES_OP_DATAGRAM_SEND: unreliable datagram
 * @UET_SES_OP_DEFERRABLE_SEND: send that the target may defer
 * @UET_SES_OP_TAGGED_SEND: tagged message
 * @UET_SES_OP_RENDEZVOUS_TSEND: tagged send by rendezvous
 * @UET_SES_OP_DEFERRABLE_TSEND: tagged send that the target may defer
 * @UET_SES_OP_DEFERRABLE_RTR: ready to restart a deferred send
 * @UET_SES_OP_TSEND_ATOMIC: atomic on a tagged buffer
 * @UET_SES_OP_TSEND_FETCH_ATOMIC: the same with result
 * @UET_SES_OP_MSG_ERROR: the initiator gives a message up
 * @UET_SES_OP_KNOWN: first value that UE 1.0 does not define
 */
enum uet_ses_op {
	UET_SES_OP_NO_OP = 0x00,
	UET_SES_OP_WRITE = 0x01,
	UET_SES_OP_READ = 0x02,
	UET_SES_OP_ATOMIC = 0x03,
	UET_SES_OP_FETCHING_ATOMIC = 0x04,
	UET_SES_OP_SEND = 0x05,
	UET_SES_OP_RENDEZVOUS_SEND = 0x06,
	UET_SES_OP_DATAGRAM_SEND = 0x07,
	UET_SES_OP_DEFERRABLE_SEND = 0x08,
	UET_SES_OP_TAGGED_SEND = 0x09,
	UET_SES_OP_RENDEZVOUS_TSEND = 0x0a,
	UET_SES_OP_DEFERRABLE_TSEND = 0x0b,
	UET_SES_OP_DEFERRABLE_RTR = 0x0c,
	UET_SES_OP_TSEND_ATOMIC = 0x0d,
	UET_SES_OP_TSEND_FETCH_ATOMIC = 0x0e,
	UET_SES_OP_MSG_ERROR = 0x0f,
	UET_SES_OP_KNOWN = 0x10,
};

/**
 * struct uet_ses_common_wire - first 12 bytes of a request
 * @opcode: two reserved bits, enum uet_ses_op
 * @flags: version, UET_SES_F_*
 * @id: message id; SMALL and MEDIUM: request length
 * @ri_generation: generation of the resource index
 * @job_id: job
 * @pid_on_fep: target process
 * @resource_index: target service
 */
struct uet_ses_common_wire {
	u8 opcode;
	u8 flags;
	__be16 id;
	u8 ri_generation;
	u8 job_id[3];
	__be16 pid_on_fep;
	__be16 resource_index;
};

/**
 * struct uet_ses_std_wire - standard request, not aligned
 * @c: common part
 * @buffer_offset: where the message starts in the target buffer
 * @initiator: initiator ID
 * @key: memory key or match bits
 * @header_data: SOM: header data; else payload length and message offset
 * @request_length: bytes of the whole message
 */
struct uet_ses_std_wire {
	struct uet_ses_common_wire c;
	u8 buffer_offset[8];
	u8 initiator[4];
	u8 key[8];
	u8 header_data[8];
	u8 request_length[4];
};

/* header_data of a packet that does not start a message */
#define UET_SES_STD_PAYLOAD_LEN	GENMASK_ULL(45, 32)
#define UET_SES_STD_MSG_OFFSET	GENMASK_ULL(31, 0)

/**
 * struct uet_ses_small_wire - small request
 * @c: common part
 * @buffer_offset: where the message starts in the target buffer
 */
struct uet_ses_small_wire {
	struct uet_ses_common_wire c;
	u8 buffer_offset[8];
};

/**
 * struct uet_ses_medium_wire - medium request
 * @c: common part
 * @header_data: header data if HD is set, else buffer offset
 * @initiator: initiator ID
 * @key: memory key or match bits
 */
struct uet_ses_medium_wire {
	struct uet_ses_common_wire c;
	u8 header_data[8];
	u8 initiator[4];
	u8 key[8];
};

/* SES, bytes 0 and 1 of a response */
#define UET_SES_RSP_LIST	0xc0
#define UET_SES_RSP_RC		0x3f

/**
 * enum uet_rsp_list - list that a request matched
 * @UET_RSP_LIST_EXPECTED: posted buffers
 * @UET_RSP_LIST_OVERFLOW: unexpected messages
 */
enum uet_rsp_list {
	UET_RSP_LIST_EXPECTED = 0,
	UET_RSP_LIST_OVERFLOW = 1,
};

/**
 * enum uet_rsp_op - response opcodes
 * @UET_RSP_OP_DEFAULT: ordinary success
 * @UET_RSP_OP_RESPONSE: response with return code
 * @UET_RSP_OP_DATA: response with data
 * @UET_RSP_OP_NO_RESPONSE: the response comes later
 * @UET_RSP_OP_KNOWN: first reserved value
 */
enum uet_rsp_op {
	UET_RSP_OP_DEFAULT = 0,
	UET_RSP_OP_RESPONSE = 1,
	UET_RSP_OP_DATA = 2,
	UET_RSP_OP_NO_RESPONSE = 3,
	UET_RSP_OP_KNOWN = 4,
};

/**
 * struct uet_ses_rsp_wire - response
 * @op: list, enum uet_rsp_op
 * @rc: version, enum uet_rc
 * @message_id: of the request
 * @ri_generation: with BAD_GENERATION: the correct generation
 * @job_id: job
 * @modified_length: bytes accepted
 */
struct uet_ses_rsp_wire {
	u8 op;
	u8 rc;
	__be16 message_id;
	u8 ri_generation;
	u8 job_id[3];
	__be32 modified_length;
};

/**
 * struct uet_ses_rsp_data_wire - response with data
 * @op: list, enum uet_rsp_op
 * @rc: version, enum uet_rc
 * @rsp_message_id: message id of the responder
 * @rsvd: zero
 * @job_id: job
 * @read_message_id: message id of the request
 * @payload_length: bytes in this packet
 * @modified_length: total length of the read
 * @message_offset: offset of this packet's data
 */
struct uet_ses_rsp_data_wire {
	u8 op;
	u8 rc;
	__be16 rsp_message_id;
	u8 rsvd;
	u8 job_id[3];
	__be16 read_message_id;
	__be16 payload_length;
	__be32 modified_length;
	__be32 message_offset;
};

/**
 * struct uet_ses_rsp_data_small_wire - small response with data
 * @op: list, enum uet_rsp_op
 * @rc: version, enum uet_rc
 * @payload_length: bytes in this packet
 * @rsvd: zero
 * @job_id: job
 * @original_psn: PSN of the request
 */
struct uet_ses_rsp_data_small_wire {
	u8 op;
	u8 rc;
	__be16 payload_length;
	u8 rsvd;
	u8 job_id[3];
	__be32 original_psn;
};

/**
 * struct uet_ses_atomic_wire - atomic extension
 * @opcode: enum uet_amo_op
 * @datatype: enum uet_amo_type
 * @semantic: UET_AMO_SEM_*
 * @rsvd: zero
 */
struct uet_ses_atomic_wire {
	u8 opcode;
	u8 datatype;
	u8 semantic;
	u8 rsvd;
};

#define UET_AMO_SEM_CACHEABLE		0x01
#define UET_AMO_SEM_CPU_COHERENT	0x02
#define UET_AMO_VALUE_LEN		16

/**
 * struct uet_ses_cswap_wire - compare-and-swap extension
 * @atomic: atomic extension
 * @compare: compare value, right-aligned
 * @swap: swap value, right-aligned
 */
struct uet_ses_cswap_wire {
	struct uet_ses_atomic_wire atomic;
	u8 compare[UET_AMO_VALUE_LEN];
	u8 swap[UET_AMO_VALUE_LEN];
};

/**
 * struct uet_ses_rendezvous_wire - rendezvous extension
 * @eager_length: bytes sent as payload
 * @buffer: ri_generation, PIDonFEP and resource index to read from
 * @read_offset: offset to read from
 * @read_key: memory key to read with
 */
struct uet_ses_rendezvous_wire {
	__be32 eager_length;
	__be32 buffer;
	__be64 read_offset;
	__be64 read_key;
};

#define UET_RDV_GENERATION	0xff000000U
#define UET_RDV_PID		0x00fff000U
#define UET_RDV_RI		0x00000fffU

/**
 * enum uet_amo_op - atomic opcodes
 * @UET_AMO_MIN: minimum
 * @UET_AMO_MAX: maximum
 * @UET_AMO_SUM: sum
 * @UET_AMO_DIFF: difference
 * @UET_AMO_PROD: product
 * @UET_AMO_LOR: logical or
 * @UET_AMO_LAND: logical and
 * @UET_AMO_BOR: bitwise or
 * @UET_AMO_BAND: bitwise and
 * @UET_AMO_LXOR: logical exclusive or
 * @UET_AMO_BXOR: bitwise exclusive or
 * @UET_AMO_READ: atomic read
 * @UET_AMO_WRITE: atomic write
 * @UET_AMO_CSWAP: compare and swap if equal
 * @UET_AMO_CSWAP_NE: if not equal
 * @UET_AMO_CSWAP_LE: if less or equal
 * @UET_AMO_CSWAP_LT: if less
 * @UET_AMO_CSWAP_GE: if greater or equal
 * @UET_AMO_CSWAP_GT: if greater
 * @UET_AMO_MSWAP: masked swap
 * @UET_AMO_INVAL: invalidate
 */
enum uet_amo_op {
	UET_AMO_MIN = 0x00,
	UET_AMO_MAX = 0x01,
	UET_AMO_SUM = 0x02,
	UET_AMO_DIFF = 0x03,
	UET_AMO_PROD = 0x04,
	UET_AMO_LOR = 0x05,
	UET_AMO_LAND = 0x06,
	UET_AMO_BOR = 0x07,
	UET_AMO_BAND = 0x08,
	UET_AMO_LXOR = 0x09,
	UET_AMO_BXOR = 0x0a,
	UET_AMO_READ = 0x0b,
	UET_AMO_WRITE = 0x0c,
	UET_AMO_CSWAP = 0x0d,
	UET_AMO_CSWAP_NE = 0x0e,
	UET_AMO_CSWAP_LE = 0x0f,
	UET_AMO_CSWAP_LT = 0x10,
	UET_AMO_CSWAP_GE = 0x11,
	UET_AMO_CSWAP_GT = 0x12,
	UET_AMO_MSWAP = 0x13,
	UET_AMO_INVAL = 0x14,
};

/**
 * enum uet_amo_type - atomic data types
 * @UET_AMO_INT8: 8 bits, signed
 * @UET_AMO_UINT8: 8 bits
 * @UET_AMO_INT16: 16 bits, signed
 * @UET_AMO_UINT16: 16 bits
 * @UET_AMO_INT32: 32 bits, signed
 * @UET_AMO_UINT32: 32 bits
 * @UET_AMO_INT64: 64 bits, signed
 * @UET_AMO_UINT64: 64 bits
 * @UET_AMO_INT128: 128 bits, signed
 * @UET_AMO_UINT128: 128 bits
 */
enum uet_amo_type {
	UET_AMO_INT8 = 0x0,
	UET_AMO_UINT8 = 0x1,
	UET_AMO_INT16 = 0x2,
	UET_AMO_UINT16 = 0x3,
	UET_AMO_INT32 = 0x4,
	UET_AMO_UINT32 = 0x5,
	UET_AMO_INT64 = 0x6,
	UET_AMO_UINT64 = 0x7,
	UET_AMO_INT128 = 0x8,
	UET_AMO_UINT128 = 0x9,
};

/* Sizes of SES headers */
#define UET_SES_COMMON_LEN		12
#define UET_SES_SMALL_LEN		20
#define UET_SES_MEDIUM_LEN		32
#define UET_SES_STD_LEN			44
#define UET_SES_RSP_LEN			12
#define UET_SES_RSP_DATA_LEN		20
#define UET_SES_RSP_DATA_SMALL_LEN	12
#define UET_SES_ATOMIC_LEN		4
#define UET_SES_CSWAP_LEN		36
#define UET_SES_RENDEZVOUS_LEN		24

/* Longest header stack: RUD_CC_REQ, standard request, compare-and-swap */
#define UET_HDR_MAX_LEN	(UET_PDS_REQ_CC_LEN + UET_SES_STD_LEN + UET_SES_CSWAP_LEN)

/**
 * enum uet_rc - return codes in responses, UE 1.0 3.4
 * @UET_RC_NULL: no return code
 * @UET_RC_OK: success
 * @UET_RC_BAD_GENERATION: wrong generation of the resource index
 * @UET_RC_DISABLED: resource disabled
 * @UET_RC_DISABLED_GEN: resource disabled, generation changed
 * @UET_RC_NO_MATCH: no buffer
 * @UET_RC_UNSUPPORTED_OP: operation not supported
 * @UET_RC_UNSUPPORTED_SIZE: size not supported
 * @UET_RC_AT_INVALID: address translation invalid
 * @UET_RC_AT_PERM: address translation refused
 * @UET_RC_AT_ATS_ERROR: address translation service failed
 * @UET_RC_AT_NO_TRANS: no address translation
 * @UET_RC_AT_OUT_OF_RANGE: address translation out of range
 * @UET_RC_HOST_POISONED: memory poisoned
 * @UET_RC_HOST_UNSUCCESS_CMPL: host bus failure
 * @UET_RC_AMO_UNSUPPORTED_OP: atomic operation not supported
 * @UET_RC_AMO_UNSUPPORTED_DT: atomic data type not supported
 * @UET_RC_AMO_UNSUPPORTED_SIZE: atomic size not supported
 * @UET_RC_AMO_UNALIGNED: atomic operand not aligned
 * @UET_RC_AMO_FP_NAN: not a number
 * @UET_RC_AMO_FP_UNDERFLOW: floating point underflow
 * @UET_RC_AMO_FP_OVERFLOW: floating point overflow
 * @UET_RC_AMO_FP_INEXACT: floating point inexact
 * @UET_RC_PERM_VIOLATION: not permitted
 * @UET_RC_OP_VIOLATION: malformed operation
 * @UET_RC_BAD_INDEX: no such resource index
 * @UET_RC_BAD_PID: no such process
 * @UET_RC_BAD_JOB_ID: no such job
 * @UET_RC_BAD_MKEY: no such memory key
 * @UET_RC_BAD_ADDR: outside the memory region
 * @UET_RC_CANCELLED: cancelled
 * @UET_RC_UNDELIVERABLE: not deliverable
 * @UET_RC_UNCOR: uncorrectable
 * @UET_RC_UNCOR_TRNSNT: uncorrectable, transient
 * @UET_RC_TOO_LONG: longer than the receiver accepts
 * @UET_RC_INITIATOR_ERR: initiator reported an error
 * @UET_RC_DROPPED: dropped
 * @UET_RC_EXTENDED: extended code
 * @UET_RC_CODES: size of the six-bit space
 */
enum uet_rc {
	UET_RC_NULL = 0x00,
	UET_RC_OK = 0x01,
	UET_RC_BAD_GENERATION = 0x02,
	UET_RC_DISABLED = 0x03,
	UET_RC_DISABLED_GEN = 0x04,
	UET_RC_NO_MATCH = 0x05,
	UET_RC_UNSUPPORTED_OP = 0x06,
	UET_RC_UNSUPPORTED_SIZE = 0x07,
	UET_RC_AT_INVALID = 0x08,
	UET_RC_AT_PERM = 0x09,
	UET_RC_AT_ATS_ERROR = 0x0a,
	UET_RC_AT_NO_TRANS = 0x0b,
	UET_RC_AT_OUT_OF_RANGE = 0x0c,
	UET_RC_HOST_POISONED = 0x0d,
	UET_RC_HOST_UNSUCCESS_CMPL = 0x0e,
	UET_RC_AMO_UNSUPPORTED_OP = 0x0f,
	UET_RC_AMO_UNSUPPORTED_DT = 0x10,
	UET_RC_AMO_UNSUPPORTED_SIZE = 0x11,
	UET_RC_AMO_UNALIGNED = 0x12,
	UET_RC_AMO_FP_NAN = 0x13,
	UET_RC_AMO_FP_UNDERFLOW = 0x14,
	UET_RC_AMO_FP_OVERFLOW = 0x15,
	UET_RC_AMO_FP_INEXACT = 0x16,
	UET_RC_PERM_VIOLATION = 0x17,
	UET_RC_OP_VIOLATION = 0x18,
	UET_RC_BAD_INDEX = 0x19,
	UET_RC_BAD_PID = 0x1a,
	UET_RC_BAD_JOB_ID = 0x1b,
	UET_RC_BAD_MKEY = 0x1c,
	UET_RC_BAD_ADDR = 0x1d,
	UET_RC_CANCELLED = 0x1e,
	UET_RC_UNDELIVERABLE = 0x1f,
	UET_RC_UNCOR = 0x20,
	UET_RC_UNCOR_TRNSNT = 0x21,
	UET_RC_TOO_LONG = 0x22,
	UET_RC_INITIATOR_ERR = 0x23,
	UET_RC_DROPPED = 0x24,
	UET_RC_EXTENDED = 0x3e,
	UET_RC_CODES = 64,
};

static_assert(sizeof(struct uet_ses_common_wire) == UET_SES_COMMON_LEN);
static_assert(sizeof(struct uet_ses_std_wire) == UET_SES_STD_LEN);
static_assert(offsetof(struct uet_ses_std_wire, buffer_offset) == 12);
static_assert(offsetof(struct uet_ses_std_wire, initiator) == 20);
static_assert(offsetof(struct uet_ses_std_wire, key) == 24);
static_assert(offsetof(struct uet_ses_std_wire, header_data) == 32);
static_assert(offsetof(struct uet_ses_std_wire, request_length) == 40);
static_assert(sizeof(struct uet_ses_small_wire) == UET_SES_SMALL_LEN);
static_assert(sizeof(struct uet_ses_medium_wire) == UET_SES_MEDIUM_LEN);
static_assert(sizeof(struct uet_ses_rsp_wire) == UET_SES_RSP_LEN);
static_assert(sizeof(struct uet_ses_rsp_data_wire) == UET_SES_RSP_DATA_LEN);
static_assert(sizeof(struct uet_ses_rsp_data_small_wire) ==
	      UET_SES_RSP_DATA_SMALL_LEN);
static_assert(sizeof(struct uet_ses_atomic_wire) == UET_SES_ATOMIC_LEN);
static_assert(sizeof(struct uet_ses_cswap_wire) == UET_SES_CSWAP_LEN);
static_assert(sizeof(struct uet_ses_rendezvous_wire) == UET_SES_RENDEZVOUS_LEN);

#endif /* _UET_CORE_WIRE_SES_H */
