#include "engine/cggi/table.h"

#include <fmt/format.h>

#include <bit>

namespace tacet::cggi {

auto sign_table(const Parameters& parameters, Torus amplitude) -> Table {
  return {.polynomial = std::vector<Torus>(parameters.polynomial_size, amplitude)};
}

auto case_tables(const Parameters& parameters, std::span<const std::vector<Torus>> results)
    -> Result<Table> {
  const size_t n = parameters.polynomial_size;
  if (!std::has_single_bit(results.size()) || results[0].empty()) {
    return Error{"one rotation looks up in a power of two of tables that have cases"};
  }
  const size_t n_cases = results[0].size();
  for (const std::vector<Torus>& table : results) {
    if (table.size() != n_cases) {
      return Error{"tables that share a rotation have the same number of cases"};
    }
  }
  if (n / results.size() < 2 * n_cases) {
    return Error{fmt::format("{} tables of {} cases do not fit a polynomial of size {}",
                             results.size(), n_cases, n)};
  }
  Table table;
  table.log2_tables = static_cast<unsigned>(std::countr_zero(results.size()));
  table.polynomial.resize(n);
  for (size_t j = 0; j < n; ++j) {
    const size_t position = j / results.size() * results.size();
    // To the nearest case; the last half of a case belongs to the first one's negative.
    const size_t nearest = (2 * position * n_cases + n) / (2 * n);
    const std::vector<Torus>& values = results[j % results.size()];
    table.polynomial[j] = nearest == n_cases ? Torus{0} - values[0] : values[nearest];
  }
  return table;
}

}  // namespace tacet::cggi
