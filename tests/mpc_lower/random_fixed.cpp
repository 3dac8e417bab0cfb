#include "tests/mpc_lower/random_fixed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "base/check.h"
#include "engine/mpc_model/fixed_point.h"
#include "engine/program/mpc/text.h"

namespace tacet::mpc_lower {

using mpc_model::FixedBound;
using mpc_model::FixedFunction;
using Real = long double;

namespace {

constexpr int kFraction = 18;
constexpr size_t kLanes = 4;
/// Products of two of these fit, and sums of a few products do.
constexpr Real kGreatest = 1 << 12;
constexpr Real kUnit = Real(1) / (1 << kFraction);

using Lanes = std::vector<Bounded>;

struct Function {
  std::string_view name;
  FixedFunction function;
  Real (*exact)(Real);
};

constexpr Function kFunctions[] = {
    {"reciprocal", FixedFunction::Reciprocal, [](Real x) { return 1 / x; }},
    {"sqrt", FixedFunction::Sqrt, [](Real x) { return std::sqrt(x); }},
    {"rsqrt", FixedFunction::Rsqrt, [](Real x) { return 1 / std::sqrt(x); }},
    {"exp", FixedFunction::Exp, [](Real x) { return std::exp(x); }},
    {"log", FixedFunction::Log, [](Real x) { return std::log(x); }},
    {"sigmoid", FixedFunction::Sigmoid, [](Real x) { return 1 / (1 + std::exp(-x)); }},
    {"tanh", FixedFunction::Tanh, [](Real x) { return std::tanh(x); }},
    {"erf", FixedFunction::Erf, [](Real x) { return std::erf(x); }},
    {"sin", FixedFunction::Sin, [](Real x) { return std::sin(x); }},
    {"cos", FixedFunction::Cos, [](Real x) { return std::cos(x); }},
};

auto bound_of(FixedFunction function) -> FixedBound {
  return mpc_model::bound_of(function, {.ring_bits = 64, .fraction_bits = kFraction});
}

/// Every function is monotone where its argument can be: its ends are its extremes.
auto over_ends(const FixedBound& bound, Real exact, std::initializer_list<Real> ends)
    -> std::optional<Bounded> {
  Real spread = 0;
  for (const Real end : ends) {
    if (!std::isfinite(end) || std::abs(end) > bound.greatest_result) {
      return std::nullopt;
    }
    spread = std::max(spread, std::abs(end - exact));
  }
  return Bounded{exact, spread + bound.units * kUnit + bound.relative * (std::abs(exact) + spread)};
}

auto evaluate(const Function& function, Bounded x) -> std::optional<Bounded> {
  const FixedBound bound = bound_of(function.function);
  const Real low = x.value - x.error;
  const Real high = x.value + x.error;
  const bool is_signed = function.function != FixedFunction::Sqrt &&
                         function.function != FixedFunction::Rsqrt &&
                         function.function != FixedFunction::Log;
  const bool has_pole = function.function == FixedFunction::Reciprocal;
  if (std::max(std::abs(low), std::abs(high)) > bound.greatest ||
      (!is_signed && low < bound.least) || (has_pole && (low <= 0) != (high <= 0))) {
    return std::nullopt;
  }
  return over_ends(bound, function.exact(x.value), {function.exact(low), function.exact(high)});
}

auto divide(Bounded x, Bounded y) -> std::optional<Bounded> {
  const Real low = y.value - y.error;
  const Real high = y.value + y.error;
  if (low <= kUnit && high >= -kUnit) {
    return std::nullopt;
  }
  const Real least = x.value - x.error;
  const Real most = x.value + x.error;
  return over_ends(bound_of(FixedFunction::Divide), x.value / y.value,
                   {least / low, least / high, most / low, most / high});
}

auto product(Bounded x, Bounded y) -> Bounded {
  return {x.value * y.value,
          std::abs(x.value) * y.error + std::abs(y.value) * x.error + x.error * y.error};
}

auto is_small(const Lanes& lanes) -> bool {
  return std::all_of(lanes.begin(), lanes.end(), [](Bounded x) {
    return std::abs(x.value) < kGreatest && x.error < Real(1) / 256;
  });
}

class Writer {
 public:
  explicit Writer(uint64_t seed) : random_(seed) {}

  auto run(int n_steps) -> FixedCase {
    FixedCase result;
    text_ = "mpc_program 1\nparty a\nparty b\nparty c\n";
    for (int i = 0; i < 3; ++i) {
      result.run.inputs.push_back(input(i));
    }
    for (int done = 0, tries = 0; done < n_steps && tries < 20 * n_steps; ++tries) {
      done += step() ? 1 : 0;
    }
    for (size_t i = values_.size() - std::min<size_t>(values_.size(), 4); i < values_.size(); ++i) {
      text_ += fmt::format("output o{0} = v{0}\n", i);
      result.outputs.push_back(values_[i]);
    }
    Result<engine::MpcProgram> program = engine::parse_mpc_program(text_);
    TACET_CHECK(program.has_value(), program ? "" : program.error().message.c_str());
    result.run.text = text_;
    result.run.program = std::move(*program);
    return result;
  }

 private:
  auto below(size_t n) -> size_t { return random_() % n; }
  auto any() -> size_t { return below(values_.size()); }

  /// Numbers of all sizes.
  auto input(int owner) -> engine::MpcCells {
    engine::MpcCells cells;
    Lanes lanes;
    for (size_t i = 0; i < kLanes; ++i) {
      auto raw = static_cast<int64_t>(random_() >> (34 + below(20)));
      raw = below(3) == 0 ? -raw : raw;
      cells.push_back(static_cast<engine::Cell>(raw));
      lanes.push_back({static_cast<Real>(raw) * kUnit, 0});
    }
    text_ += fmt::format("input v{}: secret fxp<{}>[{}] from {}\n", values_.size(), kFraction,
                         kLanes, "abc"[owner]);
    values_.push_back(std::move(lanes));
    return cells;
  }

  /// A register with these values, if they are worth going on with.
  auto define(const std::string& code, Lanes lanes) -> bool {
    if (!is_small(lanes)) {
      return false;
    }
    text_ += fmt::format("v{}: secret fxp<{}>[{}] = {}\n", values_.size(), kFraction, kLanes, code);
    values_.push_back(std::move(lanes));
    return true;
  }

  template <class Op>
  auto each(const std::string& code, size_t a, size_t b, const Op& op) -> bool {
    Lanes lanes;
    for (size_t i = 0; i < kLanes; ++i) {
      const std::optional<Bounded> found = op(values_[a][i], values_[b][i]);
      if (!found) {
        return false;
      }
      lanes.push_back(*found);
    }
    return define(code, std::move(lanes));
  }

  auto step() -> bool {
    const size_t a = any();
    const size_t b = any();
    const auto binary = [&](std::string_view name) {
      return fmt::format("{} v{}, v{}", name, a, b);
    };
    switch (below(12)) {
      case 0:
        return each(binary("add"), a, b, [](Bounded x, Bounded y) {
          return std::optional<Bounded>({x.value + y.value, x.error + y.error});
        });
      case 1:
        return each(binary("sub"), a, b, [](Bounded x, Bounded y) {
          return std::optional<Bounded>({x.value - y.value, x.error + y.error});
        });
      case 2:
      case 3:
        return each(binary("mul"), a, b, [](Bounded x, Bounded y) {
          const Bounded exact = product(x, y);
          return std::optional<Bounded>({exact.value, exact.error + kUnit});
        });
      case 4:
        return each(binary("div"), a, b, divide);
      case 5:
        return each(binary("max"), a, b, [](Bounded x, Bounded y) {
          return std::optional<Bounded>({std::max(x.value, y.value), std::max(x.error, y.error)});
        });
      case 6:
        return dot(a, b);
      case 7:
        return chosen(a, b);
      default: {
        const Function& function = kFunctions[below(std::size(kFunctions))];
        return each(fmt::format("{} v{}", function.name, a), a, a,
                    [&](Bounded x, Bounded) { return evaluate(function, x); });
      }
    }
  }

  /// One truncation for the sum of all products, which everything else is multiplied by.
  auto dot(size_t a, size_t b) -> bool {
    Bounded sum{0, kUnit};
    for (size_t i = 0; i < kLanes; ++i) {
      const Bounded exact = product(values_[a][i], values_[b][i]);
      sum = {sum.value + exact.value, sum.error + exact.error};
    }
    if (!is_small({sum})) {
      return false;
    }
    const std::string name = fmt::format("s{}", values_.size());
    text_ += fmt::format("{}: secret fxp<{}> = dot v{}, v{}\n", name, kFraction, a, b);
    return define(fmt::format("view {} [0, 0]", name), Lanes(kLanes, sum));
  }

  /// The less of two by comparison and selection, where errors do not blur which it is.
  auto chosen(size_t a, size_t b) -> bool {
    Lanes lanes;
    for (size_t i = 0; i < kLanes; ++i) {
      const Bounded x = values_[a][i];
      const Bounded y = values_[b][i];
      if (a != b && std::abs(x.value - y.value) <= x.error + y.error) {
        return false;
      }
      lanes.push_back(x.value < y.value ? x : y);
    }
    if (!is_small(lanes)) {
      return false;
    }
    const std::string name = fmt::format("c{}", values_.size());
    text_ += fmt::format("{}: secret bool[{}] = lt v{}, v{}\n", name, kLanes, a, b);
    return define(fmt::format("select {}, v{}, v{}", name, a, b), std::move(lanes));
  }

  std::mt19937_64 random_;
  std::string text_;
  std::vector<Lanes> values_;
};

}  // namespace

auto random_fixed_case(uint64_t seed, int n_steps) -> FixedCase {
  return Writer(seed).run(n_steps);
}

}  // namespace tacet::mpc_lower
