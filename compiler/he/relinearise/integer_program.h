#pragma once

#include <functional>
#include <vector>

/// Private to this folder.
namespace tacet::relinearise {

/// A binary variable, or a number that stands in its place.
struct Bit {
  static constexpr int kFixed = -1;

  int column = kFixed;
  double number = 0;  ///< if it is fixed

  static auto fixed(double number) -> Bit { return {.column = kFixed, .number = number}; }
};

struct BitTerm {
  double factor = 1;
  Bit bit{};
};

/// Binary variables, linear inequalities, and a linear cost to minimise.
class IntegerProgram {
 public:
  auto add_bit(double start) -> Bit;
  void add_cost(double factor, Bit bit);
  /// low <= sum of terms.
  void at_least(double low, std::vector<BitTerm> terms);
  void equals(double number, std::vector<BitTerm> terms);

  struct Solution {
    std::vector<double> values;  ///< by column
    double cost = 0;
    double bound = 0;
    bool is_optimal = true;
  };

  /// Makes whole numbers of fractions: values for all columns that keep all inequalities.
  using Rounding = std::function<std::vector<double>(const std::vector<double>& values)>;

  struct Limits {
    double seconds = 0;
    int max_nodes = 0;
    double gap = 0;  ///< between cost and bound, as a part of the cost, at which a part is left
  };

  /// From the values that variables started with, which keep all inequalities. Large parts whose
  /// relaxation has fractions are rounded first.
  [[nodiscard]] auto solve(const Limits& limits, const Rounding& round) const -> Solution;

  [[nodiscard]] auto starts() const -> const std::vector<double>& { return starts_; }

 private:
  struct Row {
    std::vector<BitTerm> terms;  ///< of variables
    double low = 0;
    double high = 0;
  };
  struct Part {
    std::vector<int> columns;
    std::vector<size_t> rows;
  };

  void add_row(double low, double high, std::vector<BitTerm> terms);
  [[nodiscard]] auto parts() const -> std::vector<Part>;
  [[nodiscard]] auto cost_of(const Part& part, const std::vector<double>& values) const -> double;
  void solve_part(const Part& part, const Limits& limits, const Rounding& round,
                  Solution& solution) const;

  void round_part(const Part& part, const std::vector<double>& relaxed, const Rounding& round,
                  const Solution& solution, std::vector<double>& values, double& cost) const;

  std::vector<double> costs_;
  std::vector<double> starts_;
  double constant_ = 0;
  std::vector<Row> rows_;
};

}  // namespace tacet::relinearise
