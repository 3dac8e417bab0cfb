#include "lsp/server/handlers/typed_word.h"

#include <algorithm>

#include "lsp/server/handlers/request_context.h"

namespace tacet::lsp {

static auto is_word_byte(char c) -> bool {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

auto TypedWord::word(FileView& view) const -> TextRange {
  const std::string_view text = view.text();
  uint32_t begin = view.positions().offset(begin_);
  auto end = static_cast<uint32_t>(std::min<size_t>(text.size(), size_t{begin} + size_));
  while (begin > 0 && is_word_byte(text[begin - 1])) {
    --begin;
  }
  while (end < text.size() && is_word_byte(text[end])) {
    ++end;
  }
  return {begin, end};
}

auto TypedWord::hold() -> bool {
  State expected = State::Typing;
  return state_.compare_exchange_strong(expected, State::Held) || expected == State::Held;
}

}  // namespace tacet::lsp
