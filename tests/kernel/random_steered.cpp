#include "tests/kernel/function_writer.h"

namespace tacet::testing {
namespace {

/// Names that a place can read.
struct Scope {
  std::vector<std::string> numbers;   ///< `i64`, to read
  std::vector<std::string> counters;  ///< of loops around, small
  int depth = 0;
  int loops = 0;
};

class SteeredWriter : public FunctionWriter {
 public:
  SteeredWriter(Random& random, const FunctionOptions& options) : FunctionWriter(random, options) {}

  auto run() -> std::string {
    block(fmt::format("fn({}) f(a: secret i64, b: secret i64, c: secret i64 in -2..7, s: secret "
                      "bool, p: i64, q: i64 in 0..5, t: secret [i64; 6]) -> (secret i64, secret "
                      "[i64; 6], secret [i64; 3, 4])",
                      options_.device),
          [&] {
            line("var x = a;");
            line("var y = p;");
            line("var u = t;");
            line("var w = for i: 3 { for j: 4 { t[i + j] } };");
            statements({{"a", "b", "c", "p", "q", "x", "y"}, {}}, between(3, 6));
            line("(x + y, u, w)");
          });
    return std::move(text_);
  }

 private:
  auto number(const Scope& scope, int depth) -> std::string {
    const auto part = [&] { return number(scope, depth - 1); };
    switch (depth == 0 ? below(4) : below(14)) {
      case 0:
        return fmt::format("{}", below(9));
      case 1:
      case 2:
        return one_of(scope.numbers);
      case 3:
        return scope.counters.empty() ? one_of(scope.numbers) : one_of(scope.counters);
      case 4:
      case 5:
        return fmt::format("({} + {})", part(), part());
      case 6:
        return fmt::format("({} - {})", part(), part());
      case 7:
        return fmt::format("({} * {})", part(), part());
      case 8:
        return fmt::format("t[{}]", index(scope));
      case 9:
        return fmt::format("u[{}]", index(scope));
      case 10:
        return fmt::format("w[{}][{}]", index(scope), index(scope));
      case 11:
        return fmt::format("({} if {} else {})", part(), truth(scope, depth - 1), part());
      case 12:
        return percent(80) || options_.faults != FunctionOptions::Faults::Any
                   ? fmt::format("({} % 5)", part())
                   : fmt::format("({} {} {})", part(), one_of({"/", "%"}), number(scope, 0));
      default:
        return percent(70) || options_.faults != FunctionOptions::Faults::Any
                   ? fmt::format("({} >> {})", part(), below(4))
                   : fmt::format("({} << {})", number(scope, 0), number(scope, 0));
    }
  }

  auto index(const Scope& scope) -> std::string {
    if (!scope.counters.empty() && percent(35)) {
      return percent(70) ? one_of(scope.counters) : one_of(scope.counters) + " + 1";
    }
    return percent(30) ? fmt::format("{}", below(4)) : number(scope, percent(20) ? 1 : 0);
  }

  auto truth(const Scope& scope, int depth) -> std::string {
    switch (depth <= 0 ? below(3) : below(6)) {
      case 0:
        return percent(50) ? "s" : fmt::format("{} == {}", number(scope, 0), number(scope, 0));
      case 1:
      case 2:
        return fmt::format("{} {} {}", number(scope, 1), one_of({"<", ">", "<=", "!="}),
                           number(scope, 0));
      case 3:
        return fmt::format("({} && {})", truth(scope, depth - 1), truth(scope, depth - 1));
      case 4:
        return fmt::format("({} || {})", truth(scope, depth - 1), truth(scope, depth - 1));
      default:
        return fmt::format("!({})", truth(scope, depth - 1));
    }
  }

  void statements(Scope scope, int64_t n) {
    ++scope.depth;
    for (int64_t i = 0; i < n; ++i) {
      statement(scope);
    }
  }

  /// In braces, perhaps left at the end.
  void inner(const Scope& scope) {
    statements(scope, between(1, 3));
    if (percent(scope.loops > 0 ? 25 : 8)) {
      const bool leaves_loop = scope.loops > 0 && percent(80);
      line(!leaves_loop  ? fmt::format("return ({}, u, w);", number(scope, 1))
           : percent(50) ? "break;"
                         : "continue;");
    }
  }

  void statement(Scope& scope) {
    switch (scope.depth > 3 ? below(6) : below(12)) {
      case 0: {
        const std::string name = new_name("v");
        line(fmt::format("let {} = {};", name, number(scope, 2)));
        scope.numbers.push_back(name);
        return;
      }
      case 1:
      case 2:
        line(fmt::format("{} = {};", one_of({"x", "y"}), number(scope, 2)));
        return;
      case 3:
        line(fmt::format("u[{}] = {};", index(scope), number(scope, 2)));
        return;
      case 4: {
        const std::string at = index(scope);
        line(percent(40)
                 ? fmt::format("u[{0}] = u[{0}] {1} {2};", at, one_of({"+", "-"}), number(scope, 1))
                 : fmt::format("w[{}][{}] = {};", at, index(scope), number(scope, 1)));
        return;
      }
      case 5:
        line(percent(50) ? fmt::format("w[{}] = w[{}];", index(scope), index(scope))
                         : fmt::format("u = for i: 6 {{ u[i] + {} }};", number(scope, 0)));
        return;
      case 6:
      case 7:
      case 8: {
        const auto arm = [&] { inner(scope); };
        choice(truth(scope, 2), arm, arm, percent(50));
        return;
      }
      case 9:
      case 10:
        counted(scope);
        return;
      default:
        repeated(scope);
    }
  }

  void counted(const Scope& scope) {
    const std::string name = new_name("i");
    const std::string lower = percent(60) ? fmt::format("{}", below(3)) : number(scope, 0);
    const std::string upper = percent(40) ? fmt::format("{}", 2 + below(5)) : number(scope, 1);
    const std::string step = percent(70) ? "" : fmt::format(" step {}", 1 + below(3));
    Scope inside = scope;
    inside.counters.push_back(name);
    ++inside.loops;
    block(fmt::format("for {} in {}..{}{} max {}", name, lower, upper, step, 1 + below(6)),
          [&] { inner(inside); });
  }

  void repeated(const Scope& scope) {
    Scope inside = scope;
    ++inside.loops;
    const std::string condition = fmt::format("while {} max {}", truth(scope, 1), 1 + below(5));
    const auto body = [&] { inner(inside); };
    percent(60) ? block(condition, body) : block("do", body, fmt::format(" {};", condition));
  }
};

}  // namespace

auto steered_function(Random& random, const FunctionOptions& options) -> std::string {
  return SteeredWriter(random, options).run();
}

}  // namespace tacet::testing
