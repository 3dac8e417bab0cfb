#include "lsp/server/read_order.h"

#include <gtest/gtest.h>

namespace tacet::lsp {
namespace {

TEST(ReadOrder, WhatBeganLastIsTheNewest) {
  ReadOrder order;
  const auto first = order.begin();
  const auto second = order.begin();
  EXPECT_TRUE(order.take("a", second));
  EXPECT_FALSE(order.take("a", first));
  EXPECT_TRUE(order.take("b", first));
  EXPECT_TRUE(order.take("b", second));
  EXPECT_TRUE(order.take("b", second));
  EXPECT_FALSE(order.take("b", first));
  EXPECT_TRUE(order.take("b", order.begin()));
  EXPECT_EQ(order.n_in_flight(), 3U);
}

TEST(ReadOrder, ReadsBeforeARemovalAreOutdated) {
  ReadOrder order;
  order.set_removed("/a");
  const auto before = order.begin();
  EXPECT_TRUE(order.take("/a/b", before));
  order.set_removed("/a/b");
  const auto after = order.begin();
  for (const char* path : {"/a/b", "/a/b/c", "/a/b/c/d"}) {
    EXPECT_FALSE(order.take(path, before)) << path;
    EXPECT_TRUE(order.take(path, after)) << path;
  }
  EXPECT_TRUE(order.take("/a/bc", before));
  EXPECT_TRUE(order.take("/a", before));
  order.end();
  order.end();
  // Nothing is kept for reads that are over.
  const auto later = order.begin();
  EXPECT_TRUE(order.take("/a/b/c", later));
}

}  // namespace
}  // namespace tacet::lsp
