#include <fmt/format.h>

#include <algorithm>

#include "base/declassify.h"
#include "engine/he/byte_fields.h"
#include "engine/he/checks.h"
#include "engine/he/object_envelope.h"
#include "engine/he/serialisation.h"
#include "engine/secure_random/samplers.h"

// The body: the key's name (8 bytes) and its coefficients, two bits each, the first in the lowest
// bits: 0, 1, and 2 for -1. Reading and writing take a time that does not depend on them.
namespace tacet::he {
namespace {

constexpr size_t kPerByte = 4;

auto not_ternary() -> Error {
  return {"the secret key has a coefficient other than -1, 0 and 1"};
}

/// 1 if `x`, of less than 64 bits, is zero, 0 if it is not.
auto is_zero(uint64_t x) -> uint64_t {
  return (x - 1) >> 63;
}

/// Whether the residues of `row` are all ternary, which they are in every key: no secret.
auto pack_ternary(const uint64_t* row, size_t n, const Modulus& q, std::byte* out) -> bool {
  uint64_t bad = 0;
  for (size_t i = 0; i < n; i += kPerByte) {
    uint64_t byte = 0;
    for (size_t k = 0; k < kPerByte; ++k) {
      const uint64_t x = row[i + k];
      const uint64_t is_one = is_zero(x ^ 1);
      const uint64_t is_minus_one = is_zero(x ^ (q.value - 1));
      bad |= 1 ^ (is_zero(x) | is_one | is_minus_one);
      byte |= (is_one | is_minus_one << 1) << (2 * k);
    }
    out[i / kPerByte] = static_cast<std::byte>(byte);
  }
  return declassified(bad) == 0;
}

auto unpack_ternary(const std::byte* in, std::span<int8_t> out) -> bool {
  unsigned bad = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    const unsigned code = (static_cast<unsigned>(in[i / kPerByte]) >> (2 * (i % kPerByte))) & 3;
    bad |= code & (code >> 1);
    out[i] = static_cast<int8_t>(static_cast<int>(code & 1) - static_cast<int>(code >> 1));
  }
  return declassified(bad) == 0;
}

}  // namespace

auto serialise(const Context& context, const SecretKey& key) -> Result<SecureBytes> {
  if (Status status = check_parameters(context, key.parameters, "secret key"); !status) {
    return status.error();
  }
  if (key.rows.n_rows() != context.n_data() + context.n_special() || key.rows.n() != context.n()) {
    return Error{"the secret key is empty, or its size does not match the parameters"};
  }
  Rows coefficients = context.rows(1, Wipe::Yes);
  std::copy_n(key.rows.row(0), context.n(), coefficients.row(0));
  context.transform_back(coefficients.row(0), 0);
  SecureBytes object(kEnvelopeSize + 8 + context.n() / kPerByte);
  FieldWriter writer = body_writer(object);
  writer.number(key.id, 8);
  if (!pack_ternary(coefficients.row(0), context.n(), context.modulus(0),
                    writer.take(context.n() / kPerByte))) {
    return not_ternary();
  }
  seal_envelope(ObjectKind::SecretKey, context.scheme(), context.parameters().digest(), object);
  return object;
}

auto deserialise_secret_key(const Context& context, std::span<const std::byte> bytes)
    -> Result<SecretKey> {
  const Result<std::span<const std::byte>> body =
      open_envelope(context, bytes, ObjectKind::SecretKey);
  if (!body) {
    return body.error();
  }
  FieldReader reader(body.value());
  SecretKey key;
  key.id = reader.number(8);
  if (reader.is_short() || reader.n_left() != context.n() / kPerByte) {
    return Error{fmt::format("the secret key has a body of {} bytes, expected {}",
                             body.value().size(), 8 + context.n() / kPerByte)};
  }
  SecureVector<int8_t> coefficients(context.n());
  if (!unpack_ternary(reader.take(context.n() / kPerByte), coefficients)) {
    return not_ternary();
  }
  key.parameters = context.parameters().digest();
  key.rows = context.rows(context.n_data() + context.n_special(), Wipe::Yes);
  context.for_each(key.rows.n_rows(), [&](size_t i) {
    secure_random::lift_signed(coefficients, context.modulus(i).value,
                               std::span(key.rows.row(i), context.n()), context.isa());
    context.transform(key.rows.row(i), i);
  });
  return key;
}

}  // namespace tacet::he
