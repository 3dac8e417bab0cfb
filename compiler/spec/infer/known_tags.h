#pragma once

#include "compiler/front/flow/port_flows.h"
#include "compiler/spec/infer/annotations.h"
#include "compiler/spec/infer/function_facts.h"

namespace tacet::infer {

/// What tags say of the values and operations of a function, wherever they stand.
///
/// In time, encoders and futures are their own node of the timeline, and what lies on a device is
/// where its encoder or future is. Everything else is where the coordinator is: at the *current
/// event*, which the walker sets by `begin` and `pass`. Where a timeline has no events there is
/// nothing to say.
class KnownTags {
 public:
  KnownTags(query::Context& context, const FunctionFacts& facts);

  /// Control is where `block` begins.
  void begin(hir::BlockId block);
  /// Control is behind `id`.
  void pass(hir::InstructionId id);

  /// What is said in time of what is where control is.
  [[nodiscard]] auto at_event() const -> DimensionTag { return in_time(event_); }
  /// Of a value that no variable keeps; of encoders and futures also where one does.
  [[nodiscard]] auto of_value(hir::ValueId value) const -> TagTriple;
  /// What a variable is that holds `value`.
  [[nodiscard]] auto of_content(hir::ValueId value) const -> TagTriple;
  /// What a field is that holds `value` and belongs to the encoder or future `handle`.
  [[nodiscard]] auto of_field(hir::ValueId value, hir::ValueId handle) const -> TagTriple;
  /// What a variable is that nothing has been put into.
  [[nodiscard]] auto of_empty() const -> TagTriple;
  /// Not a value of the specification: a record.
  [[nodiscard]] auto of_record() const -> TagTriple;
  /// A reference whose referent may be anything.
  [[nodiscard]] auto of_unknown_reference() const -> TagTriple;
  /// An unknown value.
  [[nodiscard]] auto of_unknown() const -> TagTriple;
  /// An operation whose results are those of `id`.
  [[nodiscard]] auto of_operation(hir::InstructionId id) const -> TagTriple;
  /// A choice: the node of the one value that it chooses.
  [[nodiscard]] auto of_branch(hir::BlockId block) const -> TagTriple;
  /// The parameter or result of that ordinal.
  [[nodiscard]] auto of_parameter(uint32_t ordinal) const -> TagTriple;
  [[nodiscard]] auto of_result(uint32_t ordinal) const -> TagTriple;

  /// An encoder or future.
  [[nodiscard]] auto is_handle(hir::ValueId value) const -> bool;
  /// What a handle is in the timeline, if that is known.
  [[nodiscard]] auto timeline_node(hir::ValueId handle) const -> SpecNodeId;

 private:
  [[nodiscard]] auto of_node(SpecNodeId node, flow::Flow flow) const -> DimensionTag;
  /// A node of the timeline, or nothing known of it.
  [[nodiscard]] auto in_time(SpecNodeId node) const -> DimensionTag;
  [[nodiscard]] auto of_port(const PortQuotient& port, bool is_parameter) const -> DimensionTag;
  [[nodiscard]] auto of_step(hir::InstructionId id) const -> DimensionTag;
  /// `triple` of something that is at the current event.
  [[nodiscard]] auto triple(SpecNodeId node, flow::Flow flow, flow::Flow spatial) const
      -> TagTriple;
  [[nodiscard]] auto is_reference(types::TypeId type) const -> bool;
  [[nodiscard]] auto last_event() const -> SpecNodeId;

  const FunctionFacts& facts_;
  const hir::Function& function_;
  const Quotients& quotients_;
  const types::TypeStore& types_;
  std::shared_ptr<const types::Signature> signature_;
  std::shared_ptr<const Interface> timeline_interface_;
  std::shared_ptr<const flow::PortFlows> port_flows_;
  bool is_at_once_ = false;
  /// The current event, if it is known.
  SpecNodeId event_ = {};
};

}  // namespace tacet::infer
