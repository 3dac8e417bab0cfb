# What Tacet is built on, all of it from Debian 12; tools/packages.txt names the packages.
# They are found once, here, because a folder's private dependency must also be known
# wherever the folder is linked.

if(EMSCRIPTEN)
  include(TacetWebDependencies)
  return()
endif()
if(TACET_PORTABLE)
  include(TacetPortable)
endif()
find_package(fmt REQUIRED)
find_package(Threads REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Boost 1.74 REQUIRED)  # Boost::headers; Asio is all that is used of it
find_package(OpenSSL 3.0 REQUIRED)  # OpenSSL::Crypto: AES; OpenSSL::SSL: links between parties
find_package(ZLIB REQUIRED)  # ZLIB::ZLIB: archives of NumPy's arrays
find_package(TBB REQUIRED)  # TBB::tbb: threads of the engine
find_path(VULKAN_HEADERS vulkan/vulkan_core.h REQUIRED)  # of the loader that is opened at run time
find_package(TreeSitter REQUIRED)
find_package(Isl REQUIRED)  # Isl::isl: integer sets, for dependences of loops
find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h REQUIRED)  # used without its library
if(TACET_TESTS)
  find_package(GTest REQUIRED)
endif()
if(TACET_BENCH)
  find_package(benchmark REQUIRED)
endif()
if(TACET_PORTABLE)
  tacet_require_static_libraries()
endif()
