#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/bare.h"
#include "compiler/core/syntax/lexer.h"
#include "compiler/front/check/checker.h"
#include "compiler/front/types/columns.h"

namespace tacet::check {

using names::BodyKind;
using names::ItemKind;
using names::Meaning;
using types::Signature;
using types::TypeKind;
using types::TypeStore;

/// True for the members of a list in brackets, false for its punctuation and for mistakes.
static auto is_list_member(syntax::Node child) -> bool {
  static constexpr syntax::KindSet kOthers = {
      syntax::NodeKind::LeftParen, syntax::NodeKind::RightParen, syntax::NodeKind::Less,
      syntax::NodeKind::Greater,   syntax::NodeKind::Comma,      syntax::NodeKind::Error};
  return !kOthers.has(child.kind());
}

static void device_of_call(Checker& checker, Node name, names::ItemId item,
                           const types::Signature& signature, bool is_encoded);
static void encrypted_arguments(Checker& checker, Node call, Node name, names::ItemId item,
                                const types::Signature& signature);
static void template_values(Checker& checker, Node call, Node name,
                            const types::Signature& signature);
static void call_arguments(Checker& checker, Node call, Node name, names::ItemId item,
                           const types::Signature& signature, const std::vector<Term>& terms);

auto argument_nodes(Node call) -> std::vector<Node> {
  std::vector<Node> nodes;
  for (Node child : call.child(Field::Arguments).children()) {
    if (is_list_member(child)) {
      nodes.push_back(child);
    }
  }
  return nodes;
}

auto value_nodes(const Checker& checker, Node call) -> std::vector<Node> {
  std::vector<Node> nodes = argument_nodes(call);
  std::erase_if(
      nodes, [&](Node node) { return checker.resolved.names.is_function_argument(node.index()); });
  return nodes;
}

void label_item(Checker& checker, names::Draft& draft, names::ItemId item, std::string message) {
  const names::ItemHead& head = checker.context.get<names::HeadOfItem>(item);
  draft.label_at(item, names::item_name_range(names::item_node(*head.tree)), std::move(message));
}

auto call(Checker& checker, Node node) -> Term {
  Node function = node.child(Field::Function);
  if (function.is(NodeKind::TaggedExpression)) {
    function = function.child(Field::Value);
  }
  const names::Resolution resolution =
      function ? checker.resolved.names.of(function.index()) : names::Resolution();
  if (function.is(NodeKind::Identifier) && resolution.is(Meaning::Item)) {
    const names::ItemId item = checker.resolved.names.items[resolution.index()];
    return checker.table[item].kind == ItemKind::Type
               ? construct(checker, node, function, item)
               : call_item(checker, node, function, item, false);
  }
  if (function.is(NodeKind::Identifier) && resolution.is(Meaning::Builtin)) {
    return builtin(checker, node, static_cast<names::Builtin>(resolution.index()));
  }
  if (const names::Local* local = checker.resolved.names.local(function.index());
      local != nullptr && local->kind == names::LocalKind::Function) {
    return call_parameter(checker, node, function, *local);
  }
  // The callee was reported; its arguments are still checked.
  for (Node argument : value_nodes(checker, node)) {
    expression(checker, argument);
  }
  return {};
}

/// Reports that a coordinator function or a test calls a device function with tuples or records
/// that it cannot pass.
static auto passes_records(Checker& checker, Node name, names::ItemId item,
                           const Signature& signature) -> bool {
  const bool is_test = checker.key.kind == ItemKind::Test;
  if (!signature.is_device_function || (checker.kind != BodyKind::Coordinator && !is_test)) {
    return false;
  }
  std::vector<TypeId> types;
  for (const types::SignatureParameter& parameter : signature.parameters) {
    types.push_back(parameter.type);
  }
  for (const types::SignatureResult& result : signature.results) {
    types.push_back(result.type);
  }
  for (const TypeId type : types) {
    const bool is_refused = types::has_columns(checker.types, type) &&
                            (!is_test || types::has_array_of_columns(checker.types, type));
    if (is_refused) {
      names::Draft draft = checker.report.add(
          DiagnosticCode::T2052, name.range(),
          fmt::format("`{}` has a parameter or result of type `{}`, which {} cannot pass",
                      name.text(), text(checker, type),
                      is_test ? "a test" : "a coordinator function"));
      draft.note(fmt::format(
          "call a device function that takes and gives numbers and arrays, and that calls `{}`",
          name.text()));
      label_item(checker, draft, item, "declared here");
      return true;
    }
  }
  return false;
}

auto call_item(Checker& checker, Node call, Node name, names::ItemId item, bool is_encoded)
    -> Term {
  const std::shared_ptr<const Signature> declared = checker.context.get<types::SignatureOf>(item);
  device_of_call(checker, name, item, *declared, is_encoded);
  std::vector<Term> arguments;
  for (Node argument : value_nodes(checker, call)) {
    arguments.push_back(expression(checker, argument));
  }
  std::optional<Signature> instance;
  if (!declared->is_generic()) {
    template_values(checker, call, name, *declared);
  } else {
    instance = instantiate(checker, {call, name, item, arguments, is_encoded}, *declared);
    if (!instance) {
      return {};
    }
  }
  const Signature& signature = instance ? *instance : *declared;
  if (passes_records(checker, name, item, signature)) {
    return {};
  }
  call_arguments(checker, call, name, item, signature, arguments);
  encrypted_arguments(checker, call, name, item, signature);
  if (declared->is_generic() && arguments.size() != signature.parameters.size()) {
    return {};  // which is reported, and sizes are not known
  }
  for (const types::SignatureResult& result : signature.results) {
    checker.has_secrets = checker.has_secrets || types::mentions_secret(checker.types, result.type);
  }
  const bool is_other_language = is_spec(checker) && names::is_specification(signature.kind) &&
                                 signature.kind != checker.key.kind;
  if (is_other_language) {
    names::Draft draft =
        checker.report.add(DiagnosticCode::T1004, name.range(),
                           fmt::format("`{}` is a {}, but this is a {}", name.text(),
                                       kind_text(signature.kind), kind_text(checker.key.kind)));
    label_item(checker, draft, item, "declared here");
  }
  std::vector<Term> results;
  for (const types::SignatureResult& result : signature.results) {
    results.push_back(checker.inference.term(result.type));
  }
  return results.size() == 1 ? results[0] : checker.inference.tuple(std::move(results));
}

static void device_of_call(Checker& checker, Node name, names::ItemId item,
                           const Signature& signature, bool is_encoded) {
  const bool runs_on_device =
      signature.is_device_function ||
      (signature.kind == ItemKind::Extern && signature.device != names::Device::Cpu);
  const std::string device = types::devices_text(signature);
  std::string message;
  std::string note;
  if (is_encoded) {
    if (!runs_on_device && signature.kind == ItemKind::Fn) {
      message = fmt::format("`{}` runs on the coordinator and cannot be encoded", name.text());
      note = "an encoded call runs a device function or an extern of the encoder's device";
    } else if (checker.encoding_on && !signature.is_for(*checker.encoding_on)) {
      message = fmt::format("`{}` runs on `{}`, but the encoder is for `{}`", name.text(), device,
                            names::device_text(*checker.encoding_on));
    }
  } else if (checker.kind == BodyKind::Coordinator && runs_on_device &&
             checker.key.kind != ItemKind::Test) {
    message = fmt::format("`{}` runs on `{}` and cannot be called directly", name.text(), device);
    note = fmt::format("encode the call: `encode-begin {}`, then `encode e.call[y <- {}(…)]`",
                       names::device_text(signature.device), name.text());
  } else if (checker.kind == BodyKind::Device && signature.kind == ItemKind::Fn &&
             (!signature.is_device_function || !signature.is_for_devices_of(checker.signature)) &&
             !signature.is_encrypted_part_of(checker.signature)) {
    message = signature.is_device_function
                  ? fmt::format("`{}` runs on `{}`, but this function runs on `{}`", name.text(),
                                device, types::devices_text(checker.signature))
                  : fmt::format("`{}` runs on the coordinator", name.text());
    note = checker.signature.is_for(names::Device::Mpc)
               ? "a device function can call only functions of its own device; an `fn(mpc)` also "
                 "those of `he`"
               : "a device function can call only functions of its own device";
  }
  if (!message.empty()) {
    names::Draft draft =
        checker.report.add(DiagnosticCode::T2025, name.range(), std::move(message));
    if (!note.empty()) {
      draft.note(note);
    }
    label_item(checker, draft, item, "declared here");
  }
}

/// The parties encrypt what a function of `he` takes before the rest runs on shares, so it takes
/// parameters of the function that calls it.
static void encrypted_arguments(Checker& checker, Node call, Node name, names::ItemId item,
                                const Signature& signature) {
  if (checker.kind != BodyKind::Device || !signature.is_encrypted_part_of(checker.signature)) {
    return;
  }
  for (Node argument : value_nodes(checker, call)) {
    const names::Local* local = checker.resolved.names.local(syntax::bare(argument).index());
    if (local != nullptr && local->kind == names::LocalKind::Parameter) {
      continue;
    }
    names::Draft draft = checker.report.add(
        DiagnosticCode::T2053, argument.range(),
        fmt::format(
            "`{}` runs encrypted, before this function runs on shares; expected a parameter "
            "of this function",
            name.text()));
    draft.note(fmt::format(
        "compute this in `{}`; or mark `{}` `fn(he, mpc)`, so that all of it runs on shares",
        name.text(), name.text()));
    label_item(checker, draft, item, "declared here");
  }
}

static void template_values(Checker& checker, Node call, Node name, const Signature& signature) {
  Node values = call.child(Field::Template);
  if (values && !values.is(NodeKind::TemplateArguments)) {
    checker.report
        .add(DiagnosticCode::T2005, values.range(),
             fmt::format("`{}` takes no type argument", name.text()))
        .note("`'<…>` gives the dimensions of a grid; only `alloc'T(…)` takes a type argument");
    return;
  }
  uint32_t n = 0;
  for (Node value : values.children()) {
    if (!is_list_member(value)) {
      continue;
    }
    ++n;
    const Term term = expression(checker, value);
    expect(checker, value, term, Term(TypeStore::kI32), "a dimension");
  }
  if (n == signature.n_dims) {
    return;
  }
  names::Draft draft = checker.report.add(
      DiagnosticCode::T2005, values ? values.range() : name.range(),
      signature.n_dims == 0 ? fmt::format("`{}` takes no dimensions, found {}", name.text(), n)
                            : fmt::format("`{}` takes {} dimension{}, found {}", name.text(),
                                          signature.n_dims, signature.n_dims == 1 ? "" : "s", n));
  draft.note("a class whose device extern has `dimensions: n` is called with its grid: `'<d0, …>`");
  if (signature.n_dims == 0) {
    draft.fix("remove the dimensions", Applicability::Unsafe,
              {{{name.range().end, values.range().end}, ""}});
  }
}

/// Labels the type of a parameter or result in the head of an item, or the item's name.
void label_port(Checker& checker, names::Draft& draft, const Port& port, std::string message) {
  const names::ItemHead& head = checker.context.get<names::HeadOfItem>(port.item);
  Node root = names::item_node(*head.tree);
  Node name = names::item_name_node(root);
  Node place = name ? name : root;
  size_t next = 0;
  for (Node child : root.child(port.list).children()) {
    if (child.is(port.kind) && next++ == port.ordinal) {
      Node type = child.child(Field::Type);
      place = type ? type : child;
    }
  }
  draft.label_at(port.item, place.range(), std::move(message));
}

/// A constant argument in units of the parameter; `whole` is its value if it is an integer.
static auto constant_units(syntax::Node argument, std::optional<int64_t> whole,
                           const types::ValueBound& bound) -> std::optional<types::Wide> {
  if (whole) {
    return types::Wide{*whole} * (types::Wide{1} << bound.fraction_bits);
  }
  const bool is_negative = argument.is(syntax::NodeKind::UnaryExpression) &&
                           argument.child(syntax::Field::Operator).is(syntax::NodeKind::Minus);
  const syntax::Node magnitude = is_negative ? argument.child(syntax::Field::Operand) : argument;
  if (!magnitude.is(syntax::NodeKind::Float) || bound.fraction_bits == 0) {
    return std::nullopt;
  }
  const auto units =
      types::units_of(magnitude.text(), {engine::ElementKind::Fxp, bound.fraction_bits});
  return units && is_negative ? std::optional(-*units) : units;
}

static void call_arguments(Checker& checker, Node call, Node name, names::ItemId item,
                           const Signature& signature, const std::vector<Term>& terms) {
  const std::vector<Node> arguments = value_nodes(checker, call);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Term term = terms[i];
    if (i >= signature.parameters.size()) {
      continue;
    }
    const types::SignatureParameter& parameter = signature.parameters[i];
    checker.has_secrets =
        checker.has_secrets || types::mentions_secret(checker.types, parameter.type);
    const Term expected = checker.inference.term(parameter.type);
    checker.expected_by = Port{item, Field::Parameters, NodeKind::Parameter, i};
    expect(checker, arguments[i], term, expected,
           parameter.name.has_value()
               ? fmt::format("argument `{}`", checker.interner.text(parameter.name))
               : "an argument");
    checker.expected_by.reset();
    const std::optional<types::Wide> units =
        parameter.bound
            ? constant_units(arguments[i], evaluate(checker, arguments[i]), *parameter.bound)
            : std::nullopt;
    if (units && (*units < parameter.bound->lower || *units >= parameter.bound->upper)) {
      names::Draft draft =
          checker.report.add(DiagnosticCode::T2023, arguments[i].range(),
                             fmt::format("`{}` is outside of the bound {} of the parameter",
                                         arguments[i].text(), types::bound_text(*parameter.bound)));
      label_port(checker, draft, Port{item, Field::Parameters, NodeKind::Parameter, i},
                 "declared here");
    }
  }
  if (arguments.size() == signature.parameters.size() || !checker.tree.errors.empty()) {
    return;
  }
  const size_t n = signature.parameters.size();
  const TextRange place =
      arguments.size() > n ? cover(arguments[n].range(), arguments.back().range()) : name.range();
  const size_t n_given = argument_nodes(call).size();
  const size_t n_taken = n + (n_given - arguments.size());
  names::Draft draft = checker.report.add(
      DiagnosticCode::T2003, place,
      fmt::format("`{}` takes {} argument{}, but {} {} given", name.text(), n_taken,
                  n_taken == 1 ? "" : "s", n_given, n_given == 1 ? "was" : "were"));
  label_item(checker, draft, item,
             fmt::format("`{}`", types::signature_text(checker.types, checker.interner, signature,
                                                       name.text())));
}

}  // namespace tacet::check
