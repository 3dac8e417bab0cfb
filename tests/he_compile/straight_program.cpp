#include "tests/he_compile/straight_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/value.h"
#include "engine/program/he/text.h"

namespace tacet::he_lower {

auto straight_program(const StraightOptions& options) -> engine::HeProgram {
  constexpr size_t kInputs = 8;
  constexpr size_t kNearby = 60;
  constexpr uint32_t kProductBits = 40, kPlainBits = 24, kRealSumBits = 8;  // more or less
  const size_t n_statements = options.n_statements;
  std::mt19937_64 random(11);
  std::string text = fmt::format(
      "he_program 1\nslots 2 x {}\nmodulus 65537\nprimes 1\ninput a[8, 64] from client\n"
      "cipher x[i:8] = a[i, j] over (j:64)\nnative n = 3 over (j:64)\nplain w\ncipher v[{}]\n"
      "w = encode n\n",
      options.n_columns, n_statements);
  std::vector<uint32_t> noise;
  for (size_t i = 0; i < n_statements; ++i) {
    uint32_t bits = 0;
    const auto any = [&](uint32_t room) {
      const size_t back = random() % kNearby;
      if (back >= i || noise[i - 1 - back] + room > options.depth * kProductBits) {
        return fmt::format("x[{}]", random() % kInputs);
      }
      bits = std::max(bits, noise[i - 1 - back]);
      return fmt::format("v[{}]", i - 1 - back);
    };
    const uint64_t kind = random() % 8;
    const uint32_t room = kind == 0         ? kProductBits
                          : kind == 1       ? kPlainBits
                          : options.is_real ? kRealSumBits
                                            : 1;
    const uint64_t number = random();
    const std::string a = any(room);
    if (kind == 0) {
      text += fmt::format("v[{0}] = mul {1}, {2}\nv[{0}] = relinearise v[{0}]\n", i, a, any(room));
    } else if (kind == 1) {
      text += fmt::format("v[{}] = mul {}, w\n", i, a);
    } else if (kind == 2) {
      text += fmt::format("v[{}] = add {}, w\n", i, a);
    } else if (kind == 3) {
      text += fmt::format("v[{}] = sub x[{}], {}\n", i, number % kInputs, a);
    } else if (kind == 4) {
      text += fmt::format("v[{}] = rotate {}, {}\n", i, a, 1 + number % 60);
    } else {
      text += fmt::format("v[{}] = add {}, {}\n", i, a, any(room));
    }
    bits += room;
    noise.push_back(bits);
  }
  text += fmt::format("output o[8, 64] over (k:8, j:64) [k, j] = v[{} + k] at 0, j\n",
                      n_statements - 8);
  engine::HeProgram program = value(engine::parse_he_program(text));
  if (options.is_real) {  // which no text without drops can say
    program.n_rows = 1;
    program.modulus = 0;
    program.scale_bits = 40;
  }
  return program;
}

}  // namespace tacet::he_lower
