#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/block_tail.h"
#include "compiler/core/syntax/kind_groups.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/check/array_forms.h"
#include "compiler/front/check/checker.h"
#include "compiler/front/types/columns.h"

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

static void statement(Checker& checker, Node node);
static void loop(Checker& checker, Node node);
static void return_statement(Checker& checker, Node node);

auto yielded_by(Node block) -> Node {
  const Node last = syntax::tail_of(block);
  if (last.is(NodeKind::Block)) {
    return yielded_by(last) ? last : Node();
  }
  if (last.is(NodeKind::IfExpression) && last != block.child(Field::Result)) {
    const Node consequence = last.child(Field::Consequence);
    return last.child(Field::Alternative) && yielded_by(consequence) ? last : Node();
  }
  return last;
}

/// Does control never come out behind `node`, or is what comes out left open?
static auto leaves(Node node) -> bool {
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

auto block(Checker& checker, Node node, Wanted wanted) -> Term {
  Node yielded = wanted == Wanted::Value ? syntax::tail_of(node) : Node();
  Term value = Term(TypeStore::kUnit);
  for (Node child : node.children()) {
    if (child == yielded) {
      value = child.is(NodeKind::IfExpression)
                  ? set(checker, child, if_expression(checker, child, Wanted::Value))
                  : expression(checker, child);
    } else if (child.field() == Field::Result) {
      expression(checker, child);
    } else if (!child.is_leaf()) {
      statement(checker, child);
    } else if (child.is(NodeKind::Identifier)) {
      expression(checker, child);
    }
  }
  if (wanted == Wanted::Nothing || !node) {
    return value;
  }
  if (!yielded) {
    if (leaves(node)) {
      value = checker.inference.open();
    } else if (checker.tree.errors.empty()) {
      checker.report.add(DiagnosticCode::T2021, end_of(node), "the block yields no value")
          .note("the value of a block is its last expression, without `;`");
      value = {};
    } else {
      value = {};
    }
  }
  return set(checker, node, value);
}

static void statement(Checker& checker, Node node) {
  switch (syntax::statement_kind(node.kind())) {
    case StatementKind::Let:
    case StatementKind::Var: {
      Node value = node.child(Field::Value);
      bind_names(checker, node, value ? expression(checker, value) : checker.inference.open(),
                 value);
      return;
    }
    case StatementKind::Assignment:
      assignment(checker, node);
      return;
    case StatementKind::Call:
      expression(checker, node.child(Field::Call));
      return;
    case StatementKind::Hole:
      checker.has_holes = true;
      return;
    case StatementKind::Encode:
      encode(checker, node);
      return;
    case StatementKind::If:
      if_expression(checker, node, Wanted::Nothing);
      return;
    case StatementKind::Block:
      block(checker, node, Wanted::Nothing);
      return;
    case StatementKind::For:
    case StatementKind::While:
    case StatementKind::Do:
      loop(checker, node);
      return;
    case StatementKind::Return:
      return_statement(checker, node);
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
    expression(checker, node);
  }
}

/// What one name is bound to: the value, unless that is none or several.
static auto single_value(Checker& checker, Term value, Node value_node) -> Term {
  if (checker.inference.resolve(value) == Term(TypeStore::kUnit)) {
    checker.report.add(DiagnosticCode::T2004, value_node.range(),
                       "this expression has no value to bind");
    return {};
  }
  if (checker.inference.kind(value) == TypeKind::Tuple && checker.kind != BodyKind::Device) {
    checker.report
        .add(DiagnosticCode::T2004, value_node.range(),
             fmt::format("1 name is bound to {} values", checker.inference.members(value).size()))
        .note("bind each value to its own name: `let a, b = …;`");
    return {};
  }
  return value;
}

/// What `n` names are bound to, if there are as many values.
static auto bound_values(Checker& checker, size_t n, Term value, Node value_node)
    -> std::vector<Term> {
  if (n == 1) {
    return {single_value(checker, value, value_node)};
  }
  if (!value.is_error() && value_node && checker.inference.is_open(value)) {
    // A hole gives as many values as are bound.
    std::vector<Term> values;
    for (size_t i = 0; i < n; ++i) {
      values.push_back(checker.inference.open());
    }
    checker.inference.unify(value, checker.inference.tuple(values));
    return values;
  }
  return checker.inference.kind(value) == TypeKind::Tuple ? checker.inference.members(value)
                                                          : std::vector<Term>();
}

/// The type that is written in a binding, after comparing it with what is bound.
static auto written_type(Checker& checker, Node written, Term bound, Node place, Node name,
                         bool has_value) -> Term {
  const TypeId type = checker.lowering.lower(written);
  set(checker, written, Term(type));
  require_lengths(checker, written, type);
  checker.has_secrets = checker.has_secrets || types::mentions_secret(checker.types, type);
  const Term declared = checker.inference.term(type);
  if (!checker.inference.unify(bound, declared) && has_value) {
    mismatch(checker, place, bound, declared,
             name ? fmt::format("`{}`", name.text()) : "the value");
  } else if (place) {
    subsume(checker, place, bound, declared);
  }
  return declared;
}

static void bind_name(Checker& checker, Node name, Term term) {
  const uint32_t local = local_of(checker, name);
  if (local == names::Local::kNone) {
    return;
  }
  if (checker.resolved.names.locals[local].kind == LocalKind::Var &&
      checker.inference.kind(term) == TypeKind::Reference) {
    checker.report
        .add(DiagnosticCode::T2009, name.range(),
             fmt::format("`var {}` cannot hold a reference", name.text()))
        .note("a `var` has its own storage; bind references with `let`");
  }
  checker.local_terms[local] = term;
  set(checker, name, term);
}

void bind_names(Checker& checker, Node statement, Term value, Node value_node) {
  const std::vector<Node> bindings = children_of(statement, NodeKind::Binding);
  const std::vector<Term> values = bound_values(checker, bindings.size(), value, value_node);
  const bool is_known = !value.is_error() && !checker.inference.is_open(value);
  if (values.size() != bindings.size() && value_node && is_known) {
    const size_t n = checker.inference.kind(value) == TypeKind::Tuple ? values.size() : 1;
    checker.report.add(DiagnosticCode::T2004, value_node.range(),
                       fmt::format("{} name{} bound to {} value{}", bindings.size(),
                                   bindings.size() == 1 ? " is" : "s are", n, n == 1 ? "" : "s"));
  }
  for (size_t i = 0; i < bindings.size(); ++i) {
    Node name = bindings[i].child(Field::Name);
    Term term = values.size() == bindings.size() ? values[i]
                : value_node                     ? Term()
                                                 : checker.inference.open();
    if (Node written = bindings[i].child(Field::Type)) {
      Node place = bindings.size() == 1 ? value_node : name;
      term = written_type(checker, written, term, place, name, static_cast<bool>(value_node));
    }
    if (name) {
      bind_name(checker, name, term);
    }
  }
}

auto if_expression(Checker& checker, Node node, Wanted wanted) -> Term {
  condition(checker, node.child(Field::Condition));
  Node consequence = node.child(Field::Consequence);
  Node alternative = node.child(Field::Alternative);
  const Term first = block(checker, consequence, wanted);
  if (!alternative) {
    if (wanted == Wanted::Value && checker.tree.errors.empty()) {
      TextRange place = node.range();
      for (Node word : node.children()) {
        place = word.range();
        break;
      }
      checker.report.add(DiagnosticCode::T2021, place, "an `if` without `else` yields no value")
          .note("every branch must yield a value");
    }
    return wanted == Wanted::Value ? Term() : Term(TypeStore::kUnit);
  }
  const Term second = alternative.is(NodeKind::IfExpression)
                          ? set(checker, alternative, if_expression(checker, alternative, wanted))
                          : block(checker, alternative, wanted);
  if (wanted == Wanted::Nothing) {
    return Term(TypeStore::kUnit);
  }
  if (!meet(checker, first, second)) {
    Node first_value = syntax::tail_of(consequence);
    Node second_value =
        alternative.is(NodeKind::Block) ? syntax::tail_of(alternative) : alternative;
    checker.report
        .add(DiagnosticCode::T2001, (second_value ? second_value : alternative).range(),
             fmt::format("the branches of an `if` have different types: {} and {}",
                         text(checker, first), text(checker, second)))
        .label((first_value ? first_value : consequence).range(),
               fmt::format("this is {}", text(checker, first)));
    return {};
  }
  return set(checker, node, first.is_error() ? second : first);
}

static void loop_over_elements(Checker& checker, Node loop, const std::vector<Node>& arrays) {
  if (loop.child(Field::Variable)) {
    element_variables(checker, loop, arrays);
  }
}

/// The variable of a loop over a range.
static void counter(Checker& checker, Node loop, Term type) {
  const std::vector<Node> variables = variables_of(loop);
  if (variables.size() > 1) {
    checker.report
        .add(DiagnosticCode::T2046, cover(variables.front().range(), variables.back().range()),
             fmt::format("{} variables for one range", variables.size()))
        .note(
            "one variable counts over a range; `for i, x in [0..len(a)], a` counts the elements "
            "of an array");
  }
  for (Node variable : variables) {
    if (const uint32_t local = local_of(checker, variable); local != names::Local::kNone) {
      checker.local_terms[local] = type;
    }
    set(checker, variable, type);
  }
}

static void loop(Checker& checker, Node node) {
  auto integer = [&](Node bound, Term type) {
    if (!bound) {
      return;
    }
    const Term term = expression(checker, bound);
    if (!checker.inference.unify(term, type)) {
      mismatch(checker, bound, term, type, "the bound");
    }
  };
  std::vector<Node> arrays;
  for (Node array : node.children(Field::Array)) {
    expression(checker, array);
    arrays.push_back(array);
  }
  const Term type = checker.inference.integer();
  integer(node.child(Field::Lower), type);
  integer(node.child(Field::Upper), type);
  integer(node.child(Field::Step), type);
  integer(node.child(Field::Max), checker.inference.integer());
  arrays.empty() ? counter(checker, node, type) : loop_over_elements(checker, node, arrays);
  if (!node.is(NodeKind::DoStatement)) {
    condition(checker, node.child(Field::Condition));
  }
  block(checker, node.child(Field::Body), Wanted::Nothing);
  if (node.is(NodeKind::DoStatement)) {
    condition(checker, node.child(Field::Condition));
  }
}

static void return_statement(Checker& checker, Node node) {
  Node value = node.child(Field::Value);
  if (checker.key.kind != names::ItemKind::Fn) {
    expression(checker, value);
    return;
  }
  results(checker, value ? value : node, value,
          value ? expression(checker, value) : Term(TypeStore::kUnit));
}

/// Checks what a function gives back against its results.
void results(Checker& checker, Node place, Node value, Term term) {
  const std::vector<types::SignatureResult>& wanted = checker.signature.results;
  if (!term.is_error() && checker.inference.is_open(term) && !wanted.empty()) {
    // A hole yields what is wanted.
    std::vector<Term> all;
    for (const types::SignatureResult& result : wanted) {
      all.push_back(checker.inference.term(result.type));
    }
    checker.inference.unify(term,
                            all.size() == 1 ? all[0] : checker.inference.tuple(std::move(all)));
    return;
  }
  if (term.is_error() || checker.inference.is_open(term)) {
    return;
  }
  const bool is_tuple = checker.inference.kind(term) == TypeKind::Tuple;
  const std::vector<Term> given = is_tuple ? checker.inference.members(term) : std::vector{term};
  if (given.size() != wanted.size()) {
    names::Draft draft =
        checker.report.add(DiagnosticCode::T2004, place.range(),
                           fmt::format("{} value{} returned, but the {} has {} result{}",
                                       given.size(), given.size() == 1 ? " is" : "s are",
                                       is_spec(checker) ? "specification" : "function",
                                       wanted.size(), wanted.size() == 1 ? "" : "s"));
    if (Node list = names::item_node(checker.tree).child(Field::Results)) {
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
    const Term expected = checker.inference.term(wanted[i].type);
    checker.expected_by = Port{checker.item, Field::Results, NodeKind::Result, i};
    expect(checker, part, given[i], expected, "the result");
    checker.expected_by.reset();
  }
}

void function(Checker& checker, Node root) {
  Node body = root.child(Field::Body);
  if (!body) {
    return;
  }
  if (checker.signature.results.empty()) {
    block(checker, body, Wanted::Nothing);
    if (Node result = body.child(Field::Result)) {
      results(checker, result, result, checker.terms[result.index()]);
    }
    return;
  }
  const Term value = block(checker, body, Wanted::Value);
  Node yielded = syntax::tail_of(body);
  while (yielded.is(NodeKind::Block) && syntax::tail_of(yielded)) {
    yielded = syntax::tail_of(yielded);
  }
  results(checker, yielded ? yielded : body, yielded, value);
}

}  // namespace tacet::check
