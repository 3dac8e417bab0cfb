#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

/// Files of NumPy for tests, byte by byte: nothing here is shared with the readers.
namespace tacet::cli::test_bytes {

/// A number's bytes, the lowest first.
inline auto little_endian(uint64_t number, size_t n_bytes) -> std::string {
  std::string bytes;
  for (size_t i = 0; i < n_bytes; ++i) {
    bytes.push_back(static_cast<char>(i < 8 ? number >> (8 * i) : 0));
  }
  return bytes;
}

inline auto reversed(std::string bytes) -> std::string {
  std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

/// An `.npy` file with this header, data and version.
inline auto npy(std::string_view type, std::string_view order, std::string_view shape,
                std::string_view data, char version = 1) -> std::string {
  const std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}\n", type, order, shape);
  std::string bytes("\x93NUMPY", 6);
  bytes.push_back(version);
  bytes.push_back('\0');
  return fmt::format("{}{}{}{}", bytes, little_endian(header.size(), version == 1 ? 2 : 4), header,
                     data);
}

/// CRC-32, one bit after another.
inline auto crc_of(std::string_view bytes) -> uint32_t {
  uint32_t crc = ~uint32_t{0};
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int i = 0; i < 8; ++i) {
      crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
  }
  return ~crc;
}

/// The bytes as deflated blocks that are not compressed.
inline auto deflated(std::string_view bytes) -> std::string {
  std::string blocks;
  do {
    const std::string_view block = bytes.substr(0, 100);
    bytes.remove_prefix(block.size());
    blocks += fmt::format("{}{}{}{}", bytes.empty() ? '\1' : '\0', little_endian(block.size(), 2),
                          little_endian(~block.size(), 2), block);
  } while (!bytes.empty());
  return blocks;
}

struct ZipFile {
  std::string name;
  std::string bytes;
  bool is_deflated = false;
};

/// A ZIP archive of these files.
inline auto zip(const std::vector<ZipFile>& files) -> std::string {
  std::string archive;
  std::string directory;
  for (const ZipFile& file : files) {
    const std::string stored = file.is_deflated ? deflated(file.bytes) : file.bytes;
    const std::string fields =
        fmt::format("{}{}{}{}{}{}{}", little_endian(20, 2), little_endian(0, 2),
                    little_endian(file.is_deflated ? 8 : 0, 2), little_endian(0, 4),
                    little_endian(crc_of(file.bytes), 4), little_endian(stored.size(), 4),
                    little_endian(file.bytes.size(), 4)) +
        little_endian(file.name.size(), 2);
    directory += fmt::format("PK\1\2{}{}{}{}{}", little_endian(20, 2), fields, little_endian(0, 12),
                             little_endian(archive.size(), 4), file.name);
    archive += fmt::format("PK\3\4{}{}{}{}", fields, little_endian(0, 2), file.name, stored);
  }
  const size_t begin = archive.size();
  return fmt::format("{}{}PK\5\6{}{}{}{}{}{}", archive, directory, little_endian(0, 4),
                     little_endian(files.size(), 2), little_endian(files.size(), 2),
                     little_endian(directory.size(), 4), little_endian(begin, 4),
                     little_endian(0, 2));
}

}  // namespace tacet::cli::test_bytes
