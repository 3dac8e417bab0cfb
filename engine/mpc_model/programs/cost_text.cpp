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

auto Link::milliseconds_of(double rounds, double bytes) const -> double {
  constexpr double kBitsOfByte = 8;
  constexpr double kBitsOfMillisecond = 1000;  // of a megabit a second
  return rounds * latency_milliseconds +
         (megabits > 0 ? kBitsOfByte * bytes / (kBitsOfMillisecond * megabits) : 0);
}

auto milliseconds_text(double milliseconds) -> std::string {
  constexpr double kSecond = 1000;
  return milliseconds >= kSecond ? fmt::format("{:.1f} s", milliseconds / kSecond)
         : milliseconds >= 1     ? fmt::format("{:.0f} ms", milliseconds)
                                 : fmt::format("{:.2f} ms", milliseconds);
}

auto cost_text(const LineCost& cost, uint32_t n_parties, const Link& link) -> std::string {
  const Certainty& how = cost.certainty;
  const std::string_view before = how.is_cut                      ? "> "
                                  : how.is_greatest               ? "≤ "
                                  : how.is_average || how.is_near ? "~ "
                                                                  : "";
  const uint64_t bytes = (cost.cost.bytes + n_parties - 1) / n_parties;
  std::string text = fmt::format("{}{} round{} · {}", before, cost.cost.rounds,
                                 cost.cost.rounds == 1 ? "" : "s", bytes_text(bytes));
  if (link.is_known()) {
    text += " · " + milliseconds_text(link.milliseconds_of(static_cast<double>(cost.cost.rounds),
                                                           static_cast<double>(bytes)));
  }
  return text + (how.is_of_iterations ? " per iteration" : "");
}

}  // namespace tacet::mpc_model
