#!/bin/sh
# lint.sh - formatters and checkers; what is not installed is skipped aloud.
#
# clang-format is heard as advice: macros and tables are set by hand in places.
set -u
cd "$(dirname "$0")/.." || exit 1
wrong=0


headers=$(ls ll*.h tools/views/*.h) c=$(ls tests/*.c examples/*/*.c examples/kernels/*/*.c tools/*/*.c tests/fuzz/*.c)
scripts="$(ls tests/*.sh tests/*/*.sh bench/*.sh) tools/emulator/emucc .ci/run"

lint() { # name command...: the command is to succeed
    name=$1
    shift
    if ! command -v "$1" >/dev/null; then
        echo "$name: skipped, $1 is not here"
    elif "$@"; then
        echo "$name: nothing found"
    else
        echo "$name: FAILED"
        wrong=1
    fi
}

# A script beside others hides Python's own module of its name from them, and
# from the libraries that they import.
unlike_python() {
    python3 -c 'import pathlib, sys
sys.exit("\n".join(f"{path} is named as a module of Python"
                   for glob in ("*/*.py", "bench/*/*.py")
                   for path in pathlib.Path().glob(glob)
                   if path.stem in sys.stdlib_module_names) or 0)'
}

# What a reader's kernel breaks is said in a sentence.
with_sentences() {
    python3 -c 'import pathlib, re, sys
sys.exit("\n".join(f"{path}:{text[:m.start()].count(chr(10)) + 1}: a "
                   "static_assert without a sentence"
                   for path in sorted(pathlib.Path("examples").rglob("*"))
                   if path.suffix in (".c", ".cu", ".h", ".hip")
                   for text in [path.read_text()]
                   for m in re.finditer(r"static_assert\([^;]*?\"\"\s*\)",
                                        text)) or 0)'
}

# Checks of clang-tidy that a C header with short names can satisfy.
tidy='-*,readability-braces-around-statements,readability-misleading-*,
readability-duplicate-include,readability-redundant-*,
bugprone-*,-bugprone-easily-swappable-parameters,-bugprone-reserved-identifier,
-bugprone-suspicious-memory-comparison,-bugprone-narrowing-conversions,
-bugprone-assignment-in-if-condition,-bugprone-implicit-widening-*,
-bugprone-macro-parentheses,-bugprone-sizeof-expression,
-bugprone-suspicious-string-compare'

# The runner of recorded cases is built with these.
rooms='-DLL_ENGINE -DLL_SORTS -DLL_CLUSTERS -include ll_ptx.h -include ll_amd.h'

tidied() {
    data=$(ls tests/data_*.c tests/check_data.c)
    rest=$(echo "$c" | grep -v '^tests/data_\|^tests/check_data')
    # shellcheck disable=SC2086
    { tidy_with "$rest"; tidy_with "$data" $rooms; } 2>&1 |
        grep -v 'warnings\? generated\|^Suppressed\|^Use -' | grep . && return 1
    return 0
}

tidy_with() { # files flag...
    files=$1
    shift
    # shellcheck disable=SC2086
    clang-tidy --quiet --checks="$(echo "$tidy" | tr -d '\n')" \
        --warnings-as-errors='*' --header-filter='/ll[a-z_]*\.h$' $files -- \
        -std=c11 -I. "$@"
}

lint "shape of the headers" python3 tests/shape.py
lint "names of scripts" unlike_python
lint "sentences of examples" with_sentences
# shellcheck disable=SC2086
lint shellcheck shellcheck -e SC2086,SC2317 $scripts # lists are split on purpose
# shellcheck disable=SC2086
lint cppcheck cppcheck --quiet --language=c --std=c11 --error-exitcode=1 \
    --inline-suppr --enable=warning,portability,performance \
    --suppress=passedByValue -U__cplusplus -U__CUDACC__ -U__CUDA__ -U__HIP__ \
    -ULL_DEVICE $headers
if command -v clang-tidy >/dev/null; then
    lint clang-tidy tidied
else
    echo "clang-tidy: skipped, it is not here"
fi
if command -v clang-format >/dev/null; then
    # shellcheck disable=SC2086
    for file in $headers $c tests/*.h tests/fuzz/*.h; do
        n=$(clang-format --dry-run "$file" 2>&1 | grep -c 'warning:')
        [ "$n" = 0 ] || echo "clang-format (advice): $n places in $file"
    done
fi
exit $wrong
