#include "engine/he/object_envelope.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/declassify.h"
#include "engine/he/byte_fields.h"

namespace tacet::he {
namespace {

/// Begins with a byte that no text has, and ends with one that transfers as text would change.
constexpr std::array<unsigned char, 8> kMagic = {0x89, 'T', 'A', 'C', 'E', 'T', 'H', '\n'};
constexpr uint64_t kVersion = 1;

/// Of an object but for its checksum; `file` gets these bytes, too.
auto checksum_of(std::span<const std::byte> bytes, Digester* file) -> std::array<std::byte, 32> {
  Digester digester;
  if (file != nullptr) {
    Digester::add_bytes_to_both(digester, *file, bytes);
  } else {
    digester.add_bytes(bytes);
  }
  return digester.finish();
}

/// Takes a time that does not depend on where they differ: the object may be a secret.
auto has_checksum(std::span<const std::byte> object, Digester* file) -> bool {
  const size_t n_before = object.size() - kChecksumSize;
  const auto checksum = checksum_of(object.first(n_before), file);
  if (file != nullptr) {
    file->add_bytes(object.subspan(n_before));
  }
  std::byte difference{};
  for (size_t i = 0; i < kChecksumSize; ++i) {
    difference |= checksum[i] ^ object[n_before + i];
  }
  return declassified(difference) == std::byte{};
}

}  // namespace

auto object_kind_name(ObjectKind kind) -> std::string_view {
  switch (kind) {
    case ObjectKind::Parameters:
      return "parameters";
    case ObjectKind::SecretKey:
      return "secret key";
    case ObjectKind::PublicKey:
      return "public key";
    case ObjectKind::RelinearisationKey:
      return "relinearisation key";
    case ObjectKind::RotationKeys:
      return "rotation keys";
    case ObjectKind::BootstrappingKeys:
      return "bootstrapping keys";
    case ObjectKind::Plaintext:
      return "plaintext";
    case ObjectKind::Ciphertext:
      return "ciphertext";
    case ObjectKind::JointShare:
      return "joint share";
  }
  return {};
}

void seal_envelope(ObjectKind kind, Scheme scheme, const ParameterDigest& parameters,
                   std::span<std::byte> object, Digester* file) {
  FieldWriter writer(object);
  writer.bytes(std::as_bytes(std::span(kMagic)));
  writer.number(kVersion, 2);
  writer.number(static_cast<uint64_t>(kind), 1);
  writer.number(static_cast<uint64_t>(scheme), 1);
  writer.number(object.size() - kEnvelopeSize, 8);
  writer.bytes(parameters);
  const size_t n_before = object.size() - kChecksumSize;
  const auto checksum = checksum_of(object.first(n_before), file);
  std::copy_n(checksum.begin(), kChecksumSize, object.begin() + static_cast<ptrdiff_t>(n_before));
  if (file != nullptr) {
    file->add_bytes(object.subspan(n_before));
  }
}

auto read_object_header(std::span<const std::byte> bytes) -> Result<ObjectHeader> {
  FieldReader reader(bytes);
  std::array<unsigned char, 8> magic{};
  reader.bytes(std::as_writable_bytes(std::span(magic)));
  const uint64_t version = reader.number(2);
  const uint64_t kind = reader.number(1);
  const uint64_t scheme = reader.number(1);
  const uint64_t body_size = reader.number(8);
  ObjectHeader header;
  reader.bytes(header.parameters);
  if (reader.is_short()) {
    return Error{
        fmt::format("{} bytes are too short for an object of the engine: the header has {}",
                    bytes.size(), kEnvelopeHeaderSize)};
  }
  if (magic != kMagic) {
    return Error{"not an object of the engine: wrong magic number"};
  }
  if (version != kVersion) {
    return Error{
        fmt::format("the object has format version {}; this release supports only version {}",
                    version, kVersion)};
  }
  if (object_kind_name(static_cast<ObjectKind>(kind)).empty()) {
    return Error{fmt::format("unknown object kind {}", kind)};
  }
  if (scheme_name(static_cast<Scheme>(scheme)).empty()) {
    return Error{fmt::format("unknown scheme {}", scheme)};
  }
  if (body_size > SIZE_MAX - kEnvelopeSize) {
    return Error{fmt::format("an object cannot have a body of {} bytes", body_size)};
  }
  header.kind = static_cast<ObjectKind>(kind);
  header.scheme = static_cast<Scheme>(scheme);
  header.size = body_size + kEnvelopeSize;
  return header;
}

auto open_envelope(std::span<const std::byte> object, ObjectKind wanted, Digester* file)
    -> Result<std::span<const std::byte>> {
  const Result<ObjectHeader> header = read_object_header(object);
  if (!header) {
    return header.error();
  }
  const std::string_view name = object_kind_name(header.value().kind);
  if (header.value().kind != wanted) {
    return Error{
        fmt::format("the object is of kind '{}', expected '{}'", name, object_kind_name(wanted))};
  }
  if (header.value().size != object.size()) {
    return Error{fmt::format(
        "the object ('{}') should have {} bytes, but has {}: it was {}", name, header.value().size,
        object.size(),
        object.size() < header.value().size ? "truncated" : "concatenated with other data")};
  }
  if (!has_checksum(object, file)) {
    return Error{fmt::format("the object ('{}') is damaged: wrong checksum; send it again", name)};
  }
  return object.subspan(kEnvelopeHeaderSize, object.size() - kEnvelopeSize);
}

auto open_envelope(const Context& context, std::span<const std::byte> object, ObjectKind wanted,
                   Digester* file) -> Result<std::span<const std::byte>> {
  Result<std::span<const std::byte>> body = open_envelope(object, wanted, file);
  if (!body) {
    return body;
  }
  const ObjectHeader header = read_object_header(object).value();
  if (header.scheme != context.scheme()) {
    return Error{fmt::format("the object ('{}') is for scheme {}, but the parameters are for {}",
                             object_kind_name(wanted), scheme_name(header.scheme),
                             scheme_name(context.scheme()))};
  }
  if (header.parameters != context.parameters().digest()) {
    return Error{
        fmt::format("the object ('{}') belongs to other parameters; both sides must use the same",
                    object_kind_name(wanted))};
  }
  return body;
}

}  // namespace tacet::he
