/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of tc that a qdisc plug-in meets. Distributions ship no header for
 * it: tc opens q_KIND.so in $TC_LIB_DIR, takes the symbol KIND_qdisc_util from
 * it, and lets the plug-in use the functions of its own binary. Declared here
 * is what q_trim uses of them, as found in the binaries of iproute2 6.1 and
 * later.
 */
#ifndef TC_PLUGIN_H
#define TC_PLUGIN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

struct qdisc_util {
	struct qdisc_util *next;
	const char *id;
	int (*parse_qopt)(const struct qdisc_util *qu, int argc, char **argv,
			  struct nlmsghdr *n, const char *dev);
	int (*print_qopt)(const struct qdisc_util *qu, FILE *f,
			  struct rtattr *opt);
	int (*print_xstats)(const struct qdisc_util *qu, FILE *f,
			    struct rtattr *xstats);
	int (*parse_copt)(const struct qdisc_util *qu, int argc, char **argv,
			  struct nlmsghdr *n, const char *dev);
	int (*print_copt)(const struct qdisc_util *qu, FILE *f,
			  struct rtattr *opt);
	int (*has_block)(const struct qdisc_util *qu, struct rtattr *opt,
			 uint32_t block_idx, bool *p_has);
};

/* Where a value is to appear. */
enum {
	TC_PRINT_FP = 1,
	TC_PRINT_JSON = 2,
	TC_PRINT_ANY = 4,
};

/* Number of the colour that stands for none. */
#define TC_COLOR_NONE	6

/* Numbers and their units; a result other than 0 means a bad argument. */
int get_size(unsigned int *size, const char *str);
int get_rate64(uint64_t *rate, const char *str);
int get_time64(int64_t *ns, const char *str);

/* Attributes of a request; the length is the room in the whole message. */
int addattr_l(struct nlmsghdr *n, int maxlen, int type, const void *data,
	      int alen);
struct rtattr *addattr_nest(struct nlmsghdr *n, int maxlen, int type);
int addattr_nest_end(struct nlmsghdr *n, struct rtattr *nest);
int parse_rtattr_flags(struct rtattr *tb[], int max, struct rtattr *rta,
		       int len, unsigned short flags);

/* Output, as text or as JSON, depending on the options of tc. */
int print_color_uint(int type, int color, const char *key, const char *fmt,
		     unsigned int value);
int print_color_u64(int type, int color, const char *key, const char *fmt,
		    uint64_t value);
int print_color_string(int type, int color, const char *key, const char *fmt,
		       const char *value);
int print_color_bool(int type, int color, const char *key, const char *fmt,
		     bool value);
int print_color_size(int type, int color, const char *key, const char *fmt,
		     uint32_t value);
void tc_print_rate(int type, const char *key, const char *fmt,
		   unsigned long long rate);
void print_nl(void);
void open_json_object(const char *key);
void close_json_object(void);
void open_json_array(int type, const char *key);
void close_json_array(int type, const char *delim);
char *sprint_time64(int64_t ns, char *buf);

/* Size of the buffers that sprint_time64() wants. */
#define TC_SPRINT_BUF	64

#endif /* TC_PLUGIN_H */
