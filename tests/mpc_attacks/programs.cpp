#include "tests/mpc_attacks/programs.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/mpc/circuits/adders.h"
#include "engine/mpc/circuits/compare_bits.h"
#include "engine/mpc/fixed_point/functions.h"
#include "engine/mpc/movement/permutations.h"
#include "engine/mpc/movement/secret_index.h"
#include "engine/mpc/movement/sort.h"

namespace tacet::mpc {

namespace {

using Words = std::vector<uint64_t>;

/// g++ 12 miscompiles braced lists beside `co_await`.
template <class... T>
auto words(T... values) -> Words {
  return {static_cast<uint64_t>(values)...};
}

auto ring_words(Ring ring, const Words& words) -> RingArray {
  return convert(RingArray::of(words), ring, Extend::Zero);
}

/// A share of everybody's: owners take turns.
auto input(Party& party, Rank owner, Ring ring, Words words) -> Task<Share> {
  RingArray own = party.rank() == owner ? ring_words(ring, words) : RingArray();
  return share(party, owner, std::move(own), ring, words.size());
}

auto input_bits(Party& party, Rank owner, unsigned width, Words words) -> Task<Bits> {
  BitPlanes own = party.rank() == owner ? to_planes(RingArray::of(words), width) : BitPlanes();
  return party.protocol().share_bits(party, owner, std::move(own), width, words.size());
}

/// Secrets of which every share is random.
auto secret(Party& party, Ring ring, Words words) -> Task<Share> {
  const Share known = party.protocol().public_share(party, ring_words(ring, words));
  const Share one = party.protocol().public_share(party, RingArray::filled(ring, words.size(), 1));
  co_return co_await multiply(party, known, one);
}

auto secret_bits(Party& party, unsigned width, Words words) -> Task<Bits> {
  const Bits known = party.protocol().public_bits(party, to_planes(RingArray::of(words), width));
  co_return co_await conjunction(party, known, known);
}

auto is(Ring ring, Words words) -> std::function<bool(const RingArray&)> {
  return [ring, words = std::move(words)](const RingArray& found) {
    return found == ring_words(ring, words);
  };
}

const Words kX{0x1234'5678, 0xffff'fff1, 7};
const Words kY{0x0bad'cafe, 3, 0x8000'0001};
constexpr Ring kRing = Ring::Z32;

auto product_of(const Words& x, const Words& y) -> Words {
  Words result;
  for (size_t i = 0; i < x.size(); ++i) {
    result.push_back(x[i] * y[i] & 0xffff'ffff);
  }
  return result;
}

/// Each party has a word; the sum of those that follow the protocol must come out, whatever one
/// word the liar shares.
auto inputs(Party& party) -> Task<RingArray> {
  std::vector<Task<Share>> tasks;
  for (Rank owner = 0; owner < party.n_parties(); ++owner) {
    tasks.push_back(input(party, owner, kRing, words(100U + owner, 7U)));
  }
  const std::vector<Share> shared = co_await all(std::move(tasks));
  co_return co_await open(party, concatenate(shared));
}

auto inputs_are_right(const RingArray& found) -> bool {
  // A single alteration changes no input: the owner would have to send two parties the same.
  for (size_t i = 0; i < found.size(); ++i) {
    if (found.at(i) != (i % 2 == 0 ? 100 + i / 2 : 7)) {
      return false;
    }
  }
  return found.size() > 0;
}

auto bit_inputs(Party& party) -> Task<RingArray> {
  Bits sum = co_await input_bits(party, 0, 9, words(1, 2, 4));
  for (Rank owner = 1; owner < party.n_parties(); ++owner) {
    const Bits next = co_await input_bits(party, owner, 9, words(0, 0, 0));
    sum = exclusive_or(sum, next);
  }
  const BitPlanes opened = co_await open_bits(party, std::move(sum));
  co_return from_planes(opened, kRing);
}

auto product(Party& party) -> Task<RingArray> {
  Share x = co_await secret(party, kRing, kX);
  Share y = co_await secret(party, kRing, kY);
  Share z = co_await multiply(party, std::move(x), std::move(y));
  co_return co_await open(party, std::move(z));
}

/// Products of products, so that what is wrong comes to all.
auto products_in_sequence(Party& party) -> Task<RingArray> {
  Share x = co_await secret(party, kRing, words(3, 5));
  Share y = x;
  for (unsigned i = 0; i < 2; ++i) {
    y = co_await multiply(party, y, x);
  }
  co_return co_await open(party, std::move(y));
}

auto dots(Party& party) -> Task<RingArray> {
  Share x = co_await secret(party, kRing, words(1, 2, 3, 4));
  Share y = co_await secret(party, kRing, words(5, 6, 7, 8));
  Share rows = co_await party.protocol().dot(party, x, y, 2);
  Share matrix = co_await party.protocol().multiply_matrices(party, x, y,
                                                             {.rows = 2, .inner = 2, .columns = 2});
  const std::array<Share, 2> both{rows, matrix};
  co_return co_await open(party, concatenate(both));
}

auto conjunctions(Party& party) -> Task<RingArray> {
  Bits x = co_await secret_bits(party, 10, words(0x3ff, 0x155, 0x0f3));
  Bits y = co_await secret_bits(party, 10, words(0x2a5, 0x3c3, 0x011));
  Bits z = co_await conjunction(party, std::move(x), std::move(y));
  const BitPlanes opened = co_await open_bits(party, std::move(z));
  co_return from_planes(opened, kRing);
}

auto comparison(Party& party) -> Task<RingArray> {
  Share x = co_await secret(party, kRing, words(5, 200, 7));
  Share y = co_await secret(party, kRing, words(6, 100, 7));
  const IntegerType byte{.width = 8, .signedness = Signedness::Unsigned};
  Bits smaller = co_await less(party, x, y, byte);
  Bits same = co_await equal(party, x, y, 8);
  const std::array<Bits, 2> both{smaller, same};
  const BitPlanes opened = co_await open_bits(party, stack_planes(both));
  co_return from_planes(opened, kRing);
}

/// Summands that are added to one number again.
auto sums_of_summands(Party& party) -> Task<RingArray> {
  Share x = co_await secret(party, kRing, words(77, 0x1ff));
  std::vector<Bits> terms = co_await party.protocol().summands(party, std::move(x), 9);
  Bits sum = terms[0];
  for (size_t i = 1; i < terms.size(); ++i) {
    sum = co_await add_bits(party, sum, terms[i]);
  }
  const BitPlanes opened = co_await open_bits(party, std::move(sum));
  co_return from_planes(opened, kRing);
}

auto truncation(Party& party) -> Task<RingArray> {
  Share x = co_await secret(party, kRing, words(1U << 20, 0 - (1LL << 18), 0x12345));
  Share exact = co_await truncate(party, x, 11);
  Share rough = co_await truncate(party, x, 11, Truncation::Probabilistic);
  Share product =
      co_await party.protocol().multiply_truncate(party, x, exact, 12, Truncation::Exact);
  const std::array<Share, 3> all_of_them{exact, rough, product};
  co_return co_await open(party, concatenate(all_of_them));
}

auto truncation_is_right(const RingArray& found) -> bool {
  const std::array<int64_t, 3> x{1 << 20, -(1 << 18), 0x12345};
  if (found.size() != 9) {
    return false;
  }
  std::array<int64_t, 9> words{};
  for (size_t i = 0; i < 9; ++i) {
    words[i] = static_cast<int32_t>(static_cast<uint32_t>(found.at(i)));
  }
  for (size_t i = 0; i < 3; ++i) {
    const int64_t floor = x[i] >> 11;
    for (const size_t at : {i, 3 + i}) {
      if (words[at] < floor || words[at] > floor + 1) {
        return false;
      }
    }
    const int64_t product = (x[i] * words[i]) >> 12;
    if (words[6 + i] < product || words[6 + i] > product + 1) {
      return false;
    }
  }
  return true;
}

auto conversion(Party& party) -> Task<RingArray> {
  Share x = co_await secret(party, kRing, words(0x1f3, 5));
  Bits bits = co_await to_bits(party, std::move(x), 9);
  Share number = co_await bits_to_arithmetic(party, bits, kRing);
  Share each =
      co_await party.protocol().each_bit_to_arithmetic(party, plane_range(bits, 0, 2), kRing);
  const std::array<Share, 2> both{number, each};
  co_return co_await open(party, concatenate(both));
}

auto shuffled(Party& party) -> Task<RingArray> {
  Protocol& protocol = party.protocol();
  const SecretPermutation order = co_await protocol.random_permutation(party, 3);
  std::vector<Share> arrays;
  arrays.push_back(co_await secret(party, kRing, words(1, 2, 3)));
  const std::vector<Share> moved =
      co_await protocol.permute(party, order, arrays, Direction::Forward);
  const std::vector<Share> back =
      co_await protocol.permute(party, order, moved, Direction::Inverse);
  const std::array<Share, 2> both{moved[0], back[0]};
  co_return co_await open(party, concatenate(both));
}

auto shuffle_is_right(const RingArray& found) -> bool {
  if (found.size() != 6) {
    return false;
  }
  std::array<Word128, 3> order{found.at(0), found.at(1), found.at(2)};
  std::ranges::sort(order);
  for (size_t i = 0; i < 3; ++i) {
    if (order[i] != i + 1 || found.at(3 + i) != i + 1) {
      return false;
    }
  }
  return true;
}

auto sorted_by(Party& party, unsigned width, Words keys) -> Task<RingArray> {
  Share shared = co_await secret(party, kRing, keys);
  std::vector<Share> values(1, shared);
  const KeyRange range(0, width);
  const Sorted found = co_await sort(party, shared, std::move(values), range);
  const std::array<Share, 2> both{found.keys, found.values[0]};
  co_return co_await open(party, concatenate(both));
}

/// Openings to one party after the other, of some bits, and to all.
auto openings(Party& party) -> Task<RingArray> {
  Protocol& protocol = party.protocol();
  Share x = co_await secret(party, kRing, words(0x1234'5678, 9));
  RingArray sum = RingArray::zeros(kRing, 2);
  for (Rank receiver = 0; receiver < party.n_parties(); ++receiver) {
    const RingArray mine = co_await protocol.open(party, x, 13, receiver);
    if (mine.size() > 0) {
      sum = add(sum, mine);
    }
  }
  Bits bits = co_await secret_bits(party, 3, words(5, 2));
  const BitPlanes planes = co_await protocol.open_bits(party, bits, std::nullopt);
  const RingArray whole = co_await open(party, std::move(x));
  const std::array<RingArray, 3> all_of_them{sum, from_planes(planes, kRing), whole};
  co_return concatenate(all_of_them);
}

/// What is opened decides what is done next.
auto decisions(Party& party) -> Task<RingArray> {
  Share x = co_await secret(party, kRing, words(6));
  for (unsigned i = 0; i < 3; ++i) {
    const Bits odd = co_await to_bits(party, x, 2);
    const BitPlanes low = co_await open_bits(party, plane_range(odd, 0, 1));
    if (low.at(0) == 1) {
      x = scale(x, 3);
    } else {
      x = co_await truncate(party, x, 1);
    }
  }
  co_return co_await open(party, std::move(x));
}

auto side_by_side(Party& party) -> Task<RingArray> {
  std::vector<Task<RingArray>> tasks;
  tasks.push_back(product(party));
  tasks.push_back(products_in_sequence(party));
  tasks.push_back(conjunctions(party));
  const std::vector<RingArray> found = co_await all(std::move(tasks));
  co_return concatenate(found);
}

auto agreed(Party& party) -> Task<RingArray> {
  std::vector<std::byte> bytes(3 * party.n_parties(), std::byte{7});
  co_await party.protocol().check_agreement(party, bytes);
  Share x = co_await secret(party, kRing, words(1));
  co_return co_await open(party, std::move(x));
}

/// A sum of a table's elements at secret places, sorted, and a quotient.
auto table_and_quotient(Party& party) -> Task<RingArray> {
  Words table;
  for (uint64_t i = 0; i < 20; ++i) {
    table.push_back(i * i);
  }
  Share squares = co_await secret(party, Ring::Z64, table);
  Share places = co_await secret(party, Ring::Z64, words(3, 19, 0, 7));
  const IntegerType byte{.width = 8, .signedness = Signedness::Unsigned};
  Share read = co_await gather_secret(party, squares, places, byte);
  const Share ones = party.protocol().public_share(party, RingArray::filled(Ring::Z64, 4, 1 << 18));
  const FixedPoint format{.fraction_bits = 18};
  Share quotient = co_await divide(party, ones, add(mpc::shift_left(read, 18), ones), format);
  std::vector<Share> values(1, quotient);
  const Sorted found = co_await sort(party, read, std::move(values), byte);
  const std::array<Share, 2> both{found.keys, found.values[0]};
  co_return co_await open(party, concatenate(both));
}

auto table_and_quotient_are_right(const RingArray& found) -> bool {
  const Words keys{0, 9, 49, 361};
  if (found.size() != 8) {
    return false;
  }
  for (size_t i = 0; i < 4; ++i) {
    const double wanted = static_cast<double>(1 << 18) / static_cast<double>(keys[i] + 1);
    const double error = static_cast<double>(static_cast<int64_t>(found.at(4 + i))) - wanted;
    if (found.at(i) != keys[i] || error > 4 || error < -4) {
      return false;
    }
  }
  return true;
}

}  // namespace

auto small_programs() -> std::vector<AttackedProgram> {
  const Words product_words = product_of(kX, kY);
  const Words side{product_words[0], product_words[1], product_words[2], 27, 125,
                   0x3ff & 0x2a5,    0x155 & 0x3c3,    0x0f3 & 0x011};
  return {
      {"inputs", inputs, inputs_are_right},
      {"inputs of bits", bit_inputs, is(kRing, {1, 2, 4})},
      {"product", product, is(kRing, product_words)},
      {"products in sequence", products_in_sequence, is(kRing, {27, 125})},
      {"dot products", dots, is(kRing, {17, 53, 19, 22, 43, 50})},
      {"conjunction", conjunctions, is(kRing, {0x3ff & 0x2a5, 0x155 & 0x3c3, 0x0f3 & 0x011})},
      {"comparison", comparison, is(kRing, {1, 0, 2})},
      {"summands", sums_of_summands, is(kRing, {77, 0x1ff})},
      {"truncation", truncation, truncation_is_right},
      {"conversion", conversion, is(kRing, {0x1f3, 5, 1, 1, 1, 0})},
      {"shuffle", shuffled, shuffle_is_right},
      {"sort by bits",
       [](Party& party) {
         return sorted_by(party, 2, {3, 0, 2});
       },
       is(kRing, {0, 2, 3, 0, 2, 3})},
      {"sort by comparisons",
       [](Party& party) {
         return sorted_by(party, 9, {300, 7, 45});
       },
       is(kRing, {7, 45, 300, 7, 45, 300})},
      {"openings", openings, is(kRing, {0x1678, 9, 5, 2, 0x1234'5678, 9})},
      {"decisions", decisions, is(kRing, {27})},
      {"side by side", side_by_side, is(kRing, side)},
      {"agreement", agreed, is(kRing, {1})},
  };
}

auto larger_programs() -> std::vector<AttackedProgram> {
  Words keys;
  for (uint64_t i = 0; i < 60; ++i) {
    keys.push_back(i * 37 % 61);
  }
  Words in_order = keys;
  std::ranges::sort(in_order);
  Words twice = in_order;
  twice.insert(twice.end(), in_order.begin(), in_order.end());
  return {
      {"table and quotient", table_and_quotient, table_and_quotient_are_right},
      {"long sort", [keys](Party& party) { return sorted_by(party, 16, keys); }, is(kRing, twice)},
  };
}

}  // namespace tacet::mpc
