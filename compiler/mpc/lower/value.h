#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "compiler/mpc/lower/emitter.h"

/// Private to this folder.
namespace tacet::mpc_lower {

/// A dimension that iterations of a loop, or elements, were put side by side along. Lanes are
/// numbered from the outermost one.
using Lane = uint32_t;
using Lanes = std::vector<Lane>;  ///< ascending

/// offset + the sum of factor · lane + the sum of factor · counter: a public integer that differs
/// from lane to lane, and in the iterations of loops of the program.
struct Affine {
  int64_t offset = 0;
  std::vector<std::pair<Lane, int64_t>> terms{};              ///< ascending, factors other than 0
  std::vector<std::pair<MpcRegisterId, int64_t>> counters{};  ///< the same, by register

  /// Is it the same in all lanes and iterations?
  [[nodiscard]] auto is_constant() const -> bool { return terms.empty() && counters.empty(); }

  friend auto operator==(const Affine&, const Affine&) -> bool = default;
};

/// What an expression is while the kernel is run on symbols: elements `extents`, in each of
/// `lanes`. Numbers and affine functions of lanes are no instructions yet.
struct Value {
  engine::ElementType element{};
  Extents extents{};
  std::optional<engine::Cell> literal{};  ///< of all elements
  std::optional<Affine> affine{};         ///< of a scalar
  MpcRegisterId reg{};                    ///< else; its dimensions are the lanes, then `extents`
  Lanes lanes{};                          ///< of `reg`
  engine::MpcPartyId receiver{};          ///< revealed to this party alone

  [[nodiscard]] auto is_scalar() const -> bool { return extents.empty(); }
};

inline auto literal_value(engine::ElementType element, engine::Cell cell, Extents extents = {})
    -> Value {
  Value value{.element = element, .extents = std::move(extents)};
  value.literal = cell;
  return value;
}

/// The sum; nothing where a number would be too large.
auto sum(const Affine& left, const Affine& right, int64_t factor_of_right) -> std::optional<Affine>;
auto scaled(const Affine& affine, int64_t factor) -> std::optional<Affine>;
/// All lanes of either.
auto united(const Lanes& left, const Lanes& right) -> Lanes;
auto contains(const Lanes& lanes, Lane lane) -> bool;
/// How far apart neighbours along each dimension are, row by row.
auto strides_of(const Extents& extents) -> Extents;
auto count_of(const Extents& extents) -> int64_t;

}  // namespace tacet::mpc_lower
