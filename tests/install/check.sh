#!/bin/sh
# check.sh - installs into a scratch root and builds a consumer in C and C++.
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
echo "$passed passed, $failed failed"
[ $failed = 0 ]
