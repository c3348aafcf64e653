/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The terminal: its size, and a full screen that leaves it as it was.
 */
#ifndef UET_SCREEN_H
#define UET_SCREEN_H

#include <stdbool.h>
#include <termios.h>

struct tick;

/**
 * struct screen - where a view is drawn
 * @on: a full screen of a terminal; otherwise frames go to standard output
 * @saved: how the terminal was
 */
struct screen {
	bool on;
	struct termios saved;
};

/* Why a rest ended */
enum screen_event {
	SCREEN_NEXT,	/* the next frame is due */
	SCREEN_REDRAW,	/* the same one once more, such as in another size */
	SCREEN_END,
};

void screen_size(unsigned int *columns, unsigned int *rows);
void screen_begin(struct screen *s, bool full);
void screen_end(struct screen *s);
enum screen_event screen_rest(struct screen *s, struct tick *tick);

#endif
