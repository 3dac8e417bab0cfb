# Finds libisl, which brings no CMake package: the target Isl::isl.
find_path(Isl_INCLUDE_DIR isl/union_map.h)
find_library(Isl_LIBRARY isl)
mark_as_advanced(Isl_INCLUDE_DIR Isl_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Isl REQUIRED_VARS Isl_LIBRARY Isl_INCLUDE_DIR)

if(Isl_FOUND AND NOT TARGET Isl::isl)
  add_library(Isl::isl UNKNOWN IMPORTED)
  set_target_properties(Isl::isl PROPERTIES
    IMPORTED_LOCATION ${Isl_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${Isl_INCLUDE_DIR})
endif()
