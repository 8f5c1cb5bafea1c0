#!/usr/bin/env python3
"""held_out.py FILE - the pairs of bench/held_out.cu whose runner-up took less
time than the chosen plan, and how many there were."""
import json
import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = json.load(file)["benchmarks"]
    pairs = {}
    for row in rows:
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


if __name__ == "__main__":
    main()
