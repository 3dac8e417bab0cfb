# Finds libtree-sitter, which brings no CMake package: the target TreeSitter::TreeSitter.
find_path(TreeSitter_INCLUDE_DIR tree_sitter/api.h)
find_library(TreeSitter_LIBRARY tree-sitter)
mark_as_advanced(TreeSitter_INCLUDE_DIR TreeSitter_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TreeSitter
  REQUIRED_VARS TreeSitter_LIBRARY TreeSitter_INCLUDE_DIR)

if(TreeSitter_FOUND AND NOT TARGET TreeSitter::TreeSitter)
  add_library(TreeSitter::TreeSitter UNKNOWN IMPORTED)
  set_target_properties(TreeSitter::TreeSitter PROPERTIES
    IMPORTED_LOCATION ${TreeSitter_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${TreeSitter_INCLUDE_DIR})
endif()
