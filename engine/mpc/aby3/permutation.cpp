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

}  // namespace

// Factor i is known to those who hold part i.
auto Aby3::random_permutation(Party& party, size_t n) -> Task<SecretPermutation> {
  SecretPermutation permutation{.n = n, .factors = {}};
  permutation.factors.resize(kParties);
  for (size_t i = 0; i < 2; ++i) {
    KeyStream stream(key(i));
    permutation.factors[party.other(static_cast<Rank>(i))] = uniform_permutation(stream, n);
  }
  co_return permutation;
}

// The factors are those of pairs AC, AB and CB for some order of parties. A has the sum a of its
// two parts, B and C the third part b. A and C apply the first factor and mask: a + m, b - m. C
// sends its sum to B, so that A and B can apply the second one, under another mask; then A sends
// its sum to C, and C and B apply the third one. Now B and C have the sum, and make replicated
// shares of it: part AB and part AC are key streams, and what is missing is sent to each other.
auto Aby3::permute(Party& party, SecretPermutation permutation, std::vector<Share> arrays,
                   Direction direction) -> Task<std::vector<Share>> {
  const Party::Scope scope = party.scope("permute");
  const bool is_forward = direction == Direction::Forward;
  const std::array<Rank, 3> factors =
      is_forward ? std::array<Rank, 3>{0, 1, 2} : std::array<Rank, 3>{2, 1, 0};
  const Rank a = is_forward ? 0 : 1;
  const Rank c = 2;
  const Rank b = is_forward ? 1 : 0;
  auto apply = [&](const RingArray& x, size_t step) {
    const std::vector<uint32_t>& places = permutation.factors[factors[step]];
    return is_forward ? scatter(x, places) : gather(x, places);
  };
  auto key_of = [&](Rank part) -> size_t { return part == party.rank() ? 0 : 1; };
  auto draw = [&](Rank part, const RingArray& like) {
    return keyed_words(party, key_of(part), like.ring(), like.size());
  };
  const Rank part_ab = common_part(a, b);
  const Rank part_ac = common_part(a, c);
  const Rank part_bc = common_part(b, c);
  auto as_share = [&](const std::array<RingArray, 3>& parts) {
    return Share(parts[party.rank()], parts[party.other(1)]);
  };

  // Masks are drawn where both parties are in the same round: another task may draw in the next.
  std::vector<RingArray> masks;  // of b, for the second step
  std::vector<RingArray> sums;   // of this party: of a, or of what b became
  for (const Share& array : arrays) {
    TACET_CHECK(array.size() == permutation.n, "a permutation of another size");
    if (party.rank() == a) {
      RingArray sum = apply(add(array.parts[0], array.parts[1]), 0);
      sum = apply(add(sum, draw(part_ac, sum)), 1);
      sum = add(sum, draw(part_ab, sum));
      party.send(c, sum.bytes());
    } else if (party.rank() == c) {
      RingArray sum = apply(array.parts[key_of(part_bc)], 0);
      sum = subtract(sum, draw(part_ac, sum));
      party.send(b, sum.bytes());
    } else {
      masks.push_back(draw(part_ab, array.parts[0]));
    }
    sums.push_back(array.parts[0].like());
  }

  std::vector<Share> results;
  if (party.rank() == a) {
    co_await party.next_round();
    for (const Share& array : arrays) {
      std::array<RingArray, 3> parts;
      parts[part_ab] = draw(part_ab, array.parts[0]);
      parts[part_ac] = draw(part_ac, array.parts[0]);
      results.push_back(as_share(parts));
    }
    co_await party.next_round();
    co_return results;
  }

  const Rank peer = party.rank() == b ? c : b;
  const Rank keyed_part = party.rank() == b ? part_ab : part_ac;
  std::vector<Receipt> receipts;
  for (RingArray& sum : sums) {
    receipts.push_back({.from = party.rank() == b ? c : a, .into = sum.edit_bytes()});
  }
  co_await party.receive(std::move(receipts));
  std::vector<std::array<RingArray, 3>> all_parts(arrays.size());
  std::vector<RingArray> missing;
  if (party.rank() == b) {
    for (size_t i = 0; i < arrays.size(); ++i) {
      sums[i] = subtract(apply(sums[i], 1), masks[i]);
    }
  }
  for (size_t i = 0; i < arrays.size(); ++i) {
    all_parts[i][keyed_part] = draw(keyed_part, sums[i]);
    sums[i] = subtract(apply(sums[i], 2), all_parts[i][keyed_part]);
    party.send(peer, sums[i].bytes());
    missing.push_back(sums[i].like());
  }
  receipts = {};
  for (RingArray& theirs : missing) {
    receipts.push_back({.from = peer, .into = theirs.edit_bytes()});
  }
  co_await party.receive(std::move(receipts));
  for (size_t i = 0; i < arrays.size(); ++i) {
    all_parts[i][part_bc] = add(sums[i], missing[i]);
    results.push_back(as_share(all_parts[i]));
  }
  co_return results;
}

}  // namespace tacet::mpc
