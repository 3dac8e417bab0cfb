# Links programs and libtacet.so with static libraries, so that they need glibc alone: Debian's, and those
# that packaging/static_libraries.sh compiles, in CMAKE_PREFIX_PATH.

set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(OPENSSL_USE_STATIC_LIBS ON)
set(ZLIB_USE_STATIC_LIBS ON)
add_link_options(-static-libstdc++ -static-libgcc)
# What is linked from which archive, for the list of what packages contain (packaging/linked.py).
add_link_options(LINKER:-Map=$<TARGET_PROPERTY:NAME>.map)

# Fails unless all libraries that were found are static. Headers are Debian's, of the same versions, and
# used as with shared libraries, so that objects are those of the preset `package`.
function(tacet_require_static_libraries)
  foreach(target fmt::fmt OpenSSL::Crypto OpenSSL::SSL ZLIB::ZLIB TBB::tbb TreeSitter::TreeSitter Isl::isl)
    get_target_property(location ${target} LOCATION)
    if(NOT location MATCHES "\\.a$")
      message(FATAL_ERROR "${target} is ${location}, not a static library; run packaging/static_libraries.sh build/static")
    endif()
  endforeach()
  foreach(target fmt::fmt TBB::tbb)
    set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "")
  endforeach()
  set_target_properties(fmt::fmt PROPERTIES INTERFACE_COMPILE_DEFINITIONS FMT_SHARED)
endfunction()

# Adds what newer versions of glibc have to what is linked.
function(tacet_add_newer_glibc)
  add_library(tacet_newer_glibc OBJECT ${PROJECT_SOURCE_DIR}/packaging/glibc_2_34.c)
  foreach(target tacet libtacet)
    target_link_libraries(${target} PRIVATE tacet_newer_glibc)
  endforeach()
endfunction()
