"""measures.py - every figure of a record, by name.

`measures(record)` reads a record of bench/results, JSON or text, and yields a
Measure for each figure:

    name    its name, unique up to several tilings of one kernel
    value   the figure
    better  "more" or "less"; "" if neither is better
    spread  its spread in the same unit; None if the record should have one
    ours    false for rows of other libraries
    place   (list or dict, key) that holds the figure

A new kind of record needs a row in TABLES.
"""
import dataclasses
import json
import re

from report.records import plain

PEERS = re.compile(r"(^|/)(copy|copy_flat|memcpy|naive|padded[^/]*|triton.*|"
                   r"torch.*|hand|empty|cub[^/]*|m4ri|cudnn|flash|peer)$")


@dataclasses.dataclass
class Measure:
    name: str
    value: float
    better: str
    spread: float
    ours: bool
    place: tuple


@dataclasses.dataclass
class Table:
    """The fields of a list's rows: those that name a row, and the figures.
    `a.b` is field b of field a. `who` is the field of the runner."""
    name: str
    less: str = ""
    more: str = ""
    who: str = "name"


PRODUCT = Table("name m n k", more="rested_tflops sustained_tflops")
TABLES = {
    "all": Table("", more="passed"),
    "attention": Table("name head heads length causal bits", more="tflops"),
    "cases": Table("target name bits", less="ll.lds ll.lds_accesses "
                   "ll.crossing ll.lane_moves ll.register_moves ll.vector "
                   "ll.barriers", who=""),
    "compared": Table("from to type means shape", less="wrong"),
    "conflicts": Table("name kernel", less="wavefronts waits", who=""),
    "decode": Table("batch heads shared length head", more="of_copy"),
    "examples": Table("name", less="seconds registers stack_bytes "
                      "spilled_bytes", who=""),
    "fp8": PRODUCT,
    "fused": Table("kernel shape", less="us wrong"),
    "grouped": Table("case name", more="tflops"),
    "kernels": Table("kernel type n name", more="of_copy"),
    "lowbit": Table("what peer activations format m n k",
                    less="us sustained_us",
                    more="rested_tflops sustained_tflops", who="what"),
    "modelled": Table("ranks hosts from to bytes", less="us near far"),
    "more": Table("kernel type shape name", more="of_copy"),
    "nccl": Table("from to bits bytes", less="us wrong"),
    "of_paper": Table("benchmark shape", less="us"),
    "one_sign": Table("head keys", less="error"),
    "paper": Table("", more="passed"),
    "products": PRODUCT,
    "products_f16": PRODUCT,
    "reshard": Table("from to bits type bytes", less="us wrong"),
    "rows": Table("types", more="passed"),
    "scaled.blocks": PRODUCT,
    "scaled.rows": PRODUCT,
    "shapes": Table("shape m n k", less="us", more="tflops.ours"),
    "sync": PRODUCT,
    "times": Table("from to type bytes", less="peers_us peers_whole_us "
                   "messages_us messages_whole_us"),
}


def spread_of(runs):
    return max(runs) - min(runs)


# ---- Records in JSON --------------------------------------------------------

def holder(row, field):
    """The place of a field, `a.b` inside a; None if the row lacks it."""
    *path, last = field.split(".")
    for key in path:
        row = row.get(key, {})
    return (row, last) if last in row else None


def figure(place):
    """A figure; a list, with a number per rank, is summed."""
    value = place[0][place[1]]
    return sum(value) if isinstance(value, list) else value


def of_table(key, table, row):
    name = "/".join([key] + [f"{row[field]}" for field in table.name.split()
                             if field in row])
    ours = not PEERS.search(str(row.get(table.who, "")))
    ours = ours and not str(row.get(table.who, "")).startswith("cublaslt")
    for better in ("less", "more"):
        for field in getattr(table, better).split():
            place = holder(row, field)
            if place:
                yield Measure(f"{name}, {field}", figure(place), better, 0,
                              ours, place)


def of_aggregates(rows):
    """Google Benchmark: the median, and the spread of the repetitions."""
    spread = {plain(row): row["cpu_time"] for row in rows
              if row.get("aggregate_name") == "spread"}
    for row in rows:
        if row.get("aggregate_name") == "median":
            name, time = plain(row), row["cpu_time"]
            yield Measure(name, time, "less", spread[name] * time
                          if name in spread else None,
                          not PEERS.search(name), (row, "cpu_time"))


def of_benchmarks(rows):
    """Rows of a GPU or compiler, and their spread."""
    if any("aggregate_name" in row for row in rows):
        yield from of_aggregates(rows)
        return
    for row in rows:
        name = plain(row)
        key = next((key for key in ("of_copy", "ns", "seconds") if key in row),
                   None)
        if key:
            spread = (spread_of(row["runs"]) if "runs" in row else
                      row["spread"] * row[key] if "spread" in row else None)
            yield Measure(name, row[key],
                          "more" if key == "of_copy" else "less", spread,
                          not PEERS.search(name), (row, key))


def of_pairs(rows):
    """Graphs with the engine's layouts; the peer's rows are not judged."""
    for row in rows:
        spread = spread_of(row["quartiles"][0]) if "quartiles" in row else None
        yield Measure(f"{row['name']}, us", row["us"][0], "less", spread, True,
                      (row["us"], 0))
        yield Measure(f"{row['name']}, cycles", row["cycles"][0], "less", 0,
                      True, (row["cycles"], 0))


def of_conversions(rows):
    for row in rows:
        yield Measure(f"{row['pair']}/u{row['bits']}/{row['registers']}",
                      row["over_ms"], "less", row.get("spread_ms"), True,
                      (row, "over_ms"))


def of_constants(rows):
    for row in rows:
        yield Measure(row["name"], row["over_ms"], "less",
                      spread_of(row["runs_ms"]), True, (row, "over_ms"))


def of_cycles(cycles):
    for name, value in cycles.items():
        yield Measure(f"cycles of {name}", value, "less", 0, True,
                      (cycles, name))


SPECIAL = {"benchmarks": of_benchmarks, "constants": of_constants,
           "conversions": of_conversions, "cycles": of_cycles,
           "pairs": of_pairs}


def of_json(data, before=""):
    for key, value in data.items():
        if key in SPECIAL:
            yield from SPECIAL[key](value)
        elif before + key in TABLES:
            table = TABLES[before + key]
            for row in value if isinstance(value, list) else [value]:
                yield from of_table(before + key, table, row)
        elif isinstance(value, dict) and key != "context":
            yield from of_json(value, f"{before}{key}.")


# ---- Records that are text --------------------------------------------------

# A number, unless it is part of a name. The first row of WORDS that matches the
# text after it says what is better.
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\w| operations)")
WORDS = [("more", r" (passed|shapes|T/s|GB/s|proven)"),
         ("less", r" (failed|wrong|errors|hazards|instructions|registers|bytes|"
          r"of loads|s\b|ms\b|MiB|[A-Z]{2,}\w*,)")]
COLUMNS = {"compared": "more", "pairs": "", "nothing": "", "registers": "",
           "shuffles": "", "memory": "", "products": ""}
LINES = [("less", r"that broke a promise +"), ("more", r"inputs that ran +")]
# Text that differs from run to run: times of compilers and checks.
UNSTEADY = re.compile(r"; nvcc .*|, [\d.]+ ms.*|^hours .*|^new paths .*|"
                      r"^(The|which) .*|^(seed|clocks|compiler|device|commit|"
                      r"release|libc|cores|command|made by|Debian|python3|"
                      r"count|with the) .*")


def cells_of(line):
    return re.split(r" {2,}", line.strip())


def header_of(line, after):
    """The columns of a table that starts here, or None."""
    if not UNSTEADY.sub("", after).strip():
        return None # a fact, such as a compiler's version, is no row
    for split in (cells_of, str.split):
        head, row = split(line), split(after)
        if len(head) > 3 and len(head) == len(row) and not re.search(
                r"\d", line) and re.fullmatch(r"\d+(\.\d+)?", row[-1]):
            return split, head
    return None


def of_columns(lines, k, header):
    split, head = header
    words = split(lines[k])
    names = [word for word in words if not re.fullmatch(r"[\d.]+", word)]
    for column, word in zip(head, words):
        if word not in names:
            yield Measure(f"{' '.join(names)}, {column}", float(word),
                          COLUMNS.get(column, "less"), 0, True,
                          (lines, (k, column)))


def of_words(lines, k, heading):
    """Numbers in a sentence; its words are their name."""
    line = UNSTEADY.sub("", lines[k])
    told = heading + re.sub(r"=+ ?", "", NUMBER.sub("#", line)).strip()
    if line.startswith("FAIL") or line.startswith("ok "):
        name = line.split(":")[0].split(None, 1)[1]
        yield Measure(f"{name} is right", float(line.startswith("ok")), "more",
                      0, True, (lines, (k, "ok")))
        told = name + ": " + told.partition(": ")[2]
        line = " " * len(line.partition(": ")[0]) + line[line.find(": "):]
    for n, found in enumerate(NUMBER.finditer(line)):
        better = next((b for b, text in LINES
                       if re.search(text + "$", line[:found.start()])), None)
        if better is None:
            better = next((b for b, text in WORDS
                           if re.match(text, line[found.end():])), "")
        yield Measure(f"{told} [{n}]", float(found[0]), better, 0, True,
                      (lines, (k, found.span())))


def of_text(lines):
    header, heading = None, ""
    for k, line in enumerate(lines):
        after = lines[k + 1] if k + 1 < len(lines) else ""
        began = header_of(line, after)
        if began:
            header = began
        elif not line.strip():
            header, heading = None, ""
        elif header and len(header[0](line)) == len(header[1]):
            yield from of_columns(lines, k, header)
        else:
            if not line.startswith(" ") and not heading:
                heading = line.partition(":")[0] + ": " \
                    if after.startswith("  ") else ""
            yield from of_words(lines, k, heading)


# ---- Any record -------------------------------------------------------------

def load(path):
    """A record: its JSON, or {"lines": [..]}."""
    with open(path, encoding="utf-8") as f:
        if path.endswith(".json"):
            return json.load(f)
        return {"lines": f.read().splitlines()}


def measures(record):
    if "lines" in record:
        return of_text(record["lines"])
    return of_json(record)


def said(record, what):
    """The device, commit or another fact of the record's context."""
    if "lines" not in record:
        return record["context"].get(what)
    found = re.search(rf"^{what} +(.+)$", "\n".join(record["lines"]), re.M)
    return found[1].split(", driver")[0] if found else None


def machine(record):
    """The device of a record, once for several alike, and their number: some
    programs name every GPU of the machine, one per line."""
    names = dict.fromkeys((said(record, "device") or "unknown").splitlines())
    gpus = said(record, "gpus")
    return (f"{gpus} x " if gpus else "") + ", ".join(names)
