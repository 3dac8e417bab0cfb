#pragma once

#include <vector>

#include "compiler/device/oblivious/secrecy_state.h"

namespace tacet::oblivious {

/// What may have been left before, each with why a secret decided that.
struct Exits {
  CauseId broken, continued, returned;

  [[nodiscard]] auto count() const -> size_t;
};

/// A loop that the analysis is in.
struct LoopFrame {
  Exits outer;         ///< those in force where it begins
  size_t n_marks = 0;  ///< around its body
  size_t begin = 0;    ///< the mark of the state
  Changes at_break, at_continue;
  bool has_break = false;
  bool has_continue = false;
};

/// What secrets decide at one point of the analysis. It has two parts: by the statements around,
/// and by what may have been left before: behind `if s { break; }` the rest of the body runs only
/// if `s` was false.
struct SecrecyControl {
  explicit SecrecyControl(const SecrecyState& of) : state(of) {}

  /// By how many decisions of secrets what runs now is picked out. O(loops around).
  [[nodiscard]] auto level() const -> size_t;
  /// The shortest path of a secret that decides it; none if it always runs.
  [[nodiscard]] auto cause() const -> CauseId;
  /// Does a secret of the innermost loop's body decide what runs now?
  [[nodiscard]] auto is_decided_in_loop() const -> bool;
  /// The join of two paths: what may have been left on either.
  [[nodiscard]] auto joined(const Exits& a, const Exits& b) const -> Exits;

  std::vector<CauseId> marks;  ///< of the statements around
  Exits exits;
  std::vector<LoopFrame> frames;
  const SecrecyState& state;
};

}  // namespace tacet::oblivious
