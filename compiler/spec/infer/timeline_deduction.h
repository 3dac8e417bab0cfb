#pragma once

#include <unordered_map>

#include "compiler/spec/infer/event_places.h"
#include "compiler/spec/infer/timeline.h"
#include "compiler/spec/infer/timeline_order.h"

namespace tacet::infer {

/// One run of the deduction. Private to this folder.
///
/// Time runs in one direction: what a step is follows from the current event and from encoders and
/// futures that are known already. So the function is walked once, in the order in which control
/// runs, and the first step without a counterpart is the one that is wrong. The walk then goes on
/// as if it had been right (timeline_recovery.cpp), so that each mistake is told, and once.
class TimelineDeduction {
 public:
  TimelineDeduction(query::Context& context, const hir::Function& function,
                    const SpecGraph& timeline, const syntax::Tree& tree, const Interface& interface,
                    TimelineQuotients& result);

  void run();

 private:
  using Kind = TimelineProblem::Kind;

  struct UnderWay {
    hir::ValueId future;
    /// On every way to here as one and the same value.
    bool is_certain = true;
  };

  /// What holds at a place of the function.
  struct State {
    SpecNodeId event;
    std::vector<UnderWay> under_way = {};
    /// The last call since the event changed that the timeline does not mention.
    hir::InstructionId stray_call = {};
    /// An annotation may say that the event is another: nothing was compared since.
    bool may_jump = false;
  };

  // The head and the tags: timeline_head.cpp.
  auto check_ports() -> bool;
  auto check_ports(std::span<const hir::Port> ports, std::span<const PortQuotient> quotients,
                   std::span<const SpecNodeId> nodes, bool are_parameters) -> bool;
  void read_tags();
  auto is_behind_step(std::span<const hir::InstructionId> block) const -> bool;
  auto says_part(hir::InstructionId id) const -> bool;
  void parameter(hir::InstructionId id);
  void results();
  auto node_of_port(const PortQuotient& port, bool is_parameter) const -> SpecNodeId;
  auto says(const Tag& tag, SpecNodeId step) const -> bool;
  auto tag_of(hir::ValueId value) const -> const Tag*;
  void wrong_tag(const Tag& tag, SpecNodeId found);

  // The walk: timeline_deduction.cpp.
  void begin(hir::BlockId block);
  auto later(SpecNodeId one, SpecNodeId other) const -> SpecNodeId;
  void keep_common(std::span<const UnderWay> others);
  void step(hir::InstructionId id);
  void phi(hir::InstructionId id, hir::BlockId block);
  void encode_begin(hir::InstructionId id);
  void submit(hir::InstructionId id);
  void await(hir::InstructionId id);
  void annotate(hir::InstructionId id);
  void annotate_event(const Tag& tag, hir::InstructionId id);
  auto end_of(hir::BlockId block) const -> hir::BlockId;
  void check_said_ends();
  void finish();
  auto pick(std::span<const SpecNodeId> steps, hir::InstructionId id) -> SpecNodeId;
  void take(SpecNodeId step, hir::InstructionId id);
  void settle(hir::ValueId value, SpecNodeId node, uint32_t at);
  auto next_steps(TermKind kind, names::ItemId callee = {}) const -> std::vector<SpecNodeId>;
  auto node(hir::ValueId value) const -> SpecNodeId { return result_.of_value[value.index]; }
  auto is_handle(hir::ValueId value) const -> bool;
  auto is_future(hir::ValueId value) const -> bool;
  void arrives(hir::ValueId future);
  auto is_spent(hir::ValueId value) const -> bool;

  // What tags say of everything else: timeline_tags.cpp.
  void check_plain_tags();
  void check_plain_head();
  void check_plain_annotations();
  void check_said_events(const EventPlaces& events);
  void check_plain_tag(const Tag& tag, std::span<const SpecNodeId> events);
  auto is_to_come(SpecNodeId node, SpecNodeId event) const -> bool;
  void check_device_tag(const Tag& tag, hir::InstructionId id);

  // Calls and futures that are under way: timeline_calls.cpp.
  void call(hir::InstructionId id);
  void stray(hir::InstructionId id, const Tag* tag);
  /// The first argument that is not what `step`, a call of the timeline, takes.
  auto other_argument(hir::InstructionId id, const Interface& callee, SpecNodeId step) const
      -> std::optional<TimelineProblem>;
  auto difference(SpecNodeId step) const -> TimelineProblem;
  void match_futures(SpecNodeId step);

  // Going on after a mistake: timeline_recovery.cpp.
  /// The function does not do `step`: neither what needs what it gives.
  void excuse(SpecNodeId step);
  /// Nothing is told of what was not done with `handle`, an encoder or future.
  void excuse_users(SpecNodeId handle);
  auto is_in_function(SpecNodeId step) const -> bool;
  /// One of the two handles was mistaken for the other.
  void exchange(SpecNodeId one, SpecNodeId other);
  /// Goes past `step`, if that comes next, and past what was done early or is excused.
  void pass_over(SpecNodeId step);
  void skip_done();
  /// `id` is `step`, whose turn comes later.
  void take_early(SpecNodeId step, hir::InstructionId id);
  /// `id` is nothing that the timeline has.
  void take_surplus(hir::InstructionId id);
  void land(hir::ValueId future);
  auto is_surplus(hir::ValueId value) const -> bool { return is_surplus_.contains(value.index); }
  void settle_results(SpecNodeId step, hir::InstructionId id);

  // What is wrong: timeline_problem.cpp.
  void mismatch(hir::InstructionId id);
  void missing_at_end(SpecNodeId wanted_event);
  auto surplus_at_end(std::span<const hir::InstructionId> done) -> bool;
  /// Tells that `wanted` is not done where `problem` is, and goes past it.
  void missing(TimelineProblem problem, SpecNodeId wanted, hir::InstructionId id);
  auto wanted_step(const std::vector<SpecNodeId>& open, hir::InstructionId id) const -> SpecNodeId;
  /// Is `step` done behind `id`, or `id` one step of its kind too many?
  auto is_done_later(SpecNodeId step, hir::InstructionId id) const -> bool;
  auto is_one_too_many(hir::InstructionId id, const std::vector<SpecNodeId>& open) const -> bool;
  void ways_differ(hir::BlockId join, SpecNodeId first, SpecNodeId second);
  void fail(TimelineProblem problem);
  void blame_call(TimelineProblem& problem) const;
  auto could_be(hir::InstructionId id, const std::vector<SpecNodeId>& open) const -> SpecNodeId;
  auto is_like(hir::InstructionId id, SpecNodeId step) const -> bool;
  auto is_shown(hir::InstructionId id) const -> bool;
  /// The steps of the function in front of `until` (of all blocks up to the end without one), and
  /// those behind it.
  auto steps_before(hir::InstructionId until) const -> std::vector<hir::InstructionId>;
  auto steps_behind(hir::InstructionId from) const -> std::vector<hir::InstructionId>;
  /// The needed steps of the timeline that are none of `done`.
  auto open_steps(std::span<const hir::InstructionId> done) const -> std::vector<SpecNodeId>;
  auto rows(hir::InstructionId id, SpecNodeId wanted) const -> std::vector<TimelineProblem::Row>;

  query::Context& context_;
  const hir::Function& function_;
  const SpecGraph& timeline_;
  const syntax::Tree& tree_;
  const Interface& interface_;
  TimelineQuotients& result_;
  const types::TypeStore& types_;
  TimelineOrder order_;
  std::vector<names::ItemId> called_;  ///< the classes that the timeline calls
  std::unordered_map<uint32_t, Tag> tag_of_value_;
  std::unordered_map<uint32_t, Tag> tag_of_instruction_;
  State state_;
  std::vector<State> at_end_;           ///< by block
  std::vector<hir::BlockId> split_of_;  ///< by block that joins: where the ways parted
  hir::BlockId block_ = {};             ///< the one that is walked
  std::vector<hir::BlockId> spent_in_;  ///< by value: where it was submitted or awaited, or none
  /// What `@out { output: … }` says of the end of the function.
  SpecNodeId said_end_ = {};
  /// What `@in { output: … }` says of the end of what it stands in.
  struct SaidEnd {
    hir::BlockId block;  ///< the last of the function, or of the way of an `if`
    Tag tag;
    SpecNodeId event;
  };
  std::vector<SaidEnd> said_ends_;
  /// `@in { input: … }` that is another event than that where its part begins.
  std::vector<Tag> said_events_;
  BitSet is_behind_step_;  ///< by instruction: `@in`, in the text behind a step of its part
  BitSet ends_otherwise_;  ///< by block: it was told that it does not end as was said
  /// A part of the timeline, by annotations: not all of its inputs and outputs are wanted.
  bool is_part_ = false;
  /// Nothing more is compared: there was a hole, where anything may happen, or what is used up was
  /// used again.
  bool is_over_ = false;

  // Of the timeline's nodes.
  BitSet is_early_;    ///< was done, and its turn has not come yet
  BitSet is_late_;     ///< it was told that this should have come first
  BitSet is_excused_;  ///< it was told that this is missing, or something that it needs
  BitSet is_told_;     ///< a future: it was told that it is under way, or that it is not
  BitSet is_surplus_;  ///< by value: of a step that the timeline does not have
  /// Where steps were found missing last, and whether work was among them.
  hir::InstructionId missing_before_ = {};
  bool is_work_missing_ = false;
};

}  // namespace tacet::infer
