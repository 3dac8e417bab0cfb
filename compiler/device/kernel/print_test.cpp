#include "compiler/device/kernel/print.h"

#include <gtest/gtest.h>

#include "compiler/device/kernel/build.h"
#include "compiler/device/kernel/kernel_of_text.h"
#include "compiler/device/kernel/verify.h"

namespace tacet::kernel {
namespace {

TEST(Print, StatementsAreThoseOfTheText) {
  EXPECT_EQ(
      print(kernel_of_text(R"(
party alice
const n = 8;
fn(mpc) f(t: secret [i64; n] from alice, lo: i64 in -4..9, w: secret i64) -> (secret i64 to alice, i8) {
    var s = 0; let k: i8 = 3;
    for i in lo..n - 1 step 2 max 7 {
        if t[i] == w && i != 2 { s = s + (i << 1) * t[i - 1]; continue; }
        else if t[i] > w { break; } else { s = -s; }
    }
    var x: secret i64 = 1;
    do { x = x * 2 if x < 10 else x; } while x < w max 4;
    while !(s > 1) { s = s + 1; }
    var u: secret [i64; n] = for i: n { 0 };
    u[w] = 5;
    u[0] = sum(rotate(t, lo)) - (1 - u[1]) - -3;
    return (u[0] + reduce(+, 1, for i: 2 { for j: 3 { t[i + j] } })[1], k + 1);
}
)")),
      R"(fn(mpc) f(t: secret [i64; 8] from alice, lo: i64 in -4..9, w: secret i64) -> (secret i64 to alice, i8) {
    var s: secret i64 = 0;
    let k = 3 as i8;
    for i in lo..8 - 1 step 2 max 7 {
        if t[i] == w && i != 2 {
            s = s + (i << 1) * t[i - 1];
            continue;
        } else if t[i] > w {
            break;
        } else {
            s = -s;
        }
    }
    var x: secret i64 = 1;
    do {
        x = x * 2 if x < 10 else x;
    } while x < w max 4;
    while !(s > 1) {
        s = s + 1;
    }
    var u: secret [i64; 8] = for i_2: 8 { 0 };
    u[w] = 5;
    u[0] = sum(rotate(t, lo)) - (1 - u[1]) - -3;
    return (u[0] + reduce(+, 1, for i_3: 2 { for j: 3 { t[i_3 + j] } })[1], k + 1);
}
)");
}

// A variable that lives longer than the block it is first assigned to in, and longer than an
// iteration.
TEST(Print, DeclaresWhereAllUsesAre) {
  Kernel kernel = kernel_of_text("fn(mpc) f(n: i64, c: bool) -> i64 { return n; }");
  Builder build(kernel);
  const VariableId n = kernel.parameters[0];
  const VariableId c = kernel.parameters[1];
  const VariableId chosen = build.mutable_variable("chosen", {engine::kI64, {}});
  const VariableId last = build.mutable_variable("last", {{engine::ElementKind::I8, 0}, {2}});
  const VariableId i = build.variable("i", {engine::kI64, {}}, VariableKind::Counter);
  const Type i8{{engine::ElementKind::I8, 0}, {}};
  const ExprId one = build.integer(1, i8.element);
  kernel.body = {build.statement(If{build.read(c), {build.assign(chosen, build.read(n))}, {}}),
                 build.statement(
                     For{.counter = i,
                         .lower = build.integer(0),
                         .upper = build.read(chosen),
                         .body = {build.statement(StoreElement{
                             last,
                             {build.integer(0)},
                             build.binary(types::Operator::Add, one,
                                          build.element(build.read(last), {build.integer(0)}))})}}),
                 build.statement(Return{{build.cast(
                     build.element(build.read(last), {build.integer(0)}), engine::kI64)}})};
  EXPECT_TRUE(verify(kernel).empty());
  const std::string text = print(kernel);
  EXPECT_EQ(text, R"(fn(mpc) f(n: i64, c: bool) -> i64 {
    var chosen = 0;
    if c {
        chosen = n;
    }
    var last = for i: 2 { 0 as i8 };
    for i in 0..chosen {
        last[0] = 1 + last[0];
    }
    return last[0] as i64;
}
)");
  kernel_of_text(text);
}

TEST(Print, BlocksWithoutStatementsAreShort) {
  const std::string_view text = R"(fn(mpc) f(x: i64) -> i64 {
    for i in 0..x {}
    while x < 0 max 3 {}
    do {} while x < 0 max 3;
    if x > 1 {}
    if x > 2 {
        return 1;
    } else if !(x == 0) {
        return 2;
    }
    return 3;
}
)";
  EXPECT_EQ(print(kernel_of_text(text)), text);
  EXPECT_EQ(print(kernel_of_text("fn(mpc) f(x: i64) -> i64 { if x > 1 {} else { return x; } 2 }")),
            R"(fn(mpc) f(x: i64) -> i64 {
    if !(x > 1) {
        return x;
    }
    return 2;
}
)");
}

// In both arms and nowhere else.
TEST(Print, DeclaresInFrontOfBothArms) {
  Kernel kernel = kernel_of_text("fn(mpc) f(c: bool) -> bool { return c; }");
  Builder build(kernel);
  const ExprId c = build.read(kernel.parameters[0]);
  const VariableId x = build.mutable_variable("x", {engine::kI64, {}});
  kernel.body = {build.statement(If{
                     c, {build.assign(x, build.integer(1))}, {build.assign(x, build.integer(2))}}),
                 build.statement(Return{{c}})};
  const std::string text = print(kernel);
  EXPECT_EQ(text, R"(fn(mpc) f(c: bool) -> bool {
    var x = 0;
    if c {
        x = 1;
    } else {
        x = 2;
    }
    return c;
}
)");
  kernel_of_text(text);
}

TEST(Print, SecretRegionsAreBlocks) {
  Kernel kernel = kernel_of_text("fn(he) f(x: secret i64) -> secret i64 { return x; }");
  Builder build(kernel);
  const Type number{engine::kI64, {}};
  const VariableId inside = build.variable("x_inside", number);
  const VariableId y = build.variable("y_inside", number);
  const VariableId result = build.variable("y", number);
  const ExprId square = build.binary(types::Operator::Mul, build.read(inside), build.read(inside));
  kernel.body = {
      build.statement(SecretRegion{{{kernel.parameters[0], inside}},
                                   {{result, y}},
                                   {build.assign(y, square), build.statement(Separator{})}}),
      build.statement(Return{{build.read(result)}})};
  EXPECT_TRUE(verify(kernel).empty());
  const std::string text = print(kernel);
  EXPECT_EQ(text, R"(fn(he) f(x: secret i64) -> secret i64 {
    var y = 0;
    // secret region
    {
        let x_inside = x;
        let y_inside = x_inside * x_inside;
        // separator
        y = y_inside;
    }
    return y;
}
)");
  kernel_of_text(text);
}

}  // namespace
}  // namespace tacet::kernel
