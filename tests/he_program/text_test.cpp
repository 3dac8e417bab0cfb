// Homomorphic programs as text: what is printed is read back, and errors are rejected with their
// place.

#include "engine/program/he/text.h"

#include <gtest/gtest.h>

#include "engine/program/he/validate.h"
#include "tests/harness/golden.h"
#include "tests/he_program/he_fixture.h"
#include "tests/he_program/random_he_program.h"

namespace tacet::engine {
namespace {

TEST(HeTexts, PrintedProgramsAreReadBack) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200; ++i) {
    const HeProgram program = random_he_program(random, {.n_columns = 64});
    const std::string text = to_text(program);
    const Result<HeProgram> again = parse_he_program(text);
    ASSERT_TRUE(again) << again.error().message << "\n" << text;
    ASSERT_EQ(again.value(), program) << text;
    ASSERT_EQ(to_text(again.value()), text);
  }
}

class HeText : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(HeText, IsReadBack) {
  const HeFixture fixture = read_he_fixture(GetParam());
  EXPECT_EQ(fixture.malformed, "");
  const Result<HeProgram> program = parse_he_program(fixture.program);
  ASSERT_TRUE(program) << program.error().message;
  const Result<HeProgram> again = parse_he_program(to_text(program.value()));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again.value(), program.value());
}

INSTANTIATE_TEST_SUITE_P(Run, HeText, testing::ValuesIn(he_fixture_paths("run")),
                         harness::name_of_file);

class RejectedHeText : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(RejectedHeText, HasTheErrorWrittenBehindIt) {
  const HeFixture fixture = read_he_fixture(GetParam());
  EXPECT_EQ(fixture.malformed, "");
  const Result<HeProgram> program = parse_he_program(fixture.program);
  ASSERT_FALSE(program) << "was accepted";
  if (harness::is_updating_golden()) {
    write_he_error(fixture, program.error().message);
  } else {
    EXPECT_EQ(program.error().message, fixture.error);
  }
}

INSTANTIATE_TEST_SUITE_P(Rejected, RejectedHeText, testing::ValuesIn(he_fixture_paths("rejected")),
                         harness::name_of_file);

/// Texts with something cut out, doubled or exchanged.
TEST(HeTexts, AnyTextHasAnAnswer) {
  std::mt19937_64 random(2);
  const std::vector<HeFixture> fixtures = read_he_fixtures("rejected");
  size_t n_accepted = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    if (i % 100 == 0) {
      text = to_text(random_he_program(random, {.n_columns = 64, .n_statements = 6}));
    } else {
      text = fixtures[random() % fixtures.size()].program;
    }
    for (int k = 0; k < 3; ++k) {
      const size_t at = random() % text.size();
      const size_t length = std::min<size_t>(random() % 12, text.size() - at);
      const std::string piece = text.substr(random() % text.size(), random() % 12);
      text.replace(at, length, random() % 2 == 0 ? piece : "");
    }
    const Result<HeProgram> program = parse_he_program(text);
    n_accepted += program ? 1 : 0;
    if (program) {
      EXPECT_TRUE(parse_he_program(to_text(program.value())));
    } else {
      EXPECT_FALSE(program.error().message.empty());
    }
  }
  EXPECT_LT(n_accepted, 1500);
}

/// Data that no text stands for must not be trusted either.
TEST(HeTexts, AnyDataHasAnAnswer) {
  std::mt19937_64 random(3);
  const auto wild = [&](auto& number) {
    using T = std::remove_reference_t<decltype(number)>;
    number = static_cast<T>(random() % 2 == 0 ? random() : random() % 5);
  };
  for (int i = 0; i < 2000; ++i) {
    static HeProgram original;
    if (i % 50 == 0) {
      original = random_he_program(random, {.n_columns = 64, .n_statements = 8});
    }
    HeProgram program = original;
    HeStatement& statement = program.body[random() % program.body.size()];
    HeRegister& reg = program.registers[random() % program.registers.size()];
    switch (random() % 10) {
      case 0:
        wild(statement.result.reg);
        break;
      case 1:
        if (!statement.operands.empty()) {
          wild(statement.operands[0].reg);
        }
        break;
      case 2:
        statement.opcode = static_cast<HeOpcode>(random() % 14);
        break;
      case 3:
        statement.steps.terms.push_back({.variable = static_cast<uint32_t>(random()), .factor = 1});
        break;
      case 4:
        wild(statement.table);
        break;
      case 5:
        reg.dimensions.push_back({.name = "z", .extent = static_cast<int64_t>(random())});
        break;
      case 6:
        if (!reg.gathers.empty()) {
          wild(reg.gathers[0].array);
        }
        break;
      case 7:
        wild(program.outputs[0].source.reg);
        break;
      case 8:
        statement.operands.resize(random() % 4);
        break;
      default:
        wild(program.outputs[0].extents[0]);
    }
    if (validate(program)) {
      EXPECT_TRUE(parse_he_program(to_text(program)));
    }
  }
}

}  // namespace
}  // namespace tacet::engine
