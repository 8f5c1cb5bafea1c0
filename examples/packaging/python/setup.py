"""setup.py - builds the compiled part of the Python package from the headers.

    pip install ./examples/packaging/python, or in the root: pip install .
"""
import pathlib
import re

from setuptools import Extension, setup

here = pathlib.Path(__file__).resolve().parent
root = here.parent.parent.parent
version = re.findall(r"^#define LL_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$",
                     (root / "ll.h").read_text(), re.M)

setup(version=".".join(version), packages=["linear_layouts"],
      ext_modules=[Extension("linear_layouts.glue",
                             ["linear_layouts/glue.c"],
                             include_dirs=[str(root)],
                             depends=[str(root / name) for name in
                                      ("ll.h", "ll_ptx.h", "ll_amd.h",
                                       "tools/views/ll_views.h")],
                             extra_compile_args=["-std=c11"])])
