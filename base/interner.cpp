#include "base/interner.h"

#include "base/check.h"

namespace tacet {

Interner::Interner() : chunks_(new std::atomic<std::string*>[kMaxChunks]()) {}

Interner::~Interner() {
  for (uint32_t i = 0; i < kMaxChunks && chunks_[i] != nullptr; ++i) {
    delete[] chunks_[i].load();
  }
}

auto Interner::find(std::string_view text) const -> Name {
  std::shared_lock lock(mutex_);
  auto found = names_.find(text);
  return found == names_.end() ? Name{} : found->second;
}

auto Interner::intern(std::string_view text) -> Name {
  if (Name known = find(text); known.has_value()) {
    return known;
  }
  std::unique_lock lock(mutex_);
  if (auto found = names_.find(text); found != names_.end()) {
    return found->second;
  }
  uint32_t chunk = size_ >> kChunkBits;
  TACET_CHECK(chunk < kMaxChunks, "too many distinct names");
  if (chunks_[chunk] == nullptr) {
    chunks_[chunk].store(new std::string[kChunkSize], std::memory_order_release);
  }
  std::string& slot = chunks_[chunk].load()[size_ & (kChunkSize - 1)];
  slot = text;
  Name name{size_++};
  names_.emplace(slot, name);
  return name;
}

auto Interner::text(Name name) const -> std::string_view {
  TACET_CHECK(name.has_value(), "the text of no name");
  const std::string* chunk = chunks_[name.index >> kChunkBits].load(std::memory_order_acquire);
  return chunk[name.index & (kChunkSize - 1)];
}

}  // namespace tacet
