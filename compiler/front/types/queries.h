#pragma once

#include <memory>
#include <optional>

#include "compiler/front/names/queries.h"
#include "compiler/front/names/report.h"
#include "compiler/front/types/signature.h"
#include "compiler/front/types/solve_sizes.h"

/// Services that the queries here use, besides those of `names`: `TypeStore`.
namespace tacet::types {

/// Query: what the `type` items of a file stand for, sorted by item; `kError` for those that
/// contain themselves. All of a file at once, since a chain of them may be as long as the file.
struct AliasesOfFile {
  static constexpr std::string_view kName = "aliases_of_file";
  using Key = FileId;
  using Value = std::vector<std::pair<names::ItemId, TypeId>>;
  static auto compute(query::Context& context, const Key& file) -> Value;
  static auto on_cycle(query::Context&, const Key&) -> Value { return {}; }
};

/// Query: the values of the `const` items of a file, sorted by item, where they have one.
struct ConstantsOfFile {
  static constexpr std::string_view kName = "constants_of_file";
  using Key = FileId;
  using Value = std::vector<std::pair<names::ItemId, int64_t>>;
  static auto compute(query::Context& context, const Key& file) -> Value;
  static auto on_cycle(query::Context&, const Key&) -> Value { return {}; }
};

/// Query: the type that a `type` item stands for; `kError` on a cycle.
struct TypeOfAlias {
  static constexpr std::string_view kName = "type_of_alias";
  using Key = names::ItemId;
  using Value = TypeId;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// Query: the value of a `const` item where it is an integer or boolean (as 0 or 1); nothing for
/// others and on a cycle.
struct ValueOfConst {
  static constexpr std::string_view kName = "value_of_const";
  using Key = names::ItemId;
  using Value = std::optional<int64_t>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// Query: how an item is called, by its head alone. Also of a `feq`, which is called as its first
/// member is. Empty for items that are not called.
struct SignatureOf {
  static constexpr std::string_view kName = "signature_of";
  using Key = names::ItemId;
  using Value = std::shared_ptr<const Signature>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// The sizes of a specification that the types of a function which implements it say: forms in the
/// sizes of the function, or numbers. The sources of equations count parameters, then results.
auto sizes_of_implemented(TypeStore& types, const Signature& function, const Signature& specified)
    -> SizeSolution;

/// What a head says, types included; with a report, what is wrong with it.
auto read_signature(query::Context& context, names::ItemId item, syntax::Node node,
                    names::Report* report) -> Signature;

}  // namespace tacet::types
