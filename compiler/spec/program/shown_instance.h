#pragma once

#include "compiler/core/query/database.h"
#include "compiler/front/names/item.h"

namespace tacet::program {

/// Query: the instance of a function with size parameters that tools show costs of: for the sizes
/// that a comment in front of it states (`// sizes: n = 8, k = 3`), else of the first call in its
/// file whose sizes are numbers. None if there is neither; the item itself if it has no sizes.
struct ShownInstanceOf {
  static constexpr std::string_view kName = "shown_instance";
  using Key = names::ItemId;
  using Value = names::ItemId;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

}  // namespace tacet::program
