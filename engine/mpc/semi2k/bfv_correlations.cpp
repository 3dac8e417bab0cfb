// Correlations that the parties make themselves. The product of sums of all parties' numbers is
// the sum of each party's own products, and of the products of each pair's, for which
// `BfvExchange` is.

#include <algorithm>
#include <deque>

#include "base/cpu.h"
#include "engine/mpc/semi2k/beaver_loops.h"
#include "engine/mpc/semi2k/bfv_exchange.h"
#include "engine/mpc/semi2k/bfv_matrices.h"
#include "engine/mpc/semi2k/correlations.h"
#include "engine/mpc/semi2k/pair_seeds.h"
#include "engine/mpc/uniform.h"

namespace tacet::mpc {
namespace {

enum class Kind : uint8_t { Triples, Squares, BitTriples, CrossProducts, RandomBits };
constexpr size_t kKinds = 5;

/// Whether pieces are words of 64 bits.
auto is_packed(Kind kind) -> bool {
  return kind == Kind::BitTriples || kind == Kind::CrossProducts;
}

/// Numbers of a batch.
constexpr size_t kSlots = 8192;

/// What was made, or is being made, and not yet requested.
struct Segment {
  size_t begin = 0;
  size_t n = 0;
  size_t n_used = 0;
  Triples pieces;
  bool is_done = false;
};

/// Pieces of one kind and ring by their number, from 0.
struct Stock {
  size_t n_claimed = 0;
  size_t n_made = 0;  ///< or being made
  std::deque<std::shared_ptr<Segment>> segments;

  [[nodiscard]] auto has(size_t begin, size_t n) const -> bool {
    return std::all_of(segments.begin(), segments.end(), [&](const auto& segment) {
      return segment->is_done || segment->begin + segment->n <= begin ||
             begin + n <= segment->begin;
    });
  }
};

/// The elements of `segments` from `begin` to `begin + n`, of one of the arrays.
auto cut(const Stock& stock, size_t begin, size_t n, RingArray Triples::*array) -> RingArray {
  std::vector<RingArray> parts;
  for (const auto& segment : stock.segments) {
    const size_t first = std::max(begin, segment->begin);
    const size_t last = std::min(begin + n, segment->begin + segment->n);
    const RingArray& all = segment->pieces.*array;
    if (first < last && all.size() > 0) {
      const bool is_whole = first == segment->begin && last == segment->begin + segment->n;
      parts.push_back(is_whole ? all : slice(all, first - segment->begin, last - first));
    }
  }
  return parts.empty() ? RingArray() : parts.size() == 1 ? parts[0] : concatenate(parts);
}

/// Makes triples, squares, or products of bits, batch by batch, into the arrays of a segment.
template <class Word>
class PieceSource final : public BatchSource<Word> {
 public:
  PieceSource(Party& party, Kind kind, Ring ring, Segment& segment)
      : random_(party.random()), kind_(kind), ring_(ring), pieces_(segment.pieces) {
    const Memory& memory = party.memory();
    pieces_.a = RingArray(ring, segment.n, memory);
    if (kind == Kind::Triples || kind == Kind::BitTriples) {
      pieces_.b = RingArray(ring, segment.n, memory);
    }
    pieces_.c = RingArray(ring, segment.n, memory);
  }

  auto make() -> ProductBatch<Word> override {
    const std::vector<Word> a = draw(pieces_.a);
    std::vector<Word> b;
    if (pieces_.b.size() > 0) {
      b = draw(pieces_.b);
    }
    n_drawn_ += n_words();
    ProductBatch<Word> batch;
    batch.shares.resize(kSlots);
    switch (kind_) {
      case Kind::Triples:
      case Kind::BitTriples:
        for (size_t i = 0; i < kSlots; ++i) {
          batch.shares[i] = a[i] * b[i];
        }
        batch.to_encrypt = {a, b};
        batch.to_multiply = {b, a};
        break;
      case Kind::Squares:
      case Kind::CrossProducts:
      case Kind::RandomBits:
        batch.to_encrypt = {a};
        batch.to_multiply = {a};
        break;
    }
    return batch;
  }

  void take(ProductBatch<Word> batch) override {
    if (is_packed(kind_)) {
      std::span<uint64_t> c = pieces_.c.edit<uint64_t>();
      for (size_t i = 0; i < kSlots; i += 64) {
        uint64_t word = 0;
        for (size_t k = 0; k < 64; ++k) {
          word |= static_cast<uint64_t>(batch.shares[i + k] & 1) << k;
        }
        c[n_taken_ + i / 64] = word;
      }
    } else {
      with_word(ring_, [&]<class T>(std::type_identity<T>) {
        const std::span<T> c = pieces_.c.edit<T>();
        for (size_t i = 0; i < kSlots; ++i) {
          c[n_taken_ + i] = static_cast<T>(batch.shares[i]);
        }
      });
    }
    n_taken_ += n_words();
  }

 private:
  /// Words of the arrays that a batch fills.
  [[nodiscard]] auto n_words() const -> size_t { return is_packed(kind_) ? kSlots / 64 : kSlots; }

  /// Random words into the next part of `array`; as the numbers of a batch.
  auto draw(RingArray& array) -> std::vector<Word> {
    std::vector<Word> numbers(kSlots);
    with_word(ring_, [&]<class T>(std::type_identity<T>) {
      const std::span<T> words = array.edit<T>().subspan(n_drawn_, n_words());
      random_.fill(std::as_writable_bytes(words));
      for (size_t i = 0; i < kSlots; ++i) {
        if (is_packed(kind_)) {
          numbers[i] = static_cast<Word>(words[i / 64] >> (i % 64) & 1);
        } else if (kind_ == Kind::RandomBits) {
          words[i] &= 1;
          numbers[i] = static_cast<Word>(words[i]);
        } else {
          numbers[i] = static_cast<Word>(words[i]);
        }
      }
    });
    return numbers;
  }

  secure_random::SecureRandom& random_;
  Kind kind_;
  Ring ring_;
  Triples& pieces_;
  size_t n_drawn_ = 0;
  size_t n_taken_ = 0;
};

class BfvCorrelations final : public Correlations {
 public:
  auto name() const -> std::string_view override { return "bfv"; }
  auto chunk() const -> size_t override { return ~size_t{0}; }
  auto log_slack(const Party& party) const -> std::optional<double> override {
    return exchange_.log_slack(party);
  }

  auto start(Party& party) -> Task<> override {
    const Party::Scope scope = party.scope("correlations");
    co_await seeds_.start(party);
    co_await exchange_.start(party);
    co_return kDone;
  }

  auto triples(Party& party, Ring ring, size_t n) -> Task<Triples> override {
    return take(party, Kind::Triples, ring, n);
  }
  auto squares(Party& party, Ring ring, size_t n) -> Task<Triples> override {
    return take(party, Kind::Squares, ring, n);
  }
  auto bit_triples(Party& party, size_t n_words) -> Task<Triples> override {
    return take(party, Kind::BitTriples, Ring::Z64, n_words);
  }

  auto cross_products(Party& party, size_t n_words) -> Task<CrossProducts> override {
    Triples pieces = co_await take(party, Kind::CrossProducts, Ring::Z64, n_words);
    co_return CrossProducts{.own = std::move(pieces.a), .product = std::move(pieces.c)};
  }

  auto random_bits(Party& party, Ring ring, size_t n) -> Task<RandomBits> override {
    Triples pieces = co_await take(party, Kind::RandomBits, ring, n);
    co_return RandomBits{.bits = to_planes(pieces.a, 1), .numbers = std::move(pieces.c)};
  }

  auto matrix_triple(Party& party, Ring ring, MatrixShape shape) -> Task<Triples> override {
    const Party::Scope scope = party.scope("correlations");
    Triples triple{.a = RingArray(ring, shape.rows * shape.inner, party.memory()),
                   .b = RingArray(ring, shape.inner * shape.columns, party.memory()),
                   .c = {}};
    party.random().fill(triple.a.edit_bytes());
    party.random().fill(triple.b.edit_bytes());
    triple.c = multiply_matrices(triple.a, triple.b, shape);
    co_await add_matrix_products(party, exchange_, shape, triple);
    co_return triple;
  }

  auto has_permutations() const -> bool override { return false; }
  auto draw_permutation(Party& party, size_t n, uint64_t* number)
      -> std::vector<uint32_t> override {
    *number = 0;
    return uniform_permutation(party.random(), n);
  }
  auto permuted_masks(Party& /*party*/, Rank /*owner*/, uint64_t /*number*/,
                      Direction /*direction*/, Ring /*ring*/, size_t /*n*/)
      -> PermutedMasks override {
    TACET_CHECK(false, "these correlations have no permutations");
    return {};
  }

 private:
  /// The next `n` pieces. Who finds too few begins to make more, at least a batch; who asks
  /// meanwhile waits for them, round by round, so that all parties wait equally often.
  auto take(Party& party, Kind kind, Ring ring, size_t n) -> Task<Triples> {
    const Party::Scope scope = party.scope("correlations");
    Stock& stock = stocks_[static_cast<size_t>(kind)][static_cast<size_t>(ring)];
    const size_t begin = stock.n_claimed;
    stock.n_claimed += n;
    if (stock.n_made < stock.n_claimed) {
      const size_t unit = is_packed(kind) ? kSlots / 64 : kSlots;
      auto segment = std::make_shared<Segment>();
      segment->begin = stock.n_made;
      segment->n = (stock.n_claimed - stock.n_made + unit - 1) / unit * unit;
      stock.n_made += segment->n;
      stock.segments.push_back(segment);
      if (ring == Ring::Z128) {
        co_await make<Word128>(party, kind, ring, *segment);
      } else {
        co_await make<uint64_t>(party, kind, ring, *segment);
      }
      segment->is_done = true;
    }
    while (!stock.has(begin, n)) {
      co_await party.next_round();
    }
    Triples result{.a = cut(stock, begin, n, &Triples::a),
                   .b = cut(stock, begin, n, &Triples::b),
                   .c = cut(stock, begin, n, &Triples::c)};
    forget_used(stock, begin, n);
    co_return result;
  }

  /// Of a segment all of whose pieces were taken nothing is kept.
  static void forget_used(Stock& stock, size_t begin, size_t n) {
    for (const auto& segment : stock.segments) {
      const size_t first = std::max(begin, segment->begin);
      const size_t last = std::min(begin + n, segment->begin + segment->n);
      segment->n_used += first < last ? last - first : 0;
    }
    std::erase_if(stock.segments,
                  [](const auto& segment) { return segment->n_used == segment->n; });
  }

  template <class Word>
  auto make(Party& party, Kind kind, Ring ring, Segment& segment) -> Task<> {
    if (kind == Kind::RandomBits && party.n_parties() > 2) {
      co_await combine_bits(party, ring, segment);
      co_return kDone;
    }
    const bool is_bits = is_packed(kind) || kind == Kind::RandomBits;
    const bool has_b = kind == Kind::Triples || kind == Kind::BitTriples;
    const size_t per_batch = is_packed(kind) ? kSlots / 64 : kSlots;
    const BatchShape shape{.n_primes = mp::Setting::primes_for(is_bits ? 1 : n_bits(ring), 2),
                           .n_terms = has_b ? 2U : 1U};
    PieceSource<Word> source(party, kind, ring, segment);
    co_await run_batches(party, exchange_, segment.n / per_batch, shape, source);
    Triples& pieces = segment.pieces;
    if (kind == Kind::Squares) {
      // (a + b)^2 is a^2 + b^2 + 2 a b.
      pieces.c = multiply_add(pieces.a, pieces.a, scale(pieces.c, 2));
    } else if (kind == Kind::RandomBits) {
      // a ^ b is a + b - 2 a b. Masks of products of bits are short: zeros make the shares uniform.
      pieces.c = subtract(pieces.a, scale(pieces.c, 2));
      seeds_.add_zero(party, pieces.c);
    }
    co_return kDone;
  }

  /// Random bits of more than two parties: the exclusive or of everybody's own bit, two and two,
  /// x ^ y = x + y - 2 x y.
  auto combine_bits(Party& party, Ring ring, Segment& segment) -> Task<> {
    std::vector<Share> numbers;
    for (Rank owner = 0; owner < party.n_parties(); ++owner) {
      numbers.emplace_back(RingArray::zeros(ring, segment.n, party.memory()));
    }
    RingArray own(ring, segment.n, party.memory());
    party.random().fill(own.edit_bytes());
    own = low_bits(own, 1);
    numbers[party.rank()] = Share(own);
    while (numbers.size() > 1) {
      std::vector<Share> left;
      std::vector<Share> right;
      for (size_t i = 0; i + 1 < numbers.size(); i += 2) {
        left.push_back(numbers[i]);
        right.push_back(numbers[i + 1]);
      }
      Share x = concatenate(left);
      Share y = concatenate(right);
      Share product = co_await multiply(party, x, y);
      Share combined = subtract(add(x, y), scale(product, 2));
      std::vector<Share> next;
      for (size_t i = 0; i < left.size(); ++i) {
        next.push_back(slice(combined, i * segment.n, segment.n));
      }
      if (numbers.size() % 2 == 1) {
        next.push_back(numbers.back());
      }
      numbers = std::move(next);
    }
    segment.pieces = {.a = std::move(own), .b = {}, .c = std::move(numbers[0].parts[0])};
    co_return kDone;
  }

  BfvExchange exchange_;
  PairSeeds seeds_;
  Stock stocks_[kKinds][3];
};

}  // namespace

auto make_bfv_correlations() -> std::unique_ptr<Correlations> {
  return std::make_unique<BfvCorrelations>();
}

}  // namespace tacet::mpc
