#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "engine/he/parameters.h"

namespace tacet::he {

/// Parameters by their primes, as they are stored, rather than by the sizes of these.
struct StoredParameters {
  Scheme scheme{};
  size_t ring_dimension = 0;
  std::vector<uint64_t> data_primes, special_primes;
  uint64_t plain_modulus = 0;
  /// 0: none promised.
  unsigned security_bits = 0;
  unsigned n_key_holders = 1;
};

/// The other way to get parameters, besides choosing them.
class ParameterCodec {
 public:
  /// An error if `make_parameters`, or `insecure_test_parameters` where no security is promised,
  /// could not have given parameters of this form.
  static auto validated(StoredParameters stored) -> Result<Parameters>;

 private:
  static auto check(const StoredParameters& stored) -> Status;
};

}  // namespace tacet::he
