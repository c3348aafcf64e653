// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a fuzz target without libFuzzer: first the corpus as it is, then inputs
 * mutated from it, the same for the same seed.
 *
 * usage: fuzz_TARGET [-n RUNS] [-s SEED] FILE|DIRECTORY...
 */
#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"
#include "../../net/uet/tests/random.h"

#define INPUT_BYTES	4096
#define MAX_SEEDS	4096

static struct {
	u8 *data;
	size_t size;
} seeds[MAX_SEEDS];
static unsigned int nr_seeds;
/* For whoever looks at a crash */
static u8 input[INPUT_BYTES];
static size_t input_size;
static unsigned long run_nr;

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static void add_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	u8 *data = malloc(INPUT_BYTES);

	if (!f || !data || nr_seeds == MAX_SEEDS)
		die(path);
	seeds[nr_seeds].size = fread(data, 1, INPUT_BYTES, f);
	seeds[nr_seeds++].data = data;
	fclose(f);
}

static void add_path(const char *path)
{
	struct dirent **names;
	struct stat st;
	int i, n;

	if (stat(path, &st))
		die(path);
	if (!S_ISDIR(st.st_mode)) {
		add_file(path);
		return;
	}
	n = scandir(path, &names, NULL, alphasort);
	if (n < 0)
		die(path);
	for (i = 0; i < n; i++) {
		char full[4096];

		snprintf(full, sizeof(full), "%s/%s", path, names[i]->d_name);
		if (names[i]->d_name[0] != '.')
			add_file(full);
		free(names[i]);
	}
	free(names);
}

static void mutate(struct test_rnd *r)
{
	unsigned int times = 1 + rnd_below(r, 8);

	while (times--) {
		u32 at = input_size ? rnd_below(r, input_size) : 0;
		u32 other = rnd_below(r, nr_seeds), n;

		switch (rnd_below(r, 6)) {
		case 0:
			input[at] ^= 1 << rnd_below(r, 8);
			break;
		case 1:
			input[at] = rnd32(r);
			break;
		case 2:
			input[at] = rnd_one_in(r, 2) ? 0xff : 0;
			break;
		case 3:		/* cut, or lengthen with random bytes */
			n = rnd_below(r, 64);
			if (rnd_one_in(r, 2)) {
				input_size -= min_t(size_t, n, input_size);
				break;
			}
			while (n-- && input_size < INPUT_BYTES)
				input[input_size++] = rnd32(r);
			break;
		case 4:		/* splice with another seed */
			n = min(INPUT_BYTES - (size_t)at, seeds[other].size);
			memcpy(input + at, seeds[other].data, n);
			input_size = max(input_size, at + (size_t)n);
			break;
		case 5:		/* repeat a piece */
			n = min_t(size_t, rnd_below(r, 32), input_size - at);
			n = min_t(size_t, n, INPUT_BYTES - input_size);
			memcpy(input + input_size, input + at, n);
			input_size += n;
			break;
		}
	}
}

static void report(void)
{
	size_t i;

	fprintf(stderr, "run %lu, input of %zu bytes:", run_nr, input_size);
	for (i = 0; i < input_size; i++)
		fprintf(stderr, " %02x", input[i]);
	fprintf(stderr, "\n");
}

/* A check failed; abort() goes on to end the program. */
static void on_abort(int sig)
{
	(void)sig;
	report();
}

/* Called by the sanitizers' runtime before it ends the program. */
void __sanitizer_set_death_callback(void (*callback)(void));

int main(int argc, char **argv)
{
	struct test_rnd rnd = { 1 };
	unsigned long runs = 100000;
	struct timespec t0, t1;
	double secs;
	int opt;

	while ((opt = getopt(argc, argv, "n:s:")) != -1) {
		if (opt == 'n')
			runs = strtoul(optarg, NULL, 0);
		else if (opt == 's')
			rnd.state = strtoull(optarg, NULL, 0);
		else
			return 2;
	}
	for (; optind < argc; optind++)
		add_path(argv[optind]);
	if (!nr_seeds) {
		fprintf(stderr, "%s: no corpus\n", argv[0]);
		return 2;
	}
	__sanitizer_set_death_callback(report);
	signal(SIGABRT, on_abort);
	clock_gettime(CLOCK_MONOTONIC, &t0);
	for (; run_nr < nr_seeds + runs; run_nr++) {
		u32 seed = run_nr < nr_seeds ? run_nr :
					       rnd_below(&rnd, nr_seeds);

		input_size = seeds[seed].size;
		memcpy(input, seeds[seed].data, input_size);
		if (run_nr >= nr_seeds)
			mutate(&rnd);
		LLVMFuzzerTestOneInput(input, input_size);
	}
	clock_gettime(CLOCK_MONOTONIC, &t1);
	secs = t1.tv_sec - t0.tv_sec + (t1.tv_nsec - t0.tv_nsec) / 1e9;
	printf("%s: %lu runs, %.1f s, %.0f runs/s, no findings\n", argv[0],
	       run_nr, secs, run_nr / secs);
	return 0;
}
