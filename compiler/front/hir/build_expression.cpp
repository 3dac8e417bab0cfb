#include "compiler/core/syntax/block_tail.h"
#include "compiler/core/syntax/concatenation.h"
#include "compiler/core/syntax/kind_groups.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/hir/builder.h"
#include "compiler/front/hir/pattern.h"

namespace tacet::hir {

using syntax::ExpressionKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;
using types::TypeId;
using types::TypeKind;

static auto name_value(Builder& builder, Node node) -> Denotation;
static auto binary(Builder& builder, Node node) -> Denotation;
static auto tuple(Builder& builder, Node node) -> Denotation;
static auto array(Builder& builder, Node node) -> Denotation;
static auto index(Builder& builder, Node node) -> Denotation;
static auto hole(Builder& builder, Node node) -> Denotation;
static auto unary(Builder& builder, Node node) -> Denotation;
static auto field(Builder& builder, Node node) -> Denotation;
static auto tagged(Builder& builder, Node node) -> Denotation;
static auto block_value(Builder& builder, Node node) -> Denotation;
static auto let_in(Builder& builder, Node node) -> Denotation;

auto of_value(ValueId value) -> Denotation {
  Denotation meaning;
  meaning.kind = Denotation::Kind::Value;
  meaning.value = value;
  return meaning;
}

static auto simple(Builder& builder, Opcode opcode, Node node, std::span<const ValueId> operands)
    -> Denotation {
  return of_value(builder.writer.value(make(opcode, node), operands, type(builder, node)));
}

/// An expression that this form does not look into, or one that is wrong.
auto opaque(Builder& builder, Node node) -> Denotation {
  return of_value(opaque(builder, node, type(builder, node)));
}

auto opaque(Builder& builder, Node node, TypeId type) -> ValueId {
  return builder.writer.value(make(Opcode::Opaque, node), mentioned(builder, node), type);
}

/// The variables from outside that are mentioned in `node`, in the order of the text.
auto mentioned(Builder& builder, Node node) -> std::vector<ValueId> {
  std::vector<ValueId> operands;
  for (Node part : subtree(node)) {
    const names::Resolution name = builder.body.names.of(part.index());
    if (!name.is(names::Meaning::Local)) {
      continue;
    }
    // What is declared in `node` itself may have a value in one branch of it alone.
    const uint32_t declared = builder.body.names.locals[name.index()].node;
    if (declared >= node.index() && declared < node.subtree_end()) {
      continue;
    }
    const Denotation& meaning = builder.locals[name.index()];
    if (meaning.kind == Denotation::Kind::Value) {
      operands.push_back(meaning.value);
    } else if (meaning.kind == Denotation::Kind::Place || meaning.kind == Denotation::Kind::Alias) {
      operands.push_back(builder.writer.load(meaning.place, part.index()));
    }
  }
  return operands;
}

/// Something was written through a reference that may mean any variable of its type.
void overwrite_unknown(Builder& builder, TypeId referent, Node node) {
  const auto n_places = static_cast<uint32_t>(builder.writer.function().places.size());
  for (uint32_t i = 0; i < n_places; ++i) {
    const Place& place = builder.writer.function().places[PlaceId{i}];
    const bool is_lent = place.kind == PlaceKind::Variable || place.kind == PlaceKind::Referent;
    if (is_lent && place.type == referent) {
      const ValueId held =
          builder.writer.value(make(Opcode::Overwritten, node), mentioned(builder, node), referent);
      builder.writer.store({i}, held, node.index());
    }
  }
}

auto value(Builder& builder, Node node) -> ValueId {
  return value_of(builder, expression(builder, node), node);
}

auto value_of(Builder& builder, const Denotation& meaning, Node node) -> ValueId {
  switch (meaning.kind) {
    case Denotation::Kind::Value:
      return meaning.value;
    case Denotation::Kind::Place:
      return builder.writer.load(meaning.place, node.index());
    case Denotation::Kind::Alias:
      return builder.writer.borrow(
          meaning.place,
          builder.types.reference(builder.writer.function().places[meaning.place].type),
          node.index());
    case Denotation::Kind::Fields:
      if (meaning.place.has_value()) {
        return handle(builder, meaning, node.index());
      }
      break;
    case Denotation::Kind::Nothing:
    case Denotation::Kind::Tuple:
      break;
  }
  return opaque(builder, node).value;
}

auto expression(Builder& builder, Node node) -> Denotation {
  switch (syntax::expression_kind(node.kind())) {
    case ExpressionKind::Parenthesized:
      return expression(builder, node.child(Field::Value));
    case ExpressionKind::Tagged:
      return tagged(builder, node);
    case ExpressionKind::Identifier:
    case ExpressionKind::Dim:
      return name_value(builder, node);
    case ExpressionKind::Integer:
    case ExpressionKind::Float:
    case ExpressionKind::Boolean:
      return simple(builder, Opcode::Literal, node, {});
    case ExpressionKind::Unary:
      return unary(builder, node);
    case ExpressionKind::Binary:
      return binary(builder, node);
    case ExpressionKind::Cast:
      return simple(builder, Opcode::Cast, node,
                    std::array{value(builder, node.child(Field::Value))});
    case ExpressionKind::Conditional:
    case ExpressionKind::If:
      return conditional(builder, node);
    case ExpressionKind::Let:
      return let_in(builder, node);
    case ExpressionKind::Field:
      return field(builder, node);
    case ExpressionKind::Tuple:
      return tuple(builder, node);
    case ExpressionKind::Array:
      return is_pattern(node, builder.body.names) ? pattern(builder, node) : array(builder, node);
    case ExpressionKind::Index:
      return index(builder, node);
    case ExpressionKind::Call:
      return call(builder, node);
    case ExpressionKind::EncodeBegin:
      return encode_begin(builder, node);
    case ExpressionKind::Submit:
      return submit(builder, node);
    case ExpressionKind::Await:
      return await(builder, node);
    case ExpressionKind::Hole:
    case ExpressionKind::StatementHole:
      return hole(builder, node);
    case ExpressionKind::For:
    case ExpressionKind::Slice:
      return pattern(builder, node);
    case ExpressionKind::Path:
    case ExpressionKind::Range:
    case ExpressionKind::String:
      return opaque(builder, node);
    case ExpressionKind::None:
      break;
  }
  return node.is(NodeKind::Block) ? block_value(builder, node) : opaque(builder, node);
}

/// What a name or dimension is where it is used as an expression: of a `var`, its content.
static auto name_value(Builder& builder, Node node) -> Denotation {
  Denotation meaning = name(builder, node);
  if (meaning.kind == Denotation::Kind::Place) {
    meaning = of_value(builder.writer.load(meaning.place, node.index()));
  }
  note_name(builder, meaning, node.index());
  return meaning;
}

static auto binary(Builder& builder, Node node) -> Denotation {
  if (syntax::is_concatenation(node)) {
    return pattern(builder, node);
  }
  const ValueId left = value(builder, node.child(Field::Left));
  const ValueId right = value(builder, node.child(Field::Right));
  Instruction instruction = make(Opcode::Binary, node);
  if (!types::find_operator(node.child(Field::Operator).kind(), 2, instruction.op)) {
    return opaque(builder, node);
  }
  return of_value(builder.writer.value(instruction, std::array{left, right}, type(builder, node)));
}

static auto tuple(Builder& builder, Node node) -> Denotation {
  Denotation meaning;
  meaning.kind = Denotation::Kind::Tuple;
  for (Node element : node.children(Field::Element)) {
    meaning.members.push_back(expression(builder, element));
  }
  return meaning.members.size() == 1 ? meaning.members[0] : meaning;
}

static auto array(Builder& builder, Node node) -> Denotation {
  std::vector<ValueId> elements;
  for (Node element : node.children(Field::Element)) {
    elements.push_back(value(builder, element));
  }
  return simple(builder, Opcode::Array, node, elements);
}

static auto index(Builder& builder, Node node) -> Denotation {
  const ValueId array = value(builder, node.child(Field::Array));
  return simple(builder, Opcode::Index, node,
                std::array{array, value(builder, node.child(Field::Index))});
}

/// An array expression, which is one operation here.
auto pattern(Builder& builder, Node node) -> Denotation {
  const Pattern cut = pattern_of(builder.context, node, builder.body.names);
  std::vector<ValueId> operands;
  for (Node operand : cut.operands) {
    operands.push_back(value(builder, operand));
  }
  Instruction instruction = make(Opcode::Pattern, node);
  instruction.pattern = builder.interner.intern(cut.text);
  return of_value(builder.writer.value(instruction, operands, type(builder, node)));
}

/// What a name stands for, a `var` being its place.
auto name(Builder& builder, Node node) -> Denotation {
  const names::Resolution resolution = builder.body.names.of(node.index());
  if (resolution.is(names::Meaning::Local)) {
    const Denotation& meaning = builder.locals[resolution.index()];
    return meaning.kind == Denotation::Kind::Nothing ? opaque(builder, node) : meaning;
  }
  if (resolution.is(names::Meaning::Item)) {
    Instruction constant = make(Opcode::Constant, node);
    constant.item = builder.body.names.item(node.index());
    return of_value(builder.writer.value(constant, {}, type(builder, node)));
  }
  return opaque(builder, node);
}

/// `?` and `???`: one value, or as many as are expected.
static auto hole(Builder& builder, Node node) -> Denotation {
  if (kind_of(builder, type(builder, node)) != TypeKind::Tuple) {
    Instruction hole = make(Opcode::Hole, node);
    hole.is_expression = node.is(NodeKind::Hole);
    return of_value(builder.writer.value(hole, {}, type(builder, node)));
  }
  const std::vector<TypeId>& members =
      builder.types.members(builder.types[type(builder, node)].members);
  const InstructionId id = builder.writer.add(make(Opcode::Hole, node), {}, members);
  Denotation meaning;
  meaning.kind = Denotation::Kind::Tuple;
  for (uint32_t i = 0; i < members.size(); ++i) {
    meaning.members.push_back(of_value(
        builder.writer.function().result_of(builder.writer.function().instructions[id], i)));
  }
  return meaning;
}

/// `&x`
static auto reference(Builder& builder, Node node) -> Denotation {
  Node operand = node.child(Field::Operand);
  Node variable = bare(operand);
  Denotation meaning =
      variable.is(NodeKind::Identifier) ? name(builder, variable) : expression(builder, operand);
  if (meaning.kind == Denotation::Kind::Place) {
    meaning.kind = Denotation::Kind::Alias;
  }
  return meaning.kind == Denotation::Kind::Alias ? meaning : opaque(builder, node);
}

/// `*r`
static auto dereference(Builder& builder, Node node) -> Denotation {
  Denotation meaning = expression(builder, node.child(Field::Operand));
  if (meaning.kind == Denotation::Kind::Alias) {
    return of_value(builder.writer.load(meaning.place, node.index()));
  }
  if (meaning.kind != Denotation::Kind::Value) {
    return opaque(builder, node);
  }
  std::vector<ValueId> operands = mentioned(builder, node);
  operands.insert(operands.begin(), meaning.value);
  return simple(builder, Opcode::Peek, node, operands);
}

static auto unary(Builder& builder, Node node) -> Denotation {
  const NodeKind token = node.child(Field::Operator).kind();
  if (token == NodeKind::Amp) {
    return reference(builder, node);
  }
  if (token == NodeKind::Star) {
    return dereference(builder, node);
  }
  const ValueId of = value(builder, node.child(Field::Operand));
  Instruction instruction = make(Opcode::Unary, node);
  if (!types::find_operator(token, 1, instruction.op)) {
    return opaque(builder, node);
  }
  return of_value(builder.writer.value(instruction, std::span(&of, 1), type(builder, node)));
}

static auto field(Builder& builder, Node node) -> Denotation {
  Denotation record = expression(builder, node.child(Field::Record));
  const PlaceId place =
      find_field(record, builder.interner.intern(node.child(Field::Field).text()));
  return place.has_value() ? of_value(builder.writer.load(place, node.index()))
                           : opaque(builder, node);
}

/// Tags behind a call are about the call, those behind anything else about its value.
static auto tagged(Builder& builder, Node node) -> Denotation {
  Node inner = bare(node);
  Node tags = node.child(Field::Tags);
  const size_t n_before = builder.writer.function().instructions.size();
  Denotation meaning = expression(builder, node.child(Field::Value));
  if (inner.is(NodeKind::CallExpression)) {
    const Store<InstructionId, Instruction>& all = builder.writer.function().instructions;
    for (auto i = static_cast<uint32_t>(all.size()); i > n_before; --i) {
      const Instruction& instruction = all[InstructionId{i - 1}];
      if (instruction.opcode == Opcode::Call && instruction.node == inner.index()) {
        tag(builder, TagSubject::Instruction, i - 1, tags);
        return meaning;
      }
    }
  }
  tag_meaning(builder, meaning, tags, node.index());
  return meaning;
}

static auto block_value(Builder& builder, Node node) -> Denotation {
  Node tail = syntax::tail_of(node);
  statements(builder, node, tail);
  return tail ? expression(builder, tail) : Denotation();
}

static auto let_in(Builder& builder, Node node) -> Denotation {
  let_or_var(builder, node);
  return expression(builder, node.child(Field::Body));
}

}  // namespace tacet::hir
