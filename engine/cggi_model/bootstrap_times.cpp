#include "engine/cggi_model/bootstrap_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "engine/cggi_model/choose_parameters.h"

namespace tacet::cggi {

namespace {

/// How many of `n` bootstraps each thread has, and how many of these share a pass over the key.
auto share_of_thread(double n, unsigned n_threads) -> double {
  return std::ceil(n / n_threads);
}
auto lock_step_of(double n, unsigned n_threads) -> double {
  return std::min(share_of_thread(n, n_threads),
                  share_of_thread(BootstrapTimes::kTogether, n_threads));
}

/// Numbers with blanks between them; empty if there is anything else.
auto numbers_of(std::string_view text) -> std::vector<double> {
  std::vector<double> numbers;
  while (!text.empty()) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || !std::isfinite(number)) {
      return {};
    }
    numbers.push_back(number);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    text.remove_prefix(text.empty() ? 0 : 1);
  }
  return numbers;
}

}  // namespace

auto BootstrapTimes::level_milliseconds(const Parameters& p, size_t n_bootstraps) const -> double {
  const auto n = static_cast<double>(n_bootstraps);
  const auto cycles = [](const Parameters& of, double together) {
    return bootstrap_cost(of, together).cycles;
  };
  if (n_bootstraps <= n_threads) {
    return n_bootstraps == 0 ? 0 : milliseconds_alone * cycles(p, 1) / cycles(parameters, 1);
  }
  return share_of_thread(n, n_threads) * milliseconds_together /
         share_of_thread(kTogether, n_threads) * cycles(p, lock_step_of(n, n_threads)) /
         cycles(parameters, lock_step_of(kTogether, n_threads));
}

auto BootstrapTimes::text() const -> std::string {
  const Parameters& p = parameters;
  return fmt::format("cggi {} {} {} {} {} {} {} {} {:.3f} {:.3f}\n", p.lwe_dimension,
                     p.glwe_dimension, p.polynomial_size, p.rotation.log2_base, p.rotation.n_levels,
                     p.key_switch.log2_base, p.key_switch.n_levels, n_threads, milliseconds_alone,
                     milliseconds_together);
}

auto parse_bootstrap_times(std::string_view line) -> Result<BootstrapTimes> {
  constexpr std::string_view kPrefix = "cggi ";
  while (line.ends_with('\n')) {
    line.remove_suffix(1);
  }
  const std::vector<double> numbers =
      line.starts_with(kPrefix) ? numbers_of(line.substr(kPrefix.size())) : std::vector<double>();
  const bool is_good = numbers.size() == 10 &&
                       std::all_of(numbers.begin(), numbers.begin() + 8,
                                   [](double number) {
                                     return number >= 1 && number <= kMaxPolynomialSize &&
                                            number == std::floor(number);
                                   }) &&
                       numbers[8] > 0 && numbers[9] > 0;
  if (!is_good) {
    return Error{fmt::format("invalid times of bootstraps `{}`", line)};
  }
  const auto whole = [&](size_t i) { return static_cast<unsigned>(numbers[i]); };
  return BootstrapTimes{.parameters = {.lwe_dimension = whole(0),
                                       .glwe_dimension = whole(1),
                                       .polynomial_size = whole(2),
                                       .rotation = {whole(3), whole(4)},
                                       .key_switch = {whole(5), whole(6)}},
                        .n_threads = whole(7),
                        .milliseconds_alone = numbers[8],
                        .milliseconds_together = numbers[9]};
}

auto default_bootstrap_times() -> BootstrapTimes {
  return {.parameters = {.lwe_dimension = 662,
                         .glwe_dimension = 3,
                         .polynomial_size = 512,
                         .rotation = {17, 1},
                         .key_switch = {3, 4}},
          .n_threads = 2,
          .milliseconds_alone = 4,
          .milliseconds_together = 10};
}

}  // namespace tacet::cggi
