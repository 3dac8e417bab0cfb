#include "lsp/server/handlers/plain_text.h"

namespace tacet::lsp {

auto plain_text(std::string_view markdown) -> std::string {
  std::string out;
  while (!markdown.empty()) {
    size_t end = markdown.find('\n');
    std::string_view line = markdown.substr(0, end);
    markdown.remove_prefix(end == std::string_view::npos ? markdown.size() : end + 1);
    if (!line.starts_with("```") && line != "---") {
      out += line;
      out += '\n';
    }
  }
  while (out.ends_with('\n')) {
    out.pop_back();
  }
  return out;
}

}  // namespace tacet::lsp
