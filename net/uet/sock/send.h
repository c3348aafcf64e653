/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What sends of whole messages (sock/sendmsg.c) and of parts (sock/sendpart.c) share.
 */
#ifndef _UET_SEND_H
#define _UET_SEND_H

#include <linux/types.h>
#include <linux/uet.h>

#include "sock.h"
#include "tx/msg/txmsg.h"

struct msghdr;
struct sockaddr_uet;
struct ubuf_info;
struct uet_cq;
struct uet_peer;

/**
 * struct uet_send - one sendmsg() under way
 * @cookie: from the caller
 * @header_data: from the caller
 * @tag: match bits, valid if @has_tag
 * @timeo: jiffies it may still wait
 * @timeout: lifetime of the message, ms, 0 = no limit
 * @deadline: end of @timeout, ns
 * @ubuf: completion of MSG_ZEROCOPY, or NULL
 * @cq: completion queue with a slot for the result, until the message has it; or NULL
 * @pin: send from the pages of the caller, if it is not streamed; valid with @ubuf
 * @delivery: enum uet_delivery asked for, 0: of the socket
 * @posted: it is posted: room in the send buffer does not limit its length
 * @has_cookie: @cookie is valid
 * @has_tclass: the caller set the traffic class
 * @has_hd: @header_data is valid
 * @has_tag: the message is tagged; @tag may be 0
 * @write: place in a window, valid if @has_write
 * @has_write: it is a write
 * @pktinfo: own address to send from, valid if @has_pktinfo
 * @has_pktinfo: the caller chose it
 * @defer: 1 the caller lets the target defer it, -1 the caller does not, 0 the socket
 *	decides
 * @more: other messages are to follow at once
 */
struct uet_send {
	u64			cookie;
	u64			header_data;
	u64			tag;
	long			timeo;
	u32			timeout;
	u64			deadline;
	struct ubuf_info	*ubuf;
	struct uet_cq		*cq;
	bool			pin;
	u8			delivery;
	bool			posted;
	bool			has_cookie;
	bool			has_tclass;
	bool			has_hd;
	bool			has_tag;
	bool			has_write;
	s8			defer;
	bool			more;
	bool			has_pktinfo;
	struct uet_write	write;
	struct uet_pktinfo	pktinfo;
};

/* sendmsg.c */
void uet_send_target(struct uet_dest_key *key, const struct uet_sock *us,
		     const struct sockaddr_uet *to);
int uet_send_parse(struct uet_sock *us, struct uet_send *s, struct msghdr *msg,
		   struct uet_dest_key *key);
struct uet_dest *uet_send_dest(struct uet_sock *us, struct uet_send *s,
			       struct uet_dest_key *key, size_t len);
void uet_send_prio(const struct uet_sock *us, struct uet_dest *dest);
void uet_send_flush_but(struct uet_sock *us, const struct uet_dest *dest);
void uet_send_set_batch(struct uet_sock *us, struct uet_dest *dest);
bool uet_send_defers(const struct uet_sock *us, const struct uet_send *s,
		     const struct uet_dest *dest, u32 len);
bool uet_send_ready(struct uet_sock *us, struct uet_dest *dest,
		    const struct uet_txmsg *msg, u64 need, s64 *wake_at);
int uet_send_wait(struct uet_sock *us, struct uet_dest *dest,
		  const struct uet_txmsg *msg, u64 need, long *timeo);
struct uet_txmsg *uet_send_alloc(struct uet_sock *us, struct uet_send *s,
				 struct uet_dest *dest, u32 len);
int uet_send_submit(struct uet_sock *us, struct uet_send *s, struct uet_txmsg *msg);

/* shortmsg.c */
bool uet_shortmsg_fits_own(const struct uet_sock *us, const struct uet_dest *dest,
			   size_t len, u8 other);
struct uet_dest *uet_shortmsg_dest(struct uet_sock *us,
				   const struct uet_dest_key *key, size_t len);
u32 uet_shortmsg_prio(const struct uet_sock *us, const struct uet_dest *dest,
		      u8 other);

/**
 * uet_shortmsg_dscp() - the DSCP of short messages
 * @un: namespace
 *
 * Return: the DSCP; %UET_DSCP_OFF or more if they have none of their own.
 */
static inline u32 uet_shortmsg_dscp(const struct uet_net *un)
{
	u32 dscp = READ_ONCE(un->sysctl.dscp_short);

	if (dscp != UET_DSCP_AUTO)
		return dscp;
	return READ_ONCE(un->sysctl.trimming) ? READ_ONCE(un->sysctl.dscp_control) :
						UET_DSCP_OFF;
}

/**
 * uet_shortmsg_fits() - is a queue in the right class for a message?
 * @us: the sender
 * @dest: the queue
 * @len: length of the message
 * @other: DSCP of messages that are not short
 *
 * Context: any.
 * Return: true if so.
 */
static inline bool uet_shortmsg_fits(const struct uet_sock *us,
				     const struct uet_dest *dest, size_t len, u8 other)
{
	if (likely(uet_shortmsg_dscp(us->un) >= UET_DSCP_OFF))
		return dest->key.tclass == other;
	return uet_shortmsg_fits_own(us, dest, len, other);
}

/* datagram.c */
int uet_send_datagram(struct uet_sock *us, const struct uet_send *s,
		      struct msghdr *m, const struct uet_dest_key *to, size_t len);
struct uet_peer *uet_datagram_peer(struct uet_sock *us,
				   const struct uet_dest_key *to);
void uet_datagram_forget(struct uet_sock *us);

/* rudi.c */
int uet_send_write(struct uet_sock *us, struct uet_send *s, struct msghdr *m,
		   const struct uet_dest_key *to, size_t len);

/* sendpart.c */
int uet_send_part(struct uet_sock *us, struct uet_send *s, struct msghdr *m,
		  u32 len, bool pages);

#endif /* _UET_SEND_H */
