#!/usr/bin/env python3
"""recipes.py - the recipes of Conan and vcpkg.

Their versions are that of ll.h, and they package every header. The consumer of
tests/install is built from what each installs. Without Conan its recipe's
functions run on stand-ins; without vcpkg its port runs on stand-ins of vcpkg's
own functions, if there is CMake.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import types

import source

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "recipes"
CONAN = "examples/packaging/conan/conanfile.py"
PORT = "examples/packaging/vcpkg/linear-layouts"
NAME = "linear-layouts"

# What vcpkg's functions do for headers without a build.
VCPKG = """
set(CURRENT_PORT_DIR "{port}")
set(CURRENT_PACKAGES_DIR "{to}")
function(run)
    execute_process(COMMAND ${{ARGV}} RESULT_VARIABLE bad OUTPUT_QUIET)
    if(bad)
        message(FATAL_ERROR "failed: ${{ARGV}}")
    endif()
endfunction()
function(vcpkg_cmake_configure)
    cmake_parse_arguments(x "" "SOURCE_PATH" "" ${{ARGN}})
    run(${{CMAKE_COMMAND}} -S ${{x_SOURCE_PATH}} -B {to}/build
        -DCMAKE_INSTALL_PREFIX={to})
endfunction()
function(vcpkg_cmake_install)
    run(${{CMAKE_COMMAND}} --install {to}/build)
endfunction()
function(vcpkg_cmake_config_fixup)
    cmake_parse_arguments(x "" "PACKAGE_NAME;CONFIG_PATH" "" ${{ARGN}})
    file(RENAME {to}/${{x_CONFIG_PATH}} {to}/share/${{x_PACKAGE_NAME}})
endfunction()
function(vcpkg_install_copyright)
    cmake_parse_arguments(x "" "" "FILE_LIST" ${{ARGN}})
    file(COPY ${{x_FILE_LIST}} DESTINATION {to}/share/{name})
    file(RENAME {to}/share/{name}/LICENSE {to}/share/{name}/copyright)
endfunction()
include("{port}/portfile.cmake")
"""


class Failed(Exception):
    """What is wrong, in words."""


def run(*command, **more):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False,
                          **more)
    if done.returncode:
        raise Failed(f"{' '.join(map(str, command))}\n{done.stdout[-2000:]}")
    return done.stdout


def version(root):
    return ".".join(re.findall(
        r"^#define LL_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$",
        (root / "ll.h").read_text(), re.M))


def recipe(path):
    """The class of a Conan recipe, with stand-ins for what it imports."""
    def load(_recipe, name):
        return pathlib.Path(name).read_text()

    def copy(_recipe, name, src, dst):
        to = os.path.join(dst, name)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.copy(os.path.join(src, name), to)

    names = ("conan", "conan.tools", "conan.tools.files")
    kept = {name: sys.modules.get(name) for name in names}
    sys.modules.update({name: types.ModuleType(name) for name in names})
    sys.modules["conan"].ConanFile = object
    sys.modules["conan.tools.files"].load = load
    sys.modules["conan.tools.files"].copy = copy
    space = {}
    try:
        exec(compile(path.read_text(), str(path), "exec"), space)
    finally:
        for name, module in kept.items():
            if module:
                sys.modules[name] = module
            else:
                del sys.modules[name]
    return next(c for c in space.values()
                if isinstance(c, type) and hasattr(c, "package_info"))


def same(folder, root):
    """Are all headers there, and as they are here?"""
    for header in source.headers(root):
        there = folder / header.name
        if not there.exists() or there.read_bytes() != header.read_bytes():
            raise Failed(f"{header.name} is not packaged as it is here")


def conan_recipe(root, build):
    """The recipe by its own functions: version, sources, package."""
    made = recipe(root / CONAN)()
    made.recipe_folder = str(root / "examples/packaging/conan")
    made.set_version()
    if made.version != version(root):
        raise Failed(f"the recipe has version {made.version}, ll.h "
                     f"{version(root)}")
    made.export_sources_folder = made.source_folder = str(build / "sources")
    made.package_folder = str(build / "package")
    made.export_sources()
    made.package()
    same(build / "package" / "include", root)
    if not (build / "package" / "licenses" / "LICENSE").exists():
        raise Failed("the licence is not packaged")


def consumed(root, build, *options):
    """The consumer of tests/install, built by CMake and run."""
    run("cmake", "-S", root / "tests/install/cmake", "-B", build, *options)
    run("cmake", "--build", build)
    run(build / "in_c")
    run(build / "in_cxx")


def conan_consumer(root, build):
    env = dict(os.environ, CONAN_HOME=str(build / "home"))
    run("conan", "profile", "detect", env=env)
    run("conan", "create", root / "examples/packaging/conan", env=env)
    run("conan", "install", f"--requires={NAME}/{version(root)}", "-g",
        "CMakeDeps", "-of", build / "deps", env=env)
    consumed(root, build / "consumer", f"-DCMAKE_PREFIX_PATH={build / 'deps'}",
             "-DCMAKE_BUILD_TYPE=Release")


def vcpkg_port(root, _build):
    manifest = json.loads((root / PORT / "vcpkg.json").read_text())
    if manifest["version"] != version(root):
        raise Failed(f"the port has version {manifest['version']}, ll.h "
                     f"{version(root)}")
    if manifest["name"] != NAME or pathlib.Path(PORT).name != NAME:
        raise Failed(f"the port is not named {NAME}")


def vcpkg_installed(root, build):
    """The port on stand-ins, and a consumer of what it installs."""
    build.mkdir(parents=True)
    script = build / "run.cmake"
    script.write_text(VCPKG.format(port=root / PORT, to=build / "to",
                                   name=NAME))
    run("cmake", "-P", script)
    same(build / "to" / "include", root)
    if not (build / "to" / "share" / NAME / "copyright").exists():
        raise Failed("the licence is not installed")


def vcpkg_consumer(root, build):
    build.mkdir(parents=True)
    run("vcpkg", "install", NAME, "--classic",
        f"--overlay-ports={root / 'examples/packaging/vcpkg'}",
        f"--x-install-root={build / 'installed'}")
    prefix = next(p for p in (build / "installed").iterdir()
                  if (p / "include" / "ll.h").exists())
    consumed(root, build / "consumer", f"-DCMAKE_PREFIX_PATH={prefix}")


# What is tried, by which function, with which tools.
TRIED = [("the recipe of Conan", conan_recipe, ()),
         ("a consumer of Conan's package", conan_consumer, ("conan", "cmake")),
         ("the port of vcpkg", vcpkg_port, ()),
         ("what the port installs", vcpkg_installed, ("cmake",)),
         ("a consumer of vcpkg's package", vcpkg_consumer, ("vcpkg", "cmake"))]


def main(root=ROOT, build=BUILD):
    shutil.rmtree(build, ignore_errors=True)
    passed = failed = skipped = 0
    for what, function, tools in TRIED:
        lacks = [t for t in tools if not shutil.which(t)]
        if lacks:
            print(f"skipped: {what}: there is no {' and no '.join(lacks)}")
            skipped += 1
            continue
        try:
            function(root, build / function.__name__)
            passed += 1
        except (Failed, OSError, StopIteration) as why:
            print(f"FAIL {what}: {why or 'nothing was installed'}")
            failed += 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
