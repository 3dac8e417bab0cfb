#include "compiler/spec/infer/spec_graph.h"

#include <algorithm>

#include "compiler/core/syntax/bare.h"
#include "compiler/core/syntax/concatenation.h"
#include "compiler/core/syntax/kind_groups.h"
#include "compiler/front/hir/pattern.h"
#include "compiler/front/types/queries.h"

namespace tacet::infer {

using names::LocalKind;
using syntax::ExpressionKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

auto SpecGraph::find(Name name) const -> SpecNodeId {
  auto found = std::lower_bound(
      names.begin(), names.end(), name,
      [](const std::pair<Name, SpecNodeId>& entry, Name wanted) { return entry.first < wanted; });
  return found != names.end() && found->first == name ? found->second : SpecNodeId();
}

/// Is it a number with a fraction, or an array of them?
static auto has_fraction(const types::TypeStore& types, types::TypeId type) -> bool {
  return types[type].kind == types::TypeKind::Value && types::is_fractional(types[type].dtype);
}

auto literal_text(const types::TypeStore& types, types::TypeId type, std::string_view digits)
    -> std::string {
  while (digits.size() > 1 && digits[0] == '0' && digits[1] != '.') {
    digits.remove_prefix(1);
  }
  if (digits.find('.') != std::string_view::npos) {
    while (digits.ends_with('0') && !digits.ends_with(".0")) {
      digits.remove_suffix(1);
    }
    return std::string(digits);
  }
  return std::string(digits) + (has_fraction(types, type) ? ".0" : "");
}

auto class_of(query::Context& context, names::ItemId item) -> names::ItemId {
  if (!item.has_value()) {
    return item;
  }
  const auto& members = context.get<names::ClassOfItem>(item);
  return members ? members->item : item;
}

auto constant_term(query::Context& context, names::ItemId constant, types::TypeId type) -> Term {
  Term term;
  term.kind = TermKind::Constant;
  term.item = constant;
  const std::optional<int64_t> value = context.get<types::ValueOfConst>(constant);
  if (!value || *value < 0) {
    return term;
  }
  const bool is_bool = context.get<check::TypeOfConst>(constant) == types::TypeStore::kBool;
  Term literal;
  literal.kind = TermKind::Literal;
  literal.text = context.service<Interner>().intern(
      is_bool ? (*value != 0 ? "true" : "false")
              : literal_text(context.service<types::TypeStore>(), type, std::to_string(*value)));
  return literal;
}

namespace {

auto term_of(TermKind kind) -> Term {
  Term term;
  term.kind = kind;
  return term;
}

/// Reads one specification. Definitions are worked off with a list of their own, so that a long
/// chain of them needs no deep stack; nesting of expressions is bounded by the parser.
class SpecReader {
 public:
  SpecReader(query::Context& context, names::ItemId item, const syntax::Tree& tree,
             const check::Body& body, SpecGraph& graph)
      : context_(context),
        tree_(tree),
        body_(body),
        graph_(graph),
        of_local_(body.names.locals.size()) {
    graph.item = item;
  }

  void run() {
    Node block = names::item_node(tree_).child(Field::Body);
    inputs();
    reserve_definitions();
    for (Node child : block.children()) {
      if (child.is(NodeKind::Definition)) {
        definition(child);
      }
    }
    returns(block.child(NodeKind::ReturnsStatement).child(Field::Value));
    resolve_aliases();
    finish();
  }

 private:
  void inputs() {
    const std::vector<names::Local>& locals = body_.names.locals;
    for (uint32_t local = 0; local < locals.size(); ++local) {
      const names::Local& declared = locals[local];
      Term term;
      term.number = declared.ordinal;
      if (declared.kind == LocalKind::Parameter) {
        term.kind = TermKind::Input;
      } else if (declared.kind == LocalKind::Dim) {
        term.kind = TermKind::Dimension;
      } else {
        continue;
      }
      const SpecNodeId node = add(term, {}, body_.local_types[local],
                                  declared.node == names::Local::kNone ? 0 : declared.node);
      name(declared.name, node);
      of_local_[local] = node;
      if (term.kind == TermKind::Input) {
        graph_.inputs.resize(std::max<size_t>(graph_.inputs.size(), term.number + 1));
        graph_.inputs[term.number] = node;
      }
    }
  }

  /// A definition may be used before it is read: its node is a promise until then.
  void reserve_definitions() {
    const std::vector<names::Local>& locals = body_.names.locals;
    for (uint32_t local = 0; local < locals.size(); ++local) {
      if (locals[local].kind == LocalKind::Definition) {
        const SpecNodeId node = add({}, {}, body_.local_types[local], locals[local].node);
        graph_.nodes[node].name = locals[local].name;
        of_local_[local] = node;
      }
    }
  }

  void definition(Node node) {
    std::vector<uint32_t> bound;
    for (Node binding : node.children()) {
      if (binding.is(NodeKind::SpecBinding)) {
        const names::Resolution local = body_.names.of(binding.child(Field::Name).index());
        bound.push_back(local.is(names::Meaning::Local) ? local.index() : names::Local::kNone);
      }
    }
    std::vector<SpecNodeId> values = several(node.child(Field::Value));
    for (size_t i = 0; i < bound.size() && i < values.size(); ++i) {
      if (bound[i] == names::Local::kNone) {
        continue;
      }
      const SpecNodeId promised = of_local_[bound[i]];
      fulfil(promised, values[i]);
    }
  }

  /// Makes a promised node be `value`. A fresh node moves in; one that has a name already keeps
  /// it, and the promise becomes another name for it.
  void fulfil(SpecNodeId promised, SpecNodeId value) {
    SpecNode& from = graph_.nodes[value];
    if (from.name.has_value() || is_input(from) || value == promised) {
      alias_[promised.index] = value;
      return;
    }
    SpecNode& to = graph_.nodes[promised];
    to.term = from.term;
    to.type = from.type;
    to.children = std::move(from.children);
    to.node = from.node;
    from.term = {};
    alias_[value.index] = promised;
  }

  static auto is_input(const SpecNode& node) -> bool {
    return node.term.kind == TermKind::Input || node.term.kind == TermKind::Dimension;
  }

  void returns(Node value) {
    if (!value) {
      return;
    }
    graph_.outputs = several(value);
    for (uint32_t local = 0; local < body_.names.locals.size(); ++local) {
      const names::Local& declared = body_.names.locals[local];
      if (declared.kind == LocalKind::Output && declared.ordinal < graph_.outputs.size()) {
        name(declared.name, graph_.outputs[declared.ordinal]);
      }
    }
  }

  /// The values of an expression that may be several: of a tuple or a call.
  auto several(Node node) -> std::vector<SpecNodeId> {
    node = bare(node);
    if (node.is(NodeKind::TupleExpression)) {
      return elements(node);
    }
    if (node.is(NodeKind::CallExpression)) {
      return call(node);
    }
    return {expression(node)};
  }

  auto expression(Node node) -> SpecNodeId {
    node = bare(node);
    switch (syntax::expression_kind(node.kind())) {
      case ExpressionKind::Identifier:
      case ExpressionKind::Dim:
        return named(node);
      case ExpressionKind::Integer:
      case ExpressionKind::Float:
      case ExpressionKind::Boolean:
        return literal(node);
      case ExpressionKind::Unary:
        return operation(node, TermKind::Unary, {Field::Operand});
      case ExpressionKind::Binary:
        return syntax::is_concatenation(node)
                   ? pattern(node)
                   : operation(node, TermKind::Binary, {Field::Left, Field::Right});
      case ExpressionKind::Cast: {
        Term term = term_of(TermKind::Cast);
        term.type = body_.type(node);
        return add(term, parts(node, {Field::Value}), node);
      }
      case ExpressionKind::Conditional:
        return add(term_of(TermKind::Select),
                   parts(node, {Field::Condition, Field::Consequence, Field::Alternative}), node);
      case ExpressionKind::Call: {
        const std::vector<SpecNodeId> results = call(node);
        return results.empty() ? add({}, {}, node) : results[0];
      }
      case ExpressionKind::Array:
        if (hir::is_pattern(node, body_.names)) {
          return pattern(node);
        }
        return add(term_of(TermKind::Array), elements(node), node);
      case ExpressionKind::Index:
        return add(term_of(TermKind::Index), parts(node, {Field::Array, Field::Index}), node);
      case ExpressionKind::Let:
        let_in(node);
        return expression(node.child(Field::Body));
      case ExpressionKind::For:
      case ExpressionKind::Slice:
        return pattern(node);
      case ExpressionKind::None:
      case ExpressionKind::Await:
      case ExpressionKind::EncodeBegin:
      case ExpressionKind::Field:
      case ExpressionKind::Hole:
      case ExpressionKind::If:
      case ExpressionKind::Parenthesized:
      case ExpressionKind::Path:
      case ExpressionKind::Range:
      case ExpressionKind::StatementHole:
      case ExpressionKind::String:
      case ExpressionKind::Submit:
      case ExpressionKind::Tagged:
      case ExpressionKind::Tuple:
        return add({}, {}, node);
    }
    return add({}, {}, node);
  }

  auto literal(Node node) -> SpecNodeId {
    Term term = term_of(TermKind::Literal);
    term.text = context_.service<Interner>().intern(
        literal_text(context_.service<types::TypeStore>(), body_.type(node), node.text()));
    return add(term, {}, node);
  }

  /// An operator on the expressions in `operands`.
  auto operation(Node node, TermKind kind, std::initializer_list<Field> operands) -> SpecNodeId {
    Term term = term_of(kind);
    std::vector<SpecNodeId> values = parts(node, operands);
    const bool is_known = types::find_operator(node.child(Field::Operator).kind(),
                                               static_cast<uint8_t>(operands.size()), term.op);
    return add(is_known ? term : Term(), std::move(values), node);
  }

  auto elements(Node node) -> std::vector<SpecNodeId> {
    std::vector<SpecNodeId> result;
    for (Node element : node.children(Field::Element)) {
      result.push_back(expression(element));
    }
    return result;
  }

  /// The expressions in `fields`, in their order.
  auto parts(Node node, std::initializer_list<Field> fields) -> std::vector<SpecNodeId> {
    std::vector<SpecNodeId> result;
    for (Field field : fields) {
      result.push_back(expression(node.child(field)));
    }
    return result;
  }

  void let_in(Node node) {
    const std::vector<SpecNodeId> values = several(node.child(Field::Value));
    size_t next = 0;
    for (Node binding : node.children()) {
      if (!binding.is(NodeKind::Binding) || next == values.size()) {
        continue;
      }
      const names::Resolution local = body_.names.of(binding.child(Field::Name).index());
      if (local.is(names::Meaning::Local)) {
        of_local_[local.index()] = values[next];
      }
      ++next;
    }
  }

  /// An array expression, on what does not depend on its own variables.
  auto pattern(Node node) -> SpecNodeId {
    const hir::Pattern cut = hir::pattern_of(context_, node, body_.names);
    Term term;
    term.kind = TermKind::Pattern;
    term.text = context_.service<Interner>().intern(cut.text);
    std::vector<SpecNodeId> operands;
    for (Node operand : cut.operands) {
      operands.push_back(expression(operand));
    }
    return add(term, std::move(operands), node);
  }

  auto named(Node node) -> SpecNodeId {
    const names::Resolution resolution = body_.names.of(node.index());
    if (resolution.is(names::Meaning::Local) && of_local_[resolution.index()].has_value()) {
      return of_local_[resolution.index()];
    }
    return add(resolution.is(names::Meaning::Item)
                   ? constant_term(context_, body_.names.item(node.index()), body_.type(node))
                   : Term(),
               {}, node);
  }

  auto call(Node node) -> std::vector<SpecNodeId> {
    const names::Resolution function = body_.names.of(bare(node.child(Field::Function)).index());
    if (function.is(names::Meaning::Builtin)) {
      return builtin(node, static_cast<names::Builtin>(function.index()));
    }
    const names::ItemId callee = body_.names.item(bare(node.child(Field::Function)).index());
    const auto signature = callee.has_value() ? context_.get<types::SignatureOf>(callee) : nullptr;
    if (!signature) {
      return {add({}, {}, node)};  // a mistake
    }
    Term term;
    term.kind = TermKind::Call;
    term.item = class_of(context_, callee);
    const SpecNodeId call = add(term, arguments(node), node);
    std::vector<SpecNodeId> results;
    for (uint32_t i = 0; i < signature->results.size(); ++i) {
      results.push_back(extract(call, i, signature->results[i].type, node));
    }
    return results;
  }

  /// Of built-in functions those on events are looked into.
  auto builtin(Node node, names::Builtin function) -> std::vector<SpecNodeId> {
    if (function == names::Builtin::EncodeEvent) {
      const SpecNodeId call = add(term_of(TermKind::EncodeEvent), arguments(node), node);
      return {extract(call, 0, types::TypeStore::kEvent, node),
              extract(call, 1, types::TypeStore::kEncoder, node)};
    }
    if (function == names::Builtin::SubmitEvent) {
      return {add(term_of(TermKind::SubmitEvent), arguments(node), node)};
    }
    if (function == names::Builtin::SyncEvent) {
      return {add(term_of(TermKind::SyncEvent), arguments(node), node)};
    }
    return {hir::is_pattern(node, body_.names) ? pattern(node) : add({}, {}, node)};
  }

  auto arguments(Node node) -> std::vector<SpecNodeId> {
    std::vector<SpecNodeId> result;
    for (Field list : {Field::Template, Field::Arguments}) {
      for (Node child : node.child(list).children()) {
        if (syntax::is_named(child.kind())) {
          result.push_back(expression(child));
        }
      }
    }
    return result;
  }

  auto extract(SpecNodeId call, uint32_t number, types::TypeId type, Node node) -> SpecNodeId {
    Term term;
    term.kind = TermKind::Extract;
    term.number = number;
    return add(term, {call}, type, node.index());
  }

  auto add(const Term& term, std::vector<SpecNodeId> children, Node node) -> SpecNodeId {
    return add(term, std::move(children), body_.type(node), node.index());
  }
  auto add(const Term& term, std::vector<SpecNodeId> children, types::TypeId type, uint32_t node)
      -> SpecNodeId {
    SpecNode added;
    added.term = term;
    added.type = type;
    added.children = std::move(children);
    added.node = node;
    alias_.emplace_back();
    return graph_.nodes.add(std::move(added));
  }

  void name(Name name, SpecNodeId node) {
    if (name.has_value()) {
      graph_.names.emplace_back(name, node);
    }
  }

  auto resolved(SpecNodeId node) const -> SpecNodeId {
    // A cyclic definition was reported as an error; this must only terminate.
    for (size_t steps = 0; steps < alias_.size() && alias_[node.index].has_value(); ++steps) {
      node = alias_[node.index];
    }
    return node;
  }

  void resolve_aliases() {
    for (uint32_t local = 0; local < body_.names.locals.size(); ++local) {
      if (body_.names.locals[local].kind == LocalKind::Definition) {
        name(body_.names.locals[local].name, of_local_[local]);
      }
    }
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      for (SpecNodeId& child : graph_.nodes[SpecNodeId{i}].children) {
        child = resolved(child);
      }
    }
    for (SpecNodeId& node : graph_.outputs) {
      node = resolved(node);
    }
    for (auto& [name, node] : graph_.names) {
      node = resolved(node);
      SpecNode& target = graph_.nodes[node];
      target.name = target.name.has_value() ? target.name : name;
    }
  }

  void finish() {
    std::stable_sort(graph_.names.begin(), graph_.names.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    graph_.parents.resize(graph_.nodes.size());
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      if (alias_[i].has_value()) {
        continue;  // moved elsewhere: nothing refers to it
      }
      for (SpecNodeId child : graph_.nodes[SpecNodeId{i}].children) {
        graph_.parents[child.index].push_back({i});
      }
    }
  }

  query::Context& context_;
  const syntax::Tree& tree_;
  const check::Body& body_;
  SpecGraph& graph_;
  std::vector<SpecNodeId> of_local_;
  /// By node: the node that stands for it.
  std::vector<SpecNodeId> alias_;
};

}  // namespace

auto SpecificationOf::compute(query::Context& context, const Key& item) -> Value {
  const names::ItemKind kind = context.service<names::ItemTable>()[item].kind;
  if (kind != names::ItemKind::Val && kind != names::ItemKind::Tmln) {
    return nullptr;
  }
  const names::ItemTree& tree = context.get<names::SyntaxOfItem>(item);
  const check::Findings found = check::find_out(context, item);
  auto result = std::make_shared<Specification>();
  result->diagnostics = found.diagnostics;
  if (!found.has_errors() && tree->errors.empty()) {
    auto graph = std::make_shared<SpecGraph>();
    SpecReader(context, item, *tree, found.body, *graph).run();
    result->graph = std::move(graph);
  }
  return result;
}

}  // namespace tacet::infer
