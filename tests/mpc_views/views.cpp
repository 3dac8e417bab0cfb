#include "tests/mpc_views/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "base/cpu.h"
#include "engine/mpc/semi2k/semi2k.h"
#include "engine/net/in_process_links.h"
#include "engine/secure_random/test_seed.h"

namespace tacet::mpc {

namespace {

constexpr double kDeviations = 6.3;

auto random_of(const TestRun& run, Rank rank) -> secure_random::SecureRandom {
  return secure_random::seeded_random(secure_random::TestSeed::of(run.seed * 1000 + rank),
                                      best_isa());
}

/// Secrets of which party 0 has a random summand and party 1 the rest.
auto shared(Party& party, std::vector<uint64_t> values, uint64_t seed) -> Task<Share> {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> masks(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    masks[i] = random();
    values[i] -= masks[i];
  }
  const size_t n = values.size();
  const Share first = co_await share(party, 0, RingArray::of(masks), Ring::Z64, n);
  const Share second = co_await share(party, 1, RingArray::of(values), Ring::Z64, n);
  co_return add(first, second);
}

auto secrets_of(Party& party, ClearSecrets secrets, uint64_t seed) -> Task<Secrets> {
  Share x = co_await shared(party, std::move(secrets.x), 2 * seed);
  Share y = co_await shared(party, std::move(secrets.y), 2 * seed + 1);
  co_return Secrets{std::move(x), std::move(y)};
}

/// One party, whose links note what goes over them in `view`.
void run_party(const TestRun& run, const std::vector<ViewedKernel>& kernels,
               const ClearSecrets& secrets, net::Links& links, Protocol& inner, View& view,
               std::vector<std::vector<View>>& views) {
  const std::unique_ptr<Protocol> protocol = record(inner, view);
  Party party(links, *protocol, random_of(run, links.rank()));
  TACET_CHECK(party.run(protocol->start(party)).index() == 0, "a protocol does not start");
  auto brought = party.run(secrets_of(party, secrets, run.seed));
  TACET_CHECK(brought.index() == 0, "secrets cannot be shared");
  for (size_t i = 0; i < kernels.size(); ++i) {
    view = {};
    auto held = party.run(kernels[i].run(party, std::get<Secrets>(brought)));
    TACET_CHECK(held.index() == 0, "a kernel fails");
    for (const std::vector<RingArray>& parts : std::get<Held>(held)) {
      for (const RingArray& part : parts) {
        view.note(view.held, part.bytes());
      }
    }
    views[i][party.rank()] = std::move(view);
  }
  TACET_CHECK(!links.finish(), "a party fails at the end");
}

auto word_at(const std::vector<std::byte>& bytes, size_t at) -> uint64_t {
  uint64_t word = 0;
  std::memcpy(&word, bytes.data() + at, std::min(sizeof(word), bytes.size() - at));
  return word;
}

/// Words of both, combined by `op`, up to the shorter one's end.
template <class Op>
auto combined(const std::vector<std::byte>& a, const std::vector<std::byte>& b, size_t shift,
              const Op& op) -> std::vector<std::byte> {
  const size_t n = std::min(a.size(), b.size() < shift ? 0 : b.size() - shift) / 8 * 8;
  std::vector<std::byte> result(n);
  for (size_t at = 0; at < n; at += 8) {
    const uint64_t word = op(word_at(a, at), word_at(b, at + shift));
    std::memcpy(result.data() + at, &word, sizeof(word));
  }
  return result;
}

constexpr std::array kStreams{"received",
                              "sent",
                              "shown",
                              "held",
                              "received + sent",
                              "received ^ sent",
                              "words received after each other, ^",
                              "halves of what is shown, -",
                              "parts held, +",
                              "parts held, ^",
                              "thirds of what is held, +",
                              "thirds of what is held, ^",
                              "all thirds of what is held, +",
                              "all thirds of what is held, ^"};

auto streams_of(const View& view) -> std::vector<std::vector<std::byte>> {
  const std::plus<uint64_t> plus;
  const std::minus<uint64_t> minus;
  const std::bit_xor<uint64_t> exclusive_or;
  const size_t half_shown = view.shown.size() / 16 * 8;
  const size_t half_held = view.held.size() / 16 * 8;
  // Of protocols with three parts.
  const size_t third_held = view.held.size() / 24 * 8;
  const std::vector<std::byte> two_sums = combined(view.held, view.held, third_held, plus);
  const std::vector<std::byte> two_xors = combined(view.held, view.held, third_held, exclusive_or);
  return {view.received,
          view.sent,
          view.shown,
          view.held,
          combined(view.received, view.sent, 0, plus),
          combined(view.received, view.sent, 0, exclusive_or),
          combined(view.received, view.received, 8, exclusive_or),
          combined(view.shown, view.shown, half_shown, minus),
          combined(view.held, view.held, half_held, plus),
          combined(view.held, view.held, half_held, exclusive_or),
          two_sums,
          two_xors,
          combined(two_sums, view.held, 2 * third_held, plus),
          combined(two_xors, view.held, 2 * third_held, exclusive_or)};
}

/// By how many deviations two counts among `n` differ.
auto deviations(double a, double b, double n) -> double {
  const double p = (a + b) / (2 * n);
  const double variance = 2 * n * p * (1 - p);
  return variance == 0 ? 0 : std::abs(a - b) / std::sqrt(variance);
}

/// By how many deviations the ranks of `a` among both differ from what they should be on average.
auto rank_deviations(const std::vector<size_t>& a, const std::vector<size_t>& b) -> double {
  double wins = 0;
  for (const size_t x : a) {
    for (const size_t y : b) {
      wins += x < y ? 0 : x > y ? 1 : 0.5;
    }
  }
  const auto n = static_cast<double>(a.size());
  const auto m = static_cast<double>(b.size());
  return std::abs(wins - n * m / 2) / std::sqrt(n * m * (n + m + 1) / 12);
}

}  // namespace

auto views_of(const TestRun& run, const std::vector<ViewedKernel>& kernels,
              const ClearSecrets& secrets) -> std::vector<std::vector<View>> {
  const bool is_dealt = run.protocol == "semi2k_dealer";
  const Rank dealer = run.n_parties;
  std::vector<std::vector<View>> views(kernels.size(), std::vector<View>(run.n_parties));
  const auto body = [&](net::Links& all) {
    if (is_dealt && all.rank() == dealer) {
      TACET_CHECK(!run_dealer(all, random_of(run, dealer)), "the dealer fails");
      TACET_CHECK(!all.finish(), "the dealer fails at the end");
      return;
    }
    View view;
    const std::unique_ptr<net::Links> recorded = record(all, view);
    if (!is_dealt) {
      return run_party(run, kernels, secrets, *recorded, *make_test_protocol(run.protocol), view,
                       views);
    }
    const std::unique_ptr<net::Links> links = make_party_links(*recorded);
    const auto protocol = make_semi2k(make_dealer_correlations(*recorded));
    run_party(run, kernels, secrets, *links, *protocol, view, views);
  };
  net::run_on_threads(net::make_in_process_links(run.n_parties + (is_dealt ? 1 : 0)), body);
  return views;
}

void Sample::add(const View& view) {
  const std::vector<std::vector<std::byte>> streams = streams_of(view);
  ones_.resize(streams.size());
  for (size_t i = 0; i < streams.size(); ++i) {
    const std::vector<std::byte>& bytes = streams[i];
    Ones& ones = ones_[i];
    // A run that is shorter than the others ends what can be compared.
    ones.resize(n_runs() == 0 ? 8 * bytes.size() : std::min(ones.size(), 8 * bytes.size()));
    for (size_t bit = 0; bit < ones.size(); ++bit) {
      const auto byte = static_cast<unsigned>(bytes[bit / 8]);
      ones[bit] = static_cast<uint16_t>(ones[bit] + (byte >> bit % 8 & 1));
    }
  }
  lengths_.push_back(view.received.size());
  awaited_.push_back(view.awaited);
}

auto difference(const Sample& a, const Sample& b, bool has_random_length) -> std::string {
  if (has_random_length) {
    const double by = rank_deviations(a.lengths_, b.lengths_);
    if (by > 4) {
      return fmt::format("how much is received differs by {:.1f} deviations", by);
    }
  } else {
    for (const Sample* sample : {&a, &b}) {
      for (const auto& awaited : sample->awaited_) {
        if (awaited != a.awaited_[0]) {
          return "what is awaited differs";
        }
      }
    }
  }
  for (size_t i = 0; i < a.ones_.size(); ++i) {
    const size_t n = std::min(a.ones_[i].size(), b.ones_[i].size());
    for (size_t bit = 0; bit < n; ++bit) {
      const double by =
          deviations(a.ones_[i][bit], b.ones_[i][bit], static_cast<double>(a.n_runs()));
      if (by > kDeviations) {
        return fmt::format("{}: bit {} of {} is set {} and {} times in {} runs", kStreams[i], bit,
                           n, a.ones_[i][bit], b.ones_[i][bit], a.n_runs());
      }
    }
  }
  return "";
}

}  // namespace tacet::mpc
