#include "compiler/he/gates/table_forms.h"

#include <gtest/gtest.h>

#include <random>

namespace tacet::gates {
namespace {

constexpr engine::ElementType kU8{engine::ElementKind::U8};

/// A table of `n` numbers, from the index `first` on.
template <class Function>
auto table_of(size_t n, const Function& function, engine::ElementType type = engine::kI64,
              size_t first = 0) -> TableRead {
  TableRead read{.expr = {0}, .index_type = kU8, .type = type, .first = first};
  for (size_t i = 0; i < n; ++i) {
    read.values.push_back(static_cast<engine::Cell>(function(static_cast<int64_t>(first + i))));
  }
  return read;
}

auto text_of(const TableRead& read) -> std::string {
  const auto form = cheaper_form(read, "i");
  return form ? form->text : "none";
}

TEST(TableForms, AreFoundWhereTheyCostLess) {
  EXPECT_EQ(text_of(table_of(8, [](int64_t i) { return 3 * i + 5; })), "(i as i64 * 3 + 5)");
  EXPECT_EQ(text_of(table_of(8, [](int64_t i) { return 250 - 3 * i; })), "(250 - i as i64 * 3)");
  EXPECT_EQ(text_of(table_of(64, [](int64_t i) { return (i & 7) * 5 + 1; })),
            "((i & 7) as i64 * 5 + 1)");
  EXPECT_EQ(text_of(table_of(64, [](int64_t i) { return i * i; })), "(i as i64 * i as i64)");
  EXPECT_EQ(text_of(table_of(50, [](int64_t i) { return i ^ 37; })), "(i as i64 ^ 37)");
  EXPECT_EQ(text_of(table_of(64, [](int64_t i) { return i ^ i >> 1; })), "((i ^ (i >> 1)) as i64)");
  EXPECT_EQ(text_of(table_of(64, [](int64_t i) { return std::abs(i - 20); })),
            "(20 - i as i64 if i < 20 else i as i64 - 20)");
}

TEST(TableForms, CountFromTheFirstPossibleIndex) {
  EXPECT_EQ(text_of(table_of(
                4, [](int64_t i) { return 3 * i + 5; }, engine::kI64, 4)),
            "((i & 3) as i64 * 3 + 17)");
}

TEST(TableForms, WrapAtTheWidthOfTheElements) {
  EXPECT_EQ(text_of(table_of(
                64, [](int64_t i) { return (7 * i + 200) & 255; }, kU8)),
            "(i * 7 - 56)");
}

TEST(TableForms, AreNotFoundOfWhatIsNoFunctionOfTheirs) {
  const int64_t primes[] = {2, 3, 5, 7, 11, 13, 17, 19};
  EXPECT_EQ(text_of(table_of(8, [&](int64_t i) { return primes[i]; })), "none");
  std::mt19937_64 random(1);
  EXPECT_EQ(text_of(table_of(
                64, [&](int64_t) { return random() & 255; }, kU8)),
            "none");
}

/// One element that differs is seen, wherever it is.
TEST(TableForms, HoldAtEveryIndex) {
  for (size_t at = 0; at < 32; ++at) {
    TableRead read = table_of(32, [](int64_t i) { return 3 * i + 5; });
    read.values[at] ^= 64;
    const auto form = cheaper_form(read, "i");
    EXPECT_NE(form ? form->text : "none", "(i as i64 * 3 + 5)") << at;
  }
}

}  // namespace
}  // namespace tacet::gates
