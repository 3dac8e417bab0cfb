#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "engine/secure_random/test_seed.h"

// OpenSSL's CTR_DRBG, given the same entropy, gives the same bytes, whatever the sizes of requests.
namespace tacet::secure_random {
namespace {

struct FreeRandom {
  void operator()(EVP_RAND_CTX* context) const { EVP_RAND_CTX_free(context); }
};
using OpensslRandom = std::unique_ptr<EVP_RAND_CTX, FreeRandom>;

auto new_random(const char* name, EVP_RAND_CTX* parent) -> OpensslRandom {
  EVP_RAND* kind = EVP_RAND_fetch(nullptr, name, nullptr);
  OpensslRandom random(EVP_RAND_CTX_new(kind, parent));
  EVP_RAND_free(kind);
  return random;
}

// What hands out `seed` as if it were entropy.
auto entropy_of(TestSeed& seed) -> OpensslRandom {
  unsigned strength = 256;
  std::array<OSSL_PARAM, 3> params = {
      OSSL_PARAM_construct_uint(OSSL_RAND_PARAM_STRENGTH, &strength),
      OSSL_PARAM_construct_octet_string(OSSL_RAND_PARAM_TEST_ENTROPY, seed.entropy.data(),
                                        seed.entropy.size()),
      OSSL_PARAM_construct_end()};
  OpensslRandom random = new_random("TEST-RAND", nullptr);
  EXPECT_EQ(EVP_RAND_instantiate(random.get(), 256, 0, nullptr, 0, params.data()), 1);
  return random;
}

auto drbg_over(EVP_RAND_CTX* entropy) -> OpensslRandom {
  std::string cipher = "AES-256-CTR";
  int with_derivation = 0;
  std::array<OSSL_PARAM, 3> params = {
      OSSL_PARAM_construct_utf8_string(OSSL_DRBG_PARAM_CIPHER, cipher.data(), 0),
      OSSL_PARAM_construct_int(OSSL_DRBG_PARAM_USE_DF, &with_derivation),
      OSSL_PARAM_construct_end()};
  OpensslRandom random = new_random("CTR-DRBG", entropy);
  // A personalisation string that is empty; without one OpenSSL takes its own.
  const unsigned char nothing = 0;
  EXPECT_EQ(EVP_RAND_instantiate(random.get(), 256, 0, &nothing, 0, params.data()), 1);
  return random;
}

TEST(SecureRandom, IsOpensslsGeneratorGivenTheSameEntropy) {
  for (uint64_t number : {uint64_t{0}, uint64_t{1}, ~uint64_t{0}}) {
    TestSeed seed = TestSeed::of(number);
    OpensslRandom entropy = entropy_of(seed);
    OpensslRandom openssl = drbg_over(entropy.get());
    SecureRandom random = seeded_random(seed, best_isa());
    for (size_t size :
         std::initializer_list<size_t>{64, 1, 15, 16, 17, 255, 256, 257, 4097, 65536}) {
      std::vector<unsigned char> expected(size);
      ASSERT_EQ(EVP_RAND_generate(openssl.get(), expected.data(), size, 256, 0, nullptr, 0), 1);
      std::vector<unsigned char> bytes(size);
      random.fill(std::as_writable_bytes(std::span(bytes)));
      ASSERT_TRUE(bytes == expected) << size;
    }
  }
}

}  // namespace
}  // namespace tacet::secure_random
