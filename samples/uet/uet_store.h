/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The messages of uet_store: a client asks, the store answers each question once.
 */
#ifndef _UET_STORE_H
#define _UET_STORE_H

#include <linux/types.h>

/* Most data of a message, bytes */
#define UET_STORE_DATA_MAX	65536

enum uet_store_op {
	UET_STORE_READ	= 1,
	UET_STORE_WRITE	= 2,
};

/**
 * struct uet_store_ask - a question, followed by what is to be written
 * @cookie: comes back in the answer
 * @offset: first byte
 * @op: enum uet_store_op
 * @len: bytes to read or to write
 */
struct uet_store_ask {
	__be64	cookie;
	__be64	offset;
	__be32	op;
	__be32	len;
};

/**
 * struct uet_store_answer - the answer, followed by what was read
 * @cookie: of the question
 * @error: errno, 0 if it was done
 * @len: bytes read or written
 */
struct uet_store_answer {
	__be64	cookie;
	__be32	error;
	__be32	len;
};

#endif /* _UET_STORE_H */
