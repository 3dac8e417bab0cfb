#pragma once

#include "compiler/front/check/queries.h"
#include "compiler/spec/infer/quotients.h"

namespace tacet::infer {

/// Query: what is wrong with a function: what `check::DiagnosticsOfItem` says, and how it fails to
/// do what its specifications say. Null if nothing is.
struct DiagnosticsOfFunction {
  static constexpr std::string_view kName = "diagnostics_of_function";
  using Key = names::ItemId;
  using Value = std::shared_ptr<const check::ItemDiagnostics>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

}  // namespace tacet::infer
