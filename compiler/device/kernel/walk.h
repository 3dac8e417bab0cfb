#pragma once

#include <set>
#include <type_traits>
#include <unordered_map>

#include "compiler/device/kernel/kernel.h"

/// Walks over kernels. The templates take nodes to read or to change: what they hand to `visit` is
/// then a reference to the id inside the node. Nothing may be added to a store while a node in it
/// is visited by reference; copy the node first.
namespace tacet::kernel {

template <class T, class... Others>
inline constexpr bool is_one_of = (std::is_same_v<T, Others> || ...);

/// What `visit_exprs` does for one kind of statement.
template <class Node, class Visit>
void visit_exprs_of_statement(Node& node, const Visit& visit) {
  using N = std::remove_const_t<Node>;
  auto all = [&](auto& list) {
    for (auto& expr : list) {
      visit(expr);
    }
  };
  auto any = [&](auto& expr) {
    if (expr) {
      visit(*expr);
    }
  };
  if constexpr (std::is_same_v<N, Assign> || std::is_same_v<N, Reveal>) {
    visit(node.value);
  } else if constexpr (std::is_same_v<N, StoreElement>) {
    visit(node.value);
    all(node.indices);
  } else if constexpr (std::is_same_v<N, If>) {
    visit(node.condition);
  } else if constexpr (std::is_same_v<N, For>) {
    visit(node.lower);
    visit(node.upper);
    any(node.step);
    any(node.max);
  } else if constexpr (std::is_same_v<N, While>) {
    any(node.max);
    visit(node.condition);
  } else if constexpr (std::is_same_v<N, Return>) {
    all(node.values);
  } else if constexpr (std::is_same_v<N, Call>) {
    all(node.arguments);
  } else {
    static_assert(is_one_of<N, Break, Continue, SecretRegion, Separator>, "what does it hold?");
  }
}

/// Calls `visit` for each expression that an expression or statement holds itself, in the order
/// in which they are evaluated.
template <class Node, class Visit>
void visit_exprs(Node& node, const Visit& visit) {
  using N = std::remove_const_t<Node>;
  auto all = [&](auto& list) {
    for (auto& expr : list) {
      visit(expr);
    }
  };
  if constexpr (std::is_same_v<N, Expr> || std::is_same_v<N, Statement>) {
    std::visit([&](auto& inner) { visit_exprs(inner, visit); }, node.node);
  } else if constexpr (std::is_same_v<N, Element>) {
    all(node.indices);
    visit(node.array);
  } else if constexpr (std::is_same_v<N, Unary> || std::is_same_v<N, Cast>) {
    visit(node.operand);
  } else if constexpr (std::is_same_v<N, Binary>) {
    visit(node.left);
    visit(node.right);
  } else if constexpr (std::is_same_v<N, Select>) {
    visit(node.condition);
    visit(node.then);
    visit(node.otherwise);
  } else if constexpr (std::is_same_v<N, ArrayLiteral>) {
    all(node.elements);
  } else if constexpr (std::is_same_v<N, Tabulate> || std::is_same_v<N, Reduce>) {
    visit(node.body);
  } else if constexpr (std::is_same_v<N, Rotate>) {
    visit(node.operand);
    visit(node.by);
  } else if constexpr (std::is_same_v<N, Apply>) {
    all(node.arguments);
  } else if constexpr (std::is_same_v<N, Draw>) {
    all(node.words);
    all(node.arguments);
  } else if constexpr (!is_one_of<N, Literal, Read>) {
    visit_exprs_of_statement(node, visit);
  }
}

/// Calls `visit` for each block that a statement holds itself.
template <class Node, class Visit>
void visit_blocks(Node& node, const Visit& visit) {
  using N = std::remove_const_t<Node>;
  if constexpr (std::is_same_v<N, Statement>) {
    std::visit([&](auto& inner) { visit_blocks(inner, visit); }, node.node);
  } else if constexpr (std::is_same_v<N, If>) {
    visit(node.then);
    visit(node.otherwise);
  } else if constexpr (std::is_same_v<N, For> || std::is_same_v<N, While> ||
                       std::is_same_v<N, SecretRegion>) {
    visit(node.body);
  } else {
    static_assert(
        is_one_of<N, Assign, StoreElement, Break, Continue, Return, Call, Reveal, Separator>,
        "which blocks does it hold?");
  }
}

/// Calls `visit` for each variable that a statement writes itself: what it assigns to, an array of
/// which it stores an element, the counter of a loop, both ends of a region's ports that get a
/// value.
template <class Node, class Visit>
void visit_written(Node& node, const Visit& visit) {
  using N = std::remove_const_t<Node>;
  if constexpr (std::is_same_v<N, Statement>) {
    std::visit([&](auto& inner) { visit_written(inner, visit); }, node.node);
  } else if constexpr (std::is_same_v<N, Assign> || std::is_same_v<N, Reveal>) {
    visit(node.variable);
  } else if constexpr (std::is_same_v<N, StoreElement>) {
    visit(node.array);
  } else if constexpr (std::is_same_v<N, For>) {
    visit(node.counter);
  } else if constexpr (std::is_same_v<N, Call>) {
    for (auto& result : node.results) {
      visit(result);
    }
  } else if constexpr (std::is_same_v<N, SecretRegion>) {
    for (auto& port : node.inputs) {
      visit(port.inner);
    }
    for (auto& port : node.outputs) {
      visit(port.outer);
    }
  } else {
    static_assert(is_one_of<N, If, While, Break, Continue, Return, Separator>,
                  "what does it write?");
  }
}

inline auto is_loop(const Statement& statement) -> bool {
  return std::holds_alternative<For>(statement.node) ||
         std::holds_alternative<While>(statement.node);
}

/// Calls `visit(StatementId)` for the statements of a block and all inside of them, each before
/// those inside.
template <class Visit>
void walk_statements(const Kernel& kernel, const Block& block, const Visit& visit) {
  for (const StatementId id : block) {
    visit(id);
    visit_blocks(kernel.statements[id],
                 [&](const Block& inner) { walk_statements(kernel, inner, visit); });
  }
}

/// The same but for statements inside of loops in the block: the `break`s and `continue`s among
/// these are those of the loop whose body the block is.
template <class Visit>
void walk_statements_of_loop(const Kernel& kernel, const Block& block, const Visit& visit) {
  for (const StatementId id : block) {
    visit(id);
    const Statement& statement = kernel.statements[id];
    if (!is_loop(statement)) {
      visit_blocks(statement,
                   [&](const Block& inner) { walk_statements_of_loop(kernel, inner, visit); });
    }
  }
}

/// Calls `visit(ExprId)` for an expression and all inside of it, each before those inside; one that
/// is in several places as often.
template <class Visit>
void walk_exprs(const Kernel& kernel, ExprId expr, const Visit& visit) {
  visit(expr);
  visit_exprs(kernel.exprs[expr], [&](ExprId inner) { walk_exprs(kernel, inner, visit); });
}

/// Calls `visit` for each variable that a statement reads itself, as often as it does: in its
/// expressions, and both ends of a region's ports that give a value.
template <class Visit>
void visit_read(const Kernel& kernel, const Statement& statement, const Visit& visit) {
  visit_exprs(statement, [&](ExprId root) {
    walk_exprs(kernel, root, [&](ExprId expr) {
      if (const auto* read = std::get_if<Read>(&kernel.exprs[expr].node)) {
        visit(read->variable);
      }
    });
  });
  if (const auto* region = std::get_if<SecretRegion>(&statement.node)) {
    for (const SecretRegion::Port& port : region->inputs) {
      visit(port.outer);
    }
    for (const SecretRegion::Port& port : region->outputs) {
      visit(port.inner);
    }
  }
}

/// The variables that an expression reads, but for the indices of its own `for`s.
auto variables_read(const Kernel& kernel, ExprId expr) -> std::set<VariableId>;
/// The values of the local variables that a single statement writes to, all of them at once.
auto values_assigned_once(const Kernel& kernel) -> std::unordered_map<VariableId, ExprId>;
/// Those that the statements of a block and all inside of them read, but for such indices.
auto variables_read(const Kernel& kernel, const Block& block) -> std::set<VariableId>;
/// Those that the statements of a block and all inside of them write.
auto variables_written(const Kernel& kernel, const Block& block) -> std::set<VariableId>;

/// Is it a division or a shift?
auto can_fault(types::Operator op) -> bool;

/// Could evaluating it be a fault? By form alone: a total operation, never; a division by anything
/// but a literal that is not 0 or `d if d != 0 else 1`, a shift by anything but a literal within
/// the width or `k & 63`.
auto can_fault(const Kernel& kernel, ExprId expr) -> bool;

/// The same where no secret may decide whether it is evaluated: total operations count.
auto can_fault_anywhere(const Kernel& kernel, ExprId expr) -> bool;

/// Is there a secret draw in it?
auto draws_secretly(const Kernel& kernel, ExprId expr) -> bool;

/// What a block can do but to assign to variables.
struct Effects {
  bool can_fault = false;    ///< of expressions, stores, steps
  bool may_not_end = false;  ///< a `while` without `max`
  bool calls = false;        ///< what is not pure
  bool reveals = false;
  bool returns = false;
  bool breaks = false;  ///< out of the block: `break` or `continue` of a loop around it

  [[nodiscard]] auto is_pure() const -> bool {
    return !can_fault && !may_not_end && !calls && !reveals && !returns && !breaks;
  }
};

auto effects_of(const Kernel& kernel, const Block& block) -> Effects;

/// The number of nodes of an expression written out as a tree, at most `limit`.
auto tree_size(const Kernel& kernel, ExprId expr, size_t limit) -> size_t;

}  // namespace tacet::kernel
