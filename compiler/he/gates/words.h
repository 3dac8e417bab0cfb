#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/he/gates/builder.h"

/// Operations on words of bits, the lowest bit first; signed ones are in two's complement. All wrap
/// at the width of their operands, which are equally wide, and have no fault: x / 0 is 0 and x % 0
/// is x, as `engine::total` says. Counts of gates are for unknown operands, and n
/// is the width.
namespace tacet::gates {

using Word = std::vector<Signal>;

enum class Signedness : uint8_t { Unsigned, Signed };

/// The lowest `width` bits of a number.
auto constant(uint64_t value, size_t width) -> Word;

/// The same number with more bits, or its lowest bits.
auto resized(const Word& word, size_t width, Signedness signedness) -> Word;

auto inverted(const Word& word) -> Word;

/// How carries go through a word: along blocks of so many bits, each computed for both carries that
/// may come in; a majority then selects between the two, since a carry never is lost by another
/// one. A block of all bits is a ripple: two gates a bit and n levels. With blocks of b bits there
/// are four gates a bit, but b + n / b + 1 levels. Blocks of 0 bits are of all bits.
struct Carries {
  size_t block = 0;

  friend auto operator==(Carries, Carries) -> bool = default;
};

struct Sum {
  Word bits;
  Signal carry;
};

/// a + b + carry.
auto add(GraphBuilder& builder, const Word& a, const Word& b, Signal carry = kFalse,
         Carries carries = {}) -> Sum;
/// a - b. The carry is set if nothing was borrowed: a >= b without signs.
auto subtract(GraphBuilder& builder, const Word& a, const Word& b, Carries carries = {}) -> Sum;
/// -a. 2 n gates, n levels.
auto negate(GraphBuilder& builder, const Word& a) -> Word;
/// -a if the condition holds, a else. 3 n gates.
auto negate_if(GraphBuilder& builder, Signal condition, const Word& a) -> Word;

/// a < b: n gates and levels; with blocks as in an addition.
auto less(GraphBuilder& builder, const Word& a, const Word& b, Signedness signedness,
          Carries carries = {}) -> Signal;
/// a == b: 2 n gates, 1 + log2 n levels.
auto equal(GraphBuilder& builder, const Word& a, const Word& b) -> Signal;

/// Bit by bit. 2 n gates, 1 level.
auto select(GraphBuilder& builder, Signal condition, const Word& then, const Word& otherwise)
    -> Word;

/// Whether all or some of the bits are set: a tree of n - 1 gates.
auto all_of(GraphBuilder& builder, std::span<const Signal> bits) -> Signal;
auto any_of(GraphBuilder& builder, std::span<const Signal> bits) -> Signal;
/// Whether the number of set bits is odd: a tree of n / 2 gates.
auto odd_of(GraphBuilder& builder, std::span<const Signal> bits) -> Signal;

/// How many of the lowest bits say the value of a word: the others are copies of a sign, or clear.
/// At least 1.
auto significant_bits(const Word& word, Signedness signedness) -> size_t;

/// A sum of words and products, bit by bit: `columns[i]` are bits that count 2^i. Wraps at its
/// width.
class ColumnSum {
 public:
  ColumnSum(GraphBuilder& builder, size_t width) : builder_(builder), columns_(width) {}

  /// Adds the value of a word, which may be narrower or wider than the sum.
  void add(const Word& word, Signedness signedness);
  /// Adds a product of two values. As many gates as the product of their significant bits at most
  /// (Baugh and Wooley, "A two's complement parallel array multiplication algorithm", 1973).
  void add_product(const Word& a, const Word& b, Signedness signedness);
  /// Triples of a column are replaced by their parity and, a column further, their majority, until
  /// two are left in each (Wallace, "A suggestion for a fast multiplier", 1964); then it is an
  /// addition.
  auto finish(Carries carries = {}) -> Word;

 private:
  void add_bit(Signal bit, size_t column);
  void subtract_power(size_t column);

  GraphBuilder& builder_;
  std::vector<std::vector<Signal>> columns_;
  uint64_t constant_[2] = {0, 0};  ///< what is added besides, of at most 128 bits
};

/// The lowest `width` bits of the product of two values. About 3 n²/2 gates.
auto multiply(GraphBuilder& builder, const Word& a, const Word& b, Signedness signedness,
              size_t width, Carries carries = {}) -> Word;

struct Division {
  Word quotient;
  Word remainder;
};

/// Restoring division, rounding towards zero. About 3 n² gates; n subtractions in sequence.
auto divide(GraphBuilder& builder, const Word& a, const Word& b, Signedness signedness,
            Carries carries = {}) -> Division;

enum class Shift : uint8_t { Left, Right, RightArithmetic };

/// By a distance modulo the width, which is a power of two. 2 n log2 n gates, log2 n levels.
auto shift(GraphBuilder& builder, Shift direction, const Word& a, const Word& distance) -> Word;

/// Which of `n` an index without sign is: one bit for each. None is set if the index is beyond
/// them. Little more than a gate for each of `n`; as many levels as the number of bits has bits.
auto one_hot(GraphBuilder& builder, const Word& index, size_t n) -> std::vector<Signal>;

/// The word whose bit of `hot` is set, of which at most one is; 0 if none is. Little more than a
/// gate for each bit of a word.
auto selected(GraphBuilder& builder, std::span<const Signal> hot, std::span<const Word> words)
    -> Word;

/// The word at an index without sign; 0 if it is beyond them. There must be one. The index's upper
/// bits choose a row of the words, then the lower ones in it, by as many of each as take the fewest
/// gates. Of n words in plaintext that is about 4 sqrt n gates, and a few for each bit of a word in
/// each column, instead of n.
auto read_at(GraphBuilder& builder, const Word& index, std::span<const Word> words) -> Word;

}  // namespace tacet::gates
