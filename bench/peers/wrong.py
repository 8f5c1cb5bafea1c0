"""wrong.py - peers of kernels.py and more.py whose results are
wrong, and room for all that torch.compile makes for them."""
import sys

import torch._dynamo

WRONG = []  # peers that are left out

# Functions made by one `def` count together: 8 of them, unless it says more.
torch._dynamo.config.recompile_limit = 64


def left_out(name, what):
    """Notes a peer whose result is wrong; ends the program if it is ours."""
    if name.startswith("ll"):
        sys.exit(f"{what}: {name} is wrong")
    WRONG.append(f"{what}: {name}")
    print("left out, as it is wrong:", WRONG[-1], flush=True)
