/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Init and exit of UET in a network namespace, its sysctls and /proc files.
 */
#ifndef _UET_NETNS_H
#define _UET_NETNS_H

struct file;
struct net;
struct uet_net;
struct uet_viewer;

/* netns.c */
int uet_netns_register(void);
void uet_netns_unregister(void);

/* sysctl.c */
int uet_sysctl_register(struct uet_net *un);
void uet_sysctl_unregister(struct uet_net *un);

/* proc.c */
void uet_viewer_of_file(struct uet_viewer *viewer, const struct file *file,
			struct net *net);
int uet_proc_init(struct uet_net *un);
void uet_proc_exit(struct uet_net *un);

/* proc_peer.c */
int uet_proc_peer_init(struct uet_net *un);
void uet_proc_peer_exit(struct uet_net *un);

/* proc_path.c */
int uet_proc_path_init(struct uet_net *un);
void uet_proc_path_exit(struct uet_net *un);

#endif /* _UET_NETNS_H */
