#include <array>

#include "engine/mpc/aby3/aby3_protocol.h"
#include "engine/mpc/uniform.h"

namespace tacet::mpc {

namespace {

/// The key stream of a part, for drawing permutations.
class KeyStream final : public secure_random::RandomStream {
 public:
  explicit KeyStream(secure_random::AesCtr& key) : key_(key) {}
  void fill(std::span<std::byte> bytes) override { key_.fill(bytes); }

 private:
  secure_random::AesCtr& key_;
};

/// The part that parties i and j both hold: i - 1 and i hold part i.
auto common_part(Rank i, Rank j) -> Rank {
  return (i + 1) % kParties == j ? j : i;
}

/// The factors are those of pairs AC, AB and CB for some order of parties. A has the sum a of its
/// two parts, B and C the third part b. A and C apply the first factor and mask: a + m, b - m. C
/// sends its sum to B, so that A and B can apply the second one, under another mask; then A sends
/// its sum to C, and C and B apply the third one. Now B and C have the sum, and make replicated
/// shares of it: part AB and part AC are key streams, and what is missing is sent to each other.
class PermuteRun {
 public:
  /// All of them outlive it.
  PermuteRun(Party& party, PartKeys& keys, const SecretPermutation& permutation,
             const std::vector<Share>& arrays, Direction direction)
      : party_(party),
        keys_(keys),
        permutation_(permutation),
        arrays_(arrays),
        is_forward_(direction == Direction::Forward) {}

  auto run() -> Task<std::vector<Share>> {
    begin();
    return party_.rank() == a_ ? finish_first() : finish_last();
  }

 private:
  [[nodiscard]] auto apply(const RingArray& x, size_t step) const -> RingArray {
    const std::vector<uint32_t>& places = permutation_.factors[is_forward_ ? step : 2 - step];
    return is_forward_ ? scatter(x, places) : gather(x, places);
  }
  [[nodiscard]] auto key_of(Rank part) const -> size_t { return part == party_.rank() ? 0 : 1; }
  auto draw(Rank part, const RingArray& like) -> RingArray {
    return keys_.words(party_, key_of(part), like.ring(), like.size());
  }
  [[nodiscard]] auto as_share(const std::array<RingArray, 3>& parts) const -> Share {
    return Share(parts[party_.rank()], parts[party_.other(1)]);
  }

  void begin();
  auto finish_first() -> Task<std::vector<Share>>;
  auto finish_last() -> Task<std::vector<Share>>;

  Party& party_;
  PartKeys& keys_;
  const SecretPermutation& permutation_;
  const std::vector<Share>& arrays_;
  bool is_forward_;
  Rank a_ = is_forward_ ? 0 : 1;
  Rank b_ = is_forward_ ? 1 : 0;
  Rank c_ = 2;
  Rank part_ab_ = common_part(a_, b_);
  Rank part_ac_ = common_part(a_, c_);
  Rank part_bc_ = common_part(b_, c_);
  std::vector<RingArray> masks_;  ///< of b, for the second step
  std::vector<RingArray> sums_;   ///< of this party: of a, or of what b became
};

/// Up to what is sent in the first round. Masks are drawn where both parties are in the same round:
/// another task may draw in the next.
void PermuteRun::begin() {
  for (const Share& array : arrays_) {
    TACET_CHECK(array.size() == permutation_.n, "a permutation of another size");
    if (party_.rank() == a_) {
      RingArray sum = apply(add(array.parts[0], array.parts[1]), 0);
      sum = apply(add(sum, draw(part_ac_, sum)), 1);
      sum = add(sum, draw(part_ab_, sum));
      party_.send(c_, sum.bytes());
    } else if (party_.rank() == c_) {
      RingArray sum = apply(array.parts[key_of(part_bc_)], 0);
      sum = subtract(sum, draw(part_ac_, sum));
      party_.send(b_, sum.bytes());
    } else {
      masks_.push_back(draw(part_ab_, array.parts[0]));
    }
    sums_.push_back(array.parts[0].like());
  }
}

/// A's rest: its parts of the results are key streams.
auto PermuteRun::finish_first() -> Task<std::vector<Share>> {
  co_await party_.next_round();
  std::vector<Share> results;
  for (const Share& array : arrays_) {
    std::array<RingArray, 3> parts;
    parts[part_ab_] = draw(part_ab_, array.parts[0]);
    parts[part_ac_] = draw(part_ac_, array.parts[0]);
    results.push_back(as_share(parts));
  }
  co_await party_.next_round();
  co_return results;
}

/// The rest of B and C, which have the sum in the end.
auto PermuteRun::finish_last() -> Task<std::vector<Share>> {
  const bool is_b = party_.rank() == b_;
  const Rank peer = is_b ? c_ : b_;
  const Rank keyed_part = is_b ? part_ab_ : part_ac_;
  std::vector<Receipt> receipts;
  for (RingArray& sum : sums_) {
    receipts.push_back({.from = is_b ? c_ : a_, .into = sum.edit_bytes()});
  }
  co_await party_.receive(std::move(receipts));
  std::vector<std::array<RingArray, 3>> all_parts(arrays_.size());
  std::vector<RingArray> missing;
  if (is_b) {
    for (size_t i = 0; i < arrays_.size(); ++i) {
      sums_[i] = subtract(apply(sums_[i], 1), masks_[i]);
    }
  }
  for (size_t i = 0; i < arrays_.size(); ++i) {
    all_parts[i][keyed_part] = draw(keyed_part, sums_[i]);
    sums_[i] = subtract(apply(sums_[i], 2), all_parts[i][keyed_part]);
    party_.send(peer, sums_[i].bytes());
    missing.push_back(sums_[i].like());
  }
  receipts = {};
  for (RingArray& theirs : missing) {
    receipts.push_back({.from = peer, .into = theirs.edit_bytes()});
  }
  co_await party_.receive(std::move(receipts));
  std::vector<Share> results;
  for (size_t i = 0; i < arrays_.size(); ++i) {
    all_parts[i][part_bc_] = add(sums_[i], missing[i]);
    results.push_back(as_share(all_parts[i]));
  }
  co_return results;
}

}  // namespace

// Factor i is known to those who hold part i.
auto Aby3::random_permutation(Party& party, size_t n) -> Task<SecretPermutation> {
  SecretPermutation permutation{.n = n, .factors = {}};
  permutation.factors.resize(kParties);
  for (size_t i = 0; i < 2; ++i) {
    KeyStream stream(keys_->of_part(i));
    permutation.factors[party.other(static_cast<Rank>(i))] = uniform_permutation(stream, n);
  }
  co_return permutation;
}

auto Aby3::permute(Party& party, SecretPermutation permutation, std::vector<Share> arrays,
                   Direction direction) -> Task<std::vector<Share>> {
  const Party::Scope scope = party.scope("permute");
  PermuteRun run(party, *keys_, permutation, arrays, direction);
  co_return co_await run.run();
}

}  // namespace tacet::mpc
