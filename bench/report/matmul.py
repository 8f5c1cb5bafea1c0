"""GEMM beside cuBLASLt."""
from report.markdown import grid
from report.subject import Miss, Subject

# A list of the record: what it holds, and the goal by peer.
PRODUCTS = {
    "products": ("bf16", {"cublaslt": 1.03, "cublaslt_best": 1.0}),
    "products_f16": ("f16", {"cublaslt": 1.03, "cublaslt_best": 1.0}),
    "fp8": ("e4m3, one scale per tensor",
            {"cublaslt": 1.0, "cublaslt_fast": 1.0}),
    "sync": ("mma.sync, f16 with f32 accumulators", {"cublaslt_sm80": 0.95}),
}
PEERS = {"cublaslt": "cuBLASLt's default choice",
         "cublaslt_best": "the best of cuBLASLt's heuristics",
         "cublaslt_fast": "cuBLASLt with fast accumulation",
         "cublaslt_sm80": "the best of cuBLASLt's kernels for sm_80"}
SHAPES_MEAN, SHAPES_LEAST = 1.0, 0.9
RATES = ("rested", "sustained")


def shape_of(row):
    return f"{row['m']} x {row['n']} x {row['k']}"


def products(data, key="products"):
    """Shape, and by name the rows of the peers and of the library."""
    found = {}
    for row in data.get(key, []):
        found.setdefault(shape_of(row), {})[row["name"]] = row
    return [(shape, [row for name, row in rows.items() if name not in PEERS][0],
             {name: row for name, row in rows.items() if name in PEERS})
            for shape, rows in found.items()]


def of_peer(ours, peer, rate):
    return ours[rate + "_tflops"] / peer[rate + "_tflops"]


def head_of(data):
    context = data["context"]
    return (f"{context['device']}, `{context['command']}`, commit "
            f"{context['commit']}, torch {context['torch']}. TFLOP/s; rested: "
            "after 0.12 s of idleness; sustained: after seconds of load.")


def rates_table(what, rows, names):
    """Rested and sustained rates, and the ratio to each peer."""
    return ["", f"{what[0].upper()}{what[1:]}:", ""] + grid(
        ["m x n x k", *RATES] + [f"of {PEERS[name]}, {rate}"
                                 for name in names for rate in RATES],
        [[shape] + [f"{ours[rate + '_tflops']:.0f}" for rate in RATES] +
         [f"{of_peer(ours, peers[name], rate):.3f}" if name in peers else ""
          for name in names for rate in RATES]
         for shape, ours, peers in rows])


def shapes_table(data):
    return ["", "GEMM shapes of models, bf16, weights cold in the L2 cache: "
            f"geometric mean {data['shapes_mean']:.2f} of cuBLASLt's default "
            f"choice, least {data['shapes_least']:.2f}:", ""] + grid(
                ["m x n x k", "us", "cuBLASLt, us", "ratio"],
                [[shape_of(row), f"{row['us']:.1f}",
                  f"{row['cublaslt_us']:.1f}", f"{row['ratio']:.2f}"]
                 for row in data["shapes"]])


def table(data):
    lines = [head_of(data)]
    for key, (what, goals) in PRODUCTS.items():
        rows = products(data, key)
        if rows:
            lines += rates_table(what, rows, goals)
    return lines + (shapes_table(data) if data.get("shapes") else [])


def below_peers(what, rows, goal_of):
    """A Miss for each peer and rate below its goal."""
    for shape, ours, peers in rows:
        for name, peer in peers.items():
            for rate in RATES:
                of, goal = of_peer(ours, peer, rate), goal_of(name, ours)
                if of < goal:
                    yield Miss(f"{what}, {shape}, {rate}",
                               f"{of:.3f} of {PEERS[name]}", f"{goal:.2f}")


def shapes_missed(data):
    shapes = data["shapes"]
    if data["shapes_mean"] < SHAPES_MEAN:
        yield Miss(f"{len(shapes)} shapes of models, geometric mean",
                   f"{data['shapes_mean']:.2f} of {PEERS['cublaslt']}",
                   f"{SHAPES_MEAN:.2f}")
    low = sum(row["ratio"] < SHAPES_LEAST for row in shapes)
    if low:
        yield Miss(f"{low} of {len(shapes)} shapes of models, least",
                   f"{data['shapes_least']:.2f} of {PEERS['cublaslt']}",
                   f"{SHAPES_LEAST}")


def goal_of(goals):
    """The goal for a peer: fewer than 8192 rows need not be faster."""
    return lambda name, ours: min(goals[name],
                                  1.0 if ours["m"] < 8192 else goals[name])


def missed(data):
    for key, (what, goals) in PRODUCTS.items():
        yield from below_peers(what, products(data, key), goal_of(goals))
    if data.get("shapes"):
        yield from shapes_missed(data)


SUBJECTS = [Subject(
    "matmul", "matmul", "products", "GEMM",
    "The kernels for Hopper and for mma.sync beside cuBLASLt, in one process.",
    table, missed)]
