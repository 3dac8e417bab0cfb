#pragma once

#include "engine/he_distributed/evaluate_on_ranks.h"
#include "tests/he_program/random_he_program.h"

/// For tests that run programs on ranks, which are threads of the test.
namespace tacet::engine {

/// Machines between which messages cost next to nothing, so that small programs are spread.
auto eager_options() -> RankOptions;

/// Test parameters that a program fits.
auto small_context(const HeProgram& program, he::Scheme scheme, unsigned n_threads)
    -> he::ContextRef;

/// What all ranks gave.
struct RanksOutcome {
  Result<RankRun> root = Error{};
  std::vector<Status> others;  ///< of the ranks from 1 on
};

/// The root runs `parts`, others serve, with options of their own if there are any for them.
auto run_on_ranks(std::vector<std::unique_ptr<RankLink>>& links, std::vector<RankPart> parts,
                  const RankOptions& options, const std::vector<RankOptions>& others = {})
    -> RanksOutcome;

auto hosts_of(size_t n) -> std::vector<std::string>;

}  // namespace tacet::engine
