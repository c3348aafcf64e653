// SPDX-License-Identifier: GPL-2.0
/*
 * Attaches a program to a control group that drops what its sockets send to an
 * address, or receive from it: what IPAddressDeny= of systemd is.
 *
 *   uet_cgroup DIRECTORY egress|ingress ADDR
 *
 * It stays attached until the group is removed. Status 4: the kernel has none.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SKIP	4
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define INSN(c, d, s, o, i) \
	((struct bpf_insn){ .code = c, .dst_reg = d, .src_reg = s, \
			    .off = o, .imm = i })

static int sys_bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

/* Keeps all packets but those with the last four bytes of an address there */
static int load(int attach_type, int proto, int off, uint32_t addr)
{
	struct bpf_insn insns[] = {
		INSN(BPF_LDX | BPF_MEM | BPF_W, 2, 1,
		     offsetof(struct __sk_buff, protocol), 0),
		INSN(BPF_JMP | BPF_JNE | BPF_K, 2, 0, 8, htons(proto)),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 2, 0, 0, off),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 3, 10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 3, 0, 0, -8),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 4, 0, 0, 4),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_skb_load_bytes),
		INSN(BPF_JMP | BPF_JNE | BPF_K, 0, 0, 2, 0),
		INSN(BPF_LDX | BPF_MEM | BPF_W, 1, 10, -8, 0),
		INSN(BPF_JMP32 | BPF_JEQ | BPF_K, 1, 0, 2, (int)addr),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 1),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	static char log[16384];
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_CGROUP_SKB;
	attr.expected_attach_type = attach_type;
	attr.insns = (uintptr_t)insns;
	attr.insn_cnt = ARRAY_SIZE(insns);
	attr.license = (uintptr_t)"GPL";
	attr.log_buf = (uintptr_t)log;
	attr.log_size = sizeof(log);
	attr.log_level = 1;
	fd = sys_bpf(BPF_PROG_LOAD, &attr);
	if (fd < 0)
		fprintf(stderr, "%s\n%s", strerror(errno), log);
	return fd;
}

int main(int argc, char **argv)
{
	int egress = argc == 4 && !strcmp(argv[2], "egress");
	int type = egress ? BPF_CGROUP_INET_EGRESS : BPF_CGROUP_INET_INGRESS;
	union bpf_attr attr;
	uint8_t addr[16];
	uint32_t last;
	int dir, prog;

	if (argc != 4) {
		fprintf(stderr, "usage: uet_cgroup DIRECTORY egress|ingress ADDR\n");
		return 2;
	}
	if (inet_pton(AF_INET, argv[3], addr) == 1) {
		memcpy(&last, addr, sizeof(last));
		prog = load(type, 0x0800, egress ? 16 : 12, last);
	} else if (inet_pton(AF_INET6, argv[3], addr) == 1) {
		memcpy(&last, addr + 12, sizeof(last));
		prog = load(type, 0x86dd, egress ? 36 : 20, last);
	} else {
		fprintf(stderr, "not an address: %s\n", argv[3]);
		return 2;
	}
	if (prog < 0)
		return errno == EINVAL ? SKIP : 1;
	dir = open(argv[1], O_RDONLY | O_DIRECTORY);
	if (dir < 0) {
		perror(argv[1]);
		return 1;
	}
	memset(&attr, 0, sizeof(attr));
	attr.target_fd = dir;
	attr.attach_bpf_fd = prog;
	attr.attach_type = type;
	attr.attach_flags = BPF_F_ALLOW_MULTI;
	if (sys_bpf(BPF_PROG_ATTACH, &attr)) {
		perror("BPF_PROG_ATTACH");
		return errno == EINVAL ? SKIP : 1;
	}
	return 0;
}
