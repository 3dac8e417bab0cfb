#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "lsp/ide/refactor_selection.h"

namespace tacet::ide {

using names::Local;
using names::LocalKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

namespace {

/// Consecutive statements of one block, or one expression.
struct Part {
  std::vector<Node> nodes;
  bool is_expression = false;

  [[nodiscard]] auto first() const -> uint32_t { return nodes.front().index(); }
  [[nodiscard]] auto end() const -> uint32_t { return nodes.back().subtree_end(); }
  [[nodiscard]] auto range() const -> TextRange {
    return {nodes.front().range().begin, nodes.back().range().end};
  }
  [[nodiscard]] auto contains(uint32_t node) const -> bool {
    return node != Local::kNone && node >= first() && node < end();
  }
};

/// The statements that the selection begins and ends with; none if it cuts one.
auto selected_part(const Selection& selection) -> Part {
  if (const Node expression = selected_expression(selection)) {
    return {{expression}, true};
  }
  for (uint32_t i = 0; !selection.range.is_empty() && i < selection.tree->nodes.size(); ++i) {
    const Node block = selection.node(i);
    if (!block.is(NodeKind::Block)) {
      continue;
    }
    Part part;
    for (Node child : block.children()) {
      if (selection.range.contains(child.range()) && child.field() != Field::Result) {
        part.nodes.push_back(child);
      }
    }
    if (!part.nodes.empty() && part.range() == selection.range) {
      return part;
    }
  }
  return {};
}

/// May what is selected not be in a function of its own?
auto leaves(const Selection& selection, Node statement) -> bool {
  return has_node(statement, [&](Node node) {
    if (node.is(NodeKind::ReturnStatement) || node.is(NodeKind::EncodeStatement) ||
        node.is(NodeKind::AnnotationStatement) || node.is(NodeKind::HoleStatement)) {
      return true;
    }
    if (!node.is(NodeKind::BreakStatement) && !node.is(NodeKind::ContinueStatement)) {
      return false;
    }
    const std::vector<Node> path = path_up(selection, node);
    return std::none_of(path.begin(), path.end(), [&](Node above) {
      const bool is_loop = above.is(NodeKind::ForStatement) || above.is(NodeKind::WhileStatement) ||
                           above.is(NodeKind::DoStatement);
      return is_loop && above.index() >= statement.index();
    });
  });
}

/// What crosses the border of the part.
struct Crossing {
  std::vector<uint32_t> inputs;   ///< locals that it uses, in the order of their uses
  std::set<uint32_t> written;     ///< of the outside, that it assigns
  std::vector<uint32_t> outputs;  ///< that are used behind it, or outside and assigned
  std::map<uint32_t, std::string> types;
  std::map<uint32_t, std::string> bounds;  ///< ` in 0..8`, of inputs that are parameters with one
  bool is_possible = true;
};

/// The local that an assignment changes: `t` of `t[i][j] = e`.
auto assigned_local(const Selection& selection, Node use) -> bool {
  Node inner = use;
  for (Node above : path_up(selection, use)) {
    if (above == use) {
      continue;
    }
    if (above.is(NodeKind::AssignmentStatement)) {
      return inner.field() == Field::Target;
    }
    if (!above.is(NodeKind::IndexExpression) || inner.field() != Field::Array) {
      return false;
    }
    inner = above;
  }
  return false;
}

/// May it have no value yet where it crosses?
auto may_be_unset(const Selection& selection, const Local& data) -> bool {
  const bool is_declared = data.kind == LocalKind::Var && data.declaration != Local::kNone;
  return is_declared && !selection.node(data.declaration).child(Field::Value);
}

/// What the signature says of the values of a parameter, as it is written; empty if nothing.
auto written_bound(const Selection& selection, const Local& data) -> std::string {
  if (data.kind != LocalKind::Parameter || data.node == Local::kNone) {
    return {};
  }
  for (Node above : path_up(selection, selection.node(data.node))) {
    if (above.is(NodeKind::Parameter)) {
      const Node bound = above.child(Field::Bound);
      return bound ? " " + std::string(bound.text()) : std::string();
    }
  }
  return {};
}

/// Could the compiler know no more how often a loop of the part iterates? The limit of one with
/// secret bounds follows from their known ranges, of which a signature keeps what is written in it
/// alone.
auto loses_bounds(const Selection& selection, const Part& part, const Crossing& crossing) -> bool {
  for (uint32_t i = part.first(); i < part.end(); ++i) {
    const Node loop = selection.node(i);
    if (!loop.is(NodeKind::ForStatement) || loop.child(Field::Max)) {
      continue;
    }
    for (const Node end : {loop.child(Field::Lower), loop.child(Field::Upper)}) {
      if (!end) {
        continue;
      }
      for (uint32_t use = end.index(); use < end.subtree_end(); ++use) {
        const uint32_t local = selection.local_at(use);
        const auto type = crossing.types.find(local);
        if (type != crossing.types.end() && type->second.starts_with("secret") &&
            !crossing.bounds.contains(local)) {
          return true;
        }
      }
    }
  }
  return false;
}

auto find_crossing(const Selection& selection, const Part& part) -> Crossing {
  Crossing crossing;
  std::set<uint32_t> seen;
  std::set<uint32_t> later;
  for (uint32_t i = 0; i < selection.tree->nodes.size(); ++i) {
    const uint32_t local = selection.local_at(i);
    if (local == Local::kNone) {
      continue;
    }
    const Local& data = selection.body->names.locals[local];
    const bool is_own = part.contains(data.node);
    if (!part.contains(i)) {
      if (is_own && i >= part.end() && later.insert(local).second) {
        crossing.outputs.push_back(local);
      }
      continue;
    }
    const types::TypeId type = selection.body->type(i);
    if (crossing.types[local].empty() && selection.is_value(type)) {
      crossing.types[local] = selection.type_text(type);
    }
    if (is_own) {
      continue;
    }
    crossing.is_possible = crossing.is_possible && data.kind != LocalKind::Dim &&
                           data.kind != LocalKind::Encoded &&
                           selection.node(i).is(NodeKind::Identifier);
    if (seen.insert(local).second) {
      crossing.inputs.push_back(local);
    }
    if (assigned_local(selection, selection.node(i))) {
      crossing.written.insert(local);
    }
  }
  crossing.outputs.insert(crossing.outputs.begin(), crossing.written.begin(),
                          crossing.written.end());
  std::set<std::string_view> names;
  for (uint32_t local : crossing.inputs) {
    const Local& data = selection.body->names.locals[local];
    crossing.is_possible = crossing.is_possible && !crossing.types[local].empty() &&
                           names.insert(selection.snapshot->interner().text(data.name)).second;
    if (std::string bound = written_bound(selection, data); !bound.empty()) {
      crossing.bounds[local] = std::move(bound);
    }
  }
  for (uint32_t local : crossing.outputs) {
    crossing.is_possible = crossing.is_possible && !crossing.types[local].empty() &&
                           !may_be_unset(selection, selection.body->names.locals[local]);
  }
  crossing.is_possible = crossing.is_possible && !loses_bounds(selection, part, crossing);
  return crossing;
}

/// Lines moved to an indentation of four.
auto reindented(const std::string& text, const std::string& before) -> std::string {
  std::string out;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    std::string line = text.substr(begin, end - begin);
    if (begin > 0 && line.starts_with(before)) {
      line = line.substr(before.size());
    }
    out += (line == "\n" ? "" : "    ") + line;
    begin = end;
  }
  return out;
}

auto listed(const std::vector<std::string>& all) -> std::string {
  return fmt::format("{}", fmt::join(all, ", "));
}

/// Writes the function and the call of it.
class FunctionWriter {
 public:
  FunctionWriter(const Selection& selection, const Part& part, const Crossing& crossing)
      : selection_(selection),
        part_(part),
        crossing_(crossing),
        function_(selection.fresh_name(
            std::string(selection.snapshot->interner().text(selection.item.name)) + "_part")) {}

  auto run() -> Action {
    return make_action(Action::Kind::Extract, "extract into a function", edits(), function_);
  }

 private:
  auto edits() -> std::vector<TextEdit> {
    return {selection_.edit(part_.range(), call()),
            selection_.edit({selection_.root().range().end, selection_.root().range().end},
                            "\n\n" + function())};
  }

  [[nodiscard]] auto name(uint32_t local) const -> std::string {
    return std::string(
        selection_.snapshot->interner().text(selection_.body->names.locals[local].name));
  }
  [[nodiscard]] auto type(uint32_t local) const -> std::string { return crossing_.types.at(local); }
  [[nodiscard]] auto is_written(uint32_t local) const -> bool {
    return crossing_.written.contains(local);
  }
  [[nodiscard]] auto text() const -> std::string {
    const TextRange range = part_.range();
    return selection_.tree->text.substr(range.begin, range.length());
  }

  /// A parameter that the function assigns to is a variable of its own.
  [[nodiscard]] auto parameter(uint32_t local) const -> std::string {
    return is_written(local) ? selection_.fresh_name(name(local) + "_before") : name(local);
  }

  auto function() -> std::string {
    std::vector<std::string> parameters;
    std::string body;
    for (uint32_t input : crossing_.inputs) {
      const auto bound = crossing_.bounds.find(input);
      parameters.push_back(fmt::format("{}: {}{}", parameter(input), type(input),
                                       bound == crossing_.bounds.end() ? "" : bound->second));
      if (is_written(input)) {
        body += fmt::format("    var {} = {};\n", name(input), parameter(input));
      }
    }
    std::vector<std::string> results;
    std::vector<std::string> values;
    for (uint32_t output : crossing_.outputs) {
      results.push_back(type(output));
      values.push_back(name(output));
    }
    if (part_.is_expression) {
      const Node expression = part_.nodes.front();
      results = {selection_.type_text(selection_.body->type(expression))};
      body += fmt::format("    return {};\n", text());
    } else {
      const uint32_t begin = part_.range().begin;
      body += reindented(text(), indentation(selection_.tree->text, begin)) + "\n";
      body += fmt::format("    return {};\n",
                          values.size() == 1 ? values[0] : "(" + listed(values) + ")");
    }
    std::vector<std::string> devices;
    for (const Node device : selection_.root().children(Field::Device)) {
      devices.emplace_back(device.text());
    }
    const std::string result = results.size() == 1 ? results[0] : "(" + listed(results) + ")";
    return fmt::format("fn({}) {}({}) -> {} {{\n{}}}", listed(devices), function_,
                       listed(parameters), result, body);
  }

  /// Is it assigned behind the part?
  [[nodiscard]] auto is_assigned_later(uint32_t local) const -> bool {
    for (uint32_t i = part_.end(); i < selection_.tree->nodes.size(); ++i) {
      if (selection_.local_at(i) == local && assigned_local(selection_, selection_.node(i))) {
        return true;
      }
    }
    return false;
  }

  auto call() -> std::string {
    std::vector<std::string> arguments;
    for (uint32_t input : crossing_.inputs) {
      arguments.push_back(name(input));
    }
    const std::string call = fmt::format("{}({})", function_, listed(arguments));
    if (part_.is_expression) {
      return call;
    }
    const std::vector<uint32_t>& outputs = crossing_.outputs;
    if (outputs.size() == 1) {
      const std::string_view head = is_written(outputs[0])          ? ""
                                    : is_assigned_later(outputs[0]) ? "var "
                                                                    : "let ";
      return fmt::format("{}{} = {};", head, name(outputs[0]), call);
    }
    // What is assigned, here or later, is bound by another name first.
    const std::string blanks = indentation(selection_.tree->text, part_.range().begin);
    std::vector<std::string> bound;
    std::string behind;
    for (uint32_t output : outputs) {
      bound.push_back(name(output));
      if (is_written(output) || is_assigned_later(output)) {
        bound.back() = selection_.fresh_name(name(output) + "_after");
        behind += fmt::format("\n{}{}{} = {};", blanks, is_written(output) ? "" : "var ",
                              name(output), bound.back());
      }
    }
    return fmt::format("let {} = {};{}", listed(bound), call, behind);
  }

  const Selection& selection_;
  const Part& part_;
  const Crossing& crossing_;
  std::string function_;
};

}  // namespace

void extract_function(const Selection& selection, std::vector<Action>& actions) {
  if (!selection.is_device_function() || selection.item.member != names::FileItem::kTopLevel ||
      selection.root().child(Field::Sizes)) {
    return;
  }
  const Part part = selected_part(selection);
  if (part.nodes.empty()) {
    return;
  }
  for (Node node : part.nodes) {
    if (!is_pure(selection, node) || (!part.is_expression && leaves(selection, node))) {
      return;
    }
  }
  if (part.is_expression) {
    // A name or number alone is no function, and an assignment's target is not a value.
    const std::vector<Node> path = path_up(selection, part.nodes.front());
    for (size_t i = 0; i < path.size(); ++i) {
      const Node above = path[i];
      if (is_constant_argument(selection, path, i) || above.field() == Field::Target ||
          above.is(NodeKind::Bound) || above.is(NodeKind::Schedule) ||
          above.is(NodeKind::ArrayType) || above.is(NodeKind::ForExpression)) {
        return;
      }
    }
  }
  const Crossing crossing = find_crossing(selection, part);
  if (!crossing.is_possible || (!part.is_expression && crossing.outputs.empty()) ||
      (part.is_expression && crossing.inputs.empty())) {
    return;
  }
  actions.push_back(FunctionWriter(selection, part, crossing).run());
}

}  // namespace tacet::ide
