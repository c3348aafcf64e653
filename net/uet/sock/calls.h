/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System calls of AF_UET sockets.
 */
#ifndef _UET_CALLS_H
#define _UET_CALLS_H

#include <linux/poll.h>
#include <linux/sockptr.h>
#include <linux/types.h>

struct msghdr;
struct pipe_inode_info;
struct socket;
struct sockaddr_uet;
struct uet_dest_key;
struct uet_op;
struct uet_post;
struct uet_sock;

/* af_uet.c */
struct uet_sock *uet_sock_of(const struct socket *sock);
int uet_sock_init(void);
void uet_sock_exit(void);
int uet_sock_open(void);
void uet_sock_close(void);
void uet_sock_wait(void);

/* sendmsg.c, recvmsg.c, sockopt.c */
int uet_splice(struct socket *sock, struct msghdr *msg, size_t len);
int uet_sendmsg(struct socket *sock, struct msghdr *msg, size_t len);
int uet_recvmsg(struct socket *sock, struct msghdr *msg, size_t len, int flags);
void uet_recv_posted(struct uet_sock *us, const struct sockaddr_uet *from, int error);
ssize_t uet_splice_read(struct socket *sock, loff_t *ppos,
			struct pipe_inode_info *pipe, size_t len, unsigned int flags);
__poll_t uet_poll(struct file *file, struct socket *sock,
		  struct poll_table_struct *wait);
int uet_setsockopt(struct socket *sock, int level, int optname,
		   sockptr_t optval, unsigned int optlen);
int uet_getsockopt(struct socket *sock, int level, int optname,
		   char __user *optval, int __user *optlen);

/* bufsize.c */
void uet_release_cb(struct sock *sk);
int uet_set_bufsize(struct socket *sock, int optname, int v);

/* post.c */
int uet_set_cq(struct uet_sock *us, int fd);
int uet_post(struct uet_sock *us, struct uet_post __user *arg);

/* rtr.c: requests for messages that a socket has deferred */
void uet_rtr_init(struct uet_sock *us);
void uet_rtr_close(struct uet_sock *us);

/* sendop.c */
int uet_send_op(struct uet_sock *us, const struct uet_op *op,
		const struct sockaddr_uet *to, bool more);

/* sendpart.c */
void uet_splice_eof(struct socket *sock);
void uet_part_drop(struct uet_sock *us);
bool uet_part_cancel(struct uet_sock *us, u64 cookie);

void uet_send_key(const struct uet_sock *us, const struct sockaddr_uet *to,
		  struct uet_dest_key *key);

#endif /* _UET_CALLS_H */
