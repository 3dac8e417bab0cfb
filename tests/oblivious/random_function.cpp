#include "tests/oblivious/random_function.h"

#include <fmt/format.h>

#include <random>

namespace tacet::oblivious {

namespace {

/// Names that a place can read.
struct Scope {
  std::vector<std::string> numbers;   ///< `i64`, to read
  std::vector<std::string> counters;  ///< of loops around, small
  int depth = 0;
  int loops = 0;
};

class FunctionWriter {
 public:
  explicit FunctionWriter(uint64_t seed) : random_(seed) {}

  auto run() -> TextFunction {
    Scope scope{{"a", "b", "c", "p", "q", "x", "y"}, {}};
    return {block(scope, 3 + below(4))};
  }

 private:
  auto below(int n) -> int { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  auto chance(int percent) -> bool { return below(100) < percent; }
  auto one_of(const std::vector<std::string>& names) -> std::string {
    return names[static_cast<size_t>(below(static_cast<int>(names.size())))];
  }

  auto number(const Scope& scope, int depth) -> std::string {
    const int kind = depth == 0 ? below(4) : below(14);
    switch (kind) {
      case 0:
        return fmt::format("{}", below(9));
      case 1:
      case 2:
        return one_of(scope.numbers);
      case 3:
        return scope.counters.empty() ? one_of(scope.numbers) : one_of(scope.counters);
      case 4:
      case 5:
        return fmt::format("({} + {})", number(scope, depth - 1), number(scope, depth - 1));
      case 6:
        return fmt::format("({} - {})", number(scope, depth - 1), number(scope, depth - 1));
      case 7:
        return fmt::format("({} * {})", number(scope, depth - 1), number(scope, depth - 1));
      case 8:
        return fmt::format("t[{}]", index(scope));
      case 9:
        return fmt::format("u[{}]", index(scope));
      case 10:
        return fmt::format("w[{}][{}]", index(scope), index(scope));
      case 11:
        return fmt::format("({} if {} else {})", number(scope, depth - 1), truth(scope, depth - 1),
                           number(scope, depth - 1));
      case 12:
        return chance(80) ? fmt::format("({} % 5)", number(scope, depth - 1))
                          : fmt::format("({} {} {})", number(scope, depth - 1), one_of({"/", "%"}),
                                        number(scope, 0));
      default:
        return chance(70) ? fmt::format("({} >> {})", number(scope, depth - 1), below(4))
                          : fmt::format("({} << {})", number(scope, 0), number(scope, 0));
    }
  }

  auto index(const Scope& scope) -> std::string {
    if (!scope.counters.empty() && chance(35)) {
      return chance(70) ? one_of(scope.counters) : one_of(scope.counters) + " + 1";
    }
    return chance(30) ? fmt::format("{}", below(4)) : number(scope, chance(20) ? 1 : 0);
  }

  auto truth(const Scope& scope, int depth) -> std::string {
    switch (depth <= 0 ? below(3) : below(6)) {
      case 0:
        return chance(50) ? "s" : fmt::format("{} == {}", number(scope, 0), number(scope, 0));
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

  auto block(Scope scope, int n) -> std::vector<TextStatement> {
    std::vector<TextStatement> statements;
    ++scope.depth;
    for (int i = 0; i < n; ++i) {
      statements.push_back(statement(scope));
    }
    return statements;
  }

  auto inner(const Scope& scope) -> std::vector<TextStatement> {
    std::vector<TextStatement> statements = block(scope, 1 + below(3));
    if (chance(scope.loops > 0 ? 25 : 8)) {
      statements.push_back({exit(scope)});
    }
    return statements;
  }

  auto exit(const Scope& scope) -> std::string {
    if (scope.loops > 0 && chance(80)) {
      return chance(50) ? "break;" : "continue;";
    }
    return fmt::format("return ({}, u, w);", number(scope, 1));
  }

  auto statement(Scope& scope) -> TextStatement {
    switch (scope.depth > 3 ? below(6) : below(12)) {
      case 0: {
        const std::string name = fmt::format("v{}", ++n_names_);
        TextStatement result{fmt::format("let {} = {};", name, number(scope, 2))};
        scope.numbers.push_back(name);
        return result;
      }
      case 1:
      case 2:
        return {fmt::format("{} = {};", one_of({"x", "y"}), number(scope, 2))};
      case 3:
        return {fmt::format("u[{}] = {};", index(scope), number(scope, 2))};
      case 4:
        if (chance(40)) {
          const std::string at = index(scope);
          return {
              fmt::format("u[{}] = u[{}] {} {};", at, at, one_of({"+", "-"}), number(scope, 1))};
        }
        return {fmt::format("w[{}][{}] = {};", index(scope), index(scope), number(scope, 1))};
      case 5:
        return chance(50)
                   ? TextStatement{fmt::format("w[{}] = w[{}];", index(scope), index(scope))}
                   : TextStatement{fmt::format("u = for i: 6 {{ u[i] + {} }};", number(scope, 0))};
      case 6:
      case 7:
      case 8:
        return branch(scope);
      case 9:
      case 10:
        return counted(scope);
      default:
        return repeated(scope);
    }
  }

  auto branch(const Scope& scope) -> TextStatement {
    TextStatement result{fmt::format("if {}", truth(scope, 2)), inner(scope)};
    result.is_compound = true;
    if (chance(50)) {
      result.middle = "else";
      result.other = inner(scope);
    }
    return result;
  }

  auto counted(const Scope& scope) -> TextStatement {
    const std::string name = fmt::format("i{}", ++n_names_);
    const std::string lower = chance(60) ? fmt::format("{}", below(3)) : number(scope, 0);
    const std::string upper = chance(40) ? fmt::format("{}", 2 + below(5)) : number(scope, 1);
    const std::string step = chance(70) ? "" : fmt::format(" step {}", 1 + below(3));
    Scope inside = scope;
    inside.counters.push_back(name);
    ++inside.loops;
    TextStatement result{
        fmt::format("for {} in {}..{}{} max {}", name, lower, upper, step, 1 + below(6)),
        inner(inside)};
    result.is_compound = true;
    return result;
  }

  auto repeated(const Scope& scope) -> TextStatement {
    Scope inside = scope;
    ++inside.loops;
    TextStatement result;
    result.is_compound = true;
    const std::string condition = fmt::format("while {} max {}", truth(scope, 1), 1 + below(5));
    if (chance(60)) {
      result.head = condition;
    } else {
      result.head = "do";
      result.tail = condition + ";";
    }
    result.body = inner(inside);
    return result;
  }

  std::mt19937_64 random_;
  int n_names_ = 0;
};

void print(const std::vector<TextStatement>& statements, int indent, std::string& text) {
  for (const TextStatement& statement : statements) {
    text += std::string(static_cast<size_t>(indent) * 4, ' ') + statement.head;
    if (statement.is_compound) {
      text += " {\n";
      print(statement.body, indent + 1, text);
      text += std::string(static_cast<size_t>(indent) * 4, ' ') + "}";
      if (!statement.middle.empty()) {
        text += " " + statement.middle + " {\n";
        print(statement.other, indent + 1, text);
        text += std::string(static_cast<size_t>(indent) * 4, ' ') + "}";
      }
      text += statement.tail.empty() ? "" : " " + statement.tail;
    }
    text += "\n";
  }
}

/// `statements` with one less, for each of them and of those inside.
void add_smaller(const std::vector<TextStatement>& statements,
                 std::vector<std::vector<TextStatement>>& found) {
  for (size_t i = 0; i < statements.size(); ++i) {
    const TextStatement& statement = statements[i];
    const auto at = static_cast<std::ptrdiff_t>(i);
    const auto with = [&](const std::vector<TextStatement>& instead) {
      std::vector<TextStatement> others = statements;
      others.erase(others.begin() + at);
      others.insert(others.begin() + at, instead.begin(), instead.end());
      found.push_back(std::move(others));
    };
    with({});
    if (!statement.is_compound) {
      continue;
    }
    with(statement.body);
    with(statement.other);
    for (const bool is_body : {true, false}) {
      std::vector<std::vector<TextStatement>> inner;
      add_smaller(is_body ? statement.body : statement.other, inner);
      for (std::vector<TextStatement>& less : inner) {
        TextStatement copy = statement;
        (is_body ? copy.body : copy.other) = std::move(less);
        with({copy});
      }
    }
  }
}

}  // namespace

auto TextFunction::text() const -> std::string {
  std::string text =
      "#version 0.1.0\n\n"
      "fn(mpc) f(a: secret i64, b: secret i64, c: secret i64 in -2..7, s: secret bool, p: i64,\n"
      "          q: i64 in 0..5, t: secret [i64; 6])\n"
      "    -> (secret i64, secret [i64; 6], secret [i64; 3, 4]) {\n"
      "    var x = a;\n"
      "    var y = p;\n"
      "    var u = t;\n"
      "    var w = for i: 3 { for j: 4 { t[i + j] } };\n";
  print(statements, 1, text);
  return text + "    (x + y, u, w)\n}\n";
}

auto random_function(uint64_t seed) -> TextFunction {
  return FunctionWriter(seed).run();
}

auto smaller(const TextFunction& function) -> std::vector<TextFunction> {
  std::vector<std::vector<TextStatement>> found;
  add_smaller(function.statements, found);
  std::vector<TextFunction> functions;
  functions.reserve(found.size());
  for (std::vector<TextStatement>& statements : found) {
    functions.push_back({std::move(statements)});
  }
  return functions;
}

}  // namespace tacet::oblivious
