#include <algorithm>
#include <span>
#include <utility>

#include "compiler/core/syntax/block_tail.h"
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

static void statement(Annotator& annotator, Node statement, bool is_tail, bool is_part_end);
static void begin_exit(Annotator& annotator, Node statement);
static void end_exit(Annotator& annotator);
static void annotation_statement(Annotator& annotator, Node statement);
static void walk(Annotator& annotator, Node node);
static void leave(Annotator& annotator, Node node);
static auto is_operation(hir::Opcode opcode) -> bool;
static void written_tags(Annotator& annotator, Node tags);
static void choice(Annotator& annotator, Node node);
static void arm(Annotator& annotator, Node arm);
static void meet(Annotator& annotator, hir::BlockId split);
static void binding_statement(Annotator& annotator, Node statement);
static void binding(Annotator& annotator, Node binding, Node statement, Node value,
                    size_t n_bindings);
static auto is_reference(const Annotator& annotator, types::TypeId type) -> bool;
static auto can_be_written(const Annotator& annotator, types::TypeId type) -> bool;
static void encode(Annotator& annotator, Node statement);
static void arguments(Annotator& annotator, Node call, const hir::Instruction& instruction);

void block(Annotator& annotator, Node block, bool is_part_end) {
  const size_t n_visible = annotator.scope.size();
  const Node last = syntax::tail_of(block);
  const bool has_value = block.child(Field::Result) ||
                         (last && annotator.body.type(block) != types::TypeStore::kUnit &&
                          annotator.body.type(block) != types::TypeStore::kError);
  for (Node child : block.children()) {
    if (syntax::is_named(child.kind())) {
      statement(annotator, child, has_value && child == last, is_part_end);
    }
  }
  if (is_part_end && !has_value) {
    annotate_now(annotator, AnnotationKind::End, block);
  }
  annotator.scope.resize(n_visible);
}

static void statement(Annotator& annotator, Node statement, bool is_tail, bool is_part_end) {
  if (statement.is(NodeKind::AnnotationStatement)) {
    annotation_statement(annotator, statement);
    return;
  }
  const bool has_boundary = index_at(annotator, statement).has_boundary;
  if (has_boundary || (is_tail && is_part_end)) {
    begin_exit(annotator, statement);
  }
  walk(annotator, statement);
  end_exit(annotator);
  if (has_boundary && !is_tail) {
    annotate(annotator, AnnotationKind::Entry, statement, annotator.boundary);
  }
}

/// An `@out` in front of a statement speaks of where control leaves the part: at the first call
/// or choice in the statement, or behind it.
static void begin_exit(Annotator& annotator, Node statement) {
  annotator.first_at_exit = annotator.annotations == nullptr ? 0 : annotator.annotations->size();
  annotator.at_exit = annotate_now(annotator, AnnotationKind::Exit, statement);
}

static void end_exit(Annotator& annotator) {
  for (size_t i = 0; i < annotator.at_exit.size() && annotator.annotations != nullptr; ++i) {
    const hir::Place& place = annotator.function.places[annotator.at_exit[i]];
    TagTriple& tags = (*annotator.annotations)[annotator.first_at_exit + i].tags;
    if (place.kind == hir::PlaceKind::Field) {
      tags.tmln = annotator.tags.of_field({}, handle_of_field(annotator, place)).tmln;
    } else if (!infer::is_handle(annotator.types, place.type)) {
      tags.tmln = annotator.tags.at_event();
    }
  }
  annotator.at_exit.clear();
}

/// `@in { input: node(tmln.x) };` may say where control is.
static void annotation_statement(Annotator& annotator, Node statement) {
  for (Node child : statement.children()) {
    const hir::InstructionId id = child.is(NodeKind::Annotation)
                                      ? index_at(annotator, child).instruction
                                      : hir::InstructionId();
    const bool is_event = id.has_value() && !child.child(Field::Key).child(Field::Name);
    if (is_event && annotator.function.instructions[id].is_at_entry) {
      annotator.tags.pass(id);
    }
  }
}

/// A name that is read or written.
static void name(Annotator& annotator, Node name) {
  const names::Resolution meaning = annotator.body.names.of(name.index());
  if (annotator.annotations == nullptr || !meaning.is(names::Meaning::Local)) {
    return;
  }
  const uint32_t local = meaning.index();
  const PlaceId handle = annotator.handle_place[local];
  const PlaceId place = handle.has_value() ? handle : place_of(annotator, local);
  ValueId value = index_at(annotator, name).value;
  if (!value.has_value() && place.has_value()) {
    value = annotator.places[place].value;
  }
  if (!value.has_value()) {
    return;
  }
  const bool is_variable = annotator.body.names.locals[local].kind == LocalKind::Var;
  TagTriple tags = is_variable || is_reference(annotator, annotator.body.local_types[local])
                       ? annotator.tags.of_content(value)
                       : annotator.tags.of_value(value);
  if (handle.has_value() && annotator.is_spent.contains(value.index)) {
    tags.tmln.flow = flow::Flow::Dead;
  }
  add(annotator, AnnotationKind::Name, name, std::move(tags));
}

/// Behind an instruction that takes encoders and futures away.
static void spend(Annotator& annotator, const Instruction& instruction) {
  for (const ValueId operand : annotator.function.operands_of(instruction)) {
    if (annotator.tags.is_handle(operand) && !annotator.is_spent.contains(operand.index)) {
      annotator.is_spent.insert(operand.index);
      annotator.spent.push_back(operand);
    }
  }
}

/// Goes back to where `n_spent` handles were consumed; returns the others.
static auto unspend(Annotator& annotator, size_t n_spent) -> std::vector<ValueId> {
  std::vector<ValueId> result(annotator.spent.begin() + static_cast<ptrdiff_t>(n_spent),
                              annotator.spent.end());
  for (const ValueId value : result) {
    annotator.is_spent.erase(value.index);
  }
  annotator.spent.resize(n_spent);
  return result;
}

static void walk(Annotator& annotator, Node node) {
  if (node.is(NodeKind::TemplateArguments)) {
    return;  // literals of grids are left to the call
  }
  if (node.is(NodeKind::TaggedExpression)) {
    index_at(annotator, bare(node)).is_tagged = true;
    walk(annotator, node.child(Field::Value));
    written_tags(annotator, node.child(Field::Tags));
  } else if (node.is(NodeKind::Block)) {
    block(annotator, node, false);
  } else if (node.is(NodeKind::IfExpression) || node.is(NodeKind::ConditionalExpression)) {
    choice(annotator, node);
  } else if (node.is(NodeKind::LetStatement) || node.is(NodeKind::VarStatement)) {
    binding_statement(annotator, node);
  } else if (node.is(NodeKind::EncodeStatement)) {
    encode(annotator, node);
  } else if (node.is(NodeKind::AssignmentStatement)) {
    walk(annotator, node.child(Field::Value));
    walk(annotator, node.child(Field::Target));
  } else if (node.is(NodeKind::Identifier)) {
    name(annotator, node);
  } else {
    for (Node child : node.children()) {
      if (!child.is(NodeKind::Tags)) {
        walk(annotator, child);
      }
    }
  }
  leave(annotator, node);
}

/// Behind the evaluation of `node`: its own tags, and what it has changed.
static void leave(Annotator& annotator, Node node) {
  AtNode& at = index_at(annotator, node);
  const hir::InstructionId id = at.instruction;
  if (id.has_value()) {
    const Opcode opcode = annotator.function.instructions[id].opcode;
    if (is_operation(opcode)) {
      if (at.has_boundary) {
        end_exit(annotator);
      }
      annotator.tags.pass(id);
    }
    if (opcode == Opcode::Literal && !at.is_tagged && annotator.bound != node.index()) {
      add(annotator, AnnotationKind::Value, node,
          annotator.tags.of_value(
              annotator.function.result_of(annotator.function.instructions[id])));
    } else if (is_operation(opcode) && !at.is_tagged) {
      add(annotator, AnnotationKind::Operation, node, annotator.tags.of_operation(id));
    }
    if (opcode == Opcode::Call &&
        is_function(annotator.context, annotator.function.instructions[id].item)) {
      for (hir::InstructionId store : at.stores) {
        const ValueId value =
            annotator.function.operands_of(annotator.function.instructions[store])[0];
        if (value.has_value() &&
            annotator.function.definition_of(value).opcode == Opcode::Written) {
          apply(annotator, store);
        }
      }
      annotator.boundary = annotator.places.mark();
    }
    if (is_operation(opcode) && opcode != Opcode::EncodeBegin) {
      spend(annotator, annotator.function.instructions[id]);
    }
  }
  // What is stored there was not at hand where the hole is evaluated.
  if (node.is(NodeKind::Hole) || node.is(NodeKind::StatementHole)) {
    hole(annotator, node);
  }
  for (hir::InstructionId store : at.stores) {
    apply(annotator, store);
  }
  if (node.is(NodeKind::HoleStatement)) {
    hole(annotator, node);
  }
}

static auto is_operation(Opcode opcode) -> bool {
  return opcode == Opcode::Call || opcode == Opcode::EncodeBegin || opcode == Opcode::Submit ||
         opcode == Opcode::Await;
}

/// Tags behind an expression: those that are there are written anew.
static void written_tags(Annotator& annotator, Node tags) {
  if (index_at(annotator, tags).tag_use == hir::kNoNode) {
    return;
  }
  const hir::TagUse& use = annotator.function.tags[index_at(annotator, tags).tag_use];
  switch (use.subject) {
    case hir::TagSubject::Value:
      add(annotator, AnnotationKind::Value, tags, annotator.tags.of_value({use.index}));
      return;
    case hir::TagSubject::Instruction:
      add(annotator, AnnotationKind::Operation, tags, annotator.tags.of_operation({use.index}));
      return;
    case hir::TagSubject::Branch:
      add(annotator, AnnotationKind::Branch, tags, annotator.tags.of_branch({use.index}));
      return;
  }
}

static void choice(Annotator& annotator, Node node) {
  walk(annotator, node.child(Field::Condition));
  const hir::BlockId split = index_at(annotator, node).branch;
  if (split.has_value()) {
    end_exit(annotator);
  }
  if (node.is(NodeKind::IfExpression) && split.has_value()) {
    add(annotator, AnnotationKind::Branch, node, annotator.tags.of_branch(split));
  }
  const HeldPlaces::Mark mark = annotator.places.mark();
  const size_t n_spent = annotator.spent.size();
  auto go = [&](size_t side) {
    if (split.has_value()) {
      annotator.tags.begin(annotator.function.blocks[split].terminator.targets[side]);
    }
  };
  go(0);
  arm(annotator, node.child(Field::Consequence));
  const std::vector<HeldPlaces::Change> on_true = annotator.places.undo(mark);
  const std::vector<ValueId> spent_on_true = unspend(annotator, n_spent);
  go(1);
  if (Node alternative = node.child(Field::Alternative)) {
    arm(annotator, alternative);
  }
  annotator.places.meet(on_true, annotator.places.undo(mark));
  for (const ValueId value : spent_on_true) {
    if (!annotator.is_spent.contains(value.index)) {
      annotator.is_spent.insert(value.index);
      annotator.spent.push_back(value);
    }
  }
  meet(annotator, split);
}

static void arm(Annotator& annotator, Node arm) {
  if (arm.is(NodeKind::Block)) {
    block(annotator, arm, true);
    leave(annotator, arm);
  } else {
    walk(annotator, arm);
  }
}

/// After the two branches.
static void meet(Annotator& annotator, hir::BlockId split) {
  if (split.has_value()) {
    const hir::BlockId join = annotator.function.blocks[split].terminator.join;
    annotator.tags.begin(join);
    for (hir::InstructionId id : annotator.function.blocks[join].instructions) {
      const Instruction& phi = annotator.function.instructions[id];
      if (phi.opcode != Opcode::Phi) {
        break;
      }
      hold(annotator, phi.place, annotator.function.result_of(phi));
    }
  }
  annotator.boundary = annotator.places.mark();
}

static void binding_statement(Annotator& annotator, Node statement) {
  Node value = statement.child(Field::Value);
  size_t n_bindings = 0;
  annotator.new_handles.clear();
  for (Node child : statement.children()) {
    n_bindings += child.is(NodeKind::Binding) ? 1 : 0;
  }
  if (value) {
    annotator.bound = n_bindings == 1 ? value.index() : hir::kNoNode;
    walk(annotator, value);
    annotator.bound = hir::kNoNode;
  }
  for (Node child : statement.children()) {
    if (child.is(NodeKind::Binding)) {
      binding(annotator, child, statement, value, n_bindings);
    }
  }
}

static void binding(Annotator& annotator, Node binding, Node statement, Node value,
                    size_t n_bindings) {
  for (hir::InstructionId store : index_at(annotator, binding).stores) {
    apply(annotator, store);
  }
  Node name = binding.child(Field::Name);
  const names::Resolution local = annotator.body.names.of(name.index());
  if (!local.is(names::Meaning::Local)) {
    if (Node tags = binding.child(Field::Tags)) {
      written_tags(annotator, tags);
    }
    return;
  }
  declare(annotator, local.index());
  const types::TypeId type = annotator.body.local_types[local.index()];
  const bool is_var = statement.is(NodeKind::VarStatement);
  const bool is_handle = infer::is_handle(annotator.types, type);
  if (is_handle) {
    find_handle(annotator, local.index(), value);
  }
  const PlaceId place = is_handle ? annotator.handle_place[local.index()]
                        : is_var  ? place_of(annotator, local.index())
                                  : PlaceId();
  TagTriple tags;
  if (place.has_value()) {
    tags = value ? annotator.tags.of_content(annotator.places[place].value)
                 : annotator.tags.of_empty();
    annotator.places.set_tags(place, tags);
  } else if (index_at(annotator, name).value.has_value()) {
    tags = annotator.tags.of_value(index_at(annotator, name).value);
  } else if (is_reference(annotator, type)) {
    // What a reference is about may change: only a fresh one is known here.
    const hir::InstructionId call =
        n_bindings == 1 ? index_at(annotator, bare(value)).instruction : hir::InstructionId();
    const bool is_call =
        call.has_value() && annotator.function.instructions[call].opcode == Opcode::Call;
    tags = is_call ? annotator.tags.of_value(
                         annotator.function.result_of(annotator.function.instructions[call]))
                   : annotator.tags.of_unknown_reference();
  } else {
    tags =
        can_be_written(annotator, type) ? annotator.tags.of_unknown() : annotator.tags.of_record();
  }
  add(annotator, AnnotationKind::Variable, binding, std::move(tags),
      can_be_written(annotator, type) ? type : types::TypeId());
}

static auto is_reference(const Annotator& annotator, types::TypeId type) -> bool {
  return annotator.types[type].kind == types::TypeKind::Reference;
}

/// Types of records are made by what is encoded; writing them down would fix them.
static auto can_be_written(const Annotator& annotator, types::TypeId type) -> bool {
  if (is_reference(annotator, type)) {
    type = annotator.types[type].element;
  }
  return annotator.types[type].kind == types::TypeKind::Value;
}

static void encode(Annotator& annotator, Node statement) {
  const hir::InstructionId id = index_at(annotator, statement).instruction;
  if (!id.has_value()) {
    return;
  }
  const Instruction& instruction = annotator.function.instructions[id];
  const ValueId encoder = annotator.function.operands_of(instruction)[0];
  name(annotator, statement.child(Field::Encoder));
  if (instruction.opcode == Opcode::EncodeCopy) {
    walk(annotator, statement.child(Field::Value));
  } else {
    arguments(annotator, statement.child(Field::Value), instruction);
  }
  uint32_t next = instruction.results.begin;
  for (Node child : statement.children()) {
    if (child.is(NodeKind::EncodeDestination) && next < instruction.results.end) {
      const TagTriple tags = annotator.tags.of_field({next++}, encoder);
      for (hir::InstructionId store : index_at(annotator, child).stores) {
        apply(annotator, store);
        annotator.places.set_tags(annotator.function.instructions[store].place, tags);
      }
      add(annotator, AnnotationKind::EncodeDestination, child, tags);
    }
  }
  add(annotator, AnnotationKind::Operation, statement, annotator.tags.of_operation(id));
}

/// What a kernel is called with.
static void arguments(Annotator& annotator, Node call, const Instruction& instruction) {
  std::span<const ValueId> operands = annotator.function.operands_of(instruction);
  const ValueId encoder = operands[0];
  operands = operands.subspan(std::min<size_t>(operands.size(), instruction.n_dims + size_t{1}));
  size_t next = 0;
  for (Node argument : call.child(Field::Arguments).children()) {
    if (!syntax::is_named(argument.kind()) || next == operands.size()) {
      continue;
    }
    const ValueId value = operands[next++];
    if (Node name = syntax::bare(argument); name.is(NodeKind::Identifier)) {
      add(annotator, AnnotationKind::Name, name, annotator.tags.of_field(value, encoder));
    }
  }
}

}  // namespace tacet::infer
