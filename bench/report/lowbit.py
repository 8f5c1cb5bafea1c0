"""GEMM with weights of 4 and 8 bits."""
from report.markdown import grid
from report.subject import Miss, Subject

ACTIVATIONS = ("bf16", "f16", "e4m3")
# Goals: up to 16 tokens, shares of the copy rate by n = k; prefill, of our
# GEMM.
DECODE_GOALS, PREFILL_GOAL = {4096: 0.54, 8192: 0.75, 16384: 0.85}, 0.90


def lowbit_rows(data, what, activations=("bf16",)):
    return [row for row in data["lowbit"] if row["what"] == what and
            row.get("activations", "bf16") in activations]


def lowbit_name(row):
    """The type of the weights, and of the activations if not bf16."""
    activations = row.get("activations", "bf16")
    return row["format"] + (f", {activations}" if activations != "bf16" and
                            row["format"] != activations else "")


def decode_table(data):
    found = {}
    for row in lowbit_rows(data, "decode", ACTIVATIONS):
        found.setdefault((row["n"], lowbit_name(row)), {})[row["m"]] = row
    tokens = sorted({row["m"] for row in lowbit_rows(data, "decode")})
    return grid(
        ["n = k", "weights"] + [f"{m} token{'s' * (m > 1)}" for m in tokens],
        [[str(n), name] + [f"{rows[m]['us']:.1f}, {rows[m]['share']:.2f}" +
                           (f" ({rows[m]['sustained_share']:.2f})"
                            if "sustained_share" in rows[m] else "")
                           for m in tokens]
         for (n, name), rows in sorted(found.items())])


def prefill_table(data):
    return ["", "Prefill: the ratio is to the time of the GEMM with both "
            "operands of the activations' type.", ""] + grid(
        ["m x n x k", "weights", "TFLOP/s, rested", "ratio",
         "TFLOP/s, sustained", "ratio"],
        [[f"{row['m']} x {row['n']} x {row['k']}", lowbit_name(row)] +
         [text for how in ("rested", "sustained") for text in (
             f"{row[how + '_tflops']:.0f}", f"{row[how + '_ratio']:.3f}")]
         for row in lowbit_rows(data, "prefill", ACTIVATIONS)])


def lowbit_peers(data):
    """Peers in the same command, beside the best of ours of the same shape with
    bf16 activations and 4-bit weights."""
    def of_ours(m, n, what, unit):
        return max((row[unit] for row in lowbit_rows(data, what)
                    if (row["m"], row["n"]) == (m, n) and
                    row["format"] in ("mxfp4", "int4", "nvfp4")), default=None)

    lines = []
    for row in data["lowbit"]:
        what, unit = (("decode", "share") if row["m"] <= 16 else
                      ("prefill", "rested_tflops"))
        ours = of_ours(row["m"], row["n"], what, unit)
        if row["what"] == "peer" and ours:
            peer = row[unit.removeprefix("rested_")]
            lines.append([row["peer"], f"{row['m']} x {row['n']} x {row['k']}",
                          f"{row['us']:.1f}", f"{peer:.2f}" if what == "decode"
                          else f"{peer:.0f} TFLOP/s", f"{ours / peer:.2f}"])
    return lines and ["", "Peers in the same command: up to 16 tokens the "
                      "share of the copy rate. The last column is our best "
                      "format over the peer.", ""] + grid(
        ["peer", "m x n x k", "us", "share or rate", "ours over it"], lines)


def table(data):
    context = data["context"]
    brackets = any("sustained_share" in row for row in data["lowbit"])
    return [f"{context['device']}, `{context['command']}`, commit "
            f"{context['commit']}; the copy rate is {context['copy_gbps']} "
            f"GB/s. Decoding: microseconds, and bytes of the weights over the "
            "time as a share of the copy rate" + brackets *
            ", rested; in brackets the share after 0.15 s of load" + ".",
            ""] + decode_table(data) + prefill_table(data) + lowbit_peers(data)


def decode_missed(rows):
    for row in rows:
        goal = DECODE_GOALS.get(row["n"], 0.85)
        for how in ("", "sustained_"):
            share = row.get(how + "share", goal)
            if row["m"] <= 16 and share < goal:
                yield Miss(f"{lowbit_name(row)}, n = k = {row['n']}, m = "
                           f"{row['m']}", f"{share:.2f} of the copy rate" +
                           (" sustained" if how else ""), f"{goal:.2f}")
    for before, row in zip(rows, rows[1:]):
        if row["m"] > before["m"] and row["tflops"] < before["tflops"]:
            yield Miss(f"{lowbit_name(row)}, n = k = {row['n']}, m = "
                       f"{row['m']}", f"{row['tflops']} TFLOP/s",
                       f"{before['tflops']}, as at m = {before['m']}")


def missed(data):
    yield from decode_missed(lowbit_rows(data, "decode", ACTIVATIONS))
    for row in lowbit_rows(data, "prefill", ACTIVATIONS):
        for how in ("rested_ratio", "sustained_ratio"):
            if row[how] < PREFILL_GOAL:
                yield Miss(f"{lowbit_name(row)}, m = {row['m']}, {how[:-6]}",
                           f"{row[how]:.3f} of the GEMM of "
                           f"{row.get('activations', 'bf16')}",
                           f"{PREFILL_GOAL:.2f}")


SUBJECTS = [Subject(
    "lowbit", "lowbit", "lowbit", "Weights of 4 and 8 bits",
    "Decoding with weights that are not in the L2 cache; prefill beside the "
    "Hopper GEMM in one process.", table, missed)]
