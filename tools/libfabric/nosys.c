// SPDX-License-Identifier: GPL-2.0
/* Calls of libfabric that an object does not have */
#include "uet_fi.h"

int uet_no_bind(struct fid *fid, struct fid *bfid, uint64_t flags)
{
	(void)fid;
	(void)bfid;
	(void)flags;
	return -FI_ENOSYS;
}

int uet_no_control(struct fid *fid, int command, void *arg)
{
	(void)fid;
	(void)command;
	(void)arg;
	return -FI_ENOSYS;
}

int uet_no_ops_open(struct fid *fid, const char *name, uint64_t flags, void **ops,
		    void *context)
{
	(void)fid;
	(void)name;
	(void)flags;
	(void)ops;
	(void)context;
	return -FI_ENOSYS;
}

/* --- remote memory, atomic and collective operations --------------------------------
 *
 * libfabric calls them without a look whether an endpoint has any. The arguments are those
 * of fi_ops_rma, fi_ops_atomic and fi_ops_collective.
 */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define UET_NO(type, name, ...)						\
	static type uet_no_ ## name(struct fid_ep *ep, __VA_ARGS__)	\
	{								\
		return -FI_ENOSYS;					\
	}

UET_NO(ssize_t, read, void *buf, size_t len, void *desc, fi_addr_t from, uint64_t addr,
       uint64_t key, void *context)
UET_NO(ssize_t, write, const void *buf, size_t len, void *desc, fi_addr_t to, uint64_t addr,
       uint64_t key, void *context)
UET_NO(ssize_t, rma_v, const struct iovec *iov, void **desc, size_t count, fi_addr_t peer,
       uint64_t addr, uint64_t key, void *context)
UET_NO(ssize_t, rma_msg, const struct fi_msg_rma *msg, uint64_t flags)
UET_NO(ssize_t, inject, const void *buf, size_t len, fi_addr_t to, uint64_t addr,
       uint64_t key)
UET_NO(ssize_t, writedata, const void *buf, size_t len, void *desc, uint64_t data,
       fi_addr_t to, uint64_t addr, uint64_t key, void *context)
UET_NO(ssize_t, injectdata, const void *buf, size_t len, uint64_t data, fi_addr_t to,
       uint64_t addr, uint64_t key)

struct fi_ops_rma uet_no_rma_ops = {
	.size		= sizeof(struct fi_ops_rma),
	.read		= uet_no_read,
	.readv		= uet_no_rma_v,
	.readmsg	= uet_no_rma_msg,
	.write		= uet_no_write,
	.writev		= uet_no_rma_v,
	.writemsg	= uet_no_rma_msg,
	.inject		= uet_no_inject,
	.writedata	= uet_no_writedata,
	.injectdata	= uet_no_injectdata,
};

UET_NO(ssize_t, atomic, const void *buf, size_t count, void *desc, fi_addr_t to,
       uint64_t addr, uint64_t key, enum fi_datatype datatype, enum fi_op op, void *context)
UET_NO(ssize_t, atomicv, const struct fi_ioc *iov, void **desc, size_t count, fi_addr_t to,
       uint64_t addr, uint64_t key, enum fi_datatype datatype, enum fi_op op, void *context)
UET_NO(ssize_t, atomicmsg, const struct fi_msg_atomic *msg, uint64_t flags)
UET_NO(ssize_t, inject_atomic, const void *buf, size_t count, fi_addr_t to, uint64_t addr,
       uint64_t key, enum fi_datatype datatype, enum fi_op op)
UET_NO(ssize_t, fetch_atomic, const void *buf, size_t count, void *desc, void *result,
       void *result_desc, fi_addr_t to, uint64_t addr, uint64_t key,
       enum fi_datatype datatype, enum fi_op op, void *context)
UET_NO(ssize_t, fetch_atomicv, const struct fi_ioc *iov, void **desc, size_t count,
       struct fi_ioc *resultv, void **result_desc, size_t result_count, fi_addr_t to,
       uint64_t addr, uint64_t key, enum fi_datatype datatype, enum fi_op op, void *context)
UET_NO(ssize_t, fetch_atomicmsg, const struct fi_msg_atomic *msg, struct fi_ioc *resultv,
       void **result_desc, size_t result_count, uint64_t flags)
UET_NO(ssize_t, compare_atomic, const void *buf, size_t count, void *desc,
       const void *compare, void *compare_desc, void *result, void *result_desc,
       fi_addr_t to, uint64_t addr, uint64_t key, enum fi_datatype datatype, enum fi_op op,
       void *context)
UET_NO(ssize_t, compare_atomicv, const struct fi_ioc *iov, void **desc, size_t count,
       const struct fi_ioc *comparev, void **compare_desc, size_t compare_count,
       struct fi_ioc *resultv, void **result_desc, size_t result_count, fi_addr_t to,
       uint64_t addr, uint64_t key, enum fi_datatype datatype, enum fi_op op, void *context)
UET_NO(ssize_t, compare_atomicmsg, const struct fi_msg_atomic *msg,
       const struct fi_ioc *comparev, void **compare_desc, size_t compare_count,
       struct fi_ioc *resultv, void **result_desc, size_t result_count, uint64_t flags)
UET_NO(int, atomicvalid, enum fi_datatype datatype, enum fi_op op, size_t *count)

struct fi_ops_atomic uet_no_atomic_ops = {
	.size		= sizeof(struct fi_ops_atomic),
	.write		= uet_no_atomic,
	.writev		= uet_no_atomicv,
	.writemsg	= uet_no_atomicmsg,
	.inject		= uet_no_inject_atomic,
	.readwrite	= uet_no_fetch_atomic,
	.readwritev	= uet_no_fetch_atomicv,
	.readwritemsg	= uet_no_fetch_atomicmsg,
	.compwrite	= uet_no_compare_atomic,
	.compwritev	= uet_no_compare_atomicv,
	.compwritemsg	= uet_no_compare_atomicmsg,
	.writevalid	= uet_no_atomicvalid,
	.readwritevalid	= uet_no_atomicvalid,
	.compwritevalid	= uet_no_atomicvalid,
};

UET_NO(ssize_t, barrier, fi_addr_t coll, void *context)
UET_NO(ssize_t, barrier2, fi_addr_t coll, uint64_t flags, void *context)
UET_NO(ssize_t, broadcast, void *buf, size_t count, void *desc, fi_addr_t coll,
       fi_addr_t root, enum fi_datatype datatype, uint64_t flags, void *context)
UET_NO(ssize_t, gather_all, const void *buf, size_t count, void *desc, void *result,
       void *result_desc, fi_addr_t coll, enum fi_datatype datatype, uint64_t flags,
       void *context)
UET_NO(ssize_t, reduce_all, const void *buf, size_t count, void *desc, void *result,
       void *result_desc, fi_addr_t coll, enum fi_datatype datatype, enum fi_op op,
       uint64_t flags, void *context)
UET_NO(ssize_t, reduce, const void *buf, size_t count, void *desc, void *result,
       void *result_desc, fi_addr_t coll, fi_addr_t root, enum fi_datatype datatype,
       enum fi_op op, uint64_t flags, void *context)
UET_NO(ssize_t, gather, const void *buf, size_t count, void *desc, void *result,
       void *result_desc, fi_addr_t coll, fi_addr_t root, enum fi_datatype datatype,
       uint64_t flags, void *context)
UET_NO(ssize_t, coll_msg, const struct fi_msg_collective *msg, struct fi_ioc *resultv,
       void **result_desc, size_t result_count, uint64_t flags)

struct fi_ops_collective uet_no_collective_ops = {
	.size		= sizeof(struct fi_ops_collective),
	.barrier	= uet_no_barrier,
	.broadcast	= uet_no_broadcast,
	.alltoall	= uet_no_gather_all,
	.allreduce	= uet_no_reduce_all,
	.allgather	= uet_no_gather_all,
	.reduce_scatter	= uet_no_reduce_all,
	.reduce		= uet_no_reduce,
	.scatter	= uet_no_gather,
	.gather		= uet_no_gather,
	.msg		= uet_no_coll_msg,
	.barrier2	= uet_no_barrier2,
};
