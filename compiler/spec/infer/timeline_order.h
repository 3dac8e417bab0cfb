#pragma once

#include <vector>

#include "base/bit_set.h"
#include "compiler/spec/infer/spec_graph.h"

namespace tacet::infer {

/// What happens in a timeline: which of its nodes are steps, and in which order.
struct TimelineOrder {
  /// Encodings, submissions, synchronisations and calls. Each comes after those that it needs, and
  /// else in the order of the text.
  std::vector<SpecNodeId> steps;
  /// By node: something that the timeline returns needs it.
  BitSet is_needed;
};

auto order_of(const SpecGraph& timeline) -> TimelineOrder;

/// An encoding, submission, synchronisation or call.
auto is_step(const SpecNode& node) -> bool;

/// The event that the coordinator is at after `step`; none after a submission.
auto event_after(const SpecGraph& timeline, SpecNodeId step) -> SpecNodeId;

/// What `step`, which has several results, gives as its result `number`; none if the timeline does
/// not name it.
auto result_of(const SpecGraph& timeline, SpecNodeId step, uint32_t number) -> SpecNodeId;

}  // namespace tacet::infer
