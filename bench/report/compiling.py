"""Compile time: a transpose, the examples, a conversion, a constant."""
import os

from report.markdown import grid
from report.records import RESULTS
from report.subject import Miss, Subject
from report.svg import svg

COMPILE_GOAL, LESSON_GOAL, EXAMPLE_GOAL = 1.25, 4, 10


def compile_table(data):
    context = data["context"]
    names = {"compile/empty": "an empty kernel",
             "compile/hand": "a transpose by hand, no header",
             "compile/layout": "the same with the library",
             "compile/lesson": "the lesson on transposes",
             "compile/planner": "an empty kernel after sections 4 to 20"}
    rows = [[names.get(b["name"], b["name"]), f"{b['seconds']:.2f}",
             f"{b['of_hand']:.2f}" if "of_hand" in b else "",
             str(b["memory_MB"])] for b in data["benchmarks"]]
    return [f"Processor time, median of five; {context.get('device', '')}, "
            f"{context.get('compiler', '')}, "
            f"`{context.get('command', 'bench/run.sh compile')}`, commit "
            f"{context.get('commit', '')}.", ""] + grid(
                ["", "seconds", "of the hand-written", "MB"], rows)


def compile_missed(data):
    for row in data["benchmarks"]:
        if row["name"] == "compile/layout" and row["of_hand"] > COMPILE_GOAL:
            yield Miss("a transpose with the library",
                       f"{row['of_hand']:.2f} of the hand-written",
                       f"{COMPILE_GOAL:.2f}")
        if row["name"] == "compile/lesson" and row["seconds"] > LESSON_GOAL:
            yield Miss("the lesson on transposes", f"{row['seconds']:.1f} s",
                       str(LESSON_GOAL))


def compile_charts(data):
    yield svg(
        os.path.join(RESULTS, "compile.svg"), "nvcc on a transpose",
        [(b["name"].split("/")[1], [b["seconds"]])
         for b in data["benchmarks"][:3]], ["seconds"],
        f"seconds; dashed line: {COMPILE_GOAL} times the hand-written",
        data["benchmarks"][1]["seconds"] * COMPILE_GOAL)


def examples_table(data):
    context = data["context"]
    return ["Seconds of processor time. Registers, bytes of stack and bytes of "
            f"spills are maxima over a file's kernels. {context['device']}, "
            f"nvcc {context['compiler']}, `{context['command']}`, commit "
            f"{context['commit']}.", ""] + grid(
        ["", "seconds", "kernels", "registers", "stack", "spills"],
        [[f"`{row['name']}`", f"{row['seconds']:.1f}", str(row["kernels"]),
          str(row["registers"]), str(row["stack_bytes"]),
          str(row["spilled_bytes"])] for row in data["examples"]])


def examples_missed(data):
    for row in data["examples"]:
        if row["seconds"] > EXAMPLE_GOAL:
            yield Miss(f"`{row['name']}`", f"{row['seconds']:.1f} s",
                       str(EXAMPLE_GOAL))
        if row["spilled_bytes"] or row["stack_bytes"]:
            yield Miss(f"`{row['name']}`", f"{row['spilled_bytes']} bytes "
                       f"spilled and {row['stack_bytes']} of stack", "none")


def conversions_table(data):
    """Seconds that one conversion adds, and thousands of steps of its plan."""
    context, rows = data["context"], data["conversions"]
    sizes = sorted({r["registers"] for r in rows})
    goal = context["goal_ms"]
    most = max(r["over_ms"] for r in rows)
    steps = max((r["kilosteps"] or 0 for r in rows), default=0)
    body = []
    for key in dict.fromkeys((r["pair"], r["bits"]) for r in rows):
        of = {r["registers"]: r for r in rows if (r["pair"], r["bits"]) == key}
        body.append([f"{key[0]}, {key[1]} bits"] +
                    [f"{of[n]['over_ms'] / 1000:.2f}, "
                     f"{of[n]['kilosteps'] or '?'}"
                     if n in of else "" for n in sizes])
    return [f"Seconds of processor time that one conversion adds to an nvcc "
            f"build, and thousands of steps in which clang evaluates its plan, "
            f"by elements per lane. At most {most / 1000:.2f} s (goal "
            f"{goal / 1000:.2f} s) and {steps},000 steps; the whole build of a "
            f"transpose with CuTe takes 15.6 s. "
            f"`{context['command']}`, commit {context['commit']}.", ""] + grid(
                [""] + [str(n) for n in sizes], body)


def conversions_missed(data):
    goal = data["context"]["goal_ms"]
    for row in data["conversions"]:
        if row["over_ms"] > goal:
            yield Miss(f"{row['pair']}, {row['bits']} bits, "
                       f"{row['registers']} elements per lane",
                       f"{row['over_ms'] / 1000:.2f} s", f"{goal / 1000:.2f}")


def constants_table(data):
    """The most expensive constructors."""
    context = data["context"]
    rows = sorted(data["constants"], key=lambda r: -r["over_ms"])
    return [f"Milliseconds of processor time that a constant layout adds to a "
            f"build, the dearest of {len(rows)} constructors (goal "
            f"{context['goal_ms']}); {context.get('device', '')}, "
            f"`{context['command']}`, commit {context['commit']}.", ""] + grid(
                ["", "ms"], [[f"`{r['call']}`", f"{r['over_ms']:.0f}"]
                             for r in rows[:8]])


def constants_missed(data):
    goal = data["context"]["goal_ms"]
    for row in data["constants"]:
        if row["over_ms"] > goal:
            yield Miss(f"`{row['call']}`", f"{row['over_ms']:.0f} ms",
                       str(goal))


SUBJECTS = [
    Subject("compile", "compile", "", "Compile time of a transpose",
            "An nvcc build of one file. The same transpose with CuTe takes "
            "15.6 seconds.", compile_table, compile_missed, compile_charts,
            ("compile.svg",)),
    Subject("examples", "examples", "examples", "Compile time of examples",
            "Each by the command in its opening comment.", examples_table,
            examples_missed),
    Subject("conversions", "conversions", "conversions",
            "Compile time of a conversion",
            "How much one conversion adds, by the size of the tile.",
            conversions_table, conversions_missed),
    Subject("constants", "constants", "constants",
            "Compile time of a constant", "How much one layout adds.",
            constants_table, constants_missed),
]
