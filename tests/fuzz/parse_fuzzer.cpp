// No text makes the parser fail, and re-parsing after an edit equals parsing afresh. The input is
// a text and, behind its last zero byte, another that it is edited into.

#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "compiler/core/syntax/file_syntax.h"

extern "C" auto LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) -> int {
  using namespace tacet;
  using namespace tacet::syntax;
  std::string_view input(reinterpret_cast<const char*>(data), size);
  size_t zero = input.rfind('\0');
  std::string_view before =
      zero == std::string_view::npos ? input.substr(0, size / 2) : input.substr(0, zero);
  std::string_view after = zero == std::string_view::npos ? input : input.substr(zero + 1);
  for (Language language : {Language::Module, Language::ArrayProgram}) {
    FileSyntax file = parse_file(before, language);
    FileSyntax again = reparse_file(file, after);
    TACET_CHECK(again == parse_file(after, language), "re-parsing differs from parsing");
    for (const Unit& unit : again.units) {
      TACET_CHECK(find_tree_fault(*unit.tree).empty(), "a tree that is not lossless");
    }
  }
  return 0;
}
