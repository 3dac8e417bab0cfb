#include "cli/run/typed_target.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/run/given_texts.h"
#include "cli/values/number_kind.h"
#include "compiler/front/types/type_parameters.h"

namespace tacet::cli {

using types::TypeId;
using types::TypeParameter;

static auto parameter_named(const program::FrontendSnapshot& snapshot,
                            const types::Signature& signature, std::string_view name)
    -> std::optional<size_t> {
  const auto& all = signature.type_parameters;
  const auto place = std::find_if(all.begin(), all.end(), [&](const TypeParameter& parameter) {
    return snapshot.interner().text(parameter.name) == name;
  });
  return place == all.end() ? std::nullopt
                            : std::optional(static_cast<size_t>(place - all.begin()));
}

auto gives_type(const program::FrontendSnapshot& snapshot, const types::Signature& signature,
                std::string_view option) -> bool {
  return parameter_named(snapshot, signature, option.substr(0, option.find('='))).has_value();
}

/// `--size T=fxp`
static auto types_of_options(const program::FrontendSnapshot& snapshot,
                             const types::Signature& signature, const RunTarget& target)
    -> Result<std::vector<std::optional<TypeId>>> {
  std::vector<std::optional<TypeId>> found(signature.type_parameters.size());
  for (const std::string& option : target.sizes) {
    const size_t equals = std::min(option.find('='), option.size());
    const auto place = parameter_named(snapshot, signature, option.substr(0, equals));
    if (!place) {
      continue;
    }
    const TypeParameter& parameter = signature.type_parameters[*place];
    const std::string word = option.substr(std::min(equals + 1, option.size()));
    const std::optional<TypeId> type = types::type_of_word(snapshot.types(), word);
    if (!type || !types::allows(snapshot.types(), parameter, *type)) {
      return Error{fmt::format("`--size {}`: expected a type of `{}`", option,
                               types::bound_text(parameter))};
    }
    if (found[*place] && found[*place] != type) {
      return Error{fmt::format("the type `{}` is given twice", option.substr(0, equals))};
    }
    found[*place] = type;
  }
  return found;
}

/// What the values for the parameters of type `name` are together.
static auto kind_of_values(const types::Signature& signature, Name name,
                           const std::vector<types::ParameterColumn>& columns,
                           const std::vector<std::string>& given)
    -> Result<std::optional<types::DType>> {
  std::optional<types::DType> together;
  for (size_t i = 0; i < given.size(); ++i) {
    const size_t parameter = columns[i].parameter;
    if (signature.parameters[parameter].type_parameter != name || given[i].empty()) {
      continue;
    }
    Result<std::optional<types::DType>> kind = number_kind_of_value(given[i]);
    if (!kind) {
      return kind.error();
    }
    if (*kind && together && **kind != *together) {
      const bool is_fixed = *kind == types::DType::Fxp || *together == types::DType::Fxp;
      together = is_fixed ? types::DType::Fxp : types::DType::I64;
    } else if (*kind) {
      together = *kind;
    }
  }
  return together;
}

auto typed_target(const program::FrontendSnapshot& snapshot, names::ItemId item,
                  const RunTarget& target) -> Result<names::ItemId> {
  const auto signature = snapshot.signature(item);
  if (signature->type_parameters.empty()) {
    return item;
  }
  Result<std::vector<std::optional<TypeId>>> options =
      types_of_options(snapshot, *signature, target);
  if (!options) {
    return options.error();
  }
  const std::vector<types::ParameterColumn> columns =
      types::parameter_columns(snapshot.types(), snapshot.interner(), *signature);
  Result<std::vector<std::string>> given = given_texts(columns, target);
  if (!given) {
    return given.error();
  }
  std::vector<TypeId> chosen;
  for (size_t i = 0; i < signature->type_parameters.size(); ++i) {
    const TypeParameter& parameter = signature->type_parameters[i];
    if ((*options)[i]) {
      chosen.push_back(*(*options)[i]);
      continue;
    }
    Result<std::optional<types::DType>> kind =
        kind_of_values(*signature, parameter.name, columns, *given);
    if (!kind) {
      return kind.error();
    }
    const std::vector<TypeId> all = types::types_of_bound(parameter);
    const bool fits =
        *kind && types::allows(snapshot.types(), parameter, types::scalar_type(**kind));
    if (!fits && all.size() != 1) {
      const std::string_view name = snapshot.interner().text(parameter.name);
      return Error{
          fmt::format("the type `{0}` of `{1}` is not known; give it with `--size {0}={2}`", name,
                      snapshot.interner().text(snapshot.item_key(item).name),
                      types::type_text(snapshot.types(), snapshot.interner(),
                                       all.empty() ? types::TypeStore::kI64 : all[0]))};
    }
    chosen.push_back(fits ? types::scalar_type(**kind) : all.front());
  }
  return snapshot.instance_with_types(item, chosen);
}

}  // namespace tacet::cli
