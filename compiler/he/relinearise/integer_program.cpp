#include "compiler/he/relinearise/integer_program.h"

#include <CbcHeuristic.hpp>
#include <CbcModel.hpp>
#include <CglGomory.hpp>
#include <CglProbing.hpp>
#include <CglZeroHalf.hpp>
#include <OsiClpSolverInterface.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace tacet::relinearise {

using Clock = std::chrono::steady_clock;

static auto seconds_since(Clock::time_point begin) -> double {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

auto IntegerProgram::add_bit(double start) -> Bit {
  costs_.push_back(0);
  starts_.push_back(start);
  return {.column = static_cast<int>(costs_.size()) - 1};
}

void IntegerProgram::add_cost(double factor, Bit bit) {
  if (bit.column == Bit::kFixed) {
    constant_ += factor * bit.number;
  } else {
    costs_[static_cast<size_t>(bit.column)] += factor;
  }
}

void IntegerProgram::at_least(double low, std::vector<BitTerm> terms) {
  add_row(low, COIN_DBL_MAX, std::move(terms));
}

void IntegerProgram::equals(double number, std::vector<BitTerm> terms) {
  add_row(number, number, std::move(terms));
}

/// Numbers go to the other side, terms of one variable are joined.
void IntegerProgram::add_row(double low, double high, std::vector<BitTerm> terms) {
  Row row{.terms = {}, .low = low, .high = high};
  for (const BitTerm& term : terms) {
    if (term.bit.column == Bit::kFixed) {
      row.low -= term.factor * term.bit.number;
      row.high -= high == COIN_DBL_MAX ? 0 : term.factor * term.bit.number;
      continue;
    }
    const auto same = std::find_if(row.terms.begin(), row.terms.end(), [&](const BitTerm& other) {
      return other.bit.column == term.bit.column;
    });
    if (same == row.terms.end()) {
      row.terms.push_back(term);
    } else {
      same->factor += term.factor;
    }
  }
  std::erase_if(row.terms, [](const BitTerm& term) { return term.factor == 0; });
  double least = 0;
  for (const BitTerm& term : row.terms) {
    least += std::min(term.factor, 0.0);
  }
  const bool says_something = high != COIN_DBL_MAX || least < row.low;
  if (!row.terms.empty() && says_something) {
    rows_.push_back(std::move(row));
  }
}

auto IntegerProgram::parts() const -> std::vector<Part> {
  std::vector<size_t> parents(costs_.size());
  std::iota(parents.begin(), parents.end(), size_t{0});
  const auto root = [&](size_t x) {
    while (parents[x] != x) {
      x = parents[x] = parents[parents[x]];
    }
    return x;
  };
  for (const Row& row : rows_) {
    for (const BitTerm& term : row.terms) {
      parents[root(static_cast<size_t>(term.bit.column))] =
          root(static_cast<size_t>(row.terms.front().bit.column));
    }
  }
  std::vector<Part> by_root(costs_.size());
  for (size_t column = 0; column < costs_.size(); ++column) {
    by_root[root(column)].columns.push_back(static_cast<int>(column));
  }
  for (size_t i = 0; i < rows_.size(); ++i) {
    by_root[root(static_cast<size_t>(rows_[i].terms.front().bit.column))].rows.push_back(i);
  }
  std::erase_if(by_root, [](const Part& part) { return part.columns.empty(); });
  std::stable_sort(by_root.begin(), by_root.end(), [](const Part& a, const Part& b) {
    return a.columns.size() < b.columns.size();
  });
  return by_root;
}

auto IntegerProgram::cost_of(const Part& part, const std::vector<double>& values) const -> double {
  double cost = 0;
  for (const int column : part.columns) {
    cost += costs_[static_cast<size_t>(column)] * values[static_cast<size_t>(column)];
  }
  return cost;
}

auto IntegerProgram::solve(const Limits& limits, const Rounding& round) const -> Solution {
  const Clock::time_point begin = Clock::now();
  Solution solution{.values = starts_, .cost = constant_, .bound = constant_};
  size_t n_columns = costs_.size();
  for (const Part& part : parts()) {
    // Small parts first; what they leave of their share is for the larger ones.
    Limits share = limits;
    share.seconds = (limits.seconds - seconds_since(begin)) *
                    static_cast<double>(part.columns.size()) /
                    static_cast<double>(std::max<size_t>(n_columns, 1));
    n_columns -= part.columns.size();
    solve_part(part, share, round, solution);
  }
  return solution;
}

namespace {

/// Parts of more columns are rounded, and get no cuts, which would take too long.
constexpr size_t kLarge = 2000;

/// A part of a program, as the solvers want it.
struct Matrix {
  std::vector<double> costs;
  std::vector<int> row_of, column_of;
  std::vector<double> factors, low, high;
};

void load(OsiClpSolverInterface& solver, const Matrix& part) {
  const CoinPackedMatrix matrix(true, part.row_of.data(), part.column_of.data(),
                                part.factors.data(), static_cast<int>(part.factors.size()));
  const std::vector<double> zeros(part.costs.size(), 0);
  const std::vector<double> ones(part.costs.size(), 1);
  solver.messageHandler()->setLogLevel(0);
  solver.setHintParam(OsiDoReducePrint, true, OsiHintTry);
  solver.loadProblem(matrix, zeros.data(), ones.data(), part.costs.data(), part.low.data(),
                     part.high.data());
  for (size_t i = 0; i < part.costs.size(); ++i) {
    solver.setInteger(static_cast<int>(i));
  }
}

auto is_whole(const std::vector<double>& values) -> bool {
  return std::all_of(values.begin(), values.end(),
                     [](double x) { return std::abs(x - std::round(x)) < 1e-6; });
}

/// Values of a part's variables, and what is known of them.
struct PartSolution {
  std::vector<double> values;
  double cost = 0;
  double bound = 0;
};

/// Branch and bound, from values that are known.
void branch_and_bound(const OsiClpSolverInterface& solver, double seconds,
                      const IntegerProgram::Limits& limits, PartSolution& best) {
  const size_t n = best.values.size();
  CbcModel model(solver);
  model.setLogLevel(0);
  model.messageHandler()->setLogLevel(0);
  model.setBestSolution(best.values.data(), static_cast<int>(n), best.cost, true);
  model.setUseElapsedTime(true);
  model.setMaximumSeconds(seconds);
  model.setMaximumNodes(limits.max_nodes);
  model.setAllowableFractionGap(limits.gap);
  CglProbing probing;
  CglGomory gomory;
  CglZeroHalf zero_half;
  if (n <= kLarge) {
    model.addCutGenerator(&probing, -1, "probing");
    model.addCutGenerator(&gomory, -1, "gomory");
    model.addCutGenerator(&zero_half, -1, "zero half");
  }
  CbcRounding rounding(model);
  model.addHeuristic(&rounding);
  model.branchAndBound();
  const double start = best.cost;
  const double* found = model.bestSolution();
  if (found != nullptr && model.getObjValue() < best.cost) {
    best.cost = model.getObjValue();
    std::transform(found, found + n, best.values.begin(), [](double x) { return std::round(x); });
  }
  best.bound = model.isProvenOptimal()
                   ? std::max(best.bound, best.cost * (1 - limits.gap))
                   : std::max(best.bound, std::min(model.getBestPossibleObjValue(), start));
}

}  // namespace

void IntegerProgram::solve_part(const Part& part, const Limits& limits, const Rounding& round,
                                Solution& solution) const {
  const Clock::time_point begin = Clock::now();
  PartSolution best;
  Matrix matrix;
  std::vector<int> place(costs_.size());
  for (const int column : part.columns) {
    const auto i = static_cast<size_t>(column);
    place[i] = static_cast<int>(matrix.costs.size());
    matrix.costs.push_back(costs_[i]);
    best.values.push_back(starts_[i]);
    best.bound += std::min(costs_[i], 0.0);
  }
  best.cost = cost_of(part, starts_);
  for (const size_t i : part.rows) {
    for (const BitTerm& term : rows_[i].terms) {
      matrix.row_of.push_back(static_cast<int>(matrix.low.size()));
      matrix.column_of.push_back(place[static_cast<size_t>(term.bit.column)]);
      matrix.factors.push_back(term.factor);
    }
    matrix.low.push_back(rows_[i].low);
    matrix.high.push_back(rows_[i].high);
  }
  // What is left of a unit in the last place of a sum is no gap.
  const double tolerance = 1e-7 * std::max(1.0, std::abs(best.cost));
  if (part.rows.empty()) {  // each variable is what costs less
    std::transform(matrix.costs.begin(), matrix.costs.end(), best.values.begin(),
                   [](double cost) { return cost < 0 ? 1.0 : 0.0; });
    best.cost = best.bound;
  } else if (best.cost > best.bound + tolerance && limits.seconds > 0) {
    OsiClpSolverInterface solver;
    load(solver, matrix);
    solver.getModelPtr()->setMaximumSeconds(limits.seconds);
    solver.initialSolve();
    if (solver.isProvenOptimal()) {  // else it is out of time, and says nothing
      solver.getModelPtr()->setMaximumSeconds(-1);
      best.bound = solver.getObjValue();
      const std::vector<double> relaxed(solver.getColSolution(),
                                        solver.getColSolution() + matrix.costs.size());
      if (is_whole(relaxed)) {
        best.cost = best.bound;
        std::transform(relaxed.begin(), relaxed.end(), best.values.begin(),
                       [](double x) { return std::round(x); });
      } else {
        if (relaxed.size() > kLarge) {
          round_part(part, relaxed, round, solution, best.values, best.cost);
        }
        const double left = limits.seconds - seconds_since(begin);
        if (best.bound < best.cost * (1 - limits.gap) - tolerance && left > 0) {
          branch_and_bound(solver, left, limits, best);
        }
      }
    }
  }
  best.bound = best.bound >= best.cost - tolerance ? best.cost : best.bound;
  for (size_t i = 0; i < part.columns.size(); ++i) {
    solution.values[static_cast<size_t>(part.columns[i])] = best.values[i];
  }
  solution.cost += best.cost;
  solution.bound += best.bound;
  solution.is_optimal = solution.is_optimal && best.bound >= best.cost;
}

/// Takes over the part's share of what rounding gives, if that is cheaper.
void IntegerProgram::round_part(const Part& part, const std::vector<double>& relaxed,
                                const Rounding& round, const Solution& solution,
                                std::vector<double>& values, double& cost) const {
  std::vector<double> all = solution.values;
  for (size_t i = 0; i < part.columns.size(); ++i) {
    all[static_cast<size_t>(part.columns[i])] = relaxed[i];
  }
  const std::vector<double> rounded = round(all);
  const double found = cost_of(part, rounded);
  if (found < cost) {
    cost = found;
    for (size_t i = 0; i < part.columns.size(); ++i) {
      values[i] = rounded[static_cast<size_t>(part.columns[i])];
    }
  }
}

}  // namespace tacet::relinearise
