#include "compiler/he/circuit/evaluate.h"

#include <map>

#include "compiler/he/circuit/formula.h"
#include "compiler/he/circuit/node_facts.h"
#include "compiler/he/circuit/validate.h"

namespace tacet::circuit {
namespace {

using engine::HeSlots;

/// Random numbers that depend on a seed alone (a linear congruence; Knuth's constants for MMIX).
class Garbage {
 public:
  Garbage(uint64_t seed, uint64_t modulus) : state_(seed), modulus_(modulus) {}

  auto operator()() -> double {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>((state_ >> 11) % modulus_);
  }

 private:
  uint64_t state_;
  uint64_t modulus_;
};

class Evaluator {
 public:
  Evaluator(const Circuit& circuit, const engine::HeProgram& program,
            const engine::HeValues& values, const std::function<double()>& any)
      : circuit_(circuit),
        program_(program),
        values_(values),
        any_(any),
        arithmetic_(program),
        facts_(node_facts(circuit)),
        loops_(circuit.loops.size()) {}

  auto run() -> CircuitValues {
    for (const Statement& statement : circuit_.statements) {
      result_.statements.emplace_back();
      for_all(statement.loops, 0,
              [&] { result_.statements.back().push_back(value(statement.root)); });
    }
    const auto first = circuit_.families.size();
    for (const engine::HeOutput& output : program_.outputs) {
      result_.outputs[output.name] =
          engine::read_output(program_, output, [&](size_t at) -> const HeSlots& {
            return result_.statements[output.source.reg - first][at];
          });
    }
    return std::move(result_);
  }

 private:
  void for_all(const std::vector<LoopId>& loops, size_t at, const std::function<void()>& body) {
    if (at == loops.size()) {
      body();
      return;
    }
    for (int64_t i = 0; i < circuit_.loops[loops[at]].extent; ++i) {
      loops_[loops[at].index] = i;
      for_all(loops, at + 1, body);
    }
  }

  /// Of a node for the loops' values now; cached, since it may be used very often.
  auto value(NodeId id) -> const HeSlots& {
    std::vector<int64_t> key{int64_t{id.index}};
    for (const LoopId loop : facts_.loops[id.index]) {
      key.push_back(loops_[loop.index]);
    }
    const auto known = known_.find(key);
    if (known != known_.end()) {
      return known->second;
    }
    HeSlots slots = computed(circuit_.nodes[id]);
    return known_.emplace(std::move(key), std::move(slots)).first->second;
  }

  auto computed(const Node& node) -> HeSlots {
    switch (node.kind) {
      case NodeKind::Constant:
        return HeSlots(program_.n_slots(), reduced_number(node.number));
      case NodeKind::Input:
        return gathered(node);
      case NodeKind::Result:
        return result_.statements[node.statement][place(node)];
      case NodeKind::Add:
        return arithmetic_.add(value(node.a), value(node.b));
      case NodeKind::Subtract:
        return arithmetic_.subtract(value(node.a), value(node.b));
      case NodeKind::Multiply:
        return arithmetic_.multiply(value(node.a), value(node.b));
      case NodeKind::Rotate:
        return rotated(value(node.a), evaluate(node.formulas[0], loops_));
      case NodeKind::SwapRows:
        return arithmetic_.swap_rows(value(node.a));
      case NodeKind::Sum:
      case NodeKind::Product:
        return reduced(node);
    }
    return {};
  }

  auto reduced(const Node& node) -> HeSlots {
    HeSlots total;
    for (int64_t i = 0; i < circuit_.loops[node.loop].extent; ++i) {
      loops_[node.loop.index] = i;
      const HeSlots& next = value(node.a);
      total = i == 0                       ? next
              : node.kind == NodeKind::Sum ? arithmetic_.add(total, next)
                                           : arithmetic_.multiply(total, next);
    }
    return total;
  }

  auto reduced_number(int64_t number) const -> double {
    return arithmetic_.reduce(static_cast<double>(number));
  }

  auto rotated(const HeSlots& slots, int64_t steps) const -> HeSlots {
    const auto n = static_cast<int64_t>(circuit_.n_columns);
    HeSlots result(slots.size());
    for (int64_t i = 0; i < static_cast<int64_t>(slots.size()); ++i) {
      const int64_t column = (((i % n + steps) % n) + n) % n;
      result[static_cast<size_t>(i)] = slots[static_cast<size_t>(i / n * n + column)];
    }
    return result;
  }

  /// Which element of its statement a result is.
  auto place(const Node& node) const -> size_t {
    size_t at = 0;
    const std::vector<LoopId>& loops = circuit_.statements[node.statement].loops;
    for (size_t d = 0; d < loops.size(); ++d) {
      at = at * static_cast<size_t>(circuit_.loops[loops[d]].extent) +
           static_cast<size_t>(evaluate(node.formulas[d], loops_));
    }
    return at;
  }

  auto gathered(const Node& node) -> HeSlots {
    std::vector<int64_t> indices;
    for (const LoopFormula& formula : node.formulas) {
      indices.push_back(evaluate(formula, loops_));
    }
    // An element of a family is one vector: what does not matter in it is the same at each use.
    std::vector<int64_t> key = indices;
    key.push_back(int64_t{node.family.index});
    const auto [entry, is_new] = gathered_.try_emplace(std::move(key));
    if (is_new) {
      entry->second = engine::gather_slots(program_, program_.registers[node.family.index], indices,
                                           values_, any_);
    }
    return entry->second;
  }

  const Circuit& circuit_;
  const engine::HeProgram& program_;
  const engine::HeValues& values_;
  const std::function<double()>& any_;
  engine::HeArithmetic arithmetic_;
  NodeFacts facts_;
  LoopValues loops_;
  CircuitValues result_;
  std::map<std::vector<int64_t>, HeSlots> known_, gathered_;
};

}  // namespace

auto evaluate(const Circuit& circuit, uint64_t modulus, const engine::HeValues& values,
              std::optional<uint64_t> garbage_seed) -> Result<CircuitValues> {
  const engine::HeProgram program = declarations(circuit, modulus);
  for (const engine::HeOwner owner : {engine::HeOwner::Client, engine::HeOwner::Server}) {
    if (Status status = engine::check_values(program, owner, values); !status) {
      return status.error();
    }
  }
  std::function<double()> any;
  if (garbage_seed) {
    any = Garbage(*garbage_seed, modulus);
  }
  return Evaluator(circuit, program, values, any).run();
}

}  // namespace tacet::circuit
