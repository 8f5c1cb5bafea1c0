"""Bandwidth-bound kernels on rows, beside PyTorch's and Triton's."""
from report.markdown import grid
from report.records import origin
from report.subject import Miss, Subject

ROW_GOAL, ODD_GOAL, PEER_GOAL = 0.98, 0.93, 0.99


def by_case(rows, size):
    """Kernel, type and size, and the rows of each runner, the best of ours."""
    found = {}
    for row in rows:
        case = found.setdefault((row["kernel"], row["type"], row[size]), {})
        best = case.setdefault(row["name"], row)
        if row["of_copy"] > best["of_copy"]:
            case[row["name"]] = row
    return found


def rows_of(data):
    return by_case(data["kernels"], "n")


def left_out(context):
    """Ends a sentence with the peers whose results were wrong."""
    wrong = context.get("wrong")
    return f", or wrong: {', '.join(wrong)}." if wrong else "."


def table(data):
    context = data["context"]
    body = []
    for (kernel, kind, n), case in rows_of(data).items():
        body.append([f"{kernel}, {kind}, {n}"] + [
            f"{case[name]['of_copy']:.3f}" if name in case else ""
            for name in ("ll", "triton", "torch", "torch compiled")] +
            [f"{case['ll']['GB/s']:.0f}" if "ll" in case else "",
             case["ll"]["tiling"] if "ll" in case else ""])
    return ["Fractions of a copy kernel timed in the same rounds, "
            f"{origin(context)}, torch "
            f"{context['torch']}, Triton {context['triton']}. Triton's kernels "
            "are as in its tutorials, the best of several tilings. PyTorch's "
            "are its own; for two lengths each, the longest among them, also "
            "those of torch.compile. Empty: not run" +
            left_out(context), ""] + grid(
                ["kernel, type, elements of a row", "ll", "Triton", "PyTorch",
                 "PyTorch, compiled", "GB/s", "tiling"], body)


def below(row, case, goal):
    """A Miss where ours is below its share of a copy, or below a peer."""
    of = case["ll"]["of_copy"] if "ll" in case else 0.0
    peer = max([row["of_copy"] for name, row in case.items() if name != "ll"],
               default=0.0)
    if of < goal:
        yield Miss(row, f"{of:.3f} of the copy", f"{goal:.2f}")
    if of < PEER_GOAL * peer:
        yield Miss(row, f"{of / peer:.2f} of the best peer", f"{PEER_GOAL:.2f}")


def missed(data):
    for (kernel, kind, n), case in rows_of(data).items():
        yield from below(f"{kernel}, {kind}, rows of {n}", case,
                         ROW_GOAL if n % 8 == 0 else ODD_GOAL)


SUBJECTS = [Subject(
    "kernels", "kernels", "kernels", "Bandwidth-bound kernels",
    "Softmax, norms, losses and others on 1 GiB of input, which no cache "
    "holds. Each input and output counts once.", table, missed)]
