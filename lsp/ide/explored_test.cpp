#include <gtest/gtest.h>

#include "compiler/core/diagnostics/apply_edits.h"
#include "compiler/core/diagnostics/code.h"
#include "lsp/ide/analysis_host.h"
#include "lsp/ide/code_actions.h"
#include "lsp/ide/explored_points.h"
#include "lsp/ide/lenses.h"

namespace tacet::ide {
namespace {

constexpr const char* kSums = R"(#version 0.1.0

tmln at_once(start: Event) -> Event { returns start }
sptl nowhere(space: BufferSpace) -> BufferSpace { returns space }

feq total {
    val total_spec(a: i64) -> i64 { returns 0 if a == 0 else total(a - 1) + a }
    val total_closed(a: i64) -> i64 { returns a * (a + 1) / 2 }
}
fn by_steps(a: i64) -> i64 impls total_spec, at_once, nowhere {
    if a == 0 { 0 } else { by_steps(a - 1) + a }
}
fn closed(a: i64) -> i64 impls total_closed, at_once, nowhere { a * (a + 1) / 2 }
val twice(a: i64) -> i64 { returns 2 * total(a) }
fn twice_here(a: i64) -> i64 impls twice, at_once, nowhere { 2 * by_steps(a) }
)";

class Explored : public testing::Test {
 protected:
  void open(std::string text) {
    text_ = std::make_shared<const std::string>(std::move(text));
    const FileChange change{"/sums/sums.tacet", text_, true};
    host_.apply({&change, 1});
  }
  /// What was measured of `twice`, with these calls the fastest.
  void explore(const std::string& calls) {
    Result<project::ExploreFile> file = project::parse_explore_file(
        "version = 1\n[[choice]]\nfile = \"sums.tacet\"\ntarget = \"twice\"\n"
        "implementation = \"twice_here\"\ndevice = \"local\"\ncalls = [" +
            calls +
            "]\nmilliseconds = 0.5\n[[choice.other]]\nimplementation = \"twice_here\"\n"
            "device = \"local\"\nmilliseconds = 2.5\n"
            "[[choice]]\nfile = \"others.tacet\"\ntarget = \"absent\"\n"
            "implementation = \"absent\"\ndevice = \"local\"\n",
        "tacet.explore");
    ASSERT_TRUE(file) << file.error().message;
    host_.set_explored("/sums", std::move(*file));
  }
  /// The codes of all diagnostics.
  auto codes() -> std::string {
    const auto analysis = host_.analysis({});
    std::string text;
    for (const Diagnostic& found :
         file_diagnostics(*analysis, *analysis->file("/sums/sums.tacet"))) {
      text += std::string(code_name(found.code)) + " ";
    }
    return text;
  }
  /// The title of the lens above `twice`.
  auto lens() -> std::string {
    const auto analysis = host_.analysis({});
    const FileId file = *analysis->file("/sums/sums.tacet");
    const size_t at = text_->find("twice(");
    for (const Lens& lens : lenses(*analysis, file)) {
      if (lens.range.begin == at) {
        return lens_text(*analysis, file, lens.subject, lens.kind)->title;
      }
    }
    return "none";
  }

  AnalysisHost host_;
  std::shared_ptr<const std::string> text_;
};

TEST_F(Explored, TimesAreInTheLens) {
  open(kSums);
  EXPECT_EQ(lens(), "1 implementation");
  explore("\"twice_here/by_steps=closed\"");
  EXPECT_EQ(lens(), "1 implementation · `twice_here` 500 µs");
}

TEST_F(Explored, HintsHaveAFixAndGoAway) {
  open(kSums);
  explore("\"twice_here/by_steps=closed\"");
  EXPECT_EQ(codes(), "T7002 ");
  const auto analysis = host_.analysis({});
  const FileId file = *analysis->file("/sums/sums.tacet");
  const Diagnostic hint = file_diagnostics(*analysis, file).front();
  std::string fixed;
  for (const Action& action : actions_at(*analysis, file, hint.place.range, FixAll::LeftOut)) {
    if (action.title == "use `closed`") {
      fixed = apply_edits(*text_, action.edits);
    }
  }
  EXPECT_NE(fixed.find("{ 2 * closed(a) }"), std::string::npos) << fixed;
  host_.set_explored("/sums", {});
  EXPECT_EQ(codes(), "");
}

/// At the call, in the file that was imported, until it is changed there.
TEST_F(Explored, HintsAreInImportedFiles) {
  open(std::string(kSums) + "val fourfold(a: i64) -> i64 { returns 2 * twice(a) }\n");
  const auto user = std::make_shared<const std::string>(R"(#version 0.1.0
import sums
fn fourfold_here(a: i64) -> i64 impls fourfold, at_once, nowhere { 2 * twice_here(a) }
pipeline main { fourfold_here }
)");
  const FileChange change{"/sums/user.tacet", user, true};
  host_.apply({&change, 1});
  Result<project::ExploreFile> file = project::parse_explore_file(
      "version = 1\n[[choice]]\nfile = \"user.tacet\"\npipeline = \"main\"\n"
      "implementation = \"fourfold_here\"\ndevice = \"local\"\n"
      "calls = [\"sums.twice_here/by_steps=closed\"]\nmilliseconds = 0.5\n"
      "[[choice.other]]\nimplementation = \"fourfold_here\"\ndevice = \"local\"\n"
      "milliseconds = 2.5\n",
      "tacet.explore");
  ASSERT_TRUE(file) << file.error().message;
  host_.set_explored("/sums", std::move(*file));
  EXPECT_EQ(codes(), "T7002 ");
  const auto analysis = host_.analysis({});
  EXPECT_TRUE(file_diagnostics(*analysis, *analysis->file("/sums/user.tacet")).empty());
  std::string text = *text_;
  text.replace(text.find("2 * by_steps"), 12, "2 * closed");
  open(text);
  EXPECT_EQ(codes(), "");
}

TEST_F(Explored, CallsCanGoToOtherFunctions) {
  open(kSums);
  const auto analysis = host_.analysis({});
  const FileId file = *analysis->file("/sums/sums.tacet");
  const auto at = static_cast<uint32_t>(text_->find("by_steps(a) }"));
  std::string changed;
  for (const Action& action : actions_at(*analysis, file, {at, at}, FixAll::LeftOut)) {
    if (action.title == "call `closed` instead of `by_steps`") {
      changed = apply_edits(*text_, action.edits);
    }
  }
  EXPECT_NE(changed.find("{ 2 * closed(a) }"), std::string::npos) << changed;
}

TEST_F(Explored, ChoicesAreComparedWithTheText) {
  open(kSums);
  explore("\"twice_here/by_steps=close\"");
  EXPECT_EQ(codes(), "T7001 ");
  explore("\"twice_here/by_steps=closed\"");
  EXPECT_EQ(codes(), "T7002 ");
  std::string text = kSums;
  text.replace(text.find("2 * by_steps"), 12, "2 * closed");
  open(text);
  EXPECT_EQ(codes(), "T7001 ");
}

/// The points with their programs; what was measured is drawn.
TEST_F(Explored, PointsHaveTheirPrograms) {
  open(kSums);
  explore("\"twice_here/by_steps=closed\"");
  const auto analysis = host_.analysis({});
  const FileId file = *analysis->file("/sums/sums.tacet");
  const auto at = static_cast<uint32_t>(text_->find("twice_here"));
  Result<ide::Explored> found = explored_at(*analysis, file, at);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->name, "twice");
  EXPECT_TRUE(found->is_measured);
  EXPECT_EQ(found->picture.substr(0, 4), "<svg");
  ASSERT_EQ(found->points.size(), 2U);
  EXPECT_TRUE(found->points[0].is_chosen);
  EXPECT_TRUE(found->points[0].is_on_front);
  EXPECT_NE(found->points[0].text.find("{ 2 * closed(a) }"), std::string::npos);
  EXPECT_FALSE(found->points[1].is_on_front);
  EXPECT_EQ(found->points[1].text, "");
  // A call that the program no longer has.
  explore("\"twice_here/by_steps=close\"");
  const auto later = host_.analysis({});
  found = explored_at(*later, file, at);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->points[0].text, "");
}

TEST_F(Explored, WhatWasNotMeasuredIsPredicted) {
  open(kSums);
  const auto analysis = host_.analysis({});
  const FileId file = *analysis->file("/sums/sums.tacet");
  Result<ide::Explored> found =
      explored_at(*analysis, file, static_cast<uint32_t>(text_->find("total {")));
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_FALSE(found->is_measured);
  EXPECT_EQ(found->picture, "");
  ASSERT_EQ(found->points.size(), 2U);
  EXPECT_EQ(found->points[0].label, "`by_steps` in plaintext");
  EXPECT_EQ(found->points[1].implementation, "closed");
  EXPECT_FALSE(explored_at(*analysis, file, static_cast<uint32_t>(text_->find("at_once"))));
}

/// Above calls of what others compute as well, with what was measured of the specification.
TEST_F(Explored, CallsHaveALens) {
  open(kSums);
  Result<project::ExploreFile> explored = project::parse_explore_file(
      "version = 1\n[[choice]]\nfile = \"sums.tacet\"\ntarget = \"total_spec\"\n"
      "implementation = \"closed\"\ndevice = \"local\"\nmilliseconds = 0.5\n",
      "tacet.explore");
  ASSERT_TRUE(explored);
  host_.set_explored("/sums", std::move(*explored));
  const auto analysis = host_.analysis({});
  const FileId file = *analysis->file("/sums/sums.tacet");
  std::string titles;
  for (const Lens& lens : lenses(*analysis, file)) {
    if (lens.kind == LensKind::Call) {
      titles += text_->substr(lens.range.begin, lens.range.length()) + ": " +
                lens_text(*analysis, file, lens.subject, lens.kind)->title + "\n";
    }
  }
  EXPECT_EQ(titles,
            "by_steps: `closed` computes the same as `by_steps` · `closed` 500 µs\n"
            "by_steps: `closed` computes the same as `by_steps` · `closed` 500 µs\n");
  host_.set_explored("/sums", {});
  const auto later = host_.analysis({});
  for (const Lens& lens : lenses(*later, file)) {
    EXPECT_NE(lens.kind, LensKind::Call);
  }
}

}  // namespace
}  // namespace tacet::ide
