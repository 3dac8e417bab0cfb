// Objects survive being stored, for every kind, scheme and level, and nothing else is taken for
// one. tests/serialisation mutates them by the million.

#include "engine/he/serialisation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "base/value.h"
#include "engine/he/bootstrapping/bootstrapper.h"
#include "engine/he/encoding.h"
#include "engine/he/encryption.h"
#include "engine/he/evaluation.h"
#include "engine/he/key_generation.h"
#include "engine/he/object_envelope.h"
#include "engine/secure_random/test_seed.h"

namespace tacet::he {
namespace {

auto request_of(Scheme scheme, std::vector<unsigned> special = {31}) -> ParameterRequest {
  return {.scheme = scheme,
          .ring_dimension = 64,
          .data_prime_bits = {30, 25, 20},
          .special_prime_bits = std::move(special),
          .plain_modulus = scheme == Scheme::Ckks ? 0U : 257U};
}

template <class T>
auto bytes_of(const Context& context, const T& object) -> Bytes {
  const auto bytes = value(serialise(context, object));
  return {bytes.begin(), bytes.end()};
}

auto deserialise(const Context& context, ObjectKind kind, std::span<const std::byte> bytes)
    -> std::string {
  const auto message = [](const auto& result) {
    return result ? std::string() : result.error().message;
  };
  switch (kind) {
    case ObjectKind::Parameters:
      return message(deserialise_parameters(bytes, InsecureParameters::Accept));
    case ObjectKind::SecretKey:
      return message(deserialise_secret_key(context, bytes));
    case ObjectKind::PublicKey:
      return message(deserialise_public_key(context, bytes));
    case ObjectKind::RelinearisationKey:
      return message(deserialise_relinearisation_key(context, bytes));
    case ObjectKind::RotationKeys:
      return message(deserialise_rotation_keys(context, bytes));
    case ObjectKind::Plaintext:
      return message(deserialise_plaintext(context, bytes));
    case ObjectKind::Ciphertext:
      return message(deserialise_ciphertext(context, bytes));
    case ObjectKind::BootstrappingKeys:
      return message(deserialise_bootstrapping_keys(context, bytes));
    case ObjectKind::JointShare:  // engine/he_joint
      break;
  }
  return {};
}

void expect_equal(const KeySwitchKey& a, const KeySwitchKey& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.n_digits, b.n_digits);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.n_primes, b.n_primes);
}

void expect_equal(const Ciphertext& a, const Ciphertext& b) {
  EXPECT_EQ(a.parts, b.parts);
  EXPECT_EQ(a.metadata.scale, b.metadata.scale);
  EXPECT_EQ(a.metadata.magnitude, b.metadata.magnitude);
  EXPECT_EQ(a.metadata.correction, b.metadata.correction);
  EXPECT_EQ(a.metadata.noise, b.metadata.noise);
  EXPECT_EQ(a.metadata.n_noise_factors, b.metadata.n_noise_factors);
  EXPECT_EQ(a.metadata.key_id, b.metadata.key_id);
  EXPECT_EQ(a.metadata.parameters, b.metadata.parameters);
  EXPECT_EQ(a.seed, b.seed);
}

class Stored : public testing::TestWithParam<Scheme> {
 protected:
  auto encoded(size_t n_primes = 0) -> Plaintext {
    if (GetParam() == Scheme::Ckks) {
      const std::vector<double> numbers = {1.5, -2, 3};
      return value(ComplexEncoder(context_).encode(numbers, 0x1p+20, n_primes, 4));
    }
    const std::vector<int64_t> numbers = {1, -2, 3};
    return value(IntegerEncoder(context_).encode(numbers));
  }

  auto encrypted() -> Ciphertext {
    return value(encrypt(context_, public_key_, encoded(), random_));
  }

  auto rotation_keys(size_t n_primes = 0) -> RotationKeys {
    const uint64_t elements[] = {galois_element_of(context_, 1), galois_element_of(context_, -3),
                                 galois_element_of_swap(context_)};
    return value(generate_rotation_keys(context_, secret_, elements, random_, n_primes));
  }

  /// One object of each kind and form, small ones.
  auto objects() -> std::vector<std::pair<ObjectKind, Bytes>> {
    std::vector<std::pair<ObjectKind, Bytes>> objects = {
        {ObjectKind::Parameters, serialise(context_.parameters())},
        {ObjectKind::SecretKey, bytes_of(context_, secret_)},
        {ObjectKind::PublicKey, bytes_of(context_, public_key_)},
        {ObjectKind::RelinearisationKey,
         bytes_of(context_, value(generate_relinearisation_key(context_, secret_, random_, 1)))},
        {ObjectKind::RotationKeys, bytes_of(context_, rotation_keys(1))},
        {ObjectKind::Plaintext, bytes_of(context_, encoded())},
        {ObjectKind::Ciphertext, bytes_of(context_, encrypted())},
        {ObjectKind::Ciphertext,
         bytes_of(context_, value(encrypt(context_, secret_, encoded(), random_)))}};
    if (GetParam() == Scheme::Ckks) {
      objects.emplace_back(
          ObjectKind::BootstrappingKeys,
          bytes_of(context_, value(generate_bootstrapping_keys(context_, secret_, random_))));
    }
    return objects;
  }

  SecureRandom random_ = secure_random::seeded_random(secure_random::TestSeed::of(3), best_isa());
  ContextRef context_ref_ =
      Context::make(value(insecure_test_parameters(request_of(GetParam(), {31, 30}))));
  const Context& context_ = *context_ref_;
  SecretKey secret_ = generate_secret_key(context_, random_);
  PublicKey public_key_ = value(generate_public_key(context_, secret_, random_));
};

TEST_P(Stored, Parameters) {
  const Parameters& parameters = context_.parameters();
  const Parameters again =
      value(deserialise_parameters(serialise(parameters), InsecureParameters::Accept));
  EXPECT_EQ(again, parameters);
  EXPECT_EQ(again.scheme(), parameters.scheme());
  EXPECT_EQ(again.ring_dimension(), parameters.ring_dimension());
  EXPECT_EQ(again.data_primes(), parameters.data_primes());
  EXPECT_EQ(again.special_primes(), parameters.special_primes());
  EXPECT_EQ(again.plain_modulus(), parameters.plain_modulus());
  EXPECT_EQ(again.security(), parameters.security());
}

TEST_P(Stored, SecureParameters) {
  for (const Security security : {Security::Bits128, Security::Bits192, Security::Bits256}) {
    const Parameters parameters =
        value(make_parameters(default_request(GetParam(), 8192, 20, security)));
    const Parameters again = value(deserialise_parameters(serialise(parameters)));
    EXPECT_EQ(again, parameters);
    EXPECT_EQ(again.security(), security);
  }
}

TEST_P(Stored, SecretKey) {
  const SecretKey again = value(deserialise_secret_key(context_, bytes_of(context_, secret_)));
  EXPECT_EQ(again.rows, secret_.rows);
  EXPECT_EQ(again.id, secret_.id);
  EXPECT_EQ(again.parameters, secret_.parameters);
}

TEST_P(Stored, PublicKey) {
  const PublicKey again = value(deserialise_public_key(context_, bytes_of(context_, public_key_)));
  EXPECT_EQ(again.parts[0], public_key_.parts[0]);
  EXPECT_EQ(again.parts[1], public_key_.parts[1]);
  EXPECT_EQ(again.key_id, public_key_.key_id);
  EXPECT_EQ(again.parameters, public_key_.parameters);
}

TEST_P(Stored, KeysToSwitchByOfEveryLevel) {
  for (size_t n_primes = 1; n_primes <= context_.n_data(); ++n_primes) {
    const auto key = value(generate_relinearisation_key(context_, secret_, random_, n_primes));
    const auto again = value(deserialise_relinearisation_key(context_, bytes_of(context_, key)));
    expect_equal(again.key, key.key);
    EXPECT_EQ(again.key_id, key.key_id);
    EXPECT_EQ(again.parameters, key.parameters);

    const RotationKeys keys = rotation_keys(n_primes);
    const RotationKeys keys_again =
        value(deserialise_rotation_keys(context_, bytes_of(context_, keys)));
    ASSERT_EQ(keys_again.entries.size(), keys.entries.size());
    for (size_t i = 0; i < keys.entries.size(); ++i) {
      EXPECT_EQ(keys_again.entries[i].galois_element, keys.entries[i].galois_element);
      expect_equal(keys_again.entries[i].key, keys.entries[i].key);
    }
    EXPECT_EQ(keys_again.key_id, keys.key_id);
    EXPECT_EQ(keys_again.parameters, keys.parameters);
  }
}

TEST_P(Stored, BootstrappingKeys) {
  if (GetParam() != Scheme::Ckks) {
    EXPECT_FALSE(generate_bootstrapping_keys(context_, secret_, random_));
    return;
  }
  const BootstrappingKeys keys = value(generate_bootstrapping_keys(context_, secret_, random_));
  const BootstrappingKeys again =
      value(deserialise_bootstrapping_keys(context_, bytes_of(context_, keys)));
  expect_equal(again.to_sparse, keys.to_sparse);
  expect_equal(again.to_dense, keys.to_dense);
  EXPECT_EQ(again.key_id, keys.key_id);
  EXPECT_EQ(again.parameters, keys.parameters);
}

TEST_P(Stored, RotationKeysOneByOne) {
  const RotationKeys keys = rotation_keys();
  RotationKeys joined;
  for (size_t i = keys.entries.size(); i-- > 0;) {
    const uint64_t element = keys.entries[i].galois_element;
    RotationKeys one = value(deserialise_rotation_keys(
        context_, value(serialise_rotation_key(context_, keys, element))));
    ASSERT_EQ(one.entries.size(), 1U);
    joined =
        joined.entries.empty() ? std::move(one) : value(join(std::move(joined), std::move(one)));
  }
  EXPECT_EQ(bytes_of(context_, joined), bytes_of(context_, keys));
  EXPECT_EQ(serialise_rotation_key(context_, keys, 1).error().message,
            "missing rotation key for the Galois element 1");
  EXPECT_FALSE(join(keys, keys));
  const SecretKey other = generate_secret_key(context_, random_);
  EXPECT_EQ(join(keys, value(generate_rotation_keys(context_, other, {}, random_))).error().message,
            "the rotation keys belong to different secret keys");
}

TEST_P(Stored, Plaintexts) {
  for (size_t n_primes = 1; n_primes <= context_.n_data(); ++n_primes) {
    const Plaintext plaintext = encoded(n_primes);
    const Plaintext again = value(deserialise_plaintext(context_, bytes_of(context_, plaintext)));
    EXPECT_EQ(again.rows, plaintext.rows);
    EXPECT_EQ(again.scale, plaintext.scale);
    EXPECT_EQ(again.magnitude, plaintext.magnitude);
  }
}

TEST_P(Stored, CiphertextsOfEveryLevelAndDegree) {
  for (size_t n_primes = context_.n_data(); n_primes >= 1; --n_primes) {
    const Ciphertext fresh = value(drop_to(context_, encrypted(), n_primes));
    const Ciphertext seeded =
        value(encrypt(context_, secret_, encoded(n_primes), random_, n_primes));
    const Ciphertext product = value(multiply(context_, fresh, fresh));
    for (const Ciphertext* ciphertext : {&fresh, &seeded, &product}) {
      expect_equal(value(deserialise_ciphertext(context_, bytes_of(context_, *ciphertext))),
                   *ciphertext);
    }
  }
}

TEST_P(Stored, ASeedIsThereOnlyWhileItIsTrue) {
  const Ciphertext seeded = value(encrypt(context_, secret_, encoded(), random_));
  const Plaintext plaintext = encoded();
  const RotationKeys keys = rotation_keys();
  const std::vector<Ciphertext> results = {
      value(add(context_, seeded, seeded)),
      value(subtract(context_, encrypted(), seeded)),
      value(negate(context_, seeded)),
      value(add_plain(context_, seeded, plaintext)),
      value(multiply_plain(context_, seeded, value(prepare_factor(context_, plaintext)))),
      value(multiply(context_, seeded, seeded)),
      value(apply_automorphism(context_, seeded, keys.entries[0].galois_element, keys)),
      value(drop_prime(context_, seeded))};
  for (const Ciphertext& result : results) {
    expect_equal(value(deserialise_ciphertext(context_, bytes_of(context_, result))), result);
  }
}

TEST_P(Stored, SizesAreThoseOfTheResidues) {
  // 30, 25 and 20 bits of data primes, 31 and 30 of special ones; 64 residues each.
  constexpr size_t kPart = 64 / 8 * (30 + 25 + 20);
  constexpr size_t kDigit = 64 / 8 * (30 + 25 + 20 + 31 + 30);
  const size_t fields = GetParam() == Scheme::Bfv ? 0 : GetParam() == Scheme::Bgv ? 8 : 16;
  EXPECT_EQ(bytes_of(context_, encrypted()).size(), kEnvelopeSize + 27 + fields + 2 * kPart);
  EXPECT_EQ(bytes_of(context_, value(encrypt(context_, secret_, encoded(), random_))).size(),
            kEnvelopeSize + 27 + fields + 32 + kPart);
  EXPECT_EQ(bytes_of(context_, secret_).size(), kEnvelopeSize + 8 + 16);
  EXPECT_EQ(bytes_of(context_, public_key_).size(), kEnvelopeSize + 8 + 32 + kPart);
  EXPECT_EQ(bytes_of(context_, rotation_keys()).size(),
            kEnvelopeSize + 12 + 3 * (4 + 33 + 2 * kDigit));
}

TEST_P(Stored, LoadedKeysWork) {
  const SecretKey secret = value(deserialise_secret_key(context_, bytes_of(context_, secret_)));
  const PublicKey key = value(deserialise_public_key(context_, bytes_of(context_, public_key_)));
  const RotationKeys keys =
      value(deserialise_rotation_keys(context_, bytes_of(context_, rotation_keys())));
  const Ciphertext rotated =
      value(rotate(context_, value(encrypt(context_, key, encoded(), random_)), 1, keys));
  const Plaintext plaintext =
      value(decrypt(context_, secret, rotated, random_, {.kind = CkksAudience::Kind::KeyHolder}));
  if (GetParam() == Scheme::Ckks) {
    EXPECT_NEAR(value(ComplexEncoder(context_).decode(plaintext))[0].real(), -2, 0.5);
  } else {
    EXPECT_EQ(value(IntegerEncoder(context_).decode(plaintext))[0], -2);
  }
}

TEST_P(Stored, EveryChangedByteIsNoticed) {
  for (auto& [kind, bytes] : objects()) {
    for (size_t i = 0; i < bytes.size(); ++i) {
      Bytes changed = bytes;
      changed[i] ^= static_cast<std::byte>(1U << (i % 8));
      EXPECT_NE(deserialise(context_, kind, changed), "") << object_kind_name(kind) << ' ' << i;
    }
  }
}

TEST_P(Stored, EveryTruncationIsNoticed) {
  for (auto& [kind, bytes] : objects()) {
    for (size_t size = 0; size < bytes.size(); ++size) {
      // As it stands, and as an object of that size.
      Bytes cut(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size));
      EXPECT_NE(deserialise(context_, kind, cut), "");
      if (size >= kEnvelopeSize) {
        seal_envelope(kind, GetParam(), context_.parameters().digest(), cut);
        EXPECT_NE(deserialise(context_, kind, cut), "") << object_kind_name(kind) << ' ' << size;
      }
    }
    bytes.push_back(std::byte{0});
    EXPECT_NE(deserialise(context_, kind, bytes), "");
    seal_envelope(kind, GetParam(), context_.parameters().digest(), bytes);
    EXPECT_NE(deserialise(context_, kind, bytes), "");
  }
}

TEST_P(Stored, AChangedBodyIsRefusedOrAnotherObject) {
  for (auto& [kind, bytes] : objects()) {
    for (size_t i = kEnvelopeHeaderSize; i < bytes.size() - kChecksumSize; ++i) {
      Bytes changed = bytes;
      changed[i] ^= std::byte{0xff};
      seal_envelope(kind, GetParam(), context_.parameters().digest(), changed);
      if (kind == ObjectKind::Ciphertext) {
        const Result<Ciphertext> ciphertext = deserialise_ciphertext(context_, changed);
        EXPECT_TRUE(!ciphertext || bytes_of(context_, ciphertext.value()) == changed);
      } else {
        deserialise(context_, kind, changed);  // must end
      }
    }
  }
}

TEST_P(Stored, OtherKindsSchemesAndParametersAreNamed) {
  const Bytes ciphertext = bytes_of(context_, encrypted());
  EXPECT_EQ(deserialise_public_key(context_, ciphertext).error().message,
            "the object is of kind 'ciphertext', expected 'public key'");
  const auto longer = Context::make(value(insecure_test_parameters(request_of(GetParam(), {31}))));
  EXPECT_EQ(deserialise_ciphertext(*longer, ciphertext).error().message,
            "the object ('ciphertext') belongs to other parameters; both sides must use the same");
  const Scheme other = GetParam() == Scheme::Bfv ? Scheme::Ckks : Scheme::Bfv;
  const auto context = Context::make(value(insecure_test_parameters(request_of(other))));
  EXPECT_EQ(deserialise_ciphertext(*context, ciphertext).error().message,
            fmt::format("the object ('ciphertext') is for scheme {}, but the parameters are for {}",
                        scheme_name(GetParam()), scheme_name(other)));
  Bytes damaged = ciphertext;
  damaged.back() ^= std::byte{1};
  EXPECT_EQ(deserialise_ciphertext(context_, damaged).error().message,
            "the object ('ciphertext') is damaged: wrong checksum; send it again");
  EXPECT_EQ(
      deserialise_ciphertext(context_, std::span(ciphertext).first(100)).error().message,
      fmt::format("the object ('ciphertext') should have {} bytes, but has 100: it was truncated",
                  ciphertext.size()));
}

TEST_P(Stored, FieldsWithoutSenseAreNamed) {
  const auto message = [&](size_t at, const auto& field) {
    Bytes bytes = bytes_of(context_, encrypted());
    std::memcpy(bytes.data() + kEnvelopeHeaderSize + at, &field, sizeof(field));
    seal_envelope(ObjectKind::Ciphertext, GetParam(), context_.parameters().digest(), bytes);
    const auto result = deserialise_ciphertext(context_, bytes);
    return result ? std::string() : result.error().message;
  };
  EXPECT_EQ(message(8, 1e9), "the ciphertext has invalid noise 2^1000000000");
  EXPECT_EQ(message(8, std::nan("")), "the ciphertext has invalid noise 2^nan");
  EXPECT_EQ(message(16, 0.5), "the ciphertext's noise has an invalid number of factors, 0.5");
  const size_t fields = GetParam() == Scheme::Bfv ? 0 : GetParam() == Scheme::Bgv ? 8 : 16;
  EXPECT_EQ(message(24 + fields, uint8_t{9}),
            "the ciphertext has 9 parts; ciphertexts have 2 or 3");
  EXPECT_EQ(message(25 + fields, uint8_t{200}),
            "the ciphertext has 200 primes; the parameters have 3 for data");
  EXPECT_EQ(message(26 + fields, uint8_t{2}), "the ciphertext has 2 seeds; at most one is allowed");
  EXPECT_EQ(message(27 + fields, ~uint64_t{0}),
            fmt::format("the ciphertext has a residue that is not less than its modulus {}",
                        context_.modulus(0).value));
  if (GetParam() == Scheme::Ckks) {
    EXPECT_EQ(message(24, std::numeric_limits<double>::infinity()),
              "the ciphertext has the invalid scale inf");
    EXPECT_EQ(message(32, -1.0), "the ciphertext has the invalid value bound -1");
  } else if (GetParam() == Scheme::Bgv) {
    EXPECT_EQ(message(24, uint64_t{0}),
              "the ciphertext's message has the factor 0, which has no inverse modulo 257");
  }
}

TEST_P(Stored, RotationKeysMustRise) {
  RotationKeys keys = rotation_keys(1);
  std::swap(keys.entries[0], keys.entries[1]);
  EXPECT_TRUE(deserialise_rotation_keys(context_, bytes_of(context_, keys))
                  .error()
                  .message.ends_with("they must be in ascending order"));
  keys.entries[0].galois_element = 2;
  EXPECT_EQ(deserialise_rotation_keys(context_, bytes_of(context_, keys)).error().message,
            "a rotation key is for 2, which is not a Galois element of a ring of dimension 64");
}

TEST_P(Stored, ParametersMustBeSecure) {
  const Parameters weak =
      value(insecure_test_parameters({.scheme = GetParam(),
                                      .ring_dimension = 2048,
                                      .data_prime_bits = {40, 40},
                                      .special_prime_bits = {},
                                      .plain_modulus = GetParam() == Scheme::Ckks ? 0U : 65537U}));
  Bytes bytes = serialise(weak);
  EXPECT_EQ(deserialise_parameters(bytes).error().message,
            "the parameters are insecure and only for tests; pass `InsecureParameters::Accept` to "
            "read them");
  EXPECT_TRUE(deserialise_parameters(bytes, InsecureParameters::Accept));
  // A promise that the table does not bear.
  bytes[kEnvelopeHeaderSize + 1] = std::byte{128};
  seal_envelope(ObjectKind::Parameters, GetParam(), weak.digest(), bytes);
  EXPECT_EQ(deserialise_parameters(bytes).error().message,
            "the primes have 80.0 bits in total; in a ring of dimension 2048, 128 bits of security "
            "allow at most 53, including special primes");
  // No primes.
  bytes = serialise(weak);
  bytes[kEnvelopeHeaderSize + 13] ^= std::byte{2};
  seal_envelope(ObjectKind::Parameters, GetParam(), weak.digest(), bytes);
  EXPECT_TRUE(
      deserialise_parameters(bytes, InsecureParameters::Accept)
          .error()
          .message.find("is not a prime of at most 50 bits that is congruent to 1 modulo 4096") !=
      std::string::npos);
}

TEST_P(Stored, OtherObjectsAreNotStored) {
  EXPECT_FALSE(serialise(context_, Ciphertext{}));
  EXPECT_FALSE(serialise(context_, Plaintext{}));
  EXPECT_FALSE(serialise(context_, SecretKey{}));
  EXPECT_FALSE(serialise(context_, PublicKey{}));
  EXPECT_FALSE(serialise(context_, RelinearisationKey{}));
  EXPECT_FALSE(serialise(context_, RotationKeys{}));
  EXPECT_FALSE(serialise(context_, BootstrappingKeys{}));
  SecretKey wrong = value(deserialise_secret_key(context_, bytes_of(context_, secret_)));
  wrong.rows.row(0)[5] ^= 1;
  EXPECT_EQ(serialise(context_, wrong).error().message,
            "the secret key has a coefficient other than -1, 0 and 1");
}

TEST_P(Stored, SeveralObjectsInARow) {
  Bytes stream;
  for (const auto& [kind, bytes] : objects()) {
    stream.insert(stream.end(), bytes.begin(), bytes.end());
  }
  std::span<const std::byte> rest(stream);
  for (const auto& [kind, bytes] : objects()) {
    const ObjectHeader header = value(read_object_header(rest.first(kObjectHeaderSize)));
    EXPECT_EQ(header.kind, kind);
    EXPECT_EQ(header.scheme, GetParam());
    EXPECT_EQ(header.parameters, context_.parameters().digest());
    EXPECT_EQ(deserialise(context_, kind, rest.first(header.size)), "");
    rest = rest.subspan(header.size);
  }
  EXPECT_TRUE(rest.empty());
}

INSTANTIATE_TEST_SUITE_P(Schemes, Stored, testing::Values(Scheme::Bfv, Scheme::Bgv, Scheme::Ckks),
                         [](const auto& schemes) {
                           return std::string(scheme_name(schemes.param));
                         });

}  // namespace
}  // namespace tacet::he
