"""base.py - what the functions of selftest.py share."""
import contextlib
import io
import os
import pathlib
import subprocess
import sys
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TESTS = {}


def checker(name):
    def keep(function):
        TESTS[name] = function
        return function
    return keep


class Missed(Exception):
    """What a checker should have said, or should not."""


def sees(said, *words):
    """The checker speaks of the fault."""
    text = said if isinstance(said, str) else "\n".join(map(str, said))
    for word in words:
        if word not in text:
            raise Missed(f"'{word}' is not in what it says: {text[:1000]!r}")


def silent(said):
    """It finds nothing."""
    if said:
        raise Missed(f"it finds a fault where none is: {said!r}"[:1000])


def stops(function, *arguments):
    """The sentence with which a function ends the script."""
    try:
        function(*arguments)
    except SystemExit as end:
        return str(end.code)
    raise Missed("it goes on")


def ran(module, *arguments, **patches):
    """Exit status and output of a script's main."""
    said = io.StringIO()
    with contextlib.ExitStack() as stack:
        for what, by in patches.items():
            stack.enter_context(mock.patch.object(module, what, by))
        argv = ["", *map(str, arguments)]
        stack.enter_context(mock.patch.object(sys, "argv", argv))
        stack.enter_context(contextlib.redirect_stdout(said))
        status = module.main()
    return int(status), said.getvalue()


def fails(result, *words):
    status, said = result
    if status == 0:
        raise Missed(f"exit status 0, and {said[-500:]!r}")
    sees(said, *words)


def succeeds(result):
    status, said = result
    silent(said if status else "")


def written(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def tool(path, text):
    """A program that stands in for another."""
    written(path, "#!/bin/sh\n" + text).chmod(0o755)
    return str(path)


def compiler(path, output, said=""):
    """One that writes `output` where -o tells it."""
    written(path.with_suffix(".out"), output)
    written(path.with_suffix(".said"), said)
    return tool(path, f"cat {path.with_suffix('.said')}\n"
                'while [ $# -gt 1 ]; do [ "$1" != -o ] || '
                f'cp {path.with_suffix(".out")} "$2"; shift; done\n')


def shell(*command, **environment):
    done = subprocess.run([str(c) for c in command], text=True,
                          env={**os.environ, **environment},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout
