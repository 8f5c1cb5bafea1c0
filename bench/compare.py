#!/usr/bin/env python3
"""compare.py NEW OLD - which figures of a record changed?

NEW is a new record, OLD the one in bench/results. Both must be of the same kind
and the same machine, with the same number of GPUs. Prints a line for each
figure that differs by more than 3 % and by more than its spread in OLD:

    WORSE    it fell, or rose if less is better
    BETTER   the opposite
    CHANGED  neither direction is better
    GONE     NEW lacks the row
    NEW      OLD lacks the row
    BARE     OLD has the row without its spread: measure and record it again

The best of several tilings of a kernel counts. Rows of other libraries are not
compared. Exit 1: a row is WORSE, GONE or BARE, or a result in NEW is wrong.
Exit 2: the records cannot be compared.

compare.py --self-test: plants a worse figure in every file of bench/results and
in records of other kinds.
"""
import copy
import glob
import os
import sys

from report.measures import load, machine, measures, said

LEAST = 0.03  # of the recorded figure; a smaller change is never reported
FAILS = ("WORSE", "GONE", "BARE", "WRONG")
RESULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "results")
NO_RECORDS = ("same-code.txt", ".svg", ".md")


def judged(record):
    """Our figures by name, the best of several tilings."""
    found = {}
    for one in measures(record):
        best = found.get(one.name)
        if one.ours and (best is None or (
                one.value > best.value if one.better == "more" else
                one.value < best.value)):
            found[one.name] = one
    return found


def verdict(old, new):
    """The verdict on a figure, or None if it did not change."""
    if old.spread is None and old.better:
        return "BARE"
    change = new.value - old.value
    if abs(change) <= max(LEAST * abs(old.value), old.spread or 0):
        return None
    if not old.better:
        return "CHANGED"
    return "BETTER" if (change > 0) == (old.better == "more") else "WORSE"


def percent(part, whole):
    return f"{100 * part / abs(whole):.1f} %" if whole else f"{part:.4g}"


def wrong(record):
    """The rows with wrong results."""
    for row in record.get("benchmarks", []):
        if row.get("error_occurred"):
            yield row["name"]


def changes(new, old):
    """The verdict and a message for each figure that changed."""
    then, now = (said(record, "commit") or "an unknown commit"
                 for record in (old, new))
    before, after = judged(old), judged(new)
    for name, was in before.items():
        if name not in after:
            yield "GONE", f"{name}: recorded at {then}, missing at {now}"
            continue
        found, value = verdict(was, after[name]), after[name].value
        if found == "BARE":
            yield found, f"{name}: recorded at {then} without a spread"
        elif found:
            yield found, (f"{name}: {was.value:.4g} at {then}, {value:.4g} at "
                          f"{now}: {percent(value - was.value, was.value)}, "
                          f"spread {percent(was.spread or 0, was.value)}")
    for name in after.keys() - before.keys():
        yield "NEW", f"{name}: {after[name].value:.4g} at {now}"
    for name in wrong(new):
        yield "WRONG", f"{name} at {now}"


def compare(new, old):
    machines = [machine(record) for record in (new, old)]
    if machines[0] != machines[1]:
        print(f"compare: measured on {machines[0]}, recorded on {machines[1]}: "
              "these cannot be compared")
        return 2
    if not judged(old):
        print("compare: the recorded result has no rows")
        return 2
    found = sorted(changes(new, old))
    for line in found:
        print(*line)
    failed = [line for line in found if line[0] in FAILS]
    print(f"{len(judged(old))} rows compared, {len(found)} changed, "
          f"{len(failed)} worse or missing")
    return bool(failed)


# ---- Self-test --------------------------------------------------------------

def context(**more):
    return {"context": {"device": "d", "commit": "0000001"}, **more}


# Records that bench/results may lack, or with a small spread.
SAMPLES = {
    "gpu": context(benchmarks=[
        {"name": "transpose/u8/8x8/copy", "of_copy": 1.0, "spread": 0.01},
        {"name": "transpose/u8/8x8/layout", "of_copy": 0.98, "spread": 0.01}]),
    "convert": context(benchmarks=[
        {"name": "convert/a/u8/triton", "ns": 900.0, "spread": 0.01},
        {"name": "convert/a/u8/ll", "ns": 500.0, "spread": 0.01}]),
    "host": context(benchmarks=[
        {"name": "x_spread", "run_name": "solve", "cpu_time": 0.01,
         "aggregate_name": "spread"},
        {"name": "x_median", "run_name": "solve", "cpu_time": 300.0,
         "aggregate_name": "median"}]),
    "compile": context(benchmarks=[
        {"name": "compile/hand", "seconds": 0.6, "runs": [0.6, 0.6]},
        {"name": "compile/layout", "seconds": 0.8, "runs": [0.8, 0.808]}]),
    "conversions": context(conversions=[
        {"pair": "p", "bits": 8, "registers": 8, "over_ms": 100.0,
         "spread_ms": 1.0}]),
    "constants": context(constants=[
        {"name": "f", "over_ms": 100.0, "runs_ms": [700, 701]}]),
    "engine, 4 GPUs": {
        "context": {"device": "d\nd\nd\nd", "commit": "0000001"},
        "pairs": [{"name": "g", "cycles": [10.0, 12.0], "us": [5.0, 6.0],
                   "quartiles": [[4.99, 5.01], [6.0, 6.0]]}]},
    "nccl, 4 GPUs": {
        "context": {"device": "d", "gpus": 4, "commit": "0000001"},
        "nccl": [{"from": "row", "to": "piece", "bits": 16, "bytes": 1 << 26,
                  "wrong": 0, "us": 356.5, "all_to_all_us": 189.1}]},
    "reshard, 4 GPUs": {
        "context": {"device": "d", "gpus": 4, "commit": "0000001"},
        "reshard": [{"from": "row", "to": "column", "bits": 8, "type": "u8",
                     "bytes": 1 << 26, "wrong": 0, "us": 153.4,
                     "permute_nccl_us": 760.2}]},
    "redistribute, 4 GPUs": {
        "context": {"device": "d", "gpus": 4, "commit": "0000001"},
        "compared": [{"from": "row", "to": "piece", "type": "f32",
                      "means": "peers", "wrong": [0, 0, 0, 0]}],
        "times": [{"from": "row", "to": "piece", "type": "bf16",
                   "bytes": 1 << 30, "peers_us": 2128.4,
                   "dtensor_us": 3774.0}]},
}


def put(one, value):
    """Sets a figure of a record; a list keeps its length."""
    holder, key = one.place
    if isinstance(key, tuple):  # a figure in a line of text
        line, at = key
        was, text = holder[line], f"{value:.12g}"
        if at == "ok":
            holder[line] = ("ok" if value else "FAIL") + was[2:]
        elif isinstance(at, tuple):
            holder[line] = was[:at[0]] + text + was[at[1]:]
        else:
            holder[line] = was.replace(f" {one.value:.12g}", f" {text}", 1)
    elif isinstance(holder[key], list):
        holder[key] = [value] + [0] * (len(holder[key]) - 1)
    else:
        holder[key] = value


def moved(record, name, factor):
    """The record at a later commit, with one figure multiplied by factor."""
    record = copy.deepcopy(record)
    for one in measures(record):
        if one.name == name:
            put(one, one.value * factor)
    if "context" in record:
        record["context"]["commit"] = "0000002"
    return record


def verdicts(new, old, name):
    return {what for what, line in changes(new, old)
            if line.startswith(f"{name}: ")}


def chosen(record):
    """The judged figure with the least spread of each table and field."""
    found = {}
    for one in judged(record).values():
        if one.better and one.value:
            table = one.name.split("/")[0] if "/" in one.name else ""
            key = table, one.name.rpartition(", ")[2] if table else ""
            best = found.setdefault(key, one)
            if (one.spread or 0) * best.value < (best.spread or 0) * one.value:
                found[key] = one
    return found.values()


def planted(one):
    """Factors that make a figure larger, smaller, and different by less than
    the threshold; None if its place has no such value."""
    if isinstance(one.place[1], tuple):
        return (None, 0, 1) if one.place[1][1] == "ok" else (2, 0.5, 1)
    beyond = max(0.06, 1.1 * (one.spread or 0) / one.value)
    return 1 + beyond, 1 - beyond, 1 + LEAST / 2


def trials_of(kind, record):
    """Yields trials: name, verdicts found, verdicts expected."""
    yield f"{kind}, with itself", set(dict(changes(record, record))), set()
    yield f"{kind} is judged", bool(chosen(record)), True
    for one in chosen(record):
        up, down = (("BETTER", "WORSE") if one.better == "more" else
                    ("WORSE", "BETTER"))
        for factor, should in zip(planted(one), ({up}, {down}, set())):
            if factor is not None:
                yield (f"{kind}, {one.name} x {factor:.2f}",
                       verdicts(moved(record, one.name, factor), record,
                                one.name), should)


def without(record, name):
    """The record without the row of a figure."""
    record = copy.deepcopy(record)
    for key in record:
        if isinstance(record[key], list):
            record[key] = [row for row in record[key]
                           if row.get("run_name", row.get("name")) != name]
    return record


def trials_by_hand():
    sample = SAMPLES["convert"]
    name, peer = "convert/a/u8/ll", "convert/a/u8/triton"
    less = without(sample, name)
    yield "a row that is gone", verdicts(less, sample, name), {"GONE"}
    yield "a row that is new", verdicts(sample, less, name), {"NEW"}
    noisy, bare = copy.deepcopy(sample), copy.deepcopy(sample)
    noisy["benchmarks"][1]["spread"] = 0.1
    del bare["benchmarks"][1]["spread"]
    slow = moved(sample, name, 1.05)
    yield "within its spread", verdicts(slow, noisy, name), set()
    yield "without a spread", verdicts(sample, bare, name), {"BARE"}
    yield "a slow peer", verdicts(moved(sample, peer, 2), sample, peer), set()
    for what, status in (("with itself", sample), ("slower", slow)):
        lines = dict(changes(status, sample))
        yield f"exit status {what}", bool(set(lines) & set(FAILS)), \
            status is slow
    both = [line for _, line in changes(slow, sample)]
    yield "both commits are named", ["0000001" in line and "0000002" in line
                                     for line in both], [True]
    two = copy.deepcopy(SAMPLES["nccl, 4 GPUs"])
    two["context"]["gpus"] = 2
    yield "of 2 and of 4 GPUs", machine(two), "2 x d"
    yield "four names of a device", machine(SAMPLES["engine, 4 GPUs"]), "d"


def trials():
    for kind, record in SAMPLES.items():
        yield from trials_of(kind, record)
    for path in sorted(glob.glob(os.path.join(RESULTS, "*"))):
        if not path.endswith(NO_RECORDS):
            yield from trials_of(os.path.basename(path), load(path))
    yield from trials_by_hand()


def self_test():
    tried = list(trials())
    failed = [f"{what}: {seen}, to be {should}"
              for what, seen, should in tried if seen != should]
    for what in failed:
        print("FAIL", what)
    print(f"{len(tried) - len(failed)} passed, {len(failed)} failed")
    return bool(failed)


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    records = []
    for path in sys.argv[1:]:
        try:
            records.append(load(path))
        except (OSError, ValueError) as why:
            print(f"compare: {path}: {why}")
            return 2
    return compare(*records)


if __name__ == "__main__":
    sys.exit(main())
