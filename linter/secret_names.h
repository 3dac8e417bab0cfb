#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "compiler/core/query/database.h"
#include "compiler/front/names/item.h"
#include "compiler/front/types/type.h"

namespace tacet::linter {

/// What the names in a device function hold, by offsets in its tree.
class SecretNames {
 public:
  struct Entry {
    uint32_t offset = 0;  ///< of a name
    bool is_secret = false;

    friend auto operator==(const Entry&, const Entry&) -> bool = default;
  };

  SecretNames() = default;
  /// Of names that several entries are about, one that is secret counts.
  SecretNames(std::vector<Entry> reads, std::vector<Entry> variables);

  /// Whether what a variable holds where its name is read depends on a secret. None if the name is
  /// not read there, or never.
  [[nodiscard]] auto read_at(uint32_t offset) const -> std::optional<bool>;
  /// Whether what the variable that is declared there holds ever depends on a secret.
  [[nodiscard]] auto declared_at(uint32_t offset) const -> std::optional<bool>;

  friend auto operator==(const SecretNames&, const SecretNames&) -> bool = default;

 private:
  std::vector<Entry> reads_, variables_;  ///< sorted
};

/// Query: the analysis of secrecy (`oblivious::Secrecy`) of a function, name by name. It knows more
/// than the types of `check::Body`: what a variable holds at each place, and what callees give back
/// where a secret decides that. Null for what is no device function, and for functions with errors.
struct SecretNamesOfItem {
  static constexpr std::string_view kName = "secret_names_of_item";
  using Key = names::ItemId;
  using Value = std::shared_ptr<const SecretNames>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

}  // namespace tacet::linter
