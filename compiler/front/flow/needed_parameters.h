#pragma once

#include <cstdint>
#include <vector>

#include "compiler/front/hir/build.h"

namespace tacet::flow {

/// What a function does with what a parameter holds where the function begins.
enum class Need : uint8_t {
  None,       ///< nothing: it is not read, or overwritten before
  GivenBack,  ///< it is given back as it came in
  Read,       ///< it is read, or may be
};

/// Query: what a coordinator function needs of its parameters, by port; empty for other items, and
/// for functions that hand what they are given to one another. Of interest for the fields of
/// encoders and futures, which may be handed over before all of them are there.
struct NeededParametersOf {
  static constexpr std::string_view kName = "needed_parameters";
  using Key = names::ItemId;
  using Value = std::vector<Need>;
  static auto compute(query::Context& context, const Key& item) -> Value;
  static auto on_cycle(query::Context&, const Key&) -> Value { return {}; }
};

/// May there be nothing in what is passed at `port` of `callee`, a coordinator function?
auto may_be_absent(query::Context& context, names::ItemId callee, uint32_t port) -> bool;

/// Query: where each result of a coordinator function comes from, by port: the parameter that is
/// given back as it came in, or copied to a device; `kNoNode` for what is computed.
struct GivenBackOf {
  static constexpr std::string_view kName = "given_back";
  using Key = names::ItemId;
  using Value = std::vector<uint32_t>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

}  // namespace tacet::flow
