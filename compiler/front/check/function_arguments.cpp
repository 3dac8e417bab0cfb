#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/check/checker.h"
#include "compiler/front/names/arguments.h"
#include "compiler/front/names/instance.h"
#include "compiler/front/types/columns.h"

// Functions that are passed to functions.

namespace tacet::check {

using names::Meaning;
using types::FunctionParameter;
using types::MaybeForm;
using types::Signature;
using types::SizeAtom;
using types::SizeConstraint;
using types::SizeSolution;
using types::TypeId;
using types::TypeStore;

/// The scalar of a value type, or nothing of tuples and records.
static auto scalar_of(const Checker& checker, TypeId type) -> std::optional<TypeId> {
  const types::Type& data = checker.types[type];
  return data.kind == types::TypeKind::Value
             ? std::optional(checker.types.value(types::Visibility::Public, data.dtype,
                                                 types::kScalar, data.fraction_bits))
             : std::nullopt;
}

/// What is wrong with a function that is passed.
static auto refuse_passed(Checker& checker, const GenericCall& call, Node node,
                          const std::string& message, const FunctionParameter& wanted)
    -> names::Draft {
  names::Draft draft = checker.report.add(DiagnosticCode::T2048, node.range(), message);
  draft.note(fmt::format("`{}` of `{}` is `{}` here", checker.interner.text(wanted.name),
                         call.name.text(),
                         types::function_type_text(checker.types, checker.interner, wanted)));
  const names::ItemId item = checker.resolved.names.item(node.index());
  if (item.has_value()) {
    label_item(checker, draft, item, fmt::format("`{}` is declared here", node.text()));
  }
  return draft;
}

/// Reports a function that takes more or fewer arguments than it is called with.
static auto takes_as_many(Checker& checker, const GenericCall& call, Node node,
                          const FunctionParameter& wanted) -> bool {
  const names::Resolution meaning = checker.resolved.names.of(node.index());
  const names::Local* local = checker.resolved.names.local(node.index());
  const names::ItemId item = checker.resolved.names.item(node.index());
  size_t n = wanted.parameters.size();
  if (meaning.is(Meaning::Builtin)) {
    n = names::n_passed_operands(static_cast<names::Builtin>(meaning.index()));
  } else if (local != nullptr && local->ordinal < checker.signature.functions.size()) {
    n = checker.signature.functions[local->ordinal].parameters.size();
  } else if (item.has_value()) {
    n = checker.context.get<types::SignatureOf>(item)->parameters.size();
  }
  if (n == wanted.parameters.size()) {
    return true;
  }
  refuse_passed(
      checker, call, node,
      fmt::format("`{}` takes {} argument{}, but {} {} given", node.text(), n, n == 1 ? "" : "s",
                  wanted.parameters.size(), wanted.parameters.size() == 1 ? "is" : "are"),
      wanted);
  return false;
}

/// Where `node` is a parameter of an instance, the function that it stands for.
static auto value_of(const Checker& checker, Node node) -> names::FunctionValue {
  const names::Resolution meaning = checker.resolved.names.of(node.index());
  const names::ItemId item = checker.resolved.names.item(node.index());
  const std::string_view builtin =
      meaning.is(Meaning::Builtin)
          ? names::builtin_text(static_cast<names::Builtin>(meaning.index()))
          : std::string_view();
  return {item, item.has_value() ? checker.table[item].name : checker.interner.intern(builtin)};
}

auto passed_functions(Checker& checker, const GenericCall& call, const Signature& generic)
    -> std::optional<PassedFunctions> {
  PassedFunctions passed;
  const std::vector<Node> arguments = argument_nodes(call.call);
  for (size_t i = 0; i < generic.functions.size(); ++i) {
    if (i >= arguments.size()) {
      names::Draft draft = checker.report.add(
          DiagnosticCode::T2048, call.name.range(),
          fmt::format("`{}` takes a function, `{}`, which was not given", call.name.text(),
                      checker.interner.text(generic.functions[i].name)));
      label_item(checker, draft, call.item, "declared here");
      return std::nullopt;
    }
    const Node node = arguments[i];
    const names::Resolution meaning = checker.resolved.names.of(node.index());
    if (!checker.resolved.names.is_function_argument(node.index())) {
      names::Draft draft = checker.report.add(
          DiagnosticCode::T2048, node.range(),
          fmt::format("expected the name of a function for `{}` of `{}`",
                      checker.interner.text(generic.functions[i].name), call.name.text()));
      label_item(checker, draft, call.item, "declared here");
      return std::nullopt;
    }
    if (meaning.is(Meaning::Unknown) || meaning.is(Meaning::Nothing)) {
      return std::nullopt;  // which is reported
    }
    if (!takes_as_many(checker, call, node, generic.functions[i])) {
      return std::nullopt;
    }
    passed.nodes.push_back(node);
    passed.are_known = passed.are_known && !meaning.is(Meaning::Local);
    passed.values.push_back(value_of(checker, node));
  }
  return passed;
}

/// A built-in function of numbers, where it is passed for `wanted`.
static auto builtin_as(const Checker& checker, names::Builtin builtin,
                       const std::vector<std::optional<TypeId>>& scalars)
    -> std::optional<FunctionParameter> {
  FunctionParameter function;
  const auto known = std::find_if(scalars.begin(), scalars.end(), [](auto one) { return !!one; });
  if (known == scalars.end()) {
    return std::nullopt;
  }
  const TypeId secret = checker.types.with_visibility(**known, types::Visibility::Secret);
  function.parameters.resize(names::n_passed_operands(builtin));
  for (types::SignatureParameter& parameter : function.parameters) {
    parameter.type = secret;
  }
  function.result.type = secret;
  return function;
}

/// The instance of a function with type parameters whose own parameters have these scalars.
static auto typed_item(Checker& checker, names::ItemId item, const Signature& signature,
                       const std::vector<std::optional<TypeId>>& scalars)
    -> std::optional<names::ItemId> {
  std::vector<Name> words;
  for (const types::TypeParameter& parameter : signature.type_parameters) {
    std::optional<TypeId> found;
    for (size_t i = 0; i < signature.parameters.size() && i < scalars.size() && !found; ++i) {
      found = signature.parameters[i].type_parameter == parameter.name ? scalars[i] : std::nullopt;
    }
    if (!found || !types::allows(checker.types, parameter, *found)) {
      return std::nullopt;
    }
    words.push_back(types::type_word(checker.interner, checker.types, *found));
  }
  return names::instance_with_types(checker.table, item, words);
}

auto passed_function(Checker& checker, Node node, const std::vector<std::optional<TypeId>>& scalars)
    -> std::optional<GivenFunction> {
  const names::Resolution meaning = checker.resolved.names.of(node.index());
  if (const names::Local* local = checker.resolved.names.local(node.index())) {
    return local->ordinal < checker.signature.functions.size()
               ? std::optional(GivenFunction{checker.signature.functions[local->ordinal], {}, {}})
               : std::nullopt;
  }
  if (meaning.is(Meaning::Builtin)) {
    const auto function =
        builtin_as(checker, static_cast<names::Builtin>(meaning.index()), scalars);
    return function ? std::optional(GivenFunction{*function, {}, {}}) : std::nullopt;
  }
  const names::ItemId item = checker.resolved.names.item(node.index());
  std::shared_ptr<const Signature> signature = checker.context.get<types::SignatureOf>(item);
  if (!signature->type_parameters.empty()) {
    const auto typed = typed_item(checker, item, *signature, scalars);
    if (!typed) {
      return std::nullopt;
    }
    signature = checker.context.get<types::SignatureOf>(*typed);
  }
  if (signature->results.size() != 1 || !signature->functions.empty()) {
    return std::nullopt;
  }
  return GivenFunction{{{}, signature->parameters, signature->results.front()},
                       signature->sizes,
                       signature->constraints};
}

/// Replaces the sizes of a function that is passed by what the lengths of `wanted` make them.
/// False if they do not determine them.
static auto find_sizes(Checker& checker, Node node, const FunctionParameter& wanted,
                       GivenFunction& given) -> bool {
  SizeSolution solution{given.sizes, {}, {}};
  solution.found.resize(given.sizes.size());
  for (size_t i = 0; i < wanted.parameters.size(); ++i) {
    const types::Type& data = checker.types[wanted.parameters[i].type];
    if (data.kind == types::TypeKind::Value) {
      types::add_equations(checker.types, given.function.parameters[i].type,
                           checker.types.extents(data.shape), node.index(), solution);
    }
  }
  types::solve(checker.types, solution);
  if (std::any_of(solution.found.begin(), solution.found.end(),
                  [](const auto& one) { return !one; })) {
    return false;
  }
  const auto form_of = [&](const SizeAtom& atom) { return types::value_of(solution, atom); };
  for (types::SignatureParameter& parameter : given.function.parameters) {
    parameter.type = types::substitute_sizes(checker.types, parameter.type, form_of);
  }
  given.function.result.type =
      types::substitute_sizes(checker.types, given.function.result.type, form_of);
  return std::none_of(given.constraints.begin(), given.constraints.end(),
                      [&](const SizeConstraint& one) {
                        const MaybeForm form = types::substitute(checker.types, one.form, form_of);
                        return form && form->terms.empty() && !types::holds({*form, one.relation});
                      });
}

static auto is_secret(const Checker& checker, TypeId type) -> bool {
  return types::mentions_secret(checker.types, type);
}

/// Is it the same type, apart from who knows it? Records must be the same in that, too.
static auto has_same_values(Checker& checker, TypeId given, TypeId wanted) -> bool {
  const auto in_public = [&](TypeId type) {
    return checker.types.with_visibility(type, types::Visibility::Public);
  };
  return in_public(given) == in_public(wanted);
}

/// Compares a function that is passed with what the callee makes of it.
static auto fits(Checker& checker, const GenericCall& call, Node node,
                 const FunctionParameter& wanted) -> bool {
  std::vector<std::optional<TypeId>> scalars;
  for (const types::SignatureParameter& parameter : wanted.parameters) {
    scalars.push_back(scalar_of(checker, parameter.type));
  }
  std::optional<GivenFunction> given = passed_function(checker, node, scalars);
  if (!given) {
    refuse_passed(checker, call, node, fmt::format("`{}` cannot be passed here", node.text()),
                  wanted)
        .note("a function that is passed takes no functions itself, and has one result");
    return false;
  }
  const FunctionParameter& function = given->function;
  if (!given->sizes.empty() && !find_sizes(checker, node, wanted, *given)) {
    refuse_passed(checker, call, node, fmt::format("no sizes of `{}` fit here", node.text()),
                  wanted);
    return false;
  }
  for (size_t i = 0; i < wanted.parameters.size(); ++i) {
    const TypeId takes = function.parameters[i].type;
    const TypeId is_given = wanted.parameters[i].type;
    if (!has_same_values(checker, takes, is_given)) {
      refuse_passed(checker, call, node,
                    fmt::format("`{}` takes `{}`, but `{}` is given", node.text(),
                                text(checker, takes), text(checker, is_given)),
                    wanted);
      return false;
    }
    if (is_secret(checker, is_given) && !is_secret(checker, takes)) {
      refuse_passed(checker, call, node,
                    fmt::format("`{}` takes a public `{}`, but a secret is given", node.text(),
                                text(checker, takes)),
                    wanted);
      return false;
    }
  }
  if (!has_same_values(checker, function.result.type, wanted.result.type)) {
    refuse_passed(
        checker, call, node,
        fmt::format("`{}` gives `{}`, but `{}` is expected", node.text(),
                    text(checker, function.result.type), text(checker, wanted.result.type)),
        wanted);
    return false;
  }
  if (is_secret(checker, function.result.type) && !is_secret(checker, wanted.result.type)) {
    refuse_passed(checker, call, node,
                  fmt::format("`{}` gives a secret, but a public `{}` is expected", node.text(),
                              text(checker, wanted.result.type)),
                  wanted);
    return false;
  }
  return true;
}

/// Is it for the devices of this function?
static auto runs_here(Checker& checker, const GenericCall& call, Node node,
                      const FunctionParameter& wanted) -> bool {
  const names::ItemId item = checker.resolved.names.item(node.index());
  if (!item.has_value()) {
    return true;
  }
  const auto& signature = checker.context.get<types::SignatureOf>(item);
  if (signature->is_device_function && signature->is_for_devices_of(checker.signature)) {
    return true;
  }
  refuse_passed(
      checker, call, node,
      signature->is_device_function
          ? fmt::format("`{}` runs on `{}`, but this function runs on `{}`", node.text(),
                        types::devices_text(*signature), types::devices_text(checker.signature))
          : fmt::format("`{}` runs on the coordinator", node.text()),
      wanted);
  return false;
}

auto do_functions_fit(Checker& checker, const GenericCall& call, const PassedFunctions& passed,
                      const Signature& signature) -> bool {
  for (size_t i = 0; i < passed.nodes.size() && i < signature.functions.size(); ++i) {
    const FunctionParameter& wanted = signature.functions[i];
    if (!runs_here(checker, call, passed.nodes[i], wanted) ||
        !fits(checker, call, passed.nodes[i], wanted)) {
      return false;
    }
  }
  return true;
}

auto call_parameter(Checker& checker, Node call, Node name, const names::Local& local) -> Term {
  std::vector<Term> terms;
  const std::vector<Node> arguments = argument_nodes(call);
  for (const Node argument : arguments) {
    terms.push_back(expression(checker, argument));
  }
  if (local.ordinal >= checker.signature.functions.size()) {
    return {};
  }
  const FunctionParameter& function = checker.signature.functions[local.ordinal];
  const size_t n = function.parameters.size();
  if (n != arguments.size() && checker.tree.errors.empty()) {
    checker.report
        .add(DiagnosticCode::T2003, name.range(),
             fmt::format("`{}` takes {} argument{}, but {} {} given", name.text(), n,
                         n == 1 ? "" : "s", arguments.size(),
                         arguments.size() == 1 ? "was" : "were"))
        .label(node_at(checker, local.declaration).range(), "declared here");
  }
  for (size_t i = 0; i < arguments.size() && i < n; ++i) {
    expect(checker, arguments[i], terms[i], checker.inference.term(function.parameters[i].type),
           "an argument");
  }
  checker.has_secrets = checker.has_secrets || is_secret(checker, function.result.type);
  return checker.inference.term(function.result.type);
}

}  // namespace tacet::check
