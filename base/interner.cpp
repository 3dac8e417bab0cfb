#include "base/interner.h"

#include <functional>

#include "base/check.h"

namespace tacet {

Interner::Interner() : chunks_(new std::atomic<std::string*>[kMaxChunks]()) {}

Interner::~Interner() {
  for (uint32_t i = 0; i < kMaxChunks && chunks_[i] != nullptr; ++i) {
    delete[] chunks_[i].load();
  }
}

static auto hash_text(std::string_view text) -> uint32_t {
  return static_cast<uint32_t>(std::hash<std::string_view>{}(text));
}

auto Interner::find(std::string_view text, uint32_t hash) const -> Name {
  return Name{index_.find(hash, [&](uint32_t name) { return this->text(Name{name}) == text; })};
}

auto Interner::find(std::string_view text) const -> Name {
  return find(text, hash_text(text));
}

auto Interner::intern(std::string_view text) -> Name {
  const uint32_t hash = hash_text(text);
  if (Name known = find(text, hash); known.has_value()) {
    return known;
  }
  const std::lock_guard lock(mutex_);
  if (Name known = find(text, hash); known.has_value()) {
    return known;
  }
  uint32_t chunk = size_ >> kChunkBits;
  TACET_CHECK(chunk < kMaxChunks, "too many distinct names");
  if (chunks_[chunk] == nullptr) {
    chunks_[chunk].store(new std::string[kChunkSize], std::memory_order_release);
  }
  chunks_[chunk].load()[size_ & (kChunkSize - 1)] = text;
  Name name{size_++};
  index_.insert(hash, name.index);
  return name;
}

auto Interner::text(Name name) const -> std::string_view {
  TACET_CHECK(name.has_value(), "the text of no name");
  const std::string* chunk = chunks_[name.index >> kChunkBits].load(std::memory_order_acquire);
  return chunk[name.index & (kChunkSize - 1)];
}

}  // namespace tacet
