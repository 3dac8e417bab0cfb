#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "compiler/views/backends/cpp_code.h"
#include "compiler/views/backends/he_targets.h"
#include "compiler/views/backends/openfhe_support.h"
#include "compiler/views/backends/other_moduli.h"

namespace tacet::backends {

using engine::HeBundle;

namespace {

/// C++ for a library that drops primes by itself.
class OpenFheCpp : public Cpp {
 public:
  using Cpp::Cpp;
  [[nodiscard]] auto manages_levels() const -> bool override { return true; }
};

constexpr std::string_view kOpenFheIncludes = R"(
@INCLUDE@ <nlohmann/json.hpp>
@INCLUDE@ <openfhe.h>

@INCLUDE@ <cmath>
@INCLUDE@ <fstream>
@INCLUDE@ <iostream>
@INCLUDE@ <map>

using Cipher = lbcrypto::Ciphertext<lbcrypto::DCRTPoly>;
)";

constexpr std::string_view kOpenFhePart = R"(
class Client;
class Server;

/// Parameters and functions of a program modulo one prime.
struct Part {
  lbcrypto::SecurityLevel security;
  size_t n_rows, n_columns;
  uint64_t plain_modulus;
  /// Products with ciphertexts or plaintexts in sequence.
  uint32_t depth;
  /// The most sums and key switches between products.
  uint32_t n_sums, n_key_switches;
  /// Bits of the scale of reals.
  uint32_t scale_bits;
  /// Steps to the left.
  std::vector<int32_t> rotations;
  bool swaps_rows;
  bool relinearises;
  std::vector<Cipher> (*encrypt_inputs)(const Client&, const Values&);
  std::vector<Cipher> (*evaluate)(const Server&, const std::vector<Cipher>&, const Values&);
  Values (*decrypt_outputs)(const Client&, const std::vector<Cipher>&);
};
)";

constexpr std::string_view kOpenFheCMake = R"(cmake_minimum_required(VERSION 3.16)
project(@NAME@ CXX)
set(CMAKE_CXX_STANDARD 20)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
find_package(OpenFHE REQUIRED)
find_package(nlohmann_json REQUIRED)
add_executable(@NAME@ @NAME@.cpp)
separate_arguments(flags NATIVE_COMMAND "${OpenFHE_CXX_FLAGS}")
list(REMOVE_ITEM flags -Werror)
target_compile_options(@NAME@ PRIVATE ${flags})
target_include_directories(@NAME@ SYSTEM PRIVATE
  ${OpenFHE_INCLUDE} ${OpenFHE_INCLUDE}/third-party/include ${OpenFHE_INCLUDE}/core
  ${OpenFHE_INCLUDE}/pke ${OpenFHE_INCLUDE}/binfhe)
target_link_directories(@NAME@ PRIVATE ${OpenFHE_LIBDIR})
# The libraries find each other by the program's path.
set_target_properties(@NAME@ PROPERTIES BUILD_RPATH "${OpenFHE_LIBDIR}")
target_link_options(@NAME@ PRIVATE -Wl,--disable-new-dtags)
target_link_libraries(@NAME@ ${OpenFHE_SHARED_LIBRARIES} nlohmann_json::nlohmann_json)
)";

constexpr std::string_view kOpenFheBuild =
    "    cmake -B build -DCMAKE_PREFIX_PATH=…   # where OpenFHE 1.2 or later is installed\n"
    "    cmake --build build\n";

/// Of reals: as many bits as the library's first prime, of 60 bits, allows for what the program
/// computes with.
auto openfhe_scale_bits(const HeCode& code) -> uint32_t {
  double largest = 1;
  for (const engine::HeRegister& reg : code.program().registers) {
    largest = std::max(largest, reg.bound);
  }
  for (const engine::HeField& field : code.bundle->results) {
    const double most = std::max(-static_cast<double>(field.low), static_cast<double>(field.high));
    largest = std::max(largest, std::ldexp(most, -static_cast<int>(type_of(field).fraction_bits)));
  }
  const auto bits = static_cast<int>(57 - std::ceil(std::log2(largest)));
  return std::max(code.program().scale_bits, static_cast<uint32_t>(std::clamp(bits, 20, 50)));
}

auto openfhe_part(const HeBundle& bundle, const HeCode& code) -> std::string {
  const engine::HeProgram& program = code.program();
  const std::string end = code.suffix.empty() ? "" : "_" + code.suffix;
  const NoiseCounts counts = noise_counts(program);
  return fmt::format(
      "    {{.security = lbcrypto::HEStd_{}_classic,\n"
      "     .n_rows = {},\n"
      "     .n_columns = {},\n"
      "     .plain_modulus = {},\n"
      "     .depth = {},\n"
      "     .n_sums = {},\n"
      "     .n_key_switches = {},\n"
      "     .scale_bits = {},\n"
      "     .rotations = {{{}}},\n"
      "     .swaps_rows = {},\n"
      "     .relinearises = {},\n"
      "     .encrypt_inputs = encrypt_inputs{},\n"
      "     .evaluate = evaluate{},\n"
      "     .decrypt_outputs = decrypt_outputs{}}},\n",
      static_cast<unsigned>(bundle.security), program.n_rows, program.n_columns, program.modulus,
      counts.n_levels + (program.is_integer() ? 1 : 0), counts.n_terms - 1, counts.n_switches,
      program.is_integer() ? 0 : openfhe_scale_bits(code),
      fmt::join(rotation_steps(code.facts), ", "), code.facts.needs_swap,
      code.facts.needs_relinearisation, end, end, end);
}

}  // namespace

auto emit_openfhe(const HeBundle& given, const std::vector<PartPrimes>& primes,
                  const Origin& origin) -> Result<Emission> {
  const bool is_integer = given.parts.front().program.is_integer();
  // The library may need a larger ring than the engine, and chooses it when it runs.
  constexpr size_t kLargestRing = 32768;
  Result<HeBundle> moved = is_integer ? with_moduli_for_rings(given, kLargestRing) : given;
  if (!moved) {
    return moved.error();
  }
  const HeBundle& bundle = moved.value();
  const OpenFheCpp dialect(is_integer);
  std::string functions, list;
  std::set<std::string> taken = cpp_words();
  for (size_t i = 0; i < bundle.parts.size(); ++i) {
    const HeCode code = make_he_code(bundle, i, primes[i], taken);
    functions += "\n" + print_he_functions(code, dialect);
    list += openfhe_part(bundle, code);
    taken.insert(code.arrays.begin(), code.arrays.end());
    taken.insert(code.tables.begin(), code.tables.end());
  }
  const std::string sides = openfhe_sides(bundle.scheme, functions);
  std::string text = header_comment(origin, bundle, Target::OpenFhe, "//");
  text += with_replacements(kOpenFheIncludes, {{"INCLUDE", "#include"}});
  text += cpp_types(is_integer);
  text += kOpenFhePart;
  text += cpp_vectors(is_integer, functions + sides);
  text += sides + functions + "\nconst std::vector<Part> parts = {\n" + list + "};\n";
  text += cpp_interface(bundle) + cpp_driver(is_integer, bundle.parts.size());
  return Emission{{bundle.name + ".cpp", text},
                  {"CMakeLists.txt", with_replacements(kOpenFheCMake, {{"NAME", bundle.name}})},
                  {"README.md", cpp_readme(bundle, Target::OpenFhe, kOpenFheBuild)}};
}

}  // namespace tacet::backends
