#include <algorithm>
#include <map>

#include "importer/pattern/automaton.h"

namespace tacet::importer::pattern {

namespace {

/// Splits the states into blocks until all states of a block go to the same blocks.
class Hopcroft {
 public:
  explicit Hopcroft(const Automaton& automaton)
      : automaton_(automaton), block_of_(automaton.n_states()) {}

  /// The block of each state.
  auto run(bool tells_ends_apart) -> std::vector<uint32_t> {
    find_sources();
    std::map<std::pair<bool, bool>, std::vector<uint32_t>> labels;
    for (uint32_t s = 0; s < automaton_.n_states(); ++s) {
      labels[{automaton_.accepts_at_end[s], tells_ends_apart && automaton_.accepts_inside[s]}]
          .push_back(s);
    }
    for (auto& [label, states] : labels) {
      add_block(std::move(states));
    }
    while (!pending_.empty()) {
      const uint32_t block = pending_.back();
      pending_.pop_back();
      const std::vector<uint32_t> splitter = blocks_[block];
      for (size_t c = 0; c < automaton_.n_classes; ++c) {
        split_by(splitter, c);
      }
    }
    return block_of_;
  }

 private:
  void find_sources() {
    sources_.assign(automaton_.n_classes,
                    std::vector<std::vector<uint32_t>>(automaton_.n_states()));
    for (uint32_t s = 0; s < automaton_.n_states(); ++s) {
      for (size_t c = 0; c < automaton_.n_classes; ++c) {
        sources_[c][automaton_.next[s][c]].push_back(s);
      }
    }
  }

  void add_block(std::vector<uint32_t> states) {
    const auto id = static_cast<uint32_t>(blocks_.size());
    for (const uint32_t s : states) {
      block_of_[s] = id;
    }
    blocks_.push_back(std::move(states));
    pending_.push_back(id);
  }

  /// Divides each block into the states that go to the splitter by a class, and the others.
  void split_by(const std::vector<uint32_t>& splitter, size_t by) {
    std::map<uint32_t, std::vector<uint32_t>> hit;
    for (const uint32_t target : splitter) {
      for (const uint32_t s : sources_[by][target]) {
        hit[block_of_[s]].push_back(s);
      }
    }
    for (auto& [block, states] : hit) {
      if (states.size() < blocks_[block].size()) {
        split(block, std::move(states));
      }
    }
  }

  void split(uint32_t block, std::vector<uint32_t> states) {
    std::sort(states.begin(), states.end());
    std::vector<uint32_t> rest;
    for (const uint32_t s : blocks_[block]) {
      if (!std::binary_search(states.begin(), states.end(), s)) {
        rest.push_back(s);
      }
    }
    // The old number stays with the larger part, so that the smaller one is what is pending; if the
    // whole block was, both parts are.
    if (states.size() > rest.size()) {
      std::swap(states, rest);
    }
    blocks_[block] = std::move(rest);
    add_block(std::move(states));
  }

  const Automaton& automaton_;
  std::vector<std::vector<std::vector<uint32_t>>> sources_;  ///< by class and target
  std::vector<uint32_t> block_of_;
  std::vector<std::vector<uint32_t>> blocks_;
  std::vector<uint32_t> pending_;
};

/// One state for each block, in the order in which a search in breadth reaches them.
auto quotient(const Automaton& automaton, const std::vector<uint32_t>& block_of) -> Automaton {
  Automaton result;
  result.class_of = automaton.class_of;
  result.n_classes = automaton.n_classes;
  std::map<uint32_t, uint32_t> ids{{block_of[0], 0}};
  std::vector<uint32_t> members{0};
  for (size_t i = 0; i < members.size(); ++i) {
    std::vector<uint32_t> row;
    for (const uint32_t target : automaton.next[members[i]]) {
      const auto [at, is_new] =
          ids.emplace(block_of[target], static_cast<uint32_t>(members.size()));
      if (is_new) {
        members.push_back(target);
      }
      row.push_back(at->second);
    }
    result.next.push_back(std::move(row));
    result.accepts_inside.push_back(automaton.accepts_inside[members[i]]);
    result.accepts_at_end.push_back(automaton.accepts_at_end[members[i]]);
  }
  return result;
}

/// Joins classes that lead from each state to the same one.
void join_classes(Automaton& automaton) {
  std::map<std::vector<uint32_t>, uint8_t> ids;
  std::vector<uint8_t> new_id(automaton.n_classes);
  std::vector<size_t> kept;
  for (size_t c = 0; c < automaton.n_classes; ++c) {
    std::vector<uint32_t> column;
    for (const std::vector<uint32_t>& row : automaton.next) {
      column.push_back(row[c]);
    }
    const auto [at, is_new] = ids.emplace(std::move(column), static_cast<uint8_t>(ids.size()));
    new_id[c] = at->second;
    if (is_new) {
      kept.push_back(c);
    }
  }
  for (uint8_t& c : automaton.class_of) {
    c = new_id[c];
  }
  for (std::vector<uint32_t>& row : automaton.next) {
    std::vector<uint32_t> shorter;
    for (const size_t c : kept) {
      shorter.push_back(row[c]);
    }
    row = std::move(shorter);
  }
  automaton.n_classes = kept.size();
}

}  // namespace

auto minimise(const Automaton& automaton, bool tells_ends_apart) -> Automaton {
  Automaton result = quotient(automaton, Hopcroft(automaton).run(tells_ends_apart));
  if (!tells_ends_apart) {
    result.accepts_inside = result.accepts_at_end;
  }
  join_classes(result);
  return result;
}

}  // namespace tacet::importer::pattern
