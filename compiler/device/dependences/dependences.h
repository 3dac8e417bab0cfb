#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/device/kernel/kernel.h"

/// How iterations of a function's loops depend on each other: what loops may be run in another
/// order, and why others may not.
namespace tacet::dependences {

enum class Kind : uint8_t {
  Flow,    ///< a value is read that an earlier iteration wrote, and none between them overwrote
  Anti,    ///< an earlier iteration reads what is written, and none between them writes it
  Output,  ///< both write, and none between them
};

/// Why a dependence cannot be excluded, although it may not be there.
enum class Doubt : uint8_t {
  None,         ///< it is there, if the loops run that often
  Index,        ///< an index is no affine function of counters and parameters
  SecretIndex,  ///< an index is secret, and all elements are accessed
  Branch,       ///< a statement is in a branch
  Iterations,   ///< a loop may end early, or its bounds are unknown
  Overwritten,  ///< a statement that may not run could write in between
};

/// `an index is not affine`; empty for `None`.
auto doubt_text(Doubt doubt) -> std::string_view;

/// How many iterations later, along one loop: every number from `low` to `high`, none of which is
/// there if there is no least or greatest one.
struct Distance {
  std::optional<int64_t> low{};
  std::optional<int64_t> high{};

  friend auto operator==(const Distance&, const Distance&) -> bool = default;
};

struct Loop {
  std::string counter;  ///< as the text calls it; empty of a `while`
  FileRange place{};    ///< of the statement
  size_t depth = 0;     ///< of loops around it
  std::optional<int64_t>
      n_iterations{};  ///< of a `for` between two numbers, if it does not end early

  friend auto operator==(const Loop&, const Loop&) -> bool = default;
};

/// Iterations of one loop that depend on others, in the same iterations of the loops around it.
struct Dependence {
  Kind kind = Kind::Flow;
  std::string variable;
  size_t loop = 0;   ///< which one has the iterations apart, in `loops`
  FileRange from{};  ///< the statement of the earlier one
  FileRange to{};    ///< that of the later one
  /// Along all loops that both are in, the outermost one first. There is one dependence for each
  /// convex set of distances.
  std::vector<Distance> distances{};
  Doubt doubt = Doubt::None;

  friend auto operator==(const Dependence&, const Dependence&) -> bool = default;
};

struct Dependences {
  std::vector<Loop> loops;  ///< in the order of the text
  std::vector<Dependence> found;
  /// Variables that took too long: they may carry anything.
  std::vector<std::string> given_up;
};

/// The loops of a function alone, in no time.
auto find_loops(const kernel::Kernel& kernel) -> std::vector<Loop>;

/// Exact for subscripts and bounds that are affine functions of counters and of parameters that
/// nothing is assigned to. What is not affine may be any element, a branch may be taken or not:
/// then there may be fewer dependences than are found, and never more. Integer sets and dataflow by
/// isl (Feautrier, *Dataflow analysis of array and scalar references*, 1991; Verdoolaege, *isl: an
/// integer set library for the polyhedral model*, 2010), with a limit of operations for each
/// variable.
auto find_dependences(const kernel::Kernel& kernel) -> Dependences;

/// Those of `Kind::Flow` alone, in a third of the time, and with one limit for the whole function,
/// about 10 ms: behind the first variable that takes too long, all are given up.
auto find_flow_dependences(const kernel::Kernel& kernel) -> Dependences;

/// `(1, 0)`; `(1.., *)` where distances vary.
auto distance_text(const std::vector<Distance>& distances) -> std::string;

}  // namespace tacet::dependences
