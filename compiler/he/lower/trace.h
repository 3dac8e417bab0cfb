#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "compiler/he/lower/noise_stages.h"
#include "engine/program/he/program.h"

/// From array programs to programs of the engine with all that encryption needs: a plain modulus, a
/// scheme, primes, and where they are dropped.
namespace tacet::he_lower {

/// What happens to ciphertexts, and only that.
enum class StepKind : uint8_t {
  Add,            ///< of ciphertexts, or a difference
  AddPlain,       ///< likewise with a plaintext
  Multiply,       ///< of ciphertexts
  MultiplyPlain,  ///< by a plaintext
  Rotate,         ///< by steps other than none, or of the rows
  Relinearise,
  Drop,       ///< `count` primes
  Bootstrap,  ///< to all primes that the program has
  Rename,     ///< copies, negations, rotations by nothing: no noise, hardly any time
};

/// An instruction of an unrolled program. Operands are values: first the inputs, then what each
/// step makes.
struct Step {
  StepKind kind = StepKind::Rename;
  uint32_t statement = 0;  ///< where it is in the program's body
  uint32_t count = 0;
  uint32_t a = 0, b = 0;  ///< the same where there is only one
  double bound = 0;       ///< of the numbers of a plaintext, where slots are reals
  uint32_t times = 1;     ///< how often it is there (`merge_trace.h`)
};

/// A program as its ciphertexts see it, loops unrolled and every value made once.
///
/// Values that a use in a loop may find are one *group*: they must have as many primes as each
/// other. All that one statement makes is a group too.
struct Trace {
  std::vector<uint32_t> input_groups;  ///< by input: of its register
  std::vector<double> input_bounds;    ///< likewise, of its numbers, where slots are reals
  std::vector<uint32_t> input_times;   ///< likewise, how often it is there
  std::vector<Step> steps;
  std::vector<uint32_t> outputs;  ///< values, each as often as it is there
  size_t n_summed = 1;  ///< numbers in slots that an element of the output is the sum of, at most
  std::vector<uint32_t> statement_group;  ///< by statement: of its results
  std::vector<uint32_t> register_group;   ///< by register: of what it begins with
  uint32_t n_groups = 0;
  std::vector<uint32_t> n_rotations;  ///< by value
  /// By value, of its numbers in all slots, where slots are reals; none if nothing is known.
  std::vector<double> bounds;
  uint32_t depth = 0;  ///< products of ciphertexts on the longest path
  bool has_drops = false;
  /// The least primes of what is bootstrapped; 0 if nothing is.
  uint32_t n_bootstrapped_primes = 0;
  bool needs_keys = false;
  size_t n_encodings = 0;  ///< plaintext operands
  /// Of reals: how errors pass through parts of the program; null if nothing is known.
  std::shared_ptr<const std::vector<NoiseStage>> stages;
  std::vector<uint32_t> statement_register;  ///< by statement, if there are stages: of its result
  uint32_t n_registers = 0;                  ///< likewise

  [[nodiscard]] auto n_inputs() const -> uint32_t {
    return static_cast<uint32_t>(input_groups.size());
  }
  [[nodiscard]] auto group_of(uint32_t value) const -> uint32_t {
    return value < n_inputs() ? input_groups[value]
                              : statement_group[steps[value - n_inputs()].statement];
  }
};

/// Of a program that is valid but for its primes, with stages that were found for a program with
/// the same registers. Linear in the number of unrolled instructions.
auto trace_of(const engine::HeProgram& program,
              std::shared_ptr<const std::vector<NoiseStage>> stages = nullptr) -> Trace;

/// The program with those loops unrolled in which products of ciphertexts pile up from one
/// iteration to the next, so that each can have a number of primes of its own; as it is if that
/// would make it too long.
auto with_unrolled_products(engine::HeProgram program) -> engine::HeProgram;

/// The program without loops; nothing if it has more than 2^14 instructions then.
auto straightened(engine::HeProgram program) -> std::optional<engine::HeProgram>;

}  // namespace tacet::he_lower
