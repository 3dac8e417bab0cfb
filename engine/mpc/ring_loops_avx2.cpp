#include "engine/mpc/matrix_tiles.h"
#include "engine/mpc/ring_loops.h"

namespace tacet::mpc {

void add_matrix_product_avx2(const uint32_t* x, const uint32_t* y, uint32_t* out,
                             MatrixShape shape) {
  add_product<16>(x, y, out, shape);
}
void add_matrix_product_avx2(const uint64_t* x, const uint64_t* y, uint64_t* out,
                             MatrixShape shape) {
  add_product<8>(x, y, out, shape);
}

}  // namespace tacet::mpc
