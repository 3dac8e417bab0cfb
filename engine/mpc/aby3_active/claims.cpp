#include "engine/mpc/aby3_active/claims.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace tacet::mpc {

namespace {

/// Larger arrays are recorded in pieces of so many words.
constexpr size_t kPiece = size_t{1} << 18;

auto words_of(const Claims::Dots& dots) -> size_t {
  return dots.x.size();
}
auto words_of(const Claims::MatrixProduct& product) -> size_t {
  return product.x.size() + product.y.size() + product.z.size();
}
auto words_of(const Claims::Conjunctions& bits) -> size_t {
  return bits.x.parts[0].words().size();
}

/// Moves claims from the end of `from` until there are `n_words`.
template <class Claim>
void move_some(std::vector<Claim>& from, std::vector<Claim>& to, size_t& n_moved, size_t n_words) {
  while (!from.empty() && n_moved < n_words) {
    n_moved += words_of(from.back());
    to.push_back(std::move(from.back()));
    from.pop_back();
  }
}

}  // namespace

void Claims::add_dots(const Share& x, const Share& y, const Share& z, size_t length,
                      ClaimOrigins origins) {
  ++n_added_;
  const bool has_origins = z.ring() != Ring::Z128;
  TACET_CHECK(!has_origins || origins.size() == z.size(), "origins of other claims");
  const auto shared =
      has_origins ? std::make_shared<const ClaimOrigins>(std::move(origins)) : nullptr;
  const size_t piece = std::max<size_t>(1, kPiece / length);
  for (size_t begin = 0; begin < z.size(); begin += piece) {
    const size_t n = std::min(piece, z.size() - begin);
    const bool is_whole = n == z.size();
    dots_.push_back({.x = is_whole ? x : slice(x, begin * length, n * length),
                     .y = is_whole ? y : slice(y, begin * length, n * length),
                     .z = is_whole ? z : slice(z, begin, n),
                     .length = length,
                     .origins = shared,
                     .first_origin = begin});
    n_words_ += words_of(dots_.back());
  }
}

void Claims::add_matrix_product(const Share& x, const Share& y, const Share& z, MatrixShape shape) {
  if (z.size() == 0) {
    return;
  }
  ++n_added_;
  matrix_products_.push_back({.x = x, .y = y, .z = z, .shape = shape});
  n_words_ += words_of(matrix_products_.back());
}

void Claims::add_conjunctions(const Bits& x, const Bits& y, const Bits& z) {
  if (z.width() == 0 || z.size() == 0) {
    return;
  }
  ++n_added_;
  conjunctions_.push_back({.x = x, .y = y, .z = z});
  n_words_ += words_of(conjunctions_.back());
}

auto Claims::is_empty() const -> bool {
  return dots_.empty() && matrix_products_.empty() && conjunctions_.empty();
}

auto Claims::take_all() -> Claims {
  Claims taken;
  taken.dots_ = std::exchange(dots_, {});
  taken.matrix_products_ = std::exchange(matrix_products_, {});
  taken.conjunctions_ = std::exchange(conjunctions_, {});
  taken.n_words_ = std::exchange(n_words_, 0);
  return taken;
}

auto Claims::take(size_t n_words) -> Claims {
  Claims taken;
  move_some(matrix_products_, taken.matrix_products_, taken.n_words_, n_words);
  move_some(dots_, taken.dots_, taken.n_words_, n_words);
  move_some(conjunctions_, taken.conjunctions_, taken.n_words_, n_words);
  n_words_ -= taken.n_words_;
  return taken;
}

}  // namespace tacet::mpc
