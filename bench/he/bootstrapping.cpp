// measure_bootstrapping [THREADS [SPECIAL [ROUNDS [LOG_N]]]]: CKKS bootstrapping of all slots with
// 128 bits of security, with nine levels left (two in a ring of dimension 32768). Prints seconds,
// keys and errors, stated and measured.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <random>

#include "base/value.h"
#include "engine/he/bootstrapping/bootstrapper.h"
#include "engine/he/encoding.h"
#include "engine/he/encryption.h"
#include "engine/he/noise.h"

namespace tacet::he {
namespace {

using Clock = std::chrono::steady_clock;

auto seconds_since(Clock::time_point start) -> double {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

auto argument(int argc, char** argv, int at, size_t missing) -> size_t {
  return argc > at ? std::strtoull(argv[at], nullptr, 10) : missing;
}

auto bytes_of(const KeySwitchKey& key) -> double {
  return 8.0 * static_cast<double>(key.rows.n_rows() * key.rows.n());
}

void measure(size_t n, unsigned n_threads, size_t n_special, size_t n_rounds) {
  const bool is_large = n > 32768;
  const BootstrappingShape shape = {.n_to_coefficients = is_large ? 3U : 2U,
                                    .n_to_slots = is_large ? 4U : 2U};
  const unsigned scale_bits = is_large ? 40 : 36;
  const size_t n_program = is_large ? 9 : 2;
  ParameterRequest request;
  request.scheme = Scheme::Ckks;
  request.ring_dimension = n;
  request.data_prime_bits = {50};
  request.data_prime_bits.resize(shape.n_operand_primes() + n_program, scale_bits);
  request.data_prime_bits.resize(request.data_prime_bits.size() + shape.n_own_primes(),
                                 is_large ? 50 : 48);
  request.special_prime_bits.assign(n_special, 50);
  request.special_prime_bits.front() = is_large ? 50 : 46;
  const Parameters parameters = value(make_parameters(request));
  const ContextRef context = Context::make(parameters, {.n_threads = n_threads});
  SecureRandom random = value(SecureRandom::from_system(best_isa()));
  const SecretKey secret = generate_secret_key(*context, random);
  const double scale = std::exp2(scale_bits);
  Clock::time_point start = Clock::now();
  const Bootstrapper bootstrapper =
      value(Bootstrapper::make(*context, {.shape = shape,
                                          .n_result_primes = shape.n_operand_primes() + n_program,
                                          .operand_scale = scale,
                                          .result_scale = scale,
                                          .bounds = {1}}));
  fmt::print("{:.0f} bits, {} data primes; encoding {:.2f} s\n", parameters.modulus_bits(),
             context->n_data(), seconds_since(start));
  start = Clock::now();
  const BootstrappingKeys keys = value(generate_bootstrapping_keys(*context, secret, random));
  const RelinearisationKey relinearisation = value(generate_relinearisation_key(
      *context, secret, random, bootstrapping_relinearisation_primes(*context, shape)));
  const RotationKeys rotations = value(
      generate_requested_keys(*context, secret, bootstrapping_rotations(*context, shape), random));
  double bytes = bytes_of(keys.to_sparse) + bytes_of(keys.to_dense) + bytes_of(relinearisation.key);
  for (const RotationKeys::Entry& entry : rotations.entries) {
    bytes += bytes_of(entry.key);
  }
  fmt::print("{} keys of {:.2f} GB, {:.2f} s\n", rotations.entries.size() + 3, bytes / 1e9,
             seconds_since(start));
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> numbers(n / 2);
  std::generate(numbers.begin(), numbers.end(), [&] { return uniform(generator); });
  const ComplexEncoder encoder(*context);
  const Ciphertext operand = value(
      encrypt(*context, secret, value(encoder.encode(numbers, scale, shape.n_operand_primes())),
              random, shape.n_operand_primes()));
  std::vector<double> times;
  for (size_t round = 0; round < n_rounds; ++round) {
    start = Clock::now();
    const Ciphertext result =
        value(bootstrapper.bootstrap(operand, 1, keys, relinearisation, rotations));
    times.push_back(seconds_since(start));
    const auto slots = value(encoder.decode(
        value(decrypt(*context, secret, result, random, {.kind = CkksAudience::Kind::KeyHolder}))));
    double most = 0;
    double squares = 0;
    for (size_t i = 0; i < numbers.size(); ++i) {
      const double difference = std::abs(slots[i].real() - numbers[i]);
      most = std::max(most, difference);
      squares += difference * difference;
    }
    fmt::print(
        "{:.3f} s, {} levels left; error at most 2^{:.2f}, root of mean squares 2^{:.2f}, "
        "stated 2^{:.2f}\n",
        times.back(), result.n_primes() - shape.n_operand_primes(), std::log2(most),
        std::log2(squares / static_cast<double>(numbers.size())) / 2,
        std::log2(estimated_error(*context, result)));
  }
  std::sort(times.begin(), times.end());
  fmt::print("median {:.3f} s, least {:.3f} s, peak of polynomials {:.2f} GB\n",
             times[times.size() / 2], times.front(),
             8e-9 * static_cast<double>(context->pool()->peak_words_in_use()));
}

}  // namespace
}  // namespace tacet::he

auto main(int argc, char** argv) -> int {
  using tacet::he::argument;
  const size_t log_n = argument(argc, argv, 4, 16);
  tacet::he::measure(size_t{1} << log_n, static_cast<unsigned>(argument(argc, argv, 1, 1)),
                     argument(argc, argv, 2, log_n > 15 ? 9 : 2), argument(argc, argv, 3, 5));
  return 0;
}
