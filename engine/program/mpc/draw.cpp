#include "engine/program/mpc/draw.h"

#include <algorithm>

namespace tacet::engine {

auto find_draw(std::span<const int64_t> numbers, size_t n_operands) -> std::optional<MpcDraw> {
  const auto last = static_cast<int64_t>(DrawFunction::Permutation);
  if (numbers.size() < 2 || numbers[0] < 0 || numbers[0] > last || numbers[1] < 0 ||
      numbers[1] > static_cast<int64_t>(n_operands)) {
    return std::nullopt;
  }
  MpcDraw draw{.function = static_cast<DrawFunction>(numbers[0]),
               .n_words = static_cast<size_t>(numbers[1]),
               .bits = {}};
  if (draw.n_words + n_arguments(draw.function) != n_operands) {
    return std::nullopt;
  }
  for (const int64_t bit : numbers.subspan(2)) {
    if (bit != 0 && bit != 1) {
      return std::nullopt;
    }
    draw.bits.push_back(bit != 0);
  }
  return draw;
}

auto numbers_of(const MpcDraw& draw) -> std::vector<int64_t> {
  std::vector<int64_t> numbers = {static_cast<int64_t>(draw.function),
                                  static_cast<int64_t>(draw.n_words)};
  for (size_t i = 0; i < draw.bits.size(); ++i) {
    numbers.push_back(draw.bits.bit(i) ? 1 : 0);
  }
  return numbers;
}

static auto has(const MpcProgram& program, MpcOpcode op) -> bool {
  return std::any_of(program.code.begin(), program.code.end(),
                     [&](const MpcInstruction& instruction) { return instruction.op == op; });
}

auto has_public_draws(const MpcProgram& program) -> bool {
  return has(program, MpcOpcode::Draw);
}

auto has_secret_draws(const MpcProgram& program) -> bool {
  return has(program, MpcOpcode::DrawSecret);
}

}  // namespace tacet::engine
