#pragma once

#include <unordered_map>

#include "compiler/spec/infer/event_places.h"
#include "compiler/spec/infer/timeline.h"
#include "compiler/spec/infer/timeline_order.h"

namespace tacet::infer {

using ProblemKind = TimelineProblem::Kind;

struct InFlight {
  hir::ValueId future;
  /// On every path to here as the same value.
  bool is_certain = true;
};

/// What holds at a place of the function.
struct State {
  SpecNodeId event;
  std::vector<InFlight> in_flight = {};
  /// The last call since the event changed that the timeline does not mention.
  hir::InstructionId stray_call = {};
  /// An annotation may say that the event is another: nothing was compared since.
  bool may_jump = false;
};

/// What `@in { output: … }` says of the end of what it is in.
struct SaidEnd {
  hir::BlockId block;  ///< the last of the function, or of the branch of an `if`
  Tag tag;
  SpecNodeId event;
};

/// One run of the deduction. Private to this folder.
///
/// Time runs in one direction: what a step is follows from the current event and from encoders and
/// futures that are known already. So the function is walked once, in the order in which control
/// runs, and the first step without a counterpart is the one that is wrong. The walk then continues
/// as if it had been right (timeline_recovery.cpp), so that each error is reported once.
struct TimelineDeduction {
  TimelineDeduction(query::Context& context_, const hir::Function& function_,
                    const SpecGraph& timeline_, const syntax::Tree& tree_,
                    const Interface& interface_, TimelineQuotients& result_);

  query::Context& context;
  const hir::Function& function;
  const SpecGraph& timeline;
  const syntax::Tree& tree;
  const Interface& interface;
  TimelineQuotients& result;
  const types::TypeStore& types;
  TimelineOrder order;
  std::vector<names::ItemId> called;  ///< the classes that the timeline calls
  std::unordered_map<uint32_t, Tag> tag_of_value;
  std::unordered_map<uint32_t, Tag> tag_of_instruction;
  State state;
  std::vector<State> at_end;           ///< by block
  std::vector<hir::BlockId> split_of;  ///< by block that joins: where the paths diverged
  hir::BlockId block = {};             ///< the one that is walked
  std::vector<hir::BlockId> spent_in;  ///< by value: where it was submitted or awaited, or none
  /// What `@out { output: … }` says of the end of the function.
  SpecNodeId said_end = {};
  std::vector<SaidEnd> said_ends;
  /// `@in { input: … }` that is another event than that where its part begins.
  std::vector<Tag> said_events;
  BitSet is_behind_step;  ///< by instruction: `@in`, in the text behind a step of its part
  BitSet ends_otherwise;  ///< by block: its end was reported as a mismatch
  /// A part of the timeline, by annotations: not all of its inputs and outputs are wanted.
  bool is_part = false;
  /// Nothing more is compared: there was a hole, where anything may happen, or something consumed
  /// was used again.
  bool is_over = false;

  // Of the timeline's nodes.
  BitSet is_early;     ///< was done, ahead of its place in the order
  BitSet is_late;      ///< reported as due first
  BitSet is_excused;   ///< this, or something that it needs, was reported missing
  BitSet is_reported;  ///< a future: reported as in flight, or as not in flight
  BitSet is_surplus;   ///< by value: of a step that the timeline does not have
  /// Where steps were found missing last, and whether work was among them.
  hir::InstructionId missing_before = {};
  bool is_work_missing = false;
};

auto node(const TimelineDeduction& deduction, hir::ValueId value) -> SpecNodeId;
auto is_surplus(const TimelineDeduction& deduction, hir::ValueId value) -> bool;

// timeline_deduction.cpp
void run(TimelineDeduction& deduction);
void step(TimelineDeduction& deduction, hir::InstructionId id);
auto pick(TimelineDeduction& deduction, std::span<const SpecNodeId> steps, hir::InstructionId id)
    -> SpecNodeId;
void take(TimelineDeduction& deduction, SpecNodeId step, hir::InstructionId id);
void settle(TimelineDeduction& deduction, hir::ValueId value, SpecNodeId node, uint32_t at);
auto next_steps(const TimelineDeduction& deduction, TermKind kind, names::ItemId callee = {})
    -> std::vector<SpecNodeId>;
auto is_handle(const TimelineDeduction& deduction, hir::ValueId value) -> bool;
void arrives(TimelineDeduction& deduction, hir::ValueId future);
auto is_spent(const TimelineDeduction& deduction, hir::ValueId value) -> bool;

// timeline_head.cpp
auto check_ports(TimelineDeduction& deduction) -> bool;
void read_tags(TimelineDeduction& deduction);
void parameter(TimelineDeduction& deduction, hir::InstructionId id);
void results(TimelineDeduction& deduction);
auto node_of_port(const TimelineDeduction& deduction, const PortQuotient& port, bool is_parameter)
    -> SpecNodeId;
auto says(const TimelineDeduction& deduction, const Tag& tag, SpecNodeId step) -> bool;
auto tag_of(const TimelineDeduction& deduction, hir::ValueId value) -> const Tag*;
void wrong_tag(TimelineDeduction& deduction, const Tag& tag, SpecNodeId found);

// timeline_annotations.cpp
void annotate(TimelineDeduction& deduction, hir::InstructionId id);
void check_said_ends(TimelineDeduction& deduction);
void finish(TimelineDeduction& deduction);

// timeline_tags.cpp
void check_plain_tags(TimelineDeduction& deduction);

// timeline_calls.cpp
void call(TimelineDeduction& deduction, hir::InstructionId id);
auto difference(const TimelineDeduction& deduction, SpecNodeId step) -> TimelineProblem;
void match_futures(TimelineDeduction& deduction, SpecNodeId step);

// timeline_recovery.cpp
/// The function does not do `step`: neither what needs what it gives.
void excuse(TimelineDeduction& deduction, SpecNodeId step);
/// Suppresses reports of what was not done with `handle`, an encoder or future.
void excuse_users(TimelineDeduction& deduction, SpecNodeId handle);
/// One of the two handles was mistaken for the other.
void exchange(TimelineDeduction& deduction, SpecNodeId one, SpecNodeId other);
/// Goes past `step`, if that comes next, and past what was done early or is excused.
void pass_over(TimelineDeduction& deduction, SpecNodeId step);
void skip_done(TimelineDeduction& deduction);
/// `id` is `step`, which comes later.
void take_early(TimelineDeduction& deduction, SpecNodeId step, hir::InstructionId id);
/// `id` is nothing that the timeline has.
void take_surplus(TimelineDeduction& deduction, hir::InstructionId id);
void land(TimelineDeduction& deduction, hir::ValueId future);
void settle_results(TimelineDeduction& deduction, SpecNodeId step, hir::InstructionId id);

// timeline_problem.cpp
void mismatch(TimelineDeduction& deduction, hir::InstructionId id);
void missing_at_end(TimelineDeduction& deduction, SpecNodeId wanted_event);
void paths_differ(TimelineDeduction& deduction, hir::BlockId join, SpecNodeId first,
                  SpecNodeId second);
void fail(TimelineDeduction& deduction, TimelineProblem problem);
auto rows(const TimelineDeduction& deduction, hir::InstructionId id, SpecNodeId wanted)
    -> std::vector<TimelineProblem::Row>;

inline auto node(const TimelineDeduction& deduction, hir::ValueId value) -> SpecNodeId {
  return deduction.result.of_value[value.index];
}

inline auto is_surplus(const TimelineDeduction& deduction, hir::ValueId value) -> bool {
  return deduction.is_surplus.contains(value.index);
}

}  // namespace tacet::infer
