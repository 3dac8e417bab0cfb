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

auto Builder::callee(Node call) const -> names::ItemId {
  return body_.names.item(bare(call.child(Field::Function)).index());
}

auto Builder::signature_of(names::ItemId item) -> std::shared_ptr<const types::Signature> {
  return item.has_value() ? context_.get<types::SignatureOf>(item) : nullptr;
}

auto Builder::result_types(const types::Signature& signature) -> std::vector<TypeId> {
  std::vector<TypeId> result;
  result.reserve(signature.results.size());
  for (const types::SignatureResult& given : signature.results) {
    result.push_back(given.type);
  }
  return result;
}

void Builder::pass_dims(Node call, std::vector<ValueId>& passed) {
  for (Node dimension : call.child(Field::Template).children()) {
    if (syntax::is_named(dimension.kind()) &&
        call.child(Field::Template).is(NodeKind::TemplateArguments)) {
      passed.push_back(value(dimension));
    }
  }
}

void Builder::pass(const Meaning& meaning, TypeId type, Node node, std::vector<ValueId>& passed) {
  if (kind_of(type) == TypeKind::Tuple) {
    const std::vector<TypeId>& members = types_.members(types_[type].members);
    for (size_t i = 0; i < members.size(); ++i) {
      pass(i < meaning.members.size() ? meaning.members[i] : opaque(node), members[i], node,
           passed);
    }
    return;
  }
  if (!has_fields(type) || meaning.kind != Meaning::Kind::Fields) {
    passed.push_back(value_of(meaning, node));
    return;
  }
  for (const Port& port : expand(types_, type, 0)) {
    if (!port.field.has_value()) {
      passed.push_back(handle(meaning, node.index()));
      continue;
    }
    const PlaceId place = find_field(meaning, port.field);
    passed.push_back(place.has_value() ? writer_.load(place, node.index()) : opaque(node).value);
  }
}

/// The other way round: from values, beginning with the one at `next`, to what has `type`.
auto Builder::receive(TypeId type, std::span<const ValueId> values, size_t& next, uint32_t node,
                      Name name) -> Meaning {
  if (has_fields(type)) {
    Meaning meaning = new_fields(type, name, node);
    if (meaning.place.has_value() && next < values.size()) {
      writer_.store(meaning.place, values[next++], node);
    }
    for (const FieldPlace& field : meaning.fields) {
      if (next < values.size()) {
        writer_.store(field.place, values[next++], node);
      }
    }
    return meaning;
  }
  if (next >= values.size()) {
    return {};
  }
  const ValueId value = values[next++];
  if (kind_of(type) != TypeKind::Reference) {
    return of_value(value);
  }
  Meaning meaning;
  meaning.kind = Meaning::Kind::Alias;
  meaning.place = writer_.new_place({.kind = PlaceKind::Referent,
                                     .name = name,
                                     .owner = {},
                                     .type = types_[type].element,
                                     .node = node});
  writer_.store(meaning.place, value, node);
  return meaning;
}

auto Builder::call(Node node) -> Meaning {
  std::shared_ptr<const types::Signature> signature = signature_of(callee(node));
  if (!signature) {
    return is_pattern(node, body_.names) ? pattern(node) : opaque(node);
  }
  Instruction instruction = make(Opcode::Call, node);
  instruction.item = callee(node);
  Lent lent;
  const std::vector<ValueId> operands = pass_arguments(node, *signature, instruction, lent);
  const bool is_function = signature->kind == names::ItemKind::Fn;
  if (is_function) {
    writer_.end_part();
  }
  const InstructionId id = writer_.add(instruction, operands, expanded_results(*signature));
  if (is_function) {
    writer_.begin_part();
  }
  for (TypeId referent : lent.unknown) {
    overwrite_unknown(referent, node);
  }
  for (auto [place, operand] : lent.places) {
    take_back(instruction, place, operands, operand, node);
  }
  return received(*signature, id, node);
}

/// The operands of a call: its grid and its arguments.
auto Builder::pass_arguments(Node node, const types::Signature& signature, Instruction& instruction,
                             Lent& lent) -> std::vector<ValueId> {
  std::vector<ValueId> operands;
  pass_dims(node, operands);
  instruction.n_dims = static_cast<uint32_t>(operands.size());
  size_t ordinal = 0;
  for (Node argument : node.child(Field::Arguments).children()) {
    if (!syntax::is_named(argument.kind()) || ordinal == signature.parameters.size()) {
      continue;
    }
    Meaning meaning = expression(argument);
    if (meaning.kind == Meaning::Kind::Alias) {
      lent.places.emplace_back(meaning.place, operands.size());
    } else if (kind_of(type(argument)) == TypeKind::Reference) {
      lent.unknown.push_back(types_[type(argument)].element);
    }
    pass(meaning, signature.parameters[ordinal++].type, argument, operands);
  }
  return operands;
}

auto Builder::expanded_results(const types::Signature& signature) const -> std::vector<TypeId> {
  std::vector<TypeId> results;
  for (const types::SignatureResult& result : signature.results) {
    for (const Port& port : expand(types_, result.type, 0)) {
      results.push_back(port.type);
    }
  }
  return results;
}

/// What a place holds after the call that it was lent to.
void Builder::take_back(const Instruction& call, PlaceId place,
                        const std::vector<ValueId>& operands, size_t operand, Node node) {
  Instruction written = make(Opcode::Written, node);
  written.place = place;
  written.item = call.item;
  written.number = static_cast<uint32_t>(operand) - call.n_dims;
  const ValueId held = writer_.value(written, std::span(&operands[operand], 1),
                                     writer_.function().places[place].type);
  writer_.function().values[held].name = writer_.function().places[place].name;
  writer_.store(place, held, node.index());
}

/// What a call gives.
auto Builder::received(const types::Signature& signature, InstructionId call, Node node)
    -> Meaning {
  std::vector<ValueId> values;
  const Slice given = writer_.function().instructions[call].results;
  for (uint32_t value = given.begin; value < given.end; ++value) {
    values.push_back({value});
  }
  size_t next = 0;
  if (signature.results.size() == 1) {
    return receive(signature.results[0].type, values, next, node.index());
  }
  Meaning meaning;
  meaning.kind = signature.results.empty() ? Meaning::Kind::Nothing : Meaning::Kind::Tuple;
  for (const types::SignatureResult& result : signature.results) {
    meaning.members.push_back(receive(result.type, values, next, node.index()));
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
  Builder(context, item, *tree, body, *signature, *function).build();
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
