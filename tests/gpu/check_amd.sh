#!/bin/sh
# check_amd.sh - the kernels that both vendors share, on the AMD GPU here, with
# hipcc. Writes what it saw to bench/results/check-TARGET.txt, with commit and
# command; ends with a line `N passed, N failed, N skipped`.
# Other compiler: HIPCC; other target than the first GPU's: GFX, as gfx1100.
# SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/../.." || exit 1
PATH=$PATH:/opt/rocm/bin:/opt/rocm/llvm/bin
: "${HIPCC:=hipcc}"

skip() {
    echo "skipped: $*"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}

# The first GPU's target: rocm_agent_enumerator lists gfx000 for the CPU.
gfx=${GFX:-$(rocm_agent_enumerator 2>/dev/null | grep -v gfx000 | head -n 1)}
[ "$gfx" ] || skip "there is no AMD GPU here, or no rocm_agent_enumerator"
command -v "$HIPCC" >/dev/null || skip "there is no hipcc"
results=${LL_RESULTS:-bench/results}
commit=${LL_COMMIT:-$(git describe --always --dirty --exclude '*' 2>/dev/null ||
    echo unknown)}
mkdir -p build/amd "$results"
log=$results/check-$gfx.txt
passed=0
failed=0

{
    echo "device   $gfx"
    echo "compiler $("$HIPCC" --version 2>/dev/null | grep -m 1 'HIP version')"
    echo "commit   $commit"
    echo "command  make check-amd"
} >"$log"

# check LANES FLAG..: every kernel with wavefronts of LANES lanes.
check() {
    lanes=$1
    shift
    for name in moves gather reduce tiles sort; do
        exe=build/amd/$name-$lanes
        if "$HIPCC" -x hip --offload-arch="$gfx" -std=c++17 -O3 -I. "$@" \
            -DTARGET_GFX="0x${gfx#gfx}" -DTARGET_LANES="$lanes" \
            tests/gpu/$name.cu -o "$exe" >"$exe.log" 2>&1 &&
            "$exe" >"$exe.log" 2>&1; then
            passed=$((passed + 1))
            state=ok
        else
            failed=$((failed + 1))
            state=FAILED
            tail -n 20 "$exe.log"
        fi
        echo "$state $name, $lanes lanes: $(grep -v '^$' "$exe.log" |
            tail -n 1)" | tee -a "$log"
    done
}

# The lessons in HIP, with the lanes that the target has by itself.
check_lesson() { # NAME [ARGUMENT..]
    exe=build/amd/$1
    log_of=$exe.log
    if "$HIPCC" --offload-arch="$gfx" -std=c++17 -O3 -I. examples/kernels/*/"$1.hip" \
        -o "$exe" >"$log_of" 2>&1 && shift && "$exe" "$@" >"$log_of" 2>&1; then
        passed=$((passed + 1))
        state=ok
    else
        failed=$((failed + 1))
        state=FAILED
        tail -n 20 "$log_of"
    fi
    echo "$state ${exe##*/}.hip: $(grep -v '^$' "$log_of" | tail -n 1)" |
        tee -a "$log"
}
for lesson in softmax norm transpose hadamard cumsum topk; do
    check_lesson $lesson
done
check_lesson matmul 500 520 264
case $gfx in # attention is of bf16, which gfx908 lacks
gfx908) ;;
*) check_lesson attention ;;
esac

case $gfx in
gfx9*) check 64 ;;
*)
    check 32
    check 64 -mwavefrontsize64
    ;;
esac

echo "$passed passed, $failed failed, 0 skipped" | tee -a "$log"
[ "$failed" = 0 ]
