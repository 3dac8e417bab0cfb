#include "tests/he_compile/small_program.h"

#include <fmt/format.h>

#include <algorithm>

namespace tacet::he_lower {

using engine::HeOpcode;

static constexpr size_t kInputs = kSmallInputs;

auto random_lines(std::mt19937_64& random, size_t n_lines, size_t most_depth) -> std::vector<Line> {
  std::vector<Line> lines;
  std::vector<size_t> depths(kInputs, 0);
  while (lines.size() < n_lines) {
    const size_t n = depths.size();
    // Mostly of what was made last, so that all is needed.
    const auto operand = [&] { return random() % 2 == 0 ? n - 1 : random() % n; };
    Line line{HeOpcode::Add, operand(), operand()};
    switch (random() % 4) {
      case 0:
      case 1:
        line.opcode = HeOpcode::Mul;
        break;
      case 2:
        line.opcode = random() % 2 == 0 ? HeOpcode::Rotate : HeOpcode::Sub;
        break;
      default:
        break;
    }
    const size_t depth =
        std::max(depths[line.a], depths[line.b]) + (line.opcode == HeOpcode::Mul ? 1 : 0);
    if (depth > most_depth) {
      continue;
    }
    lines.push_back(line);
    depths.push_back(depth);
  }
  return lines;
}

auto text_of(const std::vector<Line>& lines, uint32_t n_columns, const std::vector<bool>& places)
    -> std::string {
  std::string text = fmt::format(
      "he_program 1\nslots 2 x {}\nmodulus 65537\nprimes 1\ninput a[8] from client\n"
      "input b[8] from client\ncipher v0 = a[i] over (i:8)\ncipher v1 = b[i] over (i:8)\n",
      n_columns);
  for (size_t i = 0; i < lines.size(); ++i) {
    text += fmt::format("cipher v{}\n", kInputs + i);
  }
  for (size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    const bool is_rotated = line.opcode == HeOpcode::Rotate;
    text += fmt::format("v{} = {} v{}, {}\n", kInputs + i, engine::he_mnemonic(line.opcode), line.a,
                        is_rotated ? "3" : fmt::format("v{}", line.b));
    if (places[i]) {
      text += fmt::format("v{0} = relinearise v{0}\n", kInputs + i);
    }
  }
  return text +
         fmt::format("output o[8] over (i:8) [i] = v{} at 0, i\n", kInputs + lines.size() - 1);
}

auto is_possible(const std::vector<Line>& lines, const std::vector<bool>& places) -> bool {
  std::vector<size_t> parts(kInputs, 2);
  for (size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    const size_t most =
        std::max(parts[line.a], line.opcode == HeOpcode::Rotate ? 2 : parts[line.b]);
    const bool needs_two = line.opcode == HeOpcode::Mul || line.opcode == HeOpcode::Rotate;
    const size_t made = line.opcode == HeOpcode::Mul ? 3 : most;
    if ((needs_two && most > 2) || (places[i] && made == 2)) {
      return false;
    }
    parts.push_back(places[i] ? 2 : made);
  }
  return true;
}

}  // namespace tacet::he_lower
