// `mean` of mean.he on encrypted numbers, by HEIR (CKKS).
// Written by `tacet emit --to`; it can be changed like any other source.
// For `heir-opt`: vectors of slots, whose layout the comments on arguments describe.

// Scale: 2^37. Ring dimension: 8192.
// Rotations: 1, 2.
// x_2 = x[j] over (j:4) repeat
// quarter_2 = quarter over () repeat
// Result out[]: the sum of slots 0 of the returned vector, for this alone.
func.func @mean(%x_2: !secret.secret<tensor<4096xf64>>, %quarter_2: tensor<4096xf64>) -> (!secret.secret<tensor<4096xf64>>) {
  %out = secret.generic(%x_2: !secret.secret<tensor<4096xf64>>) {
  ^body(%x_2_slots: tensor<4096xf64>):
    %v0 = arith.mulf %quarter_2, %x_2_slots : tensor<4096xf64>
    %steps1 = arith.constant 2 : index
    %v1 = tensor_ext.rotate %v0, %steps1 : tensor<4096xf64>, index
    %v2 = arith.addf %v0, %v1 : tensor<4096xf64>
    %steps3 = arith.constant 1 : index
    %v3 = tensor_ext.rotate %v2, %steps3 : tensor<4096xf64>, index
    %v4 = arith.addf %v2, %v3 : tensor<4096xf64>
    secret.yield %v4 : tensor<4096xf64>
  } -> (!secret.secret<tensor<4096xf64>>)
  return %out : !secret.secret<tensor<4096xf64>>
}
