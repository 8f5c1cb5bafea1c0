"""cublaslt.py - GEMMs by cuBLASLt, with a choice of algorithms.

The library is the one loaded by PyTorch. Matrices are row-major tensors: A is
m x k, B is n x k, and C = A B^T is m x n.
"""
import ctypes
import pathlib

import torch

TYPES = {torch.float32: 0, torch.float16: 2, torch.bfloat16: 14,
         torch.float8_e4m3fn: 28}
COMPUTE_F32 = 68
TRANS_A, A_SCALE, B_SCALE, FAST = 3, 17, 18, 25 # attributes of a GEMM
ID, TILE, STAGES = 0, 1, 6 # attributes of an algorithm
CAN_TILES, CAN_STAGES = 6, 13
SM80 = 21 # the algorithm whose kernels are cutlass_80_tensorop
WORKSPACE = 64 << 20


class Found(ctypes.Structure):
    """cublasLtMatmulHeuristicResult_t."""
    _fields_ = [("algo", ctypes.c_uint64 * 8), ("workspace", ctypes.c_size_t),
                ("state", ctypes.c_int), ("waves", ctypes.c_float),
                ("reserved", ctypes.c_int * 4)]


def library():
    """Returns the loaded library."""
    torch.mm(*[torch.ones(16, 16, device="cuda", dtype=torch.float16)] * 2)
    for line in pathlib.Path("/proc/self/maps").read_text().splitlines():
        if "libcublasLt.so" in line:
            return ctypes.CDLL(line.split()[-1])
    raise OSError("torch has not loaded libcublasLt")


class Products:
    """cuBLASLt for C = A B^T of given types and shape."""

    def __init__(self, m, n, k, operand, result, scales=()):
        self.lt = library()
        self.types = TYPES[operand], TYPES[result]
        self.handle = self.made("cublasLtCreate")
        self.desc = self.made("cublasLtMatmulDescCreate", COMPUTE_F32, 0)
        self.set(TRANS_A, 1)
        for what, tensor in zip((A_SCALE, B_SCALE), scales):
            pointer = ctypes.c_void_p(tensor.data_ptr())
            self.call("cublasLtMatmulDescSetAttribute", self.desc, what,
                      ctypes.byref(pointer), 8)
        # cuBLAS is column-major: C^T = B A^T.
        self.b = self.layout(self.types[0], k, n, k)
        self.a = self.layout(self.types[0], k, m, k)
        self.c = self.layout(self.types[1], n, m, n)
        self.workspace = torch.empty(WORKSPACE, dtype=torch.uint8,
                                     device="cuda")
        self.one, self.zero = ctypes.c_float(1), ctypes.c_float(0)

    def call(self, name, *args):
        """Calls a function; raises an exception on an error."""
        status = getattr(self.lt, name)(*args)
        if status:
            raise RuntimeError(f"{name}: status {status}")

    def made(self, name, *args):
        """Returns a pointer that a function creates."""
        pointer = ctypes.c_void_p()
        self.call(name, ctypes.byref(pointer), *args)
        return pointer

    def set(self, what, value):
        """Sets an attribute of the GEMM."""
        self.call("cublasLtMatmulDescSetAttribute", self.desc, what,
                  ctypes.byref(ctypes.c_int32(value)), 4)

    def layout(self, kind, rows, cols, ld):
        """Creates a column-major matrix layout."""
        return self.made("cublasLtMatrixLayoutCreate", kind,
                         ctypes.c_uint64(rows), ctypes.c_uint64(cols),
                         ctypes.c_int64(ld))

    def heuristics(self, count=64):
        """The algorithms suggested by cuBLASLt, its default choice first."""
        preference = self.made("cublasLtMatmulPreferenceCreate")
        self.call("cublasLtMatmulPreferenceSetAttribute", preference, 1,
                  ctypes.byref(ctypes.c_uint64(WORKSPACE)), 8)
        found, number = (Found * count)(), ctypes.c_int()
        self.call("cublasLtMatmulAlgoGetHeuristic", self.handle, self.desc,
                  self.b, self.a, self.c, self.c, preference, count, found,
                  ctypes.byref(number))
        return [x for x in found[:number.value] if not x.state]

    def can(self, algo, what):
        """The tiles or stages that an algorithm supports."""
        size, values = ctypes.c_size_t(), (ctypes.c_uint32 * 256)()
        if self.lt.cublasLtMatmulAlgoCapGetAttribute(
                algo, what, values, ctypes.sizeof(values),
                ctypes.byref(size)):
            return [0]
        return list(values[:size.value // 4]) or [0]

    def all(self):
        """(id, tile, stages, algorithm) of all that support the GEMM."""
        kind, result = self.types
        ids, number = (ctypes.c_int * 256)(), ctypes.c_int()
        types = COMPUTE_F32, 0, kind, kind, result, result
        self.call("cublasLtMatmulAlgoGetIds", self.handle, *types, 256, ids,
                  ctypes.byref(number))
        for id_ in ids[:number.value]:
            algo = (ctypes.c_uint64 * 8)()
            if self.lt.cublasLtMatmulAlgoInit(self.handle, *types, id_, algo):
                continue
            for tile in self.can(algo, CAN_TILES):
                for stages in self.can(algo, CAN_STAGES):
                    one = (ctypes.c_uint64 * 8)(*algo)
                    for what, value in ((TILE, tile), (STAGES, stages)):
                        self.lt.cublasLtMatmulAlgoConfigSetAttribute(
                            one, what, ctypes.byref(ctypes.c_uint32(value)), 4)
                    found = Found()
                    if not self.lt.cublasLtMatmulAlgoCheck(
                            self.handle, self.desc, self.b, self.a, self.c,
                            self.c, one, ctypes.byref(found)) and \
                            found.workspace <= WORKSPACE:
                        yield id_, tile, stages, one

    def run(self, algo, c, a, b):
        """C = A B^T by an algorithm."""
        self.call("cublasLtMatmul", self.handle, self.desc,
                  ctypes.byref(self.one), ctypes.c_void_p(b.data_ptr()),
                  self.b, ctypes.c_void_p(a.data_ptr()), self.a,
                  ctypes.byref(self.zero), ctypes.c_void_p(c.data_ptr()),
                  self.c, ctypes.c_void_p(c.data_ptr()), self.c,
                  algo, ctypes.c_void_p(self.workspace.data_ptr()),
                  ctypes.c_size_t(WORKSPACE), ctypes.c_void_p(
                      torch.cuda.current_stream().cuda_stream))
