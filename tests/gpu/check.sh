#!/bin/sh
# check.sh - every kernel on the GPU, plain and under compute-sanitizer. Writes what it saw to
# bench/results/check-DEVICE.txt, with commit and command; ends with a line
# `N passed, N failed, N skipped`.
# SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${NVCC:=nvcc}"
if ! nvidia-smi -L >/dev/null 2>&1; then
    echo "there is no GPU here"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
device=$(nvidia-smi --query-gpu=name --format=csv,noheader -i 0)
slug=$(echo "$device" | tr 'A-Z ' 'a-z-')
results=${LL_RESULTS:-bench/results}
commit=${LL_COMMIT:-$(git describe --always --dirty --exclude '*' 2>/dev/null ||
    echo unknown)}
mkdir -p build/gpu "$results"
log=$results/check-$slug.txt
passed=0
failed=0
skipped=0

{
    echo "device   $device, driver $(nvidia-smi --query-gpu=driver_version \
        --format=csv,noheader -i 0)"
    echo "clocks   $(nvidia-smi --query-gpu=clocks.sm,clocks.mem \
        --format=csv,noheader -i 0) (SM, memory; idle)"
    echo "compiler $("$NVCC" --version | grep release)"
    echo "commit   $commit"
    echo "command  make check-gpu"
} >"$log"

for name in moves tiles gather mixed reduce transpose; do
    src=tests/gpu/$name.cu
    [ -e "$src" ] || src=examples/$name.cu
    "$NVCC" -std=c++17 -O3 -arch=native -lineinfo -I. "$src" \
        -o "build/gpu/$name" || echo "FAILED  $name does not compile"
done

# run NAME COMMAND..: runs it; its last line is the detail.
run() {
    name=$1
    shift
    "$@" >"build/gpu/log" 2>&1
    status=$?
    detail=$(grep -v '^$' build/gpu/log | tail -n 1)
    if [ $status = 0 ]; then
        passed=$((passed + 1))
        echo "ok      $name: $detail" | tee -a "$log"
    else
        failed=$((failed + 1))
        tail -n 20 build/gpu/log
        echo "FAILED  $name: $detail" | tee -a "$log"
    fi
}

kernels="moves tiles gather mixed reduce"
for name in $kernels; do
    run "$name" "build/gpu/$name"
done
clusters=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader -i 0)
if [ "${clusters%%.*}" -ge 9 ]; then
    "$NVCC" -std=c++17 -O3 -arch=native -lineinfo -I. tests/gpu/cluster.cu \
        -o build/gpu/cluster || echo "FAILED  cluster does not compile"
    run cluster build/gpu/cluster
    kernels="$kernels cluster"
else
    skipped=$((skipped + 1))
    echo "skipped cluster: the device has no clusters" | tee -a "$log"
fi
for bits in 8 16 32 64; do
    for size in "4096 4096" "5003 7001" "33 71" "1 1" "16 50000" "50000 16" "5000000 3"; do
        # shellcheck disable=SC2086 # two numbers
        run "transpose $bits bit, $size" build/gpu/transpose "$bits" $size
    done
done

if command -v compute-sanitizer >/dev/null 2>&1; then
    for tool in memcheck racecheck initcheck synccheck; do
        for name in $kernels; do
            run "$tool $name" compute-sanitizer --tool $tool \
                --error-exitcode 1 "build/gpu/$name"
        done
        for bits in 8 16 32 64; do
            run "$tool transpose $bits bit" compute-sanitizer --tool $tool \
                --error-exitcode 1 build/gpu/transpose $bits 300 520
        done
        run "$tool transpose 16 bit, ragged" compute-sanitizer --tool $tool \
            --error-exitcode 1 build/gpu/transpose 16 301 333
    done
else
    skipped=$((skipped + 44))
    echo "skipped compute-sanitizer is not here" | tee -a "$log"
fi

echo "$passed passed, $failed failed, $skipped skipped" | tee -a "$log"
[ "$failed" = 0 ]
