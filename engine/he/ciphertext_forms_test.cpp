// Ciphertexts behind one another in a file, and without their envelope.

#include <gtest/gtest.h>

#include "base/value.h"
#include "engine/he/bare_ciphertexts.h"
#include "engine/he/digested_objects.h"
#include "engine/he/encoding.h"
#include "engine/he/encryption.h"
#include "engine/he/key_generation.h"
#include "engine/he/object_envelope.h"
#include "engine/secure_random/test_seed.h"

namespace tacet::he {
namespace {

class CiphertextForms : public testing::TestWithParam<Scheme> {
 protected:
  static auto bytes_of(const Context& context, const Ciphertext& ciphertext) -> Bytes {
    return value(serialise(context, ciphertext));
  }

  auto encoded() -> Plaintext {
    if (GetParam() == Scheme::Ckks) {
      const std::vector<double> numbers = {1.5, -2, 3};
      return value(ComplexEncoder(context_).encode(numbers, 0x1p+20, context_.n_data(), 4));
    }
    const std::vector<int64_t> numbers = {1, -2, 3};
    return value(IntegerEncoder(context_).encode(numbers));
  }

  auto encrypted() -> Ciphertext {
    return value(encrypt(context_, public_key_, encoded(), random_));
  }

  SecureRandom random_ = secure_random::seeded_random(secure_random::TestSeed::of(3), best_isa());
  ContextRef context_ref_ = Context::make(
      value(insecure_test_parameters({.scheme = GetParam(),
                                      .ring_dimension = 64,
                                      .data_prime_bits = {30, 25, 20},
                                      .special_prime_bits = {31},
                                      .plain_modulus = GetParam() == Scheme::Ckks ? 0U : 257U})));
  const Context& context_ = *context_ref_;
  SecretKey secret_ = generate_secret_key(context_, random_);
  PublicKey public_key_ = value(generate_public_key(context_, secret_, random_));
};

TEST_P(CiphertextForms, CiphertextsOfAFileAreDigestedWithIt) {
  const Ciphertext ciphertexts[] = {encrypted(),
                                    value(encrypt(context_, secret_, encoded(), random_))};
  const Bytes header(13, std::byte{7});
  Bytes expected = header;
  Bytes file = header;
  Digester written;
  written.add_bytes(header);
  Digester read;
  read.add_bytes(header);
  for (const Ciphertext& ciphertext : ciphertexts) {
    const Bytes object = bytes_of(context_, ciphertext);
    expected.insert(expected.end(), object.begin(), object.end());
    ASSERT_TRUE(append_serialised(context_, ciphertext, written, file));
    const Ciphertext again = value(deserialise_ciphertext(context_, object, read));
    EXPECT_EQ(bytes_of(context_, again), object);
  }
  EXPECT_EQ(file, expected);
  Digester whole;
  whole.add_bytes(expected);
  const auto digest = whole.finish();
  EXPECT_EQ(written.finish(), digest);
  EXPECT_EQ(read.finish(), digest);

  Bytes damaged = bytes_of(context_, ciphertexts[0]);
  damaged[damaged.size() / 2] ^= std::byte{1};
  Digester of_damaged;
  const auto refused = deserialise_ciphertext(context_, damaged, of_damaged);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("wrong checksum"), std::string::npos);
}

TEST_P(CiphertextForms, BareCiphertextsAreTheBodiesOfCiphertextFormsOnes) {
  for (const Ciphertext& ciphertext :
       {encrypted(), value(encrypt(context_, secret_, encoded(), random_))}) {
    const Bytes object = bytes_of(context_, ciphertext);
    Bytes bare(5, std::byte{7});
    ASSERT_TRUE(append_bare(context_, ciphertext, bare));
    const auto body = std::span<const std::byte>(bare).subspan(5);
    const auto stored = std::span<const std::byte>(object).subspan(kEnvelopeHeaderSize,
                                                                   object.size() - kEnvelopeSize);
    EXPECT_TRUE(std::equal(body.begin(), body.end(), stored.begin(), stored.end()));
    EXPECT_EQ(bytes_of(context_, value(read_bare(context_, body))), object);
    for (size_t n = 0; n < body.size(); ++n) {
      ASSERT_FALSE(read_bare(context_, body.first(n))) << n << " bytes";
    }
    Bytes longer(body.begin(), body.end());
    longer.push_back({});
    EXPECT_FALSE(read_bare(context_, longer));
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, CiphertextForms,
                         testing::Values(Scheme::Bfv, Scheme::Bgv, Scheme::Ckks),
                         [](const testing::TestParamInfo<Scheme>& scheme) {
                           return std::string(scheme_name(scheme.param));
                         });

}  // namespace
}  // namespace tacet::he
