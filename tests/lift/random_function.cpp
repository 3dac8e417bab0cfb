#include "tests/lift/random_function.h"

#include <fmt/format.h>

#include <random>
#include <vector>

namespace tacet::lift {

namespace {

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  auto run() -> std::string {
    const int64_t n = between(2, 5);
    const int64_t m = between(2, 4);
    arrays_ = {{"a", {n}, false}, {"b", {n, m}, false}, {"t", {n}, true}, {"u", {m, n}, true}};
    scalars_ = {"c"};
    std::string text = "#version 0.1.0\n\n";
    text += fmt::format(
        "fn(he) random(a: secret [i64; {0}] in -3..4 from client, b: secret [[i64; {1}]; {0}] in "
        "0..4 from {2},\n    c: secret i64 in 0..{0} from client) -> secret [i64; {0}] {{\n",
        n, m, below(3) == 0 ? "server" : "client");
    text += fmt::format("    var t: secret [i64; {}] = for i: {} {{ {} }};\n", n, n, below(2));
    text += fmt::format(
        "    var u: secret [[i64; {0}]; {1}] = for i: {1} {{ for j: {0} {{ 0 }} }};\n", n, m);
    for (int i = 0; i < 2; ++i) {
      text += fmt::format("    var s{}: secret i64 = {};\n", i, between(0, 2));
      scalars_.push_back(fmt::format("s{}", i));
      variables_.push_back(fmt::format("s{}", i));
    }
    const int n_statements = static_cast<int>(between(2, 5));
    for (int i = 0; i < n_statements; ++i) {
      text += statement(1, 3);
    }
    text += fmt::format("    return for i: {} {{ t[i] + u[{}][i] + s0 * s1 }};\n}}\n", n, m - 1);
    return text;
  }

 private:
  struct NamedArray {
    std::string name;
    std::vector<int64_t> extents;
    bool is_variable;
  };
  struct Counter {
    std::string name;
    int64_t low, high;  ///< values, both included
  };

  auto below(size_t n) -> size_t { return random_() % n; }
  auto between(int64_t low, int64_t high) -> int64_t {
    return low + static_cast<int64_t>(below(static_cast<size_t>(high - low + 1)));
  }

  /// An index that is inside of the extent.
  auto inside(int64_t extent) -> std::string {
    if (counters_.empty() || below(7) == 0) {
      return fmt::format("{}", between(0, extent - 1));
    }
    const Counter& counter = counters_[counters_.size() - 1 - below(counters_.size())];
    const bool fits = counter.low >= 0 && counter.high < extent;
    switch (below(6)) {
      case 0:
        return fmt::format("({} + {}) % {}", counter.name, between(0, 2) - counter.low, extent);
      case 1:
        if (fits) {
          return fmt::format("{} - {}", extent - 1, counter.name);
        }
        [[fallthrough]];
      case 2:
        if (counter.low >= 0 && counter.high * 2 < extent) {
          return fmt::format("2 * {}", counter.name);
        }
        [[fallthrough]];
      case 3:
        if (counters_.size() > 1) {
          const Counter& other = counters_[counters_.size() - 2];
          if (counter.name != other.name && counter.low + other.low >= 0 &&
              counter.high + other.high < extent) {
            return fmt::format("{} + {}", counter.name, other.name);
          }
        }
        [[fallthrough]];
      default:
        return fits ? counter.name
                    : fmt::format("({} + {}) % {}", counter.name, 8 * extent, extent);
    }
  }

  auto element(bool is_stored) -> std::string {
    const size_t which = is_stored ? 2 + below(2) : below(arrays_.size());
    const NamedArray& array = arrays_[which];
    std::string text = array.name;
    for (int64_t extent : array.extents) {
      std::string index = inside(extent);
      if (!is_stored && below(5) == 0) {
        index += fmt::format(" + {}", between(-1, 1));
      }
      text += fmt::format("[{}]", index);
    }
    return text;
  }

  auto value(int depth) -> std::string {
    if (depth <= 0 || below(4) == 0) {
      switch (below(5)) {
        case 0:
          return fmt::format("{}", between(0, 3));
        case 1:
          return scalars_[below(scalars_.size())];
        case 2:
          if (!counters_.empty()) {
            return counters_[below(counters_.size())].name;
          }
          [[fallthrough]];
        default:
          return element(false);
      }
    }
    switch (below(8)) {
      case 0:
        return fmt::format("({} if {} else {})", value(depth - 1), condition(depth - 1),
                           value(depth - 1));
      case 1:
        return fmt::format("({} {} {})", value(depth - 1), below(2) == 0 ? "/" : "%",
                           between(2, 4));
      case 2:
        return fmt::format("({} * {})", value(depth - 1), value(depth - 1));
      case 3:
        return fmt::format("({} - {})", value(depth - 1), value(depth - 1));
      default:
        return fmt::format("({} + {})", value(depth - 1), value(depth - 1));
    }
  }

  auto condition(int depth) -> std::string {
    constexpr const char* kOperators[] = {"==", "<", ">", "!=", "<=", ">="};
    const std::string text =
        fmt::format("{} {} {}", value(depth - 1), kOperators[below(6)], value(depth - 1));
    switch (below(6)) {
      case 0:
        return fmt::format("({}) && ({} > 0)", text, value(0));
      case 1:
        return fmt::format("({}) || ({} == 1)", text, value(0));
      default:
        return text;
    }
  }

  auto indent(int depth) -> std::string { return std::string(static_cast<size_t>(4 * depth), ' '); }

  auto block(int depth, int left) -> std::string {
    std::string text;
    const size_t n = 1 + below(2);
    for (size_t i = 0; i < n; ++i) {
      text += statement(depth, left);
    }
    return text;
  }

  auto statement(int depth, int left) -> std::string {
    const std::string space = indent(depth);
    switch (left > 0 ? below(9) : 6 + below(3)) {
      case 0:
      case 1:
      case 2:
      case 3: {
        const std::string name = fmt::format("i{}", n_names_++);
        const NamedArray& array = arrays_[below(arrays_.size())];
        const int64_t low = below(4) == 0 ? between(-1, 1) : 0;
        const int64_t high =
            below(4) == 0 ? between(1, 3) : array.extents[below(array.extents.size())];
        std::string bound = fmt::format("{}", low);
        if (!counters_.empty() && below(6) == 0) {
          bound = counters_.back().name;
        }
        counters_.push_back({name, bound == fmt::format("{}", low) ? low : counters_.back().low,
                             std::max(high - 1, low)});
        std::string text = fmt::format("{}for {} in {}..{} {{\n", space, name, bound, high);
        text += block(depth + 1, left - 1);
        counters_.pop_back();
        return text + space + "}\n";
      }
      case 4:
      case 5: {
        std::string text = fmt::format("{}if {} {{\n", space, condition(2));
        text += block(depth + 1, left - 1);
        if (below(2) == 0) {
          text += space + "} else {\n" + block(depth + 1, left - 1);
        }
        return text + space + "}\n";
      }
      case 6: {
        const std::string name = variables_[below(variables_.size())];
        switch (below(4)) {
          case 0:
            return fmt::format("{}{} = {};\n", space, name, value(2));
          case 1:
            return fmt::format("{0}{1} = {1} - {2};\n", space, name, value(2));
          default:
            return fmt::format("{0}{1} = {1} + {2};\n", space, name, value(2));
        }
      }
      case 7: {
        const std::string stored = element(true);
        return fmt::format("{0}{1} = {1} + {2};\n", space, stored, value(2));
      }
      default: {
        const std::string stored = element(true);
        return fmt::format("{}{} = {};\n", space, stored, value(2));
      }
    }
  }

  std::mt19937_64 random_;
  std::vector<NamedArray> arrays_;
  std::vector<std::string> scalars_;
  std::vector<std::string> variables_;
  std::vector<Counter> counters_;
  int n_names_ = 0;
};

}  // namespace

auto random_function(uint64_t seed) -> std::string {
  return Generator(seed).run();
}

}  // namespace tacet::lift
