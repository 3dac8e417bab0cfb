# One CMake target per folder: `tacet_folder(compiler/syntax LINKS base grammar)` makes
# the static library tacet_compiler_syntax from every .cpp of the folder and, when the
# folder has files named *_test.cpp, the test program tacet_compiler_syntax_test.

option(TACET_TESTS "Build the unit tests" ON)
option(TACET_WERROR "Treat warnings as errors" ON)

add_library(tacet_options INTERFACE)
target_include_directories(tacet_options INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include/tacet>)
target_compile_options(tacet_options INTERFACE
  $<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wconversion;-Wshadow>>
  $<BUILD_INTERFACE:$<$<AND:$<BOOL:${TACET_WERROR}>,$<COMPILE_LANGUAGE:CXX>>:-Werror>>)
target_link_libraries(tacet_options INTERFACE fmt::fmt Threads::Threads)

if(TACET_TESTS)
  find_package(GTest REQUIRED)
endif()

# The precompiled header every C++ target reuses.
file(WRITE ${CMAKE_BINARY_DIR}/tacet_pch.cpp "// holds the precompiled header\n")
add_library(tacet_pch OBJECT ${CMAKE_BINARY_DIR}/tacet_pch.cpp)
target_link_libraries(tacet_pch PRIVATE tacet_options)
target_precompile_headers(tacet_pch PRIVATE
  <algorithm> <array> <atomic> <cstdint> <functional> <map> <memory> <mutex> <optional> <span>
  <string> <string_view> <unordered_map> <utility> <variant> <vector> <fmt/format.h>)

function(tacet_folder path)
  cmake_parse_arguments(ARG "" "" "LINKS;TEST_LINKS" ${ARGN})
  string(REPLACE "/" "_" name "tacet_${path}")
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.h)
  file(GLOB tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp)
  if(tests)
    list(REMOVE_ITEM sources ${tests})
  endif()
  set(links)
  foreach(link IN LISTS ARG_LINKS)
    string(REPLACE "/" "_" target "tacet_${link}")
    if(TARGET ${target} OR EXISTS ${PROJECT_SOURCE_DIR}/${link}/CMakeLists.txt)
      list(APPEND links ${target})
    else()
      list(APPEND links ${link})
    endif()
  endforeach()
  if(sources)
    add_library(${name} STATIC ${sources} ${headers})
    target_link_libraries(${name} PUBLIC tacet_options ${links})
    target_precompile_headers(${name} REUSE_FROM tacet_pch)
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE tacet_options ${links})
  endif()
  set_property(GLOBAL APPEND PROPERTY TACET_LIBRARIES ${name})
  if(TACET_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE ${name} ${ARG_TEST_LINKS} GTest::gtest_main)
    target_precompile_headers(${name}_test REUSE_FROM tacet_pch)
    target_compile_definitions(${name}_test PRIVATE TACET_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    add_test(NAME ${path} COMMAND ${name}_test)
  endif()
endfunction()
