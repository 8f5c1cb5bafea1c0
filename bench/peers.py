"""peers.py - which peers of a kernel count, and why others do not."""
import sys

import torch

# Functions made by one `def` count together, and one def makes many of them.
torch._dynamo.config.recompile_limit = 64
WRONG = []  # peers that are left out


def left_out(name, what):
    """Notes a peer whose result is wrong; ends the program if it is ours."""
    if name.startswith("ll"):
        sys.exit(f"{what}: {name} is wrong")
    WRONG.append(f"{what}: {name}")
    print("left out, as it is wrong:", WRONG[-1], flush=True)
