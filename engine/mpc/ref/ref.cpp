#include "engine/mpc/ref/ref.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/mpc/uniform.h"

namespace tacet::mpc {

namespace {

class Ref final : public Protocol {
 public:
  auto name() const -> std::string_view override { return "ref"; }
  auto n_parts() const -> uint8_t override { return 1; }

  /// Everybody takes the randomness of party 0.
  auto start(Party& party) -> Task<> override {
    secure_random::PublicSeed seed = secure_random::PublicSeed::draw(party.random());
    co_await broadcast(party, 0, std::as_writable_bytes(std::span(seed.bytes)));
    random_.emplace(seed, 0, best_isa());
    co_return kDone;
  }

  auto share(Party& party, Rank owner, RingArray values, Ring ring, size_t n)
      -> Task<Share> override {
    if (party.rank() != owner) {
      values = RingArray(ring, n, party.memory());
    }
    TACET_CHECK(values.ring() == ring && values.size() == n, "not the values that were announced");
    co_await broadcast(party, owner, values.edit_bytes());
    co_return Share(std::move(values));
  }

  auto share_bits(Party& party, Rank owner, BitPlanes values, unsigned width, size_t n)
      -> Task<Bits> override {
    std::vector<std::byte> packed(BitPlanes::packed_size(width, n));
    if (party.rank() == owner) {
      pack(values, packed);
    }
    co_await broadcast(party, owner, packed);
    co_return Bits(unpack(packed, width, n, party.memory()));
  }

  auto constant_part(const Party& /*party*/) const -> std::optional<size_t> override { return 0; }

  auto random_share(Party& party, Ring ring, size_t n) -> Task<Share> override {
    RingArray values(ring, n, party.memory());
    random_->fill(values.edit_bytes());
    co_return Share(std::move(values));
  }
  auto random_bits(Party& party, unsigned width, size_t n) -> Task<Bits> override {
    BitPlanes values(width, n, party.memory());
    random_->fill_words(values.edit());
    co_return Bits(std::move(values));
  }

  auto open_checked(Party& party, Checked /*checked*/, Share x, unsigned count,
                    std::optional<Rank> receiver) -> Task<RingArray> override {
    co_return receiver.value_or(party.rank()) == party.rank() ? low_bits(x.parts[0], count)
                                                              : RingArray();
  }
  auto open_bits_checked(Party& party, Checked /*checked*/, Bits x, std::optional<Rank> receiver)
      -> Task<BitPlanes> override {
    co_return receiver.value_or(party.rank()) == party.rank() ? x.parts[0] : BitPlanes();
  }

  auto multiply(Party& /*party*/, Share x, Share y) -> Task<Share> override {
    co_return Share(mpc::multiply(x.parts[0], y.parts[0]));
  }
  auto dot(Party& /*party*/, Share x, Share y, size_t length) -> Task<Share> override {
    co_return Share(dot_rows(x.parts[0], y.parts[0], length));
  }
  auto multiply_matrices(Party& /*party*/, Share x, Share y, MatrixShape shape)
      -> Task<Share> override {
    co_return Share(mpc::multiply_matrices(x.parts[0], y.parts[0], shape));
  }
  auto conjunction(Party& /*party*/, Bits x, Bits y) -> Task<Bits> override {
    co_return Bits(mpc::conjunction(x.parts[0], y.parts[0]));
  }

  auto summands(Party& /*party*/, Share x, unsigned width) -> Task<std::vector<Bits>> override {
    std::vector<Bits> terms;
    terms.emplace_back(to_planes(x.parts[0], width));
    co_return terms;
  }
  auto bits_to_arithmetic(Party& /*party*/, Bits x, Ring ring) -> Task<Share> override {
    co_return Share(from_planes(x.parts[0], ring));
  }
  auto truncate(Party& /*party*/, Share x, unsigned f, Truncation /*how*/) -> Task<Share> override {
    co_return Share(shift_right_arithmetic(x.parts[0], f));
  }

  auto random_permutation(Party& /*party*/, size_t n) -> Task<SecretPermutation> override {
    SecretPermutation permutation{.n = n, .factors = {}};
    permutation.factors.push_back(uniform_permutation(*random_, n));
    co_return permutation;
  }
  auto permute(Party& /*party*/, SecretPermutation permutation, std::vector<Share> arrays,
               Direction direction) -> Task<std::vector<Share>> override {
    const std::vector<uint32_t>& places = permutation.factors[0];
    for (Share& array : arrays) {
      array = direction == Direction::Forward ? scatter(array, places) : gather(array, places);
    }
    co_return arrays;
  }

 private:
  /// `bytes` of `owner` to all.
  static auto broadcast(Party& party, Rank owner, std::span<std::byte> bytes) -> Task<> {
    if (party.rank() == owner) {
      for (Rank distance = 1; distance < party.n_parties(); ++distance) {
        party.send(party.other(distance), bytes);
      }
      co_await party.next_round();
    } else {
      co_await party.receive(owner, bytes);
    }
    co_return kDone;
  }

  std::optional<secure_random::SeedExpander> random_;
};

}  // namespace

auto make_ref() -> std::unique_ptr<Protocol> {
  return std::make_unique<Ref>();
}

}  // namespace tacet::mpc
