#include "compiler/he/lower/choose_encryption.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/primes.h"
#include "compiler/he/lower/encryption_search.h"
#include "compiler/he/lower/integer_levels.h"
#include "compiler/he/lower/merge_trace.h"
#include "compiler/he/lower/place_jointly.h"
#include "compiler/he/lower/weigh_relinearisations.h"
#include "engine/program/he/contributions.h"
#include "engine/program/he/facts.h"
#include "engine/program/he/validate.h"

namespace tacet::he_lower {
namespace {

using engine::HeProgram;
using he::Scheme;

/// A shape of sizes: all of `rest` bits but for the first one, which has `skew` more.
struct Shape {
  size_t n_primes = 1;
  size_t n_special = 0;
  int skew = 0;
};

auto clamped(int bits) -> unsigned {
  return static_cast<unsigned>(
      std::clamp(bits, static_cast<int>(kLeastPrimeBits), static_cast<int>(he::kMaxPrimeBits)));
}

void set_sizes(const Shape& shape, int rest, Setting& setting) {
  const unsigned first = clamped(rest + shape.skew);
  setting.data_prime_bits.assign(shape.n_primes, clamped(rest));
  setting.data_prime_bits.front() = first;
  const unsigned special = shape.n_primes == 1 ? first : std::max(first, clamped(rest));
  setting.special_prime_bits.assign(shape.n_special, special);
}

/// A setting with its outcome.
struct Candidate {
  Setting setting;
  Shape shape;
  int rest = 0;
  Outcome outcome{};
};

class Chooser {
 public:
  Chooser(const HeProgram& program, uint64_t plain_modulus, const ChoiceOptions& options)
      : search_(program, plain_modulus, options),
        plain_modulus_(plain_modulus),
        options_(options),
        is_hidden_(hides(program, options)) {
    search_.program.modulus = plain_modulus;
    const bool is_linear = is_hidden_ || options.n_key_holders > 1;
    if (is_linear && !has_linear_results(trace())) {
      set_program(search_, with_late_relinearisations(search_.program, trace(), is_linear));
    }
  }

  auto run() -> Result<Encryption> {
    if (search_.limit != 0) {
      for (const Scheme scheme : {Scheme::Bgv, Scheme::Bfv}) {
        if (options_.scheme.value_or(scheme) == scheme) {
          try_scheme(scheme);
        }
      }
    }
    if (!best_) {
      return too_large();
    }
    if (!trace().has_drops) {
      if (options_.relinearisation == circuit::Relinearisation::Fewest && trace().needs_keys) {
        weigh_relinearisations();
      }
      lower_single_groups();
      place_together();
    }
    shrink();
    return encryption_of(search_, best_->setting, best_->outcome);
  }

 private:
  /// What simulating may cost in all, in steps: half a second.
  static constexpr size_t kStepLimit = 12'000'000;
  /// Programs of more steps do not try all shapes.
  static constexpr size_t kFewSteps = 256;
  static constexpr int kSkews[] = {-8, 8, 16, -16, 4, -4, 12, -12};
  /// What is missing by more bits, no skew brings.
  static constexpr double kHopeless = 32;

  /// The cost of the best of a shape; of several shapes, the best of them.
  struct Trial {
    double budget = -std::numeric_limits<double>::infinity();       ///< the most
    double microseconds = std::numeric_limits<double>::infinity();  ///< if it is possible

    [[nodiscard]] auto is_possible() const -> bool { return std::isfinite(microseconds); }
    [[nodiscard]] auto is_better_than(const Trial& other) const -> bool {
      return is_possible() || other.is_possible() ? microseconds < other.microseconds
                                                  : budget > other.budget;
    }
  };

  [[nodiscard]] auto trace() const -> const Trace& { return search_.trace; }
  [[nodiscard]] auto is_cheap() const -> bool { return n_steps_ < kStepLimit; }

  void try_scheme(Scheme scheme) {
    const size_t least = trace().has_drops ? search_.program.n_primes : 1;
    const size_t most = trace().has_drops
                            ? least
                            : std::min<size_t>(search_.limit / kLeastPrimeBits, he::kMaxPrimes);
    size_t n_worse = 0;
    for (size_t n_primes = least; n_primes <= most && n_worse < 3; ++n_primes) {
      const double before = best_ ? best_->outcome.microseconds : HUGE_VAL;
      const bool is_possible = try_number(scheme, n_primes);
      const bool is_better = best_ && best_->outcome.microseconds < before;
      n_worse += is_possible && !is_better ? 1 : 0;
    }
  }

  /// Tries shapes of so many primes: all numbers of special ones with all skews, or, of long
  /// programs, all skews with the best number of special ones. Whether any is possible.
  auto try_number(Scheme scheme, size_t n_primes) -> bool {
    const size_t least_special = trace().needs_keys ? 1 : 0;
    const size_t most_special =
        trace().needs_keys ? std::min<size_t>(kMostSpecialPrimes, n_primes) : size_t{0};
    const bool is_long = trace().steps.size() > kFewSteps;
    Trial best;
    size_t best_special = least_special;
    bool is_possible = false;
    for (size_t n_special = least_special; n_special <= most_special; ++n_special) {
      const Trial trial = try_shape(scheme, {n_primes, n_special, 0});
      is_possible |= trial.is_possible();
      if (!is_long) {
        is_possible |= try_skews(scheme, n_primes, n_special, trial);
      } else if (trial.is_better_than(best)) {
        best = trial;
        best_special = n_special;
      }
    }
    return is_long ? is_possible | try_skews(scheme, n_primes, best_special, best) : is_possible;
  }

  auto try_skews(Scheme scheme, size_t n_primes, size_t n_special, const Trial& without) -> bool {
    bool is_possible = false;
    const bool is_hopeless =
        std::isfinite(without.budget) && without.budget < options_.margin - kHopeless;
    if (n_primes == 1 || is_hopeless) {
      return is_possible;
    }
    for (const int skew : kSkews) {
      if (!is_cheap()) {
        break;
      }
      is_possible |= try_shape(scheme, {n_primes, n_special, skew}).is_possible();
    }
    return is_possible;
  }

  /// The cost of the shape's largest primes; if it is the fastest so far, remembers it.
  auto try_shape(Scheme scheme, const Shape& shape) -> Trial {
    Candidate candidate{.setting = {.scheme = scheme,
                                    .ring_dimension = search_.n,
                                    .plain_modulus = plain_modulus_,
                                    .is_hidden = is_hidden_,
                                    .n_key_holders = options_.n_key_holders,
                                    .n_contributions = engine::most_contributions(search_.program)},
                        .shape = shape};
    candidate.rest = static_cast<int>(he::kMaxPrimeBits);
    set_sizes(shape, candidate.rest, candidate.setting);
    while (candidate.rest > static_cast<int>(kLeastPrimeBits) &&
           total_bits(candidate.setting) > search_.limit) {
      set_sizes(shape, --candidate.rest, candidate.setting);
    }
    if (total_bits(candidate.setting) > search_.limit || !search_.primes.find(candidate.setting)) {
      return {};
    }
    IntegerSimulation simulation(trace(), candidate.setting, *options_.times);
    Trial trial;
    for (const double loss : kLosses) {
      candidate.outcome = simulation.run(loss, first_caps(simulation));
      trial.budget = std::max(trial.budget, candidate.outcome.budget);
      if (candidate.outcome.budget < options_.margin) {
        break;  // more drops leave less, and so would more of them
      }
      trial.microseconds = std::min(trial.microseconds, candidate.outcome.microseconds);
      if (!best_ || candidate.outcome.microseconds < best_->outcome.microseconds) {
        best_ = candidate;
      }
      if (trace().has_drops) {
        break;
      }
    }
    most_budget_ = std::max(most_budget_, trial.budget);
    n_steps_ += simulation.n_steps();
    return trial;
  }

  auto first_caps(const IntegerSimulation& simulation) const -> std::vector<uint32_t> {
    std::vector<uint32_t> caps = simulation.full_caps();
    if (trace().has_drops) {
      for (uint32_t reg = 0; reg < search_.program.registers.size(); ++reg) {
        if (search_.program.registers[reg].n_primes != 0) {
          caps[trace().register_group[reg]] = search_.program.registers[reg].n_primes;
        }
      }
    }
    return caps;
  }

  /// Relinearises where that takes less time with the primes there are, and drops them anew, as
  /// long as both together get better.
  void weigh_relinearisations() {
    constexpr int kMostIterations = 4;
    for (int iteration = 0; iteration < kMostIterations && is_cheap(); ++iteration) {
      HeProgram program = with_weighed_relinearisations(search_.program, trace(), best_->setting,
                                                        best_->outcome.levels, *options_.times);
      if (program == search_.program) {
        return;
      }
      Trace other = merged(trace_of(program));
      const double before = best_->outcome.microseconds;
      IntegerSimulation simulation(other, best_->setting, *options_.times);
      for (const double loss : kLosses) {
        Outcome outcome = simulation.run(loss, simulation.full_caps());
        if (outcome.budget < options_.margin) {
          break;
        }
        if (outcome.microseconds < best_->outcome.microseconds) {
          best_->outcome = std::move(outcome);
        }
      }
      n_steps_ += simulation.n_steps();
      if (best_->outcome.microseconds >= before) {
        return;
      }
      search_.program = std::move(program);
      search_.trace = std::move(other);
    }
  }

  /// Of small programs, relinearisations and drops that are best together.
  void place_together() {
    Placement placement{search_.program, trace(), best_->outcome};
    if (!is_small(placement, best_->setting) || !is_cheap()) {
      return;
    }
    placement = placed_jointly(
        std::move(placement), best_->setting, *options_.times,
        {.margin = options_.margin,
         .moves_relinearisations = options_.relinearisation == circuit::Relinearisation::Fewest,
         .most_steps = kStepLimit - n_steps_});
    search_.program = std::move(placement.program);
    search_.trace = std::move(placement.trace);
    best_->outcome = std::move(placement.outcome);
  }

  /// Tries fewer primes for one group after the other, from the last results to the inputs; for so
  /// many groups at a time that each is tried.
  void lower_single_groups() {
    IntegerSimulation simulation(trace(), best_->setting, *options_.times);
    const size_t n_trials = (std::max(kStepLimit, n_steps_) - n_steps_) / 2 /
                            std::max<size_t>(2 * trace().steps.size(), 1);
    const auto together =
        static_cast<uint32_t>(trace().n_groups / std::max<size_t>(n_trials, 1) + 1);
    for (uint32_t end = trace().n_groups; end > 0 && is_cheap(); end -= std::min(end, together)) {
      const uint32_t begin = end - std::min(end, together);
      while (is_cheap() && lower_groups(begin, end, simulation)) {
      }
    }
  }

  /// Whether that is better. Caps say it all: nothing is dropped beyond them but for free.
  auto lower_groups(uint32_t begin, uint32_t end, IntegerSimulation& simulation) -> bool {
    std::vector<uint32_t> caps = simulation.caps_of(best_->outcome.levels);
    bool is_lower = false;
    for (uint32_t group = begin; group < end; ++group) {
      is_lower |= caps[group] > 1;
      caps[group] = std::max(caps[group], 2U) - 1;
    }
    if (!is_lower) {
      return false;
    }
    const size_t before = simulation.n_steps();
    Outcome outcome = simulation.run(0.5, std::move(caps));
    n_steps_ += simulation.n_steps() - before;
    if (outcome.budget < options_.margin || outcome.microseconds >= best_->outcome.microseconds) {
      return false;
    }
    best_->outcome = std::move(outcome);
    return true;
  }

  /// The smallest primes of the same shape that leave the margin with the same levels.
  void shrink() {
    Candidate smaller = *best_;
    while (smaller.rest > static_cast<int>(kLeastPrimeBits)) {
      set_sizes(smaller.shape, --smaller.rest, smaller.setting);
      if (!search_.primes.find(smaller.setting)) {
        continue;
      }
      IntegerSimulation simulation(trace(), smaller.setting, *options_.times);
      smaller.outcome = simulation.run(kNoLoss, simulation.caps_of(best_->outcome.levels));
      if (smaller.outcome.budget < options_.margin) {
        break;
      }
      if (smaller.outcome.microseconds <= best_->outcome.microseconds * 1.001) {
        best_ = smaller;
      }
    }
  }

  auto too_large() const -> Error {
    if (search_.limit == 0) {
      return Error{fmt::format("no modulus gives {} bits of security in a ring of dimension {}",
                               static_cast<unsigned>(options_.security), search_.n)};
    }
    return Error{fmt::format(
        "a ring of dimension {} allows a modulus of {} bits at {} bits of security, which is too "
        "small for plaintext modulus {} and multiplicative depth {}: {}{}",
        search_.n, search_.limit, static_cast<unsigned>(options_.security), plain_modulus_,
        trace().depth,
        std::isfinite(most_budget_)
            ? fmt::format("about {:.0f} bits too much noise", options_.margin - most_budget_)
            : "no primes are large enough",
        what_takes_bits())};
  }

  auto what_takes_bits() const -> std::string {
    std::string text;
    if (is_hidden_) {
      text += "; hiding the server's inputs takes about 60 bits, which `--unhidden` saves";
    }
    if (options_.n_key_holders > 1) {
      text += fmt::format(
          "; a key of {} holders takes about {:.0f} bits more than that of one, most of them to "
          "flood the noise of what they decrypt",
          options_.n_key_holders,
          he::kHidingBits + std::log2(static_cast<double>(search_.n)) +
              std::log2(options_.n_key_holders));
    }
    return text;
  }

  EncryptionSearch search_;
  uint64_t plain_modulus_;
  const ChoiceOptions& options_;
  bool is_hidden_;  ///< results are
  std::optional<Candidate> best_;
  double most_budget_ = -std::numeric_limits<double>::infinity();
  size_t n_steps_ = 0;
};

/// 2 max(|low|, |high|) + 1: what a modulus must be at least.
auto least_modulus(int64_t low, int64_t high) -> double {
  const auto size = [](int64_t x) { return std::abs(static_cast<double>(x)); };
  return 2 * std::max(size(low), size(high)) + 1;
}

}  // namespace

auto hides(const HeProgram& program, const ChoiceOptions& options) -> bool {
  return options.hiding == HideServerInputs::Yes && engine::has_server_inputs(program);
}

auto choose_encryption(const HeProgram& program, uint64_t plain_modulus,
                       const ChoiceOptions& options) -> Result<Encryption> {
  Result<Encryption> result = Chooser(program, plain_modulus, options).run();
  if (result) {
    if (Status status = engine::validate(result->program); !status) {
      return Error{
          fmt::format("it is too large to run ({}); smaller arrays need fewer vectors and "
                      "instructions",
                      status.error().message)};
    }
  }
  return result;
}

auto plain_moduli_for(size_t ring_dimension, int64_t low, int64_t high, unsigned max_bits)
    -> Result<std::vector<uint64_t>> {
  const uint64_t step = 2 * ring_dimension;
  // Doubles round large sizes: one more is room enough for that.
  const double least = least_modulus(low, high);
  const double wanted = least < 0x1p52 ? least : std::nextafter(least, HUGE_VAL) + 2;
  const uint64_t limit = uint64_t{1} << max_bits;
  for (size_t n_moduli = 1; n_moduli <= 4; ++n_moduli) {
    const double each = std::pow(wanted, 1 / static_cast<double>(n_moduli));
    if (each >= static_cast<double>(limit)) {
      continue;
    }
    std::vector<uint64_t> moduli;
    auto from = static_cast<uint64_t>(n_moduli == 1 ? wanted : std::ceil(each) + 1);
    while (moduli.size() < n_moduli) {
      const uint64_t prime = least_prime(from, limit, step, moduli);
      if (prime == 0) {
        break;
      }
      moduli.push_back(prime);
    }
    if (moduli.size() == n_moduli) {
      return moduli;
    }
  }
  return Error{fmt::format(
      "no plaintext moduli of up to {} bits with {} slots can hold the numbers from {} to {}",
      max_bits, ring_dimension, low, high)};
}

}  // namespace tacet::he_lower
