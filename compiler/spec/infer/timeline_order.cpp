#include "compiler/spec/infer/timeline_order.h"

#include <algorithm>
#include <queue>

namespace tacet::infer {

auto is_step(const SpecNode& node) -> bool {
  const TermKind kind = node.term.kind;
  return kind == TermKind::EncodeEvent || kind == TermKind::SubmitEvent ||
         kind == TermKind::SyncEvent || kind == TermKind::Call;
}

auto result_of(const SpecGraph& timeline, SpecNodeId step, uint32_t number) -> SpecNodeId {
  for (SpecNodeId user : timeline.parents[step.index]) {
    const Term& term = timeline.nodes[user].term;
    if (term.kind == TermKind::Extract && term.number == number) {
      return user;
    }
  }
  return {};
}

auto event_after(const SpecGraph& timeline, SpecNodeId step) -> SpecNodeId {
  const TermKind kind = timeline.nodes[step].term.kind;
  if (kind == TermKind::EncodeEvent || kind == TermKind::Call) {
    return result_of(timeline, step, 0);
  }
  return kind == TermKind::SyncEvent ? step : SpecNodeId();
}

static void mark_needed(const SpecGraph& timeline, BitSet& is_needed) {
  std::vector<SpecNodeId> to_do = timeline.outputs;
  while (!to_do.empty()) {
    const SpecNodeId node = to_do.back();
    to_do.pop_back();
    if (!is_needed.contains(node.index)) {
      is_needed.insert(node.index);
      to_do.insert(to_do.end(), timeline.children(node).begin(), timeline.children(node).end());
    }
  }
}

auto order_of(const SpecGraph& timeline) -> TimelineOrder {
  TimelineOrder result;
  result.is_needed = BitSet(timeline.nodes.size());
  mark_needed(timeline, result.is_needed);
  // Those whose operands are all done, the first in the text on top.
  auto comes_later = [&](SpecNodeId a, SpecNodeId b) {
    return timeline.nodes[a].node > timeline.nodes[b].node;
  };
  std::priority_queue<SpecNodeId, std::vector<SpecNodeId>, decltype(comes_later)> ready(
      comes_later);
  std::vector<size_t> n_open(timeline.nodes.size());
  for (uint32_t i = 0; i < timeline.nodes.size(); ++i) {
    n_open[i] = timeline.nodes[SpecNodeId{i}].children.size();
    if (n_open[i] == 0) {
      ready.push({i});
    }
  }
  while (!ready.empty()) {
    const SpecNodeId node = ready.top();
    ready.pop();
    if (is_step(timeline.nodes[node])) {
      result.steps.push_back(node);
    }
    for (SpecNodeId user : timeline.parents[node.index]) {
      if (--n_open[user.index] == 0) {
        ready.push(user);
      }
    }
  }
  return result;
}

}  // namespace tacet::infer
