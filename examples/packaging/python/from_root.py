"""from_root.py - builds the package of this folder from the root of the tree.

`pip install .` in the root runs this file, which pyproject.toml names there.
setuptools looks for setup.py in the current folder, so we go to ours.
"""
import os

from setuptools.build_meta import * # noqa: F401, F403

os.chdir(os.path.dirname(os.path.abspath(__file__)))
