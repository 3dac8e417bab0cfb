// Texts of array programs that are none, each with what is said of it behind `//- error`. That
// texts of programs read back is tested with the random ones. UPDATE_GOLDEN=1 writes the errors
// anew.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "compiler/device/array/find_fault.h"
#include "compiler/device/array/print.h"

namespace tacet::array {
namespace {

constexpr std::string_view kMark = "//- error\n";

struct Rejected {
  std::filesystem::path path;
  std::string text;
  std::string error;
};

auto rejected() -> std::vector<Rejected> {
  std::vector<Rejected> result;
  for (const auto& path : harness::find_files(
           {.folder = "tests/array/rejected", .endings = {".array"}, .least = 30})) {
    const std::string all = harness::read_file(path);
    const size_t mark = all.find(kMark);
    EXPECT_NE(mark, std::string::npos) << path;
    if (mark != std::string::npos) {
      result.push_back({path, all.substr(0, mark), all.substr(mark + kMark.size())});
    }
  }
  return result;
}

TEST(ArrayText, WhatIsWrongIsSaidWithItsPlace) {
  for (const Rejected& text : rejected()) {
    const Result<Program> program = parse_program(text.text);
    ASSERT_FALSE(program.has_value()) << text.path;
    const std::string error = program.error().message + "\n";
    EXPECT_EQ(error.rfind("line ", 0), 0U) << text.path << ": " << error;
    harness::expect_golden(text.path, text.text + std::string(kMark) + error);
  }
}

/// Texts with something cut out, doubled or exchanged are programs or have an error.
TEST(ArrayText, AnyTextHasAnAnswer) {
  const std::string whole =
      "input a: [4, 3] from client in -3..4\n"
      "input s from server\n"
      "constant c: [2, 2] = 1, -2, 3, 4\n"
      "x[i: 4] = sum[j: 3](a[i, j] * c[0, 1 - j]) + s\n"
      "out[i: 4, k: 2] = (%1 - x[(i + 3) mod 4]) * %1 * (-7) + product[l: 4](x[l] - 2*k)\n"
      "  %1 = x[3 - i] - c[k, k]\n";
  std::string valid = whole;
  valid.replace(valid.find("x[l] - 2*k"), 10, "x[l + k] - 2");
  ASSERT_TRUE(parse_program(valid).has_value()) << parse_program(valid).error().message;
  std::mt19937_64 random(1);
  size_t n_accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text = valid;
    for (uint64_t n = 1 + random() % 3; n > 0; --n) {
      const size_t at = random() % text.size();
      const size_t length = std::min<size_t>(random() % 8, text.size() - at);
      const std::string piece = text.substr(random() % text.size(), random() % 8);
      text.replace(at, length, random() % 2 == 0 ? piece : "");
    }
    Result<Program> program = parse_program(text);
    if (!program) {
      EXPECT_FALSE(program.error().message.empty());
      continue;
    }
    ++n_accepted;
    EXPECT_EQ(find_fault(*program), "") << text;
    Result<Program> again = parse_program(print(*program));
    ASSERT_TRUE(again.has_value()) << again.error().message << "\n" << print(*program);
    EXPECT_EQ(*again, *program) << text;
  }
  EXPECT_GE(n_accepted, 100U);
}

}  // namespace
}  // namespace tacet::array
