#include "tests/fill/random_specification.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tacet::testing {

namespace {

class Writer {
 public:
  explicit Writer(std::mt19937_64& random) : random_(random) {}

  auto run(const std::string& body) -> std::string {
    numbers_ = {"a", "b"};
    booleans_ = {"p"};
    std::vector<std::string> definitions;
    const size_t n = 1 + random_() % 8;
    for (size_t i = 0; i < n; ++i) {
      definitions.push_back(definition(i));
    }
    const bool has_two = random_() % 4 == 0;
    const std::string first = number(2);
    const std::string returned = has_two ? fmt::format("({}, {})", first, number(2)) : first;
    // Definitions are in any order.
    std::shuffle(definitions.begin(), definitions.end(), random_);
    std::string text = kHead;
    text += fmt::format("val wanted(a: i64, b: i64, p: bool) -> {} {{\n",
                        has_two ? "(i64, i64)" : "i64");
    for (const std::string& line : definitions) {
      text += fmt::format("    {}\n", line);
    }
    text += fmt::format("    returns {}\n}}\n\n", returned);
    text +=
        fmt::format("fn made(a: i64, b: i64, p: bool) -> {} impls wanted, time, space {{\n{}}}\n",
                    has_two ? "(i64, i64)" : "i64", body);
    return text;
  }

 private:
  static constexpr const char* kHead = R"(#version 0.1.0

tmln time(e: Event) -> Event {
    returns e
}

sptl space(s: BufferSpace) -> BufferSpace {
    returns s
}

val weighed(x: i64, y: i64) -> i64 {
    returns x * 3 - y
}

fn weighed_left(x: i64, y: i64) -> i64 impls weighed, time, space {
    x * 3 - y
}

fn weighed_right(x: i64, y: i64) -> i64 impls weighed, time, space {
    var v = x * 3;
    v = v - y;
    v
}

val ends(x: i64, y: i64) -> (low: i64, high: i64) {
    c :- x < y
    low_one :- x if c else y
    high_one :- y if c else x
    returns (low_one, high_one)
}

fn ends_impl(x: i64, y: i64) -> (i64, i64) impls ends, time, space {
    let low, high = if x < y {
        (x, y)
    } else {
        (y, x)
    };
    (low, high)
}

)";

  auto definition(size_t i) -> std::string {
    const std::string name = fmt::format("n{}", i);
    switch (random_() % 6) {
      case 0: {
        const std::string line = fmt::format("{} :- {}", name, boolean(2));
        booleans_.push_back(name);
        return line;
      }
      case 1: {
        const std::string line =
            fmt::format("{}, {}_high :- {}", name, name, pair("ends({}, {})", 1));
        numbers_.push_back(name);
        numbers_.push_back(name + "_high");
        return line;
      }
      default: {
        const std::string line = fmt::format("{} :- {}", name, number(3));
        numbers_.push_back(name);
        return line;
      }
    }
  }

  auto one_of(const std::vector<std::string>& names) -> std::string {
    return names[random_() % names.size()];
  }

  auto number(int depth) -> std::string {
    const size_t kind = depth == 0 ? random_() % 3 : random_() % 10;
    switch (kind) {
      case 0:
        return std::to_string(random_() % 4);
      case 1:
      case 2:
        return one_of(numbers_);
      case 3:
      case 4:
        return conditional(depth - 1);
      case 5:
        return pair("weighed({}, {})", depth - 1);
      case 6:
        return fmt::format("(-{})", number(0));
      default: {
        static constexpr const char* kOperators[] = {"+", "-", "*", "/", "%", "&", "^"};
        return pair(fmt::format("({{}} {} {{}})", kOperators[random_() % 7]), depth - 1);
      }
    }
  }

  // Arguments of one call are evaluated in an order that is the compiler's, draws in ours.

  /// Two numbers of `depth` in `format`.
  auto pair(const std::string& format, int depth) -> std::string {
    const std::string left = number(depth);
    const std::string right = number(depth);
    return fmt::format(fmt::runtime(format), left, right);
  }

  auto conditional(int depth) -> std::string {
    const std::string yes = number(depth);
    const std::string condition = boolean(depth);
    return fmt::format("({} if {} else {})", yes, condition, number(depth));
  }

  auto boolean(int depth) -> std::string {
    switch (depth == 0 ? 0 : random_() % 4) {
      case 0:
        return one_of(booleans_);
      case 1: {
        static constexpr const char* kOperators[] = {"<", "<=", "==", "!="};
        return pair(fmt::format("({{}} {} {{}})", kOperators[random_() % 4]), depth - 1);
      }
      case 2: {
        const std::string left = boolean(depth - 1);
        const char* symbol = random_() % 2 == 0 ? "&&" : "||";
        return fmt::format("({} {} {})", left, symbol, boolean(depth - 1));
      }
      default:
        return fmt::format("(!{})", boolean(0));
    }
  }

  std::mt19937_64& random_;
  std::vector<std::string> numbers_;
  std::vector<std::string> booleans_;
};

}  // namespace

auto random_specification(std::mt19937_64& random, const std::string& body) -> std::string {
  return Writer(random).run(body);
}

}  // namespace tacet::testing
