#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/concatenation.h"
#include "compiler/front/check/checker.h"

namespace tacet::check {

using types::DType;
using types::OperandRelation;
using types::OperatorResult;
using types::OperatorScheme;
using types::TypeKind;
using types::TypeStore;

static auto apply(Checker& checker, Node node, const types::OperatorScheme& scheme, Term left,
                  Term right) -> Term;
static void operator_mismatch(Checker& checker, Node node, const types::OperatorScheme& scheme,
                              Term left, Term right);

auto binary(Checker& checker, Node node) -> Term {
  const Term left = expression(checker, node.child(Field::Left));
  const Term right = expression(checker, node.child(Field::Right));
  if (syntax::is_concatenation(node)) {
    return concatenation(checker, node, {node.child(Field::Left), node.child(Field::Right)});
  }
  types::Operator op{};
  if (!types::find_operator(node.child(Field::Operator).kind(), 2, op) || left.is_error() ||
      right.is_error()) {
    // A comparison is a boolean whatever is wrong with its operands.
    const bool is_boolean = types::find_operator(node.child(Field::Operator).kind(), 2, op) &&
                            types::scheme_of(op).result == OperatorResult::Boolean;
    return is_boolean ? Term(TypeStore::kBool) : Term();
  }
  if (checker.inference.is_open(left) || checker.inference.is_open(right)) {
    const Term result = checker.inference.open();
    checker.deferred.push_back({node.index(), op, left, right, result});
    return result;
  }
  return apply(checker, node, types::scheme_of(op), left, right);
}

/// Is the number kind of `scalar` one of `set`? Literals are what they may become, and from now on
/// only that.
auto fits(Checker& checker, types::OperandSet set, Term scalar) -> bool {
  if (checker.inference.is_integer_literal(scalar)) {
    if (set == types::OperandSet::Integers) {
      checker.inference.unify(scalar, checker.inference.integer());
    }
    return set != types::OperandSet::Booleans &&
           (set != types::OperandSet::Fixed || checker.inference.is_number_literal(scalar));
  }
  if (checker.inference.is_fraction_literal(scalar)) {
    return set == types::OperandSet::Numbers || set == types::OperandSet::All ||
           set == types::OperandSet::Fixed;
  }
  const std::optional<DType> dtype = checker.inference.dtype(scalar);
  return dtype && types::takes(set, *dtype);
}

static auto apply(Checker& checker, Node node, const OperatorScheme& scheme, Term left, Term right)
    -> Term {
  const bool has_result = scheme.result == OperatorResult::Boolean;
  const Term otherwise = has_result ? Term(TypeStore::kBool) : Term();
  const bool are_values = checker.inference.shape(left) && checker.inference.shape(right);
  const std::string name = fmt::format("`{}`", node.child(Field::Operator).text());
  if (!requires_numbers(checker, node.child(Field::Left), left, name) ||
      !requires_numbers(checker, node.child(Field::Right), right, name)) {
    return otherwise;
  }
  if (!are_values) {
    // Equality of non-numbers, such as events.
    const bool is_equality = scheme.operands == types::OperandSet::All;
    if (!is_equality || checker.inference.kind(left) == TypeKind::Reference ||
        !checker.inference.unify(left, right)) {
      operator_mismatch(checker, node, scheme, left, right);
    }
    return otherwise;
  }
  const Term a = checker.inference.scalar(left);
  const Term b = checker.inference.scalar(right);
  if (checker.inference.is_open(a) || checker.inference.is_open(b)) {
    checker.inference.unify(a, b);
    return has_result ? otherwise : left;
  }
  if (!fits(checker, scheme.operands, a) || !fits(checker, scheme.operands, b)) {
    operator_mismatch(checker, node, scheme, left, right);
    return otherwise;
  }
  const std::optional<Term> scalar = combine_scalars(checker, scheme, a, b);
  if (!scalar) {
    operator_mismatch(checker, node, scheme, left, right);
    return otherwise;
  }
  const std::optional<types::ShapeId> shape = combine_shapes(checker, node, left, right);
  if (!shape) {
    return {};
  }
  return checker.inference.array(has_result ? Term(TypeStore::kBool) : *scalar, *shape);
}

auto combine_scalars(Checker& checker, const OperatorScheme& scheme, Term left, Term right)
    -> std::optional<Term> {
  const std::optional<DType> a = checker.inference.dtype(left);
  const std::optional<DType> b = checker.inference.dtype(right);
  if (a && b) {
    DType promoted{};
    const bool is_same = checker.inference.unify(left, right);
    if (is_same) {
      return left;
    }
    const bool mixes = scheme.relation == OperandRelation::Promotes && *a != *b &&
                       types::promote(*a, *b, promoted);
    return mixes ? std::optional(*a == DType::Fxp ? left : right) : std::nullopt;
  }
  // An integer literal beside `fxp` stays an integer and is promoted.
  if (scheme.relation == OperandRelation::Promotes) {
    if (a == DType::Fxp && checker.inference.is_integer_literal(right)) {
      return left;
    }
    if (b == DType::Fxp && checker.inference.is_integer_literal(left)) {
      return right;
    }
  }
  return checker.inference.unify(left, right) ? std::optional(checker.inference.resolve(left))
                                              : std::nullopt;
}

auto combine_shapes(Checker& checker, Node node, Term left, Term right)
    -> std::optional<types::ShapeId> {
  const types::ShapeId a = *checker.inference.shape(left);
  const types::ShapeId b = *checker.inference.shape(right);
  if (a == b || b == types::kScalar || types::shapes_match(checker.types, a, b)) {
    return a;
  }
  if (a == types::kScalar) {
    return b;
  }
  checker.report
      .add(DiagnosticCode::T2013, node.range(),
           fmt::format("the operands have different shapes: {} and {}", text(checker, left),
                       text(checker, right)))
      .note("operators work element by element on equal shapes; only scalars are broadcast");
  return std::nullopt;
}

static void operator_mismatch(Checker& checker, Node node, const OperatorScheme& scheme, Term left,
                              Term right) {
  Node token = node.child(Field::Operator);
  const bool both_fit = checker.inference.shape(left) && checker.inference.shape(right) &&
                        fits(checker, scheme.operands, checker.inference.scalar(left)) &&
                        fits(checker, scheme.operands, checker.inference.scalar(right));
  names::Draft draft = checker.report.add(
      both_fit ? DiagnosticCode::T2001 : DiagnosticCode::T2002, node.range(),
      both_fit ? fmt::format("the operands of `{}` have different types: {} and {}", token.text(),
                             text(checker, left), text(checker, right))
               : fmt::format("`{}` cannot be applied to {} and {}", token.text(),
                             text(checker, left), text(checker, right)));
  if (both_fit) {
    label_origin(checker, draft, node.child(Field::Left), left);
    label_origin(checker, draft, node.child(Field::Right), right);
  }
  if (checker.inference.referent(left) || checker.inference.referent(right)) {
    draft.note("references are not dereferenced implicitly; use `*`");
    return;
  }
  const bool are_booleans =
      checker.inference.dtype(left) == DType::Bool && checker.inference.dtype(right) == DType::Bool;
  if (are_booleans && (token.is(NodeKind::Amp) || token.is(NodeKind::Pipe))) {
    const std::string_view meant = token.is(NodeKind::Amp) ? "&&" : "||";
    draft.note(fmt::format("`{}` is a bitwise operator on integers", token.text()));
    draft.replace(token.range(), fmt::format("write `{}`", meant), std::string(meant));
    return;
  }
  if (both_fit) {
    if (!write_as_fraction(checker, draft, node.child(Field::Left), right) &&
        !write_as_fraction(checker, draft, node.child(Field::Right), left)) {
      draft.note("no implicit conversion between these types; convert with `as`");
    }
    return;
  }
  types::Operator op{};
  if (!number_as_truth(checker, draft, node, left, right) &&
      types::find_operator(token.kind(), 2, op)) {
    draft.note(types::scheme_text(op));
  }
}

/// Operators whose operands were not known when they were met. Each round may make others known.
void retry_deferred(Checker& checker) {
  bool has_progress = true;
  while (has_progress && !checker.deferred.empty()) {
    has_progress = false;
    std::vector<Deferred> waiting;
    waiting.swap(checker.deferred);
    for (const Deferred& entry : waiting) {
      if (checker.inference.is_open(entry.left) || checker.inference.is_open(entry.right)) {
        checker.deferred.push_back(entry);
        continue;
      }
      has_progress = true;
      const Term result = apply(checker, node_at(checker, entry.node), types::scheme_of(entry.op),
                                entry.left, entry.right);
      checker.inference.unify(entry.result, result);
    }
    if (!has_progress) {
      // Nothing says more: operands are alike, and comparisons give booleans.
      const Deferred entry = checker.deferred.back();
      checker.deferred.pop_back();
      const OperatorScheme& scheme = types::scheme_of(entry.op);
      const bool is_both_open =
          checker.inference.is_open(entry.left) && checker.inference.is_open(entry.right);
      checker.inference.unify(entry.left, entry.right);
      checker.inference.unify(entry.result, scheme.result == OperatorResult::Boolean
                                                ? Term(TypeStore::kBool)
                                                : entry.left);
      if (!is_both_open) {
        checker.deferred.push_back(entry);
      }
      has_progress = true;
    }
  }
}

}  // namespace tacet::check
