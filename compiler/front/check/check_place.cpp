#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/check/checker.h"

// What may be assigned to.

namespace tacet::check {

using names::LocalKind;
using types::TypeKind;

void immutable(Checker& checker, Node target, uint32_t local) {
  const names::Local& declared = checker.resolved.names.locals[local];
  const bool is_reference =
      checker.inference.kind(checker.local_terms[local]) == TypeKind::Reference;
  names::Draft draft = checker.report.add(
      DiagnosticCode::T2007, target.range(),
      fmt::format("cannot assign to immutable variable `{}` or take a reference to it",
                  target.text()));
  if (declared.node != names::Local::kNone) {
    draft.label(node_at(checker, declared.node).range(), "declared here");
  }
  if (is_reference) {
    draft.note(fmt::format("`*{} = …` writes through the reference", target.text()));
  } else if (declared.kind == LocalKind::Let && declared.declaration != names::Local::kNone &&
             node_at(checker, declared.declaration).is(NodeKind::LetStatement)) {
    for (Node word : node_at(checker, declared.declaration).children()) {
      draft.replace(word.range(), "declare it with `var`", "var");
      break;
    }
    draft.note("only a variable declared with `var` can change");
  } else if (declared.kind == LocalKind::Parameter) {
    draft.note(fmt::format("copy it first: `var {0} = {0};`", target.text()));
  }
}

static auto place_of_name(Checker& checker, Node name) -> Term {
  const Term term = expression(checker, name);
  const uint32_t local = local_of(checker, name);
  if (local != names::Local::kNone && checker.resolved.names.locals[local].kind != LocalKind::Var) {
    immutable(checker, name, local);
    return {};
  }
  if (local == names::Local::kNone && !term.is_error()) {
    checker.report.add(DiagnosticCode::T2007, name.range(),
                       fmt::format("cannot assign to constant `{}`", name.text()));
    return {};
  }
  return term;
}

/// What `target` is a part of.
static auto whole_of(Node target) -> Node {
  while (target.is(NodeKind::IndexExpression) || target.is(NodeKind::ParenthesizedExpression) ||
         target.is(NodeKind::FieldExpression)) {
    target = target.child(target.is(NodeKind::IndexExpression)   ? Field::Array
                          : target.is(NodeKind::FieldExpression) ? Field::Record
                                                                 : Field::Value);
  }
  return target;
}

static auto place_of_element(Checker& checker, Node element) -> Term {
  const Node base = whole_of(element);
  const Term term = expression(checker, element);
  const uint32_t local = base ? local_of(checker, base) : names::Local::kNone;
  if (base.is(NodeKind::Identifier) && local != names::Local::kNone &&
      checker.resolved.names.locals[local].kind != LocalKind::Var) {
    immutable(checker, base, local);
    return {};
  }
  return term;
}

/// Is it a slice, or an element of one? Those are copies.
static auto is_in_slice(Node target) -> bool {
  return whole_of(target).is(NodeKind::SliceExpression);
}

/// A field or element of a variable of a device function.
static auto is_part_of_variable(const Checker& checker, Node target) -> bool {
  return target.is(NodeKind::IndexExpression) ||
         (target.is(NodeKind::FieldExpression) && checker.kind == BodyKind::Device &&
          whole_of(target).is(NodeKind::Identifier));
}

/// The type of what `target` stores, after checking that it is a place.
static auto place(Checker& checker, Node target) -> Term {
  if (is_in_slice(target)) {
    expression(checker, target);
    checker.report.add(DiagnosticCode::T2007, target.range(), "cannot assign to a slice")
        .note("a slice is a copy; assign to the elements: `for i in lo..hi { a[i] = …; }`");
    return {};
  }
  if (target.is(NodeKind::ParenthesizedExpression) || target.is(NodeKind::TaggedExpression)) {
    return set(checker, target, place(checker, target.child(Field::Value)));
  }
  if (target.is(NodeKind::Identifier)) {
    return place_of_name(checker, target);
  }
  if (is_part_of_variable(checker, target)) {
    return place_of_element(checker, target);
  }
  const Term term = expression(checker, target);
  if (target.is(NodeKind::UnaryExpression) && target.child(Field::Operator).is(NodeKind::Star)) {
    return term;
  }
  if (target && !target.is(NodeKind::Error) && !term.is_error()) {
    checker.report.add(DiagnosticCode::T2007, target.range(), "cannot assign to this expression")
        .note("the target of an assignment must be a `var`, an element of a `var` or `*reference`");
  }
  return {};
}

void assignment(Checker& checker, Node node) {
  Node value = node.child(Field::Value);
  const Term given = expression(checker, value);
  const Term wanted = place(checker, node.child(Field::Target));
  if (value && !wanted.is_error()) {
    expect(checker, value, given, wanted, "the value");
  }
  if (checker.inference.kind(wanted) == TypeKind::Reference &&
      !node.child(Field::Target).is(NodeKind::UnaryExpression)) {
    checker.report.add(DiagnosticCode::T2009, node.child(Field::Target).range(),
                       "a `var` cannot hold a reference");
  }
}

}  // namespace tacet::check
