#include <algorithm>
#include <queue>
#include <tuple>

#include "engine/distribution/owners.h"

namespace tacet::engine::distribution {
namespace {

/// A run by the model, event by event.
class ModelRun {
 public:
  ModelRun(const WorkGraph& graph, const Distribution& distribution, const Machines& machines)
      : graph_(graph),
        machines_(machines),
        owners_(graph.nodes.size(), kNone),
        place_(graph.nodes.size()),
        n_waits_(graph.nodes.size()),
        users_(graph.nodes.size()),
        sendings_(graph.nodes.size()),
        ready_(machines.n_ranks),
        unpacking_(machines.n_ranks),
        n_free_(machines.n_ranks, machines.n_threads),
        sender_(machines.n_ranks),
        receiver_(machines.n_ranks),
        shared_at_(graph.shared_microseconds.size(), std::vector<bool>(machines.n_ranks)) {
    for (uint32_t rank = 0; rank < distribution.shares.size(); ++rank) {
      const std::vector<uint32_t>& nodes = distribution.shares[rank].nodes;
      order_.push_back(&nodes);
      for (uint32_t at = 0; at < nodes.size(); ++at) {
        owners_[nodes[at]] = rank;
        place_[nodes[at]] = at;
      }
      for (const Sending& sending : distribution.shares[rank].sendings) {
        sendings_[sending.node].push_back(sending.to);
      }
    }
    for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
      for (const uint32_t operand : graph.nodes[i].operands) {
        if (owners_[i] != kNone && operand != kNone) {
          users_[operand].push_back(i);
          ++n_waits_[i];
        }
      }
    }
  }

  auto run() -> double {
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      const bool is_packed = !sendings_[i].empty() && graph_.microseconds_per_byte > 0;
      if (owners_[i] != kNone && graph_.nodes[i].is_input && !is_packed) {
        finish(i, 0);
      } else if (owners_[i] != kNone && graph_.nodes[i].operands[0] == kNone) {
        ready_[owners_[i]].push(place_[i]);
      }
    }
    for (uint32_t rank = 0; rank < machines_.n_ranks; ++rank) {
      start(rank, 0);
    }
    double end = 0;
    while (!events_.empty()) {
      const auto [time, order, node, place] = events_.top();
      events_.pop();
      end = std::max(end, time);
      const bool is_unpacked = place >= machines_.n_ranks;
      const uint32_t rank = is_unpacked ? place - machines_.n_ranks : place;
      if (owners_[node] == rank) {
        ++n_free_[rank];
        finish(node, time);
      } else if (is_unpacked) {
        ++n_free_[rank];
        arrive(node, rank);
      } else {
        unpacking_[rank].push(node);
      }
      start(rank, time);
    }
    return end + graph_.root_microseconds / machines_.n_threads;
  }

 private:
  void add_event(double time, uint32_t node, uint32_t rank) {
    events_.emplace(time, n_events_++, node, rank);
  }

  void arrive(uint32_t node, uint32_t rank) {
    for (const uint32_t user : users_[node]) {
      if (owners_[user] == rank && --n_waits_[user] == 0) {
        ready_[rank].push(place_[user]);
      }
    }
  }

  void finish(uint32_t node, double time) {
    const uint32_t rank = owners_[node];
    arrive(node, rank);
    for (const uint32_t to : sendings_[node]) {
      const double begin = std::max({time, sender_[rank], receiver_[to]});
      const double end =
          begin + static_cast<double>(graph_.nodes[node].bytes) / machines_.bytes_per_second * 1e6;
      sender_[rank] = receiver_[to] = end;
      add_event(end + machines_.latency_microseconds, node, to);
    }
  }

  auto message_cost(uint32_t node) const -> double {
    return static_cast<double>(graph_.nodes[node].bytes) * graph_.microseconds_per_byte;
  }

  void start(uint32_t rank, double time) {
    while (n_free_[rank] > 0 && !unpacking_[rank].empty()) {
      const uint32_t node = unpacking_[rank].front();
      unpacking_[rank].pop();
      --n_free_[rank];
      add_event(time + message_cost(node), node, rank + machines_.n_ranks);
    }
    while (n_free_[rank] > 0 && !ready_[rank].empty()) {
      const uint32_t node = (*order_[rank])[ready_[rank].top()];
      ready_[rank].pop();
      --n_free_[rank];
      const WorkNode& work = graph_.nodes[node];
      double cost = work.microseconds + (sendings_[node].empty() ? 0 : message_cost(node));
      if (work.shared != kNone && !shared_at_[work.shared][rank]) {
        shared_at_[work.shared][rank] = true;
        cost += graph_.shared_microseconds[work.shared];
      }
      add_event(time + cost, node, rank);
    }
  }

  using Event = std::tuple<double, uint64_t, uint32_t, uint32_t>;
  using Ready = std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>>;

  const WorkGraph& graph_;
  const Machines& machines_;
  Owners owners_;
  std::vector<uint32_t> place_;                      ///< of each node in its share
  std::vector<const std::vector<uint32_t>*> order_;  ///< the nodes of the shares
  std::vector<uint32_t> n_waits_;
  std::vector<std::vector<uint32_t>> users_;
  std::vector<std::vector<uint32_t>> sendings_;
  std::vector<Ready> ready_;
  std::vector<std::queue<uint32_t>> unpacking_;  ///< what has arrived at each rank
  std::vector<unsigned> n_free_;
  std::vector<double> sender_, receiver_;
  std::vector<std::vector<bool>> shared_at_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  uint64_t n_events_ = 0;
};

}  // namespace

auto predict(const WorkGraph& graph, const Distribution& distribution, const Machines& machines)
    -> Prediction {
  Prediction result;
  result.microseconds = ModelRun(graph, distribution, machines).run();
  Owners owners(graph.nodes.size(), kNone);
  for (uint32_t rank = 0; rank < distribution.shares.size(); ++rank) {
    const Share& share = distribution.shares[rank];
    for (const uint32_t node : share.nodes) {
      owners[node] = rank;
    }
    for (const Sending& sending : share.sendings) {
      result.bytes += graph.nodes[sending.node].bytes;
    }
    result.n_messages += share.sendings.size();
    for (const uint32_t key : share.keys) {
      result.key_bytes += rank == 0 ? 0 : graph.keys[key].bytes;
    }
  }
  result.work_microseconds = work_of(graph, owners, machines.n_ranks);
  return result;
}

}  // namespace tacet::engine::distribution
