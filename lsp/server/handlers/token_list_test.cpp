#include "lsp/server/handlers/token_list.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "lsp/ide/analysis_host.h"

namespace tacet::lsp {
namespace {

/// After edits anywhere, the pieces that were used again and the difference to the list before say
/// what all tokens of the file do.
TEST(TokenList, FollowsEditsAsAllTokensDo) {
  constexpr std::string_view kSnippets[] = {"fn f(x: i64) -> i64 { x }\n",
                                            "// \u00e9 two\n",
                                            "/* \U0001F600\n more */ ",
                                            "x",
                                            "val v(a: i64) -> i64 { returns a }",
                                            "\n",
                                            " ",
                                            "}",
                                            "{"};
  std::mt19937 random(1);
  const auto below = [&](size_t n) { return random() % n; };
  ide::AnalysisHost host;
  std::string text = "#version 0.1.0\n";
  std::optional<TokenList> before;
  for (int step = 0; step < 300; ++step) {
    const size_t at = below(3) == 0 ? text.size() : below(text.size() + 1);
    if (below(3) == 0) {
      text.erase(at, below(4));
    } else {
      text.insert(at, kSnippets[below(std::size(kSnippets))]);
    }
    const ide::FileChange change{"/t.tacet", std::make_shared<const std::string>(text), true};
    host.apply({&change, 1});
    const auto analysis = host.analysis({});
    const FileId file = analysis->file("/t.tacet").value();
    const LineIndex lines(text);
    const Tokens wanted = step / 50 % 2 == 0 ? Tokens::All : Tokens::BeyondSyntax;
    PositionMapper positions(text, lines, PositionEncoding::Utf16);
    TokenList after(ide::unit_tokens(*analysis, file), wanted, positions,
                    before ? &*before : nullptr);
    PositionMapper again(text, lines, PositionEncoding::Utf16);
    const TextRange whole{0, static_cast<uint32_t>(text.size())};
    const std::vector<uint32_t> all =
        token_numbers(ide::semantic_tokens(*analysis, file, whole), wanted, again);
    ASSERT_EQ(after.numbers(), all) << text;
    if (before) {
      const TokenList::Difference edit = TokenList::difference(*before, after);
      std::vector<uint32_t> numbers = before->numbers();
      const auto begin = numbers.begin() + static_cast<ptrdiff_t>(edit.begin);
      const auto end = begin + static_cast<ptrdiff_t>(edit.before.size());
      ASSERT_TRUE(std::equal(begin, end, edit.before.begin(), edit.before.end()));
      const auto place = numbers.erase(begin, end);
      numbers.insert(place, edit.after.begin(), edit.after.end());
      ASSERT_EQ(numbers, all) << text;
    }
    before = std::move(after);
  }
}

}  // namespace
}  // namespace tacet::lsp
