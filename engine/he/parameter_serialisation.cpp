#include <fmt/format.h>

#include <bit>

#include "engine/he/byte_fields.h"
#include "engine/he/object_envelope.h"
#include "engine/he/parameter_codec.h"
#include "engine/he/serialisation.h"

// The body: log2 N (1 byte), bits of security (2), t (8), the numbers of data and special primes (1
// each), and the primes (8 each). Of keys that several parties hold, their number follows (1). The
// digest in the header is that of these parameters.
namespace tacet::he {

static auto read_primes(FieldReader& reader, size_t n) -> std::vector<uint64_t> {
  std::vector<uint64_t> primes;
  for (size_t i = 0; i < n; ++i) {
    primes.push_back(reader.number(8));
  }
  return primes;
}

auto serialise(const Parameters& parameters) -> Bytes {
  const auto& data = parameters.data_primes();
  const auto& special = parameters.special_primes();
  const bool is_joint = parameters.n_key_holders() > 1;
  Bytes object(kEnvelopeSize + 13 + 8 * (data.size() + special.size()) + (is_joint ? 1 : 0));
  FieldWriter writer = body_writer(object);
  writer.number(static_cast<uint64_t>(std::countr_zero(parameters.ring_dimension())), 1);
  writer.number(parameters.security() ? static_cast<uint64_t>(*parameters.security()) : 0, 2);
  writer.number(parameters.plain_modulus(), 8);
  writer.number(data.size(), 1);
  writer.number(special.size(), 1);
  for (const auto* primes : {&data, &special}) {
    for (const uint64_t prime : *primes) {
      writer.number(prime, 8);
    }
  }
  if (is_joint) {
    writer.number(parameters.n_key_holders(), 1);
  }
  seal_envelope(ObjectKind::Parameters, parameters.scheme(), parameters.digest(), object);
  return object;
}

auto deserialise_parameters(std::span<const std::byte> bytes, InsecureParameters insecure)
    -> Result<Parameters> {
  const Result<std::span<const std::byte>> body = open_envelope(bytes, ObjectKind::Parameters);
  if (!body) {
    return body.error();
  }
  const ObjectHeader header = read_object_header(bytes).value();
  FieldReader reader(body.value());
  StoredParameters stored;
  stored.scheme = header.scheme;
  const uint64_t log_dimension = reader.number(1);
  stored.ring_dimension = log_dimension < 64 ? size_t{1} << log_dimension : 0;
  stored.security_bits = static_cast<unsigned>(reader.number(2));
  stored.plain_modulus = reader.number(8);
  const size_t n_data = reader.number(1);
  const size_t n_special = reader.number(1);
  const size_t primes_size = 8 * (n_data + n_special);
  const bool is_joint = reader.n_left() == primes_size + 1;
  if (reader.is_short() || (reader.n_left() != primes_size && !is_joint)) {
    return Error{fmt::format("the parameters have {} bytes, which does not match {} and {} primes",
                             body.value().size(), n_data, n_special)};
  }
  if (stored.security_bits == 0 && insecure == InsecureParameters::Refuse) {
    return Error{
        "the parameters are insecure and only for tests; pass `InsecureParameters::Accept` to read "
        "them"};
  }
  stored.data_primes = read_primes(reader, n_data);
  stored.special_primes = read_primes(reader, n_special);
  if (is_joint) {
    stored.n_key_holders = static_cast<unsigned>(reader.number(1));
    if (stored.n_key_holders < 2) {
      return Error{fmt::format("the parameters are for a joint key of {} parties; it takes two",
                               stored.n_key_holders)};
    }
  }
  Result<Parameters> parameters = ParameterCodec::validated(std::move(stored));
  if (parameters && parameters->digest() != header.parameters) {
    return Error{"the parameters do not match their digest"};
  }
  return parameters;
}

}  // namespace tacet::he
