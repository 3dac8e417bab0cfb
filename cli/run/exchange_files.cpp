#include "cli/run/exchange_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "cli/atomic_write.h"
#include "engine/he/digest.h"

namespace tacet::cli {

namespace fs = std::filesystem;

/// The first bytes of a file: a magic number with a version, and which of the four kinds it is,
/// followed by the digests.
static constexpr std::string_view kExchangeMagic = "tacet exchange 1";
static constexpr size_t kHeaderSize = kExchangeMagic.size() + 1 + 3 * sizeof(FileDigest);

static constexpr std::string_view kOtherProgram =
    "another program; client and server need the same file";

static auto text_of(std::span<const std::byte> bytes) -> std::string_view {
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

auto read_client_files(const FileDigest& program, const ExchangePlace& place)
    -> Result<GivenFiles> {
  const std::string keys_path = place.folder + "/keys";
  const std::string inputs_path = place.folder + "/inputs";
  Result<SecureBytes> keys = read_bytes(keys_path, "client");
  Result<SecureBytes> inputs = read_bytes(inputs_path, "client");
  if (!keys || !inputs) {
    return keys ? inputs.error() : keys.error();
  }
  Result<Belonging> of_keys = read_header(keys_path, ExchangeFile::Keys, *keys);
  Result<Belonging> of_inputs = read_header(inputs_path, ExchangeFile::Inputs, *inputs);
  if (!of_keys || !of_inputs) {
    return of_keys ? of_inputs.error() : of_keys.error();
  }
  Belonging belonging{.program = program};
  if (of_keys.value() != belonging) {
    return foreign(keys_path, kOtherProgram);
  }
  belonging.keys = digest_of_file(*keys);
  if (of_inputs->program != belonging.program) {
    return foreign(inputs_path, kOtherProgram);
  }
  if (of_inputs.value() != belonging) {
    return foreign(inputs_path, fmt::format("keys other than those in `{}`", keys_path));
  }
  belonging.inputs = digest_of_file(*inputs);
  return GivenFiles{keys_path, inputs_path, std::move(*keys), std::move(*inputs), belonging};
}

auto write_results(const ExchangePlace& place, const he::Bytes& results) -> Status {
  return write_or_create(place.folder + "/results", text_of(results));
}

auto read_result_files(const FileDigest& program, const ExchangePlace& place)
    -> Result<ResultFiles> {
  const std::string path = place.folder + "/results";
  Result<SecureBytes> bytes = read_bytes(path, "server");
  Result<SecureBytes> secret_bytes = read_bytes(place.secret_file);
  if (!bytes || !secret_bytes) {
    return bytes ? secret_bytes.error() : bytes.error();
  }
  Result<Belonging> of_results = read_header(path, ExchangeFile::Results, *bytes);
  Result<Belonging> of_secret = read_header(place.secret_file, ExchangeFile::Secret, *secret_bytes);
  if (!of_results || !of_secret) {
    return of_results ? of_secret.error() : of_results.error();
  }
  if (of_secret->program != program) {
    return foreign(place.secret_file, kOtherProgram);
  }
  if (of_results->program != program) {
    return foreign(path, kOtherProgram);
  }
  if (of_results.value() != of_secret.value()) {
    return foreign(path, fmt::format("an exchange other than that of `{}`", place.secret_file));
  }
  return ResultFiles{path, std::move(*bytes), std::move(*secret_bytes)};
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
