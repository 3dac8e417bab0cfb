#include "compiler/front/types/type_parameters.h"

#include <algorithm>
#include <charconv>

#include "compiler/core/syntax/kind_groups.h"
#include "compiler/front/types/queries.h"

namespace tacet::types {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

/// Those that most programs have come first: the first type stands for the parameter.
static constexpr DType kIntegers[] = {DType::I64, DType::I32, DType::I16, DType::I8,
                                      DType::U64, DType::U32, DType::U16, DType::U8};

static auto bound_of(Node parameter) -> TypeBound {
  TypeBound bound;
  for (Node written : parameter.children(Field::Bound)) {
    const std::string_view text = written.text();
    DType dtype{};
    if (text == "number" || text == "integer") {
      bound.integers = true;
      bound.fixed = bound.fixed || text == "number";
    } else if (text == "fxp") {
      bound.fixed = true;
    } else if (find_dtype(text, dtype) && is_integer(dtype)) {
      bound.dtypes.push_back(dtype);
    } else {
      return {};
    }
  }
  return bound;
}

auto type_parameter_of(Interner& interner, Node parameter) -> TypeParameter {
  return {interner.intern(parameter.child(Field::Name).text()), bound_of(parameter)};
}

auto type_parameters_of(Interner& interner, Node root) -> std::vector<TypeParameter> {
  std::vector<TypeParameter> result;
  for (Node parameter : root.child(Field::Sizes).children()) {
    if (parameter.is(NodeKind::TypeParameter)) {
      result.push_back(type_parameter_of(interner, parameter));
    }
  }
  return result;
}

auto types_of_head(query::Context& context, names::ItemId item, Node root) -> TypeScope {
  auto& interner = context.service<Interner>();
  auto& types = context.service<TypeStore>();
  const std::vector<Name>& given = context.service<names::ItemTable>()[item].types;
  TypeScope scope;
  for (const TypeParameter& parameter : type_parameters_of(interner, root)) {
    const size_t ordinal = scope.size();
    const std::vector<TypeId> all = types_of_bound(parameter);
    const std::optional<TypeId> type = ordinal < given.size()
                                           ? type_of_word(types, interner.text(given[ordinal]))
                                       : all.empty() ? std::nullopt
                                                     : std::optional(all.front());
    scope.emplace_back(parameter.name, type.value_or(TypeStore::kError));
  }
  return scope;
}

auto types_of_bound(const TypeParameter& parameter) -> std::vector<TypeId> {
  const TypeBound& bound = parameter.bound;
  std::vector<TypeId> result;
  for (const DType dtype : kIntegers) {
    const bool is_named =
        std::find(bound.dtypes.begin(), bound.dtypes.end(), dtype) != bound.dtypes.end();
    if (bound.integers || is_named) {
      result.push_back(scalar_type(dtype));
    }
  }
  if (bound.fixed) {
    result.insert(result.begin() + (result.empty() ? 0 : 1), scalar_type(DType::Fxp));
  }
  return result;
}

auto allows(const TypeStore& types, const TypeParameter& parameter, TypeId scalar) -> bool {
  const Type& type = types[scalar];
  if (type.kind != TypeKind::Value) {
    return false;
  }
  const std::vector<TypeId> all = types_of_bound(parameter);
  return type.dtype == DType::Fxp
             ? parameter.bound.fixed
             : std::find(all.begin(), all.end(), scalar_type(type.dtype)) != all.end();
}

auto bound_text(const TypeParameter& parameter) -> std::string {
  const TypeBound& bound = parameter.bound;
  if (bound.integers) {
    return bound.fixed ? "number" : "integer";
  }
  std::string text;
  for (const DType dtype : bound.dtypes) {
    text += text.empty() ? "" : " | ";
    text += dtype_text(dtype);
  }
  return text + (!bound.fixed ? "" : text.empty() ? "fxp" : " | fxp");
}

auto type_word(Interner& interner, const TypeStore& types, TypeId scalar) -> Name {
  return interner.intern(type_text(types, interner, scalar));
}

auto type_of_word(TypeStore& types, std::string_view word) -> std::optional<TypeId> {
  DType dtype{};
  if (find_dtype(word, dtype)) {
    return scalar_type(dtype);
  }
  static constexpr std::string_view kFixed = "fxp<";
  if (!word.starts_with(kFixed) || !word.ends_with('>')) {
    return std::nullopt;
  }
  int bits = 0;
  const char* end = word.data() + word.size() - 1;
  const auto [behind, error] = std::from_chars(word.data() + kFixed.size(), end, bits);
  if (error != std::errc() || behind != end || bits < 1 || bits > 62) {
    return std::nullopt;
  }
  return types.value(Visibility::Public, DType::Fxp, kScalar, static_cast<uint8_t>(bits));
}

auto element_parameter(const Interner& interner, Node type,
                       std::span<const TypeParameter> parameters) -> Name {
  while (type) {
    if (type.is(NodeKind::VisibleType) || type.is(NodeKind::FlaggedType)) {
      type = type.child(Field::Type);
    } else if (type.is(NodeKind::ArrayType)) {
      type = type.child(Field::Element);
    } else {
      break;
    }
  }
  if (!type.is(NodeKind::NamedType)) {
    return {};
  }
  const std::string_view name = type.child(Field::Name).text();
  const auto found = std::find_if(
      parameters.begin(), parameters.end(),
      [&](const TypeParameter& parameter) { return interner.text(parameter.name) == name; });
  return found == parameters.end() ? Name() : found->name;
}

auto combinations(std::span<const TypeParameter> parameters) -> std::vector<std::vector<TypeId>> {
  std::vector<std::vector<TypeId>> result = {{}};
  for (const TypeParameter& parameter : parameters) {
    std::vector<std::vector<TypeId>> longer;
    for (const std::vector<TypeId>& begun : result) {
      for (const TypeId type : types_of_bound(parameter)) {
        longer.push_back(begun);
        longer.back().push_back(type);
      }
    }
    result = std::move(longer);
  }
  return result;
}

}  // namespace tacet::types
