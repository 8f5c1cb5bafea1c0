#!/usr/bin/env python3
"""reference.py - the comments of the headers as pages of HTML.

    reference.py [FOLDER]    writes build/reference, from index.html on
    reference.py --check     writes it, and asks whether it is complete

Each room of a header is a page: what its comments explain, and the functions,
macros, types and constants of tests/api, each with its comment and definition.
Names link to where they are defined. Every link must lead somewhere, and every
entry of the interface must have a place; the contents list all but constants.
"""
import html
import html.parser
import os
import pathlib
import re
import shutil
import sys

import api
import source

FOLDER = source.ROOT / "build" / "reference"
LEAST = 500
STYLE = """body { font: 15px sans-serif; max-width: 52em; margin: 2em auto;
  padding: 0 1em; color: #222; background: #fff }
pre { background: #f5f5f5; padding: .5em .8em; overflow-x: auto }
.item { border-top: 1px solid #ddd; padding-top: .3em }
nav, .names { line-height: 1.6 } a { color: #0b57d0; text-decoration: none }"""
COMMENT = re.compile(r"^/\*(?! ----)(.*?)\*/[ \t]*\n", re.M | re.S)


class Item:
    """A definition: its names, its code, and its comment, if it has one."""

    def __init__(self, at, names, code):
        self.at, self.names, self.code = at, names, code.strip("\n")
        self.comment = ""


def definitions(text):
    """The public definitions of a header, in their order."""
    bare = source.bare(text)
    lines, raw = bare.split("\n"), text.split("\n")
    starts = [0]
    for line in raw:
        starts.append(starts[-1] + len(line) + 1)
    for first, last in source.functions(lines):
        name = source.defined(lines, first, last)
        if api.public(name) and re.search(rf"\b{name} ?\(",
                                          " ".join(lines[first:last + 1])):
            code = "\n".join(raw[first:last + 1])
            yield Item(starts[first], [name], code.partition("{")[0].rstrip())
    for name, first, last in source.macros(lines):
        code = "\n".join(raw[first:last + 1])
        if name in api.TABLES:
            yield Item(starts[first], re.findall(
                r"\bX\((?:\w+, )?(LL_\w+)", code), code)
        elif api.public(name):
            head = re.match(rf"\s*#\s*define\s+{name}(\([^)]*\))?", code)[0]
            is_long = first != last and head.endswith(")")
            yield Item(starts[first], [name], head if is_long else code)
    for body in re.finditer(r"^enum[^{;]*\{(.*?)\};?", bare, re.M | re.S):
        names = [name for _, name, _ in api.constants(body[1])]
        if names:
            yield Item(body.start(), names, text[body.start():body.end()])
    yield from types(text, bare)


def types(text, bare):
    start = r"^(?:template <[^\n]*?> ?)?(?:typedef )?(?:struct|union) "
    for kind in re.finditer(start + rf"({source.NAME})[^;{{]*\{{.*?\n?\}}"
                            r"[^;\n]*;", bare, re.M | re.S):
        if api.public(kind[1]):
            yield Item(kind.start(), [kind[1]], text[kind.start():kind.end()])
    for kind in re.finditer(r"^typedef ([^;{}]*);", bare, re.M):
        name = re.search(rf"\(\*({source.NAME})\)|({source.NAME})$", kind[1])
        if name and api.public(name[1] or name[2]):
            yield Item(kind.start(), [name[1] or name[2]], kind[0])


def without_stars(comment):
    return re.sub(r"\n[ \t]*\*? ?", "\n", comment).strip()


def contents(text):
    """Items, and comments that explain by themselves, in their order."""
    found = sorted(definitions(text), key=lambda item: item.at)
    below = {item.at: item for item in found}
    for comment in COMMENT.finditer(text):
        at, words = comment.end(), without_stars(comment[1])
        while re.match(r"[ \t]*#[ \t]*(if|el|endif)[^\n]*\n", text[at:]) and \
                at not in below:
            at = text.index("\n", at) + 1
        if at in below:
            below[at].comment = words
        elif text[comment.end():comment.end() + 1] == "\n" and \
                not words.startswith("Private:"):
            found.append(Item(comment.start(), [], ""))
            found[-1].comment = words
    return sorted(found, key=lambda item: item.at)


def paragraphs(comment):
    return re.split(r"\n\s*\n", comment)


def divided(items):
    """One comment on several definitions, given to each: a paragraph that
    begins with NAME( and those behind it are about that definition. What stands
    before them is about all."""
    bare, found = {}, []
    for item in items:
        for name in item.names if not item.comment else ():
            bare.setdefault(name, item)
    for item in items:
        of, owner = {}, None
        for part in paragraphs(item.comment) if item.names else ():
            head = re.match(r"(\w+)\(", part)
            name = head[1] if head else ""
            owner = item if name in item.names else bare.get(name, owner)
            of.setdefault(owner, []).append(part)
        if set(of) - {None, item}:
            found.append(Item(item.at, [], ""))
            found[-1].comment = "\n\n".join(of.pop(None, []))
            item.comment = ""
            for owner, parts in of.items():
                owner.comment = "\n\n".join(parts)
        found.append(item)
    return found


def rooms(text):
    """Name, title and the items of each room."""
    items = contents(text)
    for name, title, start, end in source.rooms(text):
        yield name, title, divided([i for i in items if start < i.at < end])


def told(item, items):
    """Where another comment of the room speaks of a definition without one."""
    for other in items:
        if other.names and re.search(rf"\b{item.names[0]}\(", other.comment):
            return f"See {other.names[0]}."
    return ""


def file_of(header, room):
    return f"{header.stem}-{room.replace('/', '-')}.html"


class Book:
    """All pages: which page has a name, and which a room."""

    def __init__(self, headers):
        self.rooms = [(header, *room) for header in headers
                      for room in rooms(header.read_text())]
        self.places = {}
        for header, room, _, items in self.rooms:
            for name in (n for item in items for n in item.names):
                self.places.setdefault(name, {}).setdefault(
                    header.stem, file_of(header, room))
        self.pages = {(header.stem, room): file_of(header, room)
                      for header, room, *_ in self.rooms}

    def link(self, stem, name):
        pages = self.places.get(name, {})
        page = pages.get(stem) or next(iter(pages.values()), None)
        return f'<a href="{page}#{name}">{name}</a>' if page else name

    def linked(self, stem, text):
        """Text with links to names, and to rooms."""
        text = re.sub(r"\b(?:ll|LL)_\w+\b", lambda m: self.link(stem, m[0]),
                      html.escape(text))

        def room(match):
            page = self.pages.get((stem, match[0])) or \
                self.pages.get(("ll", match[0]))
            return f'<a href="{page}">{match[0]}</a>' if page else match[0]
        return re.sub(r"(?<![\w/.-])[a-z]+/[a-z0-9_]+\b(?![/.])", room, text)

    def words(self, stem, comment):
        out = []
        for part in paragraphs(comment):
            prose, example, code = part.partition("Example:")
            if re.search(r"^  ", prose, re.M):
                out.append(f"<pre>{self.linked(stem, prose.rstrip())}</pre>")
            elif prose.strip():
                prose = re.sub("`([^`]+)`", r"<code>\1</code>",
                               self.linked(stem, prose.strip()))
                out.append(f"<p>{prose}</p>")
            if example:
                out.append(f"<pre>{self.linked(stem, example + code)}</pre>")
        return out

    def page(self, header, title, items):
        stem, seen = header.stem, set()
        out = [f'<p><a href="index.html">Contents</a>, {header.name}</p>',
               f"<h1>{html.escape(title)}</h1>"]
        for item in items:
            if not item.names:
                out += self.words(stem, item.comment)
                continue
            new = [n for n in dict.fromkeys(item.names) if n not in seen]
            seen.update(new)
            anchors = "".join(f'<a id="{name}"></a>' for name in new)
            out += [f'<div class="item">{anchors}',
                    f"<pre>{html.escape(item.code)}</pre>",
                    *self.words(stem, item.comment or new and
                                told(item, items) or ""),
                    "</div>"]
        return whole(f"{header.name}, {title}", out)

    def index(self, version):
        out = [f"<h1>ll {version}</h1>",
               '<p>In examples <code>L("..")</code> is '
               "<code>ll_parse(\"..\")</code>, <code>SIZES(8, 4)</code> an "
               "array of unsigned numbers, and <code>is</code> says that two "
               "are equal.</p>"]
        last = None
        for header, room, title, items in self.rooms:
            if header != last:
                out.append(f"<h2>{header.name}</h2>")
                last = header
            names = dict.fromkeys(n for i in items for n in i.names
                                  if not i.code.startswith("enum"))
            links = [f'<a href="{file_of(header, room)}#{n}">{n}</a>'
                     for n in names]
            out += [f'<h3><a href="{file_of(header, room)}">'
                    f"{html.escape(title)}</a></h3>",
                    f'<p class="names">{" ".join(links)}</p>']
        return whole(f"ll {version}", out)


def whole(title, body):
    return "\n".join(["<!doctype html>", '<html lang="en"><head>',
                      '<meta charset="utf-8">',
                      f"<title>{html.escape(title)}</title>",
                      f"<style>{STYLE}</style></head><body>", *body,
                      "</body></html>", ""])


def write(headers, folder):
    book = Book(headers)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for header, room, title, items in book.rooms:
        (folder / file_of(header, room)).write_text(
            book.page(header, title, items))
    (folder / "index.html").write_text(
        book.index(api.version_of(headers[0].read_text())))


class Links(html.parser.HTMLParser):
    """Places and links of a page, and tags that are not closed."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.open, self.faults = [], [], [], []
        self.feed(text)
        self.faults += [f"<{tag}> is not closed" for tag in self.open]

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.ids += [found["id"]] if "id" in found else []
        self.links += [found["href"]] if "href" in found else []
        if tag != "meta":
            self.open.append(tag)

    def handle_data(self, data):
        if "`" in data and "pre" not in self.open:
            self.faults.append(f"a backtick in {data.split('`')[1]}")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes another tag")


def check(headers, folder):
    """The number of links and entries, and what is wrong."""
    pages = {path.name: Links(path.read_text())
             for path in folder.glob("*.html")}
    faults, checks = [], 0
    for name, page in sorted(pages.items()):
        faults += [f"{name}: {what}" for what in page.faults]
        faults += [f"{name}: two places {i}" for i in set(page.ids)
                   if page.ids.count(i) > 1]
        for link in page.links:
            checks += 1
            file, _, place = link.partition("#")
            if file not in pages or place and place not in pages[file].ids:
                faults.append(f"{name}: a dead link: {link}")
    entries = {api.name_of(entry)[::2] for entry in api.entries(headers)}
    listed = {link.partition("#")[2] for link in pages["index.html"].links} \
        if "index.html" in pages else set()
    faults += [f"{name} is not in the contents" for _, kind, name in
               sorted({api.name_of(e) for e in api.entries(headers)})
               if kind != "constant" and name not in listed]
    for header, entry in sorted(entries):
        checks += 1
        stem = pathlib.Path(header).stem
        if not any(entry in page.ids for name, page in pages.items()
                   if name.partition("-")[0] == stem):
            faults.append(f"{header}: {entry} has no place")
    linked = {link.partition("#")[0] for link in pages["index.html"].links} \
        if "index.html" in pages else set()
    faults += [f"{name} is not in the contents"
               for name in sorted(set(pages) - linked - {"index.html"})]
    if len(entries) < LEAST:
        faults.append(f"{len(entries)} entries, at least {LEAST} expected")
    return checks, faults


def main():
    headers = source.headers()
    named = [a for a in sys.argv[1:] if not a.startswith("--")]
    folder = pathlib.Path(named[0]) if named else FOLDER
    write(headers, folder)
    if "--check" not in sys.argv:
        print(f"see it: {os.path.relpath(folder / 'index.html')}")
        return 0
    checks, faults = check(headers, folder)
    for fault in faults:
        print("FAIL", fault)
    print(f"{max(checks - len(faults), 0)} passed, {len(faults)} failed")
    return len(faults) != 0


if __name__ == "__main__":
    sys.exit(main())
