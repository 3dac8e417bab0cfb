# One CMake target per folder: `tacet_folder(compiler/core/syntax LINKS base grammar)` makes
# the static library tacet_compiler_core_syntax from every .cpp of the folder and, when the
# folder has files named *_test.cpp, the test program tacet_compiler_core_syntax_test.

add_library(tacet_options INTERFACE)
target_include_directories(tacet_options INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/tacet>)
target_compile_features(tacet_options INTERFACE cxx_std_20)
target_compile_options(tacet_options INTERFACE
  $<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wconversion;-Wshadow;-Wswitch-enum>>
  $<BUILD_INTERFACE:$<$<AND:$<BOOL:${TACET_WERROR}>,$<COMPILE_LANGUAGE:CXX>>:-Werror>>)
if(EMSCRIPTEN)
  target_compile_options(tacet_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-conversion;-Wno-shadow>)
endif()
target_link_libraries(tacet_options INTERFACE fmt::fmt Threads::Threads)

# What a test program is compiled with: where the sources are, so that it finds its fixtures.
add_library(tacet_test_options INTERFACE)
target_link_libraries(tacet_test_options INTERFACE tacet_options)
if(TACET_TESTS)
  target_link_libraries(tacet_test_options INTERFACE GTest::gtest)
  target_compile_definitions(tacet_test_options INTERFACE TACET_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
endif()

# The precompiled headers that every C++ target reuses: one for libraries and programs, one
# with GoogleTest for tests. A target can reuse one only if it compiles with the same flags.
set(precompiled_headers
  <algorithm> <array> <atomic> <cstdint> <functional> <map> <memory> <mutex> <optional> <span>
  <string> <string_view> <unordered_map> <utility> <variant> <vector> <fmt/format.h>)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/tacet_pch.cpp CONTENT "// holds a precompiled header\n")
add_library(tacet_pch OBJECT ${CMAKE_BINARY_DIR}/tacet_pch.cpp)
target_link_libraries(tacet_pch PRIVATE tacet_options)
target_precompile_headers(tacet_pch PRIVATE ${precompiled_headers})
if(TACET_QUICK)
  # Less optimised, g++ finds variables that it cannot follow.
  set(quick_options -O1 $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_compile_options(tacet_test_options INTERFACE ${quick_options})
  add_library(tacet_quick_pch OBJECT ${CMAKE_BINARY_DIR}/tacet_pch.cpp)
  target_link_libraries(tacet_quick_pch PRIVATE tacet_options)
  target_compile_options(tacet_quick_pch PRIVATE ${quick_options})
  target_precompile_headers(tacet_quick_pch PRIVATE ${precompiled_headers})
endif()
if(TACET_TESTS)
  add_library(tacet_test_pch OBJECT ${CMAKE_BINARY_DIR}/tacet_pch.cpp)
  target_link_libraries(tacet_test_pch PRIVATE tacet_test_options)
  target_precompile_headers(tacet_test_pch PRIVATE ${precompiled_headers} <gtest/gtest.h>)
endif()

# Adds those of the named folders that exist, in the order given, or all that exist if none is
# named. The glob makes a build folder notice one that lands later.
function(tacet_subfolders)
  file(GLOB present CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}
       ${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt)
  list(TRANSFORM present REPLACE "/CMakeLists.txt$" "")
  if(NOT ARGN)
    set(ARGN ${present})
  endif()
  foreach(folder IN LISTS ARGN)
    if(folder IN_LIST present)
      add_subdirectory(${folder})
    endif()
  endforeach()
endfunction()

# Sets `out` to the targets that `links` name: a folder (`compiler/core/syntax`) stands for its
# library, anything else is a target or library already.
function(tacet_resolve_links out)
  set(targets)
  foreach(link IN LISTS ARGN)
    if(EMSCRIPTEN AND link MATCHES "^engine/(mpc|net|gpu|distribution|he_distributed|he_joint_runtime)(/|$)")
      continue()  # the module has neither sockets nor threads nor Vulkan
    endif()
    string(REPLACE "/" "_" target "tacet_${link}")
    if(TARGET ${target} OR EXISTS ${PROJECT_SOURCE_DIR}/${link}/CMakeLists.txt)
      list(APPEND targets ${target})
    else()
      list(APPEND targets ${link})
    endif()
  endforeach()
  set(${out} ${targets} PARENT_SCOPE)
endfunction()

# Files that are being edited, a line each, which `./dev` lists: they are compiled apart, so that a
# change is compiled alone and not with its batch.
set(edited_list ${CMAKE_BINARY_DIR}/edited.txt)
if(NOT EXISTS ${edited_list})
  file(TOUCH ${edited_list})
endif()
file(STRINGS ${edited_list} edited_files)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${edited_list})

# Compiles the sources of `target` in batches, since most of the time that a file takes goes to the
# headers that it shares with its neighbours. The names of a folder's files must then differ, those
# that are local to a file too. Files that cannot be with others are named behind the target. A file
# that is compiled apart leaves the other batches as they were.
function(tacet_batches target)
  if(NOT TACET_BATCHES)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # In a batch every file is a header to g++, which warns of local types in the types of headers.
  target_compile_options(${target} PRIVATE
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-subobject-linkage>)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  set(n_batched 0)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE path)
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE name)
    cmake_path(RELATIVE_PATH name BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    math(EXPR batch "${n_batched} / ${TACET_BATCHES}")
    if(NOT name IN_LIST ARGN)
      math(EXPR n_batched "${n_batched} + 1")
      if(NOT path IN_LIST edited_files)
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${batch})
      endif()
    endif()
  endforeach()
endfunction()

# Makes the test program `target` from `SOURCES` and registers it with ctest under `name`.
function(tacet_test target name)
  if(NOT TACET_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;APART" ${ARGN})
  tacet_resolve_links(links ${ARG_LINKS})
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE tacet_test_options ${links} GTest::gtest_main)
  target_precompile_headers(${target} REUSE_FROM tacet_test_pch)
  tacet_batches(${target} ${ARG_APART})
  add_test(NAME ${name} COMMAND ${target})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT TACET_VERIFY_PASSES=1)
endfunction()

# Registers a long run of the test program `target`, which only `./dev test --long` and `ctest -C Long`
# start: the tests of FILTER, disabled ones too, with ENVIRONMENT. A filter that no test has fails.
function(tacet_long_test name target)
  if(NOT TARGET ${target})
    return()
  endif()
  cmake_parse_arguments(ARG "" "FILTER" "ENVIRONMENT" ${ARGN})
  add_test(NAME ${name}
           COMMAND ${target} --gtest_filter=${ARG_FILTER} --gtest_also_run_disabled_tests
           CONFIGURATIONS Long)
  set_tests_properties(${name} PROPERTIES LABELS long TIMEOUT 86400
    ENVIRONMENT "${ARG_ENVIRONMENT}" FAIL_REGULAR_EXPRESSION "Running 0 tests")
endfunction()

# LINKS are what the folder's headers use, PRIVATE_LINKS what only its .cpp files use,
# TEST_LINKS what only its tests use. FOLDERS are folders whose files belong to it too. APART names
# the .cpp files that no batch can hold. In the module for browsers, `web/NAME.cpp` replaces
# `NAME.cpp`, and the files that NATIVE names are not.
function(tacet_folder path)
  cmake_parse_arguments(ARG "" "" "LINKS;PRIVATE_LINKS;TEST_LINKS;FOLDERS;APART;NATIVE" ${ARGN})
  string(REPLACE "/" "_" name "tacet_${path}")
  set(folders ${CMAKE_CURRENT_SOURCE_DIR})
  foreach(folder IN LISTS ARG_FOLDERS)
    list(APPEND folders ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
  endforeach()
  list(TRANSFORM folders APPEND /*.cpp OUTPUT_VARIABLE patterns)
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  list(TRANSFORM folders APPEND /*.h OUTPUT_VARIABLE patterns)
  file(GLOB headers CONFIGURE_DEPENDS ${patterns})
  list(TRANSFORM folders APPEND /*_test.cpp OUTPUT_VARIABLE patterns)
  file(GLOB tests CONFIGURE_DEPENDS ${patterns})
  if(tests)
    list(REMOVE_ITEM sources ${tests})
  endif()
  if(EMSCRIPTEN)
    list(TRANSFORM folders APPEND /web/*.cpp OUTPUT_VARIABLE patterns)
    file(GLOB web_sources CONFIGURE_DEPENDS ${patterns})
    foreach(source IN LISTS web_sources)
      string(REPLACE "/web/" "/" native ${source})
      list(APPEND ARG_NATIVE ${native})
    endforeach()
    list(TRANSFORM ARG_NATIVE REPLACE "^([^/].*)$" "${CMAKE_CURRENT_SOURCE_DIR}/\\1")
    list(REMOVE_ITEM sources ${ARG_NATIVE})
    list(APPEND sources ${web_sources})
  endif()
  tacet_resolve_links(links ${ARG_LINKS})
  tacet_resolve_links(private_links ${ARG_PRIVATE_LINKS})
  # Nobody who links the library needs to know of headers that only its .cpp files saw.
  list(TRANSFORM private_links REPLACE "^(.*::.*)$" "$<BUILD_INTERFACE:\\1>")
  if(sources)
    add_library(${name} STATIC ${sources} ${headers})
    target_link_libraries(${name} PUBLIC tacet_options ${links} PRIVATE ${private_links})
    if(TACET_QUICK AND NOT path MATCHES "^(base|engine)(/|$)")
      target_compile_options(${name} PRIVATE ${quick_options})
      target_precompile_headers(${name} REUSE_FROM tacet_quick_pch)
    else()
      target_precompile_headers(${name} REUSE_FROM tacet_pch)
    endif()
    tacet_batches(${name} ${ARG_APART})
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE tacet_options ${links})
  endif()
  set_property(GLOBAL APPEND PROPERTY TACET_LIBRARIES ${name})
  if(tests)
    tacet_test(${name}_test ${path} SOURCES ${tests} LINKS ${name} ${ARG_TEST_LINKS} APART ${ARG_APART})
  endif()
endfunction()
