#include "tests/mpc_lower/loop_nests.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <random>
#include <vector>

namespace tacet::mpc_lower {

namespace {

class Writer {
 public:
  explicit Writer(uint64_t seed) : random_(seed) {
    static constexpr const char* kTypes[] = {"i8", "u8", "i16", "u32", "i32", "i64", "u64"};
    type_ = kTypes[below(7)];
    is_signed_ = type_[0] == 'i';
    n_ = 8 + below(below(4) == 0 ? 30 : 9);
    is_bounded_ = is_signed_ && below(3) > 0;
  }

  auto text() -> std::string {
    std::string body;
    switch (below(8)) {
      case 0:
      case 1:
        body = nest();
        break;
      case 2:
        body = loop("r", "    ",
                    fmt::format("    for r in 0..3 {{\n{}    }}\n", loop("i", "        ", "")));
        break;
      default:
        body = loop("i", "    ", "");
        break;
    }
    const std::string bound =
        is_bounded_ ? fmt::format(" in {}..{}", -1 - below(30), 1 + below(30)) : "";
    return fmt::format(
        "#version 0.1.0\n\nfn(mpc) f(x: secret [{0}; {1}]{4}, y: secret [{0}; {1}]{4}, "
        "m: secret [[{0}; 4]; {1}]{4}, c: secret [bool; {1}], p: [{0}; {1}], start: secret {0}) -> "
        "(secret {0}, secret {0}, secret {0}, secret bool, secret bool, secret [{0}; {1}], secret "
        "[{0}; {1}], secret [[{0}; 4]; {1}], secret [{0}; 4], secret {0}) {{\n"
        "    var s: secret {0} = {2};\n    var t: secret {0} = 1;\n    var u: secret {0} = {5};\n"
        "    var b: secret bool = false;\n    var d: secret bool = true;\n"
        "    var all: secret [{0}; {1}] = for k: {1} {{ 1 }};\n"
        "    var z: secret [{0}; {1}] = y;\n"
        "    var g: secret [[{0}; 4]; {1}] = for k: {1} {{ for l: 4 {{ 2 }} }};\n"
        "    var h: secret [{0}; 4] = for k: 4 {{ 3 }};\n"
        "    var total: secret {0} = 0;\n{3}"
        "    return (s, t, u, b, d, all, z, g, h, total);\n}}\n",
        type_, n_, below(2) == 0 ? "start" : "3", body, bound, is_signed_ ? 2 - below(20) : 2);
  }

 private:
  auto below(uint64_t n) -> int { return static_cast<int>(random_() % n); }

  auto number() -> std::string {
    switch (below(5)) {
      case 0:
        return fmt::format("x[{}]", counter_);
      case 1:
        return fmt::format("y[{}]", counter_);
      case 2:
        return fmt::format("p[{}]", counter_);
      case 3:
        return has_early_ ? "early" : fmt::format("x[{}]", counter_);
      default:
        return fmt::format("{}", below(4));
    }
  }
  auto truth() -> std::string {
    return below(2) == 0 ? fmt::format("c[{}]", counter_)
                         : fmt::format("({} < {})", number(), fmt::format("y[{}]", counter_));
  }
  auto one_of(const std::vector<std::string>& names) -> std::string {
    return names[random_() % names.size()];
  }

  auto linear(const std::vector<std::string>& names, int depth) -> std::string {
    switch (depth == 0 ? 0 : below(8)) {
      case 0:
      case 1:
        return one_of(names);
      case 2:
        return fmt::format("({} + {})", linear(names, depth - 1), number());
      case 3:
        return fmt::format("({} * {})", number(), linear(names, depth - 1));
      case 4:
        return fmt::format("({} - {})", linear(names, depth - 1), linear(names, depth - 1));
      case 5:
        return fmt::format("({} if {} else {})", linear(names, depth - 1), truth(),
                           linear(names, depth - 1));
      case 6:
        return below(12) == 0
                   ? fmt::format("({0} * {0})", one_of(names))
                   : fmt::format("({} if {} else {})", linear(names, depth - 1), truth(), number());
      default:
        return fmt::format("({} + {})", linear(names, depth - 1), linear(names, depth - 1));
    }
  }
  auto linear_truth(const std::vector<std::string>& names, int depth) -> std::string {
    switch (depth == 0 ? 0 : below(7)) {
      case 0:
        return one_of(names);
      case 1:
        return fmt::format("({} != {})", linear_truth(names, depth - 1),
                           linear_truth(names, depth - 1));
      case 2:
        return fmt::format("({} && {})", linear_truth(names, depth - 1), truth());
      case 3:
        return fmt::format("({} || {})", truth(), linear_truth(names, depth - 1));
      case 4:
        return fmt::format("(!{})", linear_truth(names, depth - 1));
      case 5:
        return fmt::format("({} == {})", linear_truth(names, depth - 1), truth());
      default:
        return fmt::format("({} if {} else {})", linear_truth(names, depth - 1), truth(),
                           linear_truth(names, depth - 1));
    }
  }
  auto clamped(const std::string& name, int depth) -> std::string {
    if (depth == 0) {
      return name;
    }
    const std::string inner = clamped(name, depth - 1);
    switch (below(8)) {
      case 0:
        return fmt::format("({} + {})", inner, number());
      case 1:
        return fmt::format("({} - {})", inner, number());
      case 2:
        return fmt::format("max({}, {})", inner, is_signed_ ? -below(20) : below(9));
      case 3:
        return fmt::format("min({}, {})", 5 + below(30), inner);
      case 4:
        return fmt::format("max({}, {})", number(), inner);
      case 5:
        return fmt::format("({0} if {0} < {1} else {1})", inner, 10 + below(30));
      case 6:
        return fmt::format("({} if {} else {})", inner, truth(), clamped(name, depth - 1));
      default:
        return fmt::format("min(max({} + {}, {}), {})", inner, number(), below(5), 20 + below(30));
    }
  }

  /// Statements around an update that read what it carries.
  void add_reader(std::vector<std::string>& lines, const std::vector<std::string>& names) {
    switch (below(5)) {
      case 0:
        lines.push_back(fmt::format("all[{}] = {} + 1;", counter_, one_of(names)));
        break;
      case 1:
        lines.push_back(fmt::format("total = total + {} * 3;", one_of(names)));
        break;
      case 2:
        lines.push_back(fmt::format("total = max(total, {});", one_of(names)));
        break;
      default:
        break;
    }
  }

  auto loop(const std::string& counter, const std::string& indent, const std::string& inside)
      -> std::string {
    counter_ = counter;
    std::vector<std::string> lines;
    has_early_ = below(3) == 0;
    if (has_early_) {
      lines.push_back(fmt::format("var early = x[{0}] * y[{0}] + 1;", counter_));
    }
    const int n_groups = 1 + below(2);
    for (int group = 0; group < n_groups; ++group) {
      add_group(lines);
      if (has_early_ && below(2) == 0) {
        lines.push_back(fmt::format("early = early * 2 - y[{}];", counter_));
      }
    }
    has_early_ = false;
    const int first = below(3);
    std::string text = inside + fmt::format("{}for {} in {}..{} {{\n", indent, counter, first, n_);
    for (const std::string& line : lines) {
      text += indent + "    " + line + "\n";
    }
    return text + indent + "}\n";
  }

  void add_group(std::vector<std::string>& lines) {
    switch (below(6)) {
      case 0: {  // a system of numbers
        const std::vector<std::string> names = below(2) == 0
                                                   ? std::vector<std::string>{"s", "t"}
                                                   : std::vector<std::string>{"s", "t", "u"};
        add_reader(lines, names);
        if (below(2) == 0) {
          lines.push_back("let old = " + linear(names, 1) + ";");
          lines.push_back("s = " + linear(names, 2) + ";");
          lines.push_back("t = old + " + linear(names, 1) + ";");
        } else {
          for (const std::string& name : names) {
            lines.push_back(fmt::format("{} = {};", name, linear(names, 2)));
          }
        }
        if (below(4) == 0) {
          lines.push_back("s = s + " + number() + ";");
        }
        add_reader(lines, names);
        break;
      }
      case 1: {  // of truth values
        add_truths(lines);
        break;
      }
      case 2:
        add_reader(lines, {"u"});
        lines.push_back("u = " + clamped("u", 2) + ";");
        if (below(3) == 0) {
          lines.push_back("u = " + clamped("u", 1) + ";");
        }
        add_reader(lines, {"u"});
        break;
      case 3:
        add_elements(lines);
        break;
      case 4:
        lines.push_back("u = min(max(u + " + number() + ", 0), 40);");
        add_reader(lines, {"u"});
        break;
      default:
        lines.push_back(fmt::format("if {} {{", truth()));
        lines.push_back("    let old = t;");
        lines.push_back("    t = s;");
        lines.push_back("    s = " + number() + " * old + s;");
        lines.push_back("}");
        add_reader(lines, {"s", "t"});
        break;
    }
  }

  void add_truths(std::vector<std::string>& lines) {
    lines.push_back("let was = b;");
    lines.push_back("b = " + linear_truth({"b", "d"}, 2) + ";");
    lines.push_back("d = " + linear_truth({"was", "d"}, 2) + ";");
    if (below(2) == 0) {
      lines.push_back("total = total + (1 if b != was else 0);");
    }
  }

  /// A row made of its elements before.
  void add_elements(std::vector<std::string>& lines) {
    const std::string& i = counter_;
    const auto last = [&] { return fmt::format("z[{} - {}]", i, 1 + below(3)); };
    if (below(3) == 0) {
      lines.push_back(fmt::format("total = total + {};", last()));
    }
    switch (below(4)) {
      case 0:
        lines.push_back(fmt::format("z[{}] = min(max({} + {}, 0), 50);", i, last(), number()));
        break;
      case 1:
        lines.push_back(fmt::format("z[{0}] = z[{0}] + {1} * {2};", i, number(), last()));
        break;
      case 2:
        lines.push_back(
            fmt::format("z[{}] = {} * {} + {} * {};", i, number(), last(), number(), last()));
        break;
      default:
        lines.push_back(
            fmt::format("if {} {{ z[{}] = {} * {} + 1; }}", truth(), i, number(), last()));
        break;
    }
    if (below(3) == 0) {
      lines.push_back(fmt::format("all[{0}] = z[{0}] + {1};", i, last()));
    }
  }

  /// Two loops that meet elements several times, by sums of their counters.
  auto diagonals() -> std::string {
    static constexpr const char* kUpdates[] = {
        "z[a + e] = z[a + e] + x[a] * y[e];",
        "z[a + 3 - e] = z[a + 3 - e] * x[a] + y[e];",
        "z[a + e] = z[a + e] - z[a] * x[e];",
        "all[a + e] = min(all[a + e] + x[e], 60);",
    };
    return fmt::format("    for a in 0..4 {{ for e in 0..4 {{ {} }} }}\n", kUpdates[below(4)]);
  }

  /// Two loops, of which one carries.
  auto nest() -> std::string {
    if (below(4) == 0) {
      return diagonals();
    }
    counter_ = "i";
    static constexpr const char* kUpdates[] = {
        "g[i][j] = g[i - 1][j] * m[i][j] + {};",
        "g[i][j] = g[i - 1][j] * m[i][j] + g[i - 2][j] * {};",
        "g[i][j] = min(max(g[i - 1][j] + m[i][j], 0), 60) + 0 * {};",
        "h[j] = h[j] * m[i][j] + {};",
        "h[j] = min(max(h[j] + m[i][j], {}), 90);",
        "g[i][j] = g[i - 1][(j + 1) % 4] * m[i][j] + {};",
        "h[j] = h[j] * m[i][j] + h[3 - j] * {};",
        "s = s * m[i][j] + t; t = s * {};",
        "g[i][j] = g[i - 1][j] * m[i][j] + {}; h[j] = h[j] + g[i][j];",
    };
    const std::string update = fmt::format(fmt::runtime(kUpdates[below(9)]), number());
    const std::string body = fmt::format("        for j in 0..4 {{ {} }}\n", update);
    return fmt::format("    for i in 2..{} {{\n{}    }}\n", n_, body);
  }

  std::mt19937_64 random_;
  std::string type_;
  std::string counter_;
  bool is_signed_ = false;
  bool is_bounded_ = false;
  bool has_early_ = false;
  int n_ = 8;
};

}  // namespace

auto loop_nest_text(uint64_t seed) -> std::string {
  return Writer(seed).text();
}

}  // namespace tacet::mpc_lower
