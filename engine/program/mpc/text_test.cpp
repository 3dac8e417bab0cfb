#include "engine/program/mpc/text.h"

#include <gtest/gtest.h>

#include "engine/program/mpc/clear.h"
#include "engine/random/public_random.h"

namespace tacet::engine {
namespace {

constexpr std::string_view kProgram = R"(mpc_program 1
party alice
party bob
input x: secret i64[4] from alice
input p: public i64
input w: secret fxp<20>[2, 3] from bob

_3: secret i64[4] = mul x, p @7
_4: secret i64 = sum _3 [0]
_5: public i64 = constant [-9223372036854775808]
total_6: secret i64 = copy _4
for i_7: public i64 = _5, p step p max p { @9
  _8: public bool = lt i_7, p
  if _8 {
    total_6 = add total_6, _4
    continue
  } else {
    break
  }
}
loop {
  break
}
_9: public i64 = reveal total_6
_10: secret fxp<20>[3, 2] = view w [0, 1, 3]
_11: secret fxp<20>[2, 2] = matmul w, _10
_12: public i64 = reveal _4 to bob
stop

output total = total_6 to alice
output shown = _9
)";

TEST(MpcText, IsReadAsItIsPrinted) {
  Result<MpcProgram> program = parse_mpc_program(kProgram);
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_EQ(to_text(*program), kProgram);
  Result<MpcProgram> again = parse_mpc_program(to_text(*program));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *program);
  std::string commented = "// a comment\n\n";
  commented += kProgram;
  EXPECT_TRUE(is_mpc_program(commented));
  EXPECT_FALSE(is_mpc_program("he_program 1"));
}

/// A line that is no instruction, and a part of what is said of it.
struct Wrong {
  std::string_view code;
  std::string_view part;
};

constexpr Wrong kWrong[] = {
    {"y: secret i64 = mul x, x", "gives `secret i64[4]`, not `secret i64`"},
    {"y: public i64[4] = mul x, x", "not `public i64[4]`"},
    {"y: secret i64[4] = mul x", "expected `,`"},
    {"y: secret i64[4] = mul x, z", "unknown register `z`"},
    {"y = mul x, x", "has no type"},
    {"x: secret i64 = sum x [0]", "register `x` already exists"},
    {"y: secret i64 = sum x [1]", "no such dimension"},
    {"y: secret i64 = sum x", "wrong number of constants"},
    {"y: secret i64[4] = frobnicate x", "expected an instruction"},
    {"y: secret f64[4] = copy x", "cannot be shared"},
    {"y: secret i64[0] = view x [0, 1]", "at least one"},
    {"y: secret i64[2] = view x [3, 1]", "reads outside its operand"},
    {"y: secret i64[2] = view x [0, -1]", "reads outside its operand"},
    {"y: secret i64[2] = view x [0, 9223372036854775807]", "reads outside its operand"},
    {"y: secret i64[4000000000, 4000000000] = view x [0, 0, 0]", "at most"},
    {"y: secret i64[4] = pick x, x", "public i64"},
    {"y: secret bool = lt p, p", "not `secret bool`"},
    {"y: secret i64[4] = add x, b", "different types"},
    {"y: secret i64[4] = not x", "does not take `i64`"},
    {"if s {\n}", "public boolean"},
    {"for i: secret i64 = p, p {\n}", "the same type"},
    {"for i: public i64 = p, s {\n}", "public"},
    {"for i: public i64 = p, p {\n  i = copy p\n}", "assigned only by its loop"},
    {"loop {\n  y: public i64 = copy p\n}\nz: public i64 = copy y", "has no value here"},
    {"loop {", "unclosed brace"},
    {"}", "unmatched `}`"},
    {"} else {", "without `if`"},
    {"break", "not inside a loop"},
    {"y: public i64 = reveal s to carol", "unknown party `carol`"},
    {"y: secret i64[4] = sort_by x, s", "a key for each"},
    {"y: secret i64[5] = top_k x [5]", "more elements than available"},
    {"y: public i64 = constant [1, 2]", "wrong number of elements"},
    {"output y = s\noutput z = q", "unknown register `q`"},
    {"y: public u64 = draw [6, 0]", "names no draw"},
    {"y: public u64 = draw [3, 0, 2]", "names no draw"},
    {"y: public u64 = draw p [3, 0]", "names no draw"},
    {"y: public u64 = draw p [3, 2]", "names no draw"},
    {"y: public u64[4] = draw x [3, 1]", "secret operand"},
    {"y: secret u64 = draw p [3, 1]", "not `secret u64`"},
    {"y: public u64 = draw_secret p [3, 1]", "not `public u64`"},
    {"y: public bool = draw p [1, 0]", "argument of the wrong type"},
    {"y: public i64 = draw p [5, 1]", "one more dimension"},
};

TEST(MpcText, SaysWhatIsWrongAndWhere) {
  for (const Wrong& wrong : kWrong) {
    std::string text =
        "mpc_program 1\ninput x: secret i64[4]\ninput p: public i64\ninput s: secret bool\n"
        "input b: secret i32[4]\n";
    text += wrong.code;
    Result<MpcProgram> program = parse_mpc_program(text);
    ASSERT_FALSE(program) << wrong.code;
    EXPECT_NE(program.error().message.find(wrong.part), std::string::npos)
        << wrong.code << "\n"
        << program.error().message;
  }
  EXPECT_FALSE(parse_mpc_program(""));
  EXPECT_FALSE(parse_mpc_program("mpc_program 2"));
  EXPECT_FALSE(parse_mpc_program("mpc_program 1\n\x01"));
}

auto run_mpc(const std::string& code, const std::vector<MpcCells>& inputs) -> MpcClearRun {
  Result<MpcProgram> program = parse_mpc_program("mpc_program 1\n" + code);
  EXPECT_TRUE(program) << program.error().message;
  return program ? run_in_the_clear(*program, inputs) : MpcClearRun{};
}

TEST(MpcClear, RunsLoopsAsFarAsTheyGo) {
  const std::string code =
      "input n: public u8\ninput step: public u8\n"
      "zero: public u8 = constant [0]\nsum: public u8 = copy zero\n"
      "for i: public u8 = zero, n step step {\n  sum = add sum, i\n}\noutput sum = sum\n";
  EXPECT_EQ(run_mpc(code, {{10}, {3}}).outputs, (std::vector<MpcCells>{{18}}));
  EXPECT_EQ(run_mpc(code, {{0}, {3}}).outputs, (std::vector<MpcCells>{{0}}));
  // 0, 200; then the counter would leave its type.
  EXPECT_EQ(run_mpc(code, {{255}, {200}}).outputs, (std::vector<MpcCells>{{200}}));
  EXPECT_EQ(run_mpc(code, {{10}, {0}}).fault, MpcRunFault::BadStep);
}

TEST(MpcClear, PlacesAndPicks) {
  const std::string code =
      "input x: secret i64[4]\ninput at: public i64[3]\ninput v: secret i64[3]\n"
      "a: secret i64[4] = place x, at, v\nb: secret i64[4] = place_add x, at, v\n"
      "c: secret i64[3] = pick x, at\noutput a = a\noutput b = b\noutput c = c\n";
  const uint64_t none = ~uint64_t{0};
  EXPECT_EQ(run_mpc(code, {{1, 2, 3, 4}, {2, none, 2}, {10, 20, 30}}).outputs,
            (std::vector<MpcCells>{{1, 2, 30, 4}, {1, 2, 43, 4}, {3, 0, 3}}));
  EXPECT_EQ(run_mpc(code, {{1, 2, 3, 4}, {2, 4, 2}, {10, 20, 30}}).fault,
            MpcRunFault::PlaceOutside);
}

TEST(MpcClear, FaultsOfPublicValuesAreReportedOthersAreNot) {
  EXPECT_EQ(run_mpc("input x: public i64\ny: public i64 = div x, x\noutput y = y\n", {{0}}).fault,
            MpcRunFault::DivisionByZero);
  EXPECT_EQ(run_mpc("input x: secret i64\ny: secret i64 = div x, x\noutput y = y\n", {{0}}).outputs,
            (std::vector<MpcCells>{{0}}));
  EXPECT_EQ(run_mpc("input x: public i32\ny: public i32 = shl x, x\noutput y = y\n", {{32}}).fault,
            MpcRunFault::ShiftOutOfRange);
}

TEST(MpcClear, DrawsAreThoseOfTheirPlaces) {
  const std::string code =
      "input n: public i64[3]\nw: public i64[3] = iota [5, 1]\nc: public i64 = constant [-9]\n"
      "x: public i64[3] = draw c, w, n [4, 2, 1, 0]\ny: public u64 = draw [3, 0, 1]\n"
      "p: public i64[3, 4] = draw w [5, 1]\noutput x = x\noutput y = y\noutput p = p\n";
  Result<MpcProgram> program = parse_mpc_program("mpc_program 1\n" + code);
  ASSERT_TRUE(program);
  Result<MpcProgram> again = parse_mpc_program(to_text(*program));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *program);
  const PublicRandomKey key{{1, 2, 3, 4}};
  BitString bits;
  bits.push_back(true);
  BitString longer = bits;
  longer.push_back(false);
  std::vector<MpcCells> expected(3);
  expected[1] = {PublicRandomStream(key, bits, {}).next()};
  for (uint64_t i = 0; i < 3; ++i) {
    const std::vector<uint64_t> words = {static_cast<uint64_t>(-9), 5 + i};
    expected[0].push_back(PublicRandomStream(key, longer, words).below(100 + i));
    const std::vector<uint64_t> last = {5 + i};
    const MpcCells order = PublicRandomStream(key, {}, last).permutation(4);
    expected[2].insert(expected[2].end(), order.begin(), order.end());
  }
  EXPECT_EQ(run_in_the_clear(*program, {{100, 101, 102}}, key).outputs, expected);
  EXPECT_EQ(run_in_the_clear(*program, {{100, 0, 102}}, key).fault, MpcRunFault::EmptyDraw);
}

}  // namespace
}  // namespace tacet::engine
