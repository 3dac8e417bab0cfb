#include <gtest/gtest.h>

#include "compiler/he/circuit/lower.h"
#include "compiler/he/circuit/optimise.h"
#include "compiler/he/circuit/print.h"
#include "compiler/he/circuit/rotations.h"
#include "tests/circuit/small_circuit.h"

/// The kernels of Recto and Myers' evaluation, laid out as their compiler does, and what is left of
/// them to compute.
namespace tacet::circuit {
namespace {

struct Kernel {
  const char* name;
  const char* text;
  // Before and after: rotations, products of ciphertexts, products with clear ones, depth.
  size_t before[4];
  size_t after[4];
};

const Kernel kKernels[] = {
    {"convolution of an image with a filter of the server",
     R"(circuit 2 x 4096
input image[32, 32] from client
input filter[3, 3] from server
cipher img = image[y + i, x] over (y:32, i:4, x:32) where i in 0..3
native mask = 1 over (y:32, i:4, x:32) where i in 0..3, x in 0..30
native f[j0:3] = filter[i, j0] over (y:32, i:4, x:32)
loop j: 3
%0 = sum(j: rot(img, j) * mask * f[j])
%1 = %0 + rot(%0, 64)
y = %1 + rot(%1, 32)
output r[30, 30] over (a:30, b:30) [a, b] = y at 0, 128*a + b
)",
     {4, 0, 6, 0},
     {4, 0, 3, 0}},
    {"squared distances to 64 points of the server",
     R"(circuit 2 x 2048
input point[64] from client
input tests[64, 64] from server
cipher p[h:2] = point[32*h + c] over (r:64, c:32)
native t[h:2] = tests[r, 32*h + c] over (r:64, c:32)
loop h: 2
%0 = sum(h: (p[h] - t[h]) * (p[h] - t[h]))
%1 = %0 + rot(%0, 16)
%2 = %1 + rot(%1, 8)
%3 = %2 + rot(%2, 4)
%4 = %3 + rot(%3, 2)
y = %4 + rot(%4, 1)
output r[64] over (a:64) [a] = y at 0, 32*a
)",
     {5, 2, 0, 1},
     {5, 2, 0, 1}},
    {"two matrices of the server times one of the client",
     R"(circuit 2 x 4096
input a1[16, 16] from server
input a2[16, 16] from server
input b[16, 16] from client
cipher x = b[k, j] over (k:16, j:16, i:16)
native m1 = a1[i, k] over (k:16, j:16, i:16)
native m2 = a2[i2, i] over (i2:16, j:16, i:16)
%0 = x * m1
%1 = %0 + rot(%0, 2048)
%2 = %1 + rot(%1, 1024)
%3 = %2 + rot(%2, 512)
%4 = %3 + rot(%3, 256)
%5 = %4 * m2
%6 = %5 + rot(%5, 8)
%7 = %6 + rot(%6, 4)
%8 = %7 + rot(%7, 2)
y = %8 + rot(%8, 1)
output r[16, 16] over (c:16, d:16) [c, d] = y at 0, 256*c + 16*d
)",
     {8, 0, 2, 0},
     {8, 0, 2, 0}},
    {"a value by its key, all secret",
     R"(circuit 2 x 2048
input keys[256, 8] from client
input values[256] from client
input query[8] from client
cipher q = query[b] over (b:8, k:256)
cipher key = keys[k, b] over (b:8, k:256)
cipher v = values[k] over (k:256)
%0 = q - key
%1 = 1 - %0 * %0
%2 = %1 * rot(%1, 1024)
%3 = %2 * rot(%2, 512)
%4 = %3 * rot(%3, 256)
%5 = %4 * v
%6 = %5 + rot(%5, 128)
%7 = %6 + rot(%6, 64)
%8 = %7 + rot(%7, 32)
%9 = %8 + rot(%8, 16)
%10 = %9 + rot(%9, 8)
%11 = %10 + rot(%10, 4)
%12 = %11 + rot(%11, 2)
y = %12 + rot(%12, 1)
output r over () [] = y at 0, 0
)",
     {11, 5, 0, 5},
     {11, 5, 0, 5}},
    {"a matrix of the server times a vector, by diagonals",
     R"(circuit 2 x 256
input matrix[64, 64] from server
input vector[64] from client
cipher x = vector[c] over (c:64) repeat
native diagonal[i0:64] = matrix[c, (i0 + c) mod 64] over (c:64) repeat
loop i: 64
y = sum(i: rot(x, i) * diagonal[i])
output r[64] over (c:64) [c] = y at 0, c
)",
     {63, 0, 64, 0},
     {14, 0, 64, 0}},
    {"sums of three products, each reduced",
     R"(circuit 2 x 256
input a[3, 64] from client
input b[3, 64] from client
cipher x[k0:3] = a[k0, c] over (c:64)
cipher y0[k0:3] = b[k0, c] over (c:64)
loop k: 3
%0 = x[k] * y0[k]
%1 = %0 + rot(%0, 32)
%2 = %1 + rot(%1, 16)
%3 = %2 + rot(%2, 8)
%4 = %3 + rot(%3, 4)
%5 = %4 + rot(%4, 2)
y = sum(k: %5 + rot(%5, 1))
output r over () [] = y at 0, 0
)",
     {18, 3, 0, 1},
     {6, 3, 0, 1}},
};

void expect_counts(const Counts& counts, const size_t (&expected)[4]) {
  EXPECT_EQ(counts.rotations, expected[0]);
  EXPECT_EQ(counts.ct_ct_products, expected[1]);
  EXPECT_EQ(counts.ct_pt_products, expected[2]);
  EXPECT_EQ(counts.depth, expected[3]);
}

TEST(Kernels, Counts) {
  for (const Kernel& kernel : kKernels) {
    SCOPED_TRACE(kernel.name);
    Result<Circuit> circuit = parse_circuit(kernel.text);
    ASSERT_TRUE(circuit) << circuit.error().message;
    const Weights weights = recto_myers_weights(8192);
    expect_counts(counts_of(circuit.value()), kernel.before);
    const Circuit optimised = optimise(circuit.value(), {.weights = weights});
    const Circuit planned = plan_rotations(optimised, {.weights = weights});
    SCOPED_TRACE(to_text(planned));
    expect_counts(counts_of(planned), kernel.after);
    std::mt19937_64 random(1);
    expect_same(circuit.value(), planned, random, kernel.name);
    ASSERT_TRUE(lower(planned));
  }
}

}  // namespace
}  // namespace tacet::circuit
