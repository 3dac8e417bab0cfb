// Keys, errors and messages through everything that a holder of the key does: generating keys,
// encoding, encrypting, decrypting, decoding.

#include "base/check.h"
#include "base/value.h"
#include "engine/he/bootstrapping/bootstrapper.h"
#include "engine/he/encoding.h"
#include "engine/he/encryption.h"
#include "engine/he/evaluation.h"
#include "engine/he/hiding.h"
#include "engine/he/key_generation.h"
#include "engine/secure_random/test_seed.h"
#include "tests/constant_time/secret.h"

namespace tacet::he {
namespace {

using constant_time::is_secret;
using constant_time::make_secret;

auto first_row(const Rows& rows) -> std::span<const uint64_t> {
  return {rows.row(0), rows.n()};
}

auto secret_generator(Isa isa) -> SecureRandom {
  secure_random::TestSeed seed = secure_random::TestSeed::of(1);
  make_secret(std::span(seed.entropy));
  return secure_random::seeded_random(seed, isa);
}

class Run {
 public:
  Run(Scheme scheme, Isa isa, constant_time::Cases& cases)
      : context_ref_(Context::make(
            value(insecure_test_parameters({.scheme = scheme,
                                            .ring_dimension = 256,
                                            .data_prime_bits = {45, 40, 40},
                                            .special_prime_bits = {45},
                                            .plain_modulus = scheme == Scheme::Ckks ? 0U : 7681U})),
            {.isa = isa, .n_threads = 1})),
        context_(*context_ref_),
        cases_(&cases),
        random_(secret_generator(isa)) {}

  void run() {
    const SecretKey secret = generate_secret_key(context_, random_);
    cases_->expect(is_secret(first_row(secret.rows)), "secret key");
    const PublicKey public_key = value(generate_public_key(context_, secret, random_));
    const uint64_t element = galois_element_of(context_, 1);
    const RelinearisationKey relinearisation_key =
        value(generate_relinearisation_key(context_, secret, random_));
    const RotationKeys rotation_keys =
        value(generate_rotation_keys(context_, secret, std::span(&element, 1), random_));
    const Plaintext message = encoded();
    cases_->expect(is_secret(first_row(message.rows)), "encoded message");

    const Ciphertext a = value(encrypt(context_, public_key, message, random_));
    const Ciphertext b = value(encrypt(context_, secret, message, random_));
    cases_->expect(is_secret(first_row(b.parts[0])), "ciphertext");
    // What a server does takes no secret; that nothing of a ciphertext steers it is part of the
    // promise all the same.
    Ciphertext c = value(multiply(context_, a, value(add_plain(context_, b, message))));
    c = value(relinearise(context_, std::move(c), relinearisation_key));
    c = value(rotate(context_, value(drop_prime(context_, std::move(c))), 1, rotation_keys));
    const PlainFactor factor = value(prepare_factor(context_, message));
    for (const Ciphertext& ciphertext : {a, b, value(multiply_plain(context_, a, factor))}) {
      decrypt_and_decode(secret, ciphertext);
    }
    if (context_.scheme() != Scheme::Ckks) {
      // A server's mask and noise.
      const Ciphertext hidden = value(hide(context_, public_key, a, message, 90, random_));
      cases_->expect(is_secret(first_row(hidden.parts[0])), "hidden result");
      decrypt_and_decode(secret, value(without_spare_primes(context_, hidden)));
    }
  }

 private:
  auto encoded() const -> Plaintext {
    if (context_.scheme() == Scheme::Ckks) {
      std::vector<std::complex<double>> slots(context_.n() / 2, {0.25, -0.5});
      make_secret(std::span(slots));
      return value(ComplexEncoder(context_).encode(slots, 0x1p30));
    }
    std::vector<int64_t> slots(context_.n(), -5);
    make_secret(std::span(slots));
    return value(IntegerEncoder(context_).encode(slots));
  }

  void decrypt_and_decode(const SecretKey& secret, const Ciphertext& ciphertext) {
    // As much noise as these small scales bear; how much there is steers nothing.
    const Plaintext message =
        value(decrypt(context_, secret, ciphertext, random_, {.statistical_bits = 2}));
    cases_->expect(is_secret(first_row(message.rows)), "decrypted message");
    if (context_.scheme() == Scheme::Ckks) {
      const auto slots = value(ComplexEncoder(context_).decode(message));
      cases_->expect(is_secret(std::span(slots)), "decoded message");
    } else {
      const auto slots = value(IntegerEncoder(context_).decode(message));
      cases_->expect(is_secret(std::span(slots)), "decoded message");
    }
  }

  ContextRef context_ref_;
  const Context& context_;
  constant_time::Cases* cases_;
  SecureRandom random_;
};

/// Keys with a sparse secret of their own, and a server that computes with them.
void bootstrap_numbers(Isa isa, constant_time::Cases& cases) {
  const BootstrappingShape shape = bootstrapping_shape(256);
  ParameterRequest request;
  request.scheme = Scheme::Ckks;
  request.ring_dimension = 256;
  request.data_prime_bits = {50};
  request.data_prime_bits.resize(shape.n_operand_primes() + 1, 40);
  const size_t n_result_primes = request.data_prime_bits.size();
  request.data_prime_bits.resize(n_result_primes + shape.n_own_primes(), 50);
  request.special_prime_bits = {50, 50, 50};
  const ContextRef context_ref =
      Context::make(value(insecure_test_parameters(request)), {.isa = isa, .n_threads = 1});
  const Context& context = *context_ref;
  SecureRandom random = secret_generator(isa);
  const SecretKey secret = generate_secret_key(context, random);
  const BootstrappingKeys keys = value(generate_bootstrapping_keys(context, secret, random));
  cases.expect(is_secret(first_row(keys.to_sparse.rows)), "key to a sparse secret");
  cases.expect(is_secret(first_row(keys.to_dense.rows)), "key from a sparse secret");
  const RotationKeys rotations = value(
      generate_requested_keys(context, secret, bootstrapping_rotations(context, shape), random));
  const RelinearisationKey relinearisation =
      value(generate_relinearisation_key(context, secret, random));
  const Bootstrapper bootstrapper =
      value(Bootstrapper::make(context, {.shape = shape,
                                         .n_result_primes = n_result_primes,
                                         .operand_scale = 0x1p40,
                                         .result_scale = 0x1p40,
                                         .bounds = {1}}));
  std::vector<std::complex<double>> slots(context.n() / 2, {0.25, 0});
  make_secret(std::span(slots));
  const Ciphertext a =
      value(encrypt(context, secret,
                    value(ComplexEncoder(context).encode(slots, 0x1p40, shape.n_operand_primes())),
                    random, shape.n_operand_primes()));
  const Ciphertext b = value(bootstrapper.bootstrap(a, 1, keys, relinearisation, rotations));
  cases.expect(is_secret(first_row(b.parts[0])), "bootstrapped ciphertext");
}

}  // namespace
}  // namespace tacet::he

auto main() -> int {
  tacet::constant_time::Cases cases;
  for (const tacet::Isa isa : tacet::supported_isas()) {
    for (const auto scheme :
         {tacet::he::Scheme::Bfv, tacet::he::Scheme::Bgv, tacet::he::Scheme::Ckks}) {
      tacet::he::Run(scheme, isa, cases).run();
    }
    tacet::he::bootstrap_numbers(isa, cases);
  }
  return cases.exit_code();
}
