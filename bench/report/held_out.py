"""Held-out pairs: the runner-ups that are faster than the chosen plan."""
from report.records import load


def held_out(path):
    """Prints the pairs with a runner-up faster than the chosen plan."""
    pairs = {}
    for row in load(path)["benchmarks"]:
        _, name, _, who = row["name"].split("/")[:4]
        pairs.setdefault(name, {})[who] = row
    slower = 0
    for name, found in sorted(pairs.items()):
        chosen = found.pop("ll")
        for who, other in found.items():
            if other["ns"] < chosen["ns"]:
                slower += 1
                print(f"{name}: ll {chosen['ns']:.0f} ns "
                      f"({chosen['cycles_planned']:.0f} cycles), {who} "
                      f"{other['ns']:.0f} ns "
                      f"({other['cycles_planned']:.0f} cycles)")
    print(f"{slower} of {len(pairs)} pairs are faster by the runner-up")
