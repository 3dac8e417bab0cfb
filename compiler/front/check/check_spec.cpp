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

void Checker::specification(Node root) {
  for (uint32_t index : resolved_.definition_order) {
    definition(node(index));
  }
  Node body = root.child(Field::Body);
  for (Node statement : children_of(body, NodeKind::ReturnsStatement)) {
    returns(statement);
  }
  if (key_.kind == ItemKind::Tmln) {
    implicit_events(root);
    unused_events(body);
  }
}

/// The first parameter and the first result are the event of the coordinator itself.
void Checker::implicit_events(Node root) {
  auto is_event = [&](const auto& ports) {
    return !ports.empty() &&
           (ports[0].type == TypeStore::kEvent || ports[0].type == TypeStore::kError);
  };
  const bool begins = is_event(signature_.parameters);
  if (!tree_.errors.empty() || (begins && is_event(signature_.results))) {
    return;
  }
  Node list = root.child(begins ? Field::Results : Field::Parameters);
  report_
      .add(DiagnosticCode::T4049, list ? list.range() : names::item_name_node(root).range(),
           fmt::format("the first {} of a timeline must be an `Event`",
                       begins ? "result" : "parameter"))
      .note(
          "this event tracks the coordinator and does not appear in function heads; encoders and "
          "futures follow it");
}

void Checker::definition(Node node) {
  Node value = node.child(Field::Value);
  const Term term = expression(value);
  const std::vector<Node> bindings = children_of(node, NodeKind::SpecBinding);
  std::vector<Term> terms = {term};
  if (bindings.size() != 1) {
    terms = inference_.members(term);
  }
  const bool is_known = !term.is_error() && !inference_.is_open(term);
  const bool is_tuple = inference_.kind(term) == TypeKind::Tuple;
  const bool takes_several_as_one =
      bindings.size() == 1 && is_tuple && value.is(NodeKind::CallExpression);
  if (is_known && (terms.size() != bindings.size() || takes_several_as_one)) {
    const size_t n = is_tuple ? inference_.members(term).size() : 1;
    report_.add(DiagnosticCode::T2004, value.range(),
                fmt::format("{} node{} defined by {} value{}", bindings.size(),
                            bindings.size() == 1 ? " is" : "s are", n, n == 1 ? "" : "s"));
    terms.clear();
  }
  for (size_t i = 0; i < bindings.size(); ++i) {
    Node name = bindings[i].child(Field::Name);
    Node written = bindings[i].child(Field::Type);
    Term defined = i < terms.size() ? terms[i] : Term();
    if (written) {
      const TypeId type = lowering_.lower(written);
      set(written, Term(type));
      has_secrets_ = has_secrets_ || types_.visibility(type) == types::Visibility::Secret;
      const Term declared = inference_.term(type);
      expect(bindings.size() == 1 && value ? value : name, defined, declared,
             name ? fmt::format("node `{}`", name.text()) : "the node");
      defined = declared;
    }
    if (const uint32_t local = name ? local_of(name) : names::Local::kNone;
        local != names::Local::kNone) {
      inference_.unify(local_terms_[local], defined);
      local_terms_[local] = defined;
      set(name, defined);
    }
  }
}

void Checker::returns(Node node) {
  Node value = node.child(Field::Value);
  const Term term = expression(value);
  if (!value || (key_.kind == ItemKind::Sptl && inference_.is_open(term))) {
    return;
  }
  results(value, value, term);
}

/// An event that no node uses and that is not returned is a wait whose result is lost.
void Checker::unused_events(Node block) {
  std::vector<bool> is_used(resolved_.names.locals.size());
  for (Node statement : block.children()) {
    for (Node part : subtree(statement.child(Field::Value))) {
      const names::Resolution resolution = resolved_.names.of(part.index());
      if (resolution.is(names::Meaning::Local)) {
        is_used[resolution.index()] = true;
      }
    }
  }
  for (uint32_t i = 0; i < resolved_.names.locals.size(); ++i) {
    const names::Local& local = resolved_.names.locals[i];
    if (local.kind != LocalKind::Definition || is_used[i] || local.node == names::Local::kNone ||
        inference_.kind(local_terms_[i]) != TypeKind::Event) {
      continue;
    }
    Node name = node(local.node);
    report_
        .add(DiagnosticCode::T2028, name.range(),
             fmt::format("event `{}` is never used", name.text()))
        .note(
            "the coordinator's events form one chain, from the parameter to `returns`; return the "
            "last event");
  }
}

}  // namespace tacet::check
