// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "opts.h"
#include "out.h"

void out_init(struct out *o, const struct opts *opts, FILE *to)
{
	*o = (struct out){
		.opts	= opts,
		.to	= to,
		.json	= { .to = to, .pretty = opts->pretty },
		.fresh	= true,
	};
}

/**
 * out_list() - begin the records of a command
 */
void out_list(struct out *o)
{
	if (o->opts->json)
		json_open(&o->json, NULL, '[');
}

void out_list_end(struct out *o)
{
	if (o->opts->json)
		json_close(&o->json, ']');
}

static void new_line(struct out *o)
{
	unsigned int i;

	putc('\n', o->to);
	for (i = 0; i < o->indent; i++)
		putc('\t', o->to);
	o->fresh = true;
}

static void word(struct out *o, const char *text, const char *colour)
{
	if (!o->fresh)
		putc(' ', o->to);
	o->fresh = false;
	if (colour && o->opts->colour)
		fprintf(o->to, "%s%s\033[0m", colour, text);
	else
		fputs(text, o->to);
}

static const char *enclosing(const struct out *o)
{
	return o->depth ? o->keys[o->depth - 1] : NULL;
}

/**
 * out_object() - begin a record, or an object in it
 * @o: output
 * @key: its key, NULL for a record and in arrays
 */
void out_object(struct out *o, const char *key)
{
	const char *label = key ? key : enclosing(o);

	if (o->opts->json) {
		json_open(&o->json, key, '{');
	} else if (o->depth) {
		o->indent++;
		new_line(o);
		if (label)
			word(o, label, NULL);
	}
	o->keys[o->depth++] = key;
}

void out_object_end(struct out *o)
{
	o->depth--;
	if (o->opts->json) {
		json_close(&o->json, '}');
	} else if (!o->depth) {
		putc('\n', o->to);
		o->fresh = true;
	} else {
		o->indent--;
	}
}

/**
 * out_array() - begin an array of objects in a record; each is a line of text
 */
void out_array(struct out *o, const char *key)
{
	if (o->opts->json)
		json_open(&o->json, key, '[');
	o->keys[o->depth++] = key;
}

void out_array_end(struct out *o)
{
	o->depth--;
	if (o->opts->json)
		json_close(&o->json, ']');
}

/* Whatever it holds, it is seen where it ends */
static void quote(char *text, size_t size)
{
	char bare[VALUE_TEXT];
	size_t i, at = 1;

	snprintf(bare, sizeof(bare), "%s", text);
	text[0] = '"';
	for (i = 0; bare[i] && at + 6 < size; i++) {
		if (bare[i] == '"')
			at += snprintf(text + at, size - at, "\\x22");
		else
			text[at++] = bare[i];
	}
	text[at++] = '"';
	text[at] = '\0';
}

/**
 * out_value() - a value of the object that was begun last
 * @o: output
 * @key: its key, and label in text
 * @v: the value
 * @how: OUT_LINE, OUT_BARE, OUT_QUOTED
 */
void out_value(struct out *o, const char *key, const struct value *v,
	       unsigned int how)
{
	char text[VALUE_TEXT];

	if (o->opts->json) {
		json_key(&o->json, key);
		return value_json(o->opts, v, &o->json);
	}
	if (how & OUT_LINE && !o->fresh) {
		o->indent++;
		new_line(o);
		o->indent--;
	}
	if (!(how & OUT_BARE)) {
		text_safe(key, text, sizeof(text));
		word(o, text, NULL);
	}
	if (v->kind == K_FLAG)
		return;
	value_text(o->opts, v, text, sizeof(text));
	if (how & OUT_QUOTED)
		quote(text, sizeof(text));
	word(o, *text ? text : "\"\"", value_colour(v));
}

void out_num(struct out *o, const char *key, enum kind kind, uint64_t num,
	     unsigned int how)
{
	const struct value v = { .kind = kind, .u = num };

	out_value(o, key, &v, how);
}

void out_str(struct out *o, const char *key, const char *s, unsigned int how)
{
	const struct value v = { .kind = K_STR, .s = s };

	out_value(o, key, &v, how);
}

/**
 * out_flush() - write what is pending
 *
 * Return: false if nobody reads it any more, or it cannot be written.
 */
bool out_flush(struct out *o)
{
	return !fflush(o->to) && !ferror(o->to);
}
