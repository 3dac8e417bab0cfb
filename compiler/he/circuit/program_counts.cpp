#include <set>

#include "compiler/he/circuit/counts.h"
#include "compiler/he/circuit/mentions.h"
#include "engine/program/he/facts.h"
#include "engine/program/he/walk.h"

namespace tacet::circuit {
namespace {

using engine::HeOpcode;
using engine::HeOperationKind;

/// How often each value is rotated: values are numbered as they are computed.
class Rotations {
 public:
  explicit Rotations(const engine::HeProgram& program) : program_(program) {
    for (const engine::HeRegister& reg : program.registers) {
      first_.push_back(value_in_.size());
      for (size_t i = engine::n_elements(reg.dimensions); i > 0; --i) {
        value_in_.push_back(n_rotations_.size());
        n_rotations_.push_back(0);
      }
    }
  }

  void count(Counts& counts) {
    engine::HeWalk walk(program_);
    while (walk.next()) {
      const engine::HeStatement& instruction = walk.instruction();
      const size_t operand = value_in_[place(instruction.operands[0], walk)];
      const bool is_rotation =
          instruction.opcode == HeOpcode::Rotate &&
          engine::operation_kind(program_, instruction) == HeOperationKind::Cipher;
      const uint32_t steps =
          is_rotation ? engine::rotation_steps(program_, instruction, walk.variables()) : 0;
      n_rotations_[operand] += steps != 0 ? 1 : 0;
      counts.rotations += steps != 0 ? 1 : 0;
      const bool is_same = instruction.opcode == HeOpcode::Copy || (is_rotation && steps == 0);
      value_in_[place(instruction.result, walk)] = is_same ? operand : n_rotations_.size();
      if (!is_same) {
        n_rotations_.push_back(0);
      }
    }
    for (const size_t n : n_rotations_) {
      counts.hoisted_rotations += n > 1 ? n - 1 : 0;
    }
  }

 private:
  auto place(const engine::HeAccess& access, const engine::HeWalk& walk) const -> size_t {
    return first_[access.reg] + *engine::flat_index(program_, access, walk.variables());
  }

  const engine::HeProgram& program_;
  std::vector<size_t> first_;        // of each register in `value_in_`
  std::vector<size_t> value_in_;     // by element
  std::vector<size_t> n_rotations_;  // by value
};

/// Elements that results are read from.
auto n_read(const engine::HeProgram& program) -> size_t {
  std::set<std::pair<uint32_t, size_t>> elements;
  for (const engine::HeOutput& output : program.outputs) {
    // Dimensions of which slots alone depend need not be run through.
    std::vector<engine::HeDimension> dimensions = output.dimensions;
    for (uint32_t d = 0; d < dimensions.size(); ++d) {
      dimensions[d].extent = mentions(output.source.indices, d) ? dimensions[d].extent : 1;
    }
    engine::HeCounter counter(dimensions);
    do {
      elements.emplace(output.source.reg,
                       *engine::flat_index(program, output.source, counter.values()));
    } while (counter.next());
  }
  return elements.size();
}

}  // namespace

auto counts_of(const engine::HeProgram& program) -> Counts {
  const engine::HeFacts facts = engine::facts_of(program);
  const auto n = [&](HeOpcode opcode, HeOperationKind kind) {
    return facts.counts.of(opcode, kind);
  };
  Counts counts;
  Rotations(program).count(counts);
  counts.swaps = n(HeOpcode::Swap, HeOperationKind::Cipher);
  counts.rotations += counts.swaps;
  counts.rotation_keys = facts.rotations.size() + (facts.needs_swap ? 1 : 0);
  counts.input_ciphertexts = facts.n_input_ciphers;
  counts.input_plaintexts = n(HeOpcode::Encode, HeOperationKind::Native);
  counts.output_ciphertexts = n_read(program);
  counts.ct_ct_products = n(HeOpcode::Mul, HeOperationKind::Cipher);
  counts.ct_pt_products = n(HeOpcode::Mul, HeOperationKind::CipherPlain);
  counts.relinearisations = n(HeOpcode::Relinearise, HeOperationKind::Cipher);
  counts.bootstraps = n(HeOpcode::Bootstrap, HeOperationKind::Cipher);
  counts.negations = n(HeOpcode::Negate, HeOperationKind::Cipher);
  for (const HeOpcode opcode : {HeOpcode::Add, HeOpcode::Sub}) {
    counts.ct_ct_additions += n(opcode, HeOperationKind::Cipher);
    counts.ct_pt_additions += n(opcode, HeOperationKind::CipherPlain);
  }
  for (const HeOpcode opcode : {HeOpcode::Add, HeOpcode::Sub, HeOpcode::Mul, HeOpcode::Negate,
                                HeOpcode::Rotate, HeOpcode::Swap}) {
    counts.native_operations += n(opcode, HeOperationKind::Native);
  }
  counts.depth = facts.depth;
  return counts;
}

}  // namespace tacet::circuit
