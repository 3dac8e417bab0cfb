#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/explore/call_space.h"
#include "compiler/spec/program/frontend.h"
#include "project/explore_file.h"

/// Which of the implementations of a specification is the fastest, and where.
namespace tacet::cli {

/// An implementation, where it runs, and what it calls.
struct Candidate {
  std::string implementation;  ///< a function of the file
  std::string device;          ///< `local`, `he` or `mpc`; of an exclusion empty for all
  std::string scheme;          ///< of `he`
  std::string protocol;        ///< of `mpc`; empty: the one that applies anyway
  /// The calls, its own and those that it reaches, that go to other functions than in the text.
  std::vector<program::CallSwap> calls{};
  /// Of `he`, `schedule { … }`; empty: the text's, or what is found.
  std::string layout{};
  unsigned threads = 0;  ///< 0: one for each core
  /// Of the reference interpreter, if they were counted.
  std::optional<uint64_t> steps{};
  /// Of a run, if it could be predicted.
  std::optional<double> predicted_milliseconds{};

  /// What `tacet run` needs to compute it this way.
  [[nodiscard]] auto arguments() const -> std::vector<std::string>;
  /// The same without what is chosen inside of the function: calls, a layout, threads.
  [[nodiscard]] auto outline() const -> Candidate;
  /// In words: which function, under which scheme, or by parties, or in plaintext.
  [[nodiscard]] auto text() const -> std::string;

  friend auto operator==(const Candidate&, const Candidate&) -> bool = default;
};

/// One that is not considered, and why: a part of a sentence.
struct Exclusion {
  Candidate candidate;
  std::string why;
};

struct Candidates {
  std::string pipeline;  ///< that was requested, or empty
  std::string target;    ///< the requested specification or function
  std::vector<Candidate> candidates;
  std::vector<Exclusion> exclusions;
  std::vector<CallExclusion> call_exclusions;  ///< alternatives at calls
  /// Of at least one, only the choices in which one call differs are among the candidates.
  bool is_cut = false;
  std::string signature;  ///< the parameters that all have: `x: [i64; 8], y: i64`
  std::string reference;  ///< what is run in plaintext for the right results
};

/// `--protocol active`: whichever of the protocols of which one party may lie.
constexpr std::string_view kActiveProtocols = "active";

/// Whether one party may do anything under a protocol of that name.
auto tolerates_a_liar(std::string_view protocol) -> bool;

/// What candidates must have, if it is not empty.
struct CandidateFilter {
  std::string device;
  std::string protocol;  ///< its name, or `kActiveProtocols`
  size_t n_parties = 0;  ///< that tacet.toml lists; 0 if it lists none
};

/// All ways to compute an item: the functions that implement the same specification, and of
/// device functions the schemes. Functions with other parameters than the item, and computations
/// that would show what the item's signature keeps secret, are excluded; protocols are those that
/// apply anyway or `filter` names, since others trust other parties. An error if the item is
/// nothing that could be computed.
auto find_candidates(const program::FrontendSnapshot& snapshot, names::ItemId item,
                     const CandidateFilter& filter) -> Result<Candidates>;

/// Replaces each candidate by all choices for the calls that it reaches, at most `limit` together.
void add_calls(Candidates& candidates, const CallSpace& space, size_t limit);

/// Puts the best layouts of functions on `he`, at most `n` of them, beside each candidate under an
/// arithmetic scheme whose calls are those of the text; with 0 four where the text says
/// `schedule ?`. `layouts_of` says what they are, the best first, which a candidate without a
/// layout has.
void add_layouts(
    Candidates& candidates,
    const std::function<std::vector<std::string>(const Candidate&, size_t n)>& layouts_of,
    const std::function<bool(const Candidate&)>& is_open, size_t n);

/// Puts a candidate for each number of threads in the place of those on devices.
void add_threads(Candidates& candidates, const std::vector<unsigned>& threads);

/// A candidate as a file has it. An error if its calls are none.
auto candidate_of(const program::ExploredWay& way) -> Result<Candidate>;

}  // namespace tacet::cli
