#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/he/lower/slot_vector.h"
#include "engine/program/he/gather.h"

namespace tacet::he_lower {

/// An instruction on ciphers as it was run. Vectors are numbered by register and element.
struct CipherStep {
  static constexpr uint32_t kNone = 0xffffffff;

  engine::HeOpcode opcode = engine::HeOpcode::Copy;
  uint32_t statement = 0;
  uint32_t made_in = 0;  ///< the result's register
  uint32_t made = 0;     ///< its vector
  uint32_t a = kNone;    ///< a cipher
  uint32_t b = kNone;    ///< likewise, of sums and products of two
  uint32_t steps = 0;    ///< of a rotation
  SlotVector factor{};   ///< of a product with a plaintext

  [[nodiscard]] auto is_of_two() const -> bool { return b != kNone; }
  /// Of two ciphers.
  [[nodiscard]] auto is_product() const -> bool {
    return opcode == engine::HeOpcode::Mul && is_of_two();
  }
};

/// By name of an array of weights, the part of its bound that all of its numbers may be taken to
/// have where they are factors in sums: if their Euclidean norm is declared, sums of them and of
/// their squares are no larger than if all were equal. 1 where there is none.
using InputParts = std::map<std::string, double>;

/// How large the numbers are in each slot of the vectors of a program of reals, for all inputs.
/// Where masks and the ends of arrays leave zeros, sums over slots that do not overlap are no
/// larger than each of them.
///
/// Vectors are as programs run: `step` after `step`.
class SlotSizes {
 public:
  /// Gathers what registers begin with. Constants are taken as they are, inputs by their bounds.
  /// `parts` concerns the factors of `cipher_steps` alone.
  explicit SlotSizes(const engine::HeProgram& program, const InputParts& parts = {});

  /// Whether there is too much to look at, so that all slots of a vector are taken to be alike.
  [[nodiscard]] auto is_coarse() const -> bool { return is_coarse_; }

  /// Runs an instruction; the size of the largest number that it makes.
  auto step(const engine::HeStatement& instruction, uint32_t statement,
            const std::vector<int64_t>& variables) -> double;
  /// No number that the last step made is larger than this.
  void limit(double most);

  [[nodiscard]] auto cipher_steps() const -> const std::vector<CipherStep>& { return steps_; }
  /// Of all elements of all registers.
  [[nodiscard]] auto n_vectors() const -> size_t { return vectors_.size(); }
  /// Of the first element of a register; the others follow.
  [[nodiscard]] auto first_vector(uint32_t reg) const -> uint32_t { return first_[reg]; }
  /// The register of a vector.
  [[nodiscard]] auto register_of(uint32_t vector) const -> uint32_t { return register_of_[vector]; }

 private:
  void gather(uint32_t reg);
  [[nodiscard]] auto vector_at(const engine::HeAccess& access,
                               const std::vector<int64_t>& variables) const -> uint32_t;
  [[nodiscard]] auto is_cipher(uint32_t vector) const -> bool;

  const engine::HeProgram& program_;
  engine::HeValues inputs_;  ///< the largest numbers
  bool is_coarse_ = false;
  std::vector<uint32_t> first_;        ///< by register
  std::vector<uint32_t> register_of_;  ///< by vector
  std::vector<SlotVector> vectors_;
  std::vector<double> parts_;  ///< by vector
  std::vector<CipherStep> steps_;
  uint32_t made_ = 0;
};

}  // namespace tacet::he_lower
