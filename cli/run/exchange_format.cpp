#include "cli/run/exchange_format.h"

#include <fmt/format.h>

#include <algorithm>

namespace tacet::cli {

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

auto is_sealed(ExchangeFile kind) -> bool {
  return kind != ExchangeFile::Keys && kind != ExchangeFile::Inputs;
}

/// Whether bytes end with the digest of those before.
static auto is_whole(std::span<const std::byte> bytes) -> bool {
  if (bytes.size() < kExchangeHeaderSize + sizeof(FileDigest)) {
    return false;
  }
  const auto content = bytes.first(bytes.size() - sizeof(FileDigest));
  const FileDigest digest = digest_of_file(content);
  return std::equal(digest.begin(), digest.end(), bytes.end() - sizeof(FileDigest));
}

auto read_header(const NamedBytes& given, ExchangeFile kind) -> Result<Belonging> {
  const auto magic = std::as_bytes(std::span(kExchangeMagic));
  const std::span<const std::byte> bytes = given.bytes;
  if (bytes.size() < kExchangeHeaderSize ||
      !std::equal(magic.begin(), magic.end(), bytes.begin()) ||
      bytes[kExchangeMagic.size()] != static_cast<std::byte>(kind)) {
    return Error{
        fmt::format("`{}` is not a valid exchange file: it is damaged, or was written by another "
                    "version of Tacet",
                    given.name)};
  }
  if (is_sealed(kind) && !is_whole(bytes)) {
    return Error{
        fmt::format("`{}` is damaged: its checksum is not that of its content", given.name)};
  }
  Belonging belonging;
  const std::byte* from = bytes.data() + kExchangeMagic.size() + 1;
  for (FileDigest* digest : {&belonging.program, &belonging.keys, &belonging.inputs}) {
    std::copy_n(from, digest->size(), digest->begin());
    from += digest->size();
  }
  return belonging;
}

auto read_keys_header(const NamedBytes& keys, const FileDigest& program) -> Result<Belonging> {
  const Result<Belonging> read = read_header(keys, ExchangeFile::Keys);
  if (!read) {
    return read.error();
  }
  Belonging belonging{.program = program};
  if (read.value() != belonging) {
    return of_other_program(keys.name);
  }
  belonging.keys = digest_of_file(keys.bytes);
  return belonging;
}

auto read_inputs_header(const NamedBytes& inputs, const Belonging& keys, std::string_view keys_name)
    -> Result<Belonging> {
  Result<Belonging> read = read_header(inputs, ExchangeFile::Inputs);
  if (!read) {
    return read;
  }
  if (read->program != keys.program) {
    return of_other_program(inputs.name);
  }
  if (*read != keys) {
    return foreign(inputs.name, fmt::format("keys other than those in `{}`", keys_name));
  }
  return read;
}

auto belonging_of_inputs(const NamedBytes& inputs, const Belonging& keys,
                         std::string_view keys_name) -> Result<Belonging> {
  Result<Belonging> read = read_inputs_header(inputs, keys, keys_name);
  if (read) {
    read->inputs = digest_of_file(inputs.bytes);
  }
  return read;
}

auto digester_of_header(std::span<const std::byte> bytes) -> he::Digester {
  he::Digester digester;
  digester.add_bytes(bytes.first(kExchangeHeaderSize));
  return digester;
}

auto behind_header(std::span<const std::byte> bytes) -> std::span<const std::byte> {
  const auto kind = static_cast<ExchangeFile>(bytes[kExchangeMagic.size()]);
  const size_t n_behind = is_sealed(kind) ? sizeof(FileDigest) : 0;
  return bytes.subspan(kExchangeHeaderSize, bytes.size() - kExchangeHeaderSize - n_behind);
}

auto foreign(const std::string& name, std::string_view what) -> Error {
  return Error{fmt::format("`{}` belongs to {}", name, what)};
}

auto of_other_program(const std::string& name) -> Error {
  return foreign(name, "another program; client and server need the same file");
}

auto of_file(const std::string& name, const Error& error) -> Error {
  return Error{fmt::format("`{}`: {}", name, error.message)};
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
