#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/mpc/testing/run_parties.h"
#include "tests/mpc_views/kernels.h"
#include "tests/mpc_views/recording.h"

/// What all parties see of kernels, run again and again with other randomness, and whether what
/// they see for some secrets differs from what they see for others.
namespace tacet::mpc {

/// The secrets in plaintext.
struct ClearSecrets {
  std::vector<uint64_t> x;
  std::vector<uint64_t> y;
};

/// By kernel and rank: one run of all kernels, one behind the other. Each secret is the sum of a
/// random number of party 0 and of what party 1 adds to it, so that nobody knows any. Runs of equal
/// seeds are equal.
auto views_of(const TestRun& run, const std::vector<ViewedKernel>& kernels,
              const ClearSecrets& secrets) -> std::vector<std::vector<View>>;

/// Counts over many runs with the same secrets.
class Sample {
 public:
  void add(const View& view);

  [[nodiscard]] auto n_runs() const -> size_t { return lengths_.size(); }

 private:
  friend auto difference(const Sample& a, const Sample& b, bool has_random_length) -> std::string;

  /// How often each bit of a stream was set; of a position that not all runs have, in those.
  using Ones = std::vector<uint16_t>;

  std::vector<Ones> ones_;
  std::vector<size_t> lengths_;  ///< of what was received
  std::vector<std::vector<std::pair<Rank, size_t>>> awaited_;
};

/// What distinguishes the views of two samples; empty if nothing does.
///
///  * What is awaited, how much and from whom, is the same in all runs. If that depends on what is
///    drawn, how much is received is distributed alike (rank sum of Wilcoxon, "Individual
///    Comparisons by Ranking Methods").
///  * Each bit at each place of what is received, sent, shown and held is set as often, and so are
///    bits of sums that would undo a mask: received plus sent, parts of a share, neighbours.
///
/// A difference counts from 6.3 standard deviations on, which a single place exceeds by chance
/// three times in 10^10; a bit that one sample always has and the other never shows 9 or more with
/// 40 runs each.
auto difference(const Sample& a, const Sample& b, bool has_random_length) -> std::string;

}  // namespace tacet::mpc
