#include "compiler/core/diagnostics/explanation.h"

#include <algorithm>

namespace tacet {

static constexpr std::string_view kFence = "```";

static auto hex_digit(char c) -> int {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/// Reads `\xNN` at the front of `text` into `out`; false if it is something else.
static auto take_byte(std::string_view& text, std::string& out) -> bool {
  if (text.size() < 4 || text[1] != 'x' || hex_digit(text[2]) < 0 || hex_digit(text[3]) < 0) {
    return false;
  }
  out.push_back(static_cast<char>(hex_digit(text[2]) * 16 + hex_digit(text[3])));
  text.remove_prefix(4);
  return true;
}

/// Reads `\{N:text}` at the front of `text` into `out`; false if it is something else.
static auto take_repeat(std::string_view& text, std::string& out) -> bool {
  size_t colon = text.find(':');
  size_t end = text.find('}');
  if (text.size() < 2 || text[1] != '{' || end == std::string_view::npos || colon > end) {
    return false;
  }
  size_t n = 0;
  for (char digit : text.substr(2, colon - 2)) {
    if (digit < '0' || digit > '9' || n > 1'000'000) {
      return false;
    }
    n = n * 10 + static_cast<size_t>(digit - '0');
  }
  std::string piece = expand_escapes(text.substr(colon + 1, end - colon - 1));
  for (size_t i = 0; i < n; ++i) {
    out.append(piece);
  }
  text.remove_prefix(end + 1);
  return true;
}

auto expand_escapes(std::string_view text) -> std::string {
  std::string out;
  while (!text.empty()) {
    if (text.front() == '\\' && (take_byte(text, out) || take_repeat(text, out))) {
      continue;
    }
    out.push_back(text.front());
    text.remove_prefix(1);
  }
  return out;
}

auto page_programs(std::string_view page) -> std::vector<PageProgram> {
  std::vector<PageProgram> programs;
  bool is_inside = false;
  bool has_escapes = false;
  bool is_program = false;
  for (uint32_t number = 1; !page.empty(); ++number) {
    std::string_view line = page.substr(0, std::min(page.find('\n'), page.size()));
    page.remove_prefix(std::min(line.size() + 1, page.size()));
    if (line.substr(0, kFence.size()) != kFence) {
      if (is_inside && is_program) {
        programs.back().text.append(line).push_back('\n');
      }
      continue;
    }
    if (is_inside && is_program && has_escapes) {
      programs.back().text = expand_escapes(programs.back().text);
    }
    is_inside = !is_inside;
    is_program =
        is_inside && (line.substr(3, 10) == "tacet fail" || line.substr(3, 8) == "tacet ok");
    has_escapes = is_program && line.find(" escapes") != std::string_view::npos;
    if (is_program) {
      bool fails = line.substr(3, 10) == "tacet fail";
      programs.push_back({fails ? Expectation::Fails : Expectation::Passes, number + 1, ""});
    }
  }
  return programs;
}

}  // namespace tacet
