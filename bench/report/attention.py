"""Attention beside cuDNN and PyTorch's other kernels."""
from report.markdown import grid
from report.records import commits_of
from report.subject import Miss, Subject

# goals: of cuDNN, of ours of bf16, of the rate of a copy
ATTENTION_GOAL, ATTENTION_GOAL_8, DECODE_GOAL = 1.0, 1.25, 0.85
# The peers of shapes_table, in the order of its columns.
SHAPE_PEERS = {"cudnn": "cuDNN", "cudnn, a call each": "cuDNN, a call each",
               "flash": "FlashAttention-2", "flex": "flex_attention"}


def attentions(data):
    """Head, length and mask, and the rows of the peer and of the library."""
    return [(shape, rows["cudnn"], rows["ours"]) for shape, rows in
            attention_rows(data, 16).items()]


def attention_rows(data, bits):
    """By head, length and mask: the rows with operands of `bits` bits."""
    found = {}
    for row in data["attention"]:
        if row.get("bits", 16) == bits:
            shape = (f"{row['head']}, {row['heads']} heads, {row['length']} "
                     f"tokens{', causal' if row['causal'] else ''}")
            name = "fp8" if "fp8" in row["name"] else \
                row["name"] if row["name"] in ("cudnn", "flash") else "ours"
            found.setdefault(shape, {})[name] = row
    return found


def table(data):
    context = data["context"]
    return [f"Forward, {context['data']}; {context['device']}, "
            f"`{context['command']}`, {commits_of(context)}, torch "
            f"{context['torch']}, cuDNN {context['cudnn']}.", ""] + grid(
                ["size of a head, heads, length", "TFLOP/s, cuDNN",
                 "TFLOP/s", "of the peer"],
                [[shape, f"{peer['tflops']:.0f}", f"{ours['tflops']:.0f}",
                  f"{ours['tflops'] / peer['tflops']:.2f}"]
                 for shape, peer, ours in attentions(data)]) + \
        shapes_table(data) + attention_table_8(data) + decode_table(data)


def shape_rows(data):
    """TFLOP/s by name, of other shapes and of those with FlashAttention-2."""
    found = {shape: {name: row["tflops"] for name, row in rows.items()}
             for shape, rows in attention_rows(data, 16).items()
             if "flash" in rows}
    return found | {row["shape"]: row["tflops"]
                    for row in data.get("shapes", [])}


def of_best(rates):
    return rates["ours"] / max(rate for name, rate in rates.items()
                               if name != "ours")


def shapes_table(data):
    rows = shape_rows(data)
    return ["", "Windows, sequences of several lengths, heads that share keys, "
            "heads of 96, f16; and the longest shapes above, now also beside "
            "PyTorch's FlashAttention-2. TFLOP/s count unmasked pairs only. "
            "Results, also the peers', are compared with cuDNN's if the table "
            "above has the shape, else with some rows in double precision. "
            "PyTorch has no window for cuDNN, and plans anew in each call "
            "(60 ms) for packed sequences. The machine code "
            "([matmul-sass.txt](matmul-sass.txt)) has no move of the "
            "probabilities P between the two GEMMs.", ""] + grid(
                ["size of a head, heads, length", *SHAPE_PEERS.values(), "ours",
                 "of the best peer"],
                [[shape] + [f"{rates[name]:.0f}" if name in rates else ""
                            for name in (*SHAPE_PEERS, "ours")] +
                 [f"{of_best(rates):.2f}"] for shape, rates in rows.items()]) \
        if rows else []


def attention_table_8(data):
    """Q, K and V of e4m3, beside bf16 of the same numbers."""
    rows = attention_rows(data, 8)
    return ["", "Q, K and V of e4m3, the result bf16; beside cuDNN and ours of "
            "bf16 on the same numbers:", ""] + grid(
                ["size of a head, heads, length", "TFLOP/s", "of ours of bf16",
                 "of cuDNN of bf16"],
                [[shape, f"{r['fp8']['tflops']:.0f}"] +
                 [f"{r['fp8']['tflops'] / r[peer]['tflops']:.2f}"
                  for peer in ("ours", "cudnn")]
                 for shape, r in rows.items()]) + one_sign(data) if rows else []


def one_sign(data):
    """The error of e4m3 if all values have one sign."""
    found = data.get("one_sign", [])
    return ["", "Tensor cores round e4m3 accumulators down. Error of the "
            "result, relative to the norm, for values near 1, against rows in "
            "double precision:", ""] + grid(
                ["size of a head", "keys", "error, %", "bound, %"],
                [[f"{r['head']}", f"{r['keys']}", f"{100 * r['error']:.1f}",
                  f"{100 * r['bound']:.0f}"] for r in found]) if found else []


def head_of(row):
    """The size of the heads, if it is not 128."""
    head = row.get("head", 128)
    return "" if head == 128 else f", heads of {head}"


def decode_table(data):
    """One new token per sequence."""
    more = any(map(head_of, data["decode"]))
    return ["", "Decoding: one new token per sequence, heads of 128" +
            (" unless another size is named" if more else "") +
            ", keys in pages of 16. GB/s of keys and values, and fractions of "
            "the rate of a copy of 1 GiB. PyTorch reads contiguous keys.",
            ""] + grid(
                ["sequences, heads, heads of keys, length", "GB/s", "of a copy",
                 "PyTorch, of a copy"],
                [[f"{r['batch']}, {r['heads']}, {r['shared']}, {r['length']}" +
                  head_of(r),
                  f"{r['gbps']}", f"{r['of_copy']:.2f}",
                  f"{r['peer_of_copy']:.2f}"] for r in data["decode"]])


def e4m3_missed(data):
    for row in data.get("one_sign", []):
        if row["error"] > row["bound"]:
            yield Miss(f"e4m3, values of one sign, {row['head']}, "
                       f"{row['keys']} keys", f"{100 * row['error']:.1f} % off",
                       f"{100 * row['bound']:.0f}")
    for shape, rows in attention_rows(data, 8).items():
        ratio = rows["fp8"]["tflops"] / rows["ours"]["tflops"]
        if ratio < ATTENTION_GOAL_8:
            yield Miss(f"e4m3, {shape}", f"{ratio:.2f} of ours of bf16",
                       f"{ATTENTION_GOAL_8:.2f}")


def missed(data):
    for row in data["decode"]:
        if row["of_copy"] < DECODE_GOAL:
            yield Miss(f"{row['batch']} new tokens after {row['length']}"
                       f"{head_of(row)}", f"{row['of_copy']:.2f} of a copy",
                       f"{DECODE_GOAL:.2f}")
    for shape, peer, ours in attentions(data):
        if ours["tflops"] < ATTENTION_GOAL * peer["tflops"]:
            yield Miss(shape, f"{ours['tflops'] / peer['tflops']:.3f} of cuDNN",
                       f"{ATTENTION_GOAL:.2f}")
    for row in data.get("shapes", []):
        if of_best(row["tflops"]) < ATTENTION_GOAL:
            yield Miss(row["shape"],
                       f"{of_best(row['tflops']):.2f} of the best peer",
                       f"{ATTENTION_GOAL:.2f}")
    yield from e4m3_missed(data)


SUBJECTS = [Subject(
    "attention", "attention", "attention", "Attention",
    "Beside cuDNN, in one process.", table, missed)]
