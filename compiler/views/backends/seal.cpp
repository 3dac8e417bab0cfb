#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/views/backends/cpp_code.h"
#include "compiler/views/backends/he_targets.h"
#include "compiler/views/backends/seal_support.h"

namespace tacet::backends {

using engine::HeBundle;

namespace {

constexpr std::string_view kSealIncludes = R"(
@INCLUDE@ <nlohmann/json.hpp>
@INCLUDE@ <seal/seal.h>

@INCLUDE@ <cmath>
@INCLUDE@ <fstream>
@INCLUDE@ <iostream>
@INCLUDE@ <map>

using Cipher = seal::Ciphertext;
)";

constexpr std::string_view kSealPart = R"(
class Client;
class Server;

/// Parameters and functions of a program modulo one prime.
struct Part {
  seal::scheme_type scheme;
  seal::sec_level_type security;
  size_t ring_dimension, n_rows, n_columns;
  /// The last one is for keys alone.
  std::vector<uint64_t> primes;
  uint64_t plain_modulus;
  int scale_bits;
  /// Steps to the left; 0 swaps the rows.
  std::vector<int> rotations;
  bool relinearises;
  std::vector<Cipher> (*encrypt_inputs)(const Client&, const Values&);
  std::vector<Cipher> (*evaluate)(const Server&, const std::vector<Cipher>&, const Values&);
  Values (*decrypt_outputs)(const Client&, const std::vector<Cipher>&);
};
)";

constexpr std::string_view kSealCMake = R"(cmake_minimum_required(VERSION 3.16)
project(@NAME@ CXX)
set(CMAKE_CXX_STANDARD 20)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
find_package(SEAL REQUIRED)
find_package(nlohmann_json REQUIRED)
add_executable(@NAME@ @NAME@.cpp)
target_link_libraries(@NAME@ SEAL::seal nlohmann_json::nlohmann_json)
)";

constexpr std::string_view kSealBuild =
    "    cmake -B build -DCMAKE_PREFIX_PATH=…   # where SEAL 4 is installed\n"
    "    cmake --build build\n";

auto seal_part(const HeBundle& bundle, const HeCode& code, const SealPrimes& primes)
    -> std::string {
  const engine::HeProgram& program = code.program();
  std::vector<int64_t> rotations = rotation_steps(code.facts);
  if (code.facts.needs_swap) {
    rotations.insert(rotations.begin(), 0);
  }
  const std::string end = code.suffix.empty() ? "" : "_" + code.suffix;
  return fmt::format(
      "    {{.scheme = seal::scheme_type::{},\n"
      "     .security = seal::sec_level_type::tc{},\n"
      "     .ring_dimension = {},\n"
      "     .n_rows = {},\n"
      "     .n_columns = {},\n"
      "     .primes = {{{}}},\n"
      "     .plain_modulus = {},\n"
      "     .scale_bits = {},\n"
      "     .rotations = {{{}}},\n"
      "     .relinearises = {},\n"
      "     .encrypt_inputs = encrypt_inputs{},\n"
      "     .evaluate = evaluate{},\n"
      "     .decrypt_outputs = decrypt_outputs{}}},\n",
      engine::scheme_word(bundle.scheme), static_cast<unsigned>(bundle.security),
      program.ring_dimension(), program.n_rows, program.n_columns, fmt::join(primes.primes, ", "),
      program.modulus, primes.scale_bits, fmt::join(rotations, ", "),
      code.facts.needs_relinearisation, end, end, end);
}

}  // namespace

auto emit_seal(const HeBundle& bundle, const std::vector<PartPrimes>& primes, const Origin& origin)
    -> Result<Emission> {
  const bool is_integer = bundle.parts.front().program.is_integer();
  const Cpp dialect(is_integer);
  std::string functions, list;
  std::set<std::string> taken = cpp_words();
  for (size_t i = 0; i < bundle.parts.size(); ++i) {
    const HeCode code = make_he_code(bundle, i, primes[i], taken);
    Result<SealPrimes> chosen = seal_primes(bundle, code, display_name(Target::Seal));
    if (!chosen) {
      return chosen.error();
    }
    functions += "\n" + print_he_functions(code, dialect);
    list += seal_part(bundle, code, *chosen);
    taken.insert(code.arrays.begin(), code.arrays.end());
    taken.insert(code.tables.begin(), code.tables.end());
  }
  const std::string sides = seal_sides(is_integer, functions);
  std::string text = header_comment(origin, bundle, Target::Seal, "//");
  text += with_replacements(kSealIncludes, {{"INCLUDE", "#include"}});
  text += cpp_types(is_integer);
  text += kSealPart;
  text += cpp_vectors(is_integer, functions + sides);
  text += seal_context(is_integer);
  text += sides + functions + "\nconst std::vector<Part> parts = {\n" + list + "};\n";
  text += cpp_interface(bundle) + cpp_driver(is_integer, bundle.parts.size());
  return Emission{{bundle.name + ".cpp", text},
                  {"CMakeLists.txt", with_replacements(kSealCMake, {{"NAME", bundle.name}})},
                  {"README.md", cpp_readme(bundle, Target::Seal, kSealBuild)}};
}

}  // namespace tacet::backends
