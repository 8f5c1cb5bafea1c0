# Builds and runs the tests, examples and benchmarks of ll.h. `make` lists the
# targets.
# The headers need no building. Everything that is built goes below build/.
# Targets install what they need on Debian and Ubuntu (tests/setup.sh), and say
# elsewhere what is missing. tests/parts.txt lists the parts of `make check`.

CC       = gcc
CXX      = g++
CFLAGS   = -O0 -g1
CXXFLAGS = -O2 -g
PREFIX   = /usr/local
DESTDIR  =
DATA     = tests/data
BUILD    = host
B        = build/$(BUILD)
JOBS     = $(shell nproc 2>/dev/null || echo 2)
PYTHON   = python3

VERSION := $(shell sed -n 's/^.define LL_VERSION_[A-Z]* //p' ll.h | paste -sd.)
HEADERS := $(wildcard ll.h ll_ptx.h ll_amd.h tools/reshard/*.h tools/views/*.h)
EMULATOR := $(wildcard tools/emulator/* tools/emulator/include/*)
SHARED  := $(wildcard examples/kernels/*.h examples/kernels/*/*.h)
TOOLS   := $(wildcard tools/*/*.h)
WARN     = -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow \
           -Wundef

# These are looked up when used, because set-up may have just installed them.
NVCC     = $(shell PATH="$$PATH:/usr/local/cuda/bin:$(CURDIR)/build/cuda/bin" \
                   command -v nvcc)
CUDA     = $(abspath $(dir $(shell readlink -f "$(NVCC)"))..)
GPU      = $(shell nvidia-smi -L 2>/dev/null | grep -m 1 -o GPU)
COMMIT   = @echo "commit   $$(sh bench/commit.sh)"; echo "command  make $@"

export CC CXX BUILD RUN SEARCH JOBS

# `##` begins a help text for users, `#:` for developers. Its target is phony.
.PHONY: build/emulator one-file \
        $(shell sed -n 's/^\([a-z-]*\):.*\#[\#:] .*/\1/p' Makefile)
help: ## this list
	@echo "ll $(VERSION): linear layouts for GPU kernels"
	@sed -n -E 's/^([a-z-]+):.*## (.*)/  make \1	\2/p' Makefile | expand -t 28
	@echo "To change ll itself:"
	@sed -n -E 's/^([a-z-]+):.*#: (.*)/  make \1	\2/p' Makefile | expand -t 28

# ---- The main job ----------------------------------------------------------

run: set-up-build ## explain a transpose and run it (GPU or emulator)
	@MAKE="$(MAKE)" GPU="$(GPU)" sh examples/run.sh

# Installs a group of tests/setup.sh. If it may not install (exit 3), make goes
# on with what is there. `make check` installs by itself, and sets READY for its
# parts.
set-up-%:
	@[ -n "$(READY)" ] || sh tests/setup.sh $* || [ $$? = 3 ]

$(sort build build/host build/lessons build/emulated build/gpu build/torch \
       build/dist build/fuzz build/fuzz/quick $B):
	@mkdir -p $@

build/lessons/%: examples/lessons/%.c $(HEADERS) $(SHARED) | build/lessons
	$(CC) -std=c11 -O0 -I. $< -o $@
build/host/reshard_ranks: examples/kernels/reshard/reshard_ranks.c $(HEADERS) \
                          $(SHARED) | build/host
	$(CC) -std=c11 -O0 -I. $< -o $@

vpath %.cu $(wildcard examples/kernels/*)
build/emulated/%: %.cu $(HEADERS) $(SHARED) $(EMULATOR) | build/emulated
	@sh tools/emulator/emucc -I. $< -o $@
build/gpu/%: %.cu $(HEADERS) $(SHARED) | build/gpu
	"$(NVCC)" -std=c++17 -O3 -arch=native -I. $< -o $@

# The emulator itself; emucc knows what is stale.
build/emulator:
	@sh tools/emulator/emucc --build

# ---- Tools -----------------------------------------------------------------

engine: set-up-build build/engine ## build/engine: write the kernel of a graph
llshow: set-up-build build/llshow ## build/llshow: draw layouts, bank conflicts
build/engine: tools/engine/engine.c
build/llshow: tools/llshow/llshow.c
build/engine build/llshow: $(TOOLS) $(HEADERS) | build
	@command -v $(firstword $(CC)) >/dev/null || { echo "make: $(CC) is \
	missing: install a C compiler, or name another: make $(@F) CC=clang" >&2; \
	exit 2; }
	$(CC) -std=c11 -O1 $(WARN) -I. tools/$(@F)/$(@F).c -o $@

# One HTML file: the page, with ll.h compiled to WebAssembly in it.
viewer: set-up-viewer ## build/viewer.html: see layouts, bank conflicts, plans
	@$(MAKE) -s build/viewer.html && echo "see it: build/viewer.html"

build/viewer.html: tools/viewer/viewer.html build/viewer.wasm
	@sed '/@WASM@/,$$d' $< >$@.new
	@printf 'const WASM = "%s";\n' "$$(base64 <build/viewer.wasm | tr -d '\n')" \
	    >>$@.new
	@sed '1,/@WASM@/d' $< >>$@.new
	@mv $@.new $@

# Without inlining this takes five seconds, a third of -O1, and a third of the
# bytes of -O0.
build/viewer.wasm: tools/viewer/viewer.c $(TOOLS) $(HEADERS) | build
	@clang --target=wasm32 -std=c11 -O1 -fno-inline -fno-vectorize \
	    -fno-slp-vectorize -fno-unroll-loops -ffreestanding -nostdlib \
	    -mbulk-memory -Wall -Wextra -I. $< -o $@ -Wl,--no-entry \
	    -Wl,--compress-relocations \
	    -Wl,--strip-all -Wl,-z,stack-size=1048576

# Two of them, with fewer colours, are tools/viewer/viewer_*.png.
screenshots: viewer llshow set-up-browse #: build/screenshots of the viewer
	python3 tests/viewer.py --screenshots build/screenshots

# ---- Tests -----------------------------------------------------------------

CHECK = NVCC="$(NVCC)" MAKE="$(MAKE)" python3 tests/check.py
check: set-up-build set-up-check ## run what this machine can test (40 min)
	@NVCC= MAKE="$(MAKE)" python3 tests/check.py
check-all: #: check more targets, types and dialects too
	@$(MAKE) --no-print-directory check ALL=1

# One part, by its name in tests/parts.txt.
part-%: set-up-build set-up-check
	@$(CHECK) $*

check-host check-emu check-kernels: check-%: set-up-build set-up-check
	@$(CHECK) --section $*
check-host: #: test ll.h in C
check-emu: #: test the emulator
check-kernels: #: run the kernels of examples on the emulator
check-data: set-up-check $B/check_data #: compare with cases in DATA=DIR
	@$B/check_data "$(DATA)"

# Campaigns run for minutes. All but two have a record in bench/results.
check-engine check-engine-optimal check-held-out check-reshard: CFLAGS = -O2 -g1
check-plans: set-up-build $B/test_hops #: 100,000 conversions per AMD target
	@$B/test_hops 1 67
check-swizzle: set-up-build $B/test_climb #: search for better swizzles
	@$B/test_climb 2 10000 show
check-engine: set-up-build $B/test_engine #: solve 10,800 graphs, check proofs
	$(COMMIT)
	@for seed in 2 3 4 5; do $B/test_engine $$seed 9 || exit 1; done
# DATA has all 466 graphs, PYTHON has highspy.
check-engine-optimal: set-up-check $B/check_data #: graphs by integer programs
	$(COMMIT)
	@rm -rf build/engine-model && mkdir -p build/engine-model
	@ENGINE_MODEL=build/engine-model $B/check_data "$(DATA)" | grep '^engine'
	@$(PYTHON) tests/engine_optimal.py build/engine-model
check-held-out: set-up-build $B/held_out #: 1,000 plans and all alternatives
	$(COMMIT)
	@$B/held_out 1 1000
check-reshard: set-up-build $B/test_reshard #: 100,000 pairs of shardings
	$(COMMIT)
	@$B/test_reshard 7 50

# Most tests take a second or two and would take longer to compile at -O1. Tests
# of LONG and LESS run long enough for -O1 or -Og to pay.
LONG := test_climb test_engine test_hops test_plans test_plans_clusters \
        test_plans_nibbles test_swizzle
LESS := test_algebra_pairs test_reduce test_scans
$(LONG:%=$B/%): CFLAGS = -O1 -g1
$(LESS:%=$B/%): CFLAGS = -Og -g1
$B/test_m4ri: LDLIBS = -lm4ri -lm
$B/test_torch: examples/torch/checks.h
TESTS := $(basename $(notdir $(wildcard tests/test_*.c tests/held_out.c)))
$(TESTS:%=$B/%): $B/%: tests/%.c $(wildcard tests/*.h) $(HEADERS) | $B
	$(CC) -std=c11 $(CFLAGS) $(WARN) $< -o $@ $(LDLIBS)

$B/examples: tests/examples.py tests/test.h $(HEADERS) | $B
	python3 tests/examples.py $(HEADERS) >$@.c
	$(CC) -std=c11 $(CFLAGS) -Wall -Wextra -Itests -I. $@.c -o $@

# The runner of the recorded cases counts the layouts of each family.
$B/check_data: $(wildcard tests/check_data.* tests/data_*.[ch]) $B/counted.h \
               $B/data_wrappers.o $(HEADERS) | $B
	$(CC) -std=c11 $(CFLAGS) $(WARN) -I. -DLL_ENGINE \
	    -include $(@D)/counted.h $(filter %.c,$^) $(filter %.o,$^) \
	    -o $@ -ljansson
$B/counted.h: tests/families.py $(HEADERS) | $B
	python3 tests/families.py --macros >$@
$B/data_wrappers.o: tests/data_wrappers.cc tests/wrappers.py $(HEADERS) | $B
	python3 tests/wrappers.py ll_ptx.h >$(@D)/wrappers.inc
	$(CXX) -std=c++17 $(CFLAGS) -Wall -Wextra -fno-exceptions -I$(@D) -c $< \
	    -o $@

build/torch/libredistribute.so: examples/torch/redistribute.c $(HEADERS) \
                     $(SHARED) $(wildcard examples/torch/*.h) | build/torch
	$(CC) -std=c11 -O2 $(WARN) -Wno-unused-function -fPIC -shared -I. $< \
	    -o $@

# NVRTC comes with nvcc, in lib64 or lib; hipRTC with Debian's hipcc.
$B/test_rtc: tests/rtc/test_rtc.cpp | $B
	$(CXX) -std=c++14 $(CXXFLAGS) -Wall -Wextra -I"$(CUDA)/include" $< -o $@ \
	    $(foreach lib,$(wildcard $(CUDA)/lib64 $(CUDA)/lib),-L$(lib) \
	        -Wl,--disable-new-dtags,-rpath,$(lib)) -lnvrtc
$B/test_hiprtc: tests/rtc/test_rtc.cpp | $B
	$(CXX) -std=c++14 $(CXXFLAGS) -Wall -Wextra -DRTC_HIP \
	    -D__HIP_PLATFORM_AMD__ $< -o $@ -lamdhip64

# `make check` tries the same 10,000 inputs each time. `make fuzz` continues its
# last run and keeps failing inputs as build/fuzz/crash-*. Records of long runs,
# bench/results/fuzz-*.txt, are of one hour of processor time each, for example
# FUZZ_SECONDS=360 FUZZ_JOBS=10 FUZZ_LENGTH=400.
FUZZ_SECONDS = 60
FUZZ_JOBS    = 1
FUZZ_RUNS    = 10000
FUZZ_LENGTH  = 200
FUZZ_FLAGS   = -max_len=$(FUZZ_LENGTH) -len_control=0 -timeout=20 \
               -artifact_prefix=build/fuzz/
FUZZER = clang -std=c11 -g -I. $(WARN) -fno-sanitize-recover=all \
             -fsanitize=fuzzer,address,undefined
FUZZ := $(basename $(notdir $(wildcard tests/fuzz/fuzz_*.c)))
.PHONY: $(FUZZ:%=long-%) $(FUZZ:%=short-%)
fuzz: $(FUZZ:%=long-%) #: fuzz ll.h, FUZZ_SECONDS per fuzzer
$(FUZZ:%=long-%): long-%: set-up-check build/fuzz/%
	@python3 tests/fuzz_long.py $* $(FUZZ_SECONDS) $(FUZZ_JOBS) \
	    build/fuzz/$* $(FUZZ_FLAGS) $(wildcard tests/fuzz/$*.seeds)
$(FUZZ:%=short-%): short-%:
	@rm -rf build/fuzz/$*.short; mkdir -p build/fuzz/$*.short
	@python3 tests/output.py fuzz $(FUZZ_RUNS) $(PROGRAM) $(FUZZ_FLAGS) \
	    -seed=1 -verbosity=0 -print_final_stats=1 -runs=$(FUZZ_RUNS) \
	    build/fuzz/$*.short $(wildcard tests/fuzz/$*.seeds)
FUZZ_NEEDS = tests/fuzz/fuzz.h tests/fuzz/tensor.h $(TOOLS) $(HEADERS)
build/fuzz/%: tests/fuzz/%.c $(FUZZ_NEEDS) | build/fuzz
	$(FUZZER) -O1 $< -o $@
build/fuzz/quick/%: tests/fuzz/%.c $(FUZZ_NEEDS) | build/fuzz/quick
	$(FUZZER) -O0 $< -o $@

# The host tests under sanitizers, built and counted in separate folders. `make
# check` runs those that tests/cxx.py does not run under sanitizers.
SANITIZED = test_* data examples
sanitize: set-up-check #: test ll.h under AddressSanitizer and UBSan
	@RESULTS=build/sanitized/check BUILD=sanitized SEARCH="1 0" READY=1 \
	    MAKE='$(MAKE) CFLAGS="-O0 -g1 -fno-sanitize-recover=all \
	    -fsanitize=address,undefined"' python3 tests/check.py $(SANITIZED)
# The tests in C on other hosts, by qemu. `make check` runs every third of the
# short ones on 64-bit ARM, where char is unsigned; a release all on all hosts.
HOSTS := s390x-linux-gnu arm-linux-gnueabihf
EVERY  = 1
check-hosts: $(HOSTS:%=on-%) on-aarch64-linux-gnu #: test ll.h on other hosts
$(HOSTS:%=on-%): set-up-hosts
on-aarch64-linux-gnu: set-up-arm
on-aarch64-linux-gnu $(HOSTS:%=on-%): on-%:
	@echo "$*, commit $$(sh bench/commit.sh)"
	@RESULTS=build/$*/check BUILD=$* RUN=qemu-$(firstword $(subst -, ,$*)) \
	    SEARCH="1 0" READY=1 MAKE='$(MAKE) CFLAGS=-O0 CC="$*-gcc -static"' \
	    python3 tests/check.py $(shell echo $(filter-out test_m4ri held_out \
	        $(if $(filter 3,$(EVERY)),$(LONG) $(LESS)),$(TESTS)) | \
	    tr ' ' '\n' | awk 'NR % $(EVERY) == 0')

# ---- Targets of one command --------------------------------------------------

# A line has a target, its command and its help. MUTATE holds the options of
# tests/mutate.py: "--slice 1/8 --jobs 32", or "--rooms plan/convert --longest
# 0.3". A run adds a line to tests/mutants.jsonl.
check-mixed: DO = python3 tests/pairs.py all #: GEMMs of all pairs of types
check-gpu: DO = NVCC="$(NVCC)" sh tests/gpu/check.sh #: test on the GPU
check-amd: DO = sh tests/gpu/check_amd.sh #: test on an AMD GPU, with ROCm
check-fresh: DO = sh tests/fresh.sh $(SUITE) #: run and check in a new Debian
lint:      DO = sh tests/lint.sh #: run formatters and static checkers
mutate:    DO = python3 tests/mutate.py $(MUTATE) #: find untested code (long)
headers:   DO = python3 tools/join.py #: write the joined headers from src
families:  DO = python3 tests/families.py --write tests/data/README.md
families: #: write the table of families in tests/data/README.md
api:       DO = python3 tests/api.py --write #: write this version to tests/api
reference: DO = python3 tests/reference.py ## build/reference: API docs in HTML
reductions: DO = python3 tests/reductions.py --write bench/results/reductions.md
reductions: #: write the table of reductions in bench/results
paper:     DO = python3 tests/paper.py #: build/paper.html: redo its evaluation
plots:     DO = python3 bench/report #: write bench/results, README summary
bench:     DO = sh bench/run.sh host ## measure planning on this machine
bench-gpu: DO = sh bench/run.sh gpu #: measure transposes on the GPU
bench-convert: DO = sh bench/run.sh convert #: measure conversions on the GPU
bench-gather: DO = sh bench/run.sh gather #: measure gathers on the GPU
bench-all: DO = sh bench/all.sh #: measure everything on the GPU, for the record
bench-check: DO = sh bench/check.sh gpu convert gather
bench-check: #: has a GPU figure become worse than recorded?
bench-host-check: DO = sh bench/check.sh host compile conversions
bench-host-check: #: has planning or compile time become slower?
ONE := $(shell sed -n 's/^\([a-z-]*\): *DO =.*/\1/p' Makefile)
check-mixed mutate families api reference paper: set-up-check
lint: set-up-lint
reductions: set-up-build
$(filter bench%,$(ONE)): set-up-bench
check-gpu $(filter bench-%,$(ONE)): set-up-cuda
$(ONE):
	@$(DO)

# ---- Installing ------------------------------------------------------------

PACKAGE = VERSION="$(VERSION)" PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" \
          sh tests/package.sh
install: set-up-build build/llshow ## headers, llshow to PREFIX (and DESTDIR)
	@$(PACKAGE) install
deb: set-up-build build/llshow ## build/linear-layouts-dev_*.deb
	@$(PACKAGE) deb
# The headers of one vendor in one file each, for sites that take a single file.
one-file: | build/dist
	@for v in ptx amd; do \
	    awk '/^#include "ll.h"$$/ { while ((getline line < "ll.h") > 0) \
	         print line; next } 1' ll_$$v.h >build/dist/ll_$${v}_one.h; done
dist: one-file #: build/ll-VERSION.tar.gz; build/dist: one-file headers
	tar -czf build/ll-$(VERSION).tar.gz --transform 's,^,ll-$(VERSION)/,' \
	    --exclude __pycache__ $(HEADERS) Makefile .ci \
	    $(wildcard *.md *.toml LICENSE .clang-format .editorconfig .gitignore) \
	    $(wildcard src tests bench examples tools)
clean: ## delete everything that was built, except build/cuda
	[ ! -d build ] || find build -mindepth 1 -maxdepth 1 ! -name cuda \
	    -exec rm -rf {} +
