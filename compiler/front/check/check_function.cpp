#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/check/checker.h"

namespace tacet::check {

using names::Builtin;
using types::DType;
using types::FunctionScheme;

/// Is the argument a number, or an array of numbers, that the function takes? What is not known
/// yet and mistakes are.
static auto fits_function(Checker& checker, Node argument, const FunctionScheme& scheme) -> bool {
  const Term term = checker.terms[argument.index()];
  if (checker.inference.is_open(term) || term.is_error()) {
    return true;
  }
  const bool is_value = checker.inference.shape(term).has_value();
  const Term scalar = is_value ? checker.inference.scalar(term) : Term();
  if (is_value && (checker.inference.is_open(scalar) || fits(checker, scheme.operands, scalar))) {
    if (scheme.operands == types::OperandSet::Fixed) {
      checker.inference.unify(scalar, Term(types::scalar_type(DType::Fxp)));
    }
    return true;
  }
  names::Draft draft =
      checker.report.add(DiagnosticCode::T2002, argument.range(),
                         fmt::format("`{}` cannot be applied to {}",
                                     names::builtin_text(scheme.function), text(checker, term)));
  label_origin(checker, draft, argument, term);
  if (scheme.operands == types::OperandSet::Fixed && is_value) {
    draft.note("expected `fxp`; convert with `as fxp`");
    return false;
  }
  draft.note(std::string(scheme.text));
  return false;
}

/// `min(a, b)`, `max(a, b)`: typed as `a + b` is.
static auto chosen(Checker& checker, Node call, const FunctionScheme& scheme, Node left, Node right)
    -> Term {
  const Term a = checker.terms[left.index()];
  const Term b = checker.terms[right.index()];
  if (checker.inference.is_open(a) || checker.inference.is_open(b)) {
    checker.inference.unify(a, b);
    return a;
  }
  if (a.is_error() || b.is_error()) {
    return {};
  }
  const std::optional<Term> scalar =
      combine_scalars(checker, types::scheme_of(types::Operator::Add), checker.inference.scalar(a),
                      checker.inference.scalar(b));
  if (!scalar) {
    names::Draft draft = checker.report.add(
        DiagnosticCode::T2001, call.range(),
        fmt::format("the arguments of `{}` have different types: {} and {}",
                    names::builtin_text(scheme.function), text(checker, a), text(checker, b)));
    label_origin(checker, draft, left, a);
    label_origin(checker, draft, right, b);
    draft.note("no implicit conversion between these types; convert with `as`");
    return {};
  }
  const std::optional<types::ShapeId> shape = combine_shapes(checker, call, a, b);
  return shape ? checker.inference.array(*scalar, *shape) : Term();
}

/// The extent of the outermost dimension of an argument. What has none is reported, unless it is a
/// mistake already or not known.
static auto outermost_of(Checker& checker, Node argument) -> std::optional<int64_t> {
  const Term term = checker.terms[argument.index()];
  const Term part = without_outermost(checker, argument, term, 0);
  if (part.is_error() || checker.inference.is_open(term)) {
    return std::nullopt;
  }
  const std::optional<types::ShapeId> shape = checker.inference.outer_shape(term);
  return shape ? std::optional(checker.types.extents(*shape).front()) : std::nullopt;
}

/// `sort(a)`, `sort_by(keys, values)`, `top_k(a, k)`.
static auto sorted(Checker& checker, const std::vector<Node>& arguments, Builtin builtin) -> Term {
  const Term keys = checker.terms[arguments[0].index()];
  const std::optional<int64_t> n = outermost_of(checker, arguments[0]);
  if (!n) {
    return builtin == Builtin::SortBy ? checker.terms[arguments[1].index()] : Term();
  }
  if (checker.types.extents(*checker.inference.shape(keys)).size() != 1) {
    checker.report
        .add(DiagnosticCode::T2010, arguments[0].range(),
             fmt::format("cannot sort {}: expected a one-dimensional array", text(checker, keys)))
        .note("`sort_by(keys, rows)` sorts the rows of a matrix");
    return {};
  }
  if (builtin == Builtin::Sort) {
    return keys;
  }
  if (builtin == Builtin::SortBy) {
    const Term values = checker.terms[arguments[1].index()];
    const std::optional<int64_t> n_values = outermost_of(checker, arguments[1]);
    const bool is_known = n_values && *n != types::kUnknownExtent;
    if (is_known && *n_values != types::kUnknownExtent && *n != *n_values) {
      checker.report
          .add(DiagnosticCode::T2013, arguments[1].range(),
               fmt::format("{} keys but {} values",
                           types::extent_text(checker.types, checker.interner, *n),
                           types::extent_text(checker.types, checker.interner, *n_values)))
          .label(arguments[0].range(), fmt::format("this is {}", text(checker, keys)))
          .note("`sort_by` needs one key for each value");
      return {};
    }
    return values;
  }
  const types::MaybeForm k_form = size_form(checker, arguments[1]);
  const bool is_symbolic = types::is_symbolic(*n) || (k_form && !k_form->terms.empty());
  if (is_symbolic && k_form) {
    require_length(checker, arguments[1], *k_form);
    require_at_most(checker, arguments[1], *k_form, *n);
    return with_outermost(checker, checker.types.extent(*k_form), checker.inference.scalar(keys));
  }
  const std::optional<int64_t> k = evaluate(checker, arguments[1]);
  if (!k || *k < 0 || (*n != types::kUnknownExtent && *k > *n)) {
    checker.report.add(DiagnosticCode::T2012, arguments[1].range(),
                       k ? fmt::format("cannot take the {} largest of {} elements", *k,
                                       types::extent_text(checker.types, checker.interner, *n))
                         : "the number of elements to take must be a constant integer");
    return {};
  }
  return with_outermost(checker, *k, checker.inference.scalar(keys));
}

auto number_function(Checker& checker, Node call, Builtin builtin,
                     const std::vector<Node>& arguments) -> Term {
  const FunctionScheme& scheme = *types::find_function_scheme(builtin);
  const bool is_choice = builtin == Builtin::Min || builtin == Builtin::Max;
  const size_t n = builtin == Builtin::SortBy || builtin == Builtin::TopK ? 2 : 1;
  if (!count(checker, call, arguments, n, is_choice ? 2 : n)) {
    return {};
  }
  for (const Node argument : arguments) {
    const bool is_sorted = builtin == Builtin::SortBy && argument == arguments[1];
    if (!is_sorted && !requires_numbers(checker, argument, checker.terms[argument.index()],
                                        fmt::format("`{}`", names::builtin_text(builtin)))) {
      return {};
    }
  }
  bool fits = fits_function(checker, arguments[0], scheme);
  if (is_choice && arguments.size() == 2) {
    fits = fits_function(checker, arguments[1], scheme) && fits;
    return fits ? chosen(checker, call, scheme, arguments[0], arguments[1]) : Term();
  }
  if (!fits) {
    return {};
  }
  const Term given = checker.terms[arguments[0].index()];
  if (is_choice) {
    const Term part = without_outermost(checker, arguments[0], given, 0);
    const std::optional<types::ShapeId> shape = checker.inference.shape(given);
    if (!part.is_error() && shape && checker.types.extents(*shape).front() == 0) {
      checker.report.add(DiagnosticCode::T2012, arguments[0].range(),
                         fmt::format("`{}` of an empty array", names::builtin_text(builtin)));
      return {};
    }
    return part;
  }
  const bool is_order =
      builtin == Builtin::Sort || builtin == Builtin::SortBy || builtin == Builtin::TopK;
  if (is_order) {
    return sorted(checker, arguments, builtin);
  }
  if (scheme.operands == types::OperandSet::Fixed && checker.inference.is_open(given)) {
    checker.inference.unify(given, Term(types::scalar_type(DType::Fxp)));
  }
  return given;
}

}  // namespace tacet::check
