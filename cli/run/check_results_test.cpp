// Results that are off are found, whatever they ran under: the runs are made up.

#include "cli/run/check_results.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cli/run/run_target.h"
#include "compiler/run/interpret/interpret.h"

namespace tacet::cli {
namespace {

constexpr const char* kText = R"(#version 0.1.0

fn(he) curved(x: secret [fxp; 2] in -1..1 from client, y: secret fxp in 0..1 from server)
    -> secret [fxp; 2] within 0.01
{
    let s = for v: x { sigmoid(v) + 0.5 };
    for i: 2 { max(s[i] * y - 0.25, 0.0) }
}

fn(he) squares(x: secret [i64; 2] in 0..16 from client) -> secret [i64; 2] { x * x }
)";
constexpr double kUnit = 0x1p-18;

class CheckResults : public testing::Test {
 protected:
  void take(const std::string& function) {
    const FileId file = frontend_.set_file("main.tacet", kText);
    snapshot_.emplace(frontend_.snapshot());
    Result<names::ItemId> item =
        find_target(*snapshot_, file, {.pipeline = {}, .function = function});
    item_ = *item;
    executable_ = *interpret::compile(*snapshot_, item_, {}).executable;
  }

  /// With the numbers that elements are stored as.
  auto check(const std::vector<std::vector<int64_t>>& inputs, const std::vector<int64_t>& result,
             const EncryptedProgram& program) -> ResultCheck {
    std::vector<interpret::Value> values;
    for (size_t i = 0; i < inputs.size(); ++i) {
      values.push_back({executable_.parameters[i].type, executable_.parameters[i].shape, {}});
      for (const int64_t number : inputs[i]) {
        values.back().cells.push_back(static_cast<interpret::Cell>(number));
      }
    }
    interpret::Value out{executable_.results[0].type, executable_.results[0].shape, {}};
    for (const int64_t number : result) {
      out.cells.push_back(static_cast<interpret::Cell>(number));
    }
    const HeCompileRequest request{.item = item_,
                                   .name = "f",
                                   .parameters = &executable_.parameters,
                                   .results = &executable_.results};
    Result<ResultCheck> found = check_results(
        *snapshot_, request, program, values, {out},
        [&] { return interpret::run(executable_, values, {}); }, {}, invocation_);
    EXPECT_TRUE(found) << (found ? "" : found.error().message);
    return found ? *found : ResultCheck();
  }

  static auto reals(double tolerance) -> engine::HeBundle {
    engine::HeBundle bundle;
    bundle.scheme = he::Scheme::Ckks;
    bundle.results.push_back({.name = "out", .type = "fxp", .tolerance = tolerance});
    return bundle;
  }

  program::Frontend frontend_;
  std::optional<program::FrontendSnapshot> snapshot_;
  names::ItemId item_;
  interpret::Executable executable_;
  Output nothing_{open("/dev/null", O_WRONLY), Output::Buffering::Full};
  ProgramModel model_;
  Invocation invocation_{nothing_, nothing_, {}, {}, model_};
};

TEST_F(CheckResults, OfRealsAreComparedWithMathematics) {
  take("curved");
  const auto number = [](double x) { return std::llround(x / kUnit); };
  const std::vector<std::vector<int64_t>> inputs{{number(0.75), number(-1)}, {number(0.375)}};
  const double first = (1 / (1 + std::exp(-0.75)) + 0.5) * 0.375 - 0.25;
  const double second = (1 / (1 + std::exp(1)) + 0.5) * 0.375 - 0.25;
  ASSERT_GT(first, 0.1);
  ASSERT_GT(second, 0.01);
  const ResultCheck right = check(inputs, {number(first), number(second)}, reals(0.001));
  EXPECT_EQ(right.fault, "");
  EXPECT_LE(*right.error, 0.51 * kUnit);
  const ResultCheck near = check(inputs, {number(first), number(second + 0.0009)}, reals(0.001));
  EXPECT_EQ(near.fault, "");
  EXPECT_NEAR(*near.error, 0.0009, kUnit);
  const ResultCheck wrong = check(inputs, {number(first), number(second - 0.0011)}, reals(0.001));
  EXPECT_NE(wrong.fault.find("`out[1]` is"), std::string::npos) << wrong.fault;
  EXPECT_NE(wrong.fault.find("off by 0.0011, and at most 0.001"), std::string::npos) << wrong.fault;
}

TEST_F(CheckResults, OfIntegersAreThoseOfTheReferenceDevice) {
  take("squares");
  engine::HeBundle bundle;
  bundle.scheme = he::Scheme::Bgv;
  EXPECT_EQ(check({{3, 15}}, {9, 225}, bundle).fault, "");
  EXPECT_EQ(check({{3, 15}}, {9, 224}, bundle).fault, "`out[1]` is 224, but 225 on `ref`");
  EXPECT_EQ(check({{3, 15}}, {8, 225}, engine::CggiProgram()).fault,
            "`out[0]` is 8, but 9 on `ref`");
  EXPECT_FALSE(check({{3, 15}}, {9, 225}, bundle).error);
}

}  // namespace
}  // namespace tacet::cli
