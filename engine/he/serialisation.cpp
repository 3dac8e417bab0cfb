#include "engine/he/serialisation.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/he/bare_ciphertexts.h"
#include "engine/he/byte_fields.h"
#include "engine/he/checks.h"
#include "engine/he/digested_objects.h"
#include "engine/he/key_generation.h"
#include "engine/he/object_envelope.h"
#include "engine/he/packed_rows.h"

namespace tacet::he {
namespace {

// Bounds for what estimates may be: far beyond all that makes sense, and far enough from the end of
// doubles that the arithmetic on estimates stays finite where a message can be had at all.
constexpr double kMinScale = 0x1p-256;
constexpr double kMaxScale = 0x1p+960;
constexpr double kMaxMagnitude = 0x1p+512;
constexpr double kMinNoise = -64;
constexpr double kMaxNoise = 65536;
/// Every product multiplies noise by at least two, so the noise of more was never below the limit.
constexpr double kMaxNoiseFactors = 65536;

/// A degree-two ciphertext has three parts.
constexpr size_t kMaxParts = 3;

auto is_ckks(const Context& context) -> bool {
  return context.scheme() == Scheme::Ckks;
}

auto data_moduli(const Context& context, size_t n_primes) -> std::span<const Modulus> {
  return {&context.modulus(0), n_primes};
}

/// Of the rows of a plaintext.
auto plain_moduli(const Context& context, size_t n_rows) -> std::span<const Modulus> {
  return is_ckks(context) ? data_moduli(context, n_rows) : std::span(&context.plain_modulus(), 1);
}

auto check_scale(double scale, double magnitude, std::string_view what) -> Status {
  // Written so that what is not a number fails.
  if (!(scale >= kMinScale && scale <= kMaxScale)) {
    return Error{fmt::format("the {} has the invalid scale {}", what, scale)};
  }
  if (!(magnitude >= 0 && magnitude <= kMaxMagnitude) || std::signbit(magnitude)) {
    return Error{fmt::format("the {} has the invalid value bound {}", what, magnitude)};
  }
  return std::monostate{};
}

auto size_error(std::string_view what, size_t size, size_t expected) -> Error {
  return {fmt::format("the {} has a body of {} bytes, but its fields require {}", what, size,
                      expected)};
}

/// The fields before the rows of a ciphertext. By scheme: scale and bound of the values (CKKS,
/// 8 bytes each), correction (BGV, 8).
struct CiphertextFields {
  CiphertextMetadata metadata;
  size_t n_parts = 0;
  size_t n_primes = 0;
  bool is_seeded = false;

  [[nodiscard]] auto n_stored_parts() const -> size_t { return n_parts - (is_seeded ? 1 : 0); }
};

auto fields_of(const Ciphertext& a) -> CiphertextFields {
  return {.metadata = a.metadata,
          .n_parts = a.parts.size(),
          .n_primes = a.n_primes(),
          .is_seeded = a.seed.has_value()};
}

auto fields_size(Scheme scheme) -> size_t {
  constexpr size_t kForAll = 8 + 8 + 8 + 3;
  switch (scheme) {
    case Scheme::Bfv:
      return kForAll;
    case Scheme::Bgv:
      return kForAll + 8;
    case Scheme::Ckks:
      return kForAll + 16;
  }
  return kForAll;
}

/// Of the whole body.
auto body_size(const Context& context, const CiphertextFields& fields) -> size_t {
  return fields_size(context.scheme()) + (fields.is_seeded ? sizeof(PublicSeed) : 0) +
         fields.n_stored_parts() * packed_size(context.n(), data_moduli(context, fields.n_primes));
}

void write_fields(const Context& context, const CiphertextFields& fields, FieldWriter& writer) {
  const CiphertextMetadata& metadata = fields.metadata;
  writer.number(metadata.key_id, 8);
  writer.real(metadata.noise);
  writer.real(metadata.n_noise_factors);
  if (is_ckks(context)) {
    writer.real(metadata.scale);
    writer.real(metadata.magnitude);
  } else if (context.scheme() == Scheme::Bgv) {
    writer.number(metadata.correction, 8);
  }
  writer.number(fields.n_parts, 1);
  writer.number(fields.n_primes, 1);
  writer.number(fields.is_seeded ? 1 : 0, 1);
}

auto check_fields(const Context& context, const CiphertextFields& fields) -> Status {
  const CiphertextMetadata& metadata = fields.metadata;
  if (fields.n_parts < 2 || fields.n_parts > kMaxParts) {
    return Error{fmt::format("the ciphertext has {} parts; ciphertexts have 2 or {}",
                             fields.n_parts, kMaxParts)};
  }
  if (fields.n_primes < 1 || fields.n_primes > context.n_data()) {
    return Error{fmt::format("the ciphertext has {} primes; the parameters have {} for data",
                             fields.n_primes, context.n_data())};
  }
  if (fields.is_seeded && fields.n_parts != 2) {
    return Error{"the ciphertext has a seed and degree two; fresh ciphertexts have degree one"};
  }
  if (!(metadata.noise >= kMinNoise && metadata.noise <= kMaxNoise)) {
    return Error{fmt::format("the ciphertext has invalid noise 2^{}", metadata.noise)};
  }
  if (!(metadata.n_noise_factors >= 1 && metadata.n_noise_factors <= kMaxNoiseFactors)) {
    return Error{fmt::format("the ciphertext's noise has an invalid number of factors, {}",
                             metadata.n_noise_factors)};
  }
  if (is_ckks(context)) {
    return check_scale(metadata.scale, metadata.magnitude, "ciphertext");
  }
  const Modulus& t = context.plain_modulus();
  if (metadata.correction >= t.value || ring::invert(metadata.correction, t) == 0) {
    return Error{
        fmt::format("the ciphertext's message has the factor {}, which has no inverse modulo {}",
                    metadata.correction, t.value)};
  }
  return std::monostate{};
}

/// All fields, or the first that makes no sense.
auto read_fields(const Context& context, FieldReader& reader) -> Result<CiphertextFields> {
  const size_t size = reader.n_left();
  CiphertextFields fields;
  CiphertextMetadata& metadata = fields.metadata;
  metadata.key_id = reader.number(8);
  metadata.noise = reader.real();
  metadata.n_noise_factors = reader.real();
  if (is_ckks(context)) {
    metadata.scale = reader.real();
    metadata.magnitude = reader.real();
  } else if (context.scheme() == Scheme::Bgv) {
    metadata.correction = reader.number(8);
  }
  fields.n_parts = reader.number(1);
  fields.n_primes = reader.number(1);
  const uint64_t seeded = reader.number(1);
  if (reader.is_short()) {
    return size_error("ciphertext", size, fields_size(context.scheme()));
  }
  if (seeded > 1) {
    return Error{fmt::format("the ciphertext has {} seeds; at most one is allowed", seeded)};
  }
  fields.is_seeded = seeded == 1;
  if (Status status = check_fields(context, fields); !status) {
    return status.error();
  }
  if (const size_t expected = body_size(context, fields); size != expected) {
    return size_error("ciphertext", size, expected);
  }
  return fields;
}

}  // namespace

auto max_expansion(const Context& context, ObjectKind kind) -> size_t {
  // Rows have room between them.
  const size_t n_bits = 64 * ring::row_stride(context.n());
  const size_t n_primes = context.n_data() + context.n_special();
  unsigned smallest = context.modulus(0).bits();
  for (size_t i = 1; i < n_primes; ++i) {
    smallest = std::min(smallest, context.modulus(i).bits());
  }
  switch (kind) {
    case ObjectKind::Parameters:
      return 1;
    case ObjectKind::SecretKey:
      // Two bits a coefficient become a word for each prime.
      return n_bits * n_primes / (2 * context.n()) + 1;
    case ObjectKind::Plaintext:
      if (!is_ckks(context)) {
        smallest = static_cast<unsigned>(std::bit_width(context.plain_modulus().value - 1));
      }
      return n_bits / (context.n() * smallest) + 1;
    case ObjectKind::PublicKey:
    case ObjectKind::RelinearisationKey:
    case ObjectKind::RotationKeys:
    case ObjectKind::BootstrappingKeys:
    case ObjectKind::Ciphertext:
    case ObjectKind::JointShare:
      return 2 * n_bits / (context.n() * smallest) + 1;  // seeds become as much again
  }
  return 0;
}

// A plaintext's body: for CKKS the scale, the bound of the values (8 bytes each) and the number of
// primes (1); then the rows.

auto serialise(const Context& context, const Plaintext& plaintext) -> Result<SecureBytes> {
  if (Status status = check_plaintext(context, plaintext); !status) {
    return status.error();
  }
  if (is_ckks(context)) {
    if (Status status = check_scale(plaintext.scale, plaintext.magnitude, "plaintext"); !status) {
      return status.error();
    }
  }
  const auto moduli = plain_moduli(context, plaintext.rows.n_rows());
  const size_t rows_size = packed_size(context.n(), moduli);
  SecureBytes object(kEnvelopeSize + (is_ckks(context) ? 17 : 0) + rows_size);
  FieldWriter writer = body_writer(object);
  if (is_ckks(context)) {
    writer.real(plaintext.scale);
    writer.real(plaintext.magnitude);
    writer.number(plaintext.rows.n_rows(), 1);
  }
  pack_rows(context, plaintext.rows.row_pointers(), moduli, writer.take(rows_size));
  seal_envelope(ObjectKind::Plaintext, context.scheme(), context.parameters().digest(), object);
  return object;
}

auto deserialise_plaintext(const Context& context, std::span<const std::byte> bytes)
    -> Result<Plaintext> {
  const Result<std::span<const std::byte>> body =
      open_envelope(context, bytes, ObjectKind::Plaintext);
  if (!body) {
    return body.error();
  }
  FieldReader reader(body.value());
  Plaintext plaintext;
  size_t n_rows = 1;
  if (is_ckks(context)) {
    plaintext.scale = reader.real();
    plaintext.magnitude = reader.real();
    n_rows = reader.number(1);
    if (reader.is_short()) {
      return size_error("plaintext", body.value().size(), 17);
    }
    if (Status status = check_scale(plaintext.scale, plaintext.magnitude, "plaintext"); !status) {
      return status.error();
    }
    if (n_rows < 1 || n_rows > context.n_data()) {
      return Error{fmt::format("the plaintext has {} primes; the parameters have {} for data",
                               n_rows, context.n_data())};
    }
  }
  const auto moduli = plain_moduli(context, n_rows);
  const size_t rows_size = packed_size(context.n(), moduli);
  if (reader.is_short() || reader.n_left() != rows_size) {
    return size_error("plaintext", body.value().size(), (is_ckks(context) ? 17 : 0) + rows_size);
  }
  Result<Rows> rows = unpack_rows(context, reader.take(rows_size), moduli, "plaintext", Wipe::Yes);
  if (!rows) {
    return rows.error();
  }
  plaintext.rows = std::move(*rows);
  plaintext.parameters = context.parameters().digest();
  return plaintext;
}

// A ciphertext's body: its key (8 bytes), the noise (8) and its factors (8), the fields of its
// scheme, the numbers of parts, primes and seeds (1 each), the seed if there is one (32), and the
// rows of the parts, but those of the second part if there is a seed.

namespace {

/// What a ciphertext has besides its rows, checked.
auto checked_fields(const Context& context, const Ciphertext& ciphertext)
    -> Result<CiphertextFields> {
  if (Status status = check_ciphertext(context, ciphertext); !status) {
    return status.error();
  }
  const CiphertextFields fields = fields_of(ciphertext);
  if (Status status = check_fields(context, fields); !status) {
    return status.error();
  }
  return fields;
}

void write_body(const Context& context, const Ciphertext& ciphertext,
                const CiphertextFields& fields, FieldWriter writer) {
  write_fields(context, fields, writer);
  if (ciphertext.seed) {
    writer.bytes(ciphertext.seed->bytes);
  }
  const auto moduli = data_moduli(context, fields.n_primes);
  const size_t part_size = packed_size(context.n(), moduli);
  for (size_t i = 0; i < fields.n_stored_parts(); ++i) {
    pack_rows(context, ciphertext.parts[i].row_pointers(), moduli, writer.take(part_size));
  }
}

auto append_sealed(const Context& context, const Ciphertext& ciphertext, Digester* file, Bytes& out)
    -> Status {
  const Result<CiphertextFields> fields = checked_fields(context, ciphertext);
  if (!fields) {
    return fields.error();
  }
  const size_t n_before = out.size();
  out.resize(n_before + kEnvelopeSize + body_size(context, fields.value()));
  const std::span<std::byte> object = std::span(out).subspan(n_before);
  write_body(context, ciphertext, fields.value(), body_writer(object));
  seal_envelope(ObjectKind::Ciphertext, context.scheme(), context.parameters().digest(), object,
                file);
  return std::monostate{};
}

auto read_body(const Context& context, std::span<const std::byte> body) -> Result<Ciphertext> {
  FieldReader reader(body);
  const Result<CiphertextFields> read = read_fields(context, reader);
  if (!read) {
    return read.error();
  }
  const CiphertextFields& fields = read.value();
  Ciphertext ciphertext;
  ciphertext.metadata = fields.metadata;
  ciphertext.metadata.parameters = context.parameters().digest();
  if (fields.is_seeded) {
    reader.bytes(ciphertext.seed.emplace().bytes);
  }
  const auto moduli = data_moduli(context, fields.n_primes);
  const size_t part_size = packed_size(context.n(), moduli);
  for (size_t i = 0; i < fields.n_stored_parts(); ++i) {
    Result<Rows> part = unpack_rows(context, reader.take(part_size), moduli, "ciphertext");
    if (!part) {
      return part.error();
    }
    ciphertext.parts.push_back(std::move(*part));
  }
  if (fields.is_seeded) {
    ciphertext.parts.push_back(expand_ciphertext_seed(context, *ciphertext.seed, fields.n_primes));
  }
  return ciphertext;
}

auto read_sealed(const Context& context, std::span<const std::byte> bytes, Digester* file)
    -> Result<Ciphertext> {
  const Result<std::span<const std::byte>> body =
      open_envelope(context, bytes, ObjectKind::Ciphertext, file);
  return body ? read_body(context, body.value()) : Result<Ciphertext>(body.error());
}

}  // namespace

auto serialise(const Context& context, const Ciphertext& ciphertext) -> Result<Bytes> {
  Bytes object;
  const Status status = append_sealed(context, ciphertext, nullptr, object);
  return status ? Result<Bytes>(std::move(object)) : Result<Bytes>(status.error());
}

auto deserialise_ciphertext(const Context& context, std::span<const std::byte> bytes)
    -> Result<Ciphertext> {
  return read_sealed(context, bytes, nullptr);
}

auto append_serialised(const Context& context, const Ciphertext& ciphertext, Digester& file,
                       Bytes& out) -> Status {
  return append_sealed(context, ciphertext, &file, out);
}

auto deserialise_ciphertext(const Context& context, std::span<const std::byte> bytes,
                            Digester& file) -> Result<Ciphertext> {
  return read_sealed(context, bytes, &file);
}

auto append_bare(const Context& context, const Ciphertext& ciphertext, Bytes& out) -> Status {
  const Result<CiphertextFields> fields = checked_fields(context, ciphertext);
  if (!fields) {
    return fields.error();
  }
  const size_t n_before = out.size();
  out.resize(n_before + body_size(context, fields.value()));
  write_body(context, ciphertext, fields.value(), FieldWriter(std::span(out).subspan(n_before)));
  return std::monostate{};
}

auto read_bare(const Context& context, std::span<const std::byte> bytes) -> Result<Ciphertext> {
  return read_body(context, bytes);
}

}  // namespace tacet::he
