#include "lsp/ide/completion_rank.h"

namespace tacet::ide {

static auto lower(char c) -> char {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

auto match(std::string_view typed, std::string_view name) -> std::optional<Match> {
  if (name.starts_with(typed)) {
    return Match::Prefix;
  }
  size_t n_found = 0;
  bool is_prefix = true;
  for (size_t i = 0; i < name.size() && n_found < typed.size(); ++i) {
    const bool is_same = lower(name[i]) == lower(typed[n_found]);
    if (!is_same && i == 0) {
      return std::nullopt;
    }
    n_found += is_same ? 1 : 0;
    is_prefix = is_prefix && is_same;
  }
  if (n_found < typed.size()) {
    return std::nullopt;
  }
  return is_prefix ? Match::PrefixInOtherCase : Match::Letters;
}

}  // namespace tacet::ide
