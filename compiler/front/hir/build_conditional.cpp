#include "compiler/core/syntax/block_tail.h"
#include "compiler/front/hir/builder.h"

namespace tacet::hir {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;
using types::TypeId;
using types::TypeKind;

/// Where a value like `first` is stored by each of several paths.
static auto merged(Builder& builder, const Denotation& first, TypeId type, uint32_t node)
    -> Denotation {
  Denotation to;
  switch (first.kind) {
    case Denotation::Kind::Value:
    case Denotation::Kind::Place:
      to.kind = Denotation::Kind::Place;
      to.place = builder.writer.new_place(
          {.kind = PlaceKind::Merged, .name = {}, .owner = {}, .type = type, .node = node});
      return to;
    case Denotation::Kind::Fields:
      return new_fields(builder, type, {}, node);
    case Denotation::Kind::Tuple: {
      to.kind = Denotation::Kind::Tuple;
      const bool is_tuple = kind_of(builder, type) == TypeKind::Tuple;
      for (size_t i = 0; i < first.members.size(); ++i) {
        const bool is_there =
            is_tuple && i < builder.types.members(builder.types[type].members).size();
        to.members.push_back(merged(builder, first.members[i],
                                    is_there ? builder.types.members(builder.types[type].members)[i]
                                             : types::TypeStore::kError,
                                    node));
      }
      return to;
    }
    case Denotation::Kind::Alias:
    case Denotation::Kind::Nothing:
      return first;
  }
  return to;
}

/// A reference to one of several places that is given back: nothing is written any more, so all
/// that matters is what it refers to.
static auto either(Builder& builder, TypeId reference, uint32_t node) -> Denotation {
  Denotation meaning;
  meaning.kind = Denotation::Kind::Alias;
  // The other branch may yield something else, by mistake.
  const bool is_reference = kind_of(builder, reference) == TypeKind::Reference;
  meaning.place = builder.writer.new_place(
      {.kind = PlaceKind::Either,
       .name = {},
       .owner = {},
       .type = is_reference ? builder.types[reference].element : types::TypeStore::kError,
       .node = node});
  return meaning;
}

/// Is the value of `node` what the function gives back?
static auto is_result(const Builder& builder, Node node) -> bool {
  Node result = syntax::tail_of(names::item_node(builder.tree).child(Field::Body));
  while (result && result != node) {
    if (result.is(NodeKind::Block)) {
      result = syntax::tail_of(result);
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
static auto merge(Builder& builder, const Denotation& from, const Denotation& to, Node node)
    -> bool {
  switch (to.kind) {
    case Denotation::Kind::Place:
      builder.writer.store(to.place, value_of(builder, from, node), node.index());
      return true;
    case Denotation::Kind::Fields:
      if (from.kind == Denotation::Kind::Fields) {
        copy_fields(builder, from, to, node.index());
      }
      return true;
    case Denotation::Kind::Tuple: {
      bool is_merged = true;
      for (size_t i = 0; i < to.members.size() && i < from.members.size(); ++i) {
        is_merged = merge(builder, from.members[i], to.members[i], node) && is_merged;
      }
      return is_merged;
    }
    case Denotation::Kind::Alias:
      if (from.kind == Denotation::Kind::Alias &&
          builder.writer.function().places[to.place].kind == PlaceKind::Either) {
        builder.writer.store(to.place, builder.writer.load(from.place, node.index()), node.index());
        return true;
      }
      return from.kind == Denotation::Kind::Alias && from.place == to.place;
    case Denotation::Kind::Value:
    case Denotation::Kind::Nothing:
      return true;
  }
  return true;
}

/// The expression that gives an arm its value.
static auto yielded(Node arm) -> Node {
  while (arm.is(NodeKind::Block)) {
    Node tail = syntax::tail_of(arm);
    if (!tail) {
      break;
    }
    arm = tail;
  }
  return arm;
}

/// `if c { a } else { b }`, also written `a if c else b`: one of two branches.
auto conditional(Builder& builder, Node node) -> Denotation {
  Node alternative = node.child(Field::Alternative);
  if (!alternative) {
    if_statement(builder, node);
    return {};
  }
  const ValueId condition = value(builder, node.child(Field::Condition));
  const BlockId on_true = builder.writer.new_block();
  const BlockId on_false = builder.writer.new_block();
  const BlockId join = builder.writer.new_block();
  tag(builder, TagSubject::Branch, builder.writer.block().index, node.child(Field::Tags));
  builder.writer.branch(condition, on_true, on_false, join, node.index());
  builder.writer.enter(on_true);
  Node consequence = node.child(Field::Consequence);
  Denotation first = expression(builder, consequence);
  const bool is_reference = first.kind == Denotation::Kind::Alias && is_result(builder, node);
  Denotation to = is_reference ? either(builder, type(builder, node), node.index())
                               : merged(builder, first, type(builder, node), node.index());
  merge(builder, first, to, yielded(consequence));
  // Where a reference to one of several variables is kept, if the other branch has another one.
  PlaceId choice;
  if (first.kind == Denotation::Kind::Alias && !is_reference) {
    choice = builder.writer.new_place({.kind = PlaceKind::Merged,
                                       .name = {},
                                       .owner = {},
                                       .type = type(builder, node),
                                       .node = node.index()});
    builder.writer.store(choice, value_of(builder, first, consequence), consequence.index());
  }
  builder.writer.jump(join);
  builder.writer.enter(on_false);
  const Denotation second = expression(builder, alternative);
  const bool is_merged = merge(builder, second, to, yielded(alternative));
  if (!is_merged && choice.has_value()) {
    builder.writer.store(choice, value_of(builder, second, alternative), alternative.index());
  }
  builder.writer.jump(join);
  builder.writer.enter(join);
  if (!is_merged && choice.has_value()) {
    Instruction choose = make(Opcode::Choose, node);
    choose.place = choice;
    return of_value(builder.writer.value(choose, mentioned(builder, node), type(builder, node)));
  }
  if (!is_merged) {
    return opaque(builder, node);
  }
  return to.kind == Denotation::Kind::Place ? of_value(builder.writer.load(to.place, node.index()))
                                            : to;
}

}  // namespace tacet::hir
