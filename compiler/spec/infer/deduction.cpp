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
    make_operands();
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
    result_.of_value[i] = of_value_[i].has_value() ? operands_[of_value_[i]].node : SpecNodeId();
  }
  for (size_t i = 0; i < of_call_.size(); ++i) {
    result_.of_call[i] = of_call_[i].has_value() ? operands_[of_call_[i]].node : SpecNodeId();
  }
}

/// Makes `operand` be `node`. `at` is the syntax node to blame if it cannot be; without one it is
/// where `reason` has its operand.
void Deduction::assign(OperandId operand, SpecNodeId node, OperandId reason, uint32_t at) {
  if (!operand.has_value() || !node.has_value()) {
    return;
  }
  Operand& data = operands_[operand];
  const bool is_doubtful = data.is_wrong || (data.node.has_value() && data.has_wrong_child);
  if (data.node == node || is_doubtful) {
    return;
  }
  const bool is_free = !data.node.has_value() && data.can_have_node();
  const SpecNodeId another = is_free ? sure_other(operand, node, reason) : data.node;
  if (is_free && !another.has_value()) {
    data.node = node;
    data.reason = reason;
    data.at = at;
    to_match_.push_back(operand);
    to_try_.insert(to_try_.end(), data.users.begin(), data.users.end());
    return;
  }
  Problem problem;
  problem.value = data.value;
  problem.wanted = node;
  problem.node =
      at == hir::kNoNode && reason.has_value() ? operand_node(reason, operand, node) : at;
  problem.found = another;
  problem.kind = another.has_value() ? Problem::Kind::IsAnotherNode
                 : data.is_absent()  ? Problem::Kind::IsNone
                                     : Problem::Kind::UnknownContent;
  problem.rows = compare(operand, node, reason);
  // Where a name was mistaken for another, the value itself is as it should be.
  fail(std::move(problem), is_free ? OperandId() : operand, reason);
}

/// The node that a value with a name surely is, where it is used as `node`, which it cannot be: the
/// wrong name was written.
auto Deduction::sure_other(OperandId operand, SpecNodeId node, OperandId reason) const
    -> SpecNodeId {
  const Operand& data = operands_[operand];
  const bool has_name = data.value.has_value() && function_.values[data.value].name.has_value();
  if (!reason.has_value() || !has_name || !data.has_term() || may_be(operand, node, 3)) {
    return {};
  }
  const std::vector<SpecNodeId> found = candidates(operand, 2);
  return found.size() == 1 ? found[0] : SpecNodeId();
}

void Deduction::propagate() {
  while (next_to_match_ < to_match_.size()) {
    match(to_match_[next_to_match_++]);
  }
}

/// Is `node` another result of the very call that `operand` comes from?
static auto is_other_result(const Operands& operands, const Operand& operand, const SpecGraph& spec,
                            const SpecNode& node) -> bool {
  return operand.term.kind == TermKind::Extract && node.term.kind == TermKind::Extract &&
         operands[operand.children[0]].term == spec.nodes[node.children[0]].term;
}

void Deduction::match(OperandId operand) {
  const Operand& data = operands_[operand];
  if (!data.has_term()) {
    return;
  }
  const SpecNode& node = spec_.nodes[data.node];
  if (data.is_choice()) {
    match_choice(operand, node);
    return;
  }
  const bool is_alike = data.term == node.term && data.children.size() == node.children.size();
  const Interface* part =
      data.term.kind == TermKind::Extract ? part_of_same(data.children[0]) : nullptr;
  if (part != nullptr) {
    // A call of the whole may also be a recursive one, with arguments that are wrong.
    const bool is_same_call =
        is_alike && operands_[data.children[0]].term == spec_.nodes[node.children[0]].term;
    const bool is_in_place =
        is_same_call && (part->is_whole() || may_be(data.children[0], node.children[0], kDepth));
    if (!is_in_place) {
      match_part(operand);
      return;
    }
  }
  if (is_alike) {
    match_children(operand, node);
    return;
  }
  Problem problem;
  problem.kind = Problem::Kind::Differs;
  problem.value = data.value;
  problem.wanted = data.node;
  problem.tag = data.tag;
  if (is_other_result(operands_, data, spec_, node)) {
    problem.kind = Problem::Kind::OtherResult;
    problem.found = {node.term.number};
    problem.node = data.at != hir::kNoNode || !data.reason.has_value()
                       ? data.at
                       : operand_node(data.reason, operand, data.node);
    fail(std::move(problem), operand, data.reason);
    return;
  }
  if (data.value.has_value()) {
    problem.node = function_.values[data.value].node;
  } else if (data.call.has_value()) {
    problem.node = function_.instructions[data.call].node;
  }
  problem.rows = compare(operand, data.node, data.reason);
  fail(std::move(problem), operand, data.reason);
}

void Deduction::match_children(OperandId operand, const SpecNode& node) {
  for (size_t i = 0; i < node.children.size(); ++i) {
    const OperandId child = operands_[operand].children[i];
    if (child.has_value()) {
      assign(child, node.children[i], operand, hir::kNoNode);
    }
  }
}

/// A choice: of the specification, or else one of two ways to compute the same.
void Deduction::match_choice(OperandId operand, const SpecNode& node) {
  const std::vector<OperandId> children = operands_[operand].children;
  const SpecNodeId wanted = operands_[operand].node;
  const bool is_choice = node.term.kind == TermKind::Select;
  const bool both_ways = may_be(children[1], wanted, kDepth) && may_be(children[2], wanted, kDepth);
  const bool is_condition = is_choice && may_be(children[0], node.children[0], kDepth);
  if (is_choice && (!both_ways || is_condition)) {
    if (!is_condition && children[0].has_value()) {
      // Where the condition is another one, what it chooses between says nothing.
      assign(children[0], node.children[0], operand, hir::kNoNode);
      if (operands_[children[0]].node == node.children[0]) {
        match(children[0]);
      }
    }
    match_children(operand, node);
    return;
  }
  if (operands_[operand].tag != hir::kNoNode && !both_ways) {
    Problem problem;
    problem.kind = Problem::Kind::Differs;
    problem.value = operands_[operand].value;
    problem.wanted = wanted;
    problem.tag = operands_[operand].tag;
    problem.node = function_.values[problem.value].node;
    fail(std::move(problem), operand, {});
    return;
  }
  for (size_t i : {size_t{1}, size_t{2}}) {
    if (children[i].has_value()) {
      assign(children[i], wanted, operand, hir::kNoNode);
    }
  }
}

/// The callee's interface, if it does a part of what this function's own specification says.
auto Deduction::part_of_same(OperandId call) const -> const Interface* {
  const Instruction& instruction = function_.instructions[operands_[call].call];
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
void Deduction::match_part(OperandId operand) {
  const OperandId call = operands_[operand].children[0];
  const Interface& callee = *part_of_same(call);
  const SpecNodeId said =
      node_of_port(spec_, callee.result_quotients[operands_[operand].port], false);
  if (said != operands_[operand].node) {
    Problem problem;
    problem.kind = Problem::Kind::PartOfAnother;
    problem.value = operands_[operand].value;
    problem.wanted = operands_[operand].node;
    problem.found = said;
    problem.node = function_.instructions[operands_[call].call].node;
    fail(std::move(problem), operand, operands_[operand].reason);
    return;
  }
  const Instruction& instruction = function_.instructions[operands_[call].call];
  std::span<const hir::ValueId> operands = function_.operands_of(instruction);
  operands = operands.subspan(std::min<size_t>(instruction.n_dims, operands.size()));
  operands_[call].computation = Computation::Unspecified;
  operands_[call].excuse();
  for (size_t i = 0; i < operands.size() && i < callee.parameter_quotients.size(); ++i) {
    const SpecNodeId wanted = node_of_port(spec_, callee.parameter_quotients[i], true);
    if (wanted.has_value() && operand_of(operands[i]).has_value()) {
      const OperandId argument = operand_of(operands[i]);
      assign(argument, wanted, operand, operand_node(call, argument, wanted));
    }
  }
  for (uint32_t i = 0; i < instruction.results.size(); ++i) {
    const OperandId other = operand_of(function_.result_of(instruction, i));
    if (other.has_value() && i < callee.result_quotients.size()) {
      assign(other, node_of_port(spec_, callee.result_quotients[i], false), operand,
             instruction.node);
    }
  }
}

/// Is `operand` computed as `node` is, of operands that could be the node's children?
auto Deduction::computes_as(OperandId operand, SpecNodeId node, int depth) const -> bool {
  const Operand& data = operands_[operand];
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

/// Could `operand` be `node`, by what is known now?
auto Deduction::may_be(OperandId operand, SpecNodeId node, int depth) const -> bool {
  if (!operand.has_value()) {
    return true;
  }
  const Operand& data = operands_[operand];
  if (data.node.has_value()) {
    return data.node == node;
  }
  if (!data.can_have_node()) {
    return false;
  }
  if (!data.has_term() || depth == 0) {
    return true;
  }
  if (computes_as(operand, node, depth)) {
    return true;
  }
  if (data.is_choice()) {
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

/// The nodes that `operand` could be, up to `at_most`, in the order of the specification.
auto Deduction::candidates(OperandId operand, size_t at_most) const -> std::vector<SpecNodeId> {
  const Operand& data = operands_[operand];
  std::vector<SpecNodeId> result;
  const std::vector<SpecNodeId>* among = nullptr;
  for (OperandId child : data.children) {
    if (child.has_value() && operands_[child].node.has_value()) {
      const std::vector<SpecNodeId>& parents = spec_.parents[operands_[child].node.index];
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
    if (is_new && spec_.nodes[node].term == data.term && may_be(operand, node, kDepth)) {
      result.push_back(node);
      if (result.size() == at_most) {
        break;
      }
    }
  }
  return result;
}

auto Deduction::try_unique(OperandId operand) -> bool {
  const Operand& data = operands_[operand];
  const bool is_open_choice = data.is_choice() && !data.is_required();
  if (data.node.has_value() || !data.has_term() || data.is_absent() || is_open_choice ||
      has_failed_) {
    return false;
  }
  const std::vector<SpecNodeId> found = candidates(operand, 2);
  SpecNodeId node;
  if (found.size() == 1) {
    node = found[0];
  } else if (found.empty() && data.is_choice() && data.children[1].has_value() &&
             data.children[2].has_value() &&
             operands_[data.children[1]].node == operands_[data.children[2]].node) {
    node = operands_[data.children[1]].node;
  } else if (found.empty() && data.term.kind == TermKind::Extract) {
    if (const Interface* part = part_of_same(data.children[0])) {
      node = node_of_port(spec_, part->result_quotients[data.port], false);
    }
  }
  if (!node.has_value()) {
    return false;
  }
  const hir::ValueId value = data.value;
  assign(operand, node, {}, value.has_value() ? function_.values[value].node : hir::kNoNode);
  return true;
}

void Deduction::converge() {
  propagate();
  next_to_try_ = to_try_.size();  // all are tried below
  bool has_changed = true;
  while (has_changed && !has_failed_) {
    has_changed = false;
    for (uint32_t i = 0; i < operands_.size() && !has_failed_; ++i) {
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
