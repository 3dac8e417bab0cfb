# Finds CBC and the libraries of COIN-OR that it is built on, which bring no CMake packages: the
# target Cbc::Cbc.
find_path(Cbc_INCLUDE_DIR CbcModel.hpp PATH_SUFFIXES coin)
set(cbc_libraries Cbc Cgl OsiClp Clp Osi CoinUtils)  # each before those that it needs
set(cbc_variables)
foreach(library IN LISTS cbc_libraries)
  find_library(Cbc_${library}_LIBRARY ${library})
  list(APPEND cbc_variables Cbc_${library}_LIBRARY)
endforeach()
mark_as_advanced(Cbc_INCLUDE_DIR ${cbc_variables})

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Cbc REQUIRED_VARS Cbc_INCLUDE_DIR ${cbc_variables})

if(Cbc_FOUND AND NOT TARGET Cbc::Cbc)
  set(cbc_locations)
  foreach(variable IN LISTS cbc_variables)
    list(APPEND cbc_locations ${${variable}})
  endforeach()
  add_library(Cbc::Cbc INTERFACE IMPORTED)
  set_target_properties(Cbc::Cbc PROPERTIES
    INTERFACE_LINK_LIBRARIES "${cbc_locations}"
    INTERFACE_INCLUDE_DIRECTORIES ${Cbc_INCLUDE_DIR})
endif()
