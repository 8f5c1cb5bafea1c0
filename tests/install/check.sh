#!/bin/sh
# check.sh - installs into a scratch root and builds a consumer in C and C++, by
# pkg-config and by CMake: from what make installs, from what CMake installs, and
# from the sources.
set -u
cd "$(dirname "$0")/../.." || exit 1
root=$PWD/build/root
consumer=tests/install/consumer.c
passed=0 failed=0

try() { # what command...
    what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        echo "FAIL $what"
        failed=$((failed + 1))
    fi
}

same_headers() {
    for header in ll*.h; do
        cmp "$header" "$root/usr/include/$header" || return 1
    done
}

says_version() {
    pkg-config --modversion ll | tr . '\n' |
        while read -r number; do
            grep -q "^#define LL_VERSION_[A-Z]* $number\$" ll.h || exit 1
        done
}

built() { # compiler language: a consumer, in a folder where no header lies
    # shellcheck disable=SC2046 # flags are several words
    $1 -x "$2" - -o "$root/consumer" $(pkg-config --cflags ll) <"$consumer" &&
        "$root/consumer"
}

cmake_built() { # folder option...: the consumer finds the package, and runs
    folder=$root/$1
    shift
    if ! cmake -S "$here/tests/install/cmake" -B "$folder" "$@" \
        >"$root/log" 2>&1 || ! cmake --build "$folder" >>"$root/log" 2>&1; then
        cat "$root/log"
        return 1
    fi
    "$folder/in_c" && "$folder/in_cxx"
}

cmake_installed() {
    cmake -S "$here/examples/cmake" -B "$root/build" -DCMAKE_INSTALL_PREFIX="$root/opt" \
        >"$root/log" 2>&1 && cmake --install "$root/build" >>"$root/log" 2>&1
}

refuses() { # version: the package has another
    ! cmake_built "refused$1" -DCMAKE_PREFIX_PATH="$root/usr" -Dll_FIND="$1" \
        >/dev/null
}

here=$PWD
if ! command -v pkg-config >/dev/null; then
    echo "skipped: there is no pkg-config"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
rm -rf "$root"
try "make install" "${MAKE:-make}" -s install DESTDIR="$root" PREFIX=/usr
# The system's own paths would be dropped from the flags: keep them.
export PKG_CONFIG_LIBDIR="$root/usr/share/pkgconfig"
export PKG_CONFIG_SYSROOT_DIR="$root" PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1
try "the headers are as they are here" same_headers
try "pkg-config tells the version of ll.h" says_version
cd "$root" || exit 1
consumer=$OLDPWD/$consumer
try "a consumer in C" built "${CC:-gcc}" c
try "a consumer in C++" built "${CXX:-g++}" c++
if command -v cmake >/dev/null; then
    try "a consumer by find_package" cmake_built found \
        -DCMAKE_PREFIX_PATH="$root/usr"
    try "another version is refused" refuses 0.1
    try "cmake --install" cmake_installed
    try "a consumer of that" cmake_built found_too \
        -DCMAKE_PREFIX_PATH="$root/opt"
    try "a consumer by FetchContent" cmake_built fetched -DLL_FETCH="$here"
else
    echo "skipped: there is no cmake"
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
