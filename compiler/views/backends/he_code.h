#pragma once

#include <optional>

#include "compiler/views/backends/expressions.h"
#include "compiler/views/backends/names.h"
#include "engine/he_format/bundle.h"
#include "engine/program/he/facts.h"
#include "engine/program/he/states.h"

/// What printers need to know of a part of a compiled program, whatever they print.
namespace tacet::backends {

/// The primes of a part, as the engine chooses them.
struct PartPrimes {
  std::vector<uint64_t> data;
  std::vector<uint64_t> special;
};

/// How a register appears in code.
enum class RegisterForm : uint8_t {
  Unused,
  Gathered,  ///< has content from the beginning: an input, or a vector of numbers
  Defined,   ///< a single vector, first assigned outside of loops: declared there
  Declared,  ///< before all statements
  Alias,     ///< never differs from another register
};

struct RegisterUse {
  RegisterForm form = RegisterForm::Unused;
  std::string name;
  uint32_t alias = 0;          ///< the other register
  size_t n_assignments = 0;    ///< statements
  size_t first_statement = 0;  ///< that assigns it
};

struct HeCode {
  const engine::HeBundle* bundle = nullptr;
  const engine::HeBundlePart* part = nullptr;
  PartPrimes primes;
  std::string suffix;                       ///< of functions; empty if there is one part
  std::vector<std::string> arrays, tables;  ///< names
  std::vector<RegisterUse> registers;
  Names names;  ///< those that are left for variables
  engine::HeFacts facts;
  /// What statements make ciphertexts of; nothing where iterations differ.
  std::vector<std::optional<engine::HeState>> states;

  [[nodiscard]] auto program() const -> const engine::HeProgram& { return part->program; }
};

/// `taken` has the words and names of the language and of what is printed around the program.
auto make_he_code(const engine::HeBundle& bundle, size_t part, const PartPrimes& primes,
                  const std::set<std::string>& taken) -> HeCode;

/// Variables named after dimensions, none like a name of the program.
auto scope_of(const std::vector<engine::HeDimension>& dimensions, Names& names) -> Scope;

/// The register's declaration as programs have it, with what it is gathered from.
auto declaration_text(const HeCode& code, uint32_t reg) -> std::string;

/// The operations of a program, by the methods that compute them: `add`, `mulPlain`, …
auto method_of(const engine::HeProgram& program, const engine::HeStatement& statement)
    -> std::string;
auto methods_of(const engine::HeProgram& program) -> std::set<std::string>;

/// `3 primes, degree 2`.
auto state_text(const engine::HeState& state) -> std::string;

/// What libraries that choose their own parameters want to know.
struct NoiseCounts {
  uint32_t n_levels = 0;    ///< products with ciphertexts or plaintexts in sequence
  uint64_t n_terms = 1;     ///< the most that are added up between products
  uint64_t n_switches = 0;  ///< the most rotations and relinearisations that are
};
auto noise_counts(const engine::HeProgram& program) -> NoiseCounts;

}  // namespace tacet::backends
