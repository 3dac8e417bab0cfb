#pragma once

#include <vector>

#include "compiler/core/syntax/tree.h"
#include "compiler/front/hir/hir.h"
#include "compiler/spec/infer/timeline.h"

namespace tacet::infer {

/// The current event of a coordinator function at each place of its text.
class EventPlaces {
 public:
  /// O(instructions and nodes of the tree).
  EventPlaces(const hir::Function& function, const syntax::Tree& tree,
              const TimelineQuotients& events);

  /// Where everything in front of node `place` of the tree has been evaluated, and nothing from
  /// there on. None where that is not known.
  [[nodiscard]] auto at(uint32_t place) const -> SpecNodeId;

 private:
  struct Change {
    uint32_t place = 0;
    SpecNodeId event;
  };
  void add_sides(const hir::Terminator& split, const syntax::Tree& tree,
                 const TimelineQuotients& events);

  /// From each place on; sorted.
  std::vector<Change> changes_;
};

}  // namespace tacet::infer
