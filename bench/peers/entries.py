"""entries.py - the entries of a library that includes device/entries.h."""
import ctypes


class Entry(ctypes.Structure):
    _fields_ = [("kernel", ctypes.c_char_p), ("type", ctypes.c_char_p),
                ("tile", ctypes.c_uint), ("first", ctypes.c_uint),
                ("tiling", ctypes.c_char_p), ("run", ctypes.c_void_p)]


def entries_of(library):
    """Yields the number and the Entry of each."""
    library.entry_of.restype = ctypes.POINTER(Entry)
    return [(k, library.entry_of(k).contents)
            for k in range(library.count())]
