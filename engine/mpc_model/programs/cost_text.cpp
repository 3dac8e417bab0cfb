#include <fmt/format.h>

#include <array>

#include "engine/mpc_model/programs/program_costs.h"

namespace tacet::mpc_model {

static auto bytes_text(uint64_t bytes) -> std::string {
  static constexpr std::array<std::string_view, 4> kUnits{"B", "kB", "MB", "GB"};
  auto amount = static_cast<double>(bytes);
  size_t unit = 0;
  while (amount >= 1000 && unit + 1 < kUnits.size()) {
    amount /= 1000;
    ++unit;
  }
  return unit == 0 || amount >= 100 ? fmt::format("{:.0f} {}", amount, kUnits[unit])
                                    : fmt::format("{:.1f} {}", amount, kUnits[unit]);
}

auto cost_text(const LineCost& cost, uint32_t n_parties) -> std::string {
  const Certainty& how = cost.certainty;
  const std::string_view before = how.is_cut        ? "> "
                                  : how.is_greatest ? "≤ "
                                  : how.is_average  ? "~ "
                                                    : "";
  const uint64_t bytes = (cost.cost.bytes + n_parties - 1) / n_parties;
  return fmt::format("{}{} round{} · {}{}", before, cost.cost.rounds,
                     cost.cost.rounds == 1 ? "" : "s", bytes_text(bytes),
                     how.is_of_iterations ? " per iteration" : "");
}

}  // namespace tacet::mpc_model
