// The generator with a secret seed, and what the samplers make of it.

#include "engine/secure_random/secure_random.h"

#include "engine/secure_random/samplers.h"
#include "engine/secure_random/seed_expander.h"
#include "engine/secure_random/test_seed.h"
#include "tests/constant_time/secret.h"

namespace tacet::secure_random {
namespace {

using constant_time::is_secret;
using constant_time::make_secret;

auto secret_generator(Isa isa) -> SecureRandom {
  TestSeed seed = TestSeed::of(1);
  make_secret(std::span(seed.entropy));
  return seeded_random(seed, isa);
}

void run(Isa isa, constant_time::Cases& cases) {
  SecureRandom random = secret_generator(isa);
  std::vector<std::byte> bytes(100'000);
  random.fill(bytes);
  cases.expect(is_secret(std::span(bytes)), "fill");

  std::array<std::byte, 33> of_fork{};
  random.fork().fill(of_fork);
  cases.expect(is_secret(std::span(of_fork)), "fork");

  constexpr size_t kN = 8192 + 5;
  std::vector<int8_t> small(kN);
  sample_ternary(random, small, isa);
  cases.expect(is_secret(std::span(small)), "ternary");
  sample_binomial(random, small, isa);
  cases.expect(is_secret(std::span(small)), "binomial");

  std::vector<uint64_t> residues(kN);
  lift_signed(small, (uint64_t{1} << 50) - 27, residues, isa);
  cases.expect(is_secret(std::span(residues)), "lift");
  for (uint64_t modulus : {uint64_t{65537}, (uint64_t{1} << 50) - 27}) {
    sample_uniform(random, modulus, residues, isa);
    cases.expect(is_secret(std::span(residues)), "uniform");
  }

  // A public seed is no secret, wherever it came from.
  SeedExpander expander(PublicSeed::draw(random), 0, isa);
  sample_uniform(expander, 65537, residues, isa);
  cases.expect(!is_secret(std::span(residues).first(1)), "public seed");
}

}  // namespace
}  // namespace tacet::secure_random

auto main() -> int {
  tacet::constant_time::Cases cases;
  for (tacet::Isa isa : tacet::supported_isas()) {
    tacet::secure_random::run(isa, cases);
  }
  return cases.exit_code();
}
