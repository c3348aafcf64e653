# SPDX-License-Identifier: GPL-2.0
#
# uet.ko for the running kernel, or for KVER=; see "make help".

KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build

.DEFAULT_GOAL := modules
.PHONY: modules modules_install install deb help kernels deps tools check demo test unit
.PHONY: docs bench bench-libfabric mpi-programs clean build/uet-vectors uetperf dashboard machines arm64

modules:
	@[ -d $(KDIR) ] || { echo 'no kernel headers in $(KDIR):' \
		'apt-get install linux-headers-$(KVER)' \
		'(KVER= or KDIR= names others)' >&2; exit 1; }
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

modules_install:
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules_install

# All but the modules; DESTDIR=, prefix=/usr/local
install:
	$(MAKE) -C tools/package install

deb:
	@tools/package/deb

help:
	@echo 'make            uet.ko for the running kernel (KVER=... or KDIR=...)'
	@echo 'make install    the tool uet, libuet, manual pages (DESTDIR=, prefix=)'
	@echo 'make deb        Debian packages in build/deb/'
	@echo 'make demo       two hosts, a fabric of four spines, real files'
	@echo 'make tools      the command uet, in build/uet'
	@echo 'make check      all tests; STAGE=unit,static,... for some of them'
	@echo 'make test       one script: T=sock, T="sock.sh CASE"; K=6.1, 7.3, vtime, ...'
	@echo 'make unit       unit tests of the core; S=rxmap for some of them'
	@echo 'make uetperf    the program that measures, in build/perf'
	@echo 'make bench      cost of the data path in instructions (ROWS=, FULL=1;'
	@echo '                PROFILE=1: by function; CPUS=2: on two CPUs)'
	@echo 'make bench-libfabric'
	@echo '                messages over libfabric, beside the sockets and its TCP'
	@echo 'make mpi-programs'
	@echo '                MPI programs of Debian over the provider of libfabric'
	@echo 'make lab        experiments in virtual time (EXP=, FILE=, SEEDS=)'
	@echo 'make lab-report writes Documentation/networking/uet-results.rst'
	@echo 'make lab-check  checks the laboratory itself'
	@echo 'make build/uet-vectors'
	@echo '                the runner of congestion-control vectors'
	@echo 'make docs       HTML of all manuals in build/docs; writes those that are generated'
	@echo 'make dashboard  evaluates the Grafana dashboard with Prometheus, draws it'
	@echo 'make machines   the core for other processors, under qemu-user (MACHINES=)'
	@echo 'make arm64      the module for arm64, in a guest of two emulated CPUs'
	@echo 'make kernels    builds or fetches every test kernel'
	@echo 'make deps       installs the Debian packages that all this needs'
	@echo 'make clean      removes what was built'

kernels: deps
	@for k in uml uml-debug uml-smp 6.1 6.12; do \
		tools/vm/kernel $$k >/dev/null || exit 1; done

deps:
	@tools/deps

tools:
	$(MAKE) -C tools/uet

check:
	@tools/check/run

test:
	@tools/check/one '$(T)' $(K)

unit:
	@$(MAKE) -s -C tools/unit $(if $(S),suite S='$(S)',check)

demo:
	@tools/demo/run

bench:
	@UET_BENCH='$(UET_BENCH)' ROWS='$(ROWS)' FULL='$(FULL)' PROFILE='$(PROFILE)' \
		CPUS='$(CPUS)' BEFORE='$(BEFORE)' tools/perf/bench/run

bench-libfabric:
	@tools/libfabric/bench/run

mpi-programs:
	@tools/libfabric/tests/programs $(TESTS)

# What comes of runs is written where these have left results
docs:
	@tools/deps python3-docutils mandoc
	@tools/check/settings --write
	@tools/netlink/generate
	@[ $$(ls out/drill/*.json 2>/dev/null | wc -l) -lt 8 ] || selftests/drill/table --write
	@[ ! -d out/lab ] || $(MAKE) lab-report
	@tools/docs

dashboard:
	@tools/dashboard/run

machines:
	@tools/machines/run $(MACHINES)

arm64:
	@tools/check/run selftests-arm64

build/uet-vectors:
	$(MAKE) -C tools/vectors

include tools/lab/lab.mk

clean:
	[ ! -d $(KDIR) ] || $(MAKE) -C $(KDIR) M=$(CURDIR) clean
	rm -rf build

uetperf:
	$(MAKE) -C tools/perf
