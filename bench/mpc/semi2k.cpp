// `semi2k` between processes on loopback TCP without TLS: products, conjunctions, truncation,
// matrices, comparisons, shuffles, with correlations that were there before (online), come from a
// dealer, or are made by encryption; and what making them takes. usage:
// measure_semi2k [PARTIES [online|dealer|bfv [NAME]]]

#include "engine/mpc/semi2k/semi2k.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>

#include "base/cpu.h"
#include "bench/mpc/processes.h"
#include "engine/mpc/circuits/integers.h"

namespace tacet::mpc {
namespace {

using Clock = std::chrono::steady_clock;
constexpr Ring kRing = Ring::Z64;
constexpr MatrixShape kMatrices{.rows = 128, .inner = 128, .columns = 128};

/// Hands out what another source made before: what is measured then is the protocol alone.
class StoredCorrelations final : public Correlations {
 public:
  explicit StoredCorrelations(std::unique_ptr<Correlations> from) : from_(std::move(from)) {}

  /// Makes as much as one use of `n` pieces takes, of each kind.
  auto store(Party& party, size_t n, size_t n_words) -> Task<> {
    triples_ = co_await from_->triples(party, kRing, n);
    bit_triples_ = co_await from_->bit_triples(party, n_words);
    bits_ = co_await from_->random_bits(party, kRing, n);
    matrix_ = co_await from_->matrix_triple(party, kRing, kMatrices);
    co_return kDone;
  }

  auto name() const -> std::string_view override { return "stored"; }
  auto chunk() const -> size_t override { return size_t{1} << 14; }
  auto start(Party& party) -> Task<> override { return from_->start(party); }
  auto triples(Party& /*party*/, Ring /*ring*/, size_t n) -> Task<Triples> override {
    co_return next(triples_, n);
  }
  auto squares(Party& party, Ring ring, size_t n) -> Task<Triples> override {
    return from_->squares(party, ring, n);
  }
  auto bit_triples(Party& /*party*/, size_t n_words) -> Task<Triples> override {
    co_return next(bit_triples_, n_words);
  }
  auto cross_products(Party& /*party*/, size_t n_words) -> Task<CrossProducts> override {
    Triples words = next(bit_triples_, n_words);
    co_return CrossProducts{.own = std::move(words.a), .product = std::move(words.c)};
  }
  auto random_bits(Party& /*party*/, Ring /*ring*/, size_t /*n*/) -> Task<RandomBits> override {
    co_return bits_;
  }
  auto matrix_triple(Party& /*party*/, Ring /*ring*/, MatrixShape /*shape*/)
      -> Task<Triples> override {
    co_return matrix_;
  }
  auto has_permutations() const -> bool override { return from_->has_permutations(); }
  auto draw_permutation(Party& party, size_t n, uint64_t* number)
      -> std::vector<uint32_t> override {
    return from_->draw_permutation(party, n, number);
  }
  auto permuted_masks(Party& party, Rank owner, uint64_t number, Direction direction, Ring ring,
                      size_t n) -> PermutedMasks override {
    return from_->permuted_masks(party, owner, number, direction, ring, n);
  }

 private:
  /// From the start again when they are exhausted.
  auto next(const Triples& stored, size_t n) -> Triples {
    const size_t begin = used_ + n <= stored.a.size() ? used_ : 0;
    used_ = begin + n;
    return {.a = slice(stored.a, begin, n),
            .b = slice(stored.b, begin, n),
            .c = slice(stored.c, begin, n)};
  }

  std::unique_ptr<Correlations> from_;
  Triples triples_, bit_triples_, matrix_;
  RandomBits bits_;
  size_t used_ = 0;
};

/// What is measured: `n` things a run, `times` runs after one that does not count.
struct Measurement {
  std::string_view what;
  size_t n;
  int times;
  std::function<Task<>(Party&)> run;
};

template <class T>
auto run_or_exit(Party& party, Task<T> task) -> T {
  std::variant<T, net::LinkError> result = party.run(std::move(task));
  if (result.index() == 1) {
    fmt::print(stderr, "{}\n", std::get<1>(result).reason);
    ::_exit(1);
  }
  return std::move(std::get<0>(result));
}

void measure(Party& party, std::string_view source, const Measurement& m) {
  run_or_exit(party, m.run(party));
  party.restart_traffic();
  double least = 1e9;
  double sum = 0;
  for (int i = 0; i < m.times; ++i) {
    const Clock::time_point begin = Clock::now();
    run_or_exit(party, m.run(party));
    const double time = std::chrono::duration<double>(Clock::now() - begin).count();
    least = std::min(least, time);
    sum += time;
  }
  const Traffic::Counts counts = party.traffic().total();
  const double mean = sum / m.times;
  if (party.rank() == 0) {
    fmt::print(
        "{:<7} {:<22} {:>9} x{:<3} least {:>9.3f} ms, mean {:>9.3f} ms; {:>9.4f} M/s; "
        "{:>8.2f} B each from party 0, {} rounds\n",
        source, m.what, m.n, m.times, least * 1e3, mean * 1e3,
        static_cast<double>(m.n) / least / 1e6,
        static_cast<double>(counts.bytes) / static_cast<double>(m.n) / m.times,
        counts.rounds / static_cast<uint64_t>(m.times));
  }
}

auto zeros(Party& party, size_t n) -> Share {
  return zero_share(1, kRing, n, party.memory());
}

template <class T>
auto forget(Task<T> task) -> Task<> {
  co_await task;
  co_return kDone;
}

auto shuffle(Party& party, size_t n) -> Task<> {
  const SecretPermutation order = co_await party.protocol().random_permutation(party, n);
  std::vector<Share> arrays{zeros(party, n)};
  co_await party.protocol().permute(party, order, arrays, Direction::Forward);
  co_return kDone;
}

void measure_protocol(Party& party, std::string_view source, size_t scale, size_t shuffled,
                      std::string_view wanted) {
  const size_t n = 10'000 * scale;
  const size_t n_bits = 100'000 * scale;
  const std::vector<Measurement> all = {
      {"multiply", n, 10, [=](Party& p) { return forget(multiply(p, zeros(p, n), zeros(p, n))); }},
      {"conjunction", n_bits, 10,
       [=](Party& p) {
         const Bits bits = zero_bits(1, 1, n_bits, p.memory());
         return forget(conjunction(p, bits, bits));
       }},
      {"bits to numbers", n, 5,
       [=](Party& p) {
         return forget(bits_to_arithmetic(p, zero_bits(1, 1, n, p.memory()), kRing));
       }},
      {"truncate", n, 5, [=](Party& p) { return forget(truncate(p, zeros(p, n), 16)); }},
      {"matrices 128^3", 1, 10,
       [=](Party& p) {
         return forget(p.protocol().multiply_matrices(p, zeros(p, 128 * 128), zeros(p, 128 * 128),
                                                      kMatrices));
       }},
      {"less", n / 10, 5,
       [=](Party& p) {
         const Share x = zeros(p, n / 10);
         return forget(less(p, x, x, IntegerType{.width = 64}, Distance::Fits));
       }},
      {"shuffle", shuffled, 3, [=](Party& p) { return shuffle(p, shuffled); }},
  };
  for (const Measurement& m : all) {
    if (m.what.starts_with(wanted)) {
      measure(party, source, m);
    }
  }
}

/// Sequential products of one number: what a round takes.
auto chain(Party& party, size_t length) -> Task<> {
  Share x = zeros(party, 1);
  for (size_t i = 0; i < length; ++i) {
    x = co_await multiply(party, x, x);
  }
  co_return kDone;
}

auto system_random() -> secure_random::SecureRandom {
  return secure_random::SecureRandom::from_system(best_isa()).value();
}

void measure_dealt(net::Links& all, bool is_stored, std::string_view wanted) {
  if (all.rank() + 1 == all.n_parties()) {
    static_cast<void>(run_dealer(all, system_random()));
    static_cast<void>(all.finish());
    return;
  }
  const std::unique_ptr<net::Links> links = make_party_links(all);
  std::unique_ptr<Correlations> correlations = make_dealer_correlations(all);
  StoredCorrelations* stored = nullptr;
  if (is_stored) {
    auto wrapped = std::make_unique<StoredCorrelations>(std::move(correlations));
    stored = wrapped.get();
    correlations = std::move(wrapped);
  }
  const std::unique_ptr<Protocol> protocol = make_semi2k(std::move(correlations));
  Party party(*links, *protocol, system_random());
  run_or_exit(party, protocol->start(party));
  if (stored != nullptr) {
    run_or_exit(party, stored->store(party, 1'000'000, 10'000'000 / 64 + 1));
  }
  measure_protocol(party, is_stored ? "online" : "dealer", 100, 1'000'000, wanted);
  if (wanted.empty()) {
    measure(party, is_stored ? "online" : "dealer",
            {"one after the other", 2000, 3, [](Party& p) { return chain(p, 2000); }});
  }
  static_cast<void>(links->finish());
}

void measure_encrypted(net::Links& links, std::string_view wanted) {
  const std::unique_ptr<Protocol> protocol = make_semi2k(make_bfv_correlations());
  Party party(links, *protocol, system_random());
  run_or_exit(party, protocol->start(party));
  measure_protocol(party, "bfv", 20, 4096, wanted);
  static_cast<void>(links.finish());
}

}  // namespace
}  // namespace tacet::mpc

auto main(int argc, char** argv) -> int {
  using namespace tacet::mpc;
  const Rank n = argc > 1 ? static_cast<Rank>(std::atoi(argv[1])) : 2;
  const std::string_view source = argc > 2 ? argv[2] : "";
  const std::string_view wanted = argc > 3 ? argv[3] : "";
  if (source.empty() || source == "online") {
    in_processes(n + 1, [&](auto links) { measure_dealt(*links, true, wanted); });
  }
  if (source.empty() || source == "dealer") {
    in_processes(n + 1, [&](auto links) { measure_dealt(*links, false, wanted); });
  }
  if (source.empty() || source == "bfv") {
    in_processes(n, [&](auto links) { measure_encrypted(*links, wanted); });
  }
  return 0;
}
