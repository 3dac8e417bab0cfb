#include "compiler/front/types/open_records.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tacet::types {
namespace {

using Pairs = std::vector<std::pair<Term, Term>>;

constexpr Name kX{1};
constexpr Name kY{2};

TEST(OpenRecords, HaveTheFieldsThatAreAdded) {
  OpenRecords records;
  const uint32_t record = records.add();
  EXPECT_EQ(records.field(record, kX), nullptr);
  records.add_field(record, {kX, Term(TypeStore::kI64), 4});
  ASSERT_NE(records.field(record, kX), nullptr);
  EXPECT_EQ(records.field(record, kX)->type, Term(TypeStore::kI64));
  EXPECT_EQ(records.field(record, kX)->flags, 4);
  EXPECT_EQ(records.field(record, kY), nullptr);
}

TEST(OpenRecords, ShareFieldsOnceMerged) {
  OpenRecords records;
  const uint32_t a = records.add();
  const uint32_t b = records.add();
  records.add_field(a, {kX, Term::variable(0), 1});
  records.add_field(b, {kX, Term::variable(1), 2});
  records.add_field(b, {kY, Term::variable(2), 8});
  EXPECT_EQ(records.merge(a, b), (Pairs{{Term::variable(0), Term::variable(1)}}));
  EXPECT_EQ(records.root(a), records.root(b));
  for (const uint32_t record : {a, b}) {
    ASSERT_EQ(records.fields(record).size(), 2U);
    EXPECT_EQ(records.field(record, kX)->type, Term::variable(0));
    EXPECT_EQ(records.field(record, kX)->flags, 3);
    EXPECT_EQ(records.field(record, kY)->flags, 8);
  }
  EXPECT_EQ(records.merge(b, a), Pairs());
}

TEST(OpenRecords, AreMergedLikeSets) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    OpenRecords records;
    std::vector<uint32_t> sets;  // by record: the least record that it was merged with
    for (uint32_t i = 0; i < 30; ++i) {
      sets.push_back(records.add());
      records.add_field(i, {Name{i}, Term::variable(i), 0});
    }
    for (int i = 0; i < 25; ++i) {
      const auto a = static_cast<uint32_t>(random() % 30);
      const auto b = static_cast<uint32_t>(random() % 30);
      EXPECT_EQ(records.merge(a, b), Pairs());
      const uint32_t from = std::max(sets[a], sets[b]);
      const uint32_t to = std::min(sets[a], sets[b]);
      std::replace(sets.begin(), sets.end(), from, to);
    }
    for (uint32_t a = 0; a < 30; ++a) {
      for (uint32_t b = 0; b < 30; ++b) {
        ASSERT_EQ(records.field(a, Name{b}) != nullptr, sets[a] == sets[b]) << "seed " << seed;
        ASSERT_EQ(records.root(a) == records.root(b), sets[a] == sets[b]) << "seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace tacet::types
