#pragma once

#include <memory>
#include <optional>

#include "compiler/names/queries.h"
#include "compiler/names/report.h"
#include "compiler/types/signature.h"

/// Services that the queries here use, besides those of `names`: `TypeStore`.
namespace tacet::types {

/// Query: the type that a `type` item stands for; `kError` on a cycle.
struct TypeOfAlias {
  static constexpr std::string_view kName = "type_of_alias";
  using Key = names::ItemId;
  using Value = TypeId;
  static auto compute(query::Context& context, const Key& item) -> Value;
  static auto on_cycle(query::Context&, const Key&) -> Value { return TypeStore::kError; }
};

/// Query: the value of a `const` item where it is an integer or boolean (as 0 or 1); nothing for
/// others and on a cycle.
struct ValueOfConst {
  static constexpr std::string_view kName = "value_of_const";
  using Key = names::ItemId;
  using Value = std::optional<int64_t>;
  static auto compute(query::Context& context, const Key& item) -> Value;
  static auto on_cycle(query::Context&, const Key&) -> Value { return std::nullopt; }
};

/// Query: how an item is called, by its head alone. Also of a `feq`, which is called as its first
/// member is. Empty for items that are not called.
struct SignatureOf {
  static constexpr std::string_view kName = "signature_of";
  using Key = names::ItemId;
  using Value = std::shared_ptr<const Signature>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// What a head says, types included; with a report, what is wrong with it.
auto read_signature(query::Context& context, names::ItemId item, syntax::Node node,
                    names::Report* report) -> Signature;

}  // namespace tacet::types
