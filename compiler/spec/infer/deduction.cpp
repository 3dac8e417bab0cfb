#include "compiler/spec/infer/deduction.h"

#include <algorithm>

#include "compiler/front/hir/pattern.h"
#include "compiler/front/names/queries.h"

namespace tacet::infer {

using hir::Instruction;
using hir::ValueId;

Deduction::Deduction(query::Context& context, const hir::Function& function, const SpecGraph& spec,
                     const syntax::Tree& tree, const Interface& interface, Quotients& result)
    : context_(context),
      function_(function),
      spec_(spec),
      tree_(tree),
      interface_(interface),
      result_(result),
      types_(context.service<types::TypeStore>()) {}

void Deduction::run() {
  check_head();
  if (result_.problems.empty()) {
    make_things();
    seed();
    converge();
    leftovers();
    if (!has_failed_) {
      check_types();
    }
  }
  result_.of_value.resize(function_.values.size());
  result_.of_call.resize(function_.instructions.size());
  for (size_t i = 0; i < of_value_.size(); ++i) {
    result_.of_value[i] = of_value_[i].has_value() ? things_[of_value_[i]].node : SpecNodeId();
  }
  for (size_t i = 0; i < of_call_.size(); ++i) {
    result_.of_call[i] = of_call_[i].has_value() ? things_[of_call_[i]].node : SpecNodeId();
  }
}

/// Makes `thing` be `node`. `at` is the syntax node to blame if it cannot be; without one it is
/// where `reason` has its operand.
void Deduction::assign(ThingId thing, SpecNodeId node, ThingId reason, uint32_t at) {
  if (!thing.has_value() || !node.has_value()) {
    return;
  }
  Thing& data = things_[thing];
  const bool is_doubtful = data.is_wrong || (data.node.has_value() && data.has_wrong_child);
  if (data.node == node || is_doubtful) {
    return;
  }
  const bool is_free = !data.node.has_value() && !data.is_none && !data.is_unknown;
  const SpecNodeId another = is_free ? sure_other(thing, node, reason) : data.node;
  if (is_free && !another.has_value()) {
    data.node = node;
    data.reason = reason;
    data.at = at;
    to_match_.push_back(thing);
    to_try_.insert(to_try_.end(), data.users.begin(), data.users.end());
    return;
  }
  Problem problem;
  problem.value = data.value;
  problem.wanted = node;
  problem.node = at == hir::kNoNode && reason.has_value() ? operand_node(reason, thing, node) : at;
  problem.found = another;
  problem.kind = another.has_value() ? Problem::Kind::IsAnotherNode
                 : data.is_none      ? Problem::Kind::IsNone
                                     : Problem::Kind::UnknownContent;
  problem.rows = compare(thing, node, reason);
  // Where a name was mistaken for another, the value itself is as it should be.
  fail(std::move(problem), is_free ? ThingId() : thing, reason);
}

/// The node that a value with a name surely is, where it is used as `node`, which it cannot be: the
/// wrong name was written.
auto Deduction::sure_other(ThingId thing, SpecNodeId node, ThingId reason) const -> SpecNodeId {
  const Thing& data = things_[thing];
  const bool has_name = data.value.has_value() && function_.values[data.value].name.has_value();
  if (!reason.has_value() || !has_name || !data.has_term || may_be(thing, node, 3)) {
    return {};
  }
  const std::vector<SpecNodeId> found = candidates(thing, 2);
  return found.size() == 1 ? found[0] : SpecNodeId();
}

void Deduction::propagate() {
  while (next_to_match_ < to_match_.size()) {
    match(to_match_[next_to_match_++]);
  }
}

void Deduction::match(ThingId thing) {
  const Thing& data = things_[thing];
  if (!data.has_term) {
    return;
  }
  const SpecNode& node = spec_.nodes[data.node];
  if (data.is_phi) {
    match_phi(thing, node);
    return;
  }
  const bool is_alike = data.term == node.term && data.children.size() == node.children.size();
  const Interface* part =
      data.term.kind == TermKind::Extract ? part_of_same(data.children[0]) : nullptr;
  if (part != nullptr) {
    // A call of the whole may also be a recursive one, with arguments that are wrong.
    const bool is_same_call =
        is_alike && things_[data.children[0]].term == spec_.nodes[node.children[0]].term;
    const bool is_in_place =
        is_same_call && (part->is_whole() || may_be(data.children[0], node.children[0], kDepth));
    if (!is_in_place) {
      match_part(thing);
      return;
    }
  }
  if (is_alike) {
    match_children(thing, node);
    return;
  }
  Problem problem;
  problem.kind = Problem::Kind::Differs;
  problem.value = data.value;
  problem.wanted = data.node;
  problem.tag = data.tag;
  if (is_other_result(thing, node)) {
    problem.kind = Problem::Kind::OtherResult;
    problem.found = {node.term.number};
    problem.node = data.at != hir::kNoNode || !data.reason.has_value()
                       ? data.at
                       : operand_node(data.reason, thing, data.node);
    fail(std::move(problem), thing, data.reason);
    return;
  }
  if (data.value.has_value()) {
    problem.node = function_.values[data.value].node;
  } else if (data.call.has_value()) {
    problem.node = function_.instructions[data.call].node;
  }
  problem.rows = compare(thing, data.node, data.reason);
  fail(std::move(problem), thing, data.reason);
}

/// Is `node` another result of the very call that `thing` comes from?
auto Deduction::is_other_result(ThingId thing, const SpecNode& node) const -> bool {
  const Thing& data = things_[thing];
  return data.term.kind == TermKind::Extract && node.term.kind == TermKind::Extract &&
         things_[data.children[0]].term == spec_.nodes[node.children[0]].term;
}

void Deduction::match_children(ThingId thing, const SpecNode& node) {
  for (size_t i = 0; i < node.children.size(); ++i) {
    const ThingId child = things_[thing].children[i];
    if (child.has_value()) {
      assign(child, node.children[i], thing, hir::kNoNode);
    }
  }
}

/// A choice: of the specification, or else one of two ways to compute the same.
void Deduction::match_phi(ThingId thing, const SpecNode& node) {
  const std::vector<ThingId> children = things_[thing].children;
  const SpecNodeId wanted = things_[thing].node;
  const bool is_choice = node.term.kind == TermKind::Select;
  const bool both_ways = may_be(children[1], wanted, kDepth) && may_be(children[2], wanted, kDepth);
  const bool is_condition = is_choice && may_be(children[0], node.children[0], kDepth);
  if (is_choice && (!both_ways || is_condition)) {
    if (!is_condition && children[0].has_value()) {
      // Where the condition is another one, what it chooses between says nothing.
      assign(children[0], node.children[0], thing, hir::kNoNode);
      if (things_[children[0]].node == node.children[0]) {
        match(children[0]);
      }
    }
    match_children(thing, node);
    return;
  }
  if (things_[thing].tag != hir::kNoNode && !both_ways) {
    Problem problem;
    problem.kind = Problem::Kind::Differs;
    problem.value = things_[thing].value;
    problem.wanted = wanted;
    problem.tag = things_[thing].tag;
    problem.node = function_.values[problem.value].node;
    fail(std::move(problem), thing, {});
    return;
  }
  for (size_t i : {size_t{1}, size_t{2}}) {
    if (children[i].has_value()) {
      assign(children[i], wanted, thing, hir::kNoNode);
    }
  }
}

/// The callee's interface, if it does a part of what this function's own specification says.
auto Deduction::part_of_same(ThingId call) const -> const Interface* {
  const Instruction& instruction = function_.instructions[things_[call].call];
  const bool is_recursive = instruction.item == function_.item;  // that would have no end
  if (instruction.opcode != hir::Opcode::Call || is_recursive) {
    return nullptr;
  }
  const auto& interface = context_.get<InterfaceOf>(instruction.item);
  return interface && interface->spec == interface_.spec ? interface.get() : nullptr;
}

/// The node that a port of a function that implements `spec` says that it is, or none.
static auto node_of_port(const SpecGraph& spec, const PortQuotient& port, bool is_parameter)
    -> SpecNodeId {
  if (port.kind == PortQuotient::Kind::Named) {
    return spec.find(port.name);
  }
  const std::vector<SpecNodeId>& nodes = is_parameter ? spec.inputs : spec.outputs;
  return port.kind == PortQuotient::Kind::Ordinal && port.number < nodes.size() ? nodes[port.number]
                                                                                : SpecNodeId();
}

/// A result of a function that computes a part of the same specification: its head says which
/// node it is, and which ones it wants of its arguments.
void Deduction::match_part(ThingId thing) {
  const ThingId call = things_[thing].children[0];
  const Interface& callee = *part_of_same(call);
  const SpecNodeId said = node_of_port(spec_, callee.result_quotients[things_[thing].port], false);
  if (said != things_[thing].node) {
    Problem problem;
    problem.kind = Problem::Kind::PartOfAnother;
    problem.value = things_[thing].value;
    problem.wanted = things_[thing].node;
    problem.found = said;
    problem.node = function_.instructions[things_[call].call].node;
    fail(std::move(problem), thing, things_[thing].reason);
    return;
  }
  const Instruction& instruction = function_.instructions[things_[call].call];
  std::span<const hir::ValueId> operands = function_.operands_of(instruction);
  operands = operands.subspan(std::min<size_t>(instruction.n_dims, operands.size()));
  things_[call].has_term = things_[call].is_needed = false;
  for (size_t i = 0; i < operands.size() && i < callee.parameter_quotients.size(); ++i) {
    const SpecNodeId wanted = node_of_port(spec_, callee.parameter_quotients[i], true);
    if (wanted.has_value() && this->thing(operands[i]).has_value()) {
      const ThingId argument = this->thing(operands[i]);
      assign(argument, wanted, thing, operand_node(call, argument, wanted));
    }
  }
  for (uint32_t i = 0; i < instruction.results.size(); ++i) {
    const ThingId other = this->thing(function_.result_of(instruction, i));
    if (other.has_value() && i < callee.result_quotients.size()) {
      assign(other, node_of_port(spec_, callee.result_quotients[i], false), thing,
             instruction.node);
    }
  }
}

/// Is `thing` computed as `node` is, of operands that could be the node's children?
auto Deduction::computes_as(ThingId thing, SpecNodeId node, int depth) const -> bool {
  const Thing& data = things_[thing];
  const SpecNode& target = spec_.nodes[node];
  if (!(data.term == target.term) || data.children.size() != target.children.size()) {
    return false;
  }
  for (size_t i = 0; i < data.children.size(); ++i) {
    if (!may_be(data.children[i], target.children[i], depth - 1)) {
      return false;
    }
  }
  return true;
}

/// Could `thing` be `node`, by what is known now?
auto Deduction::may_be(ThingId thing, SpecNodeId node, int depth) const -> bool {
  if (!thing.has_value()) {
    return true;
  }
  const Thing& data = things_[thing];
  if (data.node.has_value()) {
    return data.node == node;
  }
  if (data.is_none || data.is_unknown) {
    return false;
  }
  if (!data.has_term || depth == 0) {
    return true;
  }
  if (computes_as(thing, node, depth)) {
    return true;
  }
  if (data.is_phi) {
    return may_be(data.children[1], node, depth - 1) && may_be(data.children[2], node, depth - 1);
  }
  if (data.term.kind == TermKind::Extract) {
    const Interface* part = part_of_same(data.children[0]);
    return part != nullptr && data.port < part->result_quotients.size() &&
           node_of_port(spec_, part->result_quotients[data.port], false) == node;
  }
  return false;
}

/// The nodes that are computed by `term`, or null.
auto Deduction::nodes_of(const Term& term) const -> const std::vector<SpecNodeId>* {
  if (nodes_by_term_.empty()) {
    for (uint32_t i = 0; i < spec_.nodes.size(); ++i) {
      const Term& of_node = spec_.nodes[SpecNodeId{i}].term;
      if (of_node.kind != TermKind::Opaque) {
        nodes_by_term_[of_node].push_back({i});
      }
    }
  }
  auto found = nodes_by_term_.find(term);
  return found == nodes_by_term_.end() ? nullptr : &found->second;
}

/// The nodes that `thing` could be, up to `at_most`, in the order of the specification.
auto Deduction::candidates(ThingId thing, size_t at_most) const -> std::vector<SpecNodeId> {
  const Thing& data = things_[thing];
  std::vector<SpecNodeId> result;
  const std::vector<SpecNodeId>* among = nullptr;
  for (ThingId child : data.children) {
    if (child.has_value() && things_[child].node.has_value()) {
      const std::vector<SpecNodeId>& parents = spec_.parents[things_[child].node.index];
      among = among == nullptr || parents.size() < among->size() ? &parents : among;
    }
  }
  if (among == nullptr) {
    among = nodes_of(data.term);
  }
  if (among == nullptr) {
    return result;
  }
  for (SpecNodeId node : *among) {
    // A parent is listed once for every child that it has in common.
    const bool is_new = result.empty() || result.back() != node;
    if (is_new && spec_.nodes[node].term == data.term && may_be(thing, node, kDepth)) {
      result.push_back(node);
      if (result.size() == at_most) {
        break;
      }
    }
  }
  return result;
}

auto Deduction::try_unique(ThingId thing) -> bool {
  const Thing& data = things_[thing];
  const bool is_open_phi = data.is_phi && !data.is_needed;
  if (data.node.has_value() || !data.has_term || data.is_none || is_open_phi || has_failed_) {
    return false;
  }
  const std::vector<SpecNodeId> found = candidates(thing, 2);
  SpecNodeId node;
  if (found.size() == 1) {
    node = found[0];
  } else if (found.empty() && data.is_phi && data.children[1].has_value() &&
             data.children[2].has_value() &&
             things_[data.children[1]].node == things_[data.children[2]].node) {
    node = things_[data.children[1]].node;
  } else if (found.empty() && data.term.kind == TermKind::Extract) {
    if (const Interface* part = part_of_same(data.children[0])) {
      node = node_of_port(spec_, part->result_quotients[data.port], false);
    }
  }
  if (!node.has_value()) {
    return false;
  }
  const hir::ValueId value = data.value;
  assign(thing, node, {}, value.has_value() ? function_.values[value].node : hir::kNoNode);
  return true;
}

void Deduction::converge() {
  propagate();
  next_to_try_ = to_try_.size();  // all are tried below
  bool has_changed = true;
  while (has_changed && !has_failed_) {
    has_changed = false;
    for (uint32_t i = 0; i < things_.size() && !has_failed_; ++i) {
      has_changed = try_unique({i}) || has_changed;
      propagate();
      while (next_to_try_ < to_try_.size() && !has_failed_) {
        has_changed = try_unique(to_try_[next_to_try_++]) || has_changed;
        propagate();
      }
    }
    context_.check_cancelled();
  }
}

auto deduce(query::Context& context, const hir::Function& function, const SpecGraph& spec)
    -> Quotients {
  const auto& interface = context.get<InterfaceOf>(function.item);
  const names::ItemTree& tree = context.get<names::SyntaxOfItem>(function.item);
  Quotients result;
  result.val = spec.item;
  Deduction(context, function, spec, *tree, *interface, result).run();
  return result;
}

auto QuotientsOf::compute(query::Context& context, const Key& item) -> Value {
  const auto& interface = context.get<InterfaceOf>(item);
  if (!interface || !interface->spec.has_value()) {
    return nullptr;
  }
  const auto& spec = context.get<SpecificationOf>(interface->spec);
  const hir::FunctionPtr& function = context.get<hir::SsaOf>(item);
  return spec && spec->graph && function
             ? std::make_shared<const Quotients>(deduce(context, *function, *spec->graph))
             : nullptr;
}

}  // namespace tacet::infer
