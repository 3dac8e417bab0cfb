#include "engine/mpc/ring_loops.h"

#include "engine/mpc/matrix_tiles.h"

namespace tacet::mpc {

namespace {

template <class T>
void add_by_isa(const T* x, const T* y, T* out, MatrixShape shape) {
#if defined(__x86_64__)
  switch (best_isa()) {
    case Isa::Avx512Ifma:
      return add_matrix_product_avx512(x, y, out, shape);
    case Isa::Avx2:
      return add_matrix_product_avx2(x, y, out, shape);
    case Isa::Scalar:
      break;
  }
#endif
  add_product<4>(x, y, out, shape);
}

}  // namespace

void add_matrix_product(const uint32_t* x, const uint32_t* y, uint32_t* out, MatrixShape shape) {
  add_by_isa(x, y, out, shape);
}
void add_matrix_product(const uint64_t* x, const uint64_t* y, uint64_t* out, MatrixShape shape) {
  add_by_isa(x, y, out, shape);
}
void add_matrix_product(const Word128* x, const Word128* y, Word128* out, MatrixShape shape) {
  add_product<2>(x, y, out, shape);
}

}  // namespace tacet::mpc
