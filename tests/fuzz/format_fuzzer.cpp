// Whatever the text, formatting it keeps trees, tokens and comments, a second time changes nothing,
// and the edits give the formatted text.

#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "compiler/core/diagnostics/apply_edits.h"
#include "formatter/format.h"

extern "C" auto LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) -> int {
  using namespace tacet;
  using namespace tacet::syntax;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  for (Language language : {Language::Module, Language::ArrayProgram}) {
    FileSyntax before = parse_file(text, language);
    formatter::FormatResult result = formatter::format(before);
    FileSyntax after = parse_file(result.text, language);
    TACET_CHECK(formatter::find_format_fault(before, after).empty(),
                "formatting changed a program");
    TACET_CHECK(formatter::format(after).text == result.text, "formatting is not stable");
    TACET_CHECK(apply_edits(text, result.edits) == result.text, "the edits give another text");
  }
  return 0;
}
