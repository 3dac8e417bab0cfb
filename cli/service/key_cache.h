#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>

#include "cli/run/exchange_format.h"
#include "cli/service/limits.h"

namespace tacet::service {

class ClientKeys;

/// The evaluation keys that a service holds, each for the client that sent it alone, whatever other
/// clients may have sent: by its certificate, and the digest of the keys. Those that were used
/// least recently make space for others, unless they are in use. Of one thread.
class KeyCache {
 public:
  using Keys = std::shared_ptr<const ClientKeys>;

  /// Keys take at most so many bytes in all, and of one client there are at most so many. Keys that
  /// were not used yet are kept for `grace`, so that clients that take each other's place make
  /// progress. `evicted` hears of what is dropped.
  KeyCache(uint64_t most_bytes, uint32_t most_of_client, milliseconds grace,
           std::function<void(uint64_t)> evicted)
      : most_bytes_(most_bytes),
        most_of_client_(most_of_client),
        grace_(grace),
        evicted_(std::move(evicted)) {}
  KeyCache(const KeyCache&) = delete;
  auto operator=(const KeyCache&) -> KeyCache& = delete;

  /// Null if the client sent none of this digest, or they were evicted.
  [[nodiscard]] auto find(const std::string& client, const cli::FileDigest& digest) const -> Keys;
  /// The same, to be used.
  [[nodiscard]] auto use(const std::string& client, const cli::FileDigest& digest) -> Keys;

  /// Sets bytes aside for keys that arrive, and evicts others for it. False if those that are in
  /// use leave too little.
  [[nodiscard]] auto reserve(uint64_t n_bytes) -> bool;
  void give_back(uint64_t n_bytes) { n_reserved_ -= n_bytes; }

  /// Holds keys of this size in place of `n_reserved` bytes that were set aside. False if they need
  /// more, and there is not enough; then they are not held.
  [[nodiscard]] auto put(const std::string& client, const cli::FileDigest& digest, Keys keys,
                         uint64_t n_bytes, uint64_t n_reserved) -> bool;

  /// Drops all keys of a client.
  void forget(const std::string& client);

  [[nodiscard]] auto n_keys() const -> size_t { return entries_.size(); }
  /// With what is set aside, and what is dropped and still in use.
  [[nodiscard]] auto n_bytes() const -> uint64_t { return *n_held_ + n_reserved_; }

 private:
  using Place = std::pair<std::string, cli::FileDigest>;
  struct Entry {
    Place place;
    Keys keys;
    uint64_t n_bytes;
    Clock::time_point stored;
    bool is_used = false;
  };
  using Entries = std::list<Entry>;

  [[nodiscard]] auto has_space(uint64_t n_bytes) -> bool;
  [[nodiscard]] auto may_go(const Entry& entry) const -> bool;
  auto evict(Entries::iterator entry) -> Entries::iterator;

  uint64_t most_bytes_;
  uint32_t most_of_client_;
  milliseconds grace_;
  std::function<void(uint64_t)> evicted_;
  Entries entries_;  ///< the one that was used least recently in front
  std::map<Place, Entries::iterator> places_;
  uint64_t n_reserved_ = 0;
  /// Of all keys that exist: those in use may outlive the cache.
  std::shared_ptr<std::atomic<uint64_t>> n_held_ = std::make_shared<std::atomic<uint64_t>>(0);
};

}  // namespace tacet::service
