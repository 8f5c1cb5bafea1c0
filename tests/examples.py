#!/usr/bin/env python3
"""examples.py - the examples in the comments of the headers as a test program.

    examples.py ll.h [ll_ptx.h ..] > examples.c   the program

A comment line `Example: EXPR is EXPR;` (several lines, up to the semicolon)
becomes a check; L("..") stands for ll_parse. The program of the guide
of the first header becomes a check that it compiles, runs and prints what its
two lines promise. Every name in the guide of a header must be defined.
"""
import re
import sys

import source

SHAPES = ("ll_shape_of(", "ll_with(", "ll_tensor(")
NUMBER = re.compile(r"^(0|[1-9][0-9]*|0x[0-9a-f]+|LL_[A-Z_]+)u?$")


def comments(text):
    """All comments, without their stars."""
    for match in re.finditer(r"/\*(.*?)\*/", text, re.S):
        yield re.sub(r"\n[ \t]*\*? ?", "\n", match.group(1))


def examples(text):
    """Pairs of expressions, in the order of the file."""
    found = []
    for comment in comments(text):
        for part in comment.split("Example:")[1:]:
            end = end_of(part)
            words = " ".join(part[:end].split())
            left, is_, right = words.rpartition(" is ")
            if not is_ or not left.strip():
                sys.exit("examples.py: not `EXPR is EXPR;`: " + words)
            found.append((left.strip(), right.strip()))
    return found


def end_of(part):
    """The first semicolon outside of a string."""
    quoted = False
    for at, char in enumerate(part):
        quoted ^= char == '"' and part[at - 1:at] != "\\"
        if char == ";" and not quoted:
            return at
    sys.exit("examples.py: an example does not end: " + part[:60])



def check(left, right):
    """The condition that an example states."""
    if NUMBER.match(right) or right[0] == "'":
        return "(unsigned long long)(%s) == (unsigned long long)(%s)" % (
            left, right)
    if right.startswith(SHAPES):
        return "same_shape(%s, %s)" % (left, right)
    return "ll_is_equal(%s, %s)" % (left, right)


def program(text):
    """The complete example, out of its comment."""
    start = text.index("/* A complete example.")
    body = text[start:text.index("\n */", start)]
    lines = [line[len(" *     "):] for line in body.split("\n")
             if line.startswith(" *     ")]
    end = max(k for k, line in enumerate(lines) if line.rstrip() == "}")
    return [line for line in lines[:end + 1]
            if not line.startswith("#include")]


def guide_faults(text, headers):
    """Names that a guide mentions and that no code of the headers has. A name
    that goes on with dots stands for several."""
    code = source.bare("".join(headers))
    known = set(re.findall(source.NAME, code))
    stems = {name[:end] for name in known
             for end in range(1, len(name) + 1) if name[end - 1] == "_"}
    named = re.findall(rf"\b({source.NAME})\b(?!\.h)(\.\.)?",
                       source.room(text, "guide"))
    return [f"the guide names {name}, which is not defined"
            for name, dots in dict.fromkeys(named)
            if name not in known and not (dots and name in stems)]


HEAD = """/* Made from the comments of ll.h by examples.py. */
#define LL_ENGINE 1
#define LL_SORTS 1
#define LL_CLUSTERS 1
#define LL_TENSOR
#include "test.h"

%s
#define L(text) ll_parse(text)
#define SIZES(...) ((const unsigned[]){__VA_ARGS__})

static int same_shape(ll_shape a, ll_shape b) {
    int same = a.err == b.err && a.n == b.n;
    for (unsigned k = 0; same && k < a.n; ++k) {
        same = a.dim[k] == b.dim[k] && a.bits[k] == b.bits[k];
    }
    return same;
}

/* What the complete example prints. */
static char printed[400];

#define printf(...) \\
    (void)snprintf(printed, sizeof printed, __VA_ARGS__)
#define main complete_example
"""

MIDDLE = """#undef main
#undef printf

static void the_complete_example_works(void) {
    char text[200];
    unsigned n = 0;
    CHECK(complete_example() == 0);
    while (printed[n] && printed[n] != '\\n' && n + 1 < sizeof text) {
        text[n] = printed[n];
        ++n;
    }
    text[n] = 0;
    CHECK(!ll_parse(text).err);
    CHECK(strstr(printed, "\\nregister 1 of lane 9\\n") != NULL);
}

"""


def write(names, out):
    texts = [read(name) for name in names]
    found = [pair for text in texts for pair in examples(text)]
    problems = [line for text in texts for line in guide_faults(text, texts)]
    include = "".join('#include "../%s"\n' % name for name in names)
    out.write(HEAD.replace("%s", include) + "\n".join(program(texts[0])) +
              "\n" + MIDDLE)
    for number, (left, right) in enumerate(found):
        out.write("static void example_%u(void) {\n    CHECK(%s);\n}\n\n" %
                  (number, check(left, right)))
    out.write("static void the_names_of_the_guide_are_defined(void) {\n")
    for problem in problems:
        out.write('    printf("%s\\n");\n' % problem)
    out.write("    CHECK(%d == 0);\n}\n\n" % len(problems))
    out.write("int main(int argc, char **argv) {\n"
              "    test_begin(argc, argv);\n"
              "    RUN(the_complete_example_works);\n")
    for number in range(len(found)):
        out.write("    RUN(example_%u);\n" % number)
    out.write("    RUN(the_names_of_the_guide_are_defined);\n"
              "    return test_end();\n}\n")


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def main():
    write(sys.argv[1:] or ["ll.h"], sys.stdout)


if __name__ == "__main__":
    main()
