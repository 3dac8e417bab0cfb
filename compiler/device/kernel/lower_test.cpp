// Programs and what they give: lowered and evaluated here, and on the reference device.

#include "compiler/device/kernel/lower.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/device/kernel/evaluate.h"
#include "compiler/device/kernel/print.h"
#include "compiler/device/kernel/verify.h"
#include "compiler/run/interpret/interpret.h"

namespace tacet::kernel {
namespace {

class Program {
 public:
  explicit Program(std::string_view text) {
    file_ = frontend_.set_file("program.tacet", fmt::format("#version 0.1.0\n{}", text));
    for (const Diagnostic& diagnostic : frontend_.snapshot().diagnostics(file_)) {
      if (diagnostic.severity == Severity::Error) {
        ADD_FAILURE() << code_name(diagnostic.code) << ": " << diagnostic.message;
      }
    }
  }

  auto lower(std::string_view name) -> Kernel {
    program::FrontendSnapshot snapshot = frontend_.snapshot();
    Lowering lowering =
        kernel::lower(snapshot, snapshot.find(file_, names::Namespace::Callable, name));
    if (!lowering.kernel) {
      ADD_FAILURE() << "no kernel for " << lowering.problem;
      return {};
    }
    for (const std::string& mistake : verify(*lowering.kernel)) {
      ADD_FAILURE() << mistake;
    }
    return *std::move(lowering.kernel);
  }

  /// The results of `name` by both evaluators, which must agree, as text; and those of its kernel's
  /// text. Integers fill the elements of the parameters in order.
  auto run(std::string_view name, const std::vector<int64_t>& arguments) -> std::string {
    program::FrontendSnapshot snapshot = frontend_.snapshot();
    const std::string expected = reference(snapshot, name, arguments);
    const Kernel kernel = lower(name);
    size_t at = 0;
    std::vector<Value> inputs;
    for (const VariableId parameter : kernel.parameters) {
      Value input{kernel.variables[parameter].type, {}};
      int64_t n = 1;
      for (int64_t extent : input.type.extents) {
        n *= extent;
      }
      for (int64_t i = 0; i < n; ++i) {
        input.cells.push_back(static_cast<Cell>(arguments.at(at++)));
      }
      inputs.push_back(std::move(input));
    }
    const Evaluation evaluation = evaluate(kernel, inputs);
    std::string text;
    if (evaluation.fault) {
      text = "fault";
    }
    for (const Value& result : evaluation.results) {
      text += fmt::format("[{}]", fmt::join(result.cells, ", "));
    }
    EXPECT_EQ(text, expected) << name;
    const std::string printed = print(kernel);
    Program again(printed);
    EXPECT_EQ(again.reference(again.frontend_.snapshot(), name, arguments), expected) << printed;
    EXPECT_EQ(print(again.lower(name)), printed);
    return text;
  }

 private:
  auto reference(const program::FrontendSnapshot& snapshot, std::string_view name,
                 const std::vector<int64_t>& arguments) const -> std::string {
    const interpret::Compilation compilation =
        interpret::compile(snapshot, snapshot.find(file_, names::Namespace::Callable, name), {});
    if (!compilation.executable) {
      return compilation.problem;
    }
    size_t at = 0;
    std::vector<interpret::Value> inputs;
    for (const interpret::EntryParameter& parameter : compilation.executable->parameters) {
      interpret::Value input{parameter.type, parameter.shape, {}};
      for (uint64_t i = 0; i < interpret::n_elements(parameter.shape); ++i) {
        input.cells.push_back(static_cast<Cell>(arguments.at(at++)));
      }
      inputs.push_back(std::move(input));
    }
    const interpret::RunResult result = interpret::run(*compilation.executable, inputs, {});
    std::string text;
    if (result.failure) {
      text = "fault";
    }
    for (const interpret::Value& value : result.values) {
      text += fmt::format("[{}]", fmt::join(value.cells, ", "));
    }
    return text;
  }

  program::Frontend frontend_;
  FileId file_;
};

TEST(Lower, ArithmeticWrapsAndPromotesAsOnTheReferenceDevice) {
  Program program(R"(
    const k = 3;
    fn(mpc) f(x: i8, y: i8) -> (i8, bool, i64) { (x * y + k, x < y, (x as i64) * 1000) }
    fn(mpc) g(x: fxp, y: i64) -> fxp { x * y + 0.5 }
  )");
  EXPECT_EQ(program.run("f", {100, 3}),
            fmt::format("[{}][0][100000]", static_cast<Cell>(int64_t{47})));
  EXPECT_EQ(program.run("g", {int64_t{3} << 18, 5}),
            fmt::format("[{}]", (int64_t{15} << 18) + (int64_t{1} << 17)));
}

TEST(Lower, LoopsLeaveAndSkip) {
  Program program(R"(
    fn(mpc) f(n: i64) -> i64 {
      var s = 0;
      for i in 0..n step 3 max 5 {
        if i == 6 { continue; }
        if i > 10 { break; }
        s = s * 10 + i;
      }
      return s;
    }
    fn(mpc) g(x: secret i64) -> (secret i64, secret i64) {
      var n = 0;
      var v = x;
      do {
        if v % 2 == 0 { v = v / 2; n = n + 1; continue; }
        v = 3 * v + 1;
        n = n + 1;
        if n > 100 { return (v, -1); }
      } while v != 1 max 20;
      (v, n)
    }
  )");
  EXPECT_EQ(program.run("f", {100}), "[39]");
  EXPECT_EQ(program.run("f", {-5}), "[0]");
  program.run("g", {7});
  program.run("g", {27});
  program.run("g", {1});
}

TEST(Lower, StoresOutsideAreFaultsOnlyWherePublic) {
  Program program(R"(
    fn(mpc) f(t: secret [i64; 2, 3], i: i64, k: secret i64) -> secret [i64; 2, 3] {
      var u = t;
      u[i][k] = 7;
      u
    }
  )");
  EXPECT_EQ(program.run("f", {1, 2, 3, 4, 5, 6, 1, 2}), "[1, 2, 3, 4, 5, 7]");
  EXPECT_EQ(program.run("f", {1, 2, 3, 4, 5, 6, 1, 3}), "[1, 2, 3, 4, 5, 6]");
  EXPECT_EQ(program.run("f", {1, 2, 3, 4, 5, 6, 2, 0}), "fault");
}

TEST(Lower, CalledFunctionsReturnEarlyWithinTheirCallers) {
  Program program(R"(
    fn(mpc) find(t: [i64; 4], w: i64) -> i64 {
      for i in 0..4 { if t[i] == w { return i; } }
      -1
    }
    fn(mpc) class(x: i64) -> i64 {
      if x < 0 { return 0; } else if x < 10 { return 1; }
      if x < 100 { let y = x / 10; if y == 5 { return 50; } }
      x
    }
    fn(mpc) both(x: i64) -> (i64, i64) { if x > 3 { return (x, 1); } (1, x) }
    fn(mpc) f(t: [i64; 4], w: i64) -> (i64, i64, i64) {
      var n = 0;
      while find(t, n) >= 0 max 10 { n = n + 1; if n == 7 { continue; } }
      let a, b = both(w);
      (n, class(w) + find(t, w) * 1000, a * b)
    }
    fn(mpc) g(t: [i64; 4]) -> [i64; 4] { for i: 4 { class(t[i]) + find(t, i) } }
    fn(mpc) fib(n: i64) -> i64 { if n < 2 { return n; } fib(n - 1) }
  )");
  for (int64_t w : {-3, 2, 7, 20, 55, 59, 99, 100}) {
    program.run("f", {2, 0, 1, 55, w});
    program.run("g", {w, 3, 50, -1});
  }
  // Recursion stays a call.
  EXPECT_NE(program.lower("fib").statements.size(), 0);
}

TEST(Lower, TheFirstFaultIsTheFirst) {
  Program program(R"(
    fn(mpc) half(x: i64) -> i64 { if x == 3 { return 1 << x * 100; } x / 2 }
    fn(mpc) f(x: i64, y: i64) -> i64 { x / y + half(x) }
    fn(mpc) g(x: bool, y: i64) -> bool { x && 1 / y == 1 }
  )");
  EXPECT_EQ(program.run("f", {3, 0}), "fault");
  EXPECT_EQ(program.run("f", {3, 1}), "fault");
  EXPECT_EQ(program.run("f", {8, 2}), "[8]");
  EXPECT_EQ(program.run("g", {0, 0}), "fault");  // both sides are evaluated
}

TEST(Lower, ArrayForms) {
  Program program(R"(
    fn(mpc) f(a: [i64; 3, 2], k: i64) -> ([i64; 2], i64, [i64; 3, 2], [i64; 2, 2]) {
      let s = sum(for i: 3 { a[i] });
      let p = reduce(*, 1, a);
      let b = let c = a[0] in [c, c + a[k]];
      (s, sum(p) + product(a)[1], rotate(a, k), b)
    }
    fn(mpc) g(a: [i64; 5]) -> [i64; 5] { for i: 5 { a[i - 1] + a[2 * i] if a[i] > 0 else -a[i] } }
  )");
  EXPECT_EQ(program.run("f", {1, 2, 3, 4, 5, 6, 1}), "[9, 12][92][3, 4, 5, 6, 1, 2][1, 2, 4, 6]");
  program.run("f", {1, 2, 3, 4, 5, 6, -1});
  program.run("g", {1, -2, 3, 4, -5});
}

}  // namespace
}  // namespace tacet::kernel
