#!/usr/bin/env python3
"""examples.py - the examples in the comments of the headers as a test program.

    examples.py ll.h [ll_ptx.h ..] > examples.c   the program
    examples.py --glance ll.h                     the names for the guide

A comment line `Example: EXPR is EXPR;` (several lines, up to the semicolon)
becomes a check; L("..") stands for ll_parse. The program of the guide
of the first header becomes a check that it compiles, runs and prints what its
two lines promise. The list in the guide of each header is compared with the
functions and macros that each of its rooms defines.
"""
import re
import sys

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


def glance(text):
    """The public functions and function-like macros, room by room; what
    configures the header is left out."""
    pattern = re.compile(
        r"^/\* ---- (?P<room>[a-z0-9_/]+: .*?) -+ \*/"
        r"|^(?:LL_FN|LL_DEVICE|template <[^\n]*> LL_DEVICE|static inline) "
        r"[^(\n]*?"
        r"(?P<function>ll_[a-z0-9_]*[a-z0-9])\("
        r"|^#define (?P<macro>LL_[A-Z0-9_]*[A-Z0-9])\(", re.M)
    room, lists = "", {}
    for match in pattern.finditer(text):
        room = match.group("room") or room
        name = match.group("function") or match.group("macro")
        lists_of_names = ("LL_ERRORS", "LL_ENGINE_ERRORS", "LL_ENGINE_KINDS",
                          "LL_RESHARD_ERRORS")
        public = name and name not in lists_of_names and \
            not room.startswith("base")
        known = [n for names in lists.values() for n in names]
        if public and name not in known:
            lists.setdefault(room, []).append(name)
    return lists


def glance_text(lists):
    lines = []
    for room, names in lists.items():
        lines.append(" * " + room)
        line = " *    "
        for name in names:
            if len(line) + 1 + len(name) > 79:
                lines.append(line)
                line = " *    "
            line += " " + name
        lines.append(line)
    return "\n".join(lines) + "\n"


def listed(text):
    """The names in the guide, each with the room above it."""
    start = text.index("LL_GLANCE_BEGIN") + len("LL_GLANCE_BEGIN")
    part = text[start:text.index("LL_GLANCE_END")]
    there, room = {}, ""
    for match in re.finditer(r"^ \* ([a-z0-9_/]+): |\b((?:ll_|LL_)\w+)", part,
                             re.M):
        room = match[1] or room
        if match[2]:
            there.setdefault(match[2], room)
    return there


def glance_problems(text):
    defined = {n: room.partition(":")[0]
               for room, names in glance(text).items() for n in names}
    there = listed(text)
    return (["%s is defined but not in the guide" % n
             for n in sorted(defined.keys() - there.keys())] +
            ["%s is in the guide but not defined" % n
             for n in sorted(there.keys() - defined.keys())] +
            ["%s of %s is listed under %s" %
             (n, defined[n], there[n])
             for n in sorted(defined.keys() & there.keys())
             if defined[n] != there[n]])


HEAD = """/* Made from the comments of ll.h by examples.py. */
#define LL_ENGINE 1
#define LL_VIEWS 1
#define LL_RESHARD 1
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
    problems = [line for text in texts for line in glance_problems(text)]
    include = "".join('#include "../%s"\n' % name for name in names)
    out.write(HEAD.replace("%s", include) + "\n".join(program(texts[0])) +
              "\n" + MIDDLE)
    for number, (left, right) in enumerate(found):
        out.write("static void example_%u(void) {\n    CHECK(%s);\n}\n\n" %
                  (number, check(left, right)))
    out.write("static void the_list_of_the_guide_is_complete(void) {\n")
    for problem in problems:
        out.write('    printf("%s\\n");\n' % problem)
    out.write("    CHECK(%d == 0);\n}\n\n" % len(problems))
    out.write("int main(int argc, char **argv) {\n"
              "    test_begin(argc, argv);\n"
              "    RUN(the_complete_example_works);\n")
    for number in range(len(found)):
        out.write("    RUN(example_%u);\n" % number)
    out.write("    RUN(the_list_of_the_guide_is_complete);\n"
              "    return test_end();\n}\n")


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def main():
    names = [a for a in sys.argv[1:] if not a.startswith("--")] or ["ll.h"]
    if "--glance" in sys.argv:
        sys.stdout.write(glance_text(glance(read(names[0]))))
    else:
        write(names, sys.stdout)


if __name__ == "__main__":
    main()
