// SPDX-License-Identifier: GPL-2.0
/* Results for people and, with -J, for programs: see uetperf(1) */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>

#include "json.h"
#include "uetperf.h"

/* What flows have done together, on one side */
struct side {
	uint64_t	messages, bytes, ns;	/* @ns: of the slowest */
};

static struct json out;
static bool live, headed;
static const char * const modes[] = { "bandwidth", "latency", "rate" };
static const char * const directions[] = { "forward", "reverse", "both" };
static const char * const deliveries[] = {
	[UET_RUD] = "rud", [UET_ROD] = "rod", [UET_RUDI] = "rudi",
	[UET_UUD] = "uud",
};

static double per_s(uint64_t n, uint64_t ns)
{
	return ns ? n * 1e9 / ns : 0;
}

/* --- sums -------------------------------------------------------------------- */

static struct side of_client(const struct flow *f)
{
	uint64_t n = worker_messages(f->worker.s);

	return (struct side){ n, n * f->worker.test.size,
			      worker_ns(f->worker.s) };
}

static struct side of_server(const struct flow *f)
{
	return (struct side){ f->server.messages, f->server.bytes,
			      f->server.ns };
}

static uint64_t wrong(const struct flow *f)
{
	return f->worker.s->bad + f->server.bad;
}

static uint64_t wrong_of(const struct flow *flows, unsigned int n,
			 enum direction d)
{
	uint64_t bad = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		if (d == BOTH || flows[i].reverse == (d == REVERSE))
			bad += wrong(&flows[i]);
	return bad;
}

/* Flows of a direction; of all with BOTH */
static struct side sum(const struct flow *flows, unsigned int n,
		       enum direction d, struct side of(const struct flow *))
{
	struct side s = { 0 };
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct side one = of(&flows[i]);

		if (d != BOTH && flows[i].reverse != (d == REVERSE))
			continue;
		s.messages += one.messages;
		s.bytes += one.bytes;
		s.ns = one.ns > s.ns ? one.ns : s.ns;
	}
	return s;
}

struct shares {
	double		least, most, jain;
	unsigned int	n;
};

static struct shares shares(const struct flow *flows, unsigned int n,
			    enum direction d)
{
	double *rates = calloc(n, sizeof(*rates));
	struct shares s = { 0 };
	unsigned int i;

	for (i = 0; rates && i < n; i++) {
		struct side one = of_client(&flows[i]);
		double rate = per_s(one.messages, one.ns);

		if (flows[i].reverse != (d == REVERSE))
			continue;
		s.least = !s.n || rate < s.least ? rate : s.least;
		s.most = rate > s.most ? rate : s.most;
		rates[s.n++] = rate;
	}
	s.jain = s.n ? jain(rates, s.n) : 1;
	free(rates);
	return s;
}

static void round_trips(const struct flow *flows, unsigned int n,
			struct hist *h)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		hist_merge(h, &flows[i].worker.s->rtt);
}

/* --- JSON ---------------------------------------------------------------------- */

static void number(const char *key, uint64_t value)
{
	json_key(&out, key);
	json_unsigned(&out, value);
}

static void real(const char *key, double value)
{
	json_key(&out, key);
	json_real(&out, value);
}

static void text(const char *key, const char *value)
{
	json_key(&out, key);
	json_string(&out, value);
}

/**
 * report_begin() - what comes before all results
 * @o: options
 */
void report_begin(const struct options *o)
{
	char name[LIBUET_URI_SIZE];

	live = o->live;
	if (!o->json)
		return;
	out = (struct json){ .to = stdout };
	libuet_format(&o->addr, name, sizeof(name));
	json_open(&out, NULL, '{');
	number("version", 1);
	text("server", name);
	text("mode", modes[o->mode]);
	text("direction", directions[o->direction]);
	text("delivery", deliveries[o->how.delivery]);
	number("flows", o->flows);
	number("count", o->count);
	real("seconds", o->count ? 0 : o->seconds);
	json_key(&out, "verify");
	json_bool(&out, o->verify);
	json_open(&out, "results", '[');
}

static void json_latency(const struct hist *h)
{
	json_open(&out, "round_trip_ns", '{');
	number("count", h->count);
	number("min", h->min);
	number("mean", h->count ? h->sum / h->count : 0);
	number("p50", hist_quantile(h, .5));
	number("p90", hist_quantile(h, .9));
	number("p99", hist_quantile(h, .99));
	number("p99_9", hist_quantile(h, .999));
	number("max", h->max);
	json_close(&out, '}');
}

static void json_side(const char *key, const struct side *s)
{
	json_open(&out, key, '{');
	number("messages", s->messages);
	number("bytes", s->bytes);
	number("ns", s->ns);
	real("messages_per_s", per_s(s->messages, s->ns));
	real("bits_per_s", per_s(s->bytes, s->ns) * 8);
	json_close(&out, '}');
}

static void json_direction(const struct flow *flows, unsigned int n,
			   enum direction d)
{
	struct side client = sum(flows, n, d, of_client);
	struct side server = sum(flows, n, d, of_server);
	struct shares s = shares(flows, n, d);

	if (!s.n)
		return;
	json_open(&out, directions[d], '{');
	json_side("client", &client);
	json_side("server", &server);
	real("least_messages_per_s", s.least);
	real("most_messages_per_s", s.most);
	real("jain", s.jain);
	json_close(&out, '}');
}

static void json_flow(const struct flow *f)
{
	const struct shared *s = f->worker.s;
	struct side client = of_client(f), server = of_server(f);
	unsigned int i;

	json_open(&out, NULL, '{');
	text("direction", directions[f->reverse]);
	json_side("client", &client);
	json_side("server", &server);
	number("wrong", wrong(f));
	json_open(&out, "rounds_ns", '[');
	for (i = 0; i < s->rounds; i++) {
		json_item(&out);
		json_unsigned(&out, s->round_ns[i]);
	}
	json_close(&out, ']');
	text("error", s->error);
	json_close(&out, '}');
}

static void json_size(const struct options *o, const struct flow *flows,
		      unsigned int n)
{
	struct hist *h = calloc(1, sizeof(*h));
	unsigned int i;

	json_open(&out, NULL, '{');
	number("size", o->size);
	json_direction(flows, n, FORWARD);
	json_direction(flows, n, REVERSE);
	number("wrong", wrong_of(flows, n, BOTH));
	if (h && o->mode == MODE_LAT) {
		round_trips(flows, n, h);
		json_latency(h);
	}
	json_open(&out, "flows", '[');
	for (i = 0; i < n; i++)
		json_flow(&flows[i]);
	json_close(&out, ']');
	json_close(&out, '}');
	free(h);
}

/* --- text ------------------------------------------------------------------------ */

/**
 * report_interval() - progress while a test runs
 * @o: options
 * @from: seconds since it began
 * @to: now
 * @messages: of all flows in between
 */
void report_interval(const struct options *o, double from, double to,
		     uint64_t messages)
{
	/* Results may go to a file: people watch the other output */
	FILE *f = o->json || live ? stderr : stdout;

	if (to <= from)
		return;
	fprintf(f, "%s%7.2f-%-7.2f s %12.0f messages/s %10.3f Mbit/s%s",
		live ? "\r" : "", from, to, messages / (to - from),
		messages * o->size * 8 / (to - from) / 1e6, live ? "" : "\n");
	fflush(f);
	if (ferror(f))
		raise(SIGTERM);
}

/* Wipes the line of progress that a terminal shows */
void report_live_end(void)
{
	if (live)
		fprintf(stderr, "\r\033[K");
}

/* The last column, and the end of the line */
static void text_wrong(const struct options *o, const struct flow *flows,
		       unsigned int n, enum direction d)
{
	uint64_t bad = wrong_of(flows, n, d);

	if (o->verify)
		printf(" %8llu", (unsigned long long)bad);
	putchar('\n');
}

static void text_latency(const struct options *o, const struct flow *flows,
			 unsigned int n)
{
	struct hist *h = calloc(1, sizeof(*h));

	if (!h)
		return;
	round_trips(flows, n, h);
	if (!headed)
		printf("half of the round trip in us\n%10s %12s %9s %9s %9s %9s %9s%s\n",
		       "bytes", "round trips", "min", "50%", "99%", "99.9%",
		       "max", o->verify ? "    wrong" : "");
	printf("%10zu %12llu %9.2f %9.2f %9.2f %9.2f %9.2f", o->size,
	       (unsigned long long)h->count, h->min / 2e3,
	       hist_quantile(h, .5) / 2e3, hist_quantile(h, .99) / 2e3,
	       hist_quantile(h, .999) / 2e3, h->max / 2e3);
	text_wrong(o, flows, n, BOTH);
	free(h);
}

static void text_direction(const struct options *o, const struct flow *flows,
			   unsigned int n, enum direction d)
{
	struct side client = sum(flows, n, d, of_client);
	struct shares s = shares(flows, n, d);

	if (!s.n)
		return;
	if (!headed)
		printf("%10s %-7s %5s %12s %14s %9s %12s %12s%s\n", "bytes",
		       "way", "flows", "messages", "sum", "seconds",
		       "messages/s", "Mbit/s", o->verify ? "    wrong" : "");
	headed = true;
	printf("%10zu %-7s %5u %12llu %14llu %9.3f %12.0f %12.3f", o->size,
	       directions[d], s.n, (unsigned long long)client.messages,
	       (unsigned long long)client.bytes, client.ns / 1e9,
	       per_s(client.messages, client.ns),
	       per_s(client.bytes, client.ns) * 8 / 1e6);
	text_wrong(o, flows, n, d);
	if (s.n > 1)
		printf("%10s least %.0f, most %.0f messages/s of a flow, Jain's index %.3f\n",
		       "", s.least, s.most, s.jain);
}

/**
 * report_size() - what the flows of one size have done
 * @o: options; @size is that size
 * @flows: flows
 * @n: number of them
 */
void report_size(const struct options *o, const struct flow *flows,
		 unsigned int n)
{
	if (o->json) {
		json_size(o, flows, n);
		fflush(stdout);
		return;
	}
	if (o->mode == MODE_LAT) {
		text_latency(o, flows, n);
	} else {
		text_direction(o, flows, n, FORWARD);
		text_direction(o, flows, n, REVERSE);
	}
	headed = true;
	fflush(stdout);
}

/**
 * report_end() - what comes after all results
 * @o: options
 *
 * Return: whether all of them were written.
 */
bool report_end(const struct options *o)
{
	if (o->json) {
		json_close(&out, ']');
		number("signal", stopped);
		json_close(&out, '}');
	}
	/* A failed write may have been one long ago, hence without errno */
	if (!fflush(stdout) && !ferror(stdout))
		return true;
	warnx("results could not be written");
	return false;
}
