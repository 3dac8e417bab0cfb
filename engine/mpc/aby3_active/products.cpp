#include <algorithm>
#include <utility>
#include <vector>

#include "engine/mpc/aby3_active/active_protocol.h"

namespace tacet::mpc {

namespace {

/// Arrays are computed, masked and sent in pieces of so many bytes, so that the links are busy
/// meanwhile and what was just computed is still in the cache.
constexpr size_t kPieceBytes = size_t{1} << 18;

/// out[i] += plus[i] - minus[i].
template <class T>
void add_masks_to(std::span<T> out, const T* plus, const T* minus) {
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] += static_cast<T>(plus[i] - minus[i]);
  }
}

template <class T>
void add_local_products(const Share& x, const Share& y, size_t begin, std::span<T> out) {
  const T* x0 = x.parts[0].words<T>().data() + begin;
  const T* x1 = x.parts[1].words<T>().data() + begin;
  const T* y0 = y.parts[0].words<T>().data() + begin;
  const T* y1 = y.parts[1].words<T>().data() + begin;
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] += static_cast<T>(x0[i] * static_cast<T>(y0[i] + y1[i]) + x1[i] * y0[i]);
  }
}

void add_local_conjunctions(const Bits& x, const Bits& y, size_t begin, const uint64_t* plus,
                            const uint64_t* minus, std::span<uint64_t> out) {
  const uint64_t* x0 = x.parts[0].words().data() + begin;
  const uint64_t* x1 = x.parts[1].words().data() + begin;
  const uint64_t* y0 = y.parts[0].words().data() + begin;
  const uint64_t* y1 = y.parts[1].words().data() + begin;
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = (x0[i] & (y0[i] ^ y1[i])) ^ (x1[i] & y0[i]) ^ plus[i] ^ minus[i];
  }
}

/// Calls `body(begin, size)` for pieces of an array.
template <class T, class Body>
void for_pieces(size_t n, Body body) {
  constexpr size_t kPiece = kPieceBytes / sizeof(T);
  for (size_t begin = 0; begin < n; begin += kPiece) {
    body(begin, std::min(kPiece, n - begin));
  }
}

/// Which masks borrow. Of words of 128 bits, whose check has no use for it, none.
template <class T>
void set_origins(std::span<ClaimOrigin> origins, const T* plus, const T* minus) {
  if constexpr (sizeof(T) <= sizeof(uint64_t)) {
    for (size_t i = 0; i < origins.size(); ++i) {
      origins[i] = static_cast<ClaimOrigin>(plus[i] < minus[i]);
    }
  }
}

/// Origins of n claims of a ring.
auto origins_for(Ring ring, size_t n) -> ClaimOrigins {
  return ClaimOrigins(ring == Ring::Z128 ? 0 : n);
}

/// Masks `out` piece by piece, after `compute(begin, piece)`, and sends it to the previous party.
/// `origins` are empty, or of all claims.
template <class T, class Compute>
void send_masked(Party& party, ActiveKeys& keys, std::span<T> out, std::span<ClaimOrigin> origins,
                 Compute compute) {
  std::vector<T> plus(std::min(out.size(), kPieceBytes / sizeof(T)));
  std::vector<T> minus(plus.size());
  for_pieces<T>(out.size(), [&](size_t begin, size_t n) {
    keys.of_part(0).fill(std::as_writable_bytes(std::span(plus.data(), n)));
    keys.of_part(1).fill(std::as_writable_bytes(std::span(minus.data(), n)));
    const std::span<T> piece = out.subspan(begin, n);
    if (!origins.empty()) {
      set_origins<T>(origins.subspan(begin, n), plus.data(), minus.data());
    }
    add_masks_to(piece, plus.data(), minus.data());
    compute(begin, piece);
    party.send(party.other(2), std::as_bytes(piece));
  });
  wipe(std::span(plus));
  wipe(std::span(minus));
}

}  // namespace

auto Aby3Active::multiply(Party& party, Share x, Share y) -> Task<Share> {
  const Party::Scope scope = party.scope("mul_ss");
  TACET_CHECK(x.ring() == y.ring() && x.size() == y.size(), "operands of different shapes");
  RingArray first = RingArray::zeros(x.ring(), x.size(), party.memory());
  ClaimOrigins origins = origins_for(x.ring(), x.size());
  with_word(x.ring(), [&]<class T>(std::type_identity<T>) {
    send_masked<T>(
        party, *keys_, first.edit<T>(), origins.edit(),
        [&](size_t begin, std::span<T> piece) { add_local_products<T>(x, y, begin, piece); });
  });
  RingArray second = first.like();
  co_await party.receive(party.other(1), second.edit_bytes());
  Share z(std::move(first), std::move(second));
  claims_.add_dots(x, y, z, 1, std::move(origins));
  co_await check_if_much(party);
  co_return z;
}

auto Aby3Active::replicate(Party& party, RingArray local, std::span<ClaimOrigin> origins)
    -> Task<Share> {
  with_word(local.ring(), [&]<class T>(std::type_identity<T>) {
    send_masked<T>(party, *keys_, local.edit<T>(), origins, [](size_t, std::span<T>) {});
  });
  RingArray second = local.like();
  co_await party.receive(party.other(1), second.edit_bytes());
  co_return Share(std::move(local), std::move(second));
}

auto Aby3Active::dot(Party& party, Share x, Share y, size_t length) -> Task<Share> {
  const Party::Scope scope = party.scope("dot_ss");
  TACET_CHECK(x.ring() == y.ring() && x.size() == y.size(), "operands of different shapes");
  TACET_CHECK(length > 0, "dot products of nothing");
  RingArray local = add(dot_rows(x.parts[0], mpc::add(y.parts[0], y.parts[1]), length),
                        dot_rows(x.parts[1], y.parts[0], length));
  ClaimOrigins origins = origins_for(x.ring(), local.size());
  Share z = co_await replicate(party, std::move(local), origins.edit());
  claims_.add_dots(x, y, z, length, std::move(origins));
  co_await check_if_much(party);
  co_return z;
}

auto Aby3Active::multiply_matrices(Party& party, Share x, Share y, MatrixShape shape)
    -> Task<Share> {
  const Party::Scope scope = party.scope("matmul_ss");
  if (shape.inner == 0) {
    co_return zero_share(2, x.ring(), shape.rows * shape.columns, party.memory());
  }
  RingArray local = add(mpc::multiply_matrices(x.parts[0], mpc::add(y.parts[0], y.parts[1]), shape),
                        mpc::multiply_matrices(x.parts[1], y.parts[0], shape));
  const std::span<ClaimOrigin> none;
  Share z = co_await replicate(party, std::move(local), none);
  claims_.add_matrix_product(x, y, z, shape);
  co_await check_if_much(party);
  co_return z;
}

// Planes that fill whole words are sent as they are computed; others are cut to bytes first.
auto Aby3Active::conjunction(Party& party, Bits x, Bits y) -> Task<Bits> {
  const Party::Scope scope = party.scope("and_ss");
  TACET_CHECK(x.width() == y.width() && x.size() == y.size(), "bits of different shapes");
  BitPlanes first(x.width(), x.size(), party.memory());
  const bool is_whole = x.size() % 64 == 0;
  {
    const std::span<uint64_t> out = first.edit();
    std::vector<uint64_t> plus(std::min(out.size(), kPieceBytes / sizeof(uint64_t)));
    std::vector<uint64_t> minus(plus.size());
    for_pieces<uint64_t>(out.size(), [&](size_t begin, size_t n) {
      keys_->of_part(0).fill(std::as_writable_bytes(std::span(plus.data(), n)));
      keys_->of_part(1).fill(std::as_writable_bytes(std::span(minus.data(), n)));
      add_local_conjunctions(x, y, begin, plus.data(), minus.data(), out.subspan(begin, n));
      if (is_whole) {
        party.send(party.other(2), std::as_bytes(out.subspan(begin, n)));
      }
    });
  }
  BitPlanes second(x.width(), x.size(), party.memory());
  if (is_whole) {
    const std::span<std::byte> into = std::as_writable_bytes(second.edit());
    co_await party.receive(party.other(1), into);
  } else {
    std::vector<std::byte> packed(first.n_packed_bytes());
    pack(first, packed);
    party.send(party.other(2), packed);
    co_await party.receive(party.other(1), packed);
    second = unpack(packed, x.width(), x.size(), party.memory());
  }
  Bits z(std::move(first), std::move(second));
  claims_.add_conjunctions(x, y, z);
  co_await check_if_much(party);
  co_return z;
}

}  // namespace tacet::mpc
