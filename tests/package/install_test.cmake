# usage: cmake -DBUILD= -DWORK= -DCONSUMER= -DGENERATOR= -DCXX= -DCXX_FLAGS= -DEXPECTED= -P …
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
run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/build -G ${GENERATOR}
    -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS=${CXX_FLAGS})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer)
string(STRIP "${output}" output)
if(NOT output STREQUAL EXPECTED)
  message(FATAL_ERROR "the consumer printed '${output}', not '${EXPECTED}'")
endif()

if(EXISTS ${WORK}/prefix/bin/tacet)
  run(${WORK}/prefix/bin/tacet version)
endif()
file(REMOVE_RECURSE ${WORK})
