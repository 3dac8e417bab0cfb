#include "engine/he/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/he/digest.h"
#include "engine/ring/ntt_tables.h"
#include "engine/ring/primes.h"

namespace tacet::he {
namespace {

struct SecurityRow {
  size_t n;
  unsigned bits128, bits192, bits256;  // 0: not in the table
};

constexpr SecurityRow kSecurityTable[] = {
    {1024, 26, 0, 0},         {2048, 53, 36, 27},         {4096, 106, 73, 56},
    {8192, 214, 147, 114},    {16384, 430, 297, 230},     {32768, 868, 597, 462},
    {65536, 1747, 1199, 929}, {131072, 3523, 2411, 1866},
};

constexpr size_t kMaxPrimes = 64;

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
  return digester.finish();
}

/// Appends a prime of each size to `primes`, none of them in `taken`, to which it adds them.
auto choose_primes(std::span<const unsigned> sizes, size_t n, std::vector<uint64_t>& taken,
                   std::vector<uint64_t>& primes) -> Status {
  for (const unsigned bits : sizes) {
    const std::vector<uint64_t> found = ring::largest_primes(bits, 2 * n, 1, taken);
    if (found.empty()) {
      return Error{
          fmt::format("there is no further prime of {} bits that is 1 modulo {}; primes "
                      "have at most {} bits",
                      bits, 2 * n, ring::kMaxModulusBits)};
    }
    taken.push_back(found[0]);
    primes.push_back(found[0]);
  }
  return std::monostate{};
}

auto check_plain_modulus(const ParameterRequest& request) -> Status {
  const uint64_t t = request.plain_modulus;
  if (request.scheme == Scheme::Ckks) {
    return t == 0 ? Status(std::monostate{}) : Error{"CKKS has no plain modulus"};
  }
  if (t < 2 || (t >> (ring::kMaxModulusBits - 1)) != 0) {
    return Error{fmt::format("the plain modulus is {}; it must be at least 2 and below 2^{}", t,
                             ring::kMaxModulusBits - 1)};
  }
  return std::monostate{};
}

}  // namespace

auto scheme_name(Scheme scheme) -> std::string_view {
  switch (scheme) {
    case Scheme::Bfv:
      return "BFV";
    case Scheme::Bgv:
      return "BGV";
    case Scheme::Ckks:
      return "CKKS";
  }
  return {};
}

auto max_modulus_bits(size_t ring_dimension, Security security) -> std::optional<unsigned> {
  for (const SecurityRow& row : kSecurityTable) {
    if (row.n != ring_dimension) {
      continue;
    }
    unsigned bits = row.bits128;
    if (security != Security::Bits128) {
      bits = security == Security::Bits192 ? row.bits192 : row.bits256;
    }
    return bits == 0 ? std::nullopt : std::optional(bits);
  }
  return std::nullopt;
}

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
  if (!std::has_single_bit(n) || n < ring::kMinDimension || n > ring::kMaxDimension) {
    return Error{fmt::format("the ring dimension is {}; it must be a power of two of {} to {}", n,
                             ring::kMinDimension, ring::kMaxDimension)};
  }
  const size_t n_primes = request.data_prime_bits.size() + request.special_prime_bits.size();
  if (request.data_prime_bits.empty() || n_primes > kMaxPrimes) {
    return Error{
        fmt::format("{} primes were asked for; at least one must be for data, and there "
                    "are at most {} in all",
                    n_primes, kMaxPrimes)};
  }
  if (Status status = check_plain_modulus(request); !status) {
    return status.error();
  }
  Parameters parameters;
  parameters.scheme_ = request.scheme;
  parameters.n_ = n;
  parameters.plain_modulus_ = request.plain_modulus;
  std::vector<uint64_t> taken = {request.plain_modulus};
  if (Status status = choose_primes(request.data_prime_bits, n, taken, parameters.data_); !status) {
    return status.error();
  }
  if (Status status = choose_primes(request.special_prime_bits, n, taken, parameters.special_);
      !status) {
    return status.error();
  }
  for (const uint64_t prime : taken) {
    if (request.scheme != Scheme::Ckks && prime != request.plain_modulus &&
        request.plain_modulus % prime == 0) {
      return Error{fmt::format("the plain modulus {} is a multiple of the prime {}",
                               request.plain_modulus, prime)};
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
  const auto bits = static_cast<unsigned>(request.security);
  const std::optional<unsigned> limit = max_modulus_bits(request.ring_dimension, request.security);
  if (!limit) {
    return Error{fmt::format("no modulus has {} bits of security in a ring of dimension {}", bits,
                             request.ring_dimension)};
  }
  if (parameters->modulus_bits() > *limit) {
    return Error{
        fmt::format("the primes have {:.1f} bits together; in a ring of dimension {}, {} "
                    "bits of security allow {}, special primes included",
                    parameters->modulus_bits(), request.ring_dimension, bits, *limit)};
  }
  parameters->security_ = request.security;
  parameters->digest_ = digest_of(*parameters);
  return parameters;
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
