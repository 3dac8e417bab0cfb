#include "engine/cggi/serialisation.h"

#include <gtest/gtest.h>

#include <random>

#include "engine/cggi/test_keys_test.h"

namespace tacet::cggi {
namespace {

constexpr auto kAccept = InsecureParameters::Accept;

auto same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) -> bool {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

/// Small enough to try every length and many bytes.
struct Objects {
  Objects() : keys(tiny()), values(keys.encrypted(std::vector<Torus>{encode_bit(1)}, 1)) {}

  static auto tiny() -> Parameters {
    Parameters p = toy_parameters(1, 128, {12, 1});
    p.lwe_dimension = 3;
    p.key_switch = {4, 1};
    return p;
  }

  TestKeys keys;
  Ciphertexts values;
};

/// Whether the bytes are accepted by any of the four readers.
auto is_accepted(std::span<const std::byte> bytes) -> bool {
  return deserialise_secret_key(bytes, kAccept) || deserialise_evaluation_key(bytes, kAccept) ||
         deserialise_fresh_ciphertexts(bytes) || deserialise_ciphertexts(Objects::tiny(), bytes);
}

TEST(CggiSerialisation, ReadsWhatItWrites) {
  Objects o;
  const SecureBytes secret = serialise(o.keys.secret);
  const SecretKey secret_again = value(deserialise_secret_key(secret, kAccept));
  EXPECT_EQ(secret_again.lwe, o.keys.secret.lwe);
  EXPECT_EQ(secret_again.glwe, o.keys.secret.glwe);
  EXPECT_EQ(secret_again.parameters, o.keys.secret.parameters);
  EXPECT_TRUE(same_bytes(serialise(secret_again), secret));

  const Bytes evaluation = serialise(o.keys.evaluation);
  const EvaluationKey key_again = value(deserialise_evaluation_key(evaluation, kAccept));
  EXPECT_EQ(key_again.rotation_bodies, o.keys.evaluation.rotation_bodies);
  EXPECT_EQ(serialise(key_again), evaluation);

  const std::vector<uint8_t> bits = {1, 0, 1};
  const FreshCiphertexts fresh = encrypt_bits(o.keys.secret, bits, o.keys.random, o.keys.isa);
  const FreshCiphertexts fresh_again = value(deserialise_fresh_ciphertexts(serialise(fresh)));
  EXPECT_EQ(fresh_again.bodies, fresh.bodies);
  EXPECT_EQ(fresh_again.seed, fresh.seed);

  const Bytes values = serialise(o.values);
  const Ciphertexts values_again = value(deserialise_ciphertexts(Objects::tiny(), values));
  EXPECT_EQ(value(decrypt_bits(o.keys.secret, values_again, 0, 1))[0], 1);
  EXPECT_EQ(serialise(values_again), values);
}

TEST(CggiSerialisation, RejectsInsecureParametersAndOtherKinds) {
  Objects o;
  const Bytes evaluation = serialise(o.keys.evaluation);
  EXPECT_EQ(deserialise_evaluation_key(evaluation).error().message,
            "the key has parameters without security");
  EXPECT_FALSE(deserialise_secret_key(serialise(o.keys.secret)));
  EXPECT_EQ(deserialise_secret_key(evaluation, kAccept).error().message,
            "the object is of kind 'evaluation key', expected 'secret key'");
  EXPECT_FALSE(deserialise_ciphertexts(toy_parameters(3, 128), serialise(o.values)));
  EvaluationKey liar = o.keys.evaluation;
  liar.parameters.security = Security::Bits128;
  EXPECT_FALSE(deserialise_evaluation_key(serialise(liar), kAccept));
}

TEST(CggiSerialisation, RejectsWhatIsDamaged) {
  Objects o;
  std::mt19937 random(1);
  const SecureBytes secret = serialise(o.keys.secret);
  const std::vector<Bytes> objects = {Bytes(secret.begin(), secret.end()),
                                      serialise(o.keys.evaluation), serialise(o.values)};
  for (const Bytes& object : objects) {
    EXPECT_TRUE(is_accepted(object));
    for (size_t size = 0; size < object.size(); size += size < 100 ? 1 : 61) {
      EXPECT_FALSE(is_accepted(std::span(object).first(size)));
    }
    Bytes longer = object;
    longer.emplace_back();
    EXPECT_FALSE(is_accepted(longer));
    for (size_t i = 0; i < 300; ++i) {
      Bytes damaged = object;
      damaged[i < 80 ? i : random() % object.size()] ^= std::byte{1} << (random() % 8);
      EXPECT_FALSE(is_accepted(damaged));
    }
  }
}

}  // namespace
}  // namespace tacet::cggi
