// The parties' side of a dealer.

#include <algorithm>
#include <optional>

#include "base/cpu.h"
#include "base/wipe.h"
#include "engine/mpc/semi2k/correlations.h"
#include "engine/mpc/semi2k/dealer_request.h"
#include "engine/mpc/uniform.h"

namespace tacet::mpc {
namespace {

using secure_random::SeedExpander;
using Kind = DealerRequest::Kind;

/// The links of the parties alone.
class PartyLinks final : public net::Links {
 public:
  explicit PartyLinks(net::Links& all) : all_(all) {}

  auto rank() const -> Rank override { return all_.rank(); }
  auto n_parties() const -> Rank override { return all_.n_parties() - 1; }
  auto name(Rank party) const -> std::string override { return all_.name(party); }
  void send(Rank to, std::span<const std::byte> bytes) override { all_.send(to, bytes); }
  auto flush() -> net::LinkStatus override { return all_.flush(); }
  auto receive(Rank from, std::span<std::byte> into) -> net::LinkStatus override {
    return all_.receive(from, into);
  }
  auto finish() -> net::LinkStatus override {
    dismiss_dealer(all_);
    return all_.finish();
  }
  void abort(std::string reason) override { all_.abort(std::move(reason)); }
  auto counters(Rank peer) const -> net::LinkCounters override { return all_.counters(peer); }

 private:
  net::Links& all_;
};

/// Small requests are answered from what is left of one of this many elements.
constexpr size_t kStock = 4096;

/// What is left of an earlier request.
struct Stock {
  Triples triples;
  size_t n_used = 0;
};

class DealerCorrelations final : public Correlations {
 public:
  explicit DealerCorrelations(net::Links& all)
      : all_(all), dealer_(all.n_parties() - 1), is_last_(all.rank() + 1 == dealer_) {}

  auto name() const -> std::string_view override { return "dealer"; }
  auto chunk() const -> size_t override { return size_t{1} << 14; }

  auto start(Party& party) -> Task<> override {
    memory_ = party.memory();
    secure_random::PublicSeed seed;
    const ScopedWipe wiped(seed);
    receive(std::as_writable_bytes(std::span(seed.bytes)));
    for (std::optional<SeedExpander>& stream : streams_) {
      stream.emplace(seed, 0, best_isa());
    }
    co_return kDone;
  }

  auto triples(Party& /*party*/, Ring ring, size_t n) -> Task<Triples> override {
    co_return from_stock(Kind::Triples, ring, n);
  }
  auto squares(Party& /*party*/, Ring ring, size_t n) -> Task<Triples> override {
    co_return from_stock(Kind::Squares, ring, n);
  }
  auto bit_triples(Party& /*party*/, size_t n_words) -> Task<Triples> override {
    co_return from_stock(Kind::BitTriples, Ring::Z64, n_words);
  }

  auto cross_products(Party& /*party*/, size_t n_words) -> Task<CrossProducts> override {
    Triples words = from_stock(Kind::CrossProducts, Ring::Z64, n_words);
    co_return CrossProducts{.own = std::move(words.a), .product = std::move(words.c)};
  }

  auto random_bits(Party& /*party*/, Ring ring, size_t n) -> Task<RandomBits> override {
    request({.kind = Kind::RandomBits, .ring = ring, .n = n});
    RandomBits result{.bits = BitPlanes(1, n, memory_), .numbers = RingArray(ring, n, memory_)};
    streams_[0]->fill(std::as_writable_bytes(result.bits.edit()));
    fill_last(1, result.numbers);
    co_return result;
  }

  auto matrix_triple(Party& /*party*/, Ring ring, MatrixShape shape) -> Task<Triples> override {
    request({.kind = Kind::Matrix, .ring = ring, .shape = shape});
    Triples result{.a = RingArray(ring, shape.rows * shape.inner, memory_),
                   .b = RingArray(ring, shape.inner * shape.columns, memory_),
                   .c = RingArray(ring, shape.rows * shape.columns, memory_)};
    streams_[0]->fill(result.a.edit_bytes());
    streams_[1]->fill(result.b.edit_bytes());
    fill_last(2, result.c);
    co_return result;
  }

  auto has_permutations() const -> bool override { return true; }

  auto draw_permutation(Party& /*party*/, size_t n, uint64_t* number)
      -> std::vector<uint32_t> override {
    // The dealer needs no request: each use states the number.
    *number = n_drawn_++ | kDrawn;
    streams_[0]->restart(dealer_stream(*number, 0));
    return uniform_permutation(*streams_[0], n);
  }

  auto permuted_masks(Party& party, Rank owner, uint64_t number, Direction direction, Ring ring,
                      size_t n) -> PermutedMasks override {
    request({.kind = Kind::Permute,
             .ring = ring,
             .direction = direction,
             .owner = owner,
             .n = n,
             .permutation = number});
    PermutedMasks masks;
    if (party.rank() == owner) {
      masks.shift = RingArray(ring, n, memory_);
      receive(masks.shift.edit_bytes());
    } else {
      masks.before = RingArray(ring, n, memory_);
      masks.after = RingArray(ring, n, memory_);
      streams_[0]->fill(masks.before.edit_bytes());
      streams_[1]->fill(masks.after.edit_bytes());
    }
    return masks;
  }

 private:
  /// Numbers of permutations are not those of requests.
  static constexpr uint64_t kDrawn = uint64_t{1} << 60;

  /// Party 0 asks; everybody goes to the streams of the answer.
  void request(const DealerRequest& wanted) {
    if (all_.rank() == 0) {
      all_.send(dealer_, wanted.to_bytes());
      // A failure is reported by the next round.
      static_cast<void>(all_.flush());
    }
    for (unsigned part = 0; part < streams_.size(); ++part) {
      streams_[part]->restart(dealer_stream(n_requests_, part));
    }
    ++n_requests_;
  }

  /// From the dealer, at once: no round of the parties. A failure is reported by the next round;
  /// until then numbers are wrong, and what is sent is hidden by masks from streams as always.
  void receive(std::span<std::byte> bytes) { static_cast<void>(all_.receive(dealer_, bytes)); }

  void fill_last(unsigned part, RingArray& numbers) {
    if (is_last_) {
      receive(numbers.edit_bytes());
    } else {
      streams_[part]->fill(numbers.edit_bytes());
    }
  }

  static auto has_second(Kind kind) -> bool {
    return kind == Kind::Triples || kind == Kind::BitTriples;
  }

  auto fetch(Kind kind, Ring ring, size_t n) -> Triples {
    request({.kind = kind, .ring = ring, .n = n});
    Triples result{.a = RingArray(ring, n, memory_), .b = {}, .c = RingArray(ring, n, memory_)};
    streams_[0]->fill(result.a.edit_bytes());
    if (has_second(kind)) {
      result.b = RingArray(ring, n, memory_);
      streams_[1]->fill(result.b.edit_bytes());
    }
    fill_last(2, result.c);
    return result;
  }

  auto from_stock(Kind kind, Ring ring, size_t n) -> Triples {
    if (n >= kStock) {
      return fetch(kind, ring, n);
    }
    Stock& stock = stocks_[static_cast<size_t>(kind)][static_cast<size_t>(ring)];
    if (stock.triples.c.size() < stock.n_used + n) {
      stock = {.triples = fetch(kind, ring, kStock), .n_used = 0};
    }
    const size_t begin = stock.n_used;
    stock.n_used += n;
    Triples result{
        .a = slice(stock.triples.a, begin, n), .b = {}, .c = slice(stock.triples.c, begin, n)};
    if (has_second(kind)) {
      result.b = slice(stock.triples.b, begin, n);
    }
    return result;
  }

  net::Links& all_;
  Rank dealer_;
  bool is_last_;
  Memory memory_;
  std::array<std::optional<SeedExpander>, 3> streams_;
  uint64_t n_requests_ = 1;
  uint64_t n_drawn_ = 0;
  Stock stocks_[static_cast<size_t>(Kind::Permute) + 1][3];
};

}  // namespace

auto make_dealer_correlations(net::Links& all) -> std::unique_ptr<Correlations> {
  return std::make_unique<DealerCorrelations>(all);
}

void dismiss_dealer(net::Links& all) {
  if (all.rank() == 0) {
    all.send(all.n_parties() - 1, DealerRequest{}.to_bytes());
  }
}

auto make_party_links(net::Links& all) -> std::unique_ptr<net::Links> {
  return std::make_unique<PartyLinks>(all);
}

}  // namespace tacet::mpc
