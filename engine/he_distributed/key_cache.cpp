#include "engine/he_distributed/key_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "engine/he/digest.h"

namespace tacet::engine {

namespace fs = std::filesystem;

auto digest_of_key(std::span<const std::byte> bytes) -> KeyDigest {
  he::Digester digester;
  digester.add_bytes(bytes);
  return digester.finish();
}

auto KeyCache::path_of(const KeyDigest& digest) const -> std::string {
  std::string path = folder_ + "/";
  for (const std::byte byte : digest) {
    path += fmt::format("{:02x}", static_cast<unsigned>(byte));
  }
  return path;
}

auto KeyCache::find(const KeyDigest& digest) const -> std::optional<he::Bytes> {
  if (folder_.empty()) {
    return std::nullopt;
  }
  const std::string path = path_of(digest);
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? std::streamoff(file.tellg()) : -1;
  if (size < 0) {
    return std::nullopt;
  }
  he::Bytes bytes(static_cast<size_t>(size));
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(bytes.data()), size) || digest_of_key(bytes) != digest) {
    return std::nullopt;
  }
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  return bytes;
}

void KeyCache::store(const KeyDigest& digest, std::span<const std::byte> bytes) const {
  if (folder_.empty() || bytes.size() > most_bytes_) {
    return;
  }
  std::error_code failed;
  fs::create_directories(folder_, failed);
  const std::string path = path_of(digest);
  // Ranks of one machine may store the same key at once.
  const std::string draft = fmt::format("{}.{}", path, ::getpid());
  {
    std::ofstream file(draft, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file) {
      fs::remove(draft, failed);
      return;
    }
  }
  fs::rename(draft, path, failed);
  if (failed) {
    fs::remove(draft, failed);
  }
}

void KeyCache::trim() const {
  if (folder_.empty()) {
    return;
  }
  struct Entry {
    fs::file_time_type used;
    fs::path path;
    uint64_t bytes;
  };
  std::vector<Entry> entries;
  uint64_t total = 0;
  std::error_code failed;
  for (const fs::directory_entry& file : fs::directory_iterator(folder_, failed)) {
    std::error_code unknown;
    const Entry entry{file.last_write_time(unknown), file.path(), file.file_size(unknown)};
    if (!unknown) {
      total += entry.bytes;
      entries.push_back(entry);
    }
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= most_bytes_) {
      return;
    }
    fs::remove(entry.path, failed);
    total -= entry.bytes;
  }
}

}  // namespace tacet::engine
