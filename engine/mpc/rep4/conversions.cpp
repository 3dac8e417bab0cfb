#include <array>

#include "engine/mpc/rep4/rep4_protocol.h"
#include "engine/mpc/word_bytes.h"

namespace tacet::mpc {

/// The sum of the parts that a step shares, at those who know both.
static auto sum_for(const Party& party, const JointStep& step, const Share& x) -> RingArray {
  const Rank own = party.rank();
  return step.knows(own) ? add(x.parts[slot_of(own, step.sent)], x.parts[slot_of(own, step.keyed)])
                         : RingArray();
}

auto sums_of(const Party& party, const Split& split, const Share& x) -> TwoSums {
  return {.first = sum_for(party, split.first, x), .second = sum_for(party, split.second, x)};
}

/// Planes of a number if there is one here.
static auto planes_if_known(const RingArray& x, unsigned width) -> BitPlanes {
  return x.size() == 0 ? BitPlanes() : to_planes(x, width);
}

// Each part is known to three parties, and so are its bits.
auto Rep4::summands(Party& party, Share x, unsigned width) -> Task<std::vector<Bits>> {
  std::vector<Bits> terms;
  for (Rank part = 0; part < kRep4Parties; ++part) {
    Bits term = zero_bits(n_parts(), width, x.size(), party.memory());
    if (part != party.rank()) {
      const size_t slot = slot_of(party.rank(), part);
      term.parts[slot] = to_planes(x.parts[slot], width);
    }
    terms.push_back(std::move(term));
  }
  co_return terms;
}

// The bits of both sums are shared; then the carries, but for the top one, which has no place. Of
// each summand two parts are zero: four of the six steps of a conjunction are left.
auto Rep4::half_sum(Party& party, Share x, unsigned width) -> Task<HalfSum> {
  const Party::Scope scope = party.scope("half_sum");
  const Split split = next_split();
  const TwoSums sums = sums_of(party, split, x);
  const size_t n = x.size();
  const PlanesForm form{.width = width, .n = n};
  JointSharing<PlanesForm> summands(party, *messages_);
  const size_t first = summands.begin(form.zeros(party));
  const size_t second = summands.begin(form.zeros(party));
  summands.add(first, split.first, planes_if_known(sums.first, width), form);
  summands.add(second, split.second, planes_if_known(sums.second, width), form);
  const std::vector<Bits> shared = co_await summands.finish();

  const PlanesForm carry_form{.width = width - 1, .n = n};
  const Bits low_first = plane_range(shared[0], 0, width - 1);
  const Bits low_second = plane_range(shared[1], 0, width - 1);
  JointSharing<PlanesForm> carries(party, *messages_);
  const size_t carry = carries.begin(carry_form.zeros(party));
  for (const JointStep& step : cross_steps(split)) {
    const BitPlanes cross = step.knows(party.rank())
                                ? cross_conjunction(party, step, low_first, low_second)
                                : BitPlanes();
    carries.add(carry, step, cross, carry_form);
  }
  std::vector<Bits> low_carries = co_await carries.finish();
  const std::array<Bits, 2> planes{std::move(low_carries[0]),
                                   zero_bits(n_parts(), 1, n, party.memory())};
  co_return HalfSum{.sum = exclusive_or(shared[0], shared[1]), .carry = stack_planes(planes)};
}

// Two numbers add up to zero if one is minus the other one.
auto Rep4::zero_planes(Party& party, Share x, unsigned width) -> Task<Bits> {
  const Party::Scope scope = party.scope("zero_planes");
  const Split split = next_split();
  TwoSums sums = sums_of(party, split, x);
  if (split.second.knows(party.rank())) {
    sums.second = negate(sums.second);
  }
  const PlanesForm form{.width = width, .n = x.size()};
  JointSharing<PlanesForm> sharing(party, *messages_);
  const size_t difference = sharing.begin(form.zeros(party));
  sharing.add(difference, split.first, planes_if_known(sums.first, width), form);
  sharing.add(difference, split.second, planes_if_known(sums.second, width), form);
  std::vector<Bits> results = co_await sharing.finish();
  co_return std::move(results[0]);
}

/// Plane p of the exclusive or of the parts that a step shares, as words.
static auto plane_for(const Party& party, const JointStep& step, const Bits& x, unsigned p,
                      Ring ring) -> RingArray {
  const Rank own = party.rank();
  if (!step.knows(own)) {
    return {};
  }
  const BitPlanes plane = exclusive_or(plane_range(x.parts[slot_of(own, step.sent)], p, 1),
                                       plane_range(x.parts[slot_of(own, step.keyed)], p, 1));
  return from_planes(plane, ring);
}

// Each bit is c ^ d with a c of two parties and a d of both others, which is c + d - 2 c d as a
// number. Both are shared as numbers, c times its weight 2^p, and d without: of both, only the
// ring's bits less p count. One product is the sum of all c d with their weights.
auto Rep4::bits_to_arithmetic(Party& party, Bits x, Ring ring) -> Task<Share> {
  const Party::Scope scope = party.scope("bits_to_arithmetic");
  const Split split = next_split();
  const unsigned width = x.width();
  const size_t n = x.size();
  TACET_CHECK(width <= n_bits(ring), "more bits than a word has");
  JointSharing<WordsForm> sharing(party, *messages_);
  for (unsigned p = 0; p < width; ++p) {
    WordsForm form{.ring = ring, .n = n, .n_bits = n_bits(ring) - p, .shift = p};
    const size_t weighted = sharing.begin(form.zeros(party));
    const size_t plain = sharing.begin(form.zeros(party));
    sharing.add(weighted, split.first, plane_for(party, split.first, x, p, ring), form);
    form.shift = 0;
    sharing.add(plain, split.second, plane_for(party, split.second, x, p, ring), form);
  }
  const std::vector<Share> shared = co_await sharing.finish();

  Share sum = zero_share(n_parts(), ring, n, party.memory());
  for (unsigned p = 0; p < width; ++p) {
    sum = add(sum, add(shared[2 * p], mpc::shift_left(shared[2 * p + 1], p)));
  }
  const WordsForm form = WordsForm::of(ring, n);
  JointSharing<WordsForm> products(party, *messages_);
  const size_t total = products.begin(std::move(sum));
  for (const JointStep& step : cross_steps(split)) {
    RingArray cross;
    if (step.knows(party.rank())) {
      cross = RingArray::zeros(ring, n, party.memory());
      for (unsigned p = 0; p < width; ++p) {
        cross = subtract(cross, cross_product(party, step, shared[2 * p], shared[2 * p + 1]));
      }
      cross = mpc::shift_left(cross, 1);
    }
    products.add(total, step, cross, form);
  }
  std::vector<Share> results = co_await products.finish();
  co_return std::move(results[0]);
}

}  // namespace tacet::mpc
