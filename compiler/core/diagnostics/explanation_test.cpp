#include "compiler/core/diagnostics/explanation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/line_index.h"

namespace tacet {
namespace {

TEST(Explanation, EveryCodeHasAPageWithAFailingAndACorrectedProgram) {
  for (DiagnosticCode code : all_codes()) {
    std::string_view page = explanation(code);
    std::string title = fmt::format("# {}: {}\n", code_name(code), code_title(code));
    EXPECT_EQ(page.substr(0, title.size()), title)
        << "docs/diagnostics/" << code_name(code) << ".md";
    EXPECT_EQ(find_invalid_utf8(page), page.size()) << code_name(code);
    bool has_failing = false;
    bool has_passing = false;
    for (const PageProgram& program : page_programs(page)) {
      EXPECT_FALSE(program.text.empty()) << code_name(code);
      (program.expectation == Expectation::Fails ? has_failing : has_passing) = true;
    }
    EXPECT_TRUE(has_failing && has_passing) << code_name(code);
  }
}

TEST(Explanation, ReadsTheProgramsOfAPage) {
  std::vector<PageProgram> programs = page_programs(
      "# T\n```tacet fail\nval a\n```\ntext\n```\nplain\n```\n"
      "```tacet ok escapes\nb \\xC3\\xA9 \\{3:(}1 \\q\n```\n");
  ASSERT_EQ(programs.size(), 2U);
  EXPECT_EQ(programs[0].expectation, Expectation::Fails);
  EXPECT_EQ(programs[0].text, "val a\n");
  EXPECT_EQ(programs[0].line, 3U);
  EXPECT_EQ(programs[1].expectation, Expectation::Passes);
  EXPECT_EQ(programs[1].text, "b é (((1 \\q\n");
}

}  // namespace
}  // namespace tacet
