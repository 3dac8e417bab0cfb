#include "engine/he/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

#include "engine/he/digest.h"
#include "engine/he/parameter_codec.h"
#include "engine/he_model/level_primes.h"
#include "engine/ring/ntt_tables.h"
#include "engine/ring/primes.h"
#include "engine/secure_random/samplers.h"

namespace tacet::he {

static_assert(kErrorVariance == secure_random::kBinomialVariance);
static_assert(kErrorBound == secure_random::kBinomialBound);
static_assert(kMaxPrimeBits == ring::kMaxModulusBits && kMaxSecureDimension == ring::kMaxDimension);

namespace {

auto digest_of(const Parameters& parameters) -> ParameterDigest {
  Digester digester;
  digester.add("tacet he parameters 1");
  digester.add(static_cast<uint64_t>(parameters.scheme()));
  digester.add(parameters.ring_dimension());
  digester.add(parameters.plain_modulus());
  digester.add(parameters.security() ? static_cast<uint64_t>(*parameters.security()) : 0);
  for (const auto* primes : {&parameters.data_primes(), &parameters.special_primes()}) {
    digester.add(primes->size());
    for (const uint64_t prime : *primes) {
      digester.add(prime);
    }
  }
  if (parameters.n_key_holders() > 1) {
    digester.add(parameters.n_key_holders());
  }
  return digester.finish();
}

auto no_prime(unsigned bits, size_t n) -> Error {
  return Error{fmt::format(
      "no further prime of {} bits is congruent to 1 modulo {}; primes have at most {} bits", bits,
      2 * n, ring::kMaxModulusBits)};
}

/// Appends a prime of each size to `primes`, none of them in `taken`, to which it adds them.
auto choose_primes(std::span<const unsigned> sizes, size_t n, std::vector<uint64_t>& taken,
                   std::vector<uint64_t>& primes) -> Status {
  for (const unsigned bits : sizes) {
    const std::vector<uint64_t> found = ring::largest_primes(bits, 2 * n, 1, taken);
    if (found.empty()) {
      return no_prime(bits, n);
    }
    taken.push_back(found[0]);
    primes.push_back(found[0]);
  }
  return std::monostate{};
}

/// Of CKKS: those of a size in the order in which data primes are dropped, then special ones.
auto choose_level_primes(const ParameterRequest& request, std::vector<uint64_t>& data,
                         std::vector<uint64_t>& special) -> Status {
  std::map<unsigned, std::pair<LevelPrimes, size_t>> of_size;
  const uint64_t step = 2 * request.ring_dimension;
  const auto next = [&](unsigned bits) -> Result<uint64_t> {
    auto& [primes, n_used] =
        of_size.try_emplace(bits, std::pair(LevelPrimes(bits, step), size_t{0})).first->second;
    const bool is_size = bits >= 2 && bits <= kMaxPrimeBits;
    const uint64_t prime = is_size ? primes.at(n_used++) : 0;
    return prime != 0 ? Result<uint64_t>(prime) : no_prime(bits, request.ring_dimension);
  };
  data.resize(request.data_prime_bits.size());
  special.resize(request.special_prime_bits.size());
  for (size_t i = data.size(); i-- > 0;) {
    Result<uint64_t> prime = next(request.data_prime_bits[i]);
    if (!prime) {
      return prime.error();
    }
    data[i] = *prime;
  }
  for (size_t i = 0; i < special.size(); ++i) {
    Result<uint64_t> prime = next(request.special_prime_bits[i]);
    if (!prime) {
      return prime.error();
    }
    special[i] = *prime;
  }
  return std::monostate{};
}

auto check_ring_dimension(size_t n) -> Status {
  if (!std::has_single_bit(n) || n < ring::kMinDimension || n > ring::kMaxDimension) {
    return Error{fmt::format("the ring dimension is {}; it must be a power of two from {} to {}", n,
                             ring::kMinDimension, ring::kMaxDimension)};
  }
  return std::monostate{};
}

auto check_prime_count(size_t n_data, size_t n_special) -> Status {
  if (n_data == 0 || n_data + n_special > kMaxPrimes) {
    return Error{fmt::format(
        "requested {} primes; at least one must be for data, and at most {} are allowed",
        n_data + n_special, kMaxPrimes)};
  }
  return std::monostate{};
}

auto check_plain_modulus(Scheme scheme, uint64_t t) -> Status {
  if (scheme == Scheme::Ckks) {
    return t == 0 ? Status(std::monostate{}) : Error{"CKKS has no plaintext modulus"};
  }
  if (t < 2 || (t >> (ring::kMaxModulusBits - 1)) != 0) {
    return Error{fmt::format("the plaintext modulus is {}; it must be at least 2 and below 2^{}", t,
                             ring::kMaxModulusBits - 1)};
  }
  return std::monostate{};
}

auto check_key_holders(unsigned n) -> Status {
  if (n < 1 || n > kMaxKeyHolders) {
    return Error{
        fmt::format("requested keys of {} parties; at most {} can share a key", n, kMaxKeyHolders)};
  }
  return std::monostate{};
}

/// `t` must be invertible modulo every prime.
auto check_coprime(uint64_t t, std::span<const uint64_t> primes) -> Status {
  for (const uint64_t prime : primes) {
    if (t != 0 && t % prime == 0) {
      return Error{fmt::format("the plaintext modulus {} is a multiple of the prime {}", t, prime)};
    }
  }
  return std::monostate{};
}

auto check_security(const Parameters& parameters, Security security) -> Status {
  const auto bits = static_cast<unsigned>(security);
  const size_t n = parameters.ring_dimension();
  const std::optional<unsigned> limit = max_modulus_bits(n, security);
  if (!limit) {
    return Error{
        fmt::format("no modulus provides {} bits of security in a ring of dimension {}", bits, n)};
  }
  if (parameters.modulus_bits() > *limit + kModulusSlack) {
    return Error{
        fmt::format("the primes have {:.1f} bits in total; in a ring of dimension {}, {} bits of "
                    "security allow at most {}, including special primes",
                    parameters.modulus_bits(), n, bits, *limit)};
  }
  return std::monostate{};
}

/// What the engine asks of a prime that it did not choose itself.
auto check_prime(uint64_t prime, size_t n) -> Status {
  if ((prime >> ring::kMaxModulusBits) != 0 || prime % (2 * n) != 1 || !ring::is_prime(prime)) {
    return Error{
        fmt::format("{} is not a prime of at most {} bits that is congruent to 1 modulo {}", prime,
                    ring::kMaxModulusBits, 2 * n)};
  }
  return std::monostate{};
}

}  // namespace

auto Parameters::has_slots() const -> bool {
  return scheme_ == Scheme::Ckks ||
         (plain_modulus_ % (2 * n_) == 1 && ring::is_prime(plain_modulus_));
}

auto Parameters::modulus_bits() const -> double {
  double bits = 0;
  for (const auto* primes : {&data_, &special_}) {
    for (const uint64_t prime : *primes) {
      bits += std::log2(static_cast<double>(prime));
    }
  }
  return bits;
}

auto insecure_test_parameters(const ParameterRequest& request) -> Result<Parameters> {
  const size_t n = request.ring_dimension;
  for (const Status& status :
       {check_ring_dimension(n),
        check_prime_count(request.data_prime_bits.size(), request.special_prime_bits.size()),
        check_plain_modulus(request.scheme, request.plain_modulus),
        check_key_holders(request.n_key_holders)}) {
    if (!status) {
      return status.error();
    }
  }
  Parameters parameters;
  parameters.scheme_ = request.scheme;
  parameters.n_ = n;
  parameters.plain_modulus_ = request.plain_modulus;
  parameters.n_key_holders_ = request.n_key_holders;
  std::vector<uint64_t> taken = {request.plain_modulus};
  Status chosen = std::monostate{};
  if (request.scheme == Scheme::Ckks) {
    chosen = choose_level_primes(request, parameters.data_, parameters.special_);
  } else {
    chosen = choose_primes(request.data_prime_bits, n, taken, parameters.data_);
    if (chosen) {
      chosen = choose_primes(request.special_prime_bits, n, taken, parameters.special_);
    }
  }
  if (!chosen) {
    return chosen.error();
  }
  for (const auto* primes : {&parameters.data_, &parameters.special_}) {
    if (Status status = check_coprime(request.plain_modulus, *primes); !status) {
      return status.error();
    }
  }
  parameters.digest_ = digest_of(parameters);
  return parameters;
}

auto make_parameters(const ParameterRequest& request) -> Result<Parameters> {
  Result<Parameters> parameters = insecure_test_parameters(request);
  if (!parameters) {
    return parameters;
  }
  if (Status status = check_security(*parameters, request.security); !status) {
    return status.error();
  }
  parameters->security_ = request.security;
  parameters->digest_ = digest_of(*parameters);
  return parameters;
}

auto ParameterCodec::check(const StoredParameters& stored) -> Status {
  for (const Status& status :
       {check_ring_dimension(stored.ring_dimension),
        check_prime_count(stored.data_primes.size(), stored.special_primes.size()),
        check_plain_modulus(stored.scheme, stored.plain_modulus),
        check_key_holders(stored.n_key_holders)}) {
    if (!status) {
      return status;
    }
  }
  std::vector<uint64_t> primes = stored.data_primes;
  primes.insert(primes.end(), stored.special_primes.begin(), stored.special_primes.end());
  for (const uint64_t prime : primes) {
    if (Status status = check_prime(prime, stored.ring_dimension); !status) {
      return status;
    }
  }
  if (Status status = check_coprime(stored.plain_modulus, primes); !status) {
    return status;
  }
  std::sort(primes.begin(), primes.end());
  const auto twice = std::adjacent_find(primes.begin(), primes.end());
  if (twice != primes.end()) {
    return Error{fmt::format("duplicate prime {}", *twice)};
  }
  return std::monostate{};
}

auto ParameterCodec::validated(StoredParameters stored) -> Result<Parameters> {
  if (Status status = check(stored); !status) {
    return status.error();
  }
  Parameters parameters;
  parameters.scheme_ = stored.scheme;
  parameters.n_ = stored.ring_dimension;
  parameters.data_ = std::move(stored.data_primes);
  parameters.special_ = std::move(stored.special_primes);
  parameters.plain_modulus_ = stored.plain_modulus;
  parameters.n_key_holders_ = stored.n_key_holders;
  switch (stored.security_bits) {
    case 0:
      break;
    case 128:
    case 192:
    case 256: {
      const auto security = static_cast<Security>(stored.security_bits);
      if (Status status = check_security(parameters, security); !status) {
        return status.error();
      }
      parameters.security_ = security;
      break;
    }
    default:
      return Error{fmt::format("the security level is {} bits; it must be 128, 192 or 256",
                               stored.security_bits)};
  }
  parameters.digest_ = digest_of(parameters);
  return parameters;
}

static auto log_sizes(const std::vector<uint64_t>& primes) -> std::vector<double> {
  std::vector<double> result;
  for (const uint64_t prime : primes) {
    result.push_back(std::log2(static_cast<double>(prime)));
  }
  return result;
}

auto noise_model_of(const Parameters& parameters) -> NoiseModel {
  return {parameters.scheme(),
          parameters.ring_dimension(),
          static_cast<double>(parameters.plain_modulus()),
          log_sizes(parameters.data_primes()),
          log_sizes(parameters.special_primes()),
          parameters.n_key_holders()};
}

auto noise_bounds_of(const Parameters& parameters) -> NoiseBounds {
  return {parameters.scheme(),
          parameters.ring_dimension(),
          static_cast<double>(parameters.plain_modulus()),
          log_sizes(parameters.data_primes()),
          log_sizes(parameters.special_primes()),
          parameters.n_key_holders()};
}

auto default_request(Scheme scheme, size_t ring_dimension, unsigned plain_bits, Security security)
    -> ParameterRequest {
  ParameterRequest request;
  request.scheme = scheme;
  request.ring_dimension = ring_dimension;
  request.security = security;
  const unsigned total = max_modulus_bits(ring_dimension, security).value_or(0);
  const auto n_primes = std::max(1U, (total + ring::kMaxModulusBits - 1) / ring::kMaxModulusBits);
  for (unsigned i = 0; i < n_primes; ++i) {
    // The first ones take what does not divide; the special prime is the last and as large as any.
    const unsigned bits = total / n_primes + (i >= n_primes - total % n_primes ? 1 : 0);
    if (n_primes > 1 && i == n_primes - 1) {
      request.special_prime_bits.push_back(bits);
    } else {
      request.data_prime_bits.push_back(bits);
    }
  }
  if (scheme != Scheme::Ckks) {
    const std::vector<uint64_t> primes = ring::largest_primes(plain_bits, 2 * ring_dimension, 1);
    request.plain_modulus = primes.empty() ? 0 : primes[0];
  }
  return request;
}

}  // namespace tacet::he
