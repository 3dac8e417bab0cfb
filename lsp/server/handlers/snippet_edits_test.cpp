#include "lsp/server/handlers/snippet_edits.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/line_index.h"
#include "compiler/core/diagnostics/apply_edits.h"

namespace tacet::lsp {
namespace {

/// The text that a snippet stands for, and how many places it has; as LSP describes snippets.
auto expanded(std::string_view snippet, int& n_places) -> std::string {
  std::string out;
  bool is_in_place = false;
  for (size_t i = 0; i < snippet.size(); ++i) {
    if (snippet[i] == '\\' && i + 1 < snippet.size() &&
        std::string_view("$}\\").find(snippet[i + 1]) != std::string_view::npos) {
      out += snippet[++i];
    } else if (snippet.substr(i).starts_with("${0:")) {
      is_in_place = true;
      ++n_places;
      i += 3;
    } else if (is_in_place && snippet[i] == '}') {
      is_in_place = false;
    } else {
      EXPECT_NE(snippet[i], '$') << snippet;
      out += snippet[i];
    }
  }
  EXPECT_FALSE(is_in_place) << snippet;
  return out;
}

class Sampler {
 public:
  explicit Sampler(uint32_t seed) : random_(seed) {}
  auto number(size_t below) -> size_t { return random_() % below; }
  auto text(size_t n) -> std::string {
    static constexpr std::string_view kPieces[] = {"f_part", "f_part_2", " ",  "    ", "\n", "{",
                                                   "}",      "$",        "\\", "(",    "é",  "// ",
                                                   "/* ",    "*/",       "\"", "x",    "1"};
    std::string out;
    for (size_t i = 0; i < n; ++i) {
      out += kPieces[number(std::size(kPieces))];
    }
    return out;
  }

 private:
  std::mt19937 random_;
};

/// A place in `text` at or behind `from` that is not within a character.
auto place(Sampler& sampler, const std::string& text, size_t from) -> uint32_t {
  size_t at = from + sampler.number(text.size() - from + 1);
  while (at < text.size() && (static_cast<uint8_t>(text[at]) & 0xC0U) == 0x80U) {
    ++at;
  }
  return static_cast<uint32_t>(at);
}

TEST(SnippetEdits, WriteWhatPlainEditsWrite) {
  int n_places = 0;
  for (uint32_t seed = 0; seed < 10000; ++seed) {
    Sampler sampler(seed);
    const std::string text = sampler.text(5 + sampler.number(60));
    std::vector<TextEdit> edits;
    for (size_t from = 0, n = sampler.number(4); edits.size() < n;) {
      const uint32_t begin = place(sampler, text, from);
      const uint32_t end = place(sampler, text, begin);
      edits.push_back({{begin, end}, sampler.text(sampler.number(12))});
      from = end;
    }
    const LineIndex lines(text);
    PositionMapper positions(text, lines, PositionEncoding::Utf16);
    std::vector<TextEdit> written;
    uint32_t end_before = 0;
    for (ProtocolTextEdit& edit : snippet_edits(edits, text, "f_part", positions)) {
      const TextRange range = positions.text_range(edit.range);
      EXPECT_GE(range.begin, end_before) << seed;
      end_before = range.end;
      written.push_back(
          {range, edit.is_snippet ? expanded(edit.new_text, n_places) : edit.new_text});
    }
    EXPECT_EQ(apply_edits(text, written), apply_edits(text, edits)) << seed;
  }
  EXPECT_GT(n_places, 1000);
}

}  // namespace
}  // namespace tacet::lsp
