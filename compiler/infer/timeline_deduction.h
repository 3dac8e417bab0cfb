#pragma once

#include <unordered_map>

#include "compiler/infer/timeline.h"
#include "compiler/infer/timeline_order.h"

namespace tacet::infer {

/// One run of the deduction. Private to this folder.
///
/// Time runs in one direction: what a step is follows from the current event and from encoders and
/// futures that are known already. So the function is walked once, in the order in which control
/// runs, and the first step without a counterpart is the one that is wrong.
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
  void parameter(hir::InstructionId id);
  void results();
  void check_plain_tags();
  auto node_of_port(const PortQuotient& port, bool is_parameter) const -> SpecNodeId;
  auto says(const Tag& tag, SpecNodeId step) const -> bool;
  auto tag_of(hir::ValueId value) const -> const Tag*;
  void wrong_tag(const Tag& tag, SpecNodeId found);

  // The walk: timeline_deduction.cpp.
  void begin(hir::BlockId block);
  void keep_common(std::span<const UnderWay> others);
  void step(hir::InstructionId id);
  void phi(hir::InstructionId id, hir::BlockId block);
  void encode_begin(hir::InstructionId id);
  void submit(hir::InstructionId id);
  void await(hir::InstructionId id);
  void annotate(hir::InstructionId id);
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

  // Calls and futures that are under way: timeline_calls.cpp.
  void call(hir::InstructionId id);
  void stray(hir::InstructionId id, const Tag* tag);
  /// The first argument that is not what `step`, a call of the timeline, takes.
  auto other_argument(hir::InstructionId id, const Interface& callee, SpecNodeId step) const
      -> std::optional<TimelineProblem>;
  auto difference(SpecNodeId step) const -> TimelineProblem;
  void match_futures(SpecNodeId step);

  // What is wrong: timeline_problem.cpp.
  void mismatch(hir::InstructionId id);
  void missing_at_end(SpecNodeId wanted_event);
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
  /// A part of the timeline, by annotations: not all of its inputs and outputs are wanted.
  bool is_part_ = false;
  /// Nothing more is compared: there was a mistake, or a hole where anything may happen.
  bool is_over_ = false;
};

}  // namespace tacet::infer
