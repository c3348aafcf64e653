/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runner for congestion-control vectors: one function per kind of file, and
 * accessors that name file, event and field in every complaint.
 */
#ifndef _VECTORS_VEC_H
#define _VECTORS_VEC_H

#include "../../net/uet/core/env.h"
#include "json.h"

/**
 * struct vec - a file being run
 * @file: its name
 * @what: what @index counts: "event", "row", "op"
 * @index: position of the item being run, -1 outside items
 * @checks: comparisons made
 */
struct vec {
	const char *file;
	const char *what;
	long index;
	unsigned long checks;
};

/* All of these end the program with a message if the file is not as agreed. */
void vec_die(const struct vec *v, const char *fmt, ...)
	__attribute__((noreturn, format(printf, 2, 3)));
const struct json *vec_get(const struct vec *v, const struct json *o,
			   const char *key);
s64 vec_int(const struct vec *v, const struct json *o, const char *key);
s64 vec_int_or(const struct vec *v, const struct json *o, const char *key,
	       s64 absent);
bool vec_bool(const struct vec *v, const struct json *o, const char *key);
const char *vec_str(const struct vec *v, const struct json *o,
		    const char *key);
s64 vec_value(const struct vec *v, const struct json *j);
/* floor(2^shift * value) of an integer or an exact fraction [n, d]. */
u64 vec_scaled(const struct vec *v, const struct json *o, const char *key,
	       unsigned int shift);
/* The member must hold exactly this. */
void vec_check(struct vec *v, const struct json *o, const char *key, s64 got);
void vec_check_bool(struct vec *v, const struct json *o, const char *key,
		    bool got);
void vec_check_str(struct vec *v, const struct json *o, const char *key,
		   const char *got);
/* Every member of the object must have one of these names. */
void vec_only(const struct vec *v, const struct json *o,
	      const char * const *names);

void vec_run_nscc(struct vec *v, const struct json *j);
void vec_run_derive(struct vec *v, const struct json *j);
void vec_run_rcvd_bytes(struct vec *v, const struct json *j);
void vec_run_gates(struct vec *v, const struct json *j);
void vec_run_rtt_cases(struct vec *v, const struct json *cases);
void vec_run_ev_oblivious(struct vec *v, const struct json *j);
void vec_run_ev_bitmap(struct vec *v, const struct json *j);
void vec_run_ev_reps(struct vec *v, const struct json *j);

#endif /* _VECTORS_VEC_H */
