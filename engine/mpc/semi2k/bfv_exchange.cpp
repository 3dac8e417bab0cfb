#include "engine/mpc/semi2k/bfv_exchange.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/cpu.h"

namespace tacet::mpc {
namespace {

using mp::Bytes;

/// Batches that are sent together: one in which each party of a pair encrypts.
constexpr size_t kTogether = 2;

/// Ranks of the others for which this party encrypts, or multiplies, in a batch.
auto peers(const Party& party, size_t batch, bool encrypting) -> std::vector<Rank> {
  std::vector<Rank> result;
  for (Rank other = 0; other < party.n_parties(); ++other) {
    if (other != party.rank() && BfvExchange::encrypts(party.rank(), other, batch) == encrypting) {
      result.push_back(other);
    }
  }
  return result;
}

/// `terms` to all that this party encrypts for.
template <class Word>
void send_encryptions(Party& party, const BfvExchange& exchange, size_t batch, size_t n_primes,
                      const std::vector<std::vector<Word>>& terms) {
  const std::vector<Rank> to = peers(party, batch, true);
  if (to.empty()) {
    return;
  }
  for (const std::vector<Word>& term : terms) {
    const Result<Bytes> bytes = mp::encrypt(exchange.keys(), n_primes, mp::Packing::Slots,
                                            std::span<const Word>(term), party.random());
    TACET_CHECK(bytes.has_value(), "own numbers could not be encrypted");
    for (const Rank other : to) {
      party.send(other, bytes.value());
    }
  }
}

/// Adds the products with `terms` to `sums`.
template <class Word>
void add_products(Party& party, const BfvExchange& exchange, size_t n_primes, Rank other,
                  std::span<const std::byte> encryptions,
                  const std::vector<std::vector<Word>>& terms, mp::ProductSums<Word>& sums) {
  const size_t size = n_primes * exchange.setting().factor_size();
  for (size_t t = 0; t < terms.size(); ++t) {
    const Result<mp::Factor> factor =
        mp::read_factor(exchange.setting(), n_primes, encryptions.subspan(t * size, size));
    if (!factor) {
      return BfvExchange::reject(party, other, factor.error());
    }
    sums.add(factor.value(), std::span<const Word>(terms[t]));
  }
}

/// Sends the sums, masked; the mask comes off `shares`.
template <class Word>
void send_masked(Party& party, Rank other, mp::ProductSums<Word>& sums, std::vector<Word>& shares) {
  std::vector<Word> mask(shares.size());
  const Result<Bytes> bytes = sums.hide(std::span<Word>(mask), party.random());
  TACET_CHECK(bytes.has_value(), "own sums could not be hidden");
  party.send(other, bytes.value());
  for (size_t i = 0; i < shares.size(); ++i) {
    shares[i] -= mask[i];
  }
}

/// Opens what came for a batch and adds it to `shares`.
template <class Word>
void add_opened(Party& party, const BfvExchange& exchange, size_t batch, size_t n_primes,
                const Incoming& replies, std::vector<Word>& shares) {
  std::vector<Word> opened(shares.size());
  for (const Rank other : peers(party, batch, true)) {
    const Status status = mp::open(exchange.keys(), n_primes, replies.from[other],
                                   std::span<Word>(opened), party.random());
    if (!status) {
      return BfvExchange::reject(party, other, status.error());
    }
    for (size_t i = 0; i < shares.size(); ++i) {
      shares[i] += opened[i];
    }
  }
}

/// A batch in progress.
template <class Word>
struct Underway {
  size_t number = 0;
  ProductBatch<Word> batch;
  Incoming encryptions, replies;
};

}  // namespace

void Incoming::expect(Rank other, size_t n_bytes, std::vector<Receipt>& receipts) {
  from.resize(std::max<size_t>(from.size(), other + 1));
  from[other].resize(n_bytes);
  receipts.push_back({.from = other, .into = from[other]});
}

auto BfvExchange::start(Party& party) -> Task<> {
  Result<mp::SettingRef> setting = mp::Setting::make(best_isa());
  TACET_CHECK(setting.has_value(), "the parameters of products are no good");
  setting_ = std::move(setting).value();
  Result<mp::Keys> keys = mp::Keys::generate(setting_, party.random());
  TACET_CHECK(keys.has_value(), "keys of products could not be made");
  keys_.emplace(std::move(keys).value());
  const Bytes own = keys_->public_bytes();
  Incoming incoming;
  std::vector<Receipt> receipts;
  for (Rank other = 0; other < party.n_parties(); ++other) {
    if (other != party.rank()) {
      party.send(other, own);
      incoming.from.resize(party.n_parties());
      incoming.expect(other, own.size(), receipts);
    }
  }
  co_await party.receive(std::move(receipts));
  public_keys_.resize(party.n_parties());
  for (Rank other = 0; other < party.n_parties(); ++other) {
    if (other != party.rank()) {
      Result<mp::PublicKeys> theirs = mp::PublicKeys::read(setting_, incoming.from[other]);
      if (!theirs) {
        reject(party, other, theirs.error());
        co_await party.next_round();
      }
      public_keys_[other].emplace(std::move(theirs).value());
    }
  }
  co_return kDone;
}

void BfvExchange::count_replies(Party& party, size_t n_replies) {
  n_replies_ += n_replies;
  if (n_replies_ * party.n_parties() > mp::Slack::kMaxReplies) {
    party.links().abort(
        "the run needs more products than can be hidden with total statistical distance 2^-40; "
        "split it into several runs, or use a dealer for correlations");
  }
}

void BfvExchange::reject(Party& party, Rank other, const Error& error) {
  party.links().abort(
      fmt::format("invalid data from {}: {}", party.links().name(other), error.message));
}

template <class Word>
auto run_batches(Party& party, BfvExchange& exchange, size_t n_batches, BatchShape shape,
                 BatchSource<Word>& source) -> Task<> {
  const size_t n_steps = (n_batches + kTogether - 1) / kTogether;
  const size_t encryption_size = shape.n_terms * shape.n_primes * exchange.setting().factor_size();
  const size_t reply_size = shape.n_primes * exchange.setting().reply_size();
  std::vector<Underway<Word>> before;
  for (size_t step = 0; step <= n_steps; ++step) {
    std::vector<Underway<Word>> now;
    std::vector<Receipt> receipts;
    for (size_t number = step * kTogether; number < std::min(n_batches, (step + 1) * kTogether);
         ++number) {
      now.push_back({.number = number, .batch = source.make(), .encryptions = {}, .replies = {}});
      send_encryptions(party, exchange, number, shape.n_primes, now.back().batch.to_encrypt);
      for (const Rank other : peers(party, number, false)) {
        now.back().encryptions.from.resize(party.n_parties());
        now.back().encryptions.expect(other, encryption_size, receipts);
      }
    }
    for (Underway<Word>& old : before) {
      for (const Rank other : peers(party, old.number, false)) {
        mp::ProductSums<Word> sums(exchange.public_keys(other), shape.n_primes, mp::Packing::Slots);
        exchange.count_replies(party, shape.n_primes);
        add_products(party, exchange, shape.n_primes, other, old.encryptions.from[other],
                     old.batch.to_multiply, sums);
        send_masked(party, other, sums, old.batch.shares);
      }
      for (const Rank other : peers(party, old.number, true)) {
        old.replies.from.resize(party.n_parties());
        old.replies.expect(other, reply_size, receipts);
      }
    }
    co_await party.receive(std::move(receipts));
    for (Underway<Word>& old : before) {
      add_opened(party, exchange, old.number, shape.n_primes, old.replies, old.batch.shares);
      source.take(std::move(old.batch));
    }
    before = std::move(now);
  }
  co_return kDone;
}

template auto run_batches(Party&, BfvExchange&, size_t, BatchShape, BatchSource<uint64_t>&)
    -> Task<>;
template auto run_batches(Party&, BfvExchange&, size_t, BatchShape, BatchSource<Word128>&)
    -> Task<>;

}  // namespace tacet::mpc
