"""setup.py - builds the compiled part of the Python package from the headers.

    pip install ./examples/packaging/python, or in the root: pip install .

A source package has the headers in a folder beside this file.
"""
import pathlib
import re
import shutil

from setuptools import Extension, setup
from setuptools.command.sdist import sdist

HEADERS = ["ll.h", "ll_ptx.h", "ll_amd.h", "tools/views/ll_views.h",
           "tools/llshow/notation.h", "tools/llshow/families.h",
           "tools/llshow/tensor_type.h", "tools/llshow/access.h", "LICENSE"]
here = pathlib.Path(__file__).resolve().parent
packed = here / "headers"
root = packed if packed.exists() else here.parent.parent.parent
version = re.findall(r"^#define LL_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$",
                     (root / "ll.h").read_text(), re.M)


class WithHeaders(sdist):
    """A source package is built where there is no tree around it."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        for name in HEADERS:
            to = pathlib.Path(base_dir) / "headers" / name
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / name, to)


setup(version=".".join(version), packages=["linear_layouts"],
      cmdclass={"sdist": WithHeaders},
      ext_modules=[Extension("linear_layouts.glue",
                             ["linear_layouts/glue.c"],
                             include_dirs=[str(root)],
                             depends=[str(root / name) for name in HEADERS],
                             extra_compile_args=["-std=c11"])])
