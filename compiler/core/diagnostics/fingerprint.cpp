#include "compiler/core/diagnostics/fingerprint.h"

#include <algorithm>

namespace tacet {

static auto fnv1a(uint64_t hash, std::string_view text) -> uint64_t {
  for (char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  return (hash ^ 0xFF) * 0x100000001b3ULL;  // 0xFF ends a part: no text holds it
}

/// A file may be one line, with a finding at each of its bytes.
static constexpr size_t kEnoughOfLine = 1024;

auto fingerprint(const Diagnostic& diagnostic, const SourceView& source, std::string_view path)
    -> uint64_t {
  uint64_t hash = fnv1a(0xcbf29ce484222325ULL, code_name(diagnostic.code));
  if (!source.is_known()) {
    return fnv1a(hash, diagnostic.message);
  }
  LineColumn at =
      source.lines->position(source.text, diagnostic.place.range.begin, PositionEncoding::Utf8);
  TextRange range = source.lines->line_range(source.text, at.line);
  std::string_view line = source.text.substr(range.begin, range.length());
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  line = line.substr(0, kEnoughOfLine);
  line = line.substr(0, line.find_last_not_of(" \t") + 1);
  return fnv1a(fnv1a(hash, path), line);
}

}  // namespace tacet
