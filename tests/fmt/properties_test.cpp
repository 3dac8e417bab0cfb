// What holds of every formatted text: it stays the same when formatted again, it has the tree,
// tokens and comments of the text it came from, and the edits give the same as the text.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "compiler/core/diagnostics/apply_edits.h"
#include "compiler/core/diagnostics/explanation.h"
#include "formatter/format.h"
#include "tests/generator/random_program.h"
#include "tests/harness/rounds.h"
#include "tests/syntax/corpus.h"

namespace tacet::formatter {
namespace {

using syntax::FileSyntax;
using syntax::Language;
using testing::Random;

/// The first lines in which two texts differ.
auto first_difference(std::string_view a, std::string_view b) -> std::string {
  size_t same = 0;
  while (same < a.size() && same < b.size() && a[same] == b[same]) {
    ++same;
  }
  size_t begin = same == 0 ? 0 : a.rfind('\n', same - 1) + 1;
  return std::string(a.substr(begin, same - begin + 60)) + "\n--- became\n" +
         std::string(b.substr(begin, same - begin + 60));
}

/// Describes what is wrong with the formatting of `text`, or is empty.
auto find_fault(std::string_view text, Language language, const Style& style) -> std::string {
  FileSyntax before = syntax::parse_file(text, language);
  FormatResult result = format(before, Edits::Wanted, style);
  FileSyntax after = syntax::parse_file(result.text, language);
  if (std::string fault = find_format_fault(before, after); !fault.empty()) {
    return "changed: " + fault;
  }
  if (std::string again = format(after, Edits::Wanted, style).text; again != result.text) {
    return "not stable: " + first_difference(result.text, again);
  }
  if (apply_edits(text, result.edits) != result.text) {
    return "the edits give another text";
  }
  return "";
}

void expect_sound(std::string_view text, Language language, const Style& style = {}) {
  std::string fault = find_fault(text, language, style);
  EXPECT_EQ(fault, "") << "--- text\n"
                       << text << "\n--- formatted\n"
                       << format(text, language, Edits::Wanted, style).text;
}

auto random_style(Random& random) -> Style {
  Style style;
  style.width = static_cast<uint32_t>(kMinWidth + random() % 120);
  style.indent = static_cast<uint32_t>(1 + random() % kMaxIndent);
  style.tab_width = static_cast<uint32_t>(1 + random() % kMaxIndent);
  style.indentation = random() % 3 == 0 ? Style::Indentation::Tabs : Style::Indentation::Spaces;
  style.line_end = static_cast<Style::LineEnd>(random() % 3);
  return style;
}

TEST(FormatProperty, HoldsOverTheCorpus) {
  for (const testing::CorpusFile& file : testing::corpus()) {
    SCOPED_TRACE(file.path);
    expect_sound(file.text, syntax::language_of(file.path));
  }
}

TEST(FormatProperty, HoldsOverTheProgramsOfThePages) {
  for (DiagnosticCode code : all_codes()) {
    SCOPED_TRACE(code_name(code));
    for (const PageProgram& program : page_programs(explanation(code))) {
      expect_sound(program.text, Language::Module);
    }
  }
}

TEST(FormatProperty, HoldsOverGeneratedPrograms) {
  testing::ProgramGenerator generator;
  Random random(20);
  int n_whole = 0;
  for (uint64_t round = 0; round < harness::rounds(1500) && !HasFailure(); ++round) {
    bool is_module = round % 4 != 0;
    std::string text =
        generator.program(random, is_module ? testing::Start::Module : testing::Start::ArrayProgram,
                          20 + static_cast<int>(round % 300));
    Language language = is_module ? Language::Module : Language::ArrayProgram;
    n_whole += syntax::syntax_errors(syntax::parse_file(text, language), FileId{}).empty() ? 1 : 0;
    expect_sound(text, language);
  }
  EXPECT_GT(n_whole, 1000) << "most generated programs are well-formed";
}

TEST(FormatProperty, HoldsInEveryStyle) {
  testing::ProgramGenerator generator;
  Random random(23);
  for (const testing::CorpusFile& file : testing::corpus()) {
    SCOPED_TRACE(file.path);
    expect_sound(file.text, syntax::language_of(file.path), random_style(random));
  }
  for (uint64_t round = 0; round < harness::rounds(1000) && !HasFailure(); ++round) {
    const Style style = random_style(random);
    SCOPED_TRACE(::testing::Message() << style.width << ' ' << style.indent << ' '
                                      << style.tab_width << ' ' << int(style.indentation));
    expect_sound(
        generator.program(random, testing::Start::Module, 20 + static_cast<int>(round % 300)),
        Language::Module, style);
  }
}

/// Broken text is formatted where items are whole and left alone where they are not.
TEST(FormatProperty, HoldsWithBlanksBehindComments) {
  expect_sound("#version 0.1.0\n\n// fmt: skip\f\nval f(){returns 1}\n// a\v\n", Language::Module);
}

TEST(FormatProperty, SurvivesRandomEdits) {
  testing::ProgramGenerator generator;
  Random random(21);
  std::vector<testing::CorpusFile> corpus = testing::corpus();
  ASSERT_FALSE(corpus.empty());
  for (uint64_t round = 0; round < harness::rounds(100000) && !HasFailure(); ++round) {
    const testing::CorpusFile& file = corpus[random() % corpus.size()];
    const testing::CorpusFile& other = corpus[random() % corpus.size()];
    // A window of the file, so that a round is short.
    size_t begin = random() % file.text.size();
    std::string text = file.text.substr(begin, 200 + random() % 200);
    for (size_t n = 1 + random() % 3; n > 0; --n) {
      text = testing::mutate(random, text, other.text);
    }
    Language language = syntax::language_of(file.path);
    FormatResult result = format(text, language);
    ASSERT_EQ(apply_edits(text, result.edits), result.text) << text;
    if (round % 20 == 0) {
      expect_sound(text, language);
    }
  }
}

/// Long rows of anything take time in proportion: were it the square, these would not end.
TEST(FormatProperty, LongRowsTakeLinearTime) {
  auto repeated = [](std::string_view piece) {
    std::string text;
    for (int i = 0; i < 100000; ++i) {
      text += piece;
    }
    return text;
  };
  const std::string head = "#version 0.1.0\n";
  for (const std::string& text : {
           head + repeated("/* c */"),
           head + repeated("/* c */\n"),
           head + repeated("// c\n\n") + "const a = 1",
           head + "const a = [" + repeated("f(x), ") + "]",
           head + "const a = [" + repeated("1, ") + "]",
           head + "const a = [" + repeated("x /* c */, ") + "]",
           head + "const a = [" + repeated("x // c\n, ") + "]",
           head + "const a = x" + repeated(" + x"),
           head + "const a = " + repeated("(") + "x" + repeated(")"),
           head + "const a = f" + repeated("(x)"),
           head + "val f() {" + repeated("a :- b ") + "}",
           head + "val f() {" + repeated("\n\n") + "}",
           repeated("const a = 1 "),
           repeated("val f( ") + head,
       }) {
    SCOPED_TRACE(text.substr(0, 60));
    FormatResult result = format(text, Language::Module);
    EXPECT_EQ(format(result.text, Language::Module).text, result.text);
  }
}

/// Formatting a range changes nothing outside of the units that it touches.
TEST(FormatProperty, RangesStayInTheirUnits) {
  testing::ProgramGenerator generator;
  Random random(22);
  for (uint64_t round = 0; round < harness::rounds(200); ++round) {
    std::string text = generator.program(random, testing::Start::Module, 150);
    FileSyntax file = syntax::parse_file(text, Language::Module);
    size_t chosen = random() % file.units.size();
    const syntax::Unit& unit = file.units[chosen];
    uint32_t middle = unit.begin + (unit.end() - unit.begin) / 2;
    FormatResult result = format_range(file, {middle, std::min(middle + 1, unit.end())});
    for (const TextEdit& edit : result.edits) {
      EXPECT_GE(edit.range.begin, unit.begin);
      EXPECT_LE(edit.range.end, unit.end());
    }
    EXPECT_EQ(apply_edits(text, result.edits), result.text);
  }
}

}  // namespace
}  // namespace tacet::formatter
