#include "tests/lift/random_states.h"

#include <fmt/format.h>

#include <random>

namespace tacet::lift {

namespace {

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  auto run() -> std::string {
    const size_t n = 3 + below(6);
    std::string text = fmt::format(
        "#version 0.1.0\n\n"
        "fn(he) random(t: secret [i64; {0}] in -4..5 from client, u: [i64; {0}] in -1..{0} from "
        "{1},\n    w: secret i64 in -4..5 from client) -> secret i64 {{\n"
        "    var t = t;\n    var a: secret i64 = {2};\n    var b: secret i64 = {3};\n"
        "    var s: secret i64 = 0;\n",
        n, below(3) == 0 ? "client" : "server", below(3), below(n));
    const size_t n_loops = 1 + below(2);
    for (size_t i = 0; i < n_loops; ++i) {
      text += loop(1);
    }
    return text + fmt::format("    return {};\n}}\n", below(2) == 0 ? "s + a" : value());
  }

 private:
  auto below(size_t n) -> size_t { return random_() % n; }

  static auto indent(int depth) -> std::string {
    return std::string(static_cast<size_t>(4 * depth), ' ');
  }

  auto state() -> std::string { return below(2) == 0 ? "a" : "b"; }

  /// A number that is known for each state.
  auto number() -> std::string {
    switch (below(6)) {
      case 0:
        return fmt::format("({} + {})", state(), below(3));
      case 1:
        return "((a + b) / 2)";
      case 2:
        return fmt::format("(2 * {} + {})", state(), below(2));
      case 3:
        return fmt::format("({} - {})", state(), 1 + below(2));
      default:
        return state();
    }
  }

  auto value() -> std::string {
    switch (below(5)) {
      case 0:
        return fmt::format("t[{}]", number());
      case 1:
        return fmt::format("u[{}]", number());
      case 2:
        return fmt::format("(t[{}] + {})", number(), number());
      case 3:
        return fmt::format("t[u[{}]]", state());
      default:
        return number();
    }
  }

  auto condition() -> std::string {
    constexpr const char* kOperators[] = {"==", "<", ">", "!=", "<=", ">="};
    const char* op = kOperators[below(6)];
    switch (below(5)) {
      case 0:
        return fmt::format("{} {} {}", number(), op, below(6));
      case 1:
        return fmt::format("a {} b", op);
      case 2:
        return fmt::format("t[{}] {} w && {} < 5", number(), op, state());
      default:
        return fmt::format("t[{}] {} {}", number(), op, below(2) == 0 ? "w" : "1");
    }
  }

  auto loop(int depth) -> std::string {
    const std::string space = indent(depth);
    if (below(2) == 0) {
      const std::string counter = fmt::format("i{}", n_names_++);
      return fmt::format("{0}for {1} in 0..{2} {{\n{3}{0}}}\n", space, counter, 2 + below(2),
                         block(depth + 1, 2));
    }
    return fmt::format("{0}while {1} max {2} {{\n{3}{0}}}\n", space, condition(), 1 + below(3),
                       block(depth + 1, 2));
  }

  auto block(int depth, int left) -> std::string {
    std::string text;
    const size_t n = 1 + below(3);
    for (size_t i = 0; i < n; ++i) {
      text += statement(depth, left);
    }
    return text;
  }

  auto statement(int depth, int left) -> std::string {
    const std::string space = indent(depth);
    switch (left > 0 ? below(9) : 4 + below(5)) {
      case 0:
      case 1:
      case 2: {
        std::string text = fmt::format("{}if {} {{\n", space, condition());
        text += block(depth + 1, left - 1);
        if (below(2) == 0) {
          text += space + "} else {\n" + block(depth + 1, left - 1);
        }
        return text + space + "}\n";
      }
      case 3: {
        const std::string exit =
            below(2) == 0 ? fmt::format("return {};", value()) : std::string("break;");
        return fmt::format("{0}if {1} {{\n{0}    {2}\n{0}}}\n", space, condition(), exit);
      }
      case 4:
        return fmt::format("{}s = s + {};\n", space, value());
      case 5:
        return fmt::format("{}t[{}] = {};\n", space, number(), value());
      default:
        return fmt::format("{}{} = {};\n", space, state(), number());
    }
  }

  std::mt19937_64 random_;
  int n_names_ = 0;
};

}  // namespace

auto random_states(uint64_t seed) -> std::string {
  return Generator(seed).run();
}

}  // namespace tacet::lift
