#include "compiler/he/lower/encryption_search.h"

#include <cmath>
#include <utility>

#include "compiler/he/lower/merge_trace.h"
#include "compiler/he/lower/place_drops.h"

namespace tacet::he_lower {

EncryptionSearch::EncryptionSearch(const engine::HeProgram& from, uint64_t plain_modulus,
                                   const ChoiceOptions& choice_options,
                                   std::vector<NoiseStage> noise_stages)
    : stages(noise_stages.empty()
                 ? nullptr
                 : std::make_shared<const std::vector<NoiseStage>>(std::move(noise_stages))),
      program(with_unrolled_products(from)),
      trace(merged(trace_of(program, stages))),
      options(choice_options),
      n(program.ring_dimension()),
      limit(he::max_modulus_bits(n, options.security).value_or(0)),
      primes(n, plain_modulus) {}

void set_program(EncryptionSearch& search, engine::HeProgram program) {
  search.program = std::move(program);
  search.trace = merged(trace_of(search.program, search.stages));
}

auto encryption_of(const EncryptionSearch& search, const Setting& setting, const Outcome& outcome)
    -> Encryption {
  engine::HeProgram program = search.program;
  program.n_primes = static_cast<uint32_t>(setting.data_prime_bits.size() - setting.n_own_primes);
  if (!program.is_integer()) {
    program.scale_bits = setting.scale_bits;
  }
  for (size_t i = 0; i < outcome.register_errors.size(); ++i) {
    constexpr double kSlack = 1 + 0x1p-20;  // for what doubles round
    const double error = outcome.register_errors[i] * kSlack;
    program.registers[i].error = std::isfinite(error) ? error : 0;
  }
  return {.scheme = setting.scheme,
          .ring_dimension = search.n,
          .security = search.options.security,
          .data_prime_bits = setting.data_prime_bits,
          .special_prime_bits = setting.special_prime_bits,
          .program = search.trace.has_drops ? std::move(program)
                                            : with_drops(program, search.trace, outcome.levels),
          .is_unhidden = search.options.hiding == HideServerInputs::No,
          .n_key_holders = setting.n_key_holders,
          .budget = outcome.budget,
          .noise_bound = std::ceil(100 * outcome.noise_bound) / 100,  // as texts have it
          .error = outcome.error,
          .microseconds = outcome.microseconds};
}

}  // namespace tacet::he_lower
