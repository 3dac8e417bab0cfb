#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "compiler/front/check/body.h"

/// What lowerings of checked bodies need to know of loops over elements and of slices.
namespace tacet::check {

/// `x, y` of `for x, y in a, b { … }` and `for x, y: a, b { … }`; also the counter of other loops.
auto variables_of(syntax::Node loop) -> std::vector<syntax::Node>;

/// `a, b` of `for x, y in a, b { … }` and `for x, y: a, b { … }`; of other loops nothing.
auto arrays_of(const names::BodyNames& names, syntax::Node loop) -> std::vector<syntax::Node>;

/// The array that a local of kind `Element` is an element of.
auto array_of(const syntax::Tree& tree, const names::Local& element) -> syntax::Node;

/// `lo..hi` if the array literal is `[lo..hi]`, the integers from `lo` to below `hi`.
auto range_in(syntax::Node array_literal) -> syntax::Node;

/// Which elements a slice or `[lo..hi]` has: `first`, `first + step`, …; how many, its type says.
struct Stride {
  int64_t first = 0;
  int64_t step = 1;
};

/// The value of a constant.
using ConstantValue = std::function<std::optional<int64_t>(names::ItemId)>;

/// Of a slice, or of a range in an array literal, in a body without mistakes and without open
/// sizes.
auto stride_of(const types::TypeStore& types, const Body& body, syntax::Node node,
               const ConstantValue& value_of) -> Stride;

}  // namespace tacet::check
