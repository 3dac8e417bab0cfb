#include "tests/circuit/random_circuit.h"

#include <algorithm>
#include <set>

#include "compiler/he/circuit/builder.h"
#include "compiler/he/circuit/evaluate.h"
#include "compiler/he/circuit/node_facts.h"

namespace tacet::circuit {
namespace {

class Generator {
 public:
  Generator(std::mt19937_64& random, const RandomCircuitOptions& options)
      : random_(random), options_(options), builder_(circuit_) {
    circuit_.n_columns = options.n_columns;
  }

  auto run() -> Circuit {
    declare_arrays();
    for (int i = 0; i < 5; ++i) {
      circuit_.loops.add({.name = "i" + std::to_string(i), .extent = between(1, options_.extent)});
    }
    for (int i = 0; i < 5; ++i) {
      declare_family(i);
    }
    for (size_t s = 0; s < options_.n_statements; ++s) {
      Statement statement{.name = "s" + std::to_string(s), .loops = {}, .root = {}};
      for (int64_t n = between(0, 2); n > 0; --n) {
        const LoopId loop{static_cast<uint32_t>(below(5))};
        if (std::count(statement.loops.begin(), statement.loops.end(), loop) == 0) {
          statement.loops.push_back(loop);
        }
      }
      scope_ = statement.loops;
      statement.root = expression(options_.depth);
      circuit_.statements.push_back(std::move(statement));
    }
    add_outputs();
    return std::move(circuit_);
  }

 private:
  auto below(int64_t n) -> int64_t {
    return std::uniform_int_distribution<int64_t>(0, n - 1)(random_);
  }
  auto between(int64_t low, int64_t high) -> int64_t { return low + below(high - low + 1); }
  auto chance(int percent) -> bool { return below(100) < percent; }

  void declare_arrays() {
    for (const engine::HeOwner owner :
         {engine::HeOwner::Client, engine::HeOwner::Server, engine::HeOwner::Constant}) {
      for (int i = 0; i < 2; ++i) {
        engine::HeArray array;
        array.name = "a" + std::to_string(circuit_.arrays.size());
        array.owner = owner;
        for (int64_t d = between(1, 2); d > 0; --d) {
          array.extents.push_back(between(1, 6));
        }
        std::vector<double> values;
        for (size_t k = 0;
             owner == engine::HeOwner::Constant && k < engine::n_elements(array.extents); ++k) {
          values.push_back(static_cast<double>(between(-9, 9)));
        }
        array.values = SharedVector(std::move(values));
        circuit_.arrays.push_back(std::move(array));
      }
    }
  }

  auto affine(size_t n_variables) -> engine::HeAffine {
    engine::HeAffine result{.constant = between(-1, 2), .terms = {}};
    for (uint32_t v = 0; v < n_variables; ++v) {
      if (chance(50)) {
        result.terms.push_back({.variable = v, .factor = chance(80) ? 1 : between(2, 3)});
      }
    }
    return result;
  }

  void declare_family(int number) {
    Family family;
    family.name = "f" + std::to_string(number);
    family.is_cipher = number < 3;
    for (int64_t d = between(0, 2); d > 0; --d) {
      family.dimensions.push_back(
          {.name = "d" + std::to_string(d), .extent = between(1, options_.extent)});
    }
    for (int64_t n = chance(80) ? 1 : 2; n > 0; --n) {
      family.gathers.push_back(gather(family));
    }
    circuit_.families.add(std::move(family));
  }

  auto gather(const Family& family) -> engine::HeGather {
    engine::HeGather result;
    if (chance(15)) {
      result.number = static_cast<double>(between(-5, 5));
    } else {
      result.array =
          static_cast<uint32_t>(chance(20) ? between(4, 5) : (family.is_cipher ? 0 : 2) + below(2));
    }
    result.row = "row";
    for (int64_t d = between(0, 2); d > 0; --d) {
      result.columns.push_back({.name = "c" + std::to_string(d), .extent = int64_t{1} << below(3)});
    }
    while (engine::n_elements(result.columns) > options_.n_columns) {
      result.columns.pop_back();
    }
    result.is_repeated = chance(60);
    const size_t n_variables = family.dimensions.size() + 1 + result.columns.size();
    if (result.array != engine::kNoArray) {
      for (size_t d = 0; d < circuit_.arrays[result.array].extents.size(); ++d) {
        result.indices.push_back(
            {.value = affine(n_variables), .modulus = chance(25) ? between(1, 6) : 0});
      }
    }
    if (chance(25)) {
      result.guards.push_back({.value = affine(n_variables), .low = 0, .high = between(1, 5)});
    }
    result.outside = chance(70) ? 0.0 : static_cast<double>(between(-3, 3));
    if (chance(options_.percent_any)) {
      result.outside.reset();
    }
    return result;
  }

  auto extent_of(LoopId loop) -> int64_t { return circuit_.loops[loop].extent; }

  /// With values from 0 to below `extent`, or any if that is 0.
  auto formula(int64_t extent) -> LoopFormula {
    LoopFormula result = constant_formula(extent == 0 ? between(-9, 9) : below(extent));
    if (scope_.empty() || chance(25)) {
      return result;
    }
    const LoopId loop = scope_[static_cast<size_t>(below(static_cast<int64_t>(scope_.size())))];
    if (chance(25)) {
      const int64_t stride = between(1, 2);
      const int64_t offset = below(2);
      result = {.constant = offset, .terms = {{.loop = loop, .factor = stride}}, .table = {}};
      for (int64_t k = offset + stride * (extent_of(loop) - 1) + below(2); k >= 0; --k) {
        result.table.push_back(extent == 0 ? between(-9, 9) : below(extent));
      }
      return normal(result);
    }
    const LoopId other = scope_[static_cast<size_t>(below(static_cast<int64_t>(scope_.size())))];
    for (const LoopFormula& wish :
         {sum_of(result, sum_of(loop_formula(loop, between(-2, 3)), loop_formula(other))),
          sum_of(loop_formula(loop), constant_formula(below(2))), loop_formula(loop)}) {
      const FormulaRange range = range_of(wish, circuit_);
      if (extent == 0 || (range.low >= 0 && range.high < extent)) {
        return wish;
      }
    }
    return result;
  }

  auto leaf() -> NodeId {
    if (chance(12)) {
      return builder_.constant(between(-3, 4));
    }
    if (!circuit_.statements.empty() && chance(30)) {
      const auto s = static_cast<uint32_t>(below(static_cast<int64_t>(circuit_.statements.size())));
      std::vector<LoopFormula> indices;
      for (const LoopId loop : circuit_.statements[s].loops) {
        indices.push_back(formula(extent_of(loop)));
      }
      return builder_.result(s, std::move(indices));
    }
    const FamilyId family{
        static_cast<uint32_t>(below(static_cast<int64_t>(circuit_.families.size())))};
    std::vector<LoopFormula> indices;
    for (const auto& dimension : circuit_.families[family].dimensions) {
      indices.push_back(formula(dimension.extent));
    }
    return builder_.input(family, std::move(indices));
  }

  /// One that was made before and may be here, or none.
  auto known() -> NodeId {
    if (made_.empty()) {
      return {};
    }
    const auto& [id, bound, free] =
        made_[static_cast<size_t>(below(static_cast<int64_t>(made_.size())))];
    for (const LoopId loop : scope_) {
      if (bound.contains(loop)) {
        return {};
      }
    }
    for (const LoopId loop : free) {
      if (std::count(scope_.begin(), scope_.end(), loop) == 0) {
        return {};
      }
    }
    bound_.insert(bound.begin(), bound.end());
    return id;
  }

  auto expression(int depth) -> NodeId {
    if (chance(20)) {
      const NodeId id = known();
      if (id.has_value()) {
        return id;
      }
    }
    if (depth == 0 || chance(8)) {
      return leaf();
    }
    const std::set<LoopId> outer = std::exchange(bound_, {});
    const NodeId id = operation(depth);
    // Its free loops are among those in scope; `known` asks for no more than that.
    made_.push_back({id, bound_, scope_});
    bound_.insert(outer.begin(), outer.end());
    return id;
  }

  auto operation(int depth) -> NodeId {
    switch (below(10)) {
      case 0:
      case 1: {
        const NodeId a = expression(depth - 1);
        return builder_.add(a, expression(depth - 1));
      }
      case 2: {
        const NodeId a = expression(depth - 1);
        return builder_.subtract(a, expression(depth - 1));
      }
      case 3:
      case 4: {
        const NodeId a = expression(depth - 1);
        return builder_.multiply(a, expression(depth - 1));
      }
      case 5:
      case 6: {
        const NodeId a = expression(depth - 1);
        return builder_.rotate(a, formula(0));
      }
      case 7:
        return builder_.swap_rows(expression(depth - 1));
      default:
        return reduction(depth);
    }
  }

  auto reduction(int depth) -> NodeId {
    const LoopId loop{static_cast<uint32_t>(below(5))};
    if (std::count(scope_.begin(), scope_.end(), loop) != 0) {
      return expression(depth - 1);
    }
    scope_.push_back(loop);
    const NodeId body = expression(depth - 1);
    scope_.pop_back();
    bound_.insert(loop);
    return chance(70) ? builder_.sum(loop, body) : builder_.product(loop, body);
  }

  /// Up to three slots of each statement.
  void add_outputs() {
    std::vector<CircuitValues> runs;
    for (uint64_t seed = 0; seed < 4; ++seed) {
      std::mt19937_64 random(99);
      const auto values = random_values(random, circuit_, options_.modulus);
      runs.push_back(evaluate(circuit_, options_.modulus, values,
                              seed == 0 ? std::nullopt : std::optional<uint64_t>(seed * 77))
                         .value());
    }
    for (uint32_t s = 0; s < circuit_.statements.size(); ++s) {
      for (int i = 0; i < 3; ++i) {
        const int64_t slot = below(int64_t{2} * options_.n_columns);
        bool is_defined = true;
        for (size_t e = 0; e < runs[0].statements[s].size(); ++e) {
          for (const CircuitValues& run : runs) {
            is_defined = is_defined && run.statements[s][e][static_cast<size_t>(slot)] ==
                                           runs[0].statements[s][e][static_cast<size_t>(slot)];
          }
        }
        if (is_defined) {
          add_output(s, slot, i);
        }
      }
    }
    if (circuit_.outputs.empty()) {
      circuit_.statements.push_back(
          {.name = "one",
           .loops = {},
           .root = builder_.add(leaf_without_loops(), builder_.constant(1))});
      add_outputs();
    }
  }

  auto leaf_without_loops() -> NodeId {
    Family zero{.name = "zero", .dimensions = {}, .gathers = {}, .is_cipher = true};
    zero.gathers.emplace_back();
    return builder_.input(circuit_.families.add(std::move(zero)), {});
  }

  void add_output(uint32_t s, int64_t slot, int number) {
    Output output;
    output.name = "o" + std::to_string(s) + "_" + std::to_string(number);
    output.statement = s;
    for (uint32_t d = 0; d < circuit_.statements[s].loops.size(); ++d) {
      const int64_t extent = extent_of(circuit_.statements[s].loops[d]);
      output.extents.push_back(extent);
      output.dimensions.push_back({.name = "e" + std::to_string(d), .extent = extent});
      output.target.push_back({.constant = 0, .terms = {{.variable = d, .factor = 1}}});
    }
    output.indices = output.target;
    output.row.constant = slot / options_.n_columns;
    output.column.constant = slot % options_.n_columns;
    circuit_.outputs.push_back(std::move(output));
  }

  struct Made {
    NodeId id;
    std::set<LoopId> bound;
    std::vector<LoopId> free;
  };

  std::mt19937_64& random_;
  RandomCircuitOptions options_;
  Circuit circuit_;
  Builder builder_;
  std::vector<LoopId> scope_;
  std::set<LoopId> bound_;  // in what is being made
  std::vector<Made> made_;
};

}  // namespace

auto random_circuit(std::mt19937_64& random, const RandomCircuitOptions& options) -> Circuit {
  return Generator(random, options).run();
}

auto random_values(std::mt19937_64& random, const Circuit& circuit, uint64_t modulus)
    -> engine::HeValues {
  engine::HeValues values;
  const auto half = static_cast<int64_t>(modulus / 2);
  std::uniform_int_distribution<int64_t> any(-half, half);
  for (const engine::HeArray& array : circuit.arrays) {
    if (array.owner != engine::HeOwner::Constant) {
      std::vector<double>& numbers = values[array.name];
      for (size_t i = 0; i < engine::n_elements(array.extents); ++i) {
        numbers.push_back(static_cast<double>(any(random)));
      }
    }
  }
  return values;
}

}  // namespace tacet::circuit
