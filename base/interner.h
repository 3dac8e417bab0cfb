#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/hash_index.h"
#include "base/id.h"

namespace tacet {

struct NameTag;
/// An interned string: equal text has equal ids within one `Interner`.
using Name = Id<NameTag>;

/// Interns strings for the life of the program's database. Safe to use from many
/// threads; only a text that is new takes a lock.
class Interner {
 public:
  Interner();
  ~Interner();
  Interner(const Interner&) = delete;
  auto operator=(const Interner&) -> Interner& = delete;

  auto intern(std::string_view text) -> Name;

  /// The name of `text` if it was interned before, else no name.
  [[nodiscard]] auto find(std::string_view text) const -> Name;

  /// The text of a name. The view lives as long as the interner.
  [[nodiscard]] auto text(Name name) const -> std::string_view;

 private:
  static constexpr uint32_t kChunkBits = 12;
  static constexpr uint32_t kChunkSize = 1U << kChunkBits;
  static constexpr uint32_t kMaxChunks = 1U << 16;

  [[nodiscard]] auto find(std::string_view text, uint32_t hash) const -> Name;

  HashIndex index_;
  std::unique_ptr<std::atomic<std::string*>[]> chunks_;
  /// Guards adding.
  std::mutex mutex_;
  uint32_t size_ = 0;
};

}  // namespace tacet
