#pragma once

#include <vector>

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

/// Instances of a function with size parameters for which it is compared with its specification:
/// small ones, of different sizes, and the one that is shown. `item` alone if it has none.
auto sampled_instances(query::Context& context, names::ItemId item) -> std::vector<names::ItemId>;

}  // namespace tacet::program
