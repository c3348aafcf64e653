// SPDX-License-Identifier: GPL-2.0
/*
 * "ping": is a peer there, and who? Words, and probes one after the other. All paths
 * at once are in ping_paths.c.
 */
#include <errno.h>
#include <linux/uet_netlink.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "field.h"
#include "names.gen.h"
#include "ping.h"
#include "tick.h"
#include "units.h"
#include "verbs.h"

#define PAYLOAD_MAX	16383
#define JOB_MAX		0xffffff
#define ID_MAX		4095
#define VALUES_DEFAULT	256

/* Help and completion; the values are read here, some are not whole numbers */
const struct arg args_ping[] = {
	{ "pidonfep", ARG_U32, 0, NULL, "ask for the process with this PIDonFEP" },
	{ "ri", ARG_U32, 0, NULL, "its resource index" },
	{ "job", ARG_U32, 0, NULL, "its job" },
	{ "count", ARG_U32, 0, NULL, "-c: probes to send; with all-paths, per value" },
	{ "interval", ARG_U32, 0, NULL, "-i: seconds between two" },
	{ "timeout", ARG_U32, 0, NULL, "-W: seconds until one counts as lost" },
	{ "size", ARG_U32, 0, NULL, "-s: payload, or several in turn; \"mtu\" fills a packet" },
	{ "ev", ARG_U32, 0, NULL, "entropy value" },
	{ "ttl", ARG_U32, 0, NULL, "-t: TTL or hop limit" },
	{ "dev", ARG_DEV, 0, NULL, "-I: interface of a link-local address, or VRF" },
	{ "values", ARG_U32, 0, NULL, "probe at most so many entropy values" },
	{ "hops", ARG_U32, 0, NULL, "look for at most so many hops" },
	{ "all-paths", ARG_FLAG, 0, NULL, "-a: probe each entropy value" },
	{ "trace", ARG_FLAG, 0, NULL, "-T: tell the hops of each value" },
	{ "quiet", ARG_FLAG, 0, NULL, "-q: just the summary" },
	{ 0 }
};

static const struct {
	const char *dash;
	const char *word;
} dashes[] = {
	{ "-c", "count" }, { "-i", "interval" }, { "-W", "timeout" },
	{ "-s", "size" }, { "-t", "ttl" }, { "-I", "dev" }, { "-a", "all-paths" },
	{ "-T", "trace" }, { "-q", "quiet" },
};

/* The keyword of a word: "-c", "count", "--count" or "cou"; NULL if none */
static const struct arg *keyword(const char *word)
{
	const struct arg *arg, *found = NULL;
	size_t i;

	for (i = 0; i < sizeof(dashes) / sizeof(dashes[0]); i++)
		if (!strcmp(word, dashes[i].dash))
			word = dashes[i].word;
	if (!strncmp(word, "--", 2))
		word += 2;
	for (arg = args_ping; arg->word; arg++) {
		if (!strcmp(word, arg->word))
			return arg;
		if (!abbreviates(word, arg->word))
			continue;
		if (found)
			return NULL;
		found = arg;
	}
	return found;
}

static bool parse_sizes(struct ping_conf *conf, const char *text)
{
	char copy[128], *word, *rest = NULL;
	uint64_t size;

	if (strlen(text) >= sizeof(copy))
		return false;
	strcpy(copy, text);
	for (word = strtok_r(copy, ",", &rest); word;
	     word = strtok_r(NULL, ",", &rest)) {
		if (conf->n_sizes == PING_SIZES_MAX)
			return false;
		if (!strcmp(word, "mtu"))
			size = PING_SIZE_MTU;
		else if (!number_parse(word, PAYLOAD_MAX, &size))
			return false;
		conf->sizes[conf->n_sizes++] = size;
	}
	return conf->n_sizes;
}

static bool parse_number(const char *text, uint64_t least, uint64_t most,
			 uint32_t *value)
{
	uint64_t num;

	if (!number_parse(text, most, &num) || num < least)
		return false;
	*value = num;
	return true;
}

/* Is the value of a keyword good? It is noted. */
static bool take(struct ping_conf *conf, const char *word, const char *text)
{
	uint32_t num = 0;
	bool ok;

	if (!strcmp(word, "interval"))
		return seconds_parse(text, &conf->interval);
	if (!strcmp(word, "timeout"))
		return seconds_parse(text, &conf->timeout) && conf->timeout <= 60;
	if (!strcmp(word, "size"))
		return parse_sizes(conf, text);
	if (!strcmp(word, "ri"))
		return parse_number(text, 0, ID_MAX, &conf->ri);
	if (!strcmp(word, "job"))
		return parse_number(text, 0, JOB_MAX, &conf->job);
	if (!strcmp(word, "ev"))
		return parse_number(text, 1, UINT16_MAX, &conf->ev);
	if (!strcmp(word, "ttl"))
		return parse_number(text, 1, UINT8_MAX, &conf->ttl);
	if (!strcmp(word, "values"))
		return parse_number(text, 1, PING_VALUES_MAX, &conf->values);
	if (!strcmp(word, "hops"))
		return parse_number(text, 1, PING_HOPS_MAX, &conf->hops);
	if (!strcmp(word, "count")) {
		ok = parse_number(text, 1, UINT32_MAX, &num);
		conf->count = num;
		return ok;
	}
	if (!strcmp(word, "pidonfep")) {
		ok = parse_number(text, 0, ID_MAX, &num);
		conf->pid = num;
		return ok;
	}
	conf->dev = if_nametoindex(text);
	return conf->dev || parse_number(text, 1, INT32_MAX, &conf->dev);
}

static bool parse_peer(struct ping_conf *conf, const char *text)
{
	const char *scope = strchr(text, '%');
	char addr[INET6_ADDRSTRLEN];

	if (!scope)
		return addr_parse(text, &conf->peer);
	if ((size_t)(scope - text) >= sizeof(addr))
		return false;
	memcpy(addr, text, scope - text);
	addr[scope - text] = '\0';
	return addr_parse(addr, &conf->peer) && take(conf, "dev", scope + 1);
}

static void take_flag(struct ping_conf *conf, const char *word)
{
	if (!strcmp(word, "all-paths"))
		conf->all_paths = true;
	else if (!strcmp(word, "trace"))
		conf->trace = true;
	else
		conf->quiet = true;
}

static int parse(struct ping_conf *conf, int argc, char **argv)
{
	const struct arg *arg;
	int i;

	for (i = 0; i < argc; i++) {
		arg = keyword(argv[i]);
		if (!conf->name && !arg && argv[i][0] != '-') {
			conf->name = argv[i];
			if (!parse_peer(conf, argv[i]))
				return usage_error("\"%s\" is no address or host",
						   argv[i]);
			continue;
		}
		if (!arg)
			return usage_error("what is \"%s\"? \"uet ping help\" lists what there is",
					   argv[i]);
		if (arg->kind == ARG_FLAG) {
			take_flag(conf, arg->word);
			continue;
		}
		if (++i == argc)
			return usage_error("%s wants a value", arg->word);
		if (!take(conf, arg->word, argv[i]))
			return usage_error("%s does not take \"%s\" (%s)", arg->word,
					   argv[i], arg->help);
	}
	if (!conf->name)
		return usage_error("\"ping\" wants the address of a peer");
	if (conf->pid == PING_NO_PID && (conf->ri || conf->job))
		return usage_error("job and ri go with a PIDonFEP");
	if (conf->pid != PING_NO_PID && (conf->n_sizes || conf->all_paths))
		return usage_error("a process is asked without size and all-paths");
	return 0;
}

/**
 * struct series - probes one after the other
 * @p: pinger
 * @probes: those under way, by number
 * @sent: probes of each size
 * @answered: answers of each size
 * @lens: lengths of packets of each size
 * @rtts: round trips
 * @endpoint: what was said last of the endpoint
 * @error: the kernel refused a probe
 */
struct series {
	struct pinger p;
	struct probe probes[PING_WINDOW];
	uint64_t sent[PING_SIZES_MAX];
	uint64_t answered[PING_SIZES_MAX];
	uint32_t lens[PING_SIZES_MAX];
	struct rtts rtts;
	struct probe endpoint;
	bool error;
};

static bool good(const struct series *s, const struct probe *probe)
{
	if (s->p.conf->pid != PING_NO_PID)
		return endpoint_there(probe);
	return !probe->error && probe->result == UET_PING_RESULT_ANSWERED;
}

static void probe_json(struct out *o, const struct probe *probe)
{
	char from[ADDR_TEXT];

	out_object(o, NULL);
	out_num(o, "seq", K_NUM, probe->number, 0);
	out_str(o, "result", probe->error ? "error" :
		name_of(&names_ping_result, probe->result), 0);
	out_num(o, "ev", K_NUM, probe->ev, 0);
	out_num(o, "size", K_NUM, probe->size, 0);
	out_num(o, "len", K_NUM, probe->len, 0);
	if (probe->has_from) {
		addr_text(&probe->from, from, sizeof(from));
		out_str(o, "from", from, 0);
	}
	if (probe->rtt)
		out_num(o, "rtt_ns", K_NS, probe->rtt, 0);
	if (probe->mtu)
		out_num(o, "mtu", K_NUM, probe->mtu, 0);
	if (probe->code >= 0)
		out_num(o, "code", K_NUM, probe->code, 0);
	if (probe->marked)
		out_str(o, "ecn", "marked", 0);
	out_object_end(o);
}

static void probe_line(FILE *to, const struct probe *probe, const char *peer)
{
	char from[ADDR_TEXT] = "", rtt[UNIT_TEXT];

	if (probe->has_from)
		addr_text(&probe->from, from, sizeof(from));
	if (probe->error || probe->result != UET_PING_RESULT_ANSWERED) {
		fprintf(to, "%s%sseq=%llu ev=%u len=%u: %s", from,
			*from ? ": " : "", (unsigned long long)probe->number,
			probe->ev, probe->len, probe_text(probe));
		if (probe->mtu)
			fprintf(to, ", MTU %u", probe->mtu);
		fputc('\n', to);
		return;
	}
	fprintf(to, "%u bytes from %s: seq=%llu ev=%u", probe->len,
		*from ? from : peer, (unsigned long long)probe->number, probe->ev);
	if (probe->rtt) {
		ns_text(probe->rtt, rtt, sizeof(rtt));
		fprintf(to, " time=%s", rtt);
	} else {
		fprintf(to, " sent %u times", probe->sent);
	}
	if (probe->ask)
		fprintf(to, " PIDonFEP %u: %s", probe->pid, endpoint_text_of(probe));
	fprintf(to, "%s\n", probe->marked ? " marked by ECN" : "");
}

static void series_done(struct probe *probe, void *arg)
{
	struct series *s = arg;
	const struct ping_conf *conf = s->p.conf;
	unsigned int i = probe->number % conf->n_sizes;
	struct out *o = &s->p.t->out;

	if (probe->error == EAGAIN)
		return;
	if (probe->error)
		s->error = true;
	s->lens[i] = probe->len ? probe->len : s->p.way.headers + probe->size;
	s->answered[i] += good(s, probe);
	if (!probe->error && probe->rtt &&
	    probe->result == UET_PING_RESULT_ANSWERED)
		rtts_add(&s->rtts, probe->rtt);
	if (probe->ask)
		s->endpoint = *probe;
	if (conf->quiet)
		return;
	if (o->opts->json)
		probe_json(o, probe);
	else
		probe_line(o->to, probe, conf->name);
	out_flush(o);
}

/* The payload of a probe; one that fills the packet is known with the route */
static uint32_t size_of(const struct series *s, uint64_t number)
{
	const struct ping_conf *conf = s->p.conf;
	uint32_t size = conf->sizes[number % conf->n_sizes];
	const struct ping_way *w = &s->p.way;

	if (size != PING_SIZE_MTU)
		return size;
	size = w->mtu > w->headers ? w->mtu - w->headers : 0;
	return size < PAYLOAD_MAX ? size : PAYLOAD_MAX;
}

static int series_send(struct series *s, uint64_t number)
{
	const struct ping_conf *conf = s->p.conf;
	struct probe *probe = &s->probes[number % PING_WINDOW];

	/* It has been under way for as long as all others after it took */
	if (probe->waits)
		return 0;
	*probe = (struct probe){
		.number	= number,
		.ev	= conf->ev,
		.ttl	= conf->ttl,
		.size	= size_of(s, number),
		.ask	= conf->pid != PING_NO_PID,
		.pid	= conf->pid,
		.code	= -1,
		.generation = -1,
		.version = -1,
	};
	s->sent[number % conf->n_sizes]++;
	return pinger_send(&s->p, probe);
}

static int series_run(struct series *s)
{
	const struct ping_conf *conf = s->p.conf;
	uint64_t number, next = now_ns(), now;
	int err = 0;

	for (number = 0; !err && !pinger_stopped(); number++) {
		if (conf->count && number == conf->count * conf->n_sizes)
			break;
		err = series_send(s, number);
		next += conf->interval * 1e9;
		if (conf->count && number + 1 == conf->count * conf->n_sizes)
			break;
		while (!err && !pinger_stopped() && (now = now_ns()) < next)
			err = pinger_hear(&s->p, (next - now) / 1000000 + 1);
	}
	return err ? err : pinger_drain(&s->p);
}

static void sizes_out(struct series *s)
{
	const struct ping_conf *conf = s->p.conf;
	struct out *o = &s->p.t->out;
	uint32_t passes, lost;
	unsigned int i;

	if (conf->n_sizes < 2)
		return;
	if (o->opts->json)
		out_array(o, "sizes");
	for (i = 0; i < conf->n_sizes; i++) {
		if (!o->opts->json) {
			fprintf(o->to, "packets of %u bytes: %llu sent, %llu answered\n",
				s->lens[i], (unsigned long long)s->sent[i],
				(unsigned long long)s->answered[i]);
			continue;
		}
		out_object(o, NULL);
		out_num(o, "len", K_NUM, s->lens[i], 0);
		out_num(o, "sent", K_NUM, s->sent[i], 0);
		out_num(o, "answered", K_NUM, s->answered[i], 0);
		out_object_end(o);
	}
	if (o->opts->json)
		out_array_end(o);
	if (!sizes_hole(s->sent, s->answered, s->lens, conf->n_sizes, &passes,
			&lost))
		return;
	if (o->opts->json) {
		out_str(o, "verdict", "large packets are lost, small ones are not", 0);
		out_num(o, "passes", K_NUM, passes, 0);
		out_num(o, "lost", K_NUM, lost, 0);
	} else {
		fprintf(o->to, "large packets are lost, small ones are not: %u bytes pass, %u do not\n",
			passes, lost);
	}
}

static void endpoint_out(struct series *s)
{
	const struct ping_conf *conf = s->p.conf;
	struct out *o = &s->p.t->out;
	const struct probe *e = &s->endpoint;
	bool told = e->ask && !e->error && e->code >= 0;
	const char *text = told ? endpoint_text_of(e) :
			   e->ask ? probe_text(e) : "nothing came back in time";

	if (conf->pid == PING_NO_PID)
		return;
	if (!o->opts->json) {
		fprintf(o->to, "PIDonFEP %d of job %u, index %u: %s\n", conf->pid,
			conf->job, conf->ri, text);
		return;
	}
	out_object(o, "endpoint");
	out_num(o, "pidonfep", K_NUM, conf->pid, 0);
	out_num(o, "job", K_NUM, conf->job, 0);
	out_num(o, "ri", K_NUM, conf->ri, 0);
	out_num(o, "there", K_NUM, endpoint_there(e), 0);
	out_str(o, "text", text, 0);
	if (told)
		out_num(o, "code", K_NUM, e->code, 0);
	if (e->generation >= 0 && e->ask)
		out_num(o, "generation", K_NUM, e->generation, 0);
	if (told && e->version >= 0)
		out_num(o, "ses_version", K_NUM, e->version, 0);
	if (e->window)
		out_num(o, "window", K_NUM, e->window, 0);
	out_object_end(o);
}

/* Return: exit status */
static int series_end(struct series *s)
{
	const struct ping_conf *conf = s->p.conf;
	struct out *o = &s->p.t->out;
	uint64_t sent = 0, answered = 0;
	bool some_lost = false;
	unsigned int i;

	for (i = 0; i < conf->n_sizes; i++) {
		sent += s->sent[i];
		answered += s->answered[i];
		some_lost |= s->sent[i] && !s->answered[i];
	}
	if (o->opts->json) {
		if (!conf->quiet)
			out_array_end(o);
		out_num(o, "sent", K_NUM, sent, 0);
		out_num(o, "answered", K_NUM, answered, 0);
	} else {
		fprintf(o->to, "--- %s: %llu sent, %llu answered, %.3g%% lost\n",
			conf->name, (unsigned long long)sent,
			(unsigned long long)answered,
			sent ? 100.0 * (sent - answered) / sent : 0);
	}
	endpoint_out(s);
	sizes_out(s);
	sum_out(o, &s->rtts);
	if (s->error && !answered)
		return PING_ERROR;
	return answered && !some_lost ? PING_ANSWERED : PING_SILENT;
}

/* Ask what the peer is; what that says of the way is the head of the output */
static int ask_host(struct pinger *p, struct probe *host)
{
	int err;

	*host = (struct probe){
		.ask = true, .pid = p->conf->pid == PING_NO_PID ? 0 : p->conf->pid,
		.code = -1, .generation = -1, .version = -1,
		.result = UET_PING_RESULT_LOST,
	};
	err = pinger_one(p, host);
	return err ? err : host->error && !p->way.known ? -host->error : 0;
}

static int run(struct series *s)
{
	const struct ping_conf *conf = s->p.conf;
	struct out *o = &s->p.t->out;
	struct probe host;
	int status, err;

	err = ask_host(&s->p, &host);
	if (err)
		return PING_ERROR;
	out_list(o);
	if (o->opts->json)
		out_object(o, NULL);
	way_out(&s->p);
	host_out(&s->p, &host);
	out_flush(o);
	if (conf->all_paths || conf->trace) {
		status = paths_run(&s->p);
	} else {
		s->p.done = series_done;
		s->p.arg = s;
		if (o->opts->json && !conf->quiet)
			out_array(o, "probes");
		err = series_run(s);
		status = series_end(s);
	}
	if (o->opts->json)
		out_object_end(o);
	out_list_end(o);
	return err ? PING_ERROR : status;
}

int ping_run(struct tool *t, const struct cmd *cmd, int argc, char **argv)
{
	struct ping_conf conf = {
		.pid = PING_NO_PID, .interval = 1, .timeout = 1,
		.values = VALUES_DEFAULT, .hops = 30,
	};
	struct series *s;
	int status = PING_ERROR;

	(void)cmd;
	if (parse(&conf, argc, argv))
		return PING_ERROR;
	if (!conf.n_sizes)
		conf.n_sizes = 1;
	s = calloc(1, sizeof(*s));
	if (!s) {
		usage_error("no memory");
		return PING_ERROR;
	}
	if (!pinger_open(&s->p, t, &conf))
		status = run(s);
	free(s->rtts.at);
	free(s);
	return status;
}
