// A rank of a run by MPI, for mpi_test.py: evaluates a program of independent blocks on all ranks,
// and compares the bytes with those of one process.
//
//     mpi_ranks PLUGIN_FOLDER N_BLOCKS N_ROTATIONS SILENCE_SECONDS

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <numeric>

#include "base/value.h"
#include "engine/he_distributed/mpi_link.h"
#include "engine/program/he/text.h"
#include "tests/he_distributed/run_on_ranks.h"
#include "tests/he_program/two_sides.h"

namespace tacet::engine {
namespace {

auto mpi_blocks(int n_blocks, int n_rotations) -> HeProgram {
  return value(parse_he_program(fmt::format(R"(he_program 1
slots 2 x 1024
modulus 65537
primes 4
input a[{0}, 64] from client
cipher x[i:{0}] = a[i, c] over (c:64) repeat
for i: {0} {{
  x[i] = mul x[i], x[i]
  x[i] = relinearise x[i]
  for k: {1} {{
    x[i] = rotate x[i], 1
  }}
}}
output o[{0}, 64] over (i:{0}, c:64) [i, c] = x[i] at 0, c
)",
                                            n_blocks, n_rotations)));
}

auto stored_bytes(const he::Context& context, const std::vector<he::Ciphertext>& ciphertexts)
    -> std::vector<he::Bytes> {
  std::vector<he::Bytes> bytes;
  for (const he::Ciphertext& ciphertext : ciphertexts) {
    bytes.push_back(value(he::serialise(context, ciphertext)));
  }
  return bytes;
}

auto run_root(RankLink& link, const HeProgram& program, const RankOptions& options,
              bool is_compared) -> int {
  const he::ContextRef context = small_context(program, he::Scheme::Bgv, 1);
  std::mt19937_64 random(1);
  const HeValues values = random_he_values(random, program);
  Sides sides(program, values, context);
  std::vector<RankPart> parts;
  parts.push_back({.program = &program,
                   .context = context,
                   .values = values,
                   .keys = &sides.keys,
                   .inputs = sides.inputs});
  const Result<RankRun> run = evaluate_on_ranks(link, std::move(parts), options,
                                                [](const std::string&) { return HeProgress(); });
  if (!run) {
    fmt::print(stderr, "error: {}\n", run.error().message);
    return 1;
  }
  const bool is_equal =
      !is_compared ||
      stored_bytes(*context, run.value().parts[0].results) ==
          stored_bytes(*context,
                       value(sides.server.evaluate(sides.inputs, sides.keys, sides.statistics)));
  double most = 0;
  double total = 0;
  uint64_t sent = 0;
  for (const RankReport& report : run.value().reports) {
    most = std::max(most, report.work_seconds);
    total += report.work_seconds;
    sent += report.bytes_sent;
    fmt::print("{} operations {:.3f} s\n", report.n_operations, report.work_seconds);
  }
  fmt::print("{} bytes sent {} imbalance {:.4f}\n", is_equal ? "equal" : "different", sent,
             most * link.n_ranks() / total - 1);
  std::fflush(stdout);
  return is_equal ? 0 : 1;
}

}  // namespace
}  // namespace tacet::engine

auto main(int /*argc*/, char** argv) -> int {
  using namespace tacet;
  using namespace tacet::engine;
  const Result<std::unique_ptr<RankLink>> opened = open_mpi_link({argv[1]}, std::atof(argv[4]));
  if (!opened) {
    fmt::print(stderr, "error: {}\n", opened.error().message);
    return 2;
  }
  RankLink& link = *opened.value();
  RankOptions options = eager_options();
  const HeProgram program = mpi_blocks(std::atoi(argv[2]), std::atoi(argv[3]));
  if (link.rank() == 0) {
    return run_root(link, program, options, std::atoi(argv[3]) < 100);
  }
  static_cast<void>(serve_rank(link, options));
  return 0;
}
