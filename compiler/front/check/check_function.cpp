#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/check/checker.h"

namespace tacet::check {

using names::Builtin;
using types::DType;
using types::FunctionScheme;

/// Is the argument a number, or an array of numbers, that the function takes? What is not known
/// yet and mistakes are.
auto Checker::fits_function(Node argument, const FunctionScheme& scheme) -> bool {
  const Term term = terms_[argument.index()];
  if (inference_.is_open(term) || term.is_error()) {
    return true;
  }
  const bool is_value = inference_.shape(term).has_value();
  const Term scalar = is_value ? inference_.scalar(term) : Term();
  if (is_value && (inference_.is_open(scalar) || fits(scheme.operands, scalar))) {
    if (scheme.operands == types::OperandSet::Fixed) {
      inference_.unify(scalar, Term(types::scalar_type(DType::Fxp)));
    }
    return true;
  }
  names::Draft draft = report_.add(DiagnosticCode::T2002, argument.range(),
                                   fmt::format("`{}` cannot be applied to {}",
                                               names::builtin_text(scheme.function), text(term)));
  label_origin(draft, argument, term);
  if (scheme.operands == types::OperandSet::Fixed && is_value) {
    if (!write_as_fraction(draft, argument, Term(types::scalar_type(DType::Fxp)))) {
      draft.note("expected `fxp`; convert with `as fxp`");
    }
    return false;
  }
  draft.note(std::string(scheme.text));
  return false;
}

/// `min(a, b)`, `max(a, b)`: typed as `a + b` is.
auto Checker::chosen(Node call, const FunctionScheme& scheme, Node left, Node right) -> Term {
  const Term a = terms_[left.index()];
  const Term b = terms_[right.index()];
  if (inference_.is_open(a) || inference_.is_open(b)) {
    inference_.unify(a, b);
    return a;
  }
  if (a.is_error() || b.is_error()) {
    return {};
  }
  const std::optional<Term> scalar = combine_scalars(types::scheme_of(types::Operator::Add),
                                                     inference_.scalar(a), inference_.scalar(b));
  if (!scalar) {
    names::Draft draft =
        report_.add(DiagnosticCode::T2001, call.range(),
                    fmt::format("the arguments of `{}` have different types: {} and {}",
                                names::builtin_text(scheme.function), text(a), text(b)));
    label_origin(draft, left, a);
    label_origin(draft, right, b);
    if (!write_as_fraction(draft, left, b) && !write_as_fraction(draft, right, a)) {
      draft.note("no implicit conversion between these types; convert with `as`");
    }
    return {};
  }
  const std::optional<types::ShapeId> shape = combine_shapes(call, a, b);
  return shape ? inference_.array(*scalar, *shape) : Term();
}

/// The extent of the outermost dimension of an argument. What has none is reported, unless it is a
/// mistake already or not known.
auto Checker::outermost_of(Node argument) -> std::optional<int64_t> {
  const Term term = terms_[argument.index()];
  const Term part = without_outermost(argument, term, 0);
  if (part.is_error() || inference_.is_open(term)) {
    return std::nullopt;
  }
  const std::optional<types::ShapeId> shape = inference_.shape(term);
  return shape ? std::optional(types_.extents(*shape).front()) : std::nullopt;
}

/// `sort(a)`, `sort_by(keys, values)`, `top_k(a, k)`.
auto Checker::sorted(const std::vector<Node>& arguments, Builtin builtin) -> Term {
  const Term keys = terms_[arguments[0].index()];
  const std::optional<int64_t> n = outermost_of(arguments[0]);
  if (!n) {
    return builtin == Builtin::SortBy ? terms_[arguments[1].index()] : Term();
  }
  if (types_.extents(*inference_.shape(keys)).size() != 1) {
    report_
        .add(DiagnosticCode::T2010, arguments[0].range(),
             fmt::format("cannot sort {}: expected a one-dimensional array", text(keys)))
        .note("`sort_by(keys, rows)` sorts the rows of a matrix");
    return {};
  }
  if (builtin == Builtin::Sort) {
    return keys;
  }
  if (builtin == Builtin::SortBy) {
    const Term values = terms_[arguments[1].index()];
    const std::optional<int64_t> n_values = outermost_of(arguments[1]);
    const bool is_known = n_values && *n != types::kUnknownExtent;
    if (is_known && *n_values != types::kUnknownExtent && *n != *n_values) {
      report_
          .add(DiagnosticCode::T2013, arguments[1].range(),
               fmt::format("{} keys but {} values", *n, *n_values))
          .label(arguments[0].range(), fmt::format("this is {}", text(keys)))
          .note("`sort_by` needs one key for each value");
      return {};
    }
    return values;
  }
  const std::optional<int64_t> k = evaluate(arguments[1]);
  if (!k || *k < 0 || (*n != types::kUnknownExtent && *k > *n)) {
    report_.add(DiagnosticCode::T2012, arguments[1].range(),
                k ? fmt::format("cannot take the {} largest of {} elements", *k, *n)
                  : "the number of elements to take must be a constant integer");
    return {};
  }
  return with_outermost(*k, inference_.scalar(keys));
}

auto Checker::number_function(Node call, Builtin builtin, const std::vector<Node>& arguments)
    -> Term {
  const FunctionScheme& scheme = *types::find_function_scheme(builtin);
  const bool is_choice = builtin == Builtin::Min || builtin == Builtin::Max;
  const size_t n = builtin == Builtin::SortBy || builtin == Builtin::TopK ? 2 : 1;
  if (!count(call, arguments, n, is_choice ? 2 : n)) {
    return {};
  }
  bool fits = fits_function(arguments[0], scheme);
  if (is_choice && arguments.size() == 2) {
    fits = fits_function(arguments[1], scheme) && fits;
    return fits ? chosen(call, scheme, arguments[0], arguments[1]) : Term();
  }
  if (!fits) {
    return {};
  }
  const Term given = terms_[arguments[0].index()];
  if (is_choice) {
    const Term part = without_outermost(arguments[0], given, 0);
    const std::optional<types::ShapeId> shape = inference_.shape(given);
    if (!part.is_error() && shape && types_.extents(*shape).front() == 0) {
      report_.add(DiagnosticCode::T2012, arguments[0].range(),
                  fmt::format("`{}` of an empty array", names::builtin_text(builtin)));
      return {};
    }
    return part;
  }
  const bool is_order =
      builtin == Builtin::Sort || builtin == Builtin::SortBy || builtin == Builtin::TopK;
  if (is_order) {
    return sorted(arguments, builtin);
  }
  if (scheme.operands == types::OperandSet::Fixed && inference_.is_open(given)) {
    inference_.unify(given, Term(types::scalar_type(DType::Fxp)));
  }
  return given;
}

}  // namespace tacet::check
