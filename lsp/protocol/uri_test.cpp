#include "lsp/protocol/uri.h"

#include <gtest/gtest.h>

namespace tacet::lsp {
namespace {

TEST(Uri, DecodesFilePaths) {
  EXPECT_EQ(path_of_uri("file:///a/b.tacet"), "/a/b.tacet");
  EXPECT_EQ(path_of_uri("FILE:///a%20b/%C3%A9%2B+.tacet"), "/a b/é++.tacet");
  EXPECT_EQ(path_of_uri("file://localhost/a"), "/a");
  EXPECT_EQ(path_of_uri("file:///a%2"), "/a%2");
  EXPECT_EQ(path_of_uri("file:///a%zz%4"), "/a%zz%4");
  EXPECT_EQ(path_of_uri("file:///a?query#part"), "/a");
}

TEST(Uri, OtherUrisNameNoFile) {
  EXPECT_EQ(path_of_uri("untitled:Untitled-1"), std::nullopt);
  EXPECT_EQ(path_of_uri("file://other/share/a"), std::nullopt);
  EXPECT_EQ(path_of_uri("file://"), std::nullopt);
  EXPECT_EQ(path_of_uri("file:"), std::nullopt);
  EXPECT_EQ(path_of_uri(""), std::nullopt);
}

TEST(Uri, EveryPathSurvivesTheRoundTrip) {
  std::string path = "/";
  for (int c = 1; c < 256; ++c) {
    path += static_cast<char>(c);
  }
  EXPECT_EQ(path_of_uri(uri_of_path(path)), path);
  EXPECT_EQ(uri_of_path("/a b+c"), "file:///a%20b%2Bc");
}

TEST(StageUri, GivesItsPartsBack) {
  const std::string uri = stage_uri("ssa", "file:///w/a%20b/\xC3\xA9.tacet");
  EXPECT_EQ(uri, "tacet-stage:/ssa/file%3A///w/a%2520b/%C3%A9.tacet");
  const auto parts = stage_of_uri(uri);
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->stage, "ssa");
  EXPECT_EQ(parts->uri, "file:///w/a%20b/\xC3\xA9.tacet");
  EXPECT_FALSE(stage_of_uri("tacet-stage:/ssa"));
  EXPECT_FALSE(stage_of_uri("file:///ssa/a"));
}

}  // namespace
}  // namespace tacet::lsp
