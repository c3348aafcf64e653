/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What plug-ins here use of the interface that QEMU documents for them ("TCG
 * Plugins", version 1, QEMU 4.2 to 8.2). Debian 12 ships an emulator with this
 * interface, but no header of it. Another version refuses to load the plug-in.
 */
#ifndef PROFILE_QEMU_H
#define PROFILE_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_VISIBLE		__attribute__((visibility("default")))
#define QEMU_PLUGIN_VERSION	1

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;

typedef struct qemu_info_t {
	const char	*target_name;
	struct {
		int	min, cur;
	} version;
	bool		system_emulation;
	union {
		struct {
			int	smp_vcpus, max_vcpus;
		} system;
	};
} qemu_info_t;

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };

enum qemu_plugin_mem_rw {
	QEMU_PLUGIN_MEM_R = 1,
	QEMU_PLUGIN_MEM_W,
	QEMU_PLUGIN_MEM_RW,
};

struct qemu_plugin_tb;
struct qemu_plugin_insn;

typedef void (*qemu_plugin_tb_fn)(qemu_plugin_id_t id,
				  struct qemu_plugin_tb *tb);
typedef void (*qemu_plugin_exec_fn)(unsigned int cpu, void *data);
typedef void (*qemu_plugin_mem_fn)(unsigned int cpu, qemu_plugin_meminfo_t info,
				   uint64_t addr, void *data);
typedef void (*qemu_plugin_exit_fn)(qemu_plugin_id_t id, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   qemu_plugin_tb_fn fn);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
					  qemu_plugin_exec_fn fn,
					  enum qemu_plugin_cb_flags flags,
					  void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    qemu_plugin_exec_fn fn,
					    enum qemu_plugin_cb_flags flags,
					    void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
				      qemu_plugin_mem_fn fn,
				      enum qemu_plugin_cb_flags flags,
				      enum qemu_plugin_mem_rw rw, void *data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_exit_fn fn,
				    void *data);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb,
						 size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);

/* What a plug-in defines */
QEMU_VISIBLE extern int qemu_plugin_version;
QEMU_VISIBLE int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info,
				     int argc, char **argv);

#endif
