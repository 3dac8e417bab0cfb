#include "compiler/he/lower/choose_real_encryption.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/he/lower/encryption_search.h"
#include "compiler/he/lower/place_jointly.h"
#include "compiler/he/lower/real_levels.h"
#include "engine/program/he/validate.h"

namespace tacet::he_lower {
namespace {

using engine::HeProgram;

constexpr unsigned kLeastScale = 20;
constexpr unsigned kMostScale = 49;  // of what programs may say
constexpr uint32_t kMostBase = 3;
/// Of programs with more steps relinearisations and rescaling are placed together once.
constexpr size_t kFewSteps = 256;
/// Of simulations when both are placed together, but for what every program of this length takes.
constexpr size_t kMostSteps = 400'000;

/// The numbers of primes of each kind, and where they are dropped.
struct Shape {
  Levels levels;
  uint32_t n_primes = 1;
  uint32_t n_base = 1;  ///< that nothing is divided by
  uint32_t n_special = 0;
};

struct Candidate {
  Shape shape;
  Setting setting;
  Outcome outcome;
};

class Chooser {
 public:
  Chooser(const HeProgram& program, double precision, const ChoiceOptions& options,
          std::vector<NoiseStage> stages)
      : search_(program, 0, options, std::move(stages)), precision_(precision), options_(options) {}

  auto run() -> Result<Encryption> {
    for (const Rescaling rescaling : {Rescaling::Late, Rescaling::Early, Rescaling::Relinearised}) {
      for (const RescaleResults results : {RescaleResults::No, RescaleResults::Yes}) {
        try_plan(plan_rescaling(search_.trace, rescaling, results));
      }
    }
    if (!best_) {
      return problem();
    }
    if (options_.relinearisation == circuit::Relinearisation::Fewest) {
      const HeProgram first = search_.program;
      place_together(with_most_scale(), {});
      while (search_.trace.steps.size() <= kFewSteps && place_together(*best_, {first})) {
      }
    }
    return encryption_of(search_, best_->setting, best_->outcome);
  }

 private:
  void try_plan(const RealPlan& plan) {
    for (uint32_t n_base = 1; n_base <= kMostBase; ++n_base) {
      Shape shape{
          .levels = raised(plan, n_base), .n_primes = plan.n_most + n_base - 1, .n_base = n_base};
      const uint32_t most_special =
          search_.trace.needs_keys ? std::min(kMostSpecialPrimes, shape.n_primes) : 0;
      for (shape.n_special = search_.trace.needs_keys ? 1 : 0; shape.n_special <= most_special;
           ++shape.n_special) {
        if ((shape.n_primes + shape.n_special) * kLeastScale <= std::max(search_.limit, 1U)) {
          try_shape(shape);
        }
      }
    }
  }

  /// With the least scale that is precise enough; precision only grows with it.
  void try_shape(const Shape& shape) {
    unsigned low = kLeastScale;
    unsigned high = kMostScale + 1;
    std::optional<Candidate> found;
    while (low < high) {
      const unsigned middle = (low + high) / 2;
      std::optional<Candidate> candidate = with_scale(shape, middle);
      if (!candidate || candidate->outcome.error > precision_) {
        low = middle + 1;
        continue;
      }
      high = middle;
      if (candidate->outcome.budget >= options_.margin) {
        found = std::move(candidate);
      }  // else too large for the primes that stay, as are all above
    }
    if (!found) {
      return;
    }
    is_precise_ = true;
    shrink(*found);
    const unsigned bits = total_bits(found->setting);
    least_bits_ = std::min(least_bits_, bits);
    const bool is_better = !best_ || found->outcome.microseconds < best_->outcome.microseconds ||
                           (found->outcome.microseconds == best_->outcome.microseconds &&
                            bits < total_bits(best_->setting));
    if (has_at_most(found->setting, search_.limit) && is_better) {
      best_ = std::move(found);
    }
  }

  auto with_scale(const Shape& shape, unsigned scale_bits, unsigned base_bits = he::kMaxPrimeBits)
      -> std::optional<Candidate> {
    Candidate candidate{.shape = shape, .setting = {}, .outcome = {}};
    Setting& setting = candidate.setting;
    setting.scheme = he::Scheme::Ckks;
    setting.ring_dimension = search_.n;
    setting.scale_bits = scale_bits;
    setting.data_prime_bits.assign(shape.n_primes, scale_bits);
    std::fill_n(setting.data_prime_bits.begin(), shape.n_base, base_bits);
    setting.special_prime_bits.assign(shape.n_special, std::max(base_bits, scale_bits));
    if (!search_.primes.find(setting)) {
      return std::nullopt;
    }
    candidate.outcome = RealSimulation(search_.trace, setting, *options_.times).run(shape.levels);
    least_error_ = std::min(least_error_, candidate.outcome.budget < options_.margin
                                              ? least_error_
                                              : candidate.outcome.error);
    return candidate;
  }

  /// The smallest primes of those that stay.
  void shrink(Candidate& candidate) {
    const double spare = candidate.outcome.budget - options_.margin;
    const auto each = static_cast<unsigned>(std::max(spare / candidate.shape.n_base, 0.0));
    unsigned bits =
        std::max(he::kMaxPrimeBits - std::min(each, he::kMaxPrimeBits), kLeastPrimeBits);
    for (; bits < he::kMaxPrimeBits; ++bits) {
      std::optional<Candidate> smaller =
          with_scale(candidate.shape, candidate.setting.scale_bits, bits);
      if (smaller && smaller->outcome.budget >= options_.margin &&
          smaller->outcome.error <= precision_) {
        candidate = std::move(*smaller);
        return;
      }
    }
  }

  /// Relinearisations and rescaling together, under the primes of `start`, which is the best but
  /// for their sizes; the least scale that is precise enough is found again afterwards. Whether
  /// that is faster.
  auto place_together(const Candidate& start, std::vector<HeProgram> others) -> bool {
    Placement placement = placed_jointly(
        {.program = search_.program, .trace = search_.trace, .outcome = start.outcome},
        start.setting, *options_.times,
        {.margin = options_.margin,
         .precision = precision_,
         .most_steps = kMostSteps,
         .others = std::move(others),
         .stages = search_.stages});
    const double before = best_->outcome.microseconds;
    if (placement.outcome.microseconds >= before) {
      return false;
    }
    search_.program = std::move(placement.program);
    search_.trace = std::move(placement.trace);
    Candidate together = start;
    together.shape.levels = placement.outcome.levels;
    together.outcome = std::move(placement.outcome);
    try_shape(together.shape);
    if (best_->outcome.microseconds >= before) {  // of these sizes alone
      best_ = std::move(together);
    }
    return true;
  }

  /// The best, with the same primes but for their sizes, which are as large as possible.
  auto with_most_scale() -> Candidate {
    Candidate most = *best_;
    const unsigned base_bits = most.setting.data_prime_bits.front();
    for (unsigned more = 1; most.setting.scale_bits < kMostScale; ++more) {
      std::optional<Candidate> larger = with_scale(best_->shape, best_->setting.scale_bits + more,
                                                   std::min(base_bits + more, he::kMaxPrimeBits));
      if (!larger || !has_at_most(larger->setting, search_.limit) ||
          larger->outcome.budget < options_.margin || larger->outcome.error > precision_) {
        break;
      }
      most = std::move(*larger);
    }
    return most;
  }

  auto problem() const -> Error {
    if (is_precise_) {
      return Error{fmt::format(
          "precision {:.2g} needs a modulus of about {} bits, but a ring of dimension {} allows at "
          "most {} at {} bits of security; {}",
          precision_, least_bits_, search_.n, search_.limit,
          static_cast<unsigned>(options_.security), kAdvice)};
    }
    return Error{fmt::format("cannot reach the required precision: {:.2g}; {}; {}", precision_,
                             std::isfinite(least_error_)
                                 ? fmt::format("the best here is {:.2g}", least_error_)
                                 : "the numbers are too large for encrypted reals",
                             kAdvice)};
  }

  static constexpr std::string_view kAdvice =
      "allow a larger error (`within`), or use narrower input ranges, fewer sequential products, "
      "or "
      "`--device mpc`, which computes directly in fixed point";

  EncryptionSearch search_;
  double precision_;
  const ChoiceOptions& options_;
  std::optional<Candidate> best_;
  bool is_precise_ = false;
  unsigned least_bits_ = std::numeric_limits<unsigned>::max();
  double least_error_ = std::numeric_limits<double>::infinity();
};

}  // namespace

auto choose_real_encryption(const HeProgram& program, double precision,
                            const ChoiceOptions& options, std::vector<NoiseStage> stages)
    -> Result<Encryption> {
  Result<Encryption> result = Chooser(program, precision, options, std::move(stages)).run();
  if (result) {
    if (Status status = engine::validate(result->program); !status) {
      return status.error();
    }
  }
  return result;
}

}  // namespace tacet::he_lower
