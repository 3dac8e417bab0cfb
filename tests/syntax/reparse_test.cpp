// After any edit, re-parsing gives what a fresh parse gives, and no text makes the parser fail.

#include <gtest/gtest.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/file_syntax.h"
#include "tests/generator/random_program.h"
#include "tests/syntax/corpus.h"

namespace tacet {
namespace {

using syntax::FileSyntax;
using syntax::Language;

void expect_lossless(const FileSyntax& file, const std::string& text) {
  std::string joined;
  for (const syntax::Unit& unit : file.units) {
    ASSERT_EQ(unit.begin, joined.size());
    ASSERT_EQ(find_tree_fault(*unit.tree), "") << text;
    joined += unit.tree->text;
  }
  ASSERT_EQ(joined, text);
}

/// Edits `text` again and again; each time the re-parsed file equals a fresh one.
void expect_stable(std::string text, Language language, testing::Random& random, int n_edits,
                   const std::string& other) {
  FileSyntax file = parse_file(text, language);
  expect_lossless(file, text);
  const std::string original = text;
  for (int i = 0; i < n_edits && !::testing::Test::HasFatalFailure(); ++i) {
    text = random() % 8 == 0 ? original : testing::mutate(random, text, other);
    FileSyntax again = reparse_file(file, text);
    FileSyntax fresh = parse_file(text, language);
    ASSERT_TRUE(again == fresh) << "after edit " << i << ":\n" << text;
    expect_lossless(again, text);
    file = std::move(again);
  }
}

TEST(Reparse, EqualsAFreshParseOverTheCorpus) {
  testing::Random random(1);
  auto files = testing::corpus();
  const int per_file = 20000 / static_cast<int>(files.size()) + 1;
  for (const testing::CorpusFile& file : files) {
    SCOPED_TRACE(file.path);
    expect_stable(file.text, syntax::language_of(file.path), random, per_file,
                  files[random() % files.size()].text);
    if (HasFatalFailure()) {
      return;
    }
  }
}

TEST(Reparse, EqualsAFreshParseOnGeneratedPrograms) {
  testing::ProgramGenerator generator;
  testing::Random random(2);
  for (int i = 0; i < 2500; ++i) {
    bool module = random() % 4 != 0;
    auto start = module ? testing::Start::Module : testing::Start::ArrayProgram;
    std::string text = generator.program(random, start, 40);
    std::string other = generator.program(random, testing::Start::Module, 20);
    expect_stable(text, module ? Language::Module : Language::ArrayProgram, random, 40, other);
    if (HasFatalFailure()) {
      return;
    }
  }
}

TEST(Reparse, KeepsTheUnitsThatTheEditDidNotReach) {
  std::string text =
      "#version 0.1.0\nval a() { returns 1 }\nval b() { returns 2 }\n"
      "val c() { returns 3 }\n";
  FileSyntax old = parse_file(text, Language::Module);
  std::string edited = text;
  edited.replace(edited.find("2"), 1, "22");
  FileSyntax now = reparse_file(old, edited);
  ASSERT_EQ(now.units.size(), old.units.size());
  for (size_t i = 0; i < old.units.size(); ++i) {
    EXPECT_EQ(now.units[i].tree == old.units[i].tree, i != 2) << i;
  }
}

TEST(Parse, SurvivesDeepNesting) {
  for (const char* piece :
       {"(", "[", "{", "-", "!", "f(", "a.b(", "if a {", "x + (", "&", "let x = ", "for i: 3 {",
        "f'<", "{ a: ", "await ", "1 if 2 else ", "a :: "}) {
    for (const char* prefix : {"#version 0.1.0\nfn f() { let x = ",
                               "#version 0.1.0\nval f() { returns ", "#version 0.1.0\ntype T = "}) {
      std::string text = prefix;
      for (int i = 0; i < 100000; ++i) {
        text += piece;
      }
      FileSyntax file = parse_file(text, Language::Module);
      EXPECT_FALSE(syntax_errors(file, FileId{0}).empty());
    }
  }
}

TEST(Parse, ReportsDeepNestingOnce) {
  std::string open(100000, '(');
  std::string close(100000, ')');
  FileSyntax file = parse_file("#version 0.1.0\nval f() -> i64 { returns " + open + "1" + close +
                                   " }\nval g() -> i64 { returns }\n",
                               Language::Module);
  auto errors = syntax_errors(file, FileId{0});
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_EQ(errors[0].code, DiagnosticCode::T0006);
  EXPECT_EQ(errors[1].code, DiagnosticCode::T0001);
}

TEST(Parse, LongChainsStayBelowTheHeightLimit) {
  std::string text = "#version 0.1.0\nval f() -> i64 { returns 1";
  for (int i = 0; i < 2000; ++i) {
    text += " + 1";
  }
  EXPECT_TRUE(syntax_errors(parse_file(text + " }", Language::Module), FileId{0}).empty());
  for (int i = 0; i < 100000; ++i) {
    text += " + 1";
  }
  EXPECT_EQ(syntax_errors(parse_file(text + " }", Language::Module), FileId{0}).size(), 1U);
}

}  // namespace
}  // namespace tacet
