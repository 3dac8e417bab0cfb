#pragma once

#include <functional>
#include <optional>

#include "compiler/core/syntax/tree.h"
#include "compiler/front/types/signature.h"
#include "compiler/front/types/type.h"

/// Arithmetic of forms in sizes. Nothing where a result is no such form, or a number too large.
namespace tacet::types {

using MaybeForm = std::optional<SizeForm>;

auto size_parameter(Name name) -> SizeForm;
auto size_local(uint32_t local) -> SizeForm;

auto add(const SizeForm& a, const SizeForm& b) -> MaybeForm;
auto subtract(const SizeForm& a, const SizeForm& b) -> MaybeForm;
/// One of them must be a number.
auto multiply(const SizeForm& a, const SizeForm& b) -> MaybeForm;
/// Products of more than `kMostFactors` atoms are no forms.
auto multiply(TypeStore& types, const SizeForm& a, const SizeForm& b) -> MaybeForm;
inline constexpr size_t kMostFactors = 4;
/// The atoms of a product, or the atom itself.
auto factors_of(const TypeStore& types, const SizeAtom& atom) -> std::vector<SizeAtom>;
/// `form / divisor` if that leaves no rest for any sizes. The divisor is a number other than 0, or
/// a single term.
auto exact_quotient(TypeStore& types, const SizeForm& form, const SizeForm& divisor) -> MaybeForm;
/// `divisor` must be a positive number. Rounds down; for sizes, which are not negative, that is
/// what `/` means.
auto divide(TypeStore& types, const SizeForm& a, const SizeForm& divisor) -> MaybeForm;
auto remainder(TypeStore& types, const SizeForm& a, const SizeForm& divisor) -> MaybeForm;

/// The form that an expression of integers, names and operators computes; `form_of` gives
/// those of names and calls.
auto evaluate_form(TypeStore& types, syntax::Node node,
                   const std::function<MaybeForm(syntax::Node)>& form_of) -> MaybeForm;

/// `form` with other forms for its parameters and locals: `form_of` gives them.
auto substitute(TypeStore& types, const SizeForm& form,
                const std::function<MaybeForm(const SizeAtom&)>& form_of) -> MaybeForm;

/// The type with each extent replaced; extents that become unknown fit every one.
auto substitute_sizes(TypeStore& types, TypeId type,
                      const std::function<MaybeForm(const SizeAtom&)>& form_of) -> TypeId;

/// Does a type contain forms?
auto has_symbolic_size(const TypeStore& types, TypeId type) -> bool;

/// `2 * n + 1`. `local_name` names the locals of a body.
auto form_text(const TypeStore& types, const Interner& names, const SizeForm& form,
               const std::function<std::string(uint32_t)>& local_name = nullptr) -> std::string;

/// `n >= k`, with what is subtracted on the right.
auto constraint_text(const TypeStore& types, const Interner& names,
                     const SizeConstraint& constraint) -> std::string;

}  // namespace tacet::types
