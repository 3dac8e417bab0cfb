#include "engine/mpc/rep4/rep4_protocol.h"

/// Truncation. The secret, moved up by a quarter of the ring (`truncation_offset`) so that it is
/// not negative, is a + b - w 2^k with a number a of two parties and a number b of both others. As
/// its top bit is zero, w is the disjunction of the top bits of a and b, s + t - s t. So x / 2^f
/// is, but for rounding,
///
///     a / 2^f - s 2^(k-f)  +  b / 2^f - t 2^(k-f)  +  s t 2^(k-f)  -  offset / 2^f
///
/// of which two parties know the first two terms, and s, and both others the next two, and t. All
/// of these are shared; of s and t only f bits matter, and of their product. One quotient is
/// rounded down and one up: the error is less than one, and zero on average over uniform parts.
///
/// Nothing is opened and nothing can fail: also with a liar it is right, or a check finds the lie.
namespace tacet::mpc {

namespace {

/// What the parties that know a sum share: the quotient less the weight of its top bit, and the
/// bit.
struct Quotients {
  RingArray quotient;
  RingArray top;
};

auto quotients_of(const RingArray& x, unsigned f) -> Quotients {
  if (x.size() == 0) {
    return {};
  }
  const unsigned bits = n_bits(x.ring());
  Quotients result;
  result.top = shift_right(x, bits - 1);
  result.quotient = subtract(shift_right(x, f), shift_left(result.top, bits - f));
  return result;
}

/// The same with a quotient that is rounded up.
auto quotients_up(const RingArray& x, unsigned f) -> Quotients {
  Quotients result = quotients_of(x, f);
  if (x.size() > 0) {
    with_word(x.ring(), [&]<class T>(std::type_identity<T>) {
      const T* from = x.words<T>().data();
      const std::span<T> to = result.quotient.edit<T>();
      const T rest = static_cast<T>((T{1} << f) - 1);
      for (size_t i = 0; i < to.size(); ++i) {
        to[i] = static_cast<T>(to[i] + ((from[i] & rest) != 0 ? 1 : 0));
      }
    });
  }
  return result;
}

}  // namespace

auto Rep4::truncate(Party& party, Share x, unsigned f, Truncation /*how*/) -> Task<Share> {
  const Party::Scope scope = party.scope("trunc_s");
  const Ring ring = x.ring();
  const size_t n = x.size();
  const unsigned bits = n_bits(ring);
  TACET_CHECK(f > 0 && f < bits - 1, "a truncation by all bits or none");
  const Split split = next_split();
  TwoSums sums = sums_of(party, split, x);
  const Word128 offset = truncation_offset(bits, f);
  if (split.first.knows(party.rank())) {
    sums.first = mpc::add_constant(sums.first, offset);
  }
  const Quotients first = quotients_of(sums.first, f);
  const Quotients second = quotients_up(sums.second, f);

  const WordsForm whole = WordsForm::of(ring, n);
  const WordsForm weighted{.ring = ring, .n = n, .n_bits = f, .shift = bits - f};
  const WordsForm plain{.ring = ring, .n = n, .n_bits = f, .shift = 0};
  JointSharing<WordsForm> sharing(party, *messages_);
  const size_t quotient = sharing.begin(whole.zeros(party));
  const size_t top_of_first = sharing.begin(whole.zeros(party));
  const size_t top_of_second = sharing.begin(whole.zeros(party));
  sharing.add(quotient, split.first, first.quotient, whole);
  sharing.add(quotient, split.second, second.quotient, whole);
  sharing.add(top_of_first, split.first, first.top, weighted);
  sharing.add(top_of_second, split.second, second.top, plain);
  std::vector<Share> shared = co_await sharing.finish();

  JointSharing<WordsForm> products(party, *messages_);
  const size_t result =
      products.begin(add_constant(party, std::move(shared[quotient]), 0 - (offset >> f)));
  // Of one step whole words are masked, so that no two parts add up to a quotient.
  bool is_first = true;
  for (const JointStep& step : cross_steps(split)) {
    RingArray cross;
    if (step.knows(party.rank())) {
      cross = cross_product(party, step, shared[top_of_first], shared[top_of_second]);
      cross = is_first ? cross : shift_right(cross, bits - f);
    }
    products.add(result, step, cross, is_first ? whole : weighted);
    is_first = false;
  }
  std::vector<Share> results = co_await products.finish();
  co_return std::move(results[result]);
}

}  // namespace tacet::mpc
