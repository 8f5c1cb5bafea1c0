"""The kernels that the paper measures, beside Triton's."""
from report.markdown import grid
from report.records import commits_of
from report.subject import Miss, Subject

GOAL = 1.0
FASTEST = ("int4gemm", "gemm", "flex_attention")


def paper_figure(benchmark):
    """The figure that the paper's text gives for a benchmark, on a GH200."""
    return "0.96 to 1.40" + (", among the most" if benchmark in FASTEST
                             else "")


def table(data):
    context = data["context"]
    return [f"Microseconds; {context['device']}, `{context['command']}`, "
            f"{commits_of(context)}, torch {context['torch']}, Triton "
            f"{context['triton']}. Paper: times as fast as before, after "
            "linear layouts came to Triton, on a GH200. The paper's figure has "
            "points without numbers; its text gives the range and names the "
            "benchmarks that gained most. bf16xint16_gemm: Triton rounds the "
            "weights to bf16, ours is exact.", ""] + grid(
                ["benchmark", "shape", "ours", "Triton", "times as fast",
                 "paper", "Triton's best"],
                [[r["benchmark"], r["shape"], f"{r['us']:.1f}",
                  f"{r['triton_us']:.1f}", f"{r['ratio']:.2f}",
                  paper_figure(r["benchmark"]), r["triton"]]
                 for r in data["of_paper"]])


def missed(data):
    for row in data["of_paper"]:
        if row["ratio"] < GOAL:
            yield Miss(f"{row['benchmark']}, {row['shape']}",
                       f"{row['ratio']:.2f} times as fast as Triton's",
                       f"{GOAL:.2f}")


SUBJECTS = [Subject(
    "of_paper", "benchmarks", "of_paper", "Kernels that the paper measures",
    "Beside Triton's kernels for the same task, in one process. The paper "
    "counts what linear layouts gained Triton: 0.96 to 1.40 times as fast as "
    "before on a GH200.", table, missed)]
