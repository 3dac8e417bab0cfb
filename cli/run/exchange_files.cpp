#include "cli/run/exchange_files.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "cli/atomic_write.h"

namespace tacet::cli {

namespace fs = std::filesystem;

auto text_of(std::span<const std::byte> bytes) -> std::string_view {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

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

auto read_exchanged(std::string path, std::string_view writer) -> Result<ExchangedFile> {
  Result<SecureBytes> bytes = read_bytes(path, writer);
  return bytes ? ExchangedFile{std::move(path), std::move(*bytes)}
               : Result<ExchangedFile>(bytes.error());
}

auto write_client_files(const ExchangePlace& place, const he::Bytes& keys, const he::Bytes& inputs,
                        const SecureBytes& secret) -> Status {
  if (Status status = make_private_folder(place.folder); !status) {
    return status;
  }
  // The largest file first: if it does not fit the disk, all is as it was. Whatever happens
  // in between, files that do not belong together say so.
  const std::pair<std::string, std::span<const std::byte>> files[] = {
      {place.folder + "/keys", keys}, {place.folder + "/inputs", inputs}};
  for (const auto& [path, bytes] : files) {
    if (Status status = write_or_create(path, text_of(bytes)); !status) {
      return status;
    }
  }
  if (Status status = write_private(place.secret_file, text_of(secret)); !status) {
    return status;
  }
  std::error_code failed;
  fs::remove(place.folder + "/results", failed);
  return std::monostate{};
}

auto read_client_files(const ExchangePlace& place) -> Result<GivenFiles> {
  Result<ExchangedFile> keys = read_exchanged(place.folder + "/keys", "client");
  Result<ExchangedFile> inputs = read_exchanged(place.folder + "/inputs", "client");
  if (!keys || !inputs) {
    return keys ? inputs.error() : keys.error();
  }
  return GivenFiles{std::move(*keys), std::move(*inputs)};
}

auto write_results(const ExchangePlace& place, const he::Bytes& results) -> Status {
  return write_or_create(place.folder + "/results", text_of(results));
}

auto read_result_files(const ExchangePlace& place) -> Result<ResultFiles> {
  Result<ExchangedFile> results = read_exchanged(place.folder + "/results", "server");
  Result<ExchangedFile> secret = read_exchanged(place.secret_file, {});
  if (!results || !secret) {
    return results ? secret.error() : results.error();
  }
  return ResultFiles{std::move(*results), std::move(*secret)};
}

}  // namespace tacet::cli
