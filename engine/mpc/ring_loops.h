#pragma once

#include "base/cpu.h"
#include "engine/mpc/ring_arithmetic.h"

/// Private to engine/mpc: loops that are worth an instruction set of their own.
namespace tacet::mpc {

/// out += x · y, by the widest vectors that this processor has. All give the same words.
void add_matrix_product(const uint32_t* x, const uint32_t* y, uint32_t* out, MatrixShape shape);
void add_matrix_product(const uint64_t* x, const uint64_t* y, uint64_t* out, MatrixShape shape);
void add_matrix_product(const Word128* x, const Word128* y, Word128* out, MatrixShape shape);

/// For one instruction set; those with a name exist on x86-64 only.
void add_matrix_product_avx2(const uint32_t* x, const uint32_t* y, uint32_t* out,
                             MatrixShape shape);
void add_matrix_product_avx2(const uint64_t* x, const uint64_t* y, uint64_t* out,
                             MatrixShape shape);
void add_matrix_product_avx512(const uint32_t* x, const uint32_t* y, uint32_t* out,
                               MatrixShape shape);
void add_matrix_product_avx512(const uint64_t* x, const uint64_t* y, uint64_t* out,
                               MatrixShape shape);

}  // namespace tacet::mpc
