"""Planning on the host, beside libm4ri."""
import os

from report.markdown import grid, number
from report.records import RESULTS, plain
from report.subject import Miss, Subject
from report.svg import COLOURS, svg

# in nanoseconds
GOALS = {"swizzle/2^14/transpose": 5000, "swizzle/2^14/random": 5000,
              "solve/16x16/first": 200}


def host_rows(data):
    rows = sorted(data["benchmarks"], key=lambda b: b.get("family_index", 0))
    time = {plain(b): b["cpu_time"] for b in rows
            if b.get("aggregate_name", "median") == "median"}
    return [(name, ns, time.get(peer_of(name)), GOALS.get(name))
            for name, ns in time.items() if not name.endswith("/m4ri")]


def peer_of(name):
    """The row of libm4ri for a row of ours; it has one per size."""
    part = name.split("/")
    alone = len(part) == 2 or part[2:] == ["first"]
    return "/".join(part[:2]) + "/m4ri" if alone else None


def table(data):
    context = data["context"]
    rows = [[f"`{name}`", number(ns), number(peer), number(goal)]
            for name, ns, peer, goal in host_rows(data)]
    return [f"Nanoseconds, median of nine; {context.get('device', '')}, "
            f"compiler {context.get('compiler', '')}, "
            f"`{context.get('command', 'bench/run.sh host')}`, commit "
            f"{context.get('commit', '')}.", ""] + grid(
                ["", "ll", "libm4ri", "goal"], rows)


def missed(data):
    for name, ns, _, goal in host_rows(data):
        if goal and ns > goal:
            yield Miss(f"`{name}`", f"{ns:.0f} ns", str(goal))


def charts(data):
    rows = [r for r in host_rows(data) if r[2]]
    yield svg(
        os.path.join(RESULTS, "host.svg"), "Planning on the host",
        [(name.replace("/first", ""), [ns, peer])
         for name, ns, peer, _ in rows], ["ll", "libm4ri"], "nanoseconds",
        colours=[COLOURS[-1], COLOURS[0]])


SUBJECTS = [Subject(
    "host", "host", "", "Planning on the host",
    "Beside libm4ri on the same matrices.",
    table, missed, charts, ("host.svg",))]
