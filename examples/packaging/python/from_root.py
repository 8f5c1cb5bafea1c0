"""from_root.py - builds the package of this folder from the root of the tree.

`pip install .` there names this file in pyproject.toml. The folder of the
package is where setuptools looks for setup.py.
"""
import os

from setuptools.build_meta import * # noqa: F401, F403

os.chdir(os.path.dirname(os.path.abspath(__file__)))
