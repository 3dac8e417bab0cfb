#include "cli/values/npz_archive.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <optional>

#include "cli/values/data_source.h"
#include "compiler/core/diagnostics/printable.h"

namespace tacet::cli {

namespace {

// Records of ZIP archives: their marks, and where in them their fields are (APPNOTE.TXT 6.3.10,
// sections 4.3.7, 4.3.12, 4.3.16).
constexpr uint64_t kLocalMark = 0x04034b50;
constexpr uint64_t kEntryMark = 0x02014b50;
constexpr uint64_t kEndMark = 0x06054b50;
constexpr size_t kLocalSize = 30;
constexpr size_t kEntrySize = 46;
constexpr size_t kEndSize = 22;
constexpr size_t kLongestComment = 65535;
constexpr uint64_t kIsIn64Bits = 0xffffffff;
constexpr uint64_t kStored = 0;
constexpr uint64_t kDeflated = 8;

/// A number of `n` bytes, the lowest first. The caller has checked that they are there.
auto zip_number(std::string_view bytes, size_t at, size_t n) -> uint64_t {
  uint64_t number = 0;
  for (size_t i = 0; i < n; ++i) {
    number |= uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  }
  return number;
}

auto zip_damage(std::string_view what, uint64_t at) -> Error {
  return Error{fmt::format("the archive is damaged: {} at byte {}", what, at)};
}

/// Where the record at the end of the archive begins; it has a comment behind it.
auto find_zip_end(std::string_view archive) -> std::optional<size_t> {
  if (archive.size() < kEndSize) {
    return std::nullopt;
  }
  const size_t last = archive.size() - kEndSize;
  const size_t first = last > kLongestComment ? last - kLongestComment : 0;
  for (size_t at = last + 1; at-- > first;) {
    if (zip_number(archive, at, 4) == kEndMark &&
        at + kEndSize + zip_number(archive, at + 20, 2) == archive.size()) {
      return at;
    }
  }
  return std::nullopt;
}

/// A member of the archive's directory, whose entry begins at `at`; advances it. Nothing for files
/// that are not arrays.
auto read_zip_entry(std::string_view archive, size_t& at) -> Result<std::optional<NpzMember>> {
  if (archive.size() - at < kEntrySize || zip_number(archive, at, 4) != kEntryMark) {
    return zip_damage("no entry of the directory", at);
  }
  const size_t name_size = zip_number(archive, at + 28, 2);
  const size_t size =
      kEntrySize + name_size + zip_number(archive, at + 30, 2) + zip_number(archive, at + 32, 2);
  if (archive.size() - at < size) {
    return zip_damage("an entry of the directory is cut off", at);
  }
  NpzMember member{.name = std::string(archive.substr(at + kEntrySize, name_size)),
                   .method = zip_number(archive, at + 10, 2),
                   .crc = zip_number(archive, at + 16, 4),
                   .n_compressed = zip_number(archive, at + 20, 4),
                   .n_bytes = zip_number(archive, at + 24, 4),
                   .header_begin = zip_number(archive, at + 42, 4)};
  const bool is_encrypted = (zip_number(archive, at + 8, 2) & 1U) != 0;
  at += size;
  constexpr std::string_view kEnding = ".npy";
  if (!member.name.ends_with(kEnding)) {
    return std::optional<NpzMember>();
  }
  member.name.resize(member.name.size() - kEnding.size());
  if (is_encrypted) {
    return Error{fmt::format("`{}` is encrypted", one_line(member.name))};
  }
  if (member.n_compressed == kIsIn64Bits || member.n_bytes == kIsIn64Bits ||
      member.header_begin == kIsIn64Bits) {
    return Error{
        fmt::format("`{}` has 4 GiB or more; save it with `np.save`", one_line(member.name))};
  }
  return std::optional(std::move(member));
}

/// The bytes of a member as they are in the archive.
auto compressed_bytes(std::string_view archive, const NpzMember& member)
    -> Result<std::string_view> {
  const uint64_t begin = member.header_begin;
  if (archive.size() < kLocalSize || begin > archive.size() - kLocalSize ||
      zip_number(archive, begin, 4) != kLocalMark) {
    return zip_damage(fmt::format("`{}` does not begin", one_line(member.name)), begin);
  }
  const uint64_t data =
      begin + kLocalSize + zip_number(archive, begin + 26, 2) + zip_number(archive, begin + 28, 2);
  if (data > archive.size() || member.n_compressed > archive.size() - data) {
    return zip_damage(fmt::format("`{}` is cut off", one_line(member.name)), archive.size());
  }
  return archive.substr(data, member.n_compressed);
}

/// Inflates up to `most` bytes. Nothing if the stream is damaged or ends early.
auto inflate_bytes(std::string_view compressed, uint64_t most) -> std::optional<std::string> {
  constexpr uInt kChunk = uInt{1} << 16;
  z_stream stream = {};
  if (::inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
    return std::nullopt;
  }
  // Below 4 GiB, see `read_zip_entry`.
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(compressed.data()));
  stream.avail_in = static_cast<uInt>(compressed.size());
  std::string bytes;
  std::vector<Bytef> chunk(kChunk);
  int state = Z_OK;
  while (state == Z_OK && bytes.size() < most) {
    stream.next_out = chunk.data();
    stream.avail_out = kChunk;
    state = ::inflate(&stream, Z_NO_FLUSH);
    const uint64_t n = std::min<uint64_t>(kChunk - stream.avail_out, most - bytes.size());
    bytes.append(reinterpret_cast<const char*>(chunk.data()), n);
  }
  ::inflateEnd(&stream);
  const bool is_good = state == Z_STREAM_END || (state == Z_OK && bytes.size() == most);
  return is_good ? std::optional(std::move(bytes)) : std::nullopt;
}

auto zip_checksum(std::string_view bytes) -> uint64_t {
  return ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
}

}  // namespace

auto npz_members(std::string_view archive) -> Result<std::vector<NpzMember>> {
  const std::optional<size_t> end = find_zip_end(archive);
  if (!end) {
    return Error{archive.starts_with("PK") ? "the archive is cut off: its end is missing"
                                           : "it is not an archive of `np.savez`"};
  }
  const uint64_t n_entries = zip_number(archive, *end + 10, 2);
  size_t at = zip_number(archive, *end + 16, 4);
  if (at > *end) {
    return zip_damage("its directory begins behind its end", *end);
  }
  std::vector<NpzMember> members;
  for (uint64_t i = 0; i < n_entries; ++i) {
    Result<std::optional<NpzMember>> member = read_zip_entry(archive.substr(0, *end), at);
    if (!member) {
      return member.error();
    }
    if (*member) {
      members.push_back(std::move(**member));
    }
  }
  return members;
}

auto npz_names(std::string_view archive) -> Result<std::vector<std::string>> {
  Result<std::vector<NpzMember>> members = npz_members(archive);
  if (!members) {
    return members.error();
  }
  std::vector<std::string> names;
  for (NpzMember& member : *members) {
    names.push_back(std::move(member.name));
  }
  return names;
}

auto selected_npz_member(std::string_view archive, const std::optional<std::string>& name)
    -> Result<NpzMember> {
  Result<std::vector<NpzMember>> members = npz_members(archive);
  if (!members) {
    return members.error();
  }
  std::vector<std::string> names;
  for (const NpzMember& member : *members) {
    names.push_back(member.name);
  }
  if (!name) {
    return members->size() == 1 ? Result<NpzMember>(std::move(members->front()))
                                : Error{several_names("array", names)};
  }
  const auto found = std::find(names.begin(), names.end(), *name);
  if (found == names.end()) {
    return missing_name("array", *name, names);
  }
  if (std::find(found + 1, names.end(), *name) != names.end()) {
    return Error{fmt::format("two arrays are named `{}`", one_line(*name))};
  }
  return std::move((*members)[static_cast<size_t>(found - names.begin())]);
}

auto npz_bytes(std::string_view archive, const NpzMember& member, uint64_t most)
    -> Result<std::string> {
  if (member.method != kStored && member.method != kDeflated) {
    return Error{fmt::format("`{}` is compressed by method {}; save it with `np.savez_compressed`",
                             one_line(member.name), member.method)};
  }
  Result<std::string_view> compressed = compressed_bytes(archive, member);
  if (!compressed) {
    return compressed.error();
  }
  most = std::min(most, member.n_bytes);
  std::optional<std::string> bytes = member.method == kStored
                                         ? std::optional(std::string(compressed->substr(0, most)))
                                         : inflate_bytes(*compressed, most);
  const bool is_all = most == member.n_bytes;
  if (!bytes || bytes->size() != most || (is_all && zip_checksum(*bytes) != member.crc)) {
    return Error{
        fmt::format("the archive is damaged: the bytes of `{}` are not those that were "
                    "saved",
                    one_line(member.name))};
  }
  return std::move(*bytes);
}

}  // namespace tacet::cli
