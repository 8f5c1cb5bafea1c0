"""e4m3 GEMM with scales, beside cuBLASLt."""
from report.matmul import below_peers, head_of, products, rates_table
from report.subject import Subject

# A list of the record, and what it holds. The goal is each peer.
SCALED = {"rows": "a scale per row of A and column of B",
          "blocks": "a scale per 1 x 128 of A and 128 x 128 of B"}


def table(data):
    lines = [head_of(data)]
    for key, what in SCALED.items():
        rows = products(data["scaled"], key)
        lines += rates_table(what, rows, rows[0][2] if rows else [])
    return lines


def missed(data):
    for key, what in SCALED.items():
        yield from below_peers(what, products(data["scaled"], key),
                               lambda name, ours: 1.0)


SUBJECTS = [Subject(
    "scaled", "scaled", "scaled", "e4m3 GEMM with scales",
    "Beside cuBLASLt, in one process. All elements are compared with a float32 "
    "result.", table, missed)]
