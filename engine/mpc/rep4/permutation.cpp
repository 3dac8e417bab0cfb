#include <array>

#include "engine/mpc/rep4/rep4_protocol.h"
#include "engine/mpc/uniform.h"

namespace tacet::mpc {

namespace {

/// The key stream of a part, for drawing permutations.
class PartStream final : public secure_random::RandomStream {
 public:
  explicit PartStream(secure_random::AesCtr& key) : key_(key) {}
  void fill(std::span<std::byte> bytes) override { key_.fill(bytes); }

 private:
  secure_random::AesCtr& key_;
};

/// Of a factor that party m lacks: part p is known to the two others, q and s, and so is what it
/// becomes; party m gets it under a mask that it does not know.
auto steps_without(Rank m) -> std::array<JointStep, 3> {
  const auto party = [m](Rank distance) { return (m + distance) % kRep4Parties; };
  return {{{.sent = party(1), .keyed = m, .sender = party(2), .voucher = party(3)},
           {.sent = party(2), .keyed = m, .sender = party(3), .voucher = party(1)},
           {.sent = party(3), .keyed = m, .sender = party(1), .voucher = party(2)}}};
}

/// Applies a factor: the parts that party m has are shared anew. Part m is known to those who know
/// the factor, and stays where it is.
auto apply_factor(Party& party, JointMessages& messages, Rank m,
                  const std::vector<uint32_t>& places, std::vector<Share> arrays,
                  Direction direction) -> Task<std::vector<Share>> {
  const Rank own = party.rank();
  const auto moved = [&](const RingArray& x) {
    return direction == Direction::Forward ? scatter(x, places) : gather(x, places);
  };
  JointSharing<WordsForm> sharing(party, messages);
  for (const Share& array : arrays) {
    const WordsForm form = WordsForm::of(array.ring(), array.size());
    Share sum = form.zeros(party);
    if (own != m) {
      const size_t slot = slot_of(own, m);
      sum.parts[slot] = moved(array.parts[slot]);
    }
    const size_t result = sharing.begin(std::move(sum));
    for (const JointStep& step : steps_without(m)) {
      const RingArray part =
          step.knows(own) ? moved(array.parts[slot_of(own, step.sent)]) : RingArray();
      sharing.add(result, step, part, form);
    }
  }
  std::vector<Share> results = co_await sharing.finish();
  co_return results;
}

}  // namespace

// Factor m is known to all but party m.
auto Rep4::random_permutation(Party& party, size_t n) -> Task<SecretPermutation> {
  SecretPermutation permutation{.n = n, .factors = {}};
  permutation.factors.resize(kRep4Parties);
  for (Rank part = 0; part < kRep4Parties; ++part) {
    if (part != party.rank()) {
      PartStream stream(messages_->key(part));
      permutation.factors[part] = uniform_permutation(stream, n);
    }
  }
  co_return permutation;
}

auto Rep4::permute(Party& party, SecretPermutation permutation, std::vector<Share> arrays,
                   Direction direction) -> Task<std::vector<Share>> {
  const Party::Scope scope = party.scope("permute");
  for (const Share& array : arrays) {
    TACET_CHECK(array.size() == permutation.n, "a permutation of another size");
  }
  for (Rank i = 0; i < kRep4Parties; ++i) {
    const Rank factor = direction == Direction::Forward ? i : kRep4Parties - 1 - i;
    arrays = co_await apply_factor(party, *messages_, factor, permutation.factors[factor],
                                   std::move(arrays), direction);
  }
  co_return arrays;
}

}  // namespace tacet::mpc
