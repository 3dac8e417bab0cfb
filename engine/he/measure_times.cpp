#include "engine/he/measure_times.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "engine/he/encoding.h"
#include "engine/he/encryption.h"
#include "engine/he/evaluation.h"
#include "engine/he/key_generation.h"

namespace tacet::he {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kPrimeBits = 45;

/// Numbers of primes to measure: a selection of those that a secure modulus allows.
auto prime_counts(size_t ring_dimension) -> std::vector<size_t> {
  const unsigned limit = max_modulus_bits(ring_dimension, Security::Bits128).value_or(0);
  const size_t most = std::max<size_t>(limit / 30, 1);
  std::vector<size_t> counts;
  for (size_t n = 1; n < most; n += n < 4 ? 1 : n / 2) {
    counts.push_back(n);
  }
  counts.push_back(most);
  return counts;
}

/// One context and what the operations in it work on.
class Bench {
 public:
  Bench(ContextRef context, size_t n_special, double milliseconds, SecureRandom& random,
        OperationTimes& times)
      : context_(std::move(context)),
        n_special_(n_special),
        milliseconds_(milliseconds),
        random_(random),
        times_(times),
        secret_(generate_secret_key(*context_, random)) {}

  auto run(const std::vector<size_t>& counts) -> Status {
    const Context& context = *context_;
    const uint64_t element = galois_element_of(context, 1);
    Result<RelinearisationKey> relinearisation =
        generate_relinearisation_key(context, secret_, random_);
    Result<RotationKeys> rotations =
        generate_rotation_keys(context, secret_, {&element, 1}, random_);
    if (!relinearisation || !rotations) {
      return relinearisation ? rotations.error() : relinearisation.error();
    }
    const IntegerEncoder encoder(context);
    std::vector<int64_t> slots(context.n());
    for (size_t i = 0; i < slots.size(); ++i) {
      slots[i] = static_cast<int64_t>(i * i % 9973) - 4000;
    }
    Result<Plaintext> plaintext = encoder.encode(slots);
    if (!plaintext) {
      return plaintext.error();
    }
    for (const size_t n_primes : counts) {
      if (Status status = measure_level(n_primes, *plaintext, *relinearisation, *rotations);
          !status) {
        return status;
      }
    }
    return std::monostate{};
  }

 private:
  auto measure_level(size_t m, const Plaintext& plaintext,
                     const RelinearisationKey& relinearisation, const RotationKeys& rotations)
      -> Status {
    const Context& context = *context_;
    Result<Ciphertext> a = encrypt(context, secret_, plaintext, random_, m);
    Result<PlainFactor> factor = prepare_factor(context, plaintext, m);
    if (!a || !factor) {
      return a ? factor.error() : a.error();
    }
    Result<Ciphertext> square = multiply(context, *a, *a);
    Result<HoistedCiphertext> hoisted = hoist(context, *a);
    if (!square || !hoisted) {
      return square ? hoisted.error() : square.error();
    }
    const auto time = [&](Operation operation, const auto& body) {
      measure(operation, m, [&] { return static_cast<bool>(body()); });
    };
    time(Operation::Relinearise, [&] { return relinearise(context, *square, relinearisation); });
    time(Operation::Rotate, [&] { return rotate(context, *a, 1, rotations); });
    time(Operation::Hoist, [&] { return hoist(context, *a); });
    time(Operation::RotateHoisted, [&] { return rotate(context, *hoisted, 1, rotations); });
    time(Operation::Key,
         [&] { return generate_relinearisation_key(context, secret_, random_, m); });
    if (n_special_ == 1) {  // the others do not depend on it
      time(Operation::Add, [&] { return add(context, *a, *a); });
      time(Operation::AddPlain, [&] { return add_plain(context, *a, plaintext); });
      time(Operation::MultiplyPlain, [&] { return multiply_plain(context, *a, *factor); });
      time(Operation::Multiply, [&] { return multiply(context, *a, *a); });
      time(Operation::Encrypt, [&] { return encrypt(context, secret_, plaintext, random_, m); });
      time(Operation::Decrypt, [&] { return decrypt(context, secret_, *a, random_); });
      if (m > 1) {
        time(Operation::Drop, [&] { return drop_prime(context, *a); });
      }
    }
    return is_good_ ? Status(std::monostate{}) : Error{"a measured operation failed"};
  }

  void measure(Operation operation, size_t n_primes, const std::function<bool()>& body) {
    is_good_ = is_good_ && body();
    std::vector<double> times;
    const auto start = Clock::now();
    const auto enough = std::chrono::duration<double, std::milli>(milliseconds_);
    while (is_good_ && (times.size() < 3 || Clock::now() - start < enough)) {
      const auto before = Clock::now();
      is_good_ = body();
      times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - before).count());
    }
    if (is_good_) {
      std::sort(times.begin(), times.end());
      times_.set(operation,
                 {.scheme = context_->scheme(),
                  .ring_dimension = context_->n(),
                  .n_primes = n_primes,
                  .n_special = n_special_},
                 times[times.size() / 2]);
    }
  }

  ContextRef context_;
  size_t n_special_;
  double milliseconds_;
  SecureRandom& random_;
  OperationTimes& times_;
  SecretKey secret_;
  bool is_good_ = true;
};

auto measure_in(Scheme scheme, size_t ring_dimension, size_t n_special, double milliseconds,
                SecureRandom& random, OperationTimes& times) -> Status {
  std::vector<size_t> counts = prime_counts(ring_dimension);
  if (counts.back() < n_special) {
    return std::monostate{};
  }
  ParameterRequest request = default_request(scheme, ring_dimension);
  request.data_prime_bits.assign(counts.back(), kPrimeBits);
  request.special_prime_bits.assign(n_special, kPrimeBits);
  Result<Parameters> parameters = insecure_test_parameters(request);
  if (!parameters) {
    return parameters.error();
  }
  return Bench(Context::make(*parameters), n_special, milliseconds, random, times).run(counts);
}

}  // namespace

auto measure_operation_times(const TimeMeasurement& options, SecureRandom& random)
    -> Result<OperationTimes> {
  OperationTimes times;
  for (const Scheme scheme : {Scheme::Bfv, Scheme::Bgv}) {
    for (size_t n = options.least_dimension; n <= options.most_dimension; n *= 2) {
      for (size_t n_special = 1; n_special <= 3; ++n_special) {
        if (options.progress && !options.progress(scheme, n, n_special)) {
          return Error{"the measurement was interrupted"};
        }
        if (Status status = measure_in(scheme, n, n_special, options.milliseconds, random, times);
            !status) {
          return status.error();
        }
      }
    }
  }
  return times;
}

}  // namespace tacet::he
