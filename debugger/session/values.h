#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/front/types/type.h"
#include "compiler/run/interpret/traced_machine.h"

namespace tacet::debugger {

/// Cells that are not the machine's: what an expression gave.
struct KeptCells {
  std::vector<interpret::Cell> cells;
  std::vector<interpret::OriginSet> origins;
};

/// A value, or a part of one.
struct ValueNode {
  types::TypeId type;
  uint64_t cell = 0;
  uint32_t n_indices = 0;  ///< of an array: the dimensions in front that are chosen
  bool is_secret = false;  ///< as declared or found by the compiler, whatever it holds now
  std::shared_ptr<const KeptCells> kept{};  ///< null: of the machine
};

/// Whether values of secrets are shown.
enum class SecretValues : uint8_t { Shown, Hidden };

/// What is printed instead of a secret that is hidden.
inline constexpr std::string_view kHiddenValue = "<hidden>";

/// Shows what cells mean, without changing anything.
class Values {
 public:
  /// `secret_inputs` has the bits of secret inputs, in the lower half. All outlive it.
  Values(const types::TypeStore& types, const Interner& names,
         const interpret::TracedMachine& machine, interpret::OriginSet secret_inputs,
         SecretValues shown)
      : types_(types),
        names_(names),
        machine_(machine),
        secret_inputs_(secret_inputs),
        shown_(shown) {}

  /// The value on one line, shortened.
  [[nodiscard]] auto text(const ValueNode& node) const -> std::string;
  [[nodiscard]] auto type_text(const ValueNode& node) const -> std::string;
  /// Elements of an array; fields of a record, members of a tuple, what a reference refers to.
  [[nodiscard]] auto n_elements(const ValueNode& node) const -> uint64_t;
  [[nodiscard]] auto n_fields(const ValueNode& node) const -> uint64_t;
  [[nodiscard]] auto element(const ValueNode& node, uint64_t index) const -> ValueNode;
  struct Part {
    std::string name;
    ValueNode value;
  };
  [[nodiscard]] auto fields(const ValueNode& node) const -> std::vector<Part>;

  /// The inputs that any cell of it depends on.
  [[nodiscard]] auto origins(const ValueNode& node) const -> interpret::OriginSet;
  /// Whether it is declared secret, or depends on a secret input.
  [[nodiscard]] auto is_secret(const ValueNode& node) const -> bool;
  [[nodiscard]] auto hides() const -> bool { return shown_ == SecretValues::Hidden; }
  [[nodiscard]] auto secret_inputs() const -> interpret::OriginSet { return secret_inputs_; }
  [[nodiscard]] auto is_hidden(const ValueNode& node) const -> bool {
    return shown_ == SecretValues::Hidden && is_secret(node);
  }
  /// Its cells in the order of its columns, as the host passes it.
  [[nodiscard]] auto columns_of(const ValueNode& node) const -> KeptCells;
  [[nodiscard]] auto types() const -> const types::TypeStore& { return types_; }
  [[nodiscard]] auto names() const -> const Interner& { return names_; }

 private:
  [[nodiscard]] auto n_cells(const ValueNode& node) const -> uint64_t;
  [[nodiscard]] auto cell(const ValueNode& node, uint64_t at) const -> interpret::Cell;
  [[nodiscard]] auto origin(const ValueNode& node, uint64_t at) const -> interpret::OriginSet;
  [[nodiscard]] auto shape(const ValueNode& node) const -> std::vector<uint64_t>;
  void add_columns(const std::vector<ValueNode>& nodes, KeptCells& result) const;
  void append(const ValueNode& node, size_t most, std::string& out) const;

  const types::TypeStore& types_;
  const Interner& names_;
  const interpret::TracedMachine& machine_;
  interpret::OriginSet secret_inputs_;
  SecretValues shown_;
};

}  // namespace tacet::debugger
