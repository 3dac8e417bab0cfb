#pragma once

#include <string>
#include <vector>

#include "compiler/core/query/context.h"
#include "compiler/core/syntax/tree.h"
#include "compiler/front/names/body_names.h"

namespace tacet::hir {

/// An array expression, `sum(for i: 4 { a[i] * k })`, as one operation: what does not depend on
/// its own variables are its operands, here `a` and `k`. Specifications and functions are cut
/// alike, so that their computations can be compared.
struct Pattern {
  /// Equal for expressions that compute the same of their operands: names of variables, spaces
  /// and parentheses do not matter, callees are the classes that they belong to.
  std::string text;
  /// In the order of the text.
  std::vector<syntax::Node> operands;
};

/// True for the expressions that are patterns: `for` expressions and calls of functions on arrays.
auto is_pattern(syntax::Node node, const names::BodyNames& names) -> bool;

/// The operands alone, in the order of the text.
auto pattern_operands(syntax::Node node, const names::BodyNames& names)
    -> std::vector<syntax::Node>;

/// The pattern of `node`, in time linear in its size.
auto pattern_of(query::Context& context, syntax::Node node, const names::BodyNames& names)
    -> Pattern;

}  // namespace tacet::hir
