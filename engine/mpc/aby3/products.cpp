#include <algorithm>
#include <vector>

#include "engine/mpc/aby3/aby3_protocol.h"
#include "engine/mpc/aby3/masks.h"

namespace tacet::mpc {

auto local_dot(const Share& x, const Share& y, size_t length) -> RingArray {
  return add(dot_rows(x.parts[0], add(y.parts[0], y.parts[1]), length),
             dot_rows(x.parts[1], y.parts[0], length));
}

auto local_matrix_product(const Share& x, const Share& y, MatrixShape shape) -> RingArray {
  return add(multiply_matrices(x.parts[0], add(y.parts[0], y.parts[1]), shape),
             multiply_matrices(x.parts[1], y.parts[0], shape));
}

auto local_product(const Share& x, const Share& y) -> RingArray {
  RingArray out = x.parts[0].like();
  with_word(out.ring(), [&]<class T>(std::type_identity<T>) {
    add_products<T>(words_of<T>(x), words_of<T>(y), 0, nullptr, nullptr, out.edit<T>());
  });
  return out;
}

namespace {

/// Memory for the words of one chunk.
template <class T>
auto chunk_words(size_t n) -> size_t {
  return std::min(n, kChunkBytes / sizeof(T));
}

}  // namespace

// In chunks: two key streams, the local sum, off it goes.
auto Aby3::multiply(Party& party, Share x, Share y) -> Task<Share> {
  const Party::Scope scope = party.scope("mul_ss");
  TACET_CHECK(x.ring() == y.ring() && x.size() == y.size(), "operands of different shapes");
  RingArray first = x.parts[0].like();
  with_word(x.ring(), [&]<class T>(std::type_identity<T>) {
    const size_t chunk = chunk_words<T>(x.size());
    std::vector<T> plus(chunk);
    std::vector<T> minus(chunk);
    const std::span<T> out = first.edit<T>();
    for (size_t begin = 0; begin < out.size(); begin += chunk) {
      const size_t n = std::min(chunk, out.size() - begin);
      keys_->of_part(0).fill(std::as_writable_bytes(std::span(plus.data(), n)));
      keys_->of_part(1).fill(std::as_writable_bytes(std::span(minus.data(), n)));
      add_products(words_of<T>(x), words_of<T>(y), begin, plus.data(), minus.data(),
                   out.subspan(begin, n));
      party.send(party.other(2), std::as_bytes(out.subspan(begin, n)));
    }
  });
  RingArray second = first.like();
  co_await party.receive(party.other(1), second.edit_bytes());
  co_return Share(std::move(first), std::move(second));
}

auto Aby3::square(Party& party, Share x) -> Task<Share> {
  return multiply(party, x, x);
}

template <class Sink>
void Aby3::mask_chunks(RingArray& local, Sink sink) {
  with_word(local.ring(), [&]<class T>(std::type_identity<T>) {
    const size_t chunk = chunk_words<T>(local.size());
    std::vector<T> plus(chunk);
    std::vector<T> minus(chunk);
    const std::span<T> out = local.edit<T>();
    for (size_t begin = 0; begin < out.size(); begin += chunk) {
      const size_t n = std::min(chunk, out.size() - begin);
      keys_->of_part(0).fill(std::as_writable_bytes(std::span(plus.data(), n)));
      keys_->of_part(1).fill(std::as_writable_bytes(std::span(minus.data(), n)));
      add_masks(plus.data(), minus.data(), out.subspan(begin, n));
      sink(std::as_bytes(out.subspan(begin, n)));
    }
  });
}

void Aby3::mask(RingArray& local) {
  mask_chunks(local, [](std::span<const std::byte> /*chunk*/) {});
}

auto Aby3::replicate(Party& party, RingArray local) -> Task<Share> {
  mask_chunks(local, [&](std::span<const std::byte> chunk) { party.send(party.other(2), chunk); });
  RingArray second = local.like();
  co_await party.receive(party.other(1), second.edit_bytes());
  co_return Share(std::move(local), std::move(second));
}

auto Aby3::dot(Party& party, Share x, Share y, size_t length) -> Task<Share> {
  const Party::Scope scope = party.scope("dot_ss");
  RingArray local = local_dot(x, y, length);
  co_return co_await replicate(party, std::move(local));
}

auto Aby3::multiply_matrices(Party& party, Share x, Share y, MatrixShape shape) -> Task<Share> {
  const Party::Scope scope = party.scope("matmul_ss");
  RingArray local = local_matrix_product(x, y, shape);
  co_return co_await replicate(party, std::move(local));
}

// As `multiply`, modulo 2. Planes that fill whole words go out as they are computed; others are cut
// to bytes first.
auto Aby3::conjunction(Party& party, Bits x, Bits y) -> Task<Bits> {
  const Party::Scope scope = party.scope("and_ss");
  TACET_CHECK(x.width() == y.width() && x.size() == y.size(), "bits of different shapes");
  BitPlanes first(x.width(), x.size(), party.memory());
  const bool is_whole = x.size() % 64 == 0;
  {
    const std::span<uint64_t> out = first.edit();
    const size_t chunk = chunk_words<uint64_t>(out.size());
    std::vector<uint64_t> plus(chunk);
    std::vector<uint64_t> minus(chunk);
    for (size_t begin = 0; begin < out.size(); begin += chunk) {
      const size_t n = std::min(chunk, out.size() - begin);
      keys_->of_part(0).fill(std::as_writable_bytes(std::span(plus.data(), n)));
      keys_->of_part(1).fill(std::as_writable_bytes(std::span(minus.data(), n)));
      add_conjunctions(words_of(x), words_of(y), begin, plus.data(), minus.data(),
                       out.subspan(begin, n));
      if (is_whole) {
        party.send(party.other(2), std::as_bytes(out.subspan(begin, n)));
      }
    }
  }
  BitPlanes second(x.width(), x.size(), party.memory());
  if (is_whole) {
    const std::span<std::byte> into = std::as_writable_bytes(second.edit());
    co_await party.receive(party.other(1), into);
    co_return Bits(std::move(first), std::move(second));
  }
  std::vector<std::byte> packed(first.n_packed_bytes());
  pack(first, packed);
  party.send(party.other(2), packed);
  co_await party.receive(party.other(1), packed);
  second = unpack(packed, x.width(), x.size(), party.memory());
  co_return Bits(std::move(first), std::move(second));
}

}  // namespace tacet::mpc
