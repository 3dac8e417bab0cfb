#include "lsp/ide/complete_hole.h"

#include <algorithm>

#include "lsp/ide/call_snippets.h"

namespace tacet::ide {

/// Lines without the white space that the line of the hole has, which editors add to snippets.
static auto without_outer_indent(std::string lines, size_t n) -> std::string {
  for (size_t at = lines.find('\n'); at != std::string::npos; at = lines.find('\n', at + 1)) {
    const size_t end = lines.find_first_not_of(' ', at + 1);
    const size_t n_blanks = (end == std::string::npos ? lines.size() : end) - at - 1;
    lines.erase(at + 1, std::min(n, n_blanks));
  }
  return lines;
}

auto complete_hole(const HoleFillings& fillings, std::string_view text, uint32_t offset)
    -> Completions {
  const size_t line = text.rfind('\n', fillings.hole.begin);
  const size_t begin = line == std::string_view::npos ? 0 : line + 1;
  const size_t n_blanks = text.find_first_not_of(' ', begin) - begin;
  Completions found;
  found.typed = {fillings.hole.begin, offset};
  found.word = fillings.hole;
  for (const fill::Candidate& candidate : fillings.candidates) {
    Completion item;
    item.label = title_of(candidate);
    item.kind = CompletionKind::Snippet;
    item.detail = "fills the hole";
    item.keyword = std::string(fillings.hole.length(), '?');
    item.snippet = snippet_escaped(without_outer_indent(candidate.text, n_blanks));
    found.items.push_back(std::move(item));
  }
  return found;
}

}  // namespace tacet::ide
