#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

/// Random orders of encodings, submissions and waits: each is printed as a timeline, and as a
/// function that does the same. What each step of the function is in the timeline is known.
namespace tacet::program {

enum class StepKind : uint8_t { Encode, Submit, Wait };

/// One step about the encoder number `which`, or the future that it is submitted for.
struct Step {
  StepKind kind = StepKind::Encode;
  uint32_t which = 0;
  /// Of encodings: the futures in flight.
  std::vector<uint32_t> listed = {};
  /// Written once on each branch of an `if`.
  bool on_both_branches = false;
};

/// Every encoder is submitted, and every future is waited for.
auto random_steps(std::mt19937& random) -> std::vector<Step>;

struct PrintedTimeline {
  std::string text;
  /// By step of the function, from 0; then that of the result.
  std::vector<uint32_t> lines;
};

/// A timeline of `specified`, its definitions in any order, and a function that does `done`.
auto print(const std::vector<Step>& specified, const std::vector<Step>& done, std::mt19937& random)
    -> PrintedTimeline;

}  // namespace tacet::program
