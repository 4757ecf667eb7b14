# Finds libzstd and defines pt2triage_zstd_target: its CMake package first, whose
# targets have other names in other versions, then header and library. Of Debian's
# only the shared library can go into an extension module.
#
#   zstd_FOUND, zstd_VERSION (empty if unknown)
find_package(zstd CONFIG QUIET)
foreach(_target zstd::libzstd_shared zstd::libzstd zstd::libzstd_static)
  if(TARGET ${_target} AND NOT TARGET pt2triage_zstd)
    add_library(pt2triage_zstd INTERFACE IMPORTED)
    set_target_properties(pt2triage_zstd PROPERTIES
      INTERFACE_LINK_LIBRARIES ${_target})
    set(zstd_FOUND TRUE)
  endif()
endforeach()
if(TARGET pt2triage_zstd)
  return()
endif()

find_path(zstd_INCLUDE_DIR zstd.h)
find_library(zstd_LIBRARY zstd)
mark_as_advanced(zstd_INCLUDE_DIR zstd_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(zstd
  REQUIRED_VARS zstd_LIBRARY zstd_INCLUDE_DIR)

if(zstd_FOUND)
  add_library(pt2triage_zstd UNKNOWN IMPORTED)
  set_target_properties(pt2triage_zstd PROPERTIES
    IMPORTED_LOCATION "${zstd_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${zstd_INCLUDE_DIR}")
endif()
