"""Sorts, scans, permutations, lookups and quantisation."""
from report.markdown import grid
from report.records import origin
from report.rows import ROW_GOAL, below, by_case, left_out
from report.subject import Subject

# Fractions of the copy. Sorts have none: instructions bound them.
GOALS = dict.fromkeys(("cumsum", "segmented cumsum", "permute",
                            "gather gemv", "embedding", "embedding backward",
                            "quantise each row", "quantise to fp8",
                            "quantise to mxfp8", "quantise to nvfp4"),
                           ROW_GOAL)


def more_of(data):
    return by_case(data["more"], "shape")


def table(data):
    context = data["context"]
    names = ("ll", "triton", "torch", "torch compiled", "cub")
    body = [[f"{kernel}, {kind}, {shape}"] +
            [f"{case[name]['of_copy']:.3f}" if name in case else ""
             for name in names] +
            [f"{case['ll']['GB/s']:.0f}", case["ll"]["tiling"]]
            for (kernel, kind, shape), case in more_of(data).items()]
    return ["Fractions of a copy kernel timed in the same rounds, "
            f"{origin(context)}, torch "
            f"{context['torch']}, Triton {context.get('triton', 'not run')}. "
            "CUB: scans by keys or of pairs, and the faster of its segmented "
            "sorts. Triton's gather gemv and embedding are on [another "
            "page](paper.md). Empty: not run" + left_out(context), ""] + grid(
                ["kernel, type, shape", "ll", "Triton", "PyTorch",
                 "PyTorch, compiled", "CUB", "GB/s", "tiling"], body)


def missed(data):
    for (kernel, kind, shape), case in more_of(data).items():
        yield from below(f"{kernel}, {kind}, {shape}", case,
                         GOALS.get(kernel, 0.0))


SUBJECTS = [Subject(
    "more", "more", "more", "Sorts, scans, permutations, lookups",
    "And quantisation, on random data that no cache holds.", table, missed)]
