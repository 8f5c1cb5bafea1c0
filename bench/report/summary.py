"""The figures in the README."""
import re

from report.attention import attentions
from report.conversions import mean_of_triton
from report.gathers import gather_cells
from report.markdown import between, grid
from report.matmul import RATES, of_peer, products
from report.records import cells
from report.reshard import like_nccl, reshard_shares
from report.rows import rows_of
from report.transposes import LARGE, SMALL, pick
from report.trips import speed

MARK = re.compile(r"(<!-- bench:summary -->\n).*?(<!-- /bench -->)", re.S)


def transposes(cases):
    def figures(data):
        return [(pick(cells(data), case, "layout") or {}).get("of_copy")
                for case in cases]
    return figures


def conversions(data):
    return [mean_of_triton(cells(data))]


def gathers(data):
    return [speed(ll, triton) for _, _, _, _, ll, triton, _ in
            gather_cells(cells(data))]


def gemm(data):
    return [of_peer(ours, peers["cublaslt"], rate)
            for _, ours, peers in products(data) for rate in RATES]


def attention(data):
    return [ours["tflops"] / peer["tflops"] for _, peer, ours in
            attentions(data)]


def softmax(data):
    return [case["ll"]["of_copy"] for (kernel, _, n), case in
            rows_of(data).items()
            if "ll" in case and kernel == "softmax" and n % 8 == 0]


def reshards(data):
    return [reshard_shares(row)[1] for row in data["reshard"]
            if row["bytes"] >> 30 and row["crosses"] and not like_nccl(row)]


def compiling(data):
    return [row.get("of_hand") for row in data["benchmarks"]
            if row["name"] == "compile/layout"]


# Subject, description of the figures, and the function that finds them.
FIGURES = [
    ("transpose", "transpose of 1 GiB, relative to a copy kernel",
     transposes(LARGE)),
    ("transpose", "transpose of 4096x4096, relative to a copy kernel",
     transposes(SMALL)),
    ("convert", "conversions, times as fast as Triton's, geometric mean",
     conversions),
    ("gather", "gathers, times as fast as Triton's", gathers),
    ("matmul", "bf16 GEMM, relative to cuBLASLt's default choice", gemm),
    ("attention", "attention, relative to cuDNN", attention),
    ("kernels", "softmax of rows of 1k to 256k, relative to a copy kernel",
     softmax),
    ("reshard", "reshards of 1 GiB per GPU, times as fast as PyTorch with NCCL",
     reshards),
    ("compile", "nvcc's time for a transpose, relative to the hand-written one",
     compiling),
]


def summary(results):
    body = []
    for name, what, figures in FIGURES:
        data = results.get(name)
        if data:
            context = data["context"]
            body.append([what, between(figures(data)),
                         context.get("device", ""),
                         f"`{context.get('command', '')}`",
                         context.get("commit", "")])
    lines = grid(["", "figure", "device", "command", "commit"], body)
    return "\n".join(["| | figure | device | command | commit |",
                      "| --- | ---: | --- | --- | --- |", *lines[2:], ""])


def with_summary(text, results):
    return MARK.sub(lambda m: m[1] + summary(results) + m[2], text)
