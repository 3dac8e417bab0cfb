#include "lsp/server/documents/document.h"

#include <gtest/gtest.h>

#include "lsp/server/documents/document_store.h"

namespace tacet::lsp {
namespace {

constexpr auto kUtf16 = PositionEncoding::Utf16;

auto change(Position start, Position end, std::string text) -> ContentChange {
  return {Range{start, end}, std::move(text)};
}

auto edited(std::string text, std::vector<ContentChange> changes,
            PositionEncoding encoding = kUtf16) -> std::string {
  Document document("file:///a.tacet", 1, std::move(text));
  document.apply(changes, 2, encoding);
  auto view = document.view();
  EXPECT_EQ(view->version, 2);
  EXPECT_EQ(view->lines.n_lines(), LineIndex(*view->text).n_lines());
  return *view->text;
}

TEST(Document, AppliesChangesEachToTheResultOfTheOneBefore) {
  EXPECT_EQ(edited("ab\ncd\n", {change({0, 1}, {1, 1}, "X\nY\n"), change({1, 0}, {1, 1}, "Z")}),
            "aX\nZ\nd\n");
  EXPECT_EQ(edited("ab", {{std::nullopt, "x\ny"}, change({1, 1}, {1, 1}, "!")}), "x\ny!");
  EXPECT_EQ(edited("", {change({0, 0}, {0, 0}, "a")}), "a");
}

TEST(Document, CountsColumnsInTheNegotiatedEncoding) {
  const std::string text = "\U0001F600\U0001F600x";
  EXPECT_EQ(edited(text, {change({0, 4}, {0, 5}, "y")}, kUtf16), "\U0001F600\U0001F600y");
  EXPECT_EQ(edited(text, {change({0, 8}, {0, 9}, "y")}, PositionEncoding::Utf8),
            "\U0001F600\U0001F600y");
  EXPECT_EQ(edited(text, {change({0, 2}, {0, 3}, "y")}, PositionEncoding::Utf32),
            "\U0001F600\U0001F600y");
}

TEST(Document, KnowsEveryLineEnd) {
  EXPECT_EQ(edited("a\rb\r\nc\nd", {change({3, 0}, {3, 1}, "D"), change({1, 1}, {2, 0}, "-")}),
            "a\rb-c\nD");
}

TEST(Document, ClampsWhatPointsOutside) {
  Document document("file:///a", 1, "ab\ncd");
  std::vector<ContentChange> changes = {change({0, 99}, {0, 99}, "!")};
  EXPECT_EQ(document.apply(changes, 2, kUtf16), EditOutcome::Clamped);
  EXPECT_EQ(*document.view()->text, "ab!\ncd");
  changes = {change({77, 0}, {88, 0}, "?")};
  EXPECT_EQ(document.apply(changes, 3, kUtf16), EditOutcome::Clamped);
  EXPECT_EQ(*document.view()->text, "ab!\ncd?");
  changes = {change({1, 1}, {0, 1}, "x")};
  EXPECT_EQ(document.apply(changes, 4, kUtf16), EditOutcome::Clamped);
  EXPECT_EQ(*document.view()->text, "ab!\ncxd?");
}

TEST(Document, AViewOutlivesLaterEdits) {
  Document document("untitled:Untitled-1", 1, "a\nb");
  auto before = document.view();
  EXPECT_EQ(before, document.view());
  std::vector<ContentChange> changes = {change({0, 0}, {1, 0}, "")};
  document.apply(changes, 2, kUtf16);
  EXPECT_EQ(*before->text, "a\nb");
  EXPECT_EQ(before->version, 1);
  EXPECT_EQ(before->lines.n_lines(), 2U);
  EXPECT_EQ(*document.view()->text, "b");
  EXPECT_EQ(document.view()->lines.n_lines(), 1U);
}

TEST(DocumentStore, FindsByTheClientsUriAndByPath) {
  DocumentStore store;
  EXPECT_FALSE(store.open({"file:///a%20b.tacet", "tacet", 1, "x"}));
  EXPECT_TRUE(store.open({"file:///a%20b.tacet", "tacet", 5, "y"}));
  EXPECT_EQ(store.take_touched(), std::vector<std::string>{"/a b.tacet"});
  auto snapshot = store.snapshot();
  EXPECT_EQ(snapshot, store.snapshot());
  EXPECT_EQ(snapshot->find_path("/a b.tacet")->uri, "file:///a%20b.tacet");
  EXPECT_EQ(snapshot->find_uri("file:///a b.tacet"), nullptr);
  EXPECT_TRUE(store.close("file:///a%20b.tacet"));
  EXPECT_FALSE(store.close("file:///a%20b.tacet"));
  EXPECT_EQ(store.find("file:///a%20b.tacet"), nullptr);
  EXPECT_EQ(snapshot->find_path("/a b.tacet")->version, 5);
}

}  // namespace
}  // namespace tacet::lsp
