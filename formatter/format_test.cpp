#include "formatter/format.h"

#include <gtest/gtest.h>

#include "compiler/core/diagnostics/apply_edits.h"

namespace tacet::formatter {
namespace {

using syntax::Language;

constexpr std::string_view kThree = "#version 0.1.0\nconst  a = 1\nconst  b = 2\nconst  c = 3\n";

TEST(Format, TidyTextNeedsNoEdits) {
  FormatResult result = format("#version 0.1.0\n\nconst a = 1\n", Language::Module);
  EXPECT_TRUE(result.edits.empty());
  EXPECT_TRUE(result.diagnostics.empty());
}

TEST(Format, RangesFormatTheUnitsTheyTouch) {
  syntax::FileSyntax file = syntax::parse_file(kThree, Language::Module);
  auto b = static_cast<uint32_t>(kThree.find("b = 2"));
  FormatResult result = format_range(file, {b, b + 1});
  EXPECT_EQ(result.text, "#version 0.1.0\nconst  a = 1\nconst b = 2\nconst  c = 3\n");
  ASSERT_EQ(result.edits.size(), 1U);
  EXPECT_EQ(result.edits[0].new_text, " ");
  EXPECT_EQ(format_range(file, {b, b}).text, result.text) << "a cursor is a range";
}

TEST(Format, EditsCanBeLeftOut) {
  FormatResult with = format(kThree, Language::Module);
  FormatResult without = format(kThree, Language::Module, Edits::NotWanted);
  EXPECT_EQ(with.edits.size(), 3U);
  EXPECT_TRUE(without.edits.empty());
  EXPECT_EQ(with.text, without.text);
}

TEST(Format, ReportsWhatItRefuses) {
  FormatResult result = format("#version 0.1.0\nconst  a = \nconst  b = 2\n", Language::Module);
  EXPECT_EQ(result.text, "#version 0.1.0\nconst  a = \nconst b = 2\n");
  EXPECT_EQ(result.diagnostics.size(), 1U);
}

/// Without its semicolon the value would continue in the unparsed text.
TEST(Format, KeepsTheSemicolonInFrontOfBrokenText) {
  for (const char* rest : {".s) e;\n", "(x\n", "+ 1\n", "[0] x\n"}) {
    const std::string text = std::string("#version 0.1.0\n\nconst  x = 1;\n") + rest;
    const FormatResult result = format(text, Language::Module);
    EXPECT_EQ(find_format_fault(syntax::parse_file(text, Language::Module),
                                syntax::parse_file(result.text, Language::Module)),
              "")
        << text << result.text;
  }
}

TEST(Format, UnitsCanBeFormattedAlone) {
  syntax::FileSyntax file = syntax::parse_file(kThree, Language::Module);
  EXPECT_EQ(format_unit(*file.units[1].tree, "\n"), "const a = 1");
}

TEST(Format, FaultsAreFound) {
  auto fault = [](std::string_view before, std::string_view after) {
    return find_format_fault(syntax::parse_file(before, Language::Module),
                             syntax::parse_file(after, Language::Module));
  };
  EXPECT_EQ(fault("const a = f(1,)", "const a=f( 1 );"), "");
  EXPECT_NE(fault("const a = 1", "const a = 2"), "") << "another token";
  EXPECT_NE(fault("const a = (1)", "const a = 1"), "") << "a lost token";
  EXPECT_NE(fault("const a = x + y * z", "const a = (x + y) * z"), "") << "another tree";
  EXPECT_NE(fault("const a = 1 // c", "const a = 1"), "") << "a lost comment";
  EXPECT_NE(fault("const a = 1 // c", "// c\nconst a = 1"), "") << "a moved comment";
  EXPECT_EQ(fault("/* a\n     b */ const a = 1", "/* a\n  b */\nconst a = 1"), "");
}

TEST(Format, KeepsTheLineEndMostLinesHave) {
  EXPECT_EQ(format("#version 0.1.0\r\nconst a = 1\r\nconst b = 1\n", Language::Module).text,
            "#version 0.1.0\r\nconst a = 1\r\nconst b = 1\r\n");
  EXPECT_EQ(format("#version 0.1.0\r\nconst a = 1\nconst b = 1\n", Language::Module).text,
            "#version 0.1.0\nconst a = 1\nconst b = 1\n");
}

}  // namespace
}  // namespace tacet::formatter
