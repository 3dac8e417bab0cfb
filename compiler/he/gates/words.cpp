#include "compiler/he/gates/words.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace tacet::gates {

auto constant(uint64_t value, size_t width) -> Word {
  Word word(width, kFalse);
  for (size_t i = 0; i < width && i < 64; ++i) {
    word[i] = (value >> i & 1U) != 0 ? kTrue : kFalse;
  }
  return word;
}

auto resized(const Word& word, size_t width, Signedness signedness) -> Word {
  Word result = word;
  const bool has_sign = signedness == Signedness::Signed && !word.empty();
  result.resize(width, has_sign ? word.back() : kFalse);
  return result;
}

auto inverted(const Word& word) -> Word {
  Word result;
  std::transform(word.begin(), word.end(), std::back_inserter(result),
                 [](Signal bit) { return !bit; });
  return result;
}

namespace {

/// The carry into each bit and, last, out of all.
auto carries_of(GraphBuilder& builder, const Word& a, const Word& b, Signal carry, size_t block)
    -> Word {
  Word all = {carry};
  const size_t width = a.size();
  if (block == 0 || block >= width || carry.is_constant()) {
    // The first block knows its carry, and the only one does.
    const size_t end = block == 0 ? width : std::min(block, width);
    for (size_t i = 0; i < end; ++i) {
      all.push_back(builder.majority(a[i], b[i], all.back()));
    }
  }
  while (all.size() <= width) {
    const size_t begin = all.size() - 1;
    const size_t end = std::min(begin + block, width);
    const Signal in = all.back();
    Signal if_clear = kFalse;
    Signal if_set = kTrue;
    for (size_t i = begin; i < end; ++i) {
      if_clear = builder.majority(a[i], b[i], if_clear);
      if_set = builder.majority(a[i], b[i], if_set);
      all.push_back(builder.majority(if_clear, if_set, in));
    }
  }
  return all;
}

/// Bits in a tree of two operands each, in the order in which they stand.
template <class Combine>
auto tree(std::vector<Signal> bits, Signal of_none, const Combine& combine) -> Signal {
  if (bits.empty()) {
    return of_none;
  }
  while (bits.size() > 1) {
    std::vector<Signal> next;
    for (size_t i = 0; i + 1 < bits.size(); i += 2) {
      next.push_back(combine(bits[i], bits[i + 1]));
    }
    if (bits.size() % 2 != 0) {
      next.push_back(bits.back());
    }
    bits = std::move(next);
  }
  return bits.front();
}

auto magnitude(GraphBuilder& builder, const Word& a) -> Word {
  return negate_if(builder, a.back(), a);
}

auto divide_unsigned(GraphBuilder& builder, const Word& a, const Word& b, size_t block)
    -> Division {
  const size_t width = a.size();
  Division result{Word(width, kFalse), Word(width, kFalse)};
  Word& rest = result.remainder;
  for (size_t i = width; i-- > 0;) {
    // The rest is below the divisor, or the divisor is 0 and the rest has the bits so far: either
    // way the bit that leaves it on the left decides for the quotient.
    const Signal above = rest.back();
    rest.insert(rest.begin(), a[i]);
    rest.pop_back();
    const Word carries = carries_of(builder, rest, inverted(b), kTrue, block);
    const Signal fits = builder.disjunction(above, carries.back());
    for (size_t j = 0; j < width; ++j) {
      // rest - b is rest ^ !b ^ carry: what changes if it fits.
      const Signal change = builder.exclusive(!b[j], carries[j]);
      rest[j] = builder.xor_and(rest[j], fits, change);
    }
    result.quotient[i] = fits;
  }
  const Signal is_possible = any_of(builder, b);
  for (Signal& bit : result.quotient) {
    bit = builder.conjunction(bit, is_possible);
  }
  return result;
}

}  // namespace

auto add(GraphBuilder& builder, const Word& a, const Word& b, Signal carry, Carries carries)
    -> Sum {
  TACET_CHECK(a.size() == b.size(), "operands are equally wide");
  const Word in = carries_of(builder, a, b, carry, carries.block);
  Sum sum{{}, in.back()};
  for (size_t i = 0; i < a.size(); ++i) {
    sum.bits.push_back(builder.parity(a[i], b[i], in[i]));
  }
  return sum;
}

auto subtract(GraphBuilder& builder, const Word& a, const Word& b, Carries carries) -> Sum {
  return add(builder, a, inverted(b), kTrue, carries);
}

auto negate(GraphBuilder& builder, const Word& a) -> Word {
  return negate_if(builder, kTrue, a);
}

auto negate_if(GraphBuilder& builder, Signal condition, const Word& a) -> Word {
  Word result;
  Signal carry = condition;
  for (const Signal bit : a) {
    const Signal flipped = builder.exclusive(bit, condition);
    result.push_back(builder.exclusive(flipped, carry));
    carry = builder.conjunction(flipped, carry);
  }
  return result;
}

auto less(GraphBuilder& builder, const Word& a, const Word& b, Signedness signedness,
          Carries carries) -> Signal {
  TACET_CHECK(a.size() == b.size() && !a.empty(), "operands are equally wide");
  Word left = inverted(a);
  Word right = b;
  if (signedness == Signedness::Signed) {
    left.back() = !left.back();
    right.back() = !right.back();
  }
  // b + !a is b - a - 1: it has a carry if a is less.
  return carries_of(builder, left, right, kFalse, carries.block).back();
}

auto equal(GraphBuilder& builder, const Word& a, const Word& b) -> Signal {
  TACET_CHECK(a.size() == b.size(), "operands are equally wide");
  std::vector<Signal> same;
  for (size_t i = 0; i < a.size(); ++i) {
    same.push_back(!builder.exclusive(a[i], b[i]));
  }
  return all_of(builder, same);
}

auto select(GraphBuilder& builder, Signal condition, const Word& then, const Word& otherwise)
    -> Word {
  TACET_CHECK(then.size() == otherwise.size(), "operands are equally wide");
  Word result;
  for (size_t i = 0; i < then.size(); ++i) {
    result.push_back(builder.select(condition, then[i], otherwise[i]));
  }
  return result;
}

auto all_of(GraphBuilder& builder, std::span<const Signal> bits) -> Signal {
  return tree({bits.begin(), bits.end()}, kTrue,
              [&](Signal a, Signal b) { return builder.conjunction(a, b); });
}

auto any_of(GraphBuilder& builder, std::span<const Signal> bits) -> Signal {
  return tree({bits.begin(), bits.end()}, kFalse,
              [&](Signal a, Signal b) { return builder.disjunction(a, b); });
}

auto odd_of(GraphBuilder& builder, std::span<const Signal> bits) -> Signal {
  std::vector<Signal> open(bits.begin(), bits.end());
  while (open.size() > 1) {
    std::vector<Signal> next;
    for (size_t i = 0; i < open.size(); i += 3) {
      const auto operand = [&](size_t k) { return i + k < open.size() ? open[i + k] : kFalse; };
      next.push_back(builder.parity(operand(0), operand(1), operand(2)));
    }
    open = std::move(next);
  }
  return open.empty() ? kFalse : open.front();
}

auto significant_bits(const Word& word, Signedness signedness) -> size_t {
  size_t n = word.size();
  if (signedness == Signedness::Signed) {
    while (n > 1 && word[n - 1] == word[n - 2]) {
      --n;
    }
    return n;
  }
  while (n > 1 && word[n - 1] == kFalse) {
    --n;
  }
  return n;
}

void ColumnSum::add_bit(Signal bit, size_t column) {
  if (bit == kTrue) {
    // What is known is added up here.
    for (size_t k = column; k < 128; ++k) {
      uint64_t& half = constant_[k / 64];
      half ^= uint64_t{1} << k % 64;
      if ((half >> k % 64 & 1U) != 0) {
        break;
      }
    }
  } else if (bit != kFalse && column < columns_.size()) {
    columns_[column].push_back(bit);
  }
}

void ColumnSum::subtract_power(size_t column) {
  // -2^k is the sum of 2^i for i from k on, modulo any power.
  for (size_t k = column; k < 128; ++k) {
    add_bit(kTrue, k);
  }
}

void ColumnSum::add(const Word& word, Signedness signedness) {
  const size_t n = significant_bits(word, signedness);
  const bool has_sign = signedness == Signedness::Signed;
  for (size_t i = 0; i + (has_sign ? 1 : 0) < n; ++i) {
    add_bit(word[i], i);
  }
  if (has_sign) {
    // -s 2^k is !s 2^k - 2^k.
    add_bit(!word[n - 1], n - 1);
    subtract_power(n - 1);
  }
}

void ColumnSum::add_product(const Word& a, const Word& b, Signedness signedness) {
  const size_t n_a = significant_bits(a, signedness);
  const size_t n_b = significant_bits(b, signedness);
  const bool has_sign = signedness == Signedness::Signed;
  for (size_t i = 0; i < n_a; ++i) {
    for (size_t j = 0; j < n_b && i + j < columns_.size(); ++j) {
      const Signal bit = builder_.conjunction(a[i], b[j]);
      const bool is_negative = has_sign && (i + 1 == n_a) != (j + 1 == n_b);
      if (is_negative && bit != kFalse) {
        add_bit(!bit, i + j);
        subtract_power(i + j);
      } else {
        add_bit(bit, i + j);
      }
    }
  }
}

auto ColumnSum::finish(Carries carries) -> Word {
  for (size_t i = 0; i < columns_.size() && i < 128; ++i) {
    if ((constant_[i / 64] >> i % 64 & 1U) != 0) {
      columns_[i].push_back(kTrue);
    }
  }
  const auto is_high = [](const std::vector<Signal>& column) { return column.size() > 2; };
  while (std::any_of(columns_.begin(), columns_.end(), is_high)) {
    std::vector<std::vector<Signal>> next(columns_.size());
    for (size_t i = 0; i < columns_.size(); ++i) {
      const std::vector<Signal>& column = columns_[i];
      size_t at = 0;
      for (; at + 2 < column.size(); at += 3) {
        next[i].push_back(builder_.parity(column[at], column[at + 1], column[at + 2]));
        if (i + 1 < columns_.size()) {
          next[i + 1].push_back(builder_.majority(column[at], column[at + 1], column[at + 2]));
        }
      }
      next[i].insert(next[i].end(), column.begin() + static_cast<std::ptrdiff_t>(at), column.end());
    }
    columns_ = std::move(next);
  }
  Word a;
  Word b;
  for (const std::vector<Signal>& column : columns_) {
    a.push_back(column.empty() ? kFalse : column[0]);
    b.push_back(column.size() < 2 ? kFalse : column[1]);
  }
  return gates::add(builder_, a, b, kFalse, carries).bits;
}

auto multiply(GraphBuilder& builder, const Word& a, const Word& b, Signedness signedness,
              size_t width, Carries carries) -> Word {
  const size_t n_needed =
      std::min(width, significant_bits(a, signedness) + significant_bits(b, signedness));
  ColumnSum sum(builder, n_needed);
  sum.add_product(a, b, signedness);
  return resized(sum.finish(carries), width, signedness);
}

auto divide(GraphBuilder& builder, const Word& a, const Word& b, Signedness signedness,
            Carries carries) -> Division {
  TACET_CHECK(a.size() == b.size() && !a.empty(), "operands are equally wide");
  if (signedness == Signedness::Unsigned) {
    return divide_unsigned(builder, a, b, carries.block);
  }
  const Word divisor = magnitude(builder, b);
  Division result = divide_unsigned(builder, magnitude(builder, a), divisor, carries.block);
  result.quotient = negate_if(builder, builder.exclusive(a.back(), b.back()), result.quotient);
  result.remainder = negate_if(builder, a.back(), result.remainder);
  return result;
}

auto shift(GraphBuilder& builder, Shift direction, const Word& a, const Word& distance) -> Word {
  TACET_CHECK(std::has_single_bit(a.size()), "widths are powers of two");
  const Signal fill = direction == Shift::RightArithmetic ? a.back() : kFalse;
  Word result = a;
  for (size_t k = 0; (size_t{1} << k) < a.size() && k < distance.size(); ++k) {
    const size_t by = size_t{1} << k;
    Word moved(a.size(), fill);
    if (direction == Shift::Left) {
      std::copy(result.begin(), result.end() - static_cast<std::ptrdiff_t>(by),
                moved.begin() + static_cast<std::ptrdiff_t>(by));
    } else {
      std::copy(result.begin() + static_cast<std::ptrdiff_t>(by), result.end(), moved.begin());
    }
    result = select(builder, distance[k], moved, result);
  }
  return result;
}

/// How many of an index's bits tell `n` places apart.
static auto n_index_bits(size_t n) -> size_t {
  return static_cast<size_t>(std::bit_width(n - 1));
}

auto one_hot(GraphBuilder& builder, const Word& index, size_t n) -> std::vector<Signal> {
  if (n == 1) {
    return {!any_of(builder, index)};
  }
  if (index.size() == 1) {
    std::vector<Signal> hot = {!index[0], index[0]};
    hot.resize(n, kFalse);
    return hot;
  }
  // Of the lower half and of the upper one, with the bits that no place has.
  const size_t n_low = std::max<size_t>(std::min(n_index_bits(n), index.size()) / 2, 1);
  const auto middle = index.begin() + static_cast<std::ptrdiff_t>(n_low);
  const size_t n_columns = std::min(size_t{1} << n_low, n);
  const std::vector<Signal> low = one_hot(builder, {index.begin(), middle}, n_columns);
  const std::vector<Signal> high =
      one_hot(builder, {middle, index.end()}, (n + n_columns - 1) / n_columns);
  std::vector<Signal> hot;
  for (size_t i = 0; i < n; ++i) {
    hot.push_back(builder.conjunction(high[i / n_columns], low[i % n_columns]));
  }
  return hot;
}

/// Gates of `one_hot` where no bit is known and as many places as the bits have.
static auto one_hot_cost(size_t n_bits) -> size_t {
  return n_bits < 2
             ? 0
             : (size_t{1} << n_bits) + one_hot_cost(n_bits / 2) + one_hot_cost(n_bits - n_bits / 2);
}

/// Gates of `only_one_of`.
static auto only_one_cost(size_t n) -> size_t {
  size_t cost = 0;
  while (n > GraphBuilder::kMostTerms) {
    n = (n + 3 * GraphBuilder::kMostTerms - 1) / (3 * GraphBuilder::kMostTerms);
    cost += n;
  }
  return cost;
}

/// Whether one of some bits is set, of which at most one can be.
static auto only_one_of(GraphBuilder& builder, std::vector<Signal> bits) -> Signal {
  std::erase(bits, kFalse);
  while (bits.size() > GraphBuilder::kMostTerms) {
    // A parity of three takes as many sums.
    std::vector<Signal> sums;
    for (size_t i = 0; i < bits.size(); i += GraphBuilder::kMostTerms) {
      Signal sum = kFalse;
      for (size_t k = i; k < std::min(bits.size(), i + GraphBuilder::kMostTerms); ++k) {
        sum = builder.sum(sum, bits[k]);
      }
      sums.push_back(sum);
    }
    bits.clear();
    for (size_t i = 0; i < sums.size(); i += 3) {
      bits.push_back(builder.parity(sums[i], i + 1 < sums.size() ? sums[i + 1] : kFalse,
                                    i + 2 < sums.size() ? sums[i + 2] : kFalse));
    }
  }
  Signal sum = kFalse;
  for (const Signal bit : bits) {
    sum = builder.sum(sum, bit);
  }
  return sum;
}

auto selected(GraphBuilder& builder, std::span<const Signal> hot, std::span<const Word> words)
    -> Word {
  TACET_CHECK(hot.size() == words.size() && !words.empty(), "one bit for each word");
  Word result;
  for (size_t bit = 0; bit < words[0].size(); ++bit) {
    std::vector<Signal> of_words;
    for (size_t i = 0; i < words.size(); ++i) {
      of_words.push_back(builder.conjunction(hot[i], words[i][bit]));
    }
    result.push_back(only_one_of(builder, of_words));
  }
  return result;
}

/// How many of the index's lowest bits are best decided after the others, if so many bits of a
/// word are not the same in all words. Each takes one gate for each element whatever is decided
/// first.
static auto n_bits_decided_last(size_t n_words, size_t n_varied) -> size_t {
  const size_t n_bits = n_index_bits(n_words);
  size_t best = 0;
  size_t least = SIZE_MAX;
  for (size_t last = 0; last <= n_bits / 2; ++last) {
    const size_t n_columns = size_t{1} << last;
    const size_t n_rows = (n_words + n_columns - 1) / n_columns;
    const size_t n_joined = last == 0 ? 0 : n_columns + only_one_cost(n_columns);
    const size_t cost = one_hot_cost(last) + one_hot_cost(n_bits - last) +
                        n_varied * (n_columns * only_one_cost(n_rows) + n_joined);
    if (cost < least) {
      least = cost;
      best = last;
    }
  }
  return best;
}

/// How many bits of a word are not the same in all words.
static auto n_varied_bits(std::span<const Word> words) -> size_t {
  size_t n = 0;
  for (size_t bit = 0; bit < words[0].size(); ++bit) {
    n += std::all_of(words.begin(), words.end(),
                     [&](const Word& word) { return word[bit] == words[0][bit]; })
             ? 0
             : 1;
  }
  return n;
}

auto read_at(GraphBuilder& builder, const Word& index, std::span<const Word> words) -> Word {
  const size_t n_last =
      std::min(n_bits_decided_last(words.size(), n_varied_bits(words)), index.size() - 1);
  if (n_last == 0) {
    return selected(builder, one_hot(builder, index, words.size()), words);
  }
  const auto middle = index.begin() + static_cast<std::ptrdiff_t>(n_last);
  const size_t n_columns = size_t{1} << n_last;
  const std::vector<Signal> rows =
      one_hot(builder, {middle, index.end()}, (words.size() + n_columns - 1) / n_columns);
  std::vector<Word> of_columns;
  for (size_t column = 0; column < n_columns; ++column) {
    std::vector<Word> of_rows;
    for (size_t at = column; at < words.size(); at += n_columns) {
      of_rows.push_back(words[at]);
    }
    of_columns.push_back(selected(builder, std::span(rows).first(of_rows.size()), of_rows));
  }
  return selected(builder, one_hot(builder, {index.begin(), middle}, n_columns), of_columns);
}

}  // namespace tacet::gates
