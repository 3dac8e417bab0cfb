#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/run/interpret/interpret.h"

/// What is computed, by running it: specifications are programs too, so each is an oracle for
/// whatever says that it computes the same.
namespace tacet::oracle {

struct RunOptions {
  /// How often each pair is run.
  size_t n_runs = 40;
  /// A run that takes longer is inconclusive: recursion may be very deep on random values.
  uint64_t max_steps = 100'000;
  uint64_t memory_limit_bytes = uint64_t{8} << 20;
  std::map<std::string, interpret::HostFunction, std::less<>> externs;
  CancellationToken cancellation = cancellation_of_thread();
  /// Numbers near which something may happen: inputs are drawn from there too.
  std::vector<int64_t> landmarks{};
};

enum class End : uint8_t {
  Done,
  Failed,
  TookTooLong,
  Unfinished,  ///< at a hole, or at what the reference device cannot run
};

/// How a run ended: with values, or with a message.
struct Outcome {
  End end = End::Done;
  /// The results, `;` between them, or what went wrong.
  std::string text;

  friend auto operator==(const Outcome&, const Outcome&) -> bool = default;
};

auto outcome_of(const interpret::Executable& executable,
                const std::vector<interpret::Value>& inputs, const RunOptions& options) -> Outcome;

/// Values on which two things differ, as small as they could be made.
struct Counterexample {
  std::vector<interpret::Value> inputs;
  Outcome first;
  Outcome second;
};

struct Comparison {
  std::optional<Counterexample> counterexample;
  size_t n_done = 0;    ///< runs in which both gave values
  size_t n_failed = 0;  ///< runs in which both failed
  size_t n_untold = 0;  ///< runs that say nothing
  /// Why the last of those said nothing.
  std::string why_untold;
};

/// Runs both on the same values until they differ, `options.n_runs` times at most. Input `i` of
/// `first` is input `inputs[i]` of `second`, of the same type, and the results have equal types.
/// Both failing counts as the same, whatever the messages are. A counterexample has the inputs of
/// `second`.
auto compare(const interpret::Executable& first, const interpret::Executable& second,
             const std::vector<uint32_t>& inputs, uint64_t seed, const RunOptions& options)
    -> Comparison;

}  // namespace tacet::oracle
