#include <algorithm>
#include <span>
#include <utility>

#include "compiler/spec/infer/annotator.h"

namespace tacet::infer {

using hir::Instruction;
using hir::Opcode;
using hir::PlaceId;
using hir::ValueId;
using names::LocalKind;
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
    tell_now(Kind::End, block);
  }
  scope_.resize(n_visible);
}

void Annotator::statement(Node statement, bool is_tail, bool is_part_end) {
  if (statement.is(NodeKind::AnnotationStatement)) {
    annotation_statement(statement);
    return;
  }
  const bool has_boundary = at(statement).has_boundary;
  if (has_boundary || (is_tail && is_part_end)) {
    begin_exit(statement);
  }
  walk(statement);
  end_exit();
  if (has_boundary && !is_tail) {
    tell(Kind::Entry, statement, boundary_);
  }
}

void Annotator::begin_exit(Node statement) {
  first_at_exit_ = annotations_ == nullptr ? 0 : annotations_->size();
  at_exit_ = tell_now(Kind::Exit, statement);
}

void Annotator::end_exit() {
  for (size_t i = 0; i < at_exit_.size() && annotations_ != nullptr; ++i) {
    const hir::Place& place = function_.places[at_exit_[i]];
    TagTriple& tags = (*annotations_)[first_at_exit_ + i].tags;
    if (place.kind == hir::PlaceKind::Field) {
      tags.tmln = tags_.of_field({}, handle_of_field(place)).tmln;
    } else if (!infer::is_handle(types_, place.type)) {
      tags.tmln = tags_.at_event();
    }
  }
  at_exit_.clear();
}

/// `@in { input: node(tmln.x) };` may say where control is.
void Annotator::annotation_statement(Node statement) {
  for (Node child : statement.children()) {
    const hir::InstructionId id =
        child.is(NodeKind::Annotation) ? at(child).instruction : hir::InstructionId();
    const bool is_event = id.has_value() && !child.child(Field::Key).child(Field::Name);
    if (is_event && function_.instructions[id].is_at_entry) {
      tags_.pass(id);
    }
  }
}

void Annotator::name(Node name) {
  const names::Resolution meaning = body_.names.of(name.index());
  if (annotations_ == nullptr || !meaning.is(names::Meaning::Local)) {
    return;
  }
  const uint32_t local = meaning.index();
  const PlaceId handle = handle_place_[local];
  const PlaceId place = handle.has_value() ? handle : place_of(local);
  ValueId value = at(name).value;
  if (!value.has_value() && place.has_value()) {
    value = places_[place].value;
  }
  if (!value.has_value()) {
    return;
  }
  const bool is_variable = body_.names.locals[local].kind == LocalKind::Var;
  TagTriple tags = is_variable || is_reference(body_.local_types[local]) ? tags_.of_content(value)
                                                                         : tags_.of_value(value);
  if (handle.has_value() && is_spent_.contains(value.index)) {
    tags.tmln.flow = flow::Flow::Dead;
  }
  add(Kind::Name, name, std::move(tags));
}

void Annotator::spend(const Instruction& instruction) {
  for (const ValueId operand : function_.operands_of(instruction)) {
    if (tags_.is_handle(operand) && !is_spent_.contains(operand.index)) {
      is_spent_.insert(operand.index);
      spent_.push_back(operand);
    }
  }
}

auto Annotator::unspend(size_t n_spent) -> std::vector<ValueId> {
  std::vector<ValueId> result(spent_.begin() + static_cast<ptrdiff_t>(n_spent), spent_.end());
  for (const ValueId value : result) {
    is_spent_.erase(value.index);
  }
  spent_.resize(n_spent);
  return result;
}

void Annotator::walk(Node node) {
  if (node.is(NodeKind::TemplateArguments)) {
    return;  // literals of grids are left to the call
  }
  if (node.is(NodeKind::TaggedExpression)) {
    at(bare(node)).is_tagged = true;
    walk(node.child(Field::Value));
    written_tags(node.child(Field::Tags));
  } else if (node.is(NodeKind::Block)) {
    block(node, false);
  } else if (node.is(NodeKind::IfExpression) || node.is(NodeKind::ConditionalExpression)) {
    choice(node);
  } else if (node.is(NodeKind::LetStatement) || node.is(NodeKind::VarStatement)) {
    binding_statement(node);
  } else if (node.is(NodeKind::EncodeStatement)) {
    encode(node);
  } else if (node.is(NodeKind::AssignmentStatement)) {
    walk(node.child(Field::Value));
    walk(node.child(Field::Target));
  } else if (node.is(NodeKind::Identifier)) {
    name(node);
  } else {
    for (Node child : node.children()) {
      if (!child.is(NodeKind::Tags)) {
        walk(child);
      }
    }
  }
  leave(node);
}

void Annotator::leave(Node node) {
  AtNode& at = this->at(node);
  const hir::InstructionId id = at.instruction;
  if (id.has_value()) {
    const Opcode opcode = function_.instructions[id].opcode;
    if (is_operation(opcode)) {
      if (at.has_boundary) {
        end_exit();
      }
      tags_.pass(id);
    }
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
      boundary_ = places_.mark();
    }
    if (is_operation(opcode) && opcode != Opcode::EncodeBegin) {
      spend(function_.instructions[id]);
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
  if (split.has_value()) {
    end_exit();
  }
  if (node.is(NodeKind::IfExpression) && split.has_value()) {
    add(Kind::Branch, node, tags_.of_branch(split));
  }
  const HeldPlaces::Mark mark = places_.mark();
  const size_t n_spent = spent_.size();
  auto go = [&](size_t way) {
    if (split.has_value()) {
      tags_.begin(function_.blocks[split].terminator.targets[way]);
    }
  };
  go(0);
  arm(node.child(Field::Consequence));
  const std::vector<HeldPlaces::Change> on_true = places_.undo(mark);
  const std::vector<ValueId> spent_on_true = unspend(n_spent);
  go(1);
  if (Node alternative = node.child(Field::Alternative)) {
    arm(alternative);
  }
  places_.meet(on_true, places_.undo(mark));
  for (const ValueId value : spent_on_true) {
    if (!is_spent_.contains(value.index)) {
      is_spent_.insert(value.index);
      spent_.push_back(value);
    }
  }
  meet(split);
}

void Annotator::arm(Node arm) {
  if (arm.is(NodeKind::Block)) {
    block(arm, true);
    leave(arm);
  } else {
    walk(arm);
  }
}

/// Behind the two ways.
void Annotator::meet(hir::BlockId split) {
  if (split.has_value()) {
    const hir::BlockId join = function_.blocks[split].terminator.join;
    tags_.begin(join);
    for (hir::InstructionId id : function_.blocks[join].instructions) {
      const Instruction& phi = function_.instructions[id];
      if (phi.opcode != Opcode::Phi) {
        break;
      }
      hold(phi.place, function_.result_of(phi));
    }
  }
  boundary_ = places_.mark();
}

void Annotator::binding_statement(Node statement) {
  Node value = statement.child(Field::Value);
  size_t n_bindings = 0;
  new_handles_.clear();
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
  const bool is_handle = infer::is_handle(types_, type);
  if (is_handle) {
    find_handle(local.index(), value);
  }
  const PlaceId place = is_handle ? handle_place_[local.index()]
                        : is_var  ? place_of(local.index())
                                  : PlaceId();
  TagTriple tags;
  if (place.has_value()) {
    tags = value ? tags_.of_content(places_[place].value) : tags_.of_empty();
    places_.tell(place, tags);
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
    tags = can_be_written(type) ? tags_.of_unknown() : tags_.of_record();
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
  const ValueId encoder = function_.operands_of(instruction)[0];
  name(statement.child(Field::Encoder));
  if (instruction.opcode == Opcode::EncodeCopy) {
    walk(statement.child(Field::Value));
  } else {
    arguments(statement.child(Field::Value), instruction);
  }
  uint32_t next = instruction.results.begin;
  for (Node child : statement.children()) {
    if (child.is(NodeKind::EncodeDestination) && next < instruction.results.end) {
      const TagTriple tags = tags_.of_field({next++}, encoder);
      for (hir::InstructionId store : at(child).stores) {
        apply(store);
        places_.tell(function_.instructions[store].place, tags);
      }
      add(Kind::EncodeDestination, child, tags);
    }
  }
  add(Kind::Operation, statement, tags_.of_operation(id));
}

void Annotator::arguments(Node call, const Instruction& instruction) {
  std::span<const ValueId> operands = function_.operands_of(instruction);
  const ValueId encoder = operands[0];
  operands = operands.subspan(std::min<size_t>(operands.size(), instruction.n_dims + size_t{1}));
  size_t next = 0;
  for (Node argument : call.child(Field::Arguments).children()) {
    if (!syntax::is_named(argument.kind()) || next == operands.size()) {
      continue;
    }
    const ValueId value = operands[next++];
    if (Node name = syntax::bare(argument); name.is(NodeKind::Identifier)) {
      add(Kind::Name, name, tags_.of_field(value, encoder));
    }
  }
}

}  // namespace tacet::infer
