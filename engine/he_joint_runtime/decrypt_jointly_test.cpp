// What holders take for a result of a program, by what its ciphertext says of itself.

#include "engine/he_joint_runtime/decrypt_jointly.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/value.h"
#include "engine/he/encoding.h"
#include "engine/he/encryption.h"
#include "engine/he/evaluation.h"
#include "engine/he_joint/joint_keys.h"
#include "engine/secure_random/test_seed.h"

namespace tacet::engine {
namespace {

using he::joint::Session;

class JointResult : public testing::Test {
 protected:
  auto encrypted(he::KeyId id) -> he::Ciphertext {
    const he::SecretKey secret = he::generate_secret_key(*context_, random_);
    he::Ciphertext result = value(he::encrypt(
        *context_, secret, value(he::IntegerEncoder(*context_).encode(std::vector<int64_t>{1, 2})),
        random_));
    result.metadata.key_id = id;
    return result;
  }
  auto problem(const he::Ciphertext& result) -> std::string {
    const HeBundlePart part{
        .data_prime_bits = {}, .special_prime_bits = {}, .noise_bound = 30, .program = {}};
    const Status status = check_joint_result(part, *context_, session_, result);
    return status ? "none" : status.error().message;
  }

  he::SecureRandom random_ =
      secure_random::seeded_random(secure_random::TestSeed::of(3), best_isa());
  he::ContextRef context_ =
      he::Context::make(value(he::insecure_test_parameters({.scheme = he::Scheme::Bgv,
                                                            .ring_dimension = 64,
                                                            .data_prime_bits = {50, 50},
                                                            .special_prime_bits = {50},
                                                            .plain_modulus = 65537,
                                                            .n_key_holders = 2})));
  Session session_ = value(Session::make(*context_, he::PublicSeed::draw(random_)));
};

TEST_F(JointResult, HasNoMoreNoiseThanTheProgram) {
  he::Ciphertext result = encrypted(session_.key_id());
  EXPECT_EQ(problem(result), "none");
  // Less changes nothing: holders flood by the program's bound.
  result.metadata.noise = -100;
  EXPECT_EQ(problem(result), "none");
  result.metadata.noise = 28;
  EXPECT_EQ(problem(result),
            "a ciphertext says that it has up to 31.3 bits of noise, but results of the program "
            "have at most 30.0; it was computed otherwise");
  result.metadata.noise = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(problem(result), "the ciphertext has no finite estimate of its noise");
}

TEST_F(JointResult, IsOfTheKeyAndLinear) {
  EXPECT_EQ(problem(encrypted(session_.key_id() + 1)),
            "the ciphertext belongs to a different key than that of the session");
  const he::Ciphertext a = encrypted(session_.key_id());
  he::Ciphertext square = value(he::multiply(*context_, a, a));
  square.metadata.noise = 0;
  EXPECT_EQ(problem(square), "a ciphertext of degree 2 is not for the parties; relinearise first");
}

}  // namespace
}  // namespace tacet::engine
