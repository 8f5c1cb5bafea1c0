"""redistribute_library.py - builds and loads the two libraries of redistribute.py.

The library of plans needs a C compiler. The library of kernels also needs nvcc;
without it, tensors are sent as messages.
"""
import ctypes
import os
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
NAMES = ("libredistribute.so", "libredistribute_gpu.so")
# Entries that return a sentence, or null.
SENTENCES = ("device", "kernel", "start", "flags", "share", "open_peer",
             "watch", "bus", "chunks", "chunk_file", "reserve", "map_chunk",
             "unmap_chunk")


class Step(ctypes.Structure):
    """One round; see redistribute.h."""
    _fields_ = [(name, ctypes.c_uint) for name in
                ("peer", "sends", "receives", "source", "target")]


def build(folder):
    """Compiles the library of plans and, if nvcc is here, of the kernels."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    commands = [[os.environ.get("CC", "cc"), "-std=c11", "-O2"],
                [os.environ.get("NVCC", "nvcc"), "-std=c++17", "-O3",
                 "-arch=sm_90", "-Xcompiler"]]
    for command, name, ext in zip(commands, NAMES, ("c", "cu")):
        if ext == "c" or shutil.which(command[0]):
            part = folder / f"{name}.{os.getpid()}"
            subprocess.run([*command, "-fPIC", "-shared", f"-I{ROOT}",
                            str(HERE / f"redistribute.{ext}"), "-o", part],
                           check=True)
            os.replace(part, folder / name)
    return folder


def plans_of(path):
    plans = ctypes.CDLL(str(path))
    plans.redist_open.restype = ctypes.c_void_p
    plans.redist_within.restype = ctypes.c_char_p
    plans.redist_step_of.restype = Step
    for name in ("digest", "elements", "list", "box_bytes"):
        getattr(plans, f"redist_{name}").restype = ctypes.c_uint64
    return plans


def load(libraries=[]):
    """Returns the two libraries, from $LL_REDISTRIBUTE or built once. That of
    the kernels is None if it is missing."""
    if not libraries:
        folder = pathlib.Path(os.environ.get("LL_REDISTRIBUTE") or
                              ROOT / "build" / "torch")
        if not (folder / NAMES[0]).exists():
            build(folder)
        kernels = None
        if (folder / NAMES[1]).exists():
            kernels = ctypes.CDLL(str(folder / NAMES[1]))
            for name in SENTENCES:
                getattr(kernels, f"redist_{name}").restype = ctypes.c_char_p
        libraries += [plans_of(folder / NAMES[0]), kernels]
    return libraries
