#!/usr/bin/env python3
"""selftest.py - each checker is shown a planted fault, and must see it.

    selftest.py [NAME...]    those alone

Every tests/*.py and tests/*.sh that judges something has a function in
tests/selftests, which gives its judging code small inputs, sound ones and such
with one fault. Tools that a machine may lack are stood in for by scripts. A
checker without such a function is a failure, as is one that misses a fault or
finds one where none is.
"""
import pathlib
import sys
import tempfile
import time

sys.dont_write_bytecode = True

from selftests.base import ROOT, TESTS, Missed # noqa: E402
# Each of these adds its functions to TESTS.
from selftests import gpus, printed, programs, shells, texts # noqa: E402, F401

# What judges nothing.
NO_CHECKERS = {
    "schemata.py": "changes functions for mutate.py",
    "source.py": "reads the headers for other scripts",
    "wrappers.py": "lists functions for tests/data_wrappers.cc",
    "setup.sh": "installs",
    "package.sh": "installs; tests/install looks at what it did",
    "selftest.py": "this script",
}


def why(name):
    """Why a checker is not to be trusted, or ''."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            TESTS[name](pathlib.Path(folder))
        except Missed as what:
            return str(what)
        except (Exception, SystemExit) as error: # the checker broke
            return f"{type(error).__name__}: {error}"
    return ""


def main():
    there = {f.name for f in (ROOT / "tests").iterdir()
             if f.suffix in (".py", ".sh")} - set(NO_CHECKERS)
    failed = 0
    for name in sorted(there - set(TESTS)):
        failed += 1
        print(f"FAIL {name}: it has no test here")
    for name in sorted(set(TESTS) - there):
        failed += 1
        print(f"FAIL {name}: there is no such checker")
    chosen = sorted(set(sys.argv[1:] or there & set(TESTS)))
    for name in chosen:
        start = time.monotonic()
        what = why(name)
        failed += bool(what)
        seconds = time.monotonic() - start
        print(f"FAIL {name}: {what}" if what else f"{name}: {seconds:.1f} s")
    print(f"{len(chosen) - failed if failed < len(chosen) else 0} passed, "
          f"{failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
