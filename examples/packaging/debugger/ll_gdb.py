"""ll_gdb.py - layouts and plans in gdb and cuda-gdb, in the notation of ll.h.

    (gdb) source examples/packaging/debugger/ll_gdb.py
    (gdb) print a
    $1 = register: j0 i0 | lane: j1 j2 j3 i1 i2 | warp: i3 -> j=16 | i=16

It calls no function of the program, so it works on core files too. `print/r`
shows the members.
"""
import gdb
import gdb.printing

LETTERS = "?abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
MOST = {"dims": 16, "bits": 32, "steps": 5}


def number(value):
    return int(value) & (1 << 64) - 1


def name_of(dim):
    """The name of an ll_dim: ten 6-bit codes, the first in the highest bits."""
    codes = [number(dim) >> 6 * (9 - k) & 63 for k in range(10)]
    return "".join(LETTERS[c] for c in codes if c) or "?"


def dims_of(shape):
    """Name and bits of each dimension."""
    return [(name_of(shape["dim"][k]), number(shape["bits"][k]))
            for k in range(min(number(shape["n"]), MOST["dims"]))]


def sizes(dims, join):
    return join.join(f"{name}={1 << bits}" for name, bits in dims)


def constant(first, value):
    """The enumerator of a value, in the enum that contains `first`."""
    symbol = gdb.lookup_symbol(first)[0] or gdb.lookup_static_symbol(first)
    for field in symbol.type.fields() if symbol else ():
        if field.enumval == value:
            return field.name
    return str(value)


def column(dims, word):
    """The output bits that are set in a packed word, joined by ^."""
    found, start = [], 0
    for name, bits in dims:
        dot = "." if name[-1].isdigit() else ""
        found += [f"{name}{dot}{bit}" for bit in range(bits)
                  if word >> (start + bit) & 1]
        start += bits
    return "^".join(found) or "0"


def layout_text(value):
    if number(value["err"]):
        return f"no layout: {constant('LL_OK', number(value['err']))}"
    dims, groups, at = dims_of(value["out"]), [], 0
    for name, bits in dims_of(value["in"]):
        words = [column(dims, number(value["basis"][min(k, MOST["bits"] - 1)]))
                 for k in range(at, at + bits)]
        groups.append(" ".join([name + ":"] + words))
        at += bits
    if number(value["offset"]):
        groups.append("1: " + column(dims, number(value["offset"])))
    tail = [" -> " + sizes(dims, " | ")] if dims else []
    return "".join([" | ".join(groups), *tail])


def step_text(value):
    op = constant("LL_OP_RENAME", number(value["op"]))[len("LL_OP_"):].lower()
    text = f"{op.replace('_', ' ')}, {number(value['count'])} instructions"
    if number(value["bytes"]):
        text += (f" of {number(value['bytes'])} bytes, "
                 f"{number(value['wavefronts'])} wavefronts each, "
                 f"{number(value['least'])} without conflicts")
    return text


def plan_text(value):
    if number(value["err"]):
        return f"no plan: {constant('LL_OK', number(value['err']))}"
    kind = constant("LL_NOTHING", number(value["kind"]))[len("LL_"):].lower()
    return (f"{kind}, {number(value['smem_bytes'])} bytes of shared memory, "
            f"about {number(value['cycles'])} cycles per warp, "
            f"{number(value['n'])} steps")


class Words:
    """Shows a value as one line."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return self.text()


class Dim(Words):
    def text(self):
        return name_of(self.value)


class Shape(Words):
    def text(self):
        return sizes(dims_of(self.value), " ") or "no dimensions"


class Layout(Words):
    def text(self):
        return layout_text(self.value)


class Step(Words):
    def text(self):
        return step_text(self.value)


class Plan(Words):
    def text(self):
        return plan_text(self.value)

    def children(self):
        if not number(self.value["err"]):
            for k in range(min(number(self.value["n"]), MOST["steps"])):
                yield str(k + 1), self.value["step"][k]
            if number(self.value["smem_bytes"]):
                yield "memory", self.value["memory"]


PRINTERS = {"ll_dim": Dim, "ll_shape": Shape, "ll_layout": Layout,
            "ll_step": Step, "ll_plan": Plan}


class Printers(gdb.printing.PrettyPrinter):
    def __init__(self):
        super().__init__("ll")

    def __call__(self, value):
        found = value.type.unqualified()
        found = PRINTERS.get(found.name or "") or \
            PRINTERS.get(found.strip_typedefs().tag or "")
        return found and found(value)


gdb.printing.register_pretty_printer(None, Printers(), replace=True)
