# tacet_fuzzer(parse SOURCES parse_fuzzer.cpp LINKS compiler/core/syntax SEEDS examples grammar/corpus)
#
# One source with `LLVMFuzzerTestOneInput` and `extern "C"` linkage makes two programs. With
# TACET_FUZZ (the fuzz preset) it is the libFuzzer binary fuzzers/parse of `./dev fuzz`, which
# reads where the seeds are in fuzzers/seeds/parse.txt and mixes in the words of the language,
# fuzzers/words.dict; ctest replays the seeds through it. Without, it is linked with
# tools/fuzz_replay.cpp, which feeds it the seeds and RUNS seeded mutations of them: the same inputs
# on every machine, in every test run.

if(TACET_FUZZ)
  set(pattern "^TACET_(RESERVED|CONTEXTUAL)_WORD\\([A-Za-z0-9]+, (\".*\")\\)$")
  file(STRINGS ${PROJECT_SOURCE_DIR}/compiler/core/syntax/node_kinds.def words REGEX ${pattern})
  list(TRANSFORM words REPLACE ${pattern} "\\2")
  string(REPLACE ";" "\n" words "${words}")
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/fuzzers/words.dict CONTENT "${words}\n" @ONLY)
endif()

function(tacet_fuzzer name)
  cmake_parse_arguments(ARG "" "RUNS;TIMEOUT" "SOURCES;LINKS;SEEDS" ${ARGN})
  if(NOT ARG_RUNS)
    set(ARG_RUNS 20000)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  if(NOT TACET_TESTS AND NOT TACET_FUZZ)
    return()
  endif()
  list(TRANSFORM ARG_SEEDS PREPEND ${PROJECT_SOURCE_DIR}/)
  tacet_resolve_links(links ${ARG_LINKS})

  set(target tacet_${name}_fuzzer)
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE tacet_options ${links})
  target_precompile_headers(${target} REUSE_FROM tacet_pch)
  if(TACET_FUZZ)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    set_target_properties(${target} PROPERTIES
      OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzzers)
    string(REPLACE ";" "\n" seeds "${ARG_SEEDS}")
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/fuzzers/seeds/${name}.txt CONTENT "${seeds}\n")
    set(command ${target} -runs=0 ${ARG_SEEDS})
  else()
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tools/fuzz_replay.cpp)
    set(command ${target} ${ARG_RUNS} ${ARG_SEEDS})
  endif()
  if(TACET_TESTS)
    add_test(NAME fuzz/${name} COMMAND ${command})
    set_tests_properties(fuzz/${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT})
  endif()
endfunction()
