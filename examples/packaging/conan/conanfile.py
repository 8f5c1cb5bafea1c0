"""conanfile.py - the Conan 2 recipe of the headers.

    conan create examples/packaging/conan

Consumers require linear-layouts/VERSION, use CMakeDeps, and link ll::ll.
"""
import os
import re

from conan import ConanFile
from conan.tools.files import copy, load

FILES = ("ll.h", "ll_ptx.h", "ll_amd.h", "tools/reshard/ll_reshard.h",
         "tools/views/ll_views.h", "LICENSE")


class LinearLayouts(ConanFile):
    name = "linear-layouts"
    description = "linear layouts over F2 for GPU kernels"
    license = "MIT"
    topics = ("cuda", "hip", "gpu", "layout", "header-only")
    package_type = "header-library"
    no_copy_source = True

    def root(self):
        return os.path.join(self.recipe_folder, "..", "..", "..")

    def set_version(self):
        header = load(self, os.path.join(self.root(), "ll.h"))
        numbers = re.findall(
            r"^#define LL_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", header, re.M)
        self.version = ".".join(numbers)

    def export_sources(self):
        for name in FILES:
            copy(self, name, self.root(), self.export_sources_folder)

    def package(self):
        for name in FILES[:-1]:
            folder, name = os.path.split(name)
            copy(self, name, os.path.join(self.source_folder, folder),
                 os.path.join(self.package_folder, "include"))
        copy(self, "LICENSE", self.source_folder,
             os.path.join(self.package_folder, "licenses"))

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "ll")
        self.cpp_info.set_property("cmake_target_name", "ll::ll")
        self.cpp_info.set_property("pkg_config_name", "ll")
