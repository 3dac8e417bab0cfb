#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/check/checker.h"

namespace tacet::check {

using types::DType;
using types::OperandRelation;
using types::OperatorResult;
using types::OperatorScheme;
using types::TypeKind;
using types::TypeStore;

auto Checker::binary(Node node) -> Term {
  const Term left = expression(node.child(Field::Left));
  const Term right = expression(node.child(Field::Right));
  types::Operator op{};
  if (!types::find_operator(node.child(Field::Operator).kind(), 2, op) || left.is_error() ||
      right.is_error()) {
    // A comparison is a boolean whatever is wrong with its operands.
    const bool is_boolean = types::find_operator(node.child(Field::Operator).kind(), 2, op) &&
                            types::scheme_of(op).result == OperatorResult::Boolean;
    return is_boolean ? Term(TypeStore::kBool) : Term();
  }
  if (inference_.is_open(left) || inference_.is_open(right)) {
    const Term result = inference_.open();
    deferred_.push_back({node.index(), op, left, right, result});
    return result;
  }
  return apply(node, types::scheme_of(op), left, right);
}

/// Is the number kind of `scalar` one of `set`? Literals are what they may become.
auto Checker::fits(types::OperandSet set, Term scalar) -> bool {
  if (inference_.is_integer_literal(scalar)) {
    return set != types::OperandSet::Booleans && set != types::OperandSet::Fixed;
  }
  if (inference_.is_fraction_literal(scalar)) {
    return set == types::OperandSet::Numbers || set == types::OperandSet::All ||
           set == types::OperandSet::Fixed;
  }
  const std::optional<DType> dtype = inference_.dtype(scalar);
  return dtype && types::takes(set, *dtype);
}

auto Checker::apply(Node node, const OperatorScheme& scheme, Term left, Term right) -> Term {
  const bool has_result = scheme.result == OperatorResult::Boolean;
  const Term otherwise = has_result ? Term(TypeStore::kBool) : Term();
  const bool are_values = inference_.shape(left) && inference_.shape(right);
  if (!are_values) {
    // Equality of what is no number, such as events.
    const bool is_equality = scheme.operands == types::OperandSet::All;
    if (!is_equality || inference_.kind(left) == TypeKind::Reference ||
        !inference_.unify(left, right)) {
      operator_mismatch(node, scheme, left, right);
    }
    return otherwise;
  }
  const Term a = inference_.scalar(left);
  const Term b = inference_.scalar(right);
  if (inference_.is_open(a) || inference_.is_open(b)) {
    inference_.unify(a, b);
    return has_result ? otherwise : left;
  }
  if (!fits(scheme.operands, a) || !fits(scheme.operands, b)) {
    operator_mismatch(node, scheme, left, right);
    return otherwise;
  }
  const std::optional<Term> scalar = combine_scalars(scheme, a, b);
  if (!scalar) {
    operator_mismatch(node, scheme, left, right);
    return otherwise;
  }
  const std::optional<types::ShapeId> shape = combine_shapes(node, left, right);
  if (!shape) {
    return {};
  }
  return inference_.array(has_result ? Term(TypeStore::kBool) : *scalar, *shape);
}

auto Checker::combine_scalars(const OperatorScheme& scheme, Term left, Term right)
    -> std::optional<Term> {
  const std::optional<DType> a = inference_.dtype(left);
  const std::optional<DType> b = inference_.dtype(right);
  if (a && b) {
    DType promoted{};
    const bool is_same = inference_.unify(left, right);
    if (is_same) {
      return left;
    }
    const bool mixes = scheme.relation == OperandRelation::Promotes && *a != *b &&
                       types::promote(*a, *b, promoted);
    return mixes ? std::optional(*a == DType::Fxp ? left : right) : std::nullopt;
  }
  // An integer literal beside `fxp` stays an integer and is promoted.
  if (scheme.relation == OperandRelation::Promotes) {
    if (a == DType::Fxp && inference_.is_integer_literal(right)) {
      return left;
    }
    if (b == DType::Fxp && inference_.is_integer_literal(left)) {
      return right;
    }
  }
  return inference_.unify(left, right) ? std::optional(inference_.resolve(left)) : std::nullopt;
}

auto Checker::combine_shapes(Node node, Term left, Term right) -> std::optional<types::ShapeId> {
  const types::ShapeId a = *inference_.shape(left);
  const types::ShapeId b = *inference_.shape(right);
  if (a == b || b == types::kScalar || inference_.shapes_match(a, b)) {
    return a;
  }
  if (a == types::kScalar) {
    return b;
  }
  report_
      .add(DiagnosticCode::T2013, node.range(),
           fmt::format("the operands have different shapes: {} and {}", text(left), text(right)))
      .note("operators work element by element on equal shapes; only scalars are broadcast");
  return std::nullopt;
}

void Checker::operator_mismatch(Node node, const OperatorScheme& scheme, Term left, Term right) {
  Node token = node.child(Field::Operator);
  const bool both_fit = inference_.shape(left) && inference_.shape(right) &&
                        fits(scheme.operands, inference_.scalar(left)) &&
                        fits(scheme.operands, inference_.scalar(right));
  names::Draft draft =
      report_.add(both_fit ? DiagnosticCode::T2001 : DiagnosticCode::T2002, node.range(),
                  both_fit ? fmt::format("the operands of `{}` have different types: {} and {}",
                                         token.text(), text(left), text(right))
                           : fmt::format("`{}` cannot be applied to {} and {}", token.text(),
                                         text(left), text(right)));
  if (both_fit) {
    label_origin(draft, node.child(Field::Left), left);
    label_origin(draft, node.child(Field::Right), right);
  }
  if (inference_.referent(left) || inference_.referent(right)) {
    draft.note("references are not dereferenced implicitly; use `*`");
    return;
  }
  const bool are_booleans =
      inference_.dtype(left) == DType::Bool && inference_.dtype(right) == DType::Bool;
  if (are_booleans && (token.is(NodeKind::Amp) || token.is(NodeKind::Pipe))) {
    const std::string_view meant = token.is(NodeKind::Amp) ? "&&" : "||";
    draft.note(fmt::format("`{}` is a bitwise operator on integers", token.text()));
    draft.replace(token.range(), fmt::format("write `{}`", meant), std::string(meant));
    return;
  }
  if (both_fit) {
    if (!write_as_fraction(draft, node.child(Field::Left), right) &&
        !write_as_fraction(draft, node.child(Field::Right), left)) {
      draft.note("no implicit conversion between these types; convert with `as`");
    }
    return;
  }
  types::Operator op{};
  if (types::find_operator(token.kind(), 2, op)) {
    draft.note(types::scheme_text(op));
  }
}

/// Operators whose operands were not known when they were met. Each round may make others known.
void Checker::retry_deferred() {
  bool has_progress = true;
  while (has_progress && !deferred_.empty()) {
    has_progress = false;
    std::vector<Deferred> waiting;
    waiting.swap(deferred_);
    for (const Deferred& entry : waiting) {
      if (inference_.is_open(entry.left) || inference_.is_open(entry.right)) {
        deferred_.push_back(entry);
        continue;
      }
      has_progress = true;
      const Term result =
          apply(node(entry.node), types::scheme_of(entry.op), entry.left, entry.right);
      inference_.unify(entry.result, result);
    }
    if (!has_progress) {
      // Nothing says more: operands are alike, and comparisons give booleans.
      const Deferred entry = deferred_.back();
      deferred_.pop_back();
      const OperatorScheme& scheme = types::scheme_of(entry.op);
      const bool is_both_open = inference_.is_open(entry.left) && inference_.is_open(entry.right);
      inference_.unify(entry.left, entry.right);
      inference_.unify(entry.result, scheme.result == OperatorResult::Boolean
                                         ? Term(TypeStore::kBool)
                                         : entry.left);
      if (!is_both_open) {
        deferred_.push_back(entry);
      }
      has_progress = true;
    }
  }
}

}  // namespace tacet::check
