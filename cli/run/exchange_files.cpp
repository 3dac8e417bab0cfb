#include "cli/run/exchange_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "engine/he/digest.h"

namespace tacet::cli {

namespace fs = std::filesystem;

/// The first bytes of a file: a magic number with a version, and which of the four kinds it is,
/// followed by the digests.
static constexpr std::string_view kExchangeMagic = "tacet exchange 1";
static constexpr size_t kHeaderSize = kExchangeMagic.size() + 1 + 3 * sizeof(FileDigest);

auto read_bytes(const std::string& path, std::string_view writer) -> Result<SecureBytes> {
  std::error_code failed;
  if (fs::is_directory(path, failed)) {
    return Error{fmt::format("cannot read `{}`: it is a folder", path)};
  }
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) {
    const bool is_early = errno == ENOENT && !writer.empty();
    return Error{
        fmt::format("cannot read `{}`: {}{}", path, std::strerror(errno),
                    is_early ? fmt::format("; it is written by `--role {}`", writer) : "")};
  }
  const std::streamoff size = file.tellg();
  if (size < 0) {
    return Error{fmt::format("cannot read `{}`: not a regular file", path)};
  }
  SecureBytes bytes(static_cast<size_t>(size));
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(bytes.data()),
                 static_cast<std::streamsize>(bytes.size()))) {
    return Error{fmt::format("cannot read `{}`", path)};
  }
  return bytes;
}

auto digest_of_file(std::span<const std::byte> bytes) -> FileDigest {
  he::Digester digester;
  digester.add_bytes(bytes);
  return digester.finish();
}

auto header_of(ExchangeFile kind, const Belonging& belonging) -> he::Bytes {
  const auto magic = std::as_bytes(std::span(kExchangeMagic));
  he::Bytes bytes(magic.begin(), magic.end());
  bytes.push_back(static_cast<std::byte>(kind));
  for (const FileDigest* digest : {&belonging.program, &belonging.keys, &belonging.inputs}) {
    bytes.insert(bytes.end(), digest->begin(), digest->end());
  }
  return bytes;
}

auto read_header(const std::string& path, ExchangeFile kind, std::span<const std::byte> bytes)
    -> Result<Belonging> {
  const auto magic = std::as_bytes(std::span(kExchangeMagic));
  if (bytes.size() < kHeaderSize || !std::equal(magic.begin(), magic.end(), bytes.begin()) ||
      bytes[kExchangeMagic.size()] != static_cast<std::byte>(kind)) {
    return Error{
        fmt::format("`{}` is not a valid exchange file: it is damaged, or was written by another "
                    "version of Tacet",
                    path)};
  }
  Belonging belonging;
  const std::byte* from = bytes.data() + kExchangeMagic.size() + 1;
  for (FileDigest* digest : {&belonging.program, &belonging.keys, &belonging.inputs}) {
    std::copy_n(from, digest->size(), digest->begin());
    from += digest->size();
  }
  return belonging;
}

auto behind_header(std::span<const std::byte> bytes) -> std::span<const std::byte> {
  return bytes.subspan(kHeaderSize);
}

auto foreign(const std::string& path, std::string_view what) -> Error {
  return Error{fmt::format("`{}` belongs to {}", path, what)};
}

auto of_file(const std::string& path, const Error& error) -> Error {
  return Error{fmt::format("`{}`: {}", path, error.message)};
}

auto ObjectRow::next() -> Result<std::span<const std::byte>> {
  const Result<he::ObjectHeader> header = he::read_object_header(bytes_);
  if (!header) {
    return header.error();
  }
  const size_t size = header.value().size;
  if (size > bytes_.size()) {
    return Error{"the file ends in the middle of an object"};
  }
  const auto object = bytes_.first(size);
  bytes_ = bytes_.subspan(size);
  return object;
}

}  // namespace tacet::cli
