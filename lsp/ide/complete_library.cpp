#include "lsp/ide/complete_library.h"

#include <fmt/format.h>

#include <algorithm>

#include "library/embedded/module.h"
#include "lsp/ide/completion_rank.h"

namespace tacet::ide {

/// Where the name begins whose quotation mark follows an `import` that begins the line; nothing if
/// `offset` is not in such a name.
static auto begin_of_module(std::string_view text, uint32_t offset) -> std::optional<uint32_t> {
  const size_t line_end = text.substr(0, offset).rfind('\n');
  const size_t line = line_end == std::string_view::npos ? 0 : line_end + 1;
  std::string_view in_front = text.substr(line, offset - line);
  const auto skip_blanks = [&] {
    in_front.remove_prefix(std::min(in_front.find_first_not_of(" \t"), in_front.size()));
  };
  constexpr std::string_view kImport = "import";
  skip_blanks();
  if (!in_front.starts_with(kImport)) {
    return std::nullopt;
  }
  in_front.remove_prefix(kImport.size());
  skip_blanks();
  if (!in_front.starts_with('"') || in_front.find('"', 1) != std::string_view::npos) {
    return std::nullopt;
  }
  return offset - static_cast<uint32_t>(in_front.size() - 1);
}

static auto is_of_module(char c) -> bool {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '/';
}

auto complete_library(std::string_view text, uint32_t offset) -> std::optional<Completions> {
  const std::optional<uint32_t> begin = begin_of_module(text, offset);
  if (!begin) {
    return std::nullopt;
  }
  Completions found;
  found.typed = {*begin, offset};
  uint32_t end = offset;
  while (end < text.size() && is_of_module(text[end])) {
    ++end;
  }
  found.word = {*begin, end};
  const bool is_closed = end < text.size() && text[end] == '"';
  for (const LibraryModule& module : library_modules()) {
    if (match(text.substr(*begin, offset - *begin), module.name)) {
      Completion item;
      item.label = fmt::format("{}{}", module.name, is_closed ? "" : "\"");
      item.kind = CompletionKind::Module;
      item.detail = summary_of(module);
      found.items.push_back(std::move(item));
    }
  }
  return found;
}

}  // namespace tacet::ide
