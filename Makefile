# Builds and runs the tests, examples and benchmarks of ll.h. `make` lists the
# targets.
#
# The headers need no building. Everything that is built goes below build/.
# On Debian and Ubuntu targets install what they need (tests/setup.sh); elsewhere
# they say what is missing. tests/parts.txt lists the parts of `make check`.

CC       = gcc
CXX      = g++
CFLAGS   = -O0 -g1
CXXFLAGS = -O2 -g
PREFIX   = /usr/local
DESTDIR  =
DATA     = tests/data
BUILD    = host
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

# The text after `##` is help for users, after `#:` for developers.
.PHONY: help
help: ## this list
	@echo "ll $(VERSION): linear layouts for GPU kernels"
	@sed -n -E 's/^([a-z-]+):.*## (.*)/  make \1	\2/p' Makefile | expand -t 24
	@echo "To change ll itself:"
	@sed -n -E 's/^([a-z-]+):.*#: (.*)/  make \1	\2/p' Makefile | expand -t 24

# ---- The main job ----------------------------------------------------------

# The explanation needs no compiler for kernels, so it is printed first.
.PHONY: run
run: set-up-build ## explain a transpose and run it (GPU or emulator)
	@$(MAKE) -s build/lessons/02_transpose && build/lessons/02_transpose
	@if [ -n "$(GPU)" ]; then $(MAKE) -s set-up-cuda; fi
	@if [ -n "$(GPU)" ] && [ -n "$(NVCC)" ]; then where=gpu; \
	else where=emulated; fi; \
	$(MAKE) -s build/$$where/transpose && echo && build/$$where/transpose
	@$(MAKE) -s set-up-viewer
	@if command -v wasm-ld >/dev/null; then echo && $(MAKE) -s viewer; fi

# Installs a group of tests/setup.sh. If it may not install (exit 3), make goes
# on with what is there. `make check` installs by itself, and sets READY for its
# parts.
set-up-%:
	@[ -n "$(READY)" ] || sh tests/setup.sh $* || [ $$? = 3 ]

build/lessons/%: examples/lessons/%.c $(HEADERS) $(SHARED)
	@mkdir -p $(@D)
	$(CC) -std=c11 -O0 -I. $< -o $@
build/host/reshard_ranks: examples/kernels/reshard/reshard_ranks.c $(HEADERS) \
                          $(SHARED)
	@mkdir -p $(@D)
	$(CC) -std=c11 -O0 -I. $< -o $@

vpath %.cu $(wildcard examples/kernels/*)
build/emulated/%: %.cu $(HEADERS) $(SHARED) $(EMULATOR)
	@mkdir -p $(@D)
	@sh tools/emulator/emucc -I. $< -o $@

# The emulator itself; emucc knows what is stale.
.PHONY: build/emulator
build/emulator:
	@sh tools/emulator/emucc --build

build/gpu/%: %.cu $(HEADERS) $(SHARED)
	@mkdir -p $(@D)
	"$(NVCC)" -std=c++17 -O3 -arch=native -I. $< -o $@

# ---- Tools -----------------------------------------------------------------

.PHONY: engine llshow viewer screenshots
engine: set-up-build build/engine ## build/engine: write the kernel of a graph, with layouts
llshow: set-up-build build/llshow ## build/llshow: draw layouts, check bank conflicts
build/engine: tools/engine/engine.c
build/llshow: tools/llshow/llshow.c
build/engine build/llshow: $(TOOLS) $(HEADERS)
	@mkdir -p $(@D)
	$(CC) -std=c11 -O1 $(WARN) -I. tools/$(@F)/$(@F).c -o $@

# One HTML file: the page, with ll.h compiled to WebAssembly in it.
viewer: set-up-viewer ## build/viewer.html: see layouts, bank conflicts and plans
	@$(MAKE) -s build/viewer.html && echo "see it: build/viewer.html"

build/viewer.html: tools/viewer/viewer.html build/viewer.wasm
	@sed '/@WASM@/,$$d' $< >$@.new
	@printf 'const WASM = "%s";\n' "$$(base64 <build/viewer.wasm | tr -d '\n')" \
	    >>$@.new
	@sed '1,/@WASM@/d' $< >>$@.new
	@mv $@.new $@

# Unoptimised it is fast enough; -Os takes ten seconds.
build/viewer.wasm: tools/viewer/viewer.c $(TOOLS) $(HEADERS)
	@mkdir -p $(@D)
	@clang --target=wasm32 -std=c11 -O0 -ffreestanding -nostdlib \
	    -mbulk-memory -Wall -Wextra -I. $< -o $@ -Wl,--no-entry \
	    -Wl,--strip-all -Wl,-z,stack-size=1048576

# Two of them, reduced to fewer colours, are tools/viewer/viewer_light.png and
# viewer_dark.png.
screenshots: viewer llshow set-up-browse #: build/screenshots: pictures of the viewer
	python3 tests/viewer.py --screenshots build/screenshots

# ---- Tests -----------------------------------------------------------------

CHECK = NVCC="$(NVCC)" MAKE="$(MAKE)" python3 tests/check.py
.PHONY: check check-all check-host check-emu check-examples check-data check-gpu check-amd
check: set-up-build set-up-check ## run the tests that this machine can (15 minutes)
	@NVCC= MAKE="$(MAKE)" python3 tests/check.py
check-all: #: check, and more targets, types and dialects (40 minutes)
	@$(MAKE) --no-print-directory check ALL=1

# One part, by its name in tests/parts.txt.
part-%: set-up-build set-up-check
	@$(CHECK) $*

check-host check-emu check-kernels: check-%: set-up-build set-up-check
	@$(CHECK) --section $*
check-host: #: test ll.h in C
check-emu: #: test the emulator
check-kernels: #: run the kernels of examples on the emulator
check-data: set-up-check build/$(BUILD)/check_data #: compare with recorded cases in DATA=DIR
	@build/$(BUILD)/check_data "$(DATA)"
check-mixed: set-up-check #: GEMMs of all pairs of types, on the emulator
	@python3 tests/pairs.py all
check-gpu: set-up-cuda #: test on the GPU
	@NVCC="$(NVCC)" sh tests/gpu/check.sh
check-amd: #: test on an AMD GPU, with ROCm
	@sh tests/gpu/check_amd.sh
check-fresh: #: make run and make check in a new Debian, SUITE=trixie
	@sh tests/fresh.sh $(SUITE)

# Campaigns run for minutes. All but two have a record in bench/results.
.PHONY: check-plans check-swizzle check-engine check-engine-optimal
.PHONY: check-held-out check-reshard
check-engine check-engine-optimal check-held-out check-reshard: CFLAGS = -O2 -g1
check-plans: set-up-build build/$(BUILD)/test_hops #: execute 100,000 conversions per AMD target
	@build/$(BUILD)/test_hops 1 67
check-swizzle: set-up-build build/$(BUILD)/test_climb #: search for better swizzles
	@build/$(BUILD)/test_climb 2 10000 show
check-engine: set-up-build build/$(BUILD)/test_engine #: solve 10,800 random graphs and check the proofs
	$(COMMIT)
	@for seed in 2 3 4 5; do \
	    build/$(BUILD)/test_engine $$seed 9 || exit 1; done
# DATA has all 466 graphs, PYTHON has highspy.
check-engine-optimal: set-up-check build/$(BUILD)/check_data #: recorded graphs by integer programs
	$(COMMIT)
	@rm -rf build/engine-model && mkdir -p build/engine-model
	@ENGINE_MODEL=build/engine-model build/$(BUILD)/check_data "$(DATA)" | \
	    grep '^engine'
	@$(PYTHON) tests/engine_optimal.py build/engine-model
check-held-out: set-up-build build/$(BUILD)/held_out #: compare 1,000 plans with all alternatives
	$(COMMIT)
	@build/$(BUILD)/held_out 1 1000
check-reshard: set-up-build build/$(BUILD)/test_reshard #: execute 100,000 pairs of shardings
	$(COMMIT)
	@build/$(BUILD)/test_reshard 7 50

build/$(BUILD)/test_%: tests/test_%.c $(wildcard tests/*.h) $(HEADERS)
	@mkdir -p $(@D)
	$(CC) -std=c11 $(CFLAGS) $(WARN) $< -o $@ $(LDLIBS)
build/$(BUILD)/test_torch: examples/torch/checks.h
# The other tests run for a second or two, and -O1 would take longer to compile.
# Those of LESS run long enough for -Og to pay, but not -O1.
LONG := test_climb test_engine test_hops test_plans test_swizzle
LESS := test_algebra test_reduce
$(LONG:%=build/$(BUILD)/%): CFLAGS = -O1 -g1
$(LESS:%=build/$(BUILD)/%): CFLAGS = -Og -g1
build/$(BUILD)/test_m4ri: LDLIBS = -lm4ri -lm
build/$(BUILD)/held_out: tests/held_out.c $(wildcard tests/*.h) $(HEADERS)
	@mkdir -p $(@D)
	$(CC) -std=c11 $(CFLAGS) $(WARN) $< -o $@

build/$(BUILD)/examples: tests/examples.py tests/test.h $(HEADERS)
	@mkdir -p $(@D)
	python3 tests/examples.py $(HEADERS) >$@.c
	$(CC) -std=c11 $(CFLAGS) -Wall -Wextra -Itests -I. $@.c -o $@

# The runner of the recorded cases counts the layouts of each family.
build/$(BUILD)/check_data: $(wildcard tests/check_data.* tests/data_*.[ch]) \
                          build/$(BUILD)/counted.h \
                          build/$(BUILD)/data_wrappers.o $(HEADERS)
	@mkdir -p $(@D)
	$(CC) -std=c11 $(CFLAGS) $(WARN) -I. -DLL_ENGINE \
	    -include $(@D)/counted.h $(filter %.c,$^) $(filter %.o,$^) \
	    -o $@ -ljansson
build/$(BUILD)/counted.h: tests/families.py $(HEADERS)
	@mkdir -p $(@D)
	python3 tests/families.py --macros >$@
build/$(BUILD)/data_wrappers.o: tests/data_wrappers.cc tests/wrappers.py \
                                $(HEADERS)
	@mkdir -p $(@D)
	python3 tests/wrappers.py ll_ptx.h >$(@D)/wrappers.inc
	$(CXX) -std=c++17 $(CFLAGS) -Wall -Wextra -fno-exceptions -I$(@D) -c $< \
	    -o $@

build/torch/libredistribute.so: examples/torch/redistribute.c \
                               $(wildcard examples/torch/*.h) $(SHARED) \
                               $(HEADERS)
	@mkdir -p $(@D)
	$(CC) -std=c11 -O2 $(WARN) -Wno-unused-function -fPIC -shared -I. $< \
	    -o $@

# NVRTC comes with nvcc, in lib64 or lib; hipRTC with Debian's hipcc.
build/$(BUILD)/test_rtc: tests/rtc/test_rtc.cpp
	@mkdir -p $(@D)
	$(CXX) -std=c++14 $(CXXFLAGS) -Wall -Wextra -I"$(CUDA)/include" $< -o $@ \
	    $(foreach lib,$(wildcard $(CUDA)/lib64 $(CUDA)/lib),-L$(lib) \
	        -Wl,--disable-new-dtags,-rpath,$(lib)) -lnvrtc
build/$(BUILD)/test_hiprtc: tests/rtc/test_rtc.cpp
	@mkdir -p $(@D)
	$(CXX) -std=c++14 $(CXXFLAGS) -Wall -Wextra -DRTC_HIP \
	    -D__HIP_PLATFORM_AMD__ $< -o $@ -lamdhip64

# In `make check` each fuzzer tries 10,000 inputs, the same each time. `make fuzz`
# continues where its last run stopped. Failing inputs are kept as
# build/fuzz/crash-*. Long runs are recorded in bench/results/fuzz-*.txt: one hour
# of processor time each, for example FUZZ_SECONDS=360 FUZZ_JOBS=10
# FUZZ_LENGTH=400.
FUZZ_SECONDS = 60
FUZZ_JOBS    = 1
FUZZ_RUNS    = 10000
FUZZ_LENGTH  = 200
FUZZ_FLAGS   = -max_len=$(FUZZ_LENGTH) -len_control=0 -timeout=20 \
               -artifact_prefix=build/fuzz/
FUZZER = clang -std=c11 -g -I. $(WARN) -fno-sanitize-recover=all \
             -fsanitize=fuzzer,address,undefined
FUZZ := $(basename $(notdir $(wildcard tests/fuzz/fuzz_*.c)))
.PHONY: fuzz $(FUZZ:%=long-%) $(FUZZ:%=short-%)
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
build/fuzz/%: tests/fuzz/%.c $(FUZZ_NEEDS)
	@mkdir -p $(@D)
	$(FUZZER) -O1 $< -o $@
build/fuzz/quick/%: tests/fuzz/%.c $(FUZZ_NEEDS)
	@mkdir -p $(@D)
	$(FUZZER) -O0 $< -o $@

# The host tests under sanitizers, built and counted in separate folders. `make
# check` runs those that tests/cxx.py does not run under sanitizers.
.PHONY: sanitize check-hosts lint mutate
SANITIZED = test_* data examples
HOSTS := s390x-linux-gnu arm-linux-gnueabihf
sanitize: set-up-check #: test ll.h under AddressSanitizer and UBSan
	@RESULTS=build/sanitized/check BUILD=sanitized SEARCH="1 0" READY=1 \
	    MAKE='$(MAKE) CFLAGS="-O0 -g1 -fno-sanitize-recover=all \
	    -fsanitize=address,undefined"' python3 tests/check.py $(SANITIZED)
check-hosts: $(HOSTS:%=on-%) #: test ll.h on a big-endian and a 32-bit host (qemu)
$(HOSTS:%=on-%): on-%: set-up-hosts
	@echo "$*, commit $$(sh bench/commit.sh)"
	@RESULTS=build/$*/check BUILD=$* RUN=qemu-$(firstword $(subst -, ,$*)) \
	    SEARCH="1 0" READY=1 MAKE='$(MAKE) CFLAGS=-O1 CC="$*-gcc -static"' \
	    python3 tests/check.py 'test_*'
lint: set-up-lint #: run formatters and static checkers
	@sh tests/lint.sh
# MUTATE holds the options of tests/mutate.py: "--slice 1/8 --jobs 32", or
# "--rooms plan/convert --longest 0.3". A run adds a line to tests/mutants.jsonl.
mutate: set-up-check #: find mistakes in the headers that no test notices (long)
	@python3 tests/mutate.py $(MUTATE)

# ---- Pages and figures -----------------------------------------------------

.PHONY: headers
headers: #: write ll.h and the headers above it from the rooms in src
	@python3 tools/join.py

.PHONY: families api reference reductions paper plots
families: set-up-check #: write the table of families in tests/data/README.md
	@python3 tests/families.py --write tests/data/README.md
api: set-up-check #: write the interface of this version to tests/api
	@python3 tests/api.py --write
reference: set-up-check ## build/reference: the comments of the headers as HTML
	@python3 tests/reference.py
reductions: set-up-build #: write the table of reductions in bench/results
	@python3 tests/reductions.py --write bench/results/reductions.md
paper: set-up-check #: build/paper.html: redo the paper's evaluation
	@python3 tests/paper.py
plots: #: write the pages of bench/results, charts, README summary
	@python3 bench/report

.PHONY: bench bench-gpu bench-convert bench-gather bench-all bench-check
.PHONY: bench-host-check
bench: set-up-bench ## measure what planning costs on this machine
	@sh bench/run.sh host
bench-gpu bench-convert bench-gather: bench-%: set-up-bench set-up-cuda
	@sh bench/run.sh $*
bench-gpu: #: measure on the GPU
bench-convert: #: measure conversions on the GPU
bench-gather: #: measure gathers on the GPU
bench-all: set-up-bench set-up-cuda #: measure everything on the GPU, for the record
	@sh bench/all.sh
bench-check: set-up-bench set-up-cuda #: has a GPU figure become worse than recorded?
	@sh bench/check.sh gpu convert gather
bench-host-check: set-up-bench set-up-cuda #: has planning or compile time become slower?
	@sh bench/check.sh host compile conversions

# ---- Installing ------------------------------------------------------------

.PHONY: install deb one-file dist clean
PACKAGE = VERSION="$(VERSION)" PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" \
          sh tests/package.sh
install: set-up-build build/llshow ## copy headers and llshow to PREFIX (and DESTDIR)
	@$(PACKAGE) install
deb: set-up-build build/llshow ## build/linear-layouts-dev_*.deb
	@$(PACKAGE) deb
# The headers of one vendor in one file each, for sites that take a single file.
one-file:
	@mkdir -p build/dist
	@for v in ptx amd; do \
	    awk '/^#include "ll.h"$$/ { while ((getline line < "ll.h") > 0) \
	         print line; next } 1' ll_$$v.h >build/dist/ll_$${v}_one.h; done
dist: one-file #: build/ll-VERSION.tar.gz; build/dist: one-file headers
	@mkdir -p build
	tar -czf build/ll-$(VERSION).tar.gz --transform 's,^,ll-$(VERSION)/,' \
	    --exclude __pycache__ $(HEADERS) Makefile .ci \
	    $(wildcard *.md *.toml LICENSE .clang-format .editorconfig .gitignore) \
	    $(wildcard src tests bench examples tools)
clean: ## delete what was built (keeps build/cuda)
	[ ! -d build ] || \
	    find build -mindepth 1 -maxdepth 1 ! -name cuda -exec rm -rf {} +
