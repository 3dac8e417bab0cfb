#include "linter/rules/text.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "compiler/front/names/body_names.h"
#include "compiler/front/types/queries.h"

namespace tacet::linter {

using names::Builtin;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

auto Text::parent(Node node) const -> Node {
  return node && node.index() != 0 ? Node(&tree, parents[node.index()]) : Node();
}

auto Text::uses_of(Node name) const -> const Uses* {
  const names::Resolution resolution = body.names.of(name.index());
  return resolution.is(names::Meaning::Local) ? &uses[resolution.index()] : nullptr;
}

auto Text::signature_of(names::ItemId other) const -> std::shared_ptr<const types::Signature> {
  return context->get<types::SignatureOf>(other);
}

auto Text::is_free_in_form() const -> bool {
  return signature.is_device_function || key.kind == names::ItemKind::Const ||
         key.kind == names::ItemKind::Test || key.kind == names::ItemKind::Program;
}

/// Of a name that is used: how?
static void count(const Text& text, Node name, Uses& uses) {
  Node at = name;
  Node around = text.parent(at);
  while ((around.is(NodeKind::IndexExpression) && at.field() == Field::Array) ||
         (around.is(NodeKind::FieldExpression) && at.field() == Field::Record)) {
    at = around;
    around = text.parent(at);
  }
  if (around.is(NodeKind::AssignmentStatement) && at.field() == Field::Target) {
    ++(at == name ? uses.n_writes : uses.n_stores);
    return;
  }
  ++uses.n_reads;
  if (around.is(NodeKind::UnaryExpression) && around.child(Field::Operator).text() == "&") {
    ++uses.n_refers;
  }
}

void find_facts(Text& text) {
  const std::vector<syntax::NodeData>& nodes = text.tree.nodes;
  text.parents.assign(nodes.size(), 0);
  std::vector<uint32_t> open;
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    while (!open.empty() && open.back() + nodes[open.back()].size <= i) {
      open.pop_back();
    }
    text.parents[i] = open.empty() ? 0 : open.back();
    if (nodes[i].size > 1) {
      open.push_back(i);
    }
    text.has_holes = text.has_holes || nodes[i].kind == NodeKind::Hole ||
                     nodes[i].kind == NodeKind::StatementHole ||
                     nodes[i].kind == NodeKind::HoleStatement;
  }
  const names::BodyNames& names = text.body.names;
  text.uses.assign(names.locals.size(), {});
  const auto n_nodes = static_cast<uint32_t>(std::min(names.resolutions.size(), nodes.size()));
  for (uint32_t i = 0; i < n_nodes; ++i) {
    const names::Resolution resolution = names.resolutions[i];
    if (resolution.is(names::Meaning::Local) && names.locals[resolution.index()].node != i) {
      count(text, Node(&text.tree, i), text.uses[resolution.index()]);
    }
  }
}

auto TextFindings::add(DiagnosticCode code, TextRange place, std::string message) -> Diagnostic& {
  all_.push_back(make_diagnostic(code, {FileId{own_.index}, place}, std::move(message)));
  return all_.back();
}

void add_fix(Diagnostic& finding, std::string title, Applicability applicability,
             std::vector<TextEdit> edits) {
  finding.fixes.push_back({std::move(title), applicability, std::move(edits)});
}

void add_label(Diagnostic& finding, TextRange place, std::string_view message) {
  Label& label = finding.labels.emplace_back();
  label.place = {finding.place.file, place};
  label.message = message;
}

auto bare(Node expression) -> Node {
  while (expression.is(NodeKind::ParenthesizedExpression)) {
    expression = expression.child(Field::Value);
  }
  return expression;
}

auto is_same(Node a, Node b) -> bool {
  const std::vector<syntax::NodeData>& left = a.tree()->nodes;
  const std::vector<syntax::NodeData>& right = b.tree()->nodes;
  const uint32_t size = left[a.index()].size;
  if (size != right[b.index()].size) {
    return false;
  }
  for (uint32_t i = 0; i < size; ++i) {
    const Node x(a.tree(), a.index() + i);
    const Node y(b.tree(), b.index() + i);
    if (x.kind() != y.kind() || left[x.index()].size != right[y.index()].size ||
        (x.is_leaf() && x.text() != y.text())) {
      return false;
    }
  }
  return true;
}

/// Is it a call of a function that computes with numbers alone?
static auto is_function_of_numbers(const Text& text, Node call) -> bool {
  const names::Resolution callee = text.body.names.of(call.child(Field::Function).index());
  if (!callee.is(names::Meaning::Builtin)) {
    return false;
  }
  const auto builtin = static_cast<Builtin>(callee.index());
  return names::is_number_function(builtin) || builtin == Builtin::Sum ||
         builtin == Builtin::Product || builtin == Builtin::Reduce || builtin == Builtin::Rotate;
}

static auto is_repeatable_node(const Text& text, Node node) -> bool {
  static constexpr std::array kNeverRepeatable = {
      NodeKind::Hole,
      NodeKind::StatementHole,
      NodeKind::SubmitExpression,
      NodeKind::AwaitExpression,
      NodeKind::EncodeBeginExpression,
      NodeKind::TaggedExpression,
      NodeKind::Block,
  };
  if (node.is(NodeKind::CallExpression)) {
    return is_function_of_numbers(text, node);
  }
  return std::find(kNeverRepeatable.begin(), kNeverRepeatable.end(), node.kind()) ==
         kNeverRepeatable.end();
}

auto is_repeatable(const Text& text, Node expression) -> bool {
  for (uint32_t i = expression.index(); i < expression.subtree_end(); ++i) {
    if (!is_repeatable_node(text, text.node(i))) {
      return false;
    }
  }
  return true;
}

/// Cannot an operator of this kind fail with that right operand?
static auto is_harmless(std::string_view op, Node right) -> bool {
  const bool divides = op == "/" || op == "%";
  const bool shifts = op == "<<" || op == ">>" || op == ">>>";
  if (!divides && !shifts) {
    return true;
  }
  const std::string_view digits = bare(right).is(NodeKind::Integer) ? bare(right).text() : "";
  uint64_t number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return !digits.empty() && read.ec == std::errc() && (divides ? number != 0 : number < 8);
}

auto is_idle(const Text& text, Node expression) -> bool {
  if (!is_repeatable(text, expression)) {
    return false;
  }
  for (uint32_t i = expression.index(); i < expression.subtree_end(); ++i) {
    const Node node = text.node(i);
    if ((node.is(NodeKind::BinaryExpression) &&
         !is_harmless(node.child(Field::Operator).text(), node.child(Field::Right))) ||
        (node.is(NodeKind::UnaryExpression) && node.child(Field::Operator).text() == "*")) {
      return false;
    }
  }
  return true;
}

auto is_literal(Node expression) -> bool {
  Node node = bare(expression);
  if (node.is(NodeKind::UnaryExpression) && node.child(Field::Operator).text() == "-") {
    node = bare(node.child(Field::Operand));
  }
  return node.is(NodeKind::Integer) || node.is(NodeKind::Float) || node.is(NodeKind::Boolean);
}

auto has_comment(const syntax::Tree& tree, TextRange range) -> bool {
  return std::any_of(tree.comments.begin(), tree.comments.end(),
                     [&](const syntax::Comment& comment) { return range.contains(comment.range); });
}

auto contains(Node node, NodeKind kind) -> bool {
  for (uint32_t i = node.index(); i < node.subtree_end(); ++i) {
    if (node.tree()->nodes[i].kind == kind) {
      return true;
    }
  }
  return false;
}

auto statements_of(Node block) -> std::vector<Node> {
  std::vector<Node> statements;
  for (const Node child : block.children()) {
    if (!child.is(NodeKind::LeftBrace) && !child.is(NodeKind::RightBrace)) {
      statements.push_back(child);
    }
  }
  return statements;
}

auto removal_of(const syntax::Tree& tree, TextRange statement) -> TextEdit {
  const std::string_view text = tree.text;
  uint32_t begin = statement.begin;
  while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) {
    --begin;
  }
  uint32_t end = statement.end;
  while (end < text.size() && (text[end] == ' ' || text[end] == '\t' || text[end] == '\r')) {
    ++end;
  }
  const bool begins_line = begin == 0 || text[begin - 1] == '\n';
  if (begins_line && end < text.size() && text[end] == '\n') {
    return {{begin, end + 1}, ""};
  }
  // What is next to it on its line stays.
  return {{begins_line ? statement.begin : begin, statement.end}, ""};
}

static auto is_word(char c) -> bool {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

auto unwrapping(const syntax::Tree& tree, TextRange outer, TextRange inner)
    -> std::vector<TextEdit> {
  const std::string_view text = tree.text;
  const bool joins_before = outer.begin > 0 && is_word(text[outer.begin - 1]);
  const bool joins_behind = outer.end < text.size() && is_word(text[outer.end]);
  return {{{outer.begin, inner.begin}, joins_before ? " " : ""},
          {{inner.end, outer.end}, joins_behind ? " " : ""}};
}

}  // namespace tacet::linter
