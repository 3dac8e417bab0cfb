#include "compiler/spec/fill/device_holes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/core/syntax/bare.h"
#include "compiler/core/syntax/find_hole.h"
#include "compiler/core/syntax/kind_groups.h"
#include "compiler/front/names/queries.h"
#include "compiler/front/types/queries.h"
#include "compiler/spec/infer/synthesis.h"

namespace tacet::fill {

using infer::AtHand;
using infer::SpecGraph;
using infer::SpecNodeId;
using infer::Synthesis;
using infer::TermKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

namespace {

/// What a part of the specification costs, by what the hole is for.
constexpr uint32_t kSameNameCost = 1;
constexpr uint32_t kPartCost = 2;
constexpr uint32_t kVariableCost = 3;
constexpr uint32_t kElementCost = 4;
constexpr uint32_t kUsualLiteralCost = 6;
constexpr uint32_t kOperatorCost = 2;
constexpr uint32_t kInvariantCost = 8;
constexpr size_t kCharactersPerCost = 8;
/// Parts of a specification, operands, and forms, at most.
constexpr size_t kMostParts = 64;
constexpr size_t kMostOperands = 24;
constexpr size_t kMostForms = 2000;
constexpr size_t kLongestPart = 200;

void add_form(std::vector<Form>& forms, std::string text, uint32_t cost) {
  const auto same = std::find_if(forms.begin(), forms.end(),
                                 [&](const Form& other) { return other.text == text; });
  if (same == forms.end()) {
    forms.push_back({std::move(text), cost});
  } else {
    same->cost = std::min(same->cost, cost);
  }
}

/// Whether an operation gives one of its operands, or nothing.
auto is_idle(const std::string& left, const std::string& op, const std::string& right) -> bool {
  const bool has_zero = left == "0" || right == "0";
  const bool is_sum = op == "+" || op == "-";
  return (is_sum && (right == "0" || (op == "+" && has_zero))) ||
         (op == "*" && (has_zero || left == "1" || right == "1"));
}

void sort_forms(std::vector<Form>& forms, size_t most) {
  std::stable_sort(forms.begin(), forms.end(),
                   [](const Form& a, const Form& b) { return a.cost < b.cost; });
  forms.resize(std::min(forms.size(), most));
}

/// A name in front of the hole.
struct SeenLocal {
  std::string name;
  size_t rank = 0;  ///< of an array
  bool is_var = false;
  bool is_index = false;
};

class DeviceHoleForms {
 public:
  DeviceHoleForms(query::Context& context, const program::FrontendSnapshot& snapshot,
                  names::ItemId function)
      : context_(context),
        snapshot_(snapshot),
        function_(function),
        tree_(snapshot.tree(function)),
        body_(snapshot.body(function)),
        parents_(tree_->nodes.size(), 0) {
    for (uint32_t i = 0; i < tree_->nodes.size(); ++i) {
      for (const Node child : Node(tree_.get(), i).children()) {
        parents_[child.index()] = i;
      }
    }
    const auto signature = context.get<types::SignatureOf>(function);
    if (signature && signature->val.has_value()) {
      specification_ = signature->val;
      const auto& found = context.get<infer::SpecificationOf>(signature->val);
      graph_ = found ? found->graph : nullptr;
    }
  }

  auto run() -> std::vector<DeviceHole> {
    std::vector<DeviceHole> holes;
    const uint32_t begin = snapshot_.item_begin(function_);
    const Node body = names::item_node(*tree_).child(Field::Body);
    for (uint32_t i = body.index(); body && i < body.subtree_end(); ++i) {
      const Node node(tree_.get(), i);
      if (!syntax::is_hole(node) || parent(node).is(NodeKind::HoleStatement)) {
        continue;
      }
      DeviceHole& hole = holes.emplace_back();
      hole.place = node.range().shifted(begin);
      hole.is_revealed = is_revealed(node);
      if (!hole.is_revealed && graph_ != nullptr) {
        hole.forms = node.is(NodeKind::HoleStatement) ? statements(node) : expressions(node, "");
      }
    }
    return holes;
  }

 private:
  auto parent(Node node) const -> Node { return {tree_.get(), parents_[node.index()]}; }

  auto is_revealed(Node hole) const -> bool {
    for (Node at = hole; at.index() != 0; at = parent(at)) {
      if (!at.is(NodeKind::CallExpression)) {
        continue;
      }
      const names::Resolution meaning =
          body_->names.of(syntax::bare(at.child(Field::Function)).index());
      if (meaning.is(names::Meaning::Builtin) &&
          static_cast<names::Builtin>(meaning.index()) == names::Builtin::Reveal) {
        return true;
      }
    }
    return false;
  }

  auto word(Name name) const -> std::string { return std::string(snapshot_.interner().text(name)); }

  auto locals(Node hole) const -> std::vector<SeenLocal> {
    std::vector<SeenLocal> seen;
    const types::TypeStore& types = snapshot_.types();
    const auto& all = body_->names.locals;
    for (size_t i = all.size(); i-- > 0;) {
      const names::Local& local = all[i];
      if (!local.name.has_value() || local.node == names::Local::kNone ||
          local.node >= hole.index() || i >= body_->local_types.size()) {
        continue;
      }
      const types::TypeId type = body_->local_types[i];
      if (!type.has_value() || types[type].kind != types::TypeKind::Value) {
        continue;
      }
      const size_t rank = types.extents(types[type].shape).size();
      const bool is_number = rank == 0 && types::is_integer(types[type].dtype) &&
                             types[type].visibility != types::Visibility::Secret;
      seen.push_back({word(local.name), rank, local.kind == names::LocalKind::Var, is_number});
    }
    return seen;
  }

  // ---- expressions ----

  /// For a hole, or for a definition of `name`.
  auto expressions(Node hole, std::string name) -> std::vector<Form> {
    if (const Node around = parent(hole);
        name.empty() && (around.is(NodeKind::LetStatement) || around.is(NodeKind::VarStatement))) {
      name = around.child(NodeKind::Binding).child(Field::Name).text();
    }
    const std::vector<SeenLocal> seen = locals(hole);
    std::vector<Form> forms = parts(seen, name);
    std::vector<Form> operands = atoms(seen);
    for (const Form& part : forms) {
      const bool is_atom = part.text.find(' ') == std::string::npos;
      operands.push_back({is_atom ? part.text : fmt::format("({})", part.text), part.cost + 1});
    }
    sort_forms(operands, kMostOperands);
    for (const Form& atom : atoms(seen)) {
      add_form(forms, atom.text, atom.cost);
    }
    prefer_indices(hole, seen, forms);
    for (const std::string& op : operators()) {
      for (size_t i = 0; i < operands.size(); ++i) {
        const bool is_commutative = op == "+" || op == "*";
        for (size_t k = is_commutative ? i : 0; k < operands.size(); ++k) {
          if (is_idle(operands[i].text, op, operands[k].text)) {
            continue;
          }
          add_form(forms, fmt::format("{} {} {}", operands[i].text, op, operands[k].text),
                   operands[i].cost + operands[k].cost + kOperatorCost);
        }
      }
    }
    sort_forms(forms, kMostForms);
    return forms;
  }

  /// What is the same in every iteration is not a part of a loop.
  void prefer_indices(Node hole, const std::vector<SeenLocal>& seen,
                      std::vector<Form>& forms) const {
    bool is_in_loop = false;
    for (Node at = hole; at.index() != 0; at = parent(at)) {
      is_in_loop = is_in_loop || at.is(NodeKind::ForStatement) || at.is(NodeKind::ForExpression);
    }
    for (Form& form : forms) {
      const bool has_index = std::any_of(seen.begin(), seen.end(), [&](const SeenLocal& local) {
        return local.is_index &&
               form.text.find(fmt::format("for {}", local.name)) == std::string::npos &&
               form.text.find(fmt::format("[{}]", local.name)) != std::string::npos;
      });
      form.cost += is_in_loop && !has_index ? kInvariantCost : 0;
    }
  }

  auto atoms(const std::vector<SeenLocal>& seen) const -> std::vector<Form> {
    std::vector<Form> forms;
    for (const SeenLocal& local : seen) {
      add_form(forms, local.name, kVariableCost);
      for (const SeenLocal& index : seen) {
        if (!index.is_index) {
          continue;
        }
        if (local.rank == 1) {
          add_form(forms, fmt::format("{}[{}]", local.name, index.name), kElementCost);
        }
        for (const SeenLocal& inner : seen) {
          if (local.rank == 2 && inner.is_index) {
            add_form(forms, fmt::format("{}[{}][{}]", local.name, index.name, inner.name),
                     kElementCost);
          }
        }
      }
    }
    for (const infer::SpecNode& node : graph_->nodes.values()) {
      if (node.term.kind == TermKind::Literal) {
        add_form(forms, word(node.term.text), kVariableCost);
      }
    }
    add_form(forms, "0", kUsualLiteralCost);
    add_form(forms, "1", kUsualLiteralCost);
    return forms;
  }

  /// Parts of the specification, written with the names of the function: with those alone that it
  /// takes, and with variables that are named as parts of the specification are.
  auto parts(const std::vector<SeenLocal>& seen, const std::string& name) -> std::vector<Form> {
    std::vector<Form> forms;
    const AtHand inputs = inputs_at_hand();
    AtHand named = inputs;
    for (const auto& [of, node] : graph_->names) {
      const std::string text = word(of);
      const bool is_seen = std::any_of(seen.begin(), seen.end(),
                                       [&](const SeenLocal& local) { return local.name == text; });
      if (is_seen && text != name) {
        named.emplace(node, text);
      }
    }
    for (uint32_t i = 0; i < std::min<size_t>(graph_->nodes.size(), kMostParts); ++i) {
      const SpecNodeId node{i};
      const infer::SpecNode& part = graph_->nodes[node];
      if (part.term.kind == TermKind::Input || part.term.kind == TermKind::Literal) {
        continue;
      }
      const bool is_wanted = part.name.has_value() && word(part.name) == name;
      for (AtHand others : {named, inputs}) {
        others.erase(node);
        Synthesis synthesis(context_, function_, *tree_, *graph_);
        if (auto text = synthesis.expression(node, others, infer::kAnyPrecedence)) {
          add_part(forms, std::move(*text), is_wanted);
        }
      }
    }
    add_written(forms);
    return forms;
  }

  static void add_part(std::vector<Form>& forms, std::string text, bool is_wanted) {
    if (text.size() <= kLongestPart) {
      const auto size = static_cast<uint32_t>(text.size() / kCharactersPerCost);
      add_form(forms, std::move(text), (is_wanted ? kSameNameCost : kPartCost) + size);
    }
  }

  /// Expressions of the specification as they stand, such as those inside of loops.
  void add_written(std::vector<Form>& forms) const {
    const names::ItemTree tree = snapshot_.tree(specification_);
    for (uint32_t i = 0; i < tree->nodes.size() && forms.size() < 4 * kMostParts; ++i) {
      const Node node(tree.get(), i);
      if (node.is(NodeKind::BinaryExpression) || node.is(NodeKind::ConditionalExpression) ||
          node.is(NodeKind::CallExpression) || node.is(NodeKind::IndexExpression)) {
        add_part(forms, std::string(node.text()), false);
      }
    }
  }

  auto inputs_at_hand() const -> AtHand {
    AtHand inputs;
    const auto signature = context_.get<types::SignatureOf>(function_);
    for (size_t i = 0; i < signature->parameters.size() && i < graph_->inputs.size(); ++i) {
      inputs.emplace(graph_->inputs[i], word(signature->parameters[i].name));
    }
    return inputs;
  }

  /// Those of arithmetic, and all that the specification has.
  auto operators() const -> std::vector<std::string> {
    std::vector<std::string> found = {"+", "-", "*"};
    const names::ItemTree tree = snapshot_.tree(specification_);
    for (uint32_t i = 0; i < tree->nodes.size(); ++i) {
      const Node node(tree.get(), i);
      const std::string op(node.is(NodeKind::BinaryExpression) ? node.child(Field::Operator).text()
                                                               : std::string_view());
      if (!op.empty() && std::find(found.begin(), found.end(), op) == found.end()) {
        found.push_back(op);
      }
    }
    return found;
  }

  // ---- statements ----

  auto statements(Node hole) -> std::vector<Form> {
    const std::vector<std::string> names = wanted(hole);
    return names.empty() ? assignments(hole) : definitions(hole, names);
  }

  /// The names that are used behind the hole and declared nowhere.
  auto wanted(Node hole) const -> std::vector<std::string> {
    std::vector<std::string> names;
    const Node block = parent(hole);
    for (uint32_t i = hole.index() + 1; i < block.subtree_end(); ++i) {
      const Node name(tree_.get(), i);
      if (name.is(NodeKind::Identifier) && name.field() != Field::Field &&
          body_->names.of(i).is(names::Meaning::Unknown) &&
          std::find(names.begin(), names.end(), name.text()) == names.end()) {
        names.emplace_back(name.text());
      }
    }
    return names;
  }

  auto definitions(Node hole, const std::vector<std::string>& names) -> std::vector<Form> {
    std::vector<Form> forms = {{"", 0}};
    for (const std::string& name : names) {
      std::vector<Form> values = expressions(hole, name);
      sort_forms(values, names.size() == 1 ? kMostForms : kMostParts);
      std::vector<Form> longer;
      for (const Form& before : forms) {
        for (const Form& value : values) {
          longer.push_back({fmt::format("{}{}let {} = {};", before.text,
                                        before.text.empty() ? "" : " ", name, value.text),
                            before.cost + value.cost});
        }
      }
      sort_forms(longer, kMostForms);
      forms = std::move(longer);
    }
    return forms;
  }

  auto assignments(Node hole) -> std::vector<Form> {
    std::vector<Form> forms = {{"", 0}};
    const std::vector<SeenLocal> seen = locals(hole);
    const std::vector<Form> values = expressions(hole, "");
    for (const SeenLocal& local : seen) {
      if (!local.is_var) {
        continue;
      }
      for (const Form& value : values) {
        if (local.rank == 0) {
          forms.push_back({fmt::format("{} = {};", local.name, value.text), value.cost});
        }
        for (const SeenLocal& index : seen) {
          if (local.rank == 1 && index.is_index) {
            forms.push_back(
                {fmt::format("{}[{}] = {};", local.name, index.name, value.text), value.cost});
          }
        }
      }
    }
    sort_forms(forms, kMostForms);
    return forms;
  }

  query::Context& context_;
  const program::FrontendSnapshot& snapshot_;
  names::ItemId function_;
  names::ItemTree tree_;
  check::BodyPtr body_;
  std::vector<uint32_t> parents_;
  names::ItemId specification_;
  infer::SpecGraphPtr graph_;
};

}  // namespace

auto device_holes(const program::FrontendSnapshot& snapshot, names::ItemId function)
    -> std::vector<DeviceHole> {
  return snapshot.query().run(
      [&](query::Context& context) { return DeviceHoleForms(context, snapshot, function).run(); });
}

}  // namespace tacet::fill
