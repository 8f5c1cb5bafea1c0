#!/bin/sh
# check.sh - installs into a scratch root and builds a consumer in C and C++, by
# pkg-config and by CMake: from what make installs, from what CMake installs, from
# the sources, from the Debian package, and from the one-file forms of `make dist`;
# and one in Python. llshow is run where make and the package install it.
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
    for header in ll*.h tools/views/ll*.h; do
        cmp "$header" "$root/usr/include/$(basename "$header")" || return 1
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
    if ! cmake -S "$here/tests/install/cmake" -B "$folder" \
        -Dll_FIND="$minor" "$@" >"$root/log" 2>&1 ||
        ! cmake --build "$folder" >>"$root/log" 2>&1; then
        cat "$root/log"
        return 1
    fi
    "$folder/in_c" && "$folder/in_cxx"
}

cmake_installed() {
    cmake -S "$here/examples/packaging/cmake" -B "$root/build" \
        -DCMAKE_INSTALL_PREFIX="$root/opt" >"$root/log" 2>&1 &&
        cmake --install "$root/build" >>"$root/log" 2>&1
}

one_file() { # name source: the consumer, with this file alone
    mkdir -p "$root/alone" && cp "$here/build/dist/$1" "$root/alone" &&
        sed "/<ll.h>/d; s/<ll_ptx.h>/\"$1\"/" "$2" >"$root/alone/x.c" &&
        "${CC:-gcc}" -std=c11 -Wall -Werror -DCONSUMER_OF_ONE_FILE \
            "$root/alone/x.c" -o "$root/alone/x" && "$root/alone/x" && rm -r "$root/alone"
}

# mma.sync leaves row 15 in lanes 28 to 31 (PTX manual): llshow draws it so.
shows() { # prefix: llshow, its page and its completion are there
    [ "$("$1/bin/llshow" --version)" = "llshow $(pkg-config --modversion ll)" ] &&
        "$1/bin/llshow" 'mma_c(16, 8, 1)' --view tensor | grep -q \
            '^i15  *0:28:2  *0:28:3  *0:29:2 .* 0:31:3$' &&
        gzip -cdf "$1"/share/man/man1/llshow.1* | grep -q '^\.TH LLSHOW 1' &&
        bash -c '. "$1" && complete -p llshow' - \
            "$1/share/bash-completion/completions/llshow" >/dev/null
}

debian() { # the files of the package, unpacked
    arch=$(dpkg --print-architecture)
    dpkg-deb -x "$here"/build/linear-layouts-dev_*_"$arch".deb "$root/deb" &&
        cmp "$here/ll.h" "$root/deb/usr/include/ll.h" &&
        PKG_CONFIG_LIBDIR=$root/deb/usr/share/pkgconfig \
            PKG_CONFIG_SYSROOT_DIR=$root/deb built "${CC:-gcc}" c &&
        cmake_built packaged -DCMAKE_PREFIX_PATH="$root/deb/usr"
}

# The first Python that can build a package without a network.
with_pip() {
    for p in python3 /usr/bin/python3; do
        if "$p" -c "import setuptools, wheel, pip" >/dev/null 2>&1; then
            echo "$p" && return
        fi
    done
    return 1
}

# From a copy: pip leaves files beside what it builds.
python_package() {
    mkdir -p "$root/tree/examples/packaging" "$root/tree/tools/llshow" &&
        cp -r "$here/tools/views" "$root/tree/tools" &&
        cp "$here"/ll*.h "$here/LICENSE" "$here/pyproject.toml" \
            "$root/tree" &&
        cp "$here"/tools/llshow/*.h "$root/tree/tools/llshow" &&
        cp -r "$here/examples/packaging/python" \
            "$root/tree/examples/packaging" || return 1
    CFLAGS=-O0 "$python" -m pip install -q --no-build-isolation --no-index --no-deps \
        --disable-pip-version-check --root-user-action=ignore \
        --target "$root/python" "$root/tree" >"$root/log" 2>&1 ||
        { cat "$root/log"; return 1; }
    (cd / && PYTHONPATH=$root/python "$python" \
        "$here/tests/install/consumer.py" "$(pkg-config --modversion ll)")
}

# A source package, made in the root, is installed where there is no tree.
python_source() {
    mkdir -p "$root/sdist"
    if ! (cd "$root/tree" && PYTHONPATH=examples/packaging/python "$python" -c \
        "import from_root; from_root.build_sdist('$root/sdist')") \
        >"$root/log" 2>&1 ||
        ! CFLAGS=-O0 "$python" -m pip install -q --no-build-isolation \
            --no-index --no-deps --disable-pip-version-check \
            --root-user-action=ignore --target "$root/python_source" \
            "$root"/sdist/*.tar.gz >>"$root/log" 2>&1; then
        cat "$root/log"
        return 1
    fi
    (cd / && PYTHONPATH=$root/python_source "$python" \
        "$here/tests/install/consumer.py" "$(pkg-config --modversion ll)")
}

refuses() { # version: the package has another
    ! cmake_built "refused$1" -DCMAKE_PREFIX_PATH="$root/usr" -Dll_FIND="$1" \
        >/dev/null
}

here=$PWD
minor=$(sed -n 's/^#define LL_VERSION_M[A-Z]* //p' ll.h | paste -sd.)
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
try "llshow is installed" shows "$root/usr"
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
try "make dist" "${MAKE:-make}" -s -C "$here" dist
try "a consumer of one file" one_file ll_ptx_one.h "$consumer"
if command -v dpkg-deb >/dev/null; then
    try "make deb" "${MAKE:-make}" -s -C "$here" deb
    try "consumers of the Debian package" debian
    try "llshow of the Debian package" shows "$root/deb/usr"
else
    echo "skipped: there is no dpkg-deb"
fi
if python=$(with_pip); then
    try "a consumer in Python" python_package
    try "a consumer of the source package" python_source
else
    echo "skipped: there is no pip, setuptools or wheel"
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
