#include "lsp/server/handlers/token_cache.h"

#include <utility>

namespace tacet::lsp {

auto TokenCache::latest(std::string_view uri) -> std::shared_ptr<const Entry> {
  const std::lock_guard lock(mutex_);
  auto found = entries_.find(uri);
  return found == entries_.end() ? nullptr : found->second;
}

auto TokenCache::find(std::string_view uri, std::string_view result_id)
    -> std::shared_ptr<const Entry> {
  const std::lock_guard lock(mutex_);
  auto found = entries_.find(uri);
  bool is_latest = found != entries_.end() && found->second->result_id == result_id;
  return is_latest ? found->second : nullptr;
}

auto TokenCache::store(std::string_view uri, TokenList tokens) -> std::shared_ptr<const Entry> {
  const std::lock_guard lock(mutex_);
  auto entry = std::make_shared<const Entry>(Entry{std::to_string(++n_stored_), std::move(tokens)});
  entries_.insert_or_assign(std::string(uri), entry);
  return entry;
}

void TokenCache::forget(std::string_view uri) {
  const std::lock_guard lock(mutex_);
  if (auto found = entries_.find(uri); found != entries_.end()) {
    entries_.erase(found);
  }
}

}  // namespace tacet::lsp
