#pragma once

#include "compiler/front/names/queries.h"
#include "compiler/spec/infer/holes.h"
#include "compiler/spec/infer/report.h"

/// Private to this folder.
namespace tacet::infer {

/// The diagnostics of a function about its value specification.
class ValueReport {
 public:
  ValueReport(query::Context& context, const hir::Function& function, const SpecGraph& spec)
      : context_(context),
        interner_(context.service<Interner>()),
        types_(context.service<types::TypeStore>()),
        spec_item_(spec.item),
        function_(function),
        spec_(spec),
        tree_(context.get<names::SyntaxOfItem>(function.item)),
        spec_tree_(context.get<names::SyntaxOfItem>(spec.item)),
        report_(function.item) {}

  void add(const Problem& problem);
  void add(const Hole& hole);
  auto take() -> check::ItemDiagnostics;

 private:
  auto described(const Hole& hole) const -> std::string;
  auto node(uint32_t index) const -> syntax::Node;
  auto spec_node(SpecNodeId id) const -> syntax::Node;
  auto range(const Problem& problem) const -> TextRange;
  auto spec_range(SpecNodeId id) const -> TextRange;
  static auto name_range(const syntax::Tree& tree) -> TextRange;
  auto spec_name() const -> std::string_view;
  auto type(types::TypeId id) const -> std::string;
  /// The expression of a node.
  auto expression(SpecNodeId id) const -> std::string;
  /// A node as it is called in a message: `x`, or the expression.
  auto quoted(SpecNodeId id) const -> std::string;
  /// A tag that contradicts what it stands at.
  void contradicts_tag(const Problem& problem);
  void other_result(const Problem& problem);
  void differs(const Problem& problem);
  void is_another(const Problem& problem);
  void is_none(const Problem& problem);
  void not_mentioned(const Problem& problem);
  void missing_input(const Problem& problem);
  void missing_output(const Problem& problem);
  void part_of_another(const Problem& problem);
  void other_type(const Problem& problem);
  void not_compared(const Problem& problem);
  void unknown_content(const Problem& problem);
  /// What the specification wants the value for: an input is declared far from there.
  static auto parent_of(const Problem& problem) -> SpecNodeId;
  /// The specification left, the implementation right, the difference marked.
  void side_by_side(names::Draft& draft, const Problem& problem) const;
  auto spec_row_text(SpecNodeId id) const -> std::string;
  auto value_text(const Problem::Row& row) const -> std::string;
  /// Where the value is in the function.
  auto node_of(const Problem::Row& row) const -> uint32_t;
  void ambiguous(const Problem& problem);
  /// Points at the candidates; for those without a name with how they would get one.
  void name_candidates(std::span<const SpecNodeId> candidates, names::Draft& draft) const;
  /// Of a parameter or of what a call gives, and none of those that the specification knows.
  [[nodiscard]] auto is_field(hir::ValueId value) const -> bool;
  void surplus(const Problem& problem);

  query::Context& context_;
  const Interner& interner_;
  const types::TypeStore& types_;
  names::ItemId spec_item_;
  const hir::Function& function_;
  const SpecGraph& spec_;
  names::ItemTree tree_;
  names::ItemTree spec_tree_;
  names::Report report_;
};

}  // namespace tacet::infer
