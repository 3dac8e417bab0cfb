#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "compiler/run/interpret/item_text.h"
#include "compiler/run/interpret/program.h"

/// Which values a specification needs. Private to this folder.
namespace tacet::interpret {

class ProgramLowering;

/// How much evaluating a specification's result asks for a value.
enum class Demand : uint8_t {
  Absent,  ///< it is never read
  Lazy,    ///< some evaluations look at it
  Strict,  ///< every evaluation that terminates reads it
};

/// The cells that a value takes as a parameter.
constexpr auto parameter_cells(Demand demand, uint64_t n_cells) -> uint64_t {
  return demand == Demand::Absent ? 0 : n_cells + (demand == Demand::Lazy ? kSuspensionCells : 0);
}

/// What evaluating a specification asks for.
struct SpecificationDemands {
  std::vector<Demand> locals;
  /// The definitions by their position in the text, each behind those that it mentions.
  std::vector<uint32_t> definitions_in_order;
};

/// Finds out how specifications use their parameters, recursion included: strict as the greatest
/// fixpoint, used at all as the least. A specification is analysed together with all that it
/// reaches, once.
class DemandAnalysis {
 public:
  explicit DemandAnalysis(const ProgramLowering& program) : program_(program) {}

  /// The demand on `_dim0`, …, and on the parameters, in this order. Of everything but a
  /// specification, which evaluates its arguments, an empty list.
  auto of_parameters(names::ItemId runs) -> std::vector<Demand>;

  /// The demand on the parts of a specification, once its parameters were demanded.
  [[nodiscard]] auto in(const ItemText& text) const -> SpecificationDemands;

 private:
  friend class DemandWalk;

  /// What is known of a parameter so far. Starts out as what a call that never ends would say.
  struct Use {
    bool is_strict = true;
    bool is_used = false;

    friend auto operator==(Use, Use) -> bool = default;
  };

  void collect(names::ItemId specification, std::vector<ItemText>& found);
  auto refine(const ItemText& text) -> bool;

  const ProgramLowering& program_;
  std::map<uint32_t, std::vector<Use>> uses_;  ///< by item
};

}  // namespace tacet::interpret
