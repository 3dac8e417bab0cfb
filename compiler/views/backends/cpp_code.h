#pragma once

#include "compiler/views/backends/dialect.h"
#include "compiler/views/backends/support.h"

/// What code for SEAL and for OpenFHE has in common: C++.
namespace tacet::backends {

/// C++ with the types `Cipher`, `Slots`, `Numbers` and `Values`.
class Cpp : public Dialect {
 public:
  explicit Cpp(bool is_integer) : is_integer_(is_integer) {}

  [[nodiscard]] auto function(CodeFunction function, const std::string& suffix) const
      -> std::string override;
  [[nodiscard]] auto method(const std::string& name) const -> std::string override;
  [[nodiscard]] auto for_loop(const Variable& variable) const -> std::string override;
  [[nodiscard]] auto define(ValueKind kind, Assigned assigned, const std::string& name,
                            const std::string& value) const -> std::string override;
  [[nodiscard]] auto declare(ValueKind kind, const std::string& name,
                             std::optional<size_t> n_elements) const -> std::string override;
  [[nodiscard]] auto empty_list(const std::string& name) const -> std::string override;
  [[nodiscard]] auto append(const std::string& list, const std::string& value) const
      -> std::string override;
  [[nodiscard]] auto from_list(const std::string& name, Assigned assigned, size_t first,
                               std::optional<size_t> n_elements) const -> std::string override;
  [[nodiscard]] auto input(const std::string& name, const std::string& key) const
      -> std::string override;
  [[nodiscard]] auto return_list(const std::vector<std::string>& names,
                                 const std::vector<bool>& is_array) const
      -> std::vector<std::string> override;
  [[nodiscard]] auto return_values(const std::vector<std::pair<std::string, std::string>>& results)
      const -> std::string override;
  [[nodiscard]] auto number(double value) const -> std::string override;
  [[nodiscard]] auto number_list(const std::string& name, std::span<const double> values) const
      -> std::string override;
  [[nodiscard]] auto step_list(const std::string& name, std::span<const int64_t> values) const
      -> std::string override;

 private:
  bool is_integer_;
};

/// Words of C++, and names of what is printed around the program.
auto cpp_words() -> const std::set<std::string>&;

/// Types, and vectors of slots with the methods that `code` calls.
auto cpp_types(bool is_integer) -> std::string;
auto cpp_vectors(bool is_integer, std::string_view code) -> std::string;
/// What the program's inputs and results are, and the driver, which needs the list `parts`.
auto cpp_interface(const engine::HeBundle& bundle) -> std::string;
auto cpp_driver(bool is_integer, size_t n_parts) -> std::string;
auto cpp_readme(const engine::HeBundle& bundle, Target target, std::string_view build)
    -> std::string;

/// A class with the methods that `code` calls.
auto cpp_class(std::string_view head, std::span<const SupportPiece> pieces, std::string_view code,
               std::string_view tail) -> std::string;

}  // namespace tacet::backends
