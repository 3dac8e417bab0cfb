#include "linter/rules/cost.h"

#include <fmt/format.h>

namespace tacet::linter {

static constexpr int64_t kBytesOfSelection = 8;
static constexpr int64_t kBytesOfComparison = 100;
static constexpr int64_t kRoundsOfComparison = 8;

static auto counted(int64_t n, std::string_view noun) -> std::string {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

/// `3 selections and 1 comparison`; empty if there is nothing.
static auto work_text(const Cost& cost) -> std::string {
  std::string text;
  const auto add = [&](int64_t n, std::string_view noun) {
    if (n > 0) {
      text += (text.empty() ? "" : " and ") + counted(n, noun);
    }
  };
  add(cost.selections, "selection");
  add(cost.comparisons, "comparison");
  return text;
}

auto cost_text(const Cost& cost, names::Device device) -> std::string {
  std::string text = "the oblivious form costs ";
  const std::string work = work_text(cost);
  text += work.empty() ? "only the work that is skipped now" : work;
  if (cost.iterations > 0) {
    text += fmt::format("{} in each of {}", work.empty() ? "," : "",
                        counted(cost.iterations, "iteration"));
  }
  if (work.empty()) {
    return text;
  }
  const int64_t iterations = cost.iterations > 0 ? cost.iterations : 1;
  if (device == names::Device::Mpc) {
    const int64_t rounds =
        (cost.comparisons > 0 ? kRoundsOfComparison : 0) + (cost.selections > 0 ? 1 : 0);
    const int64_t bytes =
        cost.selections * kBytesOfSelection + cost.comparisons * kBytesOfComparison;
    return text + fmt::format(": about {} and {} bytes per party on `mpc`",
                              counted(rounds * iterations, "round"), bytes * iterations);
  }
  if (device == names::Device::He) {
    text += fmt::format(": {}", counted(cost.selections * iterations, "ciphertext product"));
    if (cost.selections > 0) {
      text += fmt::format(" and {} on `he`", counted(iterations, "additional level"));
    }
    if (cost.comparisons > 0) {
      text += ", plus comparisons, which have no native operation";
    }
  }
  return text;
}

}  // namespace tacet::linter
