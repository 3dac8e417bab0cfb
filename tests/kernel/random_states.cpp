#include "tests/kernel/function_writer.h"

namespace tacet::testing {
namespace {

class StateWriter : public FunctionWriter {
 public:
  StateWriter(Random& random, const FunctionOptions& options) : FunctionWriter(random, options) {}

  auto run() -> std::string {
    const int64_t n = between(3, 8);
    const bool knows_all = one_in(3);
    block(fmt::format("fn({0}) random(t: secret [i64; {1}] in -4..5, u: {2}[i64; {1}] in "
                      "-1..{1}{3}, w: secret "
                      "i64 in -4..5) -> secret i64",
                      options_.device, n, knows_all ? "secret " : "",
                      !knows_all && options_.device == "he" ? " from server" : ""),
          [&] {
            line("var t = t;");
            line(fmt::format("var a: secret i64 = {};", below(3)));
            line(fmt::format("var b: secret i64 = {};", between(0, n - 1)));
            line("var s: secret i64 = 0;");
            for (int64_t i = between(1, 2); i > 0; --i) {
              loop();
            }
            line(fmt::format("return {};", one_in(2) ? "s + a" : value()));
          });
    return std::move(text_);
  }

 private:
  auto state() -> std::string { return one_in(2) ? "a" : "b"; }

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
    const std::string op = one_of({"==", "<", ">", "!=", "<=", ">="});
    switch (below(5)) {
      case 0:
        return fmt::format("{} {} {}", number(), op, below(6));
      case 1:
        return fmt::format("a {} b", op);
      case 2:
        return fmt::format("t[{}] {} w && {} < 5", number(), op, state());
      default:
        return fmt::format("t[{}] {} {}", number(), op, one_in(2) ? "w" : "1");
    }
  }

  void loop() {
    const std::string head = one_in(2) ? fmt::format("for {} in 0..{}", new_name("i"), 2 + below(2))
                                       : fmt::format("while {} max {}", condition(), 1 + below(3));
    block(head, [&] { statements(2); });
  }

  void statements(int left) {
    for (int64_t i = between(1, 3); i > 0; --i) {
      statement(left);
    }
  }

  void statement(int left) {
    switch (left > 0 ? below(9) : 4 + below(5)) {
      case 0:
      case 1:
      case 2: {
        const auto arm = [&] { statements(left - 1); };
        choice(condition(), arm, arm, one_in(2));
        return;
      }
      case 3:
        block(fmt::format("if {}", condition()), [&] {
          line(one_in(2) ? fmt::format("return {};", value()) : std::string("break;"));
        });
        return;
      case 4:
        line(fmt::format("s = s + {};", value()));
        return;
      case 5:
        line(fmt::format("t[{}] = {};", number(), value()));
        return;
      default:
        line(fmt::format("{} = {};", state(), number()));
    }
  }
};

}  // namespace

auto state_function(Random& random, const FunctionOptions& options) -> std::string {
  return StateWriter(random, options).run();
}

}  // namespace tacet::testing
