#include <utility>

#include "compiler/infer/annotator.h"

namespace tacet::infer {

using hir::Instruction;
using hir::Opcode;
using hir::PlaceId;
using hir::ValueId;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

void Annotator::block(Node block, bool is_part_end) {
  const size_t n_visible = scope_.size();
  Node last;
  for (Node child : block.children()) {
    last = syntax::is_named(child.kind()) ? child : last;
  }
  const bool has_value = block.child(Field::Result) ||
                         ((last.is(NodeKind::IfExpression) || last.is(NodeKind::Block)) &&
                          body_.type(block) != types::TypeStore::kUnit &&
                          body_.type(block) != types::TypeStore::kError);
  for (Node child : block.children()) {
    if (syntax::is_named(child.kind())) {
      statement(child, has_value && child == last, is_part_end);
    }
  }
  if (is_part_end && !has_value) {
    tell(Kind::End, block, held_);
  }
  scope_.resize(n_visible);
}

void Annotator::statement(Node statement, bool is_tail, bool is_part_end) {
  if (statement.is(NodeKind::AnnotationStatement)) {
    return;
  }
  const bool has_boundary = at(statement).has_boundary;
  if (has_boundary || (is_tail && is_part_end)) {
    tell(Kind::Exit, statement, held_);
  }
  walk(statement);
  if (has_boundary && !is_tail) {
    tell(Kind::Entry, statement, behind_boundary_);
  }
}

void Annotator::walk(Node node) {
  switch (node.kind()) {
    case NodeKind::TemplateArguments:
      return;  // literals of grids are left to the call
    case NodeKind::TaggedExpression:
      at(bare(node)).is_tagged = true;
      walk(node.child(Field::Value));
      written_tags(node.child(Field::Tags));
      break;
    case NodeKind::Block:
      block(node, false);
      break;
    case NodeKind::IfExpression:
    case NodeKind::ConditionalExpression:
      choice(node);
      break;
    case NodeKind::LetStatement:
    case NodeKind::VarStatement:
      binding_statement(node);
      break;
    case NodeKind::EncodeStatement:
      encode(node);
      break;
    default:
      for (Node child : node.children()) {
        if (!child.is(NodeKind::Tags)) {
          walk(child);
        }
      }
      break;
  }
  leave(node);
}

void Annotator::leave(Node node) {
  AtNode& at = this->at(node);
  const hir::InstructionId id = at.instruction;
  if (id.has_value()) {
    const Opcode opcode = function_.instructions[id].opcode;
    if (opcode == Opcode::Literal && !at.is_tagged && bound_ != node.index()) {
      add(Kind::Value, node, tags_.of_value(function_.result_of(function_.instructions[id])));
    } else if (is_operation(opcode) && !at.is_tagged) {
      add(Kind::Operation, node, tags_.of_operation(id));
    }
    if (opcode == Opcode::Call && is_function(context_, function_.instructions[id].item)) {
      for (hir::InstructionId store : at.stores) {
        const ValueId value = function_.operands_of(function_.instructions[store])[0];
        if (value.has_value() && function_.definition_of(value).opcode == Opcode::Written) {
          apply(store);
        }
      }
      behind_boundary_ = held_;
    }
  }
  for (hir::InstructionId store : at.stores) {
    apply(store);
  }
  if (node.is(NodeKind::Hole) || node.is(NodeKind::StatementHole) ||
      node.is(NodeKind::HoleStatement)) {
    hole(node);
  }
}

auto Annotator::is_operation(Opcode opcode) -> bool {
  return opcode == Opcode::Call || opcode == Opcode::EncodeBegin || opcode == Opcode::Submit ||
         opcode == Opcode::Await;
}

void Annotator::written_tags(Node tags) {
  if (at(tags).tag_use == hir::kNoNode) {
    return;
  }
  const hir::TagUse& use = function_.tags[at(tags).tag_use];
  switch (use.subject) {
    case hir::TagSubject::Value:
      add(Kind::Value, tags, tags_.of_value({use.index}));
      return;
    case hir::TagSubject::Instruction:
      add(Kind::Operation, tags, tags_.of_operation({use.index}));
      return;
    case hir::TagSubject::Branch:
      add(Kind::Branch, tags, tags_.of_branch({use.index}));
      return;
  }
}

void Annotator::choice(Node node) {
  walk(node.child(Field::Condition));
  const hir::BlockId split = at(node).branch;
  if (node.is(NodeKind::IfExpression) && split.has_value()) {
    add(Kind::Branch, node, tags_.of_branch(split));
  }
  const std::vector<ValueId> held = held_;
  const std::vector<std::optional<TagTriple>> told = told_;
  arm(node.child(Field::Consequence));
  const std::vector<ValueId> held_on_true = std::exchange(held_, held);
  const std::vector<std::optional<TagTriple>> told_on_true = std::exchange(told_, told);
  if (Node alternative = node.child(Field::Alternative)) {
    arm(alternative);
  }
  meet(split, held_on_true, told_on_true);
}

void Annotator::arm(Node arm) {
  if (arm.is(NodeKind::Block)) {
    block(arm, true);
    leave(arm);
  } else {
    walk(arm);
  }
}

void Annotator::meet(hir::BlockId split, const std::vector<ValueId>& held,
                     const std::vector<std::optional<TagTriple>>& told) {
  for (size_t i = 0; i < held_.size(); ++i) {
    held_[i] = held_[i] == held[i] ? held_[i] : ValueId();
    told_[i] = told_[i] == told[i] ? told_[i] : std::nullopt;
  }
  if (split.has_value()) {
    const hir::BlockId join = function_.blocks[split].terminator.join;
    for (hir::InstructionId id : function_.blocks[join].instructions) {
      const Instruction& phi = function_.instructions[id];
      if (phi.opcode != Opcode::Phi) {
        break;
      }
      held_[phi.place.index] = function_.result_of(phi);
    }
  }
  behind_boundary_ = held_;
}

void Annotator::binding_statement(Node statement) {
  Node value = statement.child(Field::Value);
  size_t n_bindings = 0;
  for (Node child : statement.children()) {
    n_bindings += child.is(NodeKind::Binding) ? 1 : 0;
  }
  if (value) {
    bound_ = n_bindings == 1 ? value.index() : hir::kNoNode;
    walk(value);
    bound_ = hir::kNoNode;
  }
  for (Node child : statement.children()) {
    if (child.is(NodeKind::Binding)) {
      binding(child, statement, value, n_bindings);
    }
  }
}

void Annotator::binding(Node binding, Node statement, Node value, size_t n_bindings) {
  for (hir::InstructionId store : at(binding).stores) {
    apply(store);
  }
  Node name = binding.child(Field::Name);
  const names::Resolution local = body_.names.of(name.index());
  if (!local.is(names::Meaning::Local)) {
    if (Node tags = binding.child(Field::Tags)) {
      written_tags(tags);
    }
    return;
  }
  declare(local.index());
  const types::TypeId type = body_.local_types[local.index()];
  const bool is_var = statement.is(NodeKind::VarStatement);
  const PlaceId place = is_var ? place_of(local.index()) : PlaceId();
  TagTriple tags;
  if (place.has_value()) {
    tags = value ? tags_.of_content(held_[place.index]) : tags_.of_empty();
    told_[place.index] = tags;
  } else if (at(name).value.has_value()) {
    tags = tags_.of_value(at(name).value);
  } else if (is_reference(type)) {
    // What a reference is about may change: only a fresh one is known here.
    const hir::InstructionId call =
        n_bindings == 1 ? at(bare(value)).instruction : hir::InstructionId();
    const bool is_call = call.has_value() && function_.instructions[call].opcode == Opcode::Call;
    tags = is_call ? tags_.of_value(function_.result_of(function_.instructions[call]))
                   : tags_.of_unknown_reference();
  } else {
    tags = can_be_written(type) ? tags_.of_unknown() : tags_.of_handle();
  }
  add(Kind::Variable, binding, std::move(tags), can_be_written(type) ? type : types::TypeId());
}

auto Annotator::is_reference(types::TypeId type) const -> bool {
  return types_[type].kind == types::TypeKind::Reference;
}

auto Annotator::can_be_written(types::TypeId type) const -> bool {
  if (is_reference(type)) {
    type = types_[type].element;
  }
  return types_[type].kind == types::TypeKind::Value;
}

void Annotator::encode(Node statement) {
  const hir::InstructionId id = at(statement).instruction;
  if (!id.has_value()) {
    return;
  }
  const Instruction& instruction = function_.instructions[id];
  const bool is_copy = instruction.opcode == Opcode::EncodeCopy;
  if (is_copy) {
    walk(statement.child(Field::Value));
  }
  uint32_t next = instruction.results.begin;
  for (Node child : statement.children()) {
    if (child.is(NodeKind::EncodeDestination) && next < instruction.results.end) {
      for (hir::InstructionId store : at(child).stores) {
        apply(store);
        told_[function_.instructions[store].place.index] = tags_.of_content({next});
      }
      add(Kind::EncodeDestination, child, tags_.of_content({next++}));
    }
  }
  add(Kind::Operation, statement, tags_.of_operation(id));
}

}  // namespace tacet::infer
