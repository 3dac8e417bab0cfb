#pragma once

#include "engine/program/he/program.h"

namespace tacet::engine {

/// Goes through the instructions of a program in the order in which they run, loops unrolled.
///
///     HeWalk walk(program);
///     while (walk.next()) { … walk.instruction(), walk.variables() … }
class HeWalk {
 public:
  /// The loops of `program` must be well formed, as `validate` checks first of all.
  explicit HeWalk(const HeProgram& program) : program_(&program) {}

  /// Advances to the next instruction; false if there is none.
  auto next() -> bool;

  /// Where it is in the program's body.
  [[nodiscard]] auto at() const -> size_t { return at_; }
  [[nodiscard]] auto instruction() const -> const HeStatement& { return program_->body[at_]; }
  /// Of the loops around it, outermost first.
  [[nodiscard]] auto variables() const -> const std::vector<int64_t>& { return variables_; }
  /// The loops around it, outermost first.
  [[nodiscard]] auto loop(size_t depth) const -> const HeStatement& {
    return program_->body[loops_[depth]];
  }

 private:
  const HeProgram* program_;
  size_t next_ = 0;
  size_t at_ = 0;
  std::vector<size_t> loops_;
  std::vector<int64_t> variables_;
};

/// Counts through all values of dimensions, the last one fastest.
class HeCounter {
 public:
  explicit HeCounter(const std::vector<HeDimension>& dimensions)
      : dimensions_(&dimensions), values_(dimensions.size()) {}

  [[nodiscard]] auto values() const -> const std::vector<int64_t>& { return values_; }
  /// False when all values have been.
  auto next() -> bool;

 private:
  const std::vector<HeDimension>* dimensions_;
  std::vector<int64_t> values_;
};

}  // namespace tacet::engine
