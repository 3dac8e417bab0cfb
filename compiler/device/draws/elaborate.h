#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compiler/front/names/body_names.h"
#include "compiler/spec/program/frontend.h"
#include "engine/random/rng_state.h"

/// Where the random draws of a program are: fixed from its text before anything else looks at it,
/// so that no later pass can change a draw.
///
///     fn(cpu) f(n: i64) -> f64 {
///         var total = rand_normal(0.0, 1.0);     // static string 0
///         for i in 0..n {                        // iteration
///             total = total + g(rand_u64());     // 10, and a call: iteration, 2^63 + 0
///         }
///         total
///     }
///
/// A node that uses randomness splits its string among those of its children that do, by halving
/// (`engine::split_bits(5)` is 00 01 10 110 111); a draw or call counts as one more behind its
/// arguments. The dynamic string has a word for every iteration of a loop or `for`, counted from 0,
/// and one with the top bit set for every call, which says which of its function's calls it is.
/// From the words the function that runs and the iterations of its loops can be read off, and
/// within a function no string is the beginning of another: so no two draws of a run share both
/// strings.
namespace tacet::draws {

/// A call of a function that draws: `rand_u64()`, `rand_int(6)`, …
struct Draw {
  uint32_t node = 0;
  names::Builtin function{};
  engine::BitString bits;  ///< the static string
  uint32_t n_iterations =
      0;  ///< loops of the function around it: words at the end of the dynamic string
  /// Typed secret: where several parties compute, from keys that no single one of them holds.
  bool is_secret = false;
};

/// A call of a function that uses randomness itself.
struct Call {
  uint32_t node = 0;
  names::ItemId callee;
  uint64_t word = 0;          ///< of the dynamic string
  uint32_t n_iterations = 0;  ///< words between the function's own and this one
};

/// All of one item; nodes are those of its tree, in the order of the text.
struct Elaboration {
  std::vector<Draw> draws;
  std::vector<Call> calls;
  std::vector<uint32_t> loops;  ///< whose iterations draw, `for i: n` among them

  [[nodiscard]] auto uses_randomness() const -> bool { return !draws.empty() || !calls.empty(); }
  [[nodiscard]] auto draw(uint32_t node) const -> const Draw*;
  [[nodiscard]] auto call(uint32_t node) const -> const Call*;
  [[nodiscard]] auto loop_draws(uint32_t node) const -> bool;
};

/// `static 10 · iteration, iteration`, perhaps with `· secret` behind it: the place of a draw for
/// people.
auto place_text(const Draw& draw) -> std::string;

/// The items of one revision. What a call of an item runs, a member of its class perhaps, is for
/// the user to say; none for what is no function.
class Elaborator {
 public:
  using RunsFor = std::function<names::ItemId(names::ItemId)>;

  Elaborator(const program::FrontendSnapshot& snapshot, RunsFor runs_for)
      : snapshot_(snapshot), runs_for_(std::move(runs_for)) {}
  /// For a host that supplies nothing (`member_that_runs`).
  explicit Elaborator(const program::FrontendSnapshot& snapshot);

  /// Does it draw, or call what does? Specifications do not. Linear in what it reaches, once.
  auto uses_randomness(names::ItemId runs) -> bool;
  auto elaborate(names::ItemId runs) -> Elaboration;

 private:
  void explore(names::ItemId start);

  const program::FrontendSnapshot& snapshot_;
  RunsFor runs_for_;
  std::map<uint32_t, bool> uses_;  ///< by item
};

/// Stage `random`: every draw of a file's functions with its static string and the shape of its
/// dynamic one.
auto print_draws(const program::FrontendSnapshot& snapshot, FileId file) -> std::string;

}  // namespace tacet::draws
