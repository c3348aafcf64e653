/* SPDX-License-Identifier: GPL-2.0 */
/*
 * As much of KUnit as the suites of the core use, for user space: the files
 * net/uet/tests/<name>_kunit.c are compiled unchanged in both worlds.  Results
 * are printed in KTAP by tools/unit/kunit_main.c.
 */
#ifndef _SHIM_KUNIT_TEST_H
#define _SHIM_KUNIT_TEST_H

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <linux/types.h>
#include <linux/string.h>

#define GFP_KERNEL		0
#define KUNIT_SHIM_ALLOCS	256

struct kunit {
	const char *name;
	unsigned int failures;
	const void *param_value;
	jmp_buf abort;
	unsigned int nr_allocs;
	void *allocs[KUNIT_SHIM_ALLOCS];
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
	const void *(*generate_params)(const void *prev, char *desc);
};

struct kunit_suite {
	char name[256];
	struct kunit_case *test_cases;
	struct kunit_suite *shim_next;
};

#define KUNIT_PARAM_DESC_SIZE	128

void kunit_shim_register(struct kunit_suite *suite);
void kunit_shim_fail(struct kunit *test, const char *file, int line,
		     const char *fmt, ...)
	__attribute__((__format__(__printf__, 4, 5)));
void *kunit_kmalloc(struct kunit *test, size_t size, int gfp);
void *kunit_kzalloc(struct kunit *test, size_t size, int gfp);

#define KUNIT_CASE(fn)		{ .run_case = fn, .name = #fn }
#define KUNIT_CASE_SLOW(fn)	KUNIT_CASE(fn)
#define KUNIT_CASE_PARAM(fn, gen) \
	{ .run_case = fn, .name = #fn, .generate_params = gen }

#define KUNIT_ARRAY_PARAM(id, array, get_desc)				\
	static const void *id##_gen_params(const void *prev, char *desc) \
	{								\
		__typeof__((array)[0]) *next = prev ?			\
			((__typeof__(next))prev) + 1 : (array);		\
		void (*describe)(__typeof__(next), char *) = get_desc;	\
		if (next - (array) <					\
		    (long)(sizeof(array) / sizeof((array)[0]))) {	\
			if (describe)					\
				describe(next, desc);			\
			return next;					\
		}							\
		return NULL;						\
	}

#define kunit_test_suites(first)					\
	static void __attribute__((constructor)) kunit_shim_ctor(void)	\
	{								\
		kunit_shim_register(first);				\
	}
#define kunit_test_suite(suite)		kunit_test_suites(&(suite))

#define __KUNIT_CMP(test, left, op, right, stop, fmt, ...)		\
	do {								\
		__typeof__(left) __l = (left);				\
		__typeof__(right) __r = (right);			\
		if (__l op __r)						\
			break;						\
		kunit_shim_fail(test, __FILE__, __LINE__,		\
				"%s " #op " %s: %lld, %lld" fmt,	\
				#left, #right, (long long)__l,		\
				(long long)__r, ##__VA_ARGS__);		\
		if (stop)						\
			longjmp((test)->abort, 1);			\
	} while (0)

#define KUNIT_EXPECT_EQ(t, l, r)	__KUNIT_CMP(t, l, ==, r, 0, "")
#define KUNIT_EXPECT_NE(t, l, r)	__KUNIT_CMP(t, l, !=, r, 0, "")
#define KUNIT_EXPECT_LE(t, l, r)	__KUNIT_CMP(t, l, <=, r, 0, "")
#define KUNIT_EXPECT_LT(t, l, r)	__KUNIT_CMP(t, l, <, r, 0, "")
#define KUNIT_EXPECT_GE(t, l, r)	__KUNIT_CMP(t, l, >=, r, 0, "")
#define KUNIT_EXPECT_GT(t, l, r)	__KUNIT_CMP(t, l, >, r, 0, "")
#define KUNIT_EXPECT_EQ_MSG(t, l, r, fmt, ...) \
	__KUNIT_CMP(t, l, ==, r, 0, "; " fmt, ##__VA_ARGS__)
#define KUNIT_ASSERT_EQ(t, l, r)	__KUNIT_CMP(t, l, ==, r, 1, "")
#define KUNIT_ASSERT_NE(t, l, r)	__KUNIT_CMP(t, l, !=, r, 1, "")
#define KUNIT_ASSERT_LE(t, l, r)	__KUNIT_CMP(t, l, <=, r, 1, "")
#define KUNIT_ASSERT_LT(t, l, r)	__KUNIT_CMP(t, l, <, r, 1, "")
#define KUNIT_ASSERT_GE(t, l, r)	__KUNIT_CMP(t, l, >=, r, 1, "")
#define KUNIT_ASSERT_GT(t, l, r)	__KUNIT_CMP(t, l, >, r, 1, "")
#define KUNIT_ASSERT_EQ_MSG(t, l, r, fmt, ...) \
	__KUNIT_CMP(t, l, ==, r, 1, "; " fmt, ##__VA_ARGS__)
#define KUNIT_EXPECT_TRUE(t, c)		__KUNIT_CMP(t, !!(c), ==, 1, 0, "")
#define KUNIT_EXPECT_FALSE(t, c)	__KUNIT_CMP(t, !!(c), ==, 0, 0, "")
#define KUNIT_ASSERT_TRUE(t, c)		__KUNIT_CMP(t, !!(c), ==, 1, 1, "")
#define KUNIT_ASSERT_FALSE(t, c)	__KUNIT_CMP(t, !!(c), ==, 0, 1, "")
#define KUNIT_EXPECT_PTR_EQ(t, l, r) \
	__KUNIT_CMP(t, (uintptr_t)(l), ==, (uintptr_t)(r), 0, "")
#define KUNIT_EXPECT_NOT_NULL(t, p) \
	__KUNIT_CMP(t, (uintptr_t)(p), !=, (uintptr_t)0, 0, "")
#define KUNIT_ASSERT_NOT_NULL(t, p) \
	__KUNIT_CMP(t, (uintptr_t)(p), !=, (uintptr_t)0, 1, "")
#define KUNIT_EXPECT_STREQ(t, l, r) \
	__KUNIT_CMP(t, strcmp(l, r), ==, 0, 0, "")

void kunit_shim_memeq(struct kunit *test, const char *file, int line,
		      const void *left, const void *right, size_t size);

#define KUNIT_EXPECT_MEMEQ(t, l, r, n) \
	kunit_shim_memeq(t, __FILE__, __LINE__, l, r, n)

#define KUNIT_FAIL(t, fmt, ...) \
	kunit_shim_fail(t, __FILE__, __LINE__, fmt, ##__VA_ARGS__)

#endif
