#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "engine/he/bootstrapping/bootstrapper.h"
#include "engine/he/byte_fields.h"
#include "engine/he/checks.h"
#include "engine/he/key_generation.h"
#include "engine/he/object_envelope.h"
#include "engine/he/packed_rows.h"
#include "engine/he/serialisation.h"

namespace tacet::he {
namespace {

auto key_size_error(std::string_view what, size_t size, size_t expected) -> Error {
  return {fmt::format("the {} has a body of {} bytes, but its fields require {}", what, size,
                      expected)};
}

auto shape_error(std::string_view what) -> Error {
  return {fmt::format("the {} is empty, or its size does not match the parameters", what)};
}

/// Of the rows of a key for the first `n_primes` data primes.
auto key_moduli(const Context& context, size_t n_primes) -> std::vector<Modulus> {
  std::vector<Modulus> moduli;
  for (size_t i = 0; i < n_primes; ++i) {
    moduli.push_back(context.modulus(i));
  }
  for (size_t i = 0; i < context.n_special(); ++i) {
    moduli.push_back(context.modulus(context.special(i)));
  }
  return moduli;
}

// A key to switch by: the number of data primes (1 byte), the seed (32), and the first half of each
// digit. Without a seed: the number of data primes plus 128, and both halves of each digit.

constexpr uint64_t kUnseeded = 128;
static_assert(kMaxPrimes < kUnseeded);

auto switch_key_size(const Context& context, size_t n_primes, bool is_seeded = true) -> size_t {
  const size_t half =
      context.n_digits(n_primes) * packed_size(context.n(), key_moduli(context, n_primes));
  return is_seeded ? 1 + sizeof(PublicSeed) + half : 1 + 2 * half;
}

auto check_switch_key(const Context& context, const KeySwitchKey& key, std::string_view what)
    -> Status {
  const bool fits = context.n_special() != 0 && key.n_primes >= 1 &&
                    key.n_primes <= context.n_data() &&
                    key.n_digits == context.n_digits(key.n_primes) &&
                    key.rows.n_rows() == 2 * key.n_digits * (key.n_primes + context.n_special()) &&
                    key.rows.n() == context.n();
  return fits ? Status(std::monostate{}) : shape_error(what);
}

void write_switch_key(const Context& context, const KeySwitchKey& key, FieldWriter& writer) {
  writer.number(key.n_primes + (key.seed ? 0 : kUnseeded), 1);
  if (key.seed) {
    writer.bytes(key.seed->bytes);
  }
  const std::vector<Modulus> moduli = key_moduli(context, key.n_primes);
  const size_t digit_size = packed_size(context.n(), moduli);
  for (size_t digit = 0; digit < key.n_digits; ++digit) {
    for (size_t half = 0; half < (key.seed ? 1 : 2); ++half) {
      std::vector<const uint64_t*> rows;
      for (size_t i = 0; i < moduli.size(); ++i) {
        rows.push_back(key.row(half, digit, i));
      }
      pack_rows(context, rows, moduli, writer.take(digit_size));
    }
  }
}

auto read_switch_key(const Context& context, FieldReader& reader, std::string_view what)
    -> Result<KeySwitchKey> {
  const size_t size = reader.n_left();
  KeySwitchKey key;
  key.n_primes = reader.number(1);
  const bool is_seeded = key.n_primes < kUnseeded;
  if (is_seeded) {
    reader.bytes(key.seed.emplace().bytes);
  } else {
    key.n_primes -= kUnseeded;
  }
  if (reader.is_short()) {
    return key_size_error(what, size, 1 + sizeof(PublicSeed));
  }
  if (context.n_special() == 0 || key.n_primes < 1 || key.n_primes > context.n_data()) {
    return Error{
        fmt::format("the {} is for {} primes; the parameters have {} for data and {} for "
                    "keys",
                    what, key.n_primes, context.n_data(), context.n_special())};
  }
  if (const size_t expected = switch_key_size(context, key.n_primes, is_seeded); size < expected) {
    return key_size_error(what, size, expected);
  }
  const std::vector<Modulus> moduli = key_moduli(context, key.n_primes);
  const size_t digit_size = packed_size(context.n(), moduli);
  key.n_digits = context.n_digits(key.n_primes);
  key.rows = context.rows(2 * key.n_digits * moduli.size());
  for (size_t digit = 0; digit < key.n_digits; ++digit) {
    for (size_t half = 0; half < (is_seeded ? 1 : 2); ++half) {
      std::vector<uint64_t*> rows;
      for (size_t i = 0; i < moduli.size(); ++i) {
        rows.push_back(key.row(half, digit, i));
      }
      if (Status status = unpack_rows_into(context, reader.take(digit_size), moduli, what, rows);
          !status) {
        return status.error();
      }
    }
  }
  if (is_seeded) {
    expand_seed(context, key);
  }
  return key;
}

constexpr std::string_view kRotationKeys = "set of rotation keys";
constexpr std::string_view kBootstrappingKeys = "set of bootstrapping keys";
constexpr size_t kEntryFieldsSize = 4;

auto serialise_entries(const Context& context, const RotationKeys& keys,
                       std::span<const RotationKeys::Entry> entries) -> Result<Bytes> {
  if (Status status = check_parameters(context, keys.parameters, kRotationKeys); !status) {
    return status.error();
  }
  size_t size = kEnvelopeSize + 8 + 4;
  for (const RotationKeys::Entry& entry : entries) {
    if (Status status = check_switch_key(context, entry.key, kRotationKeys); !status) {
      return status.error();
    }
    size +=
        kEntryFieldsSize + switch_key_size(context, entry.key.n_primes, entry.key.seed.has_value());
  }
  Bytes object(size);
  FieldWriter writer = body_writer(object);
  writer.number(keys.key_id, 8);
  writer.number(entries.size(), 4);
  for (const RotationKeys::Entry& entry : entries) {
    writer.number(entry.galois_element, 4);
    write_switch_key(context, entry.key, writer);
  }
  seal_envelope(ObjectKind::RotationKeys, context.scheme(), context.parameters().digest(), object);
  return object;
}

/// Odd, below 2N, and above the one before.
auto check_galois_element(const Context& context, uint64_t element, uint64_t before) -> Status {
  if (element % 2 == 0 || element >= 2 * context.n()) {
    return Error{fmt::format(
        "a rotation key is for {}, which is not a Galois element of a ring of dimension {}",
        element, context.n())};
  }
  if (element <= before) {
    return Error{
        fmt::format("the rotation key for {} follows that for {}; they must be in ascending order",
                    element, before)};
  }
  return std::monostate{};
}

}  // namespace

// A public key's body: its secret key (8 bytes), the seed (32), and the rows of the first part.

auto serialise(const Context& context, const PublicKey& key) -> Result<Bytes> {
  if (Status status = check_parameters(context, key.parameters, "public key"); !status) {
    return status.error();
  }
  if (key.parts[0].n_rows() != context.n_data() || key.parts[0].n() != context.n()) {
    return shape_error("public key");
  }
  const std::span<const Modulus> moduli(&context.modulus(0), context.n_data());
  const size_t rows_size = packed_size(context.n(), moduli);
  Bytes object(kEnvelopeSize + 8 + sizeof(PublicSeed) + rows_size);
  FieldWriter writer = body_writer(object);
  writer.number(key.key_id, 8);
  writer.bytes(key.seed.bytes);
  pack_rows(context, std::as_const(key.parts[0]).row_pointers(), moduli, writer.take(rows_size));
  seal_envelope(ObjectKind::PublicKey, context.scheme(), context.parameters().digest(), object);
  return object;
}

auto deserialise_public_key(const Context& context, std::span<const std::byte> bytes)
    -> Result<PublicKey> {
  const Result<std::span<const std::byte>> body =
      open_envelope(context, bytes, ObjectKind::PublicKey);
  if (!body) {
    return body.error();
  }
  FieldReader reader(body.value());
  PublicKey key;
  key.key_id = reader.number(8);
  reader.bytes(key.seed.bytes);
  const std::span<const Modulus> moduli(&context.modulus(0), context.n_data());
  const size_t rows_size = packed_size(context.n(), moduli);
  if (reader.is_short() || reader.n_left() != rows_size) {
    return key_size_error("public key", body.value().size(), 8 + sizeof(PublicSeed) + rows_size);
  }
  Result<Rows> first = unpack_rows(context, reader.take(rows_size), moduli, "public key");
  if (!first) {
    return first.error();
  }
  key.parts[0] = std::move(*first);
  key.parameters = context.parameters().digest();
  expand_seed(context, key);
  return key;
}

// A relinearisation key's body: its secret key (8 bytes), and a key to switch by.

auto serialise(const Context& context, const RelinearisationKey& key) -> Result<Bytes> {
  constexpr std::string_view kWhat = "relinearisation key";
  if (Status status = check_parameters(context, key.parameters, kWhat); !status) {
    return status.error();
  }
  if (Status status = check_switch_key(context, key.key, kWhat); !status) {
    return status.error();
  }
  Bytes object(kEnvelopeSize + 8 +
               switch_key_size(context, key.key.n_primes, key.key.seed.has_value()));
  FieldWriter writer = body_writer(object);
  writer.number(key.key_id, 8);
  write_switch_key(context, key.key, writer);
  seal_envelope(ObjectKind::RelinearisationKey, context.scheme(), context.parameters().digest(),
                object);
  return object;
}

auto deserialise_relinearisation_key(const Context& context, std::span<const std::byte> bytes)
    -> Result<RelinearisationKey> {
  constexpr std::string_view kWhat = "relinearisation key";
  const Result<std::span<const std::byte>> body =
      open_envelope(context, bytes, ObjectKind::RelinearisationKey);
  if (!body) {
    return body.error();
  }
  FieldReader reader(body.value());
  RelinearisationKey key;
  key.key_id = reader.number(8);
  Result<KeySwitchKey> switch_key = read_switch_key(context, reader, kWhat);
  if (!switch_key) {
    return switch_key.error();
  }
  if (reader.n_left() != 0) {
    return key_size_error(kWhat, body.value().size(), body.value().size() - reader.n_left());
  }
  key.key = std::move(*switch_key);
  key.parameters = context.parameters().digest();
  return key;
}

// A set of rotation keys: their secret key (8 bytes), their number (4), and for each its Galois
// element (4) and a key to switch by.

auto serialise(const Context& context, const RotationKeys& keys) -> Result<Bytes> {
  return serialise_entries(context, keys, keys.entries);
}

auto serialise_rotation_key(const Context& context, const RotationKeys& keys,
                            uint64_t galois_element) -> Result<Bytes> {
  const auto entry = std::find_if(keys.entries.begin(), keys.entries.end(), [&](const auto& e) {
    return e.galois_element == galois_element;
  });
  if (entry == keys.entries.end()) {
    return Error{fmt::format("missing rotation key for the Galois element {}", galois_element)};
  }
  return serialise_entries(context, keys, std::span(&*entry, 1));
}

auto deserialise_rotation_keys(const Context& context, std::span<const std::byte> bytes)
    -> Result<RotationKeys> {
  const Result<std::span<const std::byte>> body =
      open_envelope(context, bytes, ObjectKind::RotationKeys);
  if (!body) {
    return body.error();
  }
  FieldReader reader(body.value());
  RotationKeys keys;
  keys.key_id = reader.number(8);
  const uint64_t n_entries = reader.number(4);
  uint64_t before = 0;
  for (uint64_t i = 0; i < n_entries; ++i) {
    if (reader.n_left() < kEntryFieldsSize) {
      return Error{fmt::format("the {} ends after {} of {}", kRotationKeys, i, n_entries)};
    }
    const uint64_t element = reader.number(kEntryFieldsSize);
    if (Status status = check_galois_element(context, element, before); !status) {
      return status.error();
    }
    Result<KeySwitchKey> key = read_switch_key(context, reader, kRotationKeys);
    if (!key) {
      return key.error();
    }
    keys.entries.push_back({.galois_element = element, .key = std::move(*key)});
    before = element;
  }
  if (reader.is_short() || reader.n_left() != 0) {
    return Error{fmt::format("the {} has {} bytes too {}", kRotationKeys,
                             reader.is_short() ? 12 - body.value().size() : reader.n_left(),
                             reader.is_short() ? "few" : "many")};
  }
  keys.parameters = context.parameters().digest();
  return keys;
}

auto join(RotationKeys a, RotationKeys b) -> Result<RotationKeys> {
  if (a.parameters != b.parameters || a.key_id != b.key_id) {
    return Error{"the rotation keys belong to different secret keys"};
  }
  for (const RotationKeys::Entry& entry : b.entries) {
    if (a.find(entry.galois_element) != nullptr) {
      return Error{
          fmt::format("both have a rotation key for the Galois element {}", entry.galois_element)};
    }
  }
  std::move(b.entries.begin(), b.entries.end(), std::back_inserter(a.entries));
  std::sort(a.entries.begin(), a.entries.end(),
            [](const auto& x, const auto& y) { return x.galois_element < y.galois_element; });
  return a;
}

// Keys for bootstrapping: their secret key (8 bytes), and two keys to switch by, the first one
// under the parameters of the sparse secret.

auto serialise(const Context& context, const BootstrappingKeys& keys) -> Result<Bytes> {
  if (Status status = check_parameters(context, keys.parameters, kBootstrappingKeys); !status) {
    return status.error();
  }
  const Result<ContextRef> small = encapsulation_context(context);
  if (!small) {
    return small.error();
  }
  for (const Status& status : {check_switch_key(*small.value(), keys.to_sparse, kBootstrappingKeys),
                               check_switch_key(context, keys.to_dense, kBootstrappingKeys)}) {
    if (!status) {
      return status.error();
    }
  }
  if (keys.to_dense.n_primes != context.n_data()) {
    return shape_error(kBootstrappingKeys);
  }
  Bytes object(kEnvelopeSize + 8 +
               switch_key_size(*small.value(), 1, keys.to_sparse.seed.has_value()) +
               switch_key_size(context, keys.to_dense.n_primes, keys.to_dense.seed.has_value()));
  FieldWriter writer = body_writer(object);
  writer.number(keys.key_id, 8);
  write_switch_key(*small.value(), keys.to_sparse, writer);
  write_switch_key(context, keys.to_dense, writer);
  seal_envelope(ObjectKind::BootstrappingKeys, context.scheme(), context.parameters().digest(),
                object);
  return object;
}

auto deserialise_bootstrapping_keys(const Context& context, std::span<const std::byte> bytes)
    -> Result<BootstrappingKeys> {
  const Result<std::span<const std::byte>> body =
      open_envelope(context, bytes, ObjectKind::BootstrappingKeys);
  if (!body) {
    return body.error();
  }
  const Result<ContextRef> small = encapsulation_context(context);
  if (!small) {
    return small.error();
  }
  FieldReader reader(body.value());
  BootstrappingKeys keys;
  keys.key_id = reader.number(8);
  Result<KeySwitchKey> to_sparse = read_switch_key(*small.value(), reader, kBootstrappingKeys);
  if (!to_sparse) {
    return to_sparse.error();
  }
  Result<KeySwitchKey> to_dense = read_switch_key(context, reader, kBootstrappingKeys);
  if (!to_dense) {
    return to_dense.error();
  }
  if (reader.n_left() != 0) {
    return key_size_error(kBootstrappingKeys, body.value().size(),
                          body.value().size() - reader.n_left());
  }
  if (to_dense->n_primes != context.n_data()) {
    return shape_error(kBootstrappingKeys);
  }
  keys.to_sparse = std::move(*to_sparse);
  keys.to_dense = std::move(*to_dense);
  keys.parameters = context.parameters().digest();
  return keys;
}

}  // namespace tacet::he
