// Where the time of homomorphic programs goes: `measure_he_programs` runs those of
// tests/he_program/run by BFV and BGV, with parameters of 128 bits of security, on one thread and
// on two, and prints a table. Results are compared with the clear evaluator's.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/value.h"
#include "engine/he_runtime/run_encrypted.h"
#include "engine/program/he/clear.h"
#include "engine/program/he/text.h"
#include "tests/he_program/he_fixture.h"

namespace tacet::engine {
namespace {

constexpr size_t kRuns = 5;

/// Parameters of the smallest ring that has primes enough for the program.
auto parameters_for(const HeProgram& program, he::Scheme scheme) -> he::Parameters {
  for (size_t n = 8192;; n *= 2) {
    he::ParameterRequest request = he::default_request(scheme, n);
    request.plain_modulus = program.modulus;
    if (request.data_prime_bits.size() >= program.n_primes) {
      return value(he::make_parameters(request));
    }
  }
}

/// The program with rows as long as those of a secure ring.
auto enlarged(HeProgram program, const he::Context& context) -> HeProgram {
  program.n_columns = static_cast<uint32_t>(context.n() / 2);
  return program;
}

auto median(const std::vector<HeStatistics>& runs, double HeStatistics::*seconds) -> double {
  std::vector<double> times;
  for (const HeStatistics& run : runs) {
    times.push_back(run.*seconds * 1000);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void measure(const HeFixture& fixture, he::Scheme scheme, unsigned n_threads,
             he::SecureRandom& random) {
  const HeProgram small = value(parse_he_program(fixture.program));
  const he::ContextRef context =
      he::Context::make(parameters_for(small, scheme), {.n_threads = n_threads});
  const HeProgram program = enlarged(small, *context);
  const HeValues expected = value(run_in_the_clear(program, fixture.inputs));
  std::vector<HeStatistics> runs;
  for (size_t i = 0; i < kRuns; ++i) {
    HeRun run = value(run_encrypted(program, fixture.inputs, context, random));
    if (run.outputs != expected) {
      fmt::print(stderr, "measure_he_programs: {} is wrong\n", fixture.path.string());
      std::exit(1);
    }
    runs.push_back(run.statistics);
  }
  fmt::print(
      "| {} | {} | {} | {} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.1f} |\n",
      fixture.path.stem().string(), he::scheme_name(scheme), context->n(), n_threads,
      median(runs, &HeStatistics::encode_seconds), median(runs, &HeStatistics::encrypt_seconds),
      median(runs, &HeStatistics::compute_seconds), median(runs, &HeStatistics::decrypt_seconds),
      static_cast<double>(runs.front().peak_bytes) / (1 << 20));
  std::fflush(stdout);
}

}  // namespace
}  // namespace tacet::engine

auto main() -> int {
  using namespace tacet;
  auto random = tacet::value(secure_random::SecureRandom::from_system(best_isa()));
  fmt::print("Milliseconds, medians of {} runs\n\n", engine::kRuns);
  fmt::print(
      "| program | scheme | N | threads | encode | encrypt | compute | decrypt | peak MiB |\n");
  fmt::print("|---|---|---:|---:|---:|---:|---:|---:|---:|\n");
  for (const engine::HeFixture& fixture : engine::read_he_fixtures("run")) {
    for (const he::Scheme scheme : {he::Scheme::Bfv, he::Scheme::Bgv}) {
      for (const unsigned n_threads : {1U, 2U}) {
        engine::measure(fixture, scheme, n_threads, random);
      }
    }
  }
  return 0;
}
