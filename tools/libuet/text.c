// SPDX-License-Identifier: GPL-2.0
/* Codes by name, and reports as sentences */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

struct code {
	const char	*name, *text;
};

/* SES return codes, UE 1.0 3.4 */
static const struct code ses[] = {
	[0x00] = { "NULL", "no return code" },
	[0x01] = { "OK", "success" },
	[0x02] = { "BAD_GENERATION", "wrong generation of the resource index" },
	[0x03] = { "DISABLED", "resource disabled" },
	[0x04] = { "DISABLED_GEN", "resource disabled, generation changed" },
	[0x05] = { "NO_MATCH", "no buffer" },
	[0x06] = { "UNSUPPORTED_OP", "operation not supported" },
	[0x07] = { "UNSUPPORTED_SIZE", "size not supported" },
	[0x08] = { "AT_INVALID", "address translation invalid" },
	[0x09] = { "AT_PERM", "address translation refused" },
	[0x0a] = { "AT_ATS_ERROR", "address translation service failed" },
	[0x0b] = { "AT_NO_TRANS", "no address translation" },
	[0x0c] = { "AT_OUT_OF_RANGE", "address translation out of range" },
	[0x0d] = { "HOST_POISONED", "memory poisoned" },
	[0x0e] = { "HOST_UNSUCCESS_CMPL", "host bus failure" },
	[0x0f] = { "AMO_UNSUPPORTED_OP", "atomic operation not supported" },
	[0x10] = { "AMO_UNSUPPORTED_DT", "atomic data type not supported" },
	[0x11] = { "AMO_UNSUPPORTED_SIZE", "atomic size not supported" },
	[0x12] = { "AMO_UNALIGNED", "atomic operand not aligned" },
	[0x13] = { "AMO_FP_NAN", "not a number" },
	[0x14] = { "AMO_FP_UNDERFLOW", "floating point underflow" },
	[0x15] = { "AMO_FP_OVERFLOW", "floating point overflow" },
	[0x16] = { "AMO_FP_INEXACT", "floating point inexact" },
	[0x17] = { "PERM_VIOLATION", "not permitted" },
	[0x18] = { "OP_VIOLATION", "malformed operation" },
	[0x19] = { "BAD_INDEX", "no such resource index" },
	[0x1a] = { "BAD_PID", "no such process" },
	[0x1b] = { "BAD_JOB_ID", "no such job" },
	[0x1c] = { "BAD_MKEY", "no such memory key" },
	[0x1d] = { "BAD_ADDR", "outside the memory region" },
	[0x1e] = { "CANCELLED", "cancelled" },
	[0x1f] = { "UNDELIVERABLE", "not deliverable" },
	[0x20] = { "UNCOR", "uncorrectable" },
	[0x21] = { "UNCOR_TRNSNT", "uncorrectable, transient" },
	[0x22] = { "TOO_LONG", "longer than the receiver accepts" },
	[0x23] = { "INITIATOR_ERR", "initiator reported an error" },
	[0x24] = { "DROPPED", "dropped" },
	[0x3e] = { "EXTENDED", "extended code" },
};

/* PDS NACK codes, UE 1.0 3.5 */
static const struct code nack[] = {
	[0x01] = { "TRIMMED", "arrived trimmed" },
	[0x02] = { "TRIMMED_LASTHOP", "trimmed on the last hop" },
	[0x03] = { "TRIMMED_ACK", "a trimmed answer with read data arrived" },
	[0x04] = { "NO_PDC_AVAIL", "no context free" },
	[0x05] = { "NO_CCC_AVAIL", "no congestion control context free" },
	[0x06] = { "NO_BITMAP", "no tracking bitmap free" },
	[0x07] = { "NO_PKT_BUFFER", "no packet buffer" },
	[0x08] = { "NO_GTD_DEL_AVAIL", "no room to keep an answer" },
	[0x09] = { "NO_SES_MSG_AVAIL", "no message state" },
	[0x0a] = { "NO_RESOURCE", "other shortage" },
	[0x0b] = { "PSN_OOR_WINDOW", "outside the receive window" },
	[0x0d] = { "ROD_OOO", "out of order on an ordered context" },
	[0x0e] = { "INV_DPDCID", "the peer does not know the context" },
	[0x0f] = { "PDC_HDR_MISMATCH", "the context belongs to another peer" },
	[0x10] = { "CLOSING", "the peer has closed the context" },
	[0x11] = { "CLOSING_IN_ERR",
		   "the peer has closed the context because of an error" },
	[0x12] = { "PKT_NOT_RCVD", "the packet was never received" },
	[0x13] = { "GTD_RESP_UNAVAIL", "the peer lost an answer" },
	[0x14] = { "ACK_WITH_DATA", "the data of the answer was not kept" },
	[0x15] = { "INVALID_SYN", "the context cannot be opened so" },
	[0x16] = { "PDC_MODE_MISMATCH", "ordered here, unordered there" },
	[0x17] = { "NEW_START_PSN", "to begin again at another number" },
	[0x18] = { "RCVD_SES_PROCG", "received, and still in process" },
	[0x19] = { "UNEXP_EVENT", "unexpected event" },
	[0x1a] = { "RCVR_INFER_LOSS", "the receiver inferred a loss" },
	[0xfd] = { "EXP_NORMAL", "experimental, normal" },
	[0xfe] = { "EXP_ERROR", "experimental, error" },
	[0xff] = { "EXP_FATAL", "experimental, fatal" },
};

static const struct code *find_code(unsigned int source, unsigned int code)
{
	const struct code *c = NULL;

	if (source == UET_REPORT_SES && code < ARRAY_SIZE(ses))
		c = &ses[code];
	else if (source == UET_REPORT_NACK && code < ARRAY_SIZE(nack))
		c = &nack[code];
	return c && c->name ? c : NULL;
}

/**
 * libuet_code_name() - the name of a code in UE 1.0
 * @source: uet_report.source
 * @code: uet_report.code
 *
 * Return: a name like "BAD_PID", or NULL if the code has none.
 */
const char *libuet_code_name(unsigned int source, unsigned int code)
{
	const struct code *c = find_code(source, code);

	return c ? c->name : NULL;
}

/**
 * libuet_code_text() - what a code means
 * @source: uet_report.source
 * @code: uet_report.code
 *
 * Return: text like "no such process", or NULL if the code has no name.
 */
const char *libuet_code_text(unsigned int source, unsigned int code)
{
	const struct code *c = find_code(source, code);

	return c ? c->text : NULL;
}

/**
 * libuet_errno_name() - the name of an errno
 * @error: the errno
 *
 * Return: a name like "ECONNREFUSED", or NULL if it has none.
 */
const char *libuet_errno_name(int error)
{
	return error ? strerrorname_np(error) : NULL;
}

#define ERRNO_MAX	4095

/**
 * libuet_errno_by_name() - an errno by its name
 * @name: as libuet_errno_name() has it
 *
 * Return: the errno, 0 if there is none of that name.
 */
int libuet_errno_by_name(const char *name)
{
	for (int error = 1; error <= ERRNO_MAX; error++) {
		const char *known = strerrorname_np(error);

		if (known && !strcmp(known, name))
			return error;
	}
	return 0;
}

/**
 * libuet_blocked_name() - why data for a peer waits
 * @blocked_by: uet_info.blocked_by
 *
 * Return: a word like "window", or NULL if the number has none.
 */
const char *libuet_blocked_name(unsigned int blocked_by)
{
	static const char * const names[] = {
		[UET_BLOCKED_NOT] = "not",
		[UET_BLOCKED_WINDOW] = "window",
		[UET_BLOCKED_CREDIT] = "credit",
		[UET_BLOCKED_MPR] = "mpr",
		[UET_BLOCKED_RECEIVER] = "receiver",
		[UET_BLOCKED_ROUTE] = "route",
		[UET_BLOCKED_PORT] = "port",
	};

	return blocked_by < ARRAY_SIZE(names) ? names[blocked_by] : NULL;
}

/* --- sentences --------------------------------------------------------------- */

struct sentence {
	char	*buf;
	size_t	size, len;	/* len: what it would be with enough room */
};

static void __attribute__((format(printf, 2, 3)))
say(struct sentence *s, const char *fmt, ...)
{
	size_t room = s->len < s->size ? s->size - s->len : 0;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(room ? s->buf + s->len : NULL, room, fmt, ap);
	va_end(ap);
	s->len += n > 0 ? n : 0;
}

static void say_subject(struct sentence *s, const struct uet_report *rep)
{
	unsigned long long first = rep->cookie, last = rep->cookie_last;

	if (rep->type == UET_REPORT_PEER)
		say(s, "peer");
	else if (rep->type == UET_REPORT_WATCH)
		say(s, "watch %llu", first);
	else if (rep->type == UET_REPORT_DELIVERED && first != last)
		say(s, "messages %llu to %llu", first, last);
	else if (rep->type == UET_REPORT_FAILED)
		say(s, "message %llu (%u bytes)", first, rep->length);
	else
		say(s, "message %llu", first);
}

static void say_peer(struct sentence *s, const struct uet_report *rep,
		     const struct sockaddr_uet *peer)
{
	char uri[LIBUET_URI_SIZE];

	if (peer && libuet_format(peer, uri, sizeof(uri)) >= 0)
		say(s, " %s%s", rep->type == UET_REPORT_PEER ? "" :
				rep->type == UET_REPORT_WATCH ? "of " : "to ", uri);
}

static void say_result(struct sentence *s, const struct uet_report *rep)
{
	const char *name = libuet_errno_name(rep->error);
	char text[128];

	if (!rep->error) {
		say(s, rep->type == UET_REPORT_WATCH ? ": it is there again" :
		       rep->type == UET_REPORT_PEER ? " is heard again" :
						      " delivered");
		return;
	}
	say(s, "%s: %s", rep->type == UET_REPORT_FAILED ? " failed" :
			 rep->type == UET_REPORT_PEER ? " is lost" : "",
	    strerror_r(rep->error, text, sizeof(text)));
	if (name)
		say(s, " (%s)", name);
}

/* What a router or host said: IPv4 and IPv6 have numbers of their own */
static void say_icmp(struct sentence *s, const struct uet_report *rep,
		     const struct sockaddr_uet *peer)
{
	unsigned int type = rep->code >> 8, code = rep->code & 0xff;
	bool v4 = peer && IN6_IS_ADDR_V4MAPPED(&peer->suet_addr);
	bool unreachable = peer && type == (v4 ? 3 : 1);

	say(s, "; ICMP type %u code %u", type, code);
	if (unreachable)
		say(s, code == (v4 ? 3 : 4) ? ": port unreachable"
					    : ": destination unreachable");
}

static void say_cause(struct sentence *s, const struct uet_report *rep,
		      const struct sockaddr_uet *peer)
{
	const struct code *c = find_code(rep->source, rep->code);
	const char *how = rep->source == UET_REPORT_NACK ? "NACK"
							 : "the target answered";

	if (!rep->error)
		return;
	if (c)
		say(s, "; %s %s (%u): %s", how, c->name, rep->code, c->text);
	else if (rep->source == UET_REPORT_ICMP)
		say_icmp(s, rep, peer);
	else if (rep->source == UET_REPORT_LOCAL)
		say(s, "; found by this host");
	else
		say(s, "; source %u, code %u", rep->source, rep->code);
}

/**
 * libuet_report_text() - a report as a sentence
 * @rep: the report
 * @peer: the address it is about, or NULL
 * @buf: gets the sentence, without a period and a line feed
 * @size: room there; LIBUET_TEXT_SIZE is always enough
 *
 * Return: length of the sentence, or -1 with errno ENOSPC, when @buf has its
 * beginning.
 */
int libuet_report_text(const struct uet_report *rep,
		       const struct sockaddr_uet *peer, char *buf, size_t size)
{
	struct sentence s = { .buf = buf, .size = size };
	int err = errno;

	say_subject(&s, rep);
	say_peer(&s, rep, peer);
	say_result(&s, rep);
	say_cause(&s, rep, peer);
	errno = s.len < size ? err : ENOSPC;
	return s.len < size ? (int)s.len : -1;
}
