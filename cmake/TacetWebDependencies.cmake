# What the module for browsers is built on: headers of the same Debian packages, and libraries that
# Debian has for other machines alone, compiled from its source packages. `tools/build_site.py` unpacks
# those in TACET_WEB_SOURCES and compiles isl, which has a configuration of its own.

set(headers ${CMAKE_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${headers})
# Not all of /usr/include, which would hide the headers of the module's own C library.
foreach(folder boost CLI fmt nlohmann toml++ vulkan vk_video)
  if(EXISTS /usr/include/${folder})
    file(CREATE_LINK /usr/include/${folder} ${headers}/${folder} SYMBOLIC)
  endif()
endforeach()

# Threads, TLS and TBB: the module has none, and what uses them is replaced or left out.
foreach(target fmt::fmt nlohmann_json::nlohmann_json CLI11::CLI11 Boost::headers OpenSSL::SSL
        OpenSSL::Crypto TBB::tbb Threads::Threads Isl::isl ZLIB::ZLIB)
  add_library(${target} INTERFACE IMPORTED)
endforeach()
target_include_directories(fmt::fmt SYSTEM INTERFACE ${headers})
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY=1)

# `tacet_web_library(TARGET STAND_IN FOLDER FILES)`: TARGET from the C files of the source package,
# linked by whatever links STAND_IN.
function(tacet_web_library target package_target folder)
  list(TRANSFORM ARGN PREPEND ${folder}/)
  add_library(${target} STATIC ${ARGN})
  target_compile_options(${target} PRIVATE -w)
  target_link_libraries(${package_target} INTERFACE ${target})
endfunction()

file(GLOB zlib ${TACET_WEB_SOURCES}/zlib-*)
tacet_web_library(web_zlib ZLIB::ZLIB ${zlib}
  adler32.c crc32.c deflate.c inffast.c inflate.c inftrees.c trees.c zutil.c)
target_include_directories(web_zlib SYSTEM PUBLIC ${zlib})

# AES in counter mode and SHA-256, instead of OpenSSL's.
file(GLOB bearssl ${TACET_WEB_SOURCES}/bearssl-*/src)
tacet_web_library(web_bearssl OpenSSL::Crypto ${bearssl}
  codec/dec32be.c codec/dec32le.c codec/enc32be.c codec/enc32le.c hash/sha2small.c
  symcipher/aes_ct64.c symcipher/aes_ct64_enc.c symcipher/aes_ct64_ctr.c)
target_include_directories(web_bearssl SYSTEM PUBLIC ${bearssl}/../inc PRIVATE ${bearssl})

file(GLOB isl ${TACET_WEB_SOURCES}/isl-*)
target_include_directories(Isl::isl SYSTEM INTERFACE ${isl}/include ${TACET_WEB_SOURCES}/isl/include)
target_link_libraries(Isl::isl INTERFACE ${TACET_WEB_SOURCES}/isl/.libs/libisl.a)
set(VULKAN_HEADERS ${headers})
set(TOMLPLUSPLUS_INCLUDE_DIR ${headers})
