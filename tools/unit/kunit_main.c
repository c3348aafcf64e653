// SPDX-License-Identifier: GPL-2.0
/*
 * Runs KUnit suites in user space and prints KTAP.  With arguments only the
 * suites or cases whose name contains one of them.
 */
#include <stdarg.h>
#include <kunit/test.h>

static struct kunit_suite *suites;
static unsigned int nr_suites;

/* Constructors run in link order; keep it. */
void kunit_shim_register(struct kunit_suite *suite)
{
	struct kunit_suite **end = &suites;

	while (*end)
		end = &(*end)->shim_next;
	*end = suite;
	nr_suites++;
}

void kunit_shim_fail(struct kunit *test, const char *file, int line,
		     const char *fmt, ...)
{
	va_list args;

	test->failures++;
	if (test->failures > 20)
		return;
	printf("    # %s: EXPECTATION FAILED at %s:%d\n    #     ", test->name,
	       file, line);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
}

void kunit_shim_memeq(struct kunit *test, const char *file, int line,
		      const void *left, const void *right, size_t size)
{
	const u8 *l = left, *r = right;
	size_t i;

	for (i = 0; i < size; i++) {
		if (l[i] == r[i])
			continue;
		kunit_shim_fail(test, file, line,
				"byte %zu of %zu: 0x%02x, 0x%02x", i, size,
				l[i], r[i]);
		return;
	}
}

void *kunit_kmalloc(struct kunit *test, size_t size, int gfp)
{
	void *p = malloc(size);

	(void)gfp;
	if (!p || test->nr_allocs == KUNIT_SHIM_ALLOCS) {
		fprintf(stderr, "%s: out of memory\n", test->name);
		exit(2);
	}
	test->allocs[test->nr_allocs++] = p;
	return p;
}

void *kunit_kzalloc(struct kunit *test, size_t size, int gfp)
{
	return memset(kunit_kmalloc(test, size, gfp), 0, size);
}

/* One case with one parameter.  Returns the number of failures. */
static unsigned int run_once(const struct kunit_case *tc, const void *param)
{
	static struct kunit test;
	unsigned int i;

	memset(&test, 0, sizeof(test));
	test.name = tc->name;
	test.param_value = param;
	if (!setjmp(test.abort))
		tc->run_case(&test);
	for (i = 0; i < test.nr_allocs; i++)
		free(test.allocs[i]);
	return test.failures;
}

static unsigned int run_params(const struct kunit_case *tc)
{
	char desc[KUNIT_PARAM_DESC_SIZE] = "";
	const void *param = NULL;
	unsigned int bad = 0, n = 0;

	printf("        KTAP version 1\n        # Subtest: %s\n", tc->name);
	while ((param = tc->generate_params(param, desc))) {
		unsigned int failures = run_once(tc, param);

		printf("        %s %u %s\n", failures ? "not ok" : "ok", ++n,
		       desc);
		bad += !!failures;
	}
	printf("        1..%u\n", n);
	return bad;
}

static int wanted(const char *name, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		if (strstr(name, argv[i]))
			return 1;
	}
	return argc < 2;
}

int main(int argc, char **argv)
{
	unsigned int n = 0, bad = 0, cases = 0, bad_cases = 0;
	struct kunit_suite *suite;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("KTAP version 1\n1..%u\n", nr_suites);
	for (suite = suites; suite; suite = suite->shim_next) {
		const struct kunit_case *tc = suite->test_cases;
		unsigned int k = 0, suite_bad = 0;

		printf("    KTAP version 1\n    # Subtest: %s\n", suite->name);
		for (; tc->run_case; tc++) {
			unsigned int failed;

			if (!wanted(suite->name, argc, argv) &&
			    !wanted(tc->name, argc, argv)) {
				printf("    ok %u %s # SKIP not selected\n",
				       ++k, tc->name);
				continue;
			}
			failed = tc->generate_params ? run_params(tc) :
						       run_once(tc, NULL);
			printf("    %s %u %s\n", failed ? "not ok" : "ok", ++k,
			       tc->name);
			cases++;
			suite_bad += !!failed;
		}
		printf("    1..%u\n", k);
		printf("%s %u %s\n", suite_bad ? "not ok" : "ok", ++n,
		       suite->name);
		bad_cases += suite_bad;
		bad += !!suite_bad;
	}
	printf("# %u cases passed, %u failed\n", cases - bad_cases, bad_cases);
	return bad || !cases;
}
