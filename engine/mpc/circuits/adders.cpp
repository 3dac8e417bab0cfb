#include "engine/mpc/circuits/adders.h"

#include <array>
#include <utility>
#include <vector>

#include "engine/mpc/circuits/prefix.h"

namespace tacet::mpc {

namespace {

/// Replaces planes `places` of `x` by those of `values`, or adds these to them.
enum class Write : bool { Replace, Add };
void write_planes(Bits& x, const std::vector<unsigned>& places, const Bits& values, unsigned first,
                  Write how) {
  for (size_t part = 0; part < x.n_parts; ++part) {
    const std::span<uint64_t> words = x.parts[part].edit();
    const size_t stride = x.parts[part].stride();
    for (size_t i = 0; i < places.size(); ++i) {
      const uint64_t* from = values.parts[part].plane(first + static_cast<unsigned>(i)).data();
      uint64_t* to = words.data() + places[i] * stride;
      for (size_t w = 0; w < stride; ++w) {
        to[w] = from[w] ^ (how == Write::Add ? to[w] : 0);
      }
    }
  }
}

auto stacked(const Bits& x, const Bits& y) -> Bits {
  const std::array<Bits, 2> parts{x, y};
  return stack_planes(parts);
}

/// The carry out of each place, where `generate` and `propagate` are never both set.
auto prefix_carries(Party& party, Bits generate, Bits propagate) -> Task<Bits> {
  for (const std::vector<PrefixStep>& level : sklansky_levels(generate.width())) {
    std::vector<unsigned> high;
    std::vector<unsigned> low;
    std::vector<unsigned> open_high;
    std::vector<unsigned> open_low;
    for (const PrefixStep& step : level) {
      high.push_back(step.high);
      low.push_back(step.low);
      if (!step.is_complete) {
        open_high.push_back(step.high);
        open_low.push_back(step.low);
      }
    }
    // G = G ^ P G' for every step, and P = P P' for those that lower places continue from.
    Bits left = select_planes(propagate, high);
    Bits right = select_planes(generate, low);
    if (!open_high.empty()) {
      left = stacked(left, select_planes(propagate, open_high));
      right = stacked(right, select_planes(propagate, open_low));
    }
    const Bits products = co_await conjunction(party, std::move(left), std::move(right));
    write_planes(generate, high, products, 0, Write::Add);
    write_planes(propagate, open_high, products, static_cast<unsigned>(high.size()),
                 Write::Replace);
  }
  co_return generate;
}

/// The carry out of the last place: pairs of neighbours become one place until one is left.
auto last_carry(Party& party, Bits generate, Bits propagate) -> Task<Bits> {
  while (generate.width() > 1) {
    const unsigned n_pairs = generate.width() / 2;
    std::vector<unsigned> lows;
    std::vector<unsigned> highs;
    for (unsigned i = 0; i < n_pairs; ++i) {
      lows.push_back(2 * i);
      highs.push_back(2 * i + 1);
    }
    // The lowest range has nothing below it: what it propagates does not matter.
    const std::vector<unsigned> upper_lows(lows.begin() + 1, lows.end());
    const std::vector<unsigned> upper_highs(highs.begin() + 1, highs.end());
    const Bits high_propagate = select_planes(propagate, highs);
    const Bits left = stacked(high_propagate, select_planes(propagate, upper_highs));
    const Bits right = stacked(select_planes(generate, lows), select_planes(propagate, upper_lows));
    const Bits products = co_await conjunction(party, left, right);

    Bits next_generate =
        exclusive_or(select_planes(generate, highs), plane_range(products, 0, n_pairs));
    // Plane 0 of what is propagated is of no meaning.
    Bits next_propagate =
        stacked(plane_range(high_propagate, 0, 1), plane_range(products, n_pairs, n_pairs - 1));
    if (generate.width() % 2 != 0) {
      const unsigned last = generate.width() - 1;
      next_generate = stacked(next_generate, plane_range(generate, last, 1));
      next_propagate = stacked(next_propagate, plane_range(propagate, last, 1));
    }
    generate = std::move(next_generate);
    propagate = std::move(next_propagate);
  }
  co_return generate;
}

/// Conjunction of all planes, halving their number level by level.
auto conjunction_of_planes(Party& party, Bits x) -> Task<Bits> {
  while (x.width() > 1) {
    const unsigned half = x.width() / 2;
    Bits next = co_await conjunction(party, plane_range(x, 0, half), plane_range(x, half, half));
    if (x.width() % 2 != 0) {
      next = stacked(next, plane_range(x, 2 * half, 1));
    }
    x = std::move(next);
  }
  co_return x;
}

}  // namespace

auto add_carries(Party& party, HalfSum half) -> Task<Bits> {
  const Party::Scope scope = party.scope("add_carries");
  const unsigned width = half.sum.width();
  if (width == 1) {
    co_return half.sum;
  }
  Bits carries = co_await prefix_carries(party, plane_range(half.carry, 0, width - 1),
                                         plane_range(half.sum, 0, width - 1));
  std::vector<unsigned> places;
  for (unsigned p = 1; p < width; ++p) {
    places.push_back(p);
  }
  write_planes(half.sum, places, carries, 0, Write::Add);
  co_return half.sum;
}

auto top_bit(Party& party, HalfSum half) -> Task<Bits> {
  const Party::Scope scope = party.scope("top_bit");
  const unsigned width = half.sum.width();
  if (width == 1) {
    co_return half.sum;
  }
  Bits carry = co_await last_carry(party, plane_range(half.carry, 0, width - 1),
                                   plane_range(half.sum, 0, width - 1));
  co_return exclusive_or(carry, plane_range(half.sum, width - 1, 1));
}

auto to_bits(Party& party, Share x, unsigned width) -> Task<Bits> {
  HalfSum half = co_await party.protocol().half_sum(party, std::move(x), width);
  co_return co_await add_carries(party, std::move(half));
}

auto top_bit(Party& party, Share x, unsigned width) -> Task<Bits> {
  HalfSum half = co_await party.protocol().half_sum(party, std::move(x), width);
  co_return co_await top_bit(party, std::move(half));
}

auto add_bits(Party& party, Bits x, Bits y) -> Task<Bits> {
  Bits carry = co_await conjunction(party, x, y);
  HalfSum half{.sum = exclusive_or(x, y), .carry = std::move(carry)};
  co_return co_await add_carries(party, std::move(half));
}

auto subtract_bits(Party& party, Bits x, Bits y) -> Task<Difference> {
  // A place borrows if x is 0 and y is 1, and hands on a borrow from below if they are equal.
  const unsigned width = x.width();
  const Bits different = exclusive_or(x, y);
  Bits borrows = co_await conjunction(party, different, y);
  borrows = co_await prefix_carries(party, std::move(borrows),
                                    party.protocol().complement(party, different));
  Bits value = different;
  std::vector<unsigned> places;
  for (unsigned p = 1; p < width; ++p) {
    places.push_back(p);
  }
  write_planes(value, places, borrows, 0, Write::Add);
  co_return Difference{.value = std::move(value), .borrow = plane_range(borrows, width - 1, 1)};
}

auto all_of_planes(Party& party, Bits x) -> Task<Bits> {
  const Party::Scope scope = party.scope("all_of_planes");
  co_return co_await conjunction_of_planes(party, std::move(x));
}

auto any_of_planes(Party& party, Bits x) -> Task<Bits> {
  const Protocol& protocol = party.protocol();
  Bits none = co_await all_of_planes(party, protocol.complement(party, std::move(x)));
  co_return protocol.complement(party, std::move(none));
}

auto suffix_or(Party& party, Bits x) -> Task<Bits> {
  const Party::Scope scope = party.scope("suffix_or");
  // Conjunctions of complements, with place 0 at the top.
  const Protocol& protocol = party.protocol();
  std::vector<unsigned> reversed(x.width());
  for (unsigned p = 0; p < x.width(); ++p) {
    reversed[p] = x.width() - 1 - p;
  }
  Bits none = protocol.complement(party, select_planes(x, reversed));
  for (const std::vector<PrefixStep>& level : sklansky_levels(x.width())) {
    std::vector<unsigned> high;
    std::vector<unsigned> low;
    for (const PrefixStep& step : level) {
      high.push_back(step.high);
      low.push_back(step.low);
    }
    const Bits products =
        co_await conjunction(party, select_planes(none, high), select_planes(none, low));
    write_planes(none, high, products, 0, Write::Replace);
  }
  co_return protocol.complement(party, select_planes(none, reversed));
}

auto count_planes(Party& party, Bits x) -> Task<Bits> {
  const Party::Scope scope = party.scope("count_planes");
  // Numbers of one more bit at each level; all sums of a level at once, one behind the other.
  std::vector<Bits> numbers;
  for (unsigned p = 0; p < x.width(); ++p) {
    numbers.push_back(plane_range(x, p, 1));
  }
  while (numbers.size() > 1) {
    const unsigned width = numbers[0].width();
    const size_t n = x.size();
    if (numbers.size() % 2 != 0) {
      numbers.push_back(zero_bits(x.n_parts, width, n, party.memory()));
    }
    const Bits empty = zero_bits(x.n_parts, 1, n, party.memory());
    std::vector<Task<Bits>> sums;
    for (size_t i = 0; i + 1 < numbers.size(); i += 2) {
      sums.push_back(add_bits(party, stacked(numbers[i], empty), stacked(numbers[i + 1], empty)));
    }
    numbers = co_await all(std::move(sums));
  }
  co_return numbers[0];
}

}  // namespace tacet::mpc
