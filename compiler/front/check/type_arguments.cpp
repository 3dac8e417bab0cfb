#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/kind_groups.h"
#include "compiler/front/check/checker.h"

namespace tacet::check {

using types::Signature;
using types::TypeId;
using types::TypeParameter;
using types::TypeStore;

namespace {

/// A type of a call, and the node that it is from.
struct FoundType {
  TypeId type;
  Node source;
};

/// The types of one call.
struct CallTypes {
  Checker& checker;
  const GenericCall& call;
  const Signature& generic;
  std::vector<std::optional<FoundType>> found;
  /// Those that only literals say.
  std::vector<std::optional<FoundType>> literals = {};
  size_t n_written = 0;
};

}  // namespace

static auto name_text(const CallTypes& types, size_t i) -> std::string_view {
  return types.checker.interner.text(types.generic.type_parameters[i].name);
}

static auto type_text(const CallTypes& types, TypeId type) -> std::string {
  return types::type_text(types.checker.types, types.checker.interner, type);
}

static void label_declaration(const CallTypes& types, names::Draft& draft) {
  label_item(types.checker, draft, types.call.item, "declared here");
}

/// The type that a value between `'<` and `>` is. Nothing if it is a size.
static auto type_of_value(CallTypes& types, Node value) -> std::optional<TypeId> {
  if (syntax::type_kind(value.kind()) != syntax::TypeKind::None) {
    return types.checker.lowering.lower(value);
  }
  const names::Local* local =
      value.is(NodeKind::Identifier) ? types.checker.resolved.names.local(value.index()) : nullptr;
  if (local == nullptr || local->kind != names::LocalKind::Type) {
    return std::nullopt;
  }
  const types::TypeScope scope = types::types_of_head(types.checker.context, types.checker.item,
                                                      names::item_node(types.checker.tree));
  return local->ordinal < scope.size() ? scope[local->ordinal].second : TypeStore::kError;
}

/// `f'<fxp, 8>(x)`: either all types are written, or none.
static auto take_written(CallTypes& types) -> bool {
  const std::vector<Node> values = written_values(types.call.call, 0);
  while (types.n_written < values.size()) {
    const Node value = values[types.n_written];
    const std::optional<TypeId> type = type_of_value(types, value);
    if (!type) {
      break;
    }
    if (types.n_written < types.found.size()) {
      types.found[types.n_written] = FoundType{*type, value};
    }
    ++types.n_written;
  }
  const bool has_more = types.n_written < values.size() && types.generic.sizes.empty();
  const size_t n = has_more ? values.size() : types.n_written;
  if (has_more && n <= types.found.size()) {
    const Node value = values[types.n_written];
    types.checker.report.add(DiagnosticCode::T2047, value.range(),
                             fmt::format("expected a type, found `{}`", value.text()));
    return false;
  }
  if (n == 0 || n == types.found.size()) {
    return true;
  }
  names::Draft draft = types.checker.report.add(
      DiagnosticCode::T2047, types.call.call.child(Field::Template).range(),
      fmt::format("`{}` has {} type parameter{}, but {} {} given", types.call.name.text(),
                  types.found.size(), types.found.size() == 1 ? "" : "s", n,
                  n == 1 ? "was" : "were"));
  label_declaration(types, draft);
  return false;
}

static auto report_conflict(CallTypes& types, size_t i, const FoundType& here) -> bool {
  names::Draft draft = types.checker.report.add(
      DiagnosticCode::T2047, here.source.range(),
      fmt::format("`{}` is `{}` here and `{}` there", name_text(types, i),
                  type_text(types, here.type), type_text(types, types.found[i]->type)));
  draft.label(types.found[i]->source.range(), fmt::format("`{}` is `{}` here", name_text(types, i),
                                                          type_text(types, types.found[i]->type)));
  label_declaration(types, draft);
  return false;
}

/// The types of arguments. Literals take the type that others have.
static auto take_arguments(CallTypes& types) -> bool {
  Checker& checker = types.checker;
  const std::vector<Node> nodes = value_nodes(checker, types.call.call);
  std::vector<std::optional<FoundType>>& literals = types.literals;
  const size_t n = std::min(nodes.size(), types.generic.parameters.size());
  for (size_t i = 0; i < n; ++i) {
    const Name parameter = types.generic.parameters[i].type_parameter;
    const auto place =
        std::find_if(types.generic.type_parameters.begin(), types.generic.type_parameters.end(),
                     [&](const TypeParameter& one) { return one.name == parameter; });
    if (place == types.generic.type_parameters.end() ||
        !checker.inference.shape(types.call.arguments[i])) {
      continue;
    }
    const auto ordinal = static_cast<size_t>(place - types.generic.type_parameters.begin());
    const Term scalar = checker.inference.scalar(types.call.arguments[i]);
    if (checker.inference.is_open(scalar)) {
      continue;
    }
    // Devices have no other numbers with a fraction.
    const bool is_fraction = checker.inference.is_fraction_literal(scalar);
    const FoundType here{
        is_fraction ? types::scalar_type(types::DType::Fxp) : checker.inference.finish(scalar),
        nodes[i]};
    std::optional<FoundType>& found =
        checker.inference.dtype(scalar) ? types.found[ordinal] : literals[ordinal];
    if (!found) {
      found = here;
    } else if (&found == &types.found[ordinal] && found->type != here.type) {
      return report_conflict(types, ordinal, here);
    } else if (is_fraction) {
      found = here;
    }
  }
  return true;
}

static void take_literals(CallTypes& types) {
  for (size_t i = 0; i < types.found.size(); ++i) {
    types.found[i] = types.found[i] ? types.found[i] : types.literals[i];
  }
}

static auto place_of_type(const CallTypes& types, Name parameter) -> std::optional<size_t> {
  const auto& all = types.generic.type_parameters;
  const auto place = std::find_if(all.begin(), all.end(), [&](const TypeParameter& one) {
    return parameter.has_value() && one.name == parameter;
  });
  return place == all.end() ? std::nullopt
                            : std::optional(static_cast<size_t>(place - all.begin()));
}

/// What a function that is passed says of types: those that it takes and gives.
static auto take_function(CallTypes& types, const types::FunctionParameter& wanted, Node node)
    -> bool {
  Checker& checker = types.checker;
  std::vector<std::optional<TypeId>> scalars;
  for (const types::SignatureParameter& parameter : wanted.parameters) {
    const auto place = place_of_type(types, parameter.type_parameter);
    const types::Type& data = checker.types[parameter.type];
    scalars.push_back(
        place ? (types.found[*place] ? std::optional(types.found[*place]->type) : std::nullopt)
        : data.kind == types::TypeKind::Value
            ? std::optional(checker.types.value(types::Visibility::Public, data.dtype,
                                                types::kScalar, data.fraction_bits))
            : std::nullopt);
  }
  const auto given = passed_function(checker, node, scalars);
  if (!given || given->function.parameters.size() != wanted.parameters.size()) {
    return true;
  }
  const auto take = [&](Name parameter, TypeId type) {
    const auto place = place_of_type(types, parameter);
    const types::Type& data = checker.types[type];
    if (!place || data.kind != types::TypeKind::Value) {
      return true;
    }
    const FoundType here{checker.types.value(types::Visibility::Public, data.dtype, types::kScalar,
                                             data.fraction_bits),
                         node};
    if (types.found[*place] && types.found[*place]->type != here.type) {
      return report_conflict(types, *place, here);
    }
    types.found[*place] = types.found[*place] ? types.found[*place] : here;
    return true;
  };
  for (size_t i = 0; i < wanted.parameters.size(); ++i) {
    if (!take(wanted.parameters[i].type_parameter, given->function.parameters[i].type)) {
      return false;
    }
  }
  return take(wanted.result.type_parameter, given->function.result.type);
}

static auto take_functions(CallTypes& types, const PassedFunctions& functions) -> bool {
  for (size_t i = 0; i < functions.nodes.size(); ++i) {
    if (!take_function(types, types.generic.functions[i], functions.nodes[i])) {
      return false;
    }
  }
  return true;
}

static auto are_allowed(CallTypes& types) -> bool {
  for (size_t i = 0; i < types.found.size(); ++i) {
    const TypeParameter& parameter = types.generic.type_parameters[i];
    if (!types.found[i]) {
      names::Draft draft = types.checker.report.add(
          DiagnosticCode::T2047, types.call.name.range(),
          fmt::format("the arguments do not determine the type `{}` of `{}`", name_text(types, i),
                      types.call.name.text()));
      draft.note(fmt::format("write the types: `{}'<…>(…)`", types.call.name.text()));
      label_declaration(types, draft);
      return false;
    }
    const FoundType& found = *types.found[i];
    if (found.type == TypeStore::kError || types::types_of_bound(parameter).empty()) {
      return false;  // which is reported
    }
    if (!types::allows(types.checker.types, parameter, found.type)) {
      names::Draft draft = types.checker.report.add(
          DiagnosticCode::T2047, found.source.range(),
          fmt::format("`{}` is `{}` here, but must be of `{}`", name_text(types, i),
                      type_text(types, found.type), types::bound_text(parameter)));
      label_declaration(types, draft);
      return false;
    }
  }
  return true;
}

auto type_arguments(Checker& checker, const GenericCall& call, const Signature& generic,
                    const PassedFunctions& functions) -> std::optional<TypeArguments> {
  CallTypes types{checker, call, generic, {}};
  types.found.resize(generic.type_parameters.size());
  types.literals.resize(generic.type_parameters.size());
  const bool has_error = std::any_of(call.arguments.begin(), call.arguments.end(), [&](Term term) {
    return checker.inference.resolve(term).is_error();
  });
  if (!take_written(types) || !take_arguments(types) || !take_functions(types, functions)) {
    return std::nullopt;
  }
  take_literals(types);
  if (!take_functions(types, functions)) {  // what they give may depend on what they take
    return std::nullopt;
  }
  const bool are_all_known =
      std::all_of(types.found.begin(), types.found.end(), [](const auto& one) { return !!one; });
  if ((has_error && !are_all_known) || !are_allowed(types)) {
    return std::nullopt;
  }
  TypeArguments result{{}, types.n_written};
  for (const std::optional<FoundType>& found : types.found) {
    result.words.push_back(types::type_word(checker.interner, checker.types, found->type));
  }
  return result;
}

}  // namespace tacet::check
