#include "lsp/server/handlers/snippet_edits.h"

#include <algorithm>
#include <string>
#include <utility>

namespace tacet::lsp {

static auto is_in_word(char c) -> bool {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<uint8_t>(c) >= 0x80;
}

/// Where the comment, string, word or other character that begins at `at` ends.
static auto end_of_token(std::string_view text, size_t at) -> size_t {
  const auto behind = [&](std::string_view mark, size_t from) {
    const size_t found = text.find(mark, from);
    return found == std::string_view::npos ? text.size() : found + mark.size();
  };
  if (text.substr(at).starts_with("//")) {
    return behind("\n", at);
  }
  if (text.substr(at).starts_with("/*")) {
    return behind("*/", at + 2);
  }
  if (text[at] == '"') {
    return behind("\"", at + 1);
  }
  size_t end = at;
  while (end < text.size() && is_in_word(text[end])) {
    ++end;
  }
  return std::max(end, at + 1);
}

static auto escaped(std::string_view text) -> std::string {
  std::string out;
  for (const char c : text) {
    if (c == '$' || c == '}' || c == '\\') {
      out += '\\';
    }
    out += c;
  }
  return out;
}

/// The same of a text that is nothing but a comment: the place is its last word.
static auto comment_with_place(std::string_view text, std::string_view name) -> std::string {
  const size_t begin = text.find_first_not_of(" \t\n");
  const size_t end = text.find_last_not_of(" \t\r\n");
  const bool is_comment = begin != std::string_view::npos && text.substr(begin).starts_with("//") &&
                          text.find('\n', begin) >= end;
  const std::string_view body = text.substr(0, is_comment ? end + 1 : 0);
  if (!body.ends_with(" " + std::string(name))) {
    return {};
  }
  return escaped(body.substr(0, body.size() - name.size())) + "${0:" + escaped(name) + "}" +
         std::string(text.substr(body.size()));
}

/// The text as a snippet, or nothing if the name is not in it.
static auto with_places(std::string_view text, std::string_view name) -> std::string {
  std::string out = comment_with_place(text, name);
  if (!out.empty()) {
    return out;
  }
  bool has_place = false;
  for (size_t at = 0; at < text.size();) {
    const size_t end = end_of_token(text, at);
    const std::string_view token = text.substr(at, end - at);
    out += token == name ? "${0:" + escaped(token) + "}" : escaped(token);
    has_place = has_place || token == name;
    at = end;
  }
  return has_place ? out : std::string();
}

auto snippet_edits(std::vector<TextEdit> edits, std::string_view text, std::string_view name,
                   PositionMapper& positions) -> std::vector<ProtocolTextEdit> {
  std::vector<ProtocolTextEdit> out;
  uint32_t end_before = 0;
  for (TextEdit& edit : edits) {
    const uint32_t begin = edit.range.begin;
    const size_t line_end = begin == 0 ? std::string_view::npos : text.rfind('\n', begin - 1);
    const uint32_t line =
        line_end == std::string_view::npos ? 0 : static_cast<uint32_t>(line_end) + 1;
    if (edit.new_text.find('\n') != std::string::npos && line >= end_before) {
      edit.new_text.insert(0, text.substr(line, begin - line));
      edit.range.begin = line;
    }
    end_before = edit.range.end;
    std::string snippet = with_places(edit.new_text, name);
    const bool is_snippet = !snippet.empty();
    out.push_back({positions.range(edit.range),
                   is_snippet ? std::move(snippet) : std::move(edit.new_text), is_snippet});
  }
  return out;
}

}  // namespace tacet::lsp
