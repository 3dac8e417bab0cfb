# tacet_bench(NAME SOURCES … LINKS …) makes the Google Benchmark program tacet_NAME_bench that
# `./dev bench` runs. Nothing is built without TACET_BENCH.
function(tacet_bench name)
  if(NOT TACET_BENCH)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  tacet_resolve_links(links ${ARG_LINKS})
  set(target tacet_${name}_bench)
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE tacet_options ${links} benchmark::benchmark_main)
  target_precompile_headers(${target} REUSE_FROM tacet_pch)
  target_compile_definitions(${target} PRIVATE TACET_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${name}_bench RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
endfunction()
