/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PROBEs: the values that tell ours apart, and what a peer does with one.
 */
#ifndef _UET_CORE_PROBE_H
#define _UET_CORE_PROBE_H

/* probe_opaque of PROBEs: for the base RTT, to learn whether the peer answers
 * PROBEs, to learn whether it still has the PDC, or is there at all. Tail probes use higher
 * values.
 */
#define UET_PROBE_RTT		0
#define UET_PROBE_HABIT		1
#define UET_PROBE_ALIVE		2
#define UET_PROBE_HOLE		3

/**
 * enum uet_probe_habit - what a peer does with a PROBE
 * @UET_PROBES_UNKNOWN: not known yet, or it ignores them
 * @UET_PROBES_ANSWERED: it answers them
 * @UET_PROBES_NACKED: it NACKs them
 * @UET_PROBES_NEVER: it must not be sent any
 */
enum uet_probe_habit {
	UET_PROBES_UNKNOWN,
	UET_PROBES_ANSWERED,
	UET_PROBES_NACKED,
	UET_PROBES_NEVER,
};

#endif /* _UET_CORE_PROBE_H */
