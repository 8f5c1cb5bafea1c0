#!/usr/bin/env python3
"""engine_optimal.py - the least cost of recorded graphs, by whole numbers.

    engine_optimal.py FOLDER [SECONDS]

FOLDER holds graphs as numbers, which tests/data_engine_model.c writes: the cost
of each instance of an operation, the layouts it takes and gives, and the cost of
conversions. Each graph becomes an integer program, which HiGHS (of Python's
highspy) solves within SECONDS: an instance is taken or not, a layout of a value
is held or not, and one that is held is made by an operation or converted from
another one that is held. The engine's cost must be the least.
Nothing here knows how the engine searches.
"""
import pathlib
import sys
import time

try:
    import highspy
except ImportError:
    highspy = None

SECONDS = 600.0


def read(text):
    """Name, cost, operations and values of a graph as numbers."""
    graph = {"ops": [], "values": {}}
    for line in text.splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "graph":
            graph["name"] = rest
        elif kind == "cost":
            graph["cost"] = int(rest)
        elif kind == "op":
            head, *instances = rest.split(" | ")
            most, again = map(int, head.split())
            op = {"most": most, "again": again, "instances": []}
            for words in instances:
                price, _, layouts = words.partition(" ")
                takes, _, gives = f" {layouts} ".partition(" > ")
                op["instances"].append((int(price), takes.split(),
                                        gives.split()))
            graph["ops"].append(op)
        else:
            v, users, *costs = map(int, rest.split())
            n = round(len(costs) ** 0.5)
            graph["values"][v] = (users, n, costs)
    return graph


class Program:
    """Rows and columns of an integer program in which all columns are 0 or 1,
    except places."""

    def __init__(self):
        self.cost, self.upper, self.whole = [], [], []
        self.rows = []                     # (least, most, {column: factor})

    def column(self, cost=0, upper=1, whole=True):
        self.cost.append(cost)
        self.upper.append(upper)
        self.whole.append(whole)
        return len(self.cost) - 1

    def row(self, least, most, *terms):
        factors = {}
        for column, factor in terms:
            factors[column] = factors.get(column, 0) + factor
        self.rows.append((least, most, factors))


INF = float("inf")


def operations(program, graph):
    """A column for each instance. Returns the constant part of the cost, and
    who takes and who gives each layout: columns by operation."""
    constant, takers, givers = 0, {}, {}
    for number, op in enumerate(graph["ops"]):
        taken = [program.column(price + op["again"])
                 for price, _, _ in op["instances"]]
        constant -= op["again"]
        program.row(1, op["most"], *((t, 1) for t in taken))
        for column, (_, takes, gives) in zip(taken, op["instances"]):
            for layout in set(takes):
                takers.setdefault(layout, []).append((number, column))
            for layout in set(gives):
                givers.setdefault(layout, []).append(column)
    return constant, takers, givers


def conversions(program, v, value, takers, givers):
    """Columns and rows for the layouts of a value: a layout that an instance
    takes is held; one that is held is given, or converted from one that is held
    and comes before it."""
    users, n, costs = value
    held = [program.column() for _ in range(n)]
    place = [program.column(0, n, False) for _ in range(n)]
    into = [[] for _ in range(n)]
    for a in range(n):
        for b in range(n):
            # With one user there is no way through what it does not take.
            if a != b and f"{v}.{b}" in takers:
                move = program.column(costs[a * n + b])
                into[b].append(move)
                program.row(-INF, 0, (move, 1), (held[a], -1))
                program.row(-INF, n, (place[a], 1), (place[b], -1),
                            (move, n + 1))
    for c in range(n):
        layout = f"{v}.{c}"
        for _, column in takers.get(layout, []):
            program.row(-INF, 0, (column, 1), (held[c], -1))
        program.row(-INF, 0, (held[c], 1),
                    *((g, -1) for g in givers.get(layout, [])),
                    *((m, -1) for m in into[c]))
        if users < 2:
            for move in into[c]:
                program.row(-INF, 0, (move, 1), *(
                    (column, -1) for _, column in takers.get(layout, [])))


def least(graph, seconds):
    """The least cost as a proven bound and a found one."""
    program = Program()
    constant, takers, givers = operations(program, graph)
    for v, value in graph["values"].items():
        conversions(program, v, value, takers, givers)
    h = highspy.Highs()
    h.setOptionValue("output_flag", False)
    h.setOptionValue("threads", 1)
    h.setOptionValue("time_limit", seconds)
    h.setOptionValue("mip_rel_gap", 0.0)
    h.setOptionValue("mip_abs_gap", 0.5) # costs are whole
    for cost, upper, whole in zip(program.cost, program.upper, program.whole):
        h.addVar(0, upper)
        column = h.getNumCol() - 1
        h.changeColCost(column, float(cost))
        if whole:
            h.changeColIntegrality(column, highspy.HighsVarType.kInteger)
    for low, high, factors in program.rows:
        h.addRow(low, high, len(factors), list(factors),
                 [float(x) for x in factors.values()])
    h.run()
    info = h.getInfo()
    return (info.mip_dual_bound + constant,
            info.objective_function_value + constant)


def judge(graph, bound, found):
    """What is wrong with the engine's cost; None if it is the least."""
    cost = graph["cost"]
    if found < cost - 0.5:
        return f"costs {cost}, and {found:.0f} is possible"
    if bound > cost + 0.5:
        return f"costs {cost}, less than the bound {bound:.0f}"
    if bound <= cost - 1 + 1e-3:
        return f"costs {cost}, and only {bound:.0f} is proven"
    return None


def main():
    if highspy is None:
        print("skipped: Python has no highspy\n0 passed, 0 failed, 1 skipped")
        return 0
    folder = pathlib.Path(sys.argv[1])
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else SECONDS
    passed, failed, slowest = 0, 0, (0.0, "")
    for path in sorted(folder.glob("*.txt"),
                       key=lambda p: (int(p.name.partition(".")[0]), p.name)):
        graph = read(path.read_text())
        start = time.process_time()
        wrong = judge(graph, *least(graph, seconds))
        took = time.process_time() - start
        slowest = max(slowest, (took, graph["name"]))
        if wrong:
            print(f"FAIL {path.stem} {graph['name']}: {wrong}, {took:.1f} s",
                  flush=True)
        passed, failed = passed + (not wrong), failed + bool(wrong)
    print(f"HiGHS {highspy.Highs().version()}; slowest {slowest[0]:.1f} s, "
          f"{slowest[1]}")
    print(f"{passed} passed, {failed} failed")
    return failed != 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
