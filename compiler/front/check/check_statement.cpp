#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/kind_groups.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/check/checker.h"

namespace tacet::check {

using names::BodyKind;
using names::LocalKind;
using syntax::StatementKind;
using types::DType;
using types::TypeKind;
using types::TypeStore;

/// The place right behind the last token of a block's content, where a result would stand.
static auto end_of(syntax::Node block) -> TextRange {
  const uint32_t end = block.range().end;
  return {end == 0 ? 0 : end - 1, end};
}

/// What a block yields: its result, or an `if` or block at its end.
auto Checker::tail(Node block) const -> Node {
  if (Node result = block.child(Field::Result)) {
    return result;
  }
  Node last;
  for (Node child : block.children()) {
    if (!child.is(NodeKind::RightBrace) && !child.is(NodeKind::LeftBrace)) {
      last = child;
    }
  }
  return last.is(NodeKind::IfExpression) || last.is(NodeKind::Block) ? last : Node();
}

/// Does control never come out behind `node`, or is what comes out left open?
auto Checker::leaves(Node node) const -> bool {
  if (node.is(NodeKind::IfExpression)) {
    return node.child(Field::Alternative) && leaves(node.child(Field::Consequence)) &&
           leaves(node.child(Field::Alternative));
  }
  if (node.is(NodeKind::Block)) {
    const auto children = node.children();
    return std::any_of(children.begin(), children.end(), [&](Node child) { return leaves(child); });
  }
  return node.is(NodeKind::ReturnStatement) || node.is(NodeKind::BreakStatement) ||
         node.is(NodeKind::ContinueStatement) || node.is(NodeKind::HoleStatement) ||
         node.is(NodeKind::Error);
}

auto Checker::block(Node node, Wanted wanted) -> Term {
  Node yielded = wanted == Wanted::Value ? tail(node) : Node();
  Term value = Term(TypeStore::kUnit);
  for (Node child : node.children()) {
    if (child == yielded) {
      value = child.is(NodeKind::IfExpression) ? set(child, if_expression(child, Wanted::Value))
                                               : expression(child);
    } else if (child.field() == Field::Result) {
      expression(child);
    } else if (!child.is_leaf()) {
      statement(child);
    } else if (child.is(NodeKind::Identifier)) {
      expression(child);
    }
  }
  if (wanted == Wanted::Nothing || !node) {
    return value;
  }
  if (!yielded) {
    if (leaves(node)) {
      value = inference_.open();
    } else if (tree_.errors.empty()) {
      report_.add(DiagnosticCode::T2021, end_of(node), "the block yields no value")
          .note("the value of a block is its last expression, without `;`");
      value = {};
    } else {
      value = {};
    }
  }
  return set(node, value);
}

void Checker::statement(Node node) {
  switch (syntax::statement_kind(node.kind())) {
    case StatementKind::Let:
    case StatementKind::Var: {
      Node value = node.child(Field::Value);
      bind(node, value ? expression(value) : inference_.open(), value);
      return;
    }
    case StatementKind::Assignment:
      assignment(node);
      return;
    case StatementKind::Call:
      expression(node.child(Field::Call));
      return;
    case StatementKind::Hole:
      has_holes_ = true;
      return;
    case StatementKind::Encode:
      encode(node);
      return;
    case StatementKind::If:
      if_expression(node, Wanted::Nothing);
      return;
    case StatementKind::Block:
      block(node, Wanted::Nothing);
      return;
    case StatementKind::For:
    case StatementKind::While:
    case StatementKind::Do:
      loop(node);
      return;
    case StatementKind::Return:
      return_statement(node);
      return;
    case StatementKind::Annotation:
    case StatementKind::Break:
    case StatementKind::Continue:
      return;
    case StatementKind::Returns:
    case StatementKind::None:
      break;
  }
  if (!node.is(NodeKind::Error)) {
    expression(node);
  }
}

/// What one name is bound to: the value, unless that is none or several.
auto Checker::single_value(Term value, Node value_node) -> Term {
  if (inference_.resolve(value) == Term(TypeStore::kUnit)) {
    report_.add(DiagnosticCode::T2004, value_node.range(), "this expression has no value to bind");
    return {};
  }
  if (inference_.kind(value) == TypeKind::Tuple) {
    report_
        .add(DiagnosticCode::T2004, value_node.range(),
             fmt::format("1 name is bound to {} values", inference_.members(value).size()))
        .note("bind each value to its own name: `let a, b = …;`");
    return {};
  }
  return value;
}

/// What `n` names are bound to, if there are as many values.
auto Checker::bound_values(size_t n, Term value, Node value_node) -> std::vector<Term> {
  if (n == 1) {
    return {single_value(value, value_node)};
  }
  if (!value.is_error() && value_node && inference_.is_open(value)) {
    // A hole gives as many values as are bound.
    std::vector<Term> values;
    for (size_t i = 0; i < n; ++i) {
      values.push_back(inference_.open());
    }
    inference_.unify(value, inference_.tuple(values));
    return values;
  }
  return inference_.kind(value) == TypeKind::Tuple ? inference_.members(value)
                                                   : std::vector<Term>();
}

/// The type that is written in a binding, after comparing it with what is bound.
auto Checker::written_type(Node written, Term bound, Node place, Node name, bool has_value)
    -> Term {
  const TypeId type = lowering_.lower(written);
  set(written, Term(type));
  has_secrets_ = has_secrets_ || types_.visibility(type) == types::Visibility::Secret;
  const Term declared = inference_.term(type);
  if (!inference_.unify(bound, declared) && has_value) {
    mismatch(place, bound, declared, name ? fmt::format("`{}`", name.text()) : "the value");
  } else if (place) {
    subsume(place, bound, declared);
  }
  return declared;
}

void Checker::bind_name(Node name, Term term) {
  const uint32_t local = local_of(name);
  if (local == names::Local::kNone) {
    return;
  }
  if (resolved_.names.locals[local].kind == LocalKind::Var &&
      inference_.kind(term) == TypeKind::Reference) {
    report_
        .add(DiagnosticCode::T2009, name.range(),
             fmt::format("`var {}` cannot hold a reference", name.text()))
        .note("a `var` has its own storage; bind references with `let`");
  }
  local_terms_[local] = term;
  set(name, term);
}

void Checker::bind(Node statement, Term value, Node value_node) {
  const std::vector<Node> bindings = children_of(statement, NodeKind::Binding);
  const std::vector<Term> values = bound_values(bindings.size(), value, value_node);
  const bool is_known = !value.is_error() && !inference_.is_open(value);
  if (values.size() != bindings.size() && value_node && is_known) {
    const size_t n = inference_.kind(value) == TypeKind::Tuple ? values.size() : 1;
    report_.add(DiagnosticCode::T2004, value_node.range(),
                fmt::format("{} name{} bound to {} value{}", bindings.size(),
                            bindings.size() == 1 ? " is" : "s are", n, n == 1 ? "" : "s"));
  }
  for (size_t i = 0; i < bindings.size(); ++i) {
    Node name = bindings[i].child(Field::Name);
    Term term = values.size() == bindings.size() ? values[i]
                : value_node                     ? Term()
                                                 : inference_.open();
    if (Node written = bindings[i].child(Field::Type)) {
      Node place = bindings.size() == 1 ? value_node : name;
      term = written_type(written, term, place, name, static_cast<bool>(value_node));
    }
    if (name) {
      bind_name(name, term);
    }
  }
}

void Checker::immutable(Node target, uint32_t local) {
  const names::Local& declared = resolved_.names.locals[local];
  const bool is_reference = inference_.kind(local_terms_[local]) == TypeKind::Reference;
  names::Draft draft =
      report_.add(DiagnosticCode::T2007, target.range(),
                  fmt::format("cannot assign to immutable variable `{}` or take a reference to it",
                              target.text()));
  if (declared.node != names::Local::kNone) {
    draft.label(node(declared.node).range(), "declared here");
  }
  if (is_reference) {
    draft.note(fmt::format("`*{} = …` writes through the reference", target.text()));
  } else if (declared.kind == LocalKind::Let && declared.declaration != names::Local::kNone &&
             node(declared.declaration).is(NodeKind::LetStatement)) {
    for (Node word : node(declared.declaration).children()) {
      draft.replace(word.range(), "declare it with `var`", "var");
      break;
    }
    draft.note("only a variable declared with `var` can change");
  } else if (declared.kind == LocalKind::Parameter) {
    draft.note(fmt::format("copy it first: `var {0} = {0};`", target.text()));
  }
}

auto Checker::place_of_name(Node name) -> Term {
  const Term term = expression(name);
  const uint32_t local = local_of(name);
  if (local != names::Local::kNone && resolved_.names.locals[local].kind != LocalKind::Var) {
    immutable(name, local);
    return {};
  }
  if (local == names::Local::kNone && !term.is_error()) {
    report_.add(DiagnosticCode::T2007, name.range(),
                fmt::format("cannot assign to constant `{}`", name.text()));
    return {};
  }
  return term;
}

auto Checker::place_of_element(Node element) -> Term {
  Node base = element.child(Field::Array);
  while (base.is(NodeKind::IndexExpression) || base.is(NodeKind::ParenthesizedExpression)) {
    base = base.child(base.is(NodeKind::IndexExpression) ? Field::Array : Field::Value);
  }
  const Term term = expression(element);
  const uint32_t local = base ? local_of(base) : names::Local::kNone;
  if (base.is(NodeKind::Identifier) && local != names::Local::kNone &&
      resolved_.names.locals[local].kind != LocalKind::Var) {
    immutable(base, local);
    return {};
  }
  return term;
}

/// The type of what `target` stores, after checking that it is a place.
auto Checker::place(Node target) -> Term {
  if (target.is(NodeKind::ParenthesizedExpression) || target.is(NodeKind::TaggedExpression)) {
    return set(target, place(target.child(Field::Value)));
  }
  if (target.is(NodeKind::Identifier)) {
    return place_of_name(target);
  }
  if (target.is(NodeKind::IndexExpression)) {
    return place_of_element(target);
  }
  const Term term = expression(target);
  if (target.is(NodeKind::UnaryExpression) && target.child(Field::Operator).is(NodeKind::Star)) {
    return term;
  }
  if (target && !target.is(NodeKind::Error) && !term.is_error()) {
    report_.add(DiagnosticCode::T2007, target.range(), "cannot assign to this expression")
        .note("the target of an assignment must be a `var`, an element of a `var` or `*reference`");
  }
  return {};
}

void Checker::assignment(Node node) {
  Node value = node.child(Field::Value);
  const Term given = expression(value);
  const Term wanted = place(node.child(Field::Target));
  if (value && !wanted.is_error()) {
    expect(value, given, wanted, "the value");
  }
  if (inference_.kind(wanted) == TypeKind::Reference &&
      !node.child(Field::Target).is(NodeKind::UnaryExpression)) {
    report_.add(DiagnosticCode::T2009, node.child(Field::Target).range(),
                "a `var` cannot hold a reference");
  }
}

auto Checker::if_expression(Node node, Wanted wanted) -> Term {
  condition(node.child(Field::Condition));
  Node consequence = node.child(Field::Consequence);
  Node alternative = node.child(Field::Alternative);
  const Term first = block(consequence, wanted);
  if (!alternative) {
    if (wanted == Wanted::Value && tree_.errors.empty()) {
      TextRange place = node.range();
      for (Node word : node.children()) {
        place = word.range();
        break;
      }
      report_.add(DiagnosticCode::T2021, place, "an `if` without `else` yields no value")
          .note("every branch must yield a value");
    }
    return wanted == Wanted::Value ? Term() : Term(TypeStore::kUnit);
  }
  const Term second = alternative.is(NodeKind::IfExpression)
                          ? set(alternative, if_expression(alternative, wanted))
                          : block(alternative, wanted);
  if (wanted == Wanted::Nothing) {
    return Term(TypeStore::kUnit);
  }
  if (!inference_.unify(first, second)) {
    Node first_value = tail(consequence);
    Node second_value = alternative.is(NodeKind::Block) ? tail(alternative) : alternative;
    report_
        .add(DiagnosticCode::T2001, (second_value ? second_value : alternative).range(),
             fmt::format("the branches of an `if` have different types: {} and {}", text(first),
                         text(second)))
        .label((first_value ? first_value : consequence).range(),
               fmt::format("this is {}", text(first)));
    return {};
  }
  return set(node, first.is_error() ? second : first);
}

void Checker::loop(Node node) {
  auto integer = [&](Node bound, Term type) {
    if (!bound) {
      return;
    }
    const Term term = expression(bound);
    if (!inference_.unify(term, type)) {
      mismatch(bound, term, type, "the bound");
    }
  };
  const Term type = inference_.integer();
  integer(node.child(Field::Lower), type);
  integer(node.child(Field::Upper), type);
  integer(node.child(Field::Step), type);
  integer(node.child(Field::Max), inference_.integer());
  if (Node variable = node.child(Field::Variable)) {
    if (const uint32_t local = local_of(variable); local != names::Local::kNone) {
      local_terms_[local] = type;
    }
    set(variable, type);
  }
  if (!node.is(NodeKind::DoStatement)) {
    condition(node.child(Field::Condition));
  }
  block(node.child(Field::Body), Wanted::Nothing);
  if (node.is(NodeKind::DoStatement)) {
    condition(node.child(Field::Condition));
  }
}

void Checker::return_statement(Node node) {
  Node value = node.child(Field::Value);
  if (key_.kind != names::ItemKind::Fn) {
    expression(value);
    return;
  }
  results(value ? value : node, value, value ? expression(value) : Term(TypeStore::kUnit));
}

/// Checks what a function gives back against its results.
void Checker::results(Node place, Node value, Term term) {
  const std::vector<types::SignatureResult>& wanted = signature_.results;
  if (!term.is_error() && inference_.is_open(term) && !wanted.empty()) {
    // A hole yields what is wanted.
    std::vector<Term> all;
    for (const types::SignatureResult& result : wanted) {
      all.push_back(inference_.term(result.type));
    }
    inference_.unify(term, all.size() == 1 ? all[0] : inference_.tuple(std::move(all)));
    return;
  }
  if (term.is_error() || inference_.is_open(term)) {
    return;
  }
  const bool is_tuple = inference_.kind(term) == TypeKind::Tuple;
  const std::vector<Term> given = is_tuple ? inference_.members(term) : std::vector{term};
  if (given.size() != wanted.size()) {
    names::Draft draft = report_.add(
        DiagnosticCode::T2004, place.range(),
        fmt::format("{} value{} returned, but the {} has {} result{}", given.size(),
                    given.size() == 1 ? " is" : "s are", is_spec() ? "specification" : "function",
                    wanted.size(), wanted.size() == 1 ? "" : "s"));
    if (Node list = names::item_node(tree_).child(Field::Results)) {
      draft.label(list.range(), "results declared here");
    } else if (wanted.empty()) {
      draft.note("declare the results with `-> T` after the parameters");
    }
    return;
  }
  std::vector<Node> parts;
  for (Node element : value.children(Field::Element)) {
    parts.push_back(element);
  }
  for (size_t i = 0; i < given.size(); ++i) {
    Node part = is_tuple && parts.size() == given.size() ? parts[i] : place;
    const Term expected = inference_.term(wanted[i].type);
    expected_by_ = Port{item_, Field::Results, NodeKind::Result, i};
    expect(part, given[i], expected, "the result");
    expected_by_.reset();
  }
}

void Checker::function(Node root) {
  Node body = root.child(Field::Body);
  if (!body) {
    return;
  }
  if (signature_.results.empty()) {
    block(body, Wanted::Nothing);
    if (Node result = body.child(Field::Result)) {
      results(result, result, terms_[result.index()]);
    }
    return;
  }
  const Term value = block(body, Wanted::Value);
  Node yielded = tail(body);
  while (yielded.is(NodeKind::Block) && tail(yielded)) {
    yielded = tail(yielded);
  }
  results(yielded ? yielded : body, yielded, value);
}

}  // namespace tacet::check
