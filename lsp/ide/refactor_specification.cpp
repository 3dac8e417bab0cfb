#include <fmt/format.h>

#include "lsp/ide/refactor_selection.h"

namespace tacet::ide {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

namespace {

/// Is it an expression that specifications have, too?
auto is_specified(const Selection& selection, Node expression) -> bool {
  return is_pure(selection, expression) && !has_node(expression, [&](Node node) {
           if (node.is(NodeKind::IfExpression) || node.is(NodeKind::Block)) {
             return true;
           }
           const names::Resolution meaning = selection.body->names.of(node.index());
           if (meaning.is(names::Meaning::Builtin)) {
             const auto builtin = static_cast<names::Builtin>(meaning.index());
             return (names::builtin_places(builtin) &
                     static_cast<uint8_t>(names::BuiltinPlace::ValSpec)) == 0;
           }
           // A specification calls classes, a device function calls functions.
           return meaning.is(names::Meaning::Item) && node.field() == Field::Function;
         });
}

/// The definitions and the result of a body that binds and returns; empty if it does more.
auto definitions(const Selection& selection) -> std::string {
  std::string text;
  bool is_returned = false;
  for (Node child : selection.root().child(Field::Body).children()) {
    if (child.is(NodeKind::LeftBrace) || child.is(NodeKind::RightBrace)) {
      continue;
    }
    const bool is_result = child.is(NodeKind::ReturnStatement) || child.field() == Field::Result;
    const Node value = child.field() == Field::Result ? child : child.child(Field::Value);
    if (is_returned || !value || (!is_result && !child.is(NodeKind::LetStatement)) ||
        !is_specified(selection, value)) {
      return {};
    }
    if (is_result) {
      is_returned = true;
      text += fmt::format("    returns {}\n", value.text());
      continue;
    }
    std::string names;
    for (Node binding : child.children()) {
      if (binding.is(NodeKind::Binding)) {
        const Node type = binding.child(Field::Type);
        names += fmt::format("{}{}{}{}", names.empty() ? "" : ", ",
                             binding.child(Field::Name).text(), type ? ": " : "", type.text());
      }
    }
    text += fmt::format("    {} :- {}\n", names, value.text());
  }
  return is_returned ? text : std::string();
}

}  // namespace

void extract_specification(const Selection& selection, std::vector<Action>& actions) {
  const Node function = selection.root();
  const Node results = function.child(Field::Results);
  const Node body = function.child(Field::Body);
  if (!selection.is_device_function() || selection.item.member != names::FileItem::kTopLevel ||
      function.child(Field::Implements) || function.child(Field::Sizes) || !results || !body ||
      selection.range.begin >= body.range().begin) {
    return;
  }
  const std::string spec_body = definitions(selection);
  const auto signature = selection.snapshot->signature(selection.item.id);
  if (spec_body.empty()) {
    return;
  }
  std::string parameters;
  for (const types::SignatureParameter& parameter : signature->parameters) {
    parameters += fmt::format("{}{}: {}", parameters.empty() ? "" : ", ",
                              selection.snapshot->interner().text(parameter.name),
                              selection.type_text(parameter.type));
  }
  std::string types;
  for (const types::SignatureResult& result : signature->results) {
    types += (types.empty() ? "" : ", ") + selection.type_text(result.type);
  }
  if (signature->results.size() != 1) {
    types = "(" + types + ")";
  }
  const std::string name = selection.fresh_name(
      fmt::format("{}_spec", selection.snapshot->interner().text(selection.item.name)));
  const uint32_t end = function.range().end;
  actions.push_back(
      make_action(Action::Kind::Extract, "generate the value specification",
                  {selection.edit({results.range().end, results.range().end}, " impls " + name),
                   selection.edit({end, end}, fmt::format("\n\nval {}({}) -> {} {{\n{}}}", name,
                                                          parameters, types, spec_body))},
                  name));
}

}  // namespace tacet::ide
