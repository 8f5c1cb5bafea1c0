#!/bin/sh
# check.sh [build|plain|sanitize] - every kernel on the GPU, plain and under
# compute-sanitizer. SPDX-License-Identifier: MIT
#
# Writes what it saw to bench/results/check-DEVICE.txt, or to the folder
# LL_RESULTS, with commit and command; ends with a line
# `N passed, N failed, N skipped`. JOBS compilers or sanitizers run at a time.
# `build`, `plain` and `sanitize` do one part each. What is found is kept in
# build/gpu; the last of the two that run kernels writes the file.
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${NVCC:=nvcc}"
: "${JOBS:=$(nproc)}"
what=${1:-all}
if ! nvidia-smi -L >/dev/null 2>&1; then
    echo "there is no GPU here"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
query() { nvidia-smi --query-gpu="$1" --format=csv,noheader -i 0; }
device=$(query name)
slug=$(echo "$device" | tr 'A-Z ' 'a-z-')
results=${LL_RESULTS:-bench/results}
mkdir -p build/gpu "$results"
log=$results/check-$slug.txt
kernels="moves tiles gather mixed reduce scopes sort barriers"
products=matmul
major=$(query compute_cap)
major=${major%%.*}
[ "$major" -lt 9 ] || kernels="$kernels cluster"
forms=
if [ "$major" -eq 9 ]; then
    products="$products matmul_hopper matmul_lowbit matmul_scaled"
    products="$products matmul_grouped"
    forms="tensor capture"
fi

head_of_log() {
    echo "device   $device, driver $(query driver_version)"
    echo "clocks   $(query clocks.sm,clocks.mem) (SM, memory; idle)"
    echo "compiler $("$NVCC" --version | grep release)"
    echo "commit   $(sh bench/commit.sh)"
    echo "command  make check-gpu"
}

# Those that are older than a header or their source, all at once.
build() {
    for name in $kernels $forms turn transpose reshard reshard_ragged \
        $products; do
        src=tests/gpu/$name.cu
        [ -e "$src" ] || src=$(ls examples/kernels/*/$name.cu)
        exe=build/gpu/$name
        [ -n "$(find "$exe" -newer "$src" 2>/dev/null)" ] &&
            [ -z "$(find ll*.h bench examples tests/gpu \( -name '*.h' -o \
                -name '*.cu' \) -newer "$exe")" ] && continue
        arch=-arch=native
        case $name in
        matmul_*|capture) arch="-gencode arch=compute_90a,code=sm_90a" ;;
        tensor)
            arch="-gencode arch=compute_90a,code=sm_90a --extended-lambda"
            ;;
        esac
        echo "'$NVCC' -std=c++17 -O3 $arch -lineinfo -I. $src -o $exe" \
            "|| echo 'FAILED  $name does not compile'"
    done | tr '\n' '\0' | xargs -0 -r -n 1 -P "$JOBS" sh -c
}

# job NAME COMMAND..: a line that runs the command and writes `ok` or `FAILED`,
# NAME and the last line of its output to a file of its own.
number=0
job() {
    number=$((number + 1))
    said=$1
    shift
    log_of=$part.$number.log
    echo "if $* >$log_of 2>&1; then w='ok     '; else w='FAILED '; fi;" \
        "echo \"\$w $said: \$(grep -v '^\$' $log_of | tail -n 1)\"" \
        ">$part.$number.line"
}

# Runs the lines of standard input, $1 at a time, and keeps what they wrote, in
# their order, as build/gpu/$what.txt.
run() {
    rm -f "$part".*
    tee "$part.jobs" | tr '\n' '\0' | xargs -0 -n 1 -P "$1" sh -c
    count=$(wc -l <"$part.jobs")
    k=0
    while [ $k -lt "$count" ]; do
        k=$((k + 1))
        if [ ! -s "$part.$k.line" ]; then
            echo "FAILED  $part.$k: was not run"
        else
            cat "$part.$k.line"
            ! grep -q ^FAILED "$part.$k.line" ||
                tail -n 20 "$part.$k.log" >&2
        fi
    done >"$part.txt"
    cat "$part.txt"
}

plain_jobs() {
    for name in $kernels $forms transpose reshard reshard_ragged; do
        job "$name" "build/gpu/$name"
    done
    for name in $products; do
        job "$name" "build/gpu/$name"
    done
    for bits in 8 16 32 64; do
        for size in "4096 4096" "5003 7001" "33 71" "1 1" "16 50000" \
            "50000 16" "5000000 3"; do
            job "transpose $bits bit, $size" "build/gpu/turn $bits $size"
        done
    done
}

sanitize_jobs() {
    for tool in memcheck racecheck initcheck synccheck; do
        by="compute-sanitizer --tool $tool --error-exitcode 1 build/gpu"
        for name in $kernels; do
            case $tool-$name in
            # It loses barriers of roles. That it does is seen by a kernel that
            # has no race: once it finds none there, scopes needs no argument.
            racecheck-barriers)
                job "$tool is wrong about $name" "$by/$name |" \
                    "grep 'SUMMARY: [1-9]'"
                ;;
            racecheck-scopes) job "$tool $name" "$by/$name shared" ;;
            *) job "$tool $name" "$by/$name" ;;
            esac
        done
        for name in $products; do
            # initcheck does not see what tensor copies store, so that it would
            # call every result uninitialised when it is copied to the host.
            case $tool-$name in
            initcheck-matmul_*) api='--check-api-memory-access no' ;;
            *) api= ;;
            esac
            case $name in
            matmul_lowbit) shapes='3 264 256,40 264 256,300 264 256' ;;
            matmul_scaled) shapes='0 200 264 144,1 200 264 144' ;;
            matmul_grouped) shapes='-1,2,5,8,11' ;; # of the list, the form
            *) shapes='200 264 144' ;;
            esac
            while [ -n "$shapes" ]; do
                job "$tool $name ${shapes%%,*}" "compute-sanitizer" \
                    "--tool $tool $api --error-exitcode 1" \
                    "build/gpu/$name ${shapes%%,*}"
                case $shapes in *,*) shapes=${shapes#*,} ;; *) shapes= ;; esac
            done
        done
        # On one GPU: a tool may run the kernels of several one after another.
        job "$tool reshard" "CUDA_VISIBLE_DEVICES=0 $by/reshard 1"
        job "$tool reshard, ragged" \
            "CUDA_VISIBLE_DEVICES=0 $by/reshard_ragged 1"
        for bits in 8 16 32 64; do
            job "$tool transpose $bits bit" "$by/turn $bits 304 520"
        done
        job "$tool transpose 16 bit, ragged" "$by/turn 16 301 333"
    done
}

plain() {
    part=build/gpu/plain
    plain_jobs | run 4
    if [ "$major" -lt 9 ]; then
        echo "skipped cluster: the device has no clusters" |
            tee -a $part.txt
    fi
}

sanitize() {
    part=build/gpu/sanitize
    if command -v compute-sanitizer >/dev/null 2>&1; then
        sanitize_jobs | run "$JOBS"
    else
        echo "skipped compute-sanitizer is not here" | tee $part.txt
    fi
}

case $what in
all) build; plain; sanitize ;;
plain|sanitize) $what ;;
build) build; exit 0 ;;
*) echo "usage: check.sh [build|plain|sanitize]" >&2; exit 2 ;;
esac
if [ $what = all ] || { [ $what = sanitize ] && [ -s build/gpu/plain.txt ]; } ||
    { [ $what = plain ] && [ -s build/gpu/sanitize.txt ]; }; then
    { head_of_log; cat build/gpu/plain.txt build/gpu/sanitize.txt; } >"$log"
    seen="build/gpu/plain.txt build/gpu/sanitize.txt"
else
    seen=build/gpu/$what.txt
fi
# shellcheck disable=SC2086 # a list
counts=$(cat $seen | awk '/^ok /{p++} /^FAILED /{f++} /^skipped /{s++}
    END {printf "%d passed, %d failed, %d skipped", p, f, s}')
[ "$seen" = "build/gpu/$what.txt" ] || echo "$counts" >>"$log"
echo "$counts"
case $counts in *" 0 failed"*) ;; *) exit 1 ;; esac
