"""schemata.py - many mutants in one program, chosen when it starts.

A test program is compiled once, with headers in which every function is only
declared. The functions lie in a library of their own, in which each changed
function has one copy per mutant, and a switch in front of them:

    ll_layout f__7(ll_layout a) { the body with mistake 7 }
    ll_layout f__0(ll_layout a) { the body }
    ll_layout f(ll_layout a) {
        switch (ll_mutant_) {
        case 7: return f__7(a);
        default: return f__0(a);
        }
    }

LL_MUTANT in the environment is the number, 0 or more; LL_MUTANT_MS the
milliseconds of the processor after which the program is killed: a mistake may
turn a loop into an endless one. A mutant of a macro is a copy of the only
function that uses it, between two definitions of the macro.
"""
import collections
import re
import subprocess

import source

START = r"""
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
static int ll_mutant_;
__attribute__((constructor)) static void ll_mutant_begins_(void) {
    const char *number = getenv("LL_MUTANT"), *limit = getenv("LL_MUTANT_MS");
    struct itimerval timer = {0};
    ll_mutant_ = number ? atoi(number) : 0;
    if (limit) {
        timer.it_value.tv_sec = atoi(limit) / 1000;
        timer.it_value.tv_usec = atoi(limit) % 1000 * 1000;
        setitimer(ITIMER_PROF, &timer, NULL);
    }
}
"""

# `make sanitize` runs the tests with these checks, so they count as tests; reads
# behind a list that ends a structure count as well.
SANITIZED = ["-fsanitize=bounds-strict,shift", "-fsanitize-undefined-trap-on-error"]

HASTE = '__attribute__((optimize("O0"))) '  # most copies are never called

Function = collections.namedtuple("Function", "name first last returns takes")


def functions(text, kept):
    """The functions that a C compiler sees: lines from 0, the type in front of
    the name, the parameters."""
    bare = source.bare(text).split("\n")
    found = []
    for first, last in source.functions(bare):
        words = source.signature(bare, first, last)
        parts = re.match(r"(?:LL_FN|static(?: inline)?)\s+(.*?)\s*"
                         rf"\b({source.NAME})\s*\((.*)\)\s*$", words)
        if parts and any(k + 1 in kept for k in range(first, last + 1)):
            found.append(Function(parts[2], first, last, parts[1],
                                  " ".join(parts[3].split())))
    return found


def declaration(function):
    return f"{function.returns} {function.name}({function.takes});"


def arguments(takes):
    """The names of parameters: "const char *text, int b[3]" is "text, b"."""
    names = [re.search(r"(\w+)\s*(?:\[.*\])?$", one.strip())[1]
             for one in takes.split(",")]
    return "" if names == ["void"] else ", ".join(names)


def copy(lines, function, name):
    """The lines of a function under another name, visible from outside."""
    body = re.sub(r"^(LL_FN|static(?: inline)?)\s+", "",
                  "\n".join(lines[function.first:function.last + 1]))
    return re.sub(rf"\b{function.name}(\s*\()", rf"{name}\1", body, count=1)


def switch(function, numbers):
    """The function that chooses between the copies."""
    passed = arguments(function.takes)
    cases = "".join(f"case {k}: return {function.name}__{k}({passed});\n"
                    for k in numbers)
    return (f"{declaration(function)[:-1]} {{ switch (ll_mutant_) {{\n{cases}"
            f"default: return {function.name}__0({passed});\n}} }}")


class Header:
    """One header, and the copies that its functions get."""

    def __init__(self, text, kept, users):
        self.lines, self.users = text.split("\n"), users
        self.functions = functions(text, kept)
        self.by_line = {k: f for f in self.functions
                        for k in range(f.first, f.last + 1)}
        self.by_name = {f.name: f for f in self.functions}
        self.macros = {name: (first, last) for name, first, last in
                       source.macros(source.bare(text).split("\n"))}

    def interface(self):
        """The header with declarations of its functions, each in its place."""
        lines = list(self.lines)
        for f in self.functions:
            lines[f.first:f.last + 1] = \
                [declaration(f)] + [""] * (f.last - f.first)
        return "\n".join(lines)

    def function_of(self, mutant):
        """The function that gets a copy, or None."""
        if mutant.line in self.by_line:
            return self.by_line[mutant.line]
        users = self.users[mutant.where] - {mutant.where}
        first, last = self.macros.get(mutant.where, (0, -1))
        known = first <= mutant.line <= last and len(users) == 1
        return self.by_name.get(*users) if known else None

    def changed(self, mutant, number, in_haste):
        """The copy of a function with the mistake."""
        function = self.function_of(mutant)
        lines = list(self.lines)
        lines[mutant.line] = mutant.new
        body = HASTE * in_haste + \
            copy(lines, function, f"{function.name}__{number}")
        if mutant.line in self.by_line:
            return body
        first, last = self.macros[mutant.where]
        undefined = f"#undef {mutant.where}"
        return "\n".join([undefined, *lines[first:last + 1], body, undefined,
                          *self.lines[first:last + 1]])

    def library(self, numbered, switched, mark):
        """The text with copies: pairs of a number and a mutant. mark(number,
        text) sees every piece of text in its order, 0 for the header's own."""
        copies = collections.defaultdict(list)
        for number, mutant in numbered:
            copies[self.function_of(mutant).name].append((number, mutant))
        at = 0
        for f in self.functions:
            mark(0, "\n".join(self.lines[at:f.first]) + "\n" + declaration(f))
            for number, mutant in copies[f.name]:
                mark(number, self.changed(mutant, number, switched))
            if switched and copies[f.name]:
                mark(0, copy(self.lines, f, f"{f.name}__0"))
                mark(0, switch(f, [number for number, _ in copies[f.name]]))
            else:
                mark(0, copy(self.lines, f, f.name))
            at = f.last + 1
        mark(0, "\n".join(self.lines[at:]))


class Library:
    """The functions of all headers, with the copies for some mutants."""

    def __init__(self, headers, mutants, folder, compiler):
        self.headers, self.folder, self.compiler = headers, folder, compiler
        self.numbered = list(enumerate(mutants, 1))
        folder.mkdir(parents=True, exist_ok=True)

    def write(self, switched=True):
        """Writes the headers with the copies, and returns which mutant each
        line of them belongs to."""
        owners = {}
        for name, header in self.headers.items():
            parts, numbers = [], []

            def mark(number, text):
                parts.append(text)
                numbers.extend([number] * (text.count("\n") + 1))

            header.library([(k, m) for k, m in self.numbered if m.file == name],
                           switched, mark)
            (self.folder / name).write_text("\n".join(parts), encoding="utf-8")
            owners[name] = numbers
        (self.folder / "all.c").write_text(START + "".join(
            f'#include "{name}"\n' for name in self.headers))
        return owners

    def compiled(self, *flags):
        return subprocess.run([*self.compiler, *flags, "all.c"], text=True,
                              cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)

    def without_errors(self):
        """Drops the mutants that a compiler refuses, and returns them."""
        owners = self.write()
        done = self.compiled("-fsyntax-only", "-fmax-errors=0")
        bad = set()
        for name, line in re.findall(r"^(?:\./)?([\w.]+):(\d+):\d+: error:",
                                     done.stderr, re.M):
            bad.add(owners[name][int(line) - 1] if name in owners else 0)
        if done.returncode and bad <= {0}:
            raise RuntimeError(f"the copies do not compile: {done.stderr}")
        dropped = [m for k, m in self.numbered if k in bad]
        self.numbered = [(k, m) for k, m in self.numbered if k not in bad]
        return dropped

    def without_twins(self):
        """Drops the mutants with the machine code of the function, and
        returns them. The code of a macro's users in the tests is not seen, so
        that copies for macros stay."""
        self.write(switched=False)
        done = self.compiled("-O2", "-S", "-o", "-", "-fno-ipa-icf",
                             "-fno-reorder-blocks-and-partition", "--param",
                             "inline-unit-growth=100000")
        if done.returncode:
            raise RuntimeError(f"the copies do not compile: {done.stderr}")
        code = machine_code(done.stdout)
        dropped = []
        for number, mutant in list(self.numbered):
            header = self.headers[mutant.file]
            name = header.function_of(mutant).name
            if code[f"{name}__{number}"] == code[name]:
                dropped.append(mutant)
                self.numbered.remove((number, mutant))
        return dropped

    def is_right(self):
        """Does a compiler take the headers as they are?"""
        self.write()
        return self.compiled("-fsyntax-only").returncode == 0

    def build(self):
        """Writes libll.so."""
        self.write()
        done = self.compiled("-O1", "-fPIC", "-shared", "-Wl,-Bsymbolic",
                             "-fno-semantic-interposition", *SANITIZED, "-o",
                             "libll.so")
        if done.returncode:
            raise RuntimeError(f"the copies do not compile: {done.stderr}")


def machine_code(assembly):
    """Name to code of the functions in an assembly text. Labels of jumps are
    counted from the start of the function; those of constants are kept, since
    equal constants have one label."""
    found = {}
    for name, body in re.findall(r"^(\w+):\n(.*?)^\s+\.size\s+\1,", assembly,
                                 re.M | re.S):
        labels = {}
        body = re.sub(r"^\s*\.(?:type|globl|p2align|loc|cfi_\w+).*\n", "", body,
                      flags=re.M)
        found[name] = re.sub(
            r"\.L(?:F[BE])?\d+\b",
            lambda m: f".L{labels.setdefault(m[0], len(labels))}",
            body)
    return found
