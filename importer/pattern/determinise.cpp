#include <algorithm>
#include <map>
#include <tuple>

#include "importer/pattern/automaton.h"

namespace tacet::importer::pattern {

namespace {

/// Visits of states of the nondeterministic automaton.
constexpr size_t kMostSteps = 20'000'000;
constexpr size_t kMostSubsets = 20'000;

/// A set of states that read or accept or wait for the end, ascending; and whether nothing has been
/// read, which conditions on the start ask for again at the end.
struct Subset {
  std::vector<uint32_t> states;
  bool is_start = false;

  friend auto operator<(const Subset& a, const Subset& b) -> bool {
    return std::tie(a.states, a.is_start) < std::tie(b.states, b.is_start);
  }
};

class SubsetBuilder {
 public:
  explicit SubsetBuilder(const NondeterministicAutomaton& from)
      : from_(from), seen_(from.states.size(), 0) {}

  auto run() -> std::optional<Automaton> {
    find_classes();
    find(closure({from_.start}, true, false), true);
    for (size_t i = 0; i < subsets_.size(); ++i) {
      add_state(i);
      if (n_steps_ > kMostSteps || subsets_.size() > kMostSubsets) {
        return std::nullopt;
      }
    }
    return std::move(result_);
  }

 private:
  /// ByteSet with the same memberships are one class.
  void find_classes() {
    std::map<std::vector<bool>, uint8_t> classes;
    for (unsigned x = 0; x < 256; ++x) {
      std::vector<bool> memberships;
      for (const ByteSet& set : from_.sets) {
        memberships.push_back(set.test(x));
      }
      const auto id = static_cast<uint8_t>(classes.size());
      const auto [at, is_new] = classes.emplace(std::move(memberships), id);
      result_.class_of[x] = at->second;
      if (is_new) {
        members_.push_back(x);
      }
    }
    result_.n_classes = classes.size();
  }

  auto closure(const std::vector<uint32_t>& states, bool at_start, bool at_end)
      -> std::vector<uint32_t> {
    ++n_closures_;
    std::vector<uint32_t> pending = states;
    std::vector<uint32_t> result;
    while (!pending.empty()) {
      const uint32_t id = pending.back();
      pending.pop_back();
      ++n_steps_;
      if (seen_[id] == n_closures_) {
        continue;
      }
      seen_[id] = n_closures_;
      const State& state = from_.states[id];
      const bool goes_on = state.kind == StateKind::Fork ||
                           (state.kind == StateKind::AtStart && at_start) ||
                           (state.kind == StateKind::AtEnd && at_end);
      if (goes_on) {
        pending.insert(pending.end(), state.following.begin(), state.following.end());
      } else if (state.kind != StateKind::AtStart) {
        result.push_back(id);
      }
    }
    std::sort(result.begin(), result.end());
    return result;
  }

  auto accepts(const std::vector<uint32_t>& states) -> bool {
    n_steps_ += states.size();
    return std::any_of(states.begin(), states.end(),
                       [&](uint32_t id) { return from_.states[id].kind == StateKind::Accept; });
  }

  auto find(std::vector<uint32_t> states, bool is_start) -> uint32_t {
    const auto id = static_cast<uint32_t>(subsets_.size());
    const auto [at, is_new] = ids_.emplace(Subset{std::move(states), is_start}, id);
    if (is_new) {
      subsets_.push_back(&at->first);
    }
    return at->second;
  }

  void add_state(size_t i) {
    const Subset& subset = *subsets_[i];
    result_.accepts_inside.push_back(accepts(subset.states));
    result_.accepts_at_end.push_back(accepts(closure(subset.states, subset.is_start, true)));
    std::vector<uint32_t> row;
    for (const unsigned member : members_) {
      std::vector<uint32_t> reached;
      n_steps_ += subset.states.size();
      for (const uint32_t id : subset.states) {
        const State& state = from_.states[id];
        if (state.kind == StateKind::Read && from_.sets[state.set].test(member)) {
          reached.push_back(state.following.front());
        }
      }
      row.push_back(find(closure(reached, false, false), false));
    }
    result_.next.push_back(std::move(row));
  }

  const NondeterministicAutomaton& from_;
  std::vector<uint32_t> seen_;     ///< by state: the last closure that it was in
  std::vector<unsigned> members_;  ///< by class: a byte
  std::map<Subset, uint32_t> ids_;
  std::vector<const Subset*> subsets_;
  Automaton result_;
  uint32_t n_closures_ = 0;
  size_t n_steps_ = 0;
};

}  // namespace

auto determinise(const NondeterministicAutomaton& from) -> std::optional<Automaton> {
  return SubsetBuilder(from).run();
}

auto automaton_of(const PatternNode& root, Question question) -> std::optional<Automaton> {
  NondeterministicAutomaton states;
  if (build_nondeterministic(root, question, states)) {
    return std::nullopt;
  }
  const std::optional<Automaton> subsets = determinise(states);
  if (!subsets) {
    return std::nullopt;
  }
  Automaton least = minimise(*subsets, question == Question::Starts);
  return least.n_states() <= kMostStates ? std::optional(std::move(least)) : std::nullopt;
}

}  // namespace tacet::importer::pattern
