// A program outside the repository that uses the installed library: it parses a module with a
// mistake and prints what is wrong with it.

#include <fmt/format.h>

#include "base/line_index.h"
#include "compiler/core/syntax/file_syntax.h"

auto main() -> int {
  std::string_view text = "#version 0.1.0\nval one() -> i64 { returns ) }\n";
  auto file = tacet::syntax::parse_file(text, tacet::syntax::Language::Module);
  tacet::LineIndex lines(text);
  for (const auto& found : tacet::syntax::syntax_errors(file, tacet::FileId{})) {
    auto at = lines.position(text, found.place.range.begin, tacet::PositionEncoding::Utf16);
    fmt::print("{}:{}: {}\n", at.line, at.column, tacet::code_name(found.code));
  }
  return 0;
}
