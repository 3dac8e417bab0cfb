#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/he/diagonals/matrix.h"

/// Private to this folder: families that are gathered by the numbers of slots.
namespace tacet::diagonals {

/// A loop of the circuit, and how often it runs.
struct GatherLoop {
  circuit::LoopId id;
  int64_t extent = 1;
  std::string name;
};

/// Variables of gathers: loops, columns, and what is found from these.
class SlotGather {
 public:
  /// Columns are repeated.
  SlotGather(std::vector<GatherLoop> loops, std::vector<engine::HeDimension> columns);

  [[nodiscard]] auto of_loop(size_t loop) const -> engine::HeAffine;
  [[nodiscard]] auto of_column(size_t column) const -> engine::HeAffine;
  /// value div divisor mod modulus
  auto digit(engine::HeAffine value, int64_t divisor, int64_t modulus) -> engine::HeAffine;
  /// The indices of the element with this number, row-major; the first is too large where there is
  /// none.
  auto indices_of(const engine::HeAffine& number, const std::vector<int64_t>& extents)
      -> std::vector<engine::HeAffine>;

  void bind(Variable variable, engine::HeAffine value) { values_[variable] = std::move(value); }
  [[nodiscard]] auto value_of(const Affine& affine) const -> engine::HeAffine;

  void guard(engine::HeAffine value, int64_t low, int64_t high);

  /// The product of elements of arrays where the guards hold, else 0; 1 without arrays.
  auto product(const std::vector<Element>& elements, const ArrayNumbers& numbers,
               const std::string& name, schedule::CircuitWriter& writer) const -> circuit::NodeId;
  /// An element of the client's.
  auto cipher(uint32_t array, std::vector<engine::HeAffine> indices, std::string name,
              schedule::CircuitWriter& writer) const -> circuit::NodeId;

 private:
  auto read(engine::HeGather gather, std::string name, bool is_cipher,
            schedule::CircuitWriter& writer) const -> circuit::NodeId;

  std::vector<GatherLoop> loops_;
  std::vector<engine::HeDimension> columns_;
  std::vector<engine::HeDigit> digits_;
  std::vector<engine::HeGuard> guards_;
  std::map<Variable, engine::HeAffine> values_;
};

}  // namespace tacet::diagonals
