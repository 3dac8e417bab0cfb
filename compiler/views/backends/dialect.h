#pragma once

#include <span>

#include "compiler/views/backends/code_writer.h"
#include "compiler/views/backends/he_code.h"

namespace tacet::backends {

/// What a variable of the code holds.
enum class ValueKind : uint8_t { Cipher, Slots, Numbers };

/// Whether a variable is assigned again.
enum class Assigned : uint8_t { Once, Again };

/// The three functions of a program.
enum class CodeFunction : uint8_t { EncryptInputs, Evaluate, DecryptOutputs };

/// How C++, Go and JavaScript write what is the same in all of them. Methods of `he`, an object
/// that the code for a library brings along, compute everything: `he.add(a, b)`.
class Dialect {
 public:
  Dialect() = default;
  Dialect(const Dialect&) = delete;
  auto operator=(const Dialect&) -> Dialect& = delete;
  virtual ~Dialect() = default;

  [[nodiscard]] virtual auto indentation() const -> size_t { return 2; }
  /// Whether the library chooses by itself where to drop primes.
  [[nodiscard]] virtual auto manages_levels() const -> bool { return false; }
  /// Behind statements.
  [[nodiscard]] virtual auto semicolon() const -> std::string_view { return ";"; }
  /// The line that begins a function.
  [[nodiscard]] virtual auto function(CodeFunction function, const std::string& suffix) const
      -> std::string = 0;
  /// A method's name, given as `mulPlain`.
  [[nodiscard]] virtual auto method(const std::string& name) const -> std::string { return name; }
  [[nodiscard]] virtual auto for_loop(const Variable& variable) const -> std::string = 0;
  [[nodiscard]] virtual auto if_statement(const std::string& condition) const -> std::string {
    return "if (" + condition + ") {";
  }
  [[nodiscard]] virtual auto define(ValueKind kind, Assigned assigned, const std::string& name,
                                    const std::string& value) const -> std::string = 0;
  /// Without a value; `n_elements` of an array, none of a single one.
  [[nodiscard]] virtual auto declare(ValueKind kind, const std::string& name,
                                     std::optional<size_t> n_elements) const -> std::string = 0;
  [[nodiscard]] virtual auto assign(ValueKind kind, const std::string& place,
                                    const std::string& value) const -> std::string {
    static_cast<void>(kind);
    return place + " = " + value + std::string(semicolon());
  }
  /// An empty list of ciphertexts, and one more behind its last.
  [[nodiscard]] virtual auto empty_list(const std::string& name) const -> std::string = 0;
  [[nodiscard]] virtual auto append(const std::string& list, const std::string& value) const
      -> std::string = 0;
  /// A register from the list of encrypted inputs.
  [[nodiscard]] virtual auto from_list(const std::string& name, Assigned assigned, size_t first,
                                       std::optional<size_t> n_elements) const -> std::string = 0;
  /// The numbers of an input: those of `values` by its name.
  [[nodiscard]] virtual auto input(const std::string& name, const std::string& key) const
      -> std::string = 0;
  /// What `evaluate` returns.
  [[nodiscard]] virtual auto return_list(const std::vector<std::string>& singles_and_arrays,
                                         const std::vector<bool>& is_array) const
      -> std::vector<std::string> = 0;
  /// What `decrypt_outputs` returns: variables by the names of results.
  [[nodiscard]] virtual auto return_values(
      const std::vector<std::pair<std::string, std::string>>& results) const -> std::string = 0;
  /// A number of the program's kind; a list of them, or of steps, on file level.
  [[nodiscard]] virtual auto number(double value) const -> std::string = 0;
  [[nodiscard]] virtual auto number_list(const std::string& name,
                                         std::span<const double> values) const -> std::string = 0;
  [[nodiscard]] virtual auto step_list(const std::string& name,
                                       std::span<const int64_t> values) const -> std::string = 0;
};

/// Constants and tables, then the three functions, with comments that name the instructions of the
/// compiled program.
auto print_he_functions(const HeCode& code, const Dialect& dialect) -> std::string;

/// Used by it: the statements that make a register's vectors from what they are gathered from. With
/// `list`, each is encrypted and appended to that list; without, they remain in variables.
void print_gathers(const HeCode& code, const Dialect& dialect, uint32_t reg,
                   const std::string& list, CodeWriter& writer);

}  // namespace tacet::backends
