#include "lsp/protocol/repair.h"

#include <optional>

#include "base/line_index.h"

namespace tacet::lsp {

static auto repair_utf8(std::string_view text) -> std::string {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    size_t good = find_invalid_utf8(text);
    out += text.substr(0, good);
    text.remove_prefix(good);
    if (!text.empty()) {
      out += "\xEF\xBF\xBD";
      text.remove_prefix(1);
    }
  }
  return out;
}

/// The value of the four hexadecimal digits at `at`, if they are.
static auto hex4(std::string_view text, size_t at) -> std::optional<unsigned> {
  if (at + 4 > text.size()) {
    return std::nullopt;
  }
  unsigned value = 0;
  for (char c : text.substr(at, 4)) {
    unsigned digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<unsigned>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      digit = static_cast<unsigned>(c - 'a') + 10;
    } else if (c >= 'A' && c <= 'F') {
      digit = static_cast<unsigned>(c - 'A') + 10;
    } else {
      return std::nullopt;
    }
    value = value * 16 + digit;
  }
  return value;
}

/// The code unit of a `\uXXXX` at `at`, if there is one.
static auto escape_at(std::string_view text, size_t at) -> std::optional<unsigned> {
  return text.substr(at, 2) == "\\u" ? hex4(text, at + 2) : std::nullopt;
}

auto repair_json(std::string_view body) -> std::string {
  std::string text = repair_utf8(body);
  for (size_t at = text.find('\\'); at != std::string::npos; at = text.find('\\', at)) {
    auto unit = escape_at(text, at);
    if (!unit) {
      at += 2;
      continue;
    }
    bool is_high = *unit >= 0xD800 && *unit < 0xDC00;
    bool is_low = *unit >= 0xDC00 && *unit < 0xE000;
    auto next = is_high ? escape_at(text, at + 6) : std::nullopt;
    if (next && *next >= 0xDC00 && *next < 0xE000) {
      at += 12;
      continue;
    }
    if (is_high || is_low) {
      text.replace(at, 6, "\\uFFFD");
    }
    at += 6;
  }
  return text;
}

}  // namespace tacet::lsp
