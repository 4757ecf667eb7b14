# What decompresses: zlib always, zstd unless -DPT2TRIAGE_ZSTD=OFF, and ISA-L, which
# inflates two to three times as fast as zlib, where it is installed. Included by
# Dependencies.cmake, which says where libraries come from.
option(PT2TRIAGE_ZSTD "Read .zst files" ON)
option(PT2TRIAGE_ISAL "Inflate with ISA-L where it is installed" ON)

pt2triage_declare(zlib
  https://github.com/madler/zlib/releases/download/v1.3.1/zlib-1.3.1.tar.gz
  9a93b2b7dfdac77ceba5a558a580e74667dd6fede4585b91eefb60f03b72df23
  SOURCE_SUBDIR no-cmake)  # we build the six files that inflate
pt2triage_declare(zstd
  https://github.com/facebook/zstd/releases/download/v1.5.7/zstd-1.5.7.tar.gz
  eb33e51f49a15e023950cd7825ca74a4a2b43db8354825ac24fc1b7ee09e6fa3
  SOURCE_SUBDIR no-cmake)  # and those that decompress

# pt2triage_c_library(TARGET INCLUDE_DIR FILES...)
function(pt2triage_c_library target include_dir)
  add_library(${target} STATIC ${ARGN})
  target_include_directories(${target} SYSTEM PUBLIC "${include_dir}")
  target_compile_options(${target} PRIVATE -O2 -w)  # in Debug builds too
endfunction()

# --- zlib --------------------------------------------------------------------
pt2triage_find(zlib ZLIB::ZLIB ZLIB MODULE)
if(NOT TARGET ZLIB::ZLIB)
  pt2triage_announce(zlib zlib1g-dev zlib)
  enable_language(C)
  FetchContent_MakeAvailable(zlib)
  set(_files adler32.c crc32.c inffast.c inflate.c inftrees.c zutil.c)
  list(TRANSFORM _files PREPEND "${zlib_SOURCE_DIR}/")
  pt2triage_c_library(pt2triage_zlib "${zlib_SOURCE_DIR}" ${_files})
  add_library(ZLIB::ZLIB ALIAS pt2triage_zlib)
endif()
target_link_libraries(pt2triage_dependencies INTERFACE ZLIB::ZLIB)

# --- zstd --------------------------------------------------------------------
set(PT2TRIAGE_ZSTD_FROM "none: .zst is not read")
if(PT2TRIAGE_ZSTD)
  pt2triage_find(zstd pt2triage_zstd zstd MODULE)
  if(NOT TARGET pt2triage_zstd)
    pt2triage_announce(zstd libzstd-dev zstd)
    enable_language(C)
    FetchContent_MakeAvailable(zstd)
    file(GLOB _files "${zstd_SOURCE_DIR}/lib/common/*.c"
      "${zstd_SOURCE_DIR}/lib/decompress/*.c")
    pt2triage_c_library(pt2triage_zstd "${zstd_SOURCE_DIR}/lib" ${_files})
    target_compile_definitions(pt2triage_zstd PRIVATE ZSTD_DISABLE_ASM)
  endif()
  target_link_libraries(pt2triage_dependencies INTERFACE pt2triage_zstd)
  target_compile_definitions(pt2triage_dependencies INTERFACE PT2TRIAGE_ZSTD)
endif()

# --- ISA-L: only if it is there ----------------------------------------------
set(PT2TRIAGE_ISAL_FROM "none: zlib inflates")
if(PT2TRIAGE_ISAL AND NOT FETCHCONTENT_TRY_FIND_PACKAGE_MODE STREQUAL "NEVER")
  find_path(ISAL_INCLUDE_DIR isa-l/igzip_lib.h)
  find_library(ISAL_LIBRARY isal)
  mark_as_advanced(ISAL_INCLUDE_DIR ISAL_LIBRARY)
  if(ISAL_INCLUDE_DIR AND ISAL_LIBRARY)
    add_library(pt2triage_isal UNKNOWN IMPORTED)
    set_target_properties(pt2triage_isal PROPERTIES
      IMPORTED_LOCATION "${ISAL_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${ISAL_INCLUDE_DIR}")
    target_link_libraries(pt2triage_dependencies INTERFACE pt2triage_isal)
    target_compile_definitions(pt2triage_dependencies INTERFACE PT2TRIAGE_ISAL)
    set(PT2TRIAGE_ISAL_FROM "(installed)")
  endif()
endif()
