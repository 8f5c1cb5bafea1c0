#!/bin/sh
# run.sh - explains a transpose and runs it, on the GPU or on the emulator.
# `make run` starts it.
#
# The explanation needs a C compiler, the emulator a C++ compiler too. On a
# machine with a GPU, nvcc builds the kernels; where its driver is older than
# nvcc, or anything else prevents a result, the emulator runs them and a line
# says why. MAKE, CC and CXX name other programs; if GPU is empty, there is none.
# Exit 2: a compiler is missing.
set -u
cd "$(dirname "$0")/.." || exit 1
make=${MAKE:-make} # one word
PATH=$PATH:/usr/local/cuda/bin:$PWD/build/cuda/bin
log=build/gpu/transpose.log

stop() { echo "run: $*" >&2; exit 2; }

# The version of CUDA that the driver runs, as 12.4; nothing without a driver.
driver() {
    nvidia-smi 2>/dev/null |
        sed -n 's/.*CUDA[A-Za-z ]*Version: *\([0-9][0-9.]*\).*/\1/p' | head -n 1
}

# The version of nvcc, as 13.0.
toolkit() { nvcc --version | sed -n 's/.*release \([0-9.]*\).*/\1/p'; }

# Is the driver older than this version of CUDA?
older() { [ -n "$can" ] && [ "${can%%.*}" -lt "${1%%.*}" ]; }

# Runs a command, and says every five seconds that it still runs.
patiently() { # what it does, command
    what=$1 waited=0
    shift
    "$@" &
    while sleep 1 && kill -0 $! 2>/dev/null; do
        waited=$((waited + 1))
        [ $((waited % 5)) != 0 ] || echo "$what: $waited s" >&2
    done
    wait $!
}

# Builds the kernel for the emulator. emucc counts the parts of the emulator;
# the seconds are those of the kernel.
emulated() {
    $make -s build/emulator &&
        patiently 'building the kernel (examples/kernels/move/transpose.cu)' \
            "$make" -s build/emulated/transpose
}

# Prints what the kernels do on the GPU; sets `why` if there is no result. A
# machine without nvcc gets that of CUDA 13 (tests/setup.sh).
on_gpu() {
    can=$(driver)
    if ! command -v nvcc >/dev/null; then
        if older 13; then
            why="its driver is for CUDA $can, and there is no nvcc for that"
            return
        fi
        $make -s set-up-cuda
    fi
    if ! command -v nvcc >/dev/null; then
        why='there is no nvcc'
    elif older "$(toolkit)"; then
        why="its driver is for CUDA $can, and nvcc is of CUDA $(toolkit)"
    elif ! $make -s build/gpu/transpose >$log 2>&1; then
        why="nvcc does not build for it: $(grep -m 1 . $log)"
    else
        build/gpu/transpose >$log 2>&1
        status=$?
        grep -q '^version ' $log || why=$(grep -m 1 . $log)
        [ -n "$why" ] || cat $log
    fi
}

command -v "${CC:-gcc}" >/dev/null ||
    stop "${CC:-gcc} is missing: install a C and a C++ compiler, as gcc and" \
        "g++, or name others: make run CC=clang CXX=clang++"
$make -s build/lessons/02_transpose && build/lessons/02_transpose || exit 1
echo
mkdir -p build/gpu
why='' status=0
if [ -n "${GPU-$(nvidia-smi -L 2>/dev/null | grep GPU)}" ]; then
    on_gpu
else
    why=none
fi
if [ -n "$why" ]; then
    [ "$why" = none ] || echo "The GPU cannot run it: $why." \
        "The emulator runs it."
    command -v "${CXX:-g++}" >/dev/null ||
        stop "${CXX:-g++} is missing: the emulator needs a C++ compiler;" \
            "install g++, or name another: make run CXX=clang++"
    emulated && build/emulated/transpose
    status=$?
fi
echo
if command -v clang >/dev/null && command -v wasm-ld >/dev/null; then
    echo 'building the viewer (clang)'
    $make -s viewer
else
    echo 'make viewer: draws layouts and plans on a page; it needs clang'
fi
echo 'next: "Where to start" in README.md; make help'
exit $status
