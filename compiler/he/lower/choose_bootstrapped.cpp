#include "compiler/he/lower/choose_bootstrapped.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "compiler/he/lower/encryption_search.h"
#include "compiler/he/lower/key_memory.h"
#include "compiler/he/lower/place_bootstraps.h"
#include "engine/he_model/bootstrapping.h"
#include "engine/program/he/validate.h"

namespace tacet::he_lower {
namespace {

using engine::HeProgram;

constexpr unsigned kOwnBits = he::kMaxPrimeBits;
/// Scales are tried from the least: precision hardly grows with them, as bootstrapping has its own.
constexpr unsigned kScales[] = {34, 37, 40, 43, 46, 49};
/// Special primes: with fewer, keys are larger; with more, few levels are left.
constexpr uint32_t kSpecial[] = {8, 10, 12};
constexpr uint32_t kMostBase = 2;
/// Each product is relinearised at once, and what is divided before has ten bits more noise.
constexpr Rescaling kRescaling = Rescaling::Relinearised;

class BootstrappedChooser {
 public:
  BootstrappedChooser(HeProgram program, double precision, const InputRanges& ranges,
                      const ChoiceOptions& options)
      : program_(std::move(program)),
        precision_(precision),
        ranges_(ranges),
        options_(options),
        shape_(he::bootstrapping_shape(program_.ring_dimension())),
        limit_(he::max_modulus_bits(program_.ring_dimension(), options.security).value_or(0)) {}

  auto run() -> Result<Encryption> {
    for (const bool is_limited : {true, false}) {
      most_key_bytes_ = is_limited ? static_cast<double>(options_.most_key_bytes)
                                   : std::numeric_limits<double>::infinity();
      for (const unsigned scale : kScales) {
        for (const uint32_t n_special : kSpecial) {
          for (uint32_t n_base = 1; n_base <= kMostBase; ++n_base) {
            try_shape(scale, n_special, n_base);
          }
        }
        if (best_) {
          return std::move(*best_);
        }
      }
      if (!has_large_keys_ || std::isfinite(least_error_)) {
        break;
      }
    }
    return Error{std::isfinite(least_error_)
                     ? fmt::format("bootstrapped, it would be within {:.2g}", least_error_)
                     : std::string("bootstrapping does not help, as the levels that it leaves are "
                                   "too few")};
  }

 private:
  struct Placed {
    std::optional<HeProgram> program;
    std::vector<NoiseStage> stages;
  };

  void try_shape(unsigned scale, uint32_t n_special, uint32_t n_base) {
    const auto n_own = static_cast<uint32_t>(shape_.n_own_primes());
    const unsigned fixed = kOwnBits * (n_base + n_own + n_special);
    if (fixed >= limit_) {
      return;
    }
    const uint32_t n_primes = n_base + (limit_ - fixed) / scale;
    const auto n_operand = static_cast<uint32_t>(shape_.n_operand_primes()) + n_base - 1;
    if (n_primes <= n_operand) {
      return;
    }
    if (key_bytes(n_primes, n_special) > most_key_bytes_) {
      has_large_keys_ = true;
      return;
    }
    const Placed& placed = placed_for(n_primes - n_operand);
    if (placed.program) {
      try_program(placed, scale, n_special, n_base, n_primes);
    }
  }

  /// With bootstraps for so many levels.
  auto placed_for(uint32_t n_levels) -> const Placed& {
    const auto [known, is_new] = placed_.try_emplace(n_levels);
    Placed& placed = known->second;
    if (is_new) {
      placed.program = with_bootstraps(program_, kRescaling, n_levels);
      if (placed.program) {
        placed.stages = bound_registers(ranges_, *placed.program, options_.known);
      }
    }
    return placed;
  }

  [[nodiscard]] auto key_bytes(uint32_t n_primes, uint32_t n_special) const -> double {
    return bootstrapping_key_bytes(program_.ring_dimension(), n_primes + shape_.n_own_primes(),
                                   n_special);
  }

  void try_program(const Placed& placed, unsigned scale, uint32_t n_special, uint32_t n_base,
                   uint32_t most_primes) {
    EncryptionSearch search(*placed.program, 0, options_, placed.stages);
    const RealPlan plan = plan_rescaling(search.trace, kRescaling, RescaleResults::No);
    const uint32_t n_primes = plan.n_most + n_base - 1;
    if (n_primes > most_primes) {
      return;
    }
    Setting setting;
    setting.scheme = he::Scheme::Ckks;
    setting.ring_dimension = search.n;
    setting.scale_bits = scale;
    setting.n_own_primes = shape_.n_own_primes();
    setting.data_prime_bits.assign(n_base, kOwnBits);
    setting.data_prime_bits.resize(n_primes, scale);
    setting.data_prime_bits.resize(n_primes + setting.n_own_primes, kOwnBits);
    setting.special_prime_bits.assign(n_special, kOwnBits);
    if (!search.primes.find(setting) || !has_at_most(setting, limit_)) {
      return;
    }
    const Outcome outcome =
        RealSimulation(search.trace, setting, *options_.times).run(raised(plan, n_base));
    least_error_ = std::min(least_error_, outcome.error);
    if (outcome.budget < options_.margin) {
      return;
    }
    // Where no keys are small enough, the smallest are taken.
    const double cost =
        std::isinf(most_key_bytes_) ? key_bytes(n_primes, n_special) : outcome.microseconds;
    if (outcome.error <= precision_ && (!best_ || cost < best_cost_)) {
      best_ = encryption_of(search, setting, outcome);
      best_cost_ = cost;
    }
  }

  HeProgram program_;
  double precision_;
  const InputRanges& ranges_;
  const ChoiceOptions& options_;
  he::BootstrappingShape shape_;
  unsigned limit_;
  double most_key_bytes_ = 0;
  std::map<uint32_t, Placed> placed_;  ///< by levels
  bool has_large_keys_ = false;        ///< something was left out for the size of its keys
  std::optional<Encryption> best_;
  double best_cost_ = 0;
  double least_error_ = std::numeric_limits<double>::infinity();
};

}  // namespace

auto choose_bootstrapped_encryption(const HeProgram& program, double precision,
                                    const InputRanges& ranges, const ChoiceOptions& options)
    -> Result<Encryption> {
  if (program.ring_dimension() < he::kBootstrappedDimension ||
      options.security != he::Security::Bits128) {
    return Error{fmt::format("bootstrapping takes a ring of dimension {} and 128 bits of security",
                             he::kBootstrappedDimension)};
  }
  std::optional<HeProgram> straight = straightened(program);
  if (!straight) {
    return Error{"the program is too long for bootstrapping"};
  }
  (void)bound_registers(ranges, *straight, options.known);
  Result<Encryption> result =
      BootstrappedChooser(std::move(*straight), precision, ranges, options).run();
  if (result) {
    if (Status status = engine::validate(result->program); !status) {
      return status.error();
    }
  }
  return result;
}

}  // namespace tacet::he_lower
