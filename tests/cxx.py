#!/usr/bin/env python3
"""cxx.py - the headers and the same tests in each dialect of C and C++.

    cxx.py [all]     all: each compiler in each dialect; clang's and g++'s run

Every tests/test_*.c that needs no library is compiled by gcc and clang as C11,
C17, C2x and as C++14, 17, 20, by each in some of them without `all`. The
warnings of the Makefile are errors. clang++'s program runs, with `all` also
g++'s and clang's in C; clang's run under AddressSanitizer and UBSan, in C++ only
without `all`. The tests in C++ are one program, each in a namespace, since most
of the time goes into the functions of the headers, which are optimised; the
tests are not.
Each header is included alone and twice without any standard header, then in two
files of one program. clang reads them for Windows, there also in MSVC's dialect,
for 32 bits and for big-endian machines, and translates constants in C++ there.
It reads kernels of tests/codegen as CUDA. An object that keeps every function
refers to nothing but memcpy and memset and has no data that could be written. A
compiler that is not there is skipped.
"""
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import source

ROOT = pathlib.Path(__file__).resolve().parent.parent
WARN = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion",
        "-Wshadow", "-Wundef", "-Werror"]
# Each compiler runs its programs at one optimisation: clang at none, g++ at
# most and, with `all`, clang++ at all of it. `make check-host` runs -O0, and -O1
# what runs long. At -O3 g++ takes two minutes, twice as long as at -O2, and so
# does clang++ if it inlines functions that do not ask for it.
OPTIMISED = {"clang": ["-O0"], "clang++": ["-O3", "-fno-inline-functions"],
             "g++": ["-O2"]}
# Half of the time of g++ and clang++ goes into the tests themselves, while the
# headers are what is tested. Those that count for seconds keep their -O2.
UNOPTIMISED = {"g++": ["-DTESTS_AT_O0"], "clang++": ["-DTESTS_AT_O0"]}
TEST_BEGINS = """#if defined TESTS_AT_O0 && defined __clang__
#pragma clang optimize off
#elif defined TESTS_AT_O0
#pragma GCC push_options
#pragma GCC optimize("O0")
#endif
"""
TEST_ENDS = """
#if defined TESTS_AT_O0 && defined __clang__
#pragma clang optimize on
#elif defined TESTS_AT_O0
#pragma GCC pop_options
#endif"""
# Under sanitizers these count accesses one by one, or try all small layouts,
# for half a minute at -O0. What they call of the headers other tests run at
# -O0.
COUNTING = {"test_swizzle": ["-O1"], "test_algebra_pairs": ["-O1"]}
SANITIZED = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
# clang++ computes the long constants of the tests with `all`, in the dialect that
# it runs; g++, which takes a tenth of the time, always and in each.
BRIEF = {"clang++": ["-DTEST_BRIEF"]}
# compiler, language, dialects, and the dialect that is also run
ALL = sys.argv[1:] == ["all"]
C, CXX = ["c11", "c17", "c2x"], ["c++14", "c++17", "c++20"]
COMPILERS = [("gcc", "c", C, None), # check-host runs C11
             ("clang", "c", C, "c11"),
             ("g++", "c++", CXX, "c++14"),
             ("clang++", "c++", CXX, "c++20")]
if not ALL:
    COMPILERS = [("gcc", "c", ["c2x"], None),
                 ("clang", "c", ["c11"], None),
                 ("g++", "c++", ["c++14"], None),
                 ("clang++", "c++", ["c++20"], "c++20")]
    OPTIMISED["clang++"] = ["-O1"]
# The compiler whose program runs under sanitizers.
RUNS_CAREFULLY = "clang" if ALL else "clang++"
# Machines whose headers and libraries are not here: clang reads for them.
FOREIGN = {"x86_64-pc-windows-msvc": ["-fms-compatibility", "-fms-extensions"],
           "i686-linux-gnu": [], "powerpc64-linux-gnu": [],
           "arm64-apple-macos": ["-Wno-stdlibcxx-not-found"]}
# clang reads kernels as a compiler of CUDA without the toolkit, which no version
# before 16 reads: what they need of it. LL_ASSIGN needs a newer clang than 14.
TOOLKIT = """#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __align__(n) __attribute__((aligned(n)))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#include <__clang_cuda_builtin_vars.h>
__device__ unsigned __cvta_generic_to_shared(const void *);
__device__ unsigned long __cvta_generic_to_global(const void *);
"""
AS_CUDA = ["-x", "cuda", "--cuda-gpu-arch=sm_80", "-nocudainc", "-nocudalib",
           "--cuda-device-only", "-Wno-unknown-cuda-version", "-std=c++17"]
KERNELS = [ROOT / f"tests/codegen/{name}.cu" for name in
           ["convert", "copy", "gather", "index", "load_store", "reduce",
            "registers", "scopes", "transpose", "wide"]]
NEW_CLANG = "clang++-22" # of the group `amd`, beside the system's
MSVC = {"c": ["c11", "c17"], "c++": ["c++14", "c++17", "c++20"]}
# What clang knows and MSVC does not: its use is an error.
GNU = ["-D__attribute__(x)=@", "-D__builtin_memcpy=@", "-D__builtin_trap=@",
       "-U__clang__", "-U__SIZE_TYPE__"]
TESTS = sorted(f for f in (ROOT / "tests").glob("test_*.c")
               if f.name != "test_m4ri.c")
HEADER = re.compile(r"/ll(_\w+)?\.h\"") # of the library
HEADERS = [p for p in source.PLACES.values() if (ROOT / p).exists()]


def run(*command):
    """What is wrong with a command: its output, if it fails."""
    done = subprocess.run([str(c) for c in command], text=True, cwd=ROOT,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return done.stdout[:3000] or "it fails" if done.returncode else ""


def include(*headers):
    return "".join(f'#include "{h}"\n' for h in headers)


def name_of(compiler):
    """What files are named after: CC may be a path."""
    return pathlib.Path(compiler).name


def written(path, text):
    path.write_text(text)
    return path


def check_test(folder, compiler, dialect, test, sanitized):
    """A test in C. `sanitized`: the flags of its run; None: it is not run."""
    flags = [f"-std={dialect}", *WARN, "-x", "c", test]
    if sanitized is None:
        return run(compiler, "-fsyntax-only", *flags)
    program = folder / f"{test.stem}.{name_of(compiler)}"
    optimised = OPTIMISED.get(compiler, ["-O1"])
    return (run(compiler, *flags, *COUNTING.get(test.stem, optimised),
                *sanitized, "-o", program) or
            run(program, "1", "0")) # a short search: test.h


def joined(path, tests):
    """One file of all tests, each in a namespace of its name. What they include
    stands before; argument 1 names the test that is run."""
    includes = dict.fromkeys(
        line.replace('"../', f'"{ROOT}/') for test in tests
        for line in re.findall(r"^#include .*", test.read_text(), re.M))
    calls = "".join(f'    if (!strcmp(argv[1], "{test.stem}")) '
                    f"return {test.stem}::main(argc - 1, argv + 1);\n"
                    for test in tests)
    # A header with the guard TEST_NAME_H, for a few tests, is in each namespace.
    own = {f'#include "{path.name}"': guard
           for path in (ROOT / "tests").glob("*.h") for guard in re.findall(
               r"^#ifndef (TEST_\w+_H)$", path.read_text(), re.M)}
    for line in own.keys() & includes.keys():
        del includes[line]
    anew = "".join(f"#undef {guard}\n" for guard in own.values())
    spaces = ((test, f'namespace {test.stem} {{\n{anew}#include "{test}"\n}}')
              for test in tests)
    return written(path, "#include <string.h>\n" + "\n".join(
        [*sorted(includes, key=lambda line: not HEADER.search(line)),
         *(text if test.stem in COUNTING else
                      TEST_BEGINS + text + TEST_ENDS
                      for test, text in spaces)]) +
        f"\nint main(int argc, char **argv) {{\n{calls}    return 99;\n}}\n")


def check_tests(folder, compiler, dialect, tests, sanitized):
    """All tests in C++, one program: what is wrong, by the name of the test.
    `sanitized`: the flags of its run; None: it is not run."""
    flags = [f"-std={dialect}", *WARN, "-DLL_ENGINE", "-DLL_SORTS",
             "-DLL_CLUSTERS", "-DLL_TENSOR", "-I", tests[0].parent, "-x", "c++",
             joined(folder / f"tests.{name_of(compiler)}.{dialect}.cc", tests)]
    if sanitized is None or not ALL:
        flags += BRIEF.get(compiler, [])
    if sanitized is None:
        return run(compiler, "-fsyntax-only", *flags)
    program = folder / f"tests.{name_of(compiler)}"
    why = run(compiler, *flags, *OPTIMISED.get(compiler, ["-O1"]),
              *UNOPTIMISED.get(compiler, []), *sanitized, "-o", program)
    if why:
        return why
    said = ((test.stem, run(program, test.stem, "1", "0")) for test in tests)
    return "\n".join(f"{name}: {why}" for name, why in said if why)


def can_sanitize(folder, compiler):
    """Are the libraries of the sanitizers there?"""
    source = written(folder / "empty.c", "int main(void) { return 0; }\n")
    return not run(compiler, *SANITIZED, source, "-o", folder / "empty")


def check_alone(folder, compiler, language, dialect, header):
    """A header, twice, where no header of the system can be found."""
    source = written(folder / f"alone.{name_of(compiler)}.{dialect}."
                     f"{pathlib.Path(header).name}.x",
                     include(header, header) + "int nothing;\n")
    return run(compiler, f"-std={dialect}", *WARN, "-nostdinc", "-I", ROOT,
               "-fsyntax-only", "-x", language, source)


def check_foreign(folder, compiler, target, language, dialect):
    """The headers for another machine, with a constant that C++ computes."""
    constant = 'll_apply(ll_parse("lane: i1 i0"), 1)'
    used = f"unsigned f(void);\nunsigned f(void) {{ return {constant}; }}\n"
    if language == "c++":
        used = f"static_assert({constant} == 2u, \"\");\n"
    source = written(folder / f"foreign.{target}.{language}",
                     "#define LL_ENGINE\n" + include(*HEADERS) + used)
    return run(compiler, f"--target={target}", *FOREIGN[target], "-nostdinc",
               f"-std={dialect}", *WARN, "-I", ROOT, "-fsyntax-only", "-x",
               language, source)


def check_msvc(folder, compiler, language, dialect):
    """The headers where clang stands for MSVC: without GNU's words, and with a
    <string.h> that has memcpy alone."""
    inner = folder / f"msvc.{name_of(compiler)}.{dialect}"
    inner.mkdir()
    written(inner / "string.h", f"""{'extern "C"' * (language == "c++")}
void *memcpy(void *, const void *, unsigned long long);\n""")
    used = """unsigned f(void);
unsigned f(void) { return ll_apply(ll_parse("lane: i1 i0"), 1); }\n"""
    if language == "c++":
        used = """LL_LAYOUT(IN, ll_parse("lane: i0 i1 i2 i3 i4"));
LL_LAYOUT(OUT, ll_parse("lane: i1 i0 i2 i3 i4"));
LL_PLAN(TURN, IN, OUT, 32, LL_SM80);
static_assert(LL_GET(TURN).kind == LL_SHUFFLES, "");\n"""
    source = written(inner / "source.x", "#define LL_ENGINE\n" +
                     include(*HEADERS) + used)
    return run(compiler, "--target=x86_64-pc-windows-msvc",
               "-fms-compatibility", "-fms-extensions", *GNU,
               f"-std={dialect}", *WARN, "-nostdinc", "-isystem", inner, "-I",
               ROOT, "-fsyntax-only", "-x", language, source)


def check_kernel(folder, compiler, kernel):
    """A kernel of tests/codegen, read by clang for the GPU, with LL_SORTS and
    LL_CLUSTERS."""
    toolkit = written(folder / f"toolkit.{name_of(compiler)}.{kernel.stem}.h",
                      TOOLKIT)
    return run(compiler, *AS_CUDA, "-DLL_SORTS", "-DLL_CLUSTERS", "-include",
               toolkit, "-I", ROOT, "-fsyntax-only", kernel)


def check_program(folder, compiler, language, dialect):
    """Two files of one program that both include everything."""
    call = 'll_apply(ll_parse("lane: i1 i0"), 1)'
    one = written(folder / f"one.{name_of(compiler)}.x", include(*HEADERS) +
                  f"unsigned f(void);\nunsigned f(void) {{ return {call}; }}\n")
    two = written(folder / f"two.{name_of(compiler)}.x",
                  include(*reversed(HEADERS)) +
                  "unsigned f(void);\nint main(void) { "
                  f"return f() == 2u && {call} == 2u ? 0 : 1; }}\n")
    program = folder / f"program.{name_of(compiler)}"
    return run(compiler, f"-std={dialect}", *WARN, "-I", ROOT, "-x", language,
               one, two, "-o", program) or run(program)


def check_symbols(folder, compiler, language, dialect):
    """What all functions together need, and what data they bring."""
    source = written(folder / f"all.{name_of(compiler)}.x",
                     include(*HEADERS) + "int nothing(void);\n")
    target = folder / f"all.{name_of(compiler)}.o"
    why = run(compiler, f"-std={dialect}", "-O1", "-fno-stack-protector",
              "-fno-pic", "-fkeep-inline-functions", "-fkeep-static-functions",
              "-I", ROOT, "-x", language, "-c", source, "-o", target)
    if why:
        return why
    lines = subprocess.run(["nm", target], text=True, check=True,
                           stdout=subprocess.PIPE).stdout.splitlines()
    symbols = [line.split()[-2:] for line in lines]
    functions = [name for kind, name in symbols if kind in "tTW"]
    wrong = [f"needs {name}" for kind, name in symbols
             if kind == "U" and name not in ("memcpy", "memset")]
    wrong += [f"has the variable {name}" for kind, name in symbols
              if re.fullmatch("[bBdDCgGsSvV]", kind)]
    if len(functions) < 100:
        wrong += [f"only {len(functions)} functions were looked at"]
    return ", ".join(wrong)


def check_of_tests(where, runs, sanitized):
    """Name, function and arguments for the tests in a dialect."""
    compiler, language, dialect = where
    name = f"{compiler} -std={dialect}"
    flags = sanitized if dialect == runs else None
    if language == "c++":
        return [(f"tests, {name}", check_tests,
                 (compiler, dialect, TESTS, flags))]
    return [(f"{test.name}, {name}", check_test,
             (compiler, dialect, test, flags)) for test in TESTS]


def cases(folder):
    """Name and function of everything to be checked, and what is skipped."""
    todo, skipped = [], []
    for compiler, language, dialects, runs in COMPILERS:
        if not shutil.which(compiler):
            skipped.append(compiler)
            continue
        sanitized = SANITIZED if runs and compiler == RUNS_CAREFULLY else []
        if sanitized and not can_sanitize(folder, compiler):
            sanitized = []
            skipped.append(f"a sanitizer of {compiler}")
        for dialect in dialects:
            todo += check_of_tests((compiler, language, dialect), runs,
                                   sanitized)
        where = (compiler, language, dialects[0])
        for dialect in dialects + (["c++11"] if language == "c++" else []):
            todo += [(f"{header} alone, {compiler} -std={dialect}", check_alone,
                      (compiler, language, dialect, header))
                     for header in HEADERS]
        if compiler.startswith("clang"):
            dialect = "c11" if language == "c" else "c++17"
            todo += [(f"for {target}, {compiler}", check_foreign,
                      (compiler, target, language, dialect))
                     for target in FOREIGN]
            todo += [(f"as MSVC, {compiler} -std={dialect}", check_msvc,
                      (compiler, language, dialect))
                     for dialect in MSVC[language]]
        todo.append((f"two files, {compiler}", check_program, where))
        if not compiler.startswith("clang"): # which drops unused functions
            todo.append((f"symbols, {compiler}", check_symbols, where))
    todo += [(f"{kernel.name} as CUDA, {compiler}", check_kernel,
              (compiler, kernel)) for compiler in ("clang++", NEW_CLANG)
             if shutil.which(compiler) for kernel in KERNELS]
    todo.sort(key=lambda case: case[1] is not check_tests) # the longest first
    return todo, skipped


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as name, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        folder = pathlib.Path(name)
        todo, skipped = cases(folder)
        for what in skipped:
            print(f"skipped: {what} is not here")
        futures = [pool.submit(check, folder, *args) for _, check, args in todo]
        for (title, _, _), future in zip(todo, futures):
            if future.result():
                failed += 1
                print(f"FAIL {title}: {future.result()}")
    print(f"{len(todo) - failed} passed, {failed} failed, "
          f"{len(skipped)} skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
