#include "engine/cggi_format/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/check.h"
#include "engine/cggi_model/gates.h"

namespace tacet::engine {

namespace {

/// The engine's gate that a gate is, by what its operands are.
auto kind_of(const CggiGate& gate) -> cggi::GateKind {
  const bool is_of_two = std::any_of(gate.operands.begin(), gate.operands.end(),
                                     [](auto s) { return is_constant(s); });
  switch (gate.kind) {
    case CggiGateKind::Majority:
      return is_of_two ? cggi::GateKind::And : cggi::GateKind::Majority;
    case CggiGateKind::Parity:
      return is_of_two ? cggi::GateKind::Xor : cggi::GateKind::Xor3;
    case CggiGateKind::XorAnd:
      return cggi::GateKind::XorAnd;
    case CggiGateKind::Sum:
      break;
  }
  TACET_CHECK(false, "a sum is not bootstrapped");
}

/// At most one operand is constant, none of a `XorAnd`, and no two are of one wire: noise that is
/// added twice counts four times. A sum has no constant but false.
auto are_valid_operands(const CggiGate& gate) -> bool {
  const auto [a, b, c] = gate.operands;
  if (a / 2 == b / 2 || b / 2 == c / 2 || a / 2 == c / 2) {
    return false;
  }
  switch (gate.kind) {
    case CggiGateKind::Majority:
    case CggiGateKind::Parity:
      break;
    case CggiGateKind::XorAnd:
      return !is_constant(a) && !is_constant(b) && !is_constant(c);
    case CggiGateKind::Sum:
      return a != 1 && b != 1 && c != 1;
  }
  return true;
}

/// The bootstraps and inputs whose noise sums have, which add up: a term that two operands of a
/// gate have in common counts twice, and four times in the variance. Noise of fresh encryptions
/// counts as that of bootstraps, which is larger.
class Terms {
 public:
  explicit Terms(const CggiProgram& program) {
    auto wire = static_cast<uint32_t>(1 + n_bits(program.inputs));
    for (const CggiGate& gate : program.gates) {
      if (gate.kind == CggiGateKind::Sum) {
        Weights all;
        for (const CggiSignal operand : gate.operands) {
          add(operand, 1, all);
        }
        of_sums_.emplace(wire, std::move(all));
      }
      ++wire;
    }
  }

  /// The variance of what a gate decides about, in variances of a bootstrap.
  [[nodiscard]] auto squared_weights(const CggiGate& gate, const cggi::GateForm& form) const
      -> double {
    std::array<int, 3> weights{};
    size_t n = 0;
    bool has_sum = false;
    for (size_t k = 0; k < gate.operands.size(); ++k) {
      const CggiSignal operand = gate.operands[k];
      weights.at(k) = is_constant(operand) ? 0 : form.weights.at(n++);
      has_sum |= of_sums_.contains(operand / 2);
    }
    if (!has_sum) {
      return form.decision.squared_weights;
    }
    Weights all;
    for (size_t k = 0; k < gate.operands.size(); ++k) {
      add(gate.operands[k], weights.at(k), all);
    }
    return sum_of_squares(all);
  }

  /// The variance of a bit.
  [[nodiscard]] auto squared_weights(CggiSignal bit) const -> double {
    Weights all;
    add(bit, 1, all);
    return sum_of_squares(all);
  }

 private:
  using Weights = std::map<uint32_t, int>;  ///< by wire

  static auto sum_of_squares(const Weights& weights) -> double {
    double sum = 0;
    for (const auto& [wire, weight] : weights) {
      sum += double{1} * weight * weight;
    }
    return sum;
  }

  /// Adds a multiple of a bit to a sum.
  void add(CggiSignal operand, int multiple, Weights& all) const {
    const uint32_t wire = operand / 2;
    const int signed_multiple = (operand & 1U) != 0 ? -multiple : multiple;
    if (const auto sum = of_sums_.find(wire); sum != of_sums_.end()) {
      for (const auto& [term, weight] : sum->second) {
        all[term] += signed_multiple * weight;
      }
    } else if (!is_constant(operand)) {
      all[wire] += signed_multiple;
    }
  }

  std::unordered_map<uint32_t, Weights> of_sums_;
};

constexpr uint64_t kMostElements = uint64_t{1} << 28;

auto check_field(const CggiField& field, std::string_view what) -> Status {
  if (is_float(field.type.kind)) {
    return Error{fmt::format("{} `{}` has floating-point elements", what, field.name)};
  }
  if (field.width < 1 || field.width > bit_width(field.type.kind)) {
    return Error{fmt::format("{} `{}` has elements of {} bits", what, field.name, field.width)};
  }
  uint64_t n = 1;
  for (const uint64_t extent : field.extents) {
    if (extent > kMostElements || n * extent > kMostElements) {
      return Error{fmt::format("{} `{}` has too many elements", what, field.name)};
    }
    n *= extent;
  }
  if (field.bound && field.bound->low > field.bound->high) {
    return Error{fmt::format("{} `{}` has an empty bound", what, field.name)};
  }
  return std::monostate{};
}

auto check_fields(const CggiProgram& program) -> Status {
  if (program.results.empty()) {
    return Error{"the compiled program has no results"};
  }
  for (const CggiField& field : program.inputs) {
    if (Status status = check_field(field, "input"); !status) {
      return status;
    }
  }
  for (const CggiField& field : program.results) {
    if (Status status = check_field(field, "result"); !status) {
      return status;
    }
    if (field.width != bit_width(field.type.kind)) {
      return Error{fmt::format("result `{}` has elements of {} bits", field.name, field.width)};
    }
  }
  return std::monostate{};
}

auto check_gates(const CggiProgram& program) -> Status {
  constexpr size_t kMostInputBits = size_t{1} << 24;
  constexpr size_t kMostGates = size_t{1} << 30;
  size_t n_wires = 1 + n_bits(program.inputs);
  if (n_wires > kMostInputBits || program.gates.size() > kMostGates) {
    return Error{"the circuit has too many wires"};
  }
  std::vector<uint8_t> n_terms(n_wires, 1);
  for (size_t i = 0; i < program.gates.size(); ++i, ++n_wires) {
    const CggiGate& gate = program.gates[i];
    if (std::any_of(gate.operands.begin(), gate.operands.end(),
                    [&](CggiSignal operand) { return operand / 2 >= n_wires; })) {
      return Error{fmt::format("gate {} has an operand that is not before it", i)};
    }
    if (!are_valid_operands(gate)) {
      return Error{fmt::format("gate {} has one operand twice, or a constant", i)};
    }
    unsigned n = 0;
    for (const CggiSignal operand : gate.operands) {
      n += is_constant(operand) ? 0 : n_terms[operand / 2];
    }
    if (gate.kind == CggiGateKind::Sum && n > kMostSumTerms) {
      return Error{fmt::format("gate {} is a sum of more than {} bits", i, kMostSumTerms)};
    }
    n_terms.push_back(static_cast<uint8_t>(gate.kind == CggiGateKind::Sum ? n : 1));
  }
  if (program.outputs.size() != n_bits(program.results)) {
    return Error{fmt::format("there are {} output bits, but the results have {}",
                             program.outputs.size(), n_bits(program.results))};
  }
  if (std::any_of(program.outputs.begin(), program.outputs.end(),
                  [&](CggiSignal output) { return output / 2 >= n_wires; })) {
    return Error{"an output is no wire"};
  }
  return std::monostate{};
}

}  // namespace

auto n_elements(const CggiField& field) -> size_t {
  size_t n = 1;
  for (const uint64_t extent : field.extents) {
    n *= extent;
  }
  return n;
}

auto n_bits(std::span<const CggiField> fields) -> size_t {
  size_t n = 0;
  for (const CggiField& field : fields) {
    n += n_elements(field) * field.width;
  }
  return n;
}

auto has_server_inputs(const CggiProgram& program) -> bool {
  return std::any_of(program.inputs.begin(), program.inputs.end(),
                     [](const CggiField& field) { return field.owner == CggiOwner::Server; });
}

auto n_bootstraps(const CggiProgram& program) -> size_t {
  return static_cast<size_t>(
      std::count_if(program.gates.begin(), program.gates.end(),
                    [](const CggiGate& gate) { return gate.kind != CggiGateKind::Sum; }));
}

auto decisions_of(const CggiProgram& program) -> std::vector<cggi::DecisionCount> {
  const Terms terms(program);
  // By bound and squared weights.
  std::map<std::pair<double, double>, size_t> counts;
  for (const CggiGate& gate : program.gates) {
    if (gate.kind != CggiGateKind::Sum) {
      const cggi::GateForm& form = cggi::gate_form(kind_of(gate));
      ++counts[{form.decision.bound, terms.squared_weights(gate, form)}];
    }
  }
  // Who decrypts decides like a gate of one operand, without its key switch.
  for (const CggiSignal output : program.outputs) {
    if (!is_constant(output)) {
      ++counts[{0.125, terms.squared_weights(output)}];
    }
  }
  std::vector<cggi::DecisionCount> decisions;
  for (const auto& [decision, count] : counts) {
    decisions.push_back({{.squared_weights = decision.second, .bound = decision.first},
                         static_cast<double>(count)});
  }
  return decisions;
}

auto levels_of(const CggiProgram& program) -> std::vector<uint32_t> {
  const size_t n_before = 1 + n_bits(program.inputs);
  std::vector<uint32_t> levels;
  levels.reserve(program.gates.size());
  for (const CggiGate& gate : program.gates) {
    uint32_t level = 0;
    for (const CggiSignal operand : gate.operands) {
      const size_t wire = operand / 2;
      level = std::max(level, wire < n_before ? 0 : levels[wire - n_before]);
    }
    levels.push_back(gate.kind == CggiGateKind::Sum ? level : level + 1);
  }
  return levels;
}

auto validate(const CggiProgram& program) -> Status {
  if (Status status = check_fields(program); !status) {
    return status;
  }
  if (Status status = check_gates(program); !status) {
    return status;
  }
  if (Status status = cggi::check_parameters(program.parameters); !status) {
    return status;
  }
  if (!(program.log2_failure < 0)) {
    return Error{"the failure probability is not below 1"};
  }
  const double failure = cggi::log2_failure(program.parameters, decisions_of(program));
  constexpr double kRounding = 1e-6;
  if (failure > program.log2_failure + kRounding) {
    return Error{
        fmt::format("the program fails with probability 2^{:.1f}, and promises less than 2^{:.1f}",
                    failure, program.log2_failure)};
  }
  return std::monostate{};
}

auto run_in_the_clear(const CggiProgram& program, std::span<const uint8_t> inputs)
    -> std::vector<uint8_t> {
  std::vector<uint8_t> wires = {0};
  wires.reserve(1 + inputs.size() + program.gates.size());
  wires.insert(wires.end(), inputs.begin(), inputs.end());
  const auto bit = [&](CggiSignal signal) -> unsigned { return wires[signal / 2] ^ (signal & 1U); };
  for (const CggiGate& gate : program.gates) {
    const unsigned a = bit(gate.operands[0]);
    const unsigned b = bit(gate.operands[1]);
    const unsigned c = bit(gate.operands[2]);
    unsigned result = 0;
    switch (gate.kind) {
      case CggiGateKind::Majority:
        result = (a + b + c) >> 1U;
        break;
      case CggiGateKind::Parity:
        result = a ^ b ^ c;
        break;
      case CggiGateKind::XorAnd:
        result = a ^ (b & c);
        break;
      case CggiGateKind::Sum:
        result = a + b + c;
        break;
    }
    wires.push_back(static_cast<uint8_t>(result));
  }
  std::vector<uint8_t> outputs;
  outputs.reserve(program.outputs.size());
  for (const CggiSignal output : program.outputs) {
    outputs.push_back(static_cast<uint8_t>(bit(output)));
  }
  return outputs;
}

}  // namespace tacet::engine
