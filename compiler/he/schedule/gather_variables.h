#pragma once

#include <string>
#include <vector>

#include "compiler/he/schedule/gather.h"

/// What gathers are made of: their variables, and the indices of sites in these.
namespace tacet::schedule {

/// Of affine formulas: + factor * variable.
void add_term(engine::HeAffine& affine, uint32_t variable, int64_t factor);
/// + factor * other.
void add(engine::HeAffine& affine, const engine::HeAffine& other, int64_t factor);

/// Numbers the variables of gathers: the loops of exploded tiles, loops besides, the row, and the
/// digits of the columns' axes.
class Variables {
 public:
  Variables(const Frame& frame, std::vector<uint32_t> tiles)
      : frame_(frame), tiles_(std::move(tiles)) {}
  /// For the exploded tiles of some dimensions.
  Variables(const Frame& frame, DimSet dims, std::vector<ExtraLoop> extra = {});

  [[nodiscard]] auto of_tile(uint32_t tile) const -> uint32_t;
  [[nodiscard]] auto of_extra(uint32_t place) const -> uint32_t {
    return static_cast<uint32_t>(tiles_.size()) + place;
  }
  /// Not of the axis of repetitions, which no variable walks along.
  [[nodiscard]] auto of_axis(uint32_t axis) const -> uint32_t {
    auto n = static_cast<uint32_t>(tiles_.size() + extra_.size());
    return axis == kRowAxis ? n : n + 1 + axis - kOutermostAxis;
  }

  /// The exploded tiles, in the order of their variables.
  [[nodiscard]] auto tiles() const -> const std::vector<uint32_t>& { return tiles_; }

  /// The dimension's value where it is not padded; rolled, before the remainder is taken.
  [[nodiscard]] auto value(array::DimId dim) const -> engine::HeAffine;

  /// What holds exactly where the dimension is not padded.
  void guard(array::DimId dim, std::vector<engine::HeGuard>& guards) const;

  [[nodiscard]] auto finish(std::string name, std::vector<engine::HeGather> gathers) const
      -> Gathered;

 private:
  [[nodiscard]] auto of(const Part& part) const -> uint32_t {
    return part.is_loop ? of_tile(part.index) : of_axis(part.index);
  }
  void complete(engine::HeGather& gather, const std::vector<engine::HeDimension>& dimensions) const;

  const Frame& frame_;
  std::vector<uint32_t> tiles_;
  std::vector<ExtraLoop> extra_;
};

/// Whether remainders may stay in an index, or are split into gathers that do not wrap around.
enum class Remainders : uint8_t { Stay, Split };

/// Each of the gathers with the site's index in dimension `number` of its array; several of each
/// where remainders are split, with guards that distinguish them.
auto with_index(std::vector<engine::HeGather> gathers, const Frame& frame,
                const Variables& variables, const array::ArrayIndex& index, size_t number,
                Remainders remainders) -> std::vector<engine::HeGather>;

}  // namespace tacet::schedule
