#include "engine/distribution/check_distribution.h"

#include <fmt/format.h>

#include <deque>
#include <map>
#include <set>

namespace tacet::engine::distribution {
namespace {

/// Plays a distribution: a rank has values, and makes others when it has their operands.
class Play {
 public:
  Play(const WorkGraph& graph, const Distribution& distribution)
      : graph_(graph), distribution_(distribution) {}

  auto check() -> Status {
    if (distribution_.shares.empty()) {
      return Error{"there are no ranks"};
    }
    for (const auto& step : {&Play::check_makers, &Play::check_sendings, &Play::check_keys,
                             &Play::check_order, &Play::check_uses}) {
      if (Status status = (this->*step)(); !status) {
        return status;
      }
    }
    return std::monostate{};
  }

 private:
  using Place = std::pair<uint32_t, uint32_t>;  ///< a node at a rank

  auto operands_of(uint32_t node) const -> std::set<uint32_t> {
    std::set<uint32_t> operands(std::begin(graph_.nodes[node].operands),
                                std::end(graph_.nodes[node].operands));
    operands.erase(kNone);
    return operands;
  }

  auto check_makers() -> Status {
    for (uint32_t rank = 0; rank < distribution_.shares.size(); ++rank) {
      for (const uint32_t node : distribution_.shares[rank].nodes) {
        if (node >= graph_.nodes.size()) {
          return Error{fmt::format("rank {} makes %{}, which there is not", rank, node)};
        }
        const auto [known, is_new] = maker_.emplace(node, rank);
        if (!is_new) {
          return Error{
              fmt::format("%{} is made by rank {} and by rank {}", node, known->second, rank)};
        }
        if (graph_.nodes[node].is_input && rank != 0) {
          return Error{
              fmt::format("the input %{} is made by rank {}, not by the root", node, rank)};
        }
      }
    }
    for (uint32_t rank = 0; rank < distribution_.shares.size(); ++rank) {
      std::set<uint32_t> made;
      for (const uint32_t node : distribution_.shares[rank].nodes) {
        made.insert(node);
        for (const uint32_t operand : operands_of(node)) {
          const auto maker = maker_.find(operand);
          if (maker != maker_.end() && maker->second == rank && !made.contains(operand)) {
            return Error{
                fmt::format("rank {} makes %{} before its operand %{}", rank, node, operand)};
          }
        }
      }
    }
    for (const uint32_t output : graph_.outputs) {
      if (!maker_.contains(output)) {
        return Error{fmt::format("the output %{} is made by no rank", output)};
      }
    }
    return std::monostate{};
  }

  auto check_sendings() -> Status {
    for (uint32_t rank = 0; rank < distribution_.shares.size(); ++rank) {
      for (const auto& [node, to] : distribution_.shares[rank].sendings) {
        const auto maker = maker_.find(node);
        if (maker == maker_.end() || maker->second != rank) {
          return Error{fmt::format("rank {} sends %{}, which it does not make", rank, node)};
        }
        if (to >= distribution_.shares.size() || to == rank) {
          return Error{fmt::format("rank {} sends %{} to rank {}", rank, node, to)};
        }
        if (!sent_.emplace(node, to).second) {
          return Error{fmt::format("%{} is sent to rank {} twice", node, to)};
        }
      }
    }
    return std::monostate{};
  }

  auto check_keys() -> Status {
    for (uint32_t rank = 0; rank < distribution_.shares.size(); ++rank) {
      const Share& share = distribution_.shares[rank];
      std::set<uint32_t> needed;
      for (const uint32_t node : share.nodes) {
        needed.insert(graph_.nodes[node].key);
      }
      needed.erase(kNone);
      for (const uint32_t key : needed) {
        if (std::set<uint32_t>(share.keys.begin(), share.keys.end()).count(key) == 0) {
          return Error{fmt::format("rank {} lacks the key `{}`", rank, graph_.keys[key].name)};
        }
      }
      if (needed.size() != share.keys.size()) {
        return Error{fmt::format("rank {} has {} keys, but needs {}", rank, share.keys.size(),
                                 needed.size())};
      }
    }
    return std::monostate{};
  }

  /// Whether every value gets made.
  auto check_order() -> Status {
    std::set<Place> has;
    std::map<Place, std::vector<uint32_t>> waiting;  ///< nodes for a value at a rank
    std::map<uint32_t, size_t> n_missing;
    std::deque<uint32_t> ready;
    for (const auto& [node, rank] : maker_) {
      for (const uint32_t operand : operands_of(node)) {
        waiting[{operand, rank}].push_back(node);
        ++n_missing[node];
      }
      if (n_missing[node] == 0) {
        ready.push_back(node);
      }
    }
    const auto arrives = [&](Place place) {
      if (has.insert(place).second) {
        for (const uint32_t node : waiting[place]) {
          if (--n_missing[node] == 0) {
            ready.push_back(node);
          }
        }
      }
    };
    size_t n_made = 0;
    while (!ready.empty()) {
      const uint32_t node = ready.front();
      ready.pop_front();
      ++n_made;
      arrives({node, maker_[node]});
      for (auto sent = sent_.lower_bound({node, 0}); sent != sent_.end() && sent->first == node;
           ++sent) {
        arrives(*sent);
      }
    }
    if (n_made < maker_.size()) {
      for (const auto& [place, nodes] : waiting) {
        if (!has.contains(place)) {
          return Error{fmt::format("rank {} needs %{} for %{}, and never gets it", place.second,
                                   place.first, nodes.front())};
        }
      }
    }
    for (const uint32_t output : graph_.outputs) {
      if (!has.contains({output, 0})) {
        return Error{fmt::format("the root never gets the output %{}", output)};
      }
    }
    return std::monostate{};
  }

  /// Whether whatever is made or sent is used.
  auto check_uses() -> Status {
    std::set<Place> used;
    for (const auto& [node, rank] : maker_) {
      for (const uint32_t operand : operands_of(node)) {
        used.emplace(operand, rank);
      }
    }
    for (const uint32_t output : graph_.outputs) {
      used.emplace(output, 0);
    }
    for (const Place& place : sent_) {
      if (!used.contains(place)) {
        return Error{fmt::format("%{} is sent to rank {}, which does not use it", place.first,
                                 place.second)};
      }
    }
    for (const auto& [node, rank] : maker_) {
      const auto sent = sent_.lower_bound({node, 0});
      const bool is_sent = sent != sent_.end() && sent->first == node;
      if (!is_sent && !used.contains({node, rank}) && !graph_.nodes[node].is_input) {
        return Error{fmt::format("rank {} makes %{}, which has no use", rank, node)};
      }
    }
    return std::monostate{};
  }

  const WorkGraph& graph_;
  const Distribution& distribution_;
  std::map<uint32_t, uint32_t> maker_;
  std::set<Place> sent_;
};

}  // namespace

auto check_distribution(const WorkGraph& graph, const Distribution& distribution) -> Status {
  return Play(graph, distribution).check();
}

}  // namespace tacet::engine::distribution
