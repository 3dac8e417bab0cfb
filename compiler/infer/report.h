#pragma once

#include "compiler/check/queries.h"
#include "compiler/infer/quotients.h"

namespace tacet::infer {

/// Query: how a function fails to do what its specifications say. Null if it does, or if the
/// function or a specification has mistakes that come before.
struct ConformanceOfItem {
  static constexpr std::string_view kName = "conformance_of_item";
  using Key = names::ItemId;
  using Value = std::shared_ptr<const check::ItemDiagnostics>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

}  // namespace tacet::infer
