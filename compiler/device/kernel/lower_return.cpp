#include <algorithm>

#include "compiler/core/syntax/block_tail.h"
#include "compiler/device/kernel/lowering.h"

namespace tacet::kernel {

void return_block(FunctionLowering& lowering, Node block) {
  Node last = syntax::tail_of(block);
  if (last && parts_of(lowering, last).empty()) {
    last = Node();  // a statement
  }
  for (Node child : block.children()) {
    if (syntax::is_named(child.kind()) && !(last && child == last)) {
      statement(lowering, child);
      if (always_leaves(child)) {
        return;
      }
    }
  }
  if (last) {
    return_value(lowering, last);
    return;
  }
  // A function without results; or every path has returned before.
  Exprs nothing;
  for (const types::SignatureResult& result : frame(lowering).signature->results) {
    for (const TypeId column : types::column_types(types(lowering), result.type)) {
      nothing.push_back(lowering.build.zero(type_at(lowering, block, column)));
    }
  }
  return_exprs(lowering, std::move(nothing), block);
}

void return_value(FunctionLowering& lowering, Node node) {
  node = syntax::bare(node);
  if (node.is(NodeKind::Block)) {
    return_block(lowering, node);
    return;
  }
  const Node alternative = node.child(Field::Alternative);
  if (node.is(NodeKind::IfExpression) && alternative) {
    const ExprId condition = value(lowering, node.child(Field::Condition));
    open(lowering);
    return_value(lowering, node.child(Field::Consequence));
    Block then = close(lowering);
    open(lowering);
    return_value(lowering, alternative);
    Block otherwise = close(lowering);
    lowering.build.set_place(place_of(lowering, node));
    emit(lowering, If{condition, std::move(then), std::move(otherwise)});
    return;
  }
  return_exprs(lowering, values_as(lowering, node, result_type(lowering)), node);
}

void return_exprs(FunctionLowering& lowering, Exprs values, Node node) {
  lowering.build.set_place(place_of(lowering, node));
  if (!frame(lowering).is_inlined) {
    emit(lowering, Return{std::move(values)});
    return;
  }
  for (size_t i = 0; i < values.size() && i < frame(lowering).results.size(); ++i) {
    emit(lowering, Assign{frame(lowering).results[i], values[i]});
  }
  if (frame(lowering).has_returned.has_value()) {
    emit(lowering, Assign{frame(lowering).has_returned, lowering.build.truth(true)});
  }
  if (!frame(lowering).loops.empty()) {
    emit(lowering, Break{});
  }
}

auto contains_return(Node node) -> bool {
  for (uint32_t i = node.index(); i < node.subtree_end(); ++i) {
    if (node.tree()->nodes[i].kind == NodeKind::ReturnStatement) {
      return true;
    }
  }
  return false;
}

/// Does no path through a statement reach its end? By form alone.
static auto always(syntax::Node node, bool counts_jumps) -> bool {
  using syntax::Field;
  using syntax::NodeKind;
  if (node.is(NodeKind::IfExpression)) {
    const syntax::Node alternative = node.child(Field::Alternative);
    return alternative && always(node.child(Field::Consequence), counts_jumps) &&
           always(alternative, counts_jumps);
  }
  if (node.is(NodeKind::Block)) {
    for (const syntax::Node child : node.children()) {
      if (always(child, counts_jumps)) {
        return true;
      }
    }
    return false;
  }
  const bool jumps = node.is(NodeKind::BreakStatement) || node.is(NodeKind::ContinueStatement);
  return node.is(NodeKind::ReturnStatement) || (jumps && counts_jumps);
}

auto always_leaves(Node node) -> bool {
  return always(node, true);
}

auto always_returns(Node node) -> bool {
  return always(node, false);
}

/// Does an inlined function have to remember whether it has returned? Not where each return is
/// the end of an arm whose other side continues alone. `is_last`: nothing comes behind it.
auto needs_flag(Node node, bool is_last) -> bool {
  if (!contains_return(node)) {
    return false;
  }
  if (node.is(NodeKind::ReturnStatement)) {
    const Node given = node.child(Field::Value);
    return given && contains_return(given);
  }
  if (node.is(NodeKind::Block)) {
    Node last;
    for (Node child : node.children()) {
      last = syntax::is_named(child.kind()) ? child : last;
    }
    for (Node child : node.children()) {
      if (needs_flag(child, is_last && child == last)) {
        return true;
      }
    }
    return false;
  }
  if (!node.is(NodeKind::IfExpression)) {
    return true;
  }
  const Node consequence = node.child(Field::Consequence);
  const Node alternative = node.child(Field::Alternative);
  const bool leaves_then = always_returns(consequence);
  const bool leaves_else = alternative && always_returns(alternative);
  if (!leaves_then && !leaves_else && !is_last) {
    return true;
  }
  return needs_flag(consequence, is_last) || (alternative && needs_flag(alternative, is_last));
}

}  // namespace tacet::kernel
