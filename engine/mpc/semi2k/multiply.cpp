// Products by triples: with d = x - a and e = y - b opened, x y = c + d b + e a + d e.

#include <algorithm>

#include "engine/mpc/semi2k/beaver_loops.h"
#include "engine/mpc/semi2k/semi2k_state.h"

namespace tacet::mpc {
namespace {

/// Where pieces of at most `chunk` of `size` elements end.
auto piece_ends(size_t size, size_t chunk) -> std::vector<size_t> {
  std::vector<size_t> ends;
  for (size_t begin = 0; begin < size; begin += std::min(chunk, size - begin)) {
    ends.push_back(begin + std::min(chunk, size - begin));
  }
  return ends;
}

/// The own words from `begin` bytes on.
template <class T>
auto own_words(Exchange& exchange, size_t begin, size_t n) -> std::span<T> {
  return {reinterpret_cast<T*>(exchange.own(begin, n * sizeof(T)).data()), n};
}

/// Writes x - a into the own words.
void subtract_into(Exchange& exchange, size_t begin, const RingArray& x, size_t first,
                   const RingArray& a) {
  with_word(x.ring(), [&]<class T>(std::type_identity<T>) {
    const auto words = x.words<T>().subspan(first, a.size());
    subtract_words(own_words<T>(exchange, begin, a.size()), words, a.words<T>());
  });
}

/// Everybody's words as an array.
auto opened(Exchange& exchange, size_t begin, Ring ring, size_t n, const Memory& memory)
    -> RingArray {
  RingArray sum(ring, n, memory);
  with_word(ring,
            [&]<class T>(std::type_identity<T>) { sum_words(exchange, begin, sum.edit<T>()); });
  return sum;
}

}  // namespace

auto semi2k_multiply(Party& party, Semi2kState& state, Share x, Share y) -> Task<Share> {
  const Ring ring = x.ring();
  const size_t n = x.size();
  const size_t word = n_bytes(ring);
  TACET_CHECK(y.ring() == ring && y.size() == n, "factors of different shapes");
  // A piece's d and then its e, piece by piece: sent while the next one is made.
  const std::vector<size_t> ends = piece_ends(n, state.correlations->chunk());
  Exchange exchange(party, 2 * n * word);
  std::vector<Triples> triples;
  size_t begin = 0;
  for (const size_t end : ends) {
    Triples piece = co_await state.correlations->triples(party, ring, end - begin);
    const size_t size = (end - begin) * word;
    subtract_into(exchange, 2 * begin * word, x.parts[0], begin, piece.a);
    subtract_into(exchange, 2 * begin * word + size, y.parts[0], begin, piece.b);
    exchange.send(2 * begin * word, 2 * size);
    triples.push_back(std::move(piece));
    begin = end;
  }
  co_await exchange.receive();
  RingArray product(ring, n, party.memory());
  begin = 0;
  for (size_t i = 0; i < ends.size(); ++i) {
    const size_t size = ends[i] - begin;
    const RingArray d = opened(exchange, 2 * begin * word, ring, size, party.memory());
    const RingArray e = opened(exchange, (2 * begin + size) * word, ring, size, party.memory());
    with_word(ring, [&]<class T>(std::type_identity<T>) {
      finish_products(product.edit<T>().subspan(begin, size), triples[i].a.words<T>(),
                      triples[i].b.words<T>(), triples[i].c.words<T>(), d.words<T>(), e.words<T>(),
                      party.rank() == 0);
    });
    begin = ends[i];
  }
  co_return Share(std::move(product));
}

auto semi2k_square(Party& party, Semi2kState& state, Share x) -> Task<Share> {
  const Ring ring = x.ring();
  const size_t n = x.size();
  const size_t word = n_bytes(ring);
  const std::vector<size_t> ends = piece_ends(n, state.correlations->chunk());
  Exchange exchange(party, n * word);
  std::vector<Triples> squares;
  size_t begin = 0;
  for (const size_t end : ends) {
    Triples piece = co_await state.correlations->squares(party, ring, end - begin);
    subtract_into(exchange, begin * word, x.parts[0], begin, piece.a);
    exchange.send(begin * word, (end - begin) * word);
    squares.push_back(std::move(piece));
    begin = end;
  }
  co_await exchange.receive();
  RingArray square(ring, n, party.memory());
  begin = 0;
  for (size_t i = 0; i < ends.size(); ++i) {
    const size_t size = ends[i] - begin;
    const RingArray d = opened(exchange, begin * word, ring, size, party.memory());
    with_word(ring, [&]<class T>(std::type_identity<T>) {
      finish_squares(square.edit<T>().subspan(begin, size), squares[i].a.words<T>(),
                     squares[i].c.words<T>(), d.words<T>(), party.rank() == 0);
    });
    begin = ends[i];
  }
  co_return Share(std::move(square));
}

auto semi2k_multiply_matrices(Party& party, Semi2kState& state, Share x, Share y, MatrixShape shape)
    -> Task<Share> {
  const Ring ring = x.ring();
  const size_t word = n_bytes(ring);
  const Triples triple = co_await state.correlations->matrix_triple(party, ring, shape);
  Exchange exchange(party, (x.size() + y.size()) * word);
  subtract_into(exchange, 0, x.parts[0], 0, triple.a);
  exchange.send(0, x.size() * word);
  subtract_into(exchange, x.size() * word, y.parts[0], 0, triple.b);
  exchange.send(x.size() * word, y.size() * word);
  co_await exchange.receive();
  const RingArray d = opened(exchange, 0, ring, x.size(), party.memory());
  const RingArray e = opened(exchange, x.size() * word, ring, y.size(), party.memory());
  // D B + A E, and D E at one party.
  const RingArray right = party.rank() == 0 ? add(triple.b, e) : triple.b;
  const RingArray sum =
      add(multiply_matrices(d, right, shape), multiply_matrices(triple.a, e, shape));
  co_return Share(add(triple.c, sum));
}

auto semi2k_conjunction(Party& party, Semi2kState& state, Bits x, Bits y) -> Task<Bits> {
  const unsigned width = x.width();
  const size_t n = x.size();
  const size_t n_words = x.parts[0].words().size();
  TACET_CHECK(y.width() == width && y.size() == n, "bits of different shapes");
  const Triples triple = co_await state.correlations->bit_triples(party, n_words);
  const std::span<const uint64_t> masks[] = {triple.a.words<uint64_t>(),
                                             triple.b.words<uint64_t>()};
  const size_t n_packed = BitPlanes::packed_size(width, n);
  Exchange exchange(party, 2 * n_packed);
  for (size_t factor = 0; factor < 2; ++factor) {
    BitPlanes masked = factor == 0 ? x.parts[0] : y.parts[0];
    const std::span<uint64_t> words = masked.edit();
    for (size_t i = 0; i < n_words; ++i) {
      words[i] ^= masks[factor][i];
    }
    pack(masked, exchange.own(factor * n_packed, n_packed));
  }
  exchange.send(0, 2 * n_packed);
  co_await exchange.receive();
  const BitPlanes d = sum_bits(exchange, 0, width, n, party.memory());
  const BitPlanes e = sum_bits(exchange, n_packed, width, n, party.memory());
  BitPlanes product(width, n, party.memory());
  finish_conjunctions(product.edit(), masks[0], masks[1], triple.c.words<uint64_t>(), d.words(),
                      e.words(), party.rank() == 0);
  co_return Bits(std::move(product));
}

auto semi2k_cross_conjunction(Party& party, Semi2kState& state, BitPlanes own) -> Task<Bits> {
  const unsigned width = own.width();
  const size_t n = own.size();
  const size_t n_words = own.words().size();
  const CrossProducts random = co_await state.correlations->cross_products(party, n_words);
  const std::span<const uint64_t> mask = random.own.words<uint64_t>();
  const std::span<const uint64_t> product = random.product.words<uint64_t>();
  BitPlanes masked = own;
  const std::span<uint64_t> masked_words = masked.edit();
  for (size_t i = 0; i < n_words; ++i) {
    masked_words[i] ^= mask[i];
  }
  const size_t n_packed = BitPlanes::packed_size(width, n);
  Exchange exchange(party, n_packed);
  pack(masked, exchange.own(0, n_packed));
  exchange.send(0, n_packed);
  co_await exchange.receive();
  const BitPlanes theirs =
      unpack(exchange.theirs()[0].bytes().first(n_packed), width, n, party.memory());
  // With x = a ^ d and y = b ^ e: x y = a b ^ d b ^ e x.
  const std::span<const uint64_t> factor = party.rank() == 0 ? own.words() : mask;
  BitPlanes result(width, n, party.memory());
  const std::span<uint64_t> out = result.edit();
  for (size_t i = 0; i < n_words; ++i) {
    out[i] = product[i] ^ (theirs.words()[i] & factor[i]);
  }
  co_return Bits(std::move(result));
}

auto semi2k_bits_to_numbers(Party& party, Semi2kState& state, BitPlanes bits, Ring ring)
    -> Task<RingArray> {
  const size_t n = bits.size();
  const RandomBits random = co_await state.correlations->random_bits(party, ring, n);
  Exchange exchange(party, BitPlanes::packed_size(1, n));
  pack(exclusive_or(bits, random.bits), exchange.own(0, BitPlanes::packed_size(1, n)));
  exchange.send(0, BitPlanes::packed_size(1, n));
  co_await exchange.receive();
  // v ^ r = v + (1 - 2 v) r for a public v.
  const RingArray v = from_planes(sum_bits(exchange, 0, 1, n, party.memory()), ring);
  const RingArray signs = add_constant(scale(v, ~Word128{1}), 1);
  const RingArray product = multiply(signs, random.numbers);
  co_return party.rank() == 0 ? add(product, v) : product;
}

}  // namespace tacet::mpc
