"""Computation and its exchange between GPUs in one kernel."""
from report.markdown import grid
from report.subject import Miss, Subject

# Goals: times as fast as our two kernels in turn; as fast as the best peer.
IN_TURN, PEER = 1.25, 1.0


def peer_of(row):
    """Name and time of the fastest peer; nothing if there is none."""
    return min(row["peers"].items(), key=lambda peer: peer[1],
               default=("", None))


def cells(row):
    name, us = peer_of(row)
    return [f"{row['kernel']}, {row['shape']}", f"{row['us']:.0f}",
            f"{row['in_turn_us']:.0f}", f"{row['in_turn_us'] / row['us']:.2f}",
            name, f"{us:.0f}" if us else "",
            f"{us / row['us']:.2f}" if us else "",
            f"{row['copy_us'] / row['us']:.2f}" if "copy_us" in row else ""]


def others(row):
    """All peers of a row in one line."""
    return f"- {row['kernel']}, {row['shape']}: " + ", ".join(
        f"{name} {us:.0f}" for name, us in row["peers"].items())


def table(data):
    context = data["context"]
    head = (f"{context['gpus']} x {context['device']}, "
            f"`{context['command']}`, commit {context['commit']}; PyTorch "
            f"{context['torch']}, NCCL {context['nccl']}. us: time of the "
            f"slowest GPU. In turn: our kernels one after the other. Of a "
            f"copy: of the bytes that cross a link, both ways at once.")
    right = [row for row in data["fused"] if not row["wrong"]]
    lines = grid(["", "us", "us, in turn", "times as fast", "fastest peer",
                  "us", "times as fast", "of a copy"],
                 [cells(row) for row in right])
    return [head, "", *lines, "", "All peers, us:", "", *map(others, right)]


def missed(data):
    gpus = data["context"]["gpus"]
    some = f", {gpus} GPUs" if gpus != 2 else ""
    for row in data["fused"]:
        name = f"{row['kernel']}, {row['shape']}{some}"
        if row["wrong"]:
            yield Miss(name, f"{row['wrong']} wrong")
        times = row["in_turn_us"] / row["us"]
        if times < IN_TURN:
            yield Miss(name, f"{times:.2f} times the kernels in turn",
                       str(IN_TURN))
        peer, us = peer_of(row)
        if us and us / row["us"] < PEER:
            yield Miss(name, f"{us / row['us']:.2f} times {peer}", str(PEER))


def of_number(gpus):
    """The subject of a number of GPUs."""
    name, some = ("", "") if gpus == 2 else (f"_{gpus}", f" of {gpus}")
    return Subject("fused" + name, "fused", "fused",
                   f"Between GPUs{some}, fused with computation",
                   "One kernel computes tiles and writes each to the GPU that "
                   "owns it, or reads what it needs from other GPUs.",
                   table, missed, later=True, gpus=gpus)
