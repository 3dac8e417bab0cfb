#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/wipe.h"
#include "engine/mpc/aby3_active/prime_loops.h"
#include "engine/mpc/bits.h"
#include "engine/mpc/share.h"

/// Private to this folder.
namespace tacet::mpc {

/// Of each claim of a party, how its summand was made. That shows something of masks, so it is
/// wiped.
class ClaimOrigins {
 public:
  explicit ClaimOrigins(size_t n, ClaimOrigin origin = ClaimOrigin::NoBorrow)
      : of_claims_(n, origin) {}
  ClaimOrigins(ClaimOrigins&&) = default;
  auto operator=(ClaimOrigins&&) -> ClaimOrigins& = delete;
  ~ClaimOrigins() { wipe(std::span(of_claims_)); }

  [[nodiscard]] auto size() const -> size_t { return of_claims_.size(); }
  [[nodiscard]] auto data() const -> const ClaimOrigin* { return of_claims_.data(); }
  [[nodiscard]] auto edit() -> std::span<ClaimOrigin> { return of_claims_; }

 private:
  std::vector<ClaimOrigin> of_claims_;
};

/// Products that were computed and have to be checked. Arrays are kept as they are, and are shared
/// with those of the program.
class Claims {
 public:
  struct Dots {
    Share x;
    Share y;
    Share z;
    size_t length = 1;
    std::shared_ptr<const ClaimOrigins> origins;  ///< null for words of 128 bits
    size_t first_origin = 0;
  };
  struct MatrixProduct {
    Share x;
    Share y;
    Share z;
    MatrixShape shape;
  };
  struct Conjunctions {
    Bits x;
    Bits y;
    Bits z;
  };

  /// Of z_i = sum_k x_ik y_ik.
  void add_dots(const Share& x, const Share& y, const Share& z, size_t length,
                ClaimOrigins origins);
  void add_matrix_product(const Share& x, const Share& y, const Share& z, MatrixShape shape);
  void add_conjunctions(const Bits& x, const Bits& y, const Bits& z);

  [[nodiscard]] auto is_empty() const -> bool;
  /// Arrays that were ever added here.
  [[nodiscard]] auto n_added() const -> uint64_t { return n_added_; }
  /// Words of both factors.
  [[nodiscard]] auto n_words() const -> size_t { return n_words_; }
  /// Takes out claims of about as many words, or one; the rest stays.
  auto take(size_t n_words) -> Claims;
  auto take_all() -> Claims;

  [[nodiscard]] auto dots() const -> const std::vector<Dots>& { return dots_; }
  [[nodiscard]] auto matrix_products() const -> const std::vector<MatrixProduct>& {
    return matrix_products_;
  }
  [[nodiscard]] auto conjunctions() const -> const std::vector<Conjunctions>& {
    return conjunctions_;
  }

 private:
  std::vector<Dots> dots_;
  std::vector<MatrixProduct> matrix_products_;
  std::vector<Conjunctions> conjunctions_;
  size_t n_words_ = 0;
  uint64_t n_added_ = 0;
};

}  // namespace tacet::mpc
