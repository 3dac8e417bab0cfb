#include "cli/service/key_cache.h"

#include <utility>

namespace tacet::service {

auto KeyCache::find(const std::string& client, const cli::FileDigest& digest) const -> Keys {
  const auto found = places_.find({client, digest});
  return found == places_.end() ? nullptr : found->second->keys;
}

auto KeyCache::use(const std::string& client, const cli::FileDigest& digest) -> Keys {
  const auto found = places_.find({client, digest});
  if (found == places_.end()) {
    return nullptr;
  }
  entries_.splice(entries_.end(), entries_, found->second);
  found->second->is_used = true;
  return found->second->keys;
}

/// Keys that somebody else holds, too, stay in memory whether they are evicted or not.
auto KeyCache::may_go(const Entry& entry) const -> bool {
  return entry.keys.use_count() == 1 && (entry.is_used || Clock::now() - entry.stored >= grace_);
}

auto KeyCache::evict(Entries::iterator entry) -> Entries::iterator {
  evicted_(entry->n_bytes);
  places_.erase(entry->place);
  return entries_.erase(entry);
}

auto KeyCache::has_space(uint64_t n_bytes) -> bool {
  if (n_bytes > most_bytes_) {
    return false;
  }
  for (auto entry = entries_.begin();
       entry != entries_.end() && this->n_bytes() + n_bytes > most_bytes_;) {
    entry = may_go(*entry) ? evict(entry) : std::next(entry);
  }
  return this->n_bytes() + n_bytes <= most_bytes_;
}

auto KeyCache::reserve(uint64_t n_bytes) -> bool {
  if (!has_space(n_bytes)) {
    return false;
  }
  n_reserved_ += n_bytes;
  return true;
}

auto KeyCache::put(const std::string& client, const cli::FileDigest& digest, Keys keys,
                   uint64_t n_bytes, uint64_t n_reserved) -> bool {
  give_back(n_reserved);
  const Place place{client, digest};
  if (places_.count(place) != 0) {
    return true;
  }
  if (!has_space(n_bytes)) {
    return false;
  }
  uint32_t n_of_client = 1;
  auto oldest = entries_.end();
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    if (entry->place.first == client) {
      ++n_of_client;
      oldest = oldest == entries_.end() ? entry : oldest;
    }
  }
  if (n_of_client > most_of_client_) {
    evict(oldest);
  }
  *n_held_ += n_bytes;
  // What counts the bytes ends with the last user.
  Keys counted(keys.get(), [keys, n_bytes, n_held = n_held_](const ClientKeys*) mutable {
    keys.reset();
    *n_held -= n_bytes;
  });
  keys.reset();
  entries_.push_back({place, std::move(counted), n_bytes, Clock::now()});
  places_.emplace(place, std::prev(entries_.end()));
  return true;
}

void KeyCache::forget(const std::string& client) {
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    entry = entry->place.first == client ? evict(entry) : std::next(entry);
  }
}

}  // namespace tacet::service
