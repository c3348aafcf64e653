// SPDX-License-Identifier: GPL-2.0
/*
 * Begin and end of a plug-in of QEMU:
 *
 *	qemu-system-x86_64 ... -plugin build/perf/NAME.so,out=FILE
 *
 * Programs in the guest say by marks (../mark.h) what is to be counted.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static const char *out;

static void on_run(unsigned int cpu, void *data)
{
	const struct block *b = data;
	struct cpu *c = &cpus[cpu];

	if (!window.phase)
		return;
	window_lock();
	stacks_run(c, b);
	if (window_open())
		plugin.count(b, counts_of(c->context, window.phase, b->addr));
	window_unlock();
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	/* Kept: QEMU does not say when it forgets a block */
	struct block *b = calloc(1, sizeof(*b));

	(void)id;
	b->addr = qemu_plugin_tb_vaddr(tb);
	b->insns = qemu_plugin_tb_n_insns(tb);
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_run, QEMU_PLUGIN_CB_NO_REGS, b);
	if (b->addr & KERNEL_SPACE) {
		if (plugin.watch)
			plugin.watch(tb, b);
		stacks_watch(tb, b);
		return;
	}
	for (uint32_t i = 0; i < b->insns; i++)
		window_watch(qemu_plugin_tb_get_insn(tb, i));
}

static void on_exit_write(qemu_plugin_id_t id, void *data)
{
	FILE *f = fopen(out, "w");

	(void)id;
	(void)data;
	if (f) {
		fprintf(f, "profile %s\n", plugin.names);
		/* Other CPUs may still run */
		window_lock();
		counts_write(f);
		window_unlock();
	}
	if (!f || ferror(f) | fclose(f))
		fprintf(stderr, "profile: %s: %s\n", out, strerror(errno));
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			char **argv)
{
	if (argc != 1 || strncmp(argv[0], "out=", 4)) {
		fprintf(stderr, "profile: -plugin FILE.so,out=FILE is wanted\n");
		return -1;
	}
	if (info->system_emulation && info->system.max_vcpus > CPUS_MAX) {
		fprintf(stderr, "profile: at most %d CPUs\n", CPUS_MAX);
		return -1;
	}
	out = strdup(argv[0] + 4);
	window_cpus(info);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_atexit_cb(id, on_exit_write, NULL);
	return 0;
}
