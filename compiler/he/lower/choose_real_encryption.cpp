#include "compiler/he/lower/choose_real_encryption.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "compiler/he/lower/merge_trace.h"
#include "compiler/he/lower/place_drops.h"
#include "compiler/he/lower/place_reals_jointly.h"
#include "compiler/he/lower/prime_finder.h"
#include "compiler/he/lower/real_levels.h"
#include "engine/program/he/validate.h"

namespace tacet::he_lower {
namespace {

using engine::HeProgram;

constexpr unsigned kLeastScale = 20;
constexpr unsigned kMostScale = 49;  // of what programs may say
constexpr unsigned kLeastBits = 18;  // primes of fewer are too rare
constexpr uint32_t kMostBase = 3;
constexpr uint32_t kMostSpecial = 4;
/// Of programs with more steps relinearisations and rescaling are placed together once.
constexpr size_t kFewSteps = 256;

/// How many primes there are of each kind, and where they are dropped.
struct Shape {
  Levels levels;
  uint32_t n_primes = 1;
  uint32_t n_base = 1;  ///< that nothing is divided by
  uint32_t n_special = 0;
};

struct Candidate {
  Shape shape;
  Setting setting;
  unsigned scale_bits = 0;
  RealOutcome outcome;
};

auto total_bits(const Setting& setting) -> unsigned {
  const auto sum = [](const std::vector<unsigned>& bits) {
    return std::accumulate(bits.begin(), bits.end(), 0U);
  };
  return sum(setting.data_prime_bits) + sum(setting.special_prime_bits);
}

class Chooser {
 public:
  Chooser(const HeProgram& program, double precision, const ChoiceOptions& options)
      : program_(with_unrolled_products(program)),
        trace_(merged(trace_of(program_))),
        precision_(precision),
        options_(options),
        n_(program.ring_dimension()),
        limit_(he::max_modulus_bits(n_, options.security).value_or(0)),
        primes_(n_, 0) {}

  auto run() -> Result<Encryption> {
    for (const Rescaling rescaling : {Rescaling::Late, Rescaling::Early}) {
      for (const RescaleResults results : {RescaleResults::No, RescaleResults::Yes}) {
        try_plan(plan_rescaling(trace_, rescaling, results));
      }
    }
    if (!best_) {
      return problem();
    }
    if (options_.relinearisation == circuit::Relinearisation::Fewest) {
      const HeProgram first = program_;
      place_together(with_most_scale(), {});
      while (trace_.steps.size() <= kFewSteps && place_together(*best_, {first})) {
      }
    }
    return encryption();
  }

 private:
  void try_plan(const RealPlan& plan) {
    for (uint32_t n_base = 1; n_base <= kMostBase; ++n_base) {
      Shape shape{
          .levels = raised(plan, n_base), .n_primes = plan.n_most + n_base - 1, .n_base = n_base};
      const uint32_t most_special = trace_.needs_keys ? std::min(kMostSpecial, shape.n_primes) : 0;
      for (shape.n_special = trace_.needs_keys ? 1 : 0; shape.n_special <= most_special;
           ++shape.n_special) {
        if ((shape.n_primes + shape.n_special) * kLeastScale <= std::max(limit_, 1U)) {
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
      if (candidate && candidate->outcome.budget < options_.margin) {
        high = middle;  // too large for the primes that stay, as are all above
        continue;
      }
      if (candidate && candidate->outcome.error <= precision_) {
        high = middle;
        found = std::move(candidate);
      } else {
        low = middle + 1;
      }
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
    if (bits <= limit_ && is_better) {
      best_ = std::move(found);
    }
  }

  auto with_scale(const Shape& shape, unsigned scale_bits, unsigned base_bits = he::kMaxPrimeBits)
      -> std::optional<Candidate> {
    Candidate candidate{.shape = shape, .setting = {}, .scale_bits = scale_bits, .outcome = {}};
    Setting& setting = candidate.setting;
    setting.scheme = he::Scheme::Ckks;
    setting.ring_dimension = n_;
    setting.data_prime_bits.assign(shape.n_primes, scale_bits);
    std::fill_n(setting.data_prime_bits.begin(), shape.n_base, base_bits);
    setting.special_prime_bits.assign(shape.n_special, std::max(base_bits, scale_bits));
    if (!primes_.find(setting)) {
      return std::nullopt;
    }
    candidate.outcome =
        RealSimulation(trace_, setting, scale_bits, *options_.times).run(shape.levels);
    least_error_ = std::min(least_error_, candidate.outcome.budget < options_.margin
                                              ? least_error_
                                              : candidate.outcome.error);
    return candidate;
  }

  /// The smallest primes of those that stay.
  void shrink(Candidate& candidate) {
    const double spare = candidate.outcome.budget - options_.margin;
    const auto each = static_cast<unsigned>(std::max(spare / candidate.shape.n_base, 0.0));
    unsigned bits = std::max(he::kMaxPrimeBits - std::min(each, he::kMaxPrimeBits), kLeastBits);
    for (; bits < he::kMaxPrimeBits; ++bits) {
      std::optional<Candidate> smaller = with_scale(candidate.shape, candidate.scale_bits, bits);
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
    RealPlacement placement = placed_jointly({.program = program_,
                                              .trace = trace_,
                                              .levels = start.shape.levels,
                                              .outcome = start.outcome},
                                             start.setting, *options_.times,
                                             {.scale_bits = start.scale_bits,
                                              .precision = precision_,
                                              .margin = options_.margin,
                                              .others = std::move(others)});
    const double before = best_->outcome.microseconds;
    if (placement.outcome.microseconds >= before) {
      return false;
    }
    program_ = std::move(placement.program);
    trace_ = std::move(placement.trace);
    Candidate together = start;
    together.shape.levels = std::move(placement.levels);
    together.outcome = placement.outcome;
    try_shape(together.shape);
    if (best_->outcome.microseconds >= before) {  // of these sizes alone
      best_ = std::move(together);
    }
    return true;
  }

  /// The best, with the same primes but for their sizes, which are as large as there is room for.
  auto with_most_scale() -> Candidate {
    Candidate most = *best_;
    const unsigned base_bits = most.setting.data_prime_bits.front();
    for (unsigned more = 1; most.scale_bits < kMostScale; ++more) {
      std::optional<Candidate> larger = with_scale(best_->shape, best_->scale_bits + more,
                                                   std::min(base_bits + more, he::kMaxPrimeBits));
      if (!larger || total_bits(larger->setting) > limit_ ||
          larger->outcome.budget < options_.margin || larger->outcome.error > precision_) {
        break;
      }
      most = std::move(*larger);
    }
    return most;
  }

  auto encryption() -> Encryption {
    const Setting& setting = best_->setting;
    program_.n_primes = best_->shape.n_primes;
    program_.scale_bits = best_->scale_bits;
    return {.scheme = setting.scheme,
            .ring_dimension = n_,
            .security = options_.security,
            .data_prime_bits = setting.data_prime_bits,
            .special_prime_bits = setting.special_prime_bits,
            .program = with_drops(program_, trace_, best_->shape.levels),
            .is_unhidden = options_.hiding == HideServerInputs::No,
            .budget = best_->outcome.budget,
            .error = best_->outcome.error,
            .microseconds = best_->outcome.microseconds};
  }

  auto problem() const -> Error {
    if (is_precise_) {
      return Error{fmt::format(
          "precision {:.2g} needs a modulus of about {} bits, but a ring of dimension {} allows at "
          "most {} at {} bits of security; {}",
          precision_, least_bits_, n_, limit_, static_cast<unsigned>(options_.security), kWayOut)};
    }
    return Error{fmt::format(
        "cannot reach the required precision: {:.2g} (one unit of the result type); {}; "
        "{}",
        precision_,
        std::isfinite(least_error_) ? fmt::format("the best here is {:.2g}", least_error_)
                                    : "the numbers are too large for encrypted reals",
        kWayOut)};
  }

  static constexpr std::string_view kWayOut =
      "use fewer fraction bits (`fxp<12>`), narrower input ranges or fewer sequential products, or "
      "`--device mpc`, which computes directly in fixed point";

  HeProgram program_;
  Trace trace_;
  double precision_;
  const ChoiceOptions& options_;
  size_t n_;
  unsigned limit_;
  PrimeFinder primes_;
  std::optional<Candidate> best_;
  bool is_precise_ = false;
  unsigned least_bits_ = std::numeric_limits<unsigned>::max();
  double least_error_ = std::numeric_limits<double>::infinity();
};

}  // namespace

auto choose_real_encryption(const HeProgram& program, double precision,
                            const ChoiceOptions& options) -> Result<Encryption> {
  Result<Encryption> result = Chooser(program, precision, options).run();
  if (result) {
    if (Status status = engine::validate(result->program); !status) {
      return status.error();
    }
  }
  return result;
}

}  // namespace tacet::he_lower
