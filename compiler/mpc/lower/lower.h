#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "compiler/device/kernel/kernel.h"
#include "engine/program/mpc/program.h"

/// From device functions to programs of the MPC machine.
namespace tacet::mpc_lower {

struct Lowering {
  std::optional<engine::MpcProgram> program;  ///< absent exactly if a diagnostic is an error
  std::vector<Diagnostic> diagnostics;
  /// The `for` statements whose iterations remain sequential, unrolled or not: neither are
  /// they independent, nor do they make a recurrence that is known. Those of several iterations.
  std::vector<FileRange> sequential_loops{};
};

/// How fixed point is truncated when the program runs: if probabilistically, its ring is one in
/// which that fails with a probability of 2^-40 at most, in all.
enum class LowerTruncation : bool { Exact, Probabilistic };

/// Whether results are shown, or are input of other programs.
enum class LowerResults : bool { Shown, GoOn };

/// Whether loops may be split, exchanged, and combined as trees first (`combine_iterations`), or
/// stay as they are, for comparisons.
enum class LowerIterations : bool { Combined, AsWritten };

struct LowerOptions {
  /// The line of the source that a place is in, from 1; instructions carry it.
  std::function<uint32_t(FileRange)> line_of{};
  /// How many elements a register of the program may have because loops were put side by side.
  /// What would be larger is computed iteration by iteration.
  int64_t most_lanes = int64_t{1} << 22;
  LowerTruncation truncation = LowerTruncation::Exact;
  LowerResults results = LowerResults::Shown;
  LowerIterations iterations = LowerIterations::Combined;
};

/// Makes a program of an oblivious kernel that computes the same.
///
/// Loops whose iterations depend on each other in forms with a tree come first
/// (`loops::combine_iterations`). What computes on secrets is closed into regions (`oblivious::with_secret_regions`), so
/// that public work stands outside and is done once. Then the kernel is run on symbols. Loops whose
/// iterations do not depend on each other, `for i: n` and reductions become *lanes*: dimensions
/// that every value in them has in front of its own, so that what the body does once is one
/// instruction for all iterations.
///
///   * A variable that each iteration adds to (or multiplies, or takes the minimum of) is a
///     reduction over the lane; an array that each iteration adds to is one `place_add`.
///   * An array of which no two iterations touch the same element is stored to by one `place`.
///   * A variable that each iteration assigns before it reads it belongs to the iteration.
///   * Branches on what is public and differs from lane to lane become masks.
///
/// Any other loop stays a loop of the program; the variables that it carries are registers that are
/// assigned in every iteration. The machine runs iterations as far side by side as data allows.
///
/// Indices, masks and counters are public values of the program, affine ones are no instructions
/// but part of `view`s. Then sums of products become dot and matrix products, and so on
/// (`improve.h`), fixed point gets a ring that is large enough (`fit_fixed_point.h`), and unused
/// operations are removed.
///
/// Diagnostics: T6030 for what secret shares cannot do, and for fixed point that leaves its type;
/// where it may, but need not, warnings (T9118, and T9119 of functions), which are rules of the
/// linter. O(size of the kernel · depth of loops).
auto lower(const kernel::Kernel& kernel, const LowerOptions& options = {}) -> Lowering;

}  // namespace tacet::mpc_lower
