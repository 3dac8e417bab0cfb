#include "engine/he_distributed/work_of_plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/he_model/bootstrapping.h"

namespace tacet::engine {
namespace {

using distribution::kNone;
using distribution::WorkNode;
using he::Operation;

/// What a ciphertext of a plan is.
struct Shape {
  size_t n_parts = 2;
  size_t n_primes = 1;
};

/// Adds the nodes of one plan to a graph.
class PlanWork {
 public:
  PlanWork(const WorkOfProgram& given, uint32_t part, const he::OperationTimes& times,
           WorkOfPlans& work)
      : given_(given),
        part_(part),
        times_(times),
        work_(work),
        shapes_(given.plan->nodes.size()),
        numbers_(given.plan->nodes.size(), kNone),
        hoisted_(given.plan->nodes.size(), kNone) {}

  void run() {
    for (uint32_t i = 0; i < given_.plan->nodes.size(); ++i) {
      if (!is_clear(given_.plan->nodes[i])) {
        add(i);
      }
    }
    for (const uint32_t output : given_.plan->outputs) {
      work_.graph.outputs.push_back(numbers_[output]);
      if (given_.hides_results) {
        work_.graph.root_microseconds += time(Operation::Encrypt, shapes_[output].n_primes);
      }
    }
    work_.nodes.push_back(std::move(numbers_));
  }

 private:
  auto node_at(uint32_t at) const -> const PlanNode& { return given_.plan->nodes[at]; }

  auto time(Operation operation, size_t n_primes) const -> double {
    return times_.of(operation, {.scheme = given_.scheme,
                                 .ring_dimension = given_.program->ring_dimension(),
                                 .n_primes = n_primes,
                                 .n_special = given_.n_special});
  }

  auto bytes(const Shape& shape) const -> uint64_t {
    uint64_t bits = 0;
    for (size_t i = 0; i < shape.n_primes && i < given_.data_prime_bits.size(); ++i) {
      bits += given_.data_prime_bits[i];
    }
    return shape.n_parts * given_.program->ring_dimension() * bits / 8;
  }

  /// The operands that are ciphertexts, with digits replaced by what has them.
  auto ciphers_of(const PlanNode& node) const -> std::vector<uint32_t> {
    std::vector<uint32_t> ciphers;
    for (uint32_t operand : node.operands) {
      if (operand == kNoNode || is_clear(node_at(operand))) {
        continue;
      }
      ciphers.push_back(
          node_at(operand).kind == PlanNode::Kind::Hoist ? node_at(operand).operands[0] : operand);
    }
    return ciphers;
  }

  void add(uint32_t at) {
    const PlanNode& node = node_at(at);
    if (node.kind == PlanNode::Kind::Hoist) {
      const Shape& shape = shapes_[node.operands[0]];
      hoisted_[at] = static_cast<uint32_t>(work_.graph.shared_microseconds.size());
      work_.graph.shared_microseconds.push_back(time(Operation::Hoist, shape.n_primes));
      shapes_[at] = shape;
      return;
    }
    WorkNode made;
    Shape& shape = shapes_[at];
    if (node.kind == PlanNode::Kind::Input) {
      const HeRegister& reg = given_.program->registers[node.element.reg];
      shape.n_primes = reg.n_primes == 0 ? given_.program->n_primes : reg.n_primes;
      made.is_input = true;
      made.text = fmt::format("input {}[{}]", reg.name, node.element.at);
      made.bytes = bytes(shape) / 2;  // one half is a seed
    } else {
      const std::vector<uint32_t> ciphers = ciphers_of(node);
      for (size_t i = 0; i < ciphers.size(); ++i) {
        made.operands[i] = numbers_[ciphers[i]];
      }
      shape = shape_after(node, ciphers);
      made.microseconds = cost_of(node, ciphers);
      made.bytes = bytes(shape);
      made.text = text_of(node);
      made.key = key_of(node, shapes_[ciphers[0]].n_primes);
      made.shared = hoisted_[node.operands[0]];
    }
    numbers_[at] = static_cast<uint32_t>(work_.graph.nodes.size());
    work_.graph.nodes.push_back(std::move(made));
    work_.places.emplace_back(part_, at);
  }

  auto shape_after(const PlanNode& node, const std::vector<uint32_t>& ciphers) const -> Shape {
    Shape shape = shapes_[ciphers[0]];
    if (ciphers.size() > 1) {
      shape.n_parts = std::max(shape.n_parts, shapes_[ciphers[1]].n_parts);
      shape.n_primes = std::min(shape.n_primes, shapes_[ciphers[1]].n_primes);
    }
    switch (node.opcode) {
      case HeOpcode::Mul:
        shape.n_parts = node.operation == HeOperationKind::Cipher ? 3 : shape.n_parts;
        break;
      case HeOpcode::Relinearise:
        shape.n_parts = 2;
        break;
      case HeOpcode::Drop:
      case HeOpcode::Truncate:
        shape.n_primes -= node.count;
        break;
      case HeOpcode::Bootstrap:
        shape.n_primes = given_.program->n_primes;
        break;
      case HeOpcode::Add:
      case HeOpcode::Sub:
      case HeOpcode::Negate:
      case HeOpcode::Rotate:
      case HeOpcode::Swap:
      case HeOpcode::Copy:
      case HeOpcode::Encode:
      case HeOpcode::For:
      case HeOpcode::End:
        break;
    }
    return shape;
  }

  auto cost_of(const PlanNode& node, const std::vector<uint32_t>& ciphers) const -> double {
    const size_t n_primes = shapes_[ciphers[0]].n_primes;
    const bool is_plain = node.operation == HeOperationKind::CipherPlain;
    switch (node.opcode) {
      case HeOpcode::Add:
      case HeOpcode::Sub:
      case HeOpcode::Negate:
        return time(is_plain ? Operation::AddPlain : Operation::Add, n_primes);
      case HeOpcode::Mul:
        return time(is_plain ? Operation::MultiplyPlain : Operation::Multiply, n_primes);
      case HeOpcode::Rotate:
      case HeOpcode::Swap:
        return time(
            hoisted_[node.operands[0]] == kNone ? Operation::Rotate : Operation::RotateHoisted,
            n_primes);
      case HeOpcode::Relinearise:
        return time(Operation::Relinearise, n_primes);
      case HeOpcode::Drop:
      case HeOpcode::Truncate:
        return time(Operation::Drop, n_primes);
      case HeOpcode::Bootstrap:
        return he::bootstrapping_time(times_, given_.program->ring_dimension(),
                                      he::bootstrapping_shape(given_.program->ring_dimension()),
                                      given_.data_prime_bits.size(), given_.n_special);
      case HeOpcode::Copy:
      case HeOpcode::Encode:
      case HeOpcode::For:
      case HeOpcode::End:
        break;
    }
    return 0;
  }

  static auto text_of(const PlanNode& node) -> std::string {
    std::string text(he_mnemonic(node.opcode));
    if (node.opcode == HeOpcode::Rotate) {
      text += fmt::format(" by {}", node.steps);
    }
    return text + (node.operation == HeOperationKind::CipherPlain ? " plain" : "");
  }

  auto key_of(const PlanNode& node, size_t n_primes) -> uint32_t {
    const std::string place = part_ == 0 ? "" : fmt::format(" of part {}", part_ + 1);
    switch (node.opcode) {
      case HeOpcode::Rotate:
        return key({part_, WorkKeyKind::Rotation, node.steps},
                   fmt::format("rotate by {}{}", node.steps, place), n_primes);
      case HeOpcode::Swap:
        return key({part_, WorkKeyKind::Swap}, "swap" + place, n_primes);
      case HeOpcode::Relinearise:
        return key({part_, WorkKeyKind::Relinearisation}, "relinearise" + place, n_primes);
      case HeOpcode::Bootstrap:
        return key({part_, WorkKeyKind::Bootstrapping}, "bootstrap" + place, n_primes);
      case HeOpcode::Add:
      case HeOpcode::Sub:
      case HeOpcode::Negate:
      case HeOpcode::Mul:
      case HeOpcode::Drop:
      case HeOpcode::Truncate:
      case HeOpcode::Copy:
      case HeOpcode::Encode:
      case HeOpcode::For:
      case HeOpcode::End:
        break;
    }
    return kNone;
  }

  auto key(const WorkKeyPlace& place, std::string name, size_t n_primes) -> uint32_t {
    const auto [known, is_new] =
        key_numbers_.emplace(place, static_cast<uint32_t>(work_.keys.size()));
    if (is_new) {
      work_.keys.push_back(place);
      work_.graph.keys.push_back({.name = std::move(name)});
    }
    // A digit for each group of as many primes as there are special ones, half of it a seed.
    const size_t n_digits =
        (n_primes + given_.n_special - 1) / std::max<size_t>(given_.n_special, 1);
    const uint64_t bytes =
        n_digits * (n_primes + given_.n_special) * given_.program->ring_dimension() * 6;
    uint64_t& most = work_.graph.keys[known->second].bytes;
    most = std::max(most, bytes);
    return known->second;
  }

  const WorkOfProgram& given_;
  uint32_t part_;
  const he::OperationTimes& times_;
  WorkOfPlans& work_;
  std::vector<Shape> shapes_;
  std::vector<uint32_t> numbers_;
  std::vector<uint32_t> hoisted_;  ///< of each digits' node: the shared work
  std::map<WorkKeyPlace, uint32_t> key_numbers_;
};

}  // namespace

auto work_of_plans(const std::vector<WorkOfProgram>& programs, const he::OperationTimes& times)
    -> WorkOfPlans {
  WorkOfPlans work;
  // Packing or unpacking rows of residues, and memory for them: about two gigabytes a second.
  constexpr double kMicrosecondsPerByte = 0.0005;
  work.graph.microseconds_per_byte = kMicrosecondsPerByte;
  for (uint32_t part = 0; part < programs.size(); ++part) {
    PlanWork(programs[part], part, times, work).run();
  }
  return work;
}

}  // namespace tacet::engine
