// SPDX-License-Identifier: GPL-2.0
/*
 * tc plug-in for the "trim" queueing discipline: arguments to netlink, netlink
 * to text and JSON. Ranges are the kernel's business; what is refused here is
 * what cannot be expressed.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/pkt_sch_trim.h>

#include "tc_plugin.h"

#define TRIM_MSG_MAX	1024
#define TRIM_DSCPS	64
#define TRIM_PPM	1000000

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static void explain(void)
{
	fputs("Usage: ... trim [ limit BYTES ] [ control_limit BYTES ] [ trimmed_limit BYTES ]\n"
	      "                [ ecn min BYTES max BYTES | ecn step BYTES | noecn ]\n"
	      "                [ trim BYTES | notrim ] [ size BYTES ] [ lasthop | nolasthop ]\n"
	      "                [ dscp LIST ] [ control LIST ]\n"
	      "                [ trimmed DSCP ] [ trimmed_lasthop DSCP ]\n"
	      "                [ port PORT ] [ proto { NUMBER | none } ] [ share PERCENT ]\n"
	      "                [ rate RATE ] [ overhead BYTES ] [ delay TIME ]\n"
	      "                [ loss { PERCENT% | NUMBERppm } ] [ seed NUMBER ]\n"
	      "                [ blackhole [ all | data | off ] ]\n"
	      "LIST := { DSCP[,DSCP]... | none }\n",
	      stderr);
}

/* The arguments that are left, and the request that they go into. */
struct args {
	int argc;
	char **argv;
	struct nlmsghdr *n;
	const char *name;	/* option in hand */
};

static int bad_value(const struct args *a, const char *value)
{
	fprintf(stderr, "trim: bad value \"%s\" for \"%s\"\n", value, a->name);
	return -1;
}

/* The next argument, or NULL and a message if there is none. */
static const char *next_arg(struct args *a)
{
	if (a->argc == 0) {
		fprintf(stderr, "trim: \"%s\" needs a value\n", a->name);
		return NULL;
	}
	a->argc--;
	return *a->argv++;
}

static bool take_arg(struct args *a, const char *word)
{
	if (a->argc == 0 || strcmp(*a->argv, word))
		return false;
	a->argc--;
	a->argv++;
	return true;
}

static int put(struct args *a, int attr, const void *data, int len)
{
	return addattr_l(a->n, TRIM_MSG_MAX, attr, data, len);
}

static int put_u32(struct args *a, int attr, uint32_t val)
{
	return put(a, attr, &val, sizeof(val));
}

static int scan_number(const char *str, uint64_t max, uint64_t *val)
{
	char *end;

	if (*str < '0' || *str > '9')
		return -1;
	errno = 0;
	*val = strtoull(str, &end, 0);
	return errno || *end || *val > max ? -1 : 0;
}

static int parse_number(struct args *a, int attr, uint64_t max, int len)
{
	const char *str = next_arg(a);
	uint64_t val;
	uint32_t u32;
	uint16_t u16;
	uint8_t u8;

	if (!str)
		return -1;
	if (scan_number(str, max, &val))
		return bad_value(a, str);

	u32 = val;
	u16 = val;
	u8 = val;
	switch (len) {
	case sizeof(u8):
		return put(a, attr, &u8, len);
	case sizeof(u16):
		return put(a, attr, &u16, len);
	case sizeof(u32):
		return put(a, attr, &u32, len);
	default:
		return put(a, attr, &val, len);
	}
}

static int parse_size(struct args *a, int attr)
{
	const char *str = next_arg(a);
	unsigned int size;

	if (!str)
		return -1;
	if (*str == '-' || get_size(&size, str))
		return bad_value(a, str);
	return put_u32(a, attr, size);
}

static int parse_ecn(struct args *a)
{
	bool min = false, max = false;

	if (take_arg(a, "step")) {
		const char *str = next_arg(a);
		unsigned int size;

		if (!str)
			return -1;
		if (*str == '-' || get_size(&size, str))
			return bad_value(a, str);
		return put_u32(a, TCA_TRIM_ECN_MIN, size) ?:
		       put_u32(a, TCA_TRIM_ECN_MAX, size);
	}

	for (;;) {
		if (!min && take_arg(a, "min")) {
			min = true;
			if (parse_size(a, TCA_TRIM_ECN_MIN))
				return -1;
		} else if (!max && take_arg(a, "max")) {
			max = true;
			if (parse_size(a, TCA_TRIM_ECN_MAX))
				return -1;
		} else {
			break;
		}
	}
	if (min || max)
		return 0;
	fprintf(stderr, "trim: \"ecn\" needs \"min\", \"max\" or \"step\"\n");
	return -1;
}

static int parse_dscps(struct args *a, int attr)
{
	const char *list = next_arg(a);
	uint64_t mask = 0, dscp;
	char *copy, *word, *save;

	if (!list)
		return -1;
	if (!strcmp(list, "none"))
		return put(a, attr, &mask, sizeof(mask));

	copy = strdup(list);
	if (!copy)
		return -1;
	for (word = strtok_r(copy, ",", &save); word;
	     word = strtok_r(NULL, ",", &save)) {
		if (scan_number(word, TRIM_DSCPS - 1, &dscp)) {
			bad_value(a, word);
			free(copy);
			return -1;
		}
		mask |= 1ULL << dscp;
	}
	free(copy);
	if (!mask)
		return bad_value(a, list);
	return put(a, attr, &mask, sizeof(mask));
}

static int parse_proto(struct args *a)
{
	uint8_t none = 0;

	if (take_arg(a, "none"))
		return put(a, TCA_TRIM_PROTO, &none, sizeof(none));
	return parse_number(a, TCA_TRIM_PROTO, UINT8_MAX, sizeof(uint8_t));
}

static int parse_share(struct args *a)
{
	const char *str = next_arg(a);
	char *end;
	long val;

	if (!str)
		return -1;
	val = strtol(str, &end, 10);
	if (end == str || (*end && strcmp(end, "%")) || val < 0 ||
	    val > UINT16_MAX)
		return bad_value(a, str);
	return put_u32(a, TCA_TRIM_SHARE, val);
}

static int parse_rate(struct args *a)
{
	const char *str = next_arg(a);
	uint64_t rate;

	if (!str)
		return -1;
	if (*str == '-' || get_rate64(&rate, str))
		return bad_value(a, str);
	return put(a, TCA_TRIM_RATE64, &rate, sizeof(rate));
}

static int parse_delay(struct args *a)
{
	const char *str = next_arg(a);
	int64_t delay;

	if (!str)
		return -1;
	if (get_time64(&delay, str) || delay < 0)
		return bad_value(a, str);
	return put(a, TCA_TRIM_DELAY, &delay, sizeof(delay));
}

static int parse_loss(struct args *a)
{
	const char *str = next_arg(a);
	double val, scale;
	char *end;

	if (!str)
		return -1;
	val = strtod(str, &end);
	if (!strcmp(end, "%"))
		scale = TRIM_PPM / 100;
	else if (!strcmp(end, "ppm") || (!*end && !val))
		scale = 1;
	else
		return bad_value(a, str);
	val *= scale;
	if (end == str || !(val >= 0 && val < UINT32_MAX))
		return bad_value(a, str);
	return put_u32(a, TCA_TRIM_LOSS, val + 0.5);
}

static int parse_blackhole(struct args *a)
{
	uint8_t kind = TC_TRIM_BLACKHOLE_ALL;

	if (take_arg(a, "off"))
		kind = TC_TRIM_BLACKHOLE_OFF;
	else if (take_arg(a, "data"))
		kind = TC_TRIM_BLACKHOLE_DATA;
	else
		take_arg(a, "all");
	return put(a, TCA_TRIM_BLACKHOLE, &kind, sizeof(kind));
}

static int parse_flag(struct args *a)
{
	if (!strcmp(a->name, "noecn"))
		return put_u32(a, TCA_TRIM_ECN_MIN, TC_TRIM_OFF) ?:
		       put_u32(a, TCA_TRIM_ECN_MAX, TC_TRIM_OFF);
	if (!strcmp(a->name, "notrim"))
		return put_u32(a, TCA_TRIM_THRESHOLD, TC_TRIM_OFF);
	if (!strcmp(a->name, "lasthop"))
		return put_u32(a, TCA_TRIM_FLAGS, TC_TRIM_F_LASTHOP);
	if (!strcmp(a->name, "nolasthop"))
		return put_u32(a, TCA_TRIM_FLAGS, 0);

	if (strcmp(a->name, "help"))
		fprintf(stderr, "trim: what is \"%s\"?\n", a->name);
	explain();
	return -1;
}

static const struct {
	const char *name;
	int attr;
	int len;		/* of a number, 0 for a size with a unit */
	uint64_t max;
} numbers[] = {
	{ "limit",		TCA_TRIM_LIMIT },
	{ "control_limit",	TCA_TRIM_CONTROL_LIMIT },
	{ "trimmed_limit",	TCA_TRIM_TRIMMED_LIMIT },
	{ "trim",		TCA_TRIM_THRESHOLD },
	{ "size",		TCA_TRIM_SIZE },
	{ "overhead",		TCA_TRIM_OVERHEAD },
	{ "trimmed",		TCA_TRIM_DSCP_TRIMMED, 1, UINT8_MAX },
	{ "trimmed_lasthop",	TCA_TRIM_DSCP_LASTHOP, 1, UINT8_MAX },
	{ "port",		TCA_TRIM_PORT, 2, UINT16_MAX },
	{ "seed",		TCA_TRIM_SEED, 8, UINT64_MAX },
};

static int parse_option(struct args *a)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (strcmp(a->name, numbers[i].name))
			continue;
		if (!numbers[i].len)
			return parse_size(a, numbers[i].attr);
		return parse_number(a, numbers[i].attr, numbers[i].max,
				    numbers[i].len);
	}

	if (!strcmp(a->name, "ecn"))
		return parse_ecn(a);
	if (!strcmp(a->name, "dscp"))
		return parse_dscps(a, TCA_TRIM_DSCP_MASK);
	if (!strcmp(a->name, "control"))
		return parse_dscps(a, TCA_TRIM_CONTROL_MASK);
	if (!strcmp(a->name, "proto"))
		return parse_proto(a);
	if (!strcmp(a->name, "share"))
		return parse_share(a);
	if (!strcmp(a->name, "rate"))
		return parse_rate(a);
	if (!strcmp(a->name, "delay"))
		return parse_delay(a);
	if (!strcmp(a->name, "loss"))
		return parse_loss(a);
	if (!strcmp(a->name, "blackhole"))
		return parse_blackhole(a);
	return parse_flag(a);
}

static int trim_parse_opt(const struct qdisc_util *qu, int argc, char **argv,
			  struct nlmsghdr *n, const char *dev)
{
	struct args a = { .argc = argc, .argv = argv, .n = n };
	struct rtattr *tail;

	(void)qu;
	(void)dev;

	tail = addattr_nest(n, TRIM_MSG_MAX, TCA_OPTIONS | NLA_F_NESTED);
	while (a.argc > 0) {
		a.name = next_arg(&a);
		if (parse_option(&a))
			return -1;
	}
	addattr_nest_end(n, tail);
	return 0;
}

/* Reading attributes; those that a kernel does not send count as 0. */

static uint64_t attr_u64(struct rtattr *rta)
{
	uint64_t val = 0;

	if (rta)
		memcpy(&val, RTA_DATA(rta),
		       RTA_PAYLOAD(rta) < sizeof(val) ? RTA_PAYLOAD(rta) :
							sizeof(val));
	return val;
}

static uint32_t attr_u32(struct rtattr *rta)
{
	uint32_t val = 0;

	if (rta && RTA_PAYLOAD(rta) >= sizeof(val))
		memcpy(&val, RTA_DATA(rta), sizeof(val));
	return val;
}

static unsigned int attr_u16(struct rtattr *rta)
{
	uint16_t val = 0;

	if (rta && RTA_PAYLOAD(rta) >= sizeof(val))
		memcpy(&val, RTA_DATA(rta), sizeof(val));
	return val;
}

static unsigned int attr_u8(struct rtattr *rta)
{
	return rta && RTA_PAYLOAD(rta) ? *(uint8_t *)RTA_DATA(rta) : 0;
}

static void out_uint(const char *key, const char *fmt, unsigned int val)
{
	print_color_uint(TC_PRINT_ANY, TC_COLOR_NONE, key, fmt, val);
}

static void out_u64(const char *key, const char *fmt, uint64_t val)
{
	print_color_u64(TC_PRINT_ANY, TC_COLOR_NONE, key, fmt, val);
}

static void out_size(const char *key, const char *fmt, uint32_t val)
{
	print_color_size(TC_PRINT_ANY, TC_COLOR_NONE, key, fmt, val);
}

static void out_string(int type, const char *key, const char *fmt,
		       const char *val)
{
	print_color_string(type, TC_COLOR_NONE, key, fmt, val);
}

/* JSON has nanoseconds, text the unit that suits. */
static void out_time(const char *key, const char *fmt, uint64_t ns)
{
	char buf[TC_SPRINT_BUF];

	print_color_u64(TC_PRINT_JSON, TC_COLOR_NONE, key, NULL, ns);
	out_string(TC_PRINT_FP, NULL, fmt, sprint_time64(ns, buf));
}

static void out_dscps(const char *key, uint64_t mask)
{
	bool first = true;
	int dscp;

	open_json_array(TC_PRINT_JSON, key);
	out_string(TC_PRINT_FP, NULL, "%s ", key);
	for (dscp = 0; dscp < TRIM_DSCPS; dscp++) {
		if (!(mask & 1ULL << dscp))
			continue;
		out_string(TC_PRINT_FP, NULL, "%s", first ? "" : ",");
		out_uint(NULL, "%u", dscp);
		first = false;
	}
	out_string(TC_PRINT_FP, NULL, "%s", first ? "none " : " ");
	close_json_array(TC_PRINT_JSON, NULL);
}

static void print_queues(struct rtattr *tb[])
{
	out_size("limit", "limit %s ", attr_u32(tb[TCA_TRIM_LIMIT]));
	out_size("control_limit", "control_limit %s ",
		 attr_u32(tb[TCA_TRIM_CONTROL_LIMIT]));
	out_size("trimmed_limit", "trimmed_limit %s ",
		 attr_u32(tb[TCA_TRIM_TRIMMED_LIMIT]));

	if (attr_u32(tb[TCA_TRIM_ECN_MAX]) == TC_TRIM_OFF) {
		out_string(TC_PRINT_FP, NULL, "%s ", "noecn");
	} else {
		out_size("ecn_min", "ecn min %s ",
			 attr_u32(tb[TCA_TRIM_ECN_MIN]));
		out_size("ecn_max", "max %s ", attr_u32(tb[TCA_TRIM_ECN_MAX]));
	}
	if (attr_u32(tb[TCA_TRIM_THRESHOLD]) == TC_TRIM_OFF)
		out_string(TC_PRINT_FP, NULL, "%s ", "notrim");
	else
		out_size("trim", "trim %s ", attr_u32(tb[TCA_TRIM_THRESHOLD]));
	out_uint("size", "size %u ", attr_u32(tb[TCA_TRIM_SIZE]));
}

static void print_packets(struct rtattr *tb[])
{
	bool lasthop = attr_u32(tb[TCA_TRIM_FLAGS]) & TC_TRIM_F_LASTHOP;
	unsigned int proto = attr_u8(tb[TCA_TRIM_PROTO]);

	print_color_bool(TC_PRINT_JSON, TC_COLOR_NONE, "lasthop", NULL,
			 lasthop);
	out_string(TC_PRINT_FP, NULL, "%s", lasthop ? "lasthop " : "");
	out_dscps("dscp", attr_u64(tb[TCA_TRIM_DSCP_MASK]));
	out_dscps("control", attr_u64(tb[TCA_TRIM_CONTROL_MASK]));
	out_uint("trimmed", "trimmed %u ",
		 attr_u8(tb[TCA_TRIM_DSCP_TRIMMED]));
	out_uint("trimmed_lasthop", "trimmed_lasthop %u ",
		 attr_u8(tb[TCA_TRIM_DSCP_LASTHOP]));
	out_uint("port", "port %u ", attr_u16(tb[TCA_TRIM_PORT]));
	if (proto)
		out_uint("proto", "proto %u ", proto);
	else
		out_string(TC_PRINT_FP, NULL, "proto %s ", "none");
}

static void print_link(struct rtattr *tb[])
{
	static const char *const holes[] = { "off", "data", "all" };
	unsigned int hole = attr_u8(tb[TCA_TRIM_BLACKHOLE]);
	uint32_t loss = attr_u32(tb[TCA_TRIM_LOSS]);
	uint64_t rate = attr_u64(tb[TCA_TRIM_RATE64]);
	uint64_t delay = attr_u64(tb[TCA_TRIM_DELAY]);
	char buf[TC_SPRINT_BUF];

	out_uint("share", "share %u%% ", attr_u32(tb[TCA_TRIM_SHARE]));
	if (rate)
		tc_print_rate(TC_PRINT_ANY, "rate", "rate %s ", rate);
	if (attr_u32(tb[TCA_TRIM_OVERHEAD]))
		out_uint("overhead", "overhead %u ",
			 attr_u32(tb[TCA_TRIM_OVERHEAD]));
	if (delay)
		out_time("delay_ns", "delay %s ", delay);
	if (loss) {
		print_color_uint(TC_PRINT_JSON, TC_COLOR_NONE, "loss_ppm",
				 NULL, loss);
		snprintf(buf, sizeof(buf), "%g", loss * 100.0 / TRIM_PPM);
		out_string(TC_PRINT_FP, NULL, "loss %s%% ", buf);
	}
	out_u64("seed", "seed %llu ", attr_u64(tb[TCA_TRIM_SEED]));
	if (hole && hole < ARRAY_SIZE(holes))
		out_string(TC_PRINT_ANY, "blackhole", "blackhole %s ",
			   holes[hole]);
}

static int trim_print_opt(const struct qdisc_util *qu, FILE *f,
			  struct rtattr *opt)
{
	struct rtattr *tb[TCA_TRIM_MAX + 1];

	(void)qu;
	(void)f;

	if (!opt)
		return 0;
	parse_rtattr_flags(tb, TCA_TRIM_MAX, RTA_DATA(opt), RTA_PAYLOAD(opt),
			   NLA_F_NESTED);
	print_queues(tb);
	print_packets(tb);
	print_link(tb);
	return 0;
}

static void print_class(const char *name, const struct tc_trim_class_xstats *st)
{
	open_json_object(name);
	print_nl();
	out_string(TC_PRINT_FP, NULL, "  %s:", name);
	out_u64("packets", " sent %llu pkt", st->packets);
	out_u64("bytes", " %llu bytes", st->bytes);
	out_u64("drops", " dropped %llu", st->drops);
	out_uint("backlog", " backlog %ub", st->backlog);
	out_uint("qlen", " %up", st->qlen);
	out_uint("peak", " peak %ub", st->peak);
	out_uint("recent_peak", " recent %ub", st->recent_peak);
	close_json_object();
}

static int trim_print_xstats(const struct qdisc_util *qu, FILE *f,
			     struct rtattr *xstats)
{
	static const char *const names[] = { "control", "trimmed", "data" };
	const struct tc_trim_class_xstats *data;
	struct tc_trim_xstats st = {};
	size_t len;
	int i;

	(void)qu;
	(void)f;

	if (!xstats)
		return 0;
	len = RTA_PAYLOAD(xstats);
	memcpy(&st, RTA_DATA(xstats), len < sizeof(st) ? len : sizeof(st));
	data = &st.cls[TC_TRIM_DATA];

	out_u64("trims", "  trims %llu", st.trims);
	out_u64("trimmed_bytes", " (%llu bytes)", st.trimmed_bytes);
	out_u64("marks", " marks %llu", st.marks);
	out_u64("lost", " lost %llu", st.lost);
	out_u64("blackholed", " blackholed %llu", st.blackholed);
	out_u64("nomem", " nomem %llu", st.nomem);
	print_nl();
	out_uint("wire_bytes", "  wire %ub", st.wire_bytes);
	out_uint("wire_qlen", " %up", st.wire_qlen);
	out_time("wait_mean_ns", " wait mean %s",
		 data->packets ? st.wait_ns / data->packets : 0);
	out_time("wait_max_ns", " max %s", st.wait_max_ns);
	for (i = 0; i < TC_TRIM_CLASSES; i++)
		print_class(names[i], &st.cls[i]);
	return 0;
}

struct qdisc_util trim_qdisc_util = {
	.id		= "trim",
	.parse_qopt	= trim_parse_opt,
	.print_qopt	= trim_print_opt,
	.print_xstats	= trim_print_xstats,
};
