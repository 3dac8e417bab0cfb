#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "compiler/core/query/context.h"
#include "compiler/core/syntax/tree.h"
#include "compiler/front/names/item.h"
#include "compiler/front/types/signature.h"
#include "compiler/front/types/type.h"

/// Type parameters, as in `f'<T: number, n>`. A bound stands for finitely many types. The body is
/// checked for each of them, and devices compile instances. Where the types of the function itself
/// are needed, `T` is the first type of the bound.
namespace tacet::types {

/// At most so many type parameters has a function: the body is checked for all combinations.
inline constexpr size_t kMostTypeParameters = 2;

/// The type parameters of a function by name: the types of an instance, or the first of each bound.
using TypeScope = std::vector<std::pair<Name, TypeId>>;

/// Reads `T: number`. The bound is empty if it is wrong.
auto type_parameter_of(Interner& interner, syntax::Node parameter) -> TypeParameter;

/// The type parameters that the head at `root` declares. Bounds that are wrong are empty.
auto type_parameters_of(Interner& interner, syntax::Node root) -> std::vector<TypeParameter>;

/// The types that the type parameters of `item` mean in it; `root` is its head.
auto types_of_head(query::Context& context, names::ItemId item, syntax::Node root) -> TypeScope;

/// The types that stand for a bound when the body is checked. Others that it allows (`fxp<12>`)
/// are checked in their instances.
auto types_of_bound(const TypeParameter& parameter) -> std::vector<TypeId>;

/// May `T` be this scalar?
auto allows(const TypeStore& types, const TypeParameter& parameter, TypeId scalar) -> bool;

/// `number`, `i64 | fxp`
auto bound_text(const TypeParameter& parameter) -> std::string;

/// A scalar as it is written, and back. Nothing for other text.
auto type_word(Interner& interner, const TypeStore& types, TypeId scalar) -> Name;
auto type_of_word(TypeStore& types, std::string_view word) -> std::optional<TypeId>;

/// The type parameter that a written type consists of: of `T`, `secret T`, `[T; n]`.
auto element_parameter(const Interner& interner, syntax::Node type,
                       std::span<const TypeParameter> parameters) -> Name;

/// All combinations of types for these parameters, the first of each bound first.
auto combinations(std::span<const TypeParameter> parameters) -> std::vector<std::vector<TypeId>>;

}  // namespace tacet::types
