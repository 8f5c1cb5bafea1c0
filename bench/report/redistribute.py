"""Redistribution between GPUs from PyTorch, beside DTensor."""
from report.markdown import grid
from report.reshard import DTENSOR, of_gpus
from report.subject import Miss, Subject

def cell(row, key):
    return f"{row[key]:.0f}" if key in row else ""


def ratio(row, key):
    """How many times as fast as DTensor."""
    return f"{row['dtensor_us'] / row[key]:.2f}" \
        if "dtensor_us" in row and key in row else ""


def table(data):
    context = data["context"]
    head = (f"{context['gpus']} x {context['device']}, "
            f"`{context['command']}`, commit {context['commit']}; PyTorch "
            f"{context['torch']}, NCCL {context['nccl']}. bfloat16, "
            f"microseconds of the slowest GPU. Peers, messages: a prepared "
            f"redistribution by peers' memory and by messages. One call: by "
            f"peers' memory, unprepared, with its exchange. DTensor: with the "
            f"permutation that the pair needs. One import: "
            f"redistribute(x, mesh, placements) of a DTensor, unprepared; its "
            f"ratio to DTensor stands last.")
    lines = [[f"{row['from']} to {row['to']}", str(row["bytes"] >> 20)] +
             [cell(row, key) for key in ("peers_us", "messages_us",
                                         "peers_whole_us", "import_us",
                                         "dtensor_us")] +
             [ratio(row, key) for key in ("peers_us", "import_us")]
             for row in data["times"]]
    return [head, ""] + grid(["", "MiB of a GPU", "peers", "messages",
                              "one call", "one import", "DTensor",
                              "times as fast", "with one import"], lines)


def missed(data):
    for row in data["compared"]:
        if any(row["wrong"]):
            yield Miss(f"{row['from']} to {row['to']}, {row['type']} by "
                       f"{row['means']}{of_gpus(data)}",
                       f"{row['wrong']} wrong")
    for row in data["times"]:
        pair = f"{row['from']} to {row['to']}{of_gpus(data)}"
        if not all(row["same"]):
            yield Miss(pair, "peers and messages differ")
        for key, how in (("peers_us", ""), ("import_us", ", one import")):
            share = float(ratio(row, key) or DTENSOR)
            if share < DTENSOR:
                yield Miss(pair + how, f"{share:.2f} times DTensor",
                           str(DTENSOR))


SUBJECTS = [Subject(
    "redistribute" + (f"_{gpus}" if gpus != 2 else ""), "redistribute",
    "compared", "Between GPUs" + (f" of {gpus}" if gpus != 2 else "") +
    ", from PyTorch",
    "Between shardings of a matrix. Every pair and type is compared with what "
    "indexing makes of the full tensor.", table, missed, later=gpus != 2,
    gpus=gpus) for gpus in (2, 4, 8)]
