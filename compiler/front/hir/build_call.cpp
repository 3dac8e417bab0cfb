#include "compiler/front/hir/build.h"
#include "compiler/front/hir/builder.h"
#include "compiler/front/hir/pattern.h"
#include "compiler/front/hir/ssa.h"
#include "compiler/front/hir/verify.h"
#include "compiler/front/types/queries.h"

namespace tacet::hir {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;
using types::TypeId;
using types::TypeKind;

static auto pass_arguments(Builder& builder, Node node, const types::Signature& signature,
                           Instruction& instruction, Lent& lent) -> std::vector<ValueId>;
static auto expanded_results(const Builder& builder, const types::Signature& signature)
    -> std::vector<TypeId>;
static void take_back(Builder& builder, const Instruction& call, PlaceId place,
                      const std::vector<ValueId>& operands, size_t operand, Node node);
static auto received(Builder& builder, const types::Signature& signature, InstructionId call,
                     Node node) -> Denotation;

auto callee(const Builder& builder, Node call) -> names::ItemId {
  return builder.body.names.item(bare(call.child(Field::Function)).index());
}

auto signature_of(Builder& builder, names::ItemId item) -> std::shared_ptr<const types::Signature> {
  return item.has_value() ? builder.context.get<types::SignatureOf>(item) : nullptr;
}

auto result_types(const types::Signature& signature) -> std::vector<TypeId> {
  std::vector<TypeId> result;
  result.reserve(signature.results.size());
  for (const types::SignatureResult& given : signature.results) {
    result.push_back(given.type);
  }
  return result;
}

void pass_dims(Builder& builder, Node call, std::vector<ValueId>& passed) {
  for (Node dimension : call.child(Field::Template).children()) {
    if (syntax::is_named(dimension.kind()) &&
        call.child(Field::Template).is(NodeKind::TemplateArguments)) {
      passed.push_back(value(builder, dimension));
    }
  }
}

void pass(Builder& builder, const Denotation& meaning, TypeId type, Node node,
          std::vector<ValueId>& passed) {
  if (kind_of(builder, type) == TypeKind::Tuple) {
    const std::vector<TypeId>& members = builder.types.members(builder.types[type].members);
    for (size_t i = 0; i < members.size(); ++i) {
      pass(builder, i < meaning.members.size() ? meaning.members[i] : opaque(builder, node),
           members[i], node, passed);
    }
    return;
  }
  if (!has_fields(builder, type) || meaning.kind != Denotation::Kind::Fields) {
    passed.push_back(value_of(builder, meaning, node));
    return;
  }
  for (const Port& port : expand(builder.types, type, 0)) {
    if (!port.field.has_value()) {
      // A record in the place of an encoder or future has no handle.
      passed.push_back(meaning.place.has_value() ? handle(builder, meaning, node.index())
                                                 : opaque(builder, node).value);
      continue;
    }
    const PlaceId place = find_field(meaning, port.field);
    passed.push_back(place.has_value() ? builder.writer.load(place, node.index())
                                       : opaque(builder, node).value);
  }
}

/// The other way round: from values, starting with the one at `next`, to what has `type`.
auto receive(Builder& builder, TypeId type, std::span<const ValueId> values, size_t& next,
             uint32_t node, Name name) -> Denotation {
  if (has_fields(builder, type)) {
    Denotation meaning = new_fields(builder, type, name, node);
    if (meaning.place.has_value() && next < values.size()) {
      builder.writer.store(meaning.place, values[next++], node);
    }
    for (const FieldPlace& field : meaning.fields) {
      if (next < values.size()) {
        builder.writer.store(field.place, values[next++], node);
      }
    }
    return meaning;
  }
  if (next >= values.size()) {
    return {};
  }
  const ValueId value = values[next++];
  if (kind_of(builder, type) != TypeKind::Reference) {
    return of_value(value);
  }
  Denotation meaning;
  meaning.kind = Denotation::Kind::Alias;
  meaning.place = builder.writer.new_place({.kind = PlaceKind::Referent,
                                            .name = name,
                                            .owner = {},
                                            .type = builder.types[type].element,
                                            .node = node});
  builder.writer.store(meaning.place, value, node);
  return meaning;
}

auto call(Builder& builder, Node node) -> Denotation {
  std::shared_ptr<const types::Signature> signature = signature_of(builder, callee(builder, node));
  if (!signature) {
    return is_pattern(node, builder.body.names) ? pattern(builder, node) : opaque(builder, node);
  }
  Instruction instruction = make(Opcode::Call, node);
  instruction.item = callee(builder, node);
  Lent lent;
  const std::vector<ValueId> operands =
      pass_arguments(builder, node, *signature, instruction, lent);
  const bool is_function = signature->kind == names::ItemKind::Fn;
  if (is_function) {
    builder.writer.end_part();
  }
  const InstructionId id =
      builder.writer.add(instruction, operands, expanded_results(builder, *signature));
  if (is_function) {
    builder.writer.begin_part();
  }
  for (TypeId referent : lent.unknown) {
    overwrite_unknown(builder, referent, node);
  }
  for (auto [place, operand] : lent.places) {
    take_back(builder, instruction, place, operands, operand, node);
  }
  return received(builder, *signature, id, node);
}

/// The operands of a call: its grid and its arguments.
static auto pass_arguments(Builder& builder, Node node, const types::Signature& signature,
                           Instruction& instruction, Lent& lent) -> std::vector<ValueId> {
  std::vector<ValueId> operands;
  pass_dims(builder, node, operands);
  instruction.n_dims = static_cast<uint32_t>(operands.size());
  size_t ordinal = 0;
  for (Node argument : node.child(Field::Arguments).children()) {
    if (!syntax::is_named(argument.kind()) || ordinal == signature.parameters.size()) {
      continue;
    }
    Denotation meaning = expression(builder, argument);
    if (meaning.kind == Denotation::Kind::Alias) {
      lent.places.emplace_back(meaning.place, operands.size());
    } else if (kind_of(builder, type(builder, argument)) == TypeKind::Reference) {
      lent.unknown.push_back(builder.types[type(builder, argument)].element);
    }
    pass(builder, meaning, signature.parameters[ordinal++].type, argument, operands);
  }
  return operands;
}

static auto expanded_results(const Builder& builder, const types::Signature& signature)
    -> std::vector<TypeId> {
  std::vector<TypeId> results;
  for (const types::SignatureResult& result : signature.results) {
    for (const Port& port : expand(builder.types, result.type, 0)) {
      results.push_back(port.type);
    }
  }
  return results;
}

/// What a place holds after the call that it was lent to.
static void take_back(Builder& builder, const Instruction& call, PlaceId place,
                      const std::vector<ValueId>& operands, size_t operand, Node node) {
  Instruction written = make(Opcode::Written, node);
  written.place = place;
  written.item = call.item;
  written.number = static_cast<uint32_t>(operand) - call.n_dims;
  const ValueId held = builder.writer.value(written, std::span(&operands[operand], 1),
                                            builder.writer.function().places[place].type);
  builder.writer.function().values[held].name = builder.writer.function().places[place].name;
  builder.writer.store(place, held, node.index());
}

/// What a call gives.
static auto received(Builder& builder, const types::Signature& signature, InstructionId call,
                     Node node) -> Denotation {
  std::vector<ValueId> values;
  const Slice given = builder.writer.function().instructions[call].results;
  for (uint32_t value = given.begin; value < given.end; ++value) {
    values.push_back({value});
  }
  size_t next = 0;
  if (signature.results.size() == 1) {
    return receive(builder, signature.results[0].type, values, next, node.index());
  }
  Denotation meaning;
  meaning.kind = signature.results.empty() ? Denotation::Kind::Nothing : Denotation::Kind::Tuple;
  for (const types::SignatureResult& result : signature.results) {
    meaning.members.push_back(receive(builder, result.type, values, next, node.index()));
  }
  return meaning;
}

/// Is it a coordinator function with a body?
static auto has_graph(query::Context& context, names::ItemId item) -> bool {
  if (context.service<names::ItemTable>()[item].kind != names::ItemKind::Fn) {
    return false;
  }
  const auto& signature = context.get<types::SignatureOf>(item);
  return signature != nullptr && !signature->is_device_function &&
         names::item_node(*context.get<names::SyntaxOfItem>(item)).child(Field::Body);
}

auto build_function(query::Context& context, names::ItemId item, const check::Body& body)
    -> FunctionPtr {
  if (!has_graph(context, item)) {
    return nullptr;
  }
  const std::shared_ptr<const types::Signature> signature = context.get<types::SignatureOf>(item);
  const names::ItemTree& tree = context.get<names::SyntaxOfItem>(item);
  auto function = std::make_shared<Function>();
  Builder builder(context, item, *tree, body, *signature, *function);
  build(builder);
  expect_verified(*function, "building");
  return function;
}

auto build_function(query::Context& context, names::ItemId item) -> FunctionPtr {
  return has_graph(context, item)
             ? build_function(context, item, check::find_out(context, item).body)
             : nullptr;
}

auto FunctionOf::compute(query::Context& context, const Key& item) -> Value {
  return build_function(context, item);
}

auto SsaOf::compute(query::Context& context, const Key& item) -> Value {
  const FunctionPtr& function = context.get<FunctionOf>(item);
  return function ? std::make_shared<const Function>(to_ssa(*function)) : nullptr;
}

}  // namespace tacet::hir
