#include "compiler/spec/infer/deduction.h"

#include <algorithm>

#include "compiler/front/hir/pattern.h"
#include "compiler/front/names/queries.h"

namespace tacet::infer {

using hir::Instruction;
using hir::ValueId;

Deduction::Deduction(query::Context& context_, const hir::Function& function_,
                     const SpecGraph& spec_, const syntax::Tree& tree_, const Interface& interface_,
                     Quotients& result_)
    : context(context_),
      function(function_),
      spec(spec_),
      tree(tree_),
      interface(interface_),
      result(result_),
      types(context_.service<types::TypeStore>()) {}

static auto sure_other(const Deduction& deduction, OperandId operand, SpecNodeId node,
                       OperandId reason) -> SpecNodeId;
static void match(Deduction& deduction, OperandId operand);
static void match_children(Deduction& deduction, OperandId operand, const SpecNode& node);
static void match_choice(Deduction& deduction, OperandId operand, const SpecNode& node);
static auto part_of_same(const Deduction& deduction, OperandId call) -> const Interface*;
static void match_part(Deduction& deduction, OperandId operand);
static auto may_be(const Deduction& deduction, OperandId operand, SpecNodeId node, int depth)
    -> bool;
static void converge(Deduction& deduction);

static void run(Deduction& deduction) {
  check_head(deduction);
  if (deduction.result.problems.empty()) {
    make_operands(deduction);
    seed(deduction);
    converge(deduction);
    leftovers(deduction);
    if (!deduction.has_failed) {
      check_types(deduction);
    }
  }
  deduction.result.of_value.resize(deduction.function.values.size());
  deduction.result.of_call.resize(deduction.function.instructions.size());
  for (size_t i = 0; i < deduction.of_value.size(); ++i) {
    deduction.result.of_value[i] = deduction.of_value[i].has_value()
                                       ? deduction.operands[deduction.of_value[i]].node
                                       : SpecNodeId();
  }
  for (size_t i = 0; i < deduction.of_call.size(); ++i) {
    deduction.result.of_call[i] = deduction.of_call[i].has_value()
                                      ? deduction.operands[deduction.of_call[i]].node
                                      : SpecNodeId();
  }
}

/// Makes `operand` be `node`. `at` is the syntax node to blame if it cannot be; without one it is
/// where `reason` has its operand.
void assign(Deduction& deduction, OperandId operand, SpecNodeId node, OperandId reason,
            uint32_t at) {
  if (!operand.has_value() || !node.has_value()) {
    return;
  }
  Operand& data = deduction.operands[operand];
  const bool is_doubtful = data.is_wrong || (data.node.has_value() && data.has_wrong_child);
  if (data.node == node || is_doubtful) {
    return;
  }
  const bool is_free = !data.node.has_value() && data.can_have_node();
  const SpecNodeId another = is_free ? sure_other(deduction, operand, node, reason) : data.node;
  if (is_free && !another.has_value()) {
    data.node = node;
    data.reason = reason;
    data.at = at;
    deduction.to_match.push_back(operand);
    deduction.to_try.insert(deduction.to_try.end(), data.users.begin(), data.users.end());
    return;
  }
  Problem problem;
  problem.value = data.value;
  problem.wanted = node;
  problem.node = at == hir::kNoNode && reason.has_value()
                     ? operand_node(deduction, reason, operand, node)
                     : at;
  problem.found = another;
  problem.kind = another.has_value() ? Problem::Kind::IsAnotherNode
                 : data.is_absent()  ? Problem::Kind::IsNone
                                     : Problem::Kind::UnknownContent;
  problem.rows = compare(deduction, operand, node, reason);
  // Where a name was mistaken for another, the value itself is as it should be.
  fail(deduction, std::move(problem), is_free ? OperandId() : operand, reason);
}

/// The node that a value with a name surely is, where it is used as `node`, which it cannot be: the
/// wrong name was written.
static auto sure_other(const Deduction& deduction, OperandId operand, SpecNodeId node,
                       OperandId reason) -> SpecNodeId {
  const Operand& data = deduction.operands[operand];
  const bool has_name =
      data.value.has_value() && deduction.function.values[data.value].name.has_value();
  if (!reason.has_value() || !has_name || !data.has_term() || may_be(deduction, operand, node, 3)) {
    return {};
  }
  const std::vector<SpecNodeId> found = candidates(deduction, operand, 2);
  return found.size() == 1 ? found[0] : SpecNodeId();
}

void propagate(Deduction& deduction) {
  while (deduction.next_to_match < deduction.to_match.size()) {
    match(deduction, deduction.to_match[deduction.next_to_match++]);
  }
}

/// Is `node` another result of the very call that `operand` comes from?
static auto is_other_result(const Operands& operands, const Operand& operand, const SpecGraph& spec,
                            const SpecNode& node) -> bool {
  return operand.term.kind == TermKind::Extract && node.term.kind == TermKind::Extract &&
         operands[operand.children[0]].term == spec.nodes[node.children[0]].term;
}

static void match(Deduction& deduction, OperandId operand) {
  const Operand& data = deduction.operands[operand];
  if (!data.has_term()) {
    return;
  }
  const SpecNode& node = deduction.spec.nodes[data.node];
  if (data.is_choice()) {
    match_choice(deduction, operand, node);
    return;
  }
  const bool is_alike = data.term == node.term && data.children.size() == node.children.size();
  const Interface* part =
      data.term.kind == TermKind::Extract ? part_of_same(deduction, data.children[0]) : nullptr;
  if (part != nullptr) {
    // A call of the whole may also be a recursive one, with arguments that are wrong.
    const bool is_same_call = is_alike && deduction.operands[data.children[0]].term ==
                                              deduction.spec.nodes[node.children[0]].term;
    const bool is_in_place =
        is_same_call &&
        (part->is_whole() || may_be(deduction, data.children[0], node.children[0], kDepth));
    if (!is_in_place) {
      match_part(deduction, operand);
      return;
    }
  }
  if (is_alike) {
    match_children(deduction, operand, node);
    return;
  }
  Problem problem;
  problem.kind = Problem::Kind::Differs;
  problem.value = data.value;
  problem.wanted = data.node;
  problem.tag = data.tag;
  if (is_other_result(deduction.operands, data, deduction.spec, node)) {
    problem.kind = Problem::Kind::OtherResult;
    problem.found = {node.term.number};
    problem.node = data.at != hir::kNoNode || !data.reason.has_value()
                       ? data.at
                       : operand_node(deduction, data.reason, operand, data.node);
    fail(deduction, std::move(problem), operand, data.reason);
    return;
  }
  if (data.value.has_value()) {
    problem.node = deduction.function.values[data.value].node;
  } else if (data.call.has_value()) {
    problem.node = deduction.function.instructions[data.call].node;
  }
  problem.rows = compare(deduction, operand, data.node, data.reason);
  fail(deduction, std::move(problem), operand, data.reason);
}

static void match_children(Deduction& deduction, OperandId operand, const SpecNode& node) {
  for (size_t i = 0; i < node.children.size(); ++i) {
    const OperandId child = deduction.operands[operand].children[i];
    if (child.has_value()) {
      assign(deduction, child, node.children[i], operand, hir::kNoNode);
    }
  }
}

/// A choice: of the specification, or else one of two computations of the same.
static void match_choice(Deduction& deduction, OperandId operand, const SpecNode& node) {
  const std::vector<OperandId> children = deduction.operands[operand].children;
  const SpecNodeId wanted = deduction.operands[operand].node;
  const bool is_choice = node.term.kind == TermKind::Select;
  const bool both_branches = may_be(deduction, children[1], wanted, kDepth) &&
                             may_be(deduction, children[2], wanted, kDepth);
  const bool is_condition = is_choice && may_be(deduction, children[0], node.children[0], kDepth);
  if (is_choice && (!both_branches || is_condition)) {
    if (!is_condition && children[0].has_value()) {
      // Where the condition is another one, what it chooses between says nothing.
      assign(deduction, children[0], node.children[0], operand, hir::kNoNode);
      if (deduction.operands[children[0]].node == node.children[0]) {
        match(deduction, children[0]);
      }
    }
    match_children(deduction, operand, node);
    return;
  }
  if (deduction.operands[operand].tag != hir::kNoNode && !both_branches) {
    Problem problem;
    problem.kind = Problem::Kind::Differs;
    problem.value = deduction.operands[operand].value;
    problem.wanted = wanted;
    problem.tag = deduction.operands[operand].tag;
    problem.node = deduction.function.values[problem.value].node;
    fail(deduction, std::move(problem), operand, {});
    return;
  }
  for (size_t i : {size_t{1}, size_t{2}}) {
    if (children[i].has_value()) {
      assign(deduction, children[i], wanted, operand, hir::kNoNode);
    }
  }
}

/// The callee's interface, if it does a part of what this function's own specification says.
static auto part_of_same(const Deduction& deduction, OperandId call) -> const Interface* {
  const Instruction& instruction = deduction.function.instructions[deduction.operands[call].call];
  const bool is_recursive = instruction.item == deduction.function.item;  // that would have no end
  if (instruction.opcode != hir::Opcode::Call || is_recursive) {
    return nullptr;
  }
  const auto& interface = deduction.context.get<InterfaceOf>(instruction.item);
  return interface && interface->spec == deduction.interface.spec ? interface.get() : nullptr;
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
static void match_part(Deduction& deduction, OperandId operand) {
  const OperandId call = deduction.operands[operand].children[0];
  const Interface& callee = *part_of_same(deduction, call);
  const SpecNodeId said = node_of_port(
      deduction.spec, callee.result_quotients[deduction.operands[operand].port], false);
  if (said != deduction.operands[operand].node) {
    Problem problem;
    problem.kind = Problem::Kind::PartOfAnother;
    problem.value = deduction.operands[operand].value;
    problem.wanted = deduction.operands[operand].node;
    problem.found = said;
    problem.node = deduction.function.instructions[deduction.operands[call].call].node;
    fail(deduction, std::move(problem), operand, deduction.operands[operand].reason);
    return;
  }
  const Instruction& instruction = deduction.function.instructions[deduction.operands[call].call];
  std::span<const hir::ValueId> operands = deduction.function.operands_of(instruction);
  operands = operands.subspan(std::min<size_t>(instruction.n_dims, operands.size()));
  deduction.operands[call].computation = Computation::Unspecified;
  deduction.operands[call].excuse();
  for (size_t i = 0; i < operands.size() && i < callee.parameter_quotients.size(); ++i) {
    const SpecNodeId wanted = node_of_port(deduction.spec, callee.parameter_quotients[i], true);
    if (wanted.has_value() && operand_of(deduction, operands[i]).has_value()) {
      const OperandId argument = operand_of(deduction, operands[i]);
      assign(deduction, argument, wanted, operand, operand_node(deduction, call, argument, wanted));
    }
  }
  for (uint32_t i = 0; i < instruction.results.size(); ++i) {
    const OperandId other = operand_of(deduction, deduction.function.result_of(instruction, i));
    if (other.has_value() && i < callee.result_quotients.size()) {
      assign(deduction, other, node_of_port(deduction.spec, callee.result_quotients[i], false),
             operand, instruction.node);
    }
  }
}

/// Is `operand` computed as `node` is, of operands that could be the node's children?
auto computes_as(const Deduction& deduction, OperandId operand, SpecNodeId node, int depth)
    -> bool {
  const Operand& data = deduction.operands[operand];
  const SpecNode& target = deduction.spec.nodes[node];
  if (!(data.term == target.term) || data.children.size() != target.children.size()) {
    return false;
  }
  for (size_t i = 0; i < data.children.size(); ++i) {
    if (!may_be(deduction, data.children[i], target.children[i], depth - 1)) {
      return false;
    }
  }
  return true;
}

/// Could `operand` be `node`, by what is known now?
static auto may_be(const Deduction& deduction, OperandId operand, SpecNodeId node, int depth)
    -> bool {
  if (!operand.has_value()) {
    return true;
  }
  const Operand& data = deduction.operands[operand];
  if (data.node.has_value()) {
    return data.node == node;
  }
  if (!data.can_have_node()) {
    return false;
  }
  if (!data.has_term() || depth == 0) {
    return true;
  }
  if (computes_as(deduction, operand, node, depth)) {
    return true;
  }
  if (data.is_choice()) {
    return may_be(deduction, data.children[1], node, depth - 1) &&
           may_be(deduction, data.children[2], node, depth - 1);
  }
  if (data.term.kind == TermKind::Extract) {
    const Interface* part = part_of_same(deduction, data.children[0]);
    return part != nullptr && data.port < part->result_quotients.size() &&
           node_of_port(deduction.spec, part->result_quotients[data.port], false) == node;
  }
  return false;
}

/// The nodes that are computed by `term`, or null.
static auto nodes_of(const Deduction& deduction, const Term& term)
    -> const std::vector<SpecNodeId>* {
  if (deduction.nodes_by_term.empty()) {
    for (uint32_t i = 0; i < deduction.spec.nodes.size(); ++i) {
      const Term& of_node = deduction.spec.nodes[SpecNodeId{i}].term;
      if (of_node.kind != TermKind::Opaque) {
        deduction.nodes_by_term[of_node].push_back({i});
      }
    }
  }
  auto found = deduction.nodes_by_term.find(term);
  return found == deduction.nodes_by_term.end() ? nullptr : &found->second;
}

/// The nodes that `operand` could be, up to `at_most`, in the order of the specification.
auto candidates(const Deduction& deduction, OperandId operand, size_t at_most)
    -> std::vector<SpecNodeId> {
  const Operand& data = deduction.operands[operand];
  std::vector<SpecNodeId> result;
  const std::vector<SpecNodeId>* among = nullptr;
  for (OperandId child : data.children) {
    if (child.has_value() && deduction.operands[child].node.has_value()) {
      const std::vector<SpecNodeId>& parents =
          deduction.spec.parents[deduction.operands[child].node.index];
      among = among == nullptr || parents.size() < among->size() ? &parents : among;
    }
  }
  if (among == nullptr) {
    among = nodes_of(deduction, data.term);
  }
  if (among == nullptr) {
    return result;
  }
  for (SpecNodeId node : *among) {
    // A parent is listed once for every child that it has in common.
    const bool is_new = result.empty() || result.back() != node;
    if (is_new && deduction.spec.nodes[node].term == data.term &&
        may_be(deduction, operand, node, kDepth)) {
      result.push_back(node);
      if (result.size() == at_most) {
        break;
      }
    }
  }
  return result;
}

static auto try_unique(Deduction& deduction, OperandId operand) -> bool {
  const Operand& data = deduction.operands[operand];
  const bool is_open_choice = data.is_choice() && !data.is_required();
  if (data.node.has_value() || !data.has_term() || data.is_absent() || is_open_choice ||
      deduction.has_failed) {
    return false;
  }
  const std::vector<SpecNodeId> found = candidates(deduction, operand, 2);
  SpecNodeId node;
  if (found.size() == 1) {
    node = found[0];
  } else if (found.empty() && data.is_choice() && data.children[1].has_value() &&
             data.children[2].has_value() &&
             deduction.operands[data.children[1]].node ==
                 deduction.operands[data.children[2]].node) {
    node = deduction.operands[data.children[1]].node;
  } else if (found.empty() && data.term.kind == TermKind::Extract) {
    if (const Interface* part = part_of_same(deduction, data.children[0])) {
      node = node_of_port(deduction.spec, part->result_quotients[data.port], false);
    }
  }
  if (!node.has_value()) {
    return false;
  }
  const hir::ValueId value = data.value;
  assign(deduction, operand, node, {},
         value.has_value() ? deduction.function.values[value].node : hir::kNoNode);
  return true;
}

static void converge(Deduction& deduction) {
  propagate(deduction);
  deduction.next_to_try = deduction.to_try.size();  // all are tried below
  bool has_changed = true;
  while (has_changed && !deduction.has_failed) {
    has_changed = false;
    for (uint32_t i = 0; i < deduction.operands.size() && !deduction.has_failed; ++i) {
      has_changed = try_unique(deduction, {i}) || has_changed;
      propagate(deduction);
      while (deduction.next_to_try < deduction.to_try.size() && !deduction.has_failed) {
        has_changed =
            try_unique(deduction, deduction.to_try[deduction.next_to_try++]) || has_changed;
        propagate(deduction);
      }
    }
    deduction.context.check_cancelled();
  }
}

auto deduce(query::Context& context, const hir::Function& function, const SpecGraph& spec)
    -> Quotients {
  const auto& interface = context.get<InterfaceOf>(function.item);
  const names::ItemTree& tree = context.get<names::SyntaxOfItem>(function.item);
  Quotients result;
  result.val = spec.item;
  Deduction deduction(context, function, spec, *tree, *interface, result);
  run(deduction);
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
