#pragma once

#include <cstddef>
#include <vector>

#include "engine/mpc/bits.h"
#include "engine/mpc/share.h"

/// Private to this folder.
namespace tacet::mpc {

/// Products that were computed and have to be checked. Arrays are kept as they are, and are shared
/// with those of the program.
class Claims {
 public:
  struct Dots {
    Share x;
    Share y;
    Share z;
    size_t length = 1;
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
  void add_dots(const Share& x, const Share& y, const Share& z, size_t length);
  void add_matrix_product(const Share& x, const Share& y, const Share& z, MatrixShape shape);
  void add_conjunctions(const Bits& x, const Bits& y, const Bits& z);

  [[nodiscard]] auto is_empty() const -> bool;
  /// Words of both factors.
  [[nodiscard]] auto n_words() const -> size_t { return n_words_; }
  /// Takes out claims of about as many words, or one; the rest stays.
  auto take(size_t n_words) -> Claims;

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
};

}  // namespace tacet::mpc
