/* SPDX-License-Identifier: GPL-2.0 */
/* Giving up what the program may do and its user may not */
#ifndef UETRUN_PRIVILEGE_H
#define UETRUN_PRIVILEGE_H

int privilege_drop(void);
int privilege_become(const char *user, const char **step);

#endif /* UETRUN_PRIVILEGE_H */
