"""wrong.py - peers of kernels.py and more.py with wrong results, and a larger
cache for torch.compile."""
import sys

import torch._dynamo

WRONG = []  # peers that are left out

# All functions of one `def` share a limit, by default 8 compilations.
torch._dynamo.config.recompile_limit = 64


def left_out(name, what):
    """Notes a peer whose result is wrong; ends the program if it is ours."""
    if name.startswith("ll"):
        sys.exit(f"{what}: {name} is wrong")
    WRONG.append(f"{what}: {name}")
    print("left out, as it is wrong:", WRONG[-1], flush=True)
