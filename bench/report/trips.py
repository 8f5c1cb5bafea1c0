"""Times of round trips, of conversions and gathers, and ncu's wavefronts."""
import csv
import sys

from report.records import cells, load, save

LEAST_NS = 50  # a shorter trip is only the loop


def fastest(found, case, bits, who, what="convert"):
    """The row of `who`; the fastest of several if it ends in *."""
    start = f"{what}/{case}/u{bits}/"
    some = [b for name, b in found.items()
            if (name == start + who if not who.endswith("*") else
                name.startswith(start + who[:-1]))
            and not b.get("error_occurred")]
    return min(some, key=lambda b: b["ns"], default=None)


def speed(ll, peer):
    """Times as fast as the peer; None if nothing moves."""
    return peer["ns"] / ll["ns"] if ll and peer and min(
        ll["ns"], peer["ns"]) >= LEAST_NS else None


def limit_of(b):
    """The fraction of the hardware limit for this kind of plan."""
    return b.get("shuffle_roof" if b.get("label") == "shuffles" else "roof")


def as_planned(row):
    """Are the counts of ten round trips as planned? Fractions come from other
    code."""
    return abs(row["wavefronts"] - row["wavefronts_counted"]) < 0.5


def counted_line(found, what="conversions"):
    some = [b for b in found.values()
            if "wavefronts" in b and "wavefronts_counted" in b]
    right = sum(as_planned(b) for b in some)
    return some and ["", f"Wavefronts of shared memory, shuffles and barriers "
                     f"counted by ncu as planned: {right} of {len(some)} "
                     f"{what}."]


def counted(rows, metric):
    """The counts of one round trip, for each pair of launches: their difference
    over ten."""
    value = [float(r[metric].replace(",", "")) for r in rows]
    return [(many - few) / 10 for few, many in zip(value[::2], value[1::2])]


def profile(path, names, table):
    """Adds ncu's counts to the rows of a record. ncu's table has a row of
    units, then one row per launch, in order."""
    data = load(path)
    with open(names) as f:
        order = f.read().split()
    with open(table) as f:
        rows = [r for r in csv.DictReader(
            line for line in f if line.startswith('"')) if r["ID"]]
    if len(rows) != 2 * len(order):
        sys.exit(f"report: {len(rows)} launches counted, {len(order)} pairs "
                 "expected")
    metric = "l1tex__data_pipe_lsu_wavefronts_mem_shared"
    found = cells(data)
    for suffix, key in ((".sum", "wavefronts_counted"),
                        ("_op_ld.sum", "wavefronts_counted_loads"),
                        ("_op_st.sum", "wavefronts_counted_stores")):
        for name, n in zip(order, counted(rows, metric + suffix)):
            if name in found:
                found[name][key] = n
    save(path, data)
