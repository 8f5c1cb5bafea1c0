"""Linear layouts: which register, lane and warp holds which tensor element.

    >>> from linear_layouts import Layout, Plan
    >>> a = Layout("register: j0 j1 i3 | lane: j2 j3 i0 i1 i2")
    >>> a(register=1, lane=4)
    {'j': 1, 'i': 1}
    >>> Plan(a, a.trans("j i"), bits=32, target="sm_90").cycles > 0
    True

A layout can be written in the notation of ll.h, as a family such as
"rows(64, 64, 4)", as a Triton attribute (with a shape) or type, or as CuTe's
Shape:Stride; `trans(..)` around any of them exchanges rows and columns,
`inv(..)` inverts, and `swizzle(A, B)` is the best memory for stores by A and
loads by B. Where a text says the bits of an element, plans use them.
Notebooks show layouts and plans as pictures. Bad input raises Error, with the
library's message.
"""
import array
import ctypes
import glob
import operator
import os

__all__ = ["Error", "Layout", "Plan", "version"]

KINDS = ("nothing", "registers", "shuffles", "shared", "cluster", "any",
         "copies")
VIEWS = {"matrix": 0, "tensor": 1, "hardware": 2}
OPS = {"read": 3, "write": 4}
FORMS = {"text": 0, "colour": 1, "svg": 2, "csv": 3}
INV, PINV, MUL, COMPOSE, TRANS, REDUCE, SWIZZLE = range(7)


class Error(ValueError):
    """Says what is wrong with an argument, a layout or a plan."""


def _library():
    here = os.path.dirname(os.path.abspath(__file__))
    found = [p for p in glob.glob(os.path.join(here, "glue*"))
             if p.endswith((".so", ".pyd", ".dll", ".dylib"))]
    if not found:
        raise ImportError("linear_layouts: the compiled part is missing; "
                          "install the package with pip")
    return ctypes.CDLL(found[0])


_ll = _library()


def version():
    """Returns the version of ll.h, such as "0.3.0"."""
    number = _ll.py_version()
    return f"{number // 10000}.{number // 100 % 100}.{number % 100}"


__version__ = version()


def _written(function, *args):
    """Returns the text that a function of the library writes."""
    size = 1 << 12
    while True:
        buf = ctypes.create_string_buffer(size)
        length = function(*args, buf, ctypes.c_uint(size))
        if length < size:
            return buf.value.decode() if length else ""
        size = length + 1


def _checked(function, *args):
    """Calls a function that writes an error message, or nothing."""
    said = _written(function, *args).strip()
    if said:
        raise Error(said[len("ll: layout: "):] if said.startswith("ll: layout: ")
                    else said)


def _picture(function, *args):
    """Returns a picture; raises Error if there is none."""
    err = ctypes.c_uint()
    said = _written(function, *args, ctypes.byref(err))
    if err.value:
        raise Error(said.strip())
    return said


def _number(name, x):
    """Returns x as a number from 0 to 2^32 - 1."""
    try:
        x = operator.index(x)
    except TypeError:
        raise Error(f"{name} must be a whole number (got {x!r})") from None
    if not 0 <= x < 1 << 32:
        raise Error(f"{name} must be 0 to 2^32 - 1 (got {x})")
    return x


def _one_of(name, x, known):
    if x not in known:
        raise Error(f"{name} must be one of {', '.join(known)} (got {x!r})")
    return x


def _text(name, x):
    if not isinstance(x, str):
        raise Error(f"{name} must be a text (got {x!r})")
    return x.encode()


def _bits(given, **named):
    """Returns the bits of an element: those that layouts say, else `given`,
    else 32."""
    said = [(name, x.bits) for name, x in named.items()
            if x is not None and x.bits]
    given = None if given is None else _number("bits", given)
    for name, bits in said:
        if bits != said[0][1]:
            raise Error(f"{said[0][0]} has elements of {said[0][1]} bits, but "
                        f"{name} has elements of {bits} bits")
        if given is not None and given != bits:
            raise Error(f"bits is {given}, but {name} has elements of {bits} "
                        "bits")
    return said[0][1] if said else 32 if given is None else given


def _layout(x):
    """Returns a layout, given one or its text."""
    return x if isinstance(x, Layout) else Layout(x)


def _sizes(shape):
    """Returns the sizes in "64x32" or (64, 32)."""
    if isinstance(shape, str):
        parts = shape.split("x") if shape else []
        if not all(x.isdigit() for x in parts):
            raise Error(f"a shape must look like 64x32 (got {shape!r})")
        shape = [int(x) for x in parts]
    shape = [_number("shape", x) for x in shape]
    if len(shape) > 16:
        raise Error("a shape has at most 16 sizes")
    return (ctypes.c_uint * 16)(*shape), len(shape)


def _product(sizes):
    size = 1
    for n in sizes.values():
        size *= n
    return size


class Layout:
    """A layout. Equal layouts have the same names, sizes and columns.

    bits: of an element, if the text says them, as "rows(64, 64, 2)" and
    "smem_ptr[16b](unset) o (8,64):(64,1)" do, else None."""

    def __init__(self, text, shape=()):
        self._raw = ctypes.create_string_buffer(_ll.py_layout_bytes())
        sizes, rank = _sizes(shape)
        bits = ctypes.c_uint()
        _checked(_ll.py_read, self._raw, _text("a layout", text),
                 ctypes.c_uint(rank), sizes, ctypes.byref(bits))
        self.bits = bits.value or None

    @classmethod
    def _empty(cls):
        found = cls.__new__(cls)
        found._raw = ctypes.create_string_buffer(_ll.py_layout_bytes())
        found.bits = None
        return found

    @classmethod
    def _restored(cls, text, bits):
        found = cls(text)
        found.bits = bits
        return found

    def __reduce__(self):
        return Layout._restored, (str(self), self.bits)

    def _make(self, how, other=None, word="", bits=0):
        made = Layout._empty()
        _checked(_ll.py_make, made._raw, ctypes.c_uint(how), self._raw,
                 other._raw if other is not None else None,
                 _text("an order or a target", word),
                 ctypes.c_uint(_number("bits", bits)))
        made.bits = bits or (None if other is not None else self.bits)
        return made

    def __str__(self):
        return _written(_ll.py_text, self._raw)

    def __repr__(self):
        return f"Layout({str(self)!r})"

    def __eq__(self, other):
        return isinstance(other, Layout) and \
            bool(_ll.py_is_equal(self._raw, other._raw))

    def __hash__(self):
        return hash(str(self))

    def __mul__(self, other):
        """The product: self acts on the low bits, other on the high bits."""
        return self._make(MUL, other) if isinstance(other, Layout) else \
            NotImplemented

    def __matmul__(self, first):
        """The composition: `first`, then self."""
        return first._make(COMPOSE, self) if isinstance(first, Layout) else \
            NotImplemented

    def inv(self):
        """The inverse of an invertible layout."""
        return self._make(INV)

    def pinv(self):
        """A right inverse: the smallest input that reaches each output."""
        return self._make(PINV)

    def trans(self, order):
        """The same with axes in another order: "j i" transposes."""
        return self._make(TRANS, word=order)

    def reduce(self, axis):
        """The layout of the results of a reduction along an axis."""
        return self._make(REDUCE, word=f"{axis}=1")

    def swizzle(self, other, bits=None, target="sm_90"):
        """The best memory layout for stores by self and loads by other. bits:
        of an element, if neither text says them (default: 32)."""
        other = _layout(other)
        bits = _bits(bits, **{"the layout": self, "the other": other})
        return self._make(SWIZZLE, other, target, bits)

    def _dims(self, side):
        found, buf = {}, ctypes.create_string_buffer(64)
        while True:
            size = _ll.py_dim(self._raw, ctypes.c_uint(side),
                              ctypes.c_uint(len(found)), buf, 64)
            if not size:
                return found
            found[buf.value.decode()] = size

    @property
    def ins(self):
        """Sizes of the inputs, the fastest first: {"register": 4, ..}."""
        return self._dims(0)

    @property
    def outs(self):
        """Sizes of the outputs, the fastest first."""
        return self._dims(1)

    def apply(self, packed):
        """Maps packed inputs to packed outputs. Takes a number or several: a
        list, an array.array or a numpy array of any shape. Returns the same
        kind; a numpy array of a type that is too narrow for the outputs becomes
        one of uint32."""
        if hasattr(packed, "__index__") and not getattr(packed, "shape", ()):
            return self._map([_number("place", packed)])[0]
        if hasattr(packed, "__array_interface__"):
            return self._apply_numpy(packed)
        if isinstance(packed, array.array):
            if packed.typecode not in "iIlLqQ":
                raise Error("the array must hold 32-bit whole numbers, or "
                            f"64-bit ones (got type {packed.typecode!r})")
            return array.array(packed.typecode, self._map(packed))
        if isinstance(packed, (list, tuple, range)):
            return list(self._map([_number("place", x) for x in packed]))
        raise Error(f"expected a number or an array (got {packed!r})")

    def _map(self, places):
        """Outputs, as a ctypes array, of a sequence of whole numbers."""
        most = self._places() - 1
        for x in places:
            if not 0 <= x <= most:
                raise Error(f"a place must be 0 to {most} (got {x})")
        given = (ctypes.c_uint * len(places))(*places)
        found = (ctypes.c_uint * len(places))()
        _ll.py_apply(self._raw, given, found, ctypes.c_ulonglong(len(places)))
        return found

    def _apply_numpy(self, packed):
        import numpy
        packed = numpy.asarray(packed)
        if packed.dtype.kind not in "iu":
            raise Error("the array must hold whole numbers "
                        f"(got {packed.dtype})")
        wrong = packed[(packed < 0) | (packed > self._places() - 1)]
        if wrong.size:
            raise Error(f"a place must be 0 to {self._places() - 1} "
                        f"(got {wrong.flat[0]})")
        given = numpy.ascontiguousarray(packed, dtype=numpy.uint32)
        found = numpy.empty(packed.shape, dtype=numpy.uint32)
        _ll.py_apply(self._raw, ctypes.c_void_p(given.ctypes.data),
                     ctypes.c_void_p(found.ctypes.data),
                     ctypes.c_ulonglong(packed.size))
        most = _product(self.outs) - 1
        fits = most <= numpy.iinfo(packed.dtype).max
        return found.astype(packed.dtype) if fits else found

    def __call__(self, **where):
        """Coordinates of an element: a(register=1, lane=4) is {"j": ..}. Takes
        numbers, or lists and numpy arrays, which are broadcast."""
        several = any(hasattr(x, "__len__") and not isinstance(x, str) and
                      getattr(x, "shape", True) for x in where.values())
        if several:
            try:
                import numpy
            except ImportError:
                raise Error("numpy is needed for lists and arrays here") \
                    from None
        word, shift = 0, 0
        for name, size in self.ins.items():
            x = where.pop(name, 0)
            if several and hasattr(x, "__len__") and not isinstance(x, str):
                x = numpy.asarray(x)
                if x.dtype.kind not in "iu":
                    raise Error(f"{name} must be whole numbers (got {x.dtype})")
                wrong = x[(x < 0) | (x >= size)]
                if wrong.size:
                    raise Error(f"{name} must be 0 to {size - 1} "
                                f"(got {wrong.flat[0]})")
                x = x.astype(numpy.uint32)
            else:
                x = _number(name, x)
                if not 0 <= x < size:
                    raise Error(f"{name} must be 0 to {size - 1} (got {x})")
                x = numpy.uint32(x) if several else x
            word = word | x << (numpy.uint32(shift) if several else shift)
            shift += size.bit_length() - 1
        if where:
            raise Error(f"the layout has no input {', '.join(where)}")
        word, found = self.apply(word), {}
        for name, size in self.outs.items():
            found[name] = word % size
            word = word // size
        return found

    def _places(self):
        return _product(self.ins)

    def table(self):
        """The packed outputs of all packed inputs."""
        return self.apply(array.array("I", range(self._places())))

    def picture(self, view="tensor", form="svg"):
        """Draws a view, "tensor", "hardware" or "matrix", as "text", "colour",
        "svg" or "csv". An element that no input reaches has an empty cell."""
        return _picture(_ll.py_picture, self._raw, None,
                        ctypes.c_uint(VIEWS[_one_of("a view", view, VIEWS)]),
                        ctypes.c_uint(FORMS[_one_of("a form", form, FORMS)]),
                        ctypes.c_uint(32), b"sm_90")

    def banks(self, memory, bits=None, op="read", target="sm_90", form="svg"):
        """Draws an access to a memory layout, a "read" or a "write", with its
        wavefronts and banks. bits: of an element, if neither text says them
        (default: 32)."""
        memory = _layout(memory)
        bits = _bits(bits, **{"the layout": self, "the memory": memory})
        return _picture(_ll.py_picture, self._raw, memory._raw,
                        ctypes.c_uint(OPS[_one_of("op", op, OPS)]),
                        ctypes.c_uint(FORMS[_one_of("a form", form, FORMS)]),
                        ctypes.c_uint(_number("bits", bits)),
                        _text("a target", target))

    def _repr_svg_(self):
        for view in "tensor", "hardware":
            try:
                return self.picture(view)
            except Error:
                pass
        return None


class Plan:
    """How to convert layout a to layout b, and what it costs.

    kind: "nothing", "registers", "shuffles", "shared", "cluster", "copies", or
    "any". bits: of an element, if no text says them (default: 32). within: most
    bytes of shared memory. through: the memory layout to use."""

    def __init__(self, a, b, bits=None, target="sm_90", kind="any", within=None,
                 through=None):
        _one_of("a kind", kind, KINDS)
        self.a, self.b = _layout(a), _layout(b)
        through = None if through is None else _layout(through)
        self.bits = _bits(bits, a=self.a, b=self.b, through=through)
        self.target = target
        self._made = self.a, self.b, self.bits, target, kind, within, through
        self._raw = ctypes.create_string_buffer(_ll.py_plan_bytes())
        _checked(_ll.py_plan, self._raw, self.a._raw, self.b._raw,
                 ctypes.c_uint(self.bits), _text("a target", target),
                 ctypes.c_uint(KINDS.index(kind)),
                 ctypes.c_uint(0xffffffff if within is None
                               else _number("within", within)),
                 through._raw if through is not None else None)

    def __reduce__(self):
        return Plan, self._made

    def _of(self, what):
        return _ll.py_of_plan(self._raw, ctypes.c_uint(what))

    kind = property(lambda self: KINDS[self._of(0)])
    cycles = property(lambda self: self._of(1), doc="per warp, estimated")
    smem_bytes = property(lambda self: self._of(2),
                          doc="bytes of shared memory")
    conflicts = property(lambda self: self._of(3),
                         doc="extra wavefronts, caused by bank conflicts")
    steps = property(lambda self: self._of(4),
                     doc="of the plan, including those within a lane, which "
                         "its text does not number")

    @property
    def memory(self):
        """The layout of the shared memory that it uses, or None."""
        found = Layout._empty()
        _ll.py_memory(self._raw, found._raw)
        return found if self.smem_bytes else None

    def __str__(self):
        return _written(_ll.py_part, self.a._raw, self.b._raw) + \
            _written(_ll.py_explain, self._raw)

    def __repr__(self):
        return f"Plan({self.a!r}, {self.b!r}, bits={self.bits}, " \
               f"target={self.target!r})"

    def frames(self, form="svg"):
        """Pairs of a caption and a picture: the registers before and after each
        step, and each access."""
        _one_of("a form", form, FORMS)
        return [(_written(_ll.py_frame_words, self._raw, ctypes.c_uint(k)),
                 _written(_ll.py_frame, self._raw, self.a._raw, self.b._raw,
                          self.target.encode(), ctypes.c_uint(k),
                          ctypes.c_uint(FORMS[form])))
                for k in range(self._of(5))]

    def _repr_html_(self):
        return "".join(f"<p>{words}</p>{picture}"
                       for words, picture in self.frames())
