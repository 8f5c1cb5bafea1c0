#!/bin/sh
# run.sh WHAT [build|measure]: builds and runs a benchmark, or does one of the
# two (not for costs).
#
# On the host:
#   host         planning (host.cc)
#   compile      what the header costs nvcc (compile.sh)
#   examples     compile time and spills of each example (examples.py)
#   constants    compile time of each layout constructor (constants.py)
#   conversions  compile time of each conversion (conversions.py)
#   sass         machine code of the inner loops of GEMM kernels (sass.py)
#   model        what ll_reshard_us predicts for 2 to 16 GPUs
#                (device/reshard_model.cu)
# On a GPU; Triton and ncu are used if they are installed:
#   gpu          transposes (device/transpose.cu)
#   convert      conversions (device/convert.cu); ncu counts wavefronts
#   gather       gathers (device/gather.cu), in the same way
#   held-out     pairs of tests/held_out.c: the chosen plan and its runner-up
#                (device/held_out.cu)
#   costs        single instructions (device/costs.cu)
#   mixed        GEMM of every pair of types: what is right (device/mixed.cu)
#   profile      bank conflicts of GEMM, by ncu (conflicts.py)
#   engine       graphs with the engine's layouts and with Triton's (engine.py)
#   torch        examples/torch over 200 shapes: what is right (compare.py)
# On a Hopper GPU, beside peers:
#   matmul       GEMM, beside cuBLASLt (peers/matmul.py)
#   scaled       e4m3 GEMM with scales, beside cuBLASLt (peers/scaled.py)
#   lowbit       GEMM with weights of 4 and 8 bits (device/lowbit.cu,
#                peers/lowbit_peers.py)
#   grouped      grouped GEMM, beside PyTorch and Triton (peers/grouped.py)
#   attention    attention, beside cuDNN (peers/attention.py)
#   kernels      softmax, norms, losses and others, beside PyTorch and Triton
#                (peers/kernels.py)
#   more         sorts, scans, permutations, lookups, beside PyTorch, Triton and
#                CUB (peers/more.py)
#   benchmarks   kernels that the paper measures, beside Triton
#                (peers/benchmarks.py)
# On two or more GPUs:
#   reshard      tensors between GPUs, beside PyTorch (device/reshard.cu,
#                peers/reshard.py)
#   nccl         the same plans by NCCL (device/reshard_nccl.cu); LL_CHOICES=1
#                also times what the plans do not choose, and prints it
#   fused        computation and its exchange in one kernel, beside the two in
#                turn and PyTorch (device/fused_*.cu, peers/fused_*.py)
#   redistribute from PyTorch, beside DTensor
#                (examples/torch/compare_redistribute.py)
#
# Files are in bench. Results go to bench/results/<what>-<device>.json, or to
# the folder LL_RESULTS; those of several GPUs to <what>-<device>-x<GPUs>.json;
# build products to build/. CXX and NVCC name the
# compilers. LL_COMMIT names the sources if there is no repository. LL_BENCHMARK
# is a folder with include/ and lib/ of Google Benchmark if the system has none
# (build/benchmark, if that exists). bench/report makes tables and charts.
#
# The record of conversions also counts what clang++ (CLANGXX) evaluates. If
# there is no clang, measure first, copy the file to a machine that has clang
# and the same commit, and run there: bench/conversions.py --add-steps FILE.
set -eu
cd "$(dirname "$0")/.."
what=${1:-}
half=${2:-both}
results=${LL_RESULTS:-bench/results}
mkdir -p build "$results"
LL_COMMIT=$(sh bench/commit.sh)
LL_COMMAND="bench/run.sh $what"
export LL_COMMIT LL_COMMAND

benchmark=${LL_BENCHMARK:-build/benchmark}
if [ -d "$benchmark" ]; then
    lib=$(cd "$benchmark/lib" && pwd)
    includes="-I$benchmark/include"
    libs="-L$lib -Xlinker -rpath -Xlinker $lib"
else
    includes='' libs=''
fi
libs="$libs -lbenchmark -lpthread"

slug() { tr 'A-Z /' 'a-z--' | tr -cd 'a-z0-9.-' | sed 's/-*$//'; }

cpu() {
    name=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null |
        head -n 1)
    echo "${name:-$(uname -m)}"
}

find_nvcc() {
    for nvcc in "${NVCC:-nvcc}" /usr/local/cuda/bin/nvcc build/cuda/bin/nvcc
    do
        command -v "$nvcc" >/dev/null 2>&1 && return
    done
    echo "run.sh: no nvcc here" >&2
    exit 3
}

host() {
    LL_DEVICE=$(cpu)
    export LL_DEVICE
    cxx=${CXX:-g++}
    file=$results/host-$(echo "$LL_DEVICE" | slug).json
    m4ri=
    if echo '#include <m4ri/m4ri.h>' | $cxx -E -x c++ - >/dev/null 2>&1; then
        m4ri='-DLL_BENCH_M4RI -lm4ri'
    fi
    # shellcheck disable=SC2086 # lists of flags
    $cxx -std=c++17 -O3 -march=native -I. $includes bench/host.cc \
        -o build/bench-host $libs $m4ri
    build/bench-host --benchmark_repetitions=9 --benchmark_min_time=0.05 \
        --benchmark_enable_random_interleaving=true \
        --benchmark_report_aggregates_only=true \
        --benchmark_out="$file" --benchmark_out_format=json \
        >build/bench-host.log 2>&1 ||
        { cat build/bench-host.log >&2; exit 1; }
    python3 bench/report tidy "$file"
    python3 bench/report table "$file"
}

query() { nvidia-smi --query-gpu="$1" --format=csv,noheader -i 0; }

find_gpu() {
    LL_DRIVER=$(query driver_version)
    LL_CLOCKS=$(query clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem)
    export LL_DRIVER LL_CLOCKS
    arch=sm_$(query compute_cap | tr -d .)
    triton=
    if python3 -c 'import torch, triton' 2>/dev/null; then
        triton=yes
    fi
}

# Triton's cache is filled while nvcc runs.
build_gpu() {
    log=build/bench-gpu.log
    # shellcheck disable=SC2086 # lists of flags
    "$nvcc" -std=c++17 -O3 -arch="$arch" -I. -Ibench $includes \
        bench/device/transpose.cu -o build/bench-transpose $libs >$log 2>&1 &
    build=$!
    warm=
    if [ -n "$triton" ]; then
        for bits in 8 16 32 64; do
            python3 bench/peers/triton_transpose.py --warm $bits \
                >build/bench-triton-$bits.log 2>&1 &
            warm="$warm $!"
        done
    fi
    wait $build || { cat $log >&2; exit 1; }
    for job in $warm; do
        wait "$job" || true # what is wrong shows when it is measured
    done
}

measure_gpu() {
    file=$results/gpu-$(query name | slug).json
    log=build/bench-gpu.log
    failed=0
    build/bench-transpose --benchmark_out="$file" \
        --benchmark_out_format=json >$log 2>&1 || failed=1
    grep -E 'wrong|error|ERROR' $log >&2 || true
    [ -s "$file" ] || { cat $log >&2; exit 1; }
    python3 bench/report tidy "$file"
    if [ -n "$triton" ]; then
        if python3 bench/peers/triton_transpose.py build/bench-triton.json \
            >build/bench-triton.log 2>&1; then
            python3 bench/report merge "$file" build/bench-triton.json
        else
            tail -n 5 build/bench-triton.log >&2
        fi
    else
        echo "run.sh: no torch and triton for python3, no rows for them" >&2
    fi
    python3 bench/report table "$file"
    return $failed
}

gpu() {
    find_nvcc
    find_gpu
    [ "$half" = measure ] || build_gpu
    [ "$half" = build ] || measure_gpu
}

# Compiles object files and fills Triton's cache, one job per processor.
build_parts() {
    dir=build/bench-$what.d
    rm -rf "$dir"
    mkdir -p "$dir"
    {
        if [ -n "$triton" ]; then # what is wrong shows when it is measured
            for k in 0 1 2 3 4 5 6 7 8; do # the large gathers in different ones
                echo "python3 bench/peers/triton_convert.py $what --warm $k 9" \
                    ">$dir/triton-$k.log 2>&1 || true"
            done
        fi
        for part in $parts; do
            source=${part%%:*} group=${part##*:}
            for bits in 32 16 8; do
                echo "'$nvcc' $flags -DLL_BENCH_WHAT=$group" \
                    "-DLL_BENCH_BITS=$bits -c bench/device/$source.cu" \
                    "-o $dir/$group-$bits.o >$dir/$group-$bits.log 2>&1" \
                    "|| { cat $dir/$group-$bits.log >&2; exit 255; }"
            done
        done
        echo "'$nvcc' $flags -c bench/device/convert.cu -o $dir/main.o"
    } | tr '\n' '\0' | xargs -0 -n 1 -P "$(nproc)" sh -c
    # shellcheck disable=SC2086 # a list of flags
    "$nvcc" "$dir"/*.o -o "build/bench-$what" $libs
}

# ncu counts wavefronts of shared memory: one block, ten trips.
profile_parts() {
    if ! command -v ncu >/dev/null 2>&1; then
        echo "run.sh: no ncu here, wavefronts are not counted" >&2
        return 0
    fi
    metric=l1tex__data_pipe_lsu_wavefronts_mem_shared
    if timeout 120 ncu --clock-control none --cache-control none \
        --print-units base --csv --page raw -k regex:_trip \
        --metrics $metric.sum,${metric}_op_ld.sum,${metric}_op_st.sum \
        "build/bench-$what" --profile "build/bench-$what.names" \
        >"build/bench-$what.csv" 2>build/bench-ncu.log; then
        python3 bench/report profile "$file" "build/bench-$what.names" \
            "build/bench-$what.csv"
    else
        tail -n 5 build/bench-ncu.log "build/bench-$what.csv" >&2
    fi
}

both_of_parts() {
    find_nvcc
    find_gpu
    flags="-std=c++17 -O3 -arch=$arch -I. -Ibench $includes $defines"
    [ "$half" = measure ] || build_parts
    [ "$half" = build ] || measure_parts
}

# Runs the program, and sets `file` to its result and `failed`.
measure_program() {
    file=$results/$what-$(query name | slug).json
    log=build/bench-$what.log
    rm -f "$file" # what is there afterwards is of this run
    failed=0
    "build/bench-$what" --benchmark_out="$file" \
        --benchmark_out_format=json >"$log" 2>&1 || failed=1
    grep -E 'wrong|error|ERROR' "$log" >&2 || true
    [ -s "$file" ] || { cat "$log" >&2; exit 1; }
    python3 bench/report tidy "$file"
}

measure_parts() {
    rows=build/bench-$what-triton.json
    rm -f "$rows"
    measure_program
    if [ -n "$triton" ]; then
        python3 bench/peers/triton_convert.py "$what" "$rows" \
            >build/bench-triton.log 2>&1 || tail -n 5 build/bench-triton.log >&2
        if [ -s "$rows" ]; then
            python3 bench/report merge "$file" "$rows"
        fi
    else
        echo "run.sh: no torch and triton for python3, no rows for them" >&2
    fi
    profile_parts
    python3 bench/report table "$file"
    return $failed
}

# No kernel needs more than 255 registers, so ptxas emits the same code with and
# without the option. Without it, nvcc's own passes (cicc) aim at few registers
# and recompute lane numbers and predicates in every trip. Triton has LLVM's
# passes instead.
all_registers=-maxrregcount=255

convert() {
    parts="convert_part:tiles convert_part:operands convert_cub:cub"
    defines=$all_registers
    both_of_parts
}

gather() {
    parts="gather:gathers_64 gather:gathers_32 gather:gathers"
    defines=-DLL_BENCH_GATHERS=1
    both_of_parts
}

# Triton has no counterpart of these pairs.
held_out() {
    parts="held_out:tiles held_out:operands held_out:cub"
    defines="-Ibuild $all_registers"
    ${CC:-cc} -std=c11 -O1 tests/held_out.c -o build/held_out
    build/held_out 1 60 pairs >build/held_out_pairs.h
    find_nvcc
    find_gpu
    triton=
    flags="-std=c++17 -O3 -arch=$arch -I. -Ibench $includes $defines"
    [ "$half" = measure ] || build_parts
    [ "$half" = build ] || measure_held_out
}

measure_held_out() {
    measure_program
    python3 bench/report held-out "$file"
    return $failed
}

costs() {
    find_nvcc
    find_gpu
    "$nvcc" -std=c++17 -O3 -arch="$arch" bench/device/costs.cu \
        -o build/bench-costs
    build/bench-costs >build/bench-costs.json
    python3 bench/report costs build/bench-costs.json \
        "$results/costs-$(query name | slug).json"
}

# LL_ARCH names the target if there is no GPU.
find_arch() {
    find_nvcc
    arch=${LL_ARCH:-}
    [ -n "$arch" ] || find_gpu
}

matmul() {
    find_arch
    [ "$half" = measure ] || build_matmul
    [ "$half" = build ] || python3 bench/peers/matmul.py build/bench-matmul \
        "$results/matmul-$(query name | slug).json"
}

scaled() {
    find_gpu
    if [ "$half" != measure ]; then
        find_nvcc
        "$nvcc" -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -I. \
            -shared -Xcompiler -fPIC -default-stream per-thread \
            bench/device/matmul_scaled.cu -o build/scaled.so
    fi
    [ "$half" = build ] || python3 bench/peers/scaled.py build/scaled.so \
        "$results/scaled-$(query name | slug).json"
}

attention() {
    find_gpu
    [ "$half" = measure ] || build_attention
    [ "$half" = build ] || python3 bench/peers/attention.py \
        build/attention-*.so build/shapes-*.so build/decode.so \
        build/decode-96.so \
        "$results/attention-$(query name | slug).json"
}

build_attention() {
    find_nvcc
    all="-std=c++17 -O3 -I. -shared -Xcompiler -fPIC"
    hopper="$all -gencode arch=compute_90a,code=sm_90a"
    jobs=
    for head in 64 96 128 256; do
        # shellcheck disable=SC2086 # a list of flags
        [ $head = 96 ] || "$nvcc" $hopper -DHEAD=$head \
            bench/device/attention.cu -o build/attention-$head.so &
        jobs="$jobs $!"
        # shellcheck disable=SC2086 # a list of flags
        "$nvcc" $hopper -DHEAD=$head -DFP8=1 bench/device/attention.cu \
            -o build/attention-fp8-$head.so &
        jobs="$jobs $!"
    done
    for shape in '96 -DHEAD=96' '128 -DHEAD=128' 'f16-128 -DHEAD=128 -DHALF=1'
    do
        # shellcheck disable=SC2086 # a list of flags
        "$nvcc" $hopper ${shape#* } bench/device/attention_shapes.cu \
            -o "build/shapes-${shape%% *}.so" &
        jobs="$jobs $!"
    done
    # shellcheck disable=SC2086 # a list of flags
    "$nvcc" $all -arch=sm_90 bench/device/attention_decode.cu \
        -o build/decode.so &
    jobs="$jobs $!"
    # shellcheck disable=SC2086 # a list of flags
    "$nvcc" $all -arch=sm_90 -DHEAD=96 bench/device/attention_decode.cu \
        -o build/decode-96.so
    for job in $jobs; do
        wait "$job"
    done
}

grouped() {
    find_gpu
    if [ "$half" != measure ]; then
        find_nvcc
        "$nvcc" -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -I. \
            -shared -Xcompiler -fPIC bench/device/matmul_grouped.cu \
            -o build/grouped.so
    fi
    [ "$half" = build ] || python3 bench/peers/grouped.py build/grouped.so \
        "$results/grouped-$(query name | slug).json"
}

more() {
    find_gpu
    libraries=
    jobs=
    for part in 0 1 2 3 4 5 6 7 8 9 10 11; do
        libraries="$libraries build/more-$part.so"
        if [ "$half" != measure ]; then
            find_nvcc
            "$nvcc" -std=c++17 -O3 -arch=sm_90 -I. -shared -Xcompiler -fPIC \
                -DLL_PART=$part bench/device/more.cu -o build/more-$part.so &
            jobs="$jobs $!"
        fi
    done
    for job in $jobs; do
        wait "$job"
    done
    jobs=
    if [ "$half" != build ]; then
        for k in 0 1 2 3 4 5 6 7; do
            # shellcheck disable=SC2086 # a list
            python3 bench/peers/more.py --warm $k 8 $libraries \
                >build/warm-$k.log 2>&1 &
            jobs="$jobs $!"
        done
    fi
    for job in $jobs; do
        wait "$job" || true # what is wrong shows when it is measured
    done
    # shellcheck disable=SC2086 # a list
    [ "$half" = build ] || python3 bench/peers/more.py \
        "$results/more-$(query name | slug).json" $libraries
}

build_benchmarks() {
    dir=build/bench-benchmarks
    mkdir -p $dir
    all="'$nvcc' -std=c++17 -O3 -I. -shared -Xcompiler -fPIC"
    hopper="$all -gencode arch=compute_90a,code=sm_90a"
    {
        for type in bf16 e4m3; do
            echo "$hopper -DOPERAND=$type bench/device/matmul_hopper.cu" \
                "-o $dir/hopper-$type.so"
        done
        for head in 64 128; do
            echo "$hopper -DHEAD=$head bench/device/attention.cu" \
                "-o $dir/attention-$head.so"
        done
        echo "$hopper examples/torch/lowbit.cu -o $dir/lowbit.so"
        echo "$hopper bench/device/matmul_grouped.cu -o $dir/grouped.so"
        echo "$all -arch=sm_90 -DLL_PART=8 bench/device/more.cu" \
            "-o $dir/more-8.so"
        echo "$all -arch=sm_90 bench/device/paper_rows.cu -o $dir/paper_rows.so"
        echo "$all -arch=sm_90 -DTYPE_A=bf16 -DTYPE_B=s16 -DCOLS_B=1" \
            "bench/device/matmul_sync.cu -o $dir/sync-bf16-s16.so"
        for k in 0 1 2 3 4 5 6 7; do
            echo "python3 bench/peers/benchmarks.py --warm $k 8" \
                ">$dir/warm-$k.log 2>&1 || true"
        done
    } | tr '\n' '\0' | xargs -0 -n 1 -P "$(nproc)" sh -c
}

benchmarks() {
    find_nvcc
    find_gpu
    [ "$half" = measure ] || build_benchmarks
    [ "$half" = build ] || python3 bench/peers/benchmarks.py \
        build/bench-benchmarks "$results/benchmarks-$(query name | slug).json"
}

# Compiles the peers while nvcc runs.
kernels() {
    find_gpu
    library=build/kernels.so
    jobs=
    if [ "$half" != build ]; then
        for k in 0 1 2 3 4 5 6 7; do
            python3 bench/peers/kernels.py --warm $k 8 >build/warm-$k.log 2>&1 &
            jobs="$jobs $!"
        done
    fi
    if [ "$half" != measure ]; then
        find_nvcc
        "$nvcc" -std=c++17 -O3 -arch=sm_90 -I. -shared -Xcompiler -fPIC \
            --split-compile=0 bench/device/kernels.cu -o "$library"
    fi
    for job in $jobs; do
        wait "$job" || true # what is wrong shows when it is measured
    done
    [ "$half" = build ] || python3 bench/peers/kernels.py "$library" \
        "$results/kernels-$(query name | slug).json"
}

# LL_GPUS is the number of GPUs if there are none.
count_gpus() {
    gpus=${LL_GPUS:-$(nvidia-smi -L 2>/dev/null | grep -c '^GPU' || true)}
    ranks=1 # log2
    [ "$gpus" -lt 4 ] || ranks=2
    [ "$gpus" -lt 8 ] || ranks=3
}

# Sets `file` to the record, which names the device and the number of GPUs.
file_of_gpus() {
    count_gpus
    LL_DEVICE=$(query name)
    LL_DRIVER=$(query driver_version)
    export LL_DEVICE LL_DRIVER
    file=$results/$what-$(echo "$LL_DEVICE" | slug)-x$((1 << ranks)).json
}

reshard() {
    if [ "$half" != measure ]; then
        find_arch
        count_gpus
        "$nvcc" -std=c++17 -O3 -arch="$arch" -DLOG_GPUS=$ranks -I. \
            bench/device/reshard.cu -o build/bench-reshard
    fi
    [ "$half" = build ] && return
    file_of_gpus
    python3 bench/peers/reshard.py build/bench-reshard "$file"
    python3 bench/report table "$file"
}

# Sets `library` to what compiles and links with NCCL: PyTorch's, from its
# Python package, which has no libnccl.so, or the one that nvcc finds.
find_nccl() {
    at=$(python3 -c 'import nvidia.nccl as n
print(list(n.__path__)[0])' 2>/dev/null || true)
    library=-lnccl
    [ -z "$at" ] || library="-I$at/include -Xlinker -rpath -Xlinker $at/lib
        -Xlinker --no-as-needed -Xlinker $at/lib/libnccl.so.2"
}

nccl() {
    if [ "$half" != measure ]; then
        find_arch
        count_gpus
        find_nccl
        # shellcheck disable=SC2086 # a list of flags
        "$nvcc" -std=c++17 -O3 -arch="$arch" -DLOG_GPUS=$ranks -I. \
            bench/device/reshard_nccl.cu $library -o build/bench-reshard-nccl
    fi
    [ "$half" = build ] && return
    file_of_gpus
    build/bench-reshard-nccl "$file" ${LL_CHOICES:+choices}
    python3 bench/report table "$file"
}

# Each device/fused_NAME.cu writes a row a line to the file that it is given;
# peers/fused_NAME.py adds PyTorch's times to them.
fused() {
    names=$(cd bench/device && echo fused_*.cu | sed 's/fused_//g; s/\.cu//g')
    [ "$half" = measure ] || build_fused
    [ "$half" = build ] || measure_fused
}

build_fused() {
    find_nvcc
    count_gpus
    find_nccl
    jobs=
    for name in $names; do
        # shellcheck disable=SC2086 # a list of flags
        "$nvcc" -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a \
            -DLOG_GPUS=$ranks -I. "bench/device/fused_$name.cu" $library \
            -lcublasLt -o "build/bench-fused-$name" &
        jobs="$jobs $!"
    done
    for job in $jobs; do
        wait "$job"
    done
}

measure_fused() {
    file_of_gpus
    failed=0
    rm -f build/bench-fused-*.rows
    for name in $names; do
        rows=build/bench-fused-$name.rows
        "build/bench-fused-$name" "$rows" || failed=1
        [ ! -e "bench/peers/fused_$name.py" ] ||
            python3 "bench/peers/fused_$name.py" "$rows" || failed=1
    done
    versions=$(python3 -c 'import torch
print(torch.__version__, ".".join(map(str, torch.cuda.nccl.version())))' ||
        echo missing missing)
    {
        printf '{"context": {"device": "%s", "gpus": %s, "driver": "%s", ' \
            "$LL_DEVICE" $((1 << ranks)) "$LL_DRIVER"
        printf '"torch": "%s", "nccl": "%s", ' "${versions% *}" "${versions#* }"
        printf '"command": "%s", "commit": "%s"},\n' "$LL_COMMAND" "$LL_COMMIT"
        printf ' "fused": [\n'
        cat build/bench-fused-*.rows | sed '$!s/$/,/; s/^/  /'
        printf ' ]}\n'
    } >"$file"
    python3 bench/report table "$file"
    return $failed
}

# Needs no GPU: the model has the topology of H200s.
model() {
    find_nvcc
    file=$results/modelled-nvidia-h200.json
    "$nvcc" -std=c++17 -O1 -arch=sm_90 -I. bench/device/reshard_model.cu \
        -o build/bench-reshard-model
    build/bench-reshard-model >"$file"
    python3 bench/report table "$file"
}

# Python loads what lies in build/torch.
redistribute() {
    if [ "$half" != measure ]; then
        find_nvcc
        NVCC=$(command -v "$nvcc") \
            python3 examples/torch/redistribute.py --build build/torch
    fi
    [ "$half" = build ] && return
    file_of_gpus
    python3 examples/torch/compare_redistribute.py "$file"
    python3 bench/report table "$file"
}

build_lowbit() {
    all="'$nvcc' -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -I."
    for type in bf16 f16 e4m3; do
        echo "$all -DOPERAND=$type -c bench/device/matmul_hopper.cu" \
            "-o build/hopper-$type.o && $all -DOPERAND=$type" \
            "bench/device/lowbit.cu build/hopper-$type.o" \
            "-o build/bench-lowbit-$type"
    done | tr '\n' '\0' | xargs -0 -n 1 -P "$(nproc)" sh -c
}

lowbit() {
    if [ "$half" != measure ]; then
        find_nvcc
        build_lowbit
    fi
    [ "$half" = build ] && return
    find_gpu
    file=$results/lowbit-$(query name | slug).json
    build/bench-lowbit-bf16 >"$file"
    for type in f16 e4m3; do
        build/bench-lowbit-$type >build/lowbit-$type.json
        python3 bench/report merge "$file" build/lowbit-$type.json
    done
    if python3 -c 'import torch, triton' 2>/dev/null; then
        python3 bench/peers/lowbit_peers.py "$file"
    fi
    python3 bench/report table "$file"
}

build_matmul() {
    dir=build/bench-matmul
    mkdir -p $dir
    all="'$nvcc' -std=c++17 -O3 -I. -shared -Xcompiler -fPIC"
    all="$all -default-stream per-thread"
    {
        for type in bf16 f16 e4m3; do
            echo "$all -gencode arch=compute_90a,code=sm_90a -DOPERAND=$type" \
                "bench/device/matmul_hopper.cu -o $dir/hopper-$type.so"
        done
        echo "$all -arch=$arch bench/device/matmul_sync.cu -o $dir/sync-f16.so"
    } | tr '\n' '\0' | xargs -0 -n 1 -P "$(nproc)" sh -c
}

# Every pair of ten types, or those of LL_PAIRS ("s8-f16 s8-bf16").
mixed() {
    find_arch
    [ "$half" = measure ] || build_mixed
    [ "$half" = build ] || measure_mixed
}

build_mixed() {
    dir=build/bench-mixed
    types="s8 s16 s32 s64 e4m3 e5m2 f16 bf16 f32 f64"
    pairs=${LL_PAIRS:-$(for a in $types; do
        for b in $types; do echo "$a-$b"; done
    done)}
    mkdir -p $dir
    rm -f $dir/*.o
    flags="-std=c++17 -O3 -arch=$arch -I. -Ibench"
    {
        echo "'$nvcc' $flags -c bench/device/mixed.cu -o $dir/main.o"
        for pair in $pairs; do
            echo "'$nvcc' $flags -DTYPE_A=${pair%-*} -DTYPE_B=${pair#*-}" \
                "-c bench/device/mixed_pair.cu -o $dir/$pair.o"
        done
    } | tr '\n' '\0' | xargs -0 -n 1 -P "${JOBS:-$(nproc)}" sh -c
    "$nvcc" -arch="$arch" $dir/*.o -o $dir/mixed
}

measure_mixed() {
    LL_DEVICE=$(query name)
    export LL_DEVICE
    build/bench-mixed/mixed "$results/mixed-$(query name | slug).json"
}

profile() {
    find_nvcc
    find_gpu
    mkdir -p build/bench-profile
    [ "$half" = measure ] ||
        NVCC=$(command -v "$nvcc") python3 bench/conflicts.py build \
            build/bench-profile
    [ "$half" = build ] && return
    LL_DEVICE=$(query name)
    export LL_DEVICE
    file=$results/profile-$(echo "$LL_DEVICE" | slug).json
    PATH=$PATH:$(dirname "$(command -v "$nvcc")")
    python3 bench/conflicts.py measure build/bench-profile "$file"
    python3 bench/report table "$file"
}

# No GPU is needed.
sass() {
    find_nvcc
    PATH=$PATH:$(dirname "$(command -v "$nvcc")")
    NVCC=$(command -v "$nvcc") python3 bench/sass.py "$results/matmul-sass.txt"
}

engine() {
    find_nvcc
    find_gpu
    [ "$half" = measure ] || NVCC=$(command -v "$nvcc") NVCC_ARCH=$arch \
        python3 bench/engine.py build build/engine
    [ "$half" = build ] || python3 bench/engine.py measure build/engine \
        "$results/engine-$(query name | slug).json"
}

# PyTorch calls nvcc and ninja.
torch() {
    find_nvcc
    find_gpu
    PATH=$PATH:$(dirname "$(command -v "$nvcc")")
    [ "$half" = measure ] || python3 examples/torch/compare.py --build
    [ "$half" = build ] && return
    file=$results/torch-$(query name | slug).txt
    {
        echo "device   $(query name), driver $LL_DRIVER"
        echo "compiler $("$nvcc" --version | grep release)"
        echo "commit   $LL_COMMIT"
        echo "command  $LL_COMMAND"
        python3 examples/torch/compare.py
    } >"$file"
}

compile() {
    find_nvcc
    LL_DEVICE=$(cpu)
    export LL_DEVICE
    NVCC=$(command -v "$nvcc") bench/compile.sh \
        "$results/compile-$(echo "$LL_DEVICE" | slug).json"
}

# Runs the script that measures the compiler on this processor.
of_compiler() {
    find_nvcc
    LL_DEVICE=$(cpu)
    export LL_DEVICE
    file=$results/$what-$(echo "$LL_DEVICE" | slug).json
    NVCC=$(command -v "$nvcc") python3 "bench/$what.py" "$file"
    python3 bench/report table "$file"
}

case $what in
host|gpu|convert|gather|costs|matmul|mixed|scaled|profile|sass|lowbit|\
attention|grouped|kernels|more|benchmarks|reshard|nccl|fused|model|\
redistribute|engine|torch|compile)
    $what ;;
examples|constants|conversions) of_compiler ;;
held-out) held_out ;;
*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
