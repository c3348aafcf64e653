// SPDX-License-Identifier: GPL-2.0
#include <pthread.h>
#include <string.h>

#include "../mark.h"
#include "window.h"

struct window window;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool several;

void window_cpus(const qemu_info_t *info)
{
	several = info->system_emulation && info->system.smp_vcpus > 1;
}

void window_lock(void)
{
	if (several)
		pthread_mutex_lock(&mutex);
}

void window_unlock(void)
{
	if (several)
		pthread_mutex_unlock(&mutex);
}

static void on_mark(unsigned int cpu, void *data)
{
	(void)cpu;
	window_lock();
	switch ((enum mark)(uintptr_t)data) {
	case MARK_BEGIN:
		if (window.phase)
			window.begun++;
		break;
	case MARK_END:
		if (window.begun)
			window.begun--;
		break;
	default:
		window.phase++;
		window.begun = 0;
	}
	window_unlock();
}

/* Looks out for an instruction of user space, if it is a mark */
void window_watch(struct qemu_plugin_insn *insn)
{
	static const uint8_t nop[] = MARK_BYTES;
	const uint8_t *bytes = qemu_plugin_insn_data(insn);
	uint32_t disp;

	if (qemu_plugin_insn_size(insn) != sizeof(nop) + sizeof(disp) ||
	    memcmp(bytes, nop, sizeof(nop)))
		return;
	memcpy(&disp, bytes + sizeof(nop), sizeof(disp));
	if (disp - MARK_MAGIC < MARKS)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark,
						       QEMU_PLUGIN_CB_NO_REGS,
						       (void *)(uintptr_t)(disp - MARK_MAGIC));
}
