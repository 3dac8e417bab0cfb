#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_range.h"
#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/core/syntax/file_syntax.h"
#include "formatter/style.h"

/// The formatter: text in, text out. There is one style; only its measures (`Style`) are to choose.
///
/// It changes white space, and adds or drops commas and semicolons where the grammar leaves them
/// to taste; every other token and every comment stays, in order, so that the result parses to the
/// same tree. A unit (an item and the comments before it) with a syntax error is left as it is,
/// and so is what stands between `// fmt: off` and `// fmt: on` and what follows `// fmt: skip`.
/// Formatting a second time changes nothing.
namespace tacet::formatter {

struct FormatResult {
  std::string text;  ///< of the whole file
  /// The edits from the old text to the new one, ascending, each as small as it can be.
  std::vector<TextEdit> edits;
  /// The syntax errors, by offsets in the file; their file is not filled in.
  std::vector<Diagnostic> diagnostics;
};

/// Whether to compute the edits; a caller that writes the text to a file has no use for them.
enum class Edits : uint8_t { Wanted, NotWanted };

/// Formats a file. Lines end as most lines of the file do, if the style does not say otherwise; the
/// last line has an end.
auto format(const syntax::FileSyntax& file, Edits edits = Edits::Wanted, const Style& style = {})
    -> FormatResult;
auto format(std::string_view text, syntax::Language language, Edits edits = Edits::Wanted,
            const Style& style = {}) -> FormatResult;

/// Formats the units that touch `range` and leaves the others as they are.
auto format_range(const syntax::FileSyntax& file, TextRange range, Edits edits = Edits::Wanted,
                  const Style& style = {}) -> FormatResult;

/// Formats one unit without errors in the style of texts that nobody configured, with no line end
/// behind it and no empty line before it.
auto format_unit(const syntax::Tree& tree, std::string_view line_end) -> std::string;

/// Compares a text with its formatted form: the same tree, tokens and comments, but for what the
/// formatter may change. Empty, or what is wrong. For those who rewrite people's files.
auto find_format_fault(const syntax::FileSyntax& before, const syntax::FileSyntax& after)
    -> std::string;

}  // namespace tacet::formatter
