#pragma once

#include <string>

#include "compiler/core/syntax/tree.h"
#include "compiler/front/flow/trace.h"
#include "compiler/front/names/queries.h"
#include "compiler/front/names/report.h"

namespace tacet::flow {

/// Where control is in a function, and what places hold there.
struct Point {
  hir::BlockId block;
  size_t position = 0;
  const PlaceFact& fact;
};

/// Says what is wrong with the contents of places, and how that came about.
class PlaceMessages {
 public:
  PlaceMessages(query::Context& context, const PlaceProblem& problem,
                const hir::BlockFacts<PlaceFact>& facts, names::Report& report);

  /// `load` reads what may not be there.
  void empty_read(const hir::Instruction& load, Point point);
  /// The operand of `call` at `operand` refers to what may not be there, and is read.
  void lent_empty(uint32_t operand, const hir::Instruction& call, Point point);
  /// `reference` is given back, and what it refers to may not be there.
  void given_back_empty(hir::ValueId reference, Point point);
  /// The handle of `place` is used at node `at`, and may have been consumed. False if it never
  /// existed, which was reported at its origin.
  auto used_up(hir::PlaceId place, uint32_t at, hir::Opcode use, const hir::Instruction* by,
               Point point) -> bool;
  /// The handle of `place` is left when the function ends. Goes to `report`.
  void left_over(names::Report& report, hir::PlaceId place, bool is_sometimes_used);

 private:
  void explain_empty(names::Draft& draft, hir::PlaceId place, Point point, std::string_view verb);
  void label_parameter(names::Draft& draft, const hir::Instruction& call, uint32_t port,
                       std::string message);
  auto label_reader(names::Draft& draft, const hir::Instruction& load, Point point) -> bool;
  [[nodiscard]] auto done_by(hir::Opcode opcode, names::ItemId callee) const -> std::string;

  [[nodiscard]] auto node(uint32_t index) const -> syntax::Node;
  [[nodiscard]] auto range(uint32_t index) const -> TextRange;
  [[nodiscard]] auto range(hir::InstructionId id) const -> TextRange;
  [[nodiscard]] auto condition(BranchSide side) const -> TextRange;
  [[nodiscard]] auto name_of(names::ItemId item) const -> std::string_view;
  [[nodiscard]] auto is_encoder(hir::PlaceId place) const -> bool;
  [[nodiscard]] auto called(hir::PlaceId place) const -> std::string;

  query::Context& context_;
  const Interner& interner_;
  const types::TypeStore& types_;
  const PlaceProblem& problem_;
  const hir::Function& function_;
  const hir::BlockFacts<PlaceFact>& facts_;
  names::ItemTree tree_;
  names::Report& report_;
};

}  // namespace tacet::flow
