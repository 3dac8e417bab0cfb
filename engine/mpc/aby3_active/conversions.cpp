#include <array>
#include <vector>

#include "engine/mpc/aby3_active/active_protocol.h"

namespace tacet::mpc {

// The parts are numbers that two parties know. No messages.
auto Aby3Active::summands(Party& party, Share x, unsigned width) -> Task<std::vector<Bits>> {
  std::vector<Bits> terms(kActiveParties);
  for (Rank part = 0; part < kActiveParties; ++part) {
    const std::optional<size_t> own = own_part(party, part);
    terms[part] = own ? from_part(party, part, to_planes(x.parts[*own], width))
                      : zero_bits(2, width, x.size(), party.memory());
  }
  co_return terms;
}

namespace {

/// The planes as words, one behind the other.
auto words_of_planes(const BitPlanes& planes, Ring ring) -> RingArray {
  std::vector<RingArray> words;
  for (unsigned p = 0; p < planes.width(); ++p) {
    words.push_back(from_planes(plane_range(planes, p, 1), ring));
  }
  return concatenate(words);
}

/// Element i of the result is row by row what column by column is in `x`, of `rows` rows.
auto transposed(const Share& x, size_t rows) -> Share {
  const size_t columns = x.size() / rows;
  std::vector<uint32_t> indices(x.size());
  for (size_t i = 0; i < columns; ++i) {
    for (size_t p = 0; p < rows; ++p) {
      indices[i * rows + p] = static_cast<uint32_t>(p * columns + i);
    }
  }
  return gather(x, indices);
}

}  // namespace

// A bit is c ^ d with a c of the leader's, which is the exclusive or of both its parts, and a d of
// both others': c + d - 2 c d as a number. The leader shares c, which is wrong by nothing but an
// error that it knows, and so is the claim c = c0 + c1 - 2 c0 c1 of the numbers c0 and c1 that its
// parts are. The products c d of all planes are one dot product.
auto Aby3Active::weighed_bits(Party& party, Bits x, std::vector<Word128> factors, Ring ring)
    -> Task<Share> {
  const Rank leader = next_leader_;
  next_leader_ = (next_leader_ + 1) % kActiveParties;
  const size_t n = x.size();
  const size_t n_bits = n * x.width();
  std::array<Share, 3> numbers;  // of parts, counted from the leader's first one
  for (Rank i = 0; i < kActiveParties; ++i) {
    const Rank part = (leader + i) % kActiveParties;
    const std::optional<size_t> own = own_part(party, part);
    numbers[i] = own ? from_part(party, part, words_of_planes(x.parts[*own], ring))
                     : zero_share(2, ring, n_bits, party.memory());
  }
  RingArray known;
  if (party.rank() == leader) {
    known = words_of_planes(mpc::exclusive_or(x.parts[0], x.parts[1]), ring);
  }
  const Share c = co_await share(party, leader, std::move(known), ring, n_bits);
  const ClaimOrigin origin = party.rank() == leader ? ClaimOrigin::Dealt : ClaimOrigin::Others;
  claims_.add_dots(shift_left(numbers[0], 1), numbers[1], subtract(add(numbers[0], numbers[1]), c),
                   1, ClaimOrigins(n_bits, origin));

  const Share& d = numbers[2];
  RingArray weights(ring, 0, party.memory());
  std::vector<RingArray> of_planes;
  of_planes.reserve(factors.size());
  for (const Word128 factor : factors) {
    of_planes.push_back(RingArray::filled(ring, n, factor, party.memory()));
  }
  weights = concatenate(of_planes);
  const Share weighed = multiply_public(d, weights);
  const size_t width = factors.size();
  const Share products = co_await dot(party, transposed(c, width),
                                      transposed(negate(shift_left(weighed, 1)), width), width);
  const Share sums = sum_rows(transposed(add(multiply_public(c, weights), weighed), width), width);
  co_return add(products, sums);
}

auto Aby3Active::bits_to_arithmetic(Party& party, Bits x, Ring ring) -> Task<Share> {
  const Party::Scope scope = party.scope("bits_to_arithmetic");
  const unsigned width = x.width();
  TACET_CHECK(width <= n_bits(ring), "more bits than a word has");
  std::vector<Word128> factors;
  for (unsigned p = 0; p < width; ++p) {
    factors.push_back(Word128{1} << p);
  }
  if (width == 0) {
    co_return zero_share(2, ring, x.size(), party.memory());
  }
  co_return co_await weighed_bits(party, std::move(x), std::move(factors), ring);
}

}  // namespace tacet::mpc
