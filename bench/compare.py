#!/usr/bin/env python3
"""compare.py NEW OLD - did a row of bench/results become slower?

NEW is a result that was measured just now, OLD the recorded one of the same
kind and device. A row of ll fails where it is more than 3 % worse and by more
than the spread that OLD has for it, or where NEW lacks it; other libraries'
rows are not judged. Transposes are compared by their fraction of the copy
kernel in the same run. Exit 1: a row fails. Exit 2: nothing can be compared.

compare.py --self-test: plants a slow row in results of each kind.
"""
import copy
import json
import re
import sys

from report import plain

LEAST = 0.03  # of what was recorded; less is never called worse
PEERS = re.compile(r"(^|/)(copy|copy_flat|memcpy|naive|padded[^/]*|triton|"
                   r"torch|hand|empty|cub[^/]*|m4ri)$")


def spread_of(runs):
    return max(runs) - min(runs)


def timed(b):
    """A row of a GPU: its time, and the spread in the same unit."""
    value = 1 / b["of_copy"] if "of_copy" in b else b["ns"]
    return value, b["spread"] * value if "spread" in b else None


def host(data):
    """Rows of aggregates: the median, and the spread of the repetitions."""
    rows, spread = {}, {}
    for b in data["benchmarks"]:
        if b.get("aggregate_name") == "median":
            rows[plain(b)] = b["cpu_time"]
        elif b.get("aggregate_name") == "spread":
            spread[plain(b)] = b["cpu_time"]
    return {name: (ns, spread[name] * ns if name in spread else None)
            for name, ns in rows.items()}


def rows_of(data):
    """By name: a figure of which less is better, and its absolute spread."""
    if "conversions" in data:
        return {f"conversion/{r['pair']}/u{r['bits']}/{r['registers']}":
                (r["over_ms"], r.get("spread_ms"))
                for r in data["conversions"]}
    if "constants" in data:
        return {f"constant/{r['name']}": (r["over_ms"],
                                          spread_of(r["runs_ms"]))
                for r in data["constants"]}
    rows = data["benchmarks"]
    if any("aggregate_name" in b for b in rows):
        return host(data)
    if any("seconds" in b for b in rows):
        return {b["name"]: (b["seconds"], spread_of(b["runs"]))
                for b in rows}
    return {plain(b): timed(b) for b in rows
            if "of_copy" in b or "ns" in b}


def judged(data):
    return {name: row for name, row in rows_of(data).items()
            if not PEERS.search(name)}


def faults(new, old):
    """A sentence for each row that fails."""
    then, now = (f"{d['context'].get('commit', 'an unknown commit')}"
                 for d in (old, new))
    measured = judged(new)
    for name, (value, spread) in judged(old).items():
        if name not in measured:
            yield f"{name}: recorded at {then}, missing at {now}"
        elif spread is None:
            yield (f"{name}: recorded at {then} without a spread; "
                   "measure and record it anew")
        elif measured[name][0] > value + max(LEAST * abs(value), spread):
            worse = measured[name][0] - value
            yield (f"{name}: {value:.4g} at {then}, {measured[name][0]:.4g} at "
                   f"{now}: {100 * worse / abs(value or 1):.1f} % worse, "
                   f"spread {100 * spread / abs(value or 1):.1f} %")
    for b in new.get("benchmarks", []):
        if b.get("error_occurred"):
            yield f"{plain(b)}: wrong at {now}"


def compare(new, old):
    devices = [d["context"].get("device", "unknown") for d in (new, old)]
    if devices[0] != devices[1]:
        print(f"compare: measured on {devices[0]}, recorded on {devices[1]}: "
              "nothing can be compared")
        return 2
    if not judged(old):
        print("compare: the recorded result has no rows")
        return 2
    found = list(faults(new, old))
    for line in found:
        print("WORSE", line)
    print(f"{len(judged(old))} rows compared, {len(found)} worse")
    return bool(found)


# ---- Self-test --------------------------------------------------------------

def context(rows, **more):
    return {"context": {"device": "d", "commit": "0000001"}, **rows, **more}


# One result of each kind; its row of ll, as a path, and the spread there.
KINDS = {
    "gpu": (context({"benchmarks": [
        {"name": "transpose/u8/8x8/copy", "of_copy": 1.0, "spread": 0.01},
        {"name": "transpose/u8/8x8/layout", "of_copy": 0.98,
         "spread": 0.01}]}), ("benchmarks", 1, "of_copy")),
    "convert": (context({"benchmarks": [
        {"name": "convert/a/u8/triton", "ns": 900.0, "spread": 0.01},
        {"name": "convert/a/u8/ll", "ns": 500.0, "spread": 0.01}]}),
        ("benchmarks", 1, "ns")),
    "host": (context({"benchmarks": [
        {"name": "x_spread", "run_name": "solve", "cpu_time": 0.01,
         "aggregate_name": "spread"},
        {"name": "x_median", "run_name": "solve", "cpu_time": 300.0,
         "aggregate_name": "median"}]}), ("benchmarks", 1, "cpu_time")),
    "compile": (context({"benchmarks": [
        {"name": "compile/hand", "seconds": 0.6, "runs": [0.6, 0.6]},
        {"name": "compile/layout", "seconds": 0.8, "runs": [0.8, 0.808]}]}),
        ("benchmarks", 1, "seconds")),
    "conversions": (context({"conversions": [
        {"pair": "p", "bits": 8, "registers": 8, "over_ms": 100.0,
         "spread_ms": 1.0}]}), ("conversions", 0, "over_ms")),
    "constants": (context({"constants": [
        {"name": "f", "over_ms": 100.0, "runs_ms": [700, 701]}]}),
        ("constants", 0, "over_ms")),
}


def changed(data, where, factor):
    """The result with the row's time so many times as long, in commit 2."""
    data = copy.deepcopy(data)
    row = data[where[0]][where[1]]
    row[where[2]] *= 1 / factor if where[2] == "of_copy" else factor
    data["context"]["commit"] = "0000002"
    return data


def trials():
    """What is tried, whether it failed, and whether it should."""
    for kind, (old, where) in KINDS.items():
        for factor, should in ((1.0, False), (1.02, False), (0.5, False),
                               (1.05, True)):
            found = list(faults(changed(old, where, factor), old))
            named = all("0000001" in f and "0000002" in f for f in found)
            yield f"{kind} x {factor}", bool(found) and named, should
        missing = changed(old, where, 1.0)
        del missing[where[0]][where[1]]
        yield f"{kind}, missing", bool(list(faults(missing, old))), True
    old, where = KINDS["convert"]
    noisy, bare = copy.deepcopy(old), copy.deepcopy(old)
    noisy["benchmarks"][1]["spread"] = 0.1
    del bare["benchmarks"][1]["spread"]
    slow = changed(old, where, 1.05)
    yield "within its spread", bool(list(faults(slow, noisy))), False
    yield "without a spread", bool(list(faults(old, bare))), True
    peer = changed(old, ("benchmarks", 0, "ns"), 2)
    yield "a slow peer", bool(list(faults(peer, old))), False


def self_test():
    tried = list(trials())
    failed = [what for what, seen, should in tried if seen != should]
    for what in failed:
        print("FAIL", what)
    print(f"{len(tried) - len(failed)} passed, {len(failed)} failed")
    return bool(failed)


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    results = []
    for path in sys.argv[1:]:
        try:
            with open(path, encoding="utf-8") as f:
                results.append(json.load(f))
        except (OSError, ValueError) as why:
            print(f"compare: {path}: {why}")
            return 2
    return compare(*results)


if __name__ == "__main__":
    sys.exit(main())
