// SPDX-License-Identifier: GPL-2.0
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "screen.h"
#include "tick.h"
#include "units.h"

#define DEFAULT_WIDTH	80
#define DEFAULT_HEIGHT	24
#define WIDTH_MOST	500

/* Signals that came; they are let in during a rest only */
static volatile sig_atomic_t ended, stopped, resized;
static sigset_t outside;

static void note(int sig)
{
	if (sig == SIGTSTP)
		stopped = 1;
	else if (sig == SIGWINCH || sig == SIGCONT)
		resized = 1;
	else
		ended = 1;
}

/**
 * screen_size() - columns and rows of the terminal on standard output
 * @columns: set; the environment variable COLUMNS where it is no terminal
 * @rows: set
 *
 * Some terminals have no size, which is told as 0; they get the usual one.
 */
void screen_size(unsigned int *columns, unsigned int *rows)
{
	const char *env = getenv("COLUMNS");
	struct winsize ws = { 0 };
	uint64_t width;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws))
		env = NULL;
	if (env && number_parse(env, WIDTH_MOST, &width))
		ws.ws_col = width;
	*columns = ws.ws_col ? ws.ws_col : DEFAULT_WIDTH;
	*rows = ws.ws_row ? ws.ws_row : DEFAULT_HEIGHT;
}

static void catch_signals(bool full)
{
	static const int of_all[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	static const int of_screen[] = { SIGTSTP, SIGCONT, SIGWINCH };
	const struct sigaction sa = { .sa_handler = note };
	sigset_t held;
	size_t i;

	sigemptyset(&held);
	for (i = 0; i < sizeof(of_all) / sizeof(of_all[0]); i++) {
		sigaction(of_all[i], &sa, NULL);
		sigaddset(&held, of_all[i]);
	}
	for (i = 0; full && i < sizeof(of_screen) / sizeof(of_screen[0]); i++) {
		sigaction(of_screen[i], &sa, NULL);
		sigaddset(&held, of_screen[i]);
	}
	sigprocmask(SIG_BLOCK, &held, &outside);
}

static void enter(const struct screen *s)
{
	struct termios raw = s->saved;

	raw.c_lflag &= ~(ICANON | ECHO);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	fputs("\033[?1049h\033[?25l", stdout);
}

/**
 * screen_begin() - begin a view
 * @s: set
 * @full: on a full screen, if there is a terminal that can
 */
void screen_begin(struct screen *s, bool full)
{
	const char *term = getenv("TERM");

	s->on = full && isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") &&
		!tcgetattr(STDIN_FILENO, &s->saved);
	catch_signals(s->on);
	if (s->on)
		enter(s);
}

/**
 * screen_end() - leave the terminal as it was
 */
void screen_end(struct screen *s)
{
	if (!s->on)
		return;
	fputs("\033[?25h\033[?1049l", stdout);
	fflush(stdout);
	tcsetattr(STDIN_FILENO, TCSANOW, &s->saved);
}

/* Ctrl-Z: the shell gets its terminal, and we get ours when we go on */
static void stop(struct screen *s)
{
	stopped = 0;
	screen_end(s);
	raise(SIGSTOP);
	tcgetattr(STDIN_FILENO, &s->saved);
	enter(s);
}

/* Return: whether a key that was typed ends the view */
static bool key_ends(void)
{
	char key;

	/* Nothing to be read is a terminal that has gone */
	return read(STDIN_FILENO, &key, 1) != 1 || key == 'q' || key == 'Q';
}

/**
 * screen_rest() - wait until there is something to draw
 * @s: screen
 * @tick: when the next frame is due
 *
 * Return: what there is to do.
 */
enum screen_event screen_rest(struct screen *s, struct tick *tick)
{
	for (;;) {
		switch (tick_wait(tick, s->on ? STDIN_FILENO : -1, &outside)) {
		case TICK_INPUT:
			if (key_ends())
				return SCREEN_END;
			break;
		case TICK_SIGNAL:
			break;
		case TICK_DUE:
			return ended ? SCREEN_END : SCREEN_NEXT;
		}
		if (ended)
			return SCREEN_END;
		if (stopped)
			stop(s);
		else if (!resized)
			continue;
		resized = 0;
		return SCREEN_REDRAW;
	}
}
