#include <algorithm>

#include "tests/kernel/function_writer.h"

namespace tacet::testing {
namespace {

class ArrayWriter : public FunctionWriter {
 public:
  ArrayWriter(Random& random, const FunctionOptions& options) : FunctionWriter(random, options) {}

  auto run() -> std::string {
    const int64_t n = between(2, 5);
    const int64_t m = between(2, 4);
    arrays_ = {{"a", {n}}, {"b", {n, m}}, {"t", {n}}, {"u", {m, n}}};
    scalars_ = {"c", "s0", "s1"};
    const bool knows_b = one_in(3);
    block(fmt::format("fn({0}) random(a: secret [i64; {1}] in -3..4, b: {3}[[i64; {2}]; {1}] in "
                      "0..4{4}, c: secret i64 in 0..{1}) -> secret [i64; {1}]",
                      options_.device, n, m, knows_b ? "" : "secret ",
                      knows_b && options_.device == "he" ? " from server" : ""),
          [&] {
            line(fmt::format("var t: secret [i64; {0}] = for i: {0} {{ {1} }};", n, below(2)));
            line(fmt::format(
                "var u: secret [[i64; {0}]; {1}] = for i: {1} {{ for j: {0} {{ 0 }} }};", n, m));
            line(fmt::format("var s0: secret i64 = {};", between(0, 2)));
            line(fmt::format("var s1: secret i64 = {};", between(0, 2)));
            for (int64_t i = between(2, 5); i > 0; --i) {
              statement(3);
            }
            line(fmt::format("return for i: {} {{ t[i] + u[{}][i] + s0 * s1 }};", n, m - 1));
          });
    return std::move(text_);
  }

 private:
  struct NamedArray {
    std::string name;
    std::vector<int64_t> extents;
  };
  struct Counter {
    std::string name;
    int64_t low, high;  ///< values, both included
  };

  /// An index that is inside of the extent.
  auto inside(int64_t extent) -> std::string {
    if (counters_.empty() || one_in(7)) {
      return fmt::format("{}", between(0, extent - 1));
    }
    const Counter& counter = counters_[below(counters_.size())];
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

  auto read() -> std::string {
    const NamedArray& array = arrays_[below(arrays_.size())];
    std::string text = array.name;
    for (const int64_t extent : array.extents) {
      const std::string index = inside(extent);
      text +=
          one_in(5) ? fmt::format("[{} + {}]", index, between(-1, 1)) : fmt::format("[{}]", index);
    }
    return text;
  }

  auto stored() -> std::string {
    const NamedArray& array = arrays_[2 + below(2)];
    std::string text = array.name;
    for (const int64_t extent : array.extents) {
      text += fmt::format("[{}]", inside(extent));
    }
    return text;
  }

  auto value(int depth) -> std::string {
    if (depth <= 0 || one_in(4)) {
      switch (below(5)) {
        case 0:
          return fmt::format("{}", between(0, 3));
        case 1:
          return one_of(scalars_);
        case 2:
          if (!counters_.empty()) {
            return counters_[below(counters_.size())].name;
          }
          [[fallthrough]];
        default:
          return read();
      }
    }
    const auto part = [&] { return value(depth - 1); };
    switch (below(8)) {
      case 0:
        return fmt::format("({} if {} else {})", part(), condition(depth - 1), part());
      case 1:
        return fmt::format("({} {} {})", part(), one_in(2) ? "/" : "%", between(2, 4));
      case 2:
        return fmt::format("({} * {})", part(), part());
      case 3:
        return fmt::format("({} - {})", part(), part());
      default:
        return fmt::format("({} + {})", part(), part());
    }
  }

  auto condition(int depth) -> std::string {
    const std::string text = fmt::format(
        "{} {} {}", value(depth - 1), one_of({"==", "<", ">", "!=", "<=", ">="}), value(depth - 1));
    switch (below(6)) {
      case 0:
        return fmt::format("({}) && ({} > 0)", text, value(0));
      case 1:
        return fmt::format("({}) || ({} == 1)", text, value(0));
      default:
        return text;
    }
  }

  void statements(int left) {
    for (int64_t i = between(1, 2); i > 0; --i) {
      statement(left);
    }
  }

  void statement(int left) {
    switch (left > 0 ? below(10) : 6 + below(4)) {
      case 0:
      case 1:
      case 2:
      case 3:
        loop(left);
        return;
      case 4:
      case 5: {
        const auto arm = [&] { statements(left - 1); };
        choice(condition(2), arm, arm, one_in(2));
        return;
      }
      case 6: {
        const std::string& name = scalars_[1 + below(2)];
        line(one_in(4) ? fmt::format("{} = {};", name, value(2))
                       : fmt::format("{0} = {0} {1} {2};", name, one_in(3) ? "-" : "+", value(2)));
        return;
      }
      case 7: {
        const std::string place = stored();
        line(fmt::format("{0} = {0} + {1};", place, value(2)));
        return;
      }
      case 8:
        if (one_in(4)) {
          line(ordered());
          return;
        }
        [[fallthrough]];
      default:
        line(fmt::format("{} = {};", stored(), value(2)));
    }
  }

  /// All of an array at once, by the order of its elements.
  auto ordered() -> std::string {
    switch (below(4)) {
      case 0:
        return "t = sort(t);";
      case 1:
        return "t = sort_by(a, t);";
      case 2:
        return "t[0] = top_k(a, 2)[1];";
      default:
        return fmt::format("s0 = {}({});", one_in(2) ? "min" : "max", one_in(2) ? "a" : "t");
    }
  }

  void loop(int left) {
    const std::string name = new_name("i");
    const NamedArray& array = arrays_[below(arrays_.size())];
    int64_t low = one_in(4) ? between(-1, 1) : 0;
    const int64_t high = one_in(4) ? between(1, 3) : array.extents[below(array.extents.size())];
    std::string begin = fmt::format("{}", low);
    if (!counters_.empty() && one_in(6)) {
      begin = counters_.back().name;
      low = counters_.back().low;
    }
    counters_.push_back({name, low, std::max(high - 1, low)});
    block(fmt::format("for {} in {}..{}", name, begin, high), [&] { statements(left - 1); });
    counters_.pop_back();
  }

  std::vector<NamedArray> arrays_;
  std::vector<std::string> scalars_;
  std::vector<Counter> counters_;
};

}  // namespace

auto array_function(Random& random, const FunctionOptions& options) -> std::string {
  return ArrayWriter(random, options).run();
}

}  // namespace tacet::testing
