"""redistribute_tensor.py - torch.distributed.tensor, with a DTensor that
redistribute.py redistributes.

    from redistribute_tensor import distribute_tensor, DTensor, Shard, Replicate

instead of `from torch.distributed.tensor import ...` is the one change of a
program that calls x.redistribute(mesh, placements). All names are PyTorch's own.
The import replaces the method DTensor.redistribute in the whole process, also
that of DTensors made elsewhere; restore() brings PyTorch's back. What operators
of DTensor redistribute by themselves stays PyTorch's.

fallback(True) leaves to DTensor what this library cannot do; else it raises an
error.
"""
import functools

from torch.distributed import tensor as _torchs
from torch.distributed.tensor import *  # noqa: F401, F403
from torch.distributed.tensor import DTensor

import redistribute_dtensor as _ours

__all__ = [*_torchs.__all__, "fallback", "install", "restore"]
_settings = {"fallback": False}


@functools.wraps(_ours.DTENSORS)
def _redistribute(self, device_mesh=None, placements=None, **how):
    return _ours.of_dtensor(self, device_mesh, placements, **_settings, **how)


def install():
    DTensor.redistribute = _redistribute


def restore():
    DTensor.redistribute = _ours.DTENSORS


def fallback(leave):
    _settings["fallback"] = bool(leave)


install()
