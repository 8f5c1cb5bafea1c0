#!/usr/bin/env python3
"""fused_matmul_sums.py - PyTorch's ways to do what device/fused_matmul_sums.cu
does: fused_matmul.py with its rows.
"""
import sys

from fused_matmul import main

if __name__ == "__main__":
    sys.exit(main())
