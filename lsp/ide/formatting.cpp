#include "lsp/ide/formatting.h"

#include "formatter/format.h"
#include "formatter/keep_format.h"

namespace tacet::ide {

auto format_edits(const Analysis& analysis, FileId file, TextRange range,
                  const formatter::Style& style) -> std::vector<TextEdit> {
  const auto syntax = analysis.syntax(file);
  const bool is_whole = range == TextRange{0, syntax->size()};
  return is_whole ? formatter::format(*syntax, formatter::Edits::Wanted, style).edits
                  : formatter::format_range(*syntax, range, formatter::Edits::Wanted, style).edits;
}

auto keep_format(const Analysis& analysis, FileId file, std::vector<TextEdit> edits,
                 const formatter::Style& style) -> std::vector<TextEdit> {
  return formatter::keep_format(*analysis.syntax(file), *analysis.text(file), std::move(edits),
                                style);
}

}  // namespace tacet::ide
