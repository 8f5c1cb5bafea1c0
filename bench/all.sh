#!/bin/sh
# all.sh [RECORD...] - measures everything that needs a GPU, or the named
# records: those of bench/run.sh, and `check` (make check-gpu).
#
# All builds start first, one per processor. Each GPU then takes one built
# record after another. Records that need two GPUs come last and use all GPUs:
# `all.sh reshard redistribute nccl fused` makes these alone.
# Compile times are measured after the last build. With 32 cores and two GPUs
# everything takes 9 minutes.
#
# Finished records stay in build/all: if the command was cut off, run it again.
# A new commit starts over. After LL_LIMIT seconds no further record starts.
# Results go to the folder LL_RESULTS (bench/results). LL_COMMIT names the
# sources if there is no repository. Exit 1: a record failed or did not start;
# build/all has the log of each.
#
# If the machine lacks Google Benchmark, put it into build/benchmark:
# include/benchmark and lib/libbenchmark.so*, or a static one; files, no links.
# PyTorch, Triton, compute-sanitizer and ncu are used if they are installed.
set -u
cd "$(dirname "$0")/.." || exit 1
target=${LL_RESULTS:-bench/results}
LL_COMMIT=$(sh bench/commit.sh)
LL_RESULTS=build/all/results
NVCC=${NVCC:-$(PATH="$PATH:/usr/local/cuda/bin:build/cuda/bin" \
    command -v nvcc || echo nvcc)}
PATH=$PATH:$(dirname "$NVCC") # compute-sanitizer and ncu lie beside it
export LL_COMMIT LL_RESULTS NVCC PATH
all=build/all
begun=$(date +%s)

# Builds of the first group start first; `late` has many small ones.
first='matmul scaled lowbit grouped attention mixed benchmarks reshard nccl'
first="$first fused redistribute check"
second='kernels more profile engine torch costs'
late='convert gather held-out gpu'
queue='check attention matmul lowbit scaled grouped kernels more benchmarks'
queue="$queue mixed profile engine torch convert gather gpu held-out costs"
pairs='reshard redistribute nccl fused'
compilers='compile conversions'
named=${*:-$queue $pairs $compilers}

for name in $named; do
    case " $queue $pairs $compilers " in
    *" $name "*) ;;
    *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2 ;;
    esac
done
case $LL_COMMIT in
*-dirty|unknown)
    echo "all.sh: the sources are of no commit ($LL_COMMIT), so these figures" \
        "cannot be recorded" >&2 ;;
esac
[ "$(cat $all/commit 2>/dev/null)" = "$LL_COMMIT" ] || rm -rf $all
mkdir -p $all "$LL_RESULTS" "$target"
echo "$LL_COMMIT" >$all/commit
rm -rf $all/*.taken $all/built

now() { echo $(($(date +%s) - begun)); }
is_left() { # named, and not finished
    case " $named " in
    *" $1 "*) [ ! -e "$all/$1.done" ] ;;
    *) return 1 ;;
    esac
}

build() {
    case $1 in
    check) nice -n 3 sh tests/gpu/check.sh build ;;
    costs) ;; # one small program, built when it is measured
    *) nice -n 3 sh bench/run.sh "$1" build ;;
    esac
}

measure() {
    case $1 in
    check) sh tests/gpu/check.sh plain && sh tests/gpu/check.sh sanitize ;;
    costs|compile) sh bench/run.sh "$1" ;;
    conversions) JOBS=3 sh bench/run.sh conversions ;;
    *) sh bench/run.sh "$1" measure ;;
    esac
}

builds() {
    for name in "$@"; do
        is_left "$name" || continue
        {
            build "$name" >"$all/$name-build.log" 2>&1 ||
                echo "$name: build FAILED ($all/$name-build.log)"
            touch "$all/$name.built"
        } &
    done
    wait
}

# Once per commit. A finished record is in `target` at once.
record() {
    if [ "$(now)" -gt "${LL_LIMIT:-100000}" ]; then
        echo "$1: not begun"
        return
    fi
    start=$(now)
    if measure "$1" >"$all/$1.log" 2>&1; then
        touch "$all/$1.done"
        said='done'
    else
        said="FAILED ($all/$1.log)"
        tail -n 15 "$all/$1.log" >&2
    fi
    echo "$1: $said, $start to $(now) s, GPU ${CUDA_VISIBLE_DEVICES:-any}"
    cp "$LL_RESULTS"/* "$target" 2>/dev/null || true
}

# The loop of one GPU: takes the next record that is built and not yet taken.
gpu() {
    CUDA_VISIBLE_DEVICES=$1
    export CUDA_VISIBLE_DEVICES
    left=yes
    while [ -n "$left" ]; do
        left=
        for name in $queue; do
            is_left "$name" || continue
            [ ! -d "$all/$name.taken" ] || continue
            left=yes
            [ -e "$all/$name.built" ] || continue
            # Other work on the processors disturbs transposes of small
            # matrices.
            [ "$name" != gpu ] || [ -e $all/built ] || continue
            mkdir "$all/$name.taken" 2>/dev/null || continue
            record "$name"
            break
        done
        [ -z "$left" ] || sleep 0.3
    done
}

of_compilers() {
    until [ -e $all/built ]; do
        sleep 1
    done
    for name in $compilers; do
        is_left "$name" && record "$name"
    done
}

rm -f $all/*.built
# shellcheck disable=SC2086 # lists of names
{ builds $first; builds $second; builds $late; touch $all/built; } &
of_compilers &
compiling=$!
queues=
for number in $(nvidia-smi --query-gpu=index --format=csv,noheader); do
    gpu "$number" &
    queues="$queues $!"
done
for job in $queues; do
    wait "$job"
done
for name in $pairs; do
    is_left "$name" || continue
    until [ -e "$all/$name.built" ]; do
        sleep 0.3
    done
    record "$name"
done
wait $compiling
failed=0
for name in $named; do
    [ -e "$all/$name.done" ] || failed=1
done
echo "all.sh: $(now) s, commit $LL_COMMIT, results in $target"
exit $failed
