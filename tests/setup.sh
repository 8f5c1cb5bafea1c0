#!/bin/sh
# setup.sh GROUP...: install what the Makefile needs, on Debian or Ubuntu.
#
#   build  a C and a C++ compiler: $CC and $CXX, or gcc and g++
#   check  what the tests need    lint   formatters and checkers
#   bench  Google Benchmark       viewer clang, with a linker for WebAssembly
#   cuda   nvcc and NVRTC in build/cuda, unless the machine has nvcc
#   amd    a clang for AMD GPUs, including gfx950 and gfx1201; no ROCm
#   browse a headless browser, for the tests of the viewer
#   arm    a 64-bit ARM host: compiler and qemu
#   hosts  a big-endian and a 32-bit host: compilers and qemu
#   hip    hipcc and hipRTC of Debian, for gfx90a (66 MB)
#
# It looks for the programs and headers themselves. So it is quick if nothing is
# missing, works on any system that has them, and keeps no record. The group
# build is always included. It says what it installs before it does.
# Exit 0: nothing is missing. Exit 3: something is, and a message says what.
# shellcheck disable=SC2086,SC2046,SC2116  # lists of words are split on purpose
set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
log=build/setup.log

# The packages of the compilers that CC and CXX name: clang++-19 is in clang-19.
CC=${CC:-gcc} CXX=${CXX:-g++}
CC=${CC%% *} CXX=${CXX%% *}
c=${CC##*/}
cxx=$(echo "${CXX##*/}" | sed 's/^clang++/clang/')

# One line per package: group, package, how to find out whether it is there.
packages="
build $c               command $CC
build $cxx             command $CXX
build binutils         command addr2line
check gcc              command gcc
check g++              command g++
check clang            command clang
check libm4ri-dev      header  m4ri/m4ri.h
check libjansson-dev   header  jansson.h
check pkg-config       command pkg-config
check python3          command python3
check cmake            command cmake
check python3-pip      any     pip
check python3-setuptools any   setuptools
check python3-wheel    any     wheel
check libclang-rt-dev  fuzzer  clang
check llvm-tools       tool    FileCheck
bench libbenchmark-dev header  benchmark/benchmark.h
viewer clang           command clang
viewer lld             command wasm-ld
browse chromium-headless-shell command chromium-headless-shell
cuda  python3-venv     module  ensurepip
amd   clang-22         command clang-22
amd   lld-22           command ld.lld-22
amd   llvm-22          command llvm-readelf-22
hip   hipcc            command hipcc
hip   libamdhip64-dev  file    /usr/include/hip/hiprtc.h
arm   qemu-user              command qemu-aarch64
arm   gcc-aarch64-linux-gnu  command aarch64-linux-gnu-gcc
arm   libc6-dev-arm64-cross  file    /usr/aarch64-linux-gnu/include/stdio.h
hosts qemu-user             command qemu-s390x
hosts gcc-s390x-linux-gnu   command s390x-linux-gnu-gcc
hosts libc6-dev-s390x-cross file    /usr/s390x-linux-gnu/include/stdio.h
hosts gcc-arm-linux-gnueabihf command arm-linux-gnueabihf-gcc
hosts libc6-dev-armhf-cross file    /usr/arm-linux-gnueabihf/include/stdio.h
lint  clang-format     command clang-format
lint  clang-tidy       command clang-tidy
lint  cppcheck         command cppcheck
lint  shellcheck       command shellcheck
"

# CUDA from the Python package index. 13.0 is for the drivers from 580 on; its
# disassemblers exist there since 13.2. It takes no gcc after 15, and its headers
# contradict glibc from 2.42 on, which declares rsqrt: 13.5 does not.
cuda_130='
nvidia-cuda-nvcc==13.0.88  nvidia-cuda-crt==13.0.88      nvidia-nvvm==13.0.88
nvidia-cuda-nvrtc==13.0.88 nvidia-cuda-runtime==13.0.96
nvidia-cuda-cccl==13.0.85  nvidia-cuda-cuobjdump==13.2.51
nvidia-cuda-nvdisasm==13.2.51
'
cuda_135='
nvidia-cuda-nvcc==13.5.37  nvidia-cuda-crt==13.5.37      nvidia-nvvm==13.5.37
nvidia-cuda-nvrtc==13.5.37 nvidia-cuda-runtime==13.5.37
nvidia-cuda-cccl==13.3.5.0.6 nvidia-cuda-cuobjdump==13.5.37
nvidia-cuda-nvdisasm==13.5.37
'

say() { echo "setup: $*" >&2; }

# Runs a command with its output in the log, and prints the last line of the log
# every five seconds.
patiently() {
    "$@" >>$log 2>&1 &
    job=$! waited=0
    while sleep 1 && kill -0 $job 2>/dev/null; do
        waited=$((waited + 1))
        [ $((waited % 5)) != 0 ] ||
            say "$waited s: $(tail -n 1 $log | tr -d '\r' | cut -c 1-60)"
    done
    wait $job
}
lacking() { say "$*"; exit 3; }

is_there() { # kind name
    case $1 in
    command) command -v "$2" ;;
    tool) command -v "$2" || ls /usr/bin/"$2"-[0-9]* ;; # FileCheck-14
    header) echo "#include <$2>" | g++ -E -x c++ - ;;
    file) [ -e "$2" ] ;;
    fuzzer)
        echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' |
            clang -fsanitize=fuzzer,address -x c - -o /dev/null ;;
    module) python3 -c "import $2" ;;
    any) python3 -c "import $2" || /usr/bin/python3 -c "import $2" ;;
    esac >/dev/null 2>&1
}

missing() { # groups: the packages to install
    echo "$packages" | while read -r group package kind name; do
        case " $* " in *" ${group:-none} "*) ;; *) continue ;; esac
        is_there "$kind" "$name" || echo "$package"
    done | awk '!named[$0]++'
}

# Two packages have the LLVM version of the package clang in their names.
numbered() {
    llvm=$(apt-cache depends clang 2>&1 | sed -n 's/.*Depends: clang-//p')
    sed "s/libclang-rt-dev/libclang-rt-${llvm:-14}-dev/
         s/llvm-tools/llvm-${llvm:-14}-tools/" | tr '\n' ' '
}

# Updates the package lists, at most once an hour.
update() {
    [ -z "$(find build/updated -mmin -60 2>/dev/null)" ] || return 0
    ! patiently $sudo apt-get update -q || touch build/updated
}

# Says how much apt-get would fetch and install, in the words of old and new
# versions.
amount() { # packages
    $sudo apt-get install --assume-no --no-install-recommends "$@" 2>/dev/null |
        sed -n -E '
            s/^(Need to get|  Download size:) ([0-9.,]+ .?B).*/\2 to fetch/p
            s/^(After this operation,|  Space needed:) ([0-9.,]+ .?B).*/, \2 on disk/p
        ' | tr -d '\n'
}

install() { # groups
    want=$(missing "$@")
    [ -n "$want" ] || return 0
    command -v apt-get >/dev/null ||
        lacking "there is no apt-get here; please install:" $want
    sudo=
    if [ "$(id -u)" != 0 ]; then
        sudo='sudo -n'
        $sudo true 2>/dev/null || lacking "no permission to install packages;" \
            "run as root: apt-get update && apt-get install" \
            "--no-install-recommends $(echo "$want" | numbered)"
    fi
    say "to install with apt-get:" $want "(details: $log)"
    update
    names=$(echo "$want" | numbered)
    say "installing $names($(amount $names))"
    patiently $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y \
        -o DPkg::Lock::Timeout=300 -o APT::Keep-Downloaded-Packages=false \
        --no-install-recommends $names
    want=$(missing "$@")
    [ -z "$want" ] || lacking "apt-get did not install $(echo "$want" |
        numbered)(is there a network? see $log); please install it"
}

# Is the C library or the compiler newer than CUDA 13.0 can read?
is_new() {
    printf '#include <stdlib.h>\n%s\n' \
        "#if __GNUC__ > 15 || __GLIBC__ > 2 || __GLIBC_MINOR__ > 41
         #error new
         #endif" | g++ -E -x c++ - -o /dev/null 2>&1 | grep -q 'error new'
}

install_cuda() {
    { command -v nvcc || [ -x /usr/local/cuda/bin/nvcc ]; } >/dev/null && return
    cuda=$cuda_130 size='390 MB'
    ! is_new || { cuda=$cuda_135 size='490 MB'; }
    [ "$(cat build/cuda/parts 2>/dev/null)" = "$(echo $cuda)" ] && return
    install cuda
    say "fetching CUDA into build/cuda (200 MB, $size unpacked, no driver)"
    rm -rf build/cuda build/cuda.new
    tree=build/cuda.new/pip/nvidia/cu13
    if ! patiently python3 -m venv build/cuda.new/venv ||
        ! patiently build/cuda.new/venv/bin/pip install --no-deps \
            --no-cache-dir --progress-bar off --target build/cuda.new/pip \
            $cuda; then
        rm -rf build/cuda.new
        lacking "pip could not fetch CUDA (see $log); please install nvcc"
    fi
    # the names that the linker and nvcc look for
    ln -s libnvrtc.so.13 $tree/lib/libnvrtc.so
    ln -s libcudart.so.13 $tree/lib/libcudart.so
    ln -s lib $tree/lib64
    rm -f $tree/lib/*.alt.* # a second NVRTC of 110 MB
    echo $cuda >$tree/parts
    mv $tree build/cuda && rm -rf build/cuda.new
}

mkdir -p build
command -v flock >/dev/null && exec 9>build/setup.lock && flock 9
groups=" build $* "
install $(echo "$groups" | sed 's/ cuda / /g')
case $groups in *' cuda '*) install_cuda ;; esac
