#include "engine/mpc/rep4/joint_sharing.h"

#include "engine/mpc/word_bytes.h"

namespace tacet::mpc {

auto WordsForm::n_bytes() const -> size_t {
  return n * cut_size(n_bits);
}

auto WordsForm::zeros(const Party& party) const -> Share {
  return zero_share(kRep4Parties - 1, ring, n, party.memory());
}

auto WordsForm::draw(const Party& party, secure_random::AesCtr& key) const -> RingArray {
  RingArray words(ring, n, party.memory());
  key.fill(words.edit_bytes());
  return words;
}

// Of bits that do not count, the receiver knows nothing: nobody may keep them.
auto WordsForm::minus(const RingArray& x, const RingArray& mask) const -> RingArray {
  RingArray rest = subtract(x, mask);
  return n_bits < mpc::n_bits(ring) ? low_bits(rest, n_bits) : rest;
}

void WordsForm::accumulate(RingArray& sum, const RingArray& x) {
  with_word(sum.ring(), [&]<class T>(std::type_identity<T>) {
    const std::span<T> to = sum.edit<T>();
    const T* from = x.words<T>().data();
    for (size_t i = 0; i < to.size(); ++i) {
      to[i] += from[i];
    }
  });
}

auto WordsForm::placed(const RingArray& x) const -> RingArray {
  return shift == 0 ? x : shift_left(x, shift);
}

void WordsForm::write(const RingArray& x, std::span<std::byte> out) const {
  cut_words(x, n_bits, out);
}

auto WordsForm::read(const Party& party, std::span<const std::byte> bytes) const -> RingArray {
  RingArray words = uncut_words(bytes, n_bits, ring, n, party.memory());
  return n_bits < mpc::n_bits(ring) ? low_bits(words, n_bits) : words;
}

auto PlanesForm::n_bytes() const -> size_t {
  return BitPlanes::packed_size(width, n);
}

auto PlanesForm::zeros(const Party& party) const -> Bits {
  return zero_bits(kRep4Parties - 1, width, n, party.memory());
}

auto PlanesForm::draw(const Party& party, secure_random::AesCtr& key) const -> BitPlanes {
  BitPlanes planes(width, n, party.memory());
  key.fill(std::as_writable_bytes(planes.edit()));
  return planes;
}

auto PlanesForm::minus(const BitPlanes& x, const BitPlanes& mask) -> BitPlanes {
  return exclusive_or(x, mask);
}

void PlanesForm::accumulate(BitPlanes& sum, const BitPlanes& x) {
  const std::span<uint64_t> to = sum.edit();
  const uint64_t* from = x.words().data();
  for (size_t i = 0; i < to.size(); ++i) {
    to[i] ^= from[i];
  }
}

void PlanesForm::write(const BitPlanes& x, std::span<std::byte> out) const {
  pack(x, out);
}

auto PlanesForm::read(const Party& party, std::span<const std::byte> bytes) const -> BitPlanes {
  return unpack(bytes, width, n, party.memory());
}

}  // namespace tacet::mpc
