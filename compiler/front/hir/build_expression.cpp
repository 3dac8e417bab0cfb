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

auto Builder::of_value(ValueId value) -> Meaning {
  Meaning meaning;
  meaning.kind = Meaning::Kind::Value;
  meaning.value = value;
  return meaning;
}

auto Builder::simple(Opcode opcode, Node node, std::span<const ValueId> operands) -> Meaning {
  return of_value(writer_.value(make(opcode, node), operands, type(node)));
}

/// An expression that this form does not look into, or one that is wrong.
auto Builder::opaque(Node node) -> Meaning {
  return of_value(opaque(node, type(node)));
}

auto Builder::opaque(Node node, TypeId type) -> ValueId {
  return writer_.value(make(Opcode::Opaque, node), mentioned(node), type);
}

/// The variables that are mentioned in `node`, in the order of the text.
auto Builder::mentioned(Node node) -> std::vector<ValueId> {
  std::vector<ValueId> operands;
  for (Node part : subtree(node)) {
    const names::Resolution name = body_.names.of(part.index());
    if (!name.is(names::Meaning::Local)) {
      continue;
    }
    const Meaning& meaning = locals_[name.index()];
    if (meaning.kind == Meaning::Kind::Value) {
      operands.push_back(meaning.value);
    } else if (meaning.kind == Meaning::Kind::Place || meaning.kind == Meaning::Kind::Alias) {
      operands.push_back(writer_.load(meaning.place, part.index()));
    }
  }
  return operands;
}

/// Something was written through a reference that may mean any variable of its type.
void Builder::overwrite_unknown(TypeId referent, Node node) {
  const auto n_places = static_cast<uint32_t>(writer_.function().places.size());
  for (uint32_t i = 0; i < n_places; ++i) {
    const Place& place = writer_.function().places[PlaceId{i}];
    const bool is_lent = place.kind == PlaceKind::Variable || place.kind == PlaceKind::Referent;
    if (is_lent && place.type == referent) {
      const ValueId held =
          writer_.value(make(Opcode::Overwritten, node), mentioned(node), referent);
      writer_.store({i}, held, node.index());
    }
  }
}

auto Builder::value(Node node) -> ValueId {
  return value_of(expression(node), node);
}

auto Builder::value_of(const Meaning& meaning, Node node) -> ValueId {
  switch (meaning.kind) {
    case Meaning::Kind::Value:
      return meaning.value;
    case Meaning::Kind::Place:
      return writer_.load(meaning.place, node.index());
    case Meaning::Kind::Alias:
      return writer_.borrow(meaning.place,
                            types_.reference(writer_.function().places[meaning.place].type),
                            node.index());
    case Meaning::Kind::Fields:
      if (meaning.place.has_value()) {
        return handle(meaning, node.index());
      }
      break;
    case Meaning::Kind::Nothing:
    case Meaning::Kind::Tuple:
      break;
  }
  return opaque(node).value;
}

auto Builder::expression(Node node) -> Meaning {
  switch (syntax::expression_kind(node.kind())) {
    case ExpressionKind::Parenthesized:
      return expression(node.child(Field::Value));
    case ExpressionKind::Tagged:
      return tagged(node);
    case ExpressionKind::Identifier:
    case ExpressionKind::Dim:
      return name_value(node);
    case ExpressionKind::Integer:
    case ExpressionKind::Float:
    case ExpressionKind::Boolean:
      return simple(Opcode::Literal, node, {});
    case ExpressionKind::Unary:
      return unary(node);
    case ExpressionKind::Binary:
      return binary(node);
    case ExpressionKind::Cast:
      return simple(Opcode::Cast, node, std::array{value(node.child(Field::Value))});
    case ExpressionKind::Conditional:
    case ExpressionKind::If:
      return conditional(node);
    case ExpressionKind::Let:
      return let_in(node);
    case ExpressionKind::Field:
      return field(node);
    case ExpressionKind::Tuple:
      return tuple(node);
    case ExpressionKind::Array:
      return array(node);
    case ExpressionKind::Index:
      return index(node);
    case ExpressionKind::Call:
      return call(node);
    case ExpressionKind::EncodeBegin:
      return encode_begin(node);
    case ExpressionKind::Submit:
      return submit(node);
    case ExpressionKind::Await:
      return await(node);
    case ExpressionKind::Hole:
    case ExpressionKind::StatementHole:
      return hole(node);
    case ExpressionKind::For:
      return pattern(node);
    case ExpressionKind::Path:
    case ExpressionKind::Range:
    case ExpressionKind::String:
      return opaque(node);
    case ExpressionKind::None:
      break;
  }
  return node.is(NodeKind::Block) ? block_value(node) : opaque(node);
}

/// What a name or dimension is where it is used as an expression: of a `var`, its content.
auto Builder::name_value(Node node) -> Meaning {
  Meaning meaning = name(node);
  if (meaning.kind == Meaning::Kind::Place) {
    meaning = of_value(writer_.load(meaning.place, node.index()));
  }
  note_name(meaning, node.index());
  return meaning;
}

auto Builder::binary(Node node) -> Meaning {
  const ValueId left = value(node.child(Field::Left));
  const ValueId right = value(node.child(Field::Right));
  Instruction instruction = make(Opcode::Binary, node);
  if (!types::find_operator(node.child(Field::Operator).kind(), 2, instruction.op)) {
    return opaque(node);
  }
  return of_value(writer_.value(instruction, std::array{left, right}, type(node)));
}

auto Builder::tuple(Node node) -> Meaning {
  Meaning meaning;
  meaning.kind = Meaning::Kind::Tuple;
  for (Node element : node.children(Field::Element)) {
    meaning.members.push_back(expression(element));
  }
  return meaning.members.size() == 1 ? meaning.members[0] : meaning;
}

auto Builder::array(Node node) -> Meaning {
  std::vector<ValueId> elements;
  for (Node element : node.children(Field::Element)) {
    elements.push_back(value(element));
  }
  return simple(Opcode::Array, node, elements);
}

auto Builder::index(Node node) -> Meaning {
  const ValueId array = value(node.child(Field::Array));
  return simple(Opcode::Index, node, std::array{array, value(node.child(Field::Index))});
}

/// An array expression, which is one operation here.
auto Builder::pattern(Node node) -> Meaning {
  const Pattern cut = pattern_of(context_, node, body_.names);
  std::vector<ValueId> operands;
  for (Node operand : cut.operands) {
    operands.push_back(value(operand));
  }
  Instruction instruction = make(Opcode::Pattern, node);
  instruction.pattern = interner_.intern(cut.text);
  return of_value(writer_.value(instruction, operands, type(node)));
}

/// What a name stands for, a `var` being its place.
auto Builder::name(Node node) -> Meaning {
  const names::Resolution resolution = body_.names.of(node.index());
  if (resolution.is(names::Meaning::Local)) {
    const Meaning& meaning = locals_[resolution.index()];
    return meaning.kind == Meaning::Kind::Nothing ? opaque(node) : meaning;
  }
  if (resolution.is(names::Meaning::Item)) {
    Instruction constant = make(Opcode::Constant, node);
    constant.item = body_.names.item(node.index());
    return of_value(writer_.value(constant, {}, type(node)));
  }
  return opaque(node);
}

/// `?` and `???`: one value, or as many as are expected.
auto Builder::hole(Node node) -> Meaning {
  if (kind_of(type(node)) != TypeKind::Tuple) {
    Instruction hole = make(Opcode::Hole, node);
    hole.is_expression = node.is(NodeKind::Hole);
    return of_value(writer_.value(hole, {}, type(node)));
  }
  const std::vector<TypeId>& members = types_.members(types_[type(node)].members);
  const InstructionId id = writer_.add(make(Opcode::Hole, node), {}, members);
  Meaning meaning;
  meaning.kind = Meaning::Kind::Tuple;
  for (uint32_t i = 0; i < members.size(); ++i) {
    meaning.members.push_back(
        of_value(writer_.function().result_of(writer_.function().instructions[id], i)));
  }
  return meaning;
}

/// `&x`
auto Builder::reference(Node node) -> Meaning {
  Node operand = node.child(Field::Operand);
  Node variable = bare(operand);
  Meaning meaning = variable.is(NodeKind::Identifier) ? name(variable) : expression(operand);
  if (meaning.kind == Meaning::Kind::Place) {
    meaning.kind = Meaning::Kind::Alias;
  }
  return meaning.kind == Meaning::Kind::Alias ? meaning : opaque(node);
}

/// `*r`
auto Builder::dereference(Node node) -> Meaning {
  Meaning meaning = expression(node.child(Field::Operand));
  if (meaning.kind == Meaning::Kind::Alias) {
    return of_value(writer_.load(meaning.place, node.index()));
  }
  if (meaning.kind != Meaning::Kind::Value) {
    return opaque(node);
  }
  std::vector<ValueId> operands = mentioned(node);
  operands.insert(operands.begin(), meaning.value);
  return simple(Opcode::Peek, node, operands);
}

auto Builder::unary(Node node) -> Meaning {
  const NodeKind token = node.child(Field::Operator).kind();
  if (token == NodeKind::Amp) {
    return reference(node);
  }
  if (token == NodeKind::Star) {
    return dereference(node);
  }
  const ValueId of = value(node.child(Field::Operand));
  Instruction instruction = make(Opcode::Unary, node);
  if (!types::find_operator(token, 1, instruction.op)) {
    return opaque(node);
  }
  return of_value(writer_.value(instruction, std::span(&of, 1), type(node)));
}

auto Builder::field(Node node) -> Meaning {
  Meaning record = expression(node.child(Field::Record));
  const PlaceId place = find_field(record, interner_.intern(node.child(Field::Field).text()));
  return place.has_value() ? of_value(writer_.load(place, node.index())) : opaque(node);
}

/// Tags behind a call are about the call, those behind anything else about its value.
auto Builder::tagged(Node node) -> Meaning {
  Node inner = bare(node);
  Node tags = node.child(Field::Tags);
  const size_t n_before = writer_.function().instructions.size();
  Meaning meaning = expression(node.child(Field::Value));
  if (inner.is(NodeKind::CallExpression)) {
    const Store<InstructionId, Instruction>& all = writer_.function().instructions;
    for (auto i = static_cast<uint32_t>(all.size()); i > n_before; --i) {
      const Instruction& instruction = all[InstructionId{i - 1}];
      if (instruction.opcode == Opcode::Call && instruction.node == inner.index()) {
        tag(TagSubject::Instruction, i - 1, tags);
        return meaning;
      }
    }
  }
  tag_meaning(meaning, tags, node.index());
  return meaning;
}

/// Where a value like `first` is put by each of several ways.
auto Builder::merged(const Meaning& first, TypeId type, uint32_t node) -> Meaning {
  Meaning to;
  switch (first.kind) {
    case Meaning::Kind::Value:
    case Meaning::Kind::Place:
      to.kind = Meaning::Kind::Place;
      to.place = writer_.new_place(
          {.kind = PlaceKind::Merged, .name = {}, .owner = {}, .type = type, .node = node});
      return to;
    case Meaning::Kind::Fields:
      return new_fields(type, {}, node);
    case Meaning::Kind::Tuple: {
      to.kind = Meaning::Kind::Tuple;
      const bool is_tuple = kind_of(type) == TypeKind::Tuple;
      for (size_t i = 0; i < first.members.size(); ++i) {
        const bool is_there = is_tuple && i < types_.members(types_[type].members).size();
        to.members.push_back(merged(
            first.members[i],
            is_there ? types_.members(types_[type].members)[i] : types::TypeStore::kError, node));
      }
      return to;
    }
    case Meaning::Kind::Alias:
    case Meaning::Kind::Nothing:
      return first;
  }
  return to;
}

/// A reference to one of several places that is given back: nothing is written any more, so all
/// that matters is what it refers to.
auto Builder::either(TypeId reference, uint32_t node) -> Meaning {
  Meaning meaning;
  meaning.kind = Meaning::Kind::Alias;
  meaning.place = writer_.new_place({.kind = PlaceKind::Either,
                                     .name = {},
                                     .owner = {},
                                     .type = types_[reference].element,
                                     .node = node});
  return meaning;
}

/// Is the value of `node` what the function gives back?
auto Builder::is_result(Node node) const -> bool {
  Node result = tail_of(names::item_node(tree_).child(Field::Body));
  while (result && result != node) {
    if (result.is(NodeKind::Block)) {
      result = tail_of(result);
    } else if (result.is(NodeKind::IfExpression) || result.is(NodeKind::ConditionalExpression)) {
      const bool is_first = node.index() < result.child(Field::Consequence).subtree_end() &&
                            node.index() >= result.child(Field::Consequence).index();
      result = result.child(is_first ? Field::Consequence : Field::Alternative);
    } else {
      return false;
    }
  }
  return bool(result);
}

/// False for a reference to another variable than the one in `to`.
auto Builder::merge(const Meaning& from, const Meaning& to, Node node) -> bool {
  switch (to.kind) {
    case Meaning::Kind::Place:
      writer_.store(to.place, value_of(from, node), node.index());
      return true;
    case Meaning::Kind::Fields:
      if (from.kind == Meaning::Kind::Fields) {
        copy_fields(from, to, node.index());
      }
      return true;
    case Meaning::Kind::Tuple: {
      bool is_merged = true;
      for (size_t i = 0; i < to.members.size() && i < from.members.size(); ++i) {
        is_merged = merge(from.members[i], to.members[i], node) && is_merged;
      }
      return is_merged;
    }
    case Meaning::Kind::Alias:
      if (from.kind == Meaning::Kind::Alias &&
          writer_.function().places[to.place].kind == PlaceKind::Either) {
        writer_.store(to.place, writer_.load(from.place, node.index()), node.index());
        return true;
      }
      return from.kind == Meaning::Kind::Alias && from.place == to.place;
    case Meaning::Kind::Value:
    case Meaning::Kind::Nothing:
      return true;
  }
  return true;
}

/// The expression that gives an arm its value.
static auto yielded(Node arm) -> Node {
  while (arm.is(NodeKind::Block)) {
    Node tail = tail_of(arm);
    if (!tail) {
      break;
    }
    arm = tail;
  }
  return arm;
}

/// `if c { a } else { b }`, also written `a if c else b`: one of two ways.
auto Builder::conditional(Node node) -> Meaning {
  Node alternative = node.child(Field::Alternative);
  if (!alternative) {
    if_statement(node);
    return {};
  }
  const ValueId condition = value(node.child(Field::Condition));
  const BlockId on_true = writer_.new_block();
  const BlockId on_false = writer_.new_block();
  const BlockId join = writer_.new_block();
  tag(TagSubject::Branch, writer_.block().index, node.child(Field::Tags));
  writer_.branch(condition, on_true, on_false, join, node.index());
  writer_.enter(on_true);
  Node consequence = node.child(Field::Consequence);
  Meaning first = expression(consequence);
  const bool is_reference = first.kind == Meaning::Kind::Alias && is_result(node);
  Meaning to =
      is_reference ? either(type(node), node.index()) : merged(first, type(node), node.index());
  merge(first, to, yielded(consequence));
  // Where a reference to one of several variables is kept, if the other way has another one.
  PlaceId choice;
  if (first.kind == Meaning::Kind::Alias && !is_reference) {
    choice = writer_.new_place({.kind = PlaceKind::Merged,
                                .name = {},
                                .owner = {},
                                .type = type(node),
                                .node = node.index()});
    writer_.store(choice, value_of(first, consequence), consequence.index());
  }
  writer_.jump(join);
  writer_.enter(on_false);
  const Meaning second = expression(alternative);
  const bool is_merged = merge(second, to, yielded(alternative));
  if (!is_merged && choice.has_value()) {
    writer_.store(choice, value_of(second, alternative), alternative.index());
  }
  writer_.jump(join);
  writer_.enter(join);
  if (!is_merged && choice.has_value()) {
    Instruction choose = make(Opcode::Choose, node);
    choose.place = choice;
    return of_value(writer_.value(choose, mentioned(node), type(node)));
  }
  if (!is_merged) {
    return opaque(node);
  }
  return to.kind == Meaning::Kind::Place ? of_value(writer_.load(to.place, node.index())) : to;
}

auto Builder::block_value(Node node) -> Meaning {
  Node tail = tail_of(node);
  statements(node, tail);
  return tail ? expression(tail) : Meaning();
}

auto Builder::let_in(Node node) -> Meaning {
  let_or_var(node);
  return expression(node.child(Field::Body));
}

}  // namespace tacet::hir
