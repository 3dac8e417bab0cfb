#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/check/checker.h"

namespace tacet::check {

using names::ItemKind;
using names::LocalKind;
using types::TypeKind;
using types::TypeStore;

static void implicit_events(Checker& checker, Node root);
static void definition(Checker& checker, Node node);
static void returns(Checker& checker, Node node);
static void unused_events(Checker& checker, Node block);

void specification(Checker& checker, Node root) {
  for (uint32_t index : checker.resolved.definition_order) {
    definition(checker, node_at(checker, index));
  }
  Node body = root.child(Field::Body);
  for (Node statement : children_of(body, NodeKind::ReturnsStatement)) {
    returns(checker, statement);
  }
  if (checker.key.kind == ItemKind::Tmln) {
    implicit_events(checker, root);
    unused_events(checker, body);
  }
}

/// The first parameter and the first result are the event of the coordinator itself.
static void implicit_events(Checker& checker, Node root) {
  auto is_event = [&](const auto& ports) {
    return !ports.empty() &&
           (ports[0].type == TypeStore::kEvent || ports[0].type == TypeStore::kError);
  };
  const bool begins = is_event(checker.signature.parameters);
  if (!checker.tree.errors.empty() || (begins && is_event(checker.signature.results))) {
    return;
  }
  Node list = root.child(begins ? Field::Results : Field::Parameters);
  checker.report
      .add(DiagnosticCode::T4049, list ? list.range() : names::item_name_range(root),
           fmt::format("the first {} of a timeline must be an `Event`",
                       begins ? "result" : "parameter"))
      .note(
          "this event tracks the coordinator and does not appear in function heads; encoders and "
          "futures follow it");
}

static void definition(Checker& checker, Node node) {
  Node value = node.child(Field::Value);
  const Term term = expression(checker, value);
  const std::vector<Node> bindings = children_of(node, NodeKind::SpecBinding);
  std::vector<Term> terms = {term};
  if (bindings.size() != 1) {
    terms = checker.inference.members(term);
  }
  const bool is_known = !term.is_error() && !checker.inference.is_open(term);
  const bool is_tuple = checker.inference.kind(term) == TypeKind::Tuple;
  const bool takes_several_as_one =
      bindings.size() == 1 && is_tuple && value.is(NodeKind::CallExpression);
  if (is_known && (terms.size() != bindings.size() || takes_several_as_one)) {
    const size_t n = is_tuple ? checker.inference.members(term).size() : 1;
    checker.report.add(DiagnosticCode::T2004, value.range(),
                       fmt::format("{} node{} defined by {} value{}", bindings.size(),
                                   bindings.size() == 1 ? " is" : "s are", n, n == 1 ? "" : "s"));
    terms.clear();
  }
  for (size_t i = 0; i < bindings.size(); ++i) {
    Node name = bindings[i].child(Field::Name);
    Node written = bindings[i].child(Field::Type);
    Term defined = i < terms.size() ? terms[i] : Term();
    if (written) {
      const TypeId type = checker.lowering.lower(written);
      set(checker, written, Term(type));
      checker.has_secrets =
          checker.has_secrets || checker.types.visibility(type) == types::Visibility::Secret;
      const Term declared = checker.inference.term(type);
      expect(checker, bindings.size() == 1 && value ? value : name, defined, declared,
             name ? fmt::format("node `{}`", name.text()) : "the node");
      defined = declared;
    }
    if (const uint32_t local = name ? local_of(checker, name) : names::Local::kNone;
        local != names::Local::kNone) {
      checker.inference.unify(checker.local_terms[local], defined);
      checker.local_terms[local] = defined;
      set(checker, name, defined);
    }
  }
}

static void returns(Checker& checker, Node node) {
  Node value = node.child(Field::Value);
  const Term term = expression(checker, value);
  if (!value || (checker.key.kind == ItemKind::Sptl && checker.inference.is_open(term))) {
    return;
  }
  results(checker, value, value, term);
}

/// An event that no node uses and that is not returned is a wait whose result is lost.
static void unused_events(Checker& checker, Node block) {
  std::vector<bool> is_used(checker.resolved.names.locals.size());
  for (Node statement : block.children()) {
    for (Node part : subtree(statement.child(Field::Value))) {
      const names::Resolution resolution = checker.resolved.names.of(part.index());
      if (resolution.is(names::Meaning::Local)) {
        is_used[resolution.index()] = true;
      }
    }
  }
  for (uint32_t i = 0; i < checker.resolved.names.locals.size(); ++i) {
    const names::Local& local = checker.resolved.names.locals[i];
    if (local.kind != LocalKind::Definition || is_used[i] || local.node == names::Local::kNone ||
        checker.inference.kind(checker.local_terms[i]) != TypeKind::Event) {
      continue;
    }
    Node name = node_at(checker, local.node);
    checker.report
        .add(DiagnosticCode::T2028, name.range(),
             fmt::format("event `{}` is never used", name.text()))
        .note(
            "the coordinator's events form one chain, from the parameter to `returns`; return the "
            "last event");
  }
}

}  // namespace tacet::check
