"""Resharding between the GPUs of a host, beside PyTorch and NCCL; and by
model."""
from report import fused
from report.markdown import grid, span
from report.subject import Miss, Subject

# Goals: the speed of a plain kernel that reads the same bytes from the peer;
# times as fast as NCCL with permutations and as DTensor; the speed of NCCL's
# own operation, if there is one.
LIMIT, NCCL, DTENSOR = 0.95, 1.3, 2.0
LIKE_NCCL = 0.98
SMALL_BY_NCCL = 0.9 # of the all-to-all of less than 1 GiB


def of_gpus(data):
    """What the name of a row ends with: nothing for two GPUs."""
    gpus = data["context"]["gpus"]
    return f", {gpus} GPUs" if gpus != 2 else ""


def reshard_shares(row):
    """Fraction of the limit; times as fast as by NCCL, and as by DTensor."""
    return [row.get("of_limit")] + [row[key] / row["us"] if key in row else None
                                    for key in ("permute_nccl_us",
                                                "dtensor_us")]


def like_nccl(row):
    """The name of the operation in NCCL, or None."""
    if row["from"] == "sums":
        return {"copies": "all-reduce", "row": "reduce-scatter"}.get(
            row["to"], f"reduce-scatter to {row['to']}s")
    return "all-gather" if row["to"] == "copies" else None


def reshard_pairs(data):
    """Pair and size, and their rows for 8, 16 and 32 bits."""
    found = {}
    for row in data["reshard"]:
        if "us" in row and not row["wrong"] and not like_nccl(row):
            order = " in any order" if "order" in row else ""
            found.setdefault((f"{row['from']} to {row['to']}{order}",
                              row["bytes"] >> 20), []).append(row)
    return found.items()


def table(data):
    context = data["context"]
    head = (f"{context['gpus']} x {context['device']}, "
            f"`{context['command']}`, commit {context['commit']}; PyTorch "
            f"{context.get('torch', 'is missing')}, NCCL "
            f"{context.get('nccl', 'is missing')}. Each cell has elements of "
            f"8, 16 and 32 bits. us: time of the slowest GPU. Of a plain read: "
            f"the speed of a kernel that only reads the same bytes from the "
            f"peer, both ways at once (a copy, if no byte crosses). PyTorch, "
            f"NCCL: times as fast as permutation, all-to-all, permutation. "
            f"DTensor: times as fast.")
    lines = []
    for (pair, mib), rows in reshard_pairs(data):
        shares = [[x for x in column if x is not None]
                  for column in zip(*map(reshard_shares, rows))]
        lines.append([pair, str(mib),
                      ", ".join(f"{row['us']:.0f}" for row in rows),
                      *(", ".join(f"{x:.2f}" for x in column)
                        for column in shares)])
    return [head, ""] + grid(["", "MiB of a GPU", "us", "of a plain read",
                              "PyTorch, NCCL", "DTensor"],
                             lines) + like_nccl_table(data)


def like_nccl_table(data):
    lines = [[like_nccl(row), "" if row["type"] == "u16" else row["type"],
              str(row["bytes"] >> 20), f"{row['us']:.0f}",
              f"{row['of_limit']:.2f}",
              f"{row['nccl_us']:.0f}" if "nccl_us" in row else "",
              f"{row['nccl_us'] / row['us']:.2f}" if "nccl_us" in row else ""]
             for row in data["reshard"]
             if like_nccl(row) and "us" in row and not row["wrong"]]
    head = ("Copies and partial sums, by the same kernel. Sums are added as "
            "floats, in the order of the ranks. MiB: of all copies, or of the "
            "partial sums that a GPU holds. NCCL: its own operation, without "
            "the transposition to columns.")
    return ["", head, ""] + grid(["", "type", "MiB of a GPU", "us",
                                  "of a plain read", "NCCL", "times as fast"],
                                 lines) if lines else []


def below_goals(data):
    goals = (("of a plain read", LIMIT), ("times permute, NCCL, permute", NCCL),
             ("times DTensor", DTENSOR))
    for (pair, mib), rows in reshard_pairs(data):
        for k, (what, goal) in enumerate(goals):
            low = [(row["bits"], share) for row, share in
                   ((row, reshard_shares(row)[k]) for row in rows)
                   if share is not None and share < goal]
            if low:
                yield Miss(f"{pair}, {mib} MiB{of_gpus(data)}", ", ".join(
                    f"{share:.2f} ({bits} bits)" for bits, share in low) +
                    f" {what}", str(goal))


def missed(data):
    for row in data["reshard"]:
        if row["wrong"]:
            yield Miss(f"{row['from']} to {row['to']}, {row['bits']} bits" +
                       of_gpus(data), f"{row['wrong']} wrong")
    yield from below_goals(data)
    for row in data["reshard"]:
        if like_nccl(row) and "nccl_us" in row and "us" in row:
            share = row["nccl_us"] / row["us"]
            if share < LIKE_NCCL:
                yield Miss(f"{like_nccl(row)}, {row['type']}, "
                           f"{row['bytes'] >> 20} MiB{of_gpus(data)}",
                           f"{share:.2f} of NCCL's speed", str(LIKE_NCCL))


# What executes a plan by NCCL, and how the page calls it.
BY_NCCL = (("windows_us", "windows"), ("staged_us", "staging windows"),
           ("registered_us", "messages, registered"),
           ("plain_us", "messages"))


def by_nccl_row(row):
    """The cells of a pair; a way that cannot execute it has an empty cell."""
    return [f"{row['from']} to {row['to']}", str(row["bytes"] >> 20),
            f"{row['us']:.0f}",
            *(f"{row[key]:.0f}" if row.get(key) else "" for key, _ in BY_NCCL),
            f"{row['all_to_all_us']:.0f}",
            f"{row.get('plain_all_to_all_us', row['all_to_all_us']):.0f}",
            f"{row['all_to_all_us'] / row['us']:.2f}", f"{row['read_us']:.0f}"]


def by_nccl_table(data):
    context = data["context"]
    head = (f"{context['gpus']} x {context['device']}, "
            f"`{context['command']}`, commit {context['commit']}. Elements of "
            f"16 bits. us: by default, if all memory is from NCCL, with "
            f"packing, unpacking and the bytes that stay. Then each way alone: "
            f"one kernel between arrays in windows; kernels or copy engines "
            f"that write to staging memory in windows; messages of memory that "
            f"NCCL knows, or not. All-to-all: NCCL's fastest of the same "
            f"bytes, of memory in windows, or of cudaMalloc. Of it: the speed "
            f"by default relative to the first. Read: the kernel that reads "
            f"peers' memory without NCCL.")
    return [head, ""] + grid(
        ["", "MiB of a GPU", "us", *(name for _, name in BY_NCCL),
         "all-to-all", "of cudaMalloc", "of it", "us, read"],
        [by_nccl_row(row) for row in data["nccl"] if not row["wrong"]])


def by_nccl_missed(data):
    for row in data["nccl"]:
        goal = LIKE_NCCL if row["bytes"] >> 30 else SMALL_BY_NCCL
        name = f"{row['from']} to {row['to']}, {row['bytes'] >> 20} MiB by "
        share = row["all_to_all_us"] / row["us"]
        if row["wrong"] or share < goal:
            yield Miss(f"{name}NCCL{of_gpus(data)}",
                       f"{row['wrong']} wrong, {share:.2f} of NCCL's "
                       "all-to-all", str(goal))
        sent = row["all_to_all_us"] / row.get("registered_us", row["us"])
        if "registered_us" in row and sent < goal:
            yield Miss(f"{name}messages{of_gpus(data)}",
                       f"{sent:.2f} of NCCL's all-to-all", str(goal))


def modelled_table(data):
    """The model's times for larger machines."""
    context, groups = data["context"], {}
    for row in data["modelled"]:
        groups.setdefault((row["ranks"], row["hosts"], row["bytes"] >> 20),
                          []).append(row)
    head = (f"`{context['command']}`, commit {context['commit']}. Ranges over "
            f"all pairs of 16 bits: what a GPU receives from its own host "
            f"(near) and from others (far), and the time, with "
            f"{context['near']} GB/s per GPU within a host and "
            f"{context['far']} GB/s beyond.")
    return [head, ""] + grid(
        ["GPUs", "hosts", "MiB of a GPU", "MiB near", "MiB far", "us"],
        [[str(ranks), str(hosts), str(mib),
          span([row["near"] >> 20 for row in rows]),
          span([row["far"] >> 20 for row in rows]),
          span([round(row["us"]) for row in rows])]
         for (ranks, hosts, mib), rows in groups.items()])


def modelled_missed(data):
    for row in data["modelled"]:
        if row["err"]:
            yield Miss(f"{row['from']} to {row['to']}, {row['ranks']} GPUs",
                       "there is no plan")


def of_number(gpus):
    """The subjects of two GPUs, or of another number as `gpus` says."""
    name, some = ("", "") if gpus == 2 else (f"_{gpus}", f" of {gpus}")
    return [
        Subject("reshard" + name, "reshard", "reshard", "Between GPUs" + some,
                "The kernel that moves a matrix between shardings: rows, "
                "columns (each contiguous), blocks of 64 x 64, heads, elements "
                "in turns, pieces of all rows.", table, missed,
                later=gpus != 2, gpus=gpus),
        Subject("by_nccl" + name, "nccl", "nccl",
                f"Between GPUs{some}, by NCCL",
                "The same plans in memory of NCCL, and by messages.",
                by_nccl_table, by_nccl_missed, later=True, gpus=gpus),
        fused.of_number(gpus)]


SUBJECTS = [
    *of_number(2), *of_number(4), *of_number(8),
    Subject("modelled", "modelled", "modelled",
            "Between GPUs of larger machines, by model",
            "The same pairs by `ll_reshard_us`. The first rows are of two "
            "GPUs, which were measured.", modelled_table, modelled_missed,
            later=True),
]
