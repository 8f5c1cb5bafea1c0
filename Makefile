# Builds and runs the tests, examples and benchmarks of ll.h. `make` lists the
# targets.
#
# The headers need no building. Everything that is built goes below build/.
# Targets install what they need on Debian and Ubuntu (tests/setup.sh), or say
# what is missing.

CC       = gcc
CXX      = g++
CFLAGS   = -O0 -g1
CXXFLAGS = -O2 -g
PREFIX   = /usr/local
DESTDIR  =
DATA     = tests/data
BUILD    = host
JOBS     = $(shell nproc 2>/dev/null || echo 2)

VERSION := $(shell sed -n 's/^.define LL_VERSION_[A-Z]* //p' ll.h | \
                   paste -sd.)
HEADERS := $(wildcard ll.h ll_ptx.h ll_amd.h)
EMULATOR := $(wildcard tests/emu/* tests/emu/include/*)
WARN     = -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow \
           -Wundef

# These are looked up when used, because set-up may have just installed them.
NVCC     = $(shell PATH="$$PATH:/usr/local/cuda/bin:$(CURDIR)/build/cuda/bin" \
                   command -v nvcc)
CUDA     = $(abspath $(dir $(shell readlink -f "$(NVCC)"))..)
GPU      = $(shell nvidia-smi -L 2>/dev/null | grep -m 1 -o GPU)

export CC CXX

.PHONY: help
help: ## this list
	@echo "ll $(VERSION): linear layouts for GPU kernels"
	@sed -n -E 's/^([a-z-]+):.*## (.*)/  make \1	\2/p' $(MAKEFILE_LIST) | \
	    expand -t 24

# ---- The main job ----------------------------------------------------------

# The explanation needs no compiler for kernels, so it is printed first.
.PHONY: run
run: set-up-build ## lay out, plan and verify a transpose (GPU or emulator)
	@$(MAKE) -s build/lessons/02_transpose && build/lessons/02_transpose
	@if [ -n "$(GPU)" ]; then $(MAKE) -s set-up-cuda; fi
	@if [ -n "$(GPU)" ] && [ -n "$(NVCC)" ]; then where=gpu; \
	else where=emulated; fi; \
	$(MAKE) -s build/$$where/transpose && echo && build/$$where/transpose
	@$(MAKE) -s set-up-viewer
	@if command -v wasm-ld >/dev/null; then echo && $(MAKE) -s viewer; fi

build/lessons/%: examples/%.c $(HEADERS) $(wildcard examples/*.h)
	@mkdir -p $(@D)
	$(CC) -std=c11 -O0 -I. $< -o $@

# Installs a group of tests/setup.sh. Without the permission to install (exit 3)
# make continues with what is there.
set-up-%:
	@sh tests/setup.sh $* || [ $$? = 3 ]

# `make check` does all of it once: a part that still waits for its own would
# start after all others.
GROUPS := cuda amd hip viewer browse
SET_UP := $(if $(READY),build check $(GROUPS))
.PHONY: $(SET_UP:%=set-up-%)
$(SET_UP:%=set-up-%): ;

build/emulated/matmul_grouped build/emulated/matmul_scaled: \
    examples/matmul_hopper.cu
build/emulated/%: examples/%.cu $(HEADERS) $(wildcard examples/*.h) $(EMULATOR)
	@mkdir -p $(@D)
	sh tests/emu/emucc -I. $< -o $@

build/emulated/matmul-f16: examples/matmul.cu $(HEADERS) \
                           $(wildcard examples/*.h) $(EMULATOR)
	@mkdir -p $(@D)
	sh tests/emu/emucc -I. -DTYPE_A=f16 -DTYPE_B=e4m3 -DTYPE_C=f16 $< -o $@

# Attention with heads of other sizes, or of f16.
HEADS := $(foreach n,64 96 256,attention-$n attention_fp8-$n) attention-f16 \
         $(foreach n,64 96 256,attention_decode-$n)
KEYS  := $(foreach n,attention_fp8 $(filter attention_fp8%,$(HEADS)),$n-keys)
$(HEADS:%=build/emulated/%): $(HEADERS) $(wildcard examples/attention*) \
                             examples/check.h examples/hopper.h $(EMULATOR)
	@mkdir -p $(@D)
	sh tests/emu/emucc -I. examples/$(firstword $(subst -, ,$(@F))).cu -o $@ \
	    $(if $(filter %-f16,$@),-DHALF=1,-DHEAD=$(lastword $(subst -, ,$@)))

build/emulated/matmul_lowbit-%: examples/matmul_lowbit.cu $(HEADERS) \
                                $(wildcard examples/*.h) $(EMULATOR)
	@mkdir -p $(@D)
	sh tests/emu/emucc -I. -DOPERAND=$* $< -o $@

build/emulated/test_launchers: $(wildcard examples/matmul*)
build/emulated/test_refusals: $(wildcard examples/*.cu examples/*.h)
build/emulated/test_reshard_sums: $(wildcard examples/reshard*.h)
build/emulated/%: tests/emu/%.cu $(HEADERS) $(EMULATOR)
	@mkdir -p $(@D)
	sh tests/emu/emucc -I. $< -o $@

# The kernels of tests/gpu, which the GPU runs as well.
build/emulated/%: tests/gpu/%.cu $(HEADERS) \
                  $(wildcard examples/*.h tests/gpu/*.h) $(EMULATOR)
	@mkdir -p $(@D)
	sh tests/emu/emucc -I. $< -o $@

# The kernels of tests/gpu/tiles.cu with accesses of 32 bytes.
build/emulated/wide: tests/gpu/tiles.cu $(HEADERS) \
                     $(wildcard examples/*.h tests/gpu/*.h) $(EMULATOR)
	@mkdir -p $(@D)
	sh tests/emu/emucc -DLL_PTX_WIDE=1 -I. $< -o $@

# The kernels of tests/gpu with the instructions of AMD targets. Each kernel is
# built for the targets on which it takes different instructions: DPP and LDS
# (gfx942), swaps and transposing loads (gfx950), permlanes (gfx1201), shuffles
# of 64 lanes in halves (gfx1100).
AMD_KERNELS := moves-gfx942 moves-gfx950 moves-gfx1201 gather-gfx942 \
               gather-gfx1100w64 gather-gfx1201 reduce-gfx950 reduce-gfx1201 \
               tiles-gfx950 tiles-gfx1201 scopes-gfx1100w64 nibbles-gfx950 \
               sort-gfx942
AMD_NEEDS := $(HEADERS) $(wildcard examples/*.h tests/gpu/*.h) $(EMULATOR)
define AMD_RULE
build/emulated/%-gfx$(1): tests/gpu/%.cu $(AMD_NEEDS)
	@mkdir -p $$(@D)
	sh tests/emu/emucc $(if $(filter 9% %w64,$(1)),-W64) \
	    -DEMU_GFX=0x$(1:w64=) -I. $$< -o $$@
endef
$(foreach gfx,908 942 950 1100 1100w64 1201,$(eval $(call AMD_RULE,$(gfx))))

# The lessons in HIP: for AMD's GPUs, of 64 and of 32 lanes, and for NVIDIA's.
HIP_LESSONS := softmax norm transpose hadamard cumsum topk attention
HIP_TARGETS := gfx942 gfx950 gfx1100 gfx1201 nvidia
HIP_PARTS   := $(filter-out attention-nvidia,$(foreach lesson,$(HIP_LESSONS), \
                   $(HIP_TARGETS:%=$(lesson)-%))) \
               $(patsubst %,attention-%-64,$(filter gfx%,$(HIP_TARGETS)))
$(HIP_PARTS:%=build/emulated/%): $(HEADERS) $(EMULATOR) $(wildcard examples/*.h \
                                 examples/*.hip)
	@mkdir -p $(@D)
	sh tests/emu/emucc $(if $(findstring -gfx9,$@),-W64) \
	    $(patsubst gfx%,-DEMU_GFX=0x%,$(filter gfx%,$(subst -, ,$(@F)))) -I. \
	    $(if $(filter %-64,$@),-DHALF=1 -DHEAD=64) \
	    examples/$(firstword $(subst -, ,$(@F))).hip -o $@

AMD_MATMULS := matmul-gfx942 matmul-gfx950 matmul-gfx1100 matmul-gfx1201
build/emulated/matmul-gfx%: examples/matmul.hip $(HEADERS) \
                          $(wildcard examples/*.h) $(EMULATOR)
	@mkdir -p $(@D)
	sh tests/emu/emucc $(if $(filter 9%,$*),-W64) -DEMU_GFX=0x$* -I. $< -o $@

build/gpu/%: examples/%.cu $(HEADERS) $(wildcard examples/*.h)
	@mkdir -p $(@D)
	"$(NVCC)" -std=c++17 -O3 -arch=native -I. $< -o $@

# ---- Tools -----------------------------------------------------------------

.PHONY: engine
engine: set-up-build build/engine ## build/engine: write the kernel of a graph, with its layouts
build/engine: examples/engine.c $(wildcard examples/engine*.h) $(HEADERS)
	@mkdir -p $(@D)
	$(CC) -std=c11 -O1 $(WARN) -I. $< -o $@

.PHONY: llshow
llshow: set-up-build build/llshow ## build/llshow: draw layouts, explain plans, hold bounds
build/llshow: examples/llshow.c examples/notation.h examples/tensor_type.h \
              $(HEADERS)
	@mkdir -p $(@D)
	$(CC) -std=c11 -O1 $(WARN) -I. $< -o $@

# One HTML file: the page, with ll.h compiled to WebAssembly in it.
.PHONY: viewer
viewer: set-up-viewer ## build/viewer.html: see layouts, banks and plans
	@$(MAKE) -s build/viewer.html && echo "see it: build/viewer.html"

# Two of them, with fewer colours, are examples/viewer_light.png and _dark.png.
.PHONY: screenshots
screenshots: viewer llshow set-up-browse ## build/screenshots: the viewer's examples
	python3 tests/viewer.py --screenshots build/screenshots

build/viewer.html: examples/viewer.html build/viewer.wasm
	@sed '/@WASM@/,$$d' $< >$@.new
	@printf 'const WASM = "%s";\n' "$$(base64 <build/viewer.wasm | tr -d '\n')" \
	    >>$@.new
	@sed '1,/@WASM@/d' $< >>$@.new
	@mv $@.new $@

# Unoptimised it is fast enough; -Os takes ten seconds.
build/viewer.wasm: examples/viewer.c examples/notation.h $(HEADERS)
	@mkdir -p $(@D)
	@clang --target=wasm32 -std=c11 -O0 -ffreestanding -nostdlib \
	    -mbulk-memory -Wall -Wextra -I. $< -o $@ -Wl,--no-entry \
	    -Wl,--strip-all -Wl,-z,stack-size=1048576

# ---- Tests -----------------------------------------------------------------

# The parts of `make check`. Each is a target `part-NAME` that also runs alone.
# It ends with a line that tests/run.sh adds up.
HOST  := $(filter-out test_m4ri,$(basename $(notdir \
         $(wildcard tests/test_*.c))))
EMU   := $(filter-out turn tensor,$(basename $(notdir \
         $(wildcard tests/emu/test_*.cu tests/gpu/*.cu)))) $(AMD_KERNELS)
FUZZ  := $(basename $(notdir $(wildcard tests/fuzz/fuzz_*.c)))
EMU   += wide
ROWS  := softmax norm norm_backward rmsnorm_backward crossentropy \
         crossentropy_gradient rope quantise quantise_groups quantise_rows \
         hadamard topk cumsum permute embedding embedding_backward gather_gemv
M4RI  := $(basename $(notdir $(wildcard tests/test_m4ri.c)))
# The longest parts start first.
PARTS := cxx kernels engine_products codegen fail test_plans counts-amd pairs \
         faults matmul_hopper matmul_lowbit matmul_lowbit-f16 \
         matmul_lowbit-e4m3 engine readme $(FUZZ) moves cluster sanitize \
         selftest features assemble-amd lessons matmul_scaled install \
         $(filter-out test_plans,$(HOST)) assemble \
         $(M4RI) data rtc hiprtc $(filter-out moves cluster,$(EMU)) steps transpose \
         $(AMD_MATMULS) $(HIP_PARTS) matmul-amd lessons-amd examples twins rooms shape api paper recipes debugger \
         reference \
         figures compare page macros constants transpose_odd links \
         reshard reshard_ragged reshard_nccl reshard_ranks redistribute matmul matmul-f16 \
         matmul_grouped attention_fp8 attention attention_decode $(HEADS) $(ROWS) \
         $(KEYS) attention_fp8-tasks \
         llshow viewer held_out $(if $(GPU),gpu)

# These need no more than compilers and Python.
SOONER := $(filter test_% fuzz_% pairs faults sanitize data examples \
            reshard% redistribute matmul% attention% transpose_odd held_out \
            rooms shape api paper reference recipes compare \
            $(EMU) $(AMD_MATMULS) $(HIP_PARTS) $(ROWS),$(PARTS))
LATER  := $(filter-out $(SOONER),$(PARTS))

# What the parts of LATER need is installed while the others run.
.PHONY: check
check: set-up-build set-up-check ## run every test that this machine can
	@sh tests/run.sh --begin
	@for group in $(GROUPS); do \
	    sh tests/setup.sh $$group || [ $$? = 3 ] || exit 1; done & \
	installs=$$!; \
	$(CHECK_PARTS) $(SOONER:%=part-%) || true; wait $$installs || exit 1; \
	$(CHECK_PARTS) $(LATER:%=part-%) || true
	@sh tests/run.sh --sum $(PARTS)

CHECK_PARTS = $(MAKE) -s -k $(if $(findstring j,$(filter-out \
    --%,$(MAKEFLAGS))),,-j$(JOBS)) READY=1

.PHONY: check-host check-swizzle check-data check-emu check-examples check-plans
.PHONY: check-engine check-engine-optimal check-held-out check-reshard
check-host: $(HOST:%=part-%) $(M4RI:%=part-%) ## the tests of ll.h in C
check-emu: $(EMU:%=part-%) part-transpose part-features ## the emulator, and kernels on it
check-emu: part-transpose_odd part-matmul part-matmul-f16 part-matmul_hopper part-attention \
           part-matmul_grouped part-attention_fp8 part-attention_decode \
           $(HEADS:%=part-%) $(KEYS:%=part-%) part-attention_fp8-tasks \
           part-matmul_lowbit part-matmul_lowbit-f16 part-matmul_lowbit-e4m3 \
           part-matmul_scaled part-reshard part-reshard_ragged part-reshard_nccl part-pairs \
           part-faults $(ROWS:%=part-%)
check-emu: $(AMD_MATMULS:%=part-%) $(HIP_PARTS:%=part-%)
check-examples: part-examples part-lessons part-readme ## lessons, examples

# Campaigns run for minutes.
check-engine check-engine-optimal check-held-out check-reshard: CFLAGS = -O2 -g1

check-plans: build/$(BUILD)/test_hops ## 100,000 conversions, each AMD target
	@build/$(BUILD)/test_hops 1 67

check-swizzle: build/$(BUILD)/test_climb ## 10,000 hill climbs a class and vendor
	@build/$(BUILD)/test_climb 2 10000 show

# Its record is bench/results/engine.txt. It takes 5 minutes of a core, in
# slices of 2,700 graphs and 900 certificates.
check-engine: build/$(BUILD)/test_engine ## 10,800 random graphs of the engine
	@echo "commit   $$(sh bench/commit.sh)"
	@echo "command  make check-engine"
	@for seed in 2 3 4 5; do \
	    build/$(BUILD)/test_engine $$seed 9 || exit 1; done

# Its record is bench/results/engine-optimal.txt, of DATA with all 466 graphs.
# `pip install highspy` is what it needs, for the Python that PYTHON names.
PYTHON = python3
check-engine-optimal: build/$(BUILD)/check_data ## recorded graphs as integer programs
	@echo "commit   $$(sh bench/commit.sh)"
	@echo "command  make check-engine-optimal"
	@rm -rf build/engine-model && mkdir -p build/engine-model
	@ENGINE_MODEL=build/engine-model build/$(BUILD)/check_data "$(DATA)" | \
	    grep '^engine'
	@$(PYTHON) tests/engine_optimal.py build/engine-model

# Its record is bench/results/held-out.txt.
check-held-out: build/$(BUILD)/held_out ## 1,000 plans against every other form
	@echo "commit   $$(sh bench/commit.sh)"
	@echo "command  make check-held-out"
	@build/$(BUILD)/held_out 1 1000

# Its record is bench/results/reshard.txt.
check-reshard: build/$(BUILD)/test_reshard ## 100,000 pairs of shardings, executed
	@echo "commit   $$(sh bench/commit.sh)"
	@echo "command  make check-reshard"
	@build/$(BUILD)/test_reshard 7 50

part-held_out: build/$(BUILD)/held_out
	@sh tests/run.sh held_out $< $(SEARCH)

check-data: set-up-check build/$(BUILD)/check_data ## recorded cases in DATA=DIR
	@build/$(BUILD)/check_data "$(DATA)"

has_header = echo '\#include <$(1)>' | $(CC) -E - >/dev/null 2>&1

# Two parts run the recorded cases. `make check` builds their program for both.
RUNNER := $(if $(READY),$(shell $(call has_header,jansson.h) && \
                                 echo build/$(BUILD)/check_data))

.PHONY: $(PARTS:%=part-%)
$(HOST:%=part-%): part-%: build/$(BUILD)/%
	@sh tests/run.sh $* $(RUN) $< $(SEARCH)

part-test_m4ri: set-up-check
	@if $(call has_header,m4ri/m4ri.h); then \
	    $(MAKE) -s build/$(BUILD)/test_m4ri && \
	    sh tests/run.sh test_m4ri build/$(BUILD)/test_m4ri; \
	else sh tests/run.sh test_m4ri --skip "there is no libm4ri"; fi

part-data: set-up-check $(RUNNER)
	@if $(call has_header,jansson.h); then \
	    $(MAKE) -s build/$(BUILD)/check_data && \
	    sh tests/run.sh data build/$(BUILD)/check_data tests/data; \
	else sh tests/run.sh data --skip "there is no libjansson"; fi

SCRIPTS := cxx fail codegen assemble lessons readme twins rooms shape selftest \
           macros links features engine engine_products api recipes \
           debugger
.PHONY: check-cxx check-fail check-codegen check-assemble check-rtc
.PHONY: check-install check-rooms check-selftest
check-cxx: part-cxx ## the same tests in each dialect of C and C++
check-rooms: part-rooms part-shape ## the order of the headers, their comments
check-selftest: part-selftest ## checkers that are shown a planted fault
check-fail: part-fail ## programs that must not compile, and their sentences
check-codegen: part-codegen ## what the CUDA compiler makes of the headers
check-assemble: part-assemble ## each instruction for each target
check-rtc: part-rtc ## NVIDIA's run-time compiler
check-install: part-install ## a scratch root and a consumer

$(SCRIPTS:%=part-%): part-%: set-up-check set-up-cuda
	@NVCC="$(NVCC)" sh tests/run.sh $* python3 tests/$*.py

# Its tables come from programs of other parts, which `make check` builds once;
# alone it has a folder of its own, since another make may build them as well.
part-readme: export COUNTS = $(if $(READY),$(BUILD),counts)
part-readme: $(RUNNER) $(if $(READY),build/$(BUILD)/test_reduce)

part-llshow: set-up-check build/llshow
	@sh tests/run.sh llshow python3 tests/llshow.py

part-viewer: set-up-check set-up-viewer set-up-browse build/llshow
	@if ! command -v wasm-ld >/dev/null; then \
	    sh tests/run.sh viewer --skip "there is no wasm-ld"; \
	else $(MAKE) -s build/viewer.html && \
	    sh tests/run.sh viewer python3 tests/viewer.py; fi

part-compare: set-up-check
	@sh tests/run.sh compare python3 bench/compare.py --self-test

part-page: set-up-check
	@sh tests/run.sh page python3 bench/report check

part-figures: set-up-check
	@sh tests/run.sh figures python3 tests/figures.py

part-constants: set-up-check
	@sh tests/run.sh constants python3 bench/constants.py --check

part-paper: set-up-check
	@sh tests/run.sh paper python3 tests/paper.py --check

part-reference: set-up-check
	@sh tests/run.sh reference python3 tests/reference.py --check

part-steps: set-up-check
	@sh tests/run.sh steps python3 bench/conversions.py --steps

.PHONY: check-assemble-amd
check-assemble-amd: part-assemble-amd ## each instruction of AMD's targets
part-assemble-amd: set-up-check set-up-amd
	@sh tests/run.sh assemble-amd python3 tests/assemble_amd.py

part-counts-amd: set-up-check set-up-amd
	@sh tests/run.sh counts-amd python3 bench/amd_counts.py

part-matmul-amd: set-up-check set-up-amd
	@sh tests/run.sh matmul-amd python3 tests/matmul_amd.py

part-lessons-amd: set-up-check set-up-amd set-up-hip
	@sh tests/run.sh lessons-amd python3 tests/lessons_amd.py

part-install: set-up-check
	@MAKE="$(MAKE)" sh tests/run.sh install sh tests/install/check.sh

# NVRTC is installed beside nvcc, in lib64 or lib.
part-rtc: set-up-check set-up-cuda
	@if [ -e "$(CUDA)/include/nvrtc.h" ]; then \
	    $(MAKE) -s build/$(BUILD)/test_rtc && \
	    sh tests/run.sh rtc build/$(BUILD)/test_rtc .; \
	else sh tests/run.sh rtc --skip "there is no NVRTC"; fi

# hipRTC comes with Debian's hipcc. The part is skipped if it is not installed.
.PHONY: check-hip
check-hip: part-hiprtc part-readme ## AMD's run-time compiler, and hipcc
part-hiprtc: set-up-hip
	@if [ -e /usr/include/hip/hiprtc.h ]; then \
	    $(MAKE) -s build/$(BUILD)/test_hiprtc && \
	    sh tests/run.sh hiprtc build/$(BUILD)/test_hiprtc .; \
	else sh tests/run.sh hiprtc --skip "there is no hipRTC"; fi

build/$(BUILD)/test_hiprtc: tests/rtc/test_rtc.cpp
	@mkdir -p $(@D)
	$(CXX) -std=c++14 $(CXXFLAGS) -Wall -Wextra -DRTC_HIP \
	    -D__HIP_PLATFORM_AMD__ $< -o $@ -lamdhip64

build/$(BUILD)/test_rtc: tests/rtc/test_rtc.cpp
	@mkdir -p $(@D)
	$(CXX) -std=c++14 $(CXXFLAGS) -Wall -Wextra -I"$(CUDA)/include" $< -o $@ \
	    $(foreach lib,$(wildcard $(CUDA)/lib64 $(CUDA)/lib),-L$(lib) \
	        -Wl,--disable-new-dtags,-rpath,$(lib)) -lnvrtc

# The parts run briefly, from the same start each time. `make fuzz` continues
# where its last run stopped. Inputs that break a promise are kept as
# build/fuzz/crash-*. Long runs are recorded in bench/results/fuzz-*.txt: an hour
# of one processor each, say FUZZ_SECONDS=360 FUZZ_JOBS=10 FUZZ_LENGTH=400.
FUZZ_SECONDS = 60
FUZZ_JOBS    = 1
FUZZ_RUNS    = 10000
FUZZ_LENGTH  = 200
FUZZ_FLAGS   = -max_len=$(FUZZ_LENGTH) -len_control=0 -artifact_prefix=build/fuzz/ \
               -timeout=20
.PHONY: fuzz check-fuzz $(FUZZ:%=long-%)
fuzz: $(FUZZ:%=long-%) ## look for broken promises, FUZZ_SECONDS each
check-fuzz: $(FUZZ:%=part-%) ## the same for 10,000 inputs

# 10,000 inputs take less time than -O1, except those of fuzz_plan.
short_fuzz = build/fuzz/$(if $(filter fuzz_plan,$*),,quick/)$*

$(FUZZ:%=part-%): part-%: set-up-check
	@if $(can_fuzz); then \
	    rm -rf build/fuzz/$*.short; mkdir -p build/fuzz/$*.short; \
	    $(MAKE) -s $(short_fuzz) && \
	    sh tests/run.sh $* python3 tests/output.py fuzz $(FUZZ_RUNS) \
	        $(short_fuzz) $(FUZZ_FLAGS) -seed=1 -verbosity=0 \
	        -print_final_stats=1 -runs=$(FUZZ_RUNS) build/fuzz/$*.short \
	        $(wildcard tests/fuzz/$*.seeds); \
	else sh tests/run.sh $* --skip "clang has no libFuzzer here"; fi

$(FUZZ:%=long-%): long-%: set-up-check build/fuzz/%
	@python3 tests/fuzz_long.py $* $(FUZZ_SECONDS) $(FUZZ_JOBS) \
	    build/fuzz/$* $(FUZZ_FLAGS) $(wildcard tests/fuzz/$*.seeds)

build/fuzz/fuzz_notation build/fuzz/quick/fuzz_notation: examples/notation.h
build/fuzz/fuzz_types build/fuzz/quick/fuzz_types: examples/notation.h \
                                                   examples/tensor_type.h
FUZZER = clang -std=c11 -g -I. $(WARN) -fno-sanitize-recover=all \
             -fsanitize=fuzzer,address,undefined
build/fuzz/%: tests/fuzz/%.c tests/fuzz/fuzz.h tests/fuzz/tensor.h $(HEADERS) | set-up-check
	@mkdir -p $(@D)
	$(FUZZER) -O1 $< -o $@
build/fuzz/quick/%: tests/fuzz/%.c tests/fuzz/fuzz.h tests/fuzz/tensor.h $(HEADERS) | set-up-check
	@mkdir -p $(@D)
	$(FUZZER) -O0 $< -o $@

can_fuzz = echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' | \
    clang -fsanitize=fuzzer,address -x c - -o /dev/null 2>/dev/null

$(EMU:%=part-%): part-%: build/emulated/% | set-up-build
	@sh tests/run.sh $* $<

# Runs `make run`, which a newcomer sees first, on the emulator.
part-transpose: build/emulated/transpose | set-up-build
	@sh tests/run.sh transpose python3 tests/main_job.py \
	    $(MAKE) -s --no-print-directory run GPU=

part-reshard: build/emulated/reshard | set-up-build
	@sh tests/run.sh reshard python3 tests/output.py rows 37 $<

# Tensors whose sizes are no powers of two.
part-reshard_ragged: build/emulated/reshard_ragged | set-up-build
	@sh tests/run.sh reshard_ragged python3 tests/output.py rows 33 $<

# Messages of NCCL, between processes that emulate a GPU each, and hosts of two.
part-reshard_nccl: build/emulated/reshard_nccl | set-up-build
	@sh tests/run.sh reshard_nccl python3 tests/output.py rows 48 $<

# Ranks that are processes: 2 to 16, of which one is killed.
part-reshard_ranks: build/lessons/reshard_ranks | set-up-build
	@sh tests/run.sh reshard_ranks python3 tests/output.py rows 69 $<

# Tensors of PyTorch between ranks: the plans, and by gloo where PyTorch is.
part-redistribute: build/torch/libredistribute.so | set-up-build
	@sh tests/run.sh redistribute python3 tests/redistribute.py $(<D)

build/torch/libredistribute.so: examples/torch/redistribute.c \
                               examples/torch/redistribute.h \
                               examples/reshard_ragged.h \
                               examples/reshard_ranks.h ll.h | set-up-build
	@mkdir -p $(@D)
	$(CC) -std=c11 -O2 $(WARN) -Wno-unused-function -fPIC -shared -I. $< \
	    -o $@

part-transpose_odd: build/emulated/transpose_odd | set-up-build
	@sh tests/run.sh transpose_odd $<

# Products of matrices, of small shapes.
part-matmul: build/emulated/matmul | set-up-build
	@sh tests/run.sh matmul python3 tests/output.py matmul 4 $<

# With sums of f16.
part-matmul-f16: build/emulated/matmul-f16 | set-up-build
	@sh tests/run.sh matmul-f16 python3 tests/output.py matmul 4 $<

# Kernels that live on bandwidth, of a few rows: the least number of checks that
# each has. Lookups and their gradients have one for each of two types.
ROWS_LEAST = $(if $(filter embedding%,$*),2,3)
$(ROWS:%=part-%): part-%: build/emulated/% | set-up-build
	@sh tests/run.sh $* python3 tests/output.py rows $(ROWS_LEAST) $<

part-matmul_hopper: build/emulated/matmul_hopper | set-up-build
	@sh tests/run.sh matmul_hopper python3 tests/output.py matmul 62 $<

part-matmul_scaled: build/emulated/matmul_scaled | set-up-build
	@sh tests/run.sh matmul_scaled python3 tests/output.py matmul 22 $<

part-matmul_grouped: build/emulated/matmul_grouped | set-up-build
	@sh tests/run.sh matmul_grouped python3 tests/output.py matmul 5 $<

part-attention: build/emulated/attention | set-up-build
	@sh tests/run.sh attention python3 tests/output.py attention 6 $<

part-attention_fp8: build/emulated/attention_fp8 | set-up-build
	@sh tests/run.sh attention_fp8 python3 tests/output.py attention 1 $< \
	    3 2 1 150 200 1 100 1

part-attention_decode: build/emulated/attention_decode | set-up-build
	@sh tests/run.sh attention_decode python3 tests/output.py attention 4 $<

# Causal, a window, heads that share keys, and sequences of three lengths.
OTHERS := $(filter-out attention_decode%,$(HEADS))
$(OTHERS:%=part-%): part-%: build/emulated/% | set-up-build
	@sh tests/run.sh $* python3 tests/output.py attention 1 $< \
	    3 2 1 150 200 1 100 1

# More keys than tensor cores add up, with scores that grow, and more tasks than
# processors.
$(KEYS:%=part-%): part-%-keys: build/emulated/% | set-up-build
	@sh tests/run.sh $*-keys python3 tests/output.py attention 1 $< \
	    1 1 1 192 3800 0 0 0 4

part-attention_fp8-tasks: build/emulated/attention_fp8-64 | set-up-build
	@sh tests/run.sh attention_fp8-tasks python3 tests/output.py attention 1 $< \
	    67 2 1 70 70 1 0

DECODE := $(filter attention_decode%,$(HEADS))
$(DECODE:%=part-%): part-%: build/emulated/% | set-up-build
	@sh tests/run.sh $* python3 tests/output.py attention 4 $<

part-matmul_lowbit: build/emulated/matmul_lowbit | set-up-build
	@sh tests/run.sh matmul_lowbit python3 tests/output.py matmul 48 $<

# With activations of other types than bf16.
part-matmul_lowbit-f16: build/emulated/matmul_lowbit-f16 | set-up-build
	@sh tests/run.sh matmul_lowbit-f16 python3 tests/output.py matmul 48 $<

part-matmul_lowbit-e4m3: build/emulated/matmul_lowbit-e4m3 | set-up-build
	@sh tests/run.sh matmul_lowbit-e4m3 python3 tests/output.py matmul 48 $<

# The pairs of types and the kernels that need most registers.
TIGHT = cumsum norm_backward rmsnorm_backward permute quantise quantise_groups
TIGHT_PAIRS = examples/matmul.cu:sm_80 \
    examples/matmul.cu:sm_90:COLS_A=1 \
    examples/matmul.cu:sm_80:TYPE_A=f16:TYPE_B=bf16 \
    examples/matmul.cu:sm_90:TYPE_A=e4m3:TYPE_B=e4m3
part-kernels: set-up-check set-up-cuda
	@NVCC="$(NVCC)" sh tests/run.sh kernels python3 tests/kernels.py \
	    examples/matmul_hopper.cu examples/matmul_scaled.cu \
	    examples/matmul_lowbit.cu examples/matmul_lowbit.cu:OPERAND=f16 \
	    examples/matmul_lowbit.cu:OPERAND=e4m3 examples/matmul_grouped.cu \
	    $(TIGHT_PAIRS) $(TIGHT:%=examples/%.cu:sm_90)

# Each of the paper's 19 pairs of types in one order of the operands, which the
# seed chooses: 196 of the 784 cases.
PAIRS_SEED = 1
.PHONY: check-mixed check-faults
check-mixed: set-up-check ## products of all pairs of types, on the emulator
	@python3 tests/pairs.py all
part-pairs: | set-up-build
	@sh tests/run.sh pairs python3 tests/pairs.py each $(PAIRS_SEED)

check-faults: set-up-check ## faults in products, which the emulator finds
	@python3 tests/faults.py
part-faults: | set-up-build
	@sh tests/run.sh faults python3 tests/faults.py

$(HIP_PARTS:%=part-%): part-%: build/emulated/% | set-up-build
	@sh tests/run.sh $* python3 tests/output.py \
	    $(if $(filter attention%,$*),attention 5,rows 3) $<

$(AMD_MATMULS:%=part-%): part-%: build/emulated/% | set-up-build
	@sh tests/run.sh $* python3 tests/output.py gemm \
	    $(if $(findstring gfx9,$*),64,32) $<

build/$(BUILD)/test_%: tests/test_%.c $(wildcard tests/*.h) $(HEADERS) \
                      | set-up-build
	@mkdir -p $(@D)
	$(CC) -std=c11 $(CFLAGS) $(WARN) $< -o $@ $(LDLIBS)
build/$(BUILD)/test_torch: examples/torch/checks.h
# The others run for a second or two, less than -O1 takes to compile them. Those
# of LESS run for so long that -Og pays, but not -O1.
LONG := test_climb test_engine test_hops test_plans test_swizzle
LESS := test_algebra test_reduce
$(LONG:%=build/$(BUILD)/%): CFLAGS = -O1 -g1
$(LESS:%=build/$(BUILD)/%): CFLAGS = -Og -g1
build/$(BUILD)/held_out: tests/held_out.c tests/test.h tests/definition.h \
                         tests/machines.h $(HEADERS) | set-up-build
	@mkdir -p $(@D)
	$(CC) -std=c11 $(CFLAGS) $(WARN) $< -o $@
build/$(BUILD)/test_m4ri: LDLIBS = -lm4ri -lm

part-examples: build/$(BUILD)/examples
	@sh tests/run.sh examples $<

build/$(BUILD)/examples: tests/examples.py tests/test.h $(HEADERS) \
                        | set-up-check
	@mkdir -p $(@D)
	python3 tests/examples.py $(HEADERS) >$@.c
	$(CC) -std=c11 $(CFLAGS) -Wall -Wextra -Itests -I. $@.c -o $@

build/$(BUILD)/check_data: $(wildcard tests/check_data.* tests/data_*.[ch]) \
                          build/$(BUILD)/counted.h \
                          build/$(BUILD)/data_wrappers.o $(HEADERS) \
                          | set-up-check
	@mkdir -p $(@D)
	$(CC) -std=c11 $(CFLAGS) $(WARN) -I. -DLL_VIEWS -DLL_ENGINE \
	    -include $(@D)/counted.h $(filter %.c,$^) $(filter %.o,$^) \
	    -o $@ -ljansson

# The runner of the recorded cases counts the layouts of each family.
build/$(BUILD)/counted.h: tests/families.py $(HEADERS) | set-up-check
	@mkdir -p $(@D)
	python3 tests/families.py --macros >$@

.PHONY: families
families: set-up-check ## write the table of families in tests/data/README.md
	@python3 tests/families.py --write tests/data/README.md

.PHONY: api
api: set-up-check ## write the list of the interface of this version, tests/api
	@python3 tests/api.py --write

.PHONY: reference
reference: set-up-check ## build/reference: the comments of the headers as HTML
	@python3 tests/reference.py

.PHONY: reductions
reductions: set-up-build ## write the table of reductions in bench/results
	@python3 tests/reductions.py --write bench/results/reductions.md

build/$(BUILD)/data_wrappers.o: tests/data_wrappers.cc tests/wrappers.py \
                                $(HEADERS) | set-up-check
	@mkdir -p $(@D)
	python3 tests/wrappers.py ll_ptx.h >$(@D)/wrappers.inc
	$(CXX) -std=c++17 $(CFLAGS) -Wall -Wextra -fno-exceptions -I$(@D) -c $< \
	    -o $@

# The host tests under sanitizers, built and counted in folders of their own.
# Without optimisation they build in a fifth of the time. `make check` runs here
# what tests/cxx.py does not run under sanitizers.
.PHONY: sanitize lint mutate
SANITIZED = $(HOST) $(UNSHARED)
UNSHARED := $(M4RI) data examples
sanitize: set-up-check ## the tests of ll.h under AddressSanitizer and UBSan
	@RESULTS=build/sanitized/check sh tests/run.sh --begin
	@RESULTS=build/sanitized/check $(MAKE) -s -k $(SANITIZED:%=part-%) \
	    BUILD=sanitized SEARCH="1 0" CFLAGS='-O0 -g1 -fno-sanitize-recover=all \
	    -fsanitize=address,undefined' || true
	@RESULTS=build/sanitized/check sh tests/run.sh --sum $(SANITIZED)

# Each takes minutes of a core.
OTHERS := s390x-linux-gnu arm-linux-gnueabihf
.PHONY: check-hosts $(OTHERS:%=on-%)
check-hosts: $(OTHERS:%=on-%) ## the tests of ll.h on hosts that qemu imitates
$(OTHERS:%=on-%): on-%: set-up-hosts
	@echo "$*, commit $$(sh bench/commit.sh)"
	@RESULTS=build/$*/check sh tests/run.sh --begin
	@RESULTS=build/$*/check $(MAKE) -s -k $(HOST:%=part-%) BUILD=$* \
	    CC='$*-gcc -static' RUN=qemu-$(firstword $(subst -, ,$*)) \
	    SEARCH="1 0" CFLAGS=-O1 || true
	@RESULTS=build/$*/check sh tests/run.sh --sum $(HOST)

part-sanitize:
	@sh tests/run.sh sanitize $(MAKE) -s --no-print-directory sanitize \
	    SANITIZED='$(UNSHARED)'

lint: set-up-lint ## formatters and checkers
	@sh tests/lint.sh

# MUTATE holds the options of tests/mutate.py: "--slice 1/8 --jobs 32", or
# "--rooms 20-20 --longest 0.3". A run adds a line to tests/mutants.jsonl.
mutate: set-up-check ## which changed lines no test notices (long)
	@python3 tests/mutate.py $(MUTATE)

.PHONY: check-gpu check-amd part-gpu
check-gpu: set-up-cuda ## correctness on the GPU
	@NVCC="$(NVCC)" sh tests/gpu/check.sh

check-amd: ## correctness on an AMD GPU, with ROCm
	@sh tests/gpu/check_amd.sh

part-gpu: set-up-cuda
	@NVCC="$(NVCC)" sh tests/run.sh gpu sh tests/gpu/check.sh

# ---- Figures ---------------------------------------------------------------

.PHONY: bench bench-gpu bench-convert bench-gather bench-all plots
.PHONY: bench-check bench-host-check
bench: set-up-bench ## host figures: what planning costs
	@sh bench/run.sh host
bench-gpu: set-up-bench set-up-cuda ## figures on the GPU
	@sh bench/run.sh gpu
bench-convert: set-up-bench set-up-cuda ## conversions on the GPU
	@sh bench/run.sh convert
bench-gather: set-up-bench set-up-cuda ## gathers on the GPU
	@sh bench/run.sh gather
bench-check: set-up-bench set-up-cuda ## is a GPU figure worse than recorded?
	@sh bench/check.sh gpu convert gather
bench-host-check: set-up-bench set-up-cuda ## is planning, or compiling?
	@sh bench/check.sh host compile conversions
bench-all: set-up-bench set-up-cuda ## all that a GPU measures, for the record
	@sh bench/all.sh
.PHONY: paper
paper: set-up-check ## build/paper.html: the paper's evaluation, redone
	@python3 tests/paper.py
plots: ## the pages of bench/results, charts, the summary in README.md
	@python3 bench/report

# ---- Installing ------------------------------------------------------------

.PHONY: install dist clean
install: build/ll.pc build/ll-config.cmake build/llshow ## copy headers, llshow to PREFIX (and DESTDIR)
	install -d "$(DESTDIR)$(PREFIX)/include" "$(DESTDIR)$(PREFIX)/bin" \
	    "$(DESTDIR)$(PREFIX)/share/pkgconfig" \
	    "$(DESTDIR)$(PREFIX)/share/cmake/ll" \
	    "$(DESTDIR)$(PREFIX)/share/man/man1" \
	    "$(DESTDIR)$(PREFIX)/share/bash-completion/completions"
	install -m 644 $(HEADERS) "$(DESTDIR)$(PREFIX)/include"
	install -m 644 build/ll.pc "$(DESTDIR)$(PREFIX)/share/pkgconfig"
	install -m 644 build/ll-config.cmake build/ll-config-version.cmake \
	    "$(DESTDIR)$(PREFIX)/share/cmake/ll"
	install build/llshow "$(DESTDIR)$(PREFIX)/bin"
	install -m 644 examples/llshow.1 "$(DESTDIR)$(PREFIX)/share/man/man1"
	install -m 644 examples/llshow.bash \
	    "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/llshow"

# The headers of one vendor in one file each, for sites that take a single file.
.PHONY: one-file deb
one-file:
	@mkdir -p build/dist
	@for v in ptx amd; do \
	    awk '/^#include "ll.h"$$/ { while ((getline line < "ll.h") > 0) \
	         print line; next } 1' ll_$$v.h >build/dist/ll_$${v}_one.h; done

# The package is for this architecture, since llshow is, and for the C library
# that llshow was linked with or a later one.
deb: build/ll.pc build/ll-config.cmake build/llshow ## build/linear-layouts-dev_*.deb
	@rm -rf build/deb build/linear-layouts-dev_*.deb
	@$(MAKE) -s install DESTDIR=build/deb PREFIX=/usr
	@strip build/deb/usr/bin/llshow
	@gzip -9n build/deb/usr/share/man/man1/llshow.1
	@install -d build/deb/DEBIAN build/deb/usr/share/doc/linear-layouts-dev
	@install -m 644 LICENSE \
	    build/deb/usr/share/doc/linear-layouts-dev/copyright
	@libc=$$(objdump -T build/llshow | sed -n 's/.*GLIBC_\([0-9.]*\).*/\1/p' | \
	    sort -V | tail -n 1); \
	printf '%s\n' 'Package: linear-layouts-dev' 'Version: $(VERSION)' \
	    "Architecture: $$(dpkg --print-architecture)" \
	    "Depends: libc6 (>= $$libc)" 'Section: libdevel' \
	    'Priority: optional' 'Maintainer: the authors of ll <ll@localhost>' \
	    'Description: linear layouts over F2 for GPU kernels' \
	    ' Three headers for CUDA and HIP kernels: who holds which element, and' \
	    ' how it gets elsewhere. llshow draws layouts and counts bank conflicts.' \
	    >build/deb/DEBIAN/control
	@dpkg-deb --root-owner-group -b build/deb build >/dev/null

.PHONY: build/ll.pc
build/ll.pc:
	@mkdir -p $(@D)
	@printf '%s\n' 'prefix=$(PREFIX)' 'includedir=$${prefix}/include' '' \
	    'Name: ll' 'Description: linear layouts for GPU kernels' \
	    'Version: $(VERSION)' 'Cflags: -I$${includedir}' >$@

# The package of examples/cmake, for machines without CMake.
.PHONY: build/ll-config.cmake
build/ll-config.cmake:
	@mkdir -p $(@D)
	@printf '%s\n' 'if(NOT TARGET ll::ll)' \
	    '    add_library(ll::ll INTERFACE IMPORTED)' \
	    '    get_filename_component(_ll "$${CMAKE_CURRENT_LIST_DIR}" REALPATH)' \
	    '    get_filename_component(_ll "$${_ll}/../../../include" ABSOLUTE)' \
	    '    set_target_properties(ll::ll PROPERTIES' \
	    '        INTERFACE_INCLUDE_DIRECTORIES "$${_ll}")' 'endif()' >$@
	@printf '%s\n' 'set(PACKAGE_VERSION "$(VERSION)")' \
	    'if("$${PACKAGE_FIND_VERSION_MAJOR}.$${PACKAGE_FIND_VERSION_MINOR}"' \
	    '        STREQUAL "$(basename $(VERSION))" AND' \
	    '        PACKAGE_FIND_VERSION VERSION_LESS_EQUAL PACKAGE_VERSION)' \
	    '    set(PACKAGE_VERSION_COMPATIBLE TRUE)' 'endif()' \
	    'if(PACKAGE_FIND_VERSION STREQUAL PACKAGE_VERSION)' \
	    '    set(PACKAGE_VERSION_EXACT TRUE)' 'endif()' \
	    >build/ll-config-version.cmake

dist: one-file ## build/ll-VERSION.tar.gz, build/dist: a header in one file
	@mkdir -p build
	tar -czf build/ll-$(VERSION).tar.gz --transform 's,^,ll-$(VERSION)/,' \
	    --exclude __pycache__ $(HEADERS) Makefile .ci \
	    $(wildcard *.md *.toml LICENSE .clang-format .editorconfig .gitignore) \
	    $(wildcard tests bench examples)

clean: ## remove what was built (not build/cuda)
	[ ! -d build ] || \
	    find build -mindepth 1 -maxdepth 1 ! -name cuda -exec rm -rf {} +
