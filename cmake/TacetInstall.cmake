# What `cmake --install` and `cpack -G DEB` put on a machine, in three components: `program` (the
# command `tacet`), `library` (libtacet.so) and `development` (headers, static libraries, the CMake
# package, tacet.pc). A project that says find_package(tacet) links tacet::c, the C interface,
# tacet::tacet, all of the library in C++, tacet::engine, what computes on encrypted data, or one
# folder by its name, as in tacet::compiler_syntax.

include(CMakePackageConfigHelpers)
set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tacet)
set(library_folders base library engine compiler formatter linter problems)

get_property(libraries GLOBAL PROPERTY TACET_LIBRARIES)
list(JOIN library_folders "|" folder_names)
list(FILTER libraries INCLUDE REGEX "^tacet_(${folder_names})(_|$)")
foreach(library IN LISTS libraries)
  string(REGEX REPLACE "^tacet_" "" short_name ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${short_name})
endforeach()
set_target_properties(tacet_options PROPERTIES EXPORT_NAME options)

add_library(tacet_library INTERFACE)
set_target_properties(tacet_library PROPERTIES EXPORT_NAME tacet)
target_link_libraries(tacet_library INTERFACE ${libraries})

add_library(tacet_engine_library INTERFACE)
set_target_properties(tacet_engine_library PROPERTIES EXPORT_NAME engine)
target_link_libraries(tacet_engine_library INTERFACE tacet_engine_he)

install(TARGETS tacet_library tacet_engine_library tacet_options ${libraries} EXPORT tacet-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/tacet COMPONENT development)
install(EXPORT tacet-targets NAMESPACE tacet:: DESTINATION ${config_folder}
        COMPONENT development)
# json_range.h, json_values.h and gathering.h are for their folders' own files and need libraries
# that users need not have. So do those of Vulkan.
# test_seed.h, kernel_of_text.h and headers of tests are for our tests.
foreach(folder IN LISTS library_folders)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${folder})
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tacet COMPONENT development
            FILES_MATCHING PATTERN "*.h" PATTERN "*.def"
            PATTERN json_range.h EXCLUDE PATTERN json_values.h EXCLUDE
            PATTERN gathering.h EXCLUDE PATTERN look_ups.h EXCLUDE
            REGEX "engine/gpu/(vulkan_[a-z]+|pipeline|submission|device_clock)\\.h$" EXCLUDE
            PATTERN "*_test.h" EXCLUDE PATTERN test_seed.h EXCLUDE PATTERN kernel_of_text.h EXCLUDE)
  endif()
endforeach()

if(TARGET libtacet)
  set_target_properties(libtacet PROPERTIES EXPORT_NAME c)
  target_include_directories(libtacet INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  install(TARGETS libtacet EXPORT tacet-c-targets
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
          NAMELINK_COMPONENT development)
  install(EXPORT tacet-c-targets NAMESPACE tacet:: DESTINATION ${config_folder}
          COMPONENT development)
  install(FILES ${PROJECT_SOURCE_DIR}/include/tacet.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
          COMPONENT development)
  # The prefix is known when it is installed.
  install(CODE "
    set(CMAKE_INSTALL_LIBDIR ${CMAKE_INSTALL_LIBDIR})
    set(CMAKE_INSTALL_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR})
    set(PROJECT_VERSION ${PROJECT_VERSION})
    configure_file(${CMAKE_CURRENT_LIST_DIR}/tacet.pc.in ${PROJECT_BINARY_DIR}/tacet.pc @ONLY)"
    COMPONENT development)
  install(FILES ${PROJECT_BINARY_DIR}/tacet.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT development)
endif()

configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/tacet-config.cmake.in ${PROJECT_BINARY_DIR}/tacet-config.cmake
  INSTALL_DESTINATION ${config_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tacet-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tacet-config.cmake
              ${PROJECT_BINARY_DIR}/tacet-config-version.cmake
        DESTINATION ${config_folder} COMPONENT development)

# The program writes its own manual page and completions: installed_text(PLACE NAME ARGUMENTS…)
# installs what `tacet ARGUMENTS` prints as the file NAME.
set(installed_texts)
function(installed_text place name)
  set(file ${PROJECT_BINARY_DIR}/installed/${name})
  add_custom_command(OUTPUT ${file} COMMAND tacet ${ARGN} > ${file} VERBATIM)
  install(FILES ${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/${place} COMPONENT program)
  set(installed_texts ${installed_texts} ${file} PARENT_SCOPE)
endfunction()

if(TARGET tacet)
  install(TARGETS tacet RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/installed)
  installed_text(man/man1 tacet.1 man)
  installed_text(bash-completion/completions tacet completions bash)
  installed_text(zsh/vendor-completions _tacet completions zsh)
  installed_text(fish/vendor_completions.d tacet.fish completions fish)
  add_custom_target(tacet_installed_texts ALL DEPENDS ${installed_texts})
endif()
# What editors load from a folder; the extension for VS Code is packed by npm.
foreach(editor nvim vim emacs helix kakoune sublime kate)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/editors/${editor}
          DESTINATION ${CMAKE_INSTALL_DATADIR}/tacet/editors COMPONENT program
          PATTERN "*-test.el" EXCLUDE)
endforeach()
set(mpi_package)
if(TARGET tacet_mpi)
  set(mpi_package tacet-mpi)
endif()
foreach(package tacet ${mpi_package} libtacet1 libtacet-dev)
  set(component program)
  if(package STREQUAL tacet-mpi)
    set(component mpi)
  elseif(package STREQUAL libtacet-dev)
    set(component development)
  elseif(package STREQUAL libtacet1)
    set(component library)
  endif()
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE RENAME copyright
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
endforeach()

# The Debian packages: tacet, libtacet1, libtacet-dev, and tacet-mpi where the plug-in is built.
set(CPACK_PACKAGE_VENDOR "Tacet")
set(CPACK_PACKAGE_CONTACT "Tacet developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION "Tacet checks, formats and runs programs that compute on data they may not see.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL program library development)
if(TARGET tacet_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME tacet)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "tacet-mpi, glslang-tools, mesa-vulkan-drivers | vulkan-icd")  # the last two to run kernels
set(CPACK_DEBIAN_MPI_PACKAGE_NAME tacet-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "tacet (= ${PROJECT_VERSION}), openmpi-bin")
set(CPACK_DEBIAN_MPI_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libtacet1)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtacet-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libtacet1 (= ${PROJECT_VERSION}), libfmt-dev, libssl-dev, libtbb-dev, cmake")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "The program tacet.")
set(CPACK_COMPONENT_MPI_DESCRIPTION "The plug-in for encrypted evaluations on several machines by Open MPI.")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "The C interface of Tacet as a shared library.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Headers and libraries of Tacet's C interface, compiler and engine.")
include(CPack)
