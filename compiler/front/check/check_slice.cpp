#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/check/array_forms.h"
#include "compiler/front/check/checker.h"

// Parts of arrays, arrays in a row, and ranges of integers: forms whose lengths are computed.

namespace tacet::check {

using types::MaybeForm;
using types::SizeForm;
using types::SizeVerdict;
using types::TypeKind;
using types::TypeStore;

/// What must be at least 0, and what is said if it is not.
struct BoundsClaim {
  SizeForm form;
  std::string wrong;
  std::string constraint;
};

/// False, with a report, if the claim is wrong for some sizes.
static auto holds_for_all(Checker& checker, Node place, const BoundsClaim& claim) -> bool {
  if (claim.form.terms.empty()) {
    if (claim.form.constant < 0) {
      checker.report.add(DiagnosticCode::T2044, place.range(), claim.wrong);
    }
    return claim.form.constant >= 0;
  }
  const types::SizeProof proof =
      types::prove_at_least_zero(checker.types, facts_of_sizes(checker), claim.form);
  if (proof.verdict == SizeVerdict::Proven) {
    return true;
  }
  const bool is_refuted = proof.verdict == SizeVerdict::Refuted;
  checker.report
      .add(is_refuted ? DiagnosticCode::T2040 : DiagnosticCode::T2041, place.range(),
           is_refuted
               ? fmt::format("{} for {}", claim.wrong, types::example_text(checker.interner, proof))
               : fmt::format("cannot prove `{}`", claim.constraint))
      .note(
          fmt::format("add a constraint after the results, such as `where {}`", claim.constraint));
  return !is_refuted;
}

static auto form_text(Checker& checker, const SizeForm& form) -> std::string {
  return types::form_text(checker.types, checker.interner, form);
}

/// `b - a` as a claim that `a` is at most `b`.
static auto at_most(Checker& checker, const SizeForm& a, const SizeForm& b, std::string wrong)
    -> std::optional<BoundsClaim> {
  const MaybeForm rest = types::subtract(b, a);
  return rest ? std::optional(
                    BoundsClaim{*rest, std::move(wrong),
                                types::constraint_text(checker.types, checker.interner,
                                                       {*rest, types::SizeRelation::AtLeast})})
              : std::nullopt;
}

/// A bound, as a form in sizes. Nothing, with a report, if it is not known when compiling.
static auto bound_form(Checker& checker, Node bound, std::string_view what) -> MaybeForm {
  const Term term = expression(checker, bound);
  const bool is_integer =
      !term.is_error() && checker.inference.unify(term, checker.inference.integer());
  if (!is_integer) {
    if (!term.is_error()) {
      checker.report.add(DiagnosticCode::T2001, bound.range(),
                         fmt::format("{} is {}, expected an integer", what, text(checker, term)));
    }
    return std::nullopt;
  }
  const std::optional<int64_t> value = evaluate(checker, bound);
  const MaybeForm form = value ? MaybeForm(SizeForm{*value}) : size_form(checker, bound);
  if (!form) {
    checker.report
        .add(DiagnosticCode::T2045, bound.range(),
             fmt::format("{} `{}` is not known when compiling", what, bound.text()))
        .note(
            "the length of an array is known when compiling, so bounds are numbers, constants, "
            "size parameters, `len(a)`, and sums of those");
  }
  return form;
}

namespace {

struct Bounds {
  SizeForm lower;
  SizeForm upper;
};

}  // namespace

/// The bounds of a slice of an array with `extent` elements, inside of it.
static auto bounds_of(Checker& checker, Node slice, int64_t extent) -> std::optional<Bounds> {
  const SizeForm length = checker.types.form(extent);
  const Node lower = slice.child(Field::Lower);
  const Node upper = slice.child(Field::Upper);
  const MaybeForm first = lower ? bound_form(checker, lower, "the bound") : SizeForm{0};
  const MaybeForm end = upper ? bound_form(checker, upper, "the bound") : length;
  if (!first || !end) {
    return std::nullopt;
  }
  const std::string from = form_text(checker, *first);
  const std::string to = form_text(checker, *end);
  const std::string all = form_text(checker, length);
  std::vector<std::pair<Node, std::optional<BoundsClaim>>> claims;
  if (lower) {
    claims.emplace_back(lower,
                        at_most(checker, SizeForm{0}, *first,
                                fmt::format("the slice starts at {}, before the array", from)));
  }
  if (upper) {
    claims.emplace_back(
        upper, at_most(checker, *end, length,
                       fmt::format("the slice ends at {}, but the array has length {}", to, all)));
  }
  if (lower || upper) {
    claims.emplace_back(
        upper ? upper : lower,
        at_most(
            checker, *first, *end,
            upper ? fmt::format("the slice ends at {}, before its start at {}", to, from)
                  : fmt::format("the slice starts at {}, but the array has length {}", from, all)));
  }
  for (const auto& [place, claim] : claims) {
    if (!claim || !holds_for_all(checker, place, *claim)) {
      return std::nullopt;
    }
  }
  return Bounds{*first, *end};
}

/// The step of a slice; nothing, with a report, if it is no positive constant.
static auto step_of(Checker& checker, Node slice) -> std::optional<int64_t> {
  const Node step = slice.child(Field::Step);
  if (!step) {
    return 1;
  }
  const MaybeForm form = bound_form(checker, step, "the step");
  if (form && form->terms.empty() && form->constant > 0) {
    return form->constant;
  }
  if (form) {
    checker.report
        .add(DiagnosticCode::T2045, step.range(),
             fmt::format("the step is {}, expected a positive number", form_text(checker, *form)))
        .note(form->terms.empty() ? "a slice takes elements in ascending order"
                                  : "the step is the same for all sizes");
  }
  return std::nullopt;
}

/// `(end - first + step - 1) / step`.
static auto length_of_stride(Checker& checker, const Bounds& bounds, int64_t step) -> MaybeForm {
  const MaybeForm all = types::subtract(bounds.upper, bounds.lower);
  const MaybeForm longer = all ? types::add(*all, SizeForm{step - 1}) : std::nullopt;
  return longer ? types::divide(checker.types, *longer, SizeForm{step}) : std::nullopt;
}

/// The extent of the outermost dimension of an array of values. Nothing, with a report, if `term`
/// is something else, unless it is a mistake already.
static auto outermost_extent(Checker& checker, Node node, Term term) -> std::optional<int64_t> {
  if (without_outermost(checker, node, term, 0).is_error() || checker.inference.is_open(term)) {
    return std::nullopt;
  }
  if (const std::optional<types::ShapeId> shape = checker.inference.outer_shape(term)) {
    return checker.types.extents(*shape).front();
  }
  checker.report
      .add(DiagnosticCode::T2012, node.range(),
           fmt::format("the length of {} is not known when compiling", text(checker, term)))
      .note("expected an array, `[T; n]`");
  return std::nullopt;
}

auto slice(Checker& checker, Node node) -> Term {
  const Node array = node.child(Field::Array);
  const Term base = checker.inference.resolve(expression(checker, array));
  const std::optional<int64_t> extent = outermost_extent(checker, array, base);
  if (!extent || *extent == types::kUnknownExtent) {
    for (const Field field : {Field::Lower, Field::Upper, Field::Step}) {
      expression(checker, node.child(field));
    }
    return {};
  }
  const std::optional<Bounds> bounds = bounds_of(checker, node, *extent);
  const std::optional<int64_t> step = step_of(checker, node);
  const MaybeForm length =
      bounds && step ? length_of_stride(checker, *bounds, *step) : std::nullopt;
  std::vector<int64_t> extents = checker.types.extents(*checker.inference.outer_shape(base));
  extents.front() = length ? checker.types.extent(*length) : types::kUnknownExtent;
  return checker.inference.array(checker.inference.innermost(base), checker.types.shape(extents));
}

auto range_array(Checker& checker, Node node) -> Term {
  const Node lower = node.child(Field::Left);
  const Node upper = node.child(Field::Right);
  const MaybeForm first = bound_form(checker, lower, "the bound");
  const MaybeForm end = bound_form(checker, upper, "the bound");
  const Term element = checker.inference.number();
  set(checker, node, element);
  const auto claim =
      first && end ? at_most(checker, *first, *end,
                             fmt::format("the range ends at {}, before its start at {}",
                                         form_text(checker, *end), form_text(checker, *first)))
                   : std::nullopt;
  if (!claim || !holds_for_all(checker, upper, *claim)) {
    return with_outermost(checker, types::kUnknownExtent, element);
  }
  if (first->terms.empty() && end->terms.empty()) {
    checker.ranges.push_back({node.index(), first->constant, end->constant});
  }
  return with_outermost(checker, checker.types.extent(claim->form), element);
}

/// Reports an argument of a concatenation that is a single element.
static auto is_single(Checker& checker, Node argument, Term term) -> bool {
  const std::optional<types::ShapeId> shape = checker.inference.shape(term);
  if (!shape || !checker.types.extents(*shape).empty()) {
    return false;
  }
  checker.report
      .add(DiagnosticCode::T2010, argument.range(),
           fmt::format("{} is not an array", text(checker, term)))
      .fix("make it an array of one element", Applicability::Safe,
           {{argument.range(), fmt::format("[{}]", syntax::bare(argument).text())}});
  return true;
}

auto concatenation(Checker& checker, Node call, const std::vector<Node>& arguments) -> Term {
  if (!count(checker, call, arguments, 2, 1000)) {
    return {};
  }
  const Term element = checker.inference.open();
  MaybeForm total = SizeForm{0};
  for (const Node argument : arguments) {
    const Term term = checker.inference.resolve(checker.terms[argument.index()]);
    const std::optional<int64_t> extent = is_single(checker, argument, term)
                                              ? std::nullopt
                                              : outermost_extent(checker, argument, term);
    if (!extent) {
      return {};
    }
    const Term part = without_outermost(checker, argument, term, 0);
    if (!meet(checker, element, part)) {
      checker.report
          .add(DiagnosticCode::T2001, argument.range(),
               fmt::format("arrays of different elements are concatenated: {} and {}",
                           text(checker, element), text(checker, part)))
          .label(arguments[0].range(),
                 fmt::format("this is {}", text(checker, checker.terms[arguments[0].index()])));
      return {};
    }
    const bool is_known = total && *extent != types::kUnknownExtent;
    total = is_known ? types::add(*total, checker.types.form(*extent)) : std::nullopt;
  }
  return with_outermost(checker, total ? checker.types.extent(*total) : types::kUnknownExtent,
                        element);
}

}  // namespace tacet::check
