/* SPDX-License-Identifier: GPL-2.0 */
/*
 * States of the halves of a PDC (UE 1.0 3.5.8).
 *
 *   sending half    SYN --first ACK--> ESTABLISHED --> QUIESCE --> CLOSING --> DEAD
 *   receiving half  ESTABLISHED --CLOSE_CMD--> TIME_WAIT --> DEAD
 *   both            --error--> DEAD
 */
#ifndef _UET_CORE_PDC_STATE_H
#define _UET_CORE_PDC_STATE_H

/**
 * enum uet_pdc_state - state of a half
 * @UET_PDC_SYN: sending: no answer yet
 * @UET_PDC_ESTABLISHED: open
 * @UET_PDC_QUIESCE: sending: takes no new message
 * @UET_PDC_CLOSING: sending: CLOSE_CMD was sent, or CLOSE_REQ by the target
 * @UET_PDC_TIME_WAIT: receiving: closed, kept for late packets
 * @UET_PDC_DEAD: dead
 */
enum uet_pdc_state {
	UET_PDC_SYN,
	UET_PDC_ESTABLISHED,
	UET_PDC_QUIESCE,
	UET_PDC_CLOSING,
	UET_PDC_TIME_WAIT,
	UET_PDC_DEAD,
};

#endif /* _UET_CORE_PDC_STATE_H */
