#include "engine/cggi/serialisation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/declassify.h"
#include "engine/cggi/key_generation.h"
#include "engine/he/byte_fields.h"
#include "engine/he/digest.h"

namespace tacet::cggi {
namespace {

using he::FieldReader;
using he::FieldWriter;

/// Begins with a byte that no text has, and ends with one that transfers as text would change.
constexpr std::array<unsigned char, 8> kMagic = {0x89, 'T', 'A', 'C', 'E', 'T', 'C', '\n'};
constexpr uint64_t kVersion = 1;
constexpr size_t kHeaderSize = 8 + 2 + 2 + 8 + 8;
constexpr size_t kChecksumSize = 16;
constexpr size_t kParametersSize = 3 * 4 + 5 + 2 * 8;

/// What a stored object is. The numbers are part of the format.
enum class Kind : uint8_t {
  SecretKey = 1,
  EvaluationKey = 2,
  FreshCiphertexts = 3,
  Ciphertexts = 4
};

auto kind_name(Kind kind) -> std::string_view {
  switch (kind) {
    case Kind::SecretKey:
      return "secret key";
    case Kind::EvaluationKey:
      return "evaluation key";
    case Kind::FreshCiphertexts:
      return "fresh ciphertexts";
    case Kind::Ciphertexts:
      return "ciphertexts";
  }
  return "unknown object";
}

auto checksum(std::span<const std::byte> bytes) -> std::array<std::byte, 32> {
  he::Digester digester;
  digester.add_bytes(bytes);
  return digester.finish();
}

/// Writes what is around a body of `n_body` bytes; the body's writer is given to `write_body`.
template <class Object, class WriteBody>
auto sealed(Kind kind, KeyId id, size_t n_body, WriteBody write_body) -> Object {
  Object object(kHeaderSize + n_body + kChecksumSize);
  FieldWriter writer(object);
  writer.bytes(std::as_bytes(std::span(kMagic)));
  writer.number(kVersion, 2);
  writer.number(static_cast<uint64_t>(kind), 2);
  writer.number(id, 8);
  writer.number(n_body, 8);
  write_body(writer);
  const size_t n_before = object.size() - kChecksumSize;
  const auto sum = checksum(std::span(object).first(n_before));
  std::copy_n(sum.begin(), kChecksumSize, object.begin() + static_cast<ptrdiff_t>(n_before));
  return object;
}

struct Opened {
  KeyId id = 0;
  std::span<const std::byte> body;
};

/// Takes a time that does not depend on where they differ: the object may be a secret.
auto has_right_checksum(std::span<const std::byte> object) -> bool {
  const size_t n_before = object.size() - kChecksumSize;
  const auto sum = checksum(object.first(n_before));
  std::byte difference{};
  for (size_t i = 0; i < kChecksumSize; ++i) {
    difference |= sum[i] ^ object[n_before + i];
  }
  return declassified(difference) == std::byte{};
}

auto open(std::span<const std::byte> object, Kind wanted) -> Result<Opened> {
  FieldReader reader(object);
  std::array<unsigned char, 8> magic{};
  reader.bytes(std::as_writable_bytes(std::span(magic)));
  const uint64_t version = reader.number(2);
  const uint64_t kind = reader.number(2);
  Opened opened;
  opened.id = reader.number(8);
  const uint64_t n_body = reader.number(8);
  const std::string_view name = kind_name(wanted);
  if (reader.is_short() || reader.n_left() < kChecksumSize) {
    return Error{
        fmt::format("{} bytes are too short for a CGGI object ('{}')", object.size(), name)};
  }
  if (magic != kMagic) {
    return Error{"not a CGGI object: wrong magic number"};
  }
  if (version != kVersion) {
    return Error{fmt::format("the object has format version {}; this release supports only {}",
                             version, kVersion)};
  }
  if (kind != static_cast<uint64_t>(wanted)) {
    return Error{fmt::format("the object is of kind '{}', expected '{}'",
                             kind_name(static_cast<Kind>(std::min<uint64_t>(kind, 255))), name)};
  }
  if (n_body != reader.n_left() - kChecksumSize) {
    return Error{fmt::format("the object ('{}') should have a body of {} bytes, but has {}", name,
                             n_body, reader.n_left() - kChecksumSize)};
  }
  if (!has_right_checksum(object)) {
    return Error{fmt::format("the object ('{}') is damaged: wrong checksum; send it again", name)};
  }
  opened.body = object.subspan(kHeaderSize, n_body);
  return opened;
}

void write_parameters(FieldWriter& writer, const Parameters& p) {
  writer.number(p.lwe_dimension, 4);
  writer.number(p.glwe_dimension, 4);
  writer.number(p.polynomial_size, 4);
  writer.number(static_cast<uint64_t>(p.security), 1);
  for (const Decomposition& d : {p.rotation, p.key_switch}) {
    writer.number(d.log2_base, 1);
    writer.number(d.n_levels, 1);
  }
  writer.real(p.lwe_variance);
  writer.real(p.glwe_variance);
}

auto read_parameters(FieldReader& reader, InsecureParameters insecure) -> Result<Parameters> {
  Parameters p;
  p.lwe_dimension = static_cast<unsigned>(reader.number(4));
  p.glwe_dimension = static_cast<unsigned>(reader.number(4));
  p.polynomial_size = static_cast<unsigned>(reader.number(4));
  p.security = static_cast<Security>(reader.number(1));
  for (Decomposition* d : {&p.rotation, &p.key_switch}) {
    d->log2_base = static_cast<unsigned>(reader.number(1));
    d->n_levels = static_cast<unsigned>(reader.number(1));
  }
  p.lwe_variance = reader.real();
  p.glwe_variance = reader.real();
  if (reader.is_short()) {
    return Error{"the key is too short for its parameters"};
  }
  if (Status status = check_parameters(p); !status) {
    return status.error();
  }
  if (p.security == Security::None && insecure == InsecureParameters::Refuse) {
    return Error{"the key has parameters without security"};
  }
  return p;
}

auto wrong_size(Kind kind, size_t n_bytes, size_t n_expected) -> Error {
  return {fmt::format("the object ('{}') has {} bytes of words, its parameters need {}",
                      kind_name(kind), n_bytes, n_expected)};
}

/// Bits, eight a byte, the first in the lowest place.
void write_bits(FieldWriter& writer, std::span<const uint8_t> bits) {
  std::byte* const out = writer.take((bits.size() + 7) / 8);
  for (size_t i = 0; i < bits.size(); ++i) {
    out[i / 8] |= static_cast<std::byte>(bits[i] << (i % 8));
  }
}

void read_bits(FieldReader& reader, std::span<uint8_t> bits) {
  const std::byte* const in = reader.take((bits.size() + 7) / 8);
  for (size_t i = 0; i < bits.size(); ++i) {
    bits[i] = static_cast<uint8_t>((std::to_integer<unsigned>(in[i / 8]) >> (i % 8)) & 1);
  }
}

auto bits_size(const Parameters& p) -> size_t {
  return (p.lwe_dimension + size_t{7}) / 8 + (p.extracted_dimension() + size_t{7}) / 8;
}

}  // namespace

auto serialise(const SecretKey& key) -> SecureBytes {
  const size_t n_body = kParametersSize + bits_size(key.parameters);
  return sealed<SecureBytes>(Kind::SecretKey, key.id, n_body, [&](FieldWriter& writer) {
    write_parameters(writer, key.parameters);
    write_bits(writer, key.lwe);
    write_bits(writer, key.glwe);
  });
}

auto deserialise_secret_key(std::span<const std::byte> bytes, InsecureParameters insecure)
    -> Result<SecretKey> {
  const Result<Opened> opened = open(bytes, Kind::SecretKey);
  if (!opened) {
    return opened.error();
  }
  FieldReader reader(opened.value().body);
  const Result<Parameters> parameters = read_parameters(reader, insecure);
  if (!parameters) {
    return parameters.error();
  }
  if (reader.n_left() != bits_size(parameters.value())) {
    return wrong_size(Kind::SecretKey, reader.n_left(), bits_size(parameters.value()));
  }
  SecretKey key;
  key.parameters = parameters.value();
  key.id = opened.value().id;
  key.lwe.resize(key.parameters.lwe_dimension);
  key.glwe.resize(key.parameters.extracted_dimension());
  read_bits(reader, key.lwe);
  read_bits(reader, key.glwe);
  return key;
}

auto serialise(const EvaluationKey& key) -> Bytes {
  const auto rotation = std::as_bytes(std::span(key.rotation_bodies));
  const auto key_switch = std::as_bytes(std::span(key.key_switch_bodies));
  const size_t n_body =
      kParametersSize + sizeof(key.seed.bytes) + rotation.size() + key_switch.size();
  return sealed<Bytes>(Kind::EvaluationKey, key.id, n_body, [&](FieldWriter& writer) {
    write_parameters(writer, key.parameters);
    writer.bytes(key.seed.bytes);
    writer.bytes(rotation);
    writer.bytes(key_switch);
  });
}

auto deserialise_evaluation_key(std::span<const std::byte> bytes, InsecureParameters insecure)
    -> Result<EvaluationKey> {
  const Result<Opened> opened = open(bytes, Kind::EvaluationKey);
  if (!opened) {
    return opened.error();
  }
  FieldReader reader(opened.value().body);
  const Result<Parameters> parameters = read_parameters(reader, insecure);
  if (!parameters) {
    return parameters.error();
  }
  EvaluationKey key;
  key.parameters = parameters.value();
  key.id = opened.value().id;
  const Parameters& p = key.parameters;
  reader.bytes(key.seed.bytes);
  const size_t n_rotation = p.lwe_dimension * ggsw_bodies_size(p);
  const size_t n_switch = size_t{p.extracted_dimension()} * p.key_switch.n_levels;
  const size_t n_expected = n_rotation * sizeof(uint64_t) + n_switch * sizeof(uint32_t);
  if (reader.is_short() || reader.n_left() != n_expected) {
    return wrong_size(Kind::EvaluationKey, reader.n_left(), n_expected);
  }
  key.rotation_bodies.resize(n_rotation);
  key.key_switch_bodies.resize(n_switch);
  reader.bytes(std::as_writable_bytes(std::span(key.rotation_bodies)));
  reader.bytes(std::as_writable_bytes(std::span(key.key_switch_bodies)));
  return key;
}

auto serialise(const FreshCiphertexts& ciphertexts) -> Bytes {
  const auto bodies = std::as_bytes(std::span(ciphertexts.bodies));
  const size_t n_body = sizeof(ciphertexts.seed.bytes) + bodies.size();
  return sealed<Bytes>(Kind::FreshCiphertexts, ciphertexts.id, n_body, [&](FieldWriter& writer) {
    writer.bytes(ciphertexts.seed.bytes);
    writer.bytes(bodies);
  });
}

auto deserialise_fresh_ciphertexts(std::span<const std::byte> bytes) -> Result<FreshCiphertexts> {
  const Result<Opened> opened = open(bytes, Kind::FreshCiphertexts);
  if (!opened) {
    return opened.error();
  }
  FieldReader reader(opened.value().body);
  FreshCiphertexts ciphertexts;
  ciphertexts.id = opened.value().id;
  reader.bytes(ciphertexts.seed.bytes);
  const size_t n_words = reader.n_left() / sizeof(Torus);
  if (reader.is_short() || reader.n_left() % sizeof(Torus) != 0) {
    return wrong_size(Kind::FreshCiphertexts, reader.n_left(), n_words * sizeof(Torus));
  }
  ciphertexts.bodies.resize(n_words);
  reader.bytes(std::as_writable_bytes(std::span(ciphertexts.bodies)));
  return ciphertexts;
}

auto serialise(const Ciphertexts& ciphertexts) -> Bytes {
  const size_t n_words = ciphertexts.size() * ciphertexts.n_words();
  return sealed<Bytes>(Kind::Ciphertexts, ciphertexts.id(), n_words * sizeof(Torus),
                       [&](FieldWriter& writer) {
                         if (n_words != 0) {
                           writer.bytes(std::as_bytes(std::span(ciphertexts.at(0), n_words)));
                         }
                       });
}

auto deserialise_ciphertexts(const Parameters& parameters, std::span<const std::byte> bytes)
    -> Result<Ciphertexts> {
  const Result<Opened> opened = open(bytes, Kind::Ciphertexts);
  if (!opened) {
    return opened.error();
  }
  const std::span<const std::byte> body = opened.value().body;
  const size_t size = (parameters.extracted_dimension() + size_t{1}) * sizeof(Torus);
  if (body.size() % size != 0) {
    return wrong_size(Kind::Ciphertexts, body.size(), body.size() / size * size);
  }
  Ciphertexts ciphertexts(parameters, opened.value().id, body.size() / size);
  if (!body.empty()) {
    FieldReader(body).bytes(
        std::as_writable_bytes(std::span(ciphertexts.at(0), body.size() / sizeof(Torus))));
  }
  return ciphertexts;
}

}  // namespace tacet::cggi
