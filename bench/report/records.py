"""The records of bench/results: finding, reading and writing them."""
import glob
import json
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
RESULTS = os.path.join(ROOT, "bench", "results")

def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def save(path, data):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(data, f, indent=1)
        f.write("\n")


def read(path):
    """The text of a file; empty if there is none."""
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as f:
        return f.read()


def lines_of(name):
    path = os.path.join(RESULTS, name)
    return read(path).splitlines() if os.path.exists(path) else []


def latest(what, gpus=0):
    """The newest record of a kind, or None; gpus: of as many GPUs, if not 0.
    Names without -x2 are older."""
    paths = sorted(glob.glob(os.path.join(RESULTS, what + "-*.json")),
                   key=lambda path: re.search(r"-x\d+\.json$", path) is None)
    results = [record for record in map(load, paths)
               if gpus in (0, record["context"].get("gpus"))]
    return max(results, key=lambda r: r["context"].get("date", ""),
               default=None)


def plain(b):
    """The name without Google Benchmark's suffixes."""
    name = b.get("run_name", b["name"])
    return re.sub(r"/(iterations|repeats|min_time):[^/]*|/manual_time", "",
                  name)


def cells(data):
    """The rows of a benchmark by name."""
    return {plain(b): b for b in data["benchmarks"]}


def device_of(context):
    """The device, once if a record names each GPU of the machine."""
    return ", ".join(dict.fromkeys(context.get("device", "").splitlines()))


def commits_of(context):
    """The commit of a record, and the commits of programs measured earlier,
    with machine code that bench/same.py found unchanged."""
    others = context.get("commits", {})
    return f"commit {context['commit']}" + "".join(
        f", {program}: {commit}" for program, commit in others.items())


def origin(context):
    """The origin of a record: device, command and commits."""
    said = [device_of(context), f"`{context['command']}`", commits_of(context)]
    return ", ".join(part for part in said if part)


def tidy(path):
    """Removes fields that do not affect the result."""
    data = load(path)
    context = data["context"]
    for key in ("host_name", "executable", "load_avg"):
        context.pop(key, None)
    for b in data["benchmarks"]:
        if "aggregate_name" not in b:
            b["name"] = b["run_name"] = plain(b)
    save(path, data)


def merge(path, more):
    """Adds the rows of another file to a record, replacing rows of one name."""
    data, new = load(path), load(more)
    if "lowbit" in data:
        data["lowbit"] += new["lowbit"]
        return save(path, data)
    names = {b["name"] for b in new["benchmarks"]}
    rows = [b for b in data["benchmarks"] if plain(b) not in names]
    copied = {plain(b).rsplit("/", 1)[0]: b["GB/s"] for b in rows
              if plain(b).endswith("/copy")}
    for b in new["benchmarks"]:
        case = b["name"].rsplit("/", 1)[0]
        if case in copied:
            b["of_copy"] = b["GB/s"] / copied[case]
        rows.append(b)
    data["benchmarks"] = rows
    data["context"].update(new["context"])
    save(path, data)
