#include "compiler/run/interpret/demand.h"

#include <algorithm>

#include "compiler/front/check/array_forms.h"
#include "compiler/run/interpret/lowering.h"

namespace tacet::interpret {

using names::LocalKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

/// A set of the first 64 parameters. Those behind them are never found to be strict.
using ParameterSet = uint64_t;
static constexpr uint32_t kMaxTracked = 64;

/// Looks through the text of one specification.
class DemandWalk {
 public:
  static constexpr uint32_t kNone = 0xffffffff;

  DemandWalk(const DemandAnalysis& analysis, const ItemText& text, uint32_t n_dims)
      : analysis_(analysis),
        text_(text),
        names_(text.body->names),
        n_dims_(n_dims),
        demands_(names_.locals.size(), Demand::Absent),
        needs_(names_.locals.size(), 0),
        definition_of_(names_.locals.size(), kNone) {
    Node block = names::item_node(*text.tree).child(Field::Body);
    std::vector<uint32_t> at_node(text.tree->nodes.size(), kNone);
    for (Node child : block.children()) {
      if (child.is(NodeKind::Definition)) {
        at_node[child.index()] = static_cast<uint32_t>(definitions_.size());
        definitions_.push_back({child.child(Field::Value), {}});
      }
    }
    for (uint32_t i = 0; i < names_.locals.size(); ++i) {
      const names::Local& local = names_.locals[i];
      if (local.kind == LocalKind::Definition && local.declaration < at_node.size() &&
          at_node[local.declaration] != kNone) {
        definition_of_[i] = at_node[local.declaration];
        definitions_[definition_of_[i]].locals.push_back(i);
      }
    }
    result_ = block.child(NodeKind::ReturnsStatement).child(Field::Value);
  }

  /// The demand on each local.
  auto demands() -> std::vector<Demand> {
    if (result_) {
      mentions(result_, Demand::Strict);
    }
    while (!to_visit_.empty()) {
      auto [value, demand] = to_visit_.back();
      to_visit_.pop_back();
      mentions(value, demand);
    }
    return demands_;
  }

  /// The parameters that the result surely needs.
  auto needed_by_result() -> ParameterSet {
    for (uint32_t i = 0; i < needs_.size(); ++i) {
      uint32_t at = parameter_index(i);
      needs_[i] = at < kMaxTracked ? ParameterSet{1} << at : 0;
    }
    for (uint32_t definition : definitions_in_order()) {
      ParameterSet needed = needed_by(definitions_[definition].value);
      for (uint32_t local : definitions_[definition].locals) {
        needs_[local] = needed;
      }
    }
    return needed_by(result_);
  }

  /// The definitions, each behind those that it mentions. A long row of them is no deep recursion.
  [[nodiscard]] auto definitions_in_order() const -> std::vector<uint32_t> {
    struct Visit {
      uint32_t definition;
      uint32_t next;  ///< the node to look at
    };
    std::vector<uint32_t> order;
    std::vector<bool> is_seen(definitions_.size(), false);
    std::vector<Visit> stack;
    for (uint32_t root = 0; root < definitions_.size(); ++root) {
      if (is_seen[root]) {
        continue;
      }
      is_seen[root] = true;
      stack.push_back({root, definitions_[root].value.index()});
      while (!stack.empty()) {
        Visit& frame = stack.back();
        if (frame.next >= definitions_[frame.definition].value.subtree_end()) {
          order.push_back(frame.definition);
          stack.pop_back();
          continue;
        }
        uint32_t local = local_of(text_.node(frame.next++));
        uint32_t definition = local == kNone ? kNone : definition_of_[local];
        if (definition != kNone && !is_seen[definition]) {
          is_seen[definition] = true;
          stack.push_back({definition, definitions_[definition].value.index()});
        }
      }
    }
    return order;
  }

  /// Where a local stands among `_dimK` and the parameters.
  [[nodiscard]] auto parameter_index(uint32_t local) const -> uint32_t {
    const names::Local& found = names_.locals[local];
    if (found.kind == LocalKind::Dim) {
      return found.ordinal;
    }
    return found.kind == LocalKind::Parameter ? n_dims_ + found.ordinal : kNone;
  }

 private:
  struct Definition {
    Node value;
    std::vector<uint32_t> locals;
  };

  /// An argument of a call and how the call uses it.
  struct PassedValue {
    Node node;
    DemandAnalysis::Use use;
  };

  [[nodiscard]] auto local_of(Node node) const -> uint32_t {
    names::Resolution meaning = names_.of(node.index());
    return meaning.is(names::Meaning::Local) ? meaning.index() : kNone;
  }

  /// The arguments of a call, those of its grid first. All that is not passed to a specification
  /// is evaluated.
  [[nodiscard]] auto passed_values(Node call) const -> std::vector<PassedValue> {
    static const std::vector<DemandAnalysis::Use> kUnknown;
    const std::vector<DemandAnalysis::Use>* uses = &kUnknown;
    names::ItemId callee = names_.item(bare(call.child(Field::Function)).index());
    if (callee.has_value()) {
      auto found = analysis_.uses_.find(analysis_.program_.runs_for(callee).index);
      uses = found == analysis_.uses_.end() ? uses : &found->second;
    }
    std::vector<PassedValue> result;
    Node grid = call.child(Field::Template);
    for (Node list :
         {grid.is(NodeKind::TemplateArguments) ? grid : Node(), call.child(Field::Arguments)}) {
      for (Node argument : named_children(list)) {
        if (names_.is_function_argument(argument.index())) {
          continue;
        }
        size_t at = result.size();
        result.push_back(
            {argument, at < uses->size() ? (*uses)[at] : DemandAnalysis::Use{true, true}});
      }
    }
    return result;
  }

  void found(uint32_t local, Demand demand) {
    if (demands_[local] >= demand) {
      return;
    }
    demands_[local] = demand;
    if (definition_of_[local] != kNone) {
      to_visit_.emplace_back(definitions_[definition_of_[local]].value, demand);
    }
  }

  void mentions(Node node, Demand demand) {
    node = bare(node);
    if (uint32_t local = local_of(node); local != kNone) {
      found(local, demand);
      return;
    }
    if (node.is(NodeKind::ConditionalExpression)) {
      mentions(node.child(Field::Condition), demand);
      mentions(node.child(Field::Consequence), Demand::Lazy);
      mentions(node.child(Field::Alternative), Demand::Lazy);
    } else if (node.is(NodeKind::CallExpression)) {
      for (const PassedValue& passed : passed_values(node)) {
        if (passed.use.is_used) {
          mentions(passed.node, passed.use.is_strict ? demand : Demand::Lazy);
        }
      }
    } else if (node.is(NodeKind::ForExpression)) {
      for (Node array : check::arrays_of(names_, node)) {
        mentions(array, demand);
      }
      mentions(node.child(Field::Body), iterates(node) ? demand : Demand::Lazy);
    } else if (node.is(NodeKind::LetExpression)) {
      mentions(node.child(Field::Value), Demand::Lazy);
      mentions(node.child(Field::Body), demand);
    } else {
      for (Node child : named_children(node)) {
        mentions(child, demand);
      }
    }
  }

  auto needed_by(Node node) -> ParameterSet {
    node = bare(node);
    if (uint32_t local = local_of(node); local != kNone) {
      return needs_[local];
    }
    ParameterSet needed = 0;
    if (node.is(NodeKind::ConditionalExpression)) {
      return needed_by(node.child(Field::Condition)) | (needed_by(node.child(Field::Consequence)) &
                                                        needed_by(node.child(Field::Alternative)));
    }
    if (node.is(NodeKind::CallExpression)) {
      for (const PassedValue& passed : passed_values(node)) {
        needed |= passed.use.is_strict ? needed_by(passed.node) : 0;
      }
      return needed;
    }
    if (node.is(NodeKind::ForExpression)) {
      needed = iterates(node) ? needed_by(node.child(Field::Body)) : 0;
      for (Node array : check::arrays_of(names_, node)) {
        needed |= needed_by(array);
      }
      return needed;
    }
    if (node.is(NodeKind::LetExpression)) {
      ParameterSet bound = needed_by(node.child(Field::Value));
      for (Node child : node.children()) {
        if (child.is(NodeKind::Binding)) {
          if (uint32_t local = local_of(child.child(Field::Name)); local != kNone) {
            needs_[local] = bound;
          }
        }
      }
      return needed_by(node.child(Field::Body));
    }
    for (Node child : named_children(node)) {
      needed |= needed_by(child);
    }
    return needed;
  }

  [[nodiscard]] auto iterates(Node loop) const -> bool {
    std::vector<uint64_t> shape = extents(analysis_.program_.types(), text_.body->type(loop));
    return !shape.empty() && shape.front() > 0;
  }

  const DemandAnalysis& analysis_;
  const ItemText& text_;
  const names::BodyNames& names_;
  uint32_t n_dims_;
  std::vector<Definition> definitions_;
  std::vector<Demand> demands_;          ///< by local
  std::vector<ParameterSet> needs_;      ///< by local
  std::vector<uint32_t> definition_of_;  ///< by local
  Node result_;
  std::vector<std::pair<Node, Demand>> to_visit_;
};

/// The specifications that `specification` reaches and that are not known yet, those that are
/// called before those that call them, as far as they do not call each other.
void DemandAnalysis::collect(names::ItemId specification, std::vector<ItemText>& found) {
  struct Visit {
    ItemText text;
    size_t next_item;
  };
  std::vector<Visit> stack;
  auto open = [&](names::ItemId item) {
    if (!item.has_value() || program_.kind_of(item) != names::ItemKind::Val ||
        uses_.count(item.index) != 0) {
      return;
    }
    std::shared_ptr<const types::Signature> signature = program_.signature_of(item);
    uses_[item.index].resize(signature->n_dims + signature->parameters.size());
    stack.push_back({program_.text_of(item), 0});
  };
  open(specification);
  while (!stack.empty()) {
    Visit& frame = stack.back();
    const std::vector<names::ItemId>& items = frame.text.body->names.items;
    if (frame.next_item == items.size()) {
      found.push_back(std::move(frame.text));
      stack.pop_back();
    } else {
      open(program_.runs_for(items[frame.next_item++]));
    }
  }
}

/// Recomputes one specification; true if something changed.
auto DemandAnalysis::refine(const ItemText& text) -> bool {
  std::vector<Use>& uses = uses_[text.item.index];
  uint32_t n_dims = program_.signature_of(text.item)->n_dims;
  DemandWalk walk(*this, text, n_dims);
  ParameterSet needed = walk.needed_by_result();
  std::vector<Demand> demands = walk.demands();
  std::vector<Use> refined(uses.size(), Use{true, false});
  for (uint32_t i = 0; i < refined.size(); ++i) {
    refined[i].is_strict = i < kMaxTracked && (needed >> i & 1) != 0;
  }
  for (uint32_t local = 0; local < demands.size(); ++local) {
    uint32_t at = walk.parameter_index(local);
    if (at < refined.size()) {
      refined[at].is_used = demands[local] != Demand::Absent;
    }
  }
  bool is_new = refined != uses;
  uses = std::move(refined);
  return is_new;
}

auto DemandAnalysis::of_parameters(names::ItemId runs) -> std::vector<Demand> {
  if (program_.kind_of(runs) != names::ItemKind::Val) {
    return {};
  }
  std::vector<ItemText> unsettled;
  collect(runs, unsettled);
  for (bool is_new = !unsettled.empty(); is_new;) {
    is_new = false;
    for (const ItemText& text : unsettled) {
      is_new |= refine(text);
    }
  }
  std::vector<Demand> result;
  for (Use use : uses_.at(runs.index)) {
    result.push_back(!use.is_used ? Demand::Absent : use.is_strict ? Demand::Strict : Demand::Lazy);
  }
  return result;
}

auto DemandAnalysis::in(const ItemText& text) const -> SpecificationDemands {
  DemandWalk walk(*this, text, program_.signature_of(text.item)->n_dims);
  return {walk.demands(), walk.definitions_in_order()};
}

}  // namespace tacet::interpret
