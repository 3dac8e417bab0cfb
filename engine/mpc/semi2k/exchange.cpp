#include "engine/mpc/semi2k/beaver_loops.h"
#include "engine/mpc/semi2k/semi2k_state.h"

namespace tacet::mpc {

Exchange::Exchange(Party& party, size_t n_bytes)
    : party_(party), n_bytes_(n_bytes), own_(Ring::Z32, (n_bytes + 3) / 4, party.memory()) {
  for (Rank distance = 1; distance < party.n_parties(); ++distance) {
    theirs_.push_back(own_.like());
  }
}

void Exchange::send(size_t begin, size_t n_bytes) {
  for (Rank distance = 1; distance < party_.n_parties(); ++distance) {
    party_.send(party_.other(distance), own(begin, n_bytes));
  }
}

auto Exchange::receive() -> Party::Round {
  std::vector<Receipt> receipts;
  for (Rank distance = 1; distance < party_.n_parties(); ++distance) {
    receipts.push_back({.from = party_.other(distance),
                        .into = theirs_[distance - 1].edit_bytes().first(n_bytes_)});
  }
  return party_.receive(std::move(receipts));
}

/// `n` words that begin at a byte that is a multiple of their size.
template <class T>
static auto words_at(std::span<const std::byte> bytes, size_t begin, size_t n)
    -> std::span<const T> {
  return {reinterpret_cast<const T*>(bytes.data() + begin), n};
}

template <class T>
void sum_words(Exchange& exchange, size_t begin, std::span<T> out) {
  const std::span<std::byte> own = exchange.own(begin, out.size_bytes());
  const std::span<const T> words = words_at<T>(own, 0, out.size());
  std::copy(words.begin(), words.end(), out.begin());
  for (const RingArray& theirs : exchange.theirs()) {
    add_words(out, words_at<T>(theirs.bytes(), begin, out.size()));
  }
}

template void sum_words(Exchange&, size_t, std::span<uint32_t>);
template void sum_words(Exchange&, size_t, std::span<uint64_t>);
template void sum_words(Exchange&, size_t, std::span<Word128>);

auto sum_bits(Exchange& exchange, size_t begin, unsigned width, size_t n, const Memory& memory)
    -> BitPlanes {
  const size_t n_bytes = BitPlanes::packed_size(width, n);
  const std::span<std::byte> sum = exchange.own(begin, n_bytes);
  for (const RingArray& theirs : exchange.theirs()) {
    exclusive_or_into(sum.data(), theirs.bytes().data() + begin, n_bytes);
  }
  return unpack(sum, width, n, memory);
}

}  // namespace tacet::mpc
