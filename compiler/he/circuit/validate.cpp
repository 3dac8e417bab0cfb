#include "compiler/he/circuit/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/he/circuit/builder.h"
#include "compiler/he/circuit/names.h"
#include "engine/program/he/validate.h"

namespace tacet::circuit {
namespace {

constexpr int64_t kLargestNumber = int64_t{1} << 53;

/// Checks everything in order and keeps the first problem.
class Validator {
 public:
  explicit Validator(const Circuit& circuit) : circuit_(circuit) {}

  auto run() -> Status {
    loops();
    families();
    nodes();
    for (uint32_t s = 0; s < circuit_.statements.size() && is_good(); ++s) {
      statement(s);
    }
    outputs();
    if (!is_good()) {
      return Error{problem_};
    }
    // A prime that no circuit depends on; whatever is asked of a modulus is asked where it is
    // known.
    return engine::validate(declarations(circuit_, 65537));
  }

 private:
  [[nodiscard]] auto is_good() const -> bool { return problem_.empty(); }

  void want(bool is_so, std::string_view what) {
    if (!is_so && is_good()) {
      problem_ = where_.empty() ? std::string(what) : fmt::format("{}: {}", where_, what);
    }
  }

  void loops() {
    want(circuit_.n_rows == 2 || circuit_.n_rows == 1, "vectors have one or two rows");
    for (const Loop& loop : circuit_.loops.values()) {
      where_ = fmt::format("loop `{}`", loop.name);
      want(loop.extent > 0 && loop.extent <= engine::HeLimits::kNumber,
           "the extent is not positive, or too large");
    }
  }

  void families() {
    for (const Family& family : circuit_.families.values()) {
      where_ = fmt::format("family `{}`", family.name);
      want(!family.gathers.empty(), "it gathers nothing");
    }
  }

  void nodes() {
    std::unordered_map<Node, uint32_t, NodeHash> seen;
    for (uint32_t i = 0; i < circuit_.nodes.size() && is_good(); ++i) {
      const Node& node = circuit_.nodes[NodeId{i}];
      where_ = fmt::format("node {}", i);
      want(seen.try_emplace(node, i).second, "an earlier node is equal");
      const size_t n = n_operands(node.kind);
      want(node.a.has_value() == (n > 0) && node.b.has_value() == (n > 1),
           "bad number of operands");
      want((n < 1 || node.a.index < i) && (n < 2 || node.b.index < i),
           "an operand is not defined before it");
      const bool is_reduction = node.kind == NodeKind::Sum || node.kind == NodeKind::Product;
      want(node.loop.has_value() == is_reduction, "bad loop");
      want(!is_reduction || node.loop.index < circuit_.loops.size(), "no such loop");
      want(std::abs(node.number) <= kLargestNumber, "the number is too large");
      if (is_good()) {
        formulas(node);
        scope(node);
      }
    }
  }

  void formulas(const Node& node) {
    for (const LoopFormula& formula : node.formulas) {
      for (const LoopTerm& term : formula.terms) {
        want(term.loop.index < circuit_.loops.size(), "no such loop");
        want(std::abs(term.factor) <= engine::HeLimits::kNumber / 1024, "a factor is too large");
      }
      want(normal(formula) == formula, "a formula is not as it should be");
      if (!is_good()) {
        return;
      }
      const FormulaRange range = sum_range_of(formula, circuit_);
      want(formula.table.empty() ||
               (range.low >= 0 && range.high < static_cast<int64_t>(formula.table.size())),
           "an index is outside of its table");
      want(range.low >= -engine::HeLimits::kNumber && range.high <= engine::HeLimits::kNumber,
           "a number is too large");
    }
    switch (node.kind) {
      case NodeKind::Input:
        want(node.family.index < circuit_.families.size(), "no such family");
        if (is_good()) {
          indices(node, extents_of(circuit_.families[node.family].dimensions));
        }
        break;
      case NodeKind::Result:
        want(node.statement < circuit_.statements.size(), "no such statement");
        if (is_good()) {
          indices(node, extents_of(circuit_.statements[node.statement].loops));
        }
        break;
      case NodeKind::Rotate:
        want(node.formulas.size() == 1, "a rotation has one formula");
        break;
      case NodeKind::Constant:
      case NodeKind::Add:
      case NodeKind::Subtract:
      case NodeKind::Multiply:
      case NodeKind::SwapRows:
      case NodeKind::Sum:
      case NodeKind::Product:
        want(node.formulas.empty(), "formulas of what needs none");
        break;
    }
  }

  static auto extents_of(const std::vector<engine::HeDimension>& dimensions)
      -> std::vector<int64_t> {
    std::vector<int64_t> extents;
    for (const engine::HeDimension& dimension : dimensions) {
      extents.push_back(dimension.extent);
    }
    return extents;
  }

  auto extents_of(const std::vector<LoopId>& loops) -> std::vector<int64_t> {
    std::vector<int64_t> extents;
    for (const LoopId loop : loops) {
      want(loop.index < circuit_.loops.size(), "no such loop");
      extents.push_back(is_good() ? circuit_.loops[loop].extent : 1);
    }
    return extents;
  }

  void indices(const Node& node, const std::vector<int64_t>& extents) {
    want(node.formulas.size() == extents.size(), "bad number of indices");
    for (size_t d = 0; d < extents.size() && is_good(); ++d) {
      const FormulaRange range = range_of(node.formulas[d], circuit_);
      want(range.low >= 0 && range.high < extents[d], "an index is out of range");
    }
  }

  /// Which loops a node depends on, which are bound in it, and the last statement that it reads.
  void scope(const Node& node) {
    std::vector<bool> free(circuit_.loops.size());
    std::vector<bool> bound(circuit_.loops.size());
    int64_t statement = node.kind == NodeKind::Result ? int64_t{node.statement} : -1;
    for (const LoopFormula& formula : node.formulas) {
      for (const LoopTerm& term : formula.terms) {
        free[term.loop.index] = true;
      }
    }
    for (const NodeId operand : {node.a, node.b}) {
      if (operand.has_value()) {
        for (size_t l = 0; l < free.size(); ++l) {
          free[l] = free[l] || free_[operand.index][l];
          bound[l] = bound[l] || bound_[operand.index][l];
        }
        statement = std::max(statement, last_read_[operand.index]);
      }
    }
    if (node.loop.has_value()) {
      want(!bound[node.loop.index], "its loop is bound again inside");
      bound[node.loop.index] = true;
      free[node.loop.index] = false;
    }
    free_.push_back(std::move(free));
    bound_.push_back(std::move(bound));
    last_read_.push_back(statement);
  }

  void statement(uint32_t s) {
    const Statement& statement = circuit_.statements[s];
    where_ = fmt::format("statement `{}`", statement.name);
    want(statement.root.index < circuit_.nodes.size(), "no such node");
    std::vector<bool> is_open(circuit_.loops.size());
    for (const LoopId loop : statement.loops) {
      want(loop.index < circuit_.loops.size(), "no such loop");
      want(is_good() && !is_open[loop.index], "a loop occurs twice");
      if (!is_good()) {
        return;
      }
      is_open[loop.index] = true;
    }
    if (!is_good()) {
      return;
    }
    for (size_t l = 0; l < is_open.size(); ++l) {
      want(is_open[l] || !free_[statement.root.index][l], "a loop is not in scope");
      want(!is_open[l] || !bound_[statement.root.index][l], "its loop is bound again inside");
    }
    want(last_read_[statement.root.index] < int64_t{s}, "it reads what is not computed before it");
  }

  void outputs() {
    const CircuitNames names = names_of(circuit_);
    for (size_t i = 0; i < circuit_.outputs.size(); ++i) {
      const Output& output = circuit_.outputs[i];
      where_ = fmt::format("output `{}`", output.name);
      want(names.outputs[i] == output.name, "this is not a name, or something else has it");
      want(output.statement < circuit_.statements.size(), "no such statement");
    }
  }

  const Circuit& circuit_;
  std::string where_;
  std::string problem_;
  std::vector<std::vector<bool>> free_;   // by node, by loop
  std::vector<std::vector<bool>> bound_;  // likewise
  std::vector<int64_t> last_read_;        // by node
};

auto nothing() -> engine::HeGather {
  engine::HeGather zeros;
  zeros.is_repeated = true;
  return zeros;
}

}  // namespace

/// Of reals, until one is chosen.
static constexpr uint32_t kAnyScaleBits = 40;

auto declarations(const Circuit& circuit, uint64_t modulus) -> engine::HeProgram {
  const CircuitNames names = names_of(circuit);
  engine::HeProgram program;
  program.n_rows = circuit.n_rows;
  program.n_columns = circuit.n_columns;
  const bool is_real = circuit.n_rows == 1;
  program.modulus = is_real ? 0 : modulus;
  program.scale_bits = is_real ? kAnyScaleBits : 0;
  program.arrays = circuit.arrays;
  for (size_t f = 0; f < circuit.families.size(); ++f) {
    const Family& family = circuit.families.values()[f];
    engine::HeRegister& reg = program.registers.emplace_back();
    reg.name = names.families[f];
    reg.kind = family.is_cipher ? engine::HeKind::Cipher : engine::HeKind::Native;
    reg.dimensions = family.dimensions;
    reg.gathers = family.gathers;
  }
  for (size_t s = 0; s < circuit.statements.size(); ++s) {
    engine::HeRegister& reg = program.registers.emplace_back();
    reg.name = names.statements[s];
    reg.bound = circuit.statements[s].bound;
    reg.gathers = {nothing()};
    for (const LoopId loop : circuit.statements[s].loops) {
      reg.dimensions.push_back(
          {.name = names.loops[loop.index], .extent = circuit.loops[loop].extent});
    }
  }
  const auto first = static_cast<uint32_t>(circuit.families.size());
  for (size_t i = 0; i < circuit.outputs.size(); ++i) {
    const Output& output = circuit.outputs[i];
    program.outputs.push_back(
        {.name = names.outputs[i],
         .extents = output.extents,
         .dimensions = output.dimensions,
         .target = output.target,
         .source = {.reg = first + output.statement, .indices = output.indices},
         .row = output.row,
         .column = output.column,
         .line = {}});
  }
  return program;
}

auto validate(const Circuit& circuit) -> Status {
  return Validator(circuit).run();
}

}  // namespace tacet::circuit
