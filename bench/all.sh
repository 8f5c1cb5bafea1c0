#!/bin/sh
# all.sh [1|2] - everything that a GPU measures for bench/results, in two calls
# of at most ten minutes each on 16 cores; without a number all at once.
#
#   1  builds all at the same time, then transposes and the kernels' tests
#   2  what 1 did not finish, conversions, gathers, and compute-sanitizer
#
# Finished stages stay in build/all, so a call that was cut off is simply made
# again; sources of another commit start anew. Finished results are copied to the
# folder LL_RESULTS (bench/results). LL_COMMIT names the sources where there is no
# repository. Exit 1: a stage failed; its log is named.
#
# Without Google Benchmark on that machine, bring it in build/benchmark:
# include/benchmark and lib/libbenchmark.so*, or a static one, files and no links.
# Triton and ncu are used where they are.
set -u
cd "$(dirname "$0")/.." || exit 1
target=${LL_RESULTS:-bench/results}
LL_COMMIT=$(sh bench/commit.sh)
LL_RESULTS=build/all/results
NVCC=${NVCC:-$(PATH="$PATH:/usr/local/cuda/bin:build/cuda/bin" \
    command -v nvcc || echo nvcc)}
PATH=$PATH:$(dirname "$NVCC") # compute-sanitizer and ncu lie beside it
export LL_COMMIT LL_RESULTS NVCC PATH
case $LL_COMMIT in
*-dirty|unknown)
    echo "all.sh: the sources are of no commit ($LL_COMMIT), so these figures" \
        "cannot be recorded" >&2 ;;
esac
if [ "$(cat build/all/commit 2>/dev/null)" != "$LL_COMMIT" ]; then
    rm -rf build/all
fi
mkdir -p build/all "$LL_RESULTS" "$target"
echo "$LL_COMMIT" >build/all/commit
failed=0
begun=$(date +%s)

# stage NAME COMMAND..: once for each commit.
stage() {
    name=$1
    shift
    [ ! -e "build/all/$name.done" ] || return 0
    start=$(date +%s)
    if "$@" >"build/all/$name.log" 2>&1; then
        touch "build/all/$name.done"
        said='done'
    else
        said="FAILED (build/all/$name.log)"
        tail -n 15 "build/all/$name.log" >&2
        failed=1
    fi
    echo "$name: $said, $(($(date +%s) - start)) s"
    cp "$LL_RESULTS"/* "$target" 2>/dev/null || true
}

# All compilers at once: they are more than the cores, and most are short.
build_all() {
    jobs=
    for what in gpu convert gather; do
        sh bench/run.sh $what build >build/all/build-$what.log 2>&1 &
        jobs="$jobs $!"
    done
    sh tests/gpu/check.sh build >build/all/build-check.log 2>&1 &
    jobs="$jobs $!"
    ended=0
    for job in $jobs; do
        wait "$job" || ended=1
    done
    cat build/all/build-*.log
    return $ended
}

first() {
    stage build build_all
    stage gpu sh bench/run.sh gpu measure
    stage plain sh tests/gpu/check.sh plain
}

second() {
    stage convert sh bench/run.sh convert measure
    stage gather sh bench/run.sh gather measure
    stage sanitize sh tests/gpu/check.sh sanitize
}

case ${1:-all} in
1) first ;;
2|all) first; second ;;
*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
cp "$LL_RESULTS"/* "$target" 2>/dev/null || true
echo "all.sh: $(($(date +%s) - begun)) s, commit $LL_COMMIT, results in $target"
exit $failed
