#include "engine/mpc/dispatch/dispatch.h"
#include "engine/mpc/dispatch/integer_type.h"

namespace tacet::mpc {

using engine::MpcOpcode;

namespace {

struct Shape {
  bool is_matrix = false;
  MatrixShape matrix{};
  size_t length = 1;
};

auto product_ss(Context& context, Share x, Share y, Shape shape, unsigned f) -> Task<Value> {
  Protocol& protocol = context.protocol();
  Party& party = context.party;
  if (shape.is_matrix) {
    const Party::Scope scope = party.scope(f > 0 ? "matmul_trunc_ss" : "matmul_ss");
    if (f > 0) {
      co_return secret_value(co_await protocol.multiply_matrices_truncate(
          party, std::move(x), std::move(y), shape.matrix, f, context.truncation));
    }
    co_return secret_value(
        co_await protocol.multiply_matrices(party, std::move(x), std::move(y), shape.matrix));
  }
  const Party::Scope scope = party.scope(f > 0 ? "dot_trunc_ss" : "dot_ss");
  if (f > 0) {
    co_return secret_value(co_await protocol.dot_truncate(party, std::move(x), std::move(y),
                                                          shape.length, f, context.truncation));
  }
  co_return secret_value(co_await protocol.dot(party, std::move(x), std::move(y), shape.length));
}

/// Local, up to the truncation.
auto product_sp(Context& context, const Value& x, const Value& y, Shape shape, Ring ring,
                unsigned f) -> Task<Value> {
  Share product;
  if (shape.is_matrix) {
    product =
        x.is_secret()
            ? multiply_matrices_public(*x.secret->share, as_words(context, y, ring), shape.matrix)
            : multiply_matrices_public(as_words(context, x, ring), *y.secret->share, shape.matrix);
  } else {
    product = x.is_secret() ? multiply_public(*x.secret->share, as_words(context, y, ring))
                            : multiply_public(*y.secret->share, as_words(context, x, ring));
    product = sum_rows(product, shape.length);
  }
  if (f > 0) {
    product = co_await truncate(context.party, std::move(product), f, context.truncation);
  }
  co_return secret_value(std::move(product));
}

/// An integer factor in the ring of fixed-point numbers.
auto in_ring(Context& context, Value x, Ring ring) -> Task<Value> {
  if (!x.is_secret() || x.secret->share->ring() == ring) {
    co_return x;
  }
  Value wide = secret_value(co_await cast_integer(
      context.party, *x.secret->share, integer_type_of(x.element()), n_bits(ring), ring));
  co_return wide;
}

}  // namespace

/// Fixed point is truncated once for each element of the result, and not at all where one of the
/// factors is an integer.
auto inner_product(Context& context, Operation operation) -> Task<Value> {
  const bool is_matrix = operation.instruction->op == MpcOpcode::Matmul;
  const Party::Scope scope = context.party.scope(is_matrix ? "matmul" : "dot");
  Value x = operation.operands[0];
  Value y = operation.operands[1];
  const engine::ElementType element = operation.type.element;
  const unsigned f = x.element() == y.element() ? element.fraction_bits : 0;
  Shape shape{.is_matrix = is_matrix};
  shape.length = static_cast<size_t>(x.extents().back());
  if (is_matrix) {
    shape.matrix = {static_cast<size_t>(x.extents()[0]), static_cast<size_t>(x.extents()[1]),
                    static_cast<size_t>(y.extents()[1])};
  }
  const Ring ring = context.ring_of(element);
  x = co_await in_ring(context, std::move(x), ring);
  y = co_await in_ring(context, std::move(y), ring);
  Value result;
  if (x.is_secret() && y.is_secret()) {
    result = co_await product_ss(context, *x.secret->share, *y.secret->share, shape, f);
  } else {
    result = co_await product_sp(context, x, y, shape, ring, f);
  }
  result.type.element = element;
  co_return result;
}

}  // namespace tacet::mpc
