/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Path selection over several local network interfaces, here called ports:
 * choose port and entropy value together (GetSendParams of UE 1.0 3.6.12).
 *
 * Each port has entropy values of its own, so a value also says by which port
 * its packet left: the scoreboard, the peer's echo and control packets name a
 * path by 16 bits, as with a single port. Each port runs the policy that the
 * CCC asked for, over a space of its own. The code here is a layer above that
 * behaves like a policy: it chooses the port, and passes everything else on.
 *
 * It chooses the port that would finish sending the packet first, by the speed
 * of the link, the bytes given to it, and the bytes of anybody queued there. A
 * port whose packets are marked or lost more often than average gets less until
 * they are not: the network behind it is slower than its link.
 */
#ifndef _UET_CORE_LB_PORTS_H
#define _UET_CORE_LB_PORTS_H

#include "lb.h"

#define UET_LB_PORTS_MAX	8
/* Values of one port: an equal part of the dynamic UDP ports */
#define UET_LB_ZONE		((U16_MAX + 1 - UET_LB_UDP_LOW) / \
				 UET_LB_PORTS_MAX)

/**
 * struct uet_lb_port - one local port
 * @lb: policy that chooses among its values
 * @first: position of its first value in the common space
 * @free_at: when it will have sent everything given to it, ns
 * @given: total time its link needed for everything given to it, ns
 * @wait_ns: time to send the bytes queued there, as last told, ns
 * @mbps: speed of its link, Mb/s
 * @share: part of @mbps that the network behind it carries, 1/65536
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
 * Return: number of the port. It may exceed the number of ports, if the value
 * comes from a peer.
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
 * @cfg: configuration; base is ignored and chosen here, n at most %UET_LB_ZONE
 * @nr: number of ports, 2 to %UET_LB_PORTS_MAX
 * @mbps: their speeds, Mb/s, none zero
 *
 * All ports start up. The object can be used like one of uet_lb_init().
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
 * Return: 0 for an object of uet_lb_init().
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
 * uet_lb_ports_tell() - report the state of a port
 * @lb: object with ports
 * @port: its number
 * @up: it has a carrier
 * @backlog: bytes queued there
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
