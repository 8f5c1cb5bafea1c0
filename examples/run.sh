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
make=${MAKE:-make}
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

# Prints what the kernels do on the GPU; sets `why` if there is no result.
on_gpu() {
    can=$(driver)
    if ! command -v nvcc >/dev/null; then
        why='there is no nvcc'
    elif [ -n "$can" ] && [ "${can%%.*}" -lt "$(toolkit | cut -d . -f 1)" ]
    then
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
    stop "${CC:-gcc} is missing: install a C and a C++ compiler, as gcc and g++"
$make -s build/lessons/02_transpose && build/lessons/02_transpose || exit 1
echo
mkdir -p build/gpu
why='' status=0
if [ -n "${GPU-$(nvidia-smi -L 2>/dev/null | grep GPU)}" ]; then
    $make -s set-up-cuda
    on_gpu
else
    why=none
fi
if [ -n "$why" ]; then
    [ "$why" = none ] || echo "The GPU cannot run it: $why." \
        "The emulator runs it."
    command -v "${CXX:-g++}" >/dev/null ||
        stop "${CXX:-g++} is missing: the emulator needs a C++ compiler"
    [ -x build/emulated/transpose ] ||
        echo 'building the kernels for the emulator, about 10 s' >&2
    $make -s build/emulated/transpose && build/emulated/transpose
    status=$?
fi
echo
if command -v clang >/dev/null; then
    $make -s set-up-viewer
fi
if command -v wasm-ld >/dev/null; then
    $make -s viewer
else
    echo 'make viewer: draws layouts and plans on a page'
fi
echo 'next: "Where to start" in README.md; make help'
exit $status
