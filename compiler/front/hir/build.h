#pragma once

#include <memory>

#include "compiler/front/check/queries.h"
#include "compiler/front/hir/hir.h"

/// Services that the queries here use: those of `names` and `types`.
namespace tacet::hir {

using FunctionPtr = std::shared_ptr<const Function>;

/// The body of a coordinator function as it was written, variables being places. Null for items of
/// other kinds and where the body is missing. What the function does not make sense of, because
/// the program is wrong there, is `Opaque`. Nothing but the result is kept.
auto build_function(query::Context& context, names::ItemId item) -> FunctionPtr;
/// The same, from what the checker has found out about the function already.
auto build_function(query::Context& context, names::ItemId item, const check::Body& body)
    -> FunctionPtr;

/// Query: `build_function`, remembered for those who look at a function again and again.
struct FunctionOf {
  static constexpr std::string_view kName = "hir_function";
  using Key = names::ItemId;
  using Value = FunctionPtr;
  static constexpr bool kEvictable = true;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// Query: the same in reference SSA.
struct SsaOf {
  static constexpr std::string_view kName = "hir_ssa";
  using Key = names::ItemId;
  using Value = FunctionPtr;
  static constexpr bool kEvictable = true;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

}  // namespace tacet::hir
