"""consumer.py - a program outside of this tree that uses the Python package.

    consumer.py VERSION    that the package must have
"""
import array
import doctest
import pickle
import sys

import linear_layouts
from linear_layouts import Error, Layout, Plan


def refused(words, function, *args, **named):
    """A call that must raise Error, with these words in its sentence."""
    try:
        function(*args, **named)
    except Error as error:
        assert words in str(error), str(error)
    else:
        raise AssertionError(f"no error: {words}")


assert doctest.testmod(linear_layouts) == (0, 4)
assert linear_layouts.version() == sys.argv[1], linear_layouts.version()

a = Layout("register: j0 j1 | lane: j2 j3 i0 i1 i2 | warp: i3")
assert a.ins == {"register": 4, "lane": 32, "warp": 2}
assert a.outs == {"j": 16, "i": 16}
assert a == Layout(str(a)) and a != a.trans("j i") and a.trans("j i").trans(
    "j i") == a
assert a(register=3, lane=5, warp=1) == {"j": 7, "i": 9}
assert a.apply(0b1_00101_11) == 9 << 4 | 7
assert a.table() == array.array("I", (
    r | (l & 3) << 2 | l >> 2 << 4 | w << 7
    for w in range(2) for l in range(32) for r in range(4)))
assert (a.inv() @ a).table() == array.array("I", range(256))
assert str(a.reduce("j")) == \
    "register: | lane: 0 0 i0 i1 i2 | warp: i3"
assert Layout("lane: i0") * Layout("lane: i0") == Layout("lane: i0 i1")
assert Layout("#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], "
              "warpsPerCTA = [2, 1], order = [1, 0]}>", "16x16") == a
assert Layout("(16,16):(16,1)").ins == {"offset": 256}

b = a.trans("j i")
plan = Plan(a, b, bits=32)
assert plan.kind == "shared" and plan.smem_bytes == 1024 and not plan.conflicts
assert "data goes through shared memory" in str(plan)
frames = plan.frames()
assert len(frames) > plan.steps and all(p.startswith("<svg") for _, p in frames)
again = Plan(a, b, through=plan.memory)
assert again.memory == plan.memory and again.cycles == plan.cycles
assert a.banks(plan.memory, 32, "write", form="csv").count("\n") > 4
assert a._repr_svg_().startswith("<svg") and plan._repr_html_().count("<svg") > 4
assert a.swizzle(b, 32).outs == {"j": 16, "i": 16}

refused("character 15", Layout, "register: j0 |")
refused("needs a shape", Layout, "#ttg.blocked<{}>")
refused("not in the layout", a.reduce, "q")
refused("asked for q", a.reduce, "q")
refused("0 to 3", a, register=4)
refused("a whole number", a, register=1.5)
refused("op must be one of read, write (got 'reed')", a.banks, plan.memory, 32,
        "reed")
refused("a view must be one of", a.picture, "bank")
refused("a form must be one of", a.picture, "tensor", "png")
refused("a form must be one of", plan.frames, "png")
refused("an element has 8, 16", a.banks, plan.memory, 7)
refused("at most 2^16", Layout("mma_c(1024, 4096, 4)").picture)
assert Layout("mma_c(1024, 4096, 4)")._repr_svg_() is None
refused("a place must be 0 to 255 (got 256)", a.apply, 256)
refused("got 300", a.apply, array.array("I", [1, 300]))
refused("whole numbers", a.apply, array.array("f", [1]))
refused("a number or an array", a.apply, None)
refused("padded memory", Layout, "#ttg.padded_shared<[32:+1] {order = "
        "[1, 0], shape = [32, 32]}>", "32x32")
refused("a layout must be a text (got 7)", Plan, a, 7)
refused("within must be 0 to 2^32 - 1 (got -1)", Plan, a, b, within=-1)
refused("bits must be 0 to 2^32 - 1 (got -32)", Plan, a, b, bits=-32)
refused("a target must be a text", Plan, a, b, target=90)
refused("at most 16 sizes", Layout, "#ttg.blocked<{}>", (1,) * 17)
refused("a shape must look like", Layout, "#ttg.blocked<{}>", "64,64")
for product in (lambda: a * 3), (lambda: a @ 3):
    try:
        product()
    except TypeError:
        pass
    else:
        raise AssertionError("a product with a number")
assert pickle.loads(pickle.dumps(a)) == a
assert str(pickle.loads(pickle.dumps(again))) == str(again)
assert linear_layouts.__version__ == linear_layouts.version()
refused("no input block", a, block=0)
refused("32-bit whole numbers", a.apply, array.array("H", [1]))
refused("a kind must be one of", Plan, a, b, kind="magic")
refused("there is no plan", Plan, a, b, within=8)
refused("target", Plan, a, b, target="sm_1")

try:
    import numpy
except ImportError:
    pass
else:
    assert a(register=numpy.int64(1)) == a(register=1)
    assert a.apply(numpy.uint32(5)) == a.apply(5)
    refused("whole numbers", a.apply, numpy.arange(8, dtype=numpy.float32))
    found = a.apply(numpy.arange(256, dtype=numpy.uint32))
    assert isinstance(found, numpy.ndarray) and list(found) == list(a.table())

# The bits that a text says are planned; two that differ are an error.
pair = "rows(64, 64, 2)", "trans(rows(64, 64, 2))"
assert Layout(pair[0]).bits == 16 and a.bits is None
assert Plan(*pair).bits == 16 and Plan(*pair).smem_bytes == 8192
assert str(Plan(*pair)) == str(Plan(*pair, bits=16)) != str(
    Plan("rows(64, 64, 4)", "trans(rows(64, 64, 4))"))
assert Plan(a, b).bits == 32 and Plan(a, b, bits=8).bits == 8
refused("bits is 32, but a has elements of 16 bits", Plan, *pair, bits=32)
refused("a has elements of 16 bits, but b has elements of 32 bits", Plan,
        pair[0], "trans(rows(64, 64, 4))")
refused("bits is 8, but b has elements of 16 bits", Plan, a, "mma_a(16, 16, 16, "
        "1)", bits=8)
wide = Layout(pair[0])
assert wide.trans("j i").bits == pickle.loads(pickle.dumps(wide)).bits == 16
assert wide.swizzle(pair[1]).bits == 16
refused("the layout has elements of 16 bits, but the other has elements of 32",
        wide.swizzle, "rows(64, 64, 4)")
refused("bits is 32, but the layout has elements of 16 bits", wide.banks,
        "row_major(64, 64)", 32)
assert wide.banks("row_major(64, 64)") == wide.banks("row_major(64, 64)", 16)
assert Layout("smem_ptr[8b](unset) o (8,64):(64,1)").bits == 8
assert Layout(f"swizzle({pair[0]}, {pair[1]})").bits == 16
kind = ("tensor<16x16xbf16, #ttg.blocked<{sizePerThread = [1, 4], "
        "threadsPerWarp = [8, 4], warpsPerCTA = [2, 1], order = [1, 0]}>>")
assert Layout(kind) == a and Layout(kind).bits == 16
refused("already has a shape", Layout, kind, "16x16")
refused("padded memory", Layout, "(32,32):(33,1)")
assert Layout("mma_a(64, 64, 4, 4)").banks("row_major(64, 64)", form="csv") == \
    Layout("mma_a(64, 32, 8, 4)").banks("row_major(64, 32)", form="csv")

# Parts of a tensor are drawn with holes; what is dropped or unknown is said.
part = Layout("register: j0 0 | lane: j1 j2 j3 i1 i2").picture("tensor", "csv")
assert [row.count(":") for row in part.split("\n")[1:9]] == [16, 0] * 4
assert str(Plan("rows(64, 64, 4)", "rows(32, 64, 4)")).startswith(
    "B holds part of A: 32 of 64 along i\n")
refused("lan is none of register, lane, warp, block, gpu, node, offset, ",
        Layout("register: j0 | lan: i0").picture)
refused("the input foo is none of", Plan, "register: j0 | foo: i0", "lane: i0 j0")
assert "\nb1 l0," in Layout("register: j0 | block: j1 | lane: i0").picture(
    "hardware", "csv")

# Whole numbers of any kind are mapped.
assert a.apply([1, 4]) == [a.apply(1), a.apply(4)] and a.apply([]) == []
assert a.apply(range(256)) == list(a.table()) and a.apply((7,)) == [a.apply(7)]
assert a.apply(array.array("q", [3, 255])) == array.array("q", [
    a.apply(3), a.apply(255)])
refused("got -1", a.apply, array.array("i", [0, -1]))
refused("got 256", a.apply, [256])
refused("a whole number", a.apply, [0.5])
if "numpy" in sys.modules:
    whole = list(a.table())
    for kind in "int16", "uint16", "int32", "uint32", "int64", "uint64":
        given = numpy.arange(256, dtype=kind)
        found = a.apply(given)
        assert found.dtype == given.dtype and list(found) == whole, kind
        assert list(a.apply(given[::-2])) == whole[::-2], kind
        square = a.apply(given.reshape(16, 16).T)
        assert square.shape == (16, 16) and square[3, 5] == whole[5 * 16 + 3]
    bytes_of = a.apply(numpy.arange(128, dtype="int8"))
    assert bytes_of.dtype == numpy.uint32 and list(bytes_of) == whole[:128]
    big = a.apply(numpy.arange(256, dtype=">i8"))
    assert [int(x) for x in big] == whole
    refused("got -5", a.apply, numpy.array([[1], [-5]]))
    refused("got 256", a.apply, numpy.array([256]))
    refused("whole numbers (got bool)", a.apply, numpy.array([True]))
    assert a.apply(numpy.zeros((0, 3), dtype=int)).shape == (0, 3)
    where = a(register=numpy.arange(4), lane=0)
    assert list(where["j"]) == [0, 1, 2, 3] and list(where["i"]) == [0] * 4
    where = a(register=numpy.arange(4)[:, None], lane=numpy.arange(32), warp=1)
    assert where["i"].shape == (4, 32) and all(
        a(register=r, lane=l, warp=1) == {k: v[r, l] for k, v in where.items()}
        for r in range(4) for l in range(32))
    assert list(a(register=[0, 3])["j"]) == [0, 3]
    refused("register must be 0 to 3 (got 4)", a, register=numpy.arange(5))
    refused("register must be whole numbers", a, register=numpy.arange(2.0))
