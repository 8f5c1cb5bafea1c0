"""Single instructions, beside what plans count for them."""
import os
import re

from report.markdown import grid
from report.records import ROOT, load, read, save
from report.subject import Miss, Subject

# An instruction, its wavefronts or words, and the constant of ll_ptx.h that is
# the cost of one (a scheduler issues two selects or permutes per ISSUE). Plans
# count a barrier as a wait, so its rate is only shown.
COSTS = [("prmt", 1, "LOGIC"), ("lop3", 1, "LOGIC"), ("selp_by_4", 5, "LOGIC"),
         ("selects", 2, "SELECT"), ("shfl_selects", 3, "ISSUE"),
         ("shfl_prmts", 2, "ISSUE"),
         ("shfl", 1, "SHUFFLE"), ("load_4", 1, "MEMORY"),
         ("load_8", 2, "MEMORY"), ("load_16", 4, "MEMORY"),
         ("store_4", 1, "MEMORY"), ("store_16", 4, "MEMORY"),
         ("ldmatrix", 4, "MEMORY"), ("ldmatrix_trans", 4, "MEMORY"),
         ("stmatrix", 4, "MEMORY"), ("stmatrix_trans", 4, "MEMORY"),
         ("dsmem_4", 1, "DSMEM"), ("dsmem_16", 4, "DSMEM"),
         ("syncwarp", 0, None), ("bar", 0, None), ("cluster", 0, None)]


def planned(name):
    """Cycles of a constant in ll_ptx.h, which counts eighths."""
    return int(re.search(rf"LL_COST_{name}\] = (\d+);",
                         read(os.path.join(ROOT, "ll_ptx.h")))[1]) / 8


def record_costs(raw, path):
    """Makes a record of the output of device/costs.cu."""
    cycles = load(raw)
    device = cycles.pop("device")
    cycles.pop("unit")
    save(path, {"context": {"command": os.environ["LL_COMMAND"],
                            "device": device,
                            "commit": os.environ["LL_COMMIT"]},
                "cycles": cycles})


def table(data):
    context = data["context"]
    return [f"Cycles of a multiprocessor per instruction of a warp, and what a "
            f"plan counts for it; {context['device']}, `{context['command']}`, "
            f"commit {context['commit']}.", ""] + grid(
                ["", "measured", "in plans"],
                [[f"`{name}`", f"{data['cycles'][name]:.2f}",
                  f"{count * planned(cost):.2f}" if cost else ""]
                 for name, count, cost in COSTS if name in data["cycles"]])


def missed(data):
    for name, count, cost in COSTS:
        if cost and name in data["cycles"] and not 0.75 < data["cycles"][
                name] / (count * planned(cost)) < 1.25:
            yield Miss(f"`{name}`", f"{data['cycles'][name]:.2f} cycles",
                       f"{count * planned(cost):.2f}, as counted")


SUBJECTS = [Subject(
    "costs", "costs", "cycles", "Costs of instructions",
    "Throughput: enough warps hide latency, and there are no bank conflicts.",
    table, missed)]
