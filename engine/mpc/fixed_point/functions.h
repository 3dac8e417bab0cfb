#pragma once

#include "engine/mpc/protocol.h"
#include "engine/mpc_model/fixed_point.h"

/// Real functions of secret fixed-point numbers x, held as the integers x * 2^f of a ring of 64 or
/// 128 bits, for x of 64 bits. Element by element. For which arguments and how exact they are says
/// `mpc_model::bound_of`, and what they cost `mpc_model::cost_of`; for other arguments any number
/// comes out.
///
/// All of them scale their argument by a secret power of two to between 1/2 and 1, or split it in
/// an integer and a fraction, by its bits; evaluate a polynomial there; and scale the result. What
/// is scaled is found from the bits with conjunctions alone, as an exponent of few bits, and the
/// power of two is a product of as many factors: converting those bits costs less than converting a
/// power of two.
namespace tacet::mpc {

/// Fixed point with `fraction_bits` bits behind the point, and how products are rounded.
struct FixedPoint {
  unsigned fraction_bits = 18;
  Truncation truncation = Truncation::Exact;
};

/// x / y.
auto divide(Party& party, Share x, Share y, FixedPoint format) -> Task<Share>;
auto reciprocal(Party& party, Share x, FixedPoint format) -> Task<Share>;
auto square_root(Party& party, Share x, FixedPoint format) -> Task<Share>;
auto reciprocal_square_root(Party& party, Share x, FixedPoint format) -> Task<Share>;
auto exponential(Party& party, Share x, FixedPoint format) -> Task<Share>;
auto logarithm(Party& party, Share x, FixedPoint format) -> Task<Share>;
auto sigmoid(Party& party, Share x, FixedPoint format) -> Task<Share>;
auto hyperbolic_tangent(Party& party, Share x, FixedPoint format) -> Task<Share>;
auto error_function(Party& party, Share x, FixedPoint format) -> Task<Share>;
auto sine(Party& party, Share x, FixedPoint format) -> Task<Share>;
auto cosine(Party& party, Share x, FixedPoint format) -> Task<Share>;

/// Any of them but division, by its name in the model.
auto evaluate(Party& party, mpc_model::FixedFunction function, Share x, FixedPoint format)
    -> Task<Share>;

}  // namespace tacet::mpc
