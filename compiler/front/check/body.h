#pragma once

#include <memory>
#include <vector>

#include "compiler/front/names/body_names.h"
#include "compiler/front/names/file_items.h"
#include "compiler/front/types/signature.h"
#include "compiler/front/types/type.h"

namespace tacet::check {

/// What is known about one item, for every node of its tree: the tree is that of
/// `names::SyntaxOfItem`, and all tables are indexed by `Node::index()` in it.
///
/// How to read it, construct by construct:
///  * a name in an expression: `names.of(node)`. In a specification a called name means a class
///    (a `feq`, a lone specification, an extern), in a schedule a function or extern;
///  * an operator: the operands' `type`s say which kernel computes it. An integer operand beside
///    an `fxp` one has its own type and is promoted by the operator; nothing else converts;
///  * a literal has the type it was found to need;
///  * `x` where `x` is a `var` has the type of its value: it is loaded. `&x` has a reference type;
///  * a call has the type of its result, a tuple of several, or unit;
///  * `encode e.call[y <- f(x)]`: `y` and `x` are locals of kind `Encoded`, owned by `e`.
struct Body {
  names::BodyNames names;
  /// By node index, for expressions, blocks that yield a value, types, and declaring names.
  /// `TypeStore::kError` for nodes that have none.
  std::vector<types::TypeId> types;
  /// By local.
  std::vector<types::TypeId> local_types;
  /// By node index, of a device function: whether a secret decides if the expression is evaluated,
  /// or the assignment made. Empty if none does.
  std::vector<bool> under_secret{};

  [[nodiscard]] auto type(uint32_t node) const -> types::TypeId {
    return node < types.size() ? types[node] : types::TypeStore::kError;
  }
  [[nodiscard]] auto is_under_secret(syntax::Node node) const -> bool {
    return node.index() < under_secret.size() && under_secret[node.index()];
  }
  [[nodiscard]] auto type(syntax::Node node) const -> types::TypeId { return type(node.index()); }

  friend auto operator==(const Body&, const Body&) -> bool = default;
};

using BodyPtr = std::shared_ptr<const Body>;

}  // namespace tacet::check
