// SPDX-License-Identifier: GPL-2.0
/*
 * Long messages: a rendezvous.
 *
 * The source announces one by a short message in its order (RTS) whose tag matches the
 * receive, with its length and a name for it. The receiver asks for it in pieces (PULL),
 * each for a receive that it has posted on its other socket, which is unordered, so that
 * the data takes all paths and goes to the buffer with one copy. So a message that nobody
 * expects holds up nothing and takes no memory, and a receiver with little memory to pin
 * asks for less at a time; with none, it reads a piece.
 *
 * The source believes no more of what the receiver asks for than that the bytes are of
 * the message. All calls: uet_domain.lock held.
 */
#include <endian.h>

#include "uet_fi.h"

#define UET_PIECE_MIN	(64 << 10)

/* Pieces of a message that are asked for ahead */
#define UET_PIECES	16

/* A receiver that asks for more pieces than that at a time is none of the provider's. */
#define UET_PIECES_MAX	64

/* Messages read at a time: peers that send without end do not keep the caller. */
#define UET_READ_BUDGET		1024

/* A piece that is too long for the send buffer waits so long for memory to pin, ms. */
#define UET_PIECE_WAIT		5000

/* More than a message takes of it beside its bytes */
#define UET_PIECE_OVERHEAD	1024

/* From there on data is sent from where it is. */
#define UET_PIECE_PINNED	(64 << 10)

/**
 * uet_rts_length() - how long is a message that was announced?
 * @data: header data of the announcement
 *
 * Return: bytes.
 */
size_t uet_rts_length(uint64_t data)
{
	return data >> 32;
}

/**
 * uet_rts_data() - FI_REMOTE_CQ_DATA of a message that was announced
 * @bytes: eight bytes, the payload of the announcement
 *
 * Return: the data.
 */
uint64_t uet_rts_data(const char *bytes)
{
	uint64_t data;

	memcpy(&data, bytes, sizeof(data));
	return be64toh(data);
}

/* --- receiving ------------------------------------------------------------------- */

static void uet_pulls_end(struct uet_fi_op *op)
{
	list_del(&op->queued);
	if (op->error)
		uet_recv_fail(op, op->error);
	else
		uet_recv_end(op, op->recv.wanted, op->recv.total, 0);
}

static void uet_pull_cancel(struct uet_fi_op *piece)
{
	struct uet_completion cancelled = { .type = UET_DONE_RECV, .error = ECANCELED };

	if (!piece->piece.unposted)
		libuet_unpost(piece->ep->bulk, uet_op_cookie(piece));
	else
		uet_pull_told(piece, &cancelled);
}

static void uet_pulls_cancel(struct uet_fi_op *op, int error)
{
	struct list *l, *next;

	if (op->error)
		return;
	op->error = error;
	/* The last one may take the message with it. */
	op->left++;
	for (l = op->pieces.next; l != &op->pieces; l = next) {
		next = l->next;
		uet_pull_cancel(list_item(l, struct uet_fi_op, node));
	}
	if (!--op->left)
		uet_pulls_end(op);
}

/* Post the receive of a piece, which may become shorter. Returns an errno. */
static int uet_piece_post(struct uet_fi_op *op, struct uet_fi_op *piece)
{
	struct uet_op recv = {
		.cookie	= piece->key, .opcode = UET_OP_TRECV, .to = 1,
		.addr	= (uintptr_t)piece->buf, .tag = piece->key,
	};

	for (;;) {
		recv.length = piece->len;
		if (libuet_post(piece->ep->bulk, &recv, 1, &op->recv.source, 1) == 1)
			return 0;
		if (errno != ENOBUFS || piece->len <= UET_PIECE_MIN)
			return errno;
		piece->len /= 2;
	}
}

static struct uet_fi_op *uet_piece_get(struct uet_fi_op *op, enum uet_op_kind kind,
				       size_t offset, size_t len)
{
	struct uet_fi_op *piece = uet_op_get(op->ep, kind);

	if (!piece)
		return NULL;
	piece->parent = op;
	piece->offset = offset;
	piece->len = len;
	piece->piece.unposted = false;
	piece->piece.refused = 0;
	piece->piece.got = 0;
	list_add(&op->pieces, &piece->node);
	op->left++;
	return piece;
}

static void uet_piece_put(struct uet_fi_op *piece)
{
	piece->parent->left--;
	uet_op_put(piece);
}

/* Ask for the next piece. Returns an errno. */
static int uet_pull_next(struct uet_fi_op *op)
{
	const size_t left = op->recv.wanted - op->recv.asked;
	struct uet_ep *ep = op->ep;
	struct uet_fi_op *piece;
	struct uet_control c;
	int err;

	piece = uet_piece_get(op, UET_FI_OP_PULL, op->recv.asked,
			      left < UET_PIECE_MAX ? left : UET_PIECE_MAX);
	if (!piece)
		return EAGAIN;
	piece->buf = op->buf + op->offset + piece->offset;
	piece->key = uet_op_cookie(piece);
	err = uet_piece_post(op, piece);
	if (uet_unposted(err) && op->left == 1 && !ep->reader) {
		piece->piece.unposted = true;
		ep->reader = piece;
		err = 0;
	}
	if (err) {
		uet_piece_put(piece);
		return err;
	}
	op->recv.asked += piece->len;
	c = (struct uet_control){
		.type = UET_CONTROL_PULL, .id = op->recv.id, .key = piece->key,
		.offset = piece->offset, .length = piece->len,
		.last = op->recv.asked == op->recv.wanted,
	};
	err = -uet_control_send(ep, &op->recv.source, &c, piece->key);
	return uet_later(err) ? EIO : err;
}

static void uet_pulls_go_on(struct uet_fi_op *op)
{
	int err = 0;

	while (!err && !op->error && op->recv.asked < op->recv.wanted &&
	       op->left < UET_PIECES)
		err = uet_pull_next(op);
	if (err && !uet_unposted(err))
		uet_pulls_cancel(op, err);
	else if (err)
		op->ep->domain->again = true;
}

/**
 * uet_rdv_begin() - a long message has been announced to a receive
 * @op: the receive
 * @a: the announcement
 */
void uet_rdv_begin(struct uet_fi_op *op, const struct uet_arrival *a)
{
	const char *bytes = a->bytes ?: op->buf + op->offset;
	const size_t room = op->len - op->offset;

	op->flags = 0;
	op->data = 0;
	/* A receive of less than that is too short for the message, too. */
	if (a->len == sizeof(op->data) && a->got == a->len) {
		op->flags = FI_REMOTE_CQ_DATA;
		op->data = uet_rts_data(bytes);
	}
	op->recv.pulls = true;
	op->recv.source = uet_bulk_addr(a->from);
	op->recv.id = (uint32_t)a->data;
	op->recv.total = uet_rts_length(a->data);
	op->recv.wanted = op->recv.total < room ? op->recv.total : room;
	op->recv.asked = 0;
	op->error = 0;
	op->left = 0;
	if (!op->recv.wanted) {
		uet_rdv_refuse(op->ep, a);
		uet_recv_end(op, 0, op->recv.total, 0);
		return;
	}
	list_add(&op->ep->pulling, &op->queued);
	uet_pulls_go_on(op);
}

/**
 * uet_rdv_refuse() - nothing is wanted of a long message that was announced
 * @ep: endpoint
 * @a: the announcement
 */
void uet_rdv_refuse(struct uet_ep *ep, const struct uet_arrival *a)
{
	const struct uet_control c = {
		.type = UET_CONTROL_FIN, .id = (uint32_t)a->data,
	};
	const struct sockaddr_uet to = uet_bulk_addr(a->from);

	if (uet_control_send(ep, &to, &c, 0))
		uet_warn(EP_DATA, "the source of a message is not told that it is refused\n");
}

/**
 * uet_pull_told() - the kernel tells of a piece that was asked for
 * @piece: the piece
 * @done: what became of the question (UET_DONE_SENT), or of the receive
 */
void uet_pull_told(struct uet_fi_op *piece, const struct uet_completion *done)
{
	struct uet_fi_op *op = piece->parent;
	int error = done->error;

	if (done->type == UET_DONE_SENT) {
		if (error)
			uet_pulls_cancel(op, error);
		return;
	}
	if (!error && done->got != piece->len)
		error = EIO;
	if (piece == piece->ep->reader)
		piece->ep->reader = NULL;
	uet_piece_put(piece);
	if (error && !op->error)
		uet_pulls_cancel(op, error);
	else if (!op->left && (op->error || op->recv.asked == op->recv.wanted))
		uet_pulls_end(op);
	else if (!op->error)
		uet_pulls_go_on(op);
}

/* Read what comes of the piece that could not be posted. Returns false if none does. */
static bool uet_reader_read(struct uet_ep *ep, struct uet_fi_op *piece)
{
	struct uet_completion done = { .type = UET_DONE_RECV };
	struct libuet_attrs attrs;
	struct iovec iov[2];
	char rest[64];
	ssize_t n;

	iov[0] = (struct iovec){ piece->buf + piece->piece.got,
				 piece->len - piece->piece.got };
	iov[1] = (struct iovec){ rest, sizeof(rest) };
	n = libuet_recvmsg(ep->bulk, iov, 2, NULL, &attrs, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n < 0)
		done.error = errno;
	else
		piece->piece.got += n;
	if (!done.error && piece->piece.got > piece->len)
		done.error = EIO;
	if (!done.error && !(attrs.msg_flags & MSG_EOR))
		return true;
	done.got = piece->piece.got;
	uet_pull_told(piece, &done);
	return true;
}

/**
 * uet_rdv_read() - read messages of the socket for data that found no receive
 * @ep: endpoint
 *
 * Control messages, the piece that is read, and others, which go.
 */
void uet_rdv_read(struct uet_ep *ep)
{
	struct libuet_attrs attrs;
	struct sockaddr_uet from;
	char bytes[64];
	struct iovec iov = { bytes, sizeof(bytes) };
	int left = UET_READ_BUDGET;
	ssize_t n;

	while (left--) {
		n = libuet_recvmsg(ep->bulk, &iov, 1, &from, &attrs,
				   MSG_DONTWAIT | MSG_PEEK);
		if (n < 0 && errno != ECONNABORTED && errno != ECONNRESET)
			return;
		if (n >= 0 && ep->reader && attrs.has & LIBUET_TAG &&
		    attrs.tag == ep->reader->key) {
			if (!uet_reader_read(ep, ep->reader))
				return;
			continue;
		}
		n = libuet_recvmsg(ep->bulk, &iov, 1, &from, &attrs, MSG_DONTWAIT);
		if (n >= 0 && !(attrs.has & LIBUET_TAG) && attrs.msg_flags & MSG_EOR)
			uet_control_read(ep, &from, bytes, n);
	}
}

/* --- sending --------------------------------------------------------------------- */

/* The part of a message that a piece is */
static size_t uet_piece_iov(const struct uet_fi_op *piece, struct iovec *iov)
{
	const struct uet_fi_op *op = piece->parent;
	size_t skip = piece->offset, left = piece->len, n = 0, len;
	uint32_t i;

	for (i = 0; i < op->send.iovs && left; i++) {
		len = op->send.iov[i].iov_len;
		if (skip >= len) {
			skip -= len;
			continue;
		}
		len -= skip;
		if (len > left)
			len = left;
		iov[n++] = (struct iovec){ (char *)op->send.iov[i].iov_base + skip, len };
		left -= len;
		skip = 0;
	}
	return n;
}

/* Send a piece that lies in one place: pinned, or copied at RLIMIT_MEMLOCK. */
static int uet_push_post(struct uet_fi_op *piece, const struct sockaddr_uet *to,
			 const struct iovec *iov)
{
	const struct uet_op send = {
		.cookie = uet_op_cookie(piece), .opcode = UET_OP_TSEND, .to = 1,
		.addr = (uintptr_t)iov->iov_base, .length = iov->iov_len,
		.tag = piece->key,
	};

	piece->left = 1;
	return libuet_post(piece->ep->bulk, &send, 1, to, 1) == 1 ? 0 : errno;
}

/* Send a piece. Returns an errno. */
static int uet_push(struct uet_fi_op *piece)
{
	const struct sockaddr_uet to = uet_bulk_addr(&piece->parent->peer);
	const struct libuet_attrs attrs = {
		.has = LIBUET_TAG | LIBUET_COOKIE, .tag = piece->key,
		.cookie = uet_op_cookie(piece),
	};
	const int flags = MSG_DONTWAIT | MSG_NOSIGNAL;
	const int fd = piece->ep->bulk;
	struct iovec iov[UET_IOV_MAX];
	size_t n = uet_piece_iov(piece, iov);

	if (n == 1)
		return uet_push_post(piece, &to, iov);
	if (piece->len >= UET_PIECE_PINNED) {
		piece->left = 2;
		if (libuet_sendmsg(fd, iov, n, &to, &attrs, flags | MSG_ZEROCOPY) >= 0)
			return 0;
		if (errno != ENOBUFS)
			return errno;
	}
	piece->left = 1;
	if (libuet_sendmsg(fd, iov, n, &to, &attrs, flags) >= 0)
		return 0;
	/* It is longer than the send buffer, and may be pinned later. */
	return errno == EMSGSIZE ? ENOBUFS : errno;
}

static void uet_push_end(struct uet_fi_op *piece, int error)
{
	struct uet_fi_op *op = piece->parent;

	if (error && !op->error)
		op->error = error;
	uet_piece_put(piece);
	if (!op->left && (op->error || op->send.asked_all))
		uet_send_end(op);
}

/**
 * uet_push_told() - the kernel tells of a piece that was sent
 * @piece: the piece
 * @done: it was delivered, or failed, or its buffer is free
 */
void uet_push_told(struct uet_fi_op *piece, const struct uet_completion *done)
{
	if (done->error && !piece->parent->error)
		piece->parent->error = done->error;
	if (!--piece->left)
		uet_push_end(piece, 0);
}

/* A piece was refused. What can be pinned now and then is sent from where it is; what can
 * be copied has room when others have gone. Is it neither?
 */
static bool uet_push_hopeless(struct uet_fi_op *piece)
{
	const uint64_t now = uet_now_ms();
	socklen_t len = sizeof(int);
	int sndbuf;

	if (!piece->piece.refused)
		piece->piece.refused = now;
	if (now - piece->piece.refused < UET_PIECE_WAIT ||
	    getsockopt(piece->ep->bulk, SOL_SOCKET, SO_SNDBUF, &sndbuf, &len) ||
	    piece->len + UET_PIECE_OVERHEAD <= (size_t)sndbuf)
		return false;
	uet_warn(EP_DATA, "a piece of %zu bytes cannot be pinned (RLIMIT_MEMLOCK), nor copied to a send buffer of %d (net.uet.wmem)\n",
		 piece->len, sndbuf);
	return true;
}

static void uet_pushes_go_on(struct uet_ep *ep)
{
	struct uet_fi_op *piece;
	int err;

	while (!list_empty(&ep->pushes)) {
		piece = list_item(ep->pushes.next, struct uet_fi_op, queued);
		err = piece->parent->error ?: uet_push(piece);
		if (uet_later(err) && !uet_push_hopeless(piece))
			return;
		list_del(&piece->queued);
		if (err)
			uet_push_end(piece, err);
	}
}

/**
 * uet_rdv_control() - the other end of a rendezvous says something
 * @ep: endpoint
 * @from: its socket for data
 * @c: what it says
 */
void uet_rdv_control(struct uet_ep *ep, const struct sockaddr_uet *from,
		     const struct uet_control *c)
{
	struct uet_fi_op *op = uet_op_named(ep->domain, c->id);
	struct sockaddr_uet bulk;
	struct uet_fi_op *piece;

	if (!op || op->kind != UET_FI_OP_SEND || op->ep != ep || op->len <= UET_EAGER_MAX)
		return;
	bulk = uet_bulk_addr(&op->peer);
	if (!uet_addr_same(&bulk, from))
		return;
	if (c->type == UET_CONTROL_FIN) {
		op->send.asked_all = true;
		if (!op->left)
			uet_send_end(op);
		return;
	}
	if (c->type != UET_CONTROL_PULL || !c->length || c->offset > op->len ||
	    c->length > op->len - c->offset || op->left >= UET_PIECES_MAX)
		return;
	piece = uet_piece_get(op, UET_FI_OP_PUSH, c->offset, c->length);
	if (!piece) {
		/* The receiver waits for it: better an error than a wait without end. */
		op->error = FI_ENOMEM;
		if (!op->left)
			uet_send_end(op);
		return;
	}
	piece->key = c->key;
	op->send.asked_all |= c->last;
	list_add(&ep->pushes, &piece->queued);
	uet_pushes_go_on(ep);
	if (!list_empty(&ep->pushes))
		ep->domain->again = true;
}

/**
 * uet_rdv_go_on() - go on with what waited for room
 * @ep: endpoint
 */
void uet_rdv_go_on(struct uet_ep *ep)
{
	struct list *l, *next;
	struct uet_fi_op *op;

	uet_control_retry(ep);
	uet_pushes_go_on(ep);
	for (l = ep->pulling.next; l != &ep->pulling; l = next) {
		next = l->next;
		op = list_item(l, struct uet_fi_op, queued);
		if (!op->error && op->recv.asked < op->recv.wanted &&
		    op->left < UET_PIECES)
			uet_pulls_go_on(op);
	}
	if (ep->reader || !list_empty(&ep->controls))
		uet_rdv_read(ep);
}

/**
 * uet_rdv_peer_lost() - a peer is gone: its long messages will not come, nor go
 * @ep: endpoint
 * @peer: address
 * @error: errno
 */
void uet_rdv_peer_lost(struct uet_ep *ep, const struct sockaddr_uet *peer, int error)
{
	const struct sockaddr_uet bulk = uet_bulk_addr(peer);
	struct list *l, *next;
	struct uet_fi_op *op;

	for (l = ep->pulling.next; l != &ep->pulling; l = next) {
		next = l->next;
		op = list_item(l, struct uet_fi_op, queued);
		if (uet_addr_same(&op->recv.source, &bulk))
			uet_pulls_cancel(op, error);
	}
	for (l = ep->sends.next; l != &ep->sends; l = next) {
		next = l->next;
		op = list_item(l, struct uet_fi_op, node);
		/* The kernel tells of the others. */
		if (op->len <= UET_EAGER_MAX || !uet_addr_same(&op->peer, peer))
			continue;
		op->error = op->error ?: error;
		if (!op->left)
			uet_send_end(op);
	}
	uet_pushes_go_on(ep);
}
