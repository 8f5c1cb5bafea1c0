"""source.py - the headers as their checkers read them: definitions, uses,
banners, functions. No preprocessor: what stands in the text, in its order."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Of a joined header: which room begins, and its title.
BANNER = re.compile(r"^/\* ---- ([a-z0-9_/]+): (.*?) -+ \*/$", re.M)
NAME = r"(?:ll_[a-z0-9_]+|LL_[A-Z0-9_]+)"
START = re.compile(r"(template|LL_FN|LL_DEVICE|LL_INLINE_|static)\b")


# The joined headers, the lowest first: where each lies.
PLACES = {"ll.h": "ll.h", "ll_ptx.h": "ll_ptx.h", "ll_amd.h": "ll_amd.h",
          "ll_reshard.h": "tools/reshard/ll_reshard.h",
          "ll_views.h": "tools/views/ll_views.h"}
VENDORS = ("ll_ptx.h", "ll_amd.h")


def headers(root=ROOT):
    return [root / place for place in PLACES.values()
            if (root / place).exists()]


def rooms(text):
    """Name, title, first and last position of each room of a joined header."""
    found = list(BANNER.finditer(text))
    for this, after in zip(found, found[1:] + [None]):
        yield (this[1], this[2], this.start(),
               after.start() if after else len(text))


def room(text, *names):
    """The text of the rooms of that name, or of a folder `name/`."""
    return "".join(text[start:end] for name, _, start, end in rooms(text)
                   if name in names or
                   any(n.endswith("/") and name.startswith(n) for n in names))


def bare(text):
    """The text without comments and strings, each line in its place."""
    def blank(match):
        kept = re.sub(r"[^\n]", " ", match[0])
        return kept if match[0].startswith("/") else '"' + kept[1:-1] + '"'
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', blank, text,
                  flags=re.S)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def functions(lines):
    """First and last line of each function, counted from 0.

    A function starts at the margin and its body ends with a brace there."""
    start = None
    for number, line in enumerate(lines):
        if START.match(line):
            start = number if start is None else start
        if start is None:
            continue
        if line.startswith("}") or re.search(r"[;}]$", line) and "{" not in \
                "".join(lines[start:number]) and not line.endswith("{"):
            yield start, number
            start = None


def signature(lines, first, last):
    """A definition up to its body, in one line."""
    words = " ".join(lines[first:last + 1])
    words = re.sub(r"^template\s*<.*?>\s*"
                   r"(?=LL_|static|struct|inline|con|using)", "", words)
    return words.partition("{")[0]


def defined(lines, first, last):
    """The name that a definition at the margin gives a meaning, or ''."""
    words = signature(lines, first, last)
    kind = re.search(rf"\b(?:struct|using)\s+({NAME})", words)
    call = re.search(rf"({NAME})\s*\(", words.replace("__attribute__", ""))
    if kind and (not call or kind.start() < call.start()) and \
            not words.startswith(("LL_", "static")):
        return kind[1]
    return call[1] if call else ""


def macros(lines):
    """Name, first and last line (from 0) of each macro."""
    number = 0
    while number < len(lines):
        name = re.match(r"\s*#\s*define\s+(\w+)", lines[number])
        last = number
        while name and lines[last].endswith("\\"):
            last += 1
        if name:
            yield name[1], number, last
        number = last + 1
