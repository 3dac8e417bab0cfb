#pragma once

#include "compiler/front/check/queries.h"

namespace tacet::flow {

/// Query: what is wrong with the buffers of a spatial specification: those that are given back
/// twice, used although they are given back, or never given back. Null if nothing is. O(1) for
/// specifications that take no room.
struct SpaceDiagnosticsOf {
  static constexpr std::string_view kName = "space_diagnostics";
  using Key = names::ItemId;
  using Value = std::shared_ptr<const check::ItemDiagnostics>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

}  // namespace tacet::flow
