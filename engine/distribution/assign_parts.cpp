#include <algorithm>
#include <numeric>

#include "engine/distribution/owners.h"

namespace tacet::engine::distribution {
namespace {

/// Sets of nodes that are connected by anything but inputs.
class Parts {
 public:
  Parts(const WorkGraph& graph, const std::vector<bool>& is_needed) : parent_(graph.nodes.size()) {
    std::iota(parent_.begin(), parent_.end(), uint32_t{0});
    for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
      for (const uint32_t operand : graph.nodes[i].operands) {
        if (is_needed[i] && operand != kNone && !graph.nodes[operand].is_input) {
          // The least node names the part.
          const uint32_t a = find(operand);
          const uint32_t b = find(i);
          parent_[std::max(a, b)] = std::min(a, b);
        }
      }
    }
  }

  auto find(uint32_t node) -> uint32_t {
    while (parent_[node] != node) {
      parent_[node] = parent_[parent_[node]];
      node = parent_[node];
    }
    return node;
  }

 private:
  std::vector<uint32_t> parent_;
};

struct Part {
  double microseconds = 0;
  std::vector<uint32_t> nodes;
  std::vector<uint32_t> inputs;  ///< rising
  uint64_t output_bytes = 0;
};

/// In the order of their first nodes.
auto find_parts(const WorkGraph& graph, const std::vector<bool>& is_needed) -> std::vector<Part> {
  Parts sets(graph, is_needed);
  std::vector<uint32_t> number(graph.nodes.size(), kNone);
  std::vector<Part> parts;
  std::vector<uint32_t> shared_by(graph.shared_microseconds.size(), kNone);
  std::vector<bool> is_output(graph.nodes.size());
  for (const uint32_t output : graph.outputs) {
    is_output[output] = true;
  }
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const WorkNode& node = graph.nodes[i];
    if (!is_needed[i] || node.is_input) {
      continue;
    }
    uint32_t& at = number[sets.find(i)];
    if (at == kNone) {
      at = static_cast<uint32_t>(parts.size());
      parts.emplace_back();
    }
    Part& part = parts[at];
    part.nodes.push_back(i);
    part.microseconds += node.microseconds;
    part.output_bytes += is_output[i] ? node.bytes : 0;
    if (node.shared != kNone && shared_by[node.shared] != at) {
      shared_by[node.shared] = at;
      part.microseconds += graph.shared_microseconds[node.shared];
    }
    for (const uint32_t operand : node.operands) {
      if (operand != kNone && graph.nodes[operand].is_input) {
        part.inputs.push_back(operand);
      }
    }
  }
  for (Part& part : parts) {
    std::sort(part.inputs.begin(), part.inputs.end());
    part.inputs.erase(std::unique(part.inputs.begin(), part.inputs.end()), part.inputs.end());
  }
  return parts;
}

/// Inputs belong to the root.
auto owners_of_inputs(const WorkGraph& graph) -> Owners {
  Owners owners(graph.nodes.size(), kNone);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].is_input) {
      owners[i] = 0;
    }
  }
  return owners;
}

}  // namespace

auto assign_parts(const WorkGraph& graph, const std::vector<bool>& is_needed, uint32_t n_ranks)
    -> Owners {
  constexpr double kEqual = 0.01;
  std::vector<Part> parts = find_parts(graph, is_needed);
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.microseconds > b.microseconds; });
  double total = graph.root_microseconds;
  for (const Part& part : parts) {
    total += part.microseconds;
  }
  const double equal = kEqual * total / n_ranks;
  Owners owners = owners_of_inputs(graph);
  std::vector<double> work(n_ranks);
  work[0] = graph.root_microseconds;
  std::vector<std::vector<bool>> has_input(n_ranks, std::vector<bool>(graph.nodes.size()));
  for (const Part& part : parts) {
    // A part that is elsewhere costs the root its messages.
    const auto bytes_at = [&](uint32_t rank) {
      uint64_t bytes = rank == 0 ? 0 : part.output_bytes;
      for (const uint32_t input : part.inputs) {
        bytes += rank == 0 || has_input[rank][input] ? 0 : graph.nodes[input].bytes;
      }
      return bytes;
    };
    const auto most_after = [&](uint32_t rank) {
      const double messages = static_cast<double>(bytes_at(rank)) * graph.microseconds_per_byte;
      const double own = work[rank] + part.microseconds + messages;
      return rank == 0 ? own : std::max(own, work[0] + messages);
    };
    double least = most_after(0);
    for (uint32_t rank = 1; rank < n_ranks; ++rank) {
      least = std::min(least, most_after(rank));
    }
    uint32_t best = kNone;
    for (uint32_t rank = 0; rank < n_ranks; ++rank) {
      if (most_after(rank) <= least + equal && (best == kNone || bytes_at(rank) < bytes_at(best))) {
        best = rank;
      }
    }
    const double messages = static_cast<double>(bytes_at(best)) * graph.microseconds_per_byte;
    work[best] += part.microseconds;
    if (best != 0) {
      work[best] += messages;
      work[0] += messages;
    }
    for (const uint32_t node : part.nodes) {
      owners[node] = best;
    }
    for (const uint32_t input : part.inputs) {
      has_input[best][input] = true;
    }
  }
  return owners;
}

auto program_order(const WorkGraph& graph, const std::vector<bool>& is_needed)
    -> std::vector<uint32_t> {
  std::vector<uint32_t> order;
  for (const Part& part : find_parts(graph, is_needed)) {
    order.insert(order.end(), part.nodes.begin(), part.nodes.end());
  }
  return order;
}

auto depth_first_order(const WorkGraph& graph, const std::vector<bool>& is_needed)
    -> std::vector<uint32_t> {
  std::vector<uint32_t> order;
  std::vector<bool> is_done(graph.nodes.size());
  struct Visit {
    uint32_t node;
    uint32_t operand;
  };
  std::vector<Visit> stack;
  for (const uint32_t output : graph.outputs) {
    stack.push_back({output, 0});
    while (!stack.empty()) {
      Visit& visit = stack.back();
      if (is_done[visit.node]) {
        stack.pop_back();
      } else if (visit.operand == 2) {
        is_done[visit.node] = true;
        if (is_needed[visit.node] && !graph.nodes[visit.node].is_input) {
          order.push_back(visit.node);
        }
        stack.pop_back();
      } else if (const uint32_t next = graph.nodes[visit.node].operands[visit.operand++];
                 next != kNone) {
        stack.push_back({next, 0});
      }
    }
  }
  return order;
}

auto assign_pieces(const WorkGraph& graph, const std::vector<uint32_t>& order, uint32_t n_ranks)
    -> Owners {
  constexpr double kNear = 0.02;
  Owners owners = owners_of_inputs(graph);
  double total = graph.root_microseconds;
  for (const uint32_t node : order) {
    total += graph.nodes[node].microseconds;
  }
  std::vector<bool> is_needed(graph.nodes.size());
  for (const uint32_t node : order) {
    is_needed[node] = true;
  }
  Parts sets(graph, is_needed);
  const double piece = total / n_ranks;
  double done = graph.root_microseconds;
  uint32_t rank = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const double cost = graph.nodes[order[i]].microseconds;
    const bool starts_part = i == 0 || sets.find(order[i]) != sets.find(order[i - 1]);
    while (rank + 1 < n_ranks) {
      const double end = piece * (rank + 1);
      const bool is_full = done + cost / 2 > end + (starts_part ? 0 : kNear * piece);
      const bool ends_well = starts_part && done > end - kNear * piece;
      if (!is_full && !ends_well) {
        break;
      }
      ++rank;
    }
    owners[order[i]] = rank;
    done += cost;
  }
  return owners;
}

}  // namespace tacet::engine::distribution
