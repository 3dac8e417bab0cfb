#pragma once

#include <random>
#include <string>
#include <vector>

#include "engine/program/he/program.h"

/// Straight programs of a few statements, small enough to try all placements.
namespace tacet::he_lower {

/// A statement of a straight program: operands are inputs, then what statements make.
struct Line {
  engine::HeOpcode opcode = engine::HeOpcode::Add;
  size_t a = 0, b = 0;
};

inline constexpr size_t kSmallInputs = 2;

/// Squares, products, sums and rotations, of which the last one is the result; at most so many
/// products in sequence.
auto random_lines(std::mt19937_64& random, size_t n_lines, size_t most_depth) -> std::vector<Line>;

/// The program, of integers, with relinearisations behind the lines of `places`.
auto text_of(const std::vector<Line>& lines, uint32_t n_columns, const std::vector<bool>& places)
    -> std::string;

/// Whether products and rotations get what has two parts; nothing with two parts is relinearised.
auto is_possible(const std::vector<Line>& lines, const std::vector<bool>& places) -> bool;

}  // namespace tacet::he_lower
