// A program outside the repository that uses the installed library.

#include <fmt/format.h>

#include "base/line_index.h"
#include "compiler/diagnostics/diagnostic.h"

auto main() -> int {
  tacet::DiagnosticCode code{};
  if (!tacet::find_code("t0001", code)) {
    return 1;
  }
  fmt::print("{}: {}\n", tacet::code_name(code), tacet::code_title(code));
  return tacet::LineIndex("one\ntwo\n").n_lines() == 3 ? 0 : 1;
}
