#pragma once

#include "engine/mpc/dispatch/context.h"

/// From polymorphic instructions to kernels of the protocol, layer by layer: by dtype first, then
/// by visibility, then by protocol. Each layer is a label of the party's traffic, so that what an
/// instruction sends, and when it waits, is attributed to its call stack:
///
///     mul > fmul > rmul > mul_ss
///
/// The types of operands select the next layer, and what was used is not needed below. A kernel's
/// result has a visibility; each layer above fills in its own part of the type. What arrives on top
/// is held against the instruction's scheme and its declared type.
namespace tacet::mpc {

/// Computes one instruction that is no control.
auto dispatch(Context& context, Operation operation) -> Task<Value>;

/// Does it send nothing, for it works on public values alone, or moves secrets to public places?
auto is_local(const Operation& operation) -> bool;
/// The same as `dispatch` of what is local. Public values in plaintext.
auto dispatch_locally(Context& context, Operation operation) -> Value;

// One file each. Operands have the shape of the result, or are scalars where said.
auto add(Context& context, Operation operation) -> Task<Value>;  ///< and `sub`
auto negate(Context& context, Operation operation) -> Task<Value>;
auto mul(Context& context, Operation operation) -> Task<Value>;      ///< and `mul_wide`
auto divide(Context& context, Operation operation) -> Task<Value>;   ///< and `mod`, `div_wide`
auto compare(Context& context, Operation operation) -> Task<Value>;  ///< `lt`, `leq`, `gt`, `geq`
auto test_equal(Context& context, Operation operation) -> Task<Value>;  ///< and `neq`
auto logic(Context& context, Operation operation) -> Task<Value>;  ///< `and`, `or`, `xor`, `not`
auto shift(Context& context, Operation operation) -> Task<Value>;
auto choose(Context& context, Operation operation) -> Task<Value>;        ///< `select`
auto extremum(Context& context, Operation operation) -> Task<Value>;      ///< `min`, `max`, `abs`
auto convert_type(Context& context, Operation operation) -> Task<Value>;  ///< `cast`
auto wrap(Context& context, Operation operation) -> Task<Value>;
auto sum(Context& context, Operation operation) -> Task<Value>;
auto reduce_by_tree(Context& context, Operation operation) -> Task<Value>;
auto inner_product(Context& context, Operation operation) -> Task<Value>;  ///< `dot`, `matmul`
auto function(Context& context, Operation operation) -> Task<Value>;       ///< `exp` and so on
auto move(Context& context, Operation operation) -> Value;  ///< `view`, `pick`, `place`, `concat`
auto move_secretly(Context& context, Operation operation) -> Task<Value>;
auto draw_secretly(Context& context, Operation operation) -> Task<Value>;  ///< `draw_secret`
auto reveal(Context& context, Operation operation) -> Task<Value>;

}  // namespace tacet::mpc
