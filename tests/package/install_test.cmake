# usage: cmake -DBUILD= -DWORK= -DCONSUMER= -DEXAMPLES= -DGENERATOR= -DCXX= -DCXX_FLAGS= -DEXPECTED= -P …
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}: ${status}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
# What the headers include is there, or a library that the package asks for: {fmt}.
file(GLOB_RECURSE headers ${WORK}/prefix/include/*.h)
foreach(header IN LISTS headers)
  file(STRINGS ${header} includes REGEX "#include <.*/.*>")
  list(FILTER includes EXCLUDE REGEX "<(fmt|sys)/")
  if(includes)
    message(FATAL_ERROR "${header} needs what is not installed: ${includes}")
  endif()
endforeach()
if(EXISTS ${WORK}/prefix/include/tacet/engine/secure_random/test_seed.h)
  message(FATAL_ERROR "a generator that repeats was installed")
endif()

# build(SOURCES BUILD_FOLDER): a project outside the repository.
function(build sources folder)
  run(${CMAKE_COMMAND} -S ${sources} -B ${folder} -G ${GENERATOR}
      -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS=${CXX_FLAGS})
  run(${CMAKE_COMMAND} --build ${folder})
endfunction()

build(${CONSUMER} ${WORK}/build)
run(${WORK}/build/consumer)
string(STRIP "${output}" output)
if(NOT output STREQUAL EXPECTED)
  message(FATAL_ERROR "the consumer printed '${output}', not '${EXPECTED}'")
endif()

# The examples verify their results themselves, and fail when one is wrong. They are built from a
# copy, far from the repository's headers.
file(COPY ${EXAMPLES}/ DESTINATION ${WORK}/examples)
set(programs ${WORK}/examples_build)
build(${WORK}/examples ${programs})
# run_example(WHAT_IT_PRINTS COMMAND…)
function(run_example expected)
  run(${ARGN})
  if(NOT output MATCHES "${expected}")
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command} printed '${output}', without '${expected}'")
  endif()
endfunction()
run_example("is right in all 8192 slots" ${programs}/encrypt_compute_decrypt)
run_example("which is right" ${programs}/dot_product)
run_example("the product is right" ${programs}/matrix_vector)
run_example("numbers: [0-9]+ bytes" ${programs}/client prepare ${WORK}/home ${WORK}/shared)
run_example("answer: [0-9]+ bytes" ${programs}/server ${WORK}/shared)
run_example("answer is right in all 8192 slots" ${programs}/client finish ${WORK}/home ${WORK}/shared)

# What is wrong they tell, and fail: a result that is another one, an answer for somebody else, one
# that is empty, and none.
function(fail_example expected)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(status EQUAL 0 OR NOT output MATCHES "${expected}")
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}: ${status}, '${output}', without '${expected}'")
  endif()
endfunction()
run_example("bytes" ${programs}/client prepare ${WORK}/other ${WORK}/others)
fail_example("belongs to a different secret key" ${programs}/client finish ${WORK}/other ${WORK}/shared)
fail_example("cannot read" ${programs}/client finish ${WORK}/other ${WORK}/others)
file(COPY_FILE ${WORK}/others/numbers ${WORK}/others/answer)
fail_example("slot [0-9]+ is" ${programs}/client finish ${WORK}/other ${WORK}/others)
file(WRITE ${WORK}/others/numbers "")
fail_example("0 bytes are too short" ${programs}/server ${WORK}/others)
file(COPY_FILE ${WORK}/shared/numbers ${WORK}/others/numbers)
fail_example("different secret key" ${programs}/server ${WORK}/others)

if(EXISTS ${WORK}/prefix/bin/tacet)
  run(${WORK}/prefix/bin/tacet version)
endif()
file(REMOVE_RECURSE ${WORK})
