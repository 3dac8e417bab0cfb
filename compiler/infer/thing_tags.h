#pragma once

#include "compiler/infer/annotations.h"
#include "compiler/infer/function_facts.h"

namespace tacet::infer {

/// What tags say of the things of a function, wherever they stand.
class ThingTags {
 public:
  ThingTags(query::Context& context, const FunctionFacts& facts);

  /// Of a value that no variable keeps.
  [[nodiscard]] auto of_value(hir::ValueId value) const -> TagTriple;
  /// What a variable is that holds `value`.
  [[nodiscard]] auto of_content(hir::ValueId value) const -> TagTriple;
  /// What a variable is that nothing has been put into.
  [[nodiscard]] auto of_empty() const -> TagTriple;
  /// What is no value of the specification: a handle.
  [[nodiscard]] auto of_handle() const -> TagTriple;
  /// A reference whose referent may be anything.
  [[nodiscard]] auto of_unknown_reference() const -> TagTriple;
  /// A value of which nothing is known.
  [[nodiscard]] auto of_unknown() const -> TagTriple;
  /// An operation whose results are those of `id`.
  [[nodiscard]] auto of_operation(hir::InstructionId id) const -> TagTriple;
  /// A choice: the node of the one value that it chooses.
  [[nodiscard]] auto of_branch(hir::BlockId block) const -> TagTriple;
  /// The parameter of that ordinal, whose syntax is `parameter`.
  [[nodiscard]] auto of_parameter(uint32_t ordinal, syntax::Node parameter) const -> TagTriple;
  [[nodiscard]] auto of_result(uint32_t ordinal, syntax::Node given) const -> TagTriple;

 private:
  [[nodiscard]] auto of_node(SpecNodeId node, Flow flow) const -> DimensionTag;
  [[nodiscard]] auto of_timeline(Flow flow) const -> DimensionTag;
  [[nodiscard]] auto triple(SpecNodeId node, Flow flow, Flow spatial) const -> TagTriple;
  [[nodiscard]] auto is_reference(types::TypeId type) const -> bool;

  const FunctionFacts& facts_;
  const hir::Function& function_;
  const Quotients& quotients_;
  const types::TypeStore& types_;
  std::shared_ptr<const types::Signature> signature_;
  bool is_at_once_ = false;
};

}  // namespace tacet::infer
