/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Round-trip samples: when an ACK or NACK yields one (UE 1.0 3.6.13.1), and the
 * smoothed estimate that timers use.
 */
#ifndef _UET_CORE_RTT_H
#define _UET_CORE_RTT_H

#include "../wire/wire.h"

/* The retransmission count of a packet saturates here */
#define UET_RTX_COUNT_MANY		2

/**
 * uet_rtt_valid() - does an answer yield a sample for this packet?
 * @rtx_count: retransmissions of the packet, saturating at 2
 * @echoed_retx: retx flag of the packet that was answered
 *
 * Return: true if the packet was sent once and the flag is clear, or if it was
 * sent twice and the flag is set, so that the second copy was answered.
 */
static inline bool uet_rtt_valid(u8 rtx_count, bool echoed_retx)
{
	return rtx_count < UET_RTX_COUNT_MANY && !!rtx_count == echoed_retx;
}

/**
 * uet_rtt_sample() - round trip of one packet
 * @tx: when its last copy left, ns
 * @service: time it spent at the destination, ns
 * @arrival: when the answer arrived, ns
 * @rtt: set to the sample
 *
 * Return: false if the times are inconsistent.
 */
static inline bool uet_rtt_sample(u64 tx, u64 service, u64 arrival, u64 *rtt)
{
	if (arrival < tx || arrival - tx < service)
		return false;
	*rtt = arrival - tx - service;
	return true;
}

/**
 * uet_service_time_ns() - service_time field in ns
 * @field: the 16-bit field; 0 means unknown and subtracts nothing
 * @ns: set to the time
 *
 * Return: false if the field is saturated and no sample may be taken.
 */
static inline bool uet_service_time_ns(u16 field, u64 *ns)
{
	*ns = (u64)field * UET_SERVICE_TIME_UNIT_NS;
	return field != UET_SERVICE_TIME_SATURATED;
}

/**
 * struct uet_rtt_est - smoothed round trip
 * @srtt: smoothed round trip, ns x 8; 0 = no sample yet
 * @var: smoothed deviation, ns x 4
 */
struct uet_rtt_est {
	u64 srtt;
	u64 var;
};

/* Samples are clamped to [1, this] */
#define UET_RTT_SAMPLE_MAX_NS		0x400000000ULL

/**
 * uet_rtt_est_add_usual() - take one sample of usual length into the estimate
 * @e: estimate
 * @rtt: sample, ns, from 1 to %UET_RTT_SAMPLE_MAX_NS
 *
 * For timers, with the gains of RFC 6298: 1/8 for the mean, 1/4 for the deviation.
 */
static inline void uet_rtt_est_add_usual(struct uet_rtt_est *e, u64 rtt)
{
	s64 diff;

	if (unlikely(!e->srtt)) {
		e->srtt = rtt << 3;
		e->var = rtt << 1;
		return;
	}
	diff = (s64)(rtt - (e->srtt >> 3));
	e->srtt += diff;
	if (diff < 0)
		diff = -diff;
	e->var += diff - (e->var >> 2);
}

/**
 * uet_rtt_est_add() - take one sample into the estimate
 * @e: estimate
 * @rtt: sample, ns
 */
static inline void uet_rtt_est_add(struct uet_rtt_est *e, u64 rtt)
{
	uet_rtt_est_add_usual(e, clamp_t(u64, rtt, 1, UET_RTT_SAMPLE_MAX_NS));
}

/**
 * uet_rtt_est_ns() - smoothed round trip
 * @e: estimate
 *
 * Return: ns, 0 if there was no sample.
 */
static inline u64 uet_rtt_est_ns(const struct uet_rtt_est *e)
{
	return e->srtt >> 3;
}

#endif /* _UET_CORE_RTT_H */
