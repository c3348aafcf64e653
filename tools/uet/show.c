// SPDX-License-Identifier: GPL-2.0
/*
 * "show" of all objects that are records of attributes.
 */
#include "cmd.h"
#include "field.h"

/**
 * kernel_status() - exit status for an error of the kernel, which was printed
 */
int kernel_status(int err)
{
	return err ? EXIT_KERNEL : 0;
}

struct showing {
	struct tool *t;
	const struct field *fields;
};

static void show_one(const struct attrs *a, void *arg)
{
	struct showing *s = arg;

	out_object(&s->t->out, NULL);
	fields_out(&s->t->out, s->fields, a);
	out_object_end(&s->t->out);
}

/**
 * show_dump() - get the objects of a type
 * @t: tool
 * @obj: type
 * @args: filter, NULL = all
 * @fn: gets each
 * @arg: for @fn
 *
 * Return: 0 or a negative error, which was printed unless the socket is quiet.
 */
int show_dump(struct tool *t, const struct object *obj, const struct args *args,
	      nl_object_fn fn, void *arg)
{
	struct nlmsghdr *req;
	int err = nl_open(&t->nl);

	if (err)
		return err;
	req = nl_request(&t->nl, obj->cmd, true);
	if (args)
		args_put(args, req, obj->filter);
	return nl_talk(&t->nl, req, fn, arg);
}

/**
 * show_run() - "show" of an object that is shown as it is
 */
int show_run(struct tool *t, const struct cmd *cmd, int argc, char **argv)
{
	struct showing s = { t, cmd->object->fields };
	struct args args;
	int err;

	if (args_parse(&args, cmd->args, argc, argv))
		return EXIT_USAGE;
	err = nl_open(&t->nl);
	if (err)
		return kernel_status(err);
	out_list(&t->out);
	err = show_dump(t, cmd->object, &args, show_one, &s);
	out_list_end(&t->out);
	return kernel_status(err);
}
