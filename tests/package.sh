#!/bin/sh
# package.sh install|deb - what `make install` and `make deb` do.
#
# install  copies the headers, llshow with its man page and completion, and the
#          files for pkg-config and CMake, to DESTDIR/PREFIX
# deb      builds build/linear-layouts-dev_VERSION_ARCH.deb and prints its name.
#          llshow makes the package depend on this architecture and on this or a
#          later C library.
#
# make sets VERSION and PREFIX, and has built build/llshow.
set -eu
cd "$(dirname "$0")/.."
: "${PREFIX:=/usr/local}" "${DESTDIR:=}" "${VERSION:?}"

pkg_config() {
    cat <<END
prefix=$PREFIX
includedir=\${prefix}/include

Name: ll
Description: linear layouts for GPU kernels
Version: $VERSION
Cflags: -I\${includedir}
END
}

# The package of examples/packaging/cmake, for machines without CMake.
cmake_config() {
    cat <<'END'
if(NOT TARGET ll::ll)
    add_library(ll::ll INTERFACE IMPORTED)
    get_filename_component(_ll "${CMAKE_CURRENT_LIST_DIR}" REALPATH)
    get_filename_component(_ll "${_ll}/../../../include" ABSOLUTE)
    set_target_properties(ll::ll PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${_ll}")
endif()
END
}

cmake_version() {
    cat <<END
set(PACKAGE_VERSION "$VERSION")
if("\${PACKAGE_FIND_VERSION_MAJOR}.\${PACKAGE_FIND_VERSION_MINOR}"
        STREQUAL "${VERSION%.*}" AND
        PACKAGE_FIND_VERSION VERSION_LESS_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
if(PACKAGE_FIND_VERSION STREQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
endif()
END
}

control() { # libc
    cat <<END
Package: linear-layouts-dev
Version: $VERSION
Architecture: $(dpkg --print-architecture)
Depends: libc6 (>= $1)
Section: libdevel
Priority: optional
Maintainer: the authors of ll <ll@localhost>
Description: linear layouts over F2 for GPU kernels
 Headers for CUDA and HIP kernels: say which lane and register holds
 which element, and get vector accesses, swizzles and shuffles for it.
 llshow draws layouts and counts bank conflicts.
END
}

copy() {
    to=$DESTDIR$PREFIX
    share=$to/share
    completions=$share/bash-completion/completions
    install -d "$to/include" "$to/bin" "$share/pkgconfig" "$share/cmake/ll" \
        "$share/man/man1" "$completions"
    install -m 644 ll.h ll_ptx.h ll_amd.h tools/reshard/ll_reshard.h \
        tools/views/ll_views.h "$to/include"
    pkg_config >"$share/pkgconfig/ll.pc"
    cmake_config >"$share/cmake/ll/ll-config.cmake"
    cmake_version >"$share/cmake/ll/ll-config-version.cmake"
    chmod 644 "$share/pkgconfig/ll.pc" "$share"/cmake/ll/*
    install build/llshow "$to/bin"
    install -m 644 tools/llshow/llshow.1 "$share/man/man1"
    install -m 644 tools/llshow/llshow.bash "$completions/llshow"
}

deb() {
    rm -rf build/deb build/linear-layouts-dev_*.deb
    DESTDIR=build/deb
    PREFIX=/usr
    copy
    strip build/deb/usr/bin/llshow
    gzip -9n build/deb/usr/share/man/man1/llshow.1
    install -d build/deb/DEBIAN build/deb/usr/share/doc/linear-layouts-dev
    install -m 644 LICENSE build/deb/usr/share/doc/linear-layouts-dev/copyright
    control "$(objdump -T build/llshow |
        sed -n 's/.*GLIBC_\([0-9.]*\).*/\1/p' | sort -V | tail -n 1)" \
        >build/deb/DEBIAN/control
    dpkg-deb --root-owner-group -b build/deb build >/dev/null
    ls build/linear-layouts-dev_*.deb
}

case ${1:-} in
install) copy; echo "installed in $DESTDIR$PREFIX" ;;
deb) deb ;;
*) echo "usage: package.sh install|deb, not '${1:-}'" >&2; exit 2 ;;
esac
