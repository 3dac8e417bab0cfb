#include "compiler/core/syntax/block_tail.h"
#include "compiler/core/syntax/kind_groups.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/hir/builder.h"
#include "compiler/front/hir/copy_consumed.h"
#include "compiler/front/hir/order.h"

namespace tacet::hir {

using names::LocalKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;
using syntax::StatementKind;
using types::TypeId;
using types::TypeKind;

Builder::Builder(query::Context& context_, names::ItemId item_, const syntax::Tree& tree_,
                 const check::Body& body_, const types::Signature& signature_, Function& function)
    : context(context_),
      item(item_),
      tree(tree_),
      body(body_),
      signature(signature_),
      types(context_.service<types::TypeStore>()),
      interner(context_.service<Interner>()),
      writer(function),
      locals(body_.names.locals.size()) {
  function.item = item_;
}

static void parameters(Builder& builder);
static void finish(Builder& builder, Node body);
static void statement(Builder& builder, Node node);
static void hole_statement(Builder& builder, Node node);
static void declare(Builder& builder, uint32_t local, Node binding, Denotation meaning,
                    bool is_var);
static void name_places(Builder& builder, const Denotation& meaning, Name name);
static void assignment(Builder& builder, Node node);
static void element_assignment(Builder& builder, Node node);
static void annotation(Builder& builder, Node node);
static void annotate(Builder& builder, Node node, Node annotation);

auto make(Opcode opcode, Node node) -> Instruction {
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.node = node ? node.index() : kNoNode;
  return instruction;
}

auto has_fields(const Builder& builder, TypeId type) -> bool {
  const TypeKind kind = kind_of(builder, type);
  return kind == TypeKind::Record || kind == TypeKind::Encoder || kind == TypeKind::Future;
}

void tag(Builder& builder, TagSubject subject, uint32_t index, Node tags) {
  if (tags) {
    builder.writer.function().tags.push_back({subject, index, tags.index()});
  }
}

/// The name at `node` stands for a value, or will not be found.
void note_name(Builder& builder, const Denotation& meaning, uint32_t node) {
  if (meaning.kind == Denotation::Kind::Value && node != kNoNode) {
    builder.writer.function().names.push_back({node, meaning.value});
  }
}

/// Tags on a variable speak of its value; those on an encoder or future of the handle.
void tag_meaning(Builder& builder, const Denotation& meaning, Node tags, uint32_t node) {
  if (!tags) {
    return;
  }
  switch (meaning.kind) {
    case Denotation::Kind::Value:
      tag(builder, TagSubject::Value, meaning.value.index, tags);
      return;
    case Denotation::Kind::Place:
    case Denotation::Kind::Alias:
    case Denotation::Kind::Fields:
      if (meaning.place.has_value()) {
        tag(builder, TagSubject::Value, builder.writer.load(meaning.place, node).index, tags);
      }
      return;
    case Denotation::Kind::Nothing:
    case Denotation::Kind::Tuple:
      return;
  }
}

void build(Builder& builder) {
  Function& function = builder.writer.function();
  builder.writer.enter(builder.writer.new_block());
  parameters(builder);
  builder.writer.begin_part();
  for (uint32_t i = 0; i < builder.signature.results.size(); ++i) {
    std::vector<Port> ports = expand(builder.types, builder.signature.results[i].type, i);
    function.results.insert(function.results.end(), ports.begin(), ports.end());
  }
  finish(builder, names::item_node(builder.tree).child(Field::Body));
  sort_blocks(function);
  copy_consumed(function, builder.types, [&](names::ItemId callee) {
    return builder.context.service<names::ItemTable>()[callee].kind == names::ItemKind::Fn;
  });
}

static void parameters(Builder& builder) {
  Function& function = builder.writer.function();
  for (size_t local = 0; local < builder.body.names.locals.size(); ++local) {
    const names::Local& declared = builder.body.names.locals[local];
    if (declared.kind == LocalKind::Dim) {
      Instruction dimension = make(Opcode::Dimension, Node());
      dimension.number = declared.ordinal;
      const ValueId value = builder.writer.value(dimension, {}, types::TypeStore::kI32);
      function.values[value].name = declared.name;
      builder.locals[local] = of_value(value);
    }
  }
  for (uint32_t i = 0; i < builder.signature.parameters.size(); ++i) {
    const types::SignatureParameter& parameter = builder.signature.parameters[i];
    uint32_t local = 0;
    while (local < builder.body.names.locals.size() &&
           !(builder.body.names.locals[local].kind == LocalKind::Parameter &&
             builder.body.names.locals[local].ordinal == i)) {
      ++local;
    }
    const uint32_t node =
        local < builder.locals.size() ? builder.body.names.locals[local].node : kNoNode;
    std::vector<ValueId> values;
    for (const Port& port : expand(builder.types, parameter.type, i)) {
      Instruction instruction = make(Opcode::Parameter, Node());
      instruction.number = static_cast<uint32_t>(function.parameters.size());
      instruction.node = node;
      const ValueId value = builder.writer.value(instruction, {}, port.type);
      function.values[value].name = port.field.has_value() ? port.field : parameter.name;
      values.push_back(value);
      function.parameters.push_back(port);
    }
    size_t next = 0;
    Denotation meaning = receive(builder, parameter.type, values, next, node, parameter.name);
    if (local < builder.locals.size()) {
      if (meaning.kind == Denotation::Kind::Value || meaning.kind == Denotation::Kind::Alias) {
        note_name(builder, of_value(values[0]), node);
      }
      builder.locals[local] = std::move(meaning);
    }
  }
}

/// The function's own block: its statements, and what it gives back.
static void finish(Builder& builder, Node body) {
  std::vector<ValueId> given;
  if (!builder.signature.results.empty()) {
    Node tail = syntax::tail_of(body);
    statements(builder, body, tail);
    if (tail) {
      std::vector<TypeId> results = result_types(builder.signature);
      const TypeId whole = results.size() == 1 ? results[0] : builder.types.tuple(results);
      pass(builder, expression(builder, tail), whole, tail, given);
    }
    builder.writer.give_back(given, tail ? tail.index() : kNoNode);
    return;
  }
  statements(builder, body, Node());
  builder.writer.give_back(given, kNoNode);
}

void statements(Builder& builder, Node block, Node tail) {
  for (Node child : block.children()) {
    if (syntax::is_named(child.kind()) && !(tail && child == tail)) {
      statement(builder, child);
    }
  }
}

static void statement(Builder& builder, Node node) {
  switch (syntax::statement_kind(node.kind())) {
    case StatementKind::Let:
    case StatementKind::Var:
      let_or_var(builder, node);
      return;
    case StatementKind::Assignment:
      assignment(builder, node);
      return;
    case StatementKind::Call:
      expression(builder, node.child(Field::Call));
      return;
    case StatementKind::Hole:
      hole_statement(builder, node);
      return;
    case StatementKind::Annotation:
      annotation(builder, node);
      return;
    case StatementKind::Encode:
      encode(builder, node);
      return;
    case StatementKind::If:
      if_statement(builder, node);
      return;
    case StatementKind::Block:
      statements(builder, node, Node());
      return;
    case StatementKind::For:
    case StatementKind::While:
    case StatementKind::Do:
    case StatementKind::Break:
    case StatementKind::Continue:
    case StatementKind::Return:
      return;  // mistakes in a coordinator function, reported by the checker
    case StatementKind::Returns:
    case StatementKind::None:
      break;
  }
  if (!node.is(NodeKind::Error)) {
    expression(builder, node);
  }
}

/// `???;`: its results are the variables that it declares.
static void hole_statement(Builder& builder, Node node) {
  std::vector<uint32_t> declared;
  std::vector<TypeId> held;
  for (uint32_t local = 0; local < builder.locals.size(); ++local) {
    const names::Local& candidate = builder.body.names.locals[local];
    const TypeId type = builder.body.local_types[local];
    if (candidate.kind == LocalKind::Let && candidate.declaration == node.index() &&
        !has_fields(builder, type) && kind_of(builder, type) != TypeKind::Reference) {
      declared.push_back(local);
      held.push_back(type);
    }
  }
  const InstructionId id = builder.writer.add(make(Opcode::Hole, node), {}, held);
  Function& function = builder.writer.function();
  for (uint32_t i = 0; i < declared.size(); ++i) {
    const ValueId value = function.result_of(function.instructions[id], i);
    function.values[value].name = builder.body.names.locals[declared[i]].name;
    builder.locals[declared[i]] = of_value(value);
  }
}

void let_or_var(Builder& builder, Node node) {
  const std::vector<Node> bindings = children_of(node, NodeKind::Binding);
  const bool is_var = node.is(NodeKind::VarStatement);
  Node given = node.child(Field::Value);
  Denotation meaning = given ? expression(builder, given) : Denotation();
  for (size_t i = 0; i < bindings.size(); ++i) {
    const names::Resolution name = builder.body.names.of(bindings[i].child(Field::Name).index());
    Denotation part = meaning;
    if (bindings.size() > 1) {
      part = i < meaning.members.size() ? meaning.members[i] : Denotation();
    }
    if (name.is(names::Meaning::Local)) {
      declare(builder, name.index(), bindings[i], std::move(part), is_var);
    } else {
      tag_meaning(builder, part, bindings[i].child(Field::Tags), bindings[i].index());  // `_`
    }
  }
}

static void declare(Builder& builder, uint32_t local, Node binding, Denotation meaning,
                    bool is_var) {
  const names::Local& declared = builder.body.names.locals[local];
  const TypeId held = builder.body.local_types[local];
  Function& function = builder.writer.function();
  if (meaning.kind == Denotation::Kind::Value && !is_var) {
    // Another name for a value that has one stays apart: it is a copy of its own.
    if (function.values[meaning.value].name.has_value()) {
      Instruction copy = make(Opcode::Copy, binding);
      meaning = of_value(builder.writer.value(copy, std::span(&meaning.value, 1), held));
    }
    function.values[meaning.value].name = declared.name;
  } else if (is_var && !has_fields(builder, held) &&
             kind_of(builder, held) != TypeKind::Reference) {
    const PlaceId place = builder.writer.new_place({.kind = PlaceKind::Variable,
                                                    .name = declared.name,
                                                    .owner = {},
                                                    .type = held,
                                                    .node = declared.node});
    if (meaning.kind != Denotation::Kind::Nothing) {
      const ValueId value = value_of(builder, meaning, binding);
      note_name(builder, of_value(value), declared.node);
      builder.writer.store(place, value, binding.index());
    }
    meaning = {.kind = Denotation::Kind::Place, .place = place};
  } else if (is_var && has_fields(builder, held)) {
    Denotation fields = new_fields(builder, held, declared.name, binding.index());
    if (meaning.kind == Denotation::Kind::Fields) {
      copy_fields(builder, meaning, fields, binding.index());
    }
    meaning = std::move(fields);
  }
  if (meaning.kind == Denotation::Kind::Fields) {
    name_places(builder, meaning, declared.name);
  }
  builder.locals[local] = meaning;
  note_name(builder, meaning, declared.node);
  if (!is_var || Node(&builder.tree, declared.declaration).child(Field::Value)) {
    tag_meaning(builder, meaning, binding.child(Field::Tags), binding.index());
  }
}

/// Places of an encoder, future or record that had no variable so far are called after this one.
static void name_places(Builder& builder, const Denotation& meaning, Name name) {
  Store<PlaceId, Place>& places = builder.writer.function().places;
  if (meaning.place.has_value() && !places[meaning.place].name.has_value()) {
    places[meaning.place].name = name;
  }
  for (const FieldPlace& field : meaning.fields) {
    if (!places[field.place].owner.has_value()) {
      places[field.place].owner = name;
    }
  }
}

static void assignment(Builder& builder, Node node) {
  Node target = bare(node.child(Field::Target));
  if (target.is(NodeKind::IndexExpression)) {
    element_assignment(builder, node);
    return;
  }
  Denotation given = expression(builder, node.child(Field::Value));
  const bool is_dereference =
      target.is(NodeKind::UnaryExpression) && target.child(Field::Operator).is(NodeKind::Star);
  if (is_dereference) {
    target = bare(target.child(Field::Operand));
  }
  Denotation to =
      target.is(NodeKind::Identifier) ? name(builder, target) : expression(builder, target);
  switch (to.kind) {
    case Denotation::Kind::Place:
    case Denotation::Kind::Alias: {
      const ValueId value = value_of(builder, given, node);
      note_name(builder, of_value(value), target.index());
      builder.writer.store(to.place, value, node.child(Field::Value).index());
      return;
    }
    case Denotation::Kind::Fields:
      if (given.kind == Denotation::Kind::Fields) {
        copy_fields(builder, given, to, node.index());
      }
      return;
    case Denotation::Kind::Nothing:
    case Denotation::Kind::Value:
    case Denotation::Kind::Tuple:
      if (is_dereference) {
        if (to.kind == Denotation::Kind::Value) {
          builder.writer.add(make(Opcode::Poke, node),
                             std::array{to.value, value_of(builder, given, node)}, {});
        }
        overwrite_unknown(builder, type(builder, node.child(Field::Value)), node);
      } else {
        opaque(builder, node);  // reported already
      }
  }
}

/// `a[i] = e`: one operation, which analyses do not look into.
static void element_assignment(Builder& builder, Node node) {
  Node array = bare(node.child(Field::Target));
  while (array.is(NodeKind::IndexExpression)) {
    array = bare(array.child(Field::Array));
  }
  if (array.is(NodeKind::UnaryExpression)) {
    array = bare(array.child(Field::Operand));  // `(*r)[i] = e`
  }
  const Denotation to = array.is(NodeKind::Identifier) ? name(builder, array) : Denotation();
  if (to.kind == Denotation::Kind::Place || to.kind == Denotation::Kind::Alias) {
    const std::vector<ValueId> operands = mentioned(builder, node);
    const TypeId held = builder.writer.function().places[to.place].type;
    builder.writer.store(to.place, builder.writer.value(make(Opcode::Update, node), operands, held),
                         node.index());
  } else if (to.kind == Denotation::Kind::Value &&
             kind_of(builder, type(builder, array)) == TypeKind::Reference) {
    opaque(builder, node, builder.types[type(builder, array)].element);
    overwrite_unknown(builder, builder.types[type(builder, array)].element, node);
  }
}

void if_statement(Builder& builder, Node node) {
  const ValueId condition = value(builder, node.child(Field::Condition));
  const BlockId before = builder.writer.block();
  const BlockId on_true = builder.writer.new_block();
  Node alternative = node.child(Field::Alternative);
  const BlockId on_false = builder.writer.new_block();
  const BlockId join = builder.writer.new_block();
  builder.writer.branch(condition, on_true, on_false, join, node.index());
  tag(builder, TagSubject::Branch, before.index, node.child(Field::Tags));
  builder.writer.enter(on_true);
  statements(builder, node.child(Field::Consequence), Node());
  builder.writer.jump(join);
  builder.writer.enter(on_false);
  if (alternative) {
    statement(builder, alternative);
  }
  builder.writer.jump(join);
  builder.writer.enter(join);
}

static void annotation(Builder& builder, Node node) {
  for (Node child : children_of(node, NodeKind::Annotation)) {
    annotate(builder, node, child);
  }
}

static void annotate(Builder& builder, Node node, Node annotation) {
  Node key = annotation.child(Field::Key);
  Instruction instruction = make(Opcode::Annotate, annotation);
  if (Node name = key.child(Field::Name)) {
    const names::Resolution local = builder.body.names.of(name.index());
    if (!local.is(names::Meaning::Local)) {
      return;
    }
    const Denotation& meaning = builder.locals[local.index()];
    instruction.place = meaning.place;
    if (Node field = key.child(Field::Field)) {
      instruction.place = find_field(meaning, builder.interner.intern(field.text()));
    } else if (meaning.kind == Denotation::Kind::Value) {
      // A constant holds the same value at both ends.
      Instruction fixed = instruction;
      fixed.is_at_entry = node.child(Field::Place).text() == "in";
      builder.writer.add(fixed, std::span(&meaning.value, 1), {});
      return;
    }
    if (!instruction.place.has_value()) {
      return;
    }
  }
  if (node.child(Field::Place).text() == "in") {
    builder.writer.annotate_entry(instruction);
  } else {
    builder.writer.annotate_exit(instruction);
  }
}

}  // namespace tacet::hir
