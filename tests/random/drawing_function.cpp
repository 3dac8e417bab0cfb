#include "tests/random/drawing_function.h"

#include <fmt/format.h>

#include <random>

namespace tacet::testing {
namespace {

class Writer {
 public:
  Writer(uint64_t seed, Surroundings surroundings) : random_(seed), surroundings_(surroundings) {}

  auto run() -> std::string {
    text_ = "#version 0.1.0\n";
    for (const char* name : {"g", "h", "f"}) {
      noise("fn(mpc) unused_{}(x: i64) -> i64 {{ x + 1 }}");
      text_ += fmt::format("fn(mpc) {}(n: i64, s: secret i64) -> (secret i64, i64) {{\n", name);
      depth_ = 1;
      line("var t: secret i64 = s;");
      line("var u: i64 = n;");
      statements(2 + below(3), 2);
      line("(t, u)");
      text_ += "}\n";
      callees_ += name;
    }
    return text_;
  }

 private:
  auto below(size_t n) -> size_t { return random_() % n; }

  void line(const std::string& text) { text_ += fmt::format("{:{}}{}\n", "", 4 * depth_, text); }

  void noise(fmt::format_string<size_t> format) {
    if (surroundings_ == Surroundings::TextThatDrawsNothing) {
      line(fmt::format(format, n_names_++));
    }
  }

  auto draw() -> std::string {
    switch (below(8)) {
      case 0:
        return fmt::format("rand_int({})", 1 + below(30));
      case 1:
        return "((rand_u64() % 17) as i64)";
      case 2:
        return "(rand_normal(0.0, 3.0) as i64)";
      case 3:
        return "(rand_uniform(-4.0, 8.0) as i64)";
      case 4:
        return fmt::format("sum(for i: {} {{ rand_int(9) * i + {} }})", 2 + below(3), below(4));
      case 5:
        return "rand_permutation(4)[2]";
      case 6:
        return "(rand_int(5) if rand_bool(0.5) else 2 * rand_int(5))";
      default:
        return "rand_int(2 + rand_int(7))";
    }
  }

  void block(size_t depth) {
    ++depth_;
    statements(1 + below(2), depth - 1);
    --depth_;
  }

  /// `is_secret`: nothing public may change here.
  void update(bool is_secret) {
    const char* variable = is_secret || below(2) == 0 ? "t" : "u";
    line(fmt::format("{0} = {0} + {1};", variable, draw()));
  }

  void secret_branch(size_t depth) {
    line(fmt::format("if t > {} {{", below(20)));
    ++depth_;
    update(true);
    if (depth > 0 && below(2) == 0) {
      line(fmt::format("for k in 0..{} {{ t = t + {}; }}", 1 + below(3), draw()));
    }
    --depth_;
    line("} else {");
    ++depth_;
    update(true);
    --depth_;
    line("}");
  }

  void secret_loop() {
    line(fmt::format("for k in 0..t max {} {{", 1 + below(3)));
    ++depth_;
    update(true);
    if (below(2) == 0) {
      line("if t > 15 { break; }");
    }
    --depth_;
    line("}");
  }

  void loop(size_t depth) {
    static constexpr const char* kHeads[] = {
        "for j in 0..3 {",       "for j in 2..9 step 3 {",       "for j in -1..u max 3 {",
        "for j in n..(n + 2) {", "while rand_bool(0.5) max 4 {", "while u < 10 max 2 {"};
    const size_t kind = below(std::size(kHeads) + 1);
    if (kind == std::size(kHeads)) {
      line("do {");
      block(depth);
      line(fmt::format("}} while rand_bool(0.5) max {};", 1 + below(3)));
      return;
    }
    line(kHeads[kind]);
    if (below(3) == 0) {
      line(below(2) == 0 ? "    if rand_bool(0.3) { continue; }"
                         : "    if rand_bool(0.2) { break; }");
    }
    block(depth);
    line("}");
  }

  void statements(size_t n, size_t depth) {
    for (size_t i = 0; i < n; ++i) {
      noise("let unused_{} = n * 2;");
      switch (below(depth == 0 ? 2 : 8)) {
        case 0:
        case 1:
          update(false);
          break;
        case 2:
          secret_branch(depth);
          break;
        case 3:
          secret_loop();
          break;
        case 4:
          line("if rand_bool(0.5) {");
          block(depth);
          line("} else {");
          block(depth);
          line("}");
          break;
        case 5:
          if (!callees_.empty()) {
            const char callee = callees_[below(callees_.size())];
            const size_t id = n_names_++;
            line(fmt::format("let a_{0}, b_{0} = {1}(2, t);", id, callee));
            line(fmt::format("t = t + a_{0}; u = u + b_{0};", id));
            break;
          }
          [[fallthrough]];
        default:
          loop(depth);
      }
    }
  }

  std::mt19937_64 random_;
  Surroundings surroundings_;
  std::string text_;
  std::string callees_;
  size_t depth_ = 0;
  size_t n_names_ = 0;
};

}  // namespace

auto drawing_function(uint64_t seed, Surroundings surroundings) -> std::string {
  return Writer(seed, surroundings).run();
}

}  // namespace tacet::testing
