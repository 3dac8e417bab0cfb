#include "tests/he_distributed/run_on_ranks.h"

#include <fmt/format.h>

#include <thread>

#include "base/value.h"

namespace tacet::engine {

auto eager_options() -> RankOptions {
  he::OperationTimes slow;
  for (size_t operation = 0; operation < he::kOperations; ++operation) {
    slow.set(static_cast<he::Operation>(operation), {.ring_dimension = 1024}, 1e5);
  }
  return {.times = slow,
          .machines = {.bytes_per_second = 1e15, .latency_microseconds = 0},
          .version = "test",
          .insecure = he::InsecureParameters::Accept};
}

auto small_context(const HeProgram& program, he::Scheme scheme, unsigned n_threads)
    -> he::ContextRef {
  he::ParameterRequest request{.scheme = scheme,
                               .ring_dimension = size_t{2} * program.n_columns,
                               .data_prime_bits = {},
                               .special_prime_bits = {48},
                               .plain_modulus = program.modulus};
  request.data_prime_bits.assign(program.n_primes, program.is_integer() ? 46 : program.scale_bits);
  request.data_prime_bits.front() = program.is_integer() ? 46 : 50;
  return he::Context::make(value(he::insecure_test_parameters(request)),
                           {.isa = best_isa(), .n_threads = n_threads});
}

auto run_on_ranks(std::vector<std::unique_ptr<RankLink>>& links, std::vector<RankPart> parts,
                  const RankOptions& options, const std::vector<RankOptions>& others)
    -> RanksOutcome {
  RanksOutcome outcome;
  outcome.others.assign(links.size() - 1, Error{"did not run"});
  std::vector<std::thread> threads;
  for (size_t rank = 1; rank < links.size(); ++rank) {
    threads.emplace_back([&, rank] {
      outcome.others[rank - 1] =
          serve_rank(*links[rank], others.empty() ? options : others[rank - 1]);
    });
  }
  outcome.root = evaluate_on_ranks(*links[0], std::move(parts), options,
                                   [](const std::string&) { return HeProgress(); });
  for (std::thread& thread : threads) {
    thread.join();
  }
  return outcome;
}

auto hosts_of(size_t n) -> std::vector<std::string> {
  std::vector<std::string> hosts;
  for (size_t i = 0; i < n; ++i) {
    hosts.push_back(fmt::format("node{}", i / 2));
  }
  return hosts;
}

}  // namespace tacet::engine
