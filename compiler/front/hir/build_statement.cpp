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

Builder::Builder(query::Context& context, names::ItemId item, const syntax::Tree& tree,
                 const check::Body& body, const types::Signature& signature, Function& function)
    : context_(context),
      item_(item),
      tree_(tree),
      body_(body),
      signature_(signature),
      types_(context.service<types::TypeStore>()),
      interner_(context.service<Interner>()),
      writer_(function),
      locals_(body.names.locals.size()) {
  function.item = item;
}

auto Builder::make(Opcode opcode, Node node) const -> Instruction {
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.node = node ? node.index() : kNoNode;
  return instruction;
}

auto Builder::has_fields(TypeId type) const -> bool {
  const TypeKind kind = kind_of(type);
  return kind == TypeKind::Record || kind == TypeKind::Encoder || kind == TypeKind::Future;
}

void Builder::tag(TagSubject subject, uint32_t index, Node tags) {
  if (tags) {
    writer_.function().tags.push_back({subject, index, tags.index()});
  }
}

/// The name at `node` stands for a value, or will not be found.
void Builder::note_name(const Meaning& meaning, uint32_t node) {
  if (meaning.kind == Meaning::Kind::Value && node != kNoNode) {
    writer_.function().names.push_back({node, meaning.value});
  }
}

/// Tags on a variable speak of its value; those on an encoder or future of the handle.
void Builder::tag_meaning(const Meaning& meaning, Node tags, uint32_t node) {
  if (!tags) {
    return;
  }
  switch (meaning.kind) {
    case Meaning::Kind::Value:
      tag(TagSubject::Value, meaning.value.index, tags);
      return;
    case Meaning::Kind::Place:
    case Meaning::Kind::Alias:
    case Meaning::Kind::Fields:
      if (meaning.place.has_value()) {
        tag(TagSubject::Value, writer_.load(meaning.place, node).index, tags);
      }
      return;
    case Meaning::Kind::Nothing:
    case Meaning::Kind::Tuple:
      return;
  }
}

void Builder::build() {
  Function& function = writer_.function();
  writer_.enter(writer_.new_block());
  parameters();
  writer_.begin_part();
  for (uint32_t i = 0; i < signature_.results.size(); ++i) {
    std::vector<Port> ports = expand(types_, signature_.results[i].type, i);
    function.results.insert(function.results.end(), ports.begin(), ports.end());
  }
  finish(names::item_node(tree_).child(Field::Body));
  sort_blocks(function);
  copy_consumed(function, types_, [&](names::ItemId callee) {
    return context_.service<names::ItemTable>()[callee].kind == names::ItemKind::Fn;
  });
}

void Builder::parameters() {
  Function& function = writer_.function();
  for (size_t local = 0; local < body_.names.locals.size(); ++local) {
    const names::Local& declared = body_.names.locals[local];
    if (declared.kind == LocalKind::Dim) {
      Instruction dimension = make(Opcode::Dimension, Node());
      dimension.number = declared.ordinal;
      const ValueId value = writer_.value(dimension, {}, types::TypeStore::kI32);
      function.values[value].name = declared.name;
      locals_[local] = of_value(value);
    }
  }
  for (uint32_t i = 0; i < signature_.parameters.size(); ++i) {
    const types::SignatureParameter& parameter = signature_.parameters[i];
    uint32_t local = 0;
    while (local < body_.names.locals.size() &&
           !(body_.names.locals[local].kind == LocalKind::Parameter &&
             body_.names.locals[local].ordinal == i)) {
      ++local;
    }
    const uint32_t node = local < locals_.size() ? body_.names.locals[local].node : kNoNode;
    std::vector<ValueId> values;
    for (const Port& port : expand(types_, parameter.type, i)) {
      Instruction instruction = make(Opcode::Parameter, Node());
      instruction.number = static_cast<uint32_t>(function.parameters.size());
      instruction.node = node;
      const ValueId value = writer_.value(instruction, {}, port.type);
      function.values[value].name = port.field.has_value() ? port.field : parameter.name;
      values.push_back(value);
      function.parameters.push_back(port);
    }
    size_t next = 0;
    Meaning meaning = receive(parameter.type, values, next, node, parameter.name);
    if (local < locals_.size()) {
      if (meaning.kind == Meaning::Kind::Value || meaning.kind == Meaning::Kind::Alias) {
        note_name(of_value(values[0]), node);
      }
      locals_[local] = std::move(meaning);
    }
  }
}

auto tail_of(Node block) -> Node {
  if (Node result = block.child(Field::Result)) {
    return result;
  }
  Node last;
  for (Node child : block.children()) {
    if (syntax::is_named(child.kind())) {
      last = child;
    }
  }
  return last.is(NodeKind::IfExpression) || last.is(NodeKind::Block) ? last : Node();
}

/// The function's own block: its statements, and what it gives back.
void Builder::finish(Node body) {
  std::vector<ValueId> given;
  if (!signature_.results.empty()) {
    Node tail = tail_of(body);
    statements(body, tail);
    if (tail) {
      std::vector<TypeId> results = result_types(signature_);
      const TypeId whole = results.size() == 1 ? results[0] : types_.tuple(results);
      pass(expression(tail), whole, tail, given);
    }
    writer_.give_back(given, tail ? tail.index() : kNoNode);
    return;
  }
  statements(body, Node());
  writer_.give_back(given, kNoNode);
}

void Builder::statements(Node block, Node tail) {
  for (Node child : block.children()) {
    if (syntax::is_named(child.kind()) && !(tail && child == tail)) {
      statement(child);
    }
  }
}

void Builder::statement(Node node) {
  switch (syntax::statement_kind(node.kind())) {
    case StatementKind::Let:
    case StatementKind::Var:
      let_or_var(node);
      return;
    case StatementKind::Assignment:
      assignment(node);
      return;
    case StatementKind::Call:
      expression(node.child(Field::Call));
      return;
    case StatementKind::Hole:
      hole_statement(node);
      return;
    case StatementKind::Annotation:
      annotation(node);
      return;
    case StatementKind::Encode:
      encode(node);
      return;
    case StatementKind::If:
      if_statement(node);
      return;
    case StatementKind::Block:
      statements(node, Node());
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
    expression(node);
  }
}

/// `???;`: its results are the variables that it declares.
void Builder::hole_statement(Node node) {
  std::vector<uint32_t> declared;
  std::vector<TypeId> held;
  for (uint32_t local = 0; local < locals_.size(); ++local) {
    const names::Local& candidate = body_.names.locals[local];
    const TypeId type = body_.local_types[local];
    if (candidate.kind == LocalKind::Let && candidate.declaration == node.index() &&
        !has_fields(type) && kind_of(type) != TypeKind::Reference) {
      declared.push_back(local);
      held.push_back(type);
    }
  }
  const InstructionId id = writer_.add(make(Opcode::Hole, node), {}, held);
  Function& function = writer_.function();
  for (uint32_t i = 0; i < declared.size(); ++i) {
    const ValueId value = function.result_of(function.instructions[id], i);
    function.values[value].name = body_.names.locals[declared[i]].name;
    locals_[declared[i]] = of_value(value);
  }
}

void Builder::let_or_var(Node node) {
  const std::vector<Node> bindings = children_of(node, NodeKind::Binding);
  const bool is_var = node.is(NodeKind::VarStatement);
  Node given = node.child(Field::Value);
  Meaning meaning = given ? expression(given) : Meaning();
  for (size_t i = 0; i < bindings.size(); ++i) {
    const names::Resolution name = body_.names.of(bindings[i].child(Field::Name).index());
    Meaning part = meaning;
    if (bindings.size() > 1) {
      part = i < meaning.members.size() ? meaning.members[i] : Meaning();
    }
    if (name.is(names::Meaning::Local)) {
      declare(name.index(), bindings[i], std::move(part), is_var);
    } else {
      tag_meaning(part, bindings[i].child(Field::Tags), bindings[i].index());  // `_`
    }
  }
}

void Builder::declare(uint32_t local, Node binding, Meaning meaning, bool is_var) {
  const names::Local& declared = body_.names.locals[local];
  const TypeId held = body_.local_types[local];
  Function& function = writer_.function();
  if (meaning.kind == Meaning::Kind::Value && !is_var) {
    // Another name for a value that has one stays apart: it is a copy of its own.
    if (function.values[meaning.value].name.has_value()) {
      Instruction copy = make(Opcode::Copy, binding);
      meaning = of_value(writer_.value(copy, std::span(&meaning.value, 1), held));
    }
    function.values[meaning.value].name = declared.name;
  } else if (is_var && !has_fields(held) && kind_of(held) != TypeKind::Reference) {
    const PlaceId place = writer_.new_place({.kind = PlaceKind::Variable,
                                             .name = declared.name,
                                             .owner = {},
                                             .type = held,
                                             .node = declared.node});
    if (meaning.kind != Meaning::Kind::Nothing) {
      const ValueId value = value_of(meaning, binding);
      note_name(of_value(value), declared.node);
      writer_.store(place, value, binding.index());
    }
    meaning = {.kind = Meaning::Kind::Place, .place = place};
  } else if (is_var && has_fields(held)) {
    Meaning fields = new_fields(held, declared.name, binding.index());
    if (meaning.kind == Meaning::Kind::Fields) {
      copy_fields(meaning, fields, binding.index());
    }
    meaning = std::move(fields);
  }
  if (meaning.kind == Meaning::Kind::Fields) {
    name_places(meaning, declared.name);
  }
  locals_[local] = meaning;
  note_name(meaning, declared.node);
  if (!is_var || Node(&tree_, declared.declaration).child(Field::Value)) {
    tag_meaning(meaning, binding.child(Field::Tags), binding.index());
  }
}

/// Places of an encoder, future or record that had no variable so far are called after this one.
void Builder::name_places(const Meaning& meaning, Name name) {
  Store<PlaceId, Place>& places = writer_.function().places;
  if (meaning.place.has_value() && !places[meaning.place].name.has_value()) {
    places[meaning.place].name = name;
  }
  for (const FieldPlace& field : meaning.fields) {
    if (!places[field.place].owner.has_value()) {
      places[field.place].owner = name;
    }
  }
}

void Builder::assignment(Node node) {
  Node target = bare(node.child(Field::Target));
  if (target.is(NodeKind::IndexExpression)) {
    element_assignment(node);
    return;
  }
  Meaning given = expression(node.child(Field::Value));
  const bool is_dereference =
      target.is(NodeKind::UnaryExpression) && target.child(Field::Operator).is(NodeKind::Star);
  if (is_dereference) {
    target = bare(target.child(Field::Operand));
  }
  Meaning to = target.is(NodeKind::Identifier) ? name(target) : expression(target);
  switch (to.kind) {
    case Meaning::Kind::Place:
    case Meaning::Kind::Alias: {
      const ValueId value = value_of(given, node);
      note_name(of_value(value), target.index());
      writer_.store(to.place, value, node.child(Field::Value).index());
      return;
    }
    case Meaning::Kind::Fields:
      if (given.kind == Meaning::Kind::Fields) {
        copy_fields(given, to, node.index());
      }
      return;
    case Meaning::Kind::Nothing:
    case Meaning::Kind::Value:
    case Meaning::Kind::Tuple:
      if (is_dereference) {
        if (to.kind == Meaning::Kind::Value) {
          writer_.add(make(Opcode::Poke, node), std::array{to.value, value_of(given, node)}, {});
        }
        overwrite_unknown(type(node.child(Field::Value)), node);
      } else {
        opaque(node);  // a mistake that was told
      }
  }
}

/// `a[i] = e`: one operation, which analyses do not look into.
void Builder::element_assignment(Node node) {
  Node array = bare(node.child(Field::Target));
  while (array.is(NodeKind::IndexExpression)) {
    array = bare(array.child(Field::Array));
  }
  if (array.is(NodeKind::UnaryExpression)) {
    array = bare(array.child(Field::Operand));  // `(*r)[i] = e`
  }
  const Meaning to = array.is(NodeKind::Identifier) ? name(array) : Meaning();
  if (to.kind == Meaning::Kind::Place || to.kind == Meaning::Kind::Alias) {
    const std::vector<ValueId> operands = mentioned(node);
    const TypeId held = writer_.function().places[to.place].type;
    writer_.store(to.place, writer_.value(make(Opcode::Update, node), operands, held),
                  node.index());
  } else if (to.kind == Meaning::Kind::Value && kind_of(type(array)) == TypeKind::Reference) {
    opaque(node, types_[type(array)].element);
    overwrite_unknown(types_[type(array)].element, node);
  }
}

void Builder::if_statement(Node node) {
  const ValueId condition = value(node.child(Field::Condition));
  const BlockId before = writer_.block();
  const BlockId on_true = writer_.new_block();
  Node alternative = node.child(Field::Alternative);
  const BlockId on_false = writer_.new_block();
  const BlockId join = writer_.new_block();
  writer_.branch(condition, on_true, on_false, join, node.index());
  tag(TagSubject::Branch, before.index, node.child(Field::Tags));
  writer_.enter(on_true);
  statements(node.child(Field::Consequence), Node());
  writer_.jump(join);
  writer_.enter(on_false);
  if (alternative) {
    statement(alternative);
  }
  writer_.jump(join);
  writer_.enter(join);
}

void Builder::annotation(Node node) {
  for (Node child : children_of(node, NodeKind::Annotation)) {
    annotate(node, child);
  }
}

void Builder::annotate(Node node, Node annotation) {
  Node key = annotation.child(Field::Key);
  Instruction instruction = make(Opcode::Annotate, annotation);
  if (Node name = key.child(Field::Name)) {
    const names::Resolution local = body_.names.of(name.index());
    if (!local.is(names::Meaning::Local)) {
      return;
    }
    const Meaning& meaning = locals_[local.index()];
    instruction.place = meaning.place;
    if (Node field = key.child(Field::Field)) {
      instruction.place = find_field(meaning, interner_.intern(field.text()));
    } else if (meaning.kind == Meaning::Kind::Value) {
      // What never changes is at both ends what it is anywhere.
      Instruction fixed = instruction;
      fixed.is_at_entry = node.child(Field::Place).text() == "in";
      writer_.add(fixed, std::span(&meaning.value, 1), {});
      return;
    }
    if (!instruction.place.has_value()) {
      return;
    }
  }
  if (node.child(Field::Place).text() == "in") {
    writer_.annotate_entry(instruction);
  } else {
    writer_.annotate_exit(instruction);
  }
}

}  // namespace tacet::hir
