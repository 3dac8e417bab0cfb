#include <fmt/format.h>

#include "compiler/core/diagnostics/closest_name.h"
#include "compiler/core/syntax/parser_state.h"

namespace tacet::syntax {

namespace {

/// What other languages call it.
struct Foreign {
  std::string_view word, ours;
};

constexpr Foreign kForeign[] = {
    {"func", "fn"},       {"function", "fn"},    {"def", "fn"},     {"proc", "fn"},
    {"struct", "type"},   {"typedef", "type"},   {"use", "import"}, {"include", "import"},
    {"spec", "val"},      {"class", "feq"},      {"mut", "var"},    {"elif", "else"},
    {"elsif", "else"},    {"constant", "const"}, {"int", "let"},    {"auto", "let"},
    {"main", "pipeline"},
};

}  // namespace

void suggest_keyword(SyntaxError* error, std::string_view word, TextRange range,
                     std::span<const std::string_view> keywords) {
  if (error == nullptr) {
    return;
  }
  std::optional<std::string_view> near = closest_name(word, keywords);
  for (const Foreign& foreign : kForeign) {
    bool fits = std::find(keywords.begin(), keywords.end(), foreign.ours) != keywords.end();
    if (fits && foreign.word == word) {
      near = foreign.ours;
    }
  }
  if (near) {
    error->notes.push_back(fmt::format("did you mean `{}`?", *near));
    error->fixes.push_back(
        {fmt::format("write `{}`", *near), Applicability::Unsafe, {{range, std::string(*near)}}});
  }
}

}  // namespace tacet::syntax
