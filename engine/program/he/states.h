#pragma once

#include "engine/program/he/program.h"

namespace tacet::engine {

/// What is known of an element of a register without any number: what a ciphertext would be.
struct HeState {
  bool is_assigned = false;
  bool is_real = false;
  uint32_t degree = 1;
  uint32_t n_primes = 0;
  uint32_t scale = 1;  ///< of reals: how many factors of the program's scale
  uint32_t depth = 0;  ///< products of ciphertexts on the longest path here
};

/// The states of all elements of all registers while a program runs.
class HeStates {
 public:
  /// Before the first instruction. The program's registers must be well formed.
  explicit HeStates(const HeProgram& program);

  /// After an instruction. An error says what is wrong with it, but not where it stands.
  auto apply(const HeStatement& instruction, const std::vector<int64_t>& variables) -> Status;

  /// Of an element whose indices are in range.
  [[nodiscard]] auto of(const HeAccess& access, const std::vector<int64_t>& variables) const
      -> const HeState&;

  /// The element that an instruction may read, or why it may not.
  [[nodiscard]] auto readable(const HeAccess& access, const std::vector<int64_t>& variables) const
      -> Result<HeState>;

 private:
  [[nodiscard]] auto place(const HeAccess& access, const std::vector<int64_t>& variables) const
      -> Result<size_t>;

  const HeProgram* program_;
  std::vector<size_t> first_;  ///< of each register in `states_`
  std::vector<HeState> states_;
};

}  // namespace tacet::engine
