#!/usr/bin/env python3
"""api.py - does a change break the interface that a version promised?

    api.py           compares the headers with the list of the version in ll.h
    api.py --write   writes that list: additions only, or a new version's
    api.py --print   the list, to stdout

tests/api/VERSION.txt lists what the headers of a version define for users, one
a line: functions with their signatures, macros with their parameters, types
with their members, constants. A name that ends in `_` is private. The names of
parameters may change; values of constants are not listed.

What is removed or changed needs a new version. An addition needs a minor
version and goes into the list (make api). A patch version has the list of the
version before it; from 1.0 on, a minor version keeps what the one before it
had. A name that a version no longer has stands in its part of CHANGELOG.md.
"""
import re
import sys

import source

LISTS = source.ROOT / "tests" / "api"
LEAST = 500
# Macros that list names for other macros: the constants are in their bodies.
TABLES = ("LL_ERRORS", "LL_CORE_ERRORS", "LL_PTX_ERRORS", "LL_AMD_ERRORS",
          "LL_ENGINE_ERRORS", "LL_ENGINE_KINDS", "LL_RESHARD_ERRORS")


def public(name):
    return bool(name) and not name.endswith("_") and \
        name not in TABLES and not re.fullmatch(r"LL_(\w+_)?H", name) and bool(re.fullmatch(source.NAME, name))


def squeezed(text):
    text = re.sub(r"\s+", " ", text.replace("\\\n", " ")).strip()
    return re.sub(r"\s*,\s*", ", ", re.sub(r"([(\[]) | ([)\]])", r"\1\2", text))


def template_of(words):
    """`template <..> ` at the start of a definition, or ''."""
    if not words.startswith("template"):
        return ""
    depth, at = 0, words.index("<")
    for at in range(at, len(words)):
        depth += {"<": 1, ">": -1}.get(words[at], 0)
        if not depth:
            break
    return squeezed(words[:at + 1]) + " "


def functions(lines):
    for first, last in source.functions(lines):
        name = source.defined(lines, first, last)
        words = squeezed(source.signature(lines, first, last))
        if public(name) and re.search(rf"\b{name} ?\(", words):
            words = re.sub(r"^(LL_FN|LL_DEVICE|LL_INLINE_|static|inline|"
                           r"constexpr| )+", "", words)
            before = template_of(" ".join(lines[first:last + 1]))
            yield "function", name, before + words


def macros(text, lines):
    for name, first, last in source.macros(lines):
        body = "\n".join(text[first:last + 1])
        if name in TABLES:
            for constant in re.findall(r"\bX\((?:\w+, )?(LL_\w+)", body):
                yield "constant", constant, constant
        elif public(name):
            given = re.match(rf"\s*#\s*define\s+{name}(\([^)]*\))?",
                             " ".join(lines[first:last + 1])
                             .replace("\\", " "))[1]
            yield "macro", name, name + squeezed(given or "")


def members(body):
    """The members of a struct, one declaration each, in their order."""
    body = re.sub(r"\bLL_INIT_\b", "", body)
    found = [squeezed(part) for part in re.split(r";", body)]
    return [part for part in found if part and "(" not in part and
            "{" not in part and "}" not in part and "#" not in part]


def constants(body):
    for part in re.sub(r"^\s*#.*$", "", body, flags=re.M).split(","):
        name = re.match(r"\s*(LL_\w+)\s*(=|$)", part)
        if name and public(name[1]):
            yield "constant", name[1], name[1]


def types(text):
    for body in re.finditer(r"^enum[^{;]*\{(.*?)\}", text, re.M | re.S):
        yield from constants(body[1])
    start = r"^(template <[^\n]*?> ?)?(?:typedef )?(?:struct|union) "
    for kind in re.finditer(start + rf"({source.NAME})[^;{{]*\{{(.*?)\n?\}}"
                            r"[^;\n]*;", text, re.M | re.S):
        if public(kind[2]):
            body = "; ".join(members(kind[3])) if not kind[1] else ""
            words = f"{kind[1] or ''}struct {kind[2]}: {body}"
            yield "type", kind[2], squeezed(words).rstrip(": ")
    for kind in re.finditer(rf"^typedef ([^;{{}}]*);", text, re.M):
        name = re.search(rf"\(\*({source.NAME})\)|({source.NAME})$", kind[1])
        if name and public(name[1] or name[2]):
            yield "type", name[1] or name[2], squeezed("typedef " + kind[1])


def entries(headers):
    """The list: lines `HEADER KIND TEXT`, sorted, each once."""
    found = {}
    for header in headers:
        bare = source.bare(header.read_text())
        lines = bare.split("\n")
        for kind, name, text in [*functions(lines), *macros(lines, lines),
                                 *types(bare)]:
            found[f"{header.name} {kind} {text}"] = (header.name, kind, name)
    order = [h.name for h in headers]
    return sorted(found, key=lambda e: (order.index(found[e][0]), found[e]))


def name_of(entry):
    """What an entry is about: header, kind and name."""
    header, kind, text = entry.split(" ", 2)
    if kind == "function":
        text = re.sub(r"^template <.*?> (?=\w)", "", text)
        names = re.findall(rf"({source.NAME}) ?\(", text)
    elif kind == "type" and text.startswith("typedef"):
        names = re.findall(source.NAME + r"(?=\)\(|$)", text)
    else:
        names = re.findall(source.NAME, re.sub(r"^template <.*?> ", "", text))
    return header, kind, (names or [text])[0]


def meaning(entry):
    """What an entry promises: without its header, and without the names of a
    function's parameters."""
    kind, text = entry.split(" ", 2)[1:]
    if kind == "macro":
        return "macro " + re.sub(r"[a-zA-Z]\w*(?=[,)])", "x", text)
    if kind != "function":
        return f"{kind} {text}"
    template = re.match(r"template <(.*?)> (?=\w)", text)
    names = re.findall(r"(?:class|unsigned|int|bool) (\w+)",
                       template[1] if template else "")
    for number, name in enumerate(names):
        text = re.sub(rf"\b{name}\b", f"${number}", text)
    before, _, rest = text.partition("(")
    kept = [re.sub(r"(?<=[ *&])[a-z]\w*(?=(\[\w*\])*$)", "", part).strip()
            for part in rest.rpartition(")")[0].split(", ")]
    return f"{kind} {before}({', '.join(kept)})"


def longer(old, new):
    """Is this a type that has grown at its end?"""
    return old.startswith("type ") and ": " in old and \
        new.startswith(old + ";")


def grouped(entry_list):
    groups = {}
    for entry in entry_list:
        groups.setdefault(name_of(entry), set()).add(entry)
    return groups


def compared(old, new):
    """What was removed, changed and added between two lists, in words."""
    was, now = grouped(old), grouped(new)
    removed, changed, added = [], [], []
    for name in sorted(set(was) | set(now)):
        words = f"{name[0]}: {name[1]} {name[2]}"
        before = was.get(name, set())
        # What ll.h has, the vendors' headers have.
        after = now.get(name) or now.get(("ll.h", *name[1:]), set())
        gone = {meaning(e) for e in before} - {meaning(e) for e in after}
        more = {meaning(e) for e in after} - {meaning(e) for e in before}
        if not after:
            removed.append(words)
        elif not before:
            added.append(words)
        elif all(any(longer(g, m) for m in more) for g in gone):
            if more:
                added.append(words)
        else:
            changed.append(f"{words}, which was {' and '.join(sorted(gone))}")
    return removed, changed, added


def version_of(text):
    return ".".join(re.search(rf"^#define LL_VERSION_{part} (\d+)$", text,
                              re.M)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def numbers(version):
    return tuple(map(int, version.split(".")))


def listed(path):
    return [line for line in path.read_text().split("\n")
            if line and not line.startswith("#")]


def versions(folder):
    return sorted((p.stem for p in folder.glob("*.txt")), key=numbers)


def before(version, folder):
    """The version before this one that has a list, or None."""
    less = [v for v in versions(folder) if numbers(v) < numbers(version)]
    return less[-1] if less else None


def step_faults(version, new, folder, changes):
    """What this version must not have done since the one before it."""
    last = before(version, folder)
    if not last:
        return
    removed, changed, added = compared(listed(folder / f"{last}.txt"), new)
    (major, minor, _), (old, less, _) = numbers(version), numbers(last)
    if (major, minor) == (old, less):
        for words in removed + changed + added:
            yield f"{words}: a patch version has the interface of {last}"
    elif major == old and major:
        for words in removed + changed:
            yield f"{words}: needs version {major + 1}.0.0, as {last} had it"
    part = re.search(rf"^## {re.escape(version)}\n(.*?)(?=^## |\Z)", changes,
                     re.M | re.S)
    if not part:
        yield f"CHANGELOG.md has no part {version}"
        return
    there = {name_of(entry)[2] for entry in new}
    for words in removed:
        name = words.split(" ")[2]
        if name not in there and not re.search(rf"\b{name}\b", part[1]):
            yield f"{words} of {last} is gone, and CHANGELOG.md does not say it"


def faults(headers, folder, changes):
    """The number of entries, and what is wrong."""
    version = version_of(headers[0].read_text())
    new, path = entries(headers), folder / f"{version}.txt"
    if len(new) < LEAST:
        return len(new), [f"{len(new)} entries, at least {LEAST} expected"]
    if not path.exists():
        return len(new), [f"tests/api has no list of {version}: make api"]
    removed, changed, added = compared(listed(path), new)
    found = [f"{w}: removed; ll.h needs a new version" for w in removed]
    found += [f"{w}: changed; ll.h needs a new version" for w in changed]
    found += [f"{w}: not in the list of {version}: make api" for w in added]
    return len(new), found + list(step_faults(version, new, folder, changes))


HEAD = """# What the headers of ll {version} define for their users.
# Made by `make api`; tests/api.py says what a change of it means.
"""


def write(headers, folder):
    version = version_of(headers[0].read_text())
    new, path = entries(headers), folder / f"{version}.txt"
    if path.exists():
        removed, changed, _ = compared(listed(path), new)
        if removed or changed:
            sys.exit(f"api.py: {version} is listed, and this breaks it:\n" +
                     "\n".join(removed + changed) +
                     "\nll.h needs a new version")
    path.write_text(HEAD.format(version=version) + "\n".join(new) + "\n")
    return f"{path.name}: {len(new)} entries"


def main():
    headers = source.headers()
    if "--print" in sys.argv:
        print("\n".join(entries(headers)))
        return 0
    if "--write" in sys.argv:
        print(write(headers, LISTS))
        return 0
    changes = (source.ROOT / "CHANGELOG.md").read_text()
    count, found = faults(headers, LISTS, changes)
    for fault in found:
        print("FAIL", fault)
    print(f"{max(count - len(found), 0)} passed, {len(found)} failed")
    return len(found) != 0


if __name__ == "__main__":
    sys.exit(main())
