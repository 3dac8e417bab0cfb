#include <algorithm>

#include "compiler/core/syntax/block_tail.h"
#include "compiler/run/interpret/lowering.h"

namespace tacet::interpret {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;
using types::TypeId;

/// What the block yields, or null.
static auto yielded_by(const ProgramLowering& program, const ItemText& test, Node block) -> Node {
  const Node last = syntax::tail_of(block);
  const bool yields =
      block.child(Field::Result) || (last && program.cells(test.body->type(last)) > 0);
  return yields ? last : Node();
}

static auto is_comparison(NodeKind operation) -> bool {
  return operation == NodeKind::EqualEqual || operation == NodeKind::NotEqual ||
         operation == NodeKind::Less || operation == NodeKind::LessEqual ||
         operation == NodeKind::Greater || operation == NodeKind::GreaterEqual;
}

/// Appends the conditions that `node` joins by `&&`.
static void split(const ProgramLowering& program, const ItemText& test, Node node,
                  std::vector<ConditionNode>& conditions) {
  node = bare(node);
  ConditionNode condition{.node = node, .left = {}, .right = {}};
  if (node.is(NodeKind::BinaryExpression)) {
    const Node left = bare(node.child(Field::Left));
    const Node right = bare(node.child(Field::Right));
    const NodeKind operation = node.child(Field::Operator).kind();
    if (operation == NodeKind::AmpAmp) {
      split(program, test, left, conditions);
      split(program, test, right, conditions);
      return;
    }
    types::TypeStore& types = program.types();
    const TypeId left_type = test.body->type(left);
    const TypeId right_type = test.body->type(right);
    const bool are_values = types[left_type].kind == types::TypeKind::Value &&
                            types[right_type].kind == types::TypeKind::Value;
    if (is_comparison(operation) && are_values &&
        element_type(types, left_type) == element_type(types, right_type)) {
      condition.left = left;
      condition.right = right;
    }
  }
  conditions.push_back(condition);
}

auto conditions_of(const ProgramLowering& program, const ItemText& test)
    -> std::vector<ConditionNode> {
  const Node block = names::item_node(*test.tree).child(Field::Body);
  std::vector<ConditionNode> conditions;
  if (const Node yielded = yielded_by(program, test, block)) {
    split(program, test, yielded, conditions);
  }
  return conditions;
}

auto types_of(const ItemText& test, const std::vector<ConditionNode>& conditions)
    -> std::vector<TypeId> {
  std::vector<TypeId> types;
  for (const ConditionNode& condition : conditions) {
    types.push_back(test.body->type(condition.node));
    if (condition.left) {
      types.push_back(test.body->type(condition.left));
      types.push_back(test.body->type(condition.right));
    }
  }
  return types;
}

/// Applies the operator of the condition to its operands.
static void compare(FunctionLowering& lowering, const ConditionNode& condition, Slot left,
                    Slot right, Slot target) {
  const auto stride = [&](Node operand) -> uint32_t {
    return extents(types(lowering), type_of(lowering, operand)).empty() ? 0 : 1;
  };
  lowering.builder.set_place(lowering.text.place(condition.node));
  elementwise(lowering, cells(lowering, condition.node), stride(condition.left),
              stride(condition.right), *opcode_of(condition.node.child(Field::Operator).kind()),
              element(lowering, condition.left), {target.index, left.index, right.index});
}

static void check_condition(FunctionLowering& lowering, const ConditionNode& condition,
                            Slot& target) {
  const auto next = [&](Node node) {
    const Slot slot = target;
    target.index += static_cast<uint32_t>(cells(lowering, node));
    return slot;
  };
  const Slot holds = next(condition.node);
  if (!condition.left) {
    into(lowering, condition.node, holds);
    return;
  }
  const Slot left = next(condition.left);
  const Slot right = next(condition.right);
  into(lowering, condition.left, left);
  into(lowering, condition.right, right);
  compare(lowering, condition, left, right, holds);
}

void lower_test(FunctionLowering& lowering, Node block) {
  const Node yielded = yielded_by(lowering.program, lowering.text, block);
  for (Node child : block.children()) {
    if (syntax::is_named(child.kind()) && child != yielded) {
      statement(lowering, child);
    }
  }
  const Slot results = lowering.builder.allocate(cells(lowering, lowering.result));
  Slot at = results;
  for (const ConditionNode& condition : conditions_of(lowering.program, lowering.text)) {
    check_condition(lowering, condition, at);
  }
  lowering.builder.set_place(lowering.text.place(block));
  return_slot(lowering, results);
}

}  // namespace tacet::interpret
