# The vcpkg port of the headers, built from this source tree:
#
#     vcpkg install linear-layouts --overlay-ports=examples/packaging/vcpkg
#
# Consumers call find_package(ll) and link ll::ll.
set(VCPKG_BUILD_TYPE release) # headers only
get_filename_component(ll_root "${CURRENT_PORT_DIR}/../../../.." ABSOLUTE)
vcpkg_cmake_configure(SOURCE_PATH "${ll_root}/examples/packaging/cmake")
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME ll CONFIG_PATH share/cmake/ll)
vcpkg_install_copyright(FILE_LIST "${ll_root}/LICENSE")
