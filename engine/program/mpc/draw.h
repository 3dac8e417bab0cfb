#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/program/common/draw.h"
#include "engine/program/mpc/program.h"

/// The `draw` and `draw_secret` of MPC programs.
namespace tacet::engine {

/// What their numbers say.
struct MpcDraw {
  DrawFunction function{};
  size_t n_words = 0;
  BitString bits;
};

/// Nothing if such numbers are no draw, or none with so many operands.
auto find_draw(std::span<const int64_t> numbers, size_t n_operands) -> std::optional<MpcDraw>;
/// The numbers of a draw.
auto numbers_of(const MpcDraw& draw) -> std::vector<int64_t>;

/// Does the program draw what all parties know? Then it needs a key that they agree on.
auto has_public_draws(const MpcProgram& program) -> bool;
/// Does it draw what nobody may know?
auto has_secret_draws(const MpcProgram& program) -> bool;

}  // namespace tacet::engine
