#include "engine/mpc/semi2k/semi2k.h"

#include <algorithm>
#include <utility>

#include "engine/mpc/semi2k/beaver_loops.h"
#include "engine/mpc/semi2k/semi2k_state.h"
#include "engine/mpc/word_bytes.h"

namespace tacet::mpc {
namespace {

class Semi2k final : public Protocol {
 public:
  explicit Semi2k(std::unique_ptr<Correlations> correlations) {
    state_.correlations = std::move(correlations);
  }

  auto name() const -> std::string_view override { return "semi2k"; }
  auto log_slack(const Party& party) const -> std::optional<double> override {
    return state_.correlations->log_slack(party);
  }
  auto n_parts() const -> uint8_t override { return 1; }

  auto start(Party& party) -> Task<> override {
    TACET_CHECK(party.n_parties() >= 2, "semi2k needs two parties");
    co_await state_.seeds.start(party);
    co_await state_.correlations->start(party);
    co_return kDone;
  }

  /// The others' shares are what they have in common with the owner; it keeps the rest.
  auto share(Party& party, Rank owner, RingArray values, Ring ring, size_t n)
      -> Task<Share> override {
    const uint64_t draw = state_.seeds.next();
    RingArray common(ring, n, party.memory());
    if (party.rank() != owner) {
      state_.seeds.fill(draw, owner, common.edit_bytes());
      co_return Share(std::move(common));
    }
    TACET_CHECK(values.ring() == ring && values.size() == n, "not the values that were announced");
    for (Rank distance = 1; distance < party.n_parties(); ++distance) {
      state_.seeds.fill(draw, party.other(distance), common.edit_bytes());
      values = subtract(values, common);
    }
    co_return Share(std::move(values));
  }

  auto share_bits(Party& party, Rank owner, BitPlanes values, unsigned width, size_t n)
      -> Task<Bits> override {
    const uint64_t draw = state_.seeds.next();
    BitPlanes common(width, n, party.memory());
    if (party.rank() != owner) {
      state_.seeds.fill(draw, owner, std::as_writable_bytes(common.edit()));
      co_return Bits(std::move(common));
    }
    TACET_CHECK(values.width() == width && values.size() == n,
                "not the values that were announced");
    for (Rank distance = 1; distance < party.n_parties(); ++distance) {
      state_.seeds.fill(draw, party.other(distance), std::as_writable_bytes(common.edit()));
      values = exclusive_or(values, common);
    }
    co_return Bits(std::move(values));
  }

  auto constant_part(const Party& party) const -> std::optional<size_t> override {
    return party.rank() == 0 ? std::optional<size_t>(0) : std::nullopt;
  }

  auto random_share(Party& party, Ring ring, size_t n) -> Task<Share> override {
    RingArray own(ring, n, party.memory());
    party.random().fill(own.edit_bytes());
    co_return Share(std::move(own));
  }
  auto random_bits(Party& party, unsigned width, size_t n) -> Task<Bits> override {
    BitPlanes own(width, n, party.memory());
    party.random().fill(std::as_writable_bytes(own.edit()));
    co_return Bits(std::move(own));
  }

  /// Shares of zero are added before, so that what is shown has nothing of where the shares came
  /// from.
  auto open_checked(Party& party, Checked /*checked*/, Share x, unsigned n_bits,
                    std::optional<Rank> receiver) -> Task<RingArray> override {
    RingArray own = std::move(x.parts[0]);
    state_.seeds.add_zero(party, own);
    std::vector<std::byte> packed(cut_size(n_bits) * own.size());
    cut_words(own, n_bits, packed);
    std::vector<std::vector<std::byte>> theirs =
        co_await send_to(party, receiver, std::move(packed));
    if (receiver.value_or(party.rank()) != party.rank()) {
      co_return RingArray();
    }
    for (const std::vector<std::byte>& bytes : theirs) {
      own = add(own, uncut_words(bytes, n_bits, own.ring(), own.size(), party.memory()));
    }
    co_return low_bits(own, n_bits);
  }

  auto open_bits_checked(Party& party, Checked /*checked*/, Bits x, std::optional<Rank> receiver)
      -> Task<BitPlanes> override {
    std::vector<std::byte> sum(x.parts[0].n_packed_bytes());
    pack(x.parts[0], sum);
    state_.seeds.add_zero(party, std::span(sum));
    std::vector<std::vector<std::byte>> theirs = co_await send_to(party, receiver, sum);
    if (receiver.value_or(party.rank()) != party.rank()) {
      co_return BitPlanes();
    }
    for (const std::vector<std::byte>& bytes : theirs) {
      exclusive_or_into(sum.data(), bytes.data(), sum.size());
    }
    co_return unpack(sum, x.width(), x.size(), party.memory());
  }

  auto multiply(Party& party, Share x, Share y) -> Task<Share> override {
    return semi2k_multiply(party, state_, std::move(x), std::move(y));
  }
  auto square(Party& party, Share x) -> Task<Share> override {
    return semi2k_square(party, state_, std::move(x));
  }
  auto dot(Party& party, Share x, Share y, size_t length) -> Task<Share> override {
    Share products = co_await semi2k_multiply(party, state_, std::move(x), std::move(y));
    co_return sum_rows(products, length);
  }
  auto multiply_matrices(Party& party, Share x, Share y, MatrixShape shape)
      -> Task<Share> override {
    return semi2k_multiply_matrices(party, state_, std::move(x), std::move(y), shape);
  }
  auto conjunction(Party& party, Bits x, Bits y) -> Task<Bits> override {
    return semi2k_conjunction(party, state_, std::move(x), std::move(y));
  }

  /// Each party's share is a summand.
  auto summands(Party& party, Share x, unsigned width) -> Task<std::vector<Bits>> override {
    std::vector<Bits> terms;
    for (Rank owner = 0; owner < party.n_parties(); ++owner) {
      terms.push_back(owner == party.rank() ? Bits(to_planes(x.parts[0], width))
                                            : zero_bits(1, width, x.size(), party.memory()));
    }
    co_return terms;
  }

  /// Each of two parties knows its summand.
  auto half_sum(Party& party, Share x, unsigned width) -> Task<HalfSum> override {
    if (party.n_parties() > 2) {
      HalfSum half = co_await Protocol::half_sum(party, std::move(x), width);
      co_return half;
    }
    BitPlanes own = to_planes(x.parts[0], width);
    Bits carry = co_await semi2k_cross_conjunction(party, state_, own);
    co_return HalfSum{.sum = Bits(std::move(own)), .carry = std::move(carry)};
  }

  auto bits_to_arithmetic(Party& party, Bits x, Ring ring) -> Task<Share> override {
    const size_t n = x.size();
    const unsigned width = x.width();
    const Share each = co_await each_bit_to_arithmetic(party, std::move(x), ring);
    Share sum = zero_share(1, ring, n, party.memory());
    for (unsigned p = 0; p < width; ++p) {
      sum = add(sum, scale(slice(each, p * n, n), Word128{1} << p));
    }
    co_return sum;
  }

  auto each_bit_to_arithmetic(Party& party, Bits x, Ring ring) -> Task<Share> override {
    std::vector<BitPlanes> planes;
    for (unsigned p = 0; p < x.width(); ++p) {
      planes.push_back(plane_range(x.parts[0], p, 1));
    }
    RingArray numbers = co_await semi2k_bits_to_numbers(party, state_, concatenate(planes), ring);
    co_return Share(std::move(numbers));
  }

  auto truncate(Party& party, Share x, unsigned f, Truncation how) -> Task<Share> override {
    if (how == Truncation::Probabilistic && party.n_parties() == 2) {
      // Uniform before, whatever was done to them locally; fresh afterwards.
      state_.seeds.add_zero(party, x.parts[0]);
      RingArray result = semi2k_truncate_locally(party, x.parts[0], f);
      state_.seeds.add_zero(party, result);
      co_return Share(std::move(result));
    }
    RingArray result = co_await semi2k_truncate(party, state_, std::move(x.parts[0]), f);
    co_return Share(std::move(result));
  }

  auto random_permutation(Party& party, size_t n) -> Task<SecretPermutation> override {
    SecretPermutation permutation{.n = n, .factors = {}};
    permutation.factors.resize(party.n_parties());
    permutation.factors[party.rank()] =
        state_.correlations->draw_permutation(party, n, &permutation.number);
    co_return permutation;
  }
  auto permute(Party& party, SecretPermutation permutation, std::vector<Share> arrays,
               Direction direction) -> Task<std::vector<Share>> override {
    return semi2k_permute(party, state_, std::move(permutation), std::move(arrays), direction);
  }

 private:
  /// `bytes` to everybody or to `receiver`, and what came from the others. One round.
  static auto send_to(Party& party, std::optional<Rank> receiver, std::vector<std::byte> bytes)
      -> Task<std::vector<std::vector<std::byte>>> {
    std::vector<std::vector<std::byte>> theirs;
    std::vector<Receipt> receipts;
    for (Rank distance = 1; distance < party.n_parties(); ++distance) {
      const Rank other = party.other(distance);
      if (receiver.value_or(other) == other) {
        party.send(other, bytes);
      }
      if (receiver.value_or(party.rank()) == party.rank()) {
        theirs.emplace_back(bytes.size());
        receipts.push_back({.from = other, .into = theirs.back()});
      }
    }
    co_await party.receive(std::move(receipts));
    co_return theirs;
  }

  Semi2kState state_;
};

}  // namespace

auto make_semi2k(std::unique_ptr<Correlations> correlations) -> std::unique_ptr<Protocol> {
  return std::make_unique<Semi2k>(std::move(correlations));
}

}  // namespace tacet::mpc
