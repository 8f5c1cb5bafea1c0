"""Grouped GEMM beside torch and Triton."""
from report.markdown import grid
from report.subject import Miss, Subject

GOAL = 1.0  # of the best peer


def grouped_rows(data):
    """By case: TFLOP/s of ours, of one torch.mm per matrix, of torch's grouped
    GEMM and of Triton's best tile, as far as they ran."""
    found = {}
    for row in data["grouped"]:
        who = row["name"].split(" (")[0]
        rates = found.setdefault(row["case"], {})
        rates[who] = max(rates.get(who, 0), row["tflops"])
    return found


def table(data):
    context = data["context"]
    peers = ("torch.mm", "torch grouped", "triton")
    return [f"A list of bf16 GEMMs by one kernel, random normal; TFLOP/s; "
            f"{context['device']}, `{context['command']}`, commit "
            f"{context['commit']}, torch {context['torch']}, Triton "
            f"{context['triton']}. Peers: one `torch.mm` per matrix, "
            "`torch._grouped_mm`, a persistent kernel of Triton.", ""] + grid(
                ["list", "ours", "torch.mm", "torch grouped", "Triton",
                 "of the best peer"],
                [[case, f"{r['ll']:.0f}"] +
                 [f"{r[p]:.0f}" if p in r else "" for p in peers] +
                 [f"{r['ll'] / max(r[p] for p in peers if p in r):.2f}"]
                 for case, r in grouped_rows(data).items()])


def missed(data):
    for case, rates in grouped_rows(data).items():
        ratio = rates["ll"] / max(rate for who, rate in rates.items()
                                  if who != "ll")
        if ratio < GOAL:
            yield Miss(case, f"{ratio:.2f} of the best peer", f"{GOAL:.2f}")


SUBJECTS = [Subject(
    "grouped", "grouped", "grouped", "Grouped GEMM",
    "One kernel for all GEMMs of a list, beside torch and Triton in one "
    "process.", table, missed)]
