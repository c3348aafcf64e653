/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Path selection over several local ports (GetSendParams of UE 1.0 3.6.12):
 * port and entropy value are chosen together.
 *
 * Each port has values of its own, so a value says by which port its packet
 * left: the scoreboard, the peer's echo and control packets name a path by 16
 * bits as with a single port. On each port runs the policy that the context
 * asked for, over a space of its own. What stands here is a layer above them
 * that behaves like a policy; it chooses the port and passes everything else
 * on.
 *
 * The port is the one that would have a packet out first: it counts what it
 * was given at the speed of the link, and the bytes that wait there, its own or
 * others'. A port whose packets are marked or lost more often than those of
 * all ports gets less until they are not: its network is slower than its link.
 */
#ifndef _UET_CORE_LB_PORTS_H
#define _UET_CORE_LB_PORTS_H

#include "lb.h"

#define UET_LB_PORTS_MAX	8
/* Values of one port: the dynamic UDP ports in equal parts */
#define UET_LB_ZONE		((U16_MAX + 1 - UET_LB_UDP_LOW) / \
				 UET_LB_PORTS_MAX)

/**
 * struct uet_lb_port - one local port
 * @lb: policy that chooses among its values
 * @first: position of its first value in the common space
 * @free_at: when it will have sent what it was given, ns
 * @given: time that all it was given took its link, ns
 * @wait_ns: time that what waits there takes, as last told
 * @mbps: speed of its link
 * @share: part of that speed its network carries, 1/65536
 * @up: it has a carrier
 */
struct uet_lb_port {
	struct uet_lb *lb;
	u32 first;
	u64 free_at;
	u64 given;
	u64 wait_ns;
	u32 mbps;
	u32 share;
	bool up;
};

/**
 * uet_lb_zone() - which port a value belongs to
 * @ev: value
 *
 * Return: number of the port if the context has that many, else any number:
 * the caller takes the remainder.
 */
static inline u32 uet_lb_zone(u16 ev)
{
	return (u16)(ev - UET_LB_UDP_LOW) / UET_LB_ZONE;
}

/**
 * uet_lb_zone_base() - first value of a space inside a port's part
 * @port: number of the port
 * @n: size of the space, at most %UET_LB_ZONE
 * @random: random bits
 *
 * Return: the value.
 */
u16 uet_lb_zone_base(u32 port, u32 n, u32 random);

/**
 * uet_lb_ports_mem_size() - memory of an object with several ports
 * @ops: policy on each port
 * @n: size of each port's space, as in uet_lb_config.n
 * @nr: number of ports
 *
 * Return: bytes.
 */
size_t uet_lb_ports_mem_size(const struct uet_lb_ops *ops, u32 n, u32 nr);

/**
 * uet_lb_ports_init() - start an object with several ports
 * @lb: memory of uet_lb_ports_mem_size() bytes for the same arguments
 * @ops: policy on each port, one that sprays
 * @cfg: how it is to run; base is chosen here, n at most %UET_LB_ZONE
 * @nr: number of ports, 2 to %UET_LB_PORTS_MAX
 * @mbps: their speeds, none zero
 *
 * All ports are up. The object serves wherever one of uet_lb_init() does.
 *
 * Return: 0 or -EINVAL.
 */
int uet_lb_ports_init(struct uet_lb *lb, const struct uet_lb_ops *ops,
		      const struct uet_lb_config *cfg, u32 nr,
		      const u32 *mbps);

/**
 * uet_lb_ports_nr() - number of ports
 * @lb: any object
 *
 * Return: 0 if the object knows nothing of ports.
 */
u32 uet_lb_ports_nr(const struct uet_lb *lb);

/**
 * uet_lb_ports_get() - state of one port
 * @lb: object with ports
 * @port: its number
 *
 * Return: the port.
 */
const struct uet_lb_port *uet_lb_ports_get(const struct uet_lb *lb, u32 port);

/**
 * uet_lb_ports_tell() - what the caller sees of a port
 * @lb: object with ports
 * @port: its number
 * @up: it has a carrier
 * @backlog: bytes that wait there
 *
 * Return: true if it went up or down.
 */
bool uet_lb_ports_tell(struct uet_lb *lb, u32 port, bool up, u64 backlog);

/**
 * uet_lb_policy() - the policy that chooses values
 * @lb: any object
 *
 * Return: the ops of the object, or of its ports.
 */
const struct uet_lb_ops *uet_lb_policy(const struct uet_lb *lb);

#endif /* _UET_CORE_LB_PORTS_H */
